"""Small polynomial networks, many trained at once (JAX, Optax): Section 3.1 of the note.

A layer is sigma o P_d with P_d(x) = prod_{k=1}^d (W_k x), entry by entry, and sigma(x) = x / (mean
of x^2)^(1/2), without which the values of deep products leave float32. Before the first layer comes
an affine map, after the last a linear one.

Arithmetic is float32, compiled for AVX2 and one thread whatever else the processor can do, so that
a seed gives the same numbers on like machines. On others the last digits differ, and after many
steps the errors differ as between seeds: what holds is what many seeds decide. Compiled code is
kept beside Python's own bytecode: a second process compiles nothing.
"""

import os
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, partial
from itertools import takewhile
from pathlib import Path

# read when jax is imported
os.environ.setdefault("XLA_FLAGS", "--xla_cpu_max_isa=AVX2 --xla_cpu_multi_thread_eigen=false")
os.environ.setdefault(
    "JAX_COMPILATION_CACHE_DIR", str(Path(__file__).parent / "__pycache__" / "jax")
)
os.environ.setdefault("JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS", "0.1")
# a file that a killed process left half written, or a folder that may not be written: JAX compiles,
# and need not say so
warnings.filterwarnings("ignore", "Error (read|writ)ing persistent compilation cache entry")

import jax
import jax.numpy as jnp
import numpy as np
import optax
from numpy.typing import NDArray

from polycore.checks import Floats, generator, integer, real

__all__ = [
    "Problem",
    "Shape",
    "checkpoints",
    "digits",
    "evaluate",
    "network",
    "orthonormal",
    "rank_problem",
    "train",
]

Parameters = dict[str, NDArray[np.float32]]  # by name, the seeds in front

BATCH, STRETCH = 64, 25
ADAM = optax.flatten(optax.chain(optax.clip_by_global_norm(1.0), optax.scale_by_adam()))


@dataclass(frozen=True)
class Shape:
    """A network of `layers` layers; `powers[j]` is the degree of unit j in each of them, the
    largest first.

    `exponent` > 0: of the last factor, which enters as |W_d x|^exponent where that is not 1.
    `normalised`: whether sigma is there.

    >>> Shape(4, (3,) * 8).matrices, Shape(4, (3, 3, 3, 2)).matrices
    (12.0, 11.0)
    """

    layers: int
    powers: tuple
    exponent: float = 1.0
    normalised: bool = True

    def __post_init__(self):
        integer("layers", self.layers), real("exponent", self.exponent, above=0)
        if not self.powers or sorted(self.powers, reverse=True) != list(self.powers):
            raise ValueError(
                f"powers must be a degree for each unit, the largest first, got {self.powers}"
            )
        for power in self.powers:
            integer("powers", power)

    @property
    def matrices(self) -> float:
        """What the layers cost, in matrices of width x width."""
        return self.layers * sum(self.powers) / len(self.powers)


@dataclass(frozen=True)
class Problem:
    """Inputs x, shape (points, inputs), and targets y, shape (seeds or 1, points, outputs); the
    `held_out` last points are for tests.

    The error is the mean square over the variance of y or, where `labels` says that y are
    indicators of classes, the share of wrong answers.
    """

    x: np.ndarray
    y: np.ndarray
    held_out: int
    labels: bool = False

    def __post_init__(self):
        integer("held_out", self.held_out, at_most=len(self.x) - 1)


def rank_problem(
    degree: int, seeds: int, rng: np.random.Generator, points: int = 8192, held_out: int = 2048
) -> Problem:
    """Regression on functions of separation rank R = (degree + 1)(degree + 2)/2 whose singular
    values are all 1/sqrt(R).

        y(a, b) = R^(-1/2) sum_{r,s} Q_rs phi_r(a) phi_s(b),    a, b uniform on [-1, 1]^2,

    phi: `orthonormal`; Q: a random orthogonal matrix, one for each seed. By Eckart and Young no
    function of separation rank k <= R has a relative error below 1 - k/R. 1 <= `degree` <= 8;
    TypeError or ValueError otherwise.

    >>> rank_problem(1, 4, np.random.default_rng(0)).y.shape
    (4, 8192, 1)
    """
    degree, seeds = integer("degree", degree, at_most=8), integer("seeds", seeds)
    x = generator(rng).uniform(-1, 1, (points, 4))
    left, right = orthonormal(degree, x[:, :2]), orthonormal(degree, x[:, 2:])
    turns = np.linalg.qr(rng.standard_normal((seeds, left.shape[1], left.shape[1])))[0]
    y = np.einsum("xr,nrs,xs->nx", left, turns, right, optimize=True) / np.sqrt(left.shape[1])
    return Problem(x, y[..., None], held_out)


