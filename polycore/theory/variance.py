"""The variance ‖f‖² of attention weights f = u/Σu whose powers u_i lie between two bounds.

Judgments of the kernel in the symbols ``u``, ``alpha`` (the sum), ``f``, ``lo`` and ``hi``; of two
levels, ``s`` (1 where the entry is large, else 0), ``r`` (their ratio) and ``c`` (how many are).

>>> KANTOROVICH.conclusion
Sum(f[i]**2, (i, 1, n)) <= (hi + lo)**2/(4*hi*lo*n)
"""

from sympy import Eq, Ge, Gt, IndexedBase, Integer, Le, symbols

from polycore.proof import apply, arithmetic, i, n, theorem, total
from polycore.proof.kernel import Lemma
from polycore.theory.sums import SUM_AFFINE, SUM_EQUAL, SUM_POSITIVE, summed

__all__ = [
    "CRUDE_VARIANCE",
    "KANTOROVICH",
    "LONE_SPIKE_VARIANCE_LE",
    "TWO_LEVEL_VARIANCE",
    "TWO_LEVEL_VARIANCE_GE",
    "VARIANCE_POSITIVE",
]

u, f, s = map(IndexedBase, "ufs")
alpha, lo, hi, c, r = symbols("alpha lo hi c r")
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


TWO_LEVELS = [
    Eq(s[i] ** 2, s[i]),
    Eq(total(s[i]), c),
    Eq(u[i], lo * (1 + (r - 1) * s[i])),
    Eq(alpha, total(u[i])),
    Eq(f[i], u[i] / alpha),
    *(Gt(lo, 0), Ge(r, 1), Ge(c, 0), Ge(n, 1)),
]


@theorem
def TWO_LEVEL_VARIANCE():
    """``‖f‖² = (n + (r² − 1) c)/(n + (r − 1) c)²`` when c of n entries are r times the others."""
    sums = []
    for power in (1, 2):
        level = lo**power * (1 + (r**power - 1) * s[i])
        equal = arithmetic(Eq(u[i] ** power, level), TWO_LEVELS)
        sums += [apply(SUM_EQUAL, {"f": u[i] ** power, "g": level}, TWO_LEVELS, [equal])]
        affine = {"c": lo**power * (r**power - 1), "f": s[i], "d": lo**power}
        sums += [apply(SUM_AFFINE, affine, TWO_LEVELS)]
    size = arithmetic(Eq(alpha, lo * (n + (r - 1) * c)), TWO_LEVELS, sums)
    product = arithmetic(Ge((r - 1) * c, 0), TWO_LEVELS)
    positive = arithmetic(Gt(alpha, 0), TWO_LEVELS, [size, product])
    squares = arithmetic(Eq(f[i] ** 2, u[i] ** 2 / alpha**2), TWO_LEVELS, [positive])
    terms = {"f": f[i] ** 2, "g": u[i] ** 2 / alpha**2}
    known = [apply(SUM_EQUAL, terms, TWO_LEVELS, [squares, positive])]
    scaled = {"c": 1 / alpha**2, "f": u[i] ** 2, "d": 0}
    known += [apply(SUM_AFFINE, scaled, TWO_LEVELS, [positive])]
    bound = (n + (r**2 - 1) * c) / (n + (r - 1) * c) ** 2
    why = "sums of two levels"
    using = [*sums, *known, size, product, positive]
    return arithmetic(Eq(total(f[i] ** 2), bound), TWO_LEVELS, using, why)


@theorem
def TWO_LEVEL_VARIANCE_GE():
    """``‖f‖² ≥ r/(9 n)`` when the large entries weigh as much as all, to a factor 2."""
    given = [*TWO_LEVELS, Le(n, c * r), Le(c * r, 2 * n)]
    top, root = n + (r**2 - 1) * c, n + (r - 1) * c
    above = arithmetic(Ge(top, r * n), given)
    below = [arithmetic(Le(root, 3 * n), given), arithmetic(Gt(root, 0), given)]
    quotient = arithmetic(
        Ge(hi / alpha**2, r * n / (9 * n**2)),
        [Ge(hi, r * n), Gt(alpha, 0), Le(alpha, 3 * n), Ge(r, 1), Ge(n, 1)],
    )
    quotient = apply(quotient, {"hi": top, "alpha": root}, given, [above, *below])
    using: list[Lemma] = [quotient, TWO_LEVEL_VARIANCE]
    return arithmetic(Ge(total(f[i] ** 2), r / (9 * n)), given, using, "sums of two levels")


@theorem
def LONE_SPIKE_VARIANCE_LE():
    """``‖f‖² ≤ (r² + n)/n²`` when one entry is r times each of the others."""
    given = [h.xreplace({c: Integer(1)}) for h in TWO_LEVELS if h != Ge(c, 0)]
    exact, bound = (n + r**2 - 1) / (n + r - 1) ** 2, (r**2 + n) / n**2
    using = [arithmetic(Le(exact, bound), [Ge(r, 1), Ge(n, 1)])]
    using += [apply(TWO_LEVEL_VARIANCE, {"c": 1}, given)]
    return arithmetic(Le(total(f[i] ** 2), bound), given, using, "one spike among equals")
