"""Self-attention with one special token: its weights, its output and the signs that see it, proved once for all cases.

In the data of Definition 6.1 one token has the row sum ``1 + a`` and every other the row sum 1, and with ``x = 1`` the
scores are their products: a matrix of rank one. Judgments of the kernel in the symbols ``w = (1 + a)^beta``, ``s``
(the same power of the token that asks: ``w`` or 1) and ``n`` tokens; from ``SEEN`` on ``f`` is the output of one
token, whose three last entries are the special ones, ``1/(2h)`` bounds the squared norm of the ``n`` others, ``x`` is
what the signs leave to them, ``tau`` is the threshold, and there are ``N`` tokens.

>>> SPECIAL.conclusion
Eq(s*w/alpha, w/(n + w - 1))
"""

from sympy import Eq, Ge, Gt, IndexedBase, Integer, Le, Lt, Rational, Sum, symbols

from polycore.elementary import (
    EXP_AT_MOST,
    EXP_MONOTONE,
    EXP_ZERO,
    LOG_MONOTONE,
    LOG_POWER,
    LOG_PRODUCT,
    POWER_AT_LEAST_ONE,
    POWER_EQUAL,
    POWER_ONE,
    POWER_POSITIVE,
    POWER_PRODUCT,
    POWER_SUM,
)
from polycore.proof import AXIOMS, apply, arithmetic
from polycore.sign_sums import (
    ABOVE_AT_LEAST_ZERO,
    ABOVE_MONOTONE,
    COVER,
    HOEFFDING,
    HOEFFDING_BELOW,
    MISSED,
    NEVER_ABOVE,
    SURELY_ABOVE,
    SYMMETRY,
    UNION_OF_COLUMNS,
)
from polycore.statements import Above, Exp, Log, Power, Silent, i, m, n, total
from polycore.sums import SUM_AFFINE, SUM_EQUAL

__all__ = [
    "ATTENDED", "COLUMN_QUIET", "FIRES_AT_HIGH_DEGREE", "BOTH_SPECIAL", "EIGHTH", "FIRST_COLUMN", "FIRST_COLUMN_LOW", "FLAT", "HIGH", "LAST_COLUMN", "LOW", "MEMBER", "NETWORK_FIRES", "NETWORK_SILENT", "NONE_SPECIAL", "NORMALISER", "OF_ONE", "OF_SQUARE", "ONE_SPECIAL", "OTHER", "OTHERS_POSITIVE", "OTHER_BLOCK", "OTHER_WEIGHT_SMALL",
    "OTHERS_SMALL", "OUTPUT", "QUIET", "QUIET_AT_LOW_DEGREE", "QUIET_IN_OUTPUT", "REACHED", "SEEN", "SEEN_AT_HIGH_DEGREE", "SEEN_BY_HALF",
    "SEEN_IN_OUTPUT", "SEEN_OFTEN", "SEEN_OFTEN_AT_HIGH_DEGREE", "SHARE_HALF", "SHARE_POSITIVE", "SHARE_SMALL", "SILENT_AT_LOW_DEGREE", "SMALL", "SPECIAL", "SPECIAL_BLOCK", "SPECIAL_BLOCK_LOW",
    "SPECIAL_WEIGHT_HALF", "SPECIAL_WEIGHT_SMALL", "SPREAD", "UNREACHED", "low_for_larger",
]  # fmt: skip

u, f = map(IndexedBase, "uf")
alpha, s, w, a, beta, q, x, y = symbols("alpha s w a beta q x y")

# The rows of the token that asks and of the one that answers: n zeros, the excess (or zero), b and c. A score is the product of their sums.
asks, answers = IndexedBase("A"), IndexedBase("B")
b, c = symbols("b c")


def _row(entries, excess):
    return [Eq(entries[i], 0), *(Eq(entries[n + k], entry) for k, entry in enumerate((excess, b, c), 1))]


