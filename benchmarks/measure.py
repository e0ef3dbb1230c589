"""Medians of interleaved runs, peak memory, slopes, and the rows of the table."""

import math
import statistics
import time
import tracemalloc
from dataclasses import dataclass

import numpy as np

__all__ = ["Row", "medians", "pace", "peak", "seconds", "size", "slope"]


@dataclass(frozen=True)
class Row:
    """One line of the table: the work, what it takes here, what it is held against, and what
    follows.
    """

    work: str
    here: str
    against: str
    result: str


def medians(*calls, repeats=9):
    """Median seconds of each call, run in turn so that all meet the same machine; one turn before
    is not counted.
    """
    times = [[] for _ in calls]
    for turn in range(repeats + 1):
        for call, taken in zip(calls, times):
            start = time.perf_counter()
            call()
            if turn:
                taken.append(time.perf_counter() - start)
    return [statistics.median(taken) for taken in times]


def pace(ours, theirs):
    """How many times as fast or as slow the first is, of two times in seconds.

    >>> pace(1, 2), pace(3, 2)
    ('2.0 times as fast', '1.5 times as slow')
    """
    word = "fast" if ours < theirs else "slow"
    return f"{max(ours, theirs) / min(ours, theirs):.1f} times as {word}"


def peak(call):
    """Most bytes that the call held at once, NumPy's arrays among them."""
    tracemalloc.start()
    try:
        call()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def slope(sizes, times):
    """Least-squares exponent a of times ~ sizes^a.

    >>> round(slope([1, 10, 100], [2.0, 20.0, 200.0]), 12)
    1.0
    """
    return float(np.polyfit(np.log(sizes), np.log(times), 1)[0])


def size(n):
    """n as it is written in the table.

    >>> size(10**6), size(64)
    ('10⁶', '64')
    """
    power = round(math.log10(n))
    return (
        f"10{str(power).translate(str.maketrans('0123456789', '⁰¹²³⁴⁵⁶⁷⁸⁹'))}"
        if power > 1 and n == 10**power
        else str(n)
    )


def seconds(value):
    """A time in the unit that suits it, to two figures.

    >>> seconds(0.000391), seconds(2.4), seconds(0.047)
    ('0.39 ms', '2.4 s', '47 ms')
    """
    value, unit = (value, "s") if value >= 1 else (1000 * value, "ms")
    return f"{float(f'{value:.2g}'):g} {unit}"
