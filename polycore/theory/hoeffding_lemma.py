"""Hoeffding's lemma for a sign, cosh x ≤ e^(x²/2), from e^(x+y) = e^x e^y and e^x ≥ 1 + x alone.

Near 0 it holds up to a factor, doubling carries it outward without loss, and from halves
small enough the factor is as near to 1 as one likes. Judgments in the symbols ``x``, ``y``, ``a``.

>>> COSH_LE_EXP
⊢ Exp(-x)/2 + Exp(x)/2 <= Exp(x**2/2)
"""

from collections.abc import Sequence

from sympy import Eq, Expr, Ge, Gt, Integer, Le, Lt, Rational, Rel, symbols

from polycore.proof import (
    AXIOMS,
    Ceil,
    Exp,
    Judgment,
    Log,
    Power,
    apply,
    arithmetic,
    ball,
    induction,
    n,
    theorem,
)
from polycore.proof.kernel import Lemma
from polycore.theory.elementary import (
    EXP_MONOTONE,
    EXP_POSITIVE,
    EXP_ZERO,
    POWER_ONE,
    POWER_POSITIVE,
    POWER_SUM,
    exp_of_equals,
    exp_of_sum,
    power_is,
    tangent,
)  # fmt: skip

__all__ = [
    "COSH_LE_EXP",
    "COSH_OF_POWER_OF_TWO",
    "COSH_NEARLY_LE_EXP",
    "COSH_LE_NEAR_ZERO",
    "COSH_OF_DOUBLE",
    "ceiling",
]

x, y, a = symbols("x y a")
TWO = Integer(2)


def _cosh(r):
    return Exp(r) / 2 + Exp(-r) / 2


def ceiling(value: Expr | int, given: Sequence[Rel] = (), using: Sequence[Lemma] = ()) -> Judgment:
    """``⌈value⌉ ≥ value``."""
    return apply(AXIOMS["ceiling"], {"x": value}, given, using)


@theorem
def COSH_LE_NEAR_ZERO():
    half = x / 2
    using: list[Lemma] = [
        EXP_ZERO,
        *(exp_of_sum(p, q) for p in (half, -half) for q in (half, -half)),
        tangent(half),
        tangent(-half),
    ]
    why = (
        "cosh x is 1 and half the square of a difference of exponentials, which two tangents bound"
    )
    return arithmetic(
        Le(_cosh(x), 1 + x**2 / (2 * (1 - half) ** 2)), [Ge(x, 0), Lt(x, 2)], using, why
    )


@theorem
def COSH_OF_DOUBLE():
    sums = [exp_of_sum(p, q) for p, q in [(x, x), (-x, -x), (x, -x), (y, y), (2 * y, 2 * y)]]
    why = "cosh 2x = 2 cosh² x − 1 is at most the fourth power of cosh x"
    return arithmetic(
        Le(_cosh(2 * x), Exp(4 * y)), [Le(_cosh(x), Exp(y))], [EXP_ZERO, EXP_POSITIVE, *sums], why
    )


@theorem
def COSH_OF_POWER_OF_TWO():
    two, none, more = (Power(TWO, exponent) for exponent in (n, 0, n + 1))
    scaled = lambda power: (power * x, -power * x, a * (power * x) ** 2)
    one = arithmetic(Eq(none, 1), using=[power_is(TWO, 0, ()), EXP_ZERO])
    twice = [apply(POWER_SUM, {"x": 2, "a": n, "b": 1}), apply(POWER_ONE, {"x": 2})]
    before = Le(_cosh(two * x), Exp(a * (two * x) ** 2))
    base = [exp_of_equals(p, q, using=[one]) for p, q in zip(scaled(none), scaled(1))]
    step = [exp_of_equals(p, q, using=twice) for p, q in zip(scaled(more), scaled(2 * two))]
    step += [apply(COSH_OF_DOUBLE, {"x": two * x, "y": a * (two * x) ** 2}, [before])]
    return induction(before, [Le(_cosh(x), Exp(a * x**2))], "doubled n times", base=base, step=step)