def _row_sum(entries, excess):
    given = [*_row(entries, excess), Eq(b + c, 1), Ge(n, 0)]
    zeros = apply(SUM_EQUAL, {"f": entries[i], "g": 0}, given), apply(SUM_AFFINE, {"c": 0, "f": entries[i], "d": 0}, given)
    last = [apply(AXIOMS["one more term"], {"f": entries[i], "n": n + k}, given) for k in range(3)]
    return arithmetic(Eq(Sum(entries[i], (i, 1, n + 3)), 1 + excess), given, [*zeros, *last])


def _power_of_score(one, other, value, using):
    given = [*_row(asks, one), *_row(answers, other), Eq(b + c, 1), Gt(a, 0), Ge(n, 0)]
    sums = [Sum(entries[i], (i, 1, n + 3)) for entries in (asks, answers)]
    score = arithmetic(Eq(sums[0] * sums[1], (1 + one) * (1 + other)), given, [_row_sum(asks, one), _row_sum(answers, other)])
    equal = apply(POWER_EQUAL, {"x": sums[0] * sums[1], "y": (1 + one) * (1 + other), "a": beta}, given, [score])
    return arithmetic(Eq(Power(sums[0] * sums[1], beta), value), given, [equal, *using], "the score is the product of the row sums")


_twice = apply(POWER_SUM, {"x": 1 + a, "a": beta, "b": beta}, [Gt(a, 0)])
OF_SQUARE = apply(POWER_PRODUCT, {"x": 1 + a, "y": 1 + a, "a": beta}, [Gt(a, 0)])
_one = [apply(POWER_PRODUCT, {"x": 1, "y": 1, "a": beta}), apply(POWER_POSITIVE, {"x": 1, "a": beta})]
OF_ONE = arithmetic(Eq(Power(Integer(1), beta), 1), using=_one, why="one to any power")
BOTH_SPECIAL = _power_of_score(a, a, Power(1 + a, 2 * beta), [OF_SQUARE, _twice])
ONE_SPECIAL = _power_of_score(a, 0, Power(1 + a, beta), [])
NONE_SPECIAL = _power_of_score(0, 0, 1, [OF_ONE])
"""``u = (score)^β`` where both tokens are special, one of them, and none."""

# Weights: n - 1 tokens have the unnormalised weight s, one has s w.
_asked = [Eq(u[i], s), Eq(alpha, Sum(u[i], (i, 1, n - 1)) + s * w), Gt(s, 0), Ge(w, 1), Ge(n, 1)]
_others = [
    apply(SUM_EQUAL, {"f": u[i], "g": s, "n": n - 1}, _asked),
    apply(SUM_AFFINE, {"c": 0, "f": u[i], "d": s, "n": n - 1}, _asked),
]
NORMALISER = arithmetic(Eq(alpha, s * (w + n - 1)), _asked, _others, why="n − 1 equal terms and one")
# Two lemmas about few symbols: SymPy's 1/alpha and the kernel's are the same number only where alpha is not 0.
_share = arithmetic(Eq(s * w / alpha, w / a), [Eq(alpha, s * a), Gt(s, 0), Gt(a, 0)])
SPECIAL, OTHER = (
    apply(_share, {"a": w + n - 1, "w": weight}, _asked, [NORMALISER], why="the power s of the token that asks cancels")
    for weight in (w, Integer(1))
)
"""The weights of the special token and of each other one, whichever token asks."""

