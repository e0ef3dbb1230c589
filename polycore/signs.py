"""Sums under random signs, by the machine word: the compiled loop behind `rademacher.sample`.

`rademacher` imports this when it draws signs, not before: Numba compiles on first use (half a second) and keeps
the result beside Python's own bytecode.
"""

from functools import cache

import numpy as np
from numba import njit
from numba.np.random.generator_core import next_uint64

__all__ = ["signed_sums"]

TABLES = 2**17  # entries of the tables that are filled together: 1 MB


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
    bits = 8 if f.size < 10**4 else 11
    groups, batch = -(-trials // 64), TABLES // (-(-64 // bits) * 2**bits)
    parts = [_tables(f, min(batch, groups - i), rng, bits) @ _patterns(bits) for i in range(0, groups, batch)]
    return np.concatenate(parts).reshape(groups, -1)[:, :64].ravel()[:trials]


@cache
def _patterns(bits):
    """2 bit_k(v) - 1, shape (2^bits, bits)."""
    return 2.0 * (np.arange(2**bits)[:, None] >> np.arange(bits) & 1) - 1


def _tables(f, groups, rng, bits):
    """H of each `bits` bits of the words of each group of 64 trials, shape (groups, ceil(64 / bits), 2^bits)."""
    tables = np.zeros((groups, -(-64 // bits), 2**bits))
    with rng.bit_generator.lock:
        _fill(bits)(f, rng, tables)
    return tables


@cache
def _fill(bits):
    """The loop of `_tables`, compiled for one number of bits: with variable shifts it takes a third longer."""
    parts, mask = -(-64 // bits), np.uint64(2**bits - 1)

    @njit(cache=True)
    def fill(f, rng, tables):
        source = rng.bit_generator
        for group in range(tables.shape[0]):
            table = tables[group]
            for i in range(f.size):
                word, weight = next_uint64(source), f[i]
                for j in range(parts):
                    table[j, word >> np.uint64(bits * j) & mask] += weight

    return fill
