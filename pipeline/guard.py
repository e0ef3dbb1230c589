"""What a chapter's kernel does besides running its cells: it refuses to let the equality of floats
decide anything.

A float that is 2.5 on one processor is 2.5000000000000004 on another. So in every cell each side of
==, != and `in` is looked at when it is compared, and a float among them is an error, which names
the comparison.
"""

from __future__ import annotations

import ast
import copy
from numbers import Complex, Rational
from typing import TYPE_CHECKING, TypeVar

import numpy as np

if TYPE_CHECKING:
    from IPython.core.interactiveshell import InteractiveShell

Side = TypeVar("Side")
CONTAINERS = (list, tuple, set, frozenset)
REMEDY = "compare with an error in mind (polycore.evidence.numeric), or compute it exactly"


class FloatEquality(AssertionError):
    """Two floats were compared for equality, which the last bit decides."""


class Guard(ast.NodeTransformer):
    """Each side of an equality, and what is looked for with `in`, goes through `exact_side`."""

    def visit_Compare(self, node: ast.Compare) -> ast.Compare:
        original = copy.deepcopy(node)
        self.generic_visit(node)
        sides = [node.left, *node.comparators]
        for place, operation in enumerate(node.ops):
            looked_at = (
                2
                if isinstance(operation, (ast.Eq, ast.NotEq))
                else isinstance(operation, (ast.In, ast.NotIn))
            )
            for side in range(place, place + looked_at):
                sides[side] = _looked_at(sides[side], ast.unparse(original))
        return ast.copy_location(ast.Compare(sides[0], node.ops, sides[1:]), node)


def _looked_at(side, comparison):
    call = ast.Call(ast.Name("__exact_side__", ast.Load()), [side, ast.Constant(comparison)], [])
    return ast.fix_missing_locations(ast.copy_location(call, side))


def exact_side(value: Side, comparison: str) -> Side:
    """`value`, if no float is in it."""
    if inexact(value):
        raise FloatEquality(
            f"{comparison!r} compares {value!r} for equality, and a float may differ in its last "
            f"bit; {REMEDY}"
        )
    return value


def inexact(value: object) -> bool:
    """Whether a float decides what `value` is equal to.

    >>> inexact(0.5), inexact([1, "a"]), inexact({"a": [2.0]}), inexact(np.array([1]))
    (True, False, True, False)
    """
    if isinstance(value, (np.ndarray, np.generic)):
        return (
            value.dtype.kind in "fc"
            or value.dtype.kind == "O"
            and any(map(inexact, np.ravel(value).tolist()))
        )
    if isinstance(value, CONTAINERS):
        return any(map(inexact, value))
    if isinstance(value, dict):
        return any(map(inexact, value.values()))
    return (
        isinstance(value, Complex)
        and not isinstance(value, Rational)
        or getattr(value, "is_Float", False) is True
    )


def install(shell: InteractiveShell) -> None:
    """Guard every cell that this IPython shell runs from now on."""
    shell.user_ns_hidden["__exact_side__"] = shell.user_ns["__exact_side__"] = exact_side
    shell.ast_transformers.append(Guard())
