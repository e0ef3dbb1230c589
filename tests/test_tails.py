"""Every level of the hierarchy against enumeration, and each one's promise against a level that
breaks it.
"""

import math
from fractions import Fraction

import flint
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mpmath import mp, mpf
from scipy.special import erfc
from scipy.stats import binom, norm

from polycore import tails
from polycore.tails import bounds
from polycore.tails.bounds import (
    bentkus_dzindzalieta,
    chernoff,
    hoeffding,
    importance_sample,
    log_chernoff,
    log_hoeffding,
    saddlepoint,
)
from polycore.tails.rademacher import enumerate_tail, two_class_tail

cases = settings(deadline=None, derandomize=True, max_examples=60)
weights = st.lists(st.floats(-1, 1).filter(lambda a: abs(a) > 1e-3), min_size=1, max_size=9)
levels = st.floats(0, 4)
BOUNDS = [hoeffding, bentkus_dzindzalieta, chernoff]


@pytest.mark.parametrize("bound", BOUNDS)
def test_every_bound_holds_against_enumeration(bound):
    @cases
    @given(weights, levels)
    def check(f, t):
        found = bound(f, t)
        assert (
            enumerate_tail(f, t).value <= Fraction(found.upper)
            and found.lower == 0
            and found.rigour == "bound"
        )

    check()


def holds(bound):
    """Whether `bound` holds where Rademacher sums come closest to it: just below their last atoms,
    down to 2^-19.
    """
    trials = [
        ([1.0] * n, atom * (1 - 1e-12))
        for n in range(1, 20)
        for atom in range(n % 2, n + 1, 2)
        if atom
    ]
    return all(enumerate_tail(f, t).value <= Fraction(bound(f, t)) for f, t in trials)


WRONG = {
    "Hoeffding without its 2": lambda f, t: hoeffding(f, t).upper / 2,
    "Hoeffding with ||f||^2": lambda f, t: math.exp(-(t**2) / np.sum(np.square(f))),
    "c* a millionth too small": lambda f, t: bentkus_dzindzalieta(f, t).upper * (1 - 1e-6),
    "the normal tail itself": lambda f, t: erfc(t / math.sqrt(2 * np.sum(np.square(f)))),
    "Chernoff without its 2": lambda f, t: chernoff(f, t).upper / 2,
    "Chernoff at twice the tilt's cumulant gain": lambda f, t: (
        2 * math.exp(2 * (log_chernoff(f, t) - math.log(2)))
    ),
}


@pytest.mark.parametrize("bound", BOUNDS)
def test_the_bounds_hold_at_the_last_atoms(bound):
    assert holds(lambda f, t: bound(f, t).upper)


@pytest.mark.parametrize("wrong", WRONG)
def test_wrong_bounds_are_rejected(wrong):
    assert not holds(WRONG[wrong])


def test_log_bounds_do_not_underflow():
    assert log_hoeffding(1e-12, 0.1) == pytest.approx(math.log(2) - 0.5e10, rel=1e-15, abs=0)
    assert (
        0 < hoeffding([1e-12], 0.1, counts=[10**12]).upper < 1e-300
    )  # a bound, so no more than rounded up
    assert log_chernoff([1e-12], 0.1, [10**12]) < log_hoeffding(1e-12, 0.1) * (1 + 1e-3)
    # what underflows is still an upper bound
    assert (
        bentkus_dzindzalieta([1e-12], 0.1, [10**12]).upper
        == chernoff([1e-12], 0.1, [10**12]).upper
        == 5e-324
    )


def test_hoeffding_is_rounded_up():
    rng = np.random.default_rng(0)
    for n in (1, 7, 1000) * 20:
        f = rng.uniform(0.1, 1, n)
        t = rng.uniform(1.2, 35) * float(np.linalg.norm(f))
        x = Fraction(t) ** 2 / 2 / sum(Fraction(a) ** 2 for a in f)
        exact, found = (
            2 * (-flint.arb(flint.fmpq(x.numerator, x.denominator))).exp(),
            hoeffding(f, t).upper,
        )
        assert exact < found < exact * flint.arb(1 + 1e-10) or found == 1 < exact


def ball(x):
    return flint.arb(flint.fmpq(*Fraction(float(x)).as_integer_ratio()))


