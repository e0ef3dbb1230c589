"""The probability of what a head says of a spike among 10^12 scores, enclosed, against drawn
networks whose sums are binomials.
"""

import numpy as np

from benchmarks.measure import Row, medians, pace, seconds, size
from polycore.models import network, normalised, windows
from polycore.models.datasets import spike_among

DELTA, KAPPA = 0.01, 0.203  # where either head is neither sure nor silent


def rows(n=10**12, trials=100, repeats=5):
    member, rng = spike_among(n, 4), np.random.default_rng(0)
    few, many = (network.columns(n, DELTA, C) for C in (7, 21))
    level = windows.quantile(few) * windows.largest_deviation(n, KAPPA)
    draw = lambda m: network.draw_column_at(member, KAPPA, trials * m, rng).reshape(trials, m)
    heads = {
        "a threshold at the level of D₀": (
            lambda: network.fires_at(member, KAPPA, few, level),
            lambda: np.mean((draw(few) > level).any(axis=1)),
        ),
        "columns of one size": (
            lambda: normalised.one_size_at(member, KAPPA, many),
            lambda: np.mean(normalised.one_size(draw(many))),
        ),
    }
    for head, (enclose, share) in heads.items():
        known, drawn = enclose(), share()
        if not known.lower - 2 / np.sqrt(trials) <= drawn <= known.upper + 2 / np.sqrt(trials):
            raise AssertionError(f"{head}: {drawn} of the networks, enclosed {known}")
        ours, theirs = medians(enclose, share, repeats=repeats)
        work = f"What a head says of a spike at n = {size(n)}: {head}, enclosed"
        other = f"{trials} networks drawn by `rng.binomial`: {seconds(theirs)}"
        yield Row(work, seconds(ours), other, f"{pace(ours, theirs)}, and they agree")
