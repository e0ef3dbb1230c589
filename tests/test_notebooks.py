"""The form of every notebook: stripped, tagged, short cells, prose between them, and claims that it states."""

import ast
import json
import re
from pathlib import Path

import pytest
import yaml

from tests.floats import float_equalities
from pipeline.ledger import statements

ROOT = Path(__file__).parents[1]
NOTEBOOKS = {path.stem: json.loads(path.read_text(encoding="utf-8")) for path in ROOT.glob("notebooks/*.ipynb")}
LEDGER = json.loads((ROOT / "book/results.json").read_text(encoding="utf-8"))
ALLOWED = {"polycore", "numpy", "sympy", "scipy", "matplotlib", "fractions", "math", "itertools", "functools", "dataclasses"}
LINES = 20
each = pytest.mark.parametrize("name", sorted(NOTEBOOKS))


def cells(name, kind=None):
    return [cell for cell in NOTEBOOKS[name]["cells"] if kind in (None, cell["cell_type"])]


def text(cell):
    return "".join(cell["source"])


def tags(cell):
    return cell["metadata"].get("tags", [])


def test_every_notebook_is_a_chapter():
    chapters = re.findall(r"file: notebooks/(\w+)", (ROOT / "_toc.yml").read_text())
    assert sorted(chapters) == sorted(NOTEBOOKS)


@each
def test_outputs_are_stripped(name):
    assert all(cell["outputs"] == [] and cell["execution_count"] is None for cell in cells(name, "code"))


@each
def test_ids_are_unique_and_given_by_hand(name):
    ids = [cell["id"] for cell in cells(name)]
    assert len(set(ids)) == len(ids)
    # nbformat's own are eight random hexadecimal digits, and change whenever a cell is made again
    assert not [key for key in ids if re.fullmatch(r"[0-9a-f]{8}", key)]


@each
def test_metadata_holds_tags_and_a_kernel_only(name):
    assert NOTEBOOKS[name]["metadata"]["kernelspec"]["name"] == "python3"
    assert set(NOTEBOOKS[name]["metadata"]) <= {"kernelspec", "language_info"}
    assert all(set(cell["metadata"]) <= {"tags"} for cell in cells(name))


@each
def test_one_parameters_cell_with_plain_values(name):
    (parameters,) = [cell for cell in cells(name, "code") if "parameters" in tags(cell)]
    lines = ast.parse(text(parameters)).body
    assert all(isinstance(line, ast.Assign) for line in lines)
    assert not [node for line in lines for node in ast.walk(line.value) if isinstance(node, (ast.Name, ast.Call))]


@each
def test_prose_before_the_parameters_says_what_to_change(name):
    place = next(k for k, cell in enumerate(cells(name)) if "parameters" in cell["metadata"].get("tags", []))
    assert cells(name)[place - 1]["cell_type"] == "markdown"


@each
def test_first_cell_installs_the_core_on_colab_and_is_hidden(name):
    first = cells(name)[0]
    repository = yaml.safe_load((ROOT / "_config.yml").read_text())["repository"]["url"]
    assert first["cell_type"] == "code" and "remove-cell" in tags(first)
    assert "except ImportError" in text(first)
    assert re.search(rf"%pip install .*git\+{re.escape(repository)}(\.git)?@v\d", text(first))


