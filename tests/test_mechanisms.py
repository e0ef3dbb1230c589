"""Attention mechanisms: each against a second implementation, dense against linear-time."""

import math
from fractions import Fraction

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy.optimize import minimize
from sklearn.kernel_approximation import PolynomialCountSketch

from polycore.models import attention, features, mechanisms
from polycore.models.features import attend_by_features, symmetric_power
from polycore.models.mechanisms import attend, weights

SEED = 20231020
ALL = {
    "softmax": mechanisms.plain,
    "log n": mechanisms.log_scaled(0.5),
    "power 2": mechanisms.power(2),
    "power 64": mechanisms.power(64),
    "clipped": mechanisms.clipped_power(8),
    "shifted": mechanisms.clipped_power(8, 0.5),
    "below the largest": mechanisms.power_below_maximum(3),
    "entmax": mechanisms.entmax(2),
    "taylor": mechanisms.taylor(4),
}
both = pytest.mark.parametrize("causal", [False, True])
each = pytest.mark.parametrize("rule", ALL.values(), ids=ALL)


def drawn(n=60, d=5, e=3, kind=np.float64):
    rng = np.random.default_rng(SEED)
    return [rng.standard_normal((n, size)).astype(kind) for size in (d, d, e)]


# Each rule, as its formula says


@both
def test_softmax_is_that_of_jax(causal):
    q, k, v = drawn(e=5, kind=np.float32)
    with jax.default_matmul_precision("float32"):
        peer = jax.nn.dot_product_attention(
            *(jnp.asarray(x)[None, :, None] for x in (q, k, v)), is_causal=causal
        )
    ours = attend(q, k, v, mechanisms.plain, causal)
    assert ours.dtype == np.float32
    assert ours == pytest.approx(np.asarray(peer)[0, :, 0], abs=2e-6)


UNNORMALISED = {
    "softmax": lambda s, n: math.exp(s),
    "log n": lambda s, n: n ** (s / 2),
    "power 2": lambda s, n: s**2,
    "power 64": lambda s, n: s**64,
    "clipped": lambda s, n: max(0, 1 + s / 8) ** 8,
    "shifted": lambda s, n: max(0, 1 + (s - 0.5) / 8) ** 8,
    "taylor": lambda s, n: sum(s**k / math.factorial(k) for k in range(5)),
}


@both
@pytest.mark.parametrize("name", UNNORMALISED)
def test_a_rule_is_its_formula(name, causal):
    q, k, v = drawn(20)
    found = attend(q, k, v, ALL[name], causal)
    for row in range(20):
        many = row + 1 if causal else 20
        u = [UNNORMALISED[name](float(q[row] @ k[j]) / 5**0.5, many) for j in range(many)]
        assert found[row] == pytest.approx(np.array(u) @ v[:many] / sum(u), rel=1e-11, abs=1e-12)


@pytest.mark.parametrize("beta", [0.3, 1, 7.5, 1e3, 1e6])
def test_powers_are_those_of_definition_3_7(beta):
    rng = np.random.default_rng(SEED)
    scores = rng.uniform(1, 2, (4, 50))
    for row in scores:
        ours = weights([[1.0]], row[:, None], mechanisms.power(beta))[0]
        assert ours == pytest.approx(attention.weights(row, beta), rel=1e-9, abs=1e-300)


def test_a_large_power_in_single_precision():
    """Next to the largest score the difference is exact: a factor of 10^6 magnifies no rounding."""
    scores = np.float32(3) + np.arange(5, dtype=np.float32) * np.float32(2**-20)
    ours = weights(np.ones((1, 1), np.float32), scores[:, None], mechanisms.power(10**6))[0]
    powers = [(Fraction(float(z)) / Fraction(float(scores[-1]))) for z in scores]
    exact = np.array([math.exp(10**6 * math.log1p(float(ratio - 1))) for ratio in powers])
    assert ours.dtype == np.float32 and ours == pytest.approx(exact / exact.sum(), rel=1e-5, abs=0)


