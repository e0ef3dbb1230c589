"""What the syntax of the code shows: public functions say what they take and give, what was checked
once stays, and tests compare small numbers too.
"""

import ast
from pathlib import Path

ROOT = Path(__file__).parents[1]
SOURCES = [*ROOT.glob("polycore/**/*.py"), *ROOT.glob("pipeline/*.py")]
TESTS = sorted(ROOT.glob("tests/*.py"))


def untyped(source):
    """The public functions and methods of a module that leave out the type of a parameter or of
    what they return.
    """
    tree = ast.parse(source)
    classes = [node for node in tree.body if isinstance(node, ast.ClassDef) and node.name[0] != "_"]
    for node in [part for body in (tree, *classes) for part in body.body]:
        if isinstance(node, ast.FunctionDef) and node.name[0] != "_":
            a = node.args
            given = [*a.posonlyargs, *a.args, *a.kwonlyargs, a.vararg, a.kwarg]
            untold = [one.arg for one in given if one and not one.annotation]
            theorem = any(getattr(one, "id", "") == "theorem" for one in node.decorator_list)
            if {*untold} - {"self", "cls"} or not (node.returns or theorem):
                yield node.name


def test_public_functions_are_typed():
    found = [
        f"{path.relative_to(ROOT)}: {name}"
        for path in sorted(SOURCES)
        for name in untyped(path.read_text("utf-8"))
    ]
    assert not found, "\n".join(["", *found])


def test_what_is_not_typed_is_seen():
    source = "def f(x): pass\ndef g(x: int): pass\ndef h(*y) -> int: pass\ndef _k(x): pass\n"
    source += "class A:\n    def m(self, x): pass\n"
    source += "def good(x: int) -> int: pass\n@theorem\ndef T(): pass\n"
    assert list(untyped(source)) == ["f", "g", "h", "m"]


def changeable(source):
    """The dataclasses of a module whose members can be changed after they were checked."""
    for node in ast.walk(ast.parse(source)):
        for one in node.decorator_list if isinstance(node, ast.ClassDef) else []:
            if "dataclass" in ast.unparse(one) and "frozen=True" not in ast.unparse(one):
                yield node.name


def test_what_was_checked_once_cannot_be_changed():
    assert not [name for path in SOURCES for name in changeable(path.read_text("utf-8"))]
    source = "@dataclass\nclass A: pass\n@dataclass(frozen=False)\nclass B: pass\n"
    assert [*changeable(source + "@dataclass(frozen=True)\nclass C: pass\n")] == ["A", "B"]


def alike_if_small(source):
    """The lines on which floats are to agree by a share of them, or by 10^-12, pytest's own."""
    calls = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Call)]
    close = [node for node in calls if ast.unparse(node.func) == "pytest.approx"]
    return [node.lineno for node in close if {word.arg for word in node.keywords} == {"rel"}]


def test_a_share_is_asked_of_small_numbers_too():
    """Of tails of 1e-13 and weights of 1e-60 nothing was asked, whatever the share."""
    tests = {path.name: alike_if_small(path.read_text("utf-8")) for path in TESTS}
    assert {name: lines for name, lines in tests.items() if lines} == {}
    assert alike_if_small("x\npytest.approx(x, rel=1)\npytest.approx(x, rel=1, abs=0)") == [2]
