"""Definitions 3.8 to 3.10, symbol for symbol and against exact integers."""

from fractions import Fraction
from itertools import product

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binom

from polycore.models import network
from polycore.models.datasets import spike_among
from polycore.tails import rademacher
from polycore.tails.rademacher import Tail

cases = settings(deadline=None, derandomize=True)


@cases
@given(st.lists(st.floats(-10, 10), min_size=1), st.floats(-5, 5))
def test_rectifiers_equal_their_definition(z, tau):
    assert network.relu(z).tolist() == [max(x, 0) for x in z]
    assert network.shifted_relu(z, tau).tolist() == [max(x - tau, 0) for x in z]
    assert network.shifted_relu(np.reshape(z, (1, -1)), tau).shape == (1, len(z))


@cases
@given(
    st.integers(1, 10**30),
    st.fractions(Fraction(1, 500), Fraction(499, 500), max_denominator=500),
    st.fractions(Fraction(1, 50), 20, max_denominator=50),
)
def test_columns_is_the_least_integer_above(n, delta, C):
    m = network.columns(n, delta, C)
    with mpmath.workdps(60):
        exact = (
            mpmath.mpf(C.numerator)
            / C.denominator
            * mpmath.log(mpmath.mpf(n) * delta.denominator / delta.numerator, 2)
        )
        assert m - 1 - mpmath.mpf(10) ** -50 < exact <= m + mpmath.mpf(10) ** -50


@pytest.mark.parametrize("C", [1, 2, Fraction(1, 3), "0.1"])
@pytest.mark.parametrize("bits", [3, 30, 300])
def test_columns_is_exact_at_the_edges(C, bits):
    C = Fraction(C)
    n = 2 ** (bits * C.denominator - 1)  # n/delta = 2^(bits q) at delta = 1/2
    assert network.columns(n, 0.5, C) == bits * C.numerator
    assert network.columns(n + 1, 0.5, C) == bits * C.numerator + 1


def test_columns_in_floats_is_rejected_at_an_edge():
    n = 2**60 + 1
    assert np.ceil(1.0 * np.log2(n / 0.5)) == 61 != network.columns(n, 0.5, 1)


@cases
@given(st.integers(1, 30), st.integers(1, 9), st.floats(0, 1), st.integers(0, 2**32))
def test_f_poly_equals_its_definition(n, m, tau, seed):
    rng = np.random.default_rng(seed)
    f, y = rng.dirichlet(np.ones(n)), network.rademacher_columns(n, m, rng)
    total = sum(max(sum(float(a) * int(s) for a, s in zip(f, column)) - tau, 0) for column in y.T)
    assert network.f_poly(f, y, tau) == pytest.approx(max(total, 0), abs=2 * m * (n + 4) * 2.0**-53)


def test_the_threshold_is_inside_the_sum():
    f, y = np.array([0.6, 0.4]), np.array([[1, 1], [-1, -1]])  # <f, y_j> = 0.2 twice
    assert network.f_poly(f, y, 0.25) == 0 < network.relu(np.sum(f @ y) - 0.25)


def test_signs_are_fair_and_of_the_stated_type():
    y = network.rademacher_columns(101, 97, np.random.default_rng(2))
    assert y.dtype == np.int8 and y.shape == (101, 97) and set(np.unique(y)) == {-1, 1}
    same_row, same_column = np.sum(y[1:] == y[:-1]), np.sum(y[:, 1:] == y[:, :-1])
    # counts of fair coins, each outside with probability 1e-6
    for ones, size in ((np.sum(y == 1), y.size), (same_row, 100 * 97), (same_column, 101 * 96)):
        assert binom.isf(1 - 5e-7, size, 0.5) <= ones <= binom.isf(5e-7, size, 0.5)
    assert (y == network.rademacher_columns(101, 97, np.random.default_rng(2))).all()


