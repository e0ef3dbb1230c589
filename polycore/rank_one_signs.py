"""The signs that see the output of self-attention with one special token, and the network that has many columns of them.

Judgments of the kernel: ``f`` is the output of one token, whose three last entries are the special ones, ``1/(2h)``
bounds the squared norm of the ``n`` others, ``x`` is what the signs leave to them, ``tau`` is the threshold, and there
are ``N`` tokens. ``p`` and ``r`` are the weights of the special and of each other token.

>>> SEEN_BY_HALF.conclusion
Above(Sum(f[i], (i, 1, n + 3)), tau) >= 1/16
"""

from functools import cache

from sympy import Eq, Ge, Gt, IndexedBase, Integer, Le, Lt, Rational, Sum, symbols

from polycore.elementary import (
    EXP_AT_MOST, EXP_MONOTONE, EXP_ZERO, LOG_POWER, LOG_PRODUCT, POWER_POSITIVE, exp_of_sum, log_inverts,
)  # fmt: skip
from polycore.proof import AXIOMS, Given, apply, arithmetic, theorem
from polycore.rank_one import ATTENDED, HIGH_DEGREE, LOW_DEGREE, OTHERS_POSITIVE, OTHERS_SMALL, SHARE_HALF, SHARE_POSITIVE, SHARE_SMALL
from polycore.sign_sums import (
    ABOVE_AT_LEAST_ZERO, ABOVE_MONOTONE, COVER, HOEFFDING, HOEFFDING_BELOW, MISSED, NEVER_ABOVE, SURELY_ABOVE, SYMMETRY, UNION_OF_COLUMNS,
)  # fmt: skip
from polycore.statements import Above, Exp, Log, Power, Silent, i, m, n, total
from polycore.sums import SUM_AFFINE, SUM_EQUAL

__all__ = [
    "COLUMN_QUIET", "EIGHTH", "FIRES_AT_HIGH_DEGREE", "MEMBER", "NETWORK_FIRES", "NETWORK_SILENT", "OUTPUT", "QUIET", "QUIET_AT_LOW_DEGREE",
    "QUIET_IN_OUTPUT", "REACHED", "SEEN", "SEEN_AT_HIGH_DEGREE", "SEEN_BY_HALF", "SEEN_IN_OUTPUT", "SEEN_OFTEN", "SEEN_OFTEN_AT_HIGH_DEGREE",
    "SILENT_AT_LOW_DEGREE", "SMALL", "SPREAD", "UNREACHED",
]  # fmt: skip

f = IndexedBase("f")
a, b, c, p, q, r, t, w, x, h, tau, delta, k, rate, small, N = symbols("a b c p q r t w x h tau delta k rate small N")

# Signs: n entries of little weight, and three special ones.
THREE = [f[n + 1], f[n + 2], f[n + 3]]
POSITIVE = [*(Ge(entry, 0) for entry in THREE), Ge(n, 1)]
NORM, WHOLE = total(f[i] ** 2), Sum(f[i], (i, 1, n + 3))
SPREAD_OUT = [Gt(x, 0), Gt(NORM, 0), Gt(h, 0), Le(2 * h * NORM, 1)]
ENOUGH = [*POSITIVE, Le(tau + x, sum(THREE))]


@cache
def _sign_by_sign():
    """The law of the whole sum at ``tau``, from the last sign to the first of the three, and the limits that are left."""
    limits, laws = [tau], []
    for last in (2, 1, 0):
        laws += [apply(AXIOMS["one more sign"], {"f": f[i], "n": n + last, "t": at}, POSITIVE) for at in limits]
        limits = [at + side * f[n + last + 1] for at in limits for side in (-1, 1)]
    return laws, limits


def _at_the_limits(law, given, terms=()):
    """``law`` at each limit that is left."""
    return [apply(law, {"t": at} | dict(terms), given) for at in _sign_by_sign()[1]]


@theorem
def EIGHTH():
    """``Pr[Σ f_i σ_i > τ]`` is at least an eighth of the probability that the others leave ``x``."""
    laws, limits = _sign_by_sign()
    using = [*laws, *_at_the_limits(ABOVE_AT_LEAST_ZERO, POSITIVE), apply(ABOVE_MONOTONE, {"s": limits[0], "t": -x}, ENOUGH)]
    return arithmetic(Ge(Above(WHOLE, tau), Above(total(f[i]), -x) / 8), ENOUGH, using, "three signs are + with probability 1/8")


