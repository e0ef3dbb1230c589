"""Causal attention by features, in linear time, against dense softmax by JAX and by ONNX Runtime:
time, where they cross, and memory; and the features of a sketch.
"""

import re
import resource
import subprocess
import sys
from functools import cache
from importlib.util import find_spec
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np

from benchmarks.measure import Row, medians, pace, peak, seconds, size, slope
from polycore.models import features, mechanisms
from polycore.models.features import attend_by_features

SIZES = (1024, 2048, 4096, 8192)
DENSE = [2**k for k in range(8, 14)]  # at 2^14 the scores alone are a gigabyte
LONG = [2**k for k in range(8, 17, 2)]
FEW = [128, 256, 512]  # for features of degree 4, which are 766,480 in 64 dimensions


@jax.jit
def jax_softmax(q, k, v):
    return jax.nn.dot_product_attention(q, k, v, is_causal=True)


@cache
def _session(n, d):
    """ONNX's own operator `Attention`, which ONNX Runtime executes."""
    import onnxruntime
    from onnx import TensorProto, helper

    tensors = [helper.make_tensor_value_info(x, TensorProto.FLOAT, [1, 1, n, d]) for x in "qkvy"]
    node = helper.make_node("Attention", ["q", "k", "v"], ["y"], is_causal=1)
    graph = helper.make_graph([node], "attention", tensors[:3], tensors[3:])
    operators = [helper.make_opsetid("", 23)]  # the first that has it
    model = helper.make_model(graph, opset_imports=operators, ir_version=10)
    options = onnxruntime.SessionOptions()
    # Else its threads keep the cores busy for a while after they are done, at our cost.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    return onnxruntime.InferenceSession(model.SerializeToString(), options)


def drawn(n, d):
    rng = np.random.default_rng(0)
    return [rng.standard_normal((n, d)).astype(np.float32) for _ in range(3)]


def softmax_by_jax(n, d):
    there = [jnp.asarray(x)[None, :, None] for x in drawn(n, d)]
    return lambda: np.asarray(jax_softmax(*there))[0, :, 0]


def softmax_by_onnx(n, d):
    there = {name: x[None, None] for name, x in zip("qkv", drawn(n, d))}
    return lambda: _session(n, d).run(None, there)[0][0, 0]


def by_features(n, d, phi):
    q, k, v = drawn(n, d)
    return lambda: attend_by_features(q, k, v, phi, causal=True)


PEERS = {"`jax.nn.dot_product_attention`": softmax_by_jax}
if find_spec("onnxruntime"):  # Linux only
    PEERS["ONNX Runtime"] = softmax_by_onnx


def agreement(n, d, p):
    """That the features give what the rule gives, and the others' softmax what ours does."""
    q, k, v = drawn(n, d)
    calls = [(by_features(n, d, features.symmetric_power(p)), mechanisms.power(p))]
    calls += [(peer(n, d), mechanisms.plain) for peer in PEERS.values()]
    for call, rule in calls:
        if not np.allclose(call(), mechanisms.attend(q, k, v, rule, causal=True), atol=1e-2):
            raise AssertionError("attention by features or by a peer is not what it is, dense")


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


def held(peer, n, d):
    """Bytes that a peer holds at once, in a process of its own: it does not tell NumPy."""
    alone = [sys.executable, "-m", "benchmarks.mechanisms", peer.__name__]
    least, most = (int(subprocess.check_output([*alone, str(many), str(d)])) for many in (64, n))
    return max(0, most - least)


def resident():
    """The most bytes of this process that were in memory at once; not what `resource` says, which
    on Linux begins with those of the process that started it.
    """
    status = Path("/proc/self/status")
    if not status.exists():
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss  # bytes, on macOS
    return 1024 * int(re.search(r"VmHWM:\s*(\d+)", status.read_text())[1])


def causal(p, d, sizes, repeats):
    """The row of a degree and a dimension: at the longest size, and the lines through all."""
    power, most = features.symmetric_power(p), sizes[-1]
    agreement(sizes[0], d, p)
    calls = lambda n: (by_features(n, d, power), *(peer(n, d) for peer in PEERS.values()))
    times = np.array([medians(*calls(n), repeats=repeats) for n in sizes])
    ours, *theirs = times[-1]
    lines = [crossing(sizes, times[:, 0], times[:, 1 + place]) for place in range(len(PEERS))]
    model = 2 * features.number_of_powers(d, p)
    linear = peak(by_features(most, d, power)) / 1e6
    dense = ", ".join(f"{held(peer, most, d) / 1e6:.0f}" for peer in PEERS.values())
    against = ", ".join(f"{name}: {seconds(one)}" for name, one in zip(PEERS, theirs))
    return Row(
        f"Causal attention by features of degree {p}, n = {size(most)}, d = {d}",
        seconds(ours),
        f"softmax in float32 by {against}",
        f"{', '.join(pace(ours, one) for one in theirs)}; {'; '.join(lines)}; flops meet at "
        f"{model}; {linear:.0f} MB at most, softmax {dense} MB",
    )


def rows(sizes=SIZES, shapes=((2, 64), (4, 16)), sketched=32, repeats=3):
    for p, d in shapes:
        yield causal(p, d, sizes, repeats)
    d = shapes[0][1]
    q, *_ = drawn(64, d)
    sketch = features.sketched_power(4, d, sketched, np.random.default_rng(0))
    exact = features.symmetric_power(4)
    ours, theirs = medians(lambda: sketch(q), lambda: exact(q), repeats=repeats)
    yield Row(
        f"Features of degree 4 by a sketch of {sketched} entries, 64 tokens, d = {d}",
        seconds(ours),
        f"exact, {features.number_of_powers(d, 4)} for a token: {seconds(theirs)}",
        pace(ours, theirs),
    )


def lines(d=64, dense=DENSE, long=LONG, few=FEW, sketched=32):
    """For the picture, by name of each way: what it costs, and the sizes, as `growth.SIZES`."""
    sketch = features.sketched_power(4, d, sketched, np.random.default_rng(0))
    ways = {
        "softmax, JAX": (dense, lambda n: softmax_by_jax(n, d)),
        "features, p = 2": (long, lambda n: by_features(n, d, features.symmetric_power(2))),
        "features, p = 4": (few, lambda n: by_features(n, d, features.symmetric_power(4))),
        f"sketch, p = 4, r = {sketched}": (long, lambda n: by_features(n, d, sketch)),
    }
    if len(PEERS) > 1:
        ways["softmax, ONNX Runtime"] = dense, lambda n: softmax_by_onnx(n, d)
    cost = lambda call: lambda n: medians(call(n), repeats=1)[0]
    return {name: (cost(call), sizes) for name, (sizes, call) in ways.items()}


if __name__ == "__main__":  # what `held` starts
    name, n, d = sys.argv[1:]
    globals()[name](int(n), int(d))()
    print(resident())
