"""A threshold that moves with n: just above what the sums of D₀ reach, and below the weight of the
spike.

Judgments of the kernel in the symbols ``f`` (weights), ``tau`` (threshold), ``m`` columns, ``r``
(the ratio of the largest to the smallest power of D₀), ``X`` (that of the spike's power to the
largest other one), ``q`` and ``p`` (their exponents, as powers of n), ``delta`` and ``k`` (the
failure probability is ``δ n^-k``), ``Lambda`` (``ln(m n^k/δ)``), which ``n^e`` overtakes.

>>> THRESHOLD_BELOW_SPIKE_WEIGHT.conclusion
tau < X/(X + n)
"""

from collections.abc import Sequence
from functools import cache

from sympy import Eq, Expr, Ge, Gt, IndexedBase, Integer, Le, Lt, Rational, Rel, symbols

from polycore.proof import (
    Above,
    Exp,
    Given,
    Log,
    Power,
    Silent,
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
from polycore.proof.kernel import Judgment, Lemma
from polycore.theory.concentration import ABOVE_LE_EXP_RATE, POWER_OVERTAKES_LOG
from polycore.theory.elementary import (
    EXP_MONOTONE,
    EXP_POSITIVE,
    LOG_MONOTONE,
    LOG_ONE,
    LOG_QUOTIENT,
    POWER_ONE,
    POWER_POSITIVE,
    POWER_RISES_WITH_EXPONENT,
    POWER_SUM,
    exp_of_equals,
    exp_of_sum,
)
from polycore.theory.networks import COLUMNS_LE_ERROR
from polycore.theory.rademacher_sums import CHERNOFF, SILENT_GE_UNION_BOUND
from polycore.theory.sums import SUM_AFFINE

__all__ = [
    "ABOVE_LE_NEAR_ONE",
    "LARGEST",
    "NORMS_APART",
    "NORM_OUTGROWN",
    "RATE_NOT_NEGATIVE",
    "SILENT_AT_RATE",
    "THRESHOLD_BELOW_SPIKE_WEIGHT",
    "THRESHOLD_BELOW_WEIGHT_FROM_N0",
    "WEIGHT_OUTGROWS",
    "growing",
    "powers_of_n",
    "rate_overtaken",
]

f = IndexedBase("f")
a, b, c, e, g, p, q, r, t, w, x, X = symbols("a b c e g p q r t w x X")
delta, k, n0, rate, tau = symbols("delta k n0 Lambda tau")
SUM, NORM = total(f[i]), total(f[i] ** 2)
LARGEST = (1 + r) ** 2 / (4 * r * n)  # ‖f‖² on D₀ at most, by Kantorovich


@theorem
def SILENT_AT_RATE():
    """``Pr[F = 0] ≥ 1 − δ n^-k`` at every n, when ``τ² ≥ 2 Λ ‖f‖²`` and ``Λ ≥ ln(m n^k/δ)``:
    no n is too small.
    """
    given = Given(
        threshold=[Gt(tau, 0), Ge(tau**2, 2 * rate * NORM)],
        variance=Gt(NORM, 0),
        rate=Ge(rate, Log(m) + k * Log(n) - Log(delta)),
        sizes=[Gt(delta, 0), Ge(n, 1), Ge(m, 1)],
    )
    union = apply(SILENT_GE_UNION_BOUND, {"t": tau, "N": 1}, given)
    enough = apply(COLUMNS_LE_ERROR, {"N": n, "rate": rate}, given)
    one = apply(ABOVE_LE_EXP_RATE, {"rate": rate}, given)
    return chain(
        Silent(SUM, tau, m, 1),
        step(">=", 1 - m * Above(SUM, tau), "a union bound over the columns", union),
        step(">=", 1 - m * Exp(-rate), "Hoeffding's inequality for each", one),
        step(">=", 1 - delta * Power(n, -k), r"the rate is at least $\ln(m n^k/\delta)$", enough),
        given=given,
    )


@theorem
def THRESHOLD_BELOW_SPIKE_WEIGHT():
    """``τ < X/(X + n)`` when ``τ² ≤ 2 Λ (1 + r)²/(4 r n)``, ``8 Λ r < n`` and
    ``8 Λ r n < X²``.
    """
    given = Given(
        threshold=[Gt(tau, 0), Le(tau**2, 2 * rate * LARGEST)],
        sizes=[Ge(r, 1), Ge(n, 1), Gt(X, 0), Ge(rate, 0)],
        norm=Lt(8 * rate * r, n),
        weight=Lt(8 * rate * r * n, X**2),
    )
    ratio = arithmetic(Le((1 + r) ** 2, 4 * r**2), [Ge(r, 1)])
    cleared = arithmetic(Le(tau**2 * 2 * r * n, rate * (1 + r) ** 2), given)
    scaled = arithmetic(Le(x * a, x * b), [Ge(x, 0), Le(a, b)])
    scaled = apply(scaled, {"x": rate, "a": (1 + r) ** 2, "b": 4 * r**2}, given, [ratio])
    halved = arithmetic(Le(a * n, b), [Gt(r, 0), Le(a * 2 * r * n, 2 * b * r)])
    halved = apply(halved, {"a": tau**2, "b": 2 * rate * r}, given, [cleared, scaled])
    half = arithmetic(Lt(tau, Rational(1, 2)), given, [halved])
    squares = arithmetic(Lt((2 * tau * n) ** 2, X**2), given, [halved])
    ordered = arithmetic(Lt(a, b), [Gt(b, 0), Lt(a**2, b**2)])
    less = apply(ordered, {"a": 2 * tau * n, "b": X}, given, [squares])
    why = "the threshold is below ½ and below X/(2 n)"
    return arithmetic(Lt(tau, X / (X + n)), given, [half, less], why)


def growing(factor: int, exponents: Sequence[Rel], powers: Sequence[Rel]) -> Given:
    """From n₀ on ``n^e`` exceeds ``factor · Λ``, over at most ``n/δ`` columns."""
    sizes = [Ge(k, 0), Gt(delta, 0), Lt(delta, 1), Ge(n0, 1), Ge(n, n0), Ge(m, 1), Le(m, n / delta)]
    return Given(
        rate=Eq(rate, Log(m) + k * Log(n) - Log(delta)),
        sizes=sizes,
        exponents=[Gt(e, 0), *exponents],
        steep=Ge(e * Power(n0, e), factor * (k + 1)),
        overtaken=Ge(Power(n0, e), factor * ((k + 1) * Log(n0) - 2 * Log(delta)) + 1),
        powers=powers,
    )


ABOVE = growing(
    8,
    [Le(q + e, 1), Le(q + e + 1, 2 * p)],
    [Ge(r, 1), Le(r, Power(n, q)), Gt(X, 0), Ge(X, Power(n, p))],
)
BELOW = growing(
    144,
    [Le(e, q), Le(e + 2 * p, q + 1)],
    [Ge(r, 1), Ge(r, Power(n, q)), Ge(X, 1), Le(X, Power(n, p))],
)


@theorem
def RATE_NOT_NEGATIVE():
    """``ln(m n^k/δ) ≥ 0``."""
    given = ABOVE.named("rate", "sizes")
    logs = [apply(LOG_MONOTONE, {"x": 1, "y": large}, given) for large in (m, n)]
    logs += [apply(LOG_MONOTONE, {"x": delta, "y": 1}, given), LOG_ONE()]
    return arithmetic(Ge(rate, 0), given, logs, "no factor is below 1")


@cache
def rate_overtaken(given: Given, factor: int) -> tuple[Judgment, ...]:
    """``0 ≤ Λ`` and ``factor · Λ < n^e``, and that the powers of n are positive."""
    share = arithmetic(Gt(n / delta, 0), given)
    columns = [apply(LOG_MONOTONE, {"x": m, "y": n / delta}, given, [share])]
    columns += [apply(LOG_QUOTIENT, {"x": n, "y": delta}, given)]
    terms = {"a": 1, "k": factor * (k + 1), "c": 1 - 2 * factor * Log(delta)}
    ahead = apply(POWER_OVERTAKES_LOG, terms, given)
    less = arithmetic(Lt(factor * rate, Power(n, e)), given, [ahead, *columns])
    exponents = [to for to in (e, q, p) if any(to in h.free_symbols for h in given)]
    powers = [apply(POWER_POSITIVE, {"x": n, "a": to}, given) for to in exponents]
    return RATE_NOT_NEGATIVE(), less, *powers


def powers_of_n(given: Given, *exponents: tuple[Expr, Expr]) -> list[Judgment]:
    """What powers of n with these sums of exponents are: products, and in order."""
    known = [apply(POWER_ONE, {"x": n}, given)]
    known += [apply(POWER_SUM, {"x": n, "a": one, "b": other}, given) for one, other in exponents]
    return known


def _rises(given, low, high):
    return apply(POWER_RISES_WITH_EXPONENT, {"x": n, "a": low, "b": high}, given)


@cache
def _times_ratio():
    """``8 Λ r < n^(q + e)``."""
    product = arithmetic(Lt(x * r, a * b), [Ge(x, 0), Lt(x, a), Gt(r, 0), Le(r, b)])
    at = {"x": 8 * rate, "a": Power(n, e), "b": Power(n, q)}
    using = [apply(product, at, ABOVE, rate_overtaken(ABOVE, 8)), *powers_of_n(ABOVE, (q, e))]
    return arithmetic(Lt(8 * rate * r, Power(n, q + e)), ABOVE, using)


@theorem
def NORM_OUTGROWN():
    """``8 Λ r < n`` for every n ≥ n₀, when ``r ≤ n^q`` and ``q + e ≤ 1``."""
    using = [_times_ratio(), _rises(ABOVE, q + e, Integer(1)), *powers_of_n(ABOVE)]
    why = "a power of n overtakes its logarithm"
    return arithmetic(Lt(8 * rate * r, n), ABOVE, using, why)


@theorem
def WEIGHT_OUTGROWS():
    """``8 Λ r n < X²`` for every n ≥ n₀, when also ``X ≥ n^p`` and ``q + e + 1 ≤ 2 p``."""
    square = arithmetic(Le(a**2, b**2), [Ge(a, 0), Le(a, b)])
    square = apply(square, {"a": Power(n, p), "b": X}, ABOVE, rate_overtaken(ABOVE, 8))
    steps = [_times_ratio(), _rises(ABOVE, q + e, 2 * p - 1)]
    less = arithmetic(Lt(8 * rate * r, Power(n, 2 * p - 1)), ABOVE, steps)
    outgrown = arithmetic(Lt(x * n, a * n), [Ge(n, 1), Lt(x, a)])
    outgrown = apply(outgrown, {"x": 8 * rate * r, "a": Power(n, 2 * p - 1)}, ABOVE, [less])
    using = [square, outgrown, *powers_of_n(ABOVE, (2 * p - 1, Integer(1)), (p, p))]
    why = "the weight of the spike outgrows the largest norm of D₀"
    return arithmetic(Lt(8 * rate * r * n, X**2), ABOVE, using, why)


@theorem
def THRESHOLD_BELOW_WEIGHT_FROM_N0():
    """``τ < X/(X + n)`` for every n ≥ n₀, between the two ends of the window."""
    rule = THRESHOLD_BELOW_SPIKE_WEIGHT.given("threshold")
    parts = {name: ABOVE.named(name) for name in dict.fromkeys(ABOVE.names)}
    given = Given(threshold=rule, **parts)
    using: list[Lemma] = [RATE_NOT_NEGATIVE, NORM_OUTGROWN, WEIGHT_OUTGROWS]
    return apply(THRESHOLD_BELOW_SPIKE_WEIGHT, {}, given, using)


@theorem
def NORMS_APART():
    """``8 Λ (X² + n)/n² ≤ r/(9 n)`` for every n ≥ n₀, when ``r ≥ n^q``, ``X ≤ n^p``, ``e ≤ q``
    and ``e + 2 p ≤ q + 1``: the signs of D₀ then add up to more than the whole of the spike.
    """
    known = rate_overtaken(BELOW, 144)
    flat = arithmetic(Le(144 * rate, r), BELOW, [*known, _rises(BELOW, e, q)])
    square = arithmetic(Le(x * X**2, a * b**2), [Ge(x, 0), Le(x, a), Ge(X, 1), Le(X, b)])
    square = apply(square, {"x": 144 * rate, "a": Power(n, e), "b": Power(n, p)}, BELOW, known)
    powers = powers_of_n(BELOW, (p, p), (e, 2 * p), (q, Integer(1)))
    grown = arithmetic(Le(a * n, r * n), [Le(a, r), Ge(n, 1)])
    grown = apply(grown, {"a": Power(n, q)}, BELOW)
    using = [square, grown, _rises(BELOW, e + 2 * p, q + 1), *powers, *known]
    steep = arithmetic(Le(144 * rate * X**2, r * n), BELOW, using)
    apart = arithmetic(
        Le(8 * x * (c + n) / n**2, r / (9 * n)),
        [Le(144 * x * c, r * n), Le(144 * x, r), Ge(n, 1)],
    )
    return apply(apart, {"x": rate, "c": X**2}, BELOW, [steep, flat], "powers of n in order")


@theorem
def ABOVE_LE_NEAR_ONE():
    """``Pr[Σ f_i σ_i > t] ≤ e^(w (1 − t)/2 − g n)`` when every weight is at least ``1/w`` and
    ``(1 + 1/e)/2 ≤ e^-g``: a sum of signs comes near 1 only when hardly any sign is −.
    """
    given = [Gt(w, 0), Ge(w * f[i], 1), Eq(SUM, 1), Ge(n, 0)]
    given += [Le(Rational(1, 2) + Exp(Integer(-1)) / 2, Exp(-g))]
    half = w * f[i] / 2
    parts = [exp_of_sum(half, -g), exp_of_sum(half, -2 * half)]
    parts += [exp_of_equals(half - 2 * half, -half), apply(EXP_POSITIVE, {"x": half})]
    parts += [apply(EXP_MONOTONE, {"x": -2 * half, "y": -1}, given)]
    bounded = arithmetic(Le(Exp(half) / 2 + Exp(-half) / 2, Exp(half - g)), given, parts)
    sums = apply(SUM_AFFINE, {"c": w / 2, "f": f[i], "d": -g}, given)
    equal = exp_of_equals(total(half - g) - w / 2 * t, w * (1 - t) / 2 - g * n, given, [sums])
    chernoff = apply(CHERNOFF, {"s": w / 2, "h": half - g}, given, [bounded])
    why = "no sum of signs comes near 1 unless most signs are +"
    return arithmetic(
        Le(Above(SUM, t), Exp(w * (1 - t) / 2 - g * n)), given, [chernoff, equal], why
    )
