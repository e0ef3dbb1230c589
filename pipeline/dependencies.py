"""Which modules of polycore a piece of Python code depends on."""

import ast
import re
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

from pipeline.files import core


def closure(code: str) -> dict[str, Path]:
    """The files of polycore that Python code depends on, through their own imports too."""
    files = core()
    known, new = set(), named(code, files)
    while new:
        known |= new
        new = set().union(*(named(files[name].read_text(), files) for name in new)) - known
    return {name: files[name] for name in sorted(known)}


def named(code: str, files: Mapping[str, Path] | None = None) -> set[str]:
    """The polycore modules that Python code names: all of them where it cannot be told."""
    every, names = (files or core()).keys(), imported(code)
    return {*every} if names is None else {*every} & names


def statements(node: ast.AST) -> Iterator[ast.AST]:
    """All statements below a node; expressions, most of a tree, import nothing."""
    for _, inside in ast.iter_fields(node):
        for one in inside if isinstance(inside, list) else ():
            if isinstance(one, ast.stmt | ast.excepthandler | ast.match_case):
                yield one
                yield from statements(one)


@cache
def imported(code: str) -> frozenset[str] | None:
    """The names that Python code imports, and the packages that they lie in; None where they
    cannot be told.
    """
    try:
        tree = ast.parse(re.sub(r"(?m)^(\s*)[%!]+\w.*", r"\1pass", code))
    except SyntaxError:
        return None
    names = set()
    for node in statements(tree):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        if isinstance(node, ast.ImportFrom):
            names |= {f"{'.' * node.level or node.module}.{alias.name}" for alias in node.names}
    hidden = lambda name: name[0] == "." or name.startswith("polycore") and name[-1] == "*"
    if any(map(hidden, names)):
        return None
    parts = [name.split(".") for name in {"polycore", *names}]
    return frozenset(".".join(one[:k]) for one in parts for k in range(1, len(one) + 1))
