"""The variance ‖f‖² of attention weights f = u/Σu whose powers u_i lie between two bounds.

Judgments of the kernel in the symbols ``u``, ``alpha`` (the sum), ``f``, ``lo`` and ``hi``.

>>> KANTOROVICH.conclusion
Sum(f[i]**2, (i, 1, n)) <= (hi + lo)**2/(4*hi*lo*n)
"""

from sympy import Eq, Ge, Gt, IndexedBase, Le, symbols

from polycore.proof import apply, arithmetic, i, n, theorem, total
from polycore.theory.sums import SUM_AFFINE, SUM_EQUAL, SUM_POSITIVE, summed

__all__ = ["CRUDE_VARIANCE", "KANTOROVICH", "VARIANCE_POSITIVE"]

u, f = IndexedBase("u"), IndexedBase("f")
alpha, lo, hi = symbols("alpha lo hi")
WEIGHTS = [Eq(alpha, total(u[i])), Eq(f[i], u[i] / alpha), Gt(lo, 0), Ge(u[i], lo), Ge(n, 1)]
BOUNDED = [*WEIGHTS, Le(u[i], hi)]


def _above_lo():
    """``α ≥ n lo`` and ``f_i > 0``."""
    sums = [summed(lo, u[i], WEIGHTS), apply(SUM_AFFINE, {"c": 0, "f": u[i], "d": lo}, WEIGHTS)]
    known = [arithmetic(Ge(alpha, n * lo), WEIGHTS, sums)]
    return [*known, arithmetic(Gt(f[i], 0), WEIGHTS, known)]


def _between():
    """These, and ``lo ≤ hi``: some u_i lies between them, so compare n lo ≤ Σu ≤ n hi."""
    known = _above_lo()
    most = [summed(u[i], hi, BOUNDED), apply(SUM_AFFINE, {"c": 0, "f": u[i], "d": hi}, BOUNDED)]
    return [*known, arithmetic(Ge(hi, lo), BOUNDED, [*known, *most])]


@theorem
def VARIANCE_POSITIVE():
    known = _above_lo()
    square = arithmetic(Gt(f[i] ** 2, 0), WEIGHTS, known)
    return apply(
        SUM_POSITIVE,
        {"f": f[i] ** 2},
        WEIGHTS,
        [*known, square],
        "a sum of squares that are not zero",
    )


@theorem
def CRUDE_VARIANCE():
    known, largest = _between(), hi / (n * lo)
    known += [arithmetic(Le(f[i], largest), BOUNDED, known)]
    using = [
        summed(f[i] ** 2, largest**2, BOUNDED, known),
        apply(SUM_AFFINE, {"c": 0, "f": f[i], "d": largest**2}, BOUNDED),
    ]
    return arithmetic(
        Le(total(f[i] ** 2), n * largest**2),
        BOUNDED,
        using,
        "n times the square of the largest weight",
    )


@theorem
def KANTOROVICH():
    known, line = _between(), (lo + hi) * u[i] - lo * hi
    squares = [
        summed(u[i] ** 2, line, BOUNDED, known),
        apply(SUM_AFFINE, {"c": lo + hi, "f": u[i], "d": -lo * hi}, BOUNDED),
    ]
    squares += [apply(SUM_EQUAL, {"f": f[i] ** 2, "g": u[i] ** 2 / alpha**2}, BOUNDED, known)]
    squares += [apply(SUM_AFFINE, {"c": 1 / alpha**2, "f": u[i] ** 2, "d": 0}, BOUNDED, known)]
    why = "Kantorovich: a square between two bounds lies below a line"
    return arithmetic(
        Le(total(f[i] ** 2), (lo + hi) ** 2 / (4 * lo * hi * n)), BOUNDED, [*known, *squares], why
    )
