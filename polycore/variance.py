"""The variance ‖f‖² of attention weights f = u/Σu whose powers u_i lie between two bounds.

Judgments of the kernel in the symbols ``u``, ``alpha`` (the sum), ``f``, ``lo`` and ``hi``.

>>> KANTOROVICH.conclusion
Sum(f[i]**2, (i, 1, n)) <= (hi + lo)**2/(4*hi*lo*n)
"""

from sympy import Eq, Ge, Gt, IndexedBase, Le, symbols

from polycore.proof import apply, arithmetic
from polycore.statements import i, n, total
from polycore.sums import SUM_AFFINE, SUM_EQUAL, SUM_MONOTONE, SUM_POSITIVE

__all__ = ["CRUDE_VARIANCE", "KANTOROVICH", "VARIANCE_POSITIVE"]

u, f = IndexedBase("u"), IndexedBase("f")
alpha, lo, hi = symbols("alpha lo hi")
_weights = [Eq(alpha, total(u[i])), Eq(f[i], u[i] / alpha), Gt(lo, 0), Ge(u[i], lo), Ge(n, 1)]
_given = [*_weights, Le(u[i], hi)]


def _summed(smaller, larger, given, using):
    """``Σ smaller ≤ Σ larger`` from the terms."""
    term = arithmetic(Le(smaller, larger), given, using)
    return apply(SUM_MONOTONE, {"f": smaller, "g": larger}, given, [term, *using])


_sum = [_summed(lo, u[i], _weights, []), apply(SUM_AFFINE, {"c": 0, "f": u[i], "d": lo}, _weights)]
_known = [arithmetic(Ge(alpha, n * lo), _weights, _sum)]
_known += [arithmetic(Gt(f[i], 0), _weights, _known)]

VARIANCE_POSITIVE = apply(
    SUM_POSITIVE,
    {"f": f[i] ** 2},
    _weights,
    [*_known, arithmetic(Gt(f[i] ** 2, 0), _weights, _known)],
    why="a sum of squares that are not zero",
)

# Some u_i lies between them, so lo ≤ hi: compare n lo ≤ Σu ≤ n hi.
_top = [_summed(u[i], hi, _given, []), apply(SUM_AFFINE, {"c": 0, "f": u[i], "d": hi}, _given)]
_known += [arithmetic(Ge(hi, lo), _given, [*_known, *_top])]

_largest = hi / (n * lo)
CRUDE_VARIANCE = arithmetic(
    Le(total(f[i] ** 2), n * _largest**2),
    _given,
    [
        _summed(f[i] ** 2, _largest**2, _given, [*_known, arithmetic(Le(f[i], _largest), _given, _known)]),
        apply(SUM_AFFINE, {"c": 0, "f": f[i], "d": _largest**2}, _given),
    ],
    why="n times the square of the largest weight",
)

_line = (lo + hi) * u[i] - lo * hi
_squares = [
    _summed(u[i] ** 2, _line, _given, _known),
    apply(SUM_AFFINE, {"c": lo + hi, "f": u[i], "d": -lo * hi}, _given),
    apply(SUM_EQUAL, {"f": f[i] ** 2, "g": u[i] ** 2 / alpha**2}, _given, _known),
    apply(SUM_AFFINE, {"c": 1 / alpha**2, "f": u[i] ** 2, "d": 0}, _given, _known),
]
KANTOROVICH = arithmetic(
    Le(total(f[i] ** 2), (lo + hi) ** 2 / (4 * lo * hi * n)),
    _given,
    [*_known, *_squares],
    why="Kantorovich: a square between two bounds lies below a line",
)
