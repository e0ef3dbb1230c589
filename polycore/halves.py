"""Counts of sign patterns from all sums of two halves of the weights (Horowitz and Sahni).

`inversion` imports this when it counts, not before: Numba compiles on first use and keeps the result beside Python's own
bytecode.
"""

import itertools
import os
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from numba import njit

from polycore.rademacher import UNIT

__all__ = ["patterns_beyond"]

LISTED = 50  # weights in the two lists: 2^25 sums each


def patterns_beyond(a, t):
    """(few, many) with few <= #{sigma: Z > t} <= #{sigma: Z >= t} <= many, Z = sum_i a_i sigma_i, `a` of shape (n,).

    The sums of either half in order, one walk up the one list and down the other counts the pairs beyond t >= 0, with 4 n
    units of sum a + t to either side for the roundings. From n = 51 on the largest weights take all their signs in turn,
    each a walk: 2^(n - 24) steps of 1 to 8 ns that the cores share, the fewer the larger t is. Memory: 1.1 GB. `horowitz1974`.

    >>> patterns_beyond(np.array([1.0, 2.0, 3.0]), 3.9), patterns_beyond(np.array([1.0, 2.0, 3.0]), 4.0)
    ((2, 2), (1, 2))
    """
    a, slack = np.sort(a), 4 * a.size * UNIT * (float(np.sum(a)) + t)
    left, right, shifted = _sums(a[:LISTED:2]), _sums(a[1:LISTED:2]), t - _sums(a[LISTED:])
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        walks = pool.map(_walk, itertools.repeat(left), itertools.repeat(right), shifted + slack, shifted - slack)
        return tuple(map(sum, zip(*walks)))


def _sums(a):
    """All sums of +-a_i, ascending: for each further weight two sorted lists in one, which a stable sort merges."""
    sums = np.zeros(1)
    for x in a:
        sums = np.sort(np.concatenate([sums - x, sums + x]), kind="stable")
    return sums


@njit(cache=True, nogil=True)
def _walk(left, right, high, low):
    """#{(l, r): l + r > high} and #{(l, r): l + r > low}."""
    few = many = 0
    i = j = right.size
    for x in left:
        while i > 0 and x + right[i - 1] > high:
            i -= 1
        while j > 0 and x + right[j - 1] > low:
            j -= 1
        few += right.size - i
        many += right.size - j
    return few, many
