"""The characteristic function of a tilted sum and its panels against ball arithmetic."""

import math
from fractions import Fraction

import numpy as np
import pytest
from flint import acb, arb, ctx
from hypothesis import given, settings
from hypothesis import strategies as st

from polycore.tails import _characteristic as values

cases = settings(deadline=None, derandomize=True, max_examples=30)


def exact_phi(a, counts, s, t, u):
    """exp(-i u t) phi(u) in balls."""
    with ctx.workprec(160):
        product = (acb(0, -1) * arb(u) * arb(float(t))).exp()
        for x, n in zip(a, counts):
            x = arb(float(x))
            product *= (
                (acb(arb(float(s)), arb(u)) * x).cosh() / (arb(float(s)) * x).cosh()
            ) ** int(n)
        return product


@cases
@given(
    st.lists(st.floats(1e-3, 1), min_size=1, max_size=6, unique=True),
    st.integers(1, 10**5),
    st.floats(0.05, 3),
    st.floats(0, 60),
    st.floats(0, 2),
)
def test_the_error_of_the_characteristic_function_is_bounded(a, count, x, far, level):
    a, counts = np.sort(a), np.full(len(a), float(count))
    deviation = math.sqrt(np.sum(counts * a**2))
    s, u, t = x / deviation, far / deviation, level * deviation
    value, error = values.characteristic(a, counts, s, t, np.array([u]))
    with ctx.workprec(160):
        off = abs(
            exact_phi(a, counts, s, t, u) - acb(complex(value[0]).real, complex(value[0]).imag)
        )
        assert off <= arb(float(error[0]))
    assert error[0] < 1e-9


@pytest.mark.parametrize("t", [0.0, 2.5])
@pytest.mark.parametrize("s", [0.0, 0.1, 0.7])
def test_values_that_are_not_small(s, t):
    a, counts = np.array([0.3, 0.7, 1.0]), np.array([1, 2, 1])
    u = np.array([0, 0.2, 0.9, 1.1, 2.0, 3.3, 9.1, 40.0])
    value, error = values.characteristic(a, counts, s, t, u)
    known = np.array([complex(exact_phi(a, counts, s, t, x)) for x in u])
    assert (abs(value - known) <= error).all() and error.max() < 1e-11
    assert np.median(abs(known)) > 0.3


@pytest.mark.parametrize("u", [1e-7, 1.2e-6, 1e-5, 1.1e-4])
def test_a_million_equal_weights_whose_factors_are_nearly_1(u):
    """Too large for the series with their tilt; one unit of each logarithm would be too much."""
    a, counts = np.ones(1), np.array([10**6])
    value, error = values.characteristic(a, counts, 1.0, 0.0, np.array([u]))
    assert abs(value[0] - complex(exact_phi(a, counts, 1.0, 0.0, u))) <= error[0] < 1e-11


@pytest.mark.parametrize("y", [0.0, 1e-9, 0.3, 1.0, 5.0, 40.0, 300.0])
def test_fading(y):
    assert float(values.fade(np.array(y))) == pytest.approx(math.cosh(y) ** -2, rel=1e-14, abs=0)


@cases
@given(
    st.lists(st.floats(0.01, 1), min_size=1, max_size=6, unique=True),
    st.integers(1, 9),
    st.floats(0, 9),
)
def test_angles_past_an_eighth_of_a_turn_are_far(a, count, u):
    counts = np.full(len(a), float(count))
    _, _, (far,) = values._logarithms(np.array(a), counts, 0.1, np.array([u]))
    assert far == pytest.approx(count * sum(u * one for one in a if u * one > math.pi / 4))


def summed(a, counts, s, t, step, k, length):
    """sum_l y_l, sum_l x_l y_l, sum_l x_l^2 y_l, x_l = l - (length - 1)/2, and sum_l |y_l| of the
    nodes k + l, in balls, rounded.
    """
    with ctx.workprec(160):
        y = [exact_phi(a, counts, s, t, arb(step) * arb(int(k) + l)) for l in range(length)]
        moved = [
            sum(((arb(2 * l + 1 - length) / 2) ** p * v for l, v in enumerate(y)), acb(0))
            for p in range(3)
        ]
        return *map(complex, moved), float(sum(map(abs, y), arb(0)))


