"""Part III: the network on a sequence, with multiplicities against dense; and dense polynomial
attention against softmax.
"""

import jax
import numpy as np

from benchmarks.measure import Row, medians, peak, seconds, size
from polycore.models import attention, network
from polycore.models.self_attention import d1

DIMENSION, DEGREE, COLUMNS = 66, 30.0, 64


def member(n, d=DIMENSION):
    return d1(n, d, "0.7", "0.5")


def signs(d=DIMENSION):
    return network.rademacher_columns(d, COLUMNS, np.random.default_rng(0))


def grouped(data, y):
    """F_poly from the output of one token, which is that of all."""
    return data.n * float(np.sum(network.shifted_relu(data.row(DEGREE) @ y, float(data.c) + 0.1)))


def dense(data, y):
    """F_poly with every token's attention to every other written out."""
    ones = np.ones((data.d, data.d))
    output = attention.polynomial_attention(
        data.dense(), ones, ones / data.d, np.eye(data.d), DEGREE
    )
    return float(np.sum(network.shifted_relu(output @ y, float(data.c) + 0.1)))


def jax_softmax(A, Q, K, V):
    """`attention.softmax_attention` by JAX, compiled, one head without a scale; its softmax is in
    float32 whatever it is given.
    """
    q, k, v = (jax.numpy.float32(M)[:, None] for M in (A @ Q, A @ K, A @ V))
    compiled = jax.jit(lambda q, k, v: jax.nn.dot_product_attention(q, k, v, scale=1.0)[:, 0])
    return lambda: np.asarray(compiled(q, k, v))


def rows(n=4096, large=10**12, d=DIMENSION, repeats=5):
    data, huge, y = member(n, d), member(large, d), signs(d)
    one, other = grouped(data, y), dense(data, y)
    if abs(one - other) > 1e-9 * other:
        raise AssertionError(
            f"at n = {n} the network gives {one} with multiplicities and {other} dense"
        )
    ours = medians(lambda: grouped(huge, y), repeats=4 * repeats)[0]
    same, full = medians(lambda: grouped(data, y), lambda: dense(data, y), repeats=repeats)
    A, ones, unit = data.dense(), np.ones((d, d)), np.eye(d)
    power = lambda: attention.polynomial_attention(A, ones, ones / d, unit, DEGREE)
    softmax = lambda: attention.softmax_attention(A, ones, ones / d, unit)
    peer = jax_softmax(A, ones, ones / d, unit)
    lost = 4 * n * 2.0**-24  # by two sums of n terms in float32, in whatever order a processor has
    if np.max(np.abs(peer() - softmax())) > lost * np.max(np.abs(A)):
        raise AssertionError("softmax attention by JAX is not what it is by SciPy")
    high, exponential, compiled = medians(power, softmax, peer, repeats=repeats)
    ratio = (
        f"{high / exponential:.1f} times as slow"
        if high > exponential
        else f"{exponential / high:.1f} times as fast"
    )
    return [
        Row(
            f"The network on n = {size(large)} tokens, d = {d}, {COLUMNS} columns",
            seconds(ours),
            f"dense, n = {n}: {seconds(full)}, with multiplicities {seconds(same)}",
            f"{full / same:.0f} times as fast, and agrees, where both fit",
        ),
        Row(
            f"Polynomial attention, dense, n = {n}, d = {d}",
            seconds(high),
            f"softmax attention by `scipy.special.softmax`: {seconds(exponential)}, by "
            f"`jax.nn.dot_product_attention` in float32: {seconds(compiled)}",
            f"{ratio} as SciPy, {high / compiled:.1f} times the time of JAX; "
            f"{peak(power) / 1e6:.0f} MB at most, {peak(softmax) / 1e6:.0f} MB for softmax",
        ),
    ]


def cost(n):
    """Seconds for the network on n tokens with multiplicities."""
    data, y = member(n), signs()
    return medians(lambda: grouped(data, y), repeats=9)[0]


def cost_dense(n):
    """Seconds for the same with all tokens written out."""
    data, y = member(n), signs()
    return medians(lambda: dense(data, y), repeats=3)[0]
