"""The rules that take the place of a model's softmax, by name and degree."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from polycore.models.mechanisms import (
    Reals,
    Rule,
    clipped_power,
    plain,
    power,
    power_below_maximum,
    taylor,
)

__all__ = ["CONSTANT", "DEGREES_TRIED", "RULES", "Averaged", "unclipped", "uniform"]


def uniform(scores: Reals, seen: NDArray[np.bool_]) -> Reals:
    """The same weight for every key that is seen.

    >>> uniform(np.array([[1.0, 5.0]]), np.ones((1, 2), bool))
    array([[0., 0.]])
    """
    return np.zeros_like(scores)


class Averaged:
    """A rule in which a query to whom the rule leaves no key averages all keys that it sees.

    `rows` counts the queries so far, `empty` those that were left without a key.

    >>> from polycore.models.mechanisms import weights
    >>> rule = Averaged(clipped_power(2))
    >>> weights([[1.0]], [[-3.0], [-4.0]], rule, scale=1.0), rule.empty
    (array([[0.5, 0.5]]), 1)
    """

    def __init__(self, rule: Rule) -> None:
        self.rule, self.rows, self.empty = rule, 0, 0

    def __call__(self, scores: Reals, seen: NDArray[np.bool_]) -> Reals:
        logits = self.rule(scores, seen)
        empty = ~np.any(seen & (logits > -np.inf), axis=-1, keepdims=True)
        self.rows, self.empty = self.rows + len(scores), self.empty + int(np.sum(empty))
        return np.where(empty, 0, logits)


def unclipped(degree: int) -> Rule:
    """(1 + s/degree)^degree, not clipped: no weight is negative at an even degree, but scores far
    below -degree are heavy. Conditions and errors as `power`.

    >>> from polycore.models.mechanisms import weights
    >>> weights([[1.0]], [[-6.0], [0.0]], unclipped(2))  # 4 and 1
    array([[0.8, 0.2]])
    """
    of_sum = power(degree)
    return lambda scores, seen: of_sum(1 + scores / degree, seen)


RULES: dict[str, Callable[[int], Rule]] = {
    "softmax": lambda degree: plain,
    "uniform": lambda degree: uniform,
    "clipped": clipped_power,
    "unclipped": unclipped,
    "even": power,
    "taylor": taylor,
    "shifted": power_below_maximum,
}
CONSTANT = "constant"  # `clipped_power` with a shift of each head's own, which `shifts` measures
DEGREES_TRIED = {
    "softmax": (1,),  # it has no degree, and neither has the average
    "uniform": (1,),
    "clipped": (4, 8, 16, 32, 64, 128, 256),
    "unclipped": (4, 8, 16, 32),
    "even": (2, 4, 8, 16),
    "taylor": (2, 4, 8, 16, 32),
    "shifted": (1, 2, 4, 8, 16, 32, 64),
    CONSTANT: (4, 8, 16, 32, 64),
}
