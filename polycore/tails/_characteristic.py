"""The characteristic function phi(u) = E_Q exp(i u Z) of Z = sum_i f_i sigma_i under the
distribution Q tilted by s (`tails`).

    phi(u) = prod_i (cos u f_i + i tanh(s f_i) sin u f_i)^counts_i = exp(K(s + iu) - K(s)),

each value with a bound on its error: at nodes near 0 by logarithms, for any number of weights
(`characteristic`), and at millions of nodes further out as products (`panels`).
"""

import math
import os
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray
from scipy.special import zeta

from polycore.checks import Floats
from polycore.tails.rademacher import BLOCK, UNIT

__all__ = ["ROW", "Panels", "characteristic", "fade", "panels"]

ROW = 4096  # panels in a row
Complexes = NDArray[np.complex128]
Used = TypeVar("Used")


class Panels(NamedTuple):
    """The nodes first + j length + 1, ..., first + (j + 1) length for each j whose bit, packed, is
    1.
    """

    first: float
    length: int
    bits: NDArray[np.uint8]


def fade(y: Floats) -> Floats:
    """1 / cosh(y)^2 for y >= 0, without overflow.

    >>> fade(np.array([0.0, 1e3])).tolist()
    [1.0, 0.0]
    """
    return 4 * np.exp(-2 * y) / (1 + np.exp(-2 * y)) ** 2


def characteristic(
    a: Floats, counts: Floats, s: float, t: float, u: Floats
) -> tuple[Complexes, Floats]:
    """exp(-i u t) phi(u) and a bound on its error, of shape u.shape: small u a by `_series`, others
    by `_logarithms`.

    `a` > 0 and `u` >= 0, both ascending. The exponent is off by 64 units in u t, in the sum of the
    |angles| and at its end, and by what the series says; each angle beyond pi/4 by 64 units of
    itself, as |d factor / d angle| <= 1.

    >>> a, counts = np.array([1.0, 2.0]), np.array([1, 3])
    >>> value, error = characteristic(a, counts, 0.0, 0.0, np.array([0.25]))
    >>> bool(abs(value[0] - np.cos(0.25) * np.cos(0.5) ** 3) <= error[0] < 1e-12)
    True
    """
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
        error[part] = np.abs(value[part]) * np.expm1(
            relative + 64 * UNIT * (1 + u[part] * t)
        ) + 64 * UNIT * (1 + far)
    return value, error


def _series(a, counts, s, u):
    """K(s + iu) - K(s) and its error, K(z) = -sum_k (-1)^k lambda(2k) sum_i (2 z a_i/pi)^2k / k.

    lambda(m) = sum_j (2j + 1)^-m. The terms have 128 + 8 k units each; what is left out is
    geometric.
    """
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
        if rest < 1e-16 or k >= 60:
            return log, error + 2 * rest
        k, sign, first, last = k + 1, -sign, first * here, last * there
        power *= x


def _logarithms(a, counts, s, u):
    """sum_i counts_i ln(cos(u a_i) + i tanh(s a_i) sin(u a_i)), the sum of the |angles|, and that
    of the far u a_i.
    """
    x, slope = u[:, None] * a, np.tanh(s * a)
    cos, sin = np.cos(x), np.sin(x)
    square = sin**2
    with np.errstate(divide="ignore", invalid="ignore"):
        close = np.log1p(-fade(s * a) * np.minimum(square, 0.5))
        modulus = np.where(square < 0.5, close, np.log(cos**2 + slope**2 * square)) / 2
    angle = np.arctan2(slope * sin, cos)
    far = np.where(x > np.pi / 4, x, 0) @ counts
    return modulus @ counts + 1j * (angle @ counts), np.abs(angle) @ counts, far


