"""The error rates, summed exactly over all outcomes: nothing here is simulated."""

import math

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy.stats import binom, norm

from polycore import montecarlo as mc

cases = settings(deadline=None, derandomize=True, max_examples=25)
# scipy states its binomial to about 1e-10; beyond this a rate is exceeded
SLACK = 1 + 1e-9


def rate(verdict, decide, trials, p):
    """Pr[verdict] in one line: the sum of the binomial law over the outcomes that give it."""
    return math.fsum(binom.pmf(k, trials, p) for k in range(trials + 1) if decide(k) == verdict)


@cases
@given(
    st.integers(1, 60),
    st.floats(0.01, 0.99),
    st.sampled_from([1e-6, 1e-3, 0.05]),
    st.sampled_from([1e-6, 1e-2]),
)
def test_at_most_keeps_both_rates_and_detects_what_it_says(trials, bound, false_alarm, false_pass):
    def decide(k):
        return mc.decide_at_most(k, trials, bound, false_alarm, false_pass).verdict

    assert rate("fail", decide, trials, bound) <= false_alarm * SLACK
    assert rate("pass", decide, trials, np.nextafter(bound, 1)) <= false_pass * SLACK
    detects = mc.decide_at_most(0, trials, bound, false_alarm, false_pass).detects
    if detects < math.inf:
        assert rate("fail", decide, trials, detects) == pytest.approx(
            1 - false_pass, rel=1e-9, abs=0
        )
        assert bound < detects <= 1
    else:
        assert all(decide(k) != "fail" for k in range(trials + 1))


@pytest.mark.slow
@cases
@given(st.integers(1, 60), st.floats(0.05, 0.9), st.floats(0, 0.05), st.floats(0.01, 0.2))
def test_equal_keeps_both_rates_and_detects_what_it_says(trials, low, width, margin):
    high, alarm, false_pass = low + width, 1e-2, 1e-3

    def decide(k):
        return mc.decide_equal(k, trials, low, high, margin, alarm, false_pass).verdict

    assert all(
        rate("fail", decide, trials, p) <= alarm * SLACK for p in (low, (low + high) / 2, high)
    )
    assert all(
        rate("pass", decide, trials, p) <= false_pass * SLACK
        for p in (low - margin, high + margin)
        if 0 < p < 1
    )
    detects = mc.decide_equal(0, trials, low, high, margin, alarm, false_pass).detects
    assert all(
        rate("fail", decide, trials, p) >= (1 - false_pass) / SLACK
        for p in (low - detects, high + detects)
        if 0 < p < 1
    )


@pytest.mark.parametrize(("low", "high"), [(0, 0.1), (0.9, 1)])
def test_at_an_end_all_that_is_detected_is_on_the_other_side(low, high):
    detects = mc.decide_equal(3, 60, low, high, 0.2, 1e-2, 1e-3).detects
    one_sided = mc.decide_at_most(3, 60, 0.1, 5e-3, 1e-3).detects
    assert detects == pytest.approx(one_sided - 0.1)


DECIDERS = {
    "at most": lambda k, n: mc.decide_at_most(k, n, 0.9, 1e-2, 1e-3),
    "at most half": lambda k, n: mc.decide_at_most(k, n, 0.5, 1e-2, 1e-1),
    "equal": lambda k, n: mc.decide_equal(k, n, 0.3, 0.4, 0.3, 1e-2, 1e-1),
    "agreement": lambda k, n: mc.decide_agreement(k, n, 0.5, 0.5, 2, 1e-2, 1e-1),
    "median": lambda k, n: mc.decide_median(np.repeat([1.0, -1.0], [k, n - k]), error=0.2),
}


@pytest.mark.parametrize("name", DECIDERS)
def test_what_is_undecided_is_counted(name):
    """Its probability at any number of trials, if the share of 12 is the truth."""
    decide = DECIDERS[name]
    for k in range(13):
        for trials in (4, 9, 12, 50):
            known = rate("undecided", lambda k, n=trials: decide(k, n).verdict, trials, k / 12)
            assert decide(k, 12).undecided_at(trials) == pytest.approx(known, abs=1e-9)


