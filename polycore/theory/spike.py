"""A spike: one entry n + 1 whose power is at least the sum of the n others, and the probability
that it makes a column of signs fire.

Judgments of the kernel in the symbols ``u`` (the others' powers, at most ``hi``), ``top`` (the
spike's), ``alpha`` (the sum of all), ``f`` (the weights) and ``t`` (the limit to be exceeded);
further down ``z`` (scores at most ``h``, and ``v``, the spike). The entries are numbered so that
the spike comes last, which changes no distribution: the signs are alike.
``SPIKE_OUTWEIGHS_ANY_SIGNS`` is about any signs ``s``. ``LONE_SPIKE_OUTWEIGHS`` is about a spike
among ``n - 1`` equal others, with weight ``w`` and ``r`` times the power of each.

>>> ABOVE_GE_HALF_LESS_TAIL.conclusion
Above(Sum(f[i], (i, 1, n + 1)), t) >= 1/2 - Exp(-2*n*(1/2 - t)**2)/2
"""

from functools import cache

from sympy import Eq, Ge, Gt, IndexedBase, Le, Lt, Rational, Sum, symbols

from polycore.proof import (
    AXIOMS,
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
from polycore.theory.concentration import FIRES_WITH_ENOUGH_COLUMNS
from polycore.theory.elementary import EXP_MONOTONE, EXP_ZERO, POWER_MONOTONE, POWER_POSITIVE
from polycore.theory.rademacher_sums import (
    ABOVE_AT_LEAST_ZERO,
    ABOVE_MONOTONE,
    ABOVE_OR_BELOW,
    ABOVE_SYMMETRIC,
    HOEFFDING_BELOW,
)
from polycore.theory.sums import SUM_AFFINE, SUM_EQUAL, SUM_MONOTONE, SUM_POSITIVE

__all__ = [
    "GIVEN", "NETWORK_FIRES_AT_SPIKE", "OTHER_WEIGHT_LE_SHARE", "SPIKE_POWER_GE_OTHERS",
    "LONE_SPIKE_OUTWEIGHS", "SPIKE_OUTWEIGHS_ANY_SIGNS", "ABOVE_GE_HALF_LESS_TAIL",
    "ABOVE_GE_QUARTER", "ABOVE_GE_QUARTER_BELOW_WEIGHT", "SPIKE_WEIGHT_GE_HALF",
    "OTHER_SQUARES_SMALL",
]  # fmt: skip

u, f, s = map(IndexedBase, "ufs")
alpha, top, hi, t = symbols("alpha top hi t")
HALF = Rational(1, 2)
WEIGHTS = [Eq(alpha, total(u[i]) + top), Eq(f[i], u[i] / alpha), Eq(f[n + 1], top / alpha)]
GIVEN = [*WEIGHTS, Gt(u[i], 0), Le(u[i], hi), Gt(hi, 0), Le(n * hi, top), Ge(n, 1)]
BELOW_HALF = [*GIVEN, Lt(t, HALF)]
WITH_SPIKE = Sum(f[i], (i, 1, n + 1))
REST_ABOVE, REST_ABOVE_IF_MINUS = (Above(total(f[i]), t + sign * f[n + 1]) for sign in (-1, 1))


def _sum_of_others(given):
    """``0 < Σ u_i ≤ n hi``."""
    most = [
        apply(SUM_MONOTONE, {"f": u[i], "g": hi}, given),
        apply(SUM_AFFINE, {"c": 0, "f": u[i], "d": hi}, given),
    ]
    return [*most, apply(SUM_POSITIVE, {"f": u[i]}, given)]


@theorem
def SPIKE_WEIGHT_GE_HALF():
    return arithmetic(
        Ge(f[n + 1], HALF), GIVEN, _sum_of_others(GIVEN), "the spike outweighs the others together"
    )


@theorem
def OTHER_WEIGHT_LE_SHARE():
    why = "each of the others has its share of the spike at most"
    return arithmetic(Le(f[i], f[n + 1] / n), GIVEN, _sum_of_others(GIVEN), why)


@cache
def _squares():
    """What is used of ``Σ f_i²``: the weights add up, and none of the others is larger than its
    share.
    """
    others, share = _sum_of_others(GIVEN), f[n + 1] / n * f[i]
    return [
        apply(
            SUM_MONOTONE,
            {"f": f[i] ** 2, "g": share},
            GIVEN,
            [arithmetic(Le(f[i] ** 2, share), GIVEN, [OTHER_WEIGHT_LE_SHARE, *others])],
        ),
        apply(SUM_AFFINE, {"c": f[n + 1] / n, "f": f[i], "d": 0}, GIVEN),
        apply(SUM_EQUAL, {"f": f[i], "g": u[i] / alpha}, GIVEN, others),
        apply(SUM_AFFINE, {"c": 1 / alpha, "f": u[i], "d": 0}, GIVEN, others),
        apply(SUM_POSITIVE, {"f": f[i] ** 2}, GIVEN, [arithmetic(Gt(f[i] ** 2, 0), GIVEN, others)]),
    ]


@theorem
def OTHER_SQUARES_SMALL():
    using = [*_sum_of_others(GIVEN), *_squares()]
    return arithmetic(
        Le(total(f[i] ** 2), 1 / (4 * n)), GIVEN, using, "w (1 − w)/n for a spike of weight w"
    )


def _by_the_sign_of_the_spike():
    """It is + with probability ½; then the others must not pull the sum down again. What happens
    with − is given away.
    """
    either = apply(AXIOMS["one more sign"], {"f": f[i]}, [Ge(n, 1)])
    not_negative = apply(ABOVE_AT_LEAST_ZERO, {"t": t + f[n + 1]}, [Ge(n, 1)])
    return [
        step("=", REST_ABOVE / 2 + REST_ABOVE_IF_MINUS / 2, "by the sign of the spike", either),
        step(">=", REST_ABOVE / 2, "a probability is at least 0", not_negative),
    ]


def _quarter(given, *using):
    limit = t - f[n + 1]
    one_side = apply(ABOVE_OR_BELOW, {"t": limit, "s": limit}, given, using)
    as_often = apply(ABOVE_SYMMETRIC, {"t": limit}, given)
    why = "the limit is negative, and the others are as often positive as negative"
    return chain(
        Above(WITH_SPIKE, t),
        *_by_the_sign_of_the_spike(),
        step(">=", Rational(1, 4), why, one_side, as_often),
        given=given,
    )


@theorem
def ABOVE_GE_QUARTER():
    """A spike that weighs at least ½ makes the sum exceed any t < ½ with probability at least ¼."""
    return _quarter(BELOW_HALF, SPIKE_WEIGHT_GE_HALF)


@theorem
def ABOVE_GE_QUARTER_BELOW_WEIGHT():
    """A spike makes the sum exceed any t below its weight with probability at least ¼."""
    return _quarter([Lt(t, f[n + 1]), Ge(n, 1)])


@theorem
def ABOVE_GE_HALF_LESS_TAIL():
    """The same with probability ½, but for what Hoeffding's inequality leaves to the others."""
    exponent, norm = -2 * n * (HALF - t) ** 2, total(f[i] ** 2)
    limits = {"s": t - f[n + 1], "t": t - HALF}
    lower = apply(ABOVE_MONOTONE, limits, BELOW_HALF, [SPIKE_WEIGHT_GE_HALF])
    others = apply(HOEFFDING_BELOW, {"t": HALF - t}, BELOW_HALF, _squares())
    rate, small = -((HALF - t) ** 2) / (2 * norm), [OTHER_SQUARES_SMALL, *_squares()]
    slower = apply(EXP_MONOTONE, {"x": rate, "y": exponent}, BELOW_HALF, small)
    return chain(
        Above(WITH_SPIKE, t),
        *_by_the_sign_of_the_spike(),
        step(">=", Above(total(f[i]), t - HALF) / 2, "the spike weighs at least ½", lower),
        step(">=", HALF - Exp(rate) / 2, "Hoeffding, on the others", others),
        step(">=", HALF - Exp(exponent) / 2, "their squares sum to at most $1/(4n)$", slower),
        given=BELOW_HALF,
        using=[*_squares(), OTHER_SQUARES_SMALL],
    )


@theorem
def SPIKE_OUTWEIGHS_ANY_SIGNS():
    """``f_(n+1) + Σ f_i s_i > t`` for all signs, when ``(1 - t) top > (1 + t) n hi``: the others
    pull down by 1 - w at most.
    """
    heavy = Given(
        weights=[*WEIGHTS, Gt(u[i], 0), Le(u[i], hi)],
        signs=[Ge(s[i], -1), Le(s[i], 1)],
        limit=[Ge(t, 0), Lt(t, 1)],
        heavy=Gt((1 - t) * top, (1 + t) * n * hi),
        size=Ge(n, 1),
    )
    known = _sum_of_others(heavy)
    known += [arithmetic(Gt(top, 0), heavy, known)]
    known += [arithmetic(Gt(alpha, 0), heavy, known)]
    known += [
        arithmetic(relation, heavy, known) for relation in (Gt(f[n + 1], (1 + t) / 2), Gt(f[i], 0))
    ]
    pulled = [arithmetic(Ge(f[i] * s[i], -f[i]), heavy, known)]
    pulled = [apply(SUM_MONOTONE, {"f": -f[i], "g": f[i] * s[i]}, heavy, pulled)]
    pulled += [apply(SUM_AFFINE, {"c": -1, "f": f[i], "d": 0}, heavy)]
    pulled += [apply(SUM_EQUAL, {"f": f[i], "g": u[i] / alpha}, heavy, known)]
    pulled += [apply(SUM_AFFINE, {"c": 1 / alpha, "f": u[i], "d": 0}, heavy, known)]
    why = "the others weigh what the spike leaves, and pull the sum down by no more than that"
    return arithmetic(Gt(f[n + 1] + total(f[i] * s[i]), t), heavy, [*known, *pulled], why)


@theorem
def LONE_SPIKE_OUTWEIGHS():
    """``w − (1 − w) > t`` when ``r ≥ n (1 + t)/(1 − t)``, for a spike of weight ``w`` that has
    ``r`` times the power of each of ``n − 1`` equal others: no signs bring the sum back to t.
    """
    w, r = symbols("w r")
    lone = Given(
        weight=Eq(w, r / (r + n - 1)),
        heavy=Ge(r, (1 + t) / (1 - t) * n),
        size=Ge(n, 1),
        limit=[Ge(t, 0), Lt(t, 1)],
    )
    heavy = arithmetic(Ge((1 - t) * r, (1 + t) * n), lone)
    return chain(
        w - (1 - w),
        step("=", (r - (n - 1)) / (r + n - 1), "definition of the weight"),
        step(">", t, "the spike has more than its share", heavy),
        given=lone,
        using=[arithmetic(Gt(r + n - 1, 0), lone, [heavy])],
    )


# Scores: entry n + 1 is v, the others are at most h, and the degree has carried v^β past n h^β.
z, (v, h, beta, delta, k, c) = IndexedBase("z"), symbols("v h beta delta k c")
SPIKED = [
    Eq(u[i], Power(z[i], beta)),
    Eq(alpha, total(u[i]) + Power(v, beta)),
    Eq(f[i], u[i] / alpha),
]
SPIKED += [
    Eq(f[n + 1], Power(v, beta) / alpha),
    Gt(z[i], 0),
    Le(z[i], h),
    Gt(h, 0),
    Gt(v, 0),
    Gt(beta, 0),
    Ge(n, 1),
]
SPIKED += [Ge(beta * (Log(v) - Log(h)), Log(n + 1))]


@cache
def _powers():
    more = beta * Log(v) - beta * Log(h)
    rules = [apply(AXIOMS["power"], {"x": base, "a": beta}, SPIKED) for base in (v, h)]
    rules += [apply(POWER_POSITIVE, {"x": base, "a": beta}, SPIKED) for base in (h, z[i])]
    rules += [apply(POWER_MONOTONE, {"x": z[i], "y": h, "a": beta}, SPIKED)]
    rules += [
        apply(AXIOMS["exp of a sum"], {"x": more, "y": beta * Log(h)}),
        apply(AXIOMS["log inverts exp"], {"x": n + 1}, SPIKED),
    ]
    return [*rules, apply(EXP_MONOTONE, {"x": Log(n + 1), "y": more}, SPIKED)]


@theorem
def SPIKE_POWER_GE_OTHERS():
    """``n h^β ≤ v^β`` when ``β (ln v - ln h) ≥ ln(n + 1)``."""
    return arithmetic(
        Le(n * Power(h, beta), Power(v, beta)), SPIKED, _powers(), "the degree is high"
    )


@theorem
def NETWORK_FIRES_AT_SPIKE():
    """None of ``m ≥ c ln(n/δ)`` columns fires at the spike with probability ``δ n^-k`` at most, n
    counting all entries, when ``c ln(4/3) ≥ k, 1``.
    """
    met = [arithmetic(fact, SPIKED, _powers()) for fact in (Gt(u[i], 0), Le(u[i], Power(h, beta)))]
    ends = {"hi": Power(h, beta), "top": Power(v, beta)}
    column = apply(
        ABOVE_GE_QUARTER, ends, [*SPIKED, Lt(t, HALF)], [*_powers(), SPIKE_POWER_GE_OTHERS, *met]
    )
    rate = Log(Rational(4, 3))  # a column is silent with probability 3/4 = e^-rate at most
    inverse = [
        apply(AXIOMS["log inverts exp"], {"x": Rational(4, 3)}),
        EXP_ZERO(),
        apply(AXIOMS["exp of a sum"], {"x": rate, "y": -rate}),
    ]
    enough = [
        Lt(t, HALF),
        Gt(delta, 0),
        Lt(delta, 1),
        Gt(c, 0),
        Ge(rate * c, k),
        Ge(rate * c, 1),
        Ge(m, c * (Log(n + 1) - Log(delta))),
    ]
    return apply(
        FIRES_WITH_ENOUGH_COLUMNS,
        {"a": rate, "tau": t, "n": n + 1},
        [*SPIKED, *enough],
        [column, *inverse],
    )
