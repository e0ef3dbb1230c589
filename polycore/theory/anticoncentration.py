"""A sum of random signs does not stay small: it exceeds half its standard deviation with
probability 1/10 at least, whatever the weights are.

The inequality of Paley and Zygmund, without their integral: a polynomial of degree 4 in the sum
lies below the indicator of the two tails, and its mean is found sign by sign. Judgments of the
kernel in the symbols ``f``, ``t`` and ``s`` (limits), ``c`` and ``k`` (of the polynomial).

>>> ABOVE_GE_TENTH.conclusion
Above(Sum(f[i], (i, 1, n)), t) >= 1/10
"""

from sympy import Ge, Gt, IndexedBase, Le, Rational, symbols

from polycore.proof import AXIOMS, Above, apply, arithmetic, i, n, theorem, total
from polycore.theory.rademacher_sums import (
    ABOVE_SYMMETRIC,
    OPPOSITE,
    by_the_last_sign,
)
from polycore.theory.sums import SUM_NOT_NEGATIVE

__all__ = ["ABOVE_GE_TENTH", "TWO_TAILS_GE_POLYNOMIAL"]

f = IndexedBase("f")
c, k, s, t, x, y = symbols("c k s t x y")
SUM, NEGATIVE, NORM = total(f[i]), total(-f[i]), total(f[i] ** 2)
FOURTHS = total(f[i] ** 4)


@theorem
def TWO_TAILS_GE_POLYNOMIAL():
    centre, half = (t - s) / 2, (t + s) / 2
    given = [Gt(k, 0), Ge(s + t, 0), Gt(c, half**2), Le(k * (c - half**2) ** 2, 4)]
    mean_square = NORM + centre**2
    mean_fourth = centre**4 + 6 * centre**2 * NORM + 3 * NORM**2 - 2 * FOURTHS
    goal = Ge(
        Above(SUM, t) + Above(NEGATIVE, s),
        k * ((c + half**2) * mean_square - mean_fourth - c * half**2),
    )
    base = [apply(AXIOMS["empty sum"], {"f": f[i] ** power}) for power in (2, 4)]
    step = [apply(AXIOMS["one more term"], {"f": f[i] ** power}, [Ge(n, 0)]) for power in (2, 4)]
    return by_the_last_sign(
        goal,
        given,
        "a polynomial below the indicator",
        (f[i], t),
        (-f[i], s),
        at=OPPOSITE,
        base=base,
        step=step,
    )


@theorem
def ABOVE_GE_TENTH():
    """``Pr[Σ f_i σ_i > t] ≥ 1/10`` when ``4 t² ≤ ‖f‖²``: the polynomial with ``c = 7 ‖f‖²``."""
    given = [Gt(t, 0), Gt(NORM, 0), Ge(n, 0), Le(4 * t**2, NORM)]
    scaled = {"c": 7 * NORM, "k": 4 / (49 * NORM**2), "s": t}
    square = arithmetic(Le(4 / (49 * x**2) * (7 * x - t**2) ** 2, 4), [Gt(x, 0), Le(4 * t**2, x)])
    tails = apply(TWO_TAILS_GE_POLYNOMIAL, scaled, given, [apply(square, {"x": NORM}, given)])
    least = 4 / (49 * x**2) * (7 * x**2 + t**2 * x - 3 * x**2 + 2 * y - 7 * x * t**2)
    enough = arithmetic(Ge(least, Rational(1, 5)), [Gt(x, 0), Le(4 * t**2, x), Ge(y, 0)])
    fourths = apply(SUM_NOT_NEGATIVE, {"f": f[i] ** 4}, given, [arithmetic(Ge(f[i] ** 4, 0))])
    enough = apply(enough, {"x": NORM, "y": FOURTHS}, given, [fourths])
    using = [tails, enough, apply(ABOVE_SYMMETRIC, {}, given)]
    return arithmetic(Ge(Above(SUM, t), Rational(1, 10)), given, using, "both tails are alike")
