"""Attention weights against SciPy's softmax of the log-scores."""

import numpy as np
from scipy.special import softmax

from benchmarks.measure import Row, medians, pace, seconds, size
from polycore.models import attention


def rows(n=10**6, beta=9.0, repeats=9):
    z = np.random.default_rng(0).uniform(2, 4, n)
    ours, scipy = medians(
        lambda: attention.weights(z, beta), lambda: softmax(beta * np.log(z)), repeats=repeats
    )
    return [
        Row(
            f"Attention weights, n = {size(n)}",
            seconds(ours),
            f"`scipy.special.softmax(beta * np.log(z))`: {seconds(scipy)}",
            f"{pace(ours, scipy)}; it checks the scores and keeps the digits that β would magnify "
            "away",
        )
    ]
