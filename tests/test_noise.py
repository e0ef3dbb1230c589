"""Rounding noise reaches all that processors round unlike, and nothing else."""

import ast
import math
import operator
import subprocess
import sys

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


CELLS = """
from IPython.core.interactiveshell import InteractiveShell
from pipeline import noise
shell = InteractiveShell.instance()
noise.install(shell, {seed})
for cell in (
    "import numpy as np; from math import exp",
    "from polycore import tails; from polycore.models import attention",
    "core = attention.weights([2, 3, 4], 1.5)[0], tails.hoeffding([0.1, 0.2], 0.2).upper",
    "print(exp(1.5), np.log(3), 1.1**2.5, np.ones(3) @ [0.1, 0.2, 0.3], *core)",
):
    shell.run_cell(cell).raise_error()
"""


@pytest.mark.slow
def test_cells_and_the_core_are_noisy_and_a_seed_repeats_itself():
    run = lambda seed: subprocess.run(
        [sys.executable, "-c", CELLS.format(seed=seed)], capture_output=True, text=True, check=True
    ).stdout.split()
    first, again, other = run(1), run(1), run(2)
    assert first == again and len(first) == 6
    assert sum(one != two for one, two in zip(first, other)) >= 4
    assert list(map(float, first)) == pytest.approx(list(map(float, other)), rel=1e-13, abs=0)
