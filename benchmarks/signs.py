"""Sign sums against NumPy's own random signs, and against what the bit generator and the memory
allow.
"""

import numpy as np

from benchmarks.measure import Row, medians, seconds, size
from polycore.tails import rademacher


def rows(n=10**5, m=64, repeats=25, stream=10**8):
    rng = np.random.default_rng(0)
    f = rng.random(n)
    words = n * -(-m // 64)  # what m signs for each of n weights take

    def sums():
        return rademacher.sample(f, m, rng)

    ours, numpy = medians(sums, lambda: f @ rng.choice([-1, 1], size=(n, m)), repeats=repeats)
    # apart from the peer, whose 100 MB would slow the generator too and flatter the ratio
    alone, generator = medians(
        sums, lambda: rng.integers(0, 2**64, words, dtype=np.uint64), repeats=4 * repeats
    )
    long = np.ones(stream // 8)
    memory = medians(long.sum, repeats=3)[0] * 8 * words / stream  # f, read once for 64 trials
    limit, name = max((generator, "bit generator"), (memory, "memory"))
    work = f"Sign sums Σᵢ fᵢσᵢⱼ, n = {size(n)}, m = {m}"
    return [
        Row(
            work,
            seconds(ours),
            f"`rng.choice([-1, 1], size=(n, m))`, then `f @ y`: {seconds(numpy)}",
            f"{numpy / ours:.0f} times as fast",
        ),
        Row(
            work,
            seconds(alone),
            f"the words alone: {seconds(generator)} ({8 * words / generator / 1e9:.1f} GB/s); "
            f"reading f: {seconds(memory)} ({8 * words / memory / 1e9:.0f} GB/s)",
            f"{alone / limit:.1f} times the limit; the {name} binds",
        ),
    ]


def cost(n):
    """Seconds for 64 sign sums of n weights."""
    rng = np.random.default_rng(0)
    f = rng.random(n)
    return medians(lambda: rademacher.sample(f, 64, rng), repeats=5)[0]