@theorem
def SEEN_BY_HALF():
    even = [*ENOUGH, Gt(x, 0)]
    using = [EIGHTH, apply(COVER, {"t": -x, "s": -x}, even), apply(SYMMETRY, {"t": -x}, even)]
    return arithmetic(Ge(Above(WHOLE, tau), Rational(1, 16)), even, using, "the others help as often as they harm")


@cache
def _smaller():
    """``e^(-x²/(2 ‖f‖²)) ≤ e^(-h x²)``."""
    sharper = arithmetic(Le(-(x**2) / (2 * w), -h * x**2), [Gt(w, 0), Le(2 * h * w, 1)])
    sharper = apply(sharper, {"w": NORM}, SPREAD_OUT)
    return apply(EXP_MONOTONE, {"x": -(x**2) / (2 * NORM), "y": -h * x**2}, SPREAD_OUT, [sharper])


@theorem
def SEEN():
    using = [EIGHTH, apply(HOEFFDING_BELOW, {"t": x}, [*SPREAD_OUT, Ge(n, 1)]), _smaller()]
    why = "three signs, then Hoeffding on the others"
    return arithmetic(Ge(Above(WHOLE, tau), (1 - Exp(-h * x**2)) / 8), [*ENOUGH, *SPREAD_OUT], using, why)


@theorem
def QUIET():
    quiet = [*POSITIVE, Ge(tau, sum(THREE) + x)]
    using = [*_sign_by_sign()[0], *_at_the_limits(ABOVE_MONOTONE, quiet, {"s": x})]
    using += [apply(HOEFFDING, {"t": x}, [*SPREAD_OUT, Ge(n, 1)]), _smaller()]
    why = "even with three signs + the others would have to bring x, and Hoeffding"
    return arithmetic(Le(Above(WHOLE, tau), Exp(-h * x**2)), [*quiet, *SPREAD_OUT], using, why)


@theorem
def UNREACHED():
    given = [Ge(f[i], 0), *POSITIVE, Ge(tau, sum(THREE) + total(f[i]))]
    using = [*_sign_by_sign()[0], *_at_the_limits(NEVER_ABOVE, given)]
    return arithmetic(Eq(Above(WHOLE, tau), 0), given, using, "all signs + do not bring it")


@theorem
def REACHED():
    given, left = [Ge(f[i], 0), *POSITIVE, Lt(tau + total(f[i]), sum(THREE))], tau - sum(THREE)
    using = [apply(EIGHTH, {"x": -left}, given), apply(SURELY_ABOVE, {"t": left}, given)]
    return arithmetic(Ge(Above(WHOLE, tau), Rational(1, 8)), given, using, "three signs + bring it, whatever the others do")


# The output of one token: n = d - 3 block columns of weight b t r, and a p, b (p + (t - 1) r), c.
SPECIAL_ENTRIES = [Eq(f[n + 1], a * p), Eq(f[n + 2], b * (p + (t - 1) * r)), Eq(f[n + 3], c)]
OUTPUT = [Eq(f[i], b * t * r), *SPECIAL_ENTRIES, Gt(r, 0), Le(r * t * (n + 1), 1), Gt(p, 0), Ge(t, 1), Gt(a, 0), Gt(b, 0), Gt(c, 0), Ge(n, 1)]
"""The output of one token, as hypotheses: ``p`` and ``r`` are the weights of the special and of each other token."""

THRESHOLD = c + Rational(1, 10)


@cache
def _squares():
    square = (b * t * r) ** 2
    equal = apply(SUM_EQUAL, {"f": f[i] ** 2, "g": square}, OUTPUT, [arithmetic(Eq(f[i] ** 2, square), OUTPUT)])
    return [equal, apply(SUM_AFFINE, {"c": 0, "f": f[i], "d": square}, OUTPUT)]


@theorem
def SPREAD():
    share = arithmetic(Le((n + 1) * n * x**2, 1), [Gt(x, 0), Le(x * (n + 1), 1), Ge(n, 1)])
    share = apply(share, {"x": r * t}, OUTPUT, [arithmetic(Gt(r * t, 0), OUTPUT)])
    return arithmetic(Le((n + 1) / b**2 * NORM, 1), OUTPUT, [*_squares(), share], "d − 3 entries of b/(d − 2) at most")


