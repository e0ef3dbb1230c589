"""Certified thresholds against mpmath, against brute force, and with the condition that makes them
persist.
"""

from fractions import Fraction

import mpmath
import pytest
from flint import arb, ctx
from hypothesis import given, settings
from hypothesis import strategies as st

from polycore import thresholds
from polycore.thresholds import (
    Columns,
    Condition,
    dimension_to_be_quiet,
    dimension_to_be_seen,
    sufficient_n,
    variance_bound,
)

cases = settings(deadline=None, derandomize=True, max_examples=60)
VARIANCE = {  # the paper's formulas, symbol for symbol
    "paper": lambda n, kappa: n ** (2 * kappa - 1),
    "hoelder": lambda n, kappa: n ** (kappa - 1),
    "sharp": lambda n, kappa: (1 + n**kappa) ** 2 / (4 * n ** (kappa + 1)),
}


def margin(n, kappa, delta, k, tolerance, variance, C=None):
    """ln(delta n^-k) - ln(prefactor exp(-tolerance^2/(2v))) by mpmath: the claim is that this is >=
    0.
    """
    with mpmath.workdps(40 + 2 * len(str(n))):  # the margin at n - 1 is about 1/n
        n, kappa, delta, k, tolerance = (
            mpmath.mpf(x.numerator) / x.denominator
            for x in map(Fraction, (n, kappa, delta, k, tolerance))
        )
        prefactor = 2 if C is None else C * mpmath.log(n / delta, 2) + 1
        return (
            mpmath.log(delta * n**-k)
            - mpmath.log(prefactor)
            + tolerance**2 / (2 * VARIANCE[variance](n, kappa))
        )


# Lemma 4.1 at k = 1, delta = 0.01, tolerance 0.1: log10 n_0, first for two-sided Hoeffding, then
# for a union over ceil(2 log2(n/delta)) columns
TABLE = {
    ("0.45", "paper"): ("43.214", "43.438"),
    ("0.45", "hoelder"): ("6.565", "6.696"),
    ("0.45", "sharp"): ("5.362", "5.506"),
    ("0.34", "paper"): ("11.926", "12.091"),
    ("0.34", "hoelder"): ("5.376", "5.496"),
    ("0.34", "sharp"): ("4.417", "4.544"),
}


@pytest.mark.parametrize(("kappa", "variance"), TABLE)
@pytest.mark.parametrize("C", [None, 2])
def test_the_table_of_lemma_4_1_is_least_by_mpmath(kappa, variance, C):
    found = sufficient_n(
        kappa, "0.01", 1, variance=variance, prefactor=2 if C is None else Columns(C)
    )
    assert found.minimal and f"{found.log10:.3f}" == TABLE[kappa, variance][C is not None]
    case = (kappa, "0.01", 1, "0.1", variance, C)
    assert margin(found.n, *case) >= 0 > margin(found.n - 1, *case)
    assert all(margin(found.n * step, *case) > 0 for step in (2, 10, 10**6, 10**60))


@cases
@given(
    st.fractions(0, Fraction(9, 10), max_denominator=50),
    st.fractions(Fraction(1, 50), Fraction(49, 50), max_denominator=50),
    st.fractions(Fraction(1, 4), 3, max_denominator=4),
    st.sampled_from(list(VARIANCE)),
    st.sampled_from([None, 1, 2]),
)
def test_least_and_persistent_by_mpmath(kappa, delta, k, variance, C):
    found = sufficient_n(kappa, delta, k, "0.5", variance, 2 if C is None else Columns(C))
    if kappa >= Fraction(1, 2) and variance == "paper":
        assert found is None
        return
    case = (kappa, delta, k, Fraction(1, 2), variance, C)
    assert found.condition.holds(found.n) and found.condition.steep(found.n)
    assert all(
        margin(found.n * (100 + step) // 100, *case) >= 0 for step in (0, 1, 10, 100, 10**4, 10**10)
    )
    assert found.minimal == (found.n == 1 or margin(found.n - 1, *case) < 0)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("tolerance", "k"), [(Fraction(1, 2), 1), (1, 1), (1, 2), (Fraction(5, 4), 1), (3, 1)]
)
@pytest.mark.parametrize("variance", VARIANCE)
def test_least_by_brute_force(tolerance, k, variance):
    case = ("0.2", "0.3", k, tolerance, variance)
    failing = [n for n in range(1, 8000) if margin(n, *case) < 0]
    assert sufficient_n(*case).n == max(failing, default=0) + 1


