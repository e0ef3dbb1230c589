"""A sum of random signs does not stay small: it exceeds half its standard deviation with
probability 1/10 at least, whatever the weights are.

The inequality of Paley and Zygmund, without their integral: a polynomial of degree 4 in the sum
lies below the indicator of the two tails, and its mean is bounded sign by sign. Judgments of the
kernel in the symbols ``f``, ``t`` and ``s`` (limits), ``c`` and ``k`` (of the polynomial).

>>> ABOVE_GE_TENTH.conclusion
Above(Sum(f[i], (i, 1, n)), t) >= 1/10
"""

from functools import cache

from sympy import Ge, Gt, IndexedBase, Le, Rational, symbols

from polycore.proof import AXIOMS, Above, apply, arithmetic, i, n, theorem, total
from polycore.theory.rademacher_sums import (
    ABOVE_SYMMETRIC,
    OPPOSITE,
    by_the_last_sign,
)

__all__ = ["ABOVE_GE_TENTH", "TWO_TAILS_GE_POLYNOMIAL"]

f = IndexedBase("f")
c, k, s, t, x = symbols("c k s t x")
SUM, NEGATIVE, NORM = total(f[i]), total(-f[i]), total(f[i] ** 2)


def _mean(t, s, square):
    """The mean of the polynomial, its fourth moment taken at most, ``3 ‖f‖⁴``."""
    centre, half = (t - s) / 2, (t + s) / 2
    fourth = centre**4 + 6 * centre**2 * square + 3 * square**2
    return k * ((c + half**2) * (square + centre**2) - fourth - c * half**2)


@cache
def _one_more_sign():
    """The mean for one more sign is at most that of the two means to which the sign may lead."""
    given, last = [Gt(k, 0)], symbols("a")
    either = _mean(t - last, s + last, x) / 2 + _mean(t + last, s - last, x) / 2
    law = arithmetic(Ge(either, _mean(t, s, x + last**2)), given)
    return apply(law, {"a": f[n + 1], "x": NORM}, [*given, Ge(n, 0)])


@theorem
def TWO_TAILS_GE_POLYNOMIAL():
    half = (t + s) / 2
    given = [Gt(k, 0), Ge(s + t, 0), Gt(c, half**2), Le(k * (c - half**2) ** 2, 4)]
    goal = Ge(Above(SUM, t) + Above(NEGATIVE, s), _mean(t, s, NORM))
    base = [apply(AXIOMS["empty sum"], {"f": f[i] ** 2})]
    step = [apply(AXIOMS["one more term"], {"f": f[i] ** 2}, [Ge(n, 0)]), _one_more_sign()]
    laws, why = [(f[i], t), (-f[i], s)], "a polynomial below the indicator of the two tails"
    return by_the_last_sign(goal, given, why, *laws, at=OPPOSITE, base=base, step=step)


@theorem
def ABOVE_GE_TENTH():
    """``Pr[Σ f_i σ_i > t] ≥ 1/10`` when ``4 t² ≤ ‖f‖²``: the polynomial with ``c = 7 ‖f‖²``."""
    given = [Gt(t, 0), Gt(NORM, 0), Ge(n, 0), Le(4 * t**2, NORM)]
    scaled = {"c": 7 * NORM, "k": 4 / (49 * NORM**2), "s": t}
    square = arithmetic(Le(4 / (49 * x**2) * (7 * x - t**2) ** 2, 4), [Gt(x, 0), Le(4 * t**2, x)])
    tails = apply(TWO_TAILS_GE_POLYNOMIAL, scaled, given, [apply(square, {"x": NORM}, given)])
    least = 4 / (49 * x**2) * (7 * x**2 + t**2 * x - 3 * x**2 - 7 * x * t**2)
    enough = arithmetic(Ge(least, Rational(1, 5)), [Gt(x, 0), Le(4 * t**2, x)])
    enough = apply(enough, {"x": NORM}, given)
    using = [tails, enough, apply(ABOVE_SYMMETRIC, {}, given)]
    return arithmetic(Ge(Above(SUM, t), Rational(1, 10)), given, using, "both tails are alike")