def _of_output(theorem, limit, share, why):
    """``theorem`` about the output at the threshold c + 1/10, where the three special entries leave ``limit``."""
    terms = {"tau": THRESHOLD, "x": limit, "h": (n + 1) / (2 * b**2)}
    using = [*(arithmetic(Ge(entry, 0), OUTPUT) for entry in THREE), SPREAD, arithmetic(Gt(NORM, 0), OUTPUT, _squares())]
    return apply(theorem, terms, Given(output=OUTPUT, share=share, limit=Gt(limit, 0)), using, why)


SEEN_LIMIT, QUIET_LIMIT = (a + b) / 2 - Rational(1, 10), Rational(1, 10) - (a + b) * small - b / (n + 1)


@theorem
def SEEN_IN_OUTPUT():
    """``Pr[⟨c, σ⟩ > c + 0.1] ≥ (1 − e^(−x² (d−2)/(2 b²)))/8`` with ``x = (a + b)/2 − 0.1``, when ``p ≥ 1/2``."""
    return _of_output(SEEN, SEEN_LIMIT, Ge(p, Rational(1, 2)), "three signs, then Hoeffding on the others")


@theorem
def QUIET_IN_OUTPUT():
    """``Pr[⟨c, σ⟩ > c + 0.1] ≤ e^(−x² (d−2)/(2 b²))`` with ``x = 0.1 − (a + b) small − b/(d − 2)``, when ``p ≤ small``."""
    return _of_output(QUIET, QUIET_LIMIT, Le(p, small), "Hoeffding on what is left")


@theorem
def SEEN_OFTEN():
    """``Pr[⟨c, σ⟩ > c + 0.1] ≥ 1/10`` when ``p ≥ 1/2`` and ``x² (d−2) ≥ 2 b² ln 5``."""
    exponent, fifth = (n + 1) * SEEN_LIMIT**2 / (2 * b**2), Log(Integer(5))
    given = Given(output=OUTPUT, share=SEEN_IN_OUTPUT.given("share"), limit=SEEN_IN_OUTPUT.given("limit"), wide=Ge(exponent, fifth))
    using = [SEEN_IN_OUTPUT, log_inverts(Integer(5)), EXP_ZERO, exp_of_sum(fifth, -fifth)]
    using += [apply(EXP_MONOTONE, {"x": -exponent, "y": -fifth}, given)]
    return arithmetic(Ge(Above(WHOLE, THRESHOLD), Rational(1, 10)), given, using, "an eighth, less a fifth of it")


# All m columns, with a probability δ N^-k that the network errs.
WANTED = delta * Power(N, -k)
ERROR = [Gt(delta, 0), Ge(N, 1), Ge(n, 0), Ge(m, 1)]
LOG_ERROR = k * Log(N) - Log(delta)


@theorem
def SMALL():
    """``e^-rate ≤ δ N^-k`` when ``rate ≥ ln(N^k/δ)``."""
    fast = [Gt(delta, 0), Ge(N, 1), Ge(rate, LOG_ERROR)]
    laws = [apply(law, {"x": N, "a": -k}, fast) for law in (POWER_POSITIVE, LOG_POWER)]
    laws += [apply(LOG_PRODUCT, {"x": delta, "y": Power(N, -k)}, fast, laws)]
    return apply(EXP_AT_MOST, {"x": -rate, "y": WANTED}, fast, laws, "the rate is ln(N^k/δ) at least")


@theorem
def NETWORK_FIRES():
    """``Pr[F = 0] ≤ δ N^-k`` when a column sees it with probability 1 − 1/x and ``m ln x ≥ ln(N^k/δ)``."""
    fired = Above(total(f[i]), tau)
    given = [*ERROR, Gt(x, 1), Ge(fired, 1 - 1 / x), Ge(Log(x) * m, LOG_ERROR)]
    one_misses = arithmetic(Le(1 - fired, Exp(-Log(x))), given, [log_inverts(x, given), exp_of_sum(Log(x), -Log(x)), EXP_ZERO])
    using = [apply(MISSED, {"a": Log(x), "t": tau}, given, [one_misses]), apply(SMALL, {"rate": Log(x) * m}, given)]
    return arithmetic(Le(Silent(total(f[i]), tau, m, N), WANTED), given, using, "every one of the columns would have to miss it")


