"""Counts of sign patterns by meeting in the middle: all sums of one half of the weights beside
those of the other (Horowitz and Sahni).

`inversion` imports this when it counts, not before: Numba compiles on first use and keeps the
result beside Python's own bytecode.
"""

import os
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from numba import njit

from polycore.checks import Floats
from polycore.tails.rademacher import UNIT

__all__ = ["patterns_beyond"]

LISTED = 50  # weights in the two lists: 2^25 sums each, at most
WALKS = 2**20  # at most


def patterns_beyond(a: Floats, t: float, most: int = 2**34) -> tuple[int, int] | None:
    """(few, many), few <= #{sigma: Z > t} <= #{sigma: Z >= t} <= many, Z = sum_i a_i sigma_i, or
    None for too many steps.

    Z > t if the weights with the sign - have a sum less than d = (sum a - t)/2. Of either half of
    the 50 smallest weights the sums up to d are listed in order; one walk up the one list and down
    the other counts the pairs. The other weights have each sign in turn, as far as their sum is at
    most d, and every choice is a walk. Altogether these are `most` steps or fewer, of 1 to 8 ns
    that the cores share: n = 58 weights at any `t` >= 0, 60 random ones from 4 ||a|| on, 80 from
    6.5 ||a|| on. 2 n units of sum a + t to either side of d are for the roundings. Memory: 1.1 GB.
    `a`: shape (n,). `horowitz1974`.

    >>> a = np.array([1.0, 2.0, 3.0])
    >>> patterns_beyond(a, 3.9), patterns_beyond(a, 4.0)
    ((2, 2), (1, 2))
    """
    whole = float(np.sum(a))
    below, slack = (whole - t) / 2, 2 * a.size * UNIT * (whole + t)
    a = np.sort(a[a <= below + slack])
    if (others := _sums(a[LISTED:], below + slack, WALKS)) is None:
        return None
    left, right = (_sums(a[i:LISTED:2], below + slack, 2**LISTED) for i in (0, 1))
    high, low = below + slack - others, below - slack - others
    if np.sum([np.searchsorted(half, high, side="right") for half in (left, right)]) > most:
        return None
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        parts = [slice(i, None, 64) for i in range(min(64, others.size))]
        walks = pool.map(lambda part: _walks(left, right, high[part], low[part]), parts)
        few, many = map(sum, zip(*walks))
        return few, many


def _sums(a, limit, most):
    """The sums of subsets of `a`, ascending, up to `limit`; None if they are more than `most`.

    For each further weight two sorted lists become one, which a stable sort merges.
    """
    sums = np.zeros(1)
    for x in a:
        if sums.size > most:
            return None
        sums = np.sort(
            np.append(sums, sums[: np.searchsorted(sums, limit - x, side="right")] + x),
            kind="stable",
        )
    return sums


@njit(cache=True, nogil=True)
def _walks(left, right, highs, lows):
    """The numbers of l + r < low and of l + r <= high, for each pair of these."""
    few = many = 0
    for high, low in zip(highs, lows):
        j = np.searchsorted(right, high, side="right")
        i = j
        for x in left[: np.searchsorted(left, high, side="right")]:
            while j > 0 and x + right[j - 1] > high:
                j -= 1
            i = min(i, j)
            while i > 0 and x + right[i - 1] >= low:
                i -= 1
            few += i
            many += j
    return few, many
