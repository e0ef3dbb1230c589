"""Lemma 4.1 at n = 10^12: equal weights with multiplicities, against every entry written out."""

import math

from benchmarks.measure import Row, medians, seconds, size
from polycore import thresholds
from polycore.models import attention, datasets
from polycore.tails import rademacher

KAPPA, DELTA, DEVIATIONS = "0.45", "0.01", 3


def claim(n, expand=False):
    """Does Lemma 4.1 hold at n; the variance of its worst case; the tail at three standard
    deviations there.
    """
    beta = float(KAPPA) * math.log2(n)
    worst = datasets.extremal_d0(n, beta)
    scores, counts = (worst.expand(), None) if expand else (worst.values, worst.counts)
    variance = attention.squared_norm(scores, beta, counts)
    tail = rademacher.tail(
        attention.weights(scores, beta, counts),
        DEVIATIONS * math.sqrt(variance),
        counts,
        width=1e-4,
    )
    return thresholds.Condition(KAPPA, DELTA, 1).holds(n), variance, tail


def rows(n=10**12, small=10**6, repeats=9):
    (_, one, low), (_, other, high) = claim(small), claim(small, expand=True)
    if abs(one / other - 1) > 1e-12 or max(low.lower, high.lower) > min(low.upper, high.upper):
        raise AssertionError(
            f"at n = {small} the collapsed computation gives {one}, {low}, the full one {other}, "
            f"{high}"
        )
    ours = medians(lambda: claim(n), repeats=repeats)[0]
    same, full = medians(lambda: claim(small), lambda: claim(small, expand=True), repeats=3)
    verdict = "holds" if claim(n)[0] else "does not hold"
    work = f"Lemma 4.1 at n = {size(n)}, κ = {KAPPA}: its inequality, variance and tail"
    return [
        Row(
            work,
            seconds(ours),
            f"every entry written out, n = {size(small)}: {seconds(full)}, with multiplicities "
            f"{seconds(same)}",
            f"{verdict}; {full / same:.0f} times as fast, and agrees, where both fit",
        )
    ]


def cost(n):
    """Seconds to evaluate the claim at n with multiplicities."""
    return medians(lambda: claim(n), repeats=5)[0]
