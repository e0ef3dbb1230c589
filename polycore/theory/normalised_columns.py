"""Columns that are divided by their root mean square: all of one size where one weight exceeds the
norm of the others, spread where none dominates.

Judgments of the kernel in the symbols ``f`` (the weights, or those of the others), ``w`` (the
largest one), ``a`` (the least), ``X`` (the ratio of the largest to the others) and ``r`` (that of
the largest to the least), ``p`` and ``q`` (their exponents, as powers of n), ``m`` (events, two for
each column), ``delta`` and ``k`` (the failure probability is ``δ n^-k``), ``Lambda``
(``ln(m n^k/δ)``), which ``n^e`` overtakes.

>>> ONE_SIZE.conclusion
m*Above(Sum(f[i], (i, 1, n)), w/6) <= delta*Power(n, -k)
"""

from sympy import Ge, Gt, IndexedBase, Integer, Le, Rational, symbols

from polycore.proof import (
    Above,
    Exp,
    Given,
    Log,
    Power,
    apply,
    arithmetic,
    chain,
    i,
    m,
    n,
    step,
    theorem,
    total,
)
from polycore.theory.concentration import ABOVE_LE_EXP_RATE
from polycore.theory.elementary import (
    LOG_ONE,
    LOG_TANGENT,
    POWER_MONOTONE,
    POWER_POSITIVE,
    POWER_RISES_WITH_EXPONENT,
    power_is,
)
from polycore.theory.moving_threshold import growing, powers_of_n, rate_overtaken
from polycore.theory.networks import COLUMNS_LE_ERROR, EXP_LE_ERROR
from polycore.theory.sums import SUM_AFFINE, SUM_POSITIVE, summed

__all__ = [
    "ALL_WITHIN_LE_ERROR",
    "EVEN",
    "HEAVY",
    "NONE_DOMINATES",
    "ONE_SIZE",
    "OTHERS_OUTGROWN",
    "RATIO_OUTGROWN",
]

f = IndexedBase("f")
e, k, p, q, r, w, x, X = symbols("e k p q r w x X")
y, delta, a, n0, rate = symbols("y delta a n0 Lambda")
SUM, NORM = total(f[i]), total(f[i] ** 2)


@theorem
def ONE_SIZE():
    """``m Pr[Σ f_i σ_i > w/6] ≤ δ n^-k`` when w is X times each weight and ``72 Λ n ≤ X²``."""
    given = Given(
        weights=[Gt(w, 0), Gt(f[i], 0), Le(X * f[i], w), Gt(X, 0)],
        norm=Le(72 * rate * n, X**2),
        rate=Ge(rate, Log(m) + k * Log(n) - Log(delta)),
        sizes=[Gt(delta, 0), Ge(n, 1), Ge(m, 1), Ge(rate, 0)],
    )
    most = arithmetic(Le(f[i] ** 2, w**2 / X**2), given)
    norm = [summed(f[i] ** 2, w**2 / X**2, given, [most])]
    norm += [apply(SUM_AFFINE, {"c": 0, "f": f[i], "d": w**2 / X**2}, given)]
    square = arithmetic(Gt(f[i] ** 2, 0), given)
    positive = apply(SUM_POSITIVE, {"f": f[i] ** 2}, given, [square])
    share = arithmetic(Le(NORM, n * w**2 / X**2), given, norm)
    outgrown = arithmetic(
        Le(2 * rate * x, w**2 / 36),
        [Ge(rate, 0), Gt(X, 0), Le(72 * rate * n, X**2), Le(x, n * w**2 / X**2)],
    )
    outgrown = apply(outgrown, {"x": NORM}, given, [share])
    one = apply(ABOVE_LE_EXP_RATE, {"tau": w / 6, "rate": rate}, given, [outgrown, positive])
    enough = apply(COLUMNS_LE_ERROR, {"N": n, "rate": rate}, given)
    return chain(
        m * Above(SUM, w / 6),
        step("<=", m * Exp(-rate), "Hoeffding's inequality", one),
        step("<=", delta * Power(n, -k), r"the rate is at least $\ln(m n^k/\delta)$", enough),
        given=given,
    )


