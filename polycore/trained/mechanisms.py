"""The mechanisms in JAX, dense, so that networks can be trained with them.

A mechanism gives the logarithms of weights from queries (m, d), keys (n, d) and how many keys each
query sees, (m, 1); the weights of the keys seen are then divided by their sum. `models.mechanisms`
and `models.features` have the same in NumPy, and are what this is tested against.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
from numpy.typing import NDArray

from polycore.models.features import number_of_powers, tensor_sketch

__all__ = ["DIRECTIONS", "ENTRIES", "GROWTH", "MECHANISMS", "Mechanism"]

DIRECTIONS, ENTRIES = 64, 12  # of random features, and of a sketch before it is squared
GROWTH = 3.0  # the degree that grows is this times ln n: 8.3 for 16 keys
LEAST = 1e-12  # added to a weight before its logarithm, whose gradient is then finite at 0

Drawn = NDArray[np.float32]


def _nothing(d, rng):
    return np.zeros(0, np.float32)


@dataclass(frozen=True)
class Mechanism:
    """`log_weight(q, k, seen, drawn)`, shape (m, n); `draw(d, rng)` gives what is random in it.

    `features`: how many a vector of d entries has where attention takes linear time, else None.

    >>> MECHANISMS["power 2"].features(8), MECHANISMS["softmax"].features
    (36, None)
    """

    log_weight: Callable[[jax.Array, jax.Array, jax.Array, Drawn], jax.Array]
    features: Callable[[int], int] | None = None
    draw: Callable[[int, np.random.Generator], Drawn] = _nothing


def _scores(q, k):
    return q @ k.T * q.shape[1] ** -0.5


def _softmax(q, k, seen, drawn):
    return _scores(q, k)


def _log_scaled(q, k, seen, drawn):
    return _scores(q, k) * jnp.log(seen)


def _power(degree, q, k, seen, drawn):
    return degree / 2 * jnp.log(_scores(q, k) ** 2 + LEAST)


def _growing_power(q, k, seen, drawn):
    return _power(GROWTH * jnp.log(seen), q, k, seen, drawn)


def _taylor(q, k, seen, drawn):
    s = _scores(q, k)
    return jnp.log(1 + s + s**2 / 2)


def _elu_plus_one(q, k, seen, drawn):
    return jnp.log((jax.nn.elu(q) + 1) @ (jax.nn.elu(k) + 1).T)


def _random_features(q, k, seen, directions):
    """The largest exponent of each vector is taken off before the exponentials are added up."""
    left, right = (_exponents(x * x.shape[1] ** -0.25, directions) for x in (q, k))
    above, beside = left.max(-1, keepdims=True), right.max(-1, keepdims=True)
    return jnp.log(jnp.exp(left - above) @ jnp.exp(right - beside).T + LEAST) + above + beside.T


def _exponents(x, directions):
    return x @ directions - jnp.sum(x**2, axis=-1, keepdims=True) / 2


def _directions(d, rng):
    return np.float32(rng.standard_normal((d, DIRECTIONS)))


def _sketched_power(q, k, seen, forms):
    """The square of the inner product of two sketches, whose entries are quadratic forms."""
    left, right = (jnp.einsum("ni,nj,rij->nr", x, x, forms) for x in (q, k))
    return jnp.log((left @ right.T) ** 2 + LEAST)


def _forms(d, rng):
    """The matrices of the quadratic forms of `tensor_sketch`, (entries, d, d), from its values at
    the unit vectors and at their sums.
    """
    sketch, units = tensor_sketch(2, d, ENTRIES, rng), np.eye(d)
    single, both = sketch(units).T, sketch((units[:, None] + units).reshape(-1, d)).T
    products = both.reshape(-1, d, d) - single[:, :, None] - single[:, None]
    return np.float32(products / 2)


MECHANISMS = {
    "softmax": Mechanism(_softmax),
    "log-scaled": Mechanism(_log_scaled),
    "growing power": Mechanism(_growing_power),
    "power 2": Mechanism(partial(_power, 2), lambda d: number_of_powers(d, 2)),
    "power 4": Mechanism(partial(_power, 4), lambda d: number_of_powers(d, 4)),
    "power 8": Mechanism(partial(_power, 8), lambda d: number_of_powers(d, 8)),
    "Taylor 2": Mechanism(_taylor, lambda d: math.comb(d + 2, 2)),
    "elu + 1": Mechanism(_elu_plus_one, lambda d: d),
    "random features": Mechanism(_random_features, lambda d: DIRECTIONS, _directions),
    "sketched power 4": Mechanism(_sketched_power, lambda d: number_of_powers(ENTRIES, 2), _forms),
}
