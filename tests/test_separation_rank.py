"""Separation ranks: values modulo primes against rational coefficients, bounds, and polynomial
layers against their formulas.
"""

import itertools

import numpy as np
import pytest
import sympy

from polycore.ranks import polynomial_layers as layers
from polycore.ranks.separation_rank import (
    PRIMES,
    coefficient_matrix,
    counting_bound,
    matricization,
    monomials,
    rank_factorization,
    separation_rank,
)


def as_polynomial(layer, weights, variables, tokens=None):
    """The same network by SymPy, from the formulas of the docstrings."""
    X = (
        sympy.Matrix(variables)
        if tokens is None
        else sympy.Matrix(tokens, len(variables) // tokens, variables)
    )
    for one in weights:
        W = [sympy.Matrix(w.tolist()) for w in one]
        if layer is layers.product_layer:
            X = sympy.Matrix([sympy.prod((w * X)[k] for w in W) for k in range(len(X))])
        elif layer is layers.attention_layer:
            X = X * W[0] * (X * W[1]).T * X * W[2]
        else:
            X = (X * W[0]).multiply_elementwise(sympy.ones(tokens, tokens) * X * W[1])
    return sympy.expand(X[0])


CASES = [
    (layers.product_layer, 2, 2, 2, None),
    (layers.product_layer, 1, 3, 4, None),
    (layers.product_layer, 2, 3, 2, None),
    (layers.product_layer, 2, 2, 4, None),
    (layers.attention_layer, 1, 3, 2, 2),
    (layers.attention_layer, 2, 3, 1, 4),
    (layers.gated_layer, 2, 2, 2, 2),
    (layers.gated_layer, 1, 2, 2, 4),
    (layers.gated_layer, 3, 2, 1, 2),
]


@pytest.mark.parametrize(("layer", "depth", "matrices", "width", "tokens"), CASES)
def test_rank_from_values_is_that_of_the_rational_coefficients(
    layer, depth, matrices, width, tokens
):
    rng = np.random.default_rng(5)
    weights = rng.integers(-3, 4, (depth, matrices, width, width))
    variables = sympy.symbols(f"x1:{(tokens or 1) * width + 1}")
    half, y = len(variables) // 2, as_polynomial(layer, weights, variables, tokens)
    table = coefficient_matrix(y, variables[:half], variables[half:])
    degree = {layers.product_layer: matrices, layers.attention_layer: 3, layers.gated_layer: 2}[
        layer
    ] ** depth
    found = separation_rank(layers.network(layer, weights, tokens), half, half, degree, rng)
    assert found.value == table.rank()
    assert found.error < 1e-9


def test_a_layer_that_drops_a_factor_would_be_seen():
    rng = np.random.default_rng(5)
    y = layers.network(layers.product_layer, layers.random_weights(2, 3, 2, rng))
    dropped = layers.network(layers.product_layer, layers.random_weights(2, 2, 2, rng))
    assert (
        separation_rank(y, 1, 1, 9, rng).value == 10
        and separation_rank(dropped, 1, 1, 9, rng).value == 5
    )


@pytest.mark.parametrize("width", [2, 4])
@pytest.mark.parametrize(
    ("degree", "depth"), [(2, 1), (2, 2), (2, 3), (3, 1), (3, 2), (4, 1), (4, 2), (5, 1)]
)
def test_product_networks_meet_the_counting_bound(width, degree, depth):
    rng = np.random.default_rng(6)
    y = layers.network(layers.product_layer, layers.random_weights(depth, degree, width, rng))
    bound = layers.product_bound(width, degree**depth)
    assert separation_rank(y, width // 2, width // 2, degree**depth, rng).value == bound
    if width == 4:
        assert bound == (degree**depth + 2) ** 2 // 4


@pytest.mark.parametrize(
    ("width", "tokens", "depth"),
    [(1, 2, 3), (1, 6, 3), (2, 2, 3), (2, 4, 2), (2, 6, 2), (3, 2, 2), (3, 4, 2)],
)
def test_attention_and_gates_meet_theirs(width, tokens, depth):
    rng, half = np.random.default_rng(7), width * tokens // 2
    attention = layers.network(
        layers.attention_layer, layers.random_weights(depth, 3, width, rng), tokens
    )
    gates = layers.network(layers.gated_layer, layers.random_weights(depth, 2, width, rng), tokens)
    assert separation_rank(attention, half, half, 3**depth, rng).value == layers.attention_bound(
        width, tokens, depth
    )
    assert separation_rank(gates, half, half, 2**depth, rng).value == layers.gated_bound(
        width, tokens, depth
    )


@pytest.mark.parametrize("depth", [1, 2, 3])
def test_chosen_attention_has_the_rank_of_its_formula(depth):
    """(λ + 1)² (λ + 2), with λ from its recurrence, and not the rank of λ one lower."""
    weights, exponent = layers.chosen_attention(2, [(1, 2)] * depth), 0
    for _ in range(depth - 1):
        exponent = 3 * exponent + 1
    found = layers.network_rank(layers.attention_layer, weights, np.random.default_rng(8), 4)
    assert found.value == layers.chosen_rank(depth) == (exponent + 1) ** 2 * (exponent + 2)
    assert found.value != exponent**2 * (exponent + 1)


def test_sums_of_more_than_four_products_do_not_overflow():
    prime, width = PRIMES[0], 9
    X, W = np.full((2, 3, width), prime - 1), np.full((3, width, width), prime - 1)
    formula = X.astype(object) @ W[0].astype(object)
    memory = (X.astype(object) @ W[1].astype(object)).swapaxes(1, 2) @ (
        X.astype(object) @ W[2].astype(object)
    )
    assert np.array_equal(layers.attention_layer(X, W, prime), (formula @ memory) % prime)


def test_monomials_are_counted():
    for variables, degree in itertools.product(range(1, 5), range(5)):
        exponents = itertools.product(range(degree + 1), repeat=variables)
        assert monomials(variables, degree) == sum(sum(one) == degree for one in exponents)


def test_a_factorization_multiplies_out():
    a, b = sympy.symbols("a b")
    table = coefficient_matrix((1 + a) ** 3 * (2 - b) + a * b**2 / 3, [a], [b])
    columns, rows = rank_factorization(table)
    assert columns * rows == table and columns.ncols() == 2


def test_a_polynomial_that_is_multiplied_out_has_the_coefficients_of_its_expression():
    a, b = sympy.symbols("a b")
    y = (1 + a) ** 3 * (2 - b) + a * b**2 / 3
    written_out = sympy.Poly(y, b, a)  # its variables in another order
    assert coefficient_matrix(written_out, [a], [b]) == coefficient_matrix(y, [a], [b])


def test_blocks_change_nothing(monkeypatch):
    y, points = (lambda x, prime: (x[:, 0] + x[:, 1]) % prime), np.arange(20)[:, None]
    whole = matricization(y, points, points, PRIMES[0])
    monkeypatch.setattr("polycore.ranks.separation_rank.BLOCK", 7)
    assert matricization(y, points, points, PRIMES[0]) == whole and whole.rank() == 2


a, b = sympy.symbols("a b")
SUM = lambda x, prime: (x[:, 0] + x[:, 1]) % prime


def inverse_of_sum(x, prime):
    """1/(a + b), by Fermat's little theorem."""
    return np.array([pow(int(value), prime - 2, prime) for value in x.sum(axis=1)])


def halved(x, prime):
    """⌊a/2⌋ b, which has rank 1 and is no polynomial modulo a prime."""
    return x[:, 0] // 2 * x[:, 1] % prime


def cubes(x, prime):
    """a³ b³, of degree 6."""
    product = x[:, 0] * x[:, 1] % prime
    return product * (product * product % prime) % prime


def test_attention_of_degree_5_meets_its_bound_and_equals_its_formula():
    rng = np.random.default_rng(30)
    W, X, prime = rng.integers(0, 101, (5, 2, 2)), rng.integers(0, 101, (3, 4, 2)), 101
    direct = [
        x @ W[0] @ (x @ W[1]).T @ x @ W[2] @ (x @ W[3]).T @ x @ W[4] % prime
        for x in X.astype(object)
    ]
    assert np.array_equal(layers.attention_layer(X, W, prime), np.array(direct, dtype=int))
    for width, tokens, depth in ((1, 2, 2), (2, 2, 1), (2, 4, 1)):
        half, y = (
            width * tokens // 2,
            layers.network(
                layers.attention_layer, layers.random_weights(depth, 5, width, rng), tokens
            ),
        )
        assert separation_rank(y, half, half, 5**depth, rng).value == layers.attention_bound(
            width, tokens, depth, degree=5
        )


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (
            lambda: coefficient_matrix(sympy.sin(a) * b, [a], [b]),
            ValueError,
            "y must be a polynomial in [a, b] with rational coefficients, got b*sin(a)",
        ),
        (
            lambda: coefficient_matrix(a * b * sympy.Symbol("c"), [a], [b]),
            ValueError,
            "y must be a polynomial in [a, b] with rational coefficients",
        ),
        (
            lambda: coefficient_matrix(a / b, [a], [b]),
            ValueError,
            "y must be a polynomial in [a, b]",
        ),
        (
            lambda: coefficient_matrix(a * b, [a], [a]),
            ValueError,
            "left and right must be a partition of the variables, got [a] and [a]",
        ),
        (
            lambda: coefficient_matrix(a * b, [a, b], []),
            ValueError,
            "each symbol once, neither empty",
        ),
        (
            lambda: matricization(SUM, [[1]], [[2]], 91),
            ValueError,
            "prime must be a prime number, got 91",
        ),
        (
            lambda: matricization(SUM, [[1]], [[2]], 2**31 + 11),
            ValueError,
            "prime must be an integer <= 2147483647, got 2147483659: more than is provided for",
        ),
        (
            lambda: separation_rank(SUM, 1, 1, 1, np.random.default_rng(0), [101]),
            ValueError,
            "prime must exceed 300 for rank 2 and degree 1, got 101: pass a larger one",
        ),
        (
            lambda: separation_rank(SUM, 1, 1, 0, np.random.default_rng(0)),
            ValueError,
            "degree must be an integer >= 1, got 0",
        ),
        (
            lambda: separation_rank(inverse_of_sum, 1, 1, 3, np.random.default_rng(0)),
            ValueError,
            "y is not a polynomial of degree 3: on a random line its difference of order 4 is not "
            "zero",
        ),
        (
            lambda: separation_rank(halved, 1, 1, 2, np.random.default_rng(0)),
            ValueError,
            "y is not a polynomial of degree 2",
        ),  # of rank 1
        (
            lambda: separation_rank(cubes, 1, 1, 5, np.random.default_rng(0)),
            ValueError,
            "y is not a polynomial of degree 5",
        ),
        (
            lambda: separation_rank(SUM, 1, 1, 1, np.random.default_rng(0), []),
            ValueError,
            "primes must hold at least one prime, got []",
        ),
        (
            lambda: separation_rank(SUM, 1, 1, 1, 0),
            TypeError,
            "pass numpy.random.default_rng(seed)",
        ),
        (
            lambda: counting_bound([1], [1, 2]),
            ValueError,
            "left and right must have a number for each part, got 1 and 2",
        ),
        (
            lambda: layers.product_bound(3, 4),
            ValueError,
            "width must be even, got 3: half of the inputs lies on each side",
        ),
        (
            lambda: layers.attention_bound(2, 4, 1, degree=4),
            ValueError,
            "degree must be odd, got 4: keys and values come in pairs",
        ),
        (
            lambda: layers.attention_layer(
                np.ones((1, 2, 2), dtype=int), np.ones((4, 2, 2), dtype=int), 101
            ),
            ValueError,
            "attention takes an odd number of matrices, got 4",
        ),
        (
            lambda: layers.attention_bound(2, 3, 1),
            ValueError,
            "tokens must be even, got 3: half of them lie on each side",
        ),
        (
            lambda: layers.network_rank(
                layers.product_layer, np.ones((1, 2, 3, 3), dtype=int), np.random.default_rng(0)
            ),
            ValueError,
            "the inputs must be even in number, got 3: half on each side",
        ),
        (
            lambda: layers.chosen_attention(2, [(1, 3)]),
            ValueError,
            "places must be an integer <= 2, got 3",
        ),
        (
            lambda: layers.random_weights(0, 2, 2, np.random.default_rng(0)),
            ValueError,
            "depth must be an integer >= 1, got 0",
        ),
        (
            lambda: layers.gated_layer(
                np.ones((1, 2, 2), dtype=int), np.ones((3, 2, 2), dtype=int), 101
            ),
            ValueError,
            "a gated layer takes two matrices, got 3",
        ),
        (
            lambda: separation_rank(SUM, 1, 1, 1, np.random.default_rng(0), 101),
            ValueError,
            "primes must hold at least one prime, got 101",
        ),
        (
            lambda: separation_rank(lambda x, prime: x[:, 2], 1, 1, 1, np.random.default_rng(0)),
            ValueError,
            "must be a partition of the variables of y, which does not take 2",
        ),
        (
            lambda: separation_rank(lambda x, prime: 1, 1, 1, 1, np.random.default_rng(0)),
            ValueError,
            "y must return a value for each of 3 points, shape (3,), got the shape ()",
        ),
        (
            lambda: separation_rank(sympy.Symbol("a"), 1, 1, 1, np.random.default_rng(0)),
            TypeError,
            "y must be a function of points and a prime, got a",
        ),
        (
            lambda: separation_rank(
                layers.network(layers.attention_layer, [np.ones((3, 2, 2), dtype=int)], 4),
                3,
                3,
                3,
                np.random.default_rng(0),
            ),
            ValueError,
            "the network takes 8 inputs, got 6",
        ),
        (
            lambda: separation_rank(
                layers.network(layers.product_layer, [np.ones((2, 4, 4), dtype=int)]),
                1,
                1,
                2,
                np.random.default_rng(0),
            ),
            ValueError,
            "the network takes 4 inputs, got 2",
        ),
        (
            lambda: matricization(SUM, [[1.5]], [[2]], 101),
            ValueError,
            "left must be template points, an array of integers",
        ),
        (
            lambda: matricization(SUM, [[1]], [], 101),
            ValueError,
            "right must be template points, an array of integers",
        ),
        (
            lambda: coefficient_matrix(sympy.Symbol("a"), sympy.Symbol("a"), [sympy.Symbol("b")]),
            TypeError,
            "left must be a list of SymPy symbols, got a",
        ),
        (
            lambda: coefficient_matrix(sympy.Symbol("a"), [sympy.Symbol("a")], ["b"]),
            TypeError,
            "right must be a list of SymPy symbols, got ['b']",
        ),
    ],
)
def test_bad_input_is_named(call, error, words):
    with pytest.raises(error) as raised:
        call()
    assert words in str(raised.value)