def test_decisions_of_the_same_trials_are_the_same():
    one, other, third = (mc.decide_at_most(k, 60, 0.1) for k in (3, 3, 4))
    assert one == other != third and len({one, other, third}) == 2
    assert "undecided_at" not in repr(one)


def test_a_claim_of_one_number_says_equals():
    claims = [mc.decide_equal(5, 10, 0.5, high, 0.2).claim for high in (0.5, 0.6)]
    assert claims == [{"equals": 0.5}, {"at_least": 0.5, "at_most": 0.6}]


@pytest.mark.parametrize(("trials", "p"), [(1, 0.5), (7, 0.3), (7, 0.0), (7, 1.0), (40, 0.9)])
def test_chances_are_sums_of_the_binomial_law(trials, p):
    chances = [math.comb(trials, k) * p**k * (1 - p) ** (trials - k) for k in range(trials + 1)]
    for first in range(trials + 2):
        assert mc._at_least(first, trials, p) == pytest.approx(sum(chances[first:]), abs=1e-12)
        assert mc._below(first, trials, p) == pytest.approx(sum(chances[:first]), abs=1e-12)
        for last in range(trials + 2):
            known = pytest.approx(sum(chances[first:last]), abs=1e-12)
            assert mc._chance(first, last, trials, p) == known


def wald(k, trials, bound, error):
    """The wrong procedure: a normal interval around the estimate, with nominally the same rates."""
    p = k / trials
    half = norm.isf(error) * math.sqrt(p * (1 - p) / trials)
    return "fail" if p - half > bound else "pass" if p + half <= bound else "undecided"


def test_a_normal_interval_breaks_the_rate_that_it_states():
    trials, bound, error = 100, 0.02, 1e-3
    assert (
        rate("pass", lambda k: wald(k, trials, bound, error), trials, bound) > 100 * error
    )  # k = 0 "passes"
    assert (
        rate(
            "pass",
            lambda k: mc.decide_at_most(k, trials, bound, error, error).verdict,
            trials,
            bound,
        )
        <= error
    )


def test_a_round_tolerance_breaks_the_rate_that_it_states():
    trials, p, alarm = 1000, 0.5, 1e-6
    assert (
        rate("fail", lambda k: "fail" if abs(k / trials - p) > 0.05 else "pass", trials, p)
        > 1000 * alarm
    )
    assert (
        rate("fail", lambda k: mc.decide_equal(k, trials, p, p, 0.1, alarm).verdict, trials, p)
        <= alarm
    )


@cases
@given(st.integers(1, 10**6), st.data(), st.floats(1e-9, 0.5))
def test_limits_invert_the_binomial_tails(trials, data, error):
    k = data.draw(st.integers(0, trials))
    lower, upper = mc.clopper_pearson(k, trials, 2 * error if error < 0.5 else 0.99)
    error = error if error < 0.5 else 0.495
    assert lower <= k / trials <= upper
    if k:
        assert binom.sf(k - 1, trials, lower) == pytest.approx(error, rel=1e-6, abs=0)
    if k < trials:
        assert binom.cdf(k, trials, upper) == pytest.approx(error, rel=1e-6, abs=0)
    assert mc.upper_limit(k, trials, error) == pytest.approx(
        1 - mc.lower_limit(trials - k, trials, error), abs=1e-9
    )


def test_no_failure_certifies_no_better_than_the_rule_of_three():
    # (1 - p)^n = error, solved by hand
    assert mc.upper_limit(0, 10**6, 1e-6) == pytest.approx(
        -math.expm1(math.log(1e-6) / 10**6), rel=1e-12, abs=0
    )
    assert mc.decide_at_most(0, 10**6, 1e-8).verdict == "undecided"


