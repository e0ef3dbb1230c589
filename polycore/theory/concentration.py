"""From a bound on ‖f‖² to a probability δ n^-k at most, for every n ≥ n₀: that Σ f_i σ_i is large,
or that a network fires.

Judgments of the kernel in the symbols ``f``, ``tau`` (tolerance), ``a`` and ``e`` (the
rate of decay is ``a n^e``), ``k`` and ``delta`` (the probability wanted is ``δ n^-k``), ``n0``,
``r ≤ n^q``, the ratio of the largest to the smallest power, and ``m`` columns, about ``c ln(n/δ)``.
"""

from collections.abc import Mapping, Sequence

from sympy import Eq, Expr, Ge, Gt, IndexedBase, Le, Lt, Rel, symbols, sympify

from polycore.proof import (
    Above,
    Exp,
    Given,
    Judgment,
    Log,
    Power,
    Silent,
    Tail,
    Theorem,
    apply,
    arithmetic,
    ball,
    chain,
    i,
    m,
    n,
    step,
    theorem,
    total,
)
from polycore.theory.elementary import (
    EXP_AT_MOST,
    EXP_MONOTONE,
    LOG_MONOTONE,
    LOG_ONE,
    LOG_POWER,
    LOG_PRODUCT,
    LOG_QUOTIENT,
    LOG_TANGENT,
    POWER_MONOTONE,
    POWER_ONE,
    POWER_POSITIVE,
    POWER_SUM,
)
from polycore.theory.rademacher_sums import (
    ABOVE_AT_LEAST_ZERO,
    HOEFFDING,
    HOEFFDING_TWO_SIDED,
    SILENT_GE_UNION_BOUND,
    SILENT_LE_EXP,
    SILENT_MONOTONE,
)

__all__ = [
    "ABOVE_LE_EXP_RATE", "TAIL_SMALL_CRUDE", "SILENT_CRUDE", "FIRES_WITH_ENOUGH_COLUMNS",
    "POWER_OVERTAKES_LOG", "TAIL_SMALL_HOELDER", "SILENT_HOELDER", "TAIL_SMALL_SHARP",
    "SILENT_SHARP", "SILENT_FROM_N0", "TAIL_SMALL_FROM_N0", "TAIL_LE_EXP_RATE", "at_numbers",
    "at_threshold",
]  # fmt: skip

f = IndexedBase("f")
x, y, t, b, c, r, q = symbols("x y t b c r q")
tau, a, e, k, delta, n0, rate = symbols("tau a e k delta n0 rate")
SUM, NORM = total(f[i]), total(f[i] ** 2)
NOW, THEN, BOUND = Power(n, e), Power(n0, e), delta * Power(n, -k)


def _logs(bases, to, given):
    """Powers of these with this exponent are positive, and what their logarithms are."""
    return [
        apply(law, {"x": base, "a": to}, given)
        for law in (LOG_POWER, POWER_POSITIVE)
        for base in bases
    ]


@theorem
def POWER_OVERTAKES_LOG():
    """``a n^e ≥ k ln n + c`` for every n ≥ n₀, when it holds at n₀ and ``a e n₀^e ≥ k``."""
    large = Given(
        large=[Gt(a, 0), Gt(e, 0), Ge(k, 0), Ge(n0, 1), Ge(n, n0)],
        steep=Ge(a * e * THEN, k),
        overtaken=Ge(a * THEN, k * Log(n0) + c),
    )
    powers = _logs([n, n0], e, large)
    tangent = apply(LOG_TANGENT, {"x": NOW, "y": THEN}, large, powers)
    later = apply(LOG_MONOTONE, {"x": n0, "y": n}, large)
    more, right = Log(n) - Log(n0), k * Log(n0) + c
    return chain(
        a * NOW,
        step(">=", a * THEN + a * e * THEN * more, "ln lies below its tangent", tangent, *powers),
        step(">=", a * THEN + k * more, "the left side grows faster at $n_0$", later),
        step(">=", right + k * more, "it is ahead at $n_0$"),
        step("=", k * Log(n) + c, r"the terms with $\ln n_0$ cancel"),
        given=large,
    )