# The degree: N tokens.
N = symbols("N")
_power = Power(1 + a, beta)
_degree = [Gt(a, 0), Gt(beta, 0), Ge(N, 1)]
_log = [apply(AXIOMS["power"], {"x": 1 + a, "a": beta}, _degree), apply(AXIOMS["log inverts exp"], {"x": N}, _degree)]
_high, _low = [*_degree, Ge(beta * Log(1 + a), Log(N))], [*_degree, Le(beta * Log(1 + a), q * Log(N))]
HIGH = arithmetic(
    Ge(_power, N),
    _high,
    [*_log, apply(EXP_MONOTONE, {"x": Log(N), "y": beta * Log(1 + a)}, _high)],
    why="the degree is high",
)
LOW = arithmetic(
    Le(_power, Power(N, q)),
    _low,
    [
        *_log,
        apply(AXIOMS["power"], {"x": N, "a": q}, _low),
        apply(EXP_MONOTONE, {"x": beta * Log(1 + a), "y": q * Log(N)}, _low),
    ],
    why="the degree is low",
)
_flat = [Ge(w, 1), Le(w, Power(N, q)), Ge(N, 1)]
_laws = [apply(POWER_SUM, {"x": N, "a": q - 1, "b": 1}, _flat), apply(POWER_ONE, {"x": N}, _flat)]
_laws = [*_laws, *(apply(POWER_POSITIVE, {"x": N, "a": exponent}, _flat) for exponent in (q, q - 1))]
_below = arithmetic(Le(w / (w + N - 1), s), [Ge(w, 1), Ge(N, 1), Le(w, s * N), Gt(s, 0)])
FLAT = apply(_below, {"s": Power(N, q - 1)}, _flat, _laws, why="N^q of N is little")
"""``w/(w + N − 1) ≤ N^(q−1)`` when ``w ≤ N^q``."""

# A member of either dataset: p and r are the weights of the special and of each other token.
p, r = symbols("p r")
ATTENDED = [Eq(p, _power / (_power + N - 1)), Eq(r, 1 / (_power + N - 1)), *_degree]
"""The weights that ``SPECIAL`` and ``OTHER`` find, as hypotheses."""

_large = [Ge(w, 1), Ge(N, 1)]
_least = apply(POWER_AT_LEAST_ONE, {"x": 1 + a, "a": beta}, ATTENDED)
_fraction = lambda goal: apply(arithmetic(goal, _large), {"w": _power}, ATTENDED, [_least])
_shares = [_fraction(goal) for goal in (Gt(w / (w + N - 1), 0), Gt(1 / (w + N - 1), 0), Le(N / (w + N - 1), 1))]
SHARE_POSITIVE, OTHERS_POSITIVE, OTHERS_SMALL = (arithmetic(goal, ATTENDED, [_least, *_shares]) for goal in (Gt(p, 0), Gt(r, 0), Le(N * r, 1)))
_half = arithmetic(Ge(w / (w + N - 1), Rational(1, 2)), [Ge(w, N), Ge(N, 1)], why="the special token outweighs the others together")
_attended_high, _attended_low = ([*ATTENDED, degree[-1]] for degree in (_high, _low))
_outweighs = apply(_half, {"w": _power}, _attended_high, [apply(HIGH, {}, _attended_high)])
SHARE_HALF = arithmetic(Ge(p, Rational(1, 2)), _attended_high, [_outweighs, _least], why="the degree is high")
_little = apply(FLAT, {"w": _power}, _attended_low, [apply(LOW, {}, _attended_low), _least])
SHARE_SMALL = arithmetic(Le(p, Power(N, q - 1)), _attended_low, [_little, _least], why="the degree is low")

# The same from the unnormalised weights: the token that asks has the power s, so n - 1 of them are s and one is s times that of j₃.
_unnormalised = [Eq(u[i], s), Eq(alpha, Sum(u[i], (i, 1, n - 1)) + s * _power), Eq(alpha * p, s * _power), Eq(alpha * r, s)]
_asked = [*_unnormalised, Gt(s, 0), Gt(a, 0), Gt(beta, 0), Ge(n, 1)]


