"""The wings of polycore: which may import which, so that a number and the theorem about it share
no code.
"""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

from pipeline.files import core

ROOT = Path(__file__).parents[1]
ALONE = {
    "checks",
    "figures",
    "injected",
    "montecarlo",
    "provenance",
    "record",
    "running_example",
    "runs",
    "thresholds",
}
MAY_IMPORT = {
    "proof": {"proof"},
    "theory": {"proof", "theory"},
    "tails": {"tails", "checks", "montecarlo"},
    "models": {"models", "tails", "checks"},
    "ranks": {"ranks", "checks", "montecarlo", "runs"},
    "language": {"language", "models", "checks", "montecarlo", "runs"},
    "trained": {"trained", "ranks", "language", "models", "checks", "montecarlo", "runs"},
    "evidence": {
        "evidence",
        "models",
        "proof",
        "tails",
        "checks",
        "montecarlo",
        "record",
        "thresholds",
    },
    "montecarlo": {"checks"},
    "thresholds": {"checks"},
    "runs": {"provenance"},
    "running_example": {"figures", "models", "tails", "checks"},
}


def imported(source):
    """The wings and single modules of polycore that a module imports, also inside functions."""
    nodes = list(ast.walk(ast.parse(source)))
    names = [alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names]
    names += [
        f"{node.module}.{alias.name}"
        for node in nodes
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    ]
    return {name.split(".")[1] for name in names if name.startswith("polycore.")}


@pytest.fixture(scope="module")
def graph():
    return {name: imported((ROOT / path).read_text("utf-8")) for name, path in core().items()}


@pytest.mark.parametrize(
    "wing",
    [
        "proof",
        "theory",
        "tails",
        "models",
        "ranks",
        "language",
        "trained",
        "evidence",
        *sorted(ALONE),
    ],
)
def test_a_wing_imports_only_what_it_may(wing, graph):
    inside = {name: found for name, found in graph.items() if name.split(".")[1:2] == [wing]}
    assert inside and not {
        name: found - MAY_IMPORT.get(wing, set())
        for name, found in inside.items()
        if found - MAY_IMPORT.get(wing, set())
    }


def test_an_import_that_is_not_allowed_is_seen():
    assert imported("def f():\n    from polycore.tails import hoeffding") == {"tails"}
    assert imported("from polycore import models") == {"models"}


def test_no_wing_can_be_reached_from_itself_through_another():
    """The order of the wings is an order: what may be imported forms no circle."""
    done, todo = set(), dict(MAY_IMPORT)
    while ready := [
        wing for wing, uses in todo.items() if uses <= done | {wing} | (ALONE - todo.keys())
    ]:
        done |= {*ready}
        todo = {wing: uses for wing, uses in todo.items() if wing not in done}
    assert not todo


def test_a_build_that_finds_nothing_to_do_does_without_the_core():
    heavy = "[name for name in ('sympy', 'polycore.proof', 'scipy') if name in sys.modules]"
    found = subprocess.run(
        [sys.executable, "-c", f"import sys, dodo; print({heavy})"],
        cwd=ROOT, capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert found.stdout == "[]\n"