def _at_rate(event, sides, inequality):
    small = [Gt(tau, 0), Gt(NORM, 0), Ge(tau**2, 2 * rate * NORM), Ge(n, 0)]
    slower = apply(EXP_MONOTONE, {"x": -(tau**2) / (2 * NORM), "y": -rate}, small)
    why = "Hoeffding's inequality, and exp is increasing"
    return arithmetic(
        Le(event, sides * Exp(-rate)), small, [apply(inequality, {"t": tau}, small), slower], why
    )


@theorem
def ABOVE_LE_EXP_RATE():
    """``Pr[Σ f_i σ_i > τ] ≤ e^-rate`` when ``2 rate ‖f‖² ≤ τ²``."""
    return _at_rate(Above(SUM, tau), 1, HOEFFDING)


@theorem
def TAIL_LE_EXP_RATE():
    """``Pr[|Σ f_i σ_i| > τ] ≤ 2 e^-rate`` when ``2 rate ‖f‖² ≤ τ²``."""
    return _at_rate(Tail(SUM, tau), 2, HOEFFDING_TWO_SIDED)


WANTED = [Gt(tau, 0), Gt(NORM, 0), Gt(delta, 0), Ge(tau**2, 2 * a * NOW * NORM)]


@theorem
def TAIL_SMALL_FROM_N0():
    """``Pr[|Σ f_i σ_i| > τ] ≤ δ n^-k`` for every n ≥ n₀, when ``2 a n^e ‖f‖² ≤ τ²`` and n₀ meets
    POWER_OVERTAKES_LOG.
    """
    overtaken = Ge(a * THEN, k * Log(n0) - Log(delta / 2))
    given = Given(
        wanted=WANTED,
        large=POWER_OVERTAKES_LOG.given("large"),
        steep=POWER_OVERTAKES_LOG.given("steep"),
        overtaken=overtaken,
    )
    logs = [apply(law, {"x": n, "a": -k}, given) for law in (POWER_POSITIVE, LOG_POWER)]
    logs += [
        apply(LOG_PRODUCT, {"x": delta / 2, "y": Power(n, -k)}, given, logs),
        apply(POWER_OVERTAKES_LOG, {"c": -Log(delta / 2)}, given),
    ]
    hoeffding = apply(HOEFFDING_TWO_SIDED, {"t": tau}, given)
    rates = {"x": -(tau**2) / (2 * NORM), "y": -a * NOW}
    slower = apply(EXP_MONOTONE, rates, given)
    enough = apply(EXP_AT_MOST, {"x": -a * NOW, "y": BOUND / 2}, given, logs)
    return chain(
        Tail(SUM, tau),
        step("<=", 2 * Exp(-(tau**2) / (2 * NORM)), "Hoeffding's inequality", hoeffding),
        step("<=", 2 * Exp(-a * NOW), "the bound on the squares", slower),
        step("<=", BOUND, r"$a n^e \ge k \ln n + \ln(2/\delta)$ from $n_0$ on", enough),
        given=given,
    )


COLUMNS, COLUMNS_THEN = (c * (Log(number) - Log(delta)) + 1 for number in (n, n0))
FEW_COLUMNS = [Lt(delta, 1), Gt(c, 0), Ge(m, 0), Le(m, COLUMNS)]


def _columns_positive(given):
    ordered = [
        apply(LOG_MONOTONE, {"x": small, "y": large}, given)
        for small, large in [(1, n0), (n0, n), (delta, 1)]
    ]
    ordered += [LOG_ONE()]
    return ordered, [
        arithmetic(Gt(number, 0), given, ordered) for number in (COLUMNS_THEN, COLUMNS)
    ]


