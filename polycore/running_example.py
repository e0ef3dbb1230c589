"""The example that runs through Part II: 4096 scores, of which one is larger than the others.

In dataset 1 it is a 32 among 4s, in dataset 0 a 4 among 2s. At degree 4, a third of log2 4096, the
32 weighs 8^4 = 4096 times as much as each other score, and so as much as all others together.
"""

from math import log2

import numpy as np

from polycore import figures
from polycore.checks import one_of, real
from polycore.models import datasets, network
from polycore.tails.rademacher import Tail

__all__ = ["DATASETS", "SIZE", "exceeds", "fires", "picture", "weight"]

SIZE, DRAWS = 4096, 4000
DATASETS = {
    "dataset 1": datasets.spike_among(SIZE, 4.0),
    "dataset 0": datasets.two_level(SIZE, 1),
}


def weight(dataset: str, beta: float) -> float:
    """The weight of the largest score at degree `beta` >= 0; `dataset` is "dataset 1" or
    "dataset 0".

    >>> round(weight("dataset 1", 4) * 8191, 9)
    4096.0
    """
    one_of("dataset", dataset, DATASETS)
    return float(DATASETS[dataset].weights(real("beta", beta, at_least=0))[0])


def exceeds(dataset: str, beta: float, threshold: float) -> Tail:
    """Enclosure of the probability that the sum of the weights with random signs exceeds
    `threshold` to either side.

    >>> round(exceeds("dataset 1", 4, 0.25).value, 9)
    1.0
    """
    return network.one_column_at(DATASETS[dataset], beta / log2(SIZE), threshold)


def fires(dataset: str, beta: float, columns: int, threshold: float = 0.2) -> Tail:
    """Enclosure of the probability that one of so many columns exceeds `threshold`.

    >>> round(fires("dataset 1", 4, 3).value, 9)  # all but three signs -
    0.875
    """
    return network.fires_at(DATASETS[dataset], beta / log2(SIZE), columns, threshold)


def _how_often(dataset: str, beta: float, threshold: float) -> str:
    chance = exceeds(dataset, beta, threshold)
    if chance.lower > 0.99:
        return f"almost always in {dataset}"
    if chance.upper < 0.01:
        return f"almost never in {dataset}"
    return f"with probability {chance.value:.2g} in {dataset}"


def picture(beta: float, threshold: float, *which: str) -> figures.Picture:
    """Weights as bars, the largest score's first, and below them the sums of signs that they give,
    with the threshold; of both datasets, or of those named. The caption begins with how often the
    sums exceed the threshold.
    """
    ax = figures.axes("weight, or sum of weights with random signs", "", xlim=(-1.05, 1.05))
    shown = which or tuple(DATASETS)
    rng, rows = np.random.default_rng(0), []
    for place, dataset in enumerate(shown):
        top, bottom = -3 * place, -3 * place - 1.6
        largest, colour = weight(dataset, beta), figures.COLOURS["blue" if place else "orange"]
        ax.barh(top, largest, 0.7, color=colour)
        ax.barh(top, 1 - largest, 0.7, largest, color=colour, alpha=0.3)
        sums = network.draw_column_at(DATASETS[dataset], beta / log2(SIZE), DRAWS, rng)
        counts, edges = np.histogram(sums, 210, (-1.05, 1.05))
        height = bottom + 1.1 * counts / counts.max()
        ax.fill_between(edges[:-1], bottom, height, step="post", color=colour, linewidth=0)
        rows += [(top, f"{dataset}, weights"), (bottom + 0.3, "sums")]
    for side in (-threshold, threshold):
        ax.axvline(side, color="grey", linestyle="--", linewidth=1)
    ax.set_yticks([at for at, _ in rows], [name for _, name in rows])
    ax.grid(False)
    often = " and ".join(_how_often(one, beta, threshold) for one in shown)
    weights = " and ".join(f"{weight(one, beta):.3g} in {one}" for one in shown)
    return figures.picture(
        ax,
        f"In the running example at degree {beta:.3g} the sum is beyond ±{threshold:g} {often}. "
        f"Bars: the weight of the largest score, dark, and of the {SIZE - 1} others together, "
        "light. Below: the sums that random signs give. Dashed: the threshold, to either side.",
        f"A bar of length 1, of which the largest score has {weights}; below it the sums of "
        f"signs, heaped near plus and minus that weight; dashed lines at ±{threshold:g}.",
    )
