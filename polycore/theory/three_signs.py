"""Sums under random signs of three large entries, none negative, and many small ones: how often
they exceed a limit.

Judgments of the kernel: the three special entries come last, ``1/(2h)`` bounds the squared norm of
the ``n`` others, ``x`` is the margin that is left to them, and ``tau`` is the limit.

>>> SUM_ABOVE_GE_SIXTEENTH.conclusion
Above(Sum(f[i], (i, 1, n + 3)), tau) >= 1/16
"""

from functools import cache

from sympy import Eq, Ge, Gt, IndexedBase, Le, Lt, Rational, Sum, symbols

from polycore.proof import (
    AXIOMS,
    Above,
    Exp,
    apply,
    arithmetic,
    chain,
    i,
    n,
    step,
    theorem,
    total,
)
from polycore.theory.elementary import (
    EXP_MONOTONE,
)
from polycore.theory.rademacher_sums import (
    ABOVE_AT_LEAST_ZERO,
    ABOVE_MONOTONE,
    ABOVE_ONE_BELOW_SUM,
    ABOVE_OR_BELOW,
    ABOVE_SYMMETRIC,
    ABOVE_ZERO_PAST_SUM,
    HOEFFDING,
    HOEFFDING_BELOW,
)

__all__ = [
    "SUM_ABOVE_GE_EIGHTH",
    "SUM_ABOVE_GE_EIGHTH_LESS_TAIL",
    "SUM_ABOVE_GE_EIGHTH_SURELY",
    "SUM_ABOVE_GE_SIXTEENTH",
    "SUM_ABOVE_LE_OTHERS",
    "SUM_ABOVE_LE_TAIL",
    "SUM_ABOVE_ZERO",
]

f = IndexedBase("f")
a, w, x, h, tau = symbols("a w x h tau")

# Signs: n entries of little weight, and three special ones.
THREE = [f[n + 1], f[n + 2], f[n + 3]]
POSITIVE = [*(Ge(entry, 0) for entry in THREE), Ge(n, 1)]
NORM, WHOLE = total(f[i] ** 2), Sum(f[i], (i, 1, n + 3))
SPREAD_OUT = [Gt(x, 0), Gt(NORM, 0), Gt(h, 0), Le(2 * h * NORM, 1)]
ENOUGH = [*POSITIVE, Le(tau + x, sum(THREE))]


def _above(last, limit):
    """``Pr[f_1 σ_1 + … + f_(n + last) σ_(n + last) > limit]``."""
    return Above(Sum(f[i], (i, 1, n + last)), limit)


def _sign_by_sign(one_sign, whys):
    """A step of a chain for each special sign, the last first; ``one_sign`` gives for the number of
    the sign and the limit what the chain says next and what it rests on.
    """
    limit, steps = tau, []
    for last, why in zip((3, 2, 1), whys):
        fair = apply(AXIOMS["one more sign"], {"f": f[i], "n": n + last - 1, "t": limit}, POSITIVE)
        sign, term, law = one_sign(last, limit)
        steps.append(step(sign, term, why, fair, law))
        limit = limit - f[n + last]
    return steps


@theorem
def SUM_ABOVE_GE_EIGHTH():
    """``Pr[Σ f_i σ_i > τ]`` is at least an eighth of the probability that the others exceed -x."""

    def positive(last, limit):
        dropped = apply(
            ABOVE_AT_LEAST_ZERO, {"n": n + last - 1, "t": limit + f[n + last]}, POSITIVE
        )
        return ">=", _above(last - 1, limit - f[n + last]) / 2 ** (4 - last), dropped

    whys = (
        "the last sign is + half of the time",
        "so is the one before it",
        "and the first of the three",
    )
    enough = apply(ABOVE_MONOTONE, {"s": tau - sum(THREE), "t": -x}, ENOUGH)
    return chain(
        Above(WHOLE, tau),
        *_sign_by_sign(positive, whys),
        step(">=", _above(0, -x) / 8, r"the three entries are at least $\tau + x$", enough),
        given=ENOUGH,
    )