def _log_of_columns(given, positive):
    """The number of columns grows with n too: its logarithm lies below the tangent at n₀, which
    costs a little of k.

    In small steps about few terms each: what they prove at once takes cvc5, which replays them, too
    long.
    """
    tangent, more = (
        apply(LOG_TANGENT, {"x": COLUMNS, "y": COLUMNS_THEN}, given, positive),
        Log(n) - Log(n0),
    )
    ratio = arithmetic(Eq(y / b - 1, t / b), [Gt(b, 0), Eq(y - b, t)])
    ratio = apply(ratio, {"y": COLUMNS, "b": COLUMNS_THEN, "t": c * more}, given, positive)
    return arithmetic(
        Le(Log(COLUMNS), Log(COLUMNS_THEN) + c / COLUMNS_THEN * more), given, [ratio, tangent]
    )


def _fast_enough(given):
    """``-a n^e ≤ ln(δ n^-k/columns)``, and that this share is positive."""
    share, steeper = BOUND / COLUMNS, k + c / COLUMNS_THEN
    ordered, positive = _columns_positive(given)
    power = [apply(law, {"x": n, "a": -k}, given) for law in (POWER_POSITIVE, LOG_POWER)]
    bound = arithmetic(Gt(BOUND, 0), given, power)
    quotient = arithmetic(Gt(x / y, 0), [Gt(x, 0), Gt(y, 0)])
    quotient = apply(quotient, {"x": BOUND, "y": COLUMNS}, given, [bound, positive[1]])
    at_n0 = Log(COLUMNS_THEN) - c / COLUMNS_THEN * Log(n0) - Log(delta)
    overtaken = apply(POWER_OVERTAKES_LOG, {"k": steeper, "c": at_n0}, given, [*ordered, *positive])
    logs = [apply(LOG_PRODUCT, {"x": delta, "y": Power(n, -k)}, given, power)]
    logs += [
        apply(LOG_QUOTIENT, {"x": BOUND, "y": COLUMNS}, given, [bound, *positive]),
        power[1],
        positive[1],
    ]
    log_share = arithmetic(Eq(Log(share), Log(delta) - k * Log(n) - Log(COLUMNS)), given, logs)
    fast = [overtaken, _log_of_columns(given, positive), log_share, *positive]
    return [quotient, arithmetic(Le(-a * NOW, Log(share)), given, fast), *positive]


@theorem
def SILENT_FROM_N0():
    """``Pr[F = 0] ≥ 1 − δ n^-k`` over ``m ≤ c ln(n/δ) + 1`` columns, for every n ≥ n₀."""
    steep, overtaken = (
        Ge(a * e * THEN, k + c / COLUMNS_THEN),
        Ge(a * THEN, k * Log(n0) + Log(COLUMNS_THEN) - Log(delta)),
    )
    given = Given(
        wanted=WANTED,
        columns=FEW_COLUMNS,
        large=POWER_OVERTAKES_LOG.given("large"),
        steep=steep,
        overtaken=overtaken,
    )
    share, fast = BOUND / COLUMNS, _fast_enough(given)
    one = [
        apply(ABOVE_LE_EXP_RATE, {"rate": a * NOW}, given),
        apply(EXP_AT_MOST, {"x": -a * NOW, "y": share}, given, fast),
        *fast[2:],
    ]
    rates = {"x": -a * NOW, "y": share}
    enough = apply(EXP_AT_MOST, rates, given, fast)
    one = [
        apply(ABOVE_LE_EXP_RATE, {"rate": a * NOW}, given),
        apply(ABOVE_AT_LEAST_ZERO, {"t": tau}, given),
    ]
    larger = arithmetic(Le(x * t, y * b), [Ge(x, 0), Le(x, y), Ge(t, 0), Le(t, b)])
    terms = {"x": m, "y": COLUMNS, "t": Above(SUM, tau), "b": Exp(-a * NOW)}
    product = apply(larger, terms, [*given, Gt(COLUMNS, 0)], one)
    shared = arithmetic(Le(b * x, y), [Gt(b, 0), Le(x, y / b)])
    terms = {"x": Exp(-a * NOW), "y": BOUND, "b": COLUMNS}
    shared = apply(shared, terms, given, [enough, fast[-1]])
    union = apply(SILENT_GE_UNION_BOUND, {"t": tau, "N": 1}, given)
    return chain(
        Silent(SUM, tau, m, 1),
        step(">=", 1 - m * Above(SUM, tau), "a union bound over the columns", union),
        step(">=", 1 - COLUMNS * Exp(-a * NOW), "their number, and Hoeffding", product, fast[-1]),
        step(">=", 1 - BOUND, "$a n^e$ has overtaken the logarithm", shared),
        given=given,
    )


