"""The exact tail of a sum of n different weights, far out: time, memory, and agreement with a
second method.
"""

import numpy as np

from benchmarks.measure import Row, medians, peak, seconds, size
from polycore.models import attention, datasets
from polycore.tails import rademacher
from polycore.tails.inversion import inversion

KAPPA, FAR, NEAR = (
    0.45,
    11.5,
    3,
)  # standard deviations: a probability of about 1e-30, and one that Vaaler's bounds reach


def different(n):
    """Weights of a random member of D_0, and the standard deviation of their sum."""
    f = attention.weights(datasets.random_d0(n, np.random.default_rng(0)), KAPPA * np.log2(n))
    return f, float(np.linalg.norm(f))


def rows(n=10**6, repeats=3, deviations=FAR):
    f, deviation = different(n)
    exact, enclosure = inversion(f, NEAR * deviation), rademacher.tail(f, NEAR * deviation)
    if max(exact.lower, enclosure.lower) > min(exact.upper, enclosure.upper):
        raise AssertionError(f"at n = {n} the two methods disagree: {enclosure}, {exact}")
    far = inversion(f, deviations * deviation)
    ours, second = medians(
        lambda: inversion(f, deviations * deviation),
        lambda: rademacher.tail(f, NEAR * deviation),
        repeats=repeats,
    )
    memory = peak(lambda: inversion(f, deviations * deviation))
    width = (far.upper - far.lower) / far.value
    work = f"Pr[\\|Z\\| > t] = {far.value:.0e} for n = {size(n)} different weights, "
    work += f"to {width:.0e} of it"
    other = f"`rademacher.tail`, to 1e-06 in all, at {NEAR} standard deviations: {seconds(second)}"
    return [
        Row(
            work,
            seconds(ours),
            other,
            f"{second / ours:.1f} times as fast, and they agree there; {memory / 1e6:.0f} MB at "
            "most",
        )
    ]


def cost(n):
    """Seconds for the tail of n different weights."""
    f, deviation = different(n)
    return medians(lambda: inversion(f, FAR * deviation), repeats=1)[0]
