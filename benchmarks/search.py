"""The search over all lists of D₀ for the largest variance, against SciPy's global search on the
same lists.
"""

import numpy as np
from scipy.optimize import differential_evolution

from benchmarks.measure import Row, medians, seconds
from polycore.models import datasets


def rows(n=12, beta=3.0, repeats=3):
    def energy(z):  # of many lists at once, one a column; `attention.squared_norm` takes one
        powers = z**beta
        return np.sum(powers**2, axis=0) / np.sum(powers, axis=0) ** 2

    def corner():
        return datasets.adversarial_d0(n, beta, np.random.default_rng(0))

    def evolved():
        box, options = [(datasets.LOW, datasets.HIGH)] * n, {"vectorized": True}
        options |= {"updating": "deferred", "rng": np.random.default_rng(0)}
        return differential_evolution(lambda z: -energy(z), box, **options).x

    ours, theirs = energy(corner()), energy(evolved())
    if not np.isclose(ours, theirs, rtol=1e-9):
        raise AssertionError(f"the search ends at ‖f‖² = {ours}, SciPy's at {theirs}")
    here, there = medians(corner, evolved, repeats=repeats)
    return [
        Row(
            f"The list of D₀ with the largest ‖f‖², n = {n}, searched",
            seconds(here),
            f"`scipy.optimize.differential_evolution`: {seconds(there)}",
            f"{there / here:.0f} times as fast, and they agree",
        )
    ]
