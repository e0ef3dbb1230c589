"""Closed forms of the ends of windows, beside enclosures and draws of the networks."""

import inspect
import itertools
import math

import numpy as np
import pytest
from scipy.optimize import bisect, brentq
from scipy.special import ndtr

from polycore.models import network, normalised, windows
from polycore.models.attention import degree
from polycore.models.datasets import extremal_d0, spike_among, two_level
from polycore.thresholds import variance_bound
from tests.test_bad_input import refused

SIZES = [10**4, 10**6, 10**9]


def columns(n, C=7):
    return network.columns(n, 0.01, C)


def fires(member, kappa, tau):
    return network.fires_at(member, kappa, columns(member.n), tau, 1e-4)


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("tau", [0.1, 0.2, 0.4])
def test_a_fixed_threshold_opens_between_enclosures(n, tau):
    opens, _ = windows.fixed_threshold(n, columns(n), tau)
    assert fires(spike_among(n, 4), opens - 0.01, tau).upper < 0.5
    assert fires(spike_among(n, 4), opens + 0.01, tau).lower > 0.5


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("tau", [0.1, 0.2, 0.4])
def test_and_closes_there(n, tau):
    _, closes = windows.fixed_threshold(n, columns(n), tau)
    few = [two_level(n, count) for count in (1, 3, 8, 20, 50, 80, 200)]
    before = [extremal_d0(n, degree(closes - 0.03, n)), *few]
    assert all(fires(member, closes - 0.03, tau).upper < 0.5 for member in before)
    assert any(fires(member, closes + 0.03, tau).lower > 0.5 for member in few)


FEW = [1, 2, 3, 4, 6, 8, 12, 20, 30, 40, 50, 80, 120, 200]


@pytest.mark.slow
@pytest.mark.parametrize("n", [1000, *SIZES])
@pytest.mark.parametrize("tau", [0.1, 0.2, 0.4])
def test_signs_that_are_counted_say_more_closely_where_it_closes(n, tau):
    closes = windows.threshold_closes(n, columns(n), tau)
    exceed = windows.two_levels_exceed(n, closes, tau, range(1, 500))
    worst = 1 + int(np.argmax(exceed))
    lists = [two_level(n, count) for count in (*FEW, worst - 1, worst, worst + 1)]
    assert all(fires(member, closes - 0.005, tau).upper < 0.5 for member in lists)
    assert fires(two_level(n, worst), closes + 0.005, tau).lower > 0.5


@pytest.mark.parametrize(
    "about",
    [
        {"n": 10**6, "m": 187, "tau": 0.2},
        {"n": 10**6, "m": 187, "tau": 0.2, "noise": 0.057, "error": 0.1},  # nearly all that tau is
        {"n": 10**9, "m": 256, "tau": 0.9, "error": 1e-3},  # nearly all signs must agree
        {"n": 10**9, "m": 256, "tau": 0.95, "error": 1e-15},
        {"n": 10**9, "m": 256, "noise": 0.01, "error": 1e-3},
        {"n": 10**6, "m": 8, "noise": 0.01, "error": 0.49},  # of a single h
        {"n": 50_000, "m": 157, "band": 2, "noise": 5e-3, "error": 0.1},
        {"n": 30, "m": 20, "tau": 0.4},
        {"n": 5, "m": 8, "tau": 0.9},
        {"n": 8, "m": 11, "tau": 0.999},  # past the third power of n
        {"n": 3, "m": 8, "tau": 0.9},
    ],
)
def test_no_list_of_two_levels_exceeds_the_threshold_more_where_it_closes(about):
    closes, n, m = windows.threshold_closes(**about), about["n"], about["m"]
    error, noise = about.get("error", 0.5), about.get("noise", 0)
    tau = about.get("tau") or windows.highest_threshold(n, m, closes, noise=noise, error=error)
    counts, band = range(1, min(n, 1000)), about.get("band", 1)
    exceed = windows.two_levels_exceed(n, closes, tau, counts, band, noise)
    assert exceed.max() == pytest.approx(windows.one_column(m, error), rel=1e-6, abs=0)