@pytest.mark.parametrize("x", [2, 5, 20])
def test_bentkus_and_dzindzalieta_are_rounded_up_by_what_is_said(x):
    """By (1 + x^2) 2^-45 of it, next to which the error of erfc and of the root is small."""
    with flint.ctx.workprec(200):
        known = (ball(x) / ball(2).sqrt()).erfc() / (2 * ball(1).erfc())
        above = float(ball(bentkus_dzindzalieta([1.0], x).upper) / known - 1)
    assert above == pytest.approx((1 + x * x) * 2.0**-45, rel=0.1, abs=0)


@pytest.mark.parametrize("x", [3, 9, 25])
def test_log_chernoff_is_rounded_up_by_what_is_said(x):
    """By (1 + K + s t) 2^-46: at any s that is a bound, and it is read at the tilt."""
    f, counts = np.array([0.7]), np.array([1e4])
    t = float(x * np.sqrt(counts @ f**2))
    with flint.ctx.workprec(200):
        s = ball(bounds.tilt(f, counts, t))
        cumulant, product = 10**4 * (s * ball(0.7)).cosh().log(), s * ball(t)
        above = float(ball(log_chernoff(f, t, counts)) - ball(2).log() - cumulant + product)
    assert above == pytest.approx(float(1 + cumulant + product) * 2.0**-46, rel=0.25, abs=0)


@cases
@given(weights, st.floats(0, 0.999))
def test_chernoff_is_the_least_over_s_and_below_hoeffding(f, part):
    t = part * np.sum(np.abs(f))
    grid = np.linspace(0, 60 / np.max(np.abs(f)), 4000)
    values = (
        np.sum([np.logaddexp(s * a, -s * a) - math.log(2) for a in f for s in [grid]], axis=0)
        - grid * t
    )
    assert log_chernoff(f, t) <= math.log(2) + values.min() + 1e-9
    assert chernoff(f, t).upper <= hoeffding(f, t).upper * (1 + 1e-9)


def test_bentkus_and_dzindzalieta_constant():
    x = 3.0
    assert bentkus_dzindzalieta([0.6, 0.8], x).upper == pytest.approx(
        2 * norm.sf(x) / (4 * norm.sf(math.sqrt(2))), rel=1e-12, abs=0
    )
    exact = enumerate_tail([1.0, 1.0], 2 * (1 - 1e-12)).value
    assert float(exact) == pytest.approx(
        bentkus_dzindzalieta([1.0, 1.0], 2.0).upper, rel=1e-11, abs=0
    )


@pytest.mark.parametrize("level", [*BOUNDS, saddlepoint])
def test_classes_agree_with_the_expanded_array(level):
    f, counts = np.array([0.3, 0.11, 0.7]), [4, 9, 2]
    for t in (0.0, 0.5, 2.0, 3.5, 3.585):
        assert level(f, t, counts).upper == pytest.approx(
            level(np.repeat(f, counts), t).upper, rel=1e-9, abs=0
        )
        assert level(-f, t, counts) == level(f, t, counts)


def test_beyond_the_support_is_decided_exactly():
    assert chernoff([0.1], 0.3, [3]).upper > 0 and enumerate_tail([0.1] * 3, 0.3).value == Fraction(
        1, 4
    )  # 3 * 0.1 > 0.3
    for level in (
        chernoff,
        saddlepoint,
        lambda *given: importance_sample(*given, 10, np.random.default_rng(0)),
    ):
        assert level([0.5, 0.25], 0.75).upper == 0


@pytest.mark.parametrize(("n", "factor"), [(12, 1.3), (20, 1.06)])
@pytest.mark.parametrize("seed", range(4))
def test_all_rungs_against_enumeration_in_integers(dyadic, n, factor, seed):
    f, z = dyadic(n, seed)
    for x in (0.5, 1.0, 1.5, 2.0, 2.5, 3.0):
        t = x * np.linalg.norm(f)
        exact = float(np.mean(z > t * 2.0**40))  # 2^-n times an integer
        assert all(exact <= bound(f, t).upper for bound in BOUNDS)
        if exact > 100 / 2**n:  # elsewhere the law is a handful of atoms
            assert 1 / factor < saddlepoint(f, t).value / exact < factor
            assert not 1 / factor < saddlepoint(f, t).value / (exact / 2) < factor  # one side only


