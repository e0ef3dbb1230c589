"""Bit-packed sampling of Z against NumPy's own random signs: the same work, the same run.

Read the ratio inside the group, not the seconds.
"""

import numpy as np
import pytest

from polycore import rademacher

PEERS = {
    "polycore": rademacher.sample,
    "rng.choice": lambda f, trials, rng: rng.choice([-1.0, 1.0], (trials, f.size)) @ f,
}


@pytest.mark.parametrize("n", [10**3, 10**5])
@pytest.mark.parametrize("peer", PEERS)
def test_sample(benchmark, peer, n):
    benchmark.group = f"10^7 signs, n={n}"
    f, trials = np.full(n, 1 / n), 10**7 // n
    assert benchmark(PEERS[peer], f, trials, np.random.default_rng(0)).shape == (trials,)