def test_no_more_lists_are_looked_at_than_is_said(monkeypatch):
    """With so much noise, q^2/(2 (tau^2 - (q noise)^2)) + q^2 of them."""
    m, tau, q = 50, 0.3, windows.quantile(50)
    noise = lambda lists: math.sqrt(tau**2 - q**2 / (2 * (lists - q**2))) / q
    monkeypatch.setattr(windows, "LISTS", 200)
    assert windows.threshold_closes(10**6, m, tau, noise=noise(199)) > 0.5
    with pytest.raises(ValueError, match="more than 200 lists"):
        windows.threshold_closes(10**6, m, tau, noise=noise(201))


def test_with_less_noise_a_threshold_is_wrong_later():
    closes = [
        windows.threshold_closes(10**12, 326, None, 3, 1, noise, 0.1)
        for noise in (1e-2, 1e-6, 1e-12, 1e-24)
    ]
    assert closes == sorted(closes)
    assert closes[-1] > 2


@pytest.mark.parametrize("kappa", [0.5, 0.8, 1.1])
def test_columns_of_two_levels_exceed_a_threshold_as_enclosed(kappa):
    n, counts = 10**6, [1, 2, 5, 40]
    found = windows.two_levels_exceed(n, kappa, 0.21, counts)
    for one, count in zip(found, counts):
        both_sides = network.one_column_at(two_level(n, count), kappa, 0.21)
        assert both_sides.lower - 1e-4 < 2 * one < both_sides.upper + 1e-4


def drawn_share(member, kappa, m, tau, noise, many=800):
    """The share of networks that fire, each column with its noise."""
    rng = np.random.default_rng(20231020)
    columns = network.draw_column_at(member, kappa, many * m, rng).reshape(many, m)
    return np.mean((columns + noise * rng.normal(size=columns.shape) > tau).any(axis=1))


@pytest.mark.parametrize(("tau", "noise"), [(0.2, 0.01), (0.2, 0.05)])
def test_with_noise_a_fixed_threshold_opens_and_closes_there(tau, noise):
    n = 10**6
    opens = windows.fixed_threshold_opens(n, columns(n), tau, noise=noise)
    closes = windows.threshold_closes(n, columns(n), tau, noise=noise)
    spike = spike_among(n, 4)
    assert drawn_share(spike, opens - 0.02, columns(n), tau, noise) < 0.4
    assert drawn_share(spike, opens + 0.02, columns(n), tau, noise) > 0.6
    before, past = (
        [drawn_share(two_level(n, c), closes + side, columns(n), tau, noise) for c in FEW]
        for side in (-0.03, 0.03)
    )
    assert max(before) < 0.45 and max(past) > 0.55


@pytest.mark.slow
@pytest.mark.parametrize("noise", [1e-4, 0.01, 0.05])
def test_with_noise_no_threshold_serves_past_its_end(noise):
    """A tenth of error on either dataset: to the left some threshold has less, to the right none.
    Lists of few h are drawn at the threshold that a spike exceeds in nine networks of ten.
    """
    n, m = 10**6, columns(10**6)
    closes = windows.threshold_closes(n, m, noise=noise, error=0.1)
    for side in (-0.03, 0.03):
        least = [least_threshold(two_level(n, c), closes + side, m, noise) for c in (1, 2, 3, 4, 8)]
        highest = np.quantile(largest_columns(spike_among(n, 4), closes + side, m, noise), 0.1)
        assert (max(least) < highest) == (side < 0)


def largest_columns(member, kappa, m, noise, many=4000):
    rng = np.random.default_rng(7)
    columns = network.draw_column_at(member, kappa, many * m, rng).reshape(many, m)
    return (columns + noise * rng.normal(size=columns.shape)).max(axis=1)


