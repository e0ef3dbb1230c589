"""Small networks of attention with one head (JAX, Optax), trained with any mechanism.

Each token is a vector, to which its height times a direction is added. A layer is

    x <- x + A(x) O,        x <- x + relu(N(x) U) V,

where N standardises a row and A is attention by the mechanism. Its queries, keys and values are
maps of N(x) of a token and of the one before, which is the only sense of order. Queries and keys
are standardised in their turn, and each entry has a gain: so each mechanism finds its own scale. In
the last layer only the last rows are asked.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache, partial
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from numpy.typing import NDArray

from polycore.checks import generator, integer, one_of
from polycore.ranks.training import ADAM
from polycore.trained.mechanisms import MECHANISMS, Drawn

__all__ = ["Batch", "Shape", "Trained", "initial", "losses_and_right", "network", "train"]

Parameters = dict[str, Any]  # arrays by name, and a list of such for the layers


class Batch(NamedTuple):
    """Sequences: `tokens` (size, n), their `heights` (size, n), and the `answers` (size, m) that
    the last m tokens ask for.
    """

    tokens: NDArray[np.int32]
    heights: NDArray[np.float32]
    answers: NDArray[np.int32]


@dataclass(frozen=True)
class Shape:
    """Of a network: how many `tokens` there are and how many `answers`, the `width` of a row, the
    entries of a query (`head`), and `layers`.
    """

    tokens: int
    answers: int
    width: int
    head: int
    layers: int

    def __post_init__(self):
        for name, value in vars(self).items():
            integer(name, value)


@dataclass(frozen=True)
class Trained:
    """A network after its training: what `network` needs."""

    shape: Shape
    mechanism: str
    parameters: Parameters
    drawn: Drawn


def network(
    mechanism: str,
    parameters: Parameters,
    drawn: Drawn,
    tokens: jax.Array,
    heights: jax.Array,
    asked: int,
) -> jax.Array:
    """Logits of the answers of the last `asked` tokens, shape (asked, answers), for one sequence of
    tokens and heights, (n,).
    """
    x = parameters["tokens"][tokens] + heights[:, None] * parameters["direction"]
    x = x + jax.nn.relu(_standard(x) @ parameters["up"]) @ parameters["down"]
    *first, last = parameters["layers"]
    for layer in first:
        x = _layer(mechanism, layer, drawn, x, len(tokens))
    return _standard(_layer(mechanism, last, drawn, x, asked)) @ parameters["readout"]


def _layer(mechanism, layer, drawn, x, asked):
    """The last `asked` rows after a layer."""
    h = _standard(x)
    both = jnp.hstack([h, jnp.pad(h, ((1, 0), (0, 0)))[:-1]])
    q = _standard(both[-asked:] @ layer["queries"]) * layer["gains"][0]
    k = _standard(both @ layer["keys"]) * layer["gains"][1]
    seen = np.tri(len(x), dtype=bool)[-asked:]
    logits = MECHANISMS[mechanism].log_weight(q, k, seen.sum(1, keepdims=True), drawn)
    weights = jax.nn.softmax(jnp.where(seen, logits, -jnp.inf), axis=-1)
    x = x[-asked:] + weights @ (both @ layer["values"]) @ layer["out"]
    return x + jax.nn.relu(_standard(x) @ layer["up"]) @ layer["down"]


def _standard(x):
    centred = x - x.mean(-1, keepdims=True)
    return centred * jax.lax.rsqrt(jnp.mean(centred**2, -1, keepdims=True) + 1e-6)


def initial(shape: Shape, rng: np.random.Generator) -> Parameters:
    """Normal entries, of variance 1/(number of rows) in each map.

    >>> initial(Shape(5, 3, 4, 2, 1), np.random.default_rng(0))["readout"].shape
    (4, 3)
    """
    wide, head = shape.width, shape.head
    sizes = {
        "queries": (2 * wide, head),
        "keys": (2 * wide, head),
        "values": (2 * wide, wide),
        "out": (wide, wide),
        "up": (wide, 2 * wide),
        "down": (2 * wide, wide),
    }
    maps = lambda some: {name: _map(generator(rng), *size) for name, size in some.items()}
    return {
        "tokens": np.float32(rng.standard_normal((shape.tokens, wide))),
        "direction": np.float32(rng.standard_normal(wide)),
        **maps(
            {"readout": (wide, shape.answers), "up": (wide, 2 * wide), "down": (2 * wide, wide)}
        ),
        "layers": [
            {**maps(sizes), "gains": np.ones((2, head), np.float32)} for _ in range(shape.layers)
        ],
    }


def _map(rng, rows, columns):
    return np.float32(rng.standard_normal((rows, columns)) / np.sqrt(rows))


def train(
    shape: Shape,
    mechanism: str,
    batches: Iterable[Batch],
    steps: int,
    rate: float,
    starts: np.random.Generator,
) -> Trained:
    """Train with Adam on `batches`, one for each step: gradients clipped to norm 1, cosine decay
    from `rate` over `steps`, of which only as many are made as there are batches.

    Generators in equal states give equal starts whatever the mechanism. ValueError for a mechanism
    that is not in `MECHANISMS`.
    """
    kind, rng = MECHANISMS[one_of("mechanism", mechanism, MECHANISMS)], generator(starts)
    parameters = initial(shape, rng)
    drawn = kind.draw(shape.head, rng)
    begin, step, _ = _compiled(mechanism)
    state = parameters, begin(parameters)
    for done, batch in enumerate(batches):
        now = np.float32(rate * (1 + np.cos(np.pi * done / steps)) / 2)
        state = step(state, drawn, batch, now)
    return Trained(shape, mechanism, jax.tree.map(np.asarray, state[0]), drawn)


def losses_and_right(trained: Trained, batch: Batch) -> tuple[float, float]:
    """The mean of -ln(probability) of the answers, and the share of them that have the largest
    logit.
    """
    _, _, answers = _compiled(trained.mechanism)
    logs = np.asarray(answers(trained.parameters, trained.drawn, batch), dtype=float)
    told = np.take_along_axis(logs, batch.answers[..., None], axis=-1)
    return float(-np.mean(told)), float(np.mean(logs.argmax(-1) == batch.answers))


@cache
def _compiled(mechanism):
    """The memory of a start, a step, and the logarithms of the probabilities of all answers."""

    def answers(parameters, drawn, batch):
        one = partial(network, mechanism, parameters, drawn, asked=batch.answers.shape[1])
        return jax.nn.log_softmax(jax.vmap(one)(batch.tokens, batch.heights))

    def loss(parameters, drawn, batch):
        return -jnp.mean(
            jnp.take_along_axis(answers(parameters, drawn, batch), batch.answers[..., None], -1)
        )

    def step(state, drawn, batch, rate):
        parameters, memory = state
        updates, memory = ADAM.update(jax.grad(loss)(parameters, drawn, batch), memory)
        return jax.tree.map(lambda one, update: one - rate * update, parameters, updates), memory

    return jax.jit(ADAM.init), jax.jit(step), jax.jit(answers)
