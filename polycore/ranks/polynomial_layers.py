"""Networks without activations, as polynomials modulo a prime, and upper bounds of their separation
ranks.

Three kinds of layers. `product_layer` is Comment 3.1 of the note. For sequences X of n tokens of
dimension d_x there are `attention_layer`, linear attention of degree 3 (or 5, ...) as in equation
(2) with d = 3, and `gated_layer`, of degree 2:

    P_d(x) = prod_{k=1}^d W_k x,    Y = X W_1 (X W_2)^T X W_3,    Y = (X W_1) o (1 1^T X W_2).

Numbers are residues, int64 in [0, prime), prime < 2^31; weights have shape (matrices, width,
width).
"""

from collections.abc import Callable, Iterable, Sequence

import numpy as np

from polycore.checks import generator, integer
from polycore.ranks.separation_rank import (
    Polynomial,
    Residues,
    SeparationRank,
    counting_bound,
    monomials,
    separation_rank,
)

__all__ = [
    "attention_bound",
    "attention_layer",
    "chosen_attention",
    "chosen_rank",
    "gated_bound",
    "gated_layer",
    "network",
    "network_rank",
    "product_bound",
    "product_layer",
    "random_weights",
]


Layer = Callable[[Residues, Residues, int], Residues]  # of inputs and weights, modulo a prime


def _product(X, W, prime):
    """The matrix product X W modulo the prime, four terms of each sum at a time: they are below
    2^62, and their sum is below 2^64.
    """
    X, W, p = X.astype(np.uint64), W.astype(np.uint64), np.uint64(prime)
    terms = [slice(k, k + 4) for k in range(0, X.shape[-1], 4)]
    first, *others = (X[..., some] @ W[..., some, :] % p for some in terms)
    return (sum(others, first) % p if others else first).astype(np.int64)


def product_layer(
    x: Residues, weights: Residues, prime: int, powers: Sequence[int] | None = None
) -> Residues:
    """P_d(x) = prod_k (W_k x), entry by entry, for points x, shape (points, width). Comment 3.1.

    With `powers`, shape (width,), unit j is the product of its first powers[j] linear forms only.

    >>> cubes = np.array([np.eye(2, dtype=int)] * 3)
    >>> x = np.array([[2, 3]])
    >>> product_layer(x, cubes, 101), product_layer(x, cubes, 101, [3, 1])
    (array([[ 8, 27]]), array([[8, 3]]))
    """
    out = np.ones_like(x)
    for k, W in enumerate(weights):
        factor = _product(x, W.T, prime)
        out = (
            out
            * (factor if powers is None else np.where(np.asarray(powers) > k, factor, 1))
            % prime
        )
    return out


def attention_layer(X: Residues, weights: Residues, prime: int) -> Residues:
    """Linear attention, Y = X W_1 (X W_2)^T X W_3, for X of shape (points, tokens, d_x). Equation
    (2), d = 3.

    Each further pair of keys and values is another factor (X W_k)^T X W_(k+1), of degree 2.
    ValueError for an even number of matrices, whose product has a row and a column for each token.

    >>> # x_i (x_1^2 + x_2^2)
    >>> attention_layer(np.array([[[1], [2]]]), np.ones((3, 1, 1), dtype=int), 101)[0, :, 0]
    array([ 5, 10])
    """
    if len(weights) % 2 == 0:
        raise ValueError(
            f"attention takes an odd number of matrices, got {len(weights)}: "
            "queries, and keys and values in pairs"
        )
    out, *pairs = (_product(X, W, prime) for W in weights)
    for keys, values in zip(pairs[::2], pairs[1::2]):
        memory = _product(keys.swapaxes(-1, -2), values, prime)
        out = _product(out, memory, prime)
    return out


def gated_layer(X: Residues, weights: Residues, prime: int) -> Residues:
    """Y = (X W_1) o (1 1^T X W_2), each token times the sum of all, for X of shape (points, tokens,
    d_x); degree 2.

    ValueError for another number of matrices than two.

    >>> # x_i (x_1 + x_2)
    >>> gated_layer(np.array([[[1], [2]]]), np.ones((2, 1, 1), dtype=int), 101)[0, :, 0]
    array([3, 6])
    """
    if len(weights) != 2:
        raise ValueError(
            f"a gated layer takes two matrices, got {len(weights)}: "
            "one for the tokens, one for the gate"
        )
    gate = _product(X.sum(axis=1) % prime, weights[1], prime)
    return _product(X, weights[0], prime) * gate[:, None] % prime


def network(
    layer: Layer, weights: Sequence[Residues] | Residues, tokens: int | None = None
) -> Polynomial:
    """The first entry of the output as a function y(x, prime) of all inputs, for `separation_rank`.

    `weights`: one array for each layer; with `tokens` the inputs are a sequence of so many, one
    after another. y raises ValueError for another number of inputs than the width, or tokens times
    the width.

    >>> y = network(gated_layer, [np.ones((2, 1, 1), dtype=int)] * 2, tokens=2)  # x_1 (x_1 + x_2)^3
    >>> y(np.array([[1, 2]]), 101)
    array([27])
    """

    inputs = (tokens or 1) * weights[0].shape[-1]

    def y(x, prime):
        if x.shape[1] != inputs:
            raise ValueError(
                f"the network takes {inputs} inputs, got {x.shape[1]}: "
                "left and right must be a partition of them"
            )
        x = x.reshape(len(x), tokens, -1) if tokens else x
        for one in weights:
            x = layer(x, one % prime, prime)
        return x.reshape(len(x), -1)[:, 0]

    return y