@theorem
def FIRES_WITH_ENOUGH_COLUMNS():
    """``Pr[F = 0] ≤ δ n^-k`` over ``m ≥ c ln(n/δ)`` columns, where one is silent with probability
    at most e^-a and a c ≥ k, 1.
    """
    missed = Given(
        one=Le(1 - Above(SUM, tau), Exp(-a)),
        enough=[Ge(a * c, k), Ge(a * c, 1)],
        sizes=[Gt(c, 0), Gt(delta, 0), Lt(delta, 1), Ge(n, 1)],
        columns=Ge(m, COLUMNS - 1),
    )
    sizes = [
        apply(LOG_MONOTONE, {"x": small, "y": large}, missed)
        for small, large in [(1, n), (delta, 1)]
    ]
    sizes += [LOG_ONE()]
    powers = [apply(law, {"x": n, "a": -k}, missed) for law in (POWER_POSITIVE, LOG_POWER)]
    powers += [apply(LOG_PRODUCT, {"x": delta, "y": Power(n, -k)}, missed, powers)]
    some, enough = (
        arithmetic(goal, missed, sizes) for goal in (Ge(m, 0), Le(-a * m, Log(delta) - k * Log(n)))
    )
    every = apply(SILENT_LE_EXP, {"t": tau, "N": 1}, missed, [some])
    enough = apply(EXP_AT_MOST, {"x": -a * m, "y": BOUND}, missed, [enough, *powers])
    return chain(
        Silent(SUM, tau, m, 1),
        step("<=", Exp(-a * m), "every one of the columns would have to be silent", every),
        step("<=", BOUND, r"$a m \ge k \ln n - \ln \delta$", enough),
        given=missed,
    )


def _from_n0(theorem, bound, rate, exponent, splits):
    """The theorem from ``‖f‖² ≤ bound``, decaying as ``rate · n^exponent``; ``splits``: exponents
    whose powers of n are multiplied.
    """
    needs = {
        name: [need.xreplace({a: rate, e: exponent}) for need in theorem.given(name)]
        for name in ("steep", "overtaken")
    }
    columns = theorem.given("columns") if theorem is SILENT_FROM_N0 else []
    ratio = [Ge(r, 1), Le(r, Power(n, q)), Gt(q, 0)]
    sizes = [Gt(tau, 0), Gt(NORM, 0), Gt(delta, 0), Ge(k, 0), Ge(n0, 1), Ge(n, n0), *columns]
    given = Given(
        variance=Le(NORM, bound),
        ratio=ratio,
        sizes=sizes,
        exponent=Gt(exponent, 0),
        **needs,
    )
    powers = [
        apply(POWER_POSITIVE, {"x": base, "a": to}, given)
        for base, to in [(n, q), (n0, q), (n, exponent)]
    ]
    powers += [
        apply(POWER_ONE, {"x": n}, given),
        apply(POWER_MONOTONE, {"x": n0, "y": n, "a": q}, given),
    ]
    powers += [apply(POWER_SUM, {"x": n, "a": one, "b": other}, given) for one, other in splits]
    return apply(theorem, {"a": rate, "e": exponent}, given, powers)