def least_threshold(member, kappa, m, noise):
    return np.quantile(largest_columns(member, kappa, m, noise), 0.9)


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: windows.threshold_closes(10**6, 300, 0.2, noise=0.1), "noise alone exceeds tau"),
        (lambda: windows.threshold_closes(10**6, 300), "noise must be"),
        (lambda: windows.threshold_closes(10**9, 256, 0.2, noise=0.0716), "more than 4000 lists"),
        (lambda: windows.threshold_closes(10**6, 300, noise=0.01), "error must be"),
        (lambda: windows.fixed_threshold(100, 60, 0.2), "tau must exceed"),
        (lambda: windows.threshold_closes(10**6, 300, 2.0), "tau must be"),
        (lambda: windows.threshold_closes(10**6, 8, 0.2, error=1e-3), "error must be"),
        (lambda: windows.two_levels_exceed(100, 0.5, 0.2, [100]), "counts must be"),
        (lambda: windows.two_levels_exceed(100, 0.5, 0.2, []), "counts must"),
    ],
)
def test_what_has_no_end_is_refused(call, said):
    with pytest.raises(ValueError, match=said):
        call()


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("error", [0.5, 0.1])
def test_the_best_threshold_opens_between_enclosures(n, error):
    opens = windows.best_threshold_opens(n, columns(n), error=error)
    for side in (-0.01, 0.01):
        norm = windows.largest_deviation(n, opens + side)
        level = windows.quantile(columns(n), error) * norm
        fired = fires(spike_among(n, 4), opens + side, level)
        assert (fired.lower > 1 - error) if side > 0 else (fired.upper < 1 - error)


@pytest.mark.parametrize(
    "opens",
    [
        lambda noise: windows.best_threshold_opens(10**6, 200, noise=noise, error=0.1),
        lambda noise: windows.normalised_columns(10**6, 200, noise=noise)[0],
    ],
)
def test_noise_far_below_the_columns_changes_nothing(opens):
    assert opens(1e-6) == pytest.approx(opens(0), abs=1e-4)
    assert opens(1e-2) > opens(0) + 1e-2


@pytest.mark.parametrize("side", [-0.02, 0.02])
def test_with_noise_the_test_of_one_size_opens_there(side):
    n, m, noise, rng = 10**6, 300, 0.01, np.random.default_rng(20231020)
    at = windows.normalised_columns(n, m, noise=noise)[0] + side
    drawn = network.draw_column_at(spike_among(n, 4), at, 400 * m, rng).reshape(400, m)
    share = np.mean(normalised.one_size(drawn + noise * rng.normal(size=drawn.shape)))
    assert share < 0.4 if side < 0 else share > 0.6


def test_too_much_noise_leaves_no_window():
    assert windows.normalised_columns(10**6, 300, noise=0.1) == (math.inf, math.inf)


def test_a_threshold_that_hears_noise_alone_is_refused():
    with pytest.raises(ValueError, match="error"):
        windows.best_threshold_opens(10**6, 200, noise=0.1)


@pytest.mark.parametrize("kappa", [0.1, 0.5, 0.9])
def test_no_list_has_a_larger_deviation_and_one_comes_near(kappa):
    n, beta = 10**6, degree(kappa, 10**6)
    largest = windows.largest_deviation(n, kappa)
    worst = math.sqrt(extremal_d0(n, beta).squared_norm(beta))
    assert 0.98 * largest < worst <= largest * (1 + 1e-9)
    assert largest**2 == pytest.approx(variance_bound("sharp", n, str(kappa)), rel=1e-12, abs=0)


EVERYWHERE = {
    "n": [2, 10, 10**60],
    "m": [8, 1000],
    "kappa": [0, 3],
    "tau": [0.05, 0.9],
    "spike": [0.5, 10],
    "band": [0.2, 5],
    "noise": [0, 1e-9, 0.05],
    "error": [0.49, 1e-6],
}
ENDS = [
    *(windows.fixed_threshold_opens, windows.fixed_threshold, windows.best_threshold_opens),
    *(windows.highest_threshold, windows.normalised_columns, windows.falling_threshold),
    *(windows.largest_deviation, windows.threshold_closes),
]


