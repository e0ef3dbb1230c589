"""Trained networks against what is known of them: the formula of a layer, targets of known rank, and a floor no small rank gets under."""

import os
import subprocess
import sys

import numpy as np
import pytest

from polycore import training
from polycore.training import Problem, Shape, digits, evaluate, network, orthonormal, rank_problem, train, train_all

SHAPE = Shape(2, (3, 3, 2, 1))


def by_hand(one, x, shape):
    """The same network from the formulas of the docstring, unit by unit."""
    h = one["embed"].T @ x + one["shift"]
    for matrices in one["layers"]:
        out = np.array([np.prod([matrices[k][:, j] @ h for k in range(power)]) for j, power in enumerate(shape.powers)])
        h = out / np.sqrt(np.mean(out**2) + 1e-6) if shape.normalised else out
    return one["readout"].T @ h


@pytest.mark.parametrize("normalised", [True, False])
def test_a_network_is_its_formula(normalised):
    rng, shape = np.random.default_rng(0), Shape(2, SHAPE.powers, normalised=normalised)
    one = {name: value[0] for name, value in training._initial(shape, 1, 3, 2, rng).items()}
    x = rng.uniform(-1, 1, (5, 3))
    expected = [by_hand(one, row, shape) for row in x]
    assert np.asarray(network(one, np.float32(x), shape)) == pytest.approx(np.array(expected), rel=1e-3, abs=1e-4)


def test_a_real_power_is_that_of_the_modulus():
    one = {"embed": np.eye(1), "shift": np.zeros(1), "layers": np.array([[[[1.0]], [[-2.0]]]]), "readout": np.ones((1, 1))}
    found = network(one, np.array([[3.0]]), Shape(1, (2,), exponent=0.5, normalised=False))
    assert found.item() == pytest.approx(3 * 6**0.5, rel=1e-5)


def test_targets_have_equal_singular_values_and_are_orthonormal():
    problem = rank_problem(2, 2, np.random.default_rng(1), points=20000)
    left, right = (orthonormal(2, x) for x in (problem.x[:, :2], problem.x[:, 2:]))
    assert left.T @ left / len(left) == pytest.approx(np.eye(6), abs=0.1)  # five standard errors are less
    features = (left[:, :, None] * right[:, None]).reshape(len(left), -1)
    C = np.linalg.lstsq(features, problem.y[..., 0].T, rcond=None)[0].T.reshape(2, 6, 6)
    assert np.linalg.svd(C, compute_uv=False) == pytest.approx(np.full((2, 6), 6**-0.5))
    assert not np.allclose(*C)


def test_training_lowers_the_error_and_a_seed_repeats_itself():
    problem = rank_problem(1, 3, np.random.default_rng(2))
    runs = [train(SHAPE, problem, 3, np.random.default_rng(4), steps=200) for _ in range(2)]
    (parameters, curve), (_, again) = runs
    assert curve.shape == (3, 8) and np.array_equal(curve, again)
    assert (curve[:, -1] < 0.7 * curve[:, 0]).all()
    held = problem.x[-problem.held_out :], problem.y[:, -problem.held_out :]
    error = np.mean((evaluate(parameters, held[0], SHAPE) - held[1]) ** 2, axis=(1, 2)) / np.var(held[1], axis=(1, 2))
    assert error == pytest.approx(curve[:, -1], rel=1e-3)


def test_shuffled_targets_are_not_learned():
    """What the error would be if the points that it is measured on had been trained on is not what it is."""
    problem = rank_problem(1, 2, np.random.default_rng(2), points=256, held_out=128)
    shuffled = Problem(problem.x, np.random.default_rng(3).permuted(problem.y, axis=1), 128)
    assert (train(SHAPE, shuffled, 2, np.random.default_rng(4), steps=200)[1][:, -1] > 0.8).all()


def test_digits_are_told_apart_on_pictures_not_seen():
    parameters, curve = train(Shape(2, (2,) * 8), digits(), 2, np.random.default_rng(0), steps=300)
    held = digits().x[-400:], digits().y[0, -400:].argmax(axis=1)
    answers = evaluate(parameters, held[0], Shape(2, (2,) * 8)).argmax(axis=2)
    assert np.mean(answers != held[1], axis=1) == pytest.approx(curve[:, -1]) and (curve[:, -1] < 0.1).all()
    assert (np.mean(answers != np.roll(held[1], 1), axis=1) > 0.8).all()


def test_many_in_threads_are_the_same_as_one_by_one():
    problem = rank_problem(1, 2, np.random.default_rng(2), points=512, held_out=128)
    def jobs():
        return {k: (SHAPE, problem, 2, np.random.default_rng(k), 50) for k in range(2)}
    alone = train_all(jobs())
    together = train_all(jobs(), workers=2)
    assert alone.keys() == together.keys() and all(np.array_equal(alone[k][1], together[k][1]) for k in alone)


def test_compiled_code_is_kept_and_half_a_file_of_it_does_no_harm(tmp_path):
    code = (
        "import numpy as np; from polycore.training import *; rng = np.random.default_rng(0); problem = rank_problem(1, 2, rng, 64, 16);"
        "print(train(Shape(1, (2, 1)), problem, 2, rng, 25)[1].tolist())"
    )
    environment = os.environ | {"JAX_COMPILATION_CACHE_DIR": str(tmp_path)}
    run = lambda: subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    first, kept = run(), list(tmp_path.iterdir())
    for file in kept:
        file.write_bytes(file.read_bytes()[:1000])
    second = run()
    assert kept and second.stdout == first.stdout and not second.stderr


@pytest.mark.parametrize(("call", "error", "words"), [
    (lambda: Shape(0, (2,)), ValueError, "layers must be an integer >= 1, got 0"),
    (lambda: Shape(1, (2, 3)), ValueError, "powers must be a degree for each unit, the largest first, got (2, 3)"),
    (lambda: Shape(1, ()), ValueError, "powers must be a degree for each unit"),
    (lambda: Shape(1, (2,), exponent=0), ValueError, "exponent must be a finite real number > 0"),
    (lambda: rank_problem(9, 1, np.random.default_rng(0)), ValueError, "degree must be an integer <= 8, got 9"),
    (lambda: rank_problem(1, 1, 0), TypeError, "pass numpy.random.default_rng(seed)"),
    (lambda: train(SHAPE, digits(), 2, np.random.default_rng(0), steps=30), ValueError, "steps must be a multiple of 25, after which the error is measured, got 30"),
    (lambda: train(SHAPE, rank_problem(1, 3, np.random.default_rng(0), points=64, held_out=16), 2, np.random.default_rng(0)), ValueError, "seeds must be 3, for which there are targets, got 2"),
    (lambda: train_all({}, workers=0), ValueError, "workers must be an integer >= 1, got 0"),
])  # fmt: skip
def test_bad_input_is_refused_before_any_work(call, error, words):
    with pytest.raises(error) as found:
        call()
    assert words in str(found.value)