def orthonormal(degree: int, x: Floats) -> Floats:
    """Products of two normalised Legendre polynomials, of total degree at most `degree`, at x of
    shape (points, 2).

    >>> orthonormal(1, np.array([[0.5, -0.5]])).round(3)  # 1, y sqrt(3), x sqrt(3)
    array([[ 1.   , -0.866,  0.866]])
    """
    one, other = (
        np.polynomial.legendre.legvander(side, degree) * np.sqrt(2 * np.arange(degree + 1) + 1)
        for side in x.T
    )
    return np.stack(
        [one[:, i] * other[:, j] for i in range(degree + 1) for j in range(degree + 1 - i)], axis=1
    )


def digits(held_out: int = 400) -> Problem:
    """scikit-learn's 1797 handwritten digits of 8 x 8 pixels, brightness from -1 to 1, in a fixed
    random order.

    >>> digits().x.shape, digits().y.shape
    ((1797, 64), (1, 1797, 10))
    """
    from sklearn.datasets import load_digits

    data = load_digits()
    order = np.random.default_rng(0).permutation(len(data.target))
    return Problem(
        data.data[order] / 8 - 1, np.eye(10)[data.target[order]][None], held_out, labels=True
    )


def network(parameters: Mapping[str, jax.Array], x: jax.Array, shape: Shape) -> jax.Array:
    """Values of a network at x, shape (points, inputs); `parameters` as `train` returns them, of
    one seed.

    >>> one = {"embed": np.eye(2), "shift": np.zeros(2), "readout": np.ones((2, 1))}
    >>> one["layers"] = np.array([[np.eye(2)] * 3])
    >>> # 2^3 + 3^2
    >>> network(one, np.array([[2.0, 3.0]]), Shape(1, (3, 2), normalised=False)).tolist()
    [[17.0]]
    """
    units = [
        sum(power > k for power in shape.powers) for k in range(shape.powers[0])
    ]  # that have a k-th factor

    def layer(h, matrices):
        rows = jnp.concatenate([matrix[:, :many].T for matrix, many in zip(matrices, units)])
        factors = jnp.split(rows @ h, np.cumsum(units)[:-1])
        if shape.exponent != 1:
            factors[-1] = (factors[-1] ** 2 + 1e-6) ** (shape.exponent / 2)
        out = factors[0]
        for factor in factors[1:]:
            out = jnp.concatenate([out[: len(factor)] * factor, out[len(factor) :]])
        return out * jax.lax.rsqrt(
            jnp.mean(out**2, axis=0) + 1e-6
        ) if shape.normalised else out, None

    h = (
        parameters["embed"].T @ x.T + parameters["shift"][:, None]
    )  # the points last: they fill the processor's vectors
    return jax.lax.scan(layer, h, parameters["layers"], unroll=True)[0].T @ parameters["readout"]


def evaluate(parameters: Parameters, x: Floats, shape: Shape) -> Floats:
    """Values at x of all networks that `train` returned, shape (seeds, points, outputs)."""
    every = jax.jit(jax.vmap(partial(network, shape=shape), in_axes=(0, None)))
    return np.asarray(every(parameters, np.float32(x)), dtype=float)


def checkpoints(steps: int) -> list[int]:
    """The numbers of steps after which the error is measured: 25, 50, 100, … below `steps`, and
    `steps`, a multiple of 25.

    >>> checkpoints(200), checkpoints(300)
    ([25, 50, 100, 200], [25, 50, 100, 200, 300])
    """
    if integer("steps", steps) % STRETCH:
        raise ValueError(
            f"steps must be a multiple of {STRETCH}, after which an error is measured, got {steps}"
        )
    return [*takewhile(lambda at: at < steps, (STRETCH * 2**k for k in range(steps))), steps]


