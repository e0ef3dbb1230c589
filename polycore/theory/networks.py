"""Networks of m independent columns of signs and N tokens with the same output: how large a
probability one column needs, for the network to be wrong with probability δ N^-k at most.

Judgments of the kernel in the symbols ``f`` (the output), ``tau`` (the threshold), ``m`` columns,
``N`` tokens, ``delta`` and ``k``.

>>> NETWORK_FIRES.conclusion
Silent(Sum(f[i], (i, 1, n)), tau, m, N) <= delta*Power(N, -k)
"""

from sympy import Ge, Gt, IndexedBase, Le, symbols

from polycore.proof import (
    Above,
    Exp,
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
from polycore.theory.elementary import (
    EXP_AT_MOST,
    EXP_ZERO,
    LOG_POWER,
    LOG_PRODUCT,
    POWER_POSITIVE,
    exp_of_sum,
    log_inverts,
)
from polycore.theory.rademacher_sums import (
    SILENT_GE_UNION_BOUND,
    SILENT_LE_EXP,
)

__all__ = [
    "COLUMNS_LE_ERROR",
    "EXP_LE_ERROR",
    "NETWORK_FIRES",
    "NETWORK_SILENT",
]

f = IndexedBase("f")
a, x, tau, delta, k, rate, N = symbols("a x tau delta k rate N")

# All m columns, with a probability δ N^-k of the wrong answer.
WANTED = delta * Power(N, -k)
ERROR = [Gt(delta, 0), Ge(N, 1), Ge(n, 0), Ge(m, 1)]
LOG_ERROR = k * Log(N) - Log(delta)


@theorem
def EXP_LE_ERROR():
    """``e^-rate ≤ δ N^-k`` when ``rate ≥ ln(N^k/δ)``."""
    fast = [Gt(delta, 0), Ge(N, 1), Ge(rate, LOG_ERROR)]
    laws = [apply(law, {"x": N, "a": -k}, fast) for law in (POWER_POSITIVE, LOG_POWER)]
    laws += [apply(LOG_PRODUCT, {"x": delta, "y": Power(N, -k)}, fast, laws)]
    return apply(
        EXP_AT_MOST, {"x": -rate, "y": WANTED}, fast, laws, "the rate is ln(N^k/δ) at least"
    )


@theorem
def NETWORK_FIRES():
    """``Pr[F = 0] ≤ δ N^-k`` when a column fires with probability 1 − 1/x and ``m ln x ≥
    ln(N^k/δ)``.
    """
    fired = Above(total(f[i]), tau)
    given = [*ERROR, Gt(x, 1), Ge(fired, 1 - 1 / x), Ge(Log(x) * m, LOG_ERROR)]
    one_silent = arithmetic(
        Le(1 - fired, Exp(-Log(x))),
        given,
        [log_inverts(x, given), exp_of_sum(Log(x), -Log(x)), EXP_ZERO],
    )
    all_silent = apply(SILENT_LE_EXP, {"a": Log(x), "t": tau}, given, [one_silent])
    enough = apply(EXP_LE_ERROR, {"rate": Log(x) * m}, given)
    return chain(
        Silent(total(f[i]), tau, m, N),
        step("<=", Exp(-Log(x) * m), "independent columns, all silent", all_silent),
        step("<=", WANTED, r"$m \ln x \ge \ln(N^k/\delta)$", enough),
        given=given,
    )


@theorem
def COLUMNS_LE_ERROR():
    """``m e^-rate ≤ δ N^-k`` when ``rate ≥ ln(m N^k/δ)``: over m columns."""
    given = [Gt(delta, 0), Ge(N, 1), Ge(m, 1), Ge(rate, Log(m) + LOG_ERROR)]
    joined = [log_inverts(m, given), exp_of_sum(Log(m), -rate)]
    enough = apply(EXP_LE_ERROR, {"rate": rate - Log(m)}, given)
    return chain(
        m * Exp(-rate),
        step("=", Exp(Log(m) - rate), "$m$ as a power of $e$", *joined),
        step("<=", WANTED, r"the rate is at least $\ln(m N^k/\delta)$", enough),
        given=given,
    )


@theorem
def NETWORK_SILENT():
    """``Pr[F = 0] ≥ 1 − δ N^-k`` when a column fires with probability e^-rate at most and ``rate ≥
    ln(m N^k/δ)``.
    """
    fired = Above(total(f[i]), tau)
    given = [*ERROR, Le(fired, Exp(-rate)), Ge(rate, Log(m) + LOG_ERROR)]
    union = apply(SILENT_GE_UNION_BOUND, {"t": tau}, given)
    return chain(
        Silent(total(f[i]), tau, m, N),
        step(">=", 1 - m * fired, "the union bound over the columns", union),
        step(">=", 1 - m * Exp(-rate), "the bound on one column"),
        step(">=", 1 - WANTED, r"the rate is at least $\ln(m N^k/\delta)$", COLUMNS_LE_ERROR),
        given=given,
    )
