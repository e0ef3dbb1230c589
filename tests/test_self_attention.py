"""The classes of Part III against dense matrices, full enumeration and the network itself."""

import itertools
from fractions import Fraction
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from polycore.models import attention, network, self_attention
from polycore.models.self_attention import Data, d0, d1, draw
from polycore.tails.rademacher import Tail

SIZES = st.tuples(st.integers(4, 9), st.integers(1, 6))
TENTHS = st.integers(1, 9)


@st.composite
def members(draw):
    (d, t), tenths = draw(SIZES), draw(TENTHS)
    a = draw(st.integers(1, 300)) / 100
    return Data(
        (d - 2) * t, d, a, f"0.{tenths}", f"0.{10 - tenths}", draw(st.integers(0, (d - 2) * t - 1))
    )


def dense_output(data, beta):
    A, one = data.dense(), np.ones((data.d, data.d))
    return attention.polynomial_attention(A, one, one / data.d, np.eye(data.d), beta)


@settings(max_examples=200, deadline=None)
@given(members(), st.floats(0, 40))
def test_output_is_that_of_dense_attention(data, beta):
    np.testing.assert_allclose(
        dense_output(data, beta), np.tile(data.row(beta), (data.n, 1)), rtol=1e-11, atol=1e-300
    )


@settings(max_examples=60, deadline=None)
@given(members())
def test_exact_matrix_is_the_dense_one_with_exact_sums(data):
    A = data.exact()
    assert {type(value) for value in A.flat} == {Fraction}
    np.testing.assert_allclose(A.astype(float), data.dense(), rtol=1e-15)
    block = data.b * data.t
    assert A.sum(axis=0).tolist() == [data.a, *[block] * (data.d - 2), data.c * data.n]
    assert A[data.j3, data.special_column] == data.b


def test_a_matrix_has_10_to_the_8_entries_at_most(monkeypatch):
    made = []
    monkeypatch.setattr(self_attention, "np", SimpleNamespace(zeros=made.append))
    with pytest.raises(TypeError):  # nothing was made
        d1(10**7, 10, 1, "0.5").dense()
    assert made == [(10**7, 10)]
    with pytest.raises(ValueError, match="A has 10000008 x 10 entries, beyond 10\\^8"):
        d1(10**7 + 8, 10, 1, "0.5").dense()


def test_exact_matrix_has_a_limit():
    with pytest.raises(ValueError, match="n must be an integer <= 1000"):
        d1(1002, 5, 1, "0.5").exact()


@pytest.mark.parametrize("dataset", ["D0", "D1"])
def test_reference_is_dense_attention_in_rationals(dataset):
    rng = np.random.default_rng(3)
    for beta in range(5):
        data = draw(dataset, rng)
        c = np.array(data.attended(beta)[2], dtype=float)
        np.testing.assert_allclose(c, dense_output(data, beta), rtol=1e-12, atol=0)


@settings(max_examples=30, deadline=None)
@given(members(), st.integers(0, 5))
def test_each_part_of_the_output_is_of_its_own_rows_and_entries(data, beta):
    """Asked by the special token, parts 1 to 3, and by the others: first entry, block, last."""
    found = data.output_parts(beta)
    many = [(rows, length) for rows in (1, data.n - 1) for length in (1, data.d - 2, 1)]
    assert list(found) == list("123456")
    assert [(len(rows), len(rows[0])) for rows, _ in found.values()] == many
    assert all(rows == wanted for rows, wanted in found.values())
    row = [entry for part in "123" for entry in found[part][0][0]]
    assert row == list(data.attended(beta)[2][data.j3])


def test_the_degrees_0_to_6_are_compared_in_turn():
    asked = []

    def parts(data, beta):
        asked.append(beta)
        return {"1": (data.n, {data})}  # data can be kept in a set

    found = self_attention.compared(parts, "D1", 9, np.random.default_rng(0))
    assert asked == [0, 1, 2, 3, 4, 5, 6, 0, 1]
    assert list(found) == ["1"] and list(found["1"]) == [f"member {case}" for case in range(9)]


def test_the_special_token_is_the_first_where_nothing_is_said():
    assert (d0(4, 4, "0.05", "0.5").j3, d1(4, 4, 1, "0.5").j3) == (0, 0)


def test_a_wrong_special_column_would_be_seen():
    data = d1(6, 5, "0.9", "0.4", j3=1)
    row = dense_output(data, 3)[0]
    assert data.special_column == 2 and row[2] > row[1] == pytest.approx(row[3])


