"""Certified tails of Z = sum_i f_i sigma_i with small relative error, at any probability above 1e-290.

Under the law Q tilted by s > 0 (`tails`) the rare event is a common one,

    Pr[Z > t] = exp(K(s) - s t) E_Q E(Z - t),   E(x) = exp(-s x) for x > 0, else 0.

Graham and Vaaler's functions L <= E <= M have Fourier transforms that vanish beyond a frequency D and the least
integrals, apart by 1/D. Periodised by P, their means are finite sums over phi(u) = E_Q exp(i u Z) at N = D P nodes,

    E_Q sum_m M(Z - t + m P) = (1/N) sum_{|k| < N} M^(k/N) phi(2 pi k/P) exp(-2 pi i k t/P),

so nothing is truncated. The certificate holds both Pr[|Z| > t] and Pr[|Z| >= t] and adds up

- smoothing: the gap between M and L, about 2 pi s / U of the answer for U = 2 pi D; no smaller than the atom at t;
- wrapping: sum_{m>0} exp(-s m P) + exp(s m P) Pr[Z > t + m P], by Chernoff's bound, 1e-11 of the answer;
- skipping: |phi| <= exp(-G/2), G(u) = sum_i sin(u f_i)^2 / cosh(s f_i)^2, where G is shown to be large;
- rounding of every node, and of the power series of ln cosh that replaces most logarithms.
"""

import math

import numpy as np
from flint import acb, arb, ctx
from scipy.special import zeta

from polycore.checks import real
from polycore.rademacher import BLOCK, UNIT, Tail, beyond, settled, two_class_tail, weights
from polycore.tails import cumulants, tilt

__all__ = ["inversion", "ball_tail"]

COSINES = 2**25  # nodes times weights, at most, where no bound on |phi| allows skipping
SUBSET = 384  # weights that show |phi| to be small


def inversion(f, t, counts=None, width=1e-8):
    """Enclosure of Pr[|Z| > t] with upper - lower <= width * value where the weights allow, for up to 10^6 and more of them.

    At most two distinct weights: `two_class_tail`. At most 44 signs: all sums of two halves, counted against each
    other (Horowitz and Sahni). Otherwise the tilted Fourier inversion above: 1e-8 takes some hundreds of weights
    without a common lattice, in time ~ s max |f| / width. With fewer, with atoms, or so near sum |f| that most signs
    are fixed, the enclosure is as wide as 2^25 cosines leave it, and still certified.
    `f`: shape (c,), not all zero; `t` >= 0; 0 < `width` < 1; ValueError otherwise, or where the tail is below 1e-290.
    `graham1981`; `horowitz1974`.

    >>> f = np.random.default_rng(0).uniform(0, 1, 10**4)
    >>> found = inversion(f, 7.2 * np.linalg.norm(f), width=1e-6)
    >>> f"{found.value:.9e}", found.upper - found.lower < 1e-6 * found.value
    ('5.792062333e-13', True)
    """
    (a, counts, t), width = weights(f, counts, t), real("width", width, above=0, below=1)
    a, counts = _merged(a, counts)
    if (certain := settled(a, counts, t)) is not None:
        return Tail(certain, certain, "support", "certified")
    if a.size == 1 or a.size == 2 and counts.max() <= 10**12 and counts.min() <= 10**8:
        return two_class_tail(a, counts, t)
    return _halves(np.repeat(a, counts.astype(int)), t) if counts.sum() <= 44 else _fourier(a, counts, t, width)


