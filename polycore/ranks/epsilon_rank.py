"""The separation rank of a function up to an error in mean square: the singular values of its
values at Gauss's nodes.

For y on a product of two boxes, uniform, sqrt(w_i) y(a_i, b_j) sqrt(w_j) at the nodes and weights
of a Gauss-Legendre rule has the singular values of y in L2, wherever the rule integrates the
squares exactly: those of the coefficients in orthonormal polynomials. By `eckart1936` the least
error of a sum of R products is what the values after the R-th leave.
"""

import numpy as np
from numpy.polynomial.legendre import leggauss
from numpy.typing import ArrayLike

from polycore.checks import Floats, integer, real, vector

__all__ = ["gauss_nodes", "rank_within"]


def gauss_nodes(nodes: int, low: float = -1.0, high: float = 1.0) -> tuple[Floats, Floats]:
    """The Gauss-Legendre rule for a uniform variable on [low, high]: (x, root), shapes (nodes,),
    with

        E p(x) = sum_i root_i^2 p(x_i)    for polynomials p of degree < 2 nodes.

    1 <= `nodes` <= 10^4, `low` < `high`; ValueError otherwise.

    >>> x, root = gauss_nodes(2, 0, 1)
    >>> round(float(np.sum(root**2 * x**3)), 12)
    0.25
    """
    low = real("low", low)
    high = real("high", high, above=low, hint="the interval is [low, high]")
    points, weights = leggauss(integer("nodes", nodes, at_most=10**4))
    return low + (high - low) * (points + 1) / 2, np.sqrt(weights / 2)


def rank_within(singular: ArrayLike, error: float) -> int:
    """The least R with sum_{r > R} sigma_r^2 <= error, with an allowance of 1e-12 of `error` for
    rounding.

    `singular`: the singular values in decreasing order, none negative; `error` >= 0: a mean square;
    ValueError otherwise.

    >>> [rank_within([3, 1, 0.25], error) for error in (0, 0.1, 1.0625, 100)]
    [3, 2, 1, 0]
    """
    singular = vector("singular", singular)
    if (singular < 0).any() or (np.diff(singular) > 0).any():
        raise ValueError(
            f"singular must be values >= 0 in decreasing order, got {singular}: as "
            "numpy.linalg.svd returns them"
        )
    left = np.append(np.cumsum(singular[::-1] ** 2)[::-1], 0.0)
    return int(np.argmax(left <= real("error", error, at_least=0) * (1 + 1e-12)))
