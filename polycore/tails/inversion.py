"""Certified tails of Z = sum_i f_i sigma_i with small relative error, at any probability above
1e-290.

Under the distribution Q tilted by s > 0 (`tails`) the rare event is a common one,

    Pr[Z > t] = exp(K(s) - s t) E_Q E(Z - t),   E(x) = exp(-s x) for x > 0, else 0.

Graham and Vaaler's functions L <= E <= M have Fourier transforms that vanish beyond a frequency D
and the least integrals, apart by 1/D. Periodised by P, their means are finite sums over phi(u) =
E_Q exp(i u Z) at N = D P nodes,

    E_Q sum_m M(Z - t + m P) = (1/N) sum_{|k| < N} M^(k/N) phi(2 pi k/P) exp(-2 pi i k t/P),

so nothing is truncated. The certificate holds both Pr[|Z| > t] and Pr[|Z| >= t] and adds up

- smoothing: the gap between M and L, about 2 pi s / U of the answer for U = 2 pi D; no smaller than
the atom at t;
- wrapping: sum_{m>0} exp(-s m P) + exp(s m P) Pr[Z > t + m P], by Chernoff's bound, 1e-11 of the
answer;
- skipping: where a bound shows |phi| to be small (`majorant`), at most the sum of what is left out;
up to 1024 distinct
  weights and 2^24 signs, the nodes where it does not are computed, wherever they are;
- bending: over a panel of nodes M^ is a parabola up to its third derivative;
- rounding of every node, and of the power series of ln cosh that replaces most logarithms.
"""

import math
from functools import partial
from operator import mul

import numpy as np
from flint import acb, arb, ctx
from numpy.typing import ArrayLike

from polycore.checks import Floats, real
from polycore.tails._characteristic import Panels, characteristic, panels
from polycore.tails._convolution import few_class_tail
from polycore.tails._majorant import Found, refine, skip
from polycore.tails.bounds import cumulants, tilt
from polycore.tails.rademacher import UNIT, Tail, beyond, settled, two_class_tail, weights

__all__ = ["inversion", "ball_tail"]

SINGLE = 2**16  # nodes, at most, that are panels of one
COSINES = 2**25  # nodes times weights, at most, where no bound on |phi| allows skipping
WEIGHTS = 8  # distinct ones, at most, whose outcomes are summed one by one
FEW, MANY = (
    1024,
    2**24,
)  # classes (or signs, to be counted) and signs, at most, for which nodes are computed anywhere


def inversion(
    f: ArrayLike,
    t: float,
    counts: ArrayLike | None = None,
    width: float = 1e-8,
    factors: float = 2**42,
) -> Tail:
    """Enclosure of Pr[|Z| > t], upper - lower <= width * value unless an atom is at t, for up to
    10^6 and more weights.

    At most two distinct weights: `two_class_tail`; up to eight, where they have 2^25 outcomes at
    most, as a million signs of three weights have: `few_class_tail`, in a second. The patterns of
    signs are counted (`halves`) where that takes 2^34 steps at most: up to 58 signs at any t, 60
    random weights from 4 ||f|| on, 80 from 6.5 ||f|| on. Otherwise the tilted Fourier inversion
    above, in time ~ s max |f| / width. To 1e-8 that takes, on two cores, less than a second for
    5000 random weights and more, some seconds for 1000, about ten for 100 at 3 ||f|| and 150 at 7
    ||f||, and with fewer, where most |phi| are too large to skip, minutes; to 1e-6 a hundredth of
    it. Wider, still certified: where an atom is at t, so near sum |f| that most signs are fixed but
    not near enough to count, where a few weights outweigh thousands of others, or where `factors`
    factors of phi, by default some 20 minutes, do not do. A request for a tenth of a width never
    widens. `f`: shape (c,), not all zero; `t` >= 0; 0 < `width` < 1; `factors` > 0; ValueError
    otherwise, or where the tail is below 1e-290. `graham1981`; `horowitz1974`.

    >>> f = np.random.default_rng(0).uniform(0, 1, 10**4)
    >>> found = inversion(f, 7.2 * np.linalg.norm(f), width=1e-6)
    >>> f"{found.value:.9e}", found.upper - found.lower < 1e-6 * found.value
    ('5.792062333e-13', True)
    """
    (a, counts, t), width, factors = (
        weights(f, counts, t),
        real("width", width, above=0, below=1),
        real("factors", factors, above=0),
    )
    a, counts = _merged(a, counts)
    if (certain := settled(a, counts, t)) is not None:
        return Tail(certain, certain, "support", "certified")
    if a.size == 1 or a.size == 2 and counts.max() <= 10**12 and counts.min() <= 10**8:
        return two_class_tail(a, counts, t)
    if a.size <= WEIGHTS and (found := few_class_tail(a, counts, t)) is not None:
        return found
    if counts.sum() <= FEW and (found := _counted(a, counts, t)) is not None:
        return found
    return _fourier(a, counts, t, width, factors)