def test_below_the_largest_is_a_clipped_power_with_that_shift():
    q, k, _ = drawn(20)
    for row in q:
        largest = float(np.max(k @ row)) / 5**0.5
        shifted = weights(row[None], k, mechanisms.clipped_power(3, largest))
        found = weights(row[None], k, mechanisms.power_below_maximum(3))
        assert found == pytest.approx(shifted, rel=1e-12, abs=1e-15)


@pytest.mark.parametrize("p", [1, 2, 5])
def test_entmax_maximises_what_it_should(p):
    """<w, s> and the entropy of order 1 + 1/p, by a general optimiser on the simplex."""
    rng, a = np.random.default_rng(SEED), 1 + 1 / p
    for scores in rng.standard_normal((4, 6)) * 2:
        loss = lambda w, scores=scores: (
            -w @ scores - np.sum(w - np.maximum(w, 0) ** a) / (a * (a - 1))
        )
        peer = minimize(
            loss,
            np.full(6, 1 / 6),
            method="SLSQP",
            bounds=[(0, 1)] * 6,
            constraints={"type": "eq", "fun": lambda w: w.sum() - 1},
            options={"ftol": 1e-13, "maxiter": 500},
        )
        ours = weights([[1.0]], scores[:, None], mechanisms.entmax(p))[0]
        assert loss(ours) <= loss(peer.x) + 1e-12
        assert ours == pytest.approx(peer.x, abs=1e-4)


def test_standardised_rows():
    x = mechanisms.standardised(drawn()[0])
    assert x.mean(axis=1) == pytest.approx(np.zeros(60), abs=1e-15)
    assert x.std(axis=1) == pytest.approx(np.ones(60), rel=1e-14, abs=0)


@both
@each
def test_weights_add_up_and_single_precision_is_kept(rule, causal):
    q, k, _ = drawn()
    w = weights(q, k, rule, causal)
    assert w.sum(axis=1) == pytest.approx(np.ones(60), rel=1e-12, abs=0) and np.all(w >= 0)
    assert not causal or np.all(w == np.tril(w))
    single = weights(q.astype(np.float32), k.astype(np.float32), rule, causal)
    assert single.dtype == np.float32 and single == pytest.approx(w, abs=1e-4)


@each
def test_causal_is_the_dense_form_of_what_was_seen(rule):
    q, k, v = drawn(12)
    found = attend(q, k, v, rule, causal=True)
    for row in range(12):
        seen = slice(row + 1)
        alone = attend(q[row : row + 1], k[seen], v[seen], rule)
        assert found[row] == pytest.approx(alone[0], rel=1e-11, abs=1e-13)


# Features


def rules_and_features(d):
    rng = np.random.default_rng(SEED)
    elu = lambda scores, seen: scores  # not a function of the score: compared by its features
    return {
        "power 2": (mechanisms.power(2), symmetric_power(2)),
        "power 4": (mechanisms.power(4), symmetric_power(4)),
        "taylor 2": (mechanisms.taylor(2), features.taylor_features(2)),
        "taylor 4": (mechanisms.taylor(4), features.taylor_features(4)),
        "elu": (elu, features.elu_plus_one),
        "random": (elu, features.positive_random(d, 16, rng)),
        "sketched": (elu, features.sketched_power(4, d, 6, rng)),
    }


@both
@pytest.mark.parametrize("kind", [np.float32, np.float64])
@pytest.mark.parametrize("block", [1, 7, 60, None])
@pytest.mark.parametrize("name", rules_and_features(5))
def test_linear_time_is_the_dense_form(name, block, kind, causal):
    q, k, v = drawn(kind=kind)
    rule, phi = rules_and_features(5)[name]
    found = attend_by_features(q, k, v, phi, causal, 0.5, block)
    assert found.dtype == kind
    if name.startswith(("power", "taylor")):
        dense = attend(q, k, v, rule, causal, 0.5)
    else:
        u = phi(q * kind(0.5)) @ phi(k).T
        u = np.tril(u) if causal else u
        dense = u @ v / u.sum(axis=1, keepdims=True)
    assert found == pytest.approx(dense, rel=0, abs=2e-4 if kind == np.float32 else 1e-12)