@pytest.mark.parametrize("f", [[0.5, 0.25], [0.75, 0.125], [0.25, 0.375]])
@pytest.mark.parametrize("tau", [0, 0.1, 0.2, 0.7])
@pytest.mark.parametrize("m", [1, 2, 3])
def test_fires_equals_the_count_over_all_matrices(f, tau, m):
    entries = np.array([f[0], f[1], f[1]])
    columns = list(product((-1, 1), repeat=3))
    fire = sum(
        network.f_poly(entries, np.array(chosen).T, tau) > 0
        for chosen in product(columns, repeat=m)
    )
    enclosed = network.fires(f, m, tau, [1, 2])
    assert enclosed.lower <= Fraction(fire, 8**m) <= enclosed.upper <= enclosed.lower + 1e-12
    without_counts = network.fires(entries, m, tau, width=1e-3)
    assert without_counts.lower <= fire / 8**m + 1e-12


@pytest.mark.parametrize("m", [1, 40, 10**6])
@pytest.mark.parametrize("tau", [0, 0.1, 0.3, 0.9])
def test_fires_keeps_its_relative_accuracy(m, tau):
    one = rademacher.two_class_tail([1e-3], [1000], tau)
    enclosed = network.fires([1e-3], m, tau, [1000])
    with mpmath.workdps(300):
        lower, upper = (1 - (1 - mpmath.mpf(p) / 2) ** m for p in (one.lower, one.upper))
        assert enclosed.lower <= lower <= upper <= enclosed.upper
        assert enclosed.upper - enclosed.lower <= (upper - lower) + 2**-44 * upper


def coin(p):
    return Tail(p, p, "a coin", "exact")


def parts(found, exact, allowed):
    """How far each end is from the exact value, in units of what is allowed for rounding."""
    ends = (exact - mpmath.mpf(found.lower)), (mpmath.mpf(found.upper) - exact)
    return [float(end / exact / allowed) for end in ends]


@pytest.mark.parametrize(("p", "m"), [(2**-20, 3), (0.25, 56), (0.5, 1009), (2**-40, 2**44)])
def test_rounding_is_allowed_for_by_as_much_as_is_said(p, m):
    with mpmath.workdps(60):
        none = (1 - mpmath.mpf(p)) ** m
        in_log = 2**-46 - 2**-50 * mpmath.log(none)
        assert all(0.8 < part < 1.2 for part in parts(network.no_column(coin(p), m), none, in_log))
        lower, upper = parts(network.any_column(coin(p), m), 1 - none, mpmath.mpf(2) ** -46)
        assert 0.8 < lower < 1.2 and (0.8 < upper < 1.2 or none < 2**-46)


def test_probabilities_stay_probabilities_at_the_ends():
    sure, never = (network.any_column(coin(p), 7) for p in (1.0, 0.0))
    assert (sure.lower, sure.upper) == (1 - 2**-46, 1) and (never.lower, never.upper) == (0, 0)
    sure, never = (network.no_column(coin(p), 7) for p in (0.0, 1.0))
    assert (sure.lower, sure.upper) == (1 - 2**-46, 1)
    assert never.lower == 0 < never.upper < 1e-300
    assert network.no_column(coin(0.5), 1009).lower > 0 == network.no_column(coin(0.5), 1010).lower


@pytest.mark.parametrize(
    "count",
    [
        lambda m: network.no_column(coin(0.5), m),
        lambda m: network.any_column(coin(0.5), m),
        lambda m: network.fires([1.0], m, 0.2),
    ],
)
def test_as_many_columns_as_a_float_counts(count, monkeypatch):
    count(2**53)
    monkeypatch.setattr(network, "certified_tail", None)  # refused before the work
    with pytest.raises(ValueError, match="m must be an integer <= 9007199254740992, got"):
        count(2**53 + 1)


@pytest.mark.parametrize("C", [3.14159265, 500.123456, 999.9999, 1e-5, 1e9, Fraction(500, 1001)])
def test_a_ratio_with_large_parts_is_refused_with_one_that_is_not(C):
    with pytest.raises(ValueError, match="C must be a ratio of integers <= 1000") as refused:
        network.columns(5, 0.1, C)
    close = Fraction(str(refused.value).rsplit(" ", 1)[1])
    assert network.columns(5, 0.1, close) >= 1
    assert abs(close - Fraction(C)) <= min(0.5, C) or close in (1000, Fraction(1, 1000))


def test_parts_of_a_ratio_up_to_a_thousand_are_taken():
    assert network.columns(5, 0.1, Fraction(1000, 999)) == network.columns(5, 0.1, 1) == 6
    for C in (Fraction(1001, 1000), Fraction(1000, 1001)):
        with pytest.raises(ValueError, match="C must be a ratio of integers <= 1000"):
            network.columns(5, 0.1, C)


