"""Every tail against enumeration, integers or mpmath; every sampler against the exact law."""

import math
import tracemalloc
from fractions import Fraction
from itertools import product

import mpmath
import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy.stats import binom

from polycore import montecarlo
from polycore.tails import rademacher
from polycore.tails.bounds import hoeffding
from polycore.tails.rademacher import enumerate_tail, sample, tail, two_class_tail

cases = settings(deadline=None, derandomize=True, max_examples=60)
weights = st.lists(st.floats(-1, 1).filter(lambda a: abs(a) > 1e-3), min_size=1, max_size=9)
levels = st.floats(0, 4)


def atoms(f):
    """All values of |Z|, in one line."""
    return [
        abs(sum(s * Fraction(a) for s, a in zip(signs, f)))
        for signs in product([1, -1], repeat=len(f))
    ]


def binomial_tail(n, least):
    """Pr[|2B - n| >= least] in integers."""
    return Fraction(sum(math.comb(n, j) for j in range(n + 1) if abs(2 * j - n) >= least), 2**n)


@cases
@given(weights, levels)
def test_enumeration_equals_the_definition(f, t):
    values = atoms(f)
    found = enumerate_tail(f, t)
    assert (
        found.lower
        == found.upper
        == found.value
        == Fraction(sum(z > t for z in values), len(values))
    )
    assert found.rigour == "exact"


def test_ties_do_not_exceed():
    assert enumerate_tail([0.5, 0.5], 1).value == two_class_tail([0.5], [2], 1.0).lower == 0
    assert two_class_tail([0.5], [2], 1.0).upper == 0
    assert enumerate_tail([0.5, 0.5], 0).value == Fraction(1, 2)
    assert two_class_tail([0.5], [2], 0.0).value == pytest.approx(0.5, rel=1e-14, abs=0)
    # decided on the floats: 1000 * 0.0001 is just below the float 0.1
    assert (
        enumerate_tail([Fraction(1, 10)], Fraction(1, 10)).value == 0
        and enumerate_tail([Fraction(1, 10)], 0.1).value == 0
    )
    assert enumerate_tail([0.1], Fraction(1, 10)).value == 1


@cases
@given(st.floats(0.01, 1), st.floats(0, 1), st.integers(1, 9), st.integers(1, 8), levels)
def test_two_classes_enclose_enumeration(a, b, n1, n2, t):
    exact = enumerate_tail([a] * n1 + [b] * n2, t).value
    found = two_class_tail([a, b], [n1, n2], t)
    assert Fraction(found.lower) <= exact <= Fraction(found.upper)
    assert found.upper - found.lower <= 1e-12 * found.upper + 1e-289


@pytest.mark.parametrize(("n", "least"), [(1, 1), (101, 51), (400, 400), (3000, 700), (3001, 1501)])
def test_one_class_keeps_its_relative_accuracy_in_the_far_tail(n, least):
    found = two_class_tail([1.0], [n], least - 0.5)
    assert (
        Fraction(found.lower)
        <= binomial_tail(n, least)
        <= Fraction(found.upper)
        <= Fraction(found.lower) * (1 + Fraction(1, 10**10))
    )
    # one outcome more is told apart
    assert binomial_tail(n, least + 2) < Fraction(found.lower)


def test_two_classes_decide_ties_on_the_given_floats():
    """Thresholds at values of Z, to the last bit: without an allowance for rounding 47 of these 500
    are off.
    """
    rng = np.random.default_rng(0)
    for _ in range(500):
        (a, b), (n1, n2) = rng.uniform(0.1, 1, 2), rng.integers(1, 9, 2)
        k, j = rng.integers(0, n1 + 1), rng.integers(0, n2 + 1)
        t = abs(a * (2 * k - n1) + b * (2 * j - n2))
        found = two_class_tail([a, b], [n1, n2], t)
        assert found.lower <= enumerate_tail([a] * n1 + [b] * n2, t).value <= found.upper


def test_two_classes_at_1e_40_against_mpmath():
    f, counts, t = [0.013, 0.0011], [37, 800], 0.835
    with mpmath.workdps(60):
        pmf = [[mpmath.binomial(n, k) / mpmath.mpf(2) ** n for k in range(n + 1)] for n in counts]
        exact = mpmath.fsum(
            pmf[0][j] * pmf[1][k]
            for j in range(38)
            for k in range(801)
            if abs(Fraction(f[0]) * (2 * j - 37) + Fraction(f[1]) * (2 * k - 800)) > Fraction(t)
        )
        found = two_class_tail(f, counts, t)
        assert 1e-45 < exact < 1e-35 and found.lower <= exact <= found.upper <= found.lower * (
            1 + 1e-11
        )


