"""The law of Z = sum_i f_i sigma_i for independent Rademacher signs sigma_i (Definition 3.4).

Every tail is Pr[|Z| > t], strict, and says how rigorous it is:

- "exact": rational arithmetic on the given floats;
- "certified": an enclosure that allows for every rounding, given float64 arithmetic to half a unit
in the
  last place and elementary functions to four;
- "bound": an inequality of the literature, evaluated in float64 (`tails`).

`f` holds one coefficient per class, of either sign and any sum, and `counts` how often each class
occurs (once each by default). Where the support decides, every tail here is exact: 0 for t >= sum
|f|, and 1 for t < |f| where all but one f is zero.
"""

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

import numpy as np
from flint import arb, ctx, fmpq
from numpy.typing import ArrayLike

from polycore.checks import Floats, Number, generator, integer, multiplicities, real, vector

__all__ = [
    "Tail",
    "sample",
    "weights",
    "enumerate_tail",
    "half_binomial",
    "two_class_tail",
    "above",
    "tail",
    "certified_tail",
    "beyond",
    "settled",
]

UNIT = 2.0**-53  # one float64 rounding
BLOCK = 2**22  # entries of a temporary array: 32 MB
FACTORS = 2**14  # at once, of up to 2 * 10^7: to touch new memory takes longer than to compute
FEW = 64  # weights whose product mostly shows that the one over all is 0


@dataclass(frozen=True)
class Tail:
    """lower <= Pr[|Z| > t] <= upper; `method` by name; `rigour` as above, or as in `tails`."""

    lower: Number
    upper: Number
    method: str
    rigour: str

    @property
    def value(self) -> Number:
        """The midpoint, to plot or to print."""
        return (self.lower + self.upper) / 2

    @property
    def ball(self) -> arb:
        """The enclosure as a ball of flint, to compute with and to compare."""
        lower, upper = (
            arb(fmpq(*Fraction(end).as_integer_ratio())) for end in (self.lower, self.upper)
        )
        return lower.union(upper)


def sample(
    f: ArrayLike, trials: int, rng: np.random.Generator, counts: ArrayLike | None = None
) -> Floats:
    """Independent values of Z = sum_i f_i sigma_i; shape (trials,), float64.

    Without counts each sign is one bit of `rng` (`signs.signed_sums`: n words of 64 bits for every
    64 trials, rounding error at most (n + 2048) 2^-53 sum |f|). With counts class c contributes f_c
    (2 B_c - n_c), B_c ~ Bin(n_c, 1/2), at a cost that does not depend on n_c. 1 <= `trials` <=
    10^10, counts <= 2^53, sum |f| <= 1e308; ValueError otherwise.

    >>> sample([0.25, 0.5], 4, np.random.default_rng(0))
    array([ 0.75, -0.25, -0.25, -0.25])
    """
    f, trials, rng = vector("f", f), integer("trials", trials, at_most=10**10), generator(rng)
    if counts is None:
        from polycore.tails import _signs as signs  # only here: Numba takes a moment to start

        _summable(signs.norm_1(f))
        return signs.signed_sums(f, trials, rng)
    multiples = multiplicities(counts, f.size)
    with np.errstate(over="ignore"):
        _summable(np.sum(multiples * np.abs(f)))
    if multiples.max() > 2**53:
        raise ValueError(
            f"counts must be <= 2^53 to sample, got {multiples.max():.3g}: beyond it float64 "
            "skips integers"
        )
    return sum(w * (2.0 * rng.binomial(int(n), 0.5, trials) - n) for w, n in zip(f, multiples))


def _summable(reach):
    """Refuse weights whose sum of |f|, the largest |Z|, leaves float64."""
    if reach > 1e308:
        raise ValueError(
            f"sum |f|, the largest |Z|, must be <= 1e308, got {reach:.3g}: divide f by one number"
        )


def enumerate_tail(f: Sequence[Number], t: Number) -> Tail:
    """Pr[|Z| > t] over all 2^n sign vectors, in rational arithmetic on the given numbers; the
    reference.

    `f`: at most 20 floats or Fractions, each entry once (0.1 is the binary float, not 1/10); `t` >=
    0. Returns Fractions, lower == upper. ValueError otherwise.

    >>> # |Z| = 1 for 2 of 8; the ties |Z| = 0.5 do not count
    >>> enumerate_tail([0.5, 0.25, 0.25], 0.5).lower
    Fraction(1, 4)
    """
    size = vector("f", f).size
    if size > 20:
        raise ValueError(
            f"f has {size} entries, 2^{size} sign vectors: enumerate at most 20, or use tail"
        )
    real("t", t, at_least=0)
    law = Counter({Fraction(0): 1})
    for a in f:
        law = _convolve(law, Fraction(a))
    exceed = Fraction(sum(ways for z, ways in law.items() if abs(z) > Fraction(t)), 2**size)
    return Tail(exceed, exceed, "enumeration", "exact")


