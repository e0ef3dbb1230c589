"""Attention mechanisms as rules that change scores, in their dense form.

    out_i = sum_j w_ij v_j,    w_i = softmax of rule(s_i),    s_ij = scale <q_i, k_j>,

over the keys j that query i sees: all of them, or with ``causal`` those up to i. A rule gives the
logarithm of each weight before they are divided by their sum, so that a power of any degree is
computed without overflow. Features that give the same in linear time are in ``features``.
"""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import softmax

from polycore.checks import integer, matrix, real

__all__ = [
    "attend",
    "clipped_power",
    "entmax",
    "log_scaled",
    "plain",
    "power",
    "power_below_maximum",
    "standardised",
    "taylor",
    "weights",
]

Reals = NDArray[np.floating[Any]]  # of single or double precision, as the queries
Rule = Callable[[Reals, NDArray[np.bool_]], Reals]  # scores and which of them are seen -> logits

MOST = 10**8  # scores at once, 0.8 GB


def attend(
    queries: ArrayLike,
    keys: ArrayLike,
    values: ArrayLike,
    rule: Rule,
    causal: bool = False,
    scale: float | None = None,
) -> Reals:
    """Attention by a rule on scores, in n^2 steps.

    Shapes (n, d), (k, d) and (k, e); n = k when causal; returns (n, e), in single precision if all
    three are. ``scale`` > 0 is 1/sqrt(d) by default. ValueError for other shapes, for more than
    10^8 scores, and for a query to whom the rule leaves no key. Definitions 1.1 and 1.2.

    >>> attend([[1.0]], [[1.0], [3.0]], [[0.0], [1.0]], power(2))
    array([[0.9]])
    """
    q, k, v = triple(queries, keys, values, causal)
    return weights(q, k, rule, causal, scale) @ v


def weights(
    queries: ArrayLike,
    keys: ArrayLike,
    rule: Rule,
    causal: bool = False,
    scale: float | None = None,
) -> Reals:
    """The weight of each key for each query, shape (n, k); conditions and errors as `attend`.

    >>> weights([[1.0]], [[1.0], [3.0]], power(2))
    array([[0.1, 0.9]])
    """
    q, k = matrices(queries=queries, keys=keys)
    check_shapes(q, k, causal)
    if q.shape[0] * k.shape[0] > MOST:
        raise ValueError(
            f"{q.shape[0]} queries and {k.shape[0]} keys have more than {MOST} scores: take fewer "
            "at a time, or features"
        )
    seen = np.tri(q.shape[0], k.shape[0], dtype=bool) if causal else np.ones((1, k.shape[0]), bool)
    logits = rule(scaled(q, scale) @ k.T, seen)
    logits = np.where(seen, logits, -np.inf)
    if not np.all(some := np.any(logits > -np.inf, axis=-1)):
        raise ValueError(
            f"query {int(np.argmin(some))} has no key of positive weight: its scores are all too "
            "low for this rule; take a larger degree, or a rule that goes by the largest score"
        )
    return softmax(logits, axis=-1)


def matrices(**named: ArrayLike) -> list[Reals]:
    """Each as `checks.matrix`, in the single precision of float32 if all have it, else in double.

    >>> matrices(queries=np.ones((2, 3), np.float32), keys=np.ones((1, 3), np.float32))[0].dtype
    dtype('float32')
    """
    single = all(getattr(given, "dtype", None) == np.float32 for given in named.values())
    kind = np.float32 if single else np.float64
    return [matrix(name, given).astype(kind, copy=False) for name, given in named.items()]


def triple(queries: ArrayLike, keys: ArrayLike, values: ArrayLike, causal: bool) -> list[Reals]:
    """Queries, keys and values as `matrices`; ValueError unless their shapes fit."""
    q, k, v = matrices(queries=queries, keys=keys, values=values)
    check_shapes(q, k, causal)
    if k.shape[0] != v.shape[0]:
        raise ValueError(f"each key needs a value, got {k.shape[0]} keys and {v.shape[0]} values")
    return [q, k, v]


def check_shapes(q: Reals, k: Reals, causal: bool) -> None:
    """ValueError unless queries and keys fit, and are equally many when causal."""
    if q.shape[1] != k.shape[1]:
        raise ValueError(f"queries have {q.shape[1]} dimensions and keys {k.shape[1]}")
    if causal and q.shape[0] != k.shape[0]:
        raise ValueError(
            f"causal attention has one query for each key, got {q.shape[0]} and {k.shape[0]}"
        )


def scaled(q: Reals, scale: float | None) -> Reals:
    """The queries times ``scale``, by default over the root of their dimension."""
    return q * q.dtype.type(q.shape[1] ** -0.5 if scale is None else real("scale", scale, above=0))


def standardised(x: ArrayLike) -> Reals:
    """Rows less their mean, over their standard deviation, as LayerNorm leaves queries and keys.

    Shape (n, d) -> (n, d). ValueError for a row whose entries are all equal. Ba, Kiros and Hinton,
    Layer Normalization (2016).

    >>> standardised([[1.0, 3.0]])
    array([[-1.,  1.]])
    """
    (rows,) = matrices(x=x)
    centred = rows - rows.mean(axis=-1, keepdims=True)
    spread = np.sqrt(np.mean(centred**2, axis=-1, keepdims=True))
    if not np.all(spread > 0):
        raise ValueError(f"row {int(np.argmin(spread))} has no spread: its entries are all equal")
    return centred / spread


