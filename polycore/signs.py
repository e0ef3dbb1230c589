"""Sums under random signs, by the machine word: the compiled loop behind `rademacher.sample`.

`rademacher` imports this when it draws signs, not before: Numba compiles on first use (half a second) and keeps
the result beside Python's own bytecode.
"""

from functools import cache

import numpy as np
from numba import njit
from numba.np.random.generator_core import next_uint64

__all__ = ["norm_1", "signed_sums"]


@njit(cache=True, fastmath={"reassoc"})
def norm_1(f):
    """sum |f_i| in one pass, several entries at a time.

    >>> norm_1(np.array([1.0, -4.0, 2.0]))
    7.0
    """
    total = 0.0
    for i in range(f.size):
        total += abs(f[i])
    return total


def signed_sums(f, trials, rng):
    """Z_k = sum_i f_i sigma_ik for `trials` independent sign vectors; shape (trials,), float64.

    `f`: shape (n,), float64. Bit k of the i-th of n words of 64 bits from `rng` is the sign of f_i in trial k,
    1 for plus: 64 trials take n words, whatever their number. One addition serves b = 8 or 11 trials,

        H[v] = sum of the f_i whose b bits are v,    Z_k = sum_v H[v] (2 bit_k(v) - 1),

    so the rounding error of Z_k is at most (n + 2^b) 2^-53 sum |f|. Method of four Russians, transposed.

    >>> signs = [(int(w) >> 5 & 1) * 2 - 1 for w in np.random.default_rng(0).bit_generator.random_raw(3)]
    >>> signed_sums(np.array([1.0, 2.0, 4.0]), 6, np.random.default_rng(0))[5].item() == np.dot([1, 2, 4], signs).item()
    True
    """
    with rng.bit_generator.lock:
        return _sums(8 if f.size < 10**4 else 11)(f, -(-trials // 64), rng)[:, :64].ravel()[:trials]


@cache
def _sums(bits):
    """The loop compiled for one number of bits: with variable shifts it takes a third longer."""
    parts, mask = -(-64 // bits), np.uint64(2**bits - 1)

    def sums(f, groups, rng):
        """Z of each group of 64 trials, shape (groups, parts * bits); the columns from the 64th on are of no use."""
        source, z = rng.bit_generator, np.empty((groups, parts * bits))
        for group in range(groups):
            table = np.zeros((parts, 2**bits))
            for i in range(f.size):
                word, weight = next_uint64(source), f[i]
                for j in range(parts):
                    table[j, word >> np.uint64(bits * j) & mask] += weight
            for j in range(parts):
                row = table[j]
                for k in range(bits - 1, -1, -1):  # the highest bit of what is left, then folded away
                    minus, plus = 0.0, 0.0
                    for v in range(2**k):
                        minus, plus = minus + row[v], plus + row[v + 2**k]
                        row[v] += row[v + 2**k]
                    z[group, bits * j + k] = plus - minus
        return z

    sums.__qualname__ += f"_{bits}"  # Numba names machine code after it, and mixes up two of one name that it kept
    return njit(cache=True)(sums)
