"""The shifted rectifier ``g_i = φ_τ(x_i) = max(x_i − τ, 0)`` and sums of it (Definitions 3.8 and 3.9).

The kernel knows the maximum of ``x − τ`` and 0 by what characterises it: it is at least both and equal to one.
Judgments in the symbols ``x``, ``g`` (sequences; ``n`` is their length), ``tau``, ``s`` and ``F`` with ``F = φ(s)``.

>>> OUTER
F >= 0, F >= s, Eq(F*(F - s), 0), s >= 0 ⊢ Eq(F, s)
"""

from sympy import Eq, Ge, Gt, IndexedBase, Le, Sum, symbols

from polycore.axioms import maximum
from polycore.proof import AXIOMS, apply, arithmetic
from polycore.statements import i, n, total
from polycore.sums import SUM_AFFINE, SUM_EQUAL, SUM_MONOTONE

__all__ = ["HEARD", "NOTHING_HEARD", "OUTER", "RECTIFIED", "SILENT_BELOW", "SUM_NOT_NEGATIVE"]

x, g = IndexedBase("x"), IndexedBase("g")
tau, s, F = symbols("tau s F")


RECTIFIED = maximum(g[i], x[i] - tau)
"""``g_i = φ_τ(x_i)``, as hypotheses."""

_zeros = apply(SUM_AFFINE, {"c": 0, "f": g[i], "d": 0}, [Ge(n, 0)])
SUM_NOT_NEGATIVE = arithmetic(
    Ge(total(g[i]), 0),
    [Ge(g[i], 0), Ge(n, 0)],
    [_zeros, apply(SUM_MONOTONE, {"f": 0, "g": g[i]}, [Ge(g[i], 0), Ge(n, 0)])],
    why="no term is negative",
)
OUTER = arithmetic(Eq(F, s), [*maximum(F, s), Ge(s, 0)], why="the outer rectifier changes nothing")

_below = [*RECTIFIED, Le(x[i], tau), Ge(n, 0)]
SILENT_BELOW = arithmetic(
    Eq(total(g[i]), 0),
    _below,
    [_zeros, apply(SUM_EQUAL, {"f": g[i], "g": 0}, _below, [arithmetic(Eq(g[i], 0), _below)])],
    why="what does not exceed the threshold leaves nothing",
)

_network = [*_below, *maximum(F, total(g[i]))]
NOTHING_HEARD = arithmetic(
    Eq(F, 0),
    _network,
    [apply(OUTER, {"s": total(g[i])}, _network, [SUM_NOT_NEGATIVE]), apply(SILENT_BELOW, {}, _network)],
    why="no column exceeds the threshold",
)

# The one that exceeds is numbered n + 1: a sum does not depend on the order of its terms.
_last, _limit = g[n + 1], x[n + 1] - tau
_heard = [*RECTIFIED, *maximum(_last, _limit), Gt(_limit, 0), Ge(n, 0)]
HEARD = arithmetic(
    Gt(Sum(g[i], (i, 1, n + 1)), 0),
    _heard,
    [apply(AXIOMS["one more term"], {"f": g[i]}, _heard), apply(SUM_NOT_NEGATIVE, {}, _heard)],
    why="one that exceeds the threshold is enough",
)