def test_the_margin_is_for_passing_only_what_is_seen_to_be_false_fails():
    assert mc.decide_equal(520_000, 10**6, 0.5, 0.5, 0.05).verdict == "fail"


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (
            lambda: mc.clopper_pearson(5, 4, 0.1),
            ValueError,
            "successes must be <= trials = 4, got 5: are the two swapped?",
        ),
        (
            lambda: mc.clopper_pearson(-1, 4, 0.1),
            ValueError,
            "successes must be an integer >= 0, got -1",
        ),
        (
            lambda: mc.clopper_pearson(0, 0, 0.1),
            ValueError,
            "trials must be an integer >= 1, got 0",
        ),
        (
            lambda: mc.clopper_pearson(0, 10**400, 0.1),
            ValueError,
            "trials must be an integer <= 9007199254740992",
        ),
        (lambda: mc.clopper_pearson(0.5, 4, 0.1), TypeError, "successes must be an integer"),
        (
            lambda: mc.clopper_pearson(1, 4, 1),
            ValueError,
            "error must be a finite real number > 0 and < 1, got 1",
        ),
        (
            lambda: mc.decide_at_most(1, 4, 1.5),
            ValueError,
            "bound must be a finite real number >= 0 and <= 1, got 1.5",
        ),
        (lambda: mc.decide_at_most(1, 4, math.nan), ValueError, "bound must be"),
        (
            lambda: mc.decide_at_most(1, 4, 0.5, 0.5, 0.5),
            ValueError,
            "false_alarm + false_pass must be < 1",
        ),
        (
            lambda: mc.decide_equal(1, 4, 0.6, 0.5, 0.1),
            ValueError,
            "low must be a finite real number >= 0 and <= 0.5, got 0.6",
        ),
        (
            lambda: mc.decide_equal(1, 4, 0.5, 0.5, 0),
            ValueError,
            "margin must be a finite real number > 0, got 0",
        ),
        (
            lambda: mc.z_score(1, 4, 0),
            ValueError,
            "p must be a finite real number > 0 and < 1, got 0",
        ),
    ],
)
def test_errors_name_the_value_and_the_remedy(call, error, message):
    with pytest.raises(error) as caught:
        call()
    assert message in str(caught.value)


def decided(decide, trials, p):
    return rate("pass", decide, trials, p) + rate("fail", decide, trials, p)


@settings(deadline=None, derandomize=True, max_examples=15)
@given(
    st.integers(1, 30),
    st.data(),
    st.floats(0.02, 0.9),
    st.floats(0.05, 0.3),
    st.sampled_from([1e-4, 1e-2]),
    st.sampled_from(["at_most", "equal", "agreement"]),
)
@pytest.mark.slow
def test_needed_trials_decide_and_one_less_does_not(trials, data, bound, margin, false_pass, name):
    k, high = data.draw(st.integers(0, trials)), min(1, bound + 0.05)

    def decide(k, trials):
        if name == "at_most":
            return mc.decide_at_most(k, trials, bound, 1e-3, false_pass)
        if name == "equal":
            return mc.decide_equal(k, trials, bound, high, margin, 1e-3, false_pass)
        return mc.decide_agreement(k, trials, bound, high, 10, 1e-3, false_pass)

    first = decide(k, trials)
    assume(first.verdict == "undecided" and first.needed < 3000)
    chances = [
        decided(lambda k, n=n: decide(k, n).verdict, n, k / trials)
        for n in (first.needed, first.needed - 1)
    ]
    assert chances[0] >= (1 - false_pass) / SLACK
    assert first.needed == trials + 1 or chances[1] < (1 - false_pass) * SLACK


@pytest.mark.parametrize("k", [13, 27])
def test_needed_trials_count_what_is_undecided_on_either_side(k):
    first = mc.decide_equal(k, 40, 0.5, 0.5, 0.2, 1e-3, 1e-2)
    chance = decided(
        lambda k: mc.decide_equal(k, first.needed, 0.5, 0.5, 0.2, 1e-3, 1e-2).verdict,
        first.needed,
        k / 40,
    )
    assert first.verdict == "undecided" and first.needed > 41 and chance >= 0.99


