"""Which products of known relations imply a relation by linear arithmetic, so that Coq's `lra`
needs to find none.

A search, not a proof: a linear programme in floating point picks a few of many products, and Coq
proves each of them and what follows from them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import reduce
from itertools import chain, combinations_with_replacement, islice
from typing import NamedTuple

import numpy as np
from scipy.optimize import linprog
from scipy.sparse import csc_matrix

from polycore.proof.coq_terms import Term, argument, number, power

__all__ = ["NEGATED", "STAGES", "Product", "implied"]

Monomial = tuple[tuple[str, int], ...]  # letters, as they are printed, and how often
Polynomial = dict[Monomial, Fraction]
NEGATED = {"<=": ">", "<": ">=", ">=": "<", ">": "<="}
MANY = 1500  # products, beyond which nothing is tried
# How many known inequalities are multiplied with one another, up to which degree a monomial that an
# equation is multiplied with, and whether squares are among the inequalities.
STAGES = (
    (1, 0, False),
    (2, 1, False),
    (2, 2, False),
    (3, 2, False),
    (2, 2, True),
    (3, 3, False),
    (3, 3, True),
)


class Product(NamedTuple):
    """What Coq is told first: a product of positive (or non-negative) factors, or an equation times
    a factor.
    """

    factors: tuple[str, ...]
    relation: str  # ">" or ">=" with 0, or "=" with the last two factors as its sides


class _Known(NamedTuple):
    polynomial: Polynomial  # what is positive, non-negative or zero
    relation: str
    product: Product


def implied(
    goal: Term, known: Sequence[Term], stages: Sequence[tuple[int, int, bool]] = STAGES
) -> list[Product] | None:
    """The products from which, with what is known, ``goal`` follows linearly; None where none of
    the stages finds any.
    """
    facts = [_fact(one) for one in known if one.kind in (*NEGATED, "=")]
    if goal.kind == "=":
        sides = [implied(Term(kind, goal.terms), known, stages) for kind in ("<=", ">=")]
        found = [one for one in sides if one is not None]
        return list(dict.fromkeys(chain(*found))) if len(found) == len(sides) else None
    if goal.kind == "<>":
        return None
    facts.append(_fact(Term(NEGATED[goal.kind], goal.terms)))
    facts += _both_ways(facts)
    for factors, degree, squares in stages:
        more = _squares(facts) if squares else []
        if (found := _certificate([*facts, *more], factors, degree)) is not None:
            return found
    return None


def _fact(relation):
    left, right = relation.terms
    if relation.kind in ("<", "<="):
        left, right = right, left
    kind = {"<": ">", "<=": ">="}.get(relation.kind, relation.kind)
    difference = Term("+", (left, Term("*", (number(-1), right))))
    factors = tuple(map(str, (left, right) if kind == "=" else (difference,)))
    return _Known(polynomial(difference), kind, Product(factors, kind))


def _both_ways(facts):
    """Equations from pairs of inequalities."""
    least = {frozenset(one.polynomial.items()): one for one in facts if one.relation == ">="}
    for one in least.values():
        if frozenset((key, -value) for key, value in one.polynomial.items()) in least:
            sides = (one.product.factors[0], "0")
            yield _Known(one.polynomial, "=", Product(sides, "="))


def _squares(facts):
    for letter in _letters(facts):
        yield _Known({((letter, 2),): Fraction(1)}, ">=", Product((f"{letter} ^ 2",), ">="))


def _letters(facts):
    return {letter: None for fact in facts for key in fact.polynomial for letter, _ in key}


def polynomial(term: Term) -> Polynomial:
    """A real term as a polynomial in what arithmetic does not look into; 1/d is one more letter."""
    size = int(term.value)
    match term.kind:
        case "number":
            return {(): term.value} if term.value else {}
        case "+":
            return reduce(_sum, map(polynomial, term.terms))
        case "*":
            return reduce(_times, map(polynomial, term.terms))
        case "^" if size > 0:
            return reduce(_times, [polynomial(term.terms[0])] * size)
        case "^" if {*(base := polynomial(term.terms[0]))} == {()}:
            return {(): Fraction(base[()] ** size)}
        case "^":
            return {((argument(power(term.terms[0], -1)), -size),): Fraction(1)}
    return {((argument(term), 1),): Fraction(1)}


def _sum(one, other):
    found = {key: one.get(key, 0) + other.get(key, 0) for key in {**one, **other}}
    return {key: value for key, value in found.items() if value}


def _times(one, other):
    found: Polynomial = {}
    for a, x in one.items():
        for b, y in other.items():
            powers = dict(a)
            for letter, size in b:
                powers[letter] = powers.get(letter, 0) + size
            key = tuple(sorted(powers.items()))
            found[key] = found.get(key, 0) + x * y
    return {key: value for key, value in found.items() if value}


def _certificate(facts, factors, degree):
    """The products with a part in a combination of all that is 0 > 0, or None."""
    made = list(islice(chain(_products(facts, factors), _equations(facts, degree)), MANY + 1))
    if len(made) > MANY:
        return None
    rows = {key: row for row, key in enumerate({m: None for one in made for m in one.polynomial})}
    rows.setdefault((), len(rows))
    entries = [
        (float(value), rows[key], column)
        for column, one in enumerate(made)
        for key, value in one.polynomial.items()
    ]
    # 1 > 0 is one more, and of all that is strict the parts add up to 1
    last, strict = len(made), len(rows)
    entries += [(1.0, rows[()], last), (1.0, strict, last)]
    entries += [(1.0, strict, column) for column, one in enumerate(made) if one.relation == ">"]
    values, row, column = zip(*entries)
    matrix = csc_matrix((values, (row, column)), (strict + 1, last + 1))
    right = np.zeros(strict + 1)
    right[strict] = 1
    bounds = [(None, None) if one.relation == "=" else (0, None) for one in made] + [(0, None)]
    try:
        best = linprog(
            np.ones(last + 1) * [one.relation != "=" for one in [*made, made[0]]],
            A_eq=matrix, b_eq=right, bounds=bounds, method="highs", options={"time_limit": 5},
        )  # fmt: skip
    except ValueError:
        return None
    if best.status != 0:
        return None
    parts = np.where(abs(best.x) > 1e-9, best.x, 0)
    # What is left over of n in 10^-9 (n - 10^9) >= 0 is within the tolerance, and not nothing.
    if (abs(matrix @ parts - right) > 1e-3 * (abs(matrix) @ abs(parts))).any():
        return None
    used = [one.product for one, part in zip(made, parts) if part]
    return [one for one in used if len(one.factors) > 1 + (one.relation == "=")]


def _products(facts: Sequence[_Known], factors: int) -> Iterator[_Known]:
    known = [fact for fact in facts if fact.relation in (">", ">=")]
    for size in range(1, factors + 1):
        for some in combinations_with_replacement(known, size):
            strict = ">" if all(one.relation == ">" for one in some) else ">="
            together = tuple(one.product.factors[0] for one in some)
            whole = reduce(_times, (one.polynomial for one in some))
            yield _Known(whole, strict, Product(together, strict))


def _equations(facts: Sequence[_Known], degree: int) -> Iterator[_Known]:
    equations = [fact for fact in facts if fact.relation == "="]
    yield from equations
    letters = _letters(facts)
    for size in range(1, degree + 1):
        for some in combinations_with_replacement(letters, size):
            value = {tuple(sorted(Counter(some).items())): Fraction(1)}
            for one in equations:
                sides = (" * ".join(some), *one.product.factors)
                yield _Known(_times(value, one.polynomial), "=", Product(sides, "="))