def test_saddlepoint_between_the_jumps_of_a_lattice():
    for n, t in ((1000, 50), (10**6, 7000), (10**6, 11_500)):
        low, high = two_class_tail([1.0], [n], t).value, two_class_tail([1.0], [n], t - 0.5).value
        assert low < saddlepoint([1.0], t, [n]).value < high
        assert saddlepoint([1.0], t, [n]).value == pytest.approx(
            math.sqrt(low * high), rel=1e-3, abs=0
        )


def test_saddlepoint_is_continuous_where_the_singularity_is_removed():
    f = np.array([1.0, 0.5, 0.25, 0.7])
    assert saddlepoint(f, 0).value == 1
    edge = 1e-3 * np.linalg.norm(f)  # w = 1e-3
    values = [saddlepoint(f, edge * (1 + d)).value for d in (-1e-2, -1e-4, 1e-4, 1e-2)]
    slope = np.diff(values) / np.diff([-1e-2, -1e-4, 1e-4, 1e-2])
    assert slope == pytest.approx(slope[0], rel=1e-3, abs=0)


def test_cumulants_and_tilt_against_ball_arithmetic():
    from flint import arb, ctx

    with ctx.workprec(120):
        for s in (0.0, 1e-9, 0.3, 0.99, 1.01, 40.0, 900.0):
            a, counts = [1e-3, 0.5, 1.0], [3.0, 1.0, 2.0]
            exact = [
                sum((c * g(s * arb(x), arb(x)) for x, c in zip(a, counts)), arb(0))
                for g in (
                    lambda y, x: y.cosh().log(),
                    lambda y, x: x * y.tanh(),
                    lambda y, x: (x / y.cosh()) ** 2,
                )
            ]
            found = bounds.cumulants(np.array(a), np.array(counts), s)
            assert [abs(float(e - v)) for e, v in zip(exact, found)] <= [
                abs(v) * 2**-47 for v in found
            ]
    for part in (1e-9, 0.1, 0.9, 0.999999):
        s = bounds.tilt(np.array(a), np.array(counts), part * 2.503)
        assert bounds.cumulants(np.array(a), np.array(counts), s)[1] == pytest.approx(
            part * 2.503, rel=1e-13, abs=0
        )


RARE = [([0.01], [10**4], 7.01), ([0.013, 0.0011], [37, 800], 0.5), ([1.0, 0.3], [20, 300], 45.3)]


@pytest.mark.slow
@pytest.mark.parametrize("draws", [3, 500, 20_000])
@pytest.mark.parametrize(("f", "counts", "t"), RARE)
def test_the_interval_of_rare_events_is_honest(f, counts, t, draws):
    exact = two_class_tail(f, counts, t).value
    assert exact < 1e-6
    error, runs = 0.05, 400
    most = binom.isf(
        1e-6, runs, error
    )  # a sampler that keeps its promise misses more often once in 10^6
    seen = [
        importance_sample(f, t, draws, np.random.default_rng([7, i]), counts, error)
        for i in range(runs)
    ]
    assert sum(not e.lower <= exact <= e.upper for e in seen) <= most
    off = np.array([e.estimate - exact for e in seen])
    assert abs(np.mean(off)) < 6 * np.std(off) / math.sqrt(runs)  # unbiased, to six standard errors
    level = math.log(4 / error)
    spread = np.array([e.relative_error * e.estimate if e.estimate else 0.0 for e in seen])
    # Without its second term the interval is empty where no draw, or each of them alike, exceeds t.
    if draws == 3:
        assert np.sum(np.abs(off) > math.sqrt(2 * level) * spread) > most
    # a quarter of it is too little, and the standard error is the one seen over the runs, to
    # 6/sqrt(2 * 400)
    else:
        assert np.sum(np.abs(off) > [(e.upper - e.lower) / 8 for e in seen]) > most
        assert np.std(off) == pytest.approx(np.mean(spread), rel=0.25, abs=0)


def test_one_percent_at_1e_12_with_10_to_the_5_draws():
    f = np.random.default_rng(0).uniform(0, 1, 300)
    for given_f, counts, t in ((f, None, 6.95 * np.linalg.norm(f)), ([0.01], [10**4], 7.11)):
        seen = importance_sample(given_f, t, 10**5, np.random.default_rng(1), counts)
        assert 3e-13 < seen.estimate < 3e-12 and seen.relative_error < 0.01
        assert (
            seen.rigour == "estimated" and seen.lower < seen.value < seen.upper < 1.2 * seen.lower
        )