def _convolve(law, a):
    moved: Counter[Fraction] = Counter()
    for z, ways in law.items():
        moved[z + a] += ways
        moved[z - a] += ways
    return moved


def _two_classes(counts):
    """Whether `two_class_tail` takes them; its time grows with the smaller class."""
    *fewer, most = np.sort(counts)
    return most <= 10**12 and len(fewer) <= 1 and all(count <= 10**8 for count in fewer)


def two_class_tail(f: ArrayLike, counts: ArrayLike | None, t: float) -> Tail:
    """Pr[|Z| > t] for at most two distinct weights, to a relative accuracy that does not fade in
    the tail.

    Z = a (2 B_1 - n_1) + b (2 B_2 - n_2), hence Pr[|Z| > t] = 2 sum_k Pr[B_1 = k] Pr[b (2 B_2 -
    n_2) > t - a (2k - n_1)]. Ties are decided exactly, on the given floats. All terms are positive,
    or 1 minus a half at most, so roundings add: the enclosure is the sum times 1 +- 8 (w_1 + w_2)
    2^-53 for windows of w_c <= 38 sqrt(n_c) + 4 outcomes, beyond which less than 1e-290 is left.
    `f`: shape (1,) or (2,); counts <= 10^12, the smaller <= 10^8; `t` >= 0; ValueError otherwise.

    >>> exact = two_class_tail([1e-4], [10**4], 0.1001)  # ten standard deviations
    >>> f"{exact.value:.10e}", exact.upper / exact.lower - 1 < 1e-10
    ('1.2665651454e-23', True)
    """
    a, counts, t = weights(f, counts, t)
    if (certain := settled(a, counts, t)) is not None:
        return Tail(certain, certain, "support", "certified")
    if not _two_classes(counts):
        raise ValueError(
            f"f has {a.size} classes of up to {counts.max():.3g} entries: at most two classes, "
            "10^12 entries in one and 10^8 in the other; use tail"
        )
    keep = np.argsort(counts)
    (a, n1), (b, n2) = ([(0.0, 0)] + [(a[i], int(counts[i])) for i in keep])[-2:]
    if b == 0:
        (a, n1), (b, n2) = (b, n2), (a, n1)
    start, inner = half_binomial(n1)
    above = _least(a, b, t, n1, n2, start + np.arange(inner.size))
    value = 2 * float(np.sum(inner * _at_least(n2, above)))
    slack = 8 * (inner.size + 2 * _survival(n2).size) * UNIT
    return Tail(
        max(0.0, value * (1 - slack) - 1e-290),
        min(1.0, value * (1 + slack) + 1e-290),
        "two-class convolution",
        "certified",
    )


def _least(a, b, t, n1, n2, k):
    """For each k the least integer j for which a (2 k - n1) + b (2 j - n2) > t, as a float."""
    with np.errstate(all="ignore"):
        edge = (a * (n1 - 2.0 * k) + (n2 * b + t)) / (2 * b)
        error = 8 * UNIT * (a * n1 + n2 * b + t) / (2 * b) + 2.0**-1070 / b
        near = np.flatnonzero(~(np.abs(edge - np.rint(edge)) > error))  # or not a number
        least = np.floor(edge) + 1
    # Where rounding could decide, floats are what they are, dyadic: integers over one denominator.
    unit = max(Fraction(x).denominator for x in (a, b, t))
    one, other, limit = (int(Fraction(x) * unit) for x in (a, b, t))
    for place in near:
        exact = (n2 * other + limit - one * (2 * int(k[place]) - n1)) // (2 * other) + 1
        least[place] = min(max(exact, -(2**53)), 2**53)
    return least


