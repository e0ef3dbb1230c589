"""The pieces of the certified tails of signs, one by one: what each rounding is charged with,
against fractions and balls, which nodes are computed, and where the limits are.
"""

import math
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from flint import arb, ctx

from polycore.tails import rademacher as module
from polycore.tails.rademacher import UNIT

ROOM = 2**10  # an allowance may be as many times what it is for


def test_every_rounding_of_vaalers_polynomial_is_charged():
    degree = 2**20 - 1
    none, ones = np.zeros(degree), np.ones(degree)
    centre, radius = module._vaaler(none, none, 0.25)
    assert centre == 0.5 and UNIT <= radius - 2**-20 <= ROOM * UNIT
    # a quarter of the circle: the angle of term k is off by a unit of pi k/2, of which 2/(pi k)
    assert degree * UNIT <= module._vaaler(ones, none, 0.25)[1] <= ROOM * degree * UNIT
    off = module._vaaler(none, 1e-3 * ones, 0.25)[1] - radius
    k = np.arange(1, degree + 1)
    assert off == pytest.approx(1e-3 * math.fsum(2 / (math.pi * k) + 2**-19), rel=1e-9, abs=0)


def test_a_radius_is_not_negative_whatever_rounding_makes_of_the_fejer_sum():
    assert module._vaaler(-np.ones(7), np.zeros(7), 0.0)[1] > 0


@pytest.fixture
def polynomials(monkeypatch):
    """The degree of each polynomial that was tried, and t as a share of its circle."""
    vaaler, tried = module._vaaler, []
    spied = lambda phi, error, t: [tried.append((phi.size, t)), vaaler(phi, error, t)][1]
    monkeypatch.setattr(module, "_vaaler", spied)
    return tried


def test_degrees_double_until_the_enclosure_is_narrow(polynomials):
    module.tail([0.5, 0.3, 0.2], 0.55, terms=7)
    found = module.tail([0.5, 0.3, 0.2], 0.55, width=1e-3)
    assert found.upper - found.lower <= 1e-3
    first, *degrees = [degree for degree, _ in polynomials]
    assert first == 7 and len(degrees) > 1
    assert degrees == [64 * 2**j for j in range(len(degrees))]
    assert module.tail([0.5, 0.3, 0.2], 0.9, terms=1).lower == 0
    assert module.tail([0.5, 0.3, 0.2], 0.01, terms=1).upper == 1


def test_degrees_double_as_far_as_is_said(polynomials, monkeypatch):
    module.tail([0.5, 0.3, 0.2], 0.6, width=1e-9)  # an atom, which is never narrow
    assert polynomials[-1][0] == 2**20
    cheap = lambda a, counts, step, k: (np.ones(k.size), np.zeros(k.size))
    monkeypatch.setattr(module, "_characteristic", cheap)
    for size, last in ((27_466, 2**15), (33_600, 2**14)):  # 0.45 and 0.55 10^9 cosines with 2^14
        module.tail(np.linspace(0.5, 1, size), 1.0)
        assert polynomials[-1][0] == last


@pytest.mark.parametrize(("size", "part"), [(3, 1), (10, 1), (30, 0.582), (10**4, 0.031)])
def test_the_circle_is_as_long_as_hoeffding_says_or_as_the_support(polynomials, size, part):
    """Twice the support, or up to where less than a hundredth of the width wraps round."""
    module.tail([0.5], 0.5, [size], terms=3, width=1e-6)
    near = 0.5 * math.sqrt(2 * math.log(2e8) * size)
    period = min(size, 0.5 + near)
    assert period == pytest.approx(part * size, rel=0.01, abs=0)
    assert polynomials == [(3, pytest.approx(0.5 / period, rel=1e-8, abs=0))]


def test_a_tail_is_skipped_where_hoeffding_says_so_and_no_earlier():
    norm, wrap = 0.5 * math.sqrt(400), 1e-4
    near = norm * math.sqrt(2 * math.log(2 / wrap))
    skipped = module.tail([0.5], 1.0001 * near, [400], width=100 * wrap)
    assert (skipped.lower, skipped.upper) == (0, wrap)
    for deviations in (3.3, 4.35, 4.44):
        t = deviations * norm
        found, exact = (
            module.tail([0.5], t, [400], width=100 * wrap),
            module.two_class_tail([0.5], [400], t),
        )
        assert found.lower <= exact.lower and exact.upper + wrap < found.upper


