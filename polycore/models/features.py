"""Attention by features, in linear time: longer vectors whose inner product is the weight.

    out_i = sum_j <phi(q_i), phi(k_j)> v_j / sum_j <phi(q_i), phi(k_j)>

needs only the sums of phi(k_j) v_j and of phi(k_j), the *state*, which is kept from one block of
tokens to the next. What the features give in n^2 steps is in ``mechanisms``.
"""

import math
from collections.abc import Callable
from functools import cache
from itertools import chain, combinations_with_replacement

import numpy as np
from numpy.typing import ArrayLike

from polycore.checks import generator, integer
from polycore.models.mechanisms import Reals, scaled, triple

__all__ = [
    "attend_by_features",
    "elu_plus_one",
    "number_of_powers",
    "positive_random",
    "sketched_power",
    "symmetric_power",
    "taylor_features",
    "tensor_sketch",
]

Features = Callable[[Reals], Reals]  # (n, d) -> (n, D)

MOST = 10**7  # features of a token
BLOCK, TOKENS = 2**22, 128  # features of a block at once, and its tokens


def attend_by_features(
    queries: ArrayLike,
    keys: ArrayLike,
    values: ArrayLike,
    features: Features,
    causal: bool = False,
    scale: float | None = None,
    block: int | None = None,
) -> Reals:
    """Attention whose weights are inner products of features, in n steps of one block each.

    Shapes, scale and precision as `mechanisms.attend`; ``block`` tokens at a time, which changes
    nothing but the time. ValueError as there, and for a query whose weights have a sum that is not
    positive; their signs are not looked at. Katharopoulos et al., Transformers are RNNs (2020).

    >>> attend_by_features([[1.0]], [[1.0], [3.0]], [[0.0], [1.0]], symmetric_power(2))
    array([[0.9]])
    """
    q, k, v = triple(queries, keys, values, causal)
    q, v = scaled(q, scale), np.hstack([v, np.ones_like(v[:, :1])])
    count = features(k[:1]).shape[1]
    size = min(TOKENS, max(1, BLOCK // count)) if block is None else integer("block", block)
    run = _causal if causal else _all_seen
    sums = run(q, k, v, features, size)
    if not np.all(positive := sums[:, -1] > 0):
        raise ValueError(
            f"query {int(np.argmin(positive))} has weights that add up to "
            f"{sums[np.argmin(positive), -1]}: its features are too small, or of either sign"
        )
    return sums[:, :-1] / sums[:, -1:]


def _all_seen(q, k, v, features, size):
    state = sum(features(k[at]).T @ v[at] for at in _blocks(k.shape[0], size))
    return np.vstack([features(q[at]) @ state for at in _blocks(q.shape[0], size)])


def _causal(q, k, v, features, size):
    """What came before the block is in the state; within the block the triangle is taken."""
    state, sums = 0, np.empty((q.shape[0], v.shape[1]), v.dtype)
    for at in _blocks(k.shape[0], size):
        left, right = features(q[at]), features(k[at])
        before = left @ state if at.start else 0
        sums[at] = before + np.tril(left @ right.T) @ v[at]
        state = state + right.T @ v[at]
    return sums


def _blocks(count, size):
    return [slice(start, min(start + size, count)) for start in range(0, count, size)]


def elu_plus_one(x: Reals) -> Reals:
    """1 + x for positive entries, e^x for the others: (n, d) -> (n, d). As `attend_by_features`.

    >>> elu_plus_one(np.array([[0.0, 2.0]]))
    array([[1., 3.]])
    """
    return np.where(x > 0, 1 + x, np.exp(np.minimum(x, 0)))


def number_of_powers(d: int, p: int) -> int:
    """C(d + p - 1, p), how many products of p of d coordinates there are. d, p >= 1, else
    ValueError.

    >>> [number_of_powers(64, p) for p in (2, 3, 4)]
    [2080, 45760, 766480]
    """
    return math.comb(integer("d", d) + integer("p", p) - 1, p)


def symmetric_power(p: int) -> Features:
    """All products of p coordinates, with repetition and without order, times the root of how many
    orders each has: <phi(x), phi(y)> = <x, y>^p.

    (n, d) -> (n, C(d + p - 1, p)); p >= 1; ValueError otherwise, and when called for more than 10^7
    features.

    >>> symmetric_power(2)(np.array([[1.0, 3.0]])) ** 2
    array([[ 1., 18., 81.]])
    """
    p = integer("p", p)

    def features(x):
        if (many := number_of_powers(x.shape[1], p)) > MOST:
            raise ValueError(
                f"degree {p} in {x.shape[1]} dimensions has {many} features, more than {MOST}: "
                "sketch them, take a lower degree, or the dense form"
            )
        picks, roots = _products(x.shape[1], p)
        product = x[:, picks[0]] * roots.astype(x.dtype)
        for place in picks[1:]:
            product *= x[:, place]
        return product

    return features


@cache
def _products(d, p):
    """The coordinates of all products of p of d, (p, D), and the roots of how many orders each has:
    a factor that makes k of them can stand in k places, of which e are alike if it is the e-th of
    its kind.
    """
    flat = chain.from_iterable(combinations_with_replacement(range(d), p))
    picks = np.fromiter(flat, np.intp).reshape(-1, p).T.copy()
    orders, equal = np.ones(picks.shape[1]), np.ones(picks.shape[1])
    for place in range(1, p):
        equal = np.where(picks[place] == picks[place - 1], equal + 1, 1)
        orders *= (place + 1) / equal
    return picks, np.sqrt(orders)


def taylor_features(p: int) -> Features:
    """1 and the symmetric powers up to p, each over the root of its factorial: what
    `mechanisms.taylor` gives.

    (n, d) -> (n, C(d + p, p)); errors as `symmetric_power`. Arora et al. (2024), with p = 2.

    >>> taylor_features(2)(np.array([[2.0]])) ** 2
    array([[1., 4., 8.]])
    """
    powers = [symmetric_power(order) for order in range(1, integer("p", p) + 1)]
    roots = [math.factorial(order) ** -0.5 for order in range(1, p + 1)]

    def features(x):
        parts = [power(x) * x.dtype.type(root) for power, root in zip(powers, roots)]
        return np.hstack([np.ones_like(x[:, :1]), *parts])

    return features


def positive_random(d: int, count: int, rng: np.random.Generator) -> Features:
    """e^(<w, x> - |x|^2/2) for ``count`` Gaussian w, over the root of their number: the mean of
    <phi(x), phi(y)> is e^<x, y>.

    (n, d) -> (n, count). d >= 1, 1 <= count <= 10^7; TypeError or ValueError otherwise, or for
    another generator. Choromanski et al., Rethinking Attention with Performers (2021).

    >>> positive_random(1, 3, np.random.default_rng(0))(np.zeros((1, 1))) ** 2
    array([[0.33333333, 0.33333333, 0.33333333]])
    """
    count = integer("count", count, at_most=MOST)
    directions = generator(rng).standard_normal((integer("d", d), count))

    def features(x):
        exponent = x @ directions.astype(x.dtype) - np.sum(x**2, axis=1, keepdims=True) / 2
        return np.exp(exponent) * x.dtype.type(count**-0.5)

    return features


def tensor_sketch(degree: int, d: int, count: int, rng: np.random.Generator) -> Features:
    """A tensor sketch with ``count`` entries: the mean of <phi(x), phi(y)> is <x, y>^degree.

    (n, d) -> (n, count). degree, d, count >= 1; TypeError or ValueError otherwise, or for
    another generator. Pham and Pagh, Fast and Scalable Polynomial Kernels via Explicit Feature Maps
    (2013); it is scikit-learn's.

    >>> tensor_sketch(2, 3, 8, np.random.default_rng(0))(np.eye(1, 3)).shape
    (1, 8)
    """
    from sklearn.kernel_approximation import PolynomialCountSketch  # here, for it takes a second

    seed = int(generator(rng).integers(2**31))
    sketch = PolynomialCountSketch(
        degree=integer("degree", degree), n_components=integer("count", count), random_state=seed
    ).fit(np.zeros((1, integer("d", d))))
    return lambda x: sketch.transform(x).astype(x.dtype)


def sketched_power(p: int, d: int, count: int, rng: np.random.Generator) -> Features:
    """The symmetric square of a `tensor_sketch` of degree p/2: weights that are never negative, and
    near <x, y>^p.

    (n, d) -> (n, count (count + 1)/2). p even; ValueError or TypeError otherwise, and as
    `symmetric_power`. Kacham, Mirrokni and Zhong, PolySketchFormer (2024).

    >>> sketched_power(2, 3, 8, np.random.default_rng(0))(np.eye(1, 3)).shape
    (1, 36)
    """
    if (p := integer("p", p)) % 2:
        raise ValueError(f"p must be even, got {p}: the sketch of degree p/2 is squared")
    sketch, square = tensor_sketch(p // 2, d, count, rng), symmetric_power(2)
    return lambda x: square(sketch(x))