@pytest.mark.parametrize("p", range(1, 6))
def test_features_of_a_power_in_integers(p):
    """With the squares of the roots, which are whole numbers."""
    rng = np.random.default_rng(SEED)
    x, y = rng.integers(-9, 10, (2, 8, 3))
    picks, roots = features._products(3, p)
    orders = np.round(roots**2).astype(int)
    assert roots == pytest.approx(orders**0.5, rel=1e-14, abs=0)
    product = lambda z: np.prod([z[:, place] for place in picks], axis=0)
    assert np.all(product(x) * orders @ product(y).T == (x @ y.T) ** p)
    assert picks.shape[1] == features.number_of_powers(3, p) == math.comb(p + 2, p)


@pytest.mark.slow
def test_a_million_tokens():
    """Two kinds of keys, counted: what comes out is known to the last token."""
    n, ones = 10**6, np.arange(10**6) % 3 == 0
    k = np.where(ones[:, None], [[2.0, 0.0]], [[1.0, 1.0]])
    out = attend_by_features(
        np.tile([[1.0, 0.0]], (n, 1)), k, ones[:, None] * 1.0, symmetric_power(4), True, 1.0
    )
    first = np.cumsum(ones)
    exact = 16 * first / (16 * first + np.arange(1, n + 1) - first)
    assert out[:, 0] == pytest.approx(exact, rel=1e-11, abs=0)


def test_random_features_have_the_mean_of_softmax():
    """Their variance is known: e^(2<x,y> + |x+y|^2) - e^(2<x,y>) for one direction."""
    rng = np.random.default_rng(SEED)
    x, y = np.array([[0.3, -0.5]]), np.array([[0.6, 0.2]])
    count = 10**6
    phi = features.positive_random(2, count, rng)
    score = float((x @ y.T)[0, 0])
    deviation = math.sqrt(
        (math.exp(2 * score + np.sum((x + y) ** 2)) - math.exp(2 * score)) / count
    )
    assert abs(float((phi(x) @ phi(y).T)[0, 0]) - math.exp(score)) < 5 * deviation


def test_a_sketched_power_is_the_square_of_the_sketch():
    """Its scale is that of scikit-learn, and its mean is near the power."""
    x, y = drawn(4, 5)[:2]
    found = features.sketched_power(4, 5, 32, np.random.default_rng(SEED))
    seed = int(np.random.default_rng(SEED).integers(2**31))
    peer = PolynomialCountSketch(degree=2, n_components=32, random_state=seed).fit(x)
    squares = (peer.transform(x) @ peer.transform(y).T) ** 2
    assert found(x) @ found(y).T == pytest.approx(squares, rel=1e-12, abs=0)
    means = np.mean(
        [
            np.sum(phi(x) * phi(y), axis=1)
            for phi in (
                features.sketched_power(2, 5, 64, np.random.default_rng(seed))
                for seed in range(400)
            )
        ],
        axis=0,
    )
    assert means == pytest.approx(np.sum(x * y, axis=1) ** 2, rel=0.2, abs=0.6)


