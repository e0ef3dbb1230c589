"""Statements of the kernel as terms of Coq, and Coq's own substitution in them.

SymPy arranges a term when something is put into it, and Coq does not: whoever tells Coq which terms
a theorem was applied to must know what stands there then. So a term is read into a tree, in which
putting terms for names changes nothing else.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction
from functools import reduce
from typing import NamedTuple

from sympy import Add, Basic, Indexed, IndexedBase, Mul, Pow, Rel, Sum, Symbol

from polycore.proof.statements import Above, Ceil, Exp, Log, Power, Silent, Tail
from polycore.proof.statements import i as INDEX

__all__ = [
    "Term", "about_each", "argument", "atoms", "divisors", "each", "fingerprint", "integer",
    "normal", "number", "power", "put", "read", "symbol", "symbols", "value",
]  # fmt: skip

PRIME = (1 << 127) - 1
RELATIONS = {"==": "=", "!=": "<>", "<=": "<=", "<": "<", ">=": ">=", ">": ">"}
FUNCTIONS = {Exp: "exp", Log: "ln", Power: "Rpower"}
TAILS = {Above: "Above", Tail: "Tail", Silent: "Silent"}
# what stands between integers; everything else is between real numbers
INTEGER = "integer", "shift", "Ceil"
OPAQUE = {*FUNCTIONS.values(), *TAILS.values(), "Sum", "at", "Ceil"}
RESERVED = {"R", "Z", "O", "S", "exp", "ln", "fun", "in", "at", "as", "end", "with", "if", "let"}


class Term(NamedTuple):
    """An operation and the terms that it is applied to; a symbol with its name; a number or a power
    with its value or exponent.
    """

    kind: str
    terms: tuple[Term, ...] = ()
    name: str = ""
    value: Fraction = Fraction(0)

    def __str__(self) -> str:
        return _printed(self)


def number(value: int | Fraction) -> Term:
    """A real number."""
    return Term("number", value=Fraction(value))


def power(base: Term, exponent: int) -> Term:
    """An integer power; a negative one is of the inverse."""
    return Term("^", (base,), value=Fraction(exponent))


def symbol(one: Symbol | IndexedBase) -> Term:
    """A symbol by its kind: a sequence, an integer or a real number."""
    name = str(one.label) if isinstance(one, IndexedBase) else one.name
    kind = "sequence" if isinstance(one, IndexedBase) else "whole" if one.is_integer else "real"
    return Term(kind, name=name + "_" * (name in RESERVED))


def read(e: Basic) -> Term:
    """A relation or a term of real numbers; what :class:`~polycore.proof.translation.Scope` reads.

    >>> from polycore.proof import Exp, n, total
    >>> str(read(total(Exp(Symbol("x")) / 2) >= n))
    'Sum (fun i : Z => ((1/2) * exp x)) n >= IZR n'
    """
    if isinstance(e, Rel):
        return Term(RELATIONS[e.rel_op], (read(e.lhs), read(e.rhs)))
    if e.is_Rational:
        return number(Fraction(int(e.p), int(e.q)))
    match e:
        case Add() | Mul():
            return Term("+" if isinstance(e, Add) else "*", tuple(map(read, e.args)))
        case Pow():
            return power(read(e.base), int(e.exp))
        case Symbol():
            return Term("IZR", (symbol(e),)) if e.is_integer else symbol(e)
        case Indexed():
            return Term("at", (symbol(e.base), integer(e.indices[0])))
        case Sum():
            return Term("Sum", _sequence(e))
        case Ceil():
            return Term("IZR", (integer(e),))
    if type(e) in TAILS:
        coefficients, limit, *rest = e.args
        columns, tokens = map(integer, rest[:1]), map(read, rest[1:])
        parts = (*_sequence(coefficients), read(limit), *columns, *tokens)
        return Term(TAILS[type(e)], parts)
    return Term(FUNCTIONS[type(e)], tuple(map(read, e.args)))


def value(one: Symbol | IndexedBase, term: Basic) -> Term:
    """What is put for a symbol, as a term of its kind."""
    if isinstance(one, IndexedBase):
        return symbol(term) if isinstance(term, IndexedBase) else each(read(term))
    return integer(term) if one.is_integer else read(term)


def integer(e: Basic) -> Term:
    """An index, or a number of signs or columns."""
    if e.is_Integer:
        return Term("integer", value=Fraction(int(e)))
    if isinstance(e, Add):
        return Term("shift", tuple(map(integer, e.args)))
    return Term("Ceil", (read(e.args[0]),)) if isinstance(e, Ceil) else symbol(e)


def each(body: Term) -> Term:
    """The sequence i ↦ body; that of f[i] is f."""
    if body.kind == "at" and body.terms[1] == symbol(INDEX) and body.terms[0].kind == "sequence":
        return body.terms[0]
    return Term("fun", (body,))


def _sequence(total):
    return each(read(total.function)), integer(total.limits[0][2])


def put(term: Term, terms: Mapping[str, Term]) -> Term:
    """The term with others put for names, where Coq's `cbv beta` leaves nothing to reduce."""
    if term.kind in ("real", "whole", "sequence"):
        return terms.get(term.name, term)
    if term.kind == "fun":
        terms = {name: other for name, other in terms.items() if name != "i"}
    parts = tuple(put(part, terms) for part in term.terms)
    if term.kind == "at" and parts[0].kind == "fun":
        return put(parts[0].terms[0], {"i": parts[1]})
    return term._replace(terms=parts)