@pytest.mark.parametrize(
    ("bound", "error"), [(3e-11, 1e-6), (1e-8, 1e-6), (1e-3, 1e-3), (0.5, 1e-6)]
)
def test_needed_trials_without_a_success_are_the_rule_of_three(bound, error):
    needed = mc.decide_at_most(0, 1, bound, false_pass=error).needed
    assert mc.upper_limit(0, needed, error) <= bound < mc.upper_limit(0, needed - 1, error)
    assert needed == pytest.approx(math.log(error) / math.log1p(-bound), abs=1, rel=1e-9)
    assert mc.decide_at_most(0, needed, bound, false_pass=error).verdict == "pass"


@pytest.mark.parametrize(
    ("n", "error"),
    [
        (1, 0.5),
        (2, 0.3),
        (9, 0.49),
        (9, 0.5),
        (10, 0.3),
        (10, 1e-3),
        (24, 1e-3),
        (25, 1e-2),
        (101, 1e-6),
    ],
)
def test_the_interval_of_a_median_misses_it_as_rarely_as_it_states(n, error):
    interval = mc.decide_median(np.arange(n), error=error).interval
    rank = round(interval[0]) + 1
    assert interval == (rank - 1, n - rank)
    below = lambda r: sum(math.comb(n, k) for k in range(r)) / 2**n
    assert below(rank) <= error < below(rank + 1)


def test_a_median_is_decided_whatever_the_distribution():
    rng = np.random.default_rng(0)
    heavy = lambda shift: rng.standard_cauchy((2000, 24)) + shift
    verdicts = {
        shift: [mc.decide_median(row).verdict for row in heavy(shift)] for shift in (0.0, 5.0, -5.0)
    }
    assert (
        verdicts[0.0].count("pass") <= 12 and verdicts[0.0].count("fail") <= 12
    )  # 2000 at 1/1000 each: 2 expected
    assert verdicts[5.0].count("pass") > 1800 and "fail" not in verdicts[5.0]
    assert verdicts[-5.0].count("fail") > 1800 and "pass" not in verdicts[-5.0]


def test_a_median_says_what_would_decide_it():
    found = mc.decide_median([1.0] * 15 + [-1.0] * 9)
    assert (
        found.verdict == "undecided" and found.interval == (-1, 1) and found.claim == {"above": 0}
    )
    more = mc.decide_median(
        [1.0] * round(found.needed * 15 / 24) + [-1.0] * round(found.needed * 9 / 24)
    )
    assert found.needed > 24 and more.verdict == "pass"
    assert mc.decide_median([0.0] * 24).verdict == "undecided"  # ties are on neither side
    with pytest.raises(ValueError, match="values must be 10 at least for error = 0.001, got 9"):
        mc.decide_median(range(9))