def _of_asked(share, degree=()):
    """What ``share`` says of the weights, from the unnormalised ones."""
    given = [*_asked, *degree]
    least = apply(POWER_AT_LEAST_ONE, {"x": 1 + a, "a": beta}, given)
    known = [least, apply(NORMALISER, {"w": _power}, given, [least])]
    divided = arithmetic(Eq(x, y / (w + n - 1)), [Eq(s * (w + n - 1) * x, s * y), Gt(s, 0), Ge(w, 1), Ge(n, 1)])
    for weight, power in ((p, _power), (r, Integer(1))):
        known += [apply(divided, {"x": weight, "y": power, "w": _power}, given, known)]
    return apply(share, {"N": n}, given, known)


SPECIAL_WEIGHT_HALF = _of_asked(SHARE_HALF, [Ge(beta * Log(1 + a), Log(n))])
SPECIAL_WEIGHT_SMALL = _of_asked(SHARE_SMALL, [Le(beta * Log(1 + a), q * Log(n))])
OTHER_WEIGHT_SMALL = _of_asked(OTHERS_SMALL)
"""The weight p of j₃ is at least 1/2 at a high degree and at most n^(q-1) at a low one; each other weight r is at most 1/n."""

# The output, column by column: m is the number of entries b in a block column, and the weights of the others are all r.
v = IndexedBase("v")
_answered = [h.xreplace({N: n}) for h in ATTENDED]
_column = [*_answered, Gt(b, 0), Eq(f[i], r), Ge(m, 1), Le(m, n)]
_shares = lambda given: [apply(law, {"N": n}, given) for law in (SHARE_POSITIVE, OTHERS_POSITIVE, OTHERS_SMALL)]


def _entries(count, given):
    """What ``count`` ordinary tokens contribute to a block column."""
    alike = apply(SUM_EQUAL, {"f": b * f[i], "g": b * r, "n": count}, given, [arithmetic(Eq(b * f[i], b * r), given)])
    return [alike, apply(SUM_AFFINE, {"c": 0, "f": f[i], "d": b * r, "n": count}, given)]


_first = [*_answered, Eq(v[i], 0)]
_zeros = [apply(SUM_EQUAL, {"f": v[i] * f[i], "g": 0, "n": n - 1}, _first), apply(SUM_AFFINE, {"c": 0, "f": f[i], "d": 0, "n": n - 1}, _first)]
FIRST_COLUMN = arithmetic(Eq(Sum(v[i] * f[i], (i, 1, n - 1)) + a * p, a * p), _first, _zeros, "all the others have a zero there")
SPECIAL_BLOCK = arithmetic(
    Eq(Sum(b * f[i], (i, 1, m - 1)) + b * p, b * (p + (m - 1) * r)), _column, _entries(m - 1, _column), "one weight p and m − 1 weights r"
)
_few = arithmetic(Le(b * (m * r), b * (m / n)), [Gt(b, 0), Ge(m, 1), Gt(r, 0), Le(n * r, 1), Ge(n, 1)])
OTHER_BLOCK = arithmetic(
    Le(Sum(b * f[i], (i, 1, m)), b * m / n), _column, [*_entries(m, _column), apply(_few, {}, _column, _shares(_column))], "m weights r"
)
_last = [*_answered, Eq(Sum(f[i], (i, 1, n - 1)) + p, 1)]
LAST_COLUMN = arithmetic(
    Eq(Sum(c * f[i], (i, 1, n - 1)) + c * p, c), _last, [apply(SUM_AFFINE, {"c": c, "f": f[i], "d": 0, "n": n - 1}, _last)], "the weights add up to one"
)
_low_degree = Le(beta * Log(1 + a), q * Log(n))
_first_low, _block_low = [*_first, _low_degree], [*_column, _low_degree]
_little = [apply(SHARE_SMALL, {"N": n}, given) for given in (_first_low, _block_low)]
FIRST_COLUMN_LOW = arithmetic(Le(FIRST_COLUMN.conclusion.lhs, a * Power(n, q - 1)), _first_low, [FIRST_COLUMN, _little[0]], "the degree is low")
_both = [Gt(b, 0), Ge(m, 1), Gt(r, 0), Le(n * r, 1), Ge(n, 1), Le(p, s)]
_both = arithmetic(Le(b * (p + (m - 1) * r), b * s + b * m / n), _both)
SPECIAL_BLOCK_LOW = arithmetic(
    Le(SPECIAL_BLOCK.conclusion.lhs, b * Power(n, q - 1) + b * m / n),
    _block_low,
    [SPECIAL_BLOCK, apply(_both, {"s": Power(n, q - 1)}, _block_low, [_little[1], *_shares(_block_low)])],
    "the degree is low",
)
"""The first column is a p, a block column b (p + (m - 1) r) or at most b m/n, the last one c; at a low degree p is at most n^(q-1)."""