def panels(
    a: Floats,
    counts: Floats,
    s: float,
    t: float,
    step: float,
    kept: Iterable[Panels],
    use: Callable[[Floats, int, Complexes, Complexes, Complexes, Floats, Floats], Used],
) -> Iterator[Used]:
    """Yields use(k, length, sum, drift, spread, size, error) for thousands of panels of `kept`
    at a time, on all cores.

    For y_l = exp(-i u t) phi(u), u = (k + l) step, 0 <= l < length: their sum and those of x_l y_l
    and x_l^2 y_l, where x_l = l - (length - 1)/2, off by at most `error`, length/2 and length^2/4
    times that, and at least the sum of the |y_l|; of shape k.shape. A node is a row, a panel in
    it and a place in that: the exponentials of three short lists serve all. The factor of a pair of
    weights is off by at most 128 units: 20 for each of three exponentials and 5 for their product,
    of either frequency, 16 for tanh, the others for its own operations and that of the product. Of
    a weight that is there 128 times or more the factor is 1/2 at least, which makes that 512 units
    relative to its square, or the product is below 2^-127.

    >>> kept = [Panels(100.0, 4, np.packbits([0, 1]))]
    >>> a, counts = np.array([1.0]), np.array([2])
    >>> found = list(panels(a, counts, 0.0, 0.0, 0.5, kept, lambda *found: found))
    >>> [([k], length, [value], *_, [error])] = found
    >>> known = sum(np.cos(0.5 * np.arange(105, 109)) ** 2)
    >>> int(k), length, bool(abs(value - known) <= error < 1e-12)
    (105, 4, True)
    """
    if not (jobs := list(_jobs(kept))):
        return
    from polycore.tails._products import moments  # only here: Numba takes a moment to start

    b, slope = np.append(a, [-t, 0.0]), np.append(np.tanh(s * a), [1.0, 0.0])
    pairs, power = _pairs(np.append(counts, 1).astype(int))
    one, other = slope[pairs]
    mix = np.array([1 + one * other, 1 - one * other, one + other, one - other]) / 2
    once, often = (
        math.expm1(c * UNIT * float(np.sum(power[those])))
        for c, those in ((128, power < 64), (512, power >= 64))
    )
    across = {
        n: _turns(step, n * np.arange(float(ROW)), b, pairs) for n in {job.length for job in jobs}
    }
    within = {n: _turns(step, np.arange(1.0, n + 1), b, pairs).T for n in across}

    def computed(job):
        first, length, bits = job
        index = np.flatnonzero(np.unpackbits(bits))
        rows = _turns(
            step, first + ROW * length * np.arange(-(-bits.size * 8 // ROW) + 0.0), b, pairs
        )
        value, drift, spread, size = moments(
            index, rows, across[length], within[length], mix, power
        )
        error = length * once + (often + 2 * length * UNIT) * size  # the last of summing
        k = first + length * index + 1.0
        return use(k, length, value, drift, spread, size, error)

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        yield from pool.map(computed, jobs)


def _jobs(kept):
    """`kept` in pieces of 256 to 511 nodes for each place in a row, without the empty ones."""
    for first, length, bits in kept:
        many = ROW * max(1, 256 // length)
        for i in range(0, bits.size, many // 8):
            if bits[i : i + many // 8].any():
                yield Panels(first + 8.0 * i * length, length, bits[i : i + many // 8])


def _pairs(counts):
    """Which weights go together, shape (2, c), and how often: each with itself, and those left over
    by two, or with none.
    """
    twice, left = np.flatnonzero(counts > 1), np.flatnonzero(counts % 2)
    others = np.append(left, [counts.size] * (left.size % 2)).astype(int).reshape(-1, 2)
    return np.concatenate([np.stack([twice, twice]), others.T], axis=1), np.append(
        counts[twice] // 2, np.ones(len(others), int)
    )


def _turns(step, k, b, pairs):
    """exp(i step k (b + b')) and exp(i step k (b - b')) for the pairs, a row for every k.

    The angles are exact, for beyond 10^8 their own rounding would be seen.
    """
    u, rest = _exactly(step, k[:, None])
    angle, more = _exactly(u, b)
    z = np.exp(1j * angle) * np.exp(1j * (more + rest * b))
    return np.concatenate(
        [z[:, pairs[0]] * z[:, pairs[1]], z[:, pairs[0]] * z[:, pairs[1]].conj()], axis=1
    )


def _exactly(x, y):
    """x y as the sum of two float64 (Dekker)."""
    product, (high, low), (up, down) = x * y, _split(x), _split(y)
    return product, high * up - product + high * down + low * up + low * down


def _split(x):
    """x as the sum of two numbers of 26 bits (Veltkamp)."""
    high = (2**27 + 1) * x
    high = high - (high - x)
    return high, x - high