def ball_tail(f: ArrayLike, t: float, counts: ArrayLike | None = None) -> arb:
    """Pr[|Z| > t] by the trapezoidal rule on the line z = s + i k h, in balls of 200 bits: a
    comparison, no certificate.

        (2 h/pi) Re sum'_{k>=0} exp(K(z) - z t)/z,   K'(s) = t,   h = 2 pi/(30 ||f||),

    the first term halved, up to the first below 1e-20 of the sum. The balls hold every rounding,
    but neither what wraps round, below 1e-12 of the answer, nor the terms left out: on a lattice,
    where |phi| returns to 1, the value lies between the jumps. `f`: shape (c,), not all zero; ||f||
    <= `t` <= 40 ||f||; ValueError otherwise, or where 200 terms do not fade. Returns an arb. Time ~
    50 classes.

    >>> f = np.random.default_rng(0).uniform(0, 1, 300)
    >>> ball_tail(f, 7 * np.linalg.norm(f)).str(12, radius=False)
    '7.73751341964e-13'
    """
    a, counts, t = weights(f, counts, t)
    norm = math.sqrt(np.sum(counts * a**2))
    if not norm <= t <= 40 * norm:
        raise ValueError(
            f"t must lie between ||f|| = {norm:.6g} and 40 ||f||, got {t:.6g}: elsewhere too much "
            "wraps round"
        )
    if beyond(a, counts, t):
        return arb(0)
    with ctx.workprec(200):
        total, s, step = acb(0), arb(tilt(a, counts, t)), 2 * arb.pi() / arb(30 * norm)
        classes = [(arb(x), int(n)) for x, n in zip(a.tolist(), counts.tolist())]
        # cosh z x = (1 + w) exp(-z x) / 2 with w = exp(2 z x), which turns by the same angle each k
        pairs = [((2 * s * x).exp(), acb(0, 2 * step * x).exp()) for x, _ in classes]
        w, turns = map(list, zip(*pairs))
        reach, signs = sum(x * n for x, n in classes), sum(n for _, n in classes)
        for k in range(200):
            z = acb(s, k * step)
            factors = [1 + one if n == 1 else (1 + one) ** n for one, (_, n) in zip(w, classes)]
            while len(factors) > 1:  # by two: one after another, the balls would grow each time
                factors = [*map(mul, factors[::2], factors[1::2]), *factors[len(factors) & ~1 :]]
            term = (-z * (reach + arb(t))).exp() * arb(2) ** -signs / z * factors[0]
            w = list(map(mul, w, turns))
            total += term / (1 if k else 2)
            if abs(term) < abs(total) * arb("1e-20"):
                return total.real * step * 2 / arb.pi()
    raise ValueError(
        f"200 terms of the sum over {a.size} classes do not fade: too few weights, or a common "
        "lattice"
    )


def _merged(a: Floats, counts: Floats) -> tuple[Floats, Floats]:
    """Distinct non-zero weights, ascending."""
    order = np.argsort(a)
    a, counts = a[order], counts[order]
    first = np.flatnonzero(np.append(a[0] > 0, a[1:] > a[:-1]))
    return a[first], np.add.reduceat(counts, first)