@theorem
def NONE_DOMINATES():
    """``40 f_i² ≤ ‖f‖²`` when the weights lie between ``a`` and ``r a``, and ``40 r² ≤ n``."""
    given = [Gt(a, 0), Ge(f[i], a), Le(f[i], r * a), Ge(n, 40 * r**2), Ge(n, 1)]
    least = [summed(a**2, f[i] ** 2, given)]
    least += [apply(SUM_AFFINE, {"c": 0, "f": f[i], "d": a**2}, given)]
    largest = arithmetic(Le(f[i] ** 2, r**2 * a**2), given)
    enough = arithmetic(Le(40 * r**2 * a**2, n * a**2), given)
    why = "$n$ squares of the least weight"
    return arithmetic(Le(40 * f[i] ** 2, NORM), given, [*least, largest, enough], why)


@theorem
def ALL_WITHIN_LE_ERROR():
    """``(29/30)^(m − 1) ≤ δ n^-k`` when ``m − 1 ≥ 30 ln(n^k/δ)``: what a column misses by 1/30, not
    all hit.
    """
    given = [Gt(delta, 0), Ge(n, 1), Ge(m - 1, 30 * (k * Log(n) - Log(delta)))]
    share = Rational(29, 30)
    rate = Log(share) * (m - 1)
    logs = [apply(LOG_TANGENT, {"x": share, "y": 1}), LOG_ONE()]
    falls = arithmetic(Le(Log(share), -Rational(1, 30)), [], logs)
    enough = arithmetic(Ge(-rate, k * Log(n) - Log(delta)), [*given, Ge(m, 1)], [falls])
    return chain(
        Power(share, m - 1),
        step("=", Exp(rate), "definition", power_is(share, m - 1)),
        step(
            "<=",
            delta * Power(n, -k),
            "a column costs a thirtieth of the rate",
            apply(EXP_LE_ERROR, {"rate": -rate, "N": n}, [*given, Ge(m, 1)], [enough]),
        ),
        given=[*given, Ge(m, 1)],
    )


HEAVY = growing(72, [Le(e + 1, 2 * p)], [Gt(X, 0), Ge(X, Power(n, p))])
EVEN = Given(
    sizes=[Ge(n0, 1), Ge(n, n0)],
    exponents=[Gt(e, 0), Le(e + 2 * q, 1)],
    steep=Ge(Power(n0, e), 40),
    powers=[Ge(r, 0), Le(r, Power(n, q))],
)


@theorem
def OTHERS_OUTGROWN():
    """``72 Λ n ≤ X²`` for every n ≥ n₀, when ``X ≥ n^p`` and ``2 p > 1``."""
    square = arithmetic(Le(x**2, X**2), [Ge(x, 0), Le(x, X)])
    square = apply(square, {"x": Power(n, p)}, HEAVY, rate_overtaken(HEAVY, 72))
    powers = powers_of_n(HEAVY, (e, Integer(1)), (p, p))
    rises = apply(POWER_RISES_WITH_EXPONENT, {"x": n, "a": e + 1, "b": 2 * p}, HEAVY)
    using = [square, rises, *powers, *rate_overtaken(HEAVY, 72)]
    why = "the power of the spike outgrows the norm of the others"
    return arithmetic(Le(72 * rate * n, X**2), HEAVY, using, why)


@theorem
def RATIO_OUTGROWN():
    """``40 r² ≤ n`` for every n ≥ n₀, when ``r ≤ n^q`` and ``2 q < 1``."""
    positive = [apply(POWER_POSITIVE, {"x": n, "a": to}, EVEN) for to in (e, q)]
    grown = apply(POWER_MONOTONE, {"x": n0, "y": n, "a": e}, EVEN)
    product = arithmetic(Le(40 * r**2, x * y**2), [Ge(x, 40), Ge(r, 0), Le(r, y)])
    product = apply(product, {"x": Power(n, e), "y": Power(n, q)}, EVEN, [grown, *positive])
    rises = apply(POWER_RISES_WITH_EXPONENT, {"x": n, "a": e + 2 * q, "b": 1}, EVEN)
    using = [product, rises, *powers_of_n(EVEN, (e, 2 * q), (q, q))]
    return arithmetic(Ge(n, 40 * r**2), EVEN, using, "the count outgrows the square of the ratio")