@pytest.mark.parametrize("end", ENDS)
def test_there_is_an_end_or_a_reason_why_there_is_none(end):
    names = [name for name in inspect.signature(end).parameters if name in EVERYWHERE]
    found = []
    for values in itertools.product(*(EVERYWHERE[name] for name in names)):
        given = dict(zip(names, values))
        if end is windows.threshold_closes and given["n"] > 10:
            given["n"] = 100  # at 10^60 all lists of up to 3200 scores h would be looked at
        if not refused(end, given):
            found.append(end(**given))
    assert found and np.all(np.array(found) >= 0)


@pytest.mark.parametrize("n", [2, 5, 10**6])
@pytest.mark.parametrize("noise", [0, 0.01])
def test_a_spike_is_a_list_of_two_levels_with_one_high_score(n, noise):
    level = windows.highest_threshold(n, 200, 0.5, noise=noise)
    (one,) = windows.two_levels_exceed(n, 0.5, level, [1], band=3, noise=noise)
    assert one == pytest.approx(windows.one_column(200), rel=1e-6, abs=0)


@pytest.mark.parametrize("band", [5, 50])
def test_a_window_that_is_open_from_the_start_and_closes_soon_is_found(band):
    """Two scores, and a band wider than the spike: at 0.33 or a tenth of it, it closes again."""
    assert windows.best_threshold_opens(2, 2, spike=0.5, band=band) == 0


def test_that_all_lists_are_alike_at_degree_zero_is_no_window():
    """Half of the errors are made there at any threshold; a window opens further up."""
    opens = windows.best_threshold_opens(10**4, 8, band=0.2)
    assert 0.05 < opens < windows.best_threshold_opens(10**4, 8, band=0.2, error=0.4)


def test_a_window_opens_close_to_equal_scores():
    """Of ten, nine are taken for Gaussian: above that level it opens, and below it always fires."""
    exceeds = lambda tau: (ndtr((0.1 - tau) / 0.3) + ndtr((-0.1 - tau) / 0.3)) / 2
    level = brentq(lambda tau: exceeds(tau) - windows.one_column(200), 0, 2)
    assert 0 < windows.fixed_threshold_opens(10, 200, (1 + 1e-6) * level) < 0.1
    with pytest.raises(ValueError, match="tau must exceed"):
        windows.fixed_threshold_opens(10, 200, (1 - 1e-6) * level)


def test_one_size_is_seen_from_where_the_spike_is_large_enough():
    """So many deviations of the rest, with noise; and no edge where noise alone is that large."""
    n, m = 1000, 50
    many = deviations(m)
    for noise in (0, 0.5 / many, 0.99 / many):
        ratio = n ** (3 * windows.normalised_columns(n, m, noise=noise)[0])
        rest = math.hypot(math.sqrt(n - 1) / (ratio + n - 1), noise)
        assert many * rest == pytest.approx(ratio / (ratio + n - 1), rel=1e-6, abs=0)
    assert windows.normalised_columns(n, m, noise=1.01 / many) == (math.inf, math.inf)


def test_the_window_of_one_size_closes_where_the_band_is_as_large():
    opens, closes = windows.normalised_columns(1000, 50, spike=3, band=2, noise=0.01)
    assert closes * 2 == pytest.approx(opens * 3) and opens > 0


def deviations(m):
    """Of how many deviations of the rest a spike is where one size is as likely as not."""
    return bisect(lambda ratio: normalised.one_size_if_gaussian(ratio, m) - 0.5, 1, 40)


def test_the_best_threshold_may_be_wrong_half_of_the_time_unless_said():
    opens = windows.best_threshold_opens
    assert opens(10**6, 200) == opens(10**6, 200, error=0.5) != opens(10**6, 200, error=0.4)