def _counted(a, counts, t):
    """The patterns counted, over 2^n, where they soon are, or None; a count beyond 2^53 is rounded
    outward.
    """
    from polycore.tails._meet_in_the_middle import (
        patterns_beyond,  # only here: Numba takes a moment to start
    )

    a = np.repeat(a, counts.astype(int))
    if (found := patterns_beyond(a, t)) is None:
        return None
    lower, upper = (math.ldexp(many, 1 - a.size) for many in found)
    if found[1] > 2**53:
        lower, upper = math.nextafter(lower, 0), math.nextafter(upper, 1)
    return Tail(lower, min(1.0, upper), "split enumeration", "certified")


def _fourier(a, counts, t, width, factors):
    s = max(tilt(a, counts, t), 1 / math.sqrt(np.sum(counts * a**2)))
    log, _, variance = cumulants(a, counts, s)
    if log - s * t < -660:
        raise ValueError(
            f"Pr[|Z| > t] is about exp({log - s * t:.4g}), below 1e-290: use tails.log_chernoff"
        )
    size = 1 / (2 + 2.6 * s * math.sqrt(variance))  # about E_Q E
    period, wrapped = _period(a, counts, t, s, log - s * t, 8 / math.sqrt(variance), size)
    step, least = 2 * math.pi / period, 2 * math.pi * (64 / period + s)

    def end(width):  # of the frequencies, for a gap of 0.85 width
        return 2 * math.pi * s / (0.85 * width) * (1 + 0.6 / (s * s * variance))

    factor, rounding = 2 * math.exp(log - s * t), 512 * UNIT * (2 + log + s * t)
    aim, before = (
        width if a.size == counts.sum() else min(0.5, 8 * width),
        math.inf,
    )  # of heavy atoms few are near t
    few = a.size <= FEW and counts.sum() <= MANY
    while True:
        found = _cleared(a, counts, s, step, least, end(aim), size / 20 * aim, factors)
        if found.end < end(aim):
            given = a, counts, s, step, least, end, aim, size / 20, factors
            found = _sifted(*given) if few else _widened(found, *given)
        lower, upper, slack = _means(a, counts, s, t, step, found, s * period)
        lower = max(0.0, factor * ((lower - slack) * (1 - rounding) - wrapped))
        upper = min(1.0, factor * (upper + slack) * (1 + rounding))
        if (
            (gap := upper - lower) <= width * lower or found.end < end(aim) or gap > 0.8 * before
        ):  # as with an atom at t
            return Tail(lower, upper, "tilted inversion", "certified")
        aim, before = aim * min(0.5, max(0.9 * width * lower / gap, 0.1)), gap


def _means(a, counts, s, t, step, found, sp):
    """Means of the periodised L and M over all nodes, and a bound on what either is off by."""
    k, total = np.arange(math.floor(found.start / step) + 1.0), found.end / step
    near = _sums(k, *characteristic(a, counts, s, t, step * k), total, sp)
    use = partial(_stretched, total=total, sp=sp)
    far = panels(a, counts, s, t, step, found.kept, use)
    lower, upper, slack = map(math.fsum, zip(near, *far))
    return lower, upper, slack + found.error


def _sifted(a, counts, s, step, least, end, width, share, most):
    """What to skip for `width`, or for the least width that `most` factors of phi last for; at an
    error of share * width.

    Nothing among the first nodes, where M^ bends, and each is a panel of its own.
    """
    while True:
        stop, first = end(width), math.floor(least / step)
        alone = np.ones(max(0, min(math.ceil(stop / step) - 1 - first, SINGLE)), bool)
        found = refine(
            a,
            counts,
            s,
            step,
            min(stop, step * (first + alone.size + 0.5)),
            stop,
            share * min(width, 0.1),
            most,
        )
        if found.load <= 1:
            return found._replace(
                start=min(stop, least), kept=[Panels(first, 1, np.packbits(alone)), *found.kept]
            )
        width *= max(1.02, math.sqrt(found.load))  # the load grows faster than 1 / width


def _widened(found, a, counts, s, step, least, end, width, share, most):
    """What to skip for the least of ever larger widths for which that can be done, unless `found`
    serves a smaller one.
    """
    while found.end < end(width) and width < 0.1:
        width *= math.sqrt(
            10
        )  # in two steps to ten times as much: a request for less tries all that one for more does
        wider = _cleared(a, counts, s, step, least, end(width), share * width, most)
        found = max(found, wider, key=lambda one: one.end)
    return found


