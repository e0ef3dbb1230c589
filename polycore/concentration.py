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
from polycore.proof import apply, arithmetic, ball
from polycore.sign_sums import ABOVE_AT_LEAST_ZERO, HOEFFDING, HOEFFDING_TWO_SIDED, MISSED, UNION_OF_COLUMNS
from polycore.statements import Above, Exp, Log, Power, Silent, Tail, i, m, n, total

__all__ = [
    "ABOVE", "CRUDE", "CRUDE_SILENT", "FIRES", "GROWTH", "HOELDER", "HOELDER_SILENT", "SHARP", "SHARP_SILENT", "SILENT",
    "SUFFICIENTLY_LARGE", "TAIL", "at_numbers",
]  # fmt: skip

f = IndexedBase("f")
x, y, t, b, c = symbols("x y t b c")
tau, a, e, k, delta, n0, rate = symbols("tau a e k delta n0 rate")
_norm = total(f[i] ** 2)
_now, _then = Power(n, e), Power(n0, e)

_large = [Gt(a, 0), Gt(e, 0), Ge(k, 0), Ge(n0, 1), Ge(n, n0), Ge(a * e * _then, k), Ge(a * _then, k * Log(n0) + c)]
_powers = [
    apply(LOG_POWER, {"x": n, "a": e}, _large),
    apply(LOG_POWER, {"x": n0, "a": e}, _large),
    apply(POWER_MONOTONE, {"x": n0, "y": n, "a": e}, _large),
    apply(POWER_POSITIVE, {"x": n0, "a": e}, _large),
    apply(POWER_POSITIVE, {"x": n, "a": e}, _large),
]
_tangent = apply(LOG_TANGENT, {"x": _now, "y": _then}, _large, _powers)
GROWTH = arithmetic(
    Ge(a * _now, k * Log(n) + c),
    _large,
    [*_powers, _tangent],
    why="once a n^e has overtaken k ln n + c it stays ahead, for ln lies below its tangent",
)
"""``a n^e ≥ k ln n + c`` for every n ≥ n₀, when it holds at n₀ and ``a e n₀^e ≥ k``."""

_small = [Gt(tau, 0), Gt(_norm, 0), Ge(tau**2, 2 * rate * _norm), Ge(n, 0)]
_slower = apply(EXP_MONOTONE, {"x": -(tau**2) / (2 * _norm), "y": -rate}, _small)
ABOVE, TAIL = (
    arithmetic(
        Le(event, sides * Exp(-rate)),
        _small,
        [apply(inequality, {"t": tau}, _small), _slower],
        why="Hoeffding's inequality, and exp is increasing",
    )
    for event, sides, inequality in [(Above(total(f[i]), tau), 1, HOEFFDING), (Tail(total(f[i]), tau), 2, HOEFFDING_TWO_SIDED)]
)
"""``Pr[Σ f_i σ_i > τ] ≤ e^-rate`` when ``2 rate ‖f‖² ≤ τ²``, and twice that for ``|Σ f_i σ_i|``."""

_bound = delta * Power(n, -k)
_wanted = [Gt(tau, 0), Gt(_norm, 0), Gt(delta, 0), Ge(tau**2, 2 * a * _now * _norm)]
_certified = [*_large[:-1], Ge(a * _then, k * Log(n0) - Log(delta / 2))]
_given = [*_wanted, *_certified]
_logs = [
    apply(POWER_POSITIVE, {"x": n, "a": -k}, _given),
    apply(LOG_POWER, {"x": n, "a": -k}, _given),
]
_log_bound = apply(LOG_PRODUCT, {"x": delta / 2, "y": Power(n, -k)}, _given, _logs)
_growth = apply(GROWTH, {"c": -Log(delta / 2)}, _given)
SUFFICIENTLY_LARGE = arithmetic(
    Le(Tail(total(f[i]), tau), _bound),
    _given,
    [
        apply(TAIL, {"rate": a * _now}, _given),
        apply(EXP_AT_MOST, {"x": -a * _now, "y": _bound / 2}, _given, [*_logs, _log_bound, _growth]),
    ],
    why="Hoeffding, for every n at least n₀",
)
"""``Pr[|Σ f_i σ_i| > τ] ≤ δ n^-k`` for every n ≥ n₀, when ``2 a n^e ‖f‖² ≤ τ²`` and n₀ meets GROWTH."""

