"""Attention by inner products, Q K^T = I, by classes against dense matrices, full enumeration and
the network itself.
"""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from polycore.models import attention, inner_product, network
from polycore.models.self_attention import Data, d0, d1


@st.composite
def members(draw):
    (d, t), tenths = draw(st.tuples(st.integers(4, 9), st.integers(1, 6))), draw(st.integers(1, 9))
    a = draw(st.integers(1, 300)) / 100
    return Data(
        (d - 2) * t, d, a, f"0.{tenths}", f"0.{10 - tenths}", draw(st.integers(0, (d - 2) * t - 1))
    )


def dense(data, beta):
    one = np.eye(data.d)
    return attention.polynomial_attention(data.dense(), one, one, one, beta)


def by_kind(data, beta):
    """The output of every token, each entry of `outputs` put where it belongs."""
    special, block, elsewhere = inner_product.outputs(data, beta)
    rows = []
    for token in range(data.n):
        column = 1 + token % (data.d - 2)
        entries = (
            special if token == data.j3 else block if column == data.special_column else elsewhere
        )
        row = np.full(data.d, entries[2])
        row[[0, column, -1]] = entries[0], entries[1], entries[3]
        rows.append(row)
    return np.array(rows)


@settings(max_examples=200, deadline=None)
@given(members(), st.floats(0, 40))
def test_outputs_are_those_of_dense_attention(data, beta):
    np.testing.assert_allclose(dense(data, beta), by_kind(data, beta), rtol=1e-11, atol=1e-300)


@settings(max_examples=100, deadline=None)
@given(members(), st.floats(0, 30), st.floats(-1.5, 2))
def test_probability_is_that_of_all_signs_and_all_tokens(data, beta, tau):
    highest = (np.array(list(itertools.product([-1, 1], repeat=data.d))) @ dense(data, beta).T).max(
        axis=1
    )
    near = np.abs(highest - tau) < 1e-11  # floats do not decide these
    found = inner_product.exceeds(data, beta, tau)
    assert found.lower - 1e-12 <= np.mean((highest > tau) | near)
    assert found.upper + 1e-12 >= np.mean((highest > tau) & ~near)
    assert found.upper - found.lower <= 2 * np.mean(near) + 1e-10


def highest(data, beta):
    """The largest output of a column, for all signs."""
    signs = np.array(list(itertools.product([-1, 1], repeat=data.d)))
    return (signs @ dense(data, beta).T).max(axis=1)


@pytest.mark.parametrize("beta", [0.2, 0.5, 1.0, 2.0, 4.0])
def test_at_a_low_degree_each_kind_of_token_may_be_the_one_that_fires(beta):
    """There no weight is lost beside another: each entry of each row is felt."""
    rng = np.random.default_rng(6)
    for _ in range(60):
        d, t = map(int, rng.integers((4, 1), (10, 7)))
        a, tenths = rng.choice(["0.05", "0.5", "1", "3"]), rng.integers(1, 10)
        data = Data(
            (d - 2) * t, d, a, f"0.{tenths}", f"0.{10 - tenths}", int(rng.integers((d - 2) * t))
        )
        tau = rng.uniform(-1, 1.5)
        expected = np.mean(highest(data, beta) > tau)
        assert inner_product.exceeds(data, beta, tau).value == pytest.approx(expected, abs=1e-10)


def test_rounding_is_allowed_for_by_as_much_as_is_said():
    """Within 1e-13 (|tau| + 1 + a) of a value that is taken it is left open, and beyond it not."""
    data, beta = d1(8, 6, "0.7", "0.3"), 1.5
    taken = highest(data, beta)
    _, apart = np.unique(np.round(taken, 9), return_index=True)
    for value in taken[apart[1:-1]]:
        allowed = 1e-13 * (abs(value) + 1.7)
        near, beyond = (
            [width(data, beta, value + part * allowed) for part in (-p, p)] for p in (0.7, 1.3)
        )
        assert min(near) > 2.0**-6.5 > max(beyond)


def width(data, beta, tau):
    found = inner_product.exceeds(data, beta, tau)
    return found.upper - found.lower


def test_a_token_elsewhere_that_is_left_out_would_be_seen():
    data, beta = d0(12, 6, "0.05", "0.5"), 8.0
    alone = np.mean(
        np.array(list(itertools.product([-1, 1], repeat=6))) @ dense(data, beta)[0] > 0.6
    )
    assert inner_product.exceeds(data, beta).lower > alone + 0.1


def test_the_threshold_of_the_book_and_tokens_that_are_not_there():
    data = d0(12, 6, "0.05", "0.5")
    by_default, said = (inner_product.exceeds(data, 8.0, *tau) for tau in ((), (0.5 + 0.1,)))
    assert by_default == said
    assert inner_product.weights(d1(4, 6, 1, "0.5"), 1)[0, 1] == 0  # t = 1: the block has one token


def test_network_fires_as_often_as_said():
    data, beta, m, rng = d1(24, 8, "0.7", "0.3"), 2.0, 3, np.random.default_rng(1)
    c, tau = dense(data, beta), 0.95
    hits = sum((c @ network.rademacher_columns(8, m, rng) > tau).any() for _ in range(20_000))
    said = inner_product.fires(data, beta, m, tau).value
    assert abs(hits / 20_000 - said) < 6 * (said * (1 - said) / 20_000) ** 0.5
    assert abs(1 - inner_product.silent(data, beta, m, tau).value - said) < 1e-12


def test_large_sizes_and_weights_below_the_smallest_float():
    # the last sign is +; or it is -, and the two others of token j_3 are +, for 0.7 + 0.5 - 0.5 >
    # 0.6
    assert [
        inner_product.exceeds(d1(10**12, 10**6 + 2, "0.7", "0.5"), beta).value
        for beta in (100, 10_000)
    ] == [0.625] * 2
    assert (
        inner_product.exceeds(d1(10**6, 1002, "0.7", "0.5"), 10_000, 1.2).value == 0.125
    )  # three signs of token j_3


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (
            lambda data: inner_product.weights(data, -1),
            ValueError,
            "beta must be a finite real number >= 0, got -1",
        ),
        (
            lambda data: inner_product.outputs(data, None),
            TypeError,
            "beta must be a finite real number >= 0, got None",
        ),
        (
            lambda data: inner_product.exceeds(data, 1, float("nan")),
            ValueError,
            "tau must be a finite real number, got nan",
        ),
        (
            lambda data: inner_product.fires(data, 1, 0),
            ValueError,
            "m must be an integer >= 1, got 0",
        ),
        (
            lambda data: inner_product.silent(data, 1, 2.5),
            TypeError,
            "m must be an integer >= 1, got 2.5",
        ),
    ],
)
def test_bad_input_is_named(call, error, words):
    with pytest.raises(error) as raised:
        call(d1(6, 5, 1, "0.5"))
    assert words in str(raised.value)
