"""How the costs grow with n: one log-log picture, each line with its fitted slope."""

from benchmarks import collapse, sequences, signs, tails
from benchmarks.measure import slope
from pipeline.readme import alone
from polycore import figures

SIZES = {
    "64 sign sums": (signs.cost, [10**k for k in range(4, 8)]),
    "one tail, different weights": (tails.cost, [10**k for k in range(4, 7)]),
    "Lemma 4.1, two distinct scores": (collapse.cost, [10**k for k in range(4, 13)]),
    "network on tokens, dense": (sequences.cost_dense, [64 * 4**k for k in range(1, 4)]),
    "network on tokens, with multiplicities": (sequences.cost, [64 * 10**k for k in range(1, 11)]),
}


def drawing(sizes=SIZES, what="Time"):
    """The picture as an SVG file, and what it shows in words; `sizes` by name of a line: what it
    costs at n, and each n.
    """
    axes = figures.axes("n", "seconds", xscale="log", yscale="log")
    words = []
    for (name, (cost, ns)), marker in zip(sizes.items(), "osD^v"):
        times = [cost(n) for n in ns]
        words.append(f"{name}: n^{slope(ns, times):.2f}")
        axes.plot(ns, times, marker=marker, markersize=4, label=words[-1])
    axes.set_ylim(top=10**4 * axes.get_ylim()[1])  # room for the legend
    alt = f"{what} against n on logarithmic axes. " + ", ".join(words)
    picture = figures.picture(axes, "Cost as n grows.", alt)
    return alone(picture.svg), alt