# The number of columns grows with n too: its logarithm lies below the tangent at n₀, which costs a little of k.
_columns, _columns_then = (c * (Log(number) - Log(delta)) + 1 for number in (n, n0))
_fired = Above(total(f[i]), tau)
_network = [*[*_wanted, Lt(delta, 1), Gt(c, 0), Ge(m, 0), Le(m, _columns)], *[*_large[:-2], Ge(a * e * _then, k + c / _columns_then)]]
_network += [Ge(a * _then, k * Log(n0) + Log(_columns_then) - Log(delta))]
_counted = [apply(LOG_MONOTONE, {"x": x, "y": y}, _network) for x, y in [(1, n0), (n0, n), (delta, 1)]]
_counted += [LOG_ONE]
_positive = [arithmetic(Gt(number, 0), _network, _counted) for number in (_columns_then, _columns)]
_per_column = delta * Power(n, -k) / _columns
_steeper = k + c / _columns_then
_at_n0 = Log(_columns_then) - c / _columns_then * Log(n0) - Log(delta)
_overtaken = apply(GROWTH, {"k": _steeper, "c": _at_n0}, _network, [*_counted, *_positive])
_log_columns = apply(LOG_TANGENT, {"x": _columns, "y": _columns_then}, _network, _positive)
# In small steps about few terms each: what they prove at once takes cvc5, which replays them, too long.
_more = c / _columns_then * (Log(n) - Log(n0))
_ratio = arithmetic(Eq(y / b - 1, t / b), [Gt(b, 0), Eq(y - b, t)])
_ratio = apply(_ratio, {"y": _columns, "b": _columns_then, "t": c * (Log(n) - Log(n0))}, _network, _positive)
_log_columns = arithmetic(Le(Log(_columns), Log(_columns_then) + _more), _network, [_ratio, _log_columns])
_of_n = [apply(law, {"x": n, "a": -k}, _network) for law in (POWER_POSITIVE, LOG_POWER)]
_bound_positive = arithmetic(Gt(_bound, 0), _network, _of_n)
_share = apply(arithmetic(Gt(x / y, 0), [Gt(x, 0), Gt(y, 0)]), {"x": _bound, "y": _columns}, _network, [_bound_positive, _positive[1]])
_logs = [apply(LOG_PRODUCT, {"x": delta, "y": Power(n, -k)}, _network, _of_n)]
_logs += [apply(LOG_QUOTIENT, {"x": _bound, "y": _columns}, _network, [_bound_positive, *_positive])]
_log_share = arithmetic(Eq(Log(_per_column), Log(delta) - k * Log(n) - Log(_columns)), _network, [*_logs, _of_n[1], _positive[1]])
_fast = arithmetic(Le(-a * _now, Log(_per_column)), _network, [_overtaken, _log_columns, _log_share, *_positive])
_one = [apply(ABOVE, {"rate": a * _now}, _network)]
_one += [apply(EXP_AT_MOST, {"x": -a * _now, "y": _per_column}, _network, [_share, _fast, *_positive])]
_one = [arithmetic(Le(_fired, _per_column), _network, [*_one, *_positive]), apply(ABOVE_AT_LEAST_ZERO, {"t": tau}, _network)]
_product = arithmetic(Le(x * t, y * b), [Ge(x, 0), Le(x, y), Ge(t, 0), Le(t, b)], why="a product of larger factors")
_all = apply(_product, {"x": m, "y": _columns, "t": _fired, "b": _per_column}, [*_network, Gt(_columns, 0)], _one)
SILENT = arithmetic(
    Ge(Silent(total(f[i]), tau, m, 1), 1 - _bound),
    _network,
    [apply(UNION_OF_COLUMNS, {"t": tau, "N": 1}, _network), _all, _positive[1]],
    why="a union bound over the columns, for every n at least n₀",
)
"""``Pr[F = 0] ≥ 1 − δ n^-k`` over ``m ≤ c ln(n/δ) + 1`` columns, for every n ≥ n₀."""