def test_n_0_may_be_as_large_as_is_allowed(monkeypatch):
    monkeypatch.setattr(thresholds, "LARGEST", 32)  # bits, which are doubled; 18 are needed
    assert sufficient_n("0.45", "0.01", 1).n == 229970
    monkeypatch.setattr(thresholds, "LARGEST", 31)
    with pytest.raises(ValueError, match="n_0 exceeds 2\\^31"):
        sufficient_n("0.45", "0.01", 1)


def test_what_is_not_said_is_as_in_lemma_4_1():
    said = Condition("0.45", "0.01", 1, "0.1", "sharp", 2)
    assert Condition("0.45", "0.01", 1) == sufficient_n("0.45", "0.01", 1).condition == said


def test_what_is_found_can_be_kept_by_what_was_asked():
    found = [sufficient_n("0.2", 0.3, 1, 1, prefactor=Columns(C)) for C in (2, "2")]
    assert len({*found}) == 1  # equal, and never changed


def test_a_sign_that_no_precision_tells_is_0():
    assert [thresholds._sign(lambda x=x: arb(x), 128) for x in (-1, 0, 1)] == [-1, 0, 1]


def test_the_inequality_alone_does_not_persist():
    wrong = Condition("0.9", "0.5", 1, 2, "hoelder")
    assert wrong.holds(1) and not wrong.steep(1) and not wrong.holds(100)
    found = sufficient_n("0.9", "0.5", 1, 2, "hoelder")
    assert found.minimal and found.n > 100 and not wrong.holds(found.n - 1)


@pytest.mark.parametrize("C", [None, 1])
def test_steepness_is_where_the_bound_outgrows_the_requirement(C):
    condition = Condition("0.5", "0.5", 1, 1, "hoelder", 2 if C is None else Columns(C))
    slope = [
        mpmath.diff(lambda x: margin_at(x, C), mpmath.log(n)) for n in range(2, 60)
    ]  # d(G - R)/d ln n, and G' = e G
    assert [condition.steep(n) for n in range(2, 60)] == [s > 0 for s in slope]


def margin_at(x, C):
    """G - R of the case above at n = exp(x), over the reals; n = 16 is a tie for C = None, made
    False.
    """
    prefactor = 2 if C is None else C * (x + mpmath.log(2)) / mpmath.log(2) + 1
    return mpmath.exp(x / 2) * (1 - mpmath.mpf(2) ** -30) / 2 - x - mpmath.log(prefactor)


def test_a_claim_that_never_fails_is_not_called_minimal():
    found = sufficient_n("0.5", "0.9", "1.2", 2, "hoelder")
    assert found.n == 2 and not found.minimal and found.condition.holds(1)


@pytest.mark.parametrize(
    ("kappa", "variance"), [("0.5", "paper"), (1, "hoelder"), ("1.5", "sharp")]
)
def test_no_n_is_large_enough_where_the_variance_does_not_vanish(kappa, variance):
    assert sufficient_n(kappa, "0.01", 1, variance=variance) is None


@cases
@given(
    st.sampled_from(list(VARIANCE)), st.integers(1, 10**50), st.fractions(0, 1, max_denominator=100)
)
def test_variance_bounds_are_ordered_and_equal_mpmath(kind, n, kappa):
    with mpmath.workdps(60):
        exact = VARIANCE[kind](mpmath.mpf(n), mpmath.mpf(kappa.numerator) / kappa.denominator)
        assert variance_bound(kind, n, kappa) == pytest.approx(float(exact), rel=1e-15, abs=0)
    sharp, hoelder, paper = (variance_bound(v, n, kappa) for v in ("sharp", "hoelder", "paper"))
    assert sharp <= hoelder * (1 + 1e-15) and hoelder <= paper * (1 + 1e-15)