def _almost():
    """cosh x up to a factor, where x is 2^n y and y is small."""
    two, bound, excess = Power(TWO, n), Exp(x**2 / 2), 3 * x**2 * y / 2
    factor = 1 / (2 * (1 - y / 2) ** 2)
    given = [Eq(x, two * y), Ge(n, 0), Ge(x, 0), Ge(y, 0), Le(y, 1), Le(2 * excess, 1)]
    small = [apply(COSH_LE_NEAR_ZERO, {"x": y}, given), tangent(factor * y**2, given)]
    near = arithmetic(Le(_cosh(y), Exp(factor * y**2)), given, small)
    exponents = [(x, two * y), (-x, -two * y), (factor * x**2, factor * (two * y) ** 2)]
    using: list[Lemma] = [
        apply(COSH_OF_POWER_OF_TWO, {"x": y, "a": factor}, given, [near]),
        *(exp_of_equals(p, q, given) for p, q in exponents),
    ]
    using += [apply(EXP_MONOTONE, {"x": factor * x**2, "y": x**2 / 2 + excess}, given)]
    using += [EXP_ZERO, tangent(-excess), exp_of_sum(excess, -excess), exp_of_sum(x**2 / 2, excess)]
    using += [apply(EXP_POSITIVE, {"x": x**2 / 2}), apply(EXP_POSITIVE, {"x": excess})]
    return arithmetic(Le(_cosh(x), bound * (1 + 2 * excess)), given, using)


@theorem
def COSH_NEARLY_LE_EXP():
    two = Power(TWO, n)
    small = [Gt(two, 0), Ge(n, 0), Ge(x, 0), Le(x / two, 1), Le(3 * x**2 * (x / two), 1)]
    return apply(_almost(), {"y": x / two}, small, why="halved n times, and doubled as often")


def _not_beyond():
    """If cosh x exceeded the bound for an x ≥ 0, enough halvings would contradict
    COSH_NEARLY_LE_EXP.
    """
    bound = Exp(x**2 / 2)
    beyond = [Ge(x, 0), Gt(_cosh(x), bound)]
    share = 6 * bound * x**3 / (_cosh(x) - bound)
    many = 2 * x + 6 * x**3 + share
    halvings = Ceil(many)
    size = Power(TWO, halvings)
    known = [
        apply(EXP_POSITIVE, {"x": x**2 / 2}),
        apply(POWER_POSITIVE, {"x": 2, "a": halvings}, beyond),
        ceiling(many, beyond),
    ]
    known += [arithmetic(Ge(share, 0), beyond, known)]
    growth = [
        power_is(TWO, halvings, beyond),
        tangent(halvings * Log(TWO), beyond),
        ball(Ge(Log(TWO), Rational(1, 2))),
    ]
    known += [arithmetic(Ge(size, 1 + halvings / 2), beyond, [*known, *growth])]
    known += [
        arithmetic(Le(x / size * (2 + halvings), 2 * x), beyond, known),
        arithmetic(Ge(x**3, 0), [Ge(x, 0)]),
    ]
    known += [arithmetic(Le(x / size, 1), beyond, known)]
    known += [arithmetic(Le(3 * x**2 * (x / size), 1), beyond, known)]
    known += [apply(COSH_NEARLY_LE_EXP, {"n": halvings}, beyond, known)]
    return arithmetic(
        Le(_cosh(x), bound), [Ge(x, 0)], [arithmetic(Le(_cosh(x), bound), beyond, known)]
    )


@theorem
def COSH_LE_EXP():
    positive = _not_beyond()
    using = [positive, apply(positive, {"x": -x}, [Le(x, 0)])]
    why = "Hoeffding's lemma for a sign: what holds up to any factor above 1 holds"
    return arithmetic(Le(_cosh(x), Exp(x**2 / 2)), using=using, why=why)