@each
def test_imports_are_the_core_and_its_mathematics(name):
    tree = ast.parse(code_of(name))
    found = {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
    found |= {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    assert {module.split(".")[0] for module in found} <= ALLOWED


def code_of(name):
    return re.sub(r"(?m)^(\s*)%.*", r"\1pass", "\n".join(text(cell) for cell in cells(name, "code")))


@each
def test_equality_of_floats_decides_nothing(name):
    assert list(float_equalities(code_of(name))) == []


@pytest.mark.parametrize("path", sorted((ROOT / "polycore").glob("*.py")), ids=lambda path: path.stem)
def test_equality_of_floats_decides_nothing_in_the_core(path):
    assert list(float_equalities(path.read_text(encoding="utf-8"))) == []


@pytest.mark.parametrize("planted", [
    "np.all(small == 2.5)", "x = 0.5\ny = x\nprint(y != z)", "np.exp(1) == math.e", "round(x / y, 3) == round(1 / 3, 3)",
    "tail.upper == 0", "[1, 2.0] == found", "np.allclose(a, b)", "np.array_equal(attention.weights([1], 2), f)", "z in (0.5, 1)",
    "abs(1.5 - x) == y", "(f := np.sqrt(2)) == 2", "sorted([0.1]) == found",
])  # fmt: skip
def test_planted_equality_is_seen(planted):
    assert len(list(float_equalities(planted))) == 1


@pytest.mark.parametrize("exact", ["a == 2", "Fraction(1, 2) == p / q", "ranks == [3, 4]", "x < 0.5", "name == 'paper'", "np.array_equal(signs, y)"])
def test_exact_equality_is_not(exact):
    assert list(float_equalities(exact)) == []


MADE = {"Evidence", "Decision", "Tail", "Estimate", "SufficientN"}  # only their own modules make these


def passed_in(code):
    """What a chapter would need to pass a verdict in, or an enclosure that nothing computed."""
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.Call) and MADE & {getattr(node.func, "id", ""), getattr(node.func, "attr", "")}:
            yield ast.unparse(node)
        if isinstance(node, ast.keyword) and node.arg in ("passed", "rejected", "verdict"):
            yield node.arg
        if isinstance(node, ast.Attribute) and (node.attr == "__setattr__" or node.attr == "_made"):
            yield ast.unparse(node)


@each
def test_no_verdict_is_passed_in(name):
    assert list(passed_in(code_of(name))) == []


@pytest.mark.parametrize("planted", [
    "Evidence('exact', 'x', 1, True)", "replace(one, passed=True)", "evidence._made", "Decision('pass', 0, (0, 1), 1, 1, 1, 1, {})",
    "rademacher.Tail(0, 1, 'x', 'certified')", "object.__setattr__(one, 'kind', 'proof')",
])  # fmt: skip
def test_a_verdict_that_is_passed_in_is_seen(planted):
    assert list(passed_in(planted))


@each
def test_code_cells_are_short(name):
    assert max(len(text(cell).splitlines()) for cell in cells(name, "code")) <= LINES


@each
def test_prose_and_code_alternate(name):
    shown = [cell["cell_type"] for cell in cells(name) if "remove-cell" not in tags(cell)]
    assert shown[0] == "markdown"
    turns = [one != other for one, other in zip(shown, shown[1:])]
    assert sum(turns) >= 0.75 * len(turns)
    assert ("code", "code", "code") not in zip(shown, shown[1:], shown[2:])


@each
def test_display_math_in_a_statement_stands_alone(name):
    """Without a blank line before it, sphinx-proof makes it inline and leaves stray dollars."""
    paragraphs = [part for statement in statements(cells(name)).values() for part in statement.split("\n\n")]
    assert all(part.startswith("$$") for part in paragraphs if "$$" in part)


@each
def test_statements_are_the_claims(name):
    claimed = {claim["id"]: claim["statement"] for claim in LEDGER if claim["notebook"] == f"notebooks/{name}.ipynb"}
    assert claimed == statements(cells(name))


@each
def test_last_cell_shows_the_verdicts(name):
    assert cells(name)[-1]["cell_type"] == "code"
    assert "Verdicts(" in text(cells(name)[-1])


def unchecked(code_cells):
    """The parameters that the code cell after theirs does not name."""
    where = next(place for place, cell in enumerate(code_cells) if "parameters" in tags(cell))
    names = re.findall(r"^(\w+) =|, (\w+)(?=[ ,].*=)", text(code_cells[where]), re.M)
    checks = ast.parse(text(code_cells[where + 1]))
    named = {node.value for node in ast.walk(checks) if isinstance(node, ast.Constant)}
    return {name for pair in names for name in pair if name} - named


@each
def test_parameters_are_checked_before_any_work(name):
    assert unchecked(cells(name, "code")) == set()


def test_an_unchecked_parameter_is_seen():
    parameters = {"metadata": {"tags": ["parameters"]}, "source": ["size = 3\n", "seed = 1"]}
    assert unchecked([parameters, {"metadata": {}, "source": ['integer("size", size)']}]) == {"seed"}


@pytest.mark.parametrize(("name", "parameter", "value", "words"), [
    ("task_2", "budget", 18, "budget must be one of 12, 24, 48, got 18"),
    ("task_2", "task", "rank 4", "task must be one of rank 3, rank 6, rank 10, rank 15, digits, got 'rank 4'"),
    ("task_3", "length", 51200.0, "length must be one of 800, 3200, 12800, 51200, got 51200.0"),
    ("epsilon_rank", "budget", 18, "budget must be 12 or 24, got 18"),
    ("degree_budget", "longest", 12, "longest must be an integer >= 40, got 12"),
    ("atlas", "limit", 10**4, "limit must be an integer <= 3101, got 10000"),
])
def test_a_bad_parameter_is_refused_by_the_cell_after(name, parameter, value, words):
    code, names = cells(name, "code")[1:], {}
    where = next(place for place, cell in enumerate(code) if "parameters" in tags(cell))
    for cell in code[: where + 2]:
        exec(text(cell), names)  # as they are, all are accepted
    with pytest.raises(ValueError) as raised:
        exec(text(code[where + 1]), {**names, parameter: value})
    assert words in str(raised.value)