@pytest.mark.parametrize("counts", [1, 2])
def test_the_sums_of_a_panel_are_those_of_its_nodes(counts):
    """In the first row and in the last one, of so few weights that they are seen."""
    a = np.sort(np.random.default_rng(21).uniform(0.3, 1, 6 // counts))
    counts, length = np.full(a.size, counts), 5
    s, step = 5 / math.sqrt(np.sum(counts * a**2)), 0.1
    bits = np.zeros(20 * values.ROW, bool)
    bits[[0, 1, 4000, -1]] = True
    kept = [values.Panels(100.0, length, np.packbits(bits))]
    [(k, _, value, drift, spread, size, off)] = values.panels(
        a, counts, s, 3.0, step, kept, lambda *part: part
    )
    assert k.tolist() == [101, 106, 20101, 101 + 5 * (20 * values.ROW - 1)]
    half = length / 2
    for j, node in enumerate(k):
        exact, moved, squared, most = summed(a, counts, s, 3.0, step, node, length)
        assert abs(exact - value[j]) <= off[j] < 1e-11 and 0.1 < most <= size[j] + off[j]
        assert abs(moved - drift[j]) <= half * off[j]
        assert abs(squared - spread[j]) <= half**2 * off[j]


@pytest.mark.parametrize(("length", "rows"), [(1, 256), (100, 2), (256, 1), (300, 1)])
def test_work_is_handed_out_in_whole_rows_without_the_empty_ones(length, rows):
    bits = np.zeros(5 * rows * values.ROW // 2, bool)  # two pieces and a half
    bits[[rows * values.ROW - 1, 2 * rows * values.ROW]] = True
    parts = [*values._jobs([values.Panels(7.0, length, np.packbits(bits))])]
    nodes = values.ROW * length * rows
    assert [part.first for part in parts] == [7, 7 + 2 * nodes]
    assert {part.length for part in parts} == {length}
    whole, half = (np.unpackbits(part.bits) for part in parts)
    assert whole.size == rows * values.ROW == 2 * half.size
    assert np.flatnonzero(whole) == [whole.size - 1] and np.flatnonzero(half) == [0]


def test_products_are_exact_in_two_parts():
    x, y = np.random.default_rng(8).uniform(0.5, 1, (2, 2000)) * 2.0 ** np.arange(-10, 10).repeat(
        100
    )
    for product in zip(x, y, *values._exactly(x, y)):
        x, y, high, low = map(Fraction, product)
        assert high + low == x * y


def test_pairs_take_every_weight_as_often_as_it_is_there():
    for counts in ([1], [2], [1, 1, 1], [5, 1, 2, 3, 1], [128, 127, 1]):
        pairs, power = values._pairs(np.array(counts))
        assert (
            np.bincount(pairs.ravel(), np.tile(power, 2), len(counts) + 1)[:-1].tolist() == counts
        )


def test_the_roundings_of_a_million_equal_signs_are_bounded_near_a_common_period():
    a, counts, step = np.array([0.5, 1.0]), np.array([10**5, 10**6 + 1]), 4 * math.pi + 1e-5
    kept = [values.Panels(0.0, 1, np.packbits([1] * 320))]
    [(k, _, value, *_, error)] = values.panels(a, counts, 1e-3, 3.0, step, kept, lambda *part: part)
    apart = [abs(summed(a, counts, 1e-3, 3.0, step, x, 1)[0] - y) for x, y in zip(k, value)]
    assert abs(value[0]) > 0.9 and abs(value[-1]) < 0.1
    assert (apart <= error).all() and max(apart) > 1e-13 and error.max() < 1e-7


@pytest.mark.parametrize("name", ["_pairs", "_turns"])
def test_a_weight_too_few_or_another_sign_of_it_is_rejected(monkeypatch, name):
    a, counts, kept = (
        np.array([0.3, 0.7, 0.9]),
        np.array([1, 2, 5]),
        [values.Panels(9.0, 4, np.packbits([1]))],
    )

    def holds():
        [([k, *_], length, [value, *_], *_, [error, *_])] = values.panels(
            a, counts, 0.2, 3.0, 0.1, kept, lambda *part: part
        )
        return abs(summed(a, counts, 0.2, 3.0, 0.1, k, length)[0] - value) <= error

    assert holds()
    original = getattr(values, name)
    wrong = {
        "_pairs": lambda counts: (original(counts)[0], np.maximum(1, original(counts)[1] - 1)),
        "_turns": lambda step, k, b, pairs: original(
            step, k, b * np.where(np.arange(b.size) == 1, -1, 1), pairs
        ),
    }
    monkeypatch.setattr(values, name, wrong[name])
    assert not holds()


def test_angles_are_exact_however_far_out(monkeypatch):
    a, counts, step = np.array([0.3, 0.7]), np.array([1, 2]), 0.1

    def off():
        kept = [values.Panels(2.0**50, 4, np.packbits([1, 0, 1]))]
        [(k, length, value, *_, error)] = values.panels(
            a, counts, 0.2, 3.0, step, kept, lambda *part: part
        )
        return [
            abs(summed(a, counts, 0.2, 3.0, step, x, length)[0] - y) for x, y in zip(k, value)
        ], error

    far, error = off()
    assert (far <= error).all() and error.max() < 1e-11
    monkeypatch.setattr(values, "_exactly", lambda x, y: (x * y, 0.0))
    assert max(off()[0]) > 1e-3