# Signs: n entries of little weight, and three special ones.
h, tau, delta, k, rate = symbols("h tau delta k rate")
_three = [f[n + 1], f[n + 2], f[n + 3]]
_positive = [*(Ge(entry, 0) for entry in _three), Ge(n, 1)]
_norm, _whole = total(f[i] ** 2), Sum(f[i], (i, 1, n + 3))
_spread = [Gt(x, 0), Gt(_norm, 0), Gt(h, 0), Le(2 * h * _norm, 1)]
_bound = Exp(-h * x**2)


def _signs(limit):
    """The law of the whole sum at ``limit``, sign by sign, from the last one to the first of the three."""
    limits, laws = [limit], []
    for last in (2, 1, 0):
        laws += [apply(AXIOMS["one more sign"], {"f": f[i], "n": n + last, "t": at}, _positive) for at in limits]
        limits = [at + side * f[n + last + 1] for at in limits for side in (-1, 1)]
    return laws, limits


_laws, _limits = _signs(tau)
_none_negative = [apply(ABOVE_AT_LEAST_ZERO, {"t": t}, _positive) for t in _limits]
_seen = [*_positive, Le(tau + x, sum(_three))]
_rest = apply(ABOVE_MONOTONE, {"s": _limits[0], "t": -x}, _seen)
EIGHTH = arithmetic(
    Ge(Above(_whole, tau), Above(total(f[i]), -x) / 8),
    _seen,
    [*_laws, *_none_negative, _rest],
    why="three signs are + with probability 1/8",
)
"""``Pr[Σ f_i σ_i > τ]`` is at least an eighth of the probability that the others leave ``x``."""

_even = [*_seen, Gt(x, 0)]
_half = [apply(COVER, {"t": -x, "s": -x}, _even), apply(SYMMETRY, {"t": -x}, _even)]
SEEN_BY_HALF = arithmetic(Ge(Above(_whole, tau), Rational(1, 16)), _even, [EIGHTH, *_half], why="the others help as often as they harm")

_sharper = arithmetic(Le(-(x**2) / (2 * w), -h * x**2), [Gt(w, 0), Le(2 * h * w, 1)])
_sharper = apply(_sharper, {"w": _norm}, _spread)
_smaller = apply(EXP_MONOTONE, {"x": -(x**2) / (2 * _norm), "y": -h * x**2}, _spread, [_sharper])
SEEN = arithmetic(
    Ge(Above(_whole, tau), (1 - _bound) / 8),
    [*_seen, *_spread],
    [EIGHTH, apply(HOEFFDING_BELOW, {"t": x}, [*_spread, Ge(n, 1)]), _smaller],
    why="three signs, then Hoeffding on the others",
)

_quiet = [*_positive, Ge(tau, sum(_three) + x)]
_capped = [apply(ABOVE_MONOTONE, {"s": x, "t": t}, _quiet) for t in _limits]
QUIET = arithmetic(
    Le(Above(_whole, tau), _bound),
    [*_quiet, *_spread],
    [*_laws, *_capped, apply(HOEFFDING, {"t": x}, [*_spread, Ge(n, 1)]), _smaller],
    why="even with three signs + the others would have to bring x, and Hoeffding",
)