def random_weights(depth: int, matrices: int, width: int, rng: np.random.Generator) -> Residues:
    """Weights for `depth` layers, uniform below 2^31, shape (depth, matrices, width, width).

    >>> random_weights(3, 2, 4, np.random.default_rng(0)).shape
    (3, 2, 4, 4)
    """
    sizes = [
        integer(name, value)
        for name, value in (("depth", depth), ("matrices", matrices), ("width", width))
    ]
    return generator(rng).integers(0, 2**31, (*sizes, sizes[-1]))


def network_rank(
    layer: Layer,
    weights: Sequence[Residues] | Residues,
    rng: np.random.Generator,
    tokens: int | None = None,
) -> SeparationRank:
    """The separation rank of a network with half of its inputs on each side, by `separation_rank`.

    Arguments as `network`; a layer of d matrices must have degree d, as those of this module do.
    ValueError where the number of inputs is odd, and as `separation_rank`.

    >>> network_rank(product_layer, np.ones((1, 3, 2, 2), int), np.random.default_rng(0)).value
    4
    """
    inputs = (tokens or 1) * weights[0].shape[-1]
    if inputs % 2:
        raise ValueError(f"the inputs must be even in number, got {inputs}: half on each side")
    degree = len(weights[0]) ** len(weights)
    return separation_rank(network(layer, weights, tokens), inputs // 2, inputs // 2, degree, rng)


def chosen_attention(width: int, places: Iterable[tuple[int, int]]) -> list[Residues]:
    """Weights of linear attention with W_1 W_2^T = e_j e_k^T and W_3 = I in each layer.

    `places` in [1, width]: the pair (j, k) of each layer; ValueError otherwise. Each array has the
    shape (3, width, width).

    >>> [W1, W2, W3] = chosen_attention(2, [(1, 2)])[0]
    >>> W1 @ W2.T
    array([[0, 1],
           [0, 0]])
    """
    unit, layers = np.eye(integer("width", width), dtype=int), []
    for pair in places:
        j, k = (unit[integer("places", place, at_least=1, at_most=width) - 1] for place in pair)
        layers.append(np.array([np.outer(j, unit[0]), np.outer(k, unit[0]), unit]))
    return layers


def chosen_rank(depth: int) -> int:
    """The separation rank of L layers `chosen_attention(2, [(1, 2)] * L)` on four tokens, which all
    weights but a set of measure zero reach:

        (λ + 1)^2 (λ + 2)    with λ = (3^(L - 1) - 1) / 2.

    >>> [chosen_rank(depth) for depth in (1, 2, 3)]
    [2, 12, 150]
    """
    exponent = (3 ** (integer("depth", depth) - 1) - 1) // 2
    return (exponent + 1) ** 2 * (exponent + 2)


def product_bound(width: int, degree: int) -> int:
    """Upper bound of the separation rank of a network of product layers of total degree D, half of
    its inputs on each side.

    By degree in a: sum_{k=0}^D min(C(k+h-1, h-1), C(D-k+h-1, h-1)) with h = width/2. `width` even;
    ValueError otherwise.

    >>> product_bound(2, 9), product_bound(4, 9)
    (10, 30)
    """
    if integer("width", width) % 2:
        raise ValueError(f"width must be even, got {width}: half of the inputs lies on each side")
    by_degree = [monomials(width // 2, k) for k in range(integer("degree", degree) + 1)]
    return counting_bound(by_degree, by_degree[::-1])


def attention_bound(width: int, tokens: int, depth: int, degree: int = 3) -> int:
    """Upper bound for linear attention of so many layers, half of the tokens on each side, the
    first among a.

    The output is x_1 times a polynomial of degree (d^L - 1)/2 in the entries of the Gram matrix X^T
    X, that of a plus that of b; `degree` d of a layer. `tokens` even, `degree` >= 3 and odd;
    ValueError otherwise.

    >>> by_depth = [attention_bound(1, 2, depth) for depth in (1, 2, 3)]
    >>> by_depth, attention_bound(2, 4, 2), attention_bound(1, 2, 2, degree=5)
    ([2, 5, 14], 18, 13)
    """
    if integer("degree", degree, at_least=3) % 2 == 0:
        raise ValueError(f"degree must be odd, got {degree}: keys and values come in pairs")
    return _by_statistics(
        width, tokens, (degree ** integer("depth", depth) - 1) // 2, width * (width + 1) // 2, 2
    )


def gated_bound(width: int, tokens: int, depth: int) -> int:
    """Upper bound for gated layers: x_1 times a polynomial of degree 2^L - 1 in the sum of the
    tokens. Conditions as `attention_bound`.

    >>> [gated_bound(1, 2, depth) for depth in (1, 2, 3)], gated_bound(2, 4, 3)
    ([2, 4, 8], 27)
    """
    return _by_statistics(width, tokens, 2 ** integer("depth", depth) - 1, width, 1)


def _by_statistics(width, tokens, degree, statistics, each):
    """By degree in the sufficient statistics of a side: their number is `statistics`, and each has
    degree `each` in the inputs, which are fewer in a short sequence.
    """
    if integer("tokens", tokens) % 2:
        raise ValueError(f"tokens must be even, got {tokens}: half of them lie on each side")
    inputs, parts = integer("width", width) * tokens // 2, range(degree + 1)
    left = [min(width * monomials(statistics, k), monomials(inputs, each * k + 1)) for k in parts]
    right = [min(monomials(statistics, k), monomials(inputs, each * k)) for k in reversed(parts)]
    return counting_bound(left, right)