@pytest.mark.parametrize("wrong", ["tilt ignored", "weight of another tilt", "fair signs"])
def test_wrong_tilts_are_rejected(monkeypatch, wrong):
    f, counts, t = RARE[0]
    exact = two_class_tail(f, counts, t).value
    sums = bounds._tilted_sums
    if wrong == "tilt ignored":
        monkeypatch.setattr(bounds, "tilt", lambda *given: 0.0)
    elif wrong == "fair signs":
        monkeypatch.setattr(
            bounds, "_tilted_sums", lambda a, c, s, draws, rng: sums(a, c, 0.0, draws, rng)
        )
    else:
        monkeypatch.setattr(
            bounds, "_tilted_sums", lambda a, c, s, draws, rng: sums(a, c, s * 1.1, draws, rng)
        )
    draws = 10**5  # the interval is 10 % wide, the tilt of another weight moves the mean by 16 %
    seen = importance_sample(f, t, draws, np.random.default_rng(0), counts)
    assert not (seen.lower <= exact <= seen.upper and seen.relative_error < 0.01)
    monkeypatch.undo()
    seen = importance_sample(f, t, draws, np.random.default_rng(0), counts)
    assert seen.lower <= exact <= seen.upper and seen.relative_error < 0.01


def test_tilted_draws_come_in_blocks_and_by_class(monkeypatch):
    f, t = np.array([0.5, 0.3, 0.2]), 0.55
    exact = float(enumerate_tail(np.repeat(f, 3), t).value)
    monkeypatch.setattr(bounds, "BLOCK", 64)
    for given_f, counts in ((f, [3, 3, 3]), (np.repeat(f, 3), None)):
        seen = importance_sample(given_f, t, 40_001, np.random.default_rng(2), counts)
        assert (
            seen.lower <= exact <= seen.upper
            and seen.draws == 40_001
            and seen.relative_error < 0.01
        )


def test_an_interval_of_few_draws_ends_at_one():
    assert importance_sample([0.01], 1.01, 20, np.random.default_rng(7), [10**4]).upper == 1


def test_what_the_support_decides_has_no_error():
    seen = importance_sample([0.5, 0.5], 1.5, 10, np.random.default_rng(0))
    assert seen.lower == seen.upper == seen.estimate == seen.relative_error == 0


@pytest.mark.filterwarnings("error")
def test_draws_below_t_overflow_no_exponential():
    """At a tilt of 887 many draws lie 1 below t, and exp(887) is no float."""
    seen = importance_sample([1e-3], 710, 1000, np.random.default_rng(0), [10**6])
    assert 0 <= seen.lower < seen.upper < 1e-300


def test_two_signs_of_one_weight_are_drawn_as_two():
    """Their sum is 2 or -2 in one case of two; a single one never exceeds 1.5."""
    seen = importance_sample([1.0], 1.5, 1000, np.random.default_rng(0), [2])
    assert seen.lower <= 0.5 <= seen.upper and seen.estimate > 0.4


def test_a_draw_at_t_itself_is_not_above_it():
    """A sum of 100 signs is 10 in 5 % of cases."""
    exact = two_class_tail([1.0], [100], 10).value
    seen = importance_sample([1.0], 10, 20_000, np.random.default_rng(3), [100])
    assert seen.lower <= exact <= seen.upper < 1.2 * exact


def test_as_many_signs_are_drawn_as_a_float_counts():
    seen = importance_sample([1.0], 2.0**28, 100, np.random.default_rng(3), [2**53])
    assert seen.draws == 100 and seen.upper > 0
    with pytest.raises(ValueError, match="counts must be <= 2"):
        importance_sample([1.0], 2.0**28, 100, np.random.default_rng(3), [2**53 + 2])


@pytest.mark.parametrize("t", [0.1, 1, 3, 12])
def test_the_approximation_is_lugannani_and_rices(t):
    """Where nothing is taken off by the clip at 1, and from v = 0.02 on."""
    f, counts = [1.0, 0.5], [10, 12]
    s = mpf(bounds.tilt(np.array(f), np.array(counts), t))
    with mp.workdps(40):
        cumulant = sum(n * mp.log(mp.cosh(s * x)) for x, n in zip(f, counts))
        second = sum(n * (x / mp.cosh(s * x)) ** 2 for x, n in zip(f, counts))
        w, v = mp.sqrt(2 * (s * t - cumulant)), s * mp.sqrt(second)
        value = 2 * (mp.ncdf(-w) + mp.npdf(w) * (1 / v - 1 / w))
    assert saddlepoint(f, t, counts).value == pytest.approx(float(value), rel=1e-11, abs=0)


