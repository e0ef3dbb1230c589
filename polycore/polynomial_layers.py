"""Networks without activations, as polynomials modulo a prime: what a layer of low degree can bring together.

Three kinds of layers. `product_layer` is Comment 3.1 of the note. For sequences X of n tokens of dimension d_x there are
`attention_layer`, linear attention of degree 3 (or 5, ...) as in equation (2) with d = 3, and `gated_layer`, of degree 2:

    P_d(x) = prod_{k=1}^d W_k x,    Y = X W_1 (X W_2)^T X W_3,    Y = (X W_1) o (1 1^T X W_2).

Numbers are residues, int64 in [0, prime), prime < 2^31; weights have shape (matrices, width, width).
"""

import numpy as np

from polycore.checks import generator, integer
from polycore.separation_rank import counting_bound, monomials

__all__ = ["attention_bound", "attention_layer", "gated_bound", "gated_layer", "network", "product_bound", "product_layer", "random_weights"]


def _product(X, W, prime):
    """X W with the last index of X summed, modulo the prime; each term is reduced, so that sums stay small."""
    return (X[..., :, None] * W % prime).sum(axis=-2) % prime


def product_layer(x, weights, prime, powers=None):
    """P_d(x) = prod_k (W_k x), entry by entry, for points x, shape (points, width). Comment 3.1.

    With `powers`, shape (width,), unit j is the product of its first powers[j] linear forms only.

    >>> cubes = np.array([np.eye(2, dtype=int)] * 3)
    >>> product_layer(np.array([[2, 3]]), cubes, 101), product_layer(np.array([[2, 3]]), cubes, 101, [3, 1])
    (array([[ 8, 27]]), array([[8, 3]]))
    """
    out = np.ones_like(x)
    for k, W in enumerate(weights):
        factor = _product(x, W.T, prime)
        out = out * (factor if powers is None else np.where(np.asarray(powers) > k, factor, 1)) % prime
    return out


def attention_layer(X, weights, prime):
    """Linear attention, Y = X W_1 (X W_2)^T X W_3, for X of shape (points, tokens, d_x). Equation (2), d = 3.

    Each further pair of keys and values is another factor (X W_k)^T X W_(k+1), of degree 2. ValueError for an even number
    of matrices, whose product has a row and a column for each token.

    >>> attention_layer(np.array([[[1], [2]]]), np.ones((3, 1, 1), dtype=int), 101)[0, :, 0]  # x_i (x_1^2 + x_2^2)
    array([ 5, 10])
    """
    if len(weights) % 2 == 0:
        raise ValueError(f"attention takes an odd number of matrices, got {len(weights)}: queries, and keys and values in pairs")
    out, *pairs = (_product(X, W, prime) for W in weights)
    for keys, values in zip(pairs[::2], pairs[1::2]):
        memory = (keys[..., :, None] * values[..., None, :] % prime).sum(axis=1) % prime
        out = _product(out, memory[:, None], prime)
    return out


def gated_layer(X, weights, prime):
    """Y = (X W_1) o (1 1^T X W_2), each token times the sum of all, for X of shape (points, tokens, d_x); degree 2.

    ValueError for another number of matrices than two.

    >>> gated_layer(np.array([[[1], [2]]]), np.ones((2, 1, 1), dtype=int), 101)[0, :, 0]  # x_i (x_1 + x_2)
    array([3, 6])
    """
    if len(weights) != 2:
        raise ValueError(f"a gated layer takes two matrices, got {len(weights)}: one for the tokens, one for the gate")
    gate = _product(X.sum(axis=1) % prime, weights[1], prime)
    return _product(X, weights[0], prime) * gate[:, None] % prime


def network(layer, weights, tokens=None):
    """The first entry of the output as a function y(x, prime) of all inputs, for `separation_rank`.

    `weights`: one array for each layer; with `tokens` the inputs are a sequence of so many, one after another. y raises
    ValueError for another number of inputs than the width, or tokens times the width.

    >>> y = network(gated_layer, [np.ones((2, 1, 1), dtype=int)] * 2, tokens=2)  # x_1 (x_1 + x_2)^3
    >>> y(np.array([[1, 2]]), 101)
    array([27])
    """

    inputs = (tokens or 1) * weights[0].shape[-1]

    def y(x, prime):
        if x.shape[1] != inputs:
            raise ValueError(f"the network takes {inputs} inputs, got {x.shape[1]}: left and right must be a partition of them")
        x = x.reshape(len(x), tokens, -1) if tokens else x
        for one in weights:
            x = layer(x, one % prime, prime)
        return x.reshape(len(x), -1)[:, 0]

    return y


def random_weights(depth, matrices, width, rng):
    """Weights for `depth` layers, uniform below 2^31, shape (depth, matrices, width, width).

    >>> random_weights(3, 2, 4, np.random.default_rng(0)).shape
    (3, 2, 4, 4)
    """
    sizes = [integer(name, value) for name, value in (("depth", depth), ("matrices", matrices), ("width", width))]
    return generator(rng).integers(0, 2**31, (*sizes, sizes[-1]))


def product_bound(width, degree):
    """Upper bound of the separation rank of a network of product layers of total degree D, half of its inputs on each side.

    By degree in a: sum_{k=0}^D min(C(k+h-1, h-1), C(D-k+h-1, h-1)) with h = width/2. `width` even; ValueError otherwise.

    >>> product_bound(2, 9), product_bound(4, 9)
    (10, 30)
    """
    if integer("width", width) % 2:
        raise ValueError(f"width must be even, got {width}: half of the inputs lies on each side")
    by_degree = [monomials(width // 2, k) for k in range(integer("degree", degree) + 1)]
    return counting_bound(by_degree, by_degree[::-1])


def attention_bound(width, tokens, depth, degree=3):
    """Upper bound for linear attention of so many layers, half of the tokens on each side, the first among a.

    The output is x_1 times a polynomial of degree (d^L - 1)/2 in the entries of the Gram matrix X^T X, that of a plus that
    of b; `degree` d of a layer. `tokens` even, `degree` odd; ValueError otherwise.

    >>> [attention_bound(1, 2, depth) for depth in (1, 2, 3)], attention_bound(2, 4, 2), attention_bound(1, 2, 2, degree=5)
    ([2, 5, 14], 18, 13)
    """
    if integer("degree", degree, at_least=3) % 2 == 0:
        raise ValueError(f"degree must be odd, got {degree}: keys and values come in pairs")
    return _collected(width, tokens, (degree ** integer("depth", depth) - 1) // 2, width * (width + 1) // 2, 2)


def gated_bound(width, tokens, depth):
    """Upper bound for gated layers: x_1 times a polynomial of degree 2^L - 1 in the sum of the tokens. Conditions as `attention_bound`.

    >>> [gated_bound(1, 2, depth) for depth in (1, 2, 3)], gated_bound(2, 4, 3)
    ([2, 4, 8], 27)
    """
    return _collected(width, tokens, 2 ** integer("depth", depth) - 1, width, 1)


def _collected(width, tokens, degree, collected, each):
    """By degree in what a side collects: so many statistics of degree `each` in the inputs, which are few in a short sequence."""
    if integer("tokens", tokens) % 2:
        raise ValueError(f"tokens must be even, got {tokens}: half of them lie on each side")
    inputs, parts = integer("width", width) * tokens // 2, range(degree + 1)
    left = [min(width * monomials(collected, k), monomials(inputs, each * k + 1)) for k in parts]
    right = [min(monomials(collected, k), monomials(inputs, each * k)) for k in reversed(parts)]
    return counting_bound(left, right)
