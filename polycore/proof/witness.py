"""Witnesses: values at which all hypotheses of a judgment hold, so that it is about something.

A sequence has one value at ``1..n`` and others at other indices; where a hypothesis names a
neighbour of entry i, or ``i`` outside an index, n is 1. An equation defines what it can be solved
for, the rest is tried from a short list, and a relation is decided in fractions or in balls.
Finding none proves nothing.
"""

from collections.abc import Iterable, Mapping
from fractions import Fraction
from functools import reduce
from itertools import product
from operator import add, mul
from typing import TypeAlias

from flint import arb, ctx, fmpq
from sympy import Add, Eq, Indexed, Integer, Mul, Pow, Rational, Rel, Sum, Symbol

from polycore.proof.statements import Above, Exp, Log, Power, i, m, n
from polycore.proof.translation import COMPARE

__all__ = ["witness"]

Unknown: TypeAlias = Symbol | Indexed
Value = Fraction | float | str
Known = Mapping[Unknown, Value] | Iterable[tuple[Unknown, Value]]
SMALL = [
    fmpq(*pair)
    for pair in [
        (1, 1),
        (1, 2),
        (2, 1),
        (1, 4),
        (3, 4),
        (1, 10),
        (0, 1),
        (3, 1),
        (4, 1),
        (9, 10),
        (1, 100),
        (-1, 1),
    ]
]
LARGE = [fmpq(10) ** power for power in (1, 2, 3, 4, 6, 9, 12, 18, 30, 60, 120)]
PATIENCE = 100_000  # values tried before giving up
MOST_SIGNS = 16  # of which all choices are counted


def witness(
    hypotheses: Iterable[Rel],
    at: Known = (),
) -> dict[Unknown, fmpq] | None:
    """{symbol or entry: fraction} at which all ``hypotheses`` hold, with what their equations
    define; None when none was found.

    ``at``: values to begin with, for hypotheses that the short list does not meet.

    >>> from sympy import Ge, IndexedBase, Le, symbols
    >>> from polycore.proof.statements import total
    >>> f, s = IndexedBase("f"), symbols("s")
    >>> witness([Eq(s, total(f[i])), Ge(f[i], 2), Le(s, 10), Ge(n, 3)])
    {f[i]: 2, n: 3}
    >>> witness([Ge(s, 2), Le(s, 1)]) is None
    True
    """
    values, relations = {key: _fraction(value) for key, value in dict(at).items()}, list(hypotheses)
    if any(map(_by_index, relations)):
        values, relations = values | {n: fmpq(1)}, list(map(_for_one, relations))
    with ctx.workprec(256):
        found = _Search(relations).extend(
            values, {key: frozenset([key]) for key in values}, relations
        )
    return found if isinstance(found, dict) else None


def _fraction(value):
    return fmpq(*Fraction(str(value)).as_integer_ratio())


def _by_index(relation):
    """Whether the relation names a neighbour of an entry, or the index as a number."""
    entries = relation.atoms(Indexed)
    rest = relation.xreplace({s: Symbol("sum") for s in relation.atoms(Sum)}).xreplace(
        {e: Symbol("entry") for e in entries}
    )
    return (
        any(index != i and index.has(i) for e in entries for index in e.indices)
        or i in rest.free_symbols
    )


def _for_one(relation):
    """The relation for n = 1, sums written out."""
    terms = lambda s: [
        s.function.xreplace({i: Integer(k)})
        for k in range(1, int(s.limits[0][2].xreplace({n: Integer(1)})) + 1)
    ]
    sums = {s: Add(*terms(s)) for s in relation.atoms(Sum)}
    return relation.func(
        *(side.xreplace(sums).xreplace({i: Integer(1), n: Integer(1)}) for side in relation.args),
        evaluate=False,
    )


class _Search:
    """Depth first, back to the last choice that a relation which fails depends on."""

    def __init__(self, relations):
        self.relations, self.left = relations, PATIENCE
        self.needs: dict[Rel, set[Unknown]] = {relation: _keys(relation) for relation in relations}
        equations = [relation for relation in relations if isinstance(relation, Eq)]
        parts = [
            (part.function if isinstance(part, Sum) else part, e)
            for e in equations
            for part in (e.lhs, *e.lhs.args)
        ]
        self.defined = {
            part for part, e in parts if isinstance(part, (Symbol, Indexed)) and not e.rhs.has(part)
        }

    def extend(self, values, choices, todo):
        """All values, or the set of choices that cannot stand together."""
        values, choices, todo = dict(values), dict(choices), list(todo)
        if (clash := self.follow(values, choices, todo)) is not None:
            return clash
        if (key := self.next(values)) is None:
            return {key: value for key, value in values.items() if choices[key] == {key}}
        because: frozenset[Unknown] = frozenset()
        for value in self.candidates(key):
            self.left -= 1
            found = self.extend(values | {key: value}, choices | {key: frozenset([key])}, todo)
            if isinstance(found, dict) or self.left < 0 or key not in found:
                return found
            because |= found
        return because - {key}

    def follow(self, values, choices, todo):
        """Put in what equations define, until none does; the choices behind a relation that fails,
        else None.
        """
        waiting = []  # equations that are not linear in what they leave open
        while ready := [r for r in todo if len(self.needs[r] - values.keys()) <= isinstance(r, Eq)]:
            for relation in ready:
                todo.remove(relation)
                unknown = self.needs[relation] - values.keys()
                behind = frozenset().union(
                    *(choices[key] for key in self.needs[relation] - unknown)
                )
                if not unknown and not _holds(relation, values):
                    return behind
                for key in unknown:
                    if (value := _solved(relation, key, values)) is None:
                        waiting.append(relation)
                    else:
                        values[key], choices[key] = value, behind
        todo += waiting
        return None

    def next(self, values):
        """The symbol to choose: of the relation with the fewest unknown ones, and rather not one
        that an equation defines.
        """
        unknown = [
            keys for relation in self.relations if (keys := self.needs[relation] - values.keys())
        ]
        free = [keys for keys in unknown if keys - self.defined] or unknown
        fewest: set[Unknown] = min(free, key=len, default=set())
        return min(fewest, key=lambda key: (key in self.defined, str(key)), default=None)

    def candidates(self, key):
        sides = [(r.lhs, r.rhs) for r in self.relations] + [(r.rhs, r.lhs) for r in self.relations]
        bounds = [_value(other, {}) for one, other in sides if one == key and not _keys(other)]
        values = dict.fromkeys([*(b for b in bounds if isinstance(b, fmpq)), *SMALL, *LARGE])
        whole = key in (n, m)
        return [value for value in values if not whole or value.q == 1 and value >= 0]


