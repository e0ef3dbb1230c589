"""Products of very many factors cos x + i tanh(y) sin x, by rotation: the compiled loop behind `inversion.inversion`.

`inversion` imports this where it has stretches of nodes to compute, not before: Numba compiles on first use (some
seconds) and keeps the result beside Python's own bytecode.
"""

from functools import cache

import numpy as np
from numba import njit

__all__ = ["products"]

LANES = 16  # stretches computed side by side: four or two machine vectors


def products(index, rows, columns, nodes, slope, counts, spread):
    """prod_i (Re z_i + i slope_i Im z_i)^counts_i, z_i = rows[p, i] columns[q, i] nodes[i, l], and a bound on its error.

    `index` = p * len(columns) + q, shape (g,); the answers have shape (g, l). No cosine is computed, so a factor takes
    a dozen operations. If every factor is off by at most d_i, its share of the roundings of the product included, and
    `spread` = 3 d_i (1 + d_i), then, as a computed factor is at most 1 + d_i,

        |error| <= prod (|factor_i| + d_i)^counts_i - |value| <= prod (|factor_i|^2 + spread_i)^(counts_i/2) - |value|.

    The last product is rounded too, by at most 8 units for each factor: spread exceeds what it need be by d_i, so d_i
    >= 16 units is enough. 1e-15 |value| is for the last root and difference, 1e-150 for underflow.

    >>> z = np.exp(1j * np.array([[0.25, 0.5]]))
    >>> value, error = products(np.array([0]), z, z, z.T.copy(), np.zeros(2), np.array([1, 3]), np.full(2, 1e-14))
    >>> bool(abs(value[0, 0] - np.cos(0.75) * np.cos(1.5) ** 3) < error[0, 0] < 1e-12)
    True
    """
    padded = np.append(index, np.full(-index.size % LANES, index[-1]))
    value, error = np.empty((padded.size, nodes.shape[1]), complex), np.empty((padded.size, nodes.shape[1]))
    _fill()(padded, rows, columns, nodes.real.copy(), nodes.imag.copy(), slope, counts.astype(np.int64), spread, value, error)
    return value[: index.size], error[: index.size]


@cache
def _fill():
    @njit(cache=True, fastmath={"contract"})
    def fill(index, rows, columns, cos, sin, slope, counts, spread, value, error):
        size = cos.shape[1]
        re, im, square = np.empty((3, size, LANES))
        (x, y), (p, q) = np.empty((2, LANES)), np.empty((2, LANES), np.int64)
        for g in range(0, index.size, LANES):
            re[:], im[:], square[:] = 1.0, 0.0, 1.0
            for h in range(LANES):
                p[h], q[h] = index[g + h] // columns.shape[0], index[g + h] % columns.shape[0]
            for i in range(slope.size):
                for h in range(LANES):
                    z = rows[p[h], i] * columns[q[h], i]
                    x[h], y[h] = z.real, z.imag
                more, n = spread[i], counts[i]
                for j in range(size):
                    a, b, u, v = cos[i, j], sin[i, j], slope[i] * sin[i, j], slope[i] * cos[i, j]
                    for h in range(LANES if n == 1 else 0):
                        c, d, r = x[h] * a - y[h] * b, x[h] * u + y[h] * v, re[j, h]
                        re[j, h] = r * c - im[j, h] * d
                        im[j, h] = r * d + im[j, h] * c
                        square[j, h] *= c * c + d * d + more
                    for h in range(LANES if n > 1 else 0):
                        c, d, e = x[h] * a - y[h] * b, x[h] * u + y[h] * v, n
                        both = c * c + d * d + more
                        while e:  # by squaring
                            if e & 1:
                                r = re[j, h]
                                re[j, h], im[j, h] = r * c - im[j, h] * d, r * d + im[j, h] * c
                                square[j, h] *= both
                            c, d, both, e = c * c - d * d, 2 * c * d, both * both, e >> 1
            for j in range(size):
                for h in range(LANES):
                    value[g + h, j] = complex(re[j, h], im[j, h])
                    modulus = np.hypot(re[j, h], im[j, h])
                    error[g + h, j] = np.sqrt(square[j, h]) - modulus + 1e-15 * modulus + 1e-150

    return fill
