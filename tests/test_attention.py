"""Defining properties of Definition 3.7, against mpmath and scipy's softmax."""

import math
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import softmax

from polycore.models import attention

cases = settings(deadline=None, derandomize=True)
scores = st.lists(st.floats(0.01, 100), min_size=1, max_size=12)
betas = st.floats(0, 60)
U = 2.0**-53
# Error of exp(beta ln(z/top)): |exponent| times a few roundings; 60 ln(10^4) = 553 here.
RTOL = 8 * 553 * U


def exact(z, beta, counts=None, digits=60):
    """f in one line of mpmath."""
    with mpmath.workdps(digits):
        u = [mpmath.mpf(x) ** mpmath.mpf(beta) for x in z]
        alpha = mpmath.fsum(c * v for c, v in zip(counts or [1] * len(u), u))
        return [v / alpha for v in u], alpha


@cases
@given(scores, betas)
def test_weights_sum_to_one_and_equal_mpmath_and_softmax_of_log_scores(z, beta):
    f = attention.weights(z, beta)
    assert f.sum() == pytest.approx(1, rel=RTOL, abs=0)
    assert f == pytest.approx([float(v) for v in exact(z, beta)[0]], rel=RTOL, abs=1e-300)
    # the plain softmax carries beta |ln z| 2^-53 of cancellation
    assert f == pytest.approx(softmax(beta * np.log(z)), rel=RTOL, abs=1e-300)


@cases
@given(scores, betas, st.floats(1e-3, 1e3), st.randoms(use_true_random=False))
def test_scale_permutation_and_monotonicity(z, beta, scale, random):
    f = attention.weights(z, beta)
    # c z is itself rounded: beta 2^-53 on each side
    assert attention.weights(np.array(z) * scale, beta) == pytest.approx(
        f, rel=RTOL + 4 * beta * U, abs=1e-300
    )
    order = random.sample(range(len(z)), len(z))
    assert attention.weights(np.array(z)[order], beta) == pytest.approx(f[order], rel=RTOL, abs=0)
    ranked = f[np.argsort(z)]
    assert (ranked[1:] >= ranked[:-1] * (1 - RTOL)).all()
    assert attention.weights(z, 0) == pytest.approx(np.full(len(z), 1 / len(z)), rel=RTOL, abs=0)


@cases
@given(scores, betas, st.data())
def test_classes_agree_with_the_expanded_array(z, beta, data):
    counts = data.draw(st.lists(st.integers(1, 9), min_size=len(z), max_size=len(z)))
    long = np.repeat(z, counts)
    assert np.repeat(attention.weights(z, beta, counts), counts) == pytest.approx(
        attention.weights(long, beta), rel=RTOL, abs=0
    )
    assert attention.squared_norm(z, beta, counts) == pytest.approx(
        np.sum(attention.weights(long, beta) ** 2), rel=2 * RTOL, abs=0
    )
    assert attention.log_normaliser(z, beta, counts) == pytest.approx(
        attention.log_normaliser(long, beta), abs=RTOL
    )
    log_u = attention.log_unnormalised(z, beta)
    assert attention.log_weights(z, beta, counts) + attention.log_normaliser(
        z, beta, counts
    ) == pytest.approx(log_u, abs=RTOL)


@pytest.mark.parametrize("beta", [0.45 * np.log2(1e12), 1e4, 1e7])
def test_large_degree_and_large_n_neither_overflow_nor_lose_the_small_entries(beta):
    z, counts = [2.0, 2.7, 3.9999, 4.0], [10**12, 7, 3, 10**11]
    f, alpha = exact(z, beta, counts, digits=80)
    with mpmath.workdps(80):
        log_f, log_alpha = [float(mpmath.log(v)) for v in f], float(mpmath.log(alpha))
    assert attention.log_weights(z, beta, counts) == pytest.approx(log_f, rel=8 * U, abs=0)
    assert attention.log_normaliser(z, beta, counts) == pytest.approx(log_alpha, rel=8 * U, abs=0)
    seen = np.array([float(v) for v in f])
    assert attention.weights(z, beta, counts)[seen > 1e-300] == pytest.approx(
        seen[seen > 1e-300], rel=RTOL, abs=0
    )