def ball_tail(f, t, counts=None):
    """Pr[|Z| > t] by the trapezoidal rule on the line z = s + i k h, in balls of 200 bits: a comparison, no certificate.

        (2 h/pi) Re sum'_{k>=0} exp(K(z) - z t)/z,   K'(s) = t,   h = 2 pi/(30 ||f||),

    the first term halved, up to the first below 1e-20 of the sum. The balls hold every rounding, but neither what
    wraps round, below 1e-12 of the answer, nor the terms left out: on a lattice, where |phi| returns to 1, the value
    lies between the jumps. `f`: shape (c,), not all zero; ||f|| <= `t` <= 40 ||f||; ValueError otherwise, or where
    200 terms do not fade. Returns an arb. Time ~ 50 classes.

    >>> f = np.random.default_rng(0).uniform(0, 1, 300)
    >>> ball_tail(f, 7 * np.linalg.norm(f)).str(12, radius=False)
    '7.73751341964e-13'
    """
    a, counts, t = weights(f, counts, t)
    norm = math.sqrt(np.sum(counts * a**2))
    if not norm <= t <= 40 * norm:
        raise ValueError(f"t must lie between ||f|| = {norm:.6g} and 40 ||f||, got {t:.6g}: elsewhere too much wraps round")
    if beyond(a, counts, t):
        return arb(0)
    with ctx.workprec(200):
        total, s, step = acb(0), arb(tilt(a, counts, t)), 2 * arb.pi() / arb(30 * norm)
        classes = [(arb(x), int(n)) for x, n in zip(a.tolist(), counts.tolist())]
        for k in range(200):
            z = acb(s, k * step)
            exponent = sum(((z * x).cosh().log() * n for x, n in classes), -z * arb(t))  # on any branch, for exp forgets it
            term = exponent.exp() / z
            total += term / (1 if k else 2)
            if abs(term) < abs(total) * arb("1e-20"):
                return total.real * step * 2 / arb.pi()
    raise ValueError(f"200 terms of the sum over {a.size} classes do not fade: too few weights, or a common lattice")


def _merged(a, counts):
    """Distinct non-zero weights, ascending."""
    order = np.argsort(a)
    a, counts = a[order], counts[order]
    first = np.flatnonzero(np.append(a[0] > 0, a[1:] > a[:-1]))
    return a[first], np.add.reduceat(counts, first)


def _halves(a, t):
    """#{signs: Z > t} from the sorted sums of either half of the weights; sums are off by at most `slack`."""
    left, right = (np.zeros(1), np.zeros(1))
    for x in a[::2]:
        left = np.concatenate([left - x, left + x])
    for x in a[1::2]:
        right = np.concatenate([right - x, right + x])
    left, right, slack = np.sort(left), np.sort(right), 4 * a.size * UNIT * (float(np.sum(a)) + t)
    few, many = (right.size * left.size - int(np.sum(np.searchsorted(right, edge - left, side="right")))
                 for edge in (t + slack, t - slack))
    scale = 2.0 ** (1 - a.size)
    return Tail(few * scale, min(1.0, many * scale), "split enumeration", "certified")