@pytest.mark.parametrize(
    ("counts", "u"),
    [
        (100, 3.1),
        (1000, 0.25),
        (10**6, math.sqrt(96.2e-6)),
        (10**6, math.sqrt(99e-6)),
        (1, math.pi / 2 - 1e-3),  # where the sine tells little of the cosine
    ],
)
def test_a_value_that_is_not_small_enough_is_not_taken_for_0(counts, u):
    a = np.array([1.0])
    [phi], [error] = module._characteristic(a, np.array([float(counts)]), u, np.ones(1))
    with ctx.workprec(200):
        assert abs(arb(u).cos() ** counts - arb(phi)) <= arb(error)


def test_blocks_change_nothing_but_the_time(monkeypatch):
    a, k = np.random.default_rng(1).uniform(1, 2, 300), np.arange(1.0, 101)
    whole, error = module._characteristic(a, np.ones(300), 0.01, k)
    monkeypatch.setattr(module, "BLOCK", 1)
    parts, more = module._characteristic(a, np.ones(300), 0.01, k)
    assert np.all(np.abs(whole - parts) <= error + more) and np.count_nonzero(parts) > 5


def cosines(a, u):
    """|prod_i cos(u a_i)|, from balls."""
    with ctx.workprec(100):
        return float(abs(math.prod((arb(u) * arb(x)).cos() for x in a.tolist())))


def test_nodes_are_dropped_where_few_factors_are_below_what_the_others_cannot_tell():
    """And what is dropped is charged just that: between a node that is and one that is not, the
    product is less than the charge by the rounding of its cosines, no more.
    """
    a = np.sort(np.random.default_rng(0).uniform(1, 2, 1000))
    few, head = a[-module.FEW :], a[-256:]

    def charge(u):
        return 32 * UNIT * (1 + math.fsum(u * x for x in head if u * x > math.pi / 4))

    def kept(u):
        error = np.zeros(1)
        if module._dropped(a, np.array([u]), np.array([0]), error).size:
            assert error[0] == 0
            return True
        assert error[0] == pytest.approx(charge(u), rel=1e-12, abs=0)
        assert cosines(few, u) <= error[0]
        return False

    turns, nodes = 0, np.linspace(0.1, 3, 200).tolist()
    for low, high in zip(nodes, nodes[1:]):
        before = kept(low)
        if before != kept(high):
            turns += 1
            for _ in range(50):
                middle = (low + high) / 2
                low, high = (middle, high) if kept(middle) == before else (low, middle)
            rounding = UNIT * (8 * module.FEW + 4 * math.fsum(low * few))
            found = abs(math.prod(np.cos(low * few)))
            one_angle = 32 * UNIT * math.pi / 4  # by which the charge jumps
            assert charge(low) - found == pytest.approx(rounding, rel=1e-3, abs=one_angle)
    assert turns >= 3


@pytest.mark.parametrize(("least", "counts"), [(1, 1), (0, 2)])
def test_no_more_factors_are_computed_than_decide(monkeypatch, least, counts):
    """Nodes are dropped after a few factors or, where many weights are small, before any: without
    either, more than a quarter of the factors would be computed.
    """
    cosines, computed = module._cosines, []
    monkeypatch.setattr(
        module, "_cosines", lambda x, n: [computed.append(x.size), cosines(x, n)][1]
    )
    a, k = np.random.default_rng(0).uniform(least, 2, 1000), np.arange(1.0, 2001)
    module._characteristic(a, np.full(1000, float(counts)), 0.01, k)
    assert 0 < sum(computed) < a.size * k.size / 5


def test_far_angles_are_charged_as_often_as_they_occur():
    x, counts = np.array([[0.1, 3.0]]), np.array([10.0**6, 1000.0])
    assert 3000 * UNIT <= module._cosines(x, counts)[1][0] <= ROOM * 3001 * UNIT
    assert module._rounding(10**6) >= 10**6 * UNIT


