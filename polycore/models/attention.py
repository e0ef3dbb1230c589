"""Polynomial attention weights, in the log domain: any real degree, any n.

With scores z = Ax >= 0 (Definition 3.7 of the paper):

    u_i = z_i^beta,    alpha = <u, 1_n>,    f = u / alpha.

`scores` lists score classes and `counts` how often each occurs (once each by default), so that
n = 10^12 entries at two levels cost two numbers. Since z^beta = exp(beta ln z), f is the softmax of
the log-scores at temperature 1/beta.
"""

import math
from typing import overload

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import softmax, xlogy

from polycore.checks import Floats, integer, matrix, multiplicities, numbers_of, real, vector

__all__ = [
    "degree",
    "log_unnormalised",
    "log_normaliser",
    "log_weights",
    "weights",
    "squared_norm",
    "softmax_attention",
    "polynomial_attention",
]


@overload
def degree(kappa: float, n: int) -> float: ...
@overload
def degree(kappa: Floats, n: int) -> Floats: ...
def degree(kappa: float | Floats, n: int) -> float | Floats:
    """The degree beta = kappa log2 n of attention over n scores.

    `kappa` may be an array, of size <= 1e100; n >= 1. ValueError or TypeError if not. Section 4.

    >>> degree(0.5, 2**20)
    10.0
    """
    kappas, log = numbers_of("kappa", kappa), math.log2(integer("n", n))
    if (largest := np.max(abs(kappas), initial=0)) > 1e100:
        raise ValueError(f"kappa must be <= 1e100, got {largest}: it is the degree over log2 n")
    return kappas * log if kappas.ndim else float(kappas * log)


def log_unnormalised(scores: ArrayLike, beta: float) -> Floats:
    """Logarithm of the unnormalised weights, ln u_i = beta ln z_i.

    `scores`: shape (c,), z_i >= 0, not all zero; `beta` >= 0 (0^0 = 1, so beta = 0 is uniform).
    ValueError otherwise, and for negative, NaN or all-zero scores. Definition 3.7.

    >>> log_unnormalised([1, 2, 4], 0.5) / np.log(2)
    array([0. , 0.5, 1. ])
    """
    return xlogy(real("beta", beta, at_least=0), _scores(scores))


def log_normaliser(scores: ArrayLike, beta: float, counts: ArrayLike | None = None) -> float:
    """Logarithm of the normaliser, ln alpha = ln sum_i counts_i z_i^beta, without overflow.

    Shapes, conditions and errors as `log_weights`. Definition 3.7.

    >>> round(np.exp(log_normaliser([2, 4], 2, counts=[5, 1])).item(), 12)  # 5*4 + 16
    36.0
    """
    z, top, total = _centred(scores, beta, counts)[1:]
    return float(beta * np.log(z[top]) + np.log(total))


def log_weights(scores: ArrayLike, beta: float, counts: ArrayLike | None = None) -> Floats:
    """Logarithm of the weight of one entry of each class, ln f_i = beta ln z_i - ln alpha.

    `scores`: shape (c,), z_i >= 0, not all zero; `counts`: shape (c,), integers >= 1; returns shape
    (c,), -inf where z_i is 0 and beta is not. Relative error of f_i: a few times |ln(f_i/max f)|
    2^-52, whatever beta. beta >= 0; ValueError otherwise, for negative, NaN or all-zero scores, and
    for counts of another length. Definition 3.7.

    >>> log_weights([2, 4], 1e4) / np.log(2)  # the small entry is kept where f itself underflows
    array([-10000.,      0.])
    """
    log_ratio, _, _, total = _centred(scores, beta, counts)
    return log_ratio - np.log(total)


def weights(scores: ArrayLike, beta: float, counts: ArrayLike | None = None) -> Floats:
    """Attention weight of one entry of each class, f_i = z_i^beta / alpha, so that sum_i counts_i
    f_i = 1.

    Shapes, conditions and errors as `log_weights`. Definition 3.7.

    >>> weights([2, 4], 1)
    array([0.33333333, 0.66666667])
    """
    return np.exp(log_weights(scores, beta, counts))