def _enough(d, margin, b, error):
    """Whether exp(-(d - 2) x^2 / (2 b^2)) <= error with x = margin(d) > 0, by mpmath."""
    with mpmath.workdps(40):
        b, error = (mpmath.mpf(x.numerator) / x.denominator for x in (b, error))
        return margin(d) > 0 and mpmath.exp(-(d - 2) * margin(d) ** 2 / (2 * b**2)) <= error


@cases
@given(st.integers(11, 300), st.integers(10, 90), st.integers(2, 10**9))
def test_the_least_dimension_that_is_seen_is_least_by_mpmath(a, b, error):
    a, b, error = Fraction(a, 100), Fraction(b, 100), Fraction(1, error)
    margin = lambda d: (
        (mpmath.mpf(a.numerator) / a.denominator + mpmath.mpf(b.numerator) / b.denominator) / 2
        - mpmath.mpf(1) / 10
    )
    d = dimension_to_be_seen(a, b, error)
    assert _enough(d, margin, b, error) and (d == 4 or not _enough(d - 1, margin, b, error))


@cases
@given(st.integers(1, 300), st.integers(10, 90), st.integers(2, 10**20), st.integers(1600, 10**12))
def test_the_least_dimension_that_is_quiet_is_least_by_mpmath(a, b, error, n):
    a, b, error = Fraction(a, 100), Fraction(b, 100), Fraction(1, error)
    whole = mpmath.mpf((a + b).numerator) / (a + b).denominator
    share = mpmath.mpf(b.numerator) / b.denominator
    margin = lambda d: mpmath.mpf(1) / 10 - whole / mpmath.sqrt(n) - share / (d - 2)
    d = dimension_to_be_quiet(n, a, b, error)
    assert all(_enough(larger, margin, b, error) for larger in (d, d + 1, 2 * d)) and (
        d == 4 or not _enough(d - 1, margin, b, error)
    )


def test_floats_are_read_as_decimals_and_precision_is_left_alone():
    before = ctx.prec
    assert sufficient_n(0.45, 0.01, 1, 0.1) == sufficient_n("9/20", Fraction(1, 100), 1)
    assert Condition(0.45, 0.01, 1).kappa == Fraction(9, 20) != Fraction(0.45)
    assert ctx.prec == before


def test_a_threshold_is_shown_by_its_digits_or_its_power_of_ten():
    shown = {
        kind: str(sufficient_n("0.45", "0.01", 1, variance=kind)) for kind in ("sharp", "paper")
    }
    assert shown == {"sharp": str(sufficient_n("0.45", "0.01", 1).n), "paper": "10^43.2"}
    condition = Condition("0.45", "0.01", 1)
    nearly, ten_million = (thresholds.SufficientN(10**7 - k, True, condition) for k in (1, 0))
    assert (str(nearly), str(ten_million)) == ("9999999", "10^7.0")


@pytest.mark.parametrize(
    ("bits", "decided"), [(500_000, True), (1_000_000, True), (1_100_000, False)]
)
def test_a_million_bits_decide(monkeypatch, bits, decided):
    """Where G and R are a third, but for one that stands so far behind the point."""
    monkeypatch.setattr(Condition, "needed_exponent", lambda *_: arb(1) / 3)
    further = lambda *_: arb(1) / 3 + arb(2) ** -bits
    monkeypatch.setattr(Condition, "hoeffding_exponent", further)
    condition = Condition("0.45", "0.01", 1)
    if decided:
        assert condition.holds(7)
    else:
        with pytest.raises(ArithmeticError, match="to a million bits at n = 7"):
            condition.holds(7)


@pytest.mark.parametrize(("bits", "seen"), [(8_000, True), (16_000, True), (17_000, False)])
def test_a_slope_is_told_from_its_tie_to_16384_bits(bits, seen):
    """At n = 1 it is 1/2 exactly; what is not seen to be above k counts as a tie."""
    above = Fraction(1, 2) - Fraction(1, 2**bits)
    assert Condition(0, "0.5", above, 1, "hoelder").steep(1) == seen