@pytest.mark.parametrize("n", [2, 3, 4])
def test_a_score_that_repeats_has_as_many_signs(n):
    """With weights of 1/n each a sum times n is odd or even as n is, and all such sums occur."""
    drawn = network.draw_column_at(spike_among(n, 4), 0, 500, np.random.default_rng(1))
    assert {*np.rint(drawn * n)} == {*range(-n, n + 1, 2)}
    assert np.abs(drawn * n - np.rint(drawn * n)).max() < 1e-12


def test_just_above_a_power_of_two_one_more_column_is_needed():
    assert [network.columns(n, "0.8", 1) for n in (12, 13)] == [4, 5]  # n/delta = 15 and 16.25


def test_every_row_of_eight_signs_occurs():
    rows = network.rademacher_columns(4096, 8, np.random.default_rng(3))
    assert len(np.unique(rows, axis=0)) == 256  # one is missing with probability 3e-5


@pytest.mark.parametrize(
    ("n", "m", "named"),
    [(2**40 + 1, 1, "n"), (2**20, 2**20 + 1, "m"), (3, 2**40 // 3 + 1, "m")],
)
def test_more_signs_than_fit_are_refused_before_they_are_drawn(n, m, named):
    with pytest.raises(ValueError, match=f"{named} must be an integer <= [0-9]*, got"):
        network.rademacher_columns(n, m, np.random.default_rng(0))


def test_a_degree_below_zero_is_refused():
    with pytest.raises(ValueError, match="kappa must be a finite real number >= 0, got -0.5"):
        network.one_column_at(spike_among(9, 4), -0.5, 0.2)


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: network.fires([1.0], 0, 0.2), ValueError, "m must be an integer >= 1, got 0"),
        (
            lambda: network.fires([1.0], 2, -0.1),
            ValueError,
            "tau must be a finite real number >= 0, got -0.1",
        ),
        (
            lambda: network.f_poly([1.0], [[1], [1]], 0.2),
            ValueError,
            "y must have shape (n, m) with n = 1, one row per weight, got (2, 1): transposed?",
        ),
        (lambda: network.f_poly([1.0], [1], 0.2), ValueError, "got (1,)"),
        (
            lambda: network.f_poly([0.5, 0.5], [[1], [1]], -0.1),
            ValueError,
            "tau must be a finite real number >= 0, got -0.1",
        ),
        (lambda: network.f_poly([np.nan], [[1]], 0.2), ValueError, "weights must be finite"),
        (
            lambda: network.f_poly([1.0], [[1]], np.nan),
            ValueError,
            "tau must be a finite real number >= 0, got nan",
        ),
        (lambda: network.columns(0, 0.1, 1), ValueError, "n must be an integer >= 1, got 0"),
        (
            lambda: network.columns(5, 1, 1),
            ValueError,
            "delta must be a finite real number > 0 and < 1, got 1",
        ),
        (
            lambda: network.columns(5, 0.1, 0),
            ValueError,
            "C must be a finite real number > 0, got 0",
        ),
        (
            lambda: network.columns(5, 0.1, 3.14159265),
            ValueError,
            "C must be a ratio of integers <= 1000",
        ),
        (
            lambda: network.rademacher_columns(3, 0, np.random.default_rng(0)),
            ValueError,
            "m must be an integer >= 1, got 0",
        ),
        (
            lambda: network.rademacher_columns(3, 2, 1),
            TypeError,
            "pass numpy.random.default_rng(seed)",
        ),
    ],
)
def test_errors_name_the_value_and_the_remedy(call, error, message):
    with pytest.raises(error) as caught:
        call()
    assert message in str(caught.value)


def test_the_largest_number_of_draws_is_said_as_a_whole_number():
    with pytest.raises(ValueError, match=r"trials must be an integer <= 3665038759, got"):
        network.draw_fires_at(spike_among(100, 4), 0.5, 3, 0.2, 2**41, np.random.default_rng(0))
    with pytest.raises(ValueError, match=r"trials must be an integer <= 1, got 2"):
        network.draw_fires_at(spike_among(100, 4), 0.5, 2**40, 0.2, 2, np.random.default_rng(0))
