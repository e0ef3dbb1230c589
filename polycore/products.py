"""Products of very many factors cos x + i tanh(y) sin x, by rotation: the compiled loop behind `inversion.inversion`.

`inversion` imports this where it has stretches of nodes to compute, not before: Numba compiles on first use (some
seconds) and keeps the result beside Python's own bytecode.
"""

import numpy as np
from numba import njit

__all__ = ["products"]

LANES = 16  # stretches computed side by side: four or two machine vectors


def products(index, rows, columns, nodes, slope, counts):
    """prod_i (Re z_i + i slope_i Im z_i)^counts_i, z_i = rows[p, i] columns[q, i] nodes[i, l], for |slope_i| <= 1.

    `index` = p * len(columns) + q, shape (g,); the answer has shape (g, l). No cosine is computed, so a factor takes
    eight operations. As a factor is at most 1, the product is off by at most prod (1 + d_i)^counts_i - 1, where d_i is what
    a factor is off by and 8 units for its multiplication.

    >>> z = np.exp(1j * np.array([[0.25, 0.5]]))
    >>> value = products(np.array([0]), z, z, z.T.copy(), np.zeros(2), np.array([1, 3]))
    >>> bool(abs(value[0, 0] - np.cos(0.75) * np.cos(1.5) ** 3) < 1e-15)
    True
    """
    padded = np.append(index, np.full(-index.size % LANES, index[-1]))
    value = np.empty((padded.size, nodes.shape[1]), complex)
    _fill(padded, rows, columns, nodes.real.copy(), nodes.imag.copy(), slope, counts.astype(np.int64), value)
    return value[: index.size]


@njit(cache=True, fastmath={"contract"}, nogil=True)
def _fill(index, rows, columns, cos, sin, slope, counts, value):
    size = cos.shape[1]
    re, im = np.empty((2, size, LANES))
    (x, y), (p, q) = np.empty((2, LANES)), np.empty((2, LANES), np.int64)
    for g in range(0, index.size, LANES):
        re[:], im[:] = 1.0, 0.0
        for h in range(LANES):
            p[h], q[h] = index[g + h] // columns.shape[0], index[g + h] % columns.shape[0]
        for i in range(slope.size):
            for h in range(LANES):
                z = rows[p[h], i] * columns[q[h], i]
                x[h], y[h] = z.real, z.imag
            n = counts[i]
            for j in range(size):
                a, b, u, v = cos[i, j], sin[i, j], slope[i] * sin[i, j], slope[i] * cos[i, j]
                for h in range(LANES if n == 1 else 0):
                    c, d, r = x[h] * a - y[h] * b, x[h] * u + y[h] * v, re[j, h]
                    re[j, h] = r * c - im[j, h] * d
                    im[j, h] = r * d + im[j, h] * c
                for h in range(LANES if n > 1 else 0):
                    c, d, e = x[h] * a - y[h] * b, x[h] * u + y[h] * v, n
                    while e:  # by squaring
                        if e & 1:
                            r = re[j, h]
                            re[j, h], im[j, h] = r * c - im[j, h] * d, r * d + im[j, h] * c
                        c, d, e = c * c - d * d, 2 * c * d, e >> 1
        for j in range(size):
            for h in range(LANES):
                value[g + h, j] = complex(re[j, h], im[j, h])