_little = [Ge(f[i], 0), *_positive]
_out_of_reach, _in_reach = [*_little, Ge(tau, sum(_three) + total(f[i]))], [*_little, Lt(tau + total(f[i]), sum(_three))]
UNREACHED = arithmetic(
    Eq(Above(_whole, tau), 0),
    _out_of_reach,
    [*_laws, *(apply(NEVER_ABOVE, {"t": t}, _out_of_reach) for t in _limits)],
    why="all signs + do not bring it",
)
_left = tau - sum(_three)
REACHED = arithmetic(
    Ge(Above(_whole, tau), Rational(1, 8)),
    _in_reach,
    [apply(EIGHTH, {"x": -_left}, _in_reach), apply(SURELY_ABOVE, {"t": _left}, _in_reach)],
    why="three signs + bring it, whatever the others do",
)

# The output of one token: n = d - 3 block columns of weight b t r, and a p, b (p + (t - 1) r), c.
t, small = symbols("t small")
_special = [Eq(f[n + 1], a * p), Eq(f[n + 2], b * (p + (t - 1) * r)), Eq(f[n + 3], c)]
OUTPUT = [Eq(f[i], b * t * r), *_special, Gt(r, 0), Le(r * t * (n + 1), 1), Gt(p, 0), Ge(t, 1), Gt(a, 0), Gt(b, 0), Gt(c, 0), Ge(n, 1)]
"""The output of one token, as hypotheses: ``p`` and ``r`` are the weights of the special and of each other token."""

_signs_of = [arithmetic(Ge(entry, 0), OUTPUT) for entry in _three]
_constant = [
    apply(SUM_EQUAL, {"f": f[i] ** 2, "g": (b * t * r) ** 2}, OUTPUT, [arithmetic(Eq(f[i] ** 2, (b * t * r) ** 2), OUTPUT)]),
    apply(SUM_AFFINE, {"c": 0, "f": f[i], "d": (b * t * r) ** 2}, OUTPUT),
]
_share = arithmetic(Le((n + 1) * n * x**2, 1), [Gt(x, 0), Le(x * (n + 1), 1), Ge(n, 1)])
SPREAD = arithmetic(
    Le((n + 1) / b**2 * _norm, 1),
    OUTPUT,
    [*_constant, apply(_share, {"x": r * t}, OUTPUT, [arithmetic(Gt(r * t, 0), OUTPUT)])],
    why="d − 3 entries of b/(d − 2) at most",
)
_not_zero = arithmetic(Gt(_norm, 0), OUTPUT, _constant)


def _of_output(theorem, limit, given, why):
    """``theorem`` about the output at the threshold c + 1/10, where the three special entries leave ``limit``."""
    terms = {"tau": c + Rational(1, 10), "x": limit, "h": (n + 1) / (2 * b**2)}
    return apply(theorem, terms, [*OUTPUT, *given, Gt(limit, 0)], [*_signs_of, SPREAD, _not_zero], why)


SEEN_IN_OUTPUT = _of_output(SEEN, (a + b) / 2 - Rational(1, 10), [Ge(p, Rational(1, 2))], "three signs, then Hoeffding on the others")
"""``Pr[⟨c, σ⟩ > c + 0.1] ≥ (1 − e^(−x² (d−2)/(2 b²)))/8`` with ``x = (a + b)/2 − 0.1``, when ``p ≥ 1/2``."""

QUIET_IN_OUTPUT = _of_output(QUIET, Rational(1, 10) - (a + b) * small - b / (n + 1), [Le(p, small)], "Hoeffding on what is left")
"""``Pr[⟨c, σ⟩ > c + 0.1] ≤ e^(−x² (d−2)/(2 b²))`` with ``x = 0.1 − (a + b) small − b/(d − 2)``, when ``p ≤ small``."""

