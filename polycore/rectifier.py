"""The shifted rectifier ``g_i = φ_τ(x_i) = max(x_i − τ, 0)`` and sums of it (Definitions 3.8 and 3.9).

The kernel knows the maximum of ``x − τ`` and 0 by what characterises it: it is at least both and equal to one.
Judgments in the symbols ``x``, ``g`` (sequences; ``n`` is their length), ``tau``, ``s`` and ``F`` with ``F = φ(s)``.

>>> OUTER
F >= 0, F >= s, Eq(F*(F - s), 0), s >= 0 ⊢ Eq(F, s)
"""

from sympy import Eq, Ge, Gt, IndexedBase, Le, Sum, symbols

from polycore.axioms import maximum
from polycore.proof import AXIOMS, apply, arithmetic, theorem
from polycore.statements import i, n, total
from polycore.sums import SUM_AFFINE, SUM_EQUAL, SUM_NOT_NEGATIVE

__all__ = ["HEARD", "NOTHING_HEARD", "OUTER", "RECTIFIED", "SILENT_BELOW"]

x, g = IndexedBase("x"), IndexedBase("g")
tau, s, F = symbols("tau s F")


RECTIFIED = maximum(g[i], x[i] - tau)
"""``g_i = φ_τ(x_i)``, as hypotheses."""


@theorem
def OUTER():
    return arithmetic(Eq(F, s), [*maximum(F, s), Ge(s, 0)], why="the outer rectifier changes nothing")


@theorem
def SILENT_BELOW():
    below = [*RECTIFIED, Le(x[i], tau), Ge(n, 0)]
    zeros = apply(SUM_AFFINE, {"c": 0, "f": g[i], "d": 0}, [Ge(n, 0)])
    equal = apply(SUM_EQUAL, {"f": g[i], "g": 0}, below, [arithmetic(Eq(g[i], 0), below)])
    return arithmetic(Eq(total(g[i]), 0), below, [zeros, equal], "what does not exceed the threshold leaves nothing")


@theorem
def NOTHING_HEARD():
    network = [*SILENT_BELOW.hypotheses, *maximum(F, total(g[i]))]
    outer = apply(OUTER, {"s": total(g[i])}, network, [apply(SUM_NOT_NEGATIVE, {"f": g[i]}, network)])
    return arithmetic(Eq(F, 0), network, [outer, SILENT_BELOW], "no column exceeds the threshold")


@theorem
def HEARD():
    """The one that exceeds is numbered n + 1: a sum does not depend on the order of its terms."""
    last, limit = g[n + 1], x[n + 1] - tau
    heard = [*RECTIFIED, *maximum(last, limit), Gt(limit, 0), Ge(n, 0)]
    using = [apply(AXIOMS["one more term"], {"f": g[i]}, heard), apply(SUM_NOT_NEGATIVE, {"f": g[i]}, heard)]
    return arithmetic(Gt(Sum(g[i], (i, 1, n + 1)), 0), heard, using, "one that exceeds the threshold is enough")