def _fourier(a, counts, t, width):
    s = max(tilt(a, counts, t), 1 / math.sqrt(np.sum(counts * a**2)))
    log, _, variance = cumulants(a, counts, s)
    if log - s * t < -660:
        raise ValueError(f"Pr[|Z| > t] is about exp({log - s * t:.4g}), below 1e-290: use tails.log_chernoff")
    size = 1 / (2 + 2.6 * s * math.sqrt(variance))  # about E_Q E
    period, wrapped = _period(a, counts, t, s, log - s * t, 8 / math.sqrt(variance), size)
    step, wanted = 2 * math.pi / period, 2 * math.pi * s / (0.85 * width) * (1 + 0.6 / (s * s * variance))
    most = step * max(min(COSINES // a.size, 2**20), 64 + s * period)
    start, end, skipped = _skip(a, counts * _fade(s * a), step, wanted, width * size / 20)
    if start > most or end < min(wanted, most):  # no bound worth having: every node there is time for
        start, end, skipped = min(wanted, most), min(wanted, most), 0.0
    k = np.arange(math.floor(start / step) + 1.0)
    lower, upper, slack = _sums(k, end / step, s * period, *_characteristic(a, counts, s, t, step * k))
    factor, rounding = 2 * math.exp(log - s * t), 512 * UNIT * (2 + log + s * t)
    slack += float(skipped)
    return Tail(max(0.0, factor * ((lower - slack) * (1 - rounding) - wrapped)),
                min(1.0, factor * (upper + slack) * (1 + rounding)), "tilted inversion", "certified")


def _fade(y):
    """1 / cosh(y)^2 without overflow."""
    return 4 * np.exp(-2 * y) / (1 + np.exp(-2 * y)) ** 2


def _period(a, counts, t, s, exponent, more, size):
    """P and what wraps round, in units of exp(K(s) - s t): each sum is geometric, the second by Chernoff at s + `more`."""
    excess = cumulants(a, counts, s + more)[0] - (s + more) * t - exponent
    margin = math.log(1e12 / size)
    period = max((margin - exponent) / s, (margin + excess) / more)
    behind, ahead = math.exp(-s * period), math.exp(-more * period)
    return period, 1.001 * (math.exp(-s * period - exponent) / (1 - behind) + math.exp(excess - more * period) / (1 - ahead))


def _sums(k, total, sp, phi, error):
    """Means of the periodised L and M, and a bound on the rounding of either; k = 0, 1, ... < total = N, sp = s P."""
    v, rate = k / total, sp / total
    # 1 - exp(-rate - 2 pi i v), its real part a sum of positive terms
    gap = -np.expm1(-rate) + np.exp(-rate) * (2 * np.sin(np.pi * v) ** 2 + 1j * np.sin(2 * np.pi * v))
    slope = rate / np.expm1(rate) - rate * (1 / gap - 1)
    above = ((1 - v) / gap - 1j / (2 * np.pi) * slope * (k > 0)) / total
    twice = np.where(k > 0, 2.0, 1.0)
    upper = float(np.sum(twice * (above * phi).real))
    lower = upper - float(np.sum(twice * (1 - v) * phi.real)) / total
    return lower, upper, float(np.sum(twice * (np.abs(above) + 1 / total) * (error + 64 * UNIT * np.abs(phi))))


def _characteristic(a, counts, s, t, u):
    """exp(-i u t) phi(u) under the tilted law and a bound on its error, each of shape u.shape."""
    value, error = np.empty(u.shape, complex), np.empty(u.shape)
    rows = max(16, BLOCK // (8 * a.size))
    for i in range(0, u.size, rows):
        part = slice(i, i + rows)
        near = np.searchsorted(a, 0.9 / abs(complex(s, u[part][-1])))
        log, relative = _series(a[:near], counts[:near], s, u[part])
        more, far = 0.0, 0.0
        if near < a.size:
            more, turns, far = _logarithms(a[near:], counts[near:], s, u[part])
            relative = relative + 64 * UNIT * turns
        value[part] = np.exp(log + more - 1j * u[part] * t)
        error[part] = np.abs(value[part]) * np.expm1(relative + 64 * UNIT * (1 + u[part] * t)) + 64 * UNIT * (1 + far)
    return value, error


def _series(a, counts, s, u):
    """K(s + iu) - K(s) from K(z) = -sum_k (-1)^k lambda(2k) sum_i (2 z a_i/pi)^2k / k, lambda(m) = sum_j (2j+1)^-m; its error."""
    if a.size == 0:
        return 0.0, 0.0
    z, x = s + 1j * u, (a / a[-1]) ** 2
    here, there = (2 * a[-1] * z / math.pi) ** 2, (2 * a[-1] * s / math.pi) ** 2
    ratio, power = float(np.abs(here).max()), counts * x
    log, error, spread = 0.0, 0.0, float(np.sum(power))
    k, sign, first, last = 1, 1.0, here, there
    while True:
        weight = zeta(2 * k) * (1 - 4.0**-k) * float(np.sum(power)) / k
        log = log + sign * weight * (first - last)
        error = error + weight * (np.abs(first) + last) * UNIT * (128 + 8 * k)
        rest = 1.3 * spread * ratio ** (k + 1) / (1 - ratio)
        if rest < 1e-16 or k == 60:
            return log, error + 2 * rest
        k, sign, first, last = k + 1, -sign, first * here, last * there
        power *= x


def _logarithms(a, counts, s, u):
    """sum_i counts_i ln(cos(u a_i) + i tanh(s a_i) sin(u a_i)), the sum of the |angles|, and that of the far u a_i."""
    x, slope = u[:, None] * a, np.tanh(s * a)
    cos, sin = np.cos(x), np.sin(x)
    square = sin**2
    with np.errstate(divide="ignore", invalid="ignore"):
        close = np.log1p(-_fade(s * a) * np.minimum(square, 0.5))
        modulus = np.where(square < 0.5, close, np.log(cos**2 + slope**2 * square)) / 2
    angle = np.arctan2(slope * sin, cos)
    far = np.where(x > np.pi / 4, x, 0) @ counts
    return modulus @ counts + 1j * (angle @ counts), np.abs(angle) @ counts, far


def _skip(a, energy, step, stop, allowed):
    """(start, end, error): the nodes in (start, end] together move either sum by at most `error` <= 2 `allowed`.

    As |M^(v)|, |L^(v)| <= 1/v, node k counts 2 |phi_k| / k. While u a <= 1 for most of the energy, sin(x)^2 >= 0.7 x^2
    does; from there on G of a subset is computed on a grid, between whose points it falls by the curvature at most.
    """
    v = 1.05 ** np.arange(math.ceil(math.log(step) / math.log(1.05)), math.ceil(math.log(stop) / math.log(1.05)))
    inside = np.append(0.0, np.cumsum(energy * a**2))[np.searchsorted(a, 1 / (1.05 * v), side="right")]
    charge = 2 * (0.05 + step / v) * np.exp(-0.7 * v**2 * inside / 2)
    good = np.flatnonzero(charge < allowed / 1000)
    if good.size == 0:
        return math.inf, 0.0, 0.0
    start = v[good[0]]
    stays = good[np.arange(good.size) == good - good[0]]
    end, error = min(stop, 1.05 * v[stays[-1]]), float(np.sum(charge[stays]))
    if end < stop:
        return start, *_scan(a, energy, step, end, stop, error, allowed)
    return start, end, error


def _scan(a, energy, step, end, stop, error, allowed):
    """From `end` on, as far as the running error stays below `allowed`; one product of matrices for 256 rows of 4096 points."""
    least, enough = np.searchsorted(a, [0.5 / end, 8 / end])  # the smaller the weights, the wider the grid may be
    chosen = np.unique(np.linspace(least, min(max(enough, least + 2 * SUBSET), a.size) - 1, SUBSET).astype(int))
    a, energy = a[chosen], np.minimum(energy[chosen], 2**20)
    whole, bend = float(np.sum(energy)), float(np.sum(energy * a**2))
    width = 0.7 * math.sqrt(whole / bend)
    loss = width**2 * bend / 4 + (1e-3 + 16 * UNIT * stop * a[-1]) * whole  # curvature, float32, float64 angles
    across = 2 * width * np.arange(4097)[None] * a[:, None]
    right = np.concatenate([np.cos(across), -np.sin(across)]).astype(np.float32)
    while end < stop:
        rows = end + 4096 * width * np.arange(min(256, math.ceil((stop - end) / (4096 * width))))
        down = 2 * rows[:, None] * a
        left = np.concatenate([energy * np.cos(down), energy * np.sin(down)], axis=1).astype(np.float32)
        least = (whole - (left @ right).max(axis=1)) / 2 - loss
        charge = np.cumsum(2 * (4096 * width + step) / rows * np.exp(-np.maximum(least, 0) / 2))
        if error + charge[-1] > allowed:
            count = int(np.searchsorted(charge, allowed - error))
            return float(rows[count]), error + (float(charge[count - 1]) if count else 0.0)
        end, error = float(rows[-1] + 4096 * width), error + float(charge[-1])
    return stop, error
