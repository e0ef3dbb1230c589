"""Small trained networks: the mechanisms against those in NumPy, a network against its formulas,
and tasks that have one right answer.
"""

import jax
import numpy as np
import pytest

from polycore.models import features, mechanisms
from polycore.runs import Record, recorded
from polycore.trained import networks, tasks
from polycore.trained.mechanism_experiment import (
    COMPARED,
    RATES_TRIED,
    better,
    breaks,
    found,
    holds,
)
from polycore.trained.mechanisms import DIRECTIONS, ENTRIES, GROWTH, MECHANISMS
from polycore.trained.networks import Shape, initial, losses_and_right, network, train
from polycore.trained.tasks import TASKS, batches

pytestmark = pytest.mark.slow

N, D = 12, 8


def growing(scores, seen):
    """A power of another degree in each row, one row at a time."""
    rows = [
        mechanisms.power(GROWTH * np.log(many) if many > 1 else 1)(np.abs(row[None]), some[None])
        for row, some, many in zip(scores, seen, seen.sum(-1))
    ]
    return np.vstack(rows)


RULES = {
    "softmax": mechanisms.plain,
    "log-scaled": mechanisms.log_scaled(1.0),
    "growing power": growing,
    **{f"power {p}": mechanisms.power(p) for p in (2, 4, 8)},
    "Taylor 2": mechanisms.taylor(2),
}
FEATURES = {
    "elu + 1": lambda seed: features.elu_plus_one,
    "random features": lambda seed: features.positive_random(D, DIRECTIONS, seed),
    "sketched power 4": lambda seed: features.sketched_power(4, D, ENTRIES, seed),
}


def queries_and_keys(seed=0):
    return np.float32(np.random.default_rng(seed).standard_normal((2, N, D)))


def in_jax(name, q, k, seed=1):
    kind, seen = MECHANISMS[name], np.tri(N, dtype=bool)
    drawn = kind.draw(D, np.random.default_rng(seed))
    logits = kind.log_weight(q, k, seen.sum(1, keepdims=True), drawn)
    return np.asarray(jax.nn.softmax(np.where(seen, logits, -np.inf)))


def in_numpy(name, q, k, seed=1):
    if name in RULES:
        return mechanisms.weights(q, k, RULES[name], causal=True)
    of = FEATURES[name](np.random.default_rng(seed))
    scale = D**-0.25 if name == "random features" else 1
    w = np.tril(of(scale * q.astype(float)) @ of(scale * k.astype(float)).T)
    return w / w.sum(-1, keepdims=True)


@pytest.mark.parametrize("name", MECHANISMS)
def test_a_mechanism_is_that_of_numpy(name):
    q, k = queries_and_keys()
    assert in_jax(name, q, k) == pytest.approx(in_numpy(name, q, k), abs=1e-5)


def test_another_degree_and_another_draw_are_seen():
    q, k = queries_and_keys()
    for name, other in (("power 2", "power 4"), ("growing power", "power 8")):
        assert np.abs(in_jax(name, q, k) - in_numpy(other, q, k)).max() > 0.01
    for name in ("random features", "sketched power 4"):
        assert np.abs(in_jax(name, q, k) - in_numpy(name, q, k, seed=2)).max() > 0.01


@pytest.mark.parametrize("name", FEATURES)
def test_as_many_features_as_are_said(name):
    of = FEATURES[name](np.random.default_rng(0))
    assert of(np.ones((1, D))).shape == (1, MECHANISMS[name].features(D))


@pytest.mark.parametrize(
    "name, of",
    [(f"power {p}", features.symmetric_power(p)) for p in (2, 4, 8)]
    + [("Taylor 2", features.taylor_features(2))],
)
def test_as_many_features_of_a_power_as_are_said(name, of):
    assert of(np.ones((1, D))).shape == (1, MECHANISMS[name].features(D))


@pytest.mark.parametrize("name", MECHANISMS)
def test_gradients_are_finite_where_a_score_is_zero(name):
    kind, seen = MECHANISMS[name], np.tri(N, dtype=bool)
    drawn = kind.draw(D, np.random.default_rng(0))

    def first_weights(q):
        logits = kind.log_weight(q, q, seen.sum(1, keepdims=True), drawn)
        return jax.nn.softmax(np.where(seen, 0, -np.inf) + logits)[:, 0].sum()

    assert np.isfinite(jax.grad(first_weights)(np.zeros((N, D), np.float32))).all()


def standard(x):
    return (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + 1e-6)


def by_hand(one, tokens, heights, asked):
    """Softmax, from the formulas of the docstring, all rows of all layers."""
    relu = lambda x: np.maximum(x, 0)
    x = one["tokens"][tokens] + np.outer(heights, one["direction"])
    x = x + relu(standard(x) @ one["up"]) @ one["down"]
    for layer in one["layers"]:
        h = standard(x)
        both = np.hstack([h, np.vstack([0 * h[:1], h[:-1]])])
        q, k = (
            standard(both @ layer[name]) * gain
            for name, gain in zip(("queries", "keys"), layer["gains"])
        )
        values = both @ layer["values"]
        x = x + mechanisms.attend(q, k, values, mechanisms.plain, causal=True) @ layer["out"]
        x = x + relu(standard(x) @ layer["up"]) @ layer["down"]
    return (standard(x) @ one["readout"])[-asked:]