def _cleared(a, counts, s, step, least, stop, allowed, factors):
    """What to skip, all from some node on, up to `stop`; or nothing up to a lower end, where no
    bound is worth having.
    """
    most = min(stop, max(least, step * min(COSINES // a.size, 2**20)))
    found = skip(a, counts, s, step, stop, allowed, factors)
    return Found(most, most, 0.0, []) if found.start > most or found.end < most else found


def _period(a, counts, t, s, exponent, more, size):
    """P and what wraps round, in units of exp(K(s) - s t): each sum is geometric, the second by
    Chernoff at s + `more`.
    """
    excess = cumulants(a, counts, s + more)[0] - (s + more) * t - exponent
    margin = math.log(1e12 / size)
    period = max((margin - exponent) / s, (margin + excess) / more)
    behind, ahead = math.exp(-s * period), math.exp(-more * period)
    return period, 1.001 * (
        math.exp(-s * period - exponent) / (1 - behind)
        + math.exp(excess - more * period) / (1 - ahead)
    )


def _extremal(k, total, sp):
    """M^ at the nodes k = 0, 1, ... < total = N, what L^ is less, and the rounding of either, all
    over N; s P = sp.

    At v = k/N and w = v - i rate/(2 pi) it is (1 - w)/gap - i rest, gap = 1 - exp(-2 pi i w), where
    the sum of the positive parts and the sine are off by at most 32 units of v, or of gap for v
    near 0.
    """
    v, rate = k / total, sp / total
    shift, rest = rate / (2 * math.pi), (rate / math.expm1(rate) + rate) / (2 * math.pi)
    sin, cos, weight, far = (
        np.sin(np.pi * v),
        np.cos(np.pi * v),
        np.where(k > 0, 2.0, 1.0) / total,
        1 - v,
    )
    inverse = 1 / (2 * math.exp(-rate) * sin * (sin + 1j * cos) - math.expm1(-rate))
    modulus = np.abs(inverse)
    size = modulus * (1 + v * modulus) * (far + shift) + rest + 1
    return (
        weight * ((far + 1j * shift) * inverse - 1j * rest),
        weight * far,
        weight * size * 64 * UNIT,
    )


def _sums(k, phi, error, total, sp):
    """The part of the nodes k in them, and a bound on the rounding of either; |phi| <= 1."""
    high, less, rounding = _extremal(k, total, sp)
    upper = float(np.sum((high * phi).real))
    return (
        upper - float(np.sum(less * phi.real)),
        upper,
        float(np.sum((np.abs(high) + less) * error + rounding)),
    )


def _stretched(k, length, value, drift, spread, size, error, total, sp):
    """The same for `length` nodes each from k > 0 on, of which `panels` gives the sums: M^ is
    nearly a parabola there.

    By the partial fractions of the cotangent |M^'''| <= 3/(pi v^4) + 7/2, for the poles at 0, -1,
    2, -2, 3, ...; a parabola through the middle and the ends, 2 h apart, is off by at most h^3/(9
    sqrt 3) times that.
    """
    half = max(0.5, (length - 1) / 2)  # of one node the other sums are 0
    places = (k, k + (length - 1) / 2, k + length - 1)
    (high, middle, end), (less, _, least), rounding = zip(
        *(_extremal(x, total, sp) for x in places)
    )
    slope, curve = (end - high) / (2 * half), (high - 2 * middle + end) / (2 * half**2)
    upper = float(np.sum((middle * value + slope * drift + curve * spread).real))
    gap = float(np.sum((less + least) / 2 * value.real + (least - less) / (2 * half) * drift.real))
    bend = (length - 1) ** 3 / (60 * total**3) * (total**4 / (math.pi / 3 * k**4) + 3.5) / total
    weight = np.abs(middle) + np.abs(slope) * length / 2 + np.abs(curve) * length**2 / 4 + 2 * less
    return upper - gap, upper, float(np.sum(weight * error + (sum(rounding) + bend) * size))