def _at_least(n, k):
    """Pr[B >= k] for B ~ Bin(n, 1/2) and each of an array of integers; below the middle from above
    it, Pr[B >= k] = 1 - Pr[B >= n + 1 - k].
    """
    survival, below = _survival(n), k < n / 2
    place = (np.where(below, n + 1 - k, k) - (n + 1) // 2).astype(int)
    chance = np.where(place < survival.size, survival[np.minimum(place, survival.size - 1)], 0)
    return np.where(below, 1 - chance, chance)


@lru_cache(maxsize=8)  # a sweep over degrees asks for the same n again and again
def _survival(n):
    """Pr[B >= k], Pr[B >= k + 1], ... from the middle k = ceil(n/2), summed from the small end."""
    survival = _upper_half(n)
    np.cumsum(survival[::-1], out=survival[::-1])
    survival.flags.writeable = False
    return survival


def above(count: int, limit: Number) -> Tail:
    """Enclosure of Pr[sigma_1 + .. + sigma_count > limit] for independent Rademacher signs and any
    real limit, as a Tail.

    By symmetry from `two_class_tail`, with its accuracy; 1 <= count <= 10^12; TypeError or
    ValueError otherwise.

    >>> [round(above(3, limit).value, 12) for limit in (0, -1, -1.5)]
    [0.5, 0.5, 0.875]
    """
    count = integer("count", count, at_most=10**12)
    if abs(limit := real("limit", limit)) > count:
        certain = 1.0 if limit < 0 else 0.0
        return Tail(certain, certain, "support", "certified")
    if limit >= 0:
        both = two_class_tail([1.0], [count], limit)
        return Tail(both.lower / 2, both.upper / 2, both.method, both.rigour)
    least = two_class_tail([1.0], [count], math.nextafter(-limit, 0))
    return Tail(1 - least.upper / 2, 1 - least.lower / 2, least.method, least.rigour)


def half_binomial(n: int) -> tuple[int, Floats]:
    """(first k, the array of Pr[B = k], Pr[B = k + 1], ...) for B ~ Bin(n, 1/2), n >= 1, up to
    tails below 1e-312.

    Each to a relative 2 * 2^-53 for each step from the middle, 19 sqrt(n) of them at most.

    >>> half_binomial(2)
    (0, array([0.25, 0.5 , 0.25]))
    """
    upper = _upper_half(n)
    return n // 2 - upper.size + 1, np.concatenate([upper[::-1], upper[1 - n % 2 :]])


def _upper_half(n):
    """`half_binomial` from ceil(n/2) on."""
    middle, reach = n // 2, min(n // 2, int(19 * math.sqrt(n)) + 1)  # 2 exp(-2 * 19^2) < 1e-312
    with ctx.workprec(192):
        peak = float(
            (
                arb(n + 1).lgamma()
                - arb(middle + 1).lgamma()
                - arb(n - middle + 1).lgamma()
                - n * arb(2).log()
            ).exp()
        )
    chances = np.empty(reach + 1)
    chances[0] = peak
    for start in range(0, reach, FACTORS):
        part = chances[start : start + FACTORS + 1]
        k = middle - start - np.arange(part.size - 1.0)
        np.divide(k, n + 1 - k, out=part[1:])
        np.multiply.accumulate(part, out=part)
    return chances


def tail(
    f: ArrayLike,
    t: float,
    counts: ArrayLike | None = None,
    terms: int | None = None,
    width: float = 1e-6,
) -> Tail:
    """Enclosure of Pr[|Z| > t] for any weights, from finitely many values of phi(s) = E exp(i s Z)
    = prod cos(s f_i).

    On a circle of period P, with phi_k = phi(2 pi k / P) and Vaaler's polynomial of degree K =
    `terms`,

        Pr[|Z| <= t] = 2t/P + 2 sum_{k=1}^K H(k/(K+1)) phi_k sin(2 pi k t/P)/(pi k)
                       +- (1 + 2 sum_{k=1}^K (1 - k/(K+1)) phi_k cos(2 pi k t/P)) / (K+1),

    H(u) = pi u (1-u) cot(pi u) + u: no truncation error. At an atom |Z| = t < sum |f| the enclosure
    holds Pr[|Z| > t] and Pr[|Z| >= t] both, so it stays as wide as the atom. P = 2 sum |f|, or less
    where Hoeffding bounds what wraps round by width/100. By default K doubles until upper - lower
    <= `width`, 2^20 terms or 10^9 cosines. `f`: shape (c,), not all zero; `t` >= 0; `width` in (0,
    1); `terms` <= 2^26; ValueError otherwise. `vaaler1985`, Theorem 18.

    >>> bracket = tail([0.5, 0.3, 0.2], 0.5)  # Pr[|Z| > 0.5] = Pr[|Z| = 0.6 or 1] = 1/2
    >>> bracket.lower < 0.5 < bracket.upper < bracket.lower + 1e-6
    True
    """
    a, counts, t = weights(f, counts, t)
    width, degree = (
        real("width", width, above=0, below=1),
        64 if terms is None else integer("terms", terms, at_most=2**26),
    )
    if (certain := settled(a, counts, t)) is not None:
        return Tail(certain, certain, "support", "certified")
    wrap, reach = width / 100, float(np.sum(counts * a)) * (1 + 1e-9)
    near = math.sqrt(2 * math.log(2 / wrap) * np.sum(counts * a**2)) * (1 + 1e-9)
    if t >= near:
        return Tail(0.0, wrap, "Vaaler", "certified")
    wrap, period = (wrap, t + near) if t + near < 2 * reach else (0.0, 2 * reach)
    phi, error = np.empty(0), np.empty(0)
    while True:
        more, more_error = _characteristic(
            a, counts, 2 * math.pi / period, np.arange(phi.size + 1.0, degree + 1)
        )
        phi, error = np.append(phi, more), np.append(error, more_error)
        centre, radius = _vaaler(phi, error, t / period)
        lower, upper = max(0.0, 1 - centre - radius), min(1.0, 1 - centre + radius + wrap)
        if (
            terms is not None
            or upper - lower <= width
            or degree >= 2**20
            or np.count_nonzero(phi) * a.size > 5 * 10**8
        ):
            return Tail(float(lower), float(upper), "Vaaler", "certified")
        degree *= 2


def certified_tail(
    f: ArrayLike, t: float, counts: ArrayLike | None = None, width: float = 1e-5
) -> Tail:
    """Enclosure of Pr[|Z| > t] by `two_class_tail` where it takes the classes, else by `tail` to
    `width`.

    >>> certified_tail([0.5, 0.25], 0.6, [1, 2]).method, certified_tail([0.5, 0.3, 0.2], 0.6).method
    ('two-class convolution', 'Vaaler')
    """
    width = real("width", width, above=0, below=1)
    small = counts is not None and _two_classes(weights(f, counts, t)[1])
    return two_class_tail(f, counts, t) if small else tail(f, t, counts, width=width)


def _vaaler(phi, error, ratio):
    """Centre and radius of Pr[|Z| <= t] on the circle, ratio = t/P, with an allowance for every
    rounding.
    """
    k, order = np.arange(1.0, phi.size + 1), phi.size + 1
    u = k / order
    # cot(pi u) = -cot(pi (1 - u)): near u = 1 the direct form loses K units
    cot = np.where(2 * k <= order, 1, -1) / np.tan(np.pi * np.minimum(k, order - k) / order)
    jump = np.pi * u * (1 - u) * cot + u
    angle = 2 * np.pi * k * ratio
    centre = 2 * ratio + 2 * np.sum(jump * phi * np.sin(angle) / (np.pi * k))
    fejer = (1 + 2 * np.sum((1 - u) * phi * np.cos(angle))) / order
    rounding = np.sum((2 / (np.pi * k) + 2 / order) * (error + 32 * UNIT * k * np.abs(phi)))
    return centre, max(0.0, fejer) + rounding + 64 * UNIT


def _characteristic(a, counts, step, k):
    """phi(k step) = prod cos(k step a_i)^counts_i and a bound on its error, shapes k.shape."""
    order = np.argsort(a)
    a, counts = a[order], counts[order]
    energy = np.append(0.0, np.cumsum(counts * a**2))
    phi, error = np.zeros(k.size), np.full(k.size, 1e-21)
    # |cos x| <= exp(-x^2/2) for |x| <= pi/2: where that product is below e^-49 < 1e-21 it counts as
    # 0
    small = energy[np.searchsorted(a, np.pi / 2 / (step * k))]
    wanted = np.flatnonzero((step * k) ** 2 * small / 2 < 49)
    if a.size > FEW and counts.max() == 1:
        wanted = _dropped(a, step * k, wanted, error)
    # |phi| is at most the product over the 256 largest weights: mostly that is 0 already
    for head in (256, a.size):
        rows = max(1, BLOCK // min(head, a.size))
        for part in (wanted[i : i + rows] for i in range(0, wanted.size, rows)):
            phi[part], error[part] = _cosines(step * k[part, None] * a[-head:], counts[-head:])
        if head >= a.size:
            break
        vanish = wanted[np.abs(phi[wanted]) <= error[wanted]]
        error[vanish] += np.abs(phi[vanish])
        phi[vanish] = 0
        wanted = np.setdiff1d(wanted, vanish)
    return phi, error


def _dropped(a, u, wanted, error):
    """The wanted nodes where the product of cos(u a_i) over the FEW largest weights is not below
    the error that the product over the 256 largest has from rounding alone; the others count as 0,
    and are charged that.
    """
    kept, head, rows = [], a[-256:], max(1, BLOCK // (32 * FEW))
    beyond = np.append(np.cumsum(head[::-1])[::-1], 0.0)  # the sum of these and all larger ones
    for part in (wanted[i : i + rows] for i in range(0, wanted.size, rows)):
        x = u[part, None] * a[-FEW:]
        charge = _rounding(u[part] * beyond[np.searchsorted(head, np.pi / 4 / u[part], "right")])
        # a cosine errs by four units and its angle by two: less than 8 FEW and 4 x in all
        bound = np.abs(np.prod(np.cos(x), axis=1)) + UNIT * (8 * FEW + 4 * np.sum(x, axis=1))
        error[part] = np.where(bound <= charge, charge, error[part])
        kept.append(part[bound > charge])
    return np.concatenate([*kept, np.empty(0, int)])


def _rounding(far):
    """What roundings may move a product of cosines by: a far angle x, by at most x units."""
    return 32 * UNIT * (1 + far)


def _cosines(x, counts):
    cos, sin = np.cos(x), np.sin(x)
    with np.errstate(divide="ignore"):
        # counts of 10^12 magnify the error of ln cos x: near cos x = 1 take it from sin x
        log = counts * np.where(np.abs(sin) < 0.7, np.log1p(-(sin**2)) / 2, np.log(np.abs(cos)))
    odd = np.sum((cos < 0) * (counts % 2), axis=1) % 2
    # relative errors of ln cos x multiply |ln phi| (and |y| e^-|y| < 1)
    far = np.sum(counts * np.where(np.abs(x) > np.pi / 4, x, 0), axis=1)
    return (1 - 2 * odd) * np.exp(log.sum(axis=1)), _rounding(far)


def weights(f: ArrayLike, counts: ArrayLike | None, t: Number) -> tuple[Floats, Floats, float]:
    """(|f|, counts, t) as float64, checked; signs of f do not matter, as Z is symmetric.

    `t` >= 0, max |f| >= 1e-100, sum counts |f| <= 1e100, so that no power of them leaves float64;
    ValueError otherwise.

    >>> weights([-0.5, 0.25], None, 1)
    (array([0.5 , 0.25]), array([1., 1.]), 1.0)
    """
    a = np.abs(vector("f", f))
    if not a.any():
        raise ValueError("f is all zero, so Z = 0 always: give one non-zero weight")
    counts, t = (
        multiplicities(counts, a.size),
        real("t", t, at_least=0, hint="|Z| exceeds every negative number"),
    )
    with np.errstate(over="ignore"):
        largest, reach = float(a.max()), float(np.sum(counts * a))
    if largest < 1e-100 or not reach <= 1e100:
        raise ValueError(
            "f must have max |f| >= 1e-100 and, with its counts, sum |f| <= 1e100, got "
            f"{largest:.3g} and "
            f"{reach:.3g}: divide f and t by one number"
        )
    return a, counts, t


def settled(a: Floats, counts: Floats, t: float) -> float | None:
    """Pr[|Z| > t] where the support alone decides: 0.0 for t >= sum |f|, 1.0 for one sign only and
    t < |f|; None otherwise.

    `a`, `counts`, `t` as `weights` returns them. Decided exactly, on the given floats.

    >>> given = ([0.5, 0, 0], None, 0.4), ([0.5], [2], 1), ([0.5], [2], 0.9)
    >>> tuple(settled(*weights(*one)) for one in given)
    (1.0, 0.0, None)
    """
    if beyond(a, counts, t):
        return 0.0
    return 1.0 if np.count_nonzero(a) == 1 and counts[a > 0][0] == 1 else None


def beyond(a: Floats, counts: Floats, t: float) -> bool:
    """Whether t >= sum counts a, so that |Z| > t never happens; decided exactly on the given
    floats.

    >>> beyond(np.array([0.1]), np.array([3.0]), 0.3), beyond(np.array([0.5]), np.array([3.0]), 1.5)
    (False, True)
    """
    reach = float(np.sum(counts * a))
    if abs(t - reach) > 1e-9 * reach:
        return t > reach
    return Fraction(t) >= sum(Fraction(x) * int(n) for x, n in zip(a.tolist(), counts.tolist()))