_CRUDE = r**2 / n, tau**2 / 2, 1 - 2 * q, [(1 - 2 * q, 2 * q), (q, q)]
_HOELDER = r / n, tau**2 / 2, 1 - q, [(1 - q, q)]
_SHARP = (1 + r) ** 2 / (4 * r * n), 2 * tau**2 / (1 + 1 / Power(n0, q)) ** 2, 1 - q, [(1 - q, q)]


@theorem
def TAIL_SMALL_CRUDE():
    """One sum, for ``‖f‖² ≤ r²/n`` with ``r ≤ n^q``, q < 1/2."""
    return _from_n0(TAIL_SMALL_FROM_N0, *_CRUDE)


@theorem
def SILENT_CRUDE():
    """A network of columns, for ``‖f‖² ≤ r²/n`` with ``r ≤ n^q``, q < 1/2."""
    return _from_n0(SILENT_FROM_N0, *_CRUDE)


@theorem
def TAIL_SMALL_HOELDER():
    """One sum, for ``‖f‖² ≤ r/n``, the largest weight times the sum of all, ``r ≤ n^q``, q < 1."""
    return _from_n0(TAIL_SMALL_FROM_N0, *_HOELDER)


@theorem
def SILENT_HOELDER():
    """A network of columns, for ``‖f‖² ≤ r/n`` with ``r ≤ n^q``, q < 1."""
    return _from_n0(SILENT_FROM_N0, *_HOELDER)


@theorem
def TAIL_SMALL_SHARP():
    """One sum, for ``‖f‖² ≤ (1 + r)²/(4 r n)`` with ``1 ≤ r ≤ n^q``, q < 1."""
    return _from_n0(TAIL_SMALL_FROM_N0, *_SHARP)


@theorem
def SILENT_SHARP():
    """A network of columns, for ``‖f‖² ≤ (1 + r)²/(4 r n)`` with ``1 ≤ r ≤ n^q``, q < 1."""
    return _from_n0(SILENT_FROM_N0, *_SHARP)


def at_numbers(
    theorem: Theorem,
    numbers: Mapping[str, Expr],
    given: Sequence[Rel],
    using: Sequence[Judgment | Theorem],
) -> Judgment:
    """A theorem for n ≥ n₀ at explicit numbers: its two conditions at n₀ are certified by balls.

    ``numbers`` maps names (``q``, ``tau``, ``delta``, ``k``, ``n0``, and ``c`` where there are
    columns) to exact numbers, and ``r`` to the ratio. Raises ``ProofError`` when n₀ is too small or
    ``q`` too large.
    """
    values = {
        symbol: sympify(numbers[str(symbol)])
        for symbol in (q, tau, delta, k, n0, c)
        if str(symbol) in numbers
    }
    met = [ball(need.xreplace(values)) for need in theorem.given("steep", "overtaken")]
    columns = [h.xreplace(values) for h in theorem.hypotheses if m in h.free_symbols]
    return apply(theorem, numbers, [*given, *columns], [*using, *met])


def at_threshold(judgment: Judgment, higher: Expr) -> Judgment:
    """``Pr[F = 0] ≥ p`` at a higher threshold, from the same at a lower one: the network is silent
    all the more often.

    ``judgment``: what ``Band.from_n0`` returns for a network of ``m`` columns. ``ProofError`` where
    ``higher`` is not known to be at least its threshold.
    """
    given, (silent, least) = judgment.hypotheses, judgment.conclusion.args
    terms, lower = silent.args[:2]
    rises = apply(SILENT_MONOTONE, {"f": terms.function, "s": lower, "t": higher, "N": 1}, given)
    goal = Ge(Silent(terms, higher, m, 1), least)
    return arithmetic(goal, given, [judgment, rises], "a higher threshold is silent more often")