# What cannot be


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda q, k, v: attend(q, k[:, :2], v, mechanisms.plain), "5 dimensions and keys 2"),
        (lambda q, k, v: attend(q[:3], k, v, mechanisms.plain, True), "one query for each key"),
        (lambda q, k, v: attend(q, k, v[:4], mechanisms.plain), "60 keys and 4 values"),
        (lambda q, k, v: attend(q, k, v, mechanisms.power(3)), "take an even power"),
        (lambda q, k, v: attend(q, k, v, mechanisms.power(2.5)), "take an even power"),
        (lambda q, k, v: attend(q, k, v, mechanisms.power(0)), "beta must be"),
        (lambda q, k, v: attend(q, k, v, mechanisms.taylor(3)), "p must be even, got 3"),
        (
            lambda q, k, v: attend(q, -abs(q), v, mechanisms.clipped_power(0.1), scale=9.0),
            "has no key of positive weight",
        ),
        (lambda q, k, v: attend(q, k, v, mechanisms.plain, scale=0), "scale must be"),
        (lambda q, k, v: attend(q * np.nan, k, v, mechanisms.plain), "queries must be finite"),
        (lambda q, k, v: mechanisms.standardised(np.ones((2, 3))), "row 0 has no spread"),
        (
            lambda q, k, v: weights(np.ones((10**5, 1)), np.ones((10**5, 1)), mechanisms.plain),
            "take fewer at a time, or features",
        ),
        (lambda q, k, v: attend_by_features(q, k, v[:4], symmetric_power(2)), "60 keys and 4"),
        (lambda q, k, v: attend_by_features(q, k, v, symmetric_power(1)), "add up to"),
        (
            lambda q, k, v: attend_by_features([[0.5]], [[-1], [0.2]], [[1], [2]], lambda x: x),
            "query 0 has weights that add up to -0.4",
        ),
        (
            lambda q, k, v: attend_by_features(
                np.ones((1, 99)), np.ones((1, 99)), v[:1], symmetric_power(5)
            ),
            "sketch them, take a lower degree",
        ),
        (lambda q, k, v: features.sketched_power(3, 5, 8, np.random.default_rng(0)), "even, got 3"),
        (lambda q, k, v: features.positive_random(5, 8, 0), "numpy.random.Generator"),
    ],
)
def test_bad_input_is_named(call, said):
    with pytest.raises((ValueError, TypeError), match=said):
        call(*drawn())


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (
            lambda: weights([[2.0], [1.0]], [[3.0], [-1.0]], mechanisms.power(3)),
            "query 0 and key 1 have the score -2.0",
        ),
        (
            lambda: weights([[1.0], [-9.0]], [[3.0], [1.0]], mechanisms.clipped_power(2)),
            "query 1 has no key",
        ),
        (lambda: mechanisms.standardised([[1.0, 2.0], [3.0, 3.0]]), "row 1 has no spread"),
    ],
)
def test_the_first_place_where_it_cannot_be_is_named(call, said):
    with pytest.raises(ValueError, match=said):
        call()


def test_scores_next_to_the_largest_keep_the_digits_that_a_power_magnifies():
    [found] = weights([[1.0]], [[3 - 3e-9], [3.0]], mechanisms.power(10**9))
    ratio = math.exp(1e9 * math.log1p((3 - 3e-9 - 3) / 3))
    assert found == pytest.approx([ratio / (1 + ratio), 1 / (1 + ratio)], rel=1e-12, abs=0)
    assert ratio != pytest.approx(math.exp(1e9 * math.log((3 - 3e-9) / 3)), rel=1e-9, abs=0)


def test_the_feature_of_linear_attention_has_one_slope_from_zero_on():
    x = np.array([[-2.0, -1e-9, 0.0, 1e-9, 0.5, 1.0, 3.0]])
    known = np.where(x > 0, x, np.expm1(x)) + 1
    assert features.elu_plus_one(x) == pytest.approx(known, rel=1e-15, abs=0)


def test_more_features_than_fit_a_block_are_taken_token_by_token(monkeypatch):
    monkeypatch.setattr(features, "BLOCK", 5)
    x = np.random.default_rng(3).normal(size=(4, 3))
    by_features = features.attend_by_features(x, x, x, features.symmetric_power(2))
    assert np.allclose(by_features, mechanisms.attend(x, x, x, mechanisms.power(2)))
