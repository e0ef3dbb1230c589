"""Columns of one size: the test, its probability by three ways, and the theorems behind it, held
against sums with all their signs enumerated.
"""

import math

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy.integrate import quad
from scipy.special import ndtr
from scipy.stats import norm
from sympy import symbols

from polycore.models import attention, network, normalised
from polycore.models.datasets import Scores, spike_among, two_level
from polycore.proof import n as size
from polycore.theory.coupling import COLUMNS_CLOSE
from polycore.theory.normalised_columns import NONE_DOMINATES
from polycore.theory.spread import BAND_LE

RNG = np.random.default_rng(20231020)


def all_sums(f):
    """The 2^n sums of the weights with signs."""
    every = np.zeros(1)
    for weight in f:
        every = np.concatenate([every - weight, every + weight])
    return every


def test_the_root_mean_square_becomes_one():
    columns = RNG.normal(size=(4, 50)) * [[1e-300], [1e-3], [1], [1e300]]
    assert np.allclose(np.mean(normalised.normalised(columns) ** 2, axis=1), 1)


def test_what_no_division_mends_is_refused():
    with pytest.raises(ValueError, match="must not all be 0"):
        normalised.normalised([[1.0, 2.0], [0.0, 0.0]])


@given(st.lists(st.floats(0.5, 2), min_size=2, max_size=9), st.floats(1e-6, 1e6))
@settings(deadline=None)
def test_no_scale_and_no_sign_changes_the_answer(sizes, scale):
    columns = np.array(sizes)
    ratio = (columns.max() / columns.min()) ** 2
    assume(abs(ratio - 2) > 1e-9)
    signs = RNG.choice([-1, 1], columns.size)
    assert normalised.one_size(columns * signs * scale) == (ratio < 2)


def exactly_one_size(member, kappa, m):
    """Pr[one size] from all signs: every value may be the smallest, the others lie above it."""
    f = attention.weights(member.expand(), attention.degree(kappa, member.n))
    values, counts = np.unique(np.round(np.abs(all_sums(f)), 12), return_counts=True)
    chance = counts / counts.sum()
    total = 0.0
    for place, value in enumerate(values):
        within = chance[place:][values[place:] ** 2 < 2 * value**2].sum()
        total += within**m - max(0.0, within - chance[place]) ** m
    return total


@pytest.mark.parametrize("kappa", [0.1, 0.3, 0.6])
@pytest.mark.parametrize("member", [spike_among(12, 4), two_level(12, 1), two_level(12, 5)])
@pytest.mark.parametrize("m", [2, 7])
def test_the_enclosure_holds_the_exact_probability(member, kappa, m):
    enclosed = normalised.one_size_at(member, kappa, m)
    assert enclosed.lower <= exactly_one_size(member, kappa, m) <= enclosed.upper


def test_more_slots_enclose_more_closely():
    coarse, fine = (
        normalised.one_size_at(spike_among(10**6, 4), 0.236, 559, steps) for steps in (24, 96)
    )
    assert coarse.lower <= fine.lower <= fine.upper <= coarse.upper
    assert fine.upper - fine.lower < 0.4 * (coarse.upper - coarse.lower)


@pytest.mark.parametrize("kappa", [0.23, 0.236, 0.24])
def test_the_integral_lies_in_the_enclosure(kappa):
    many = 10**6
    enclosed = normalised.one_size_at(spike_among(many, 4), kappa, 559, 96)
    by_integral = normalised.one_size_if_gaussian(many ** (3 * kappa) / math.sqrt(many - 1), 559)
    assert enclosed.lower <= by_integral <= enclosed.upper
    assert not enclosed.lower <= by_integral**2 * 0.9 <= enclosed.upper  # ½ and ¼ are told apart


@pytest.mark.parametrize(("ratio", "m"), [(1.0, 3), (20.0, 100), (40.0, 10**6)])
def test_the_integral_does_not_feel_its_points(monkeypatch, ratio, m):
    first = normalised.one_size_if_gaussian(ratio, m)
    monkeypatch.setattr(normalised, "POINTS", 2 * normalised.POINTS)
    assert normalised.one_size_if_gaussian(ratio, m) == pytest.approx(first, abs=1e-9)


def test_draws_agree_with_the_enclosure():
    enclosed = normalised.one_size_at(spike_among(1000, 4), 0.3, 100, 96)
    hits = normalised.draw_one_size_at(spike_among(1000, 4), 0.3, 100, 4000, RNG)
    spread = 4 * math.sqrt(0.25 / 4000)
    assert enclosed.lower - spread < hits / 4000 < enclosed.upper + spread
    assert 0.2 < hits / 4000 < 0.999


def test_between_two_ends_is_the_difference_of_two_tails():
    member = two_level(12, 5)
    sums = np.abs(all_sums(attention.weights(member.expand(), attention.degree(0.3, 12))))
    for low, high in [(0, 0.1), (0.1, 0.35), (0.2, 2)]:
        share = np.mean((sums > low) & (sums <= high))
        enclosed = normalised.one_column_between(member, 0.3, low, high)
        assert enclosed.lower <= share <= enclosed.upper
    with pytest.raises(ValueError, match="high"):
        normalised.one_column_between(member, 0.3, 0.4, 0.3)