@pytest.mark.slow
def test_two_classes_at_large_n():
    counts = [2 * 10**5, 10**11]
    f = [1e-7, 3e-13]
    found = two_class_tail(f, counts, 3e-4)
    assert (
        found.upper <= found.lower * (1 + 1e-6) and found.upper <= hoeffding(f, 3e-4, counts).upper
    )
    bracket = tail(f, 3e-4, counts)
    assert bracket.lower <= found.upper and found.lower <= bracket.upper


def test_one_class_of_10_to_the_10_against_the_normal_law():
    # de Moivre-Laplace with the lattice correction: relative error O(1/n)
    n, t = 10**10, 400_001.0
    assert two_class_tail([1.0], [n], t).value == pytest.approx(
        math.erfc(t / math.sqrt(2 * n)), rel=1e-8, abs=0
    )
    assert two_class_tail([0.0, 1.0], [7, n], t).value == pytest.approx(
        two_class_tail([1.0], [n], t).value, rel=1e-12, abs=0
    )


def test_a_tail_takes_the_memory_of_half_its_outcomes():
    """19 sqrt(n) floats: at n = 10^12 it is 152 MB, and a visitor's machine has two gigabytes."""
    n = 10**10 + 1
    tracemalloc.start()
    two_class_tail([1.0], [n], 3e5)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert most < 1.2 * 8 * 19 * math.sqrt(n)


def brackets(law, t, enclosure, atol=0.0):
    """Whether an enclosure holds both Pr[|Z| > t] and Pr[|Z| >= t]."""
    strict, loose = np.mean([z > t for z in law]), np.mean([z >= t for z in law])
    return enclosure.lower <= strict + atol and loose <= enclosure.upper + atol


@cases
@given(weights, levels, st.sampled_from([1, 2, 7, 64, 500]))
def test_vaaler_encloses_enumeration_at_every_degree(f, t, terms):
    found = tail(f, t, terms=terms)
    law = atoms(f)
    exact = found.method == "support" and found.lower == found.upper == np.mean(
        [z > t for z in law]
    )
    assert (exact or brackets(law, t, found)) and found.rigour == "certified"


@pytest.mark.slow
@cases
@given(weights, st.data())
def test_at_an_atom_the_enclosure_holds_both_sides_of_the_jump(f, data):
    law = atoms(f)
    t = data.draw(st.sampled_from(law))
    assume(0 < float(t) == t < max(law))
    found = tail(f, float(t), terms=300)
    assert brackets(law, t, found)
    assert found.upper - found.lower >= law.count(t) / len(law) * (1 - 1e-9)


def _flat(phi, error, ratio):
    k, order = np.arange(1.0, phi.size + 1), phi.size + 1
    radius = max(0, (1 + 2 * np.sum((1 - k / order) * phi * np.cos(2 * np.pi * k * ratio))) / order)
    return 2 * ratio + 2 * np.sum(phi * np.sin(2 * np.pi * k * ratio) / (np.pi * k)), radius


@pytest.mark.parametrize(
    "wrong",
    [
        lambda phi, error, ratio: (rademacher_vaaler(phi, error, ratio)[0], 64 * rademacher.UNIT),
        lambda phi, error, ratio: (
            rademacher_vaaler(phi, error, ratio)[0],
            rademacher_vaaler(phi, error, ratio)[1] / 2,
        ),
        _flat,
    ],
    ids=["no Fejer term", "half the Fejer term", "H = 1"],
)
def test_wrong_polynomials_are_rejected(monkeypatch, wrong):
    rng = np.random.default_rng(0)
    trials = [
        (f, float(t), K)
        for n in (1, 2, 3, 5)
        for f in [rng.uniform(0.1, 1, n)]
        for t in [*map(float, atoms(f)), *rng.uniform(0, f.sum(), 8)]
        for K in (3, 10, 50)
        if t < f.sum() * 0.999
    ]
    assert all(brackets(atoms(f), t, tail(f, t, terms=K)) for f, t, K in trials)
    monkeypatch.setattr(rademacher, "_vaaler", wrong)
    assert not all(brackets(atoms(f), t, tail(f, t, terms=K)) for f, t, K in trials)


rademacher_vaaler = rademacher._vaaler


@pytest.mark.slow
@cases
@given(
    st.floats(0.01, 1),
    st.floats(0.01, 1),
    st.integers(1, 3000),
    st.integers(1, 3000),
    st.floats(0.1, 5),
)
def test_vaaler_and_two_classes_overlap(a, b, n1, n2, deviations):
    t = deviations * math.sqrt(n1 * a * a + n2 * b * b)
    first, second = tail([a, b], t, [n1, n2], width=1e-4), two_class_tail([a, b], [n1, n2], t)
    assert first.lower <= second.upper and second.lower <= first.upper


