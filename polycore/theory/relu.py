"""The shifted rectifier ``g_i = φ_τ(x_i) = max(x_i − τ, 0)`` and sums of it (Definitions 3.8 and
3.9).

The kernel knows the maximum of ``x − τ`` and 0 by what characterises it: it is at least both and
equal to one. Judgments in the symbols ``x``, ``g`` (sequences; ``n`` is their length), ``tau``,
``s`` and ``F`` with ``F = φ(s)``.

>>> RELU_OF_NOT_NEGATIVE
F >= 0, F >= s, Eq(F*(F - s), 0), s >= 0 ⊢ Eq(F, s)
"""

from sympy import Eq, Ge, Gt, IndexedBase, Le, Sum, symbols

from polycore.proof import (
    AXIOMS,
    Given,
    apply,
    arithmetic,
    chain,
    i,
    maximum,
    n,
    step,
    theorem,
    total,
)
from polycore.theory.sums import SUM_AFFINE, SUM_EQUAL, SUM_NOT_NEGATIVE

__all__ = [
    "RELU_SUM_POSITIVE",
    "NETWORK_ZERO",
    "RELU_OF_NOT_NEGATIVE",
    "SHIFTED_RELU",
    "RELU_SUM_ZERO",
]

x, g = IndexedBase("x"), IndexedBase("g")
tau, s, F = symbols("tau s F")


SHIFTED_RELU = maximum(g[i], x[i] - tau)
"""``g_i = φ_τ(x_i)``, as hypotheses."""


@theorem
def RELU_OF_NOT_NEGATIVE():
    return arithmetic(
        Eq(F, s), [*maximum(F, s), Ge(s, 0)], why="the outer rectifier changes nothing"
    )


@theorem
def RELU_SUM_ZERO():
    below = [*SHIFTED_RELU, Le(x[i], tau), Ge(n, 0)]
    zeros = apply(SUM_AFFINE, {"c": 0, "f": g[i], "d": 0}, [Ge(n, 0)])
    equal = apply(SUM_EQUAL, {"f": g[i], "g": 0}, below, [arithmetic(Eq(g[i], 0), below)])
    return arithmetic(
        Eq(total(g[i]), 0),
        below,
        [zeros, equal],
        "what does not exceed the threshold leaves nothing",
    )


@theorem
def NETWORK_ZERO():
    """``F = 0`` when no column exceeds the threshold."""
    terms = total(g[i])
    network = Given(columns=RELU_SUM_ZERO.hypotheses, outer=maximum(F, terms))
    not_negative = apply(SUM_NOT_NEGATIVE, {"f": g[i]}, network)
    outer = apply(RELU_OF_NOT_NEGATIVE, {"s": terms}, network, [not_negative])
    return chain(
        F,
        step("=", terms, "the outer rectifier changes nothing", outer),
        step("=", 0, "no column exceeds the threshold", apply(RELU_SUM_ZERO, {}, network)),
        given=network,
    )


@theorem
def RELU_SUM_POSITIVE():
    """One that exceeds the threshold makes the sum positive; it is numbered n + 1, for a sum does
    not depend on the order of its terms.
    """
    whole, last, limit = Sum(g[i], (i, 1, n + 1)), g[n + 1], x[n + 1] - tau
    exceeds = [*SHIFTED_RELU, *maximum(last, limit), Gt(limit, 0), Ge(n, 0)]
    more = apply(AXIOMS["one more term"], {"f": g[i]}, exceeds)
    others = apply(SUM_NOT_NEGATIVE, {"f": g[i]}, exceeds)
    return chain(
        whole,
        step("=", total(g[i]) + last, "the last term apart", more),
        step(">=", last, "no term is negative", others),
        step(">=", limit, "a maximum is at least both"),
        step(">", 0, "this one exceeds the threshold"),
        given=exceeds,
    )
