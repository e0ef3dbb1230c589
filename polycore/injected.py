"""The values that papermill puts in place of a chapter's parameters: one with a name that the
chapter does not have is refused, where papermill itself would run the chapter unchanged.

Importing the core in a notebook is enough: `watch` is called there.
"""

import ast
import builtins
from collections.abc import Iterable
from difflib import get_close_matches

__all__ = ["UnknownParameter", "assigned", "refuse_unknown", "watch"]

INJECTED = "# Parameters\n"  # how papermill begins the cell that it adds after the parameters
ALWAYS = {"profile"}  # that a build gives to every chapter


class UnknownParameter(ValueError):
    """A value for a parameter that a chapter does not have."""


def assigned(source: str) -> list[str]:
    """The names that a cell assigns to, in their order; none where it is no Python.

    >>> assigned("kappa = 0.3  # of the degree\\nsize = 8")
    ['kappa', 'size']
    >>> assigned("%time kappa = 0.3")
    []
    """
    try:
        body = ast.parse(source).body
    except SyntaxError:
        return []
    targets = [target for node in body if isinstance(node, ast.Assign) for target in node.targets]
    return [target.id for target in targets if isinstance(target, ast.Name)]


def refuse_unknown(given: Iterable[str], own: Iterable[str]) -> None:
    """UnknownParameter for the first name `given` that is not among a chapter's `own`.

    >>> refuse_unknown(["kapa"], ["kappa", "size"])
    Traceback (most recent call last):
    polycore.injected.UnknownParameter: this chapter has no parameter kapa. Did you mean kappa? It
    has kappa, size
    """
    own = list(own)
    for name in given:
        if name not in {*own, *ALWAYS}:
            meant = "".join(f" Did you mean {one}?" for one in get_close_matches(name, own, 1))
            raise UnknownParameter(
                f"this chapter has no parameter {name}.{meant} It has {', '.join(own)}"
            )


class _Watch:
    """Sees each cell before it is run; the one before the injected cell holds the parameters."""

    def __init__(self):
        self.before = ""

    def __call__(self, lines):
        source = "".join(lines)
        if source.startswith(INJECTED):
            refuse_unknown(assigned(source), assigned(self.before))
        self.before = source
        return lines


def watch() -> None:
    """Look at all cells from now on, where this is a notebook; once is enough."""
    shell = getattr(builtins, "get_ipython", lambda: None)()
    seen = getattr(shell, "input_transformers_post", None)
    if seen is not None and not any(isinstance(one, _Watch) for one in seen):
        seen.append(_Watch())