@cases
@given(weights, st.data(), levels)
def test_classes_agree_with_the_expanded_array(f, data, t):
    counts = data.draw(st.lists(st.integers(1, 4), min_size=len(f), max_size=len(f)))
    one, other = tail(f, t, counts, terms=50), tail(np.repeat(f, counts), t, terms=50)
    assert (one.lower, one.upper) == pytest.approx((other.lower, other.upper), abs=1e-11)


def test_the_width_asked_for_is_reached_and_skipping_terms_loses_nothing(monkeypatch):
    f = np.random.default_rng(3).uniform(0.5, 1, 2000)
    t = 2 * np.linalg.norm(f)
    found = tail(f, t, width=1e-5)
    assert found.upper - found.lower <= 1e-5
    monkeypatch.setattr(
        rademacher,
        "_characteristic",
        lambda a, c, step, k: rademacher._cosines(step * k[:, None] * a, c),
    )
    full = tail(f, t, terms=200)
    monkeypatch.undo()
    part = tail(f, t, terms=200)
    assert (part.lower, part.upper) == pytest.approx((full.lower, full.upper), abs=1e-10)
    assert part.lower <= found.upper and found.lower <= part.upper


@cases
@given(st.lists(st.floats(0, 1), min_size=1, max_size=6), st.integers(1, 10**6), st.integers(1, 60))
def test_characteristic_function_error_is_bounded(a, count, k):
    assume(max(a) > 0)
    a, counts, step = np.array(a), np.full(len(a), float(count)), 0.1 / count**0.5
    phi, error = rademacher._characteristic(a, counts, step, np.array([float(k)]))
    with mpmath.workdps(40):
        exact = mpmath.fprod(
            mpmath.cos(mpmath.mpf(float(step)) * k * mpmath.mpf(float(x))) ** count for x in a
        )
        assert abs(exact - mpmath.mpf(float(phi[0]))) <= error[0]


def test_a_dropped_value_of_the_characteristic_function_is_charged_to_its_error():
    a = np.append(np.full(299, 1e-6), 1.0)
    phi, error = rademacher._characteristic(a, np.ones(300), np.pi / 2, np.array([1.0]))
    assert (
        phi[0] == 0 < float(mpmath.cos(mpmath.mpf(np.pi) / 2)) < error[0]
    )  # the largest weight alone makes it 6e-17


@pytest.mark.slow
@pytest.mark.parametrize("size", [65, 128, 300])
def test_what_a_few_factors_drop_is_charged(size):
    """Also at a lattice, where the product returns to 1 and nothing may be dropped."""
    k = np.arange(1.0, 30_001)
    for a in (np.random.default_rng(size).uniform(1, 2, size), np.ones(size)):
        phi, error = rademacher._characteristic(a, np.ones(size), 0.01, k)
        full, rounding = rademacher._cosines(0.01 * k[:, None] * a, np.ones(size))
        assert np.all(np.abs(phi - full) <= error + rounding)
        assert 0 < np.count_nonzero(phi) < k.size
    assert np.all(phi[np.abs(full) > 1e-6] != 0)


@pytest.mark.parametrize("counts", [None, [1, 1, 1], [3, 2, 5]])
def test_samples_follow_the_exact_law(counts):
    f, trials, t = [0.5, 0.3, 0.2], 40_000, 0.55
    p = float(enumerate_tail(np.repeat(f, counts or [1, 1, 1]), t).value)
    z = sample(f, trials, np.random.default_rng(5), counts)
    assert z.shape == (trials,) and z.dtype == np.float64
    decision = montecarlo.decide_equal(int(np.sum(np.abs(z) > t)), trials, p, p, 0.03)
    assert decision.verdict == "pass" and decision.detects < 0.03
    # a sign error, Z + sum f, is seen
    shifted = int(np.sum(np.abs(z + 0.1) > t))
    assert montecarlo.decide_equal(shifted, trials, p, p, 0.03).verdict == "fail"