@pytest.mark.parametrize("end", [windows.highest_threshold, windows.threshold_closes])
def test_a_spike_is_of_degree_three_unless_said(end):
    """A score 8 above scores of 1."""
    at = {
        windows.highest_threshold: (10**6, 200, 0.5),
        windows.threshold_closes: (10**12, 326, 0.2),
    }
    assert end(*at[end]) == end(*at[end], spike=3)
    assert end(10**6, 200, 0.5, spike=3) != end(10**6, 200, 0.5, spike=2)


@pytest.mark.parametrize(
    "edge",
    [
        lambda spike, band: windows.threshold_closes(10**9, 326, None, spike, band, 0.01, 0.1),
        lambda spike, band: windows.threshold_closes(10**9, 326, 0.3, spike, band, 0.01, 0.1),
        lambda spike, band: windows.best_threshold_opens(10**9, 326, spike, band, 0.01, 0.1),
        lambda spike, band: windows.fixed_threshold_opens(10**9, 326, 0.3, spike, 0.01),
        lambda spike, band: windows.normalised_columns(10**9, 326, spike, band, 0.01)[0],
        lambda spike, band: windows.normalised_columns(10**9, 326, spike, band, 0.01)[1],
    ],
)
@pytest.mark.parametrize("times", [0.5, 2, 5])
def test_scores_that_are_powers_of_the_others_have_a_fraction_of_the_edge(edge, times):
    """The weights depend on kappa spike and kappa band alone."""
    assert edge(3 * times, times) == pytest.approx(edge(3, 1) / times, rel=1e-6, abs=0)


@pytest.mark.parametrize("place", np.linspace(0.005, 0.97, 80))
def test_a_window_a_little_wider_than_a_step_is_found(place):
    """The steps are 256 of the root of kappa."""
    last, half = 3.0, 0.505 / 256
    low, high = (last * (math.sqrt(place) + side * half) ** 2 for side in (-1, 1))
    window = lambda kappa: 1.0 if low < kappa < high else -1.0
    assert windows._opens(window, last, "none") == pytest.approx(low, abs=1e-9)


@pytest.mark.parametrize(
    "gap",
    [
        lambda kappa: 1.0 if kappa > 3 else -1.0,
        lambda kappa: -abs(kappa - 0.75),
        lambda kappa: -1.0 if kappa else 1e-17,  # a rounding, where all lists are alike
        lambda kappa: 0.0,
    ],
)
def test_a_window_beyond_the_last_step_or_of_one_degree_is_none(gap):
    with pytest.raises(ValueError, match="none"):
        windows._opens(gap, 3.0, "none")


def test_a_window_may_open_at_a_step():
    """At the middle one of them."""
    assert windows._opens(lambda kappa: kappa - 0.75, 3.0, "none") == 0.75


def test_of_two_windows_the_first_counts():
    assert windows._opens(lambda kappa: math.sin(3 * kappa - 1), 3.0, "none") == pytest.approx(
        1 / 3
    )


def test_a_window_that_closes_before_the_second_step_is_open_from_the_start():
    assert windows._opens(lambda kappa: 3 * (1.5 / 256) ** 2 - kappa, 3.0, "none") == 0


PAPER = {"spike": 3, "band": 1, "noise": 0, "error": 0.5, "chance": 0.5, "delta": 0.01, "k": 1}


@pytest.mark.parametrize("name", windows.__all__)
def test_where_nothing_is_said_the_scores_are_the_papers_without_noise(name):
    """A spike of 32 among scores from 2 to 4, each answer as likely as the other."""
    parameters = inspect.signature(getattr(windows, name)).parameters.values()
    given = {one.name: one.default for one in parameters if one.default is not one.empty}
    assert given.pop("tau", None) is None
    assert given == {word: PAPER[word] for word in given}
