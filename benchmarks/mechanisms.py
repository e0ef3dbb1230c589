"""Causal attention by features, in linear time, against dense softmax by JAX: time, where the two
cross, and memory; and the features of a sketch.
"""

import jax
import jax.numpy as jnp
import numpy as np

from benchmarks.measure import Row, medians, pace, peak, seconds, size, slope
from polycore.models import features, mechanisms
from polycore.models.features import attend_by_features


@jax.jit
def jax_softmax(q, k, v):
    return jax.nn.dot_product_attention(q, k, v, is_causal=True)


def drawn(n, d):
    rng = np.random.default_rng(0)
    return [rng.standard_normal((n, d)).astype(np.float32) for _ in range(3)]


def both(n, d, phi):
    """Calls of either side on the same tokens."""
    q, k, v = drawn(n, d)
    there = [jnp.asarray(x)[None, :, None] for x in (q, k, v)]
    return (
        lambda: attend_by_features(q, k, v, phi, causal=True),
        lambda: jax_softmax(*there).block_until_ready(),
    )


def agreement(n, d, phi, rule):
    """That the features give what the rule gives, and JAX's softmax what ours does."""
    q, k, v = drawn(n, d)
    by_features, by_jax = both(n, d, phi)
    for found, wanted in ((by_features(), rule), (by_jax()[0, :, 0], mechanisms.plain)):
        dense = mechanisms.attend(q, k, v, wanted, causal=True)
        if not np.allclose(found, dense, atol=1e-2):
            raise AssertionError("attention by features or by JAX is not what it is, dense")


def crossing(sizes, ours, theirs):
    """How steep the two lines of the log-log plot are, and where they meet, if at any length that
    one meets.

    >>> crossing([10, 1000], [2.0, 200.0], [1.0, 10000.0])
    'n^1.00 against n^2.00, which meet at n = 20'
    >>> crossing([10, 1000], [2.0, 200.0], [1.0, 100.0])
    'n^1.00 against n^1.00, which do not meet'
    """
    steep = [slope(sizes, times) for times in (ours, theirs)]
    ahead = float(np.mean(np.log(ours)) - np.mean(np.log(theirs)))
    steeper = steep[1] - steep[0]
    log = float(np.mean(np.log(sizes))) + ahead / steeper if abs(steeper) > 0.01 else np.inf
    meet = f"meet at n = {np.exp(log):.2g}" if 0 < log < 40 else "do not meet"
    return f"n^{steep[0]:.2f} against n^{steep[1]:.2f}, which {meet}"


def rows(sizes=(1024, 2048, 4096, 8192), d=64, sketched=32, repeats=3):
    power, most = features.symmetric_power(2), sizes[-1]
    agreement(sizes[0], d, power, mechanisms.power(2))
    times = np.array([medians(*both(n, d, power), repeats=repeats) for n in sizes])
    lines = crossing(sizes, times[:, 0], times[:, 1])
    ours, theirs = times[-1]
    model = 2 * features.number_of_powers(d, 2)
    q, k, v = drawn(most, d)
    linear = peak(lambda: attend_by_features(q, k, v, power, causal=True)) / 1e6
    dense = peak(lambda: mechanisms.attend(q, k, v, mechanisms.power(2), causal=True)) / 1e6
    yield Row(
        f"Causal attention by features of degree 2, n = {size(most)}, d = {d}",
        seconds(ours),
        f"softmax by `jax.nn.dot_product_attention` in float32: {seconds(theirs)}",
        f"{pace(ours, theirs)}; {lines}; flops meet at {model}; {linear:.0f} MB at most, dense "
        f"{dense:.0f} MB",
    )
    sketch = features.sketched_power(4, d, sketched, np.random.default_rng(0))
    exact = features.symmetric_power(4)
    ours, theirs = medians(lambda: sketch(q[:64]), lambda: exact(q[:64]), repeats=repeats)
    yield Row(
        f"Features of degree 4 by a sketch of {sketched} entries, 64 tokens, d = {d}",
        seconds(ours),
        f"exact, {features.number_of_powers(d, 4)} for a token: {seconds(theirs)}",
        pace(ours, theirs),
    )
