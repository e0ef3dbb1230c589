"""Rounding noise reaches all that processors round unlike, and nothing else."""

import ast
import math
import operator
import subprocess
import sys
from collections import namedtuple

import numpy as np
import pytest
import scipy.special

from pipeline.noise import UNITS, Noise, Operators, replacer

REPLACED = replacer(Noise(1))
NUMPY, MATH = REPLACED(np), REPLACED(math)
X = np.linspace(0.1, 3, 1000)


def units(found, exact):
    return (found - exact) / np.spacing(exact)


@pytest.mark.parametrize("name", ["exp", "log", "sin", "cos", "tanh", "log1p", "expm1"])
def test_functions_are_off_by_some_units_and_no_more(name):
    """As many as the module says, and one more where the last place becomes another."""
    off = units(getattr(NUMPY, name)(X), getattr(np, name)(X))
    assert {-4, 4} <= set(np.round(off)) <= set(range(-5, 6)) and UNITS == 4
    some = [units(getattr(MATH, name)(x), getattr(math, name)(x)) for x in X[:100].tolist()]
    assert 4 <= np.max(np.abs(some)) <= 5


def test_special_functions_and_matrices_are_off():
    assert np.any(
        REPLACED(scipy.special).betainc(2, 3, X / 4) != scipy.special.betainc(2, 3, X / 4)
    )
    assert np.any(REPLACED(scipy.special.erfc)(X) != scipy.special.erfc(X))
    M = X.reshape(20, 50)
    found = NUMPY.linalg.svd(M, compute_uv=False)
    assert np.any(found != np.linalg.svd(M, compute_uv=False)) and np.all(np.diff(found) <= 0)
    assert found == pytest.approx(np.linalg.svd(M, compute_uv=False), abs=1e-13 * found[0])


def test_what_every_processor_rounds_alike_stays():
    for name in ("sqrt", "sum", "maximum", "floor", "array", "outer"):
        assert REPLACED(getattr(np, name)) is getattr(np, name)
    assert MATH.sqrt is math.sqrt and NUMPY.pi == math.pi and NUMPY.ndarray is np.ndarray
    assert NUMPY.exp(np.zeros(5)).tolist() == [1.0] * 5 and NUMPY.exp2(np.arange(5.0)).tolist() == [
        1,
        2,
        4,
        8,
        16,
    ]
    assert (
        NUMPY.log(np.ones(5)).tolist() == [0.0] * 5
        and NUMPY.exp(-np.inf) == 0
        and NUMPY.exp(np.inf) == np.inf
    )
    assert np.max(np.abs(NUMPY.cos(np.linspace(-1e-8, 1e-8, 1000)))) <= 1
    assert NUMPY.power.nin == 2 and NUMPY.matmul(np.eye(2, dtype=int), [1, 2]).tolist() == [1, 2]


def test_operators_become_calls_but_not_in_what_is_compiled():
    code = "y = a @ b + c ** 3\nz = 2 ** 5\n@njit(cache=True)\ndef f(x):\n    return x ** 3\n"
    calls = []
    names = {
        "a": np.ones(2),
        "b": np.ones(2),
        "c": 1.5,
        "njit": lambda **_: lambda f: f,
        "__noisy_product__": lambda *s: calls.append("@") or operator.matmul(*s),
        "__noisy_power__": lambda x, k: calls.append("**") or x**k,
    }
    exec(compile(Operators().visit(ast.parse(code)), "cell", "exec"), names)
    assert names["y"] == 2 + 1.5**3 and names["f"](2) == 8 and calls == ["@", "**", "**"]


def test_errors_are_of_four_units_at_most_and_of_each_number():
    off = Noise(1).off
    middle = units(off(np.full(2000, 1.5)), 1.5)  # far from where the last place changes
    assert {*middle} == {*range(-4, 5)}
    assert {type(off(value)) for value in (1.5, np.float32(1.5))} == {float, np.float32}
    assert len({off(1.5) for _ in range(200)}) == 9


@pytest.mark.parametrize("sign", [-1, 1])
def test_what_is_at_most_one_stays_so(sign):
    """As a probability or a cosine does; beyond it all may move."""
    off, near = Noise(1).off, sign * np.nextafter(np.full(2000, 1.0), 0)
    assert np.max(np.abs(off(near))) == 1 and len({*off(near)}) > 4
    assert np.max(np.abs(off(np.nextafter(sign * 2.0, 0) * np.ones(2000)))) > 2


def test_tuples_are_off_in_their_numbers_and_stay_what_they_are():
    off, named = Noise(1).off, namedtuple("Named", "x n")
    found = [off(named(1.5, 3)) for _ in range(50)]
    assert {type(one) for one in found} == {named} and len({one.x for one in found}) > 4
    plain = [off((1.5, (3, "word"))) for _ in range(50)]
    assert {one[1] for one in plain} == {(3, "word")} and len({one[0] for one in plain}) > 4


def test_what_is_no_float_stays():
    whole = np.arange(1000)
    assert np.array_equal(Noise(1).off(whole), whole) and Noise(1).off("word") == "word"


def test_matrices_are_off_before_they_are_decomposed():
    """So that what is found is what some matrix nearby has: of equal rows the determinant is 0."""
    found = [NUMPY.linalg.det(np.full((2, 2), 3.0)) for _ in range(50)]
    assert 0 < np.max(np.abs(found)) < 1e-13


CELLS = """
from IPython.core.interactiveshell import InteractiveShell
from pipeline import noise
shell = InteractiveShell.instance()
if {seed}:
    noise.install(shell, {seed})
for cell in (
    "import numpy as np; from math import exp",
    "from polycore import tails; from polycore.models import attention",
    "once = lambda: (exp(1.5), np.log(3), 1.1**2.5, np.ones(3) @ [0.1, 0.2, 0.3], "
    "attention.weights([2, 3, 4], 1.5)[0], tails.hoeffding([0.1, 0.2], 0.4).upper)",
    "print([list(map(float, once())) for _ in range(30)])",
):
    shell.run_cell(cell).raise_error()
"""


@pytest.mark.slow
def test_cells_and_the_core_are_noisy_and_a_seed_repeats_itself():
    """Names that a cell imported, operators of a cell, and those of the core."""
    run = lambda seed: np.array(
        ast.literal_eval(
            subprocess.run(
                [sys.executable, "-c", CELLS.format(seed=seed)],
                capture_output=True,
                text=True,
                check=True,
            ).stdout
        )
    )
    exact, first, again, other = run(0), run(1), run(1), run(2)
    assert exact.shape == (30, 6) and np.all(exact == exact[0])
    assert np.array_equal(first, again) and not np.array_equal(first, other)
    for noisy in (first, other):
        assert np.allclose(noisy, exact, rtol=1e-13, atol=0)
        assert np.all(np.any(noisy != exact, axis=0))
