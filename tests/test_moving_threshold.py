"""The theorems behind the best threshold, held against sums with all their signs enumerated."""

import math

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from sympy import exp, symbols

from polycore.proof import Exp
from polycore.proof import n as size
from polycore.theory.anticoncentration import ABOVE_GE_TENTH
from polycore.theory.moving_threshold import ABOVE_LE_NEAR_ONE, THRESHOLD_BELOW_SPIKE_WEIGHT
from polycore.theory.variance import LONE_SPIKE_VARIANCE_LE, TWO_LEVEL_VARIANCE_GE

WEIGHTS = st.lists(st.floats(0.01, 1), min_size=1, max_size=11).map(np.array)


def sums(f):
    """All 2^n sums of the weights with signs."""
    every = np.zeros(1)
    for weight in f:
        every = np.concatenate([every - weight, every + weight])
    return every


def above(f, t):
    return np.mean(sums(f) > t)


def bound(theorem, **values):
    """The right-hand side of its conclusion at these numbers."""
    named = {symbols(name) if name != "n" else size: value for name, value in values.items()}
    return float(theorem.conclusion.rhs.xreplace(named).replace(Exp, exp))


@given(WEIGHTS)
@settings(deadline=None)
def test_half_the_standard_deviation_is_exceeded_by_a_tenth(f):
    t = np.linalg.norm(f) / 2 * (1 - 1e-12)
    assert above(f, t) >= bound(ABOVE_GE_TENTH)


def test_the_whole_standard_deviation_is_not():
    assert above(np.array([1.0]), 1.0) == 0  # ½ in its place would be false


@given(WEIGHTS, st.floats(0, 1))
@settings(deadline=None)
def test_no_sum_comes_nearer_to_one_than_the_bound_says(f, t):
    f = f / f.sum()
    most = bound(ABOVE_LE_NEAR_ONE, w=1 / f.min(), t=t, g=0.379, n=f.size)  # e^-g > (1 + 1/e)/2
    assert above(f, t * (1 + 1e-9)) <= most * (1 + 1e-9)


def test_with_twice_the_rate_it_would():
    f = np.full(10, 0.1)
    assert above(f, 0.9) > bound(ABOVE_LE_NEAR_ONE, w=10, t=0.9, g=0.75, n=10)


@given(st.floats(0, 50), st.floats(1, 1e6), st.integers(1, 10**9), st.floats(1e-3, 1e9))
@settings(deadline=None)
def test_a_threshold_by_the_rule_lies_below_the_weight(rate, r, n, X):
    tau = math.sqrt(2 * rate * (1 + r) ** 2 / (4 * r * n))
    if 8 * rate * r < n * (1 - 1e-9) and 8 * rate * r * n < X**2 * (1 - 1e-9):
        assert tau < bound(THRESHOLD_BELOW_SPIKE_WEIGHT, X=X, n=n) * (1 + 1e-9)


def test_without_the_second_condition_it_need_not():
    rate, r, n, X = 1.0, 4.0, 1000, 10.0
    assert 8 * rate * r < n and math.sqrt(rate * (1 + r) ** 2 / (2 * r * n)) > X / (X + n)


@given(st.floats(1, 1e4), st.integers(1, 500), st.integers(1, 500))
@settings(deadline=None)
def test_two_levels_have_the_variance_that_is_proved(r, n, c):
    if n <= c * r <= 2 * n and c <= n:
        u = np.concatenate([np.full(c, r), np.ones(n - c)])
        assert np.sum((u / u.sum()) ** 2) >= bound(TWO_LEVEL_VARIANCE_GE, r=r, n=n) * (1 - 1e-12)
    u = np.ones(n)
    u[0] = r
    assert np.sum((u / u.sum()) ** 2) <= bound(LONE_SPIKE_VARIANCE_LE, r=r, n=n) * (1 + 1e-12)