@pytest.mark.parametrize("layers", [1, 2])
def test_a_network_is_its_formula(layers):
    rng = np.random.default_rng(layers)
    one = initial(Shape(7, 5, 6, 4, layers), rng)
    for layer in one["layers"]:
        layer["gains"] = np.float32(rng.uniform(0.5, 2, (2, 4)))
    tokens, heights = rng.integers(7, size=9), np.float32(rng.random(9))
    found = np.asarray(network("softmax", one, np.zeros(0), tokens, heights, 3))
    assert found == pytest.approx(by_hand(one, tokens, heights, 3), rel=1e-3, abs=1e-4)
    assert found != pytest.approx(by_hand(one, np.roll(tokens, 1), heights, 3), rel=1e-2, abs=0)


@pytest.mark.parametrize("name", [name for name in TASKS if name != "text"])
def test_an_answer_is_in_what_is_shown(name):
    task, rng = TASKS[name], np.random.default_rng(3)
    for length in (*task.trained, 64):
        tokens, heights, answers = task.held_out(rng, 4, length)
        for row, height, answer in zip(tokens, heights, answers):
            shown, asked = row[: -len(answer)], row[-len(answer) :]
            if name in ("largest", "spike"):
                expected = [shown[height[:-1].argmax()]]
                assert (np.sort(height)[-2] <= 0.5) or name == "largest"
            else:
                places = [np.flatnonzero(shown == one) for one in asked]
                assert all(len(place) == 1 for place in places)
                expected = [shown[place[0] + 1] for place in places]
            assert answer.tolist() == expected


def test_a_batch_has_as_many_tokens_as_are_meant():
    for task in TASKS.values():
        if task.draw is tasks.TASKS["text"].draw:
            continue
        sizes = [b.tokens.size for b, _ in zip(batches(task, np.random.default_rng(0)), range(4))]
        assert min(sizes) > 0.6 * task.tokens and max(sizes) < 1.3 * task.tokens, sizes


def test_recall_is_learned_and_answers_of_others_are_not():
    task, (drawn, starts) = TASKS["pairs"], map(np.random.default_rng, (0, 1))
    some = (batch for batch, _ in zip(batches(task, drawn), range(300)))
    trained = train(task.shape, "softmax", some, 300, 0.01, starts)
    batch = task.held_out(np.random.default_rng(2), 32, 16)
    assert losses_and_right(trained, batch)[1] > 0.9
    shuffled = batch._replace(answers=np.roll(batch.answers, 1, axis=1))
    assert losses_and_right(trained, shuffled)[1] < 0.1


def test_equal_starts_whatever_the_mechanism():
    none = iter(())
    one, other = (
        train(Shape(7, 5, 6, 4, 1), name, none, 1, 0.01, np.random.default_rng(0)).parameters
        for name in ("softmax", "random features")
    )
    assert jax.tree.all(jax.tree.map(np.array_equal, one, other))


def test_the_first_steps_are_those_on_record_and_of_no_other_mechanism(monkeypatch):
    """As the chapter compares them. Noise as large as many roundings leaves them there: where one
    did not, the book would not build on another processor.
    """
    record, where = recorded(COMPARED), {"task": "largest", "mechanism": "growing power"}
    first = lambda name: np.array(found(record, "largest", name, "first")[:2])
    again = lambda: np.array(record.again({"seeds": 2, "short": True}, **where)["first"])
    apart = lambda one, other: np.max(np.abs(np.log(one / other)))
    now = again()
    assert apart(now, first("growing power")) < 0.005
    others = [name for name in MECHANISMS if name != "growing power"]
    assert min(apart(now, first(name)) for name in others) > 0.08
    noise = np.random.default_rng(0)
    shaken = lambda a: np.float32(a * (1 + 1e-6 * noise.standard_normal(np.shape(a))))
    monkeypatch.setattr(networks, "initial", lambda *given: jax.tree.map(shaken, initial(*given)))
    assert 0 < apart(again(), first("growing power")) < 0.005


def test_a_recorded_step_size_is_the_best_of_those_tried():
    tried, chosen = recorded(RATES_TRIED), recorded(COMPARED)
    for each in chosen.parameters():
        where = {name: each[name] for name in ("task", "mechanism")}
        losses = {
            one["rate"]: np.median(tried.find(**one)["loss"]) for one in tried.parameters(**where)
        }
        assert len(losses) == 3 and each["rate"] == min(losses, key=losses.get)


def made_up(values):
    """A record of mechanisms with these shares of right answers at 4, for each seed."""
    cells = [({"task": "pairs", "mechanism": k}, {"right at 4": v}) for k, v in values.items()]
    return Record(COMPARED, {}, tuple(cells))


def test_the_rules_confirm_refute_and_leave_open():
    high, low = [0.995 + k / 10**4 for k in range(14)], [k / 100 for k in range(14)]
    record = made_up({"a": high, "b": low, "c": [*high[:7], *low[7:]]})
    assert [holds(record, "pairs", 4, name).verdict for name in "abc"] == [
        "pass",
        "fail",
        "undecided",
    ]
    assert [breaks(record, "pairs", 4, name).verdict for name in "abc"] == [
        "fail",
        "pass",
        "undecided",
    ]
    compared = [better(record, "pairs", 4, *pair).verdict for pair in ("ab", "ba", "ac", "aa")]
    assert compared == ["pass", "fail", "undecided", "undecided"]


def test_a_mechanism_that_is_not_there_is_named():
    with pytest.raises(ValueError, match="sofmax"):
        train(Shape(7, 5, 6, 4, 1), "sofmax", [], 1, 0.01, np.random.default_rng(0))
