"""From a bound on ‖f‖² to a probability δ n^-k at most, for every n ≥ n₀: that Σ f_i σ_i is large, or that a network fires.

Judgments of the kernel in the symbols ``f``, ``tau`` (tolerance), ``a`` and ``e`` (the
rate of decay is ``a n^e``), ``k`` and ``delta`` (the probability wanted is ``δ n^-k``), ``n0``,
``r ≤ n^q``, the ratio of the largest to the smallest power, and ``m`` columns, about ``c ln(n/δ)``.
"""

from sympy import Eq, Ge, Gt, IndexedBase, Le, Lt, symbols

from polycore.elementary import (
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
from polycore.proof import Given, apply, arithmetic, ball, theorem
from polycore.sign_sums import ABOVE_AT_LEAST_ZERO, HOEFFDING, HOEFFDING_TWO_SIDED, MISSED, UNION_OF_COLUMNS
from polycore.statements import Above, Exp, Log, Power, Silent, Tail, i, m, n, total

__all__ = [
    "ABOVE", "CRUDE", "CRUDE_SILENT", "FIRES", "GROWTH", "HOELDER", "HOELDER_SILENT", "SHARP", "SHARP_SILENT", "SILENT",
    "SUFFICIENTLY_LARGE", "TAIL", "at_numbers",
]  # fmt: skip

f = IndexedBase("f")
x, y, t, b, c, r, q = symbols("x y t b c r q")
tau, a, e, k, delta, n0, rate = symbols("tau a e k delta n0 rate")
SUM, NORM = total(f[i]), total(f[i] ** 2)
NOW, THEN, BOUND = Power(n, e), Power(n0, e), delta * Power(n, -k)


def _logs(bases, to, given):
    """Powers of these with this exponent are positive, and what their logarithms are."""
    return [apply(law, {"x": base, "a": to}, given) for law in (LOG_POWER, POWER_POSITIVE) for base in bases]


@theorem
def GROWTH():
    """``a n^e ≥ k ln n + c`` for every n ≥ n₀, when it holds at n₀ and ``a e n₀^e ≥ k``."""
    large = [Gt(a, 0), Gt(e, 0), Ge(k, 0), Ge(n0, 1), Ge(n, n0)]
    large = Given(large=large, steep=Ge(a * e * THEN, k), overtaken=Ge(a * THEN, k * Log(n0) + c))
    powers = [*_logs([n, n0], e, large), apply(POWER_MONOTONE, {"x": n0, "y": n, "a": e}, large)]
    tangent = apply(LOG_TANGENT, {"x": NOW, "y": THEN}, large, powers)
    why = "once a n^e has overtaken k ln n + c it stays ahead, for ln lies below its tangent"
    return arithmetic(Ge(a * NOW, k * Log(n) + c), large, [*powers, tangent], why)


def _at_rate(event, sides, inequality):
    small = [Gt(tau, 0), Gt(NORM, 0), Ge(tau**2, 2 * rate * NORM), Ge(n, 0)]
    slower = apply(EXP_MONOTONE, {"x": -(tau**2) / (2 * NORM), "y": -rate}, small)
    why = "Hoeffding's inequality, and exp is increasing"
    return arithmetic(Le(event, sides * Exp(-rate)), small, [apply(inequality, {"t": tau}, small), slower], why)


@theorem
def ABOVE():
    """``Pr[Σ f_i σ_i > τ] ≤ e^-rate`` when ``2 rate ‖f‖² ≤ τ²``."""
    return _at_rate(Above(SUM, tau), 1, HOEFFDING)


@theorem
def TAIL():
    """``Pr[|Σ f_i σ_i| > τ] ≤ 2 e^-rate`` when ``2 rate ‖f‖² ≤ τ²``."""
    return _at_rate(Tail(SUM, tau), 2, HOEFFDING_TWO_SIDED)


WANTED = [Gt(tau, 0), Gt(NORM, 0), Gt(delta, 0), Ge(tau**2, 2 * a * NOW * NORM)]


@theorem
def SUFFICIENTLY_LARGE():
    """``Pr[|Σ f_i σ_i| > τ] ≤ δ n^-k`` for every n ≥ n₀, when ``2 a n^e ‖f‖² ≤ τ²`` and n₀ meets GROWTH."""
    overtaken = Ge(a * THEN, k * Log(n0) - Log(delta / 2))
    given = Given(wanted=WANTED, large=GROWTH.given("large"), steep=GROWTH.given("steep"), overtaken=overtaken)
    logs = [apply(law, {"x": n, "a": -k}, given) for law in (POWER_POSITIVE, LOG_POWER)]
    logs += [apply(LOG_PRODUCT, {"x": delta / 2, "y": Power(n, -k)}, given, logs), apply(GROWTH, {"c": -Log(delta / 2)}, given)]
    using = [apply(TAIL, {"rate": a * NOW}, given), apply(EXP_AT_MOST, {"x": -a * NOW, "y": BOUND / 2}, given, logs)]
    return arithmetic(Le(Tail(SUM, tau), BOUND), given, using, "Hoeffding, for every n at least n₀")


COLUMNS, COLUMNS_THEN = (c * (Log(number) - Log(delta)) + 1 for number in (n, n0))
FEW_COLUMNS = [Lt(delta, 1), Gt(c, 0), Ge(m, 0), Le(m, COLUMNS)]


def _columns_positive(given):
    ordered = [apply(LOG_MONOTONE, {"x": small, "y": large}, given) for small, large in [(1, n0), (n0, n), (delta, 1)]]
    ordered += [LOG_ONE]
    return ordered, [arithmetic(Gt(number, 0), given, ordered) for number in (COLUMNS_THEN, COLUMNS)]


def _log_of_columns(given, positive):
    """The number of columns grows with n too: its logarithm lies below the tangent at n₀, which costs a little of k.

    In small steps about few terms each: what they prove at once takes cvc5, which replays them, too long.
    """
    tangent, more = apply(LOG_TANGENT, {"x": COLUMNS, "y": COLUMNS_THEN}, given, positive), Log(n) - Log(n0)
    ratio = arithmetic(Eq(y / b - 1, t / b), [Gt(b, 0), Eq(y - b, t)])
    ratio = apply(ratio, {"y": COLUMNS, "b": COLUMNS_THEN, "t": c * more}, given, positive)
    return arithmetic(Le(Log(COLUMNS), Log(COLUMNS_THEN) + c / COLUMNS_THEN * more), given, [ratio, tangent])


def _fast_enough(given):
    """``-a n^e ≤ ln(δ n^-k/columns)``, and that this share is positive."""
    share, steeper = BOUND / COLUMNS, k + c / COLUMNS_THEN
    ordered, positive = _columns_positive(given)
    power = [apply(law, {"x": n, "a": -k}, given) for law in (POWER_POSITIVE, LOG_POWER)]
    bound = arithmetic(Gt(BOUND, 0), given, power)
    quotient = arithmetic(Gt(x / y, 0), [Gt(x, 0), Gt(y, 0)])
    quotient = apply(quotient, {"x": BOUND, "y": COLUMNS}, given, [bound, positive[1]])
    at_n0 = Log(COLUMNS_THEN) - c / COLUMNS_THEN * Log(n0) - Log(delta)
    overtaken = apply(GROWTH, {"k": steeper, "c": at_n0}, given, [*ordered, *positive])
    logs = [apply(LOG_PRODUCT, {"x": delta, "y": Power(n, -k)}, given, power)]
    logs += [apply(LOG_QUOTIENT, {"x": BOUND, "y": COLUMNS}, given, [bound, *positive]), power[1], positive[1]]
    log_share = arithmetic(Eq(Log(share), Log(delta) - k * Log(n) - Log(COLUMNS)), given, logs)
    fast = [overtaken, _log_of_columns(given, positive), log_share, *positive]
    return [quotient, arithmetic(Le(-a * NOW, Log(share)), given, fast), *positive]


@theorem
def SILENT():
    """``Pr[F = 0] ≥ 1 − δ n^-k`` over ``m ≤ c ln(n/δ) + 1`` columns, for every n ≥ n₀."""
    steep, overtaken = Ge(a * e * THEN, k + c / COLUMNS_THEN), Ge(a * THEN, k * Log(n0) + Log(COLUMNS_THEN) - Log(delta))
    given = Given(wanted=WANTED, columns=FEW_COLUMNS, large=GROWTH.given("large"), steep=steep, overtaken=overtaken)
    share, fast = BOUND / COLUMNS, _fast_enough(given)
    one = [apply(ABOVE, {"rate": a * NOW}, given), apply(EXP_AT_MOST, {"x": -a * NOW, "y": share}, given, fast), *fast[2:]]
    one = [arithmetic(Le(Above(SUM, tau), share), given, one), apply(ABOVE_AT_LEAST_ZERO, {"t": tau}, given)]
    larger = arithmetic(Le(x * t, y * b), [Ge(x, 0), Le(x, y), Ge(t, 0), Le(t, b)], why="a product of larger factors")
    terms = {"x": m, "y": COLUMNS, "t": Above(SUM, tau), "b": share}
    using = [apply(UNION_OF_COLUMNS, {"t": tau, "N": 1}, given), apply(larger, terms, [*given, Gt(COLUMNS, 0)], one), fast[-1]]
    return arithmetic(Ge(Silent(SUM, tau, m, 1), 1 - BOUND), given, using, "a union bound over the columns, for every n at least n₀")


@theorem
def FIRES():
    """``Pr[F = 0] ≤ δ n^-k`` over ``m ≥ c ln(n/δ)`` columns, where one misses with probability e^-a and a c ≥ k, 1."""
    missed = [Le(1 - Above(SUM, tau), Exp(-a)), Ge(a * c, k), Ge(a * c, 1), Gt(c, 0), Gt(delta, 0), Lt(delta, 1), Ge(n, 1)]
    missed += [Ge(m, COLUMNS - 1)]
    sizes = [LOG_ONE, *(apply(LOG_MONOTONE, {"x": small, "y": large}, missed) for small, large in [(1, n), (delta, 1)])]
    powers = [apply(law, {"x": n, "a": -k}, missed) for law in (POWER_POSITIVE, LOG_POWER)]
    powers += [apply(LOG_PRODUCT, {"x": delta, "y": Power(n, -k)}, missed, powers)]
    some, enough = (arithmetic(goal, missed, sizes) for goal in (Ge(m, 0), Le(-a * m, Log(delta) - k * Log(n))))
    using = [apply(MISSED, {"t": tau, "N": 1}, missed, [some]), apply(EXP_AT_MOST, {"x": -a * m, "y": BOUND}, missed, [enough, *powers])]
    return arithmetic(Le(Silent(SUM, tau, m, 1), BOUND), missed, using, "every one of the columns would have to miss it")


def _from_n0(theorem, bound, rate, exponent, splits):
    """The theorem from ``‖f‖² ≤ bound``, decaying as ``rate · n^exponent``; ``splits``: exponents whose powers of n are multiplied."""
    needs = {name: [need.xreplace({a: rate, e: exponent}) for need in theorem.given(name)] for name in ("steep", "overtaken")}
    columns = theorem.given("columns") if theorem is SILENT else []
    ratio = [Ge(r, 1), Le(r, Power(n, q)), Gt(q, 0)]
    sizes = [Gt(tau, 0), Gt(NORM, 0), Gt(delta, 0), Ge(k, 0), Ge(n0, 1), Ge(n, n0), *columns, Gt(exponent, 0)]
    given = Given(variance=Le(NORM, bound), ratio=ratio, sizes=sizes, **needs)
    powers = [apply(POWER_POSITIVE, {"x": base, "a": to}, given) for base, to in [(n, q), (n0, q), (n, exponent)]]
    powers += [apply(POWER_ONE, {"x": n}, given), apply(POWER_MONOTONE, {"x": n0, "y": n, "a": q}, given)]
    powers += [apply(POWER_SUM, {"x": n, "a": one, "b": other}, given) for one, other in splits]
    return apply(theorem, {"a": rate, "e": exponent}, given, powers)


_CRUDE = r**2 / n, tau**2 / 2, 1 - 2 * q, [(1 - 2 * q, 2 * q), (q, q)]
_HOELDER = r / n, tau**2 / 2, 1 - q, [(1 - q, q)]
_SHARP = (1 + r) ** 2 / (4 * r * n), 2 * tau**2 / (1 + 1 / Power(n0, q)) ** 2, 1 - q, [(1 - q, q)]


@theorem
def CRUDE():
    """One sum, for ``‖f‖² ≤ r²/n`` with ``r ≤ n^q``, q < 1/2."""
    return _from_n0(SUFFICIENTLY_LARGE, *_CRUDE)


@theorem
def CRUDE_SILENT():
    """A network of columns, for ``‖f‖² ≤ r²/n`` with ``r ≤ n^q``, q < 1/2."""
    return _from_n0(SILENT, *_CRUDE)


@theorem
def HOELDER():
    """One sum, for ``‖f‖² ≤ r/n`` with ``r ≤ n^q``, q < 1, the largest weight times the sum of all."""
    return _from_n0(SUFFICIENTLY_LARGE, *_HOELDER)


@theorem
def HOELDER_SILENT():
    """A network of columns, for ``‖f‖² ≤ r/n`` with ``r ≤ n^q``, q < 1."""
    return _from_n0(SILENT, *_HOELDER)


@theorem
def SHARP():
    """One sum, for ``‖f‖² ≤ (1 + r)²/(4 r n)`` with ``1 ≤ r ≤ n^q``, q < 1."""
    return _from_n0(SUFFICIENTLY_LARGE, *_SHARP)


@theorem
def SHARP_SILENT():
    """A network of columns, for ``‖f‖² ≤ (1 + r)²/(4 r n)`` with ``1 ≤ r ≤ n^q``, q < 1."""
    return _from_n0(SILENT, *_SHARP)


def at_numbers(theorem, numbers, given, using):
    """A theorem for n ≥ n₀ at explicit numbers: its two conditions at n₀ are certified by balls.

    ``numbers`` maps names (``q``, ``tau``, ``delta``, ``k``, ``n0``, and ``c`` where there are columns) to exact
    numbers, and ``r`` to the ratio. Raises ``ProofError`` when n₀ is too small or ``q`` too large.
    """
    values = {symbol: numbers[str(symbol)] for symbol in (q, tau, delta, k, n0, c) if str(symbol) in numbers}
    met = [ball(need.xreplace(values)) for need in theorem.given("steep", "overtaken")]
    columns = [h.xreplace(values) for h in theorem.hypotheses if m in h.free_symbols]
    return apply(theorem, numbers, [*given, *columns], [*using, *met])