def squared_norm(scores: ArrayLike, beta: float, counts: ArrayLike | None = None) -> float:
    """Variance of <f, sigma> for Rademacher sigma, ||f||^2 = sum_i counts_i f_i^2.

    Shapes, conditions and errors as `log_weights`. Definition 3.7; Lemma 4.1.

    >>> squared_norm([2, 4], 1, counts=[2, 1])  # f = 1/4, 1/4, 1/2
    0.375
    """
    log_ratio, z, _, total = _centred(scores, beta, counts)
    return float(np.sum(multiplicities(counts, z.size) * np.exp(2 * log_ratio)) / total**2)


def _scores(scores):
    z = vector("scores", scores)
    if (z < 0).any():
        raise ValueError(
            f"scores must be >= 0, got {z.min()}: z^beta is real only for z >= 0; shift or clip "
            "Ax first"
        )
    if not z.any():
        raise ValueError(
            "scores are all zero, so alpha = 0 and f = u/alpha is undefined: give one positive "
            "score"
        )
    if ((z > 0) & (z / z.max() == 0)).any():
        raise ValueError(
            f"scores from {z[z > 0].min()} to {z.max()} span more than float64 can divide: "
            "rescale or drop the least"
        )
    return z


def _centred(scores, beta, counts):
    """(beta ln(z/z_max), z, index of z_max, sum counts (z/z_max)^beta)."""
    z, beta = _scores(scores), real("beta", beta, at_least=0)
    counts, top = multiplicities(counts, z.size), int(np.argmax(z))
    # Near z_max the difference z - z_max is exact, so log1p keeps the digits that ln z - ln z_max
    # would cancel (and that beta would then magnify); far below, z/z_max keeps those that 1 - small
    # would lose.
    ratio = z / z[top]
    with np.errstate(divide="ignore"):
        log_ratio = np.where(ratio > 0.5, np.log1p((z - z[top]) / z[top]), np.log(ratio))
    log_ratio = beta * log_ratio if beta else np.zeros_like(z)  # 0^0 = 1
    return log_ratio, z, top, float(np.sum(counts * np.exp(log_ratio)))


def softmax_attention(A: ArrayLike, Q: ArrayLike, K: ArrayLike, V: ArrayLike) -> Floats:
    """Softmax attention Att = D^-1 exp(A Q K^T A^T) A V, D = diag(exp(A Q K^T A^T) 1_n).

    `A`: shape (n, d); `Q`, `K`, `V`: shape (d, d); returns shape (n, d). ValueError for other
    shapes or entries that are not finite. Definition 1.1.

    >>> # equal scores: the mean of A V
    >>> softmax_attention([[1.0], [2.0]], [[0.0]], [[1.0]], [[1.0]])
    array([[1.5],
           [1.5]])
    """
    logits, values = _attention(A, Q, K, V)
    return softmax(logits, axis=1) @ values


def polynomial_attention(
    A: ArrayLike, Q: ArrayLike, K: ArrayLike, V: ArrayLike, beta: float
) -> Floats:
    """Polynomial attention Att = D^-1 g(A Q K^T A^T) A V, g(z) = z^beta entrywise, D = diag(g(...)
    1_n).

    Shapes as `softmax_attention`; `beta` >= 0; the scores A Q K^T A^T must be >= 0 with no zero
    row. ValueError otherwise. Definition 1.2.

    >>> # weights 1/4 and 3/4 in each row
    >>> polynomial_attention([[1.0], [3.0]], [[1.0]], [[1.0]], [[1.0]], 1)
    array([[2.5],
           [2.5]])
    """
    scores, values = _attention(A, Q, K, V)
    return np.array([weights(row, beta) for row in scores]) @ values


def _attention(A, Q, K, V):
    """The scores A Q K^T A^T and the values A V."""
    A, Q, K, V = (matrix(name, M) for name, M in zip("AQKV", (A, Q, K, V)))
    d = A.shape[1]
    for name, M in zip("QKV", (Q, K, V)):
        if M.shape != (d, d):
            raise ValueError(
                f"{name} must have shape {(d, d)}, as A has {d} columns, got {M.shape}"
            )
    return A @ Q @ K.T @ A.T, A @ V