def test_scores_next_to_the_largest_keep_the_digits_that_the_degree_magnifies():
    """Their quotient is rounded, where the largest is no power of two; their difference is not."""
    z, beta = [2.9, 3 - 3e-9, 3.0], 1e9
    with mpmath.workdps(80):
        logs = [float(mpmath.log(v)) for v in exact(z, beta, digits=80)[0]]
    assert attention.log_weights(z, beta) == pytest.approx(logs, rel=1e-14, abs=0)
    rounded = 1e9 * np.log(np.array(z) / 3) - np.log1p(np.exp(1e9 * np.log(z[1] / 3)))
    assert abs(rounded[1] / logs[1] - 1) > 1e-9


def test_the_textbook_formula_is_rejected():
    z, beta = np.array([2.0, 3.9999, 4.0]), 1e4
    with np.errstate(all="ignore"):
        assert np.isnan(z**beta / np.sum(z**beta)).any()
    # and the log domain without centring loses the digits that beta magnifies
    true = np.array([float(mpmath.log(v)) for v in exact(z, 1e7)[0]])
    naive = 1e7 * np.log(z) - 1e7 * np.log(4.0)
    assert abs(naive[1] / true[1] - 1) > 1e-13 > abs(attention.log_weights(z, 1e7)[1] / true[1] - 1)


def test_a_zero_score_has_weight_zero_unless_beta_is_zero():
    assert attention.weights([0, 3], 0.5).tolist() == [0, 1]
    assert attention.weights([0, 3], 0).tolist() == [0.5, 0.5]
    assert attention.weights([1e-300, 1.0], 0.01)[0] == pytest.approx(
        1e-3 / (1 + 1e-3), rel=1e-13, abs=0
    )


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (
            lambda: attention.weights([], 1),
            ValueError,
            "scores must be a non-empty one-dimensional array, got shape (0,)",
        ),
        (lambda: attention.weights([[1.0]], 1), ValueError, "got shape (1, 1)"),
        (lambda: attention.weights([-1.0, 2], 1), ValueError, "scores must be >= 0, got -1.0"),
        (lambda: attention.weights([0, 0], 1), ValueError, "scores are all zero"),
        (
            lambda: attention.weights([1, np.nan], 1),
            ValueError,
            "scores must be finite, got nan at index 1",
        ),
        (
            lambda: attention.weights([1e-300, 1e300], 1),
            ValueError,
            "span more than float64 can divide",
        ),
        (lambda: attention.weights(["a"], 1), TypeError, "scores must be real numbers"),
        (
            lambda: attention.weights([True], 1),
            TypeError,
            "scores must be real numbers, got dtype bool",
        ),
        (
            lambda: attention.weights([1], -0.5),
            ValueError,
            "beta must be a finite real number >= 0, got -0.5",
        ),
        (
            lambda: attention.weights([1], np.nan),
            ValueError,
            "beta must be a finite real number >= 0, got nan: an earlier 0/0",
        ),
        (lambda: attention.weights([1], np.inf), ValueError, "got inf"),
        (lambda: attention.weights([1], "2"), TypeError, "got '2' (str)"),
        (lambda: attention.weights([1], True), TypeError, "got True (bool)"),
        (
            lambda: attention.weights([1, 2], 1, [1]),
            ValueError,
            "counts has 1 entries for 2 classes",
        ),
        (
            lambda: attention.weights([1, 2], 1, [1, 0]),
            ValueError,
            "counts must be integers >= 1, got 0.0: leave an empty class out",
        ),
        (lambda: attention.weights([1, 2], 1, [1, 2.5]), ValueError, "got 2.5"),
        (lambda: attention.log_unnormalised([1, 2], -1), ValueError, "beta"),
    ],
)
def test_errors_name_the_value_and_the_remedy(call, error, message):
    with pytest.raises(error) as caught:
        call()
    assert message in str(caught.value)