def plain(scores: Reals, seen: NDArray[np.bool_]) -> Reals:
    """Softmax: the scores themselves. Vaswani et al., Attention Is All You Need (2017).

    >>> weights([[1.0]], [[0.0], [np.log(3.0)]], plain)
    array([[0.25, 0.75]])
    """
    return scores


def log_scaled(slope: float) -> Rule:
    """Scalable softmax: the scores times ``slope`` ln n, n the number of keys seen.

    slope > 0, else ValueError. Nakanishi, Scalable-Softmax Is Superior for Attention (2025).

    >>> weights([[1.0]], [[0.0], [1.0], [1.0], [0.0]], log_scaled(1.0))
    array([[0.1, 0.4, 0.4, 0.1]])
    """
    slope = real("slope", slope, above=0)

    def rule(scores, seen):
        many = np.sum(seen, axis=-1, keepdims=True)
        return scores * (slope * np.log(many)).astype(scores.dtype)

    return rule


def power(beta: float) -> Rule:
    """The power s^beta of every score, the polynomial attention of the paper.

    beta > 0, else ValueError; scores below 0 need an even integer, else the rule raises ValueError.
    Relative error of a weight: a few times |ln of it| roundings, whatever beta. Definition 1.2.

    >>> weights([[1.0]], [[-1.0], [3.0]], power(2))
    array([[0.1, 0.9]])
    """
    beta = real("beta", beta, above=0)

    def rule(scores, seen):
        if beta % 2 and np.any(negative := seen & (scores < 0)):
            query, key = np.argwhere(negative)[0]
            raise ValueError(
                f"query {query} and key {key} have the score {scores[query, key]}, whose power "
                f"{beta} is no weight: take an even power, or a clipped or shifted one"
            )
        return beta * _log_ratio(np.abs(scores), seen)

    return rule


def clipped_power(p: float, shift: float = 0.0) -> Rule:
    """max(0, 1 + (s - shift)/p)^p, which tends to e^(s - shift) as p grows: no weight for a score
    of shift - p or less. p > 0, else ValueError.

    >>> weights([[1.0]], [[-2.0], [0.0], [2.0]], clipped_power(2))
    array([[0. , 0.2, 0.8]])
    """
    p, shift = real("p", p, above=0), real("shift", shift)
    return lambda scores, seen: _log_clipped((scores - scores.dtype.type(shift)) / p, p)


def power_below_maximum(p: float) -> Rule:
    """`clipped_power` with the largest score seen as the shift: the largest power is 1.

    >>> weights([[1.0]], [[-2.0], [0.0]], power_below_maximum(3))
    array([[0.03571429, 0.96428571]])
    """
    p = real("p", p, above=0)
    return lambda scores, seen: _log_clipped((scores - _largest(scores, seen)) / p, p)


def entmax(p: float, halvings: int = 60) -> Rule:
    """(s/p - tau)_+^p with the threshold tau of the row at which the weights sum to 1: alpha-entmax
    with alpha = 1 + 1/p.

    The threshold is found by halving an interval. p >= 1, else ValueError. Peters, Niculae and
    Martins, Sparse Sequence-to-Sequence Models (2019).

    >>> weights([[1.0]], [[0.0], [0.5], [0.9]], entmax(1))  # sparsemax
    array([[0. , 0.3, 0.7]])
    """
    p, halvings = real("p", p, at_least=1), integer("halvings", halvings)

    def rule(scores, seen):
        below = (scores - _largest(scores, seen)) / p  # the sum of powers is >= 1 at tau = -1
        low, high = -np.ones_like(below[:, :1]), np.zeros_like(below[:, :1])
        for _ in range(halvings):
            middle = (low + high) / 2
            heavy = (
                np.sum(np.maximum(below - middle, 0) ** p, axis=-1, where=seen, keepdims=True) > 1
            )
            low, high = np.where(heavy, middle, low), np.where(heavy, high, middle)
        return _log_clipped(below - low - 1, p)

    return rule


def taylor(p: int) -> Rule:
    """The Taylor polynomial of e^s of even order p, which is positive: 1 + s + ... + s^p/p!.

    ValueError for p that is odd or not positive. Arora et al., Simple Linear Attention Language
    Models Balance the Recall-Throughput Tradeoff (2024).

    >>> weights([[1.0]], [[0.0], [2.0]], taylor(2))  # 1 and 1 + 2 + 2
    array([[0.16666667, 0.83333333]])
    """
    if (p := integer("p", p)) % 2:
        raise ValueError(
            f"p must be even, got {p}: at odd orders some scores have negative weights"
        )
    inverse = [1 / math.factorial(order) for order in reversed(range(p + 1))]
    return lambda scores, seen: np.log(np.polyval(np.asarray(inverse, scores.dtype), scores))


def _largest(scores, seen):
    return np.max(scores, axis=-1, where=seen, initial=-np.inf, keepdims=True)


def _log_ratio(sizes, seen):
    """ln of sizes over the largest of the row: near it, where the difference is exact, by log1p."""
    top = _largest(sizes, seen)
    top = np.where(top > 0, top, 1)
    with np.errstate(divide="ignore", invalid="ignore"):
        near = np.log1p(np.maximum((sizes - top) / top, -1))
        return np.where(sizes > top / 2, near, np.log(sizes / top))


def _log_clipped(x, p):
    """p ln max(0, 1 + x)."""
    with np.errstate(divide="ignore"):
        return p * np.log1p(np.maximum(x, -1))