@settings(max_examples=60, deadline=None)
@given(members(), st.floats(0, 30), st.floats(-1.5, 1.5))
def test_probability_is_that_of_all_signs(data, beta, tau):
    row = dense_output(data, beta)[0]
    sums = np.array(list(itertools.product([-1, 1], repeat=data.d))) @ row
    near = np.abs(sums - tau) < 1e-11  # floats do not decide these
    found = data.exceeds(beta, tau)
    assert found.lower - 1e-12 <= np.mean(sums[~near] > tau) * np.mean(~near) + np.mean(near)
    assert found.upper + 1e-12 >= np.mean((sums > tau) & ~near)
    assert found.upper - found.lower <= 2 * np.mean(near) + 1e-10


def all_sums(data, beta):
    """The sums of the output of a token with all signs."""
    return np.array(list(itertools.product([-1, 1], repeat=data.d))) @ dense_output(data, beta)[0]


@pytest.mark.parametrize("beta", [0.2, 1.0, 3.0])
def test_at_a_low_degree_each_entry_is_felt(beta):
    rng = np.random.default_rng(6)
    for _ in range(60):
        d, t, tenths = map(int, rng.integers((4, 1, 1), (10, 7, 10)))
        a, j3 = rng.choice(["0.05", "0.5", "3"]), int(rng.integers((d - 2) * t))
        data = Data((d - 2) * t, d, a, f"0.{tenths}", f"0.{10 - tenths}", j3)
        tau = rng.uniform(-1, 1.5)
        expected = np.mean(all_sums(data, beta) > tau)
        assert data.exceeds(beta, tau).value == pytest.approx(expected, abs=1e-10)


def test_rounding_is_allowed_for_by_as_much_as_is_said():
    """Within 1e-13 (|tau| + the four entries) of a value that is taken it is left open, and beyond
    it not.
    """
    data, beta = d1(8, 6, "0.7", "0.3"), 1.5
    taken, entries = all_sums(data, beta), np.sum(data.output(beta))
    _, apart = np.unique(np.round(taken, 9), return_index=True)

    def width(tau):
        found = data.exceeds(beta, tau)
        return found.upper - found.lower

    for value in taken[apart[1:-1]]:
        allowed = 1e-13 * (abs(value) + entries)
        near, beyond = ([width(value + s * p * allowed) for s in (-1, 1)] for p in (0.95, 1.05))
        assert min(near) > 2.0**-6.5 > max(beyond)


def test_the_threshold_of_the_book_is_c_and_a_tenth():
    data = d0(400, 202, "0.05", "0.5")  # as many signs tell it from a hundredth more or less
    less, said, more = (data.exceeds(2.0, tau).value for tau in (0.59, 0.6, 0.61))
    assert less > data.exceeds(2.0).value == said > more


def test_network_fires_as_often_as_said():
    data, beta, m, rng = d1(40, 12, "0.7", "0.3"), 3.0, 3, np.random.default_rng(1)
    row, tau = data.row(beta), 0.8
    hits = sum((row @ network.rademacher_columns(12, m, rng) > tau).any() for _ in range(20_000))
    said = data.fires(beta, m, tau).value
    assert abs(hits / 20_000 - said) < 6 * (said * (1 - said) / 20_000) ** 0.5


@pytest.mark.parametrize(
    ("p", "m"), [(0.5, 3), (0.1, 187), (1e-12, 50), (0.999, 2), (0.25, 600), (1.0, 2), (0.0, 5)]
)
def test_none_and_any_column_are_the_two_powers(p, m):
    one, none = Tail(p, p, "", "exact"), (1 - Fraction(p)) ** m
    missed, seen = network.no_column(one, m), network.any_column(one, m)
    assert (
        missed.lower <= none <= missed.upper
        and missed.upper - missed.lower <= 1e-11 * none + 1e-303
    )
    assert seen.lower <= 1 - none <= seen.upper


def test_large_sizes_are_as_quick_as_small_ones_and_agree_in_the_limit():
    huge = d1(10**12, 10**6 + 2, "0.7", "0.2")
    assert huge.exceeds(60).value == pytest.approx(
        0.25, abs=1e-9
    )  # the signs of the first and the last entry decide
    assert d0(10**12, 10**6 + 2, "0.09", "0.2").exceeds(60).upper < 1e-290