@pytest.mark.parametrize("below", [1e-3, 1e-6, 1e-9, 1e-12])
def test_close_to_the_last_atom_the_approximation_is_cut_at_one(below):
    """There 1/v grows beyond all bounds; it is no singularity that is removed."""
    assert saddlepoint([1.0, 1.0], 2 - below).value == 1


def test_close_to_nothing_the_approximation_is_all():
    """Where 1/v - 1/w would be a difference of numbers of 10^12, it is their first term."""
    for t in (1e-9, 1e-12, 1e-15):
        assert saddlepoint([1.0], t, [100]).value == pytest.approx(1, abs=1e-8)


@pytest.mark.parametrize("bound", BOUNDS)
def test_no_bound_is_above_one(bound):
    assert bound([0.5, 0.5], 0).upper == bound([0.5, 0.5], 0.1).upper == 1


def test_what_no_sum_exceeds_has_no_logarithm():
    assert bounds.log_chernoff([0.5, 0.5], 1) == -math.inf


@pytest.mark.parametrize("block", [6, 2])
def test_so_many_tilted_sums_are_drawn_as_are_asked_for(monkeypatch, block):
    """Also where the last block of two rows is not full, or one row is more than a block."""
    monkeypatch.setattr(bounds, "BLOCK", block)
    drawn = bounds._tilted_sums(np.full(3, 0.5), np.ones(3), 1.0, 5, np.random.default_rng(0))
    assert drawn.shape == (5,)


@pytest.mark.parametrize(("t", "draws"), [(5.01, 20), (5.01, 1000), (1.01, 1000)])
def test_the_interval_is_that_of_maurer_and_pontil_rounded_outward(t, draws):
    """By 2^-45 (1 + |K - s t| + 2 s t) of it."""
    f, counts, level = np.array([0.01]), np.array([1e4]), math.log(4 / 1e-6)
    s = bounds.tilt(f, counts, t)
    z = bounds._tilted_sums(f, counts, s, draws, np.random.default_rng(7))
    y = [math.exp(-s * (one - t)) if one > t else 0.0 for one in z]
    mean = math.fsum(y) / draws
    variance = math.fsum((one - mean) ** 2 for one in y) / (draws - 1)
    radius = math.sqrt(2 * variance * level / draws) + 7 * level / (3 * (draws - 1))
    log = bounds.cumulants(f, counts, s)[0] - s * t
    slack = 2.0**-45 * (1 + abs(log) + 2 * s * t)
    seen = importance_sample(f, t, draws, np.random.default_rng(7), counts)
    above = seen.upper / (2 * math.exp(log) * (mean + radius)) - 1
    assert above == pytest.approx(slack, rel=0.2, abs=0)
    if mean > radius:
        below = 1 - seen.lower / (2 * math.exp(log) * (mean - radius))
        assert below == pytest.approx(slack, rel=0.2, abs=0)
    else:
        assert seen.lower == 0


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: hoeffding([1.0], -1), ValueError, "t must be a finite real number >= 0, got -1"),
        (lambda: hoeffding([0.0], 1), ValueError, "f is all zero"),
        (
            lambda: log_hoeffding(0, 1),
            ValueError,
            "squared_norm must be a finite real number > 0, got 0",
        ),
        (lambda: log_hoeffding(math.nan, 1), ValueError, "got nan"),
        (lambda: bentkus_dzindzalieta([1.0], 1, [0]), ValueError, "counts must be integers >= 1"),
        (
            lambda: chernoff([1.0], "1"),
            TypeError,
            "t must be a finite real number >= 0, got '1' (str)",
        ),
        (lambda: saddlepoint([], 1), ValueError, "f must be a non-empty one-dimensional array"),
        (
            lambda: importance_sample([1.0], 0.5, 1, np.random.default_rng(0)),
            ValueError,
            "draws must be an integer >= 2, got 1",
        ),
        (
            lambda: importance_sample([1.0], 0.5, 10, 3),
            TypeError,
            "pass numpy.random.default_rng(seed)",
        ),
        (
            lambda: importance_sample([1.0], 0.5, 10, np.random.default_rng(0), error=1),
            ValueError,
            "error must be",
        ),
        (
            lambda: importance_sample([1.0], 0.5, 10, np.random.default_rng(0), [2.0**54]),
            ValueError,
            "counts must be <= 2^53",
        ),
    ],
)
def test_errors_name_the_value_and_the_remedy(call, error, message):
    with pytest.raises(error) as caught:
        call()
    assert message in str(caught.value)