def normal(term: Term) -> Term:
    """The term after Coq's `rewrite plus_IZR`."""
    parts = tuple(map(normal, term.terms))
    if term.kind == "IZR" and parts[0].kind == "shift":
        return Term("+", tuple(normal(Term("IZR", (part,))) for part in parts[0].terms))
    if term.kind == "IZR" and parts[0].kind == "integer":
        return number(parts[0].value)
    return term._replace(terms=parts)


def within(term: Term) -> Iterator[Term]:
    """All parts in which no bound variable is meant, the smallest first."""
    if term.kind != "fun":
        for part in term.terms:
            yield from within(part)
        yield term


def symbols(term: Term) -> Iterator[Term]:
    """All symbols in it, bound ones too."""
    if term.kind in ("real", "whole", "sequence"):
        yield term
    for part in term.terms:
        yield from symbols(part)


def about_each(term: Term) -> bool:
    """Whether the index i is free in it."""
    return symbol(INDEX) in within(term)


def atoms(term: Term) -> Iterator[Term]:
    """The parts that arithmetic does not look into."""
    return (part for part in within(term) if part.kind in OPAQUE)


def divisors(terms: Iterable[Term]) -> list[Term]:
    """What is divided by, the smallest first."""
    found = {
        part.terms[0]: None
        for term in terms
        for part in within(term)
        if part.kind == "^" and part.value < 0
    }
    return list(found)


def fingerprint(term: Term) -> int:
    """A number that is the same for terms that are one rational function of the same atoms, and for
    others hardly ever; nothing is believed from it.
    """
    parts = list(map(fingerprint, term.terms))
    match term.kind:
        case "number" | "integer":
            return term.value.numerator * pow(term.value.denominator, -1, PRIME) % PRIME
        case "IZR":
            return parts[0]
        case "+" | "shift":
            return sum(parts) % PRIME
        case "*":
            return reduce(lambda one, other: one * other % PRIME, parts)
        case "^":
            return pow(parts[0], int(term.value), PRIME) if parts[0] else 0
        case "sequence":  # that of i ↦ f[i]
            here = fingerprint(symbol(INDEX))
            return _drawn("fun", _drawn("at", _drawn("sequence", term.name), here))
        case "at" if term.terms[0].kind == "sequence":
            return _drawn("at", _drawn("sequence", term.terms[0].name), parts[1])
    return _drawn(term.kind, term.name, *parts) if term.name else _drawn(term.kind, *parts)


def _drawn(*parts):
    return int.from_bytes(hashlib.sha256(repr(parts).encode()).digest()[:15], "big")


def _printed(term):
    parts = term.terms
    match term.kind:
        case "number" | "integer":
            return _number(term.value)
        case "real" | "whole" | "sequence":
            return term.name
        case "+" | "*":
            return f"({f' {term.kind} '.join(map(_printed, parts))})"
        case "^":
            base, size = argument(parts[0]), int(term.value)
            base = base if size > 0 else f"/ {base}" if size == -1 else f"(/ {base})"
            return base if abs(size) == 1 else f"{base} ^ {abs(size)}"
        case "shift":
            return " + ".join(f"({one})" if one.kind == "shift" else _printed(one) for one in parts)
        case "fun":
            return f"fun i : Z => {parts[0]}"
        case relation if relation in RELATIONS.values():
            return f"{parts[0]} {relation} {parts[1]}"
        case "at":
            return " ".join(map(argument, parts))
    return " ".join([term.kind, *map(argument, parts)])


def _number(value):
    text = str(abs(value))
    signed = f"-{text}" if value < 0 else text
    return f"({signed})" if value < 0 or "/" in text else signed


def argument(term: Term) -> str:
    """The term as it is written after the name of a function."""
    text = _printed(term)
    if term.kind in INTEGER:
        return f"{text}%Z" if term.kind == "integer" else f"({text})%Z"
    return text if " " not in text or term.kind in ("+", "*") else f"({text})"
