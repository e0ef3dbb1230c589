"""The translation of SymPy to Z3 and to balls: what the kernel takes a statement to mean.

Sums, powers, exponentials, logarithms and tail probabilities become applications of
uninterpreted functions, so that only the kernel's axioms say anything about them. A
division by zero is any number in Z3; the kernel proves every divisor non-zero.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from copy import copy
from functools import reduce
from operator import add, eq, ge, gt, le, lt, mul, ne
from typing import Any, Self, TypeVar

import flint
import kdrag.smt as smt
from kdrag import kernel
from sympy import (
    Add,
    Basic,
    Eq,
    Expr,
    Ge,
    Gt,
    Indexed,
    IndexedBase,
    Integer,
    Le,
    Lt,
    Mul,
    Ne,
    Pow,
    Rational,
    Rel,
    S,
    Sum,
    Symbol,
    Tuple,
    preorder_traversal,
)
from sympy.logic.boolalg import BooleanAtom

from polycore.proof.statements import Above, Ceil, Exp, Log, Power, Silent, Tail, i, m, n

__all__ = ["COMPARE", "INT", "ProofError", "Refuted", "Scope", "enclose", "put", "readable"]

Key = TypeVar("Key")
Made = TypeVar("Made")

INT, _REAL = smt.IntSort(), smt.RealSort()
_ARRAY = smt.ArraySort(INT, _REAL)
_FUNCTIONS = {
    Exp: smt.Function("Exp", _REAL, _REAL),
    Log: smt.Function("Log", _REAL, _REAL),
    Power: smt.Function("Power", _REAL, _REAL, _REAL),
    Sum: smt.Function("Sum", _ARRAY, INT, _REAL),
    Ceil: smt.Function("Ceil", _REAL, INT),
    Above: smt.Function("Above", _ARRAY, INT, _REAL, _REAL),
    Tail: smt.Function("Tail", _ARRAY, INT, _REAL, _REAL),
    Silent: smt.Function("Silent", _ARRAY, INT, _REAL, INT, _REAL, _REAL),
}
WORDS = "plain symbols, Exp, Log, Power, Ceil, Above, Tail, Silent and total"
COMPARE = {Eq: eq, Ne: ne, Le: le, Lt: lt, Ge: ge, Gt: gt}
_INTEGERS = {Integer, *map(type, (S.Zero, S.One, S.NegativeOne))}
_NUMBERS = _INTEGERS | {Rational, type(S.Half)}
_READ = {Add, Mul, Pow, Tuple, *_FUNCTIONS, *_NUMBERS, *COMPARE}
_KEPT = {
    IndexedBase: {"_shape", "_offset", "_strides", "_name"}
}  # by SymPy, in an instance; in a function "nargs"


class ProofError(Exception):
    """A step that no rule allows; the message says which, and what was left over."""


class Refuted(ProofError):
    """A step that does not follow: some values meet all that is given and not the goal."""


def _plain(part):
    """Whether SymPy prints ``part`` as the kernel reads it: no subclass, no assumption, no name
    like a term's, nothing put into it.
    """
    if getattr(part, "__dict__", {}).keys() - _KEPT.get(type(part), {"nargs"}):
        return False
    if type(part) is Symbol:
        name = part.name.isascii() and part.name.isalnum() and part.name not in ("i", "m", "n")
        return part in (i, m, n) or name and part == Symbol(part.name)
    if type(part) in (Indexed, IndexedBase):
        name, *indices = part.args
        return type(name) is {Indexed: IndexedBase, IndexedBase: Symbol}[type(part)] and len(
            indices
        ) == (type(part) is Indexed)
    return isinstance(part, BooleanAtom) or type(part) in _READ


def readable(expressions: Iterable[Basic]) -> None:
    """Refuse, with a :class:`ProofError`, what SymPy would print otherwise than the kernel reads
    it.
    """
    for part in (part for e in expressions for part in preorder_traversal(e)):
        if not _plain(part):
            raise ProofError(f"the kernel has no reading of {part}; write it with {WORDS}")


def put(relation: Rel, terms: Mapping[Symbol | IndexedBase, Expr]) -> Rel:
    """``relation`` with terms put for symbols all at once, and not decided by SymPy."""
    at = {e: e.indices[0].xreplace(terms) for e in relation.atoms(Indexed) if e.base in terms}
    entries = {e: terms[e.base].xreplace({i: index}) for e, index in at.items()}
    return relation.func(
        *(side.xreplace({**entries, **terms}) for side in relation.args), evaluate=False
    )


class Scope:
    """The translation of SymPy to Z3, with a fresh variable for each symbol of ``expressions``."""

    def __init__(self, expressions: Sequence[Basic]) -> None:
        readable(expressions)
        atoms = {i, n}.union(*(e.atoms(Symbol, IndexedBase) for e in expressions))
        labels = {base.label for base in atoms if isinstance(base, IndexedBase)}
        self.symbols = sorted(atoms - labels, key=str)
        self.variables = tuple(symbol for symbol in self.symbols if symbol != i)
        sort = lambda s: _ARRAY if isinstance(s, IndexedBase) else INT if s.is_integer else _REAL
        self.var = {s: kernel.FreshVar(str(s), sort(s)) for s in self.symbols}
        self.shown: dict[int, tuple[smt.ExprRef, Expr]] = {}
        self.known: dict[tuple[str, object], Any] = {}  # of what type, `once` says

    def at(self, symbol: Symbol, value: smt.ArithRef) -> Self:
        """The same, but ``symbol`` stands for ``value``."""
        other = copy(self)
        other.var, other.known = {**self.var, symbol: value}, {}
        return other

    def once(self, kind: str, key: Key, make: Callable[[Key], Made]) -> Made:
        """``make(key)``, or what it gave before for this kind: proofs in one scope share most of
        what they are made from.
        """
        if (kind, key) not in self.known:
            self.known[kind, key] = make(key)
        return self.known[kind, key]

    def term(self, e: Expr) -> smt.ArithRef:
        return self.once("term", e, self._term)

    def _term(self, e):  # by the type, which cannot be changed: an attribute such as is_Add can
        kind = type(e)
        if kind in _NUMBERS:
            return smt.RealVal(str(e))
        if kind in (Add, Mul):
            return reduce(add if kind is Add else mul, map(self.term, e.args))
        if kind is Pow and type(e.exp) in _INTEGERS and e.exp:
            factor = self.term(e.base) if e.exp > 0 else 1 / self.term(e.base)
            return reduce(mul, [factor] * abs(int(e.exp)))
        atom = self._atom(e)
        self.shown[atom.get_id()] = atom, e
        return atom

    def _atom(self, e):
        match e:
            case Symbol():
                return smt.ToReal(self.var[e]) if e.is_integer else self.var[e]
            case Indexed():
                return self.var[e.base][self.integer(e.indices[0])]
            case Sum() if e.limits[0][:2] == (i, 1) and len(e.limits) == 1:
                return _FUNCTIONS[Sum](self.array(e.function), self.integer(e.limits[0][2]))
            case Above() | Tail() | Silent() if isinstance(e.args[0], Sum):
                columns, tokens = map(self.integer, e.args[2:3]), map(self.term, e.args[3:])
                return _FUNCTIONS[e.func](
                    *self._atom(e.args[0]).children(), self.term(e.args[1]), *columns, *tokens
                )
            case Ceil():
                return smt.ToReal(self.integer(e))
            case Exp() | Log() | Power():
                return _FUNCTIONS[e.func](*map(self.term, e.args))
        raise ProofError(f"the kernel has no reading of {e}; write it with {WORDS}")

    def integer(self, e: Expr) -> smt.ArithRef:
        if type(e) in _INTEGERS or e in (i, m, n):
            return smt.IntVal(int(e)) if type(e) in _INTEGERS else self.var[e]
        if type(e) is Ceil:
            return _FUNCTIONS[Ceil](self.term(e.args[0]))
        if type(e) is Add:
            return reduce(add, map(self.integer, e.args))
        raise ProofError(f"{e} is not an index; write it with i, m, n, Ceil and integers")

    def value(self, symbol: Symbol | IndexedBase, term: Expr | IndexedBase) -> smt.ExprRef:
        """``term`` as a value of the kind of ``symbol``: sequence, integer or real."""
        if isinstance(symbol, IndexedBase):
            return self.var[term] if isinstance(term, IndexedBase) else self.array(term)
        return (self.integer if symbol.is_integer else self.term)(term)

    def array(self, body: Expr) -> smt.ArrayRef:
        if isinstance(body, Indexed) and body.indices == (
            i,
        ):  # i ↦ f[i] is f: a second solver does not see it under a lambda
            return self.var[body.base]
        k = smt.Int("i")
        return smt.Lambda([k], self.at(i, k).term(body))

    def local(self, relation: Rel) -> smt.BoolRef:
        if type(relation) not in COMPARE:
            raise ProofError(
                f"{relation!r} is not a relation: SymPy decided it, or it is not =, ≤, <, ≥ or >; "
                "pass evaluate=False"
            )
        return COMPARE[type(relation)](*map(self.term, relation.args))

    def ranged(self, relation: Rel) -> smt.BoolRef:
        """The relation, for this i if it mentions i."""
        in_range = smt.And(self.var[i] >= 1, self.var[i] <= self.var[n])
        return (
            smt.Implies(in_range, self.local(relation))
            if i in relation.free_symbols
            else self.local(relation)
        )

    def closed(self, relation: Rel) -> smt.BoolRef:
        """The relation, for every i if it mentions i."""
        return self.once("closed", relation, self._closed)

    def _closed(self, relation):
        if i not in relation.free_symbols:
            return self.local(relation)
        k = smt.Int("i")
        return smt.RawForAll([k], self.at(i, k).ranged(relation))

    def divisors(self, relation: Basic) -> list[Ne]:
        """That no divisor of ``relation`` is zero."""
        under = lambda e: sorted(
            {power.base for power in e.atoms(Pow) if power.exp.is_negative}, key=str
        )
        for s in relation.atoms(Sum):
            if s.limits[0][2] != n and any(
                i in divisor.free_symbols for divisor in under(s.function)
            ):
                raise ProofError(f"{s} divides by terms outside 1..n")
        return [Ne(divisor, 0, evaluate=False) for divisor in under(relation)]

    def all(self, relations: Iterable[Rel]) -> smt.BoolRef:
        return self.once(
            "all",
            tuple(relations),
            lambda each: smt.And([smt.BoolVal(True), *map(self.closed, each)]),
        )

    def generalized(self, proof: kernel.Proof) -> kernel.Proof:
        return kernel.generalize([self.var[s] for s in self.variables], proof)


def enclose(e: Expr) -> flint.arb:
    """A ball that contains the explicit number ``e``."""
    if type(e) in _NUMBERS:
        return flint.arb(flint.fmpq(int(e.p), int(e.q)))
    parts = list(map(enclose, e.args))
    match e:
        case Add() | Mul():
            return reduce(add if type(e) is Add else mul, parts)
        case Pow() if type(e.exp) in _INTEGERS:
            return parts[0] ** int(e.exp)
        case Power() if parts[0] > 0:
            return parts[0] ** parts[1]
        case Exp() | Log():
            return parts[0].exp() if isinstance(e, Exp) else parts[0].log()
    raise ProofError(f"{e} is not an explicit number; put numbers for its symbols first")