def _keys(e):
    """Symbols and entries whose values decide ``e``."""
    entries, sums = e.atoms(Indexed), e.atoms(Sum)
    hidden = Symbol("entry")
    symbols = e.xreplace(dict.fromkeys(entries, hidden)).free_symbols - {hidden, i}
    later = {
        entry.xreplace({i: n + k})
        for s in sums
        for entry in s.function.atoms(Indexed)
        for k in range(1, _beyond(s) + 1)
    }
    return symbols | entries | later | ({n} if sums else set())


def _beyond(s):
    """How many terms past the n-th the sum has; less than 0 for fewer."""
    return int(s.limits[0][2] - n)


def _holds(relation, values):
    try:
        return bool(COMPARE[type(relation)](*(_value(side, values) for side in relation.args)))
    except (ZeroDivisionError, ValueError, OverflowError):
        return False


def _solved(relation, key, values):
    """The value of ``key`` at which an equation holds; None where none is found, since it is not
    linear.
    """
    one, other = relation.args
    try:
        if one in (key, Exp(key)) and key not in _keys(other):
            return _value(other if one == key else Log(other), values)
        zero, one, two = (
            _value(relation.lhs, values | {key: fmpq(x)})
            - _value(relation.rhs, values | {key: fmpq(x)})
            for x in (0, 1, 2)
        )
        slope, bend = one - zero, two - 2 * one + zero
        linear = (
            bend == 0
            if isinstance(bend, fmpq)
            else bend.contains(0) and bend.rad() < arb(2) ** -30 and not slope.contains(0)
        )
        return -zero / slope if linear else None
    except (ZeroDivisionError, ValueError, OverflowError):
        return None


def _value(e, values):
    """The number that ``e`` is: a fraction where it can be, else a ball; ValueError where it has
    none.
    """
    if e in values:
        return values[e]
    if isinstance(e, Rational):
        return fmpq(int(e.p), int(e.q))
    if isinstance(e, Sum):
        return reduce(
            add, (count * _value(term, values) for count, term in _terms(e, values)), fmpq(0)
        )
    if isinstance(e, Above):
        return _above(_terms(e.args[0], values), _value(e.args[1], values), values)
    parts = [_value(part, values) for part in e.args]
    match e:
        case Add() | Mul():
            return reduce(add if isinstance(e, Add) else mul, parts)
        case Pow() if e.exp.is_Integer:
            return parts[0] ** int(e.exp)
        case Power() if parts[0] > 0:
            return (
                parts[0] ** int(parts[1].p)
                if isinstance(parts[0], fmpq) and _whole(parts[1])
                else arb(parts[0]) ** arb(parts[1])
            )
        case Exp():
            return arb(parts[0]).exp()
        case Log() if parts[0] > 0:
            return arb(parts[0]).log()
    raise ValueError(f"{e} has no value")


def _whole(number):
    return isinstance(number, fmpq) and number.q == 1 and abs(number) < 1000


def _terms(s, values):
    """The terms of a sum, with the number of times that each occurs."""
    size, beyond = values[n], _beyond(s)
    yield max(size + min(beyond, 0), fmpq(0)), s.function
    yield from ((fmpq(1), s.function.xreplace({i: n + k})) for k in range(1, beyond + 1))


def _above(terms, limit, values):
    """The probability that a sum of signs with these terms exceeds the limit, of which every choice
    is counted.
    """
    weights = [
        _value(term, values)
        for count, term in terms
        for _ in range(int(count.p) if count <= MOST_SIGNS else 99)
    ]
    if len(weights) > MOST_SIGNS:
        raise ValueError("too many signs to count")
    sums = [
        reduce(add, map(mul, signs, weights), fmpq(0))
        for signs in product([1, -1], repeat=len(weights))
    ]
    if not all(s > limit or s <= limit for s in sums):
        raise ValueError("a sum within its error of the limit")
    return fmpq(sum(bool(s > limit) for s in sums), len(sums))
