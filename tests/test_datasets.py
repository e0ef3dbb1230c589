"""Definition 3.11: membership, the extremal member, and an adversary that must not beat it."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize

from polycore.models import attention, datasets

cases = settings(deadline=None, derandomize=True)
U = 2.0**-53


def kantorovich(n, beta):
    return (1 + 2.0**beta) ** 2 / (4 * 2.0**beta * n)


def norm(scores, beta):
    return attention.squared_norm(scores.values, beta, scores.counts)


@cases
@given(st.integers(2, 200), st.integers(0, 2**32))
def test_random_members_belong_and_only_where_they_should(n, seed):
    d0, d1 = (
        datasets.random_d0(n, np.random.default_rng(seed)),
        datasets.random_d1(n, np.random.default_rng(seed)),
    )
    assert datasets.in_d0(d0) and not datasets.in_d1(d0)
    assert datasets.in_d1(d1) and not datasets.in_d0(d1)
    assert (d0 == datasets.random_d0(n, np.random.default_rng(seed))).all()


def test_every_place_gets_the_spike_and_the_whole_interval_is_used():
    rng = np.random.default_rng(1)
    assert {int(np.argmax(datasets.random_d1(5, rng))) for _ in range(200)} == set(range(5))
    z = datasets.random_d0(10**5, rng)
    # uniform on [2, 4]: mean 3, standard error (4 - 2)/sqrt(12 n)
    assert abs(z.mean() - 3) < 6 * 2 / np.sqrt(12 * z.size)
    assert z.min() < 2.001 and z.max() > 3.999


@pytest.mark.parametrize("z", [[2, 4, 32, 31.999], [32], [32, 2, 4]])
def test_membership_in_d1_is_one_spike_and_nothing_outside(z):
    assert datasets.in_d1(z) == (
        sum(v == 32 for v in z) == 1 and all(v == 32 or 2 <= v <= 4 for v in z)
    )


@cases
@given(st.integers(2, 60), st.floats(0, 8))
def test_extremal_is_the_best_two_level_member_by_exhaustion(n, beta):
    r = Fraction(2.0**-beta)
    best = max((h + (n - h) * r**2) / (h + (n - h) * r) ** 2 for h in range(1, n))
    extremal = datasets.extremal_d0(n, beta)
    assert extremal.n == n and norm(extremal, beta) == pytest.approx(float(best), rel=16 * U, abs=0)
    assert norm(extremal, beta) <= kantorovich(n, beta) * (1 + 16 * U)


@pytest.mark.parametrize(("beta", "copies"), [(1, 4), (2, 7), (3, 10**9)])
def test_kantorovich_is_attained_when_the_count_is_an_integer(beta, copies):
    n = copies * (1 + 2**beta)
    assert datasets.extremal_d0(n, beta).counts == (copies, n - copies)
    assert norm(datasets.extremal_d0(n, beta), beta) == pytest.approx(
        kantorovich(n, beta), rel=16 * U, abs=0
    )
    # the wrong member, h = n/2, and the wrong constant, 4 for 4 r, are told apart
    assert norm(datasets.two_level(n, n // 2), beta) < kantorovich(n, beta) * 0.999
    assert norm(datasets.extremal_d0(n, beta), beta) < (1 + 2.0**beta) ** 2 / (4 * n) * 0.999


@pytest.mark.parametrize("beta", [0, 0.5, 5000.0])
@pytest.mark.parametrize("n", [2, 10**12, 10**20])
def test_extremal_at_the_ends(n, beta):
    extremal = datasets.extremal_d0(n, beta)
    assert extremal.n == n and 1 <= extremal.counts[0] <= n - 1
    assert extremal.counts[0] == 1 or beta < 5000


@cases
@given(st.integers(2, 80), st.floats(0.25, 8), st.integers(0, 2**32))
def test_an_adversary_reaches_the_extremal_norm_and_never_beats_kantorovich(n, beta, seed):
    z = datasets.adversarial_d0(n, beta, np.random.default_rng(seed))
    found, extremal = attention.squared_norm(z, beta), norm(datasets.extremal_d0(n, beta), beta)
    # single changes stop when none gains a factor 1 + 4 n u; n of them make 4 n^2 u
    assert extremal * (1 - 4 * n**2 * U) <= found <= kantorovich(n, beta) * (1 + 4 * n * U)
    assert datasets.in_d0(z) and np.isin(z, [2, 4]).all()


def test_a_gradient_search_stops_at_a_corner_that_is_not_the_maximum():
    n, beta, start = 60, 4.0, datasets.random_d0(60, np.random.default_rng(0))

    def minus_log_norm(z):
        f = attention.weights(z, beta)
        return -np.log(f @ f), -2 * beta / z * (f**2 / (f @ f) - f)

    climbed = minimize(minus_log_norm, start, jac=True, method="L-BFGS-B", bounds=[(2, 4)] * n).x
    assert attention.squared_norm(start, beta) < attention.squared_norm(
        climbed, beta
    ) and datasets.in_d0(climbed)
    assert attention.squared_norm(climbed, beta) < norm(datasets.extremal_d0(n, beta), beta) * (
        1 - 4 * n**2 * U
    )


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: datasets.Scores((2.0,), (1, 2)), ValueError, "counts has 2 entries for 1 classes"),
        (
            lambda: datasets.Scores((2.0,), (0,)),
            ValueError,
            "counts must be integers >= 1, got 0.0",
        ),
        (
            lambda: datasets.two_level(10**9, 1).expand(),
            ValueError,
            "n = 1000000000 scores do not fit in memory",
        ),
        (lambda: datasets.two_level(5, 5), ValueError, "high_count must be < n = 5, got 5"),
        (lambda: datasets.two_level(5, 0), ValueError, "high_count must be an integer >= 1, got 0"),
        (
            lambda: datasets.random_d0(0, np.random.default_rng(0)),
            ValueError,
            "n must be an integer >= 1, got 0",
        ),
        (
            lambda: datasets.random_d0(1e3, np.random.default_rng(0)),
            TypeError,
            "got 1000.0 (float): write 10**12, not 1e12",
        ),
        (lambda: datasets.random_d0(True, np.random.default_rng(0)), TypeError, "got True (bool)"),
        (lambda: datasets.random_d0(3, 0), TypeError, "pass numpy.random.default_rng(seed)"),
        (
            lambda: datasets.random_d1(1, np.random.default_rng(0)),
            ValueError,
            "n must be an integer >= 2, got 1",
        ),
        (
            lambda: datasets.extremal_d0(9, -1),
            ValueError,
            "beta must be a finite real number >= 0, got -1",
        ),
        (
            lambda: datasets.adversarial_d0(9, "1", np.random.default_rng(0)),
            TypeError,
            "got '1' (str)",
        ),
    ],
)
def test_errors_name_the_value_and_the_remedy(call, error, message):
    with pytest.raises(error) as caught:
        call()
    assert message in str(caught.value)
