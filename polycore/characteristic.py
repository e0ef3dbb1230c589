"""The characteristic function phi(u) = E_Q exp(i u Z) of Z = sum_i f_i sigma_i under the law Q tilted by s (`tails`).

    phi(u) = prod_i (cos u f_i + i tanh(s f_i) sin u f_i)^counts_i = exp(K(s + iu) - K(s)),

each value with a bound on its error: at nodes near 0 by logarithms, for any number of weights (`characteristic`), and
at millions of nodes further out as products (`stretches`).
"""

import math
from typing import NamedTuple

import numpy as np
from scipy.special import zeta

from polycore.rademacher import BLOCK, UNIT

__all__ = ["ROW", "Stretches", "characteristic", "fade", "stretches"]

ROW = 4096  # stretches in a row


class Stretches(NamedTuple):
    """The nodes first + j length + 1, ..., first + (j + 1) length for each j whose bit, packed, is 1."""

    first: float
    length: int
    bits: np.ndarray


def fade(y):
    """1 / cosh(y)^2 for y >= 0, without overflow.

    >>> fade(np.array([0.0, 1e3])).tolist()
    [1.0, 0.0]
    """
    return 4 * np.exp(-2 * y) / (1 + np.exp(-2 * y)) ** 2


def characteristic(a, counts, s, t, u):
    """exp(-i u t) phi(u) and a bound on its error, of shape u.shape: small u a by `_series`, others by `_logarithms`.

    `a` > 0 and `u` >= 0, both ascending. The exponent is off by 64 units in u t, in the sum of the |angles| and at its
    end, and by what the series says; each angle beyond pi/4 by 64 units of itself, as |d factor / d angle| <= 1.

    >>> value, error = characteristic(np.array([1.0, 2.0]), np.array([1, 3]), 0.0, 0.0, np.array([0.25]))
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
        error[part] = np.abs(value[part]) * np.expm1(relative + 64 * UNIT * (1 + u[part] * t)) + 64 * UNIT * (1 + far)
    return value, error


def _series(a, counts, s, u):
    """K(s + iu) - K(s) and its error, K(z) = -sum_k (-1)^k lambda(2k) sum_i (2 z a_i/pi)^2k / k.

    lambda(m) = sum_j (2j + 1)^-m. The terms have 128 + 8 k units each; what is left out is geometric.
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
        close = np.log1p(-fade(s * a) * np.minimum(square, 0.5))
        modulus = np.where(square < 0.5, close, np.log(cos**2 + slope**2 * square)) / 2
    angle = np.arctan2(slope * sin, cos)
    far = np.where(x > np.pi / 4, x, 0) @ counts
    return modulus @ counts + 1j * (angle @ counts), np.abs(angle) @ counts, far


def stretches(a, counts, s, t, step, total, kept):
    """Yields k, exp(-i u t) phi(u) at u = k step and a bound on its error, some 10^4 nodes k < total of `kept` at a time.

    `kept`: a list of `Stretches` of one length. A node is a row, a stretch in it and a place in that: the exponentials
    of three short lists serve all. A factor is off by at most 4 units of the largest angle, the sum of three with at most
    3 roundings each, and by 64 units for three exponentials, tanh, and the multiplications, its own and of the product.

    >>> kept = [Stretches(100.0, 4, np.packbits([0, 1]))]
    >>> [(k, value, error)] = stretches(np.array([1.0]), np.array([2]), 0.0, 0.0, 0.5, 1e9, kept)
    >>> k.tolist(), bool((abs(value - np.cos(0.5 * k) ** 2) <= error).all()), bool(error.max() < 1e-9)
    ([105.0, 106.0, 107.0, 108.0], True, True)
    """
    if not kept:
        return
    from polycore.products import products  # only here: Numba takes a moment to start

    length, chunk = kept[0].length, 2**14 // kept[0].length + 1
    b, slope, counts = np.append(a, -t), np.append(np.tanh(s * a), 1.0), np.append(counts, 1)
    columns = _turns(step * length * np.arange(float(ROW)), b)
    nodes = _turns(step * np.arange(1.0, length + 1), b).T.copy()
    for first, _, bits in kept:
        index = np.flatnonzero(np.unpackbits(bits))
        if index.size == 0:
            continue
        far = first + ROW * length * np.arange(index[-1] // ROW + 2.0)
        rows, off = _turns(step * far[:-1], b), UNIT * (64 + 4 * step * far[-1] * np.abs(b))
        for part in np.split(index, range(chunk, index.size, chunk)):
            value, error = products(part, rows, columns, nodes, slope, counts, 3 * off * (1 + off))
            k = first + length * part[:, None] + np.arange(1.0, length + 1)
            yield k[k < total], value[k < total], error[k < total]


def _turns(u, b):
    """exp(i u b), a row for every u."""
    return np.exp(1j * (u[:, None] * b))
