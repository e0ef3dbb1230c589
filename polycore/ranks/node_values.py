"""The values of a function at the nodes of a Gauss rule, weighted so that they have its singular
values.
"""

from collections.abc import Callable

import numpy as np

from polycore.checks import matrix
from polycore.ranks.epsilon_rank import gauss_nodes

__all__ = ["node_values"]


def node_values(
    y: Callable[[np.ndarray, np.ndarray], np.ndarray],
    nodes: int,
    low: float = -1.0,
    high: float = 1.0,
) -> np.ndarray:
    """The matrix y(a_i, b_j) sqrt(w_i w_j) at the nodes and weights of a Gauss-Legendre rule, for
    one variable on each side, both uniform on [low, high]; shape (nodes, nodes).

        sum_ij M_ij^2 = E y(a, b)^2    where y has degree < nodes in each variable,

    and then the singular values of M are those of y. `y`: a function of two arrays of floats, which
    broadcast. Errors as `gauss_nodes`; ValueError too where y returns anything but finite numbers
    of shape (nodes, nodes).

    >>> M = node_values(lambda a, b: a * b, 2)  # E a^2 E b^2 = 1/9
    >>> round(float(np.sum(M**2) * 9), 12)
    1.0
    """
    points, root = gauss_nodes(nodes, low, high)
    values = matrix("y(a, b)", y(points[:, None], points[None, :]))
    if values.shape != (nodes, nodes):
        raise ValueError(
            f"y must return a value for each pair of {nodes} nodes, got the shape "
            f"{values.shape}: it takes arrays that broadcast"
        )
    return values * root[:, None] * root