@pytest.mark.parametrize("n", [1, 7, 8, 9, 64, 1001])
def test_each_sign_is_fair_and_independent(n):
    f = 2.0 ** -np.arange(min(n, 40))
    z = sample(f, 4096, np.random.default_rng(n))
    # distinct powers of two: the signs can be read back, and every value is attained exactly
    assert set(np.unique((z + f.sum()) / f[-1] % 2)) == {0.0}
    bits = np.round((z + f.sum()) / (2 * f[-1])).astype(np.int64)
    ones = [
        (
            int(np.sum((bits >> i) & 1)),
            int(np.sum(((bits >> i) ^ (bits >> (i + 1))) & 1)) if i + 1 < f.size else 2048,
        )
        for i in range(f.size)
    ]
    # two-sided binomial level 1e-6 shared among at most 80 counts
    worst = binom.isf(1e-6 / 160, 4096, 0.5)
    assert all(4096 - worst <= c <= worst for pair in ones for c in pair)


def test_samples_of_huge_n():
    z = sample([1e-12], 10**4, np.random.default_rng(0), counts=[10**12])
    # chi-square of 10^4 standard normals: mean 10^4, deviation sqrt(2 10^4)
    assert abs(np.sum((z * 1e6) ** 2) - 10**4) < 6 * math.sqrt(2 * 10**4)


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (
            lambda: sample([], 1, np.random.default_rng(0)),
            ValueError,
            "f must be a non-empty one-dimensional array",
        ),
        (
            lambda: sample([1.0], 0, np.random.default_rng(0)),
            ValueError,
            "trials must be an integer >= 1, got 0",
        ),
        (
            lambda: sample([1.0], 10**30, np.random.default_rng(0)),
            ValueError,
            "trials must be an integer <= 10000000000, got",
        ),
        (
            lambda: sample([1e308], 5, np.random.default_rng(0), counts=[2]),
            ValueError,
            "must be <= 1e308, got inf",
        ),
        (
            lambda: sample([1e308, 1e308], 5, np.random.default_rng(0)),
            ValueError,
            "sum |f|, the largest |Z|, must be <= 1e308, got inf",
        ),
        (lambda: sample([1.0], 5, 7), TypeError, "pass numpy.random.default_rng(seed)"),
        (
            lambda: sample([1.0], 5, np.random.default_rng(0), [2.0**54]),
            ValueError,
            "counts must be <= 2^53 to sample, got 1.8e+16",
        ),
        (lambda: tail([1.0], -1), ValueError, "t must be a finite real number >= 0, got -1"),
        (lambda: tail([0.0], 1), ValueError, "f is all zero"),
        (
            lambda: rademacher.certified_tail([1.0], 0.5, [3], width=-0.5),
            ValueError,
            "width must be a finite real number > 0",
        ),
        (
            lambda: rademacher.certified_tail([1.0], 0.5, [3], width=1.5),
            ValueError,
            "width must be a finite real number > 0 and < 1",
        ),
        (
            lambda: rademacher.above(10**12 + 1, 0),
            ValueError,
            "count must be an integer <= 1000000000000, got",
        ),
        (lambda: tail([1e101], 1), ValueError, "sum |f| <= 1e100, got 1e+101 and 1e+101"),
        (lambda: tail([1e-101], 1), ValueError, "max |f| >= 1e-100"),
        (lambda: enumerate_tail([1.0], -0.5), ValueError, "t must be a finite real number >= 0"),
        (lambda: enumerate_tail([0.1] * 21, 1), ValueError, "f has 21 entries, 2^21 sign vectors"),
        (lambda: two_class_tail([1, 2, 3], [1, 1, 1], 1), ValueError, "f has 3 classes"),
        (lambda: two_class_tail([1], [10**13], 1), ValueError, "up to 1e+13 entries"),
        (lambda: tail([1.0], "1"), TypeError, "t must be a finite real number >= 0, got '1' (str)"),
        (lambda: tail([1.0], 0.5, terms=0), ValueError, "terms must be an integer >= 1, got 0"),
        (lambda: tail([1.0], 0.5, terms=2**26 + 1), ValueError, "an integer <= 67108864"),
        (lambda: tail([1.0], 0.5, width=1.5), ValueError, "real number > 0 and < 1, got 1.5"),
        (lambda: tail([1.0], 0.5, width=0), ValueError, "width must be a finite real number > 0"),
        (lambda: tail([1.0], 0.5, [1, 2]), ValueError, "counts has 2 entries for 1 classes"),
    ],
)
def test_errors_name_the_value_and_the_remedy(call, error, message):
    with pytest.raises(error) as caught:
        call()
    assert message in str(caught.value)


def test_two_classes_past_what_a_convolution_takes_are_enclosed_otherwise():
    f = [1.5e-6, 0.5e-6]
    assert rademacher.certified_tail(f, 0.06, [10**8, 10**9]).method == "two-class convolution"
    found = rademacher.certified_tail(f, 0.06, [10**8 + 1, 10**9])
    assert found.method == "Vaaler" and found.upper - found.lower <= 1e-5