def test_an_estimate_is_decided_by_its_interval():
    seen = tails.Estimate(
        0.09, 0.11, "", "estimated", 0.1, 0.02, 1000, 1e-6
    )  # a standard error of 0.002
    verdict = lambda low, high, *errors: tails.decide_estimate(seen, low, high, *errors).verdict
    assert verdict(0.1, 0.1) == "pass" and verdict(0.111, 0.2) == verdict(0, 0.089) == "fail"
    assert (
        verdict(0.1, 0.1, 4) == "undecided"
    )  # an interval of 5 standard errors cannot show agreement within 4
    assert tails.decide_estimate(seen, 0.1, 0.1).detects == pytest.approx(0.02)


def test_an_interval_that_just_reaches_is_within():
    """A standard error of 1/8, and all limits are fractions of two."""
    seen = tails.Estimate(0.25, 0.75, "", "estimated", 0.5, 0.25, 1000, 1e-6)
    assert tails.decide_estimate(seen, 0.5, 0.5, 2).verdict == "pass"
    assert tails.decide_estimate(seen, 0.75, 0.875, 4).verdict == "pass"
    assert tails.decide_estimate(seen, 0.125, 0.25, 4).verdict == "pass"
    for low, high in ((0.875, 1), (0, 0.125)):
        assert tails.decide_estimate(seen, low, high, 100).verdict == "fail"
    assert tails.decide_estimate(seen, 0.5, 0.5).claim == {"equals": 0.5}
    assert tails.decide_estimate(seen, 0.25, 0.5).claim == {"at_least": 0.25, "at_most": 0.5}


def test_an_interval_that_is_cut_at_one_is_undecided_by_as_many_draws():
    """The cut leaves less above the estimate than its standard errors say, and not less than 0."""
    seen = tails.Estimate(0.624, 1.0, "", "estimated", 0.9, 0.05 / 0.9, 1000, 1e-6)
    decision = tails.decide_estimate(seen, 0.9, 0.9, 4)
    assert decision.verdict == "undecided" and decision.undecided_at(1000) == 1


def test_the_tilt_of_weights_above_one():
    """Newton's steps rise from t/||f||^2, here 0.02 to the first digits."""
    assert 50 * math.tanh(5 * bounds.tilt(np.array([5.0]), np.array([10.0]), 5)) == pytest.approx(5)


@pytest.mark.parametrize("draws", [2, 3, 10, 40])
@pytest.mark.parametrize("error", [1e-6, 0.5])
def test_as_many_draws_decide_as_is_said(draws, error):
    """The interval of so many draws, as Maurer and Pontil give it, in the middle of two limits."""
    low, high, deviation, widths = 0.4, 0.42, 0.02, math.sqrt(2 * math.log(4 / error))

    def seen(n):
        one = deviation / math.sqrt(n)
        radius = widths * one + 0.03 / (n - 1)
        return tails.Estimate(0.41 - radius, 0.41 + radius, "", "", 0.41, one / 0.41, n, error)

    decide = lambda n: tails.decide_estimate(seen(n), low, high, widths - 0.3)
    decided = [decide(n).verdict for n in range(2, 60)]
    assert {*decided} == {"pass", "undecided"}
    undecided_at = decide(draws).undecided_at
    assert [undecided_at(n) for n in range(2, 60)] == [word == "undecided" for word in decided]


def test_too_few_tilted_draws_say_how_many_would_do():
    truth = two_class_tail([0.01], [10**4], 7.01)
    decided = {}
    for draws in (300, 4000):
        seen = importance_sample([0.01], 7.01, draws, np.random.default_rng(0), [10**4])
        decided[draws] = tails.decide_estimate(seen, truth.lower, truth.upper)
    assert decided[300].verdict == "undecided" and 3000 < decided[300].needed < 4000
    assert decided[4000].verdict == "pass" and decided[4000].needed is None
    # with five standard errors to either side, less than the interval itself has, no number would
    hopeless = tails.decide_estimate(seen, truth.value, truth.value, 5)
    assert hopeless.verdict == "undecided" and hopeless.needed == np.inf
