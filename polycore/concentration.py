"""From a bound on ‖f‖² to a bound on the tail of Σ f_i σ_i that holds for every n ≥ n₀.

Judgments of the kernel in the symbols ``f``, ``tau`` (tolerance), ``a`` and ``e`` (the
rate of decay is ``a n^e``), ``k`` and ``delta`` (the tail wanted is ``δ n^-k``), ``n0``,
and ``r ≤ n^q``, the ratio of the largest to the smallest power.
"""

from sympy import Ge, Gt, IndexedBase, Le, symbols

from polycore.elementary import (
    EXP_AT_MOST,
    EXP_MONOTONE,
    LOG_POWER,
    LOG_PRODUCT,
    LOG_TANGENT,
    POWER_MONOTONE,
    POWER_ONE,
    POWER_POSITIVE,
    POWER_SUM,
)
from polycore.proof import AXIOMS, apply, arithmetic, ball
from polycore.statements import Exp, Log, Power, Tail, i, n, total

__all__ = ["CRUDE", "GROWTH", "SHARP", "SUFFICIENTLY_LARGE", "TAIL", "at_numbers"]

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

_small = [Gt(tau, 0), Gt(_norm, 0), Ge(tau**2, 2 * rate * _norm)]
_exponent = -(tau**2) / (2 * _norm)
TAIL = arithmetic(
    Le(Tail(total(f[i]), tau), 2 * Exp(-rate)),
    _small,
    [
        apply(AXIOMS["Hoeffding"], {"t": tau}, _small),
        apply(EXP_MONOTONE, {"x": _exponent, "y": -rate}, _small),
    ],
    why="Hoeffding's inequality, and exp is increasing",
)
"""``Pr[|Σ f_i σ_i| > τ] ≤ 2 e^-rate`` when ``2 rate ‖f‖² ≤ τ²``."""

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

r, q = symbols("r q")
_ratio = [Ge(r, 1), Le(r, Power(n, q)), Gt(q, 0)]
_common = [Gt(tau, 0), Gt(_norm, 0), Gt(delta, 0), Ge(k, 0), Ge(n0, 1), Ge(n, n0)]


def _from_n0(bound, rate, exponent, using):
    """The tail bound from ``‖f‖² ≤ bound``, decaying as ``rate · n^exponent``."""
    grown = rate * Power(n0, exponent)
    needs = [Ge(exponent * grown, k), Ge(grown, k * Log(n0) - Log(delta / 2))]
    given = [Le(_norm, bound), *_ratio, *_common, Gt(exponent, 0), *needs]
    positive = [(n, q), (n0, q), (n, exponent)]
    powers = [apply(POWER_POSITIVE, {"x": base, "a": to}, given) for base, to in positive]
    powers += [apply(POWER_ONE, {"x": n}, given), apply(POWER_MONOTONE, {"x": n0, "y": n, "a": q}, given)]
    powers += using(given)
    return apply(SUFFICIENTLY_LARGE, {"a": rate, "e": exponent}, given, powers)


def _crude_exponents(given):
    return [
        apply(POWER_SUM, {"x": n, "a": 1 - 2 * q, "b": 2 * q}, given),
        apply(POWER_SUM, {"x": n, "a": q, "b": q}, given),
    ]


CRUDE = _from_n0(r**2 / n, tau**2 / 2, 1 - 2 * q, _crude_exponents)
"""For ``‖f‖² ≤ r²/n`` with ``r ≤ n^q``, q < 1/2."""

SHARP = _from_n0(
    (1 + r) ** 2 / (4 * r * n),
    2 * tau**2 / (1 + 1 / Power(n0, q)) ** 2,
    1 - q,
    lambda given: [apply(POWER_SUM, {"x": n, "a": 1 - q, "b": q}, given)],
)
"""For ``‖f‖² ≤ (1 + r)²/(4 r n)`` with ``1 ≤ r ≤ n^q``, q < 1."""


def at_numbers(theorem, numbers, given, using):
    """A tail bound at explicit numbers: its two conditions at n₀ are certified by balls.

    ``numbers`` maps names (``q``, ``tau``, ``delta``, ``k``, ``n0``) to exact numbers, and
    ``r`` to the ratio. Raises ``ProofError`` when n₀ is too small or ``q`` too large.
    """
    values = {symbol: numbers[str(symbol)] for symbol in (q, tau, delta, k, n0)}
    met = [ball(need.xreplace(values)) for need in theorem.hypotheses[-2:]]
    return apply(theorem, numbers, given, [*using, *met])