@pytest.mark.parametrize(
    ("a", "b", "t"),
    [(1e-4, 3e-4, 7e-4), (0.1, 0.3, 0.7), (110.1, 330.3, 770.7), (1, 2.0**-60, 0.5)],
)
@pytest.mark.parametrize(("n1", "n2"), [(3, 10**6), (1000, 10**12), (10**8, 3)])
def test_the_least_integer_beyond_the_limit_is_the_one_in_fractions(a, b, t, n1, n2):
    """Where all are ties but for the rounding of the given floats, and where none is a float."""
    k = np.unique(np.linspace(0, n1, 200).astype(int)).tolist()
    found = module._least(a, b, t, n1, n2, np.array(k))
    left = [Fraction(t) - Fraction(a) * (2 * one - n1) for one in k]
    exact = [math.floor((limit / Fraction(b) + n2) / 2) + 1 for limit in left]
    assert found.tolist() == [min(max(least, -(2**53)), 2**53) for least in exact]


def test_the_limits_of_a_convolution():
    taken = lambda *counts: module._two_classes(np.array(counts, float))
    assert taken(10**12) and taken(10**8, 10**12) and taken(10**12, 10**8)
    assert not (taken(10**12 + 1) or taken(10**8 + 1, 10**12) or taken(1, 1, 1))


def test_an_enclosure_is_as_wide_as_its_rounding_allows():
    """1 +- 8 units for each outcome of either window."""
    sizes = [module.half_binomial(n)[1].size for n in (100, 10**4)]
    found = module.two_class_tail([0.3, 0.07], [100, 10**4], 20.0)
    width = (found.upper - found.lower) / found.value
    assert sizes == [101, 3803]
    assert width == pytest.approx(16 * (101 + 3804) * UNIT, rel=1e-3, abs=0)


def test_a_tail_that_leaves_the_floats_is_not_called_nothing():
    for n, t in ((10**4, 9000), (10**6, 10**6 - 1)):  # about exp(-4050), and 2^-10^6
        found = module.two_class_tail([1.0], [n], t)
        assert 0 == found.lower < found.upper <= 1e-289


def test_what_a_binomial_distribution_leaves_out_is_below_1e_312():
    for n in (10**4, 10**6 + 1):
        _, chances = module.half_binomial(n)
        assert 0 <= chances[0] == chances[-1] < 1e-312
        assert math.fsum(chances) == pytest.approx(1, rel=1e-11, abs=0)


def test_a_probability_is_at_most_1():
    certain = module.two_class_tail([1.0], [3], 0.5)  # the sum is odd
    assert certain.lower < 1 == certain.upper


def test_the_last_that_are_taken():
    assert module.enumerate_tail([1] * 20, 19).value == Fraction(2, 2**20)
    [huge] = module.sample([1.0], 1, np.random.default_rng(0), [2**53])
    assert 0 < abs(huge) < 10 * 2**26.5
    assert abs(module.sample([1e308], 1, np.random.default_rng(0))[0]) == 1e308
    for size in (1e-100, 1e100):
        assert module.weights([size], None, 0)[0] == size
    ways = sum(math.comb(200, minus) for minus in range(5))
    assert module.above(200, 190).value == pytest.approx(ways / 2**200, rel=1e-12, abs=0)


@pytest.mark.parametrize("count", [1, 2, 3, 4])
def test_one_side_at_every_limit(count):
    """At the values of the sum, between them, at 0 and at both ends."""
    values = [sum(signs) for signs in product((-1, 1), repeat=count)]
    for limit in np.arange(-count - 1, count + 1.5, 0.5).tolist():
        exact = Fraction(sum(value > limit for value in values), len(values))
        found = module.above(count, limit)
        assert found.lower <= exact <= found.upper <= found.lower + 1e-13


def test_what_is_kept_cannot_be_written():
    with pytest.raises(ValueError, match="read-only"):
        module._survival(8)[0] = 0


def test_one_sign_beside_weights_of_zero_is_settled():
    assert module.settled(*module.weights([0, 0.5], [2, 1], 0.4)) == 1.0
    assert module.settled(*module.weights([0, 0.5], [1, 2], 0.4)) is None


@pytest.mark.parametrize("scale", [1e-6, 1, 1e6])
def test_the_reach_is_decided_in_fractions_at_any_scale(scale):
    for seed in range(50):
        a = np.random.default_rng(seed).uniform(0, scale, 30)
        near, total = float(np.sum(a)), sum(map(Fraction, a.tolist()))
        for t in (near, math.nextafter(near, 0), math.nextafter(near, math.inf)):
            assert module.beyond(a, np.ones(30), t) == (Fraction(t) >= total)
