"""Sums of products of very many factors cos x + i tanh(y) sin x, by rotation: the compiled loop
behind `inversion.inversion`.

`inversion` imports this where it has panels of nodes to compute, not before: Numba compiles on
first use (some seconds) and keeps the result beside Python's own bytecode.
"""

import numpy as np
from numba import njit
from numpy.typing import NDArray

from polycore.checks import Floats

__all__ = ["moments"]

Complexes = NDArray[np.complex128]
LANES, TILE = (
    128,
    16,
)  # panels side by side, and nodes of each, of which the products stay in the cache


def moments(
    index: NDArray[np.int64],
    rows: Complexes,
    columns: Complexes,
    nodes: Complexes,
    mix: Floats,
    power: NDArray[np.int64],
) -> tuple[Complexes, Complexes, Complexes, Floats]:
    """sum_l y_l, sum_l x_l y_l, sum_l x_l^2 y_l and sum_l |Re y_l| + |Im y_l|, shape (g,), x_l = l
    - (L - 1)/2, l < L.

        y_l = prod_i (mix_0i Re v_i + mix_1i Re w_i + i (mix_2i Im v_i + mix_3i Im w_i))^power_i

    is the product of factors of pairs, v_i = z_i z'_i and w_i = z_i / z'_i for |z_i| = |z'_i| = 1:
    twelve operations for two, and no cosine. (v, w) = rows[p] columns[q] nodes[:, l], shape (2 c,);
    `index` = p * len(columns) + q, shape (g,).

    >>> z = np.exp(1j * np.array([[0.25 + 0.5, 0.25 - 0.5]]))  # tanh = 0, so (cos 3/4 cos 3/2)^2
    >>> mix, power = np.array([[0.5], [0.5], [0], [0]]), np.array([2])
    >>> [value], [drift], _, [size] = moments(np.array([0]), z, z, z.T, mix, power)
    >>> error = abs(value - (np.cos(0.75) * np.cos(1.5)) ** 2)
    >>> bool(error < 1e-15), bool(drift == 0), bool(size == abs(value))
    (True, True, True)
    """
    padded = np.append(index, np.full(-index.size % LANES, index[-1]))
    out = np.empty((7, padded.size))
    _fill(
        padded,
        rows,
        columns,
        nodes.real.copy(),
        nodes.imag.copy(),
        mix,
        power.astype(np.int64),
        out,
    )
    *sums, size = out[:, : index.size]
    value, drift, spread = (re + 1j * im for re, im in zip(sums[::2], sums[1::2]))
    return value, drift, spread, size


@njit(cache=True, fastmath={"contract"}, nogil=True)
def _fill(index, rows, columns, cos, sin, mix, power, out):
    length, many = cos.shape[1], power.size
    x, y = np.empty((2, 2 * many, LANES))
    re, im = np.empty((2, TILE, LANES))
    e, f = np.empty((2, LANES))
    p, q = np.empty((2, LANES), np.int64)
    for g in range(0, index.size, LANES):
        for h in range(LANES):
            p[h], q[h] = index[g + h] // columns.shape[0], index[g + h] % columns.shape[0]
        for start in range(0, LANES, 8):  # so many lines of either table as the cache follows
            for i in range(2 * many):
                for h in range(start, start + 8):
                    a, b, c, d = (
                        rows[p[h], i].real,
                        rows[p[h], i].imag,
                        columns[q[h], i].real,
                        columns[q[h], i].imag,
                    )
                    x[i, h], y[i, h] = a * c - b * d, a * d + b * c
        out[:, g : g + LANES] = 0.0
        for start in range(0, length, TILE):
            stop = min(TILE, length - start)
            re[:stop], im[:stop] = 1.0, 0.0
            for i in range(many):
                k = many + i
                for j in range(stop):
                    a, b, c, d = (
                        cos[i, start + j],
                        sin[i, start + j],
                        cos[k, start + j],
                        sin[k, start + j],
                    )
                    ma, mb, mc, md = mix[0, i] * a, mix[0, i] * b, mix[1, i] * c, mix[1, i] * d
                    na, nb, nc, nd = mix[2, i] * a, mix[2, i] * b, mix[3, i] * c, mix[3, i] * d
                    n = power[i]
                    for h in range(LANES if n == 1 else 0):
                        u = x[i, h] * ma - y[i, h] * mb + x[k, h] * mc - y[k, h] * md
                        v = x[i, h] * nb + y[i, h] * na + x[k, h] * nd + y[k, h] * nc
                        r = re[j, h]
                        re[j, h], im[j, h] = r * u - im[j, h] * v, r * v + im[j, h] * u
                    for h in range(LANES if n > 1 else 0):
                        e[h] = x[i, h] * ma - y[i, h] * mb + x[k, h] * mc - y[k, h] * md
                        f[h] = x[i, h] * nb + y[i, h] * na + x[k, h] * nd + y[k, h] * nc
                    while power[i] > 1 and n:  # by squaring
                        if n & 1:
                            for h in range(LANES):
                                r = re[j, h]
                                re[j, h], im[j, h] = (
                                    r * e[h] - im[j, h] * f[h],
                                    r * f[h] + im[j, h] * e[h],
                                )
                        for h in range(LANES):
                            r = e[h]
                            e[h], f[h] = r * r - f[h] * f[h], 2 * r * f[h]
                        n >>= 1
            for j in range(stop):
                away = start + j - (length - 1) / 2
                for h in range(LANES):
                    r, s = re[j, h], im[j, h]
                    out[0, g + h] += r
                    out[1, g + h] += s
                    out[2, g + h] += away * r
                    out[3, g + h] += away * s
                    out[4, g + h] += away * away * r
                    out[5, g + h] += away * away * s
                    out[6, g + h] += abs(r) + abs(s)