_missed = [Le(1 - _fired, Exp(-a)), Ge(a * c, k), Ge(a * c, 1), Gt(c, 0), Gt(delta, 0), Lt(delta, 1), Ge(n, 1), Ge(m, _columns - 1)]
_sizes = [LOG_ONE, *(apply(LOG_MONOTONE, {"x": x, "y": y}, _missed) for x, y in [(1, n), (delta, 1)])]
_powers = [apply(law, {"x": n, "a": -k}, _missed) for law in (POWER_POSITIVE, LOG_POWER)]
_powers += [apply(LOG_PRODUCT, {"x": delta, "y": Power(n, -k)}, _missed, _powers)]
_enough = arithmetic(Ge(m, 0), _missed, _sizes), arithmetic(Le(-a * m, Log(delta) - k * Log(n)), _missed, _sizes)
FIRES = arithmetic(
    Le(Silent(total(f[i]), tau, m, 1), _bound),
    _missed,
    [
        apply(MISSED, {"t": tau, "N": 1}, _missed, _enough[:1]),
        apply(EXP_AT_MOST, {"x": -a * m, "y": _bound}, _missed, [_enough[1], *_powers]),
    ],
    why="every one of the columns would have to miss it",
)
"""``Pr[F = 0] ≤ δ n^-k`` over ``m ≥ c ln(n/δ)`` columns, where one misses with probability e^-a and a c ≥ k, 1."""

r, q = symbols("r q")
_ratio = [Ge(r, 1), Le(r, Power(n, q)), Gt(q, 0)]
_common = [Gt(tau, 0), Gt(_norm, 0), Gt(delta, 0), Ge(k, 0), Ge(n0, 1), Ge(n, n0)]


def _from_n0(theorem, bound, rate, exponent, using):
    """The theorem from ``‖f‖² ≤ bound``, decaying as ``rate · n^exponent``."""
    needs = [need.xreplace({a: rate, e: exponent}) for need in theorem.hypotheses[-2:]]
    columns = [h for h in (Lt(delta, 1), Gt(c, 0), Ge(m, 0), Le(m, _columns)) if h in theorem.hypotheses]
    given = [Le(_norm, bound), *_ratio, *_common, *columns, Gt(exponent, 0), *needs]
    positive = [(n, q), (n0, q), (n, exponent)]
    powers = [apply(POWER_POSITIVE, {"x": base, "a": to}, given) for base, to in positive]
    powers += [apply(POWER_ONE, {"x": n}, given), apply(POWER_MONOTONE, {"x": n0, "y": n, "a": q}, given)]
    powers += using(given)
    return apply(theorem, {"a": rate, "e": exponent}, given, powers)


def _crude_exponents(given):
    return [
        apply(POWER_SUM, {"x": n, "a": 1 - 2 * q, "b": 2 * q}, given),
        apply(POWER_SUM, {"x": n, "a": q, "b": q}, given),
    ]


def _sharp_exponents(given):
    return [apply(POWER_SUM, {"x": n, "a": 1 - q, "b": q}, given)]


_crude = r**2 / n, tau**2 / 2, 1 - 2 * q, _crude_exponents
_hoelder = r / n, tau**2 / 2, 1 - q, _sharp_exponents
_sharp = (1 + r) ** 2 / (4 * r * n), 2 * tau**2 / (1 + 1 / Power(n0, q)) ** 2, 1 - q, _sharp_exponents
CRUDE, CRUDE_SILENT = (_from_n0(theorem, *_crude) for theorem in (SUFFICIENTLY_LARGE, SILENT))
"""For ``‖f‖² ≤ r²/n`` with ``r ≤ n^q``, q < 1/2: one sum, and a network of columns."""

HOELDER, HOELDER_SILENT = (_from_n0(theorem, *_hoelder) for theorem in (SUFFICIENTLY_LARGE, SILENT))
"""For ``‖f‖² ≤ r/n`` with ``r ≤ n^q``, q < 1, the largest weight times the sum of all: one sum, and a network of columns."""

SHARP, SHARP_SILENT = (_from_n0(theorem, *_sharp) for theorem in (SUFFICIENTLY_LARGE, SILENT))
"""For ``‖f‖² ≤ (1 + r)²/(4 r n)`` with ``1 ≤ r ≤ n^q``, q < 1: one sum, and a network of columns."""


def at_numbers(theorem, numbers, given, using):
    """A theorem for n ≥ n₀ at explicit numbers: its two conditions at n₀ are certified by balls.

    ``numbers`` maps names (``q``, ``tau``, ``delta``, ``k``, ``n0``, and ``c`` where there are columns) to exact
    numbers, and ``r`` to the ratio. Raises ``ProofError`` when n₀ is too small or ``q`` too large.
    """
    values = {symbol: numbers[str(symbol)] for symbol in (q, tau, delta, k, n0, c) if str(symbol) in numbers}
    met = [ball(need.xreplace(values)) for need in theorem.hypotheses[-2:]]
    columns = [h.xreplace(values) for h in theorem.hypotheses if m in h.free_symbols]
    return apply(theorem, numbers, [*given, *columns], [*using, *met])
