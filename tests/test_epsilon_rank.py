"""Gauss's nodes against exact integrals, the rank up to an error against singular values."""

from fractions import Fraction

import numpy as np
import pytest

from polycore.ranks.epsilon_rank import gauss_nodes, rank_within
from polycore.ranks.node_values import node_values


@pytest.mark.parametrize(("low", "high"), [(-1, 1), (0, 1), (2, 5)])
@pytest.mark.parametrize("nodes", [1, 2, 4])
def test_means_of_powers_are_exact_up_to_twice_the_nodes(nodes, low, high):
    x, root = gauss_nodes(nodes, low, high)

    def error(power):
        exact = Fraction(high ** (power + 1) - low ** (power + 1), (power + 1) * (high - low))
        return abs(
            float(np.sum(root**2 * x**power) / max(abs(low), high) ** power)
            - float(exact) / max(abs(low), high) ** power
        )

    assert max(error(power) for power in range(2 * nodes)) < 1e-14
    assert error(2 * nodes) > 1e-9  # one degree more is seen


def test_the_variable_is_between_minus_one_and_one_unless_said():
    assert np.array_equal(gauss_nodes(4), gauss_nodes(4, -1, 1))


def test_a_sum_of_products_has_the_singular_values_of_its_factors():
    y = lambda a, b: np.sqrt(3) * a * np.sqrt(3) * b + 1e-3  # orthonormal: 1 and sqrt(3) x
    singular = np.linalg.svd(node_values(y, 4), compute_uv=False)
    assert np.allclose(singular, [1, 1e-3, 0, 0], atol=1e-15)
    assert [rank_within(singular, error) for error in (1e-12, 1e-6, 0.5, 2)] == [2, 1, 1, 0]


def test_equal_values_and_zeros_are_singular_values_too():
    assert [rank_within([2, 2, 0, 0], error) for error in (0, 3.9, 4, 8)] == [2, 2, 1, 0]
    assert rank_within([0, 0], 0) == 0


def test_what_is_left_may_exceed_the_error_by_its_rounding():
    """By 10^-12 of it, and no more."""
    assert [rank_within([1, 1], 1 - share) for share in (9e-13, 2e-12)] == [1, 2]


@pytest.mark.parametrize(("low", "high"), [(-1, 1), (0, 1)])
def test_the_mean_square_is_exact_below_as_many_degrees_as_nodes(low, high):
    y = lambda a, b: a**2 * b - 2 * b**2
    points, root = gauss_nodes(5, low, high)  # one by one, and more nodes than it takes
    pairs = [((a, b), (p * q) ** 2) for a, p in zip(points, root) for b, q in zip(points, root)]
    mean_square = sum(weight * y(a, b) ** 2 for (a, b), weight in pairs)
    assert abs(np.sum(node_values(y, 3, low, high) ** 2) / mean_square - 1) < 1e-14
    assert abs(np.sum(node_values(y, 2, low, high) ** 2) / mean_square - 1) > 1e-3


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: gauss_nodes(0), "nodes must be"),
        (
            lambda: gauss_nodes(3, 1, 1),
            "high must be a finite real number > 1.0, got 1: the interval is [low, high]",
        ),
        (lambda: node_values(lambda a, b: a, 3), "y must return a value for each pair of 3 nodes"),
        (lambda: node_values(lambda a, b: np.log(a) + b, 3), "y(a, b) must be finite, got nan"),
        (lambda: rank_within([1, 2], 0), "singular must be values >= 0 in decreasing order"),
        (lambda: rank_within([1, -2], 0), "singular must be values >= 0"),
        (lambda: rank_within([1, -0.5], 0), "singular must be values >= 0"),
        (lambda: rank_within([2, 1], -1), "error must be a finite real number >= 0"),
    ],
)
def test_bad_input_is_named(call, message):
    with pytest.raises(ValueError) as caught:
        call()
    assert message in str(caught.value)
