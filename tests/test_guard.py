"""In the kernels of the build the equality of floats is an error, wherever it stands in a cell."""

import ast
from fractions import Fraction

import numpy as np
import pytest
from sympy import Float, Symbol

from pipeline.guard import FloatEquality, Guard, exact_side

HERE = {
    "np": np,
    "Fraction": Fraction,
    "x": 0.5,
    "small": np.array([2.5]),
    "__exact_side__": exact_side,
    "Float": Float,
    "s": Symbol("s"),
}


def run(code):
    exec(compile(Guard().visit(ast.parse(code)), "cell", "exec"), found := dict(HERE))
    return found.get("y")


@pytest.mark.parametrize(
    "code",
    [
        "np.all(small == 2.5)",
        "x != 1",
        "x in (0, 1)",
        "[1, x] == [1, 2]",
        "{'a': x} == {}",
        "y = (lambda a: a == 1)(x)",
        "1 == 1 == x",
        "assert np.float32(1) == 1",
        "y = [k for k in (1, 2) if k == x]",
        "Float(1) == 1",
        "np.array([x, 's'], object) == 1",
        "(x, 1) in [(1, 1)]",
        "def inner():\n    return x == 2\ninner()",
    ],
)
def test_floats_are_refused_where_they_are_compared(code):
    with pytest.raises(
        FloatEquality, match="compares .* for equality, and a float may differ in its last bit"
    ):
        run(code)


@pytest.mark.parametrize(
    "code",
    [
        "y = (1 == 1)",
        "y = (Fraction(1, 2) == Fraction(1, 2))",
        "y = np.all(np.array([1, 2]) == 1)",
        "y = x < 1",
        "y = 'a' in ('a', 'b')",
        "y = (s == s)",
        "y = 0 <= x <= 1",
        "y = np.int8(1) in {1}",
        "y = None is None",
        "y = [1, ['a']] == [1, ['a']]",
        "y = 1 not in [2]",
    ],
)
def test_everything_else_is_compared_as_it_stands(code):
    expected = dict(HERE)
    exec(code, expected)
    assert np.all(run(code) == expected["y"])


def test_each_side_is_computed_once():
    assert run("y = []\nassert y.append(1) == None\nassert len(y) == 1") == [1]