@pytest.mark.parametrize("d", [4, 5, 10])
def test_the_nearest_number_of_tokens_is_offered(d):
    """Of those that there are: at least one for each column."""
    for n in range(1, 40):
        if n % (d - 2):
            with pytest.raises(ValueError, match="the nearest is ") as caught:
                d1(n, d, 1, "0.5")
            near = int(str(caught.value).rpartition(" ")[2])
            possible = range(d - 2, 60, d - 2)
            assert near in possible and abs(near - n) == min(abs(m - n) for m in possible)


def test_weights_below_the_smallest_float():
    data = d1(10**6, 1002, "0.7", "0.5")
    assert [data.exceeds(beta).value for beta in (100, 1000, 10_000)] == [0.375] * 3


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (
            lambda: d1(7, 5, 1, "0.5"),
            ValueError,
            "n must be (d - 2) t, a multiple of 3 for d = 5, got 7: the nearest is 6",
        ),
        (lambda: d1(6, 3, 1, "0.5"), ValueError, "d must be an integer >= 4, got 3"),
        (
            lambda: d0(6, 5, "0.1", "0.5"),
            ValueError,
            "a must be a finite real number > 0 and < 1/10, got 1/10: D_0 has a in (0, 0.1)",
        ),
        (
            lambda: d1(6, 5, "0.69", "0.5"),
            ValueError,
            "a must be a finite real number >= 7/10, got 69/100: D_0 has a",
        ),
        (
            lambda: Data(6, 5, 0, "0.5", "0.5"),
            ValueError,
            "a must be a finite real number > 0, got 0",
        ),
        (
            lambda: d1(6, 5, 1, "0.5", "0.6"),
            ValueError,
            "b + c must be 1, got 0.5 + 0.6 = 1.1: pass c = 1 - b",
        ),
        (
            lambda: d1(6, 5, 1, "0.95"),
            ValueError,
            "c must be a finite real number >= 1/10, got 1/20",
        ),
        (
            lambda: d1(6, 5, 1, "0.5", j3=6),
            ValueError,
            "j3 must be below n = 6, got 6: tokens are counted from 0",
        ),
        (lambda: d1(6, 5, 1, "0.5", j3=-1), ValueError, "j3 must be an integer >= 0, got -1"),
        (
            lambda: d1(6, 5, 1, "0.5").weights(float("inf")),
            ValueError,
            "beta must be a finite real number >= 0, got inf",
        ),
        (
            lambda: d1(6, 5, 1, "0.5").exceeds(1, float("nan")),
            ValueError,
            "tau must be a finite real number, got nan",
        ),
        (
            lambda: d1(303, 5, 1, "0.5").attended(1),
            ValueError,
            "n must be an integer <= 100, got 303",
        ),
        (
            lambda: d1(6, 5, 1, "0.5").attended(1.5),
            TypeError,
            "beta must be an integer >= 0, got 1.5",
        ),
        (
            lambda: draw("D2", np.random.default_rng(0)),
            ValueError,
            "dataset must be one of D0, D1, got 'D2'",
        ),
        (lambda: draw("D0", 7), TypeError, "pass numpy.random.default_rng(seed)"),
        (lambda: d1(6, 5, 1, "0.5").silent(1, 0), ValueError, "m must be an integer >= 1, got 0"),
        (lambda: d1(6, 5, 1, "0.5").fires(1, 0), ValueError, "m must be an integer >= 1, got 0"),
        (
            lambda: d1(10**12, 102, 1, "0.5").dense(),
            ValueError,
            "A has 1000000000000 x 102 entries, beyond 10^8: use output",
        ),
        (
            lambda: attention.polynomial_attention(
                d1(6, 5, 1, "0.5").dense(), np.ones((4, 4)), np.ones((5, 5)), np.eye(5), 1
            ),
            ValueError,
            "Q must have shape (5, 5), as A has 5 columns, got (4, 4)",
        ),
    ],
)
def test_bad_input_is_named(call, error, words):
    with pytest.raises(error) as raised:
        call()
    assert words in str(raised.value)


@pytest.mark.parametrize(("dataset", "least", "most"), [("D0", 1, 9), ("D1", 70, 300)])
def test_members_at_random_reach_the_ends_of_what_is_said(dataset, least, most):
    rng = np.random.default_rng(0)
    found = [draw(dataset, rng) for _ in range(4000)]
    ends = lambda values: (min(values), max(values))
    assert ends([100 * data.a for data in found]) == (least, most)
    assert ends([100 * data.b for data in found]) == (10, 90)
    assert {data.t for data in found} == {1, 2, 3, 4}
    assert {data.n // data.t for data in found} == {2, 3, 4, 5, 6}  # d − 2
    assert {data.j3 for data in found if data.n == 2} == {0, 1}