@theorem
def SUM_ABOVE_GE_SIXTEENTH():
    even = [*ENOUGH, Gt(x, 0)]
    using = [
        apply(ABOVE_OR_BELOW, {"t": -x, "s": -x}, even),
        apply(ABOVE_SYMMETRIC, {"t": -x}, even),
    ]
    return chain(
        Above(WHOLE, tau),
        step(">=", _above(0, -x) / 8, "three signs are +", SUM_ABOVE_GE_EIGHTH),
        step(">=", Rational(1, 16), "by symmetry, for $x > 0$", *using),
        given=even,
    )


@cache
def _smaller():
    """``e^(-x²/(2 ‖f‖²)) ≤ e^(-h x²)``."""
    sharper = arithmetic(Le(-(x**2) / (2 * w), -h * x**2), [Gt(w, 0), Le(2 * h * w, 1)])
    sharper = apply(sharper, {"w": NORM}, SPREAD_OUT)
    return apply(EXP_MONOTONE, {"x": -(x**2) / (2 * NORM), "y": -h * x**2}, SPREAD_OUT, [sharper])


HOEFFDING_TAIL = Exp(-(x**2) / (2 * NORM))


@theorem
def SUM_ABOVE_GE_EIGHTH_LESS_TAIL():
    below = apply(HOEFFDING_BELOW, {"t": x}, [*SPREAD_OUT, Ge(n, 1)])
    return chain(
        Above(WHOLE, tau),
        step(">=", _above(0, -x) / 8, "three signs are +", SUM_ABOVE_GE_EIGHTH),
        step(">=", (1 - HOEFFDING_TAIL) / 8, "Hoeffding's inequality", below),
        step(">=", (1 - Exp(-h * x**2)) / 8, "the squares add up to little", _smaller()),
        given=[*ENOUGH, *SPREAD_OUT],
    )


@theorem
def SUM_ABOVE_LE_OTHERS():
    """``Pr[Σ f_i σ_i > τ]`` is at most the probability that the others exceed what is missing to τ
    when the three special signs are +.
    """

    def helpful(last, limit):
        up, down = limit + f[n + last], limit - f[n + last]
        higher = apply(ABOVE_MONOTONE, {"n": n + last - 1, "s": down, "t": up}, POSITIVE)
        return "<=", _above(last - 1, down), higher

    whys = (
        "the last sign helps most when it is +",
        "so does the one before it",
        "and the first of the three",
    )
    return chain(Above(WHOLE, tau), *_sign_by_sign(helpful, whys), given=POSITIVE)


@theorem
def SUM_ABOVE_LE_TAIL():
    quiet = [*POSITIVE, Ge(tau, sum(THREE) + x)]
    missing = tau - sum(THREE)
    asked = apply(ABOVE_MONOTONE, {"s": x, "t": missing}, quiet)
    tail = apply(HOEFFDING, {"t": x}, [*SPREAD_OUT, Ge(n, 1)])
    return chain(
        Above(WHOLE, tau),
        step("<=", _above(0, missing), "even if three signs are +", SUM_ABOVE_LE_OTHERS),
        step("<=", _above(0, x), "at least $x$ is missing", asked),
        step("<=", HOEFFDING_TAIL, "Hoeffding's inequality", tail),
        step("<=", Exp(-h * x**2), "the squares add up to little", _smaller()),
        given=[*quiet, *SPREAD_OUT],
    )


@theorem
def SUM_ABOVE_ZERO():
    given = [Ge(f[i], 0), *POSITIVE, Ge(tau, sum(THREE) + total(f[i]))]
    others = apply(ABOVE_ZERO_PAST_SUM, {"t": tau - sum(THREE)}, given)
    whole = apply(ABOVE_AT_LEAST_ZERO, {"n": n + 3, "t": tau}, given)
    return arithmetic(
        Eq(Above(WHOLE, tau), 0),
        given,
        [SUM_ABOVE_LE_OTHERS, others, whole],
        "all signs + are not enough",
    )


@theorem
def SUM_ABOVE_GE_EIGHTH_SURELY():
    given, left = [Ge(f[i], 0), *POSITIVE, Lt(tau + total(f[i]), sum(THREE))], tau - sum(THREE)
    using = [
        apply(SUM_ABOVE_GE_EIGHTH, {"x": -left}, given),
        apply(ABOVE_ONE_BELOW_SUM, {"t": left}, given),
    ]
    return arithmetic(
        Ge(Above(WHOLE, tau), Rational(1, 8)),
        given,
        using,
        "three signs + are enough, whatever the others are",
    )