# Definitions 1.1 and 1.2, against the formula written out entry by entry.


def written_out(A, Q, K, V, f):
    """Att = D^-1 f(A Q K^T A^T) A V, by loops."""
    n, d = len(A), len(A[0])
    scores = [
        [
            sum(
                A[i][a] * Q[a][b] * K[c][b] * A[j][c]
                for a in range(d)
                for b in range(d)
                for c in range(d)
            )
            for j in range(n)
        ]
        for i in range(n)
    ]
    values = [[sum(A[j][a] * V[a][b] for a in range(d)) for b in range(d)] for j in range(n)]
    return [
        [sum(f(s) * v[b] for s, v in zip(row, values)) / sum(map(f, row)) for b in range(d)]
        for row in scores
    ]


def members(seed, n=4, d=3, low=1):
    rng = np.random.default_rng(seed)
    return [rng.integers(low, 4, shape) for shape in ((n, d), (d, d), (d, d), (d, d))]


@pytest.mark.parametrize("beta", [0, 1, 3])
def test_polynomial_attention_is_its_definition_in_rationals(beta):
    A, Q, K, V = members(beta)
    exact = written_out(*(M.astype(object) + Fraction(0) for M in (A, Q, K, V)), lambda z: z**beta)
    computed = attention.polynomial_attention(A, Q, K, V, beta)
    assert np.max(np.abs(computed / np.array(exact, dtype=float) - 1)) < 2**-45
    transposed = attention.polynomial_attention(
        A, K, Q, V, beta
    )  # Q and K exchanged: another mechanism
    assert beta == 0 or not np.allclose(computed, transposed)


def test_softmax_attention_is_its_definition():
    A, Q, K, V = (M / 8 for M in members(7, low=-3))
    exact = np.array(written_out(A, Q, K, V, math.exp))
    assert np.max(np.abs(attention.softmax_attention(A, Q, K, V) - exact)) < 2**-45


def test_attention_survives_what_powers_and_exponentials_do_not():
    A, one = np.array([[100.0], [200.0]]), np.eye(1)
    assert np.allclose(attention.polynomial_attention(A, one, one, one, 1e4), 200)
    assert np.allclose(attention.softmax_attention(A, one, one, one), 200)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"Q": np.eye(2)}, r"Q must have shape \(3, 3\), as A has 3 columns, got \(2, 2\)"),
        ({"A": [1.0, 2.0]}, r"A must be a non-empty two-dimensional array, got shape \(2,\)"),
        ({"V": np.full((3, 3), np.nan)}, r"V must be finite, got nan at index \(0, 0\)"),
        ({"A": -np.eye(3), "Q": np.ones((3, 3)) - 2}, "scores must be >= 0"),
    ],
)
def test_attention_names_the_wrong_matrix(change, message):
    arguments = dict(zip("AQKV", (np.ones((4, 3)), np.eye(3), np.eye(3), np.eye(3)))) | change
    with pytest.raises(ValueError, match=message):
        attention.polynomial_attention(*arguments.values(), 2)


def test_the_degree_is_that_of_the_window():
    assert attention.degree(1 / 3, 8**5) == pytest.approx(5) and list(
        attention.degree(np.array([0, 1]), 2**70)
    ) == [0, 70]
    for kappa, n, said in (
        (math.nan, 4, "kappa must be finite"),
        (np.array([1, np.inf]), 4, "kappa must be finite"),
        (1, 0, "n must be an integer >= 1"),
    ):
        with pytest.raises(ValueError, match=said):
            attention.degree(kappa, n)