def train(
    shape: Shape,
    problem: Problem,
    starts: np.random.Generator,
    batches: np.random.Generator,
    seeds: int,
    steps: int = 800,
    rate: float = 0.02,
    stop: int | None = None,
) -> tuple[Parameters, Floats]:
    """Train `seeds` networks with Adam: batches of 64, gradients clipped to norm 1, cosine decay
    from `rate` over `steps` steps.

    Returns (parameters, errors): each parameter with `seeds` in front, and the error on the
    held-out points at the `checkpoints`, shape (seeds, how many). Each seed has its own start and
    batches and, where there are as many, its own targets. Generators in equal states give equal
    batches and equal maps before and after the layers, whatever `shape`: so networks are compared
    in pairs. `stop`: how many of the steps are made, all by default. ValueError where `steps` or
    `stop` is no multiple of 25, or y has targets for another number of seeds.
    """
    stop = steps if stop is None else integer("stop", stop, at_most=steps)
    measured = {*checkpoints(stop)}
    if len(problem.y) not in (1, integer("seeds", seeds)):
        raise ValueError(
            f"seeds must be {len(problem.y)}, for which there are targets, got {seeds}: make the "
            "problem for as many"
        )
    one, trained = len(problem.y) == 1, len(problem.x) - problem.held_out
    parameters = _initial(shape, seeds, problem.x.shape[1], problem.y.shape[2], generator(starts))
    # np.float32 of an array is an array, and its type says a number: the two `ignore` below.
    # np.asarray instead would be other code than that of the recorded runs.
    y = np.float32(problem.y[0] if one else problem.y)
    rates = np.float32(
        real("rate", rate, above=0) * (1 + np.cos(np.pi * np.arange(steps) / steps)) / 2
    )
    start, stretch, measure = _compiled(shape, trained, problem.labels, one)
    state, x, y, errors = start(parameters), jnp.asarray(problem.x, np.float32), jnp.asarray(y), []  # type: ignore[assignment]
    for done in range(0, stop, STRETCH):
        batch = generator(batches).integers(0, trained, (seeds, STRETCH, BATCH), dtype=np.int32)
        state = stretch(state, batch, x, y, rates[done : done + STRETCH])  # type: ignore[index]
        if done + STRETCH in measured:
            errors.append(measure(state[0], x, y))
    return jax.tree.map(np.asarray, state[0]), np.array(errors, dtype=float).T


def _initial(shape, seeds, inputs, outputs, rng):
    """Normal weights, of variance 1/(number of inputs) in each map; a factor that a unit lacks is
    not used.
    """
    width = len(shape.powers)
    start = {"shift": rng.standard_normal((seeds, width))}
    maps = {
        "embed": (inputs, width),
        "readout": (width, outputs),
        "layers": (shape.layers, shape.powers[0], width, width),
    }
    start |= {
        name: rng.standard_normal((seeds, *size)) / np.sqrt(size[-2]) for name, size in maps.items()
    }
    return {name: np.float32(value) for name, value in start.items()}


@cache
def _compiled(shape, trained, labels, one):
    """The start, some steps of training and the measuring, for all seeds at once; compiling takes
    as long as 800 steps, so it is kept.
    """
    targets = None if one else 0
    stretch = jax.vmap(partial(_stretch, shape, labels), in_axes=(0, 0, None, targets, None))
    measure = jax.vmap(
        lambda one, x, y: _error(labels, network(one, x[trained:], shape), y[trained:]),
        in_axes=(0, None, targets),
    )
    return (
        jax.jit(jax.vmap(lambda parameters: (parameters, ADAM.init(parameters)))),
        jax.jit(stretch),
        jax.jit(measure),
    )


def _stretch(shape, labels, state, batches, x, y, rates):
    """One network after a step for each of the batches."""
    gradient = jax.grad(
        lambda parameters, batch: _loss(labels, network(parameters, x[batch], shape), y[batch])
    )

    def step(state, batch_and_rate):
        (parameters, memory), (batch, rate) = state, batch_and_rate
        updates, memory = ADAM.update(gradient(parameters, batch), memory)
        return (
            jax.tree.map(lambda parameter, update: parameter - rate * update, parameters, updates),
            memory,
        ), None

    return jax.lax.scan(step, state, (batches, rates))[0]


def _loss(labels, out, y):
    return jnp.mean(optax.softmax_cross_entropy(out, y) if labels else (out - y) ** 2)


def _error(labels, out, y):
    return (
        jnp.mean(out.argmax(-1) != y.argmax(-1))
        if labels
        else jnp.mean((out - y) ** 2) / jnp.var(y)
    )
