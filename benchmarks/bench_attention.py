"""Log-domain weights against scipy's softmax of the log-scores: the same work, the same run.

Read the ratio inside the group, not the seconds.
"""

import numpy as np
import pytest
from scipy.special import softmax

from polycore import attention

PEERS = {"polycore": attention.weights, "scipy softmax": lambda z, beta: softmax(beta * np.log(z))}


@pytest.mark.parametrize("n", [10**3, 10**6])
@pytest.mark.parametrize("peer", PEERS)
def test_weights(benchmark, peer, n):
    benchmark.group = f"weights n={n}"
    z = np.random.default_rng(0).uniform(2, 4, n)
    assert abs(benchmark(PEERS[peer], z, 9.0).sum() - 1) < 1e-12