# All m columns, with a probability δ N^-k that the network errs.
_wanted = delta * Power(N, -k)
_error = [Gt(delta, 0), Ge(N, 1), Ge(n, 0), Ge(m, 1)]
_fast = [Gt(delta, 0), Ge(N, 1), Ge(rate, k * Log(N) - Log(delta))]
_laws = [apply(law, {"x": N, "a": -k}, _fast) for law in (POWER_POSITIVE, LOG_POWER)]
_laws += [apply(LOG_PRODUCT, {"x": delta, "y": Power(N, -k)}, _fast, _laws)]
SMALL = apply(EXP_AT_MOST, {"x": -rate, "y": _wanted}, _fast, _laws, why="the rate is ln(N^k/δ) at least")
"""``e^-rate ≤ δ N^-k`` when ``rate ≥ ln(N^k/δ)``."""

_fired = Above(total(f[i]), tau)
_fires = [*_error, Gt(x, 1), Ge(_fired, 1 - 1 / x), Ge(Log(x) * m, k * Log(N) - Log(delta))]
_inverse = [apply(AXIOMS["log inverts exp"], {"x": x}, _fires), apply(AXIOMS["exp of a sum"], {"x": Log(x), "y": -Log(x)}), EXP_ZERO]
_one_misses = arithmetic(Le(1 - _fired, Exp(-Log(x))), _fires, _inverse)
NETWORK_FIRES = arithmetic(
    Le(Silent(total(f[i]), tau, m, N), _wanted),
    _fires,
    [
        apply(MISSED, {"a": Log(x), "t": tau}, _fires, [_one_misses]),
        apply(SMALL, {"rate": Log(x) * m}, _fires),
    ],
    why="every one of the columns would have to miss it",
)
"""``Pr[F = 0] ≤ δ N^-k`` when a column sees it with probability 1 − 1/x and ``m ln x ≥ ln(N^k/δ)``."""

_silent = [*_error, Le(_fired, Exp(-rate)), Ge(rate, Log(m) + k * Log(N) - Log(delta))]
_shares = [apply(AXIOMS["log inverts exp"], {"x": m}, _silent), apply(AXIOMS["exp of a sum"], {"x": Log(m), "y": -rate})]
NETWORK_SILENT = arithmetic(
    Ge(Silent(total(f[i]), tau, m, N), 1 - _wanted),
    _silent,
    [
        apply(UNION_OF_COLUMNS, {"t": tau}, _silent),
        *_shares,
        apply(SMALL, {"rate": rate - Log(m)}, _silent),
    ],
    why="a union bound over the columns",
)
"""``Pr[F = 0] ≥ 1 − δ N^-k`` when a column exceeds τ with probability e^-rate at most and ``rate ≥ ln(m N^k/δ)``."""

_seen_x, _quiet_x = (a + b) / 2 - Rational(1, 10), Rational(1, 10) - (a + b) * small - b / (n + 1)
_threshold, _all = c + Rational(1, 10), Sum(f[i], (i, 1, n + 3))
_fifth = Log(Integer(5))
_wide = [*SEEN_IN_OUTPUT.hypotheses, Ge((n + 1) * _seen_x**2 / (2 * b**2), _fifth)]
_five = [apply(AXIOMS["log inverts exp"], {"x": Integer(5)}), EXP_ZERO, apply(AXIOMS["exp of a sum"], {"x": _fifth, "y": -_fifth})]
_rest = apply(EXP_MONOTONE, {"x": -(n + 1) * _seen_x**2 / (2 * b**2), "y": -_fifth}, _wide)
SEEN_OFTEN = arithmetic(Ge(Above(_all, _threshold), Rational(1, 10)), _wide, [SEEN_IN_OUTPUT, *_five, _rest], why="an eighth, less a fifth of it")
"""``Pr[⟨c, σ⟩ > c + 0.1] ≥ 1/10`` when ``p ≥ 1/2`` and ``x² (d−2) ≥ 2 b² ln 5``."""


# The same from the degree: N = (d - 2) t tokens, and the weights that the degree gives them.
_entries = [Eq(f[i], b * t * r), *_special, *ATTENDED, Eq(N, (n + 1) * t)]
MEMBER = [*_entries, Ge(t, 1), Gt(b, 0), Gt(c, 0), Ge(n, 1)]
"""The output of one token of a member of either dataset at the degree β, as hypotheses."""