def test_needed_trials_in_a_simulation():
    # 31 of 1000 against p <= 0.025: undecided; at `needed` trials of the same coin all of 400 runs
    # decide
    first, rng = mc.decide_at_most(31, 1000, 0.025), np.random.default_rng(1)
    verdicts = {
        mc.decide_at_most(int(k), first.needed, 0.025).verdict
        for k in rng.binomial(first.needed, 0.031, 400)
    }
    assert first.verdict == "undecided" and verdicts == {"fail"}
    fewer = {
        mc.decide_at_most(int(k), first.needed // 3, 0.025).verdict
        for k in rng.binomial(first.needed // 3, 0.031, 400)
    }
    assert "undecided" in fewer


def test_where_no_number_of_trials_helps_it_is_infinite_and_where_none_is_needed_none():
    assert mc.decide_at_most(500, 1000, 0.5).needed == math.inf  # the estimate is the bound
    assert mc.decide_at_most(0, 1000, 0).needed == math.inf
    assert mc.decide_at_most(0, 1000, 1e-11).needed == math.inf  # more than 10^12
    assert (
        mc.decide_equal(5, 10, 0, 1, 0.1).needed == math.inf
    )  # the claim is that p is a probability
    assert mc.decide_at_most(0, 10**6, 1e-4).needed is None
    assert mc.decide_at_most(300, 10**6, 1e-4).needed is None


def test_a_margin_that_leaves_nothing_out_passes_nothing():
    assert mc.decide_equal(5, 10, 0.5, 0.5, 0.5).verdict == "undecided"
    assert mc.decide_agreement(50, 100, 0.5, 0.5).verdict == "undecided"  # 0.5 +- 10 * 0.05
    assert mc.decide_agreement(51, 101, 0.5, 0.5).verdict == "pass"
    assert mc.decide_agreement(0, 100, 0.5, 0.5).verdict == "fail"


@pytest.mark.parametrize("p", [0.0, 0.02, 0.5, 1.0])
def test_agreement_passes_the_truth_and_not_twenty_standard_errors_off(p):
    trials = 100_000
    error = max(p * (1 - p), 4 / trials) ** 0.5 / trials**0.5
    assert mc.decide_agreement(round(p * trials), trials, p, p).verdict == "pass"
    off = p + 20 * error if p < 0.9 else p - 20 * error
    assert mc.decide_agreement(round(off * trials), trials, p, p).verdict == "fail"


def test_a_median_passes_as_often_as_it_says_where_so_many_draws_are_above():
    verdicts = [mc.decide_median(np.repeat([-1.0, 1.0], [24 - k, k])) for k in range(25)]
    passes = [one.verdict for one in verdicts].index("pass")
    assert binom.sf(passes - 1, 24, verdicts[0].detects) == pytest.approx(1 - 1e-3)


@pytest.mark.parametrize("many", [4, 5])
def test_an_interval_of_a_median_does_not_cross_itself_whatever_the_error(many):
    low, high = mc.decide_median(np.arange(many), error=0.9).interval
    assert (low, high) == ((many - 1) // 2, many // 2)


def test_draws_at_the_bound_are_not_above_it():
    """So they decide at as many draws as if they were just below it."""
    at, below = (mc.decide_median(np.repeat([low, 1.0], [40, 30])) for low in (0.0, -1e-9))
    assert at.undecided_at(70) == below.undecided_at(70)


@pytest.mark.parametrize(("low", "high"), [(0.3, 0.3), (0.2, 0.4)])
def test_what_fails_is_what_the_interval_misses(low, high):
    for k in range(61):
        lower, upper = mc.clopper_pearson(k, 60, 1e-2)
        fails = mc.decide_equal(k, 60, low, high, 0.1, 1e-2, 1e-3).verdict == "fail"
        assert fails == (upper < low or lower > high)


@pytest.mark.parametrize(("low", "high", "off"), [(0.2, 0.3, 1), (0.7, 0.8, -1)])
def test_what_is_detected_fails_as_often_as_it_says(low, high, off):
    """On the side that is farther from 0 and 1, where that takes more."""
    decide = lambda k: mc.decide_equal(k, 60, low, high, 0.2, 1e-2, 1e-3).verdict
    seen = mc.decide_equal(0, 60, low, high, 0.2, 1e-2, 1e-3)
    p = high + seen.detects if off > 0 else low - seen.detects
    assert rate("fail", decide, 60, p) == pytest.approx(1 - 1e-3, rel=1e-6, abs=0)


def test_a_rare_chance_is_right_to_its_last_digits():
    """Not the difference of two numbers next to 1."""
    known = sum(math.comb(1000, k) for k in range(900, 1001)) / 2**1000
    assert mc._chance(900, 1001, 1000, 0.5) == pytest.approx(known, rel=1e-9, abs=0)


def test_near_zero_a_standard_error_is_two_successes():
    """No success leaves room for ln(2e6) = 14.5 of them, which is more than 7 times two."""
    verdict = lambda errors: mc.decide_agreement(0, 10_000, 0, 0, errors).verdict
    assert (verdict(7), verdict(7.5)) == ("undecided", "pass")


def test_nothing_is_above_one():
    assert mc.decide_at_most(5, 5, 1).verdict == "pass"


def test_what_fails_by_all_successes_alone_is_detected():
    """One trial fails where it succeeds, which a share of 0.9 does nine times in ten."""
    assert mc.decide_at_most(0, 1, 0.01, 0.05, 0.1).detects == pytest.approx(0.9, abs=0)