@pytest.mark.slow
@given(st.lists(st.floats(0.9, 1), min_size=40, max_size=60), st.floats(0.05, 4))
@settings(deadline=None, max_examples=40)
def test_a_band_misses_a_thirtieth_of_the_columns(weights, level):
    f = np.array(weights)
    f /= np.linalg.norm(f)
    assume(40 * f.max() ** 2 <= 1)
    sums = np.abs(f @ network.rademacher_columns(f.size, 4000, RNG))
    within = np.mean((sums > level) & (sums <= 2 * level))
    assert within <= float(BAND_LE.conclusion.rhs) + 4 * math.sqrt(0.25 / 4000)


def test_one_weight_alone_fills_a_band():
    assert np.all((np.abs(all_sums([1.0])) > 2 / 3) & (np.abs(all_sums([1.0])) <= 4 / 3))


@given(st.integers(1, 60), st.floats(1, 1.3))
@settings(deadline=None)
def test_no_weight_dominates_in_a_long_list(many, ratio):
    count = 40 * many
    assume(count >= 40 * ratio**2)
    f = np.append(np.ones(count - 1), ratio)
    assert NONE_DOMINATES.hypotheses[3].xreplace({size: count, symbols("r"): ratio})
    assert 40 * f.max() ** 2 <= np.sum(f**2) * (1 + 1e-12)


def test_in_a_short_one_it_does():
    f = np.append(np.ones(9), 3.0)
    assert 40 * f.max() ** 2 > np.sum(f**2)


@given(st.integers(1, 11), st.floats(1, 1e3))
@settings(deadline=None)
def test_columns_with_the_same_signs_are_as_close_as_proved(n, X):
    signs = np.array(np.meshgrid(*[[-1, 1]] * (n + 1))).reshape(n + 1, -1)
    spiked = (X * signs[0] + signs[1:].sum(axis=0)) / (X + n)
    bound = float(COLUMNS_CLOSE.conclusion.rhs.xreplace({size: n, symbols("X"): X}))
    assert np.abs(spiked - signs.sum(axis=0) / (n + 1)).max() <= bound * (1 + 1e-12)


def test_bad_arguments_are_named():
    with pytest.raises(ValueError, match="m must be an integer >= 2"):
        normalised.one_size_at(Scores((32.0, 4.0), (1, 9)), 0.3, 1)
    with pytest.raises(ValueError, match="ratio"):
        normalised.one_size_if_gaussian(-1.0, 3)


@pytest.mark.parametrize(("m", "steps"), [(2, 6), (3, 9)])
def test_an_enclosure_adds_up_what_its_docstring_says(m, steps):
    """The smallest in a slot, the others within a factor a slot below sqrt 2, and then above it;
    and what no slot holds.
    """
    member, kappa = spike_among(50, 4), 0.25
    end = lambda place: rms * 2 ** ((place - steps) / (2 * steps))
    rms = member.squared_norm(attention.degree(kappa, 50)) ** 0.5
    past = lambda place: network.one_column_at(member, kappa, end(place)).value
    within = lambda low, high: (past(low) - past(high)) ** m
    slots = [
        [within(j, j + wide) - within(j + 1, j + wide) for wide in (steps - 1, steps + 2)]
        for j in range(2 * steps)
    ]
    least, most = map(sum, zip(*slots))
    beyond = (1 - past(steps + 1)) ** m + past(2 * steps) ** m
    found = normalised.one_size_at(member, kappa, m, steps)
    assert (found.lower, found.upper) == pytest.approx((least, min(1, most + beyond)), abs=1e-4)
    assert 0.01 < found.lower < found.upper < 0.99


@pytest.mark.parametrize("ratio", [0.0, 0.7, 3.0])
def test_two_columns_are_of_one_size_if_either_lies_within_a_factor_of_the_other(ratio):
    cdf = lambda a: ndtr(a - ratio) - ndtr(-a - ratio)
    density = lambda a: norm.pdf(a - ratio) + norm.pdf(a + ratio)
    within = lambda a: density(a) * (cdf(math.sqrt(2) * a) - cdf(a / math.sqrt(2)))
    known = quad(within, 0, ratio + 9, points=[ratio])[0]
    assert normalised.one_size_if_gaussian(ratio, 2) == pytest.approx(known, abs=1e-5)
    if ratio == 0:  # the quotient of two Gaussians is Cauchy's
        assert known == pytest.approx((math.atan(2**0.5) - math.atan(2**-0.5)) * 2 / math.pi)


def test_an_enclosure_says_of_how_many_slots_and_columns_it_is():
    found = normalised.one_size_at(spike_among(100, 4), 0.3, 5, steps=7)
    assert (found.method, found.rigour) == ("14 slots, 5 columns", "certified")