_known = [apply(law, {}, MEMBER) for law in (SHARE_POSITIVE, OTHERS_POSITIVE, OTHERS_SMALL)]
_known += [arithmetic(Le(r * t * (n + 1), 1), MEMBER, _known)]


def _of_member(theorem, degree, share, terms=()):
    """``theorem`` about the output, with ``degree`` in place of its hypothesis on the special weight, which ``share`` derives."""
    terms = dict(terms)
    rest = [h for h in (h.xreplace({symbols(name): term for name, term in terms.items()}) for h in theorem.hypotheses[len(OUTPUT) :]) if not h.has(p)]
    given = [*MEMBER, degree, *rest]
    return apply(theorem, terms, given, [*_known, apply(share, {}, given)])


SEEN_AT_HIGH_DEGREE, SEEN_OFTEN_AT_HIGH_DEGREE = (_of_member(theorem, _high[-1], SHARE_HALF) for theorem in (SEEN_IN_OUTPUT, SEEN_OFTEN))
QUIET_AT_LOW_DEGREE = _of_member(QUIET_IN_OUTPUT, _low[-1], SHARE_SMALL, {"small": Power(N, q - 1)})
"""SEEN_IN_OUTPUT, SEEN_OFTEN and QUIET_IN_OUTPUT for ``β ln(1 + a) ≥ ln N``, the first two, and ``β ln(1 + a) ≤ q ln N``, the last."""

_tenth, _log_error = c + Rational(1, 10), k * Log(N) - Log(delta)
_output = Sum(f[i], (i, 1, n + 3))
_missing = Rational(1, 10) - (a + b) * Power(N, q - 1) - b / (n + 1)
_missing_rate = (n + 1) * _missing**2 / (2 * b**2)


def _promised(theorem, terms, column, more):
    given = [*column.hypotheses, Gt(delta, 0), *more]
    return apply(theorem, {"n": n + 3, "tau": _tenth} | terms, given, [column])


_rare = [Gt(delta, 0), Ge(_missing_rate, _log_error)]
COLUMN_QUIET = arithmetic(
    Le(Above(_output, _tenth), _wanted),
    [*QUIET_AT_LOW_DEGREE.hypotheses, *_rare],
    [QUIET_AT_LOW_DEGREE, apply(SMALL, {"rate": _missing_rate}, [*QUIET_AT_LOW_DEGREE.hypotheses, *_rare])],
    why="Hoeffding on what is left",
)
SILENT_AT_LOW_DEGREE = _promised(
    NETWORK_SILENT, {"rate": _missing_rate}, QUIET_AT_LOW_DEGREE, [Ge(m, 1), Ge(_missing_rate, Log(m) + _log_error)]
)
_ninth = Rational(10, 9)
FIRES_AT_HIGH_DEGREE = _promised(NETWORK_FIRES, {"x": _ninth}, SEEN_OFTEN_AT_HIGH_DEGREE, [Ge(m, 1), Ge(Log(_ninth) * m, _log_error)])
"""One column, and the network: silent with probability 1 − δ N^-k at a low degree, and fires with that probability at a high one."""


def low_for_larger(judgment, smaller, larger):
    """``judgment`` about the excess ``smaller`` at a low degree, where the degree is low for an excess ``larger`` that is no less."""
    [low] = [h for h in judgment.hypotheses if h.func is Le and h.lhs == beta * Log(1 + smaller)]
    given = [h for h in judgment.hypotheses if h != low] + [Le(smaller, larger), Le(beta * Log(1 + larger), low.rhs)]
    order = apply(LOG_MONOTONE, {"x": 1 + smaller, "y": 1 + larger}, given)
    return arithmetic(judgment.conclusion, given, [judgment, order], judgment.why)
