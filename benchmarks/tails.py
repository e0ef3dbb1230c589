"""The tail of a sum of n different weights, enclosed: time, memory, and agreement with a second method."""

import numpy as np

from benchmarks.measure import Row, medians, peak, seconds, size
from polycore import attention, datasets, rademacher

KAPPA, DEVIATIONS, WIDTH = 0.45, 3, 1e-6


def different(n):
    """Weights of a random member of D_0, and three standard deviations of their sum."""
    f = attention.weights(datasets.random_d0(n, np.random.default_rng(0)), KAPPA * np.log2(n))
    return f, DEVIATIONS * float(np.linalg.norm(f))


def rows(n=10**6, repeats=3):
    f, t = different(n)
    beta = KAPPA * np.log2(n)
    worst = datasets.extremal_d0(n, beta)
    two, every = attention.weights(worst.values, beta, worst.counts), attention.weights(worst.expand(), beta)
    exact, enclosure = rademacher.two_class_tail(two, worst.counts, t), rademacher.tail(every, t, terms=256)
    if max(exact.lower, enclosure.lower) > min(exact.upper, enclosure.upper):
        raise AssertionError(f"at n = {n} the two methods disagree: {enclosure}, {exact}")
    ours = medians(lambda: rademacher.tail(f, t, width=WIDTH), repeats=repeats)[0]
    memory = peak(lambda: rademacher.tail(f, t, width=WIDTH))
    return [Row(f"Pr[\\|Z\\| > t] for n = {size(n)} different weights, enclosed to {WIDTH:.0e}", seconds(ours),
                "`two_class_tail`, on two weights written out n times", f"they agree; {memory / 1e6:.0f} MB at most")]


def cost(n):
    """Seconds to enclose the tail of n different weights."""
    f, t = different(n)
    return medians(lambda: rademacher.tail(f, t, width=WIDTH), repeats=1)[0]