@pytest.mark.parametrize(("bits", "decided"), [(500, True), (900, True), (1_100, False)])
def test_room_is_told_from_none_to_1024_bits(bits, decided):
    """Then no dimension is said to be enough."""
    room = lambda: arb(1) / 3 * (1 + arb(2) ** -bits) - arb(1) / 3
    found = lambda: thresholds._dimension(room, arb(0), Fraction(1), Fraction(1, 2), "too near")
    if decided:
        assert found().bit_length() - 2 * bits in (3, 4)  # 18 ln 2 times 4^bits
    else:
        with pytest.raises(ValueError, match="no dimension is enough: too near"):
            found()


def test_there_are_two_dimensions_beside_those_of_the_tokens():
    assert dimension_to_be_seen(10, "0.1", "0.5") == 4


@pytest.mark.parametrize(("bits", "decided"), [(7_000, True), (16_000, True), (17_000, False)])
def test_a_dimension_is_decided_by_16384_bits_or_not(bits, decided):
    """Where (K/room)^2 is nine, but for as little."""
    b, error = Fraction(1, 2), Fraction(1, 10)
    K = lambda: arb(b.numerator) / b.denominator * (2 * arb(10).log()).sqrt()
    room = lambda: K() / 3 * (1 + arb(2) ** -bits)
    if decided:
        assert thresholds._dimension(room, arb(0), b, error, "") == 11
    else:
        with pytest.raises(ArithmeticError, match="not decided by 2.14 bits: change b or error"):
            thresholds._dimension(room, arb(0), b, error, "")


def test_an_undecidable_sign_says_so(monkeypatch):
    assert thresholds._sign(lambda: thresholds.arb(2).sqrt() ** 2 - 2, 128) == 0
    monkeypatch.setattr(thresholds, "_sign", lambda compute, limit: 0)
    with pytest.raises(ArithmeticError, match="to a million bits at n = 7: change kappa"):
        Condition("0.3", "0.1", 1).holds(7)


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (
            lambda: sufficient_n(-0.1, "0.01", 1),
            ValueError,
            "kappa must be a finite real number >= 0, got -0.1",
        ),
        (
            lambda: sufficient_n("x", "0.01", 1),
            ValueError,
            "kappa must be a number such as '0.45' or '9/20', got 'x'",
        ),
        (
            lambda: sufficient_n(0.3, 1, 1),
            ValueError,
            "delta must be a finite real number > 0 and < 1, got 1",
        ),
        (
            lambda: sufficient_n(0.3, float("nan"), 1),
            ValueError,
            "delta must be a finite real number > 0 and < 1, got nan",
        ),
        (
            lambda: sufficient_n(0.3, 0.1, 0),
            ValueError,
            "k must be a finite real number > 0, got 0",
        ),
        (
            lambda: sufficient_n(0.3, 0.1, 1, tolerance=0),
            ValueError,
            "tolerance must be a finite real number > 0",
        ),
        (
            lambda: sufficient_n(0.3, 0.1, 1, variance="exact"),
            ValueError,
            "variance must be one of paper, hoelder, sharp, got 'exact'",
        ),
        (
            lambda: sufficient_n(0.3, 0.1, 1, prefactor=0),
            ValueError,
            "prefactor must be a finite real number > 0, got 0",
        ),
        (lambda: sufficient_n(0.3, True, 1), TypeError, "got True (bool)"),
        (lambda: Columns(0), ValueError, "C must be a finite real number > 0, got 0"),
        (lambda: variance_bound("paper", 0, 0.3), ValueError, "n must be an integer >= 1, got 0"),
        (lambda: variance_bound("paper", 1e6, 0.3), TypeError, "write 10**12, not 1e12"),
        (lambda: Condition(0.3, 0.1, 1).holds(0), ValueError, "n must be an integer >= 1, got 0"),
        (
            lambda: dimension_to_be_quiet(144, "0.7", "0.5", "0.1"),
            ValueError,
            "no dimension is enough: n must exceed 100 (a + b)^2, take a larger n",
        ),
        (
            lambda: dimension_to_be_seen("0.1", "0.1", "0.1"),
            ValueError,
            "no dimension is enough: a + b must exceed 0.2, take a larger a or b",
        ),
    ],
)
def test_errors_name_the_value_and_the_remedy(call, error, message):
    with pytest.raises(error) as caught:
        call()
    assert message in str(caught.value)