@theorem
def NETWORK_SILENT():
    """``Pr[F = 0] ≥ 1 − δ N^-k`` when a column exceeds τ with probability e^-rate at most and ``rate ≥ ln(m N^k/δ)``."""
    given = [*ERROR, Le(Above(total(f[i]), tau), Exp(-rate)), Ge(rate, Log(m) + LOG_ERROR)]
    using = [apply(UNION_OF_COLUMNS, {"t": tau}, given), log_inverts(m, given), exp_of_sum(Log(m), -rate)]
    using += [apply(SMALL, {"rate": rate - Log(m)}, given)]
    return arithmetic(Ge(Silent(total(f[i]), tau, m, N), 1 - WANTED), given, using, "a union bound over the columns")


# The same from the degree: N = (d - 2) t tokens, and the weights that the degree gives them.
MEMBER = [Eq(f[i], b * t * r), *SPECIAL_ENTRIES, *ATTENDED, Eq(N, (n + 1) * t), Ge(t, 1), Gt(b, 0), Gt(c, 0), Ge(n, 1)]
"""The output of one token of a member of either dataset at the degree β, as hypotheses."""


@cache
def _shares():
    known = [apply(law, {}, MEMBER) for law in (SHARE_POSITIVE, OTHERS_POSITIVE, OTHERS_SMALL)]
    return [*known, arithmetic(Le(r * t * (n + 1), 1), MEMBER, known)]


def _of_member(theorem, degree, share, terms=()):
    """``theorem`` about the output, with ``degree`` in place of its hypothesis on the special weight, which ``share`` derives."""
    put = {symbols(name): term for name, term in dict(terms).items()}
    given = Given(member=MEMBER, degree=degree, rest=[h.xreplace(put) for h in theorem.without("output", "share")])
    return apply(theorem, dict(terms), given, [*_shares(), apply(share, {}, given)])


@theorem
def SEEN_AT_HIGH_DEGREE():
    """SEEN_IN_OUTPUT for ``β ln(1 + a) ≥ ln N``."""
    return _of_member(SEEN_IN_OUTPUT, HIGH_DEGREE, SHARE_HALF)


@theorem
def SEEN_OFTEN_AT_HIGH_DEGREE():
    """SEEN_OFTEN for ``β ln(1 + a) ≥ ln N``."""
    return _of_member(SEEN_OFTEN, HIGH_DEGREE, SHARE_HALF)


@theorem
def QUIET_AT_LOW_DEGREE():
    """QUIET_IN_OUTPUT for ``β ln(1 + a) ≤ q ln N``."""
    return _of_member(QUIET_IN_OUTPUT, LOW_DEGREE, SHARE_SMALL, {"small": Power(N, q - 1)})


MISSING = QUIET_LIMIT.xreplace({small: Power(N, q - 1)})
MISSING_RATE = (n + 1) * MISSING**2 / (2 * b**2)


@theorem
def COLUMN_QUIET():
    """One column is silent with probability 1 − δ N^-k at a low degree."""
    given = [*QUIET_AT_LOW_DEGREE.hypotheses, Gt(delta, 0), Ge(MISSING_RATE, LOG_ERROR)]
    using = [QUIET_AT_LOW_DEGREE, apply(SMALL, {"rate": MISSING_RATE}, given)]
    return arithmetic(Le(Above(WHOLE, THRESHOLD), WANTED), given, using, "Hoeffding on what is left")


def _promised(theorem, terms, column, more):
    given = [*column.hypotheses, Gt(delta, 0), *more]
    return apply(theorem, {"n": n + 3, "tau": THRESHOLD} | terms, given, [column])


@theorem
def SILENT_AT_LOW_DEGREE():
    """The network is silent with probability 1 − δ N^-k at a low degree."""
    more = [Ge(m, 1), Ge(MISSING_RATE, Log(m) + LOG_ERROR)]
    return _promised(NETWORK_SILENT, {"rate": MISSING_RATE}, QUIET_AT_LOW_DEGREE, more)


@theorem
def FIRES_AT_HIGH_DEGREE():
    """The network fires with probability 1 − δ N^-k at a high degree."""
    ninth = Rational(10, 9)
    return _promised(NETWORK_FIRES, {"x": ninth}, SEEN_OFTEN_AT_HIGH_DEGREE, [Ge(m, 1), Ge(Log(ninth) * m, LOG_ERROR)])
