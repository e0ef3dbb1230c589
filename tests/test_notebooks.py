"""The form of every notebook: stripped, tagged, short cells, prose between them, and claims that it
states.

A rule yields what is wrong with one chapter; there is one test a rule, and it lists all that
breaks it.
"""

import ast
import json
import re
from pathlib import Path
from statistics import median

import pytest
import yaml
from nbformat import NotebookNode
from papermill.translators import PythonTranslator

from pipeline.ledger import statements
from tests.floats import float_equalities

ROOT = Path(__file__).parents[1]
NOTEBOOKS = {
    path.stem: json.loads(path.read_text(encoding="utf-8"))
    for path in sorted(ROOT.glob("notebooks/*.ipynb"))
}
LEDGER = json.loads((ROOT / "book/results.json").read_text(encoding="utf-8"))
REPOSITORY = yaml.safe_load((ROOT / "_config.yml").read_text())["repository"]["url"]
ALLOWED = {"polycore", "numpy", "sympy", "scipy", "matplotlib", "fractions", "math"}
ALLOWED |= {"itertools", "functools", "dataclasses", "importlib"}
LINES, MIDDLE, DRAWING = 15, 6, 20  # of a visible cell, of the one in the middle, of a drawing
PARTS = yaml.safe_load((ROOT / "_toc.yml").read_text())["parts"]
UNEXERCISED = {
    Path(page["file"]).name
    for part in PARTS
    if not re.match(r"Part (II|III|IV)\b", part["caption"])
    for page in part["chapters"]
}
RULES = []


def rule(broken):
    RULES.append(broken)
    return broken


def text(cell):
    return "".join(cell["source"])


def tags(cell):
    return cell["metadata"].get("tags", [])


def code_of(cells):
    return [cell for cell in cells if cell["cell_type"] == "code"]


def joined(cells):
    return re.sub(r"(?m)^(\s*)%.*", r"\1pass", "\n".join(map(text, code_of(cells))))


def parameters_of(cells):
    """The place of the parameters among the code cells."""
    return next(k for k, cell in enumerate(code_of(cells)) if "parameters" in tags(cell))


def visible(cells):
    return [cell for cell in code_of(cells) if not {"hide-input", "remove-cell"} & {*tags(cell)}]


def called(code):
    nodes = [node.func for node in ast.walk(ast.parse(code)) if isinstance(node, ast.Call)]
    return {getattr(node, "id", getattr(node, "attr", "")) for node in nodes}


@rule
def outputs_are_stripped(cells, name):
    for cell in code_of(cells):
        if cell["outputs"] or cell["execution_count"] is not None:
            yield f"{cell['id']} holds outputs: .venv/bin/doit strip"


@rule
def ids_are_unique_and_given_by_hand(cells, name):
    ids = [cell["id"] for cell in cells]
    yield from (f"{key} occurs twice" for key in set(ids) if ids.count(key) > 1)
    # nbformat's own are eight random hexadecimal digits, and change whenever a cell is made again
    yield from (f"{key} was drawn at random" for key in ids if re.fullmatch(r"[0-9a-f]{8}", key))


@rule
def metadata_holds_tags_only(cells, name):
    yield from (
        f"{cell['id']}: {set(cell['metadata'])}" for cell in cells if {*cell["metadata"]} - {"tags"}
    )


@rule
def there_is_one_cell_of_plain_parameters(cells, name):
    found = [text(cell) for cell in code_of(cells) if "parameters" in tags(cell)]
    if len(found) != 1:
        yield f"{len(found)} cells are tagged as parameters"
    for line in ast.parse(found[0]).body:
        parts = [ast.Assign, ast.Name, ast.Call, ast.Tuple][: 1 + 3 * isinstance(line, ast.Assign)]
        if not isinstance(line, ast.Assign) or not isinstance(line.targets[0], ast.Name):
            yield f"{ast.unparse(line)} is not one parameter on one line"
        elif [node for node in ast.walk(line.value) if isinstance(node, tuple(parts[1:]))]:
            yield f"{ast.unparse(line)} is not a plain value"


@rule
def papermill_reads_every_parameter(cells, name):
    """It looks for them line by line, and passes over one with “=” in its comment."""
    cell = code_of(cells)[parameters_of(cells)]
    read = PythonTranslator.inspect(NotebookNode(source=text(cell)))
    for line in ast.parse(text(cell)).body:
        if ast.unparse(line.targets[0]) not in {one.name for one in read}:
            yield f"papermill does not read {ast.unparse(line)}: is there “=” in its comment?"


@rule
def prose_before_the_parameters_says_what_to_change(cells, name):
    place = next(k for k, cell in enumerate(cells) if "parameters" in tags(cell))
    if cells[place - 1]["cell_type"] != "markdown":
        yield "no prose stands before the parameters"


@rule
def first_cell_installs_the_core_on_colab_and_is_hidden(cells, name):
    install = rf"%pip install .*git\+{re.escape(REPOSITORY)}(\.git)?@v\d"
    first = text(cells[0])
    if "remove-cell" not in tags(cells[0]) or 'find_spec("polycore") is None' not in first:
        yield "the first cell does not look for the core, hidden"
    if not re.search(install, first):
        yield "the first cell does not install the core from a tag"


@rule
def imports_are_the_core_and_its_mathematics(cells, name):
    nodes = list(ast.walk(ast.parse(joined(cells))))
    found = {alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names}
    found |= {node.module for node in nodes if isinstance(node, ast.ImportFrom)}
    yield from sorted({module.split(".")[0] for module in found} - ALLOWED)


@rule
def equality_of_floats_decides_nothing(cells, name):
    yield from map(str, float_equalities(joined(cells)))


CUT = {"int", "floor", "ceil", "trunc"}


def cut_roots(code):
    """Whole parts of roots that are floats: that of 10^8 may be a last bit below 10^4."""
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.Call) and ast.unparse(node.func).rpartition(".")[2] in CUT:
            powers = [one for one in ast.walk(node) if isinstance(one, ast.BinOp)]
            roots = [one.right for one in powers if isinstance(one.op, ast.Pow)]
            if any(re.search(r"\d\.\d|(?<!/)/(?!/)", ast.unparse(exponent)) for exponent in roots):
                yield ast.unparse(node)


@rule
def whole_roots_are_those_of_integers(cells, name):
    yield from cut_roots(joined(cells))


MADE = {"Evidence", "Decision", "Tail", "Estimate", "SufficientN"}  # only their own modules do


def passed_in(code):
    """What a chapter would need to pass a verdict in, or an enclosure that nothing computed."""
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.Call) and called(ast.unparse(node.func) + "()") & MADE:
            yield ast.unparse(node)
        if isinstance(node, ast.keyword) and node.arg in ("passed", "rejected", "verdict"):
            yield node.arg
        if isinstance(node, ast.Attribute) and node.attr in ("__setattr__", "_made"):
            yield ast.unparse(node)


@rule
def no_verdict_is_passed_in(cells, name):
    yield from passed_in(joined(cells))


DECIDE = {"certified", "counted", "estimated", "exact", "least", "numeric", "proved"}
DECIDE |= {"Claim", "Verdicts", "refused"}


@rule
def what_is_hidden_decides_nothing(cells, name):
    """Hidden are imports, the check of the parameters, and drawings."""
    code = code_of(cells)
    for place, cell in enumerate(code):
        if "hide-input" in tags(cell):
            body = ast.parse(text(cell)).body
            imports = all(isinstance(node, (ast.Import, ast.ImportFrom)) for node in body)
            checks = place == parameters_of(cells) + 1
            if not (imports or checks or "picture" in called(text(cell))):
                yield f"{cell['id']} is hidden, and neither imports nor checks nor draws"
            if found := called(text(cell)) & DECIDE:
                yield f"{cell['id']} is hidden and calls {', '.join(sorted(found))}"


@rule
def cells_are_short(cells, name):
    shown = {cell["id"]: len(text(cell).splitlines()) for cell in visible(cells)}
    yield from (f"{key} has {lines} lines" for key, lines in shown.items() if lines > LINES)
    if median(shown.values()) > MIDDLE:
        yield f"half of the visible cells have {median(shown.values())} lines or more"
    for cell in code_of(cells):
        if (lines := len(text(cell).splitlines())) > DRAWING and "picture" in called(text(cell)):
            yield f"the drawing {cell['id']} has {lines} lines"


@rule
def a_claim_has_a_cell_of_its_own(cells, name):
    for cell in code_of(cells):
        if (found := len(re.findall(r"\bClaim\(", text(cell)))) > 1:
            yield f"{cell['id']} makes {found} claims"


@rule
def prose_and_code_alternate(cells, name):
    shown = [cell["cell_type"] for cell in cells if "remove-cell" not in tags(cell)]
    turns = [one != other for one, other in zip(shown, shown[1:])]
    if shown[0] != "markdown" or sum(turns) < 0.75 * len(turns):
        yield f"{sum(turns)} turns among {len(turns)} pairs of cells"
    for k, three in enumerate(zip(shown, shown[1:], shown[2:])):
        if three == ("code", "code", "code"):
            yield f"three cells of code in a row, from the one after {k}"


@rule
def display_math_in_a_statement_stands_alone(cells, name):
    """Without a blank line before it, sphinx-proof makes it inline and leaves stray dollars."""
    parts = [part for one in statements(cells).values() for part in one.split("\n\n")]
    yield from (part for part in parts if "$$" in part and not part.startswith("$$"))


@rule
def statements_are_the_claims(cells, name):
    here = [claim for claim in LEDGER if claim["notebook"] == f"notebooks/{name}.ipynb"]
    claimed, stated = {claim["id"]: claim["statement"] for claim in here}, statements(cells)
    for key in sorted(claimed.keys() | stated.keys()):
        if claimed.get(key) != stated.get(key):
            yield f"{key} is not stated as in the ledger: .venv/bin/doit accept, where it is meant"


@rule
def the_last_cell_before_the_exercises_shows_the_verdicts(cells, name):
    *_, last = (cell for cell in cells if not cell["id"].startswith("exercise"))
    if last["cell_type"] != "code" or "Verdicts(" not in text(last):
        yield "the last cell shows no verdicts"


@rule
def three_exercises_end_a_chapter_and_are_answered_by_what_it_computes(cells, name):
    """Each changes a parameter, and its folded answer prints what was computed."""
    if name in UNEXERCISED:
        return
    pairs = [f"exercise-{k}{end}" for k in (1, 2, 3) for end in ("", "-answer")]
    if [cell["id"] for cell in cells[-6:]] != pairs:
        yield f"it does not end with {', '.join(pairs)}"
        return
    parameters = re.findall(r"^(\w+) =", text(code_of(cells)[parameters_of(cells)]), re.M)
    for question, answer in zip(cells[-6::2], cells[-5::2]):
        changed = re.findall(r"`[^`]*-p (\w+) [^\s`]+", text(question))
        if not changed or {*changed} - {*parameters}:
            yield f"{question['id']} changes no parameter with `-p name value`"
        if tags(answer) != ["hide-cell"]:
            yield f"{answer['id']} is not tagged hide-cell"
        computed = [node for node in ast.walk(ast.parse(text(answer))) if is_computed(node)]
        if "print" not in called(text(answer)) or not computed:
            yield f"{answer['id']} prints nothing that it computed"


def is_computed(node):
    """A name or a call inside what is printed."""
    return isinstance(node, ast.FormattedValue) and not isinstance(node.value, ast.Constant)


def unchecked(code_cells):
    """The parameters that the code cell after theirs does not name."""
    place = parameters_of(code_cells)
    names = re.findall(r"^(\w+) =", text(code_cells[place]), re.M)
    checks = ast.parse(text(code_cells[place + 1]))
    nodes = list(ast.walk(checks))
    given = {node.arg for node in nodes if isinstance(node, ast.keyword)}  # common(kappa=kappa)
    return {*names} - given - {node.value for node in nodes if isinstance(node, ast.Constant)}


@rule
def parameters_are_checked_before_any_work(cells, name):
    """In the cells from which `make reruns` takes a refusal for an answer."""
    yield from sorted(unchecked(code_of(cells)))
    if code_of(cells)[parameters_of(cells) + 1]["id"] != "checked-parameters":
        yield "the cell after the parameters is not called checked-parameters"
    sections = [place for place, cell in enumerate(cells) if text(cell).startswith("## ")]
    late = [cell["id"] for cell in cells[min(sections, default=len(cells)) :]]
    yield from (f"{key} checks too late" for key in late if key.startswith("checked-"))


@rule
def degrees_are_named(cells, name):
    typed = re.findall(r"[^\n(,]*\* ?(?:np\.|math\.)log2\([^\n]*", joined(cells))
    yield from (f"{line.strip()}: write attention.degree(kappa, n)" for line in typed)


@rule
def hypotheses_are_named(cells, name):
    sliced = re.findall(r"[^\n]*hypotheses\[[^\n]*", joined(cells))
    yield from (f"{line.strip()}: name them, with Given" for line in sliced)


PLOTTED = re.compile(
    r"how|by which|what (?!lies)|where each|shaded:|gray:|n = |… columns"
    r"|(\w+ ){0,2}(probability|share|number|weights?|values|ranks?|error|excess|output|mean"
    r"|log-ratios|levels|kinds|κ|softmax) (of|that|against|across|for|at)\b",
    re.IGNORECASE,
)


def captions(code):
    """The captions of the pictures that a cell draws, with “…” for what it computes."""
    nodes = list(ast.walk(ast.parse(code)))
    names = [node for node in nodes if isinstance(node, ast.Assign)]
    named = {ast.unparse(node.targets[0]): node.value for node in names}
    for node in nodes:
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "figures.picture":
            caption = named.get(ast.unparse(node.args[1]), node.args[1])
            parts = getattr(caption, "values", [caption])
            yield "".join(part.value if isinstance(part, ast.Constant) else "…" for part in parts)


@rule
def a_caption_first_says_what_is_seen(cells, name):
    """Not what is plotted: that comes after it."""
    for cell in code_of(cells):
        if "figures.picture(" in text(cell):
            plotted = (one for one in captions(text(cell)) if PLOTTED.match(one))
            yield from (f"{cell['id']} first says what is plotted: {one[:60]}" for one in plotted)


def complaints(broken, notebooks):
    cells = ((name, one["cells"]) for name, one in notebooks.items())
    return [f"{name}: {what}" for name, some in cells for what in broken(some, name)]


@pytest.mark.parametrize("broken", RULES, ids=lambda broken: broken.__name__)
def test_every_chapter_keeps_the_rule(broken):
    found = complaints(broken, NOTEBOOKS)
    assert not found, "\n".join(["", *found])


def test_every_notebook_is_a_chapter():
    chapters = re.findall(r"file: notebooks/(\w+)", (ROOT / "_toc.yml").read_text())
    assert sorted(chapters) == sorted(NOTEBOOKS)


def test_notebooks_name_their_kernel():
    for notebook in NOTEBOOKS.values():
        assert notebook["metadata"]["kernelspec"]["name"] == "python3"
        assert set(notebook["metadata"]) <= {"kernelspec", "language_info"}


# Each rule sees what breaks it, and nothing else, in a notebook that keeps them all.


def made(kind, key, source, *tags):
    code = {"outputs": [], "execution_count": None} if kind == "code" else {}
    return {"cell_type": kind, "id": key, "source": source, "metadata": {"tags": [*tags]}, **code}


SOUND = {
    "colab": (
        "code",
        f'find_spec("polycore") is None\n%pip install git+{REPOSITORY}@v0',
        "remove-cell",
    ),
    "title": ("markdown", "# One"),
    "imports": ("code", "import numpy as np", "hide-input"),
    "words": ("markdown", "Change it:"),
    "parameters": ("code", "size = 2  # n", "parameters"),
    "checked-parameters": ("code", 'integer("size", size)', "hide-input"),
    "then": ("markdown", "Then:"),
    "work": ("code", "total = size + 1"),
    "picture": ("markdown", "A picture:"),
    "drawn": ("code", 'figures.picture(ax, f"{total} is odd.", "A dot.")', "hide-input"),
    "last": ("markdown", "At last:"),
    "verdict": ("code", "Verdicts(Claim(exact()))"),
    **{
        f"exercise-{k}{end}": cell
        for k in (1, 2, 3)
        for end, cell in {
            "": ("markdown", "Half (`-p size 1`)?"),
            "-answer": ("code", 'print(f"{total / 2}")', "hide-cell"),
        }.items()
    },
}
SPOILT = [
    ("outputs_are_stripped", "work", lambda cell: cell.update(execution_count=1)),
    ("ids_are_unique_and_given_by_hand", "work", lambda cell: cell.update(id="title")),
    ("ids_are_unique_and_given_by_hand", "work", lambda cell: cell.update(id="0123abcd")),
    ("metadata_holds_tags_only", "work", lambda cell: cell["metadata"].update(time=1)),
    (
        "there_is_one_cell_of_plain_parameters",
        "work",
        lambda cell: cell["metadata"].update(tags=["parameters"]),
    ),
    ("there_is_one_cell_of_plain_parameters", "parameters", "size, more = 2, 3"),
    ("there_is_one_cell_of_plain_parameters", "parameters", "size = (2, 3)"),
    ("there_is_one_cell_of_plain_parameters", "parameters", "size = abs(2)"),
    ("papermill_reads_every_parameter", "parameters", "size = 2  # n = 2m"),
    (
        "prose_before_the_parameters_says_what_to_change",
        "words",
        lambda cell: cell.update(cell_type="raw"),
    ),
    ("first_cell_installs_the_core_on_colab_and_is_hidden", "colab", "pass"),
    ("imports_are_the_core_and_its_mathematics", "work", "import os"),
    ("equality_of_floats_decides_nothing", "work", "np.exp(1) == 2.5"),
    ("whole_roots_are_those_of_integers", "work", "int(n**0.5) + 2"),
    ("whole_roots_are_those_of_integers", "work", "np.ceil(2 * n ** (1 / k))"),
    ("no_verdict_is_passed_in", "work", "rademacher.Tail(0, 1)"),
    ("no_verdict_is_passed_in", "work", "replace(one, passed=True)"),
    ("no_verdict_is_passed_in", "work", "evidence._made"),
    ("what_is_hidden_decides_nothing", "checked-parameters", "exact(size)"),
    (
        "what_is_hidden_decides_nothing",
        "verdict",
        lambda cell: cell["metadata"].update(tags=["hide-input"]),
    ),
    ("cells_are_short", "work", "x = 1\n" * 16),
    ("a_claim_has_a_cell_of_its_own", "verdict", "Verdicts(Claim(), Claim())"),
    (
        "prose_and_code_alternate",
        "then",
        lambda cell: cell.update(cell_type="code", source="1", outputs=[]),
    ),
    (
        "display_math_in_a_statement_stands_alone",
        "title",
        "```{prf:lemma} 1\n:label: one\n\nLet\n$$x$$\n```",
    ),
    ("statements_are_the_claims", "title", "```{prf:lemma} 1\n:label: one\n\nLet.\n```"),
    ("the_last_cell_before_the_exercises_shows_the_verdicts", "verdict", "exact()"),
    *(
        ("three_exercises_end_a_chapter_and_are_answered_by_what_it_computes", *spoilt)
        for spoilt in (
            ("exercise-2", lambda cell: cell.update(id="exercise-1")),
            ("exercise-1", "Half?"),
            ("exercise-1", "Half (`-p sise 1`)?"),
            ("exercise-3-answer", 'print("1.5")'),
            ("exercise-3-answer", "total / 2"),
            ("exercise-3-answer", lambda cell: cell["metadata"].update(tags=[])),
        )
    ),
    ("parameters_are_checked_before_any_work", "checked-parameters", "print(size)"),
    (
        "parameters_are_checked_before_any_work",
        "checked-parameters",
        lambda cell: cell.update(id="checked"),
    ),
    ("parameters_are_checked_before_any_work", "words", "## Change it:"),
    *(
        ("a_caption_first_says_what_is_seen", "drawn", spoilt)
        for spoilt in (
            'figures.picture(ax, f"How often {total} is odd.", "A dot.")',
            'figures.picture(ax, f"{size} columns of it.", "A dot.")',
            'caption = "The share of signs."\nfigures.picture(ax, caption, "A dot.")',
        )
    ),
    ("degrees_are_named", "work", "beta = kappa * np.log2(size)"),
    ("hypotheses_are_named", "work", "lemma.hypotheses[-2:]"),
]


def sound():
    return {key: made(kind, key, source, *tags) for key, (kind, source, *tags) in SOUND.items()}


def test_a_sound_notebook_keeps_every_rule():
    assert not [broken for broken in RULES if list(broken([*sound().values()], "sound"))]


@pytest.mark.parametrize(("broken", "key", "spoil"), SPOILT)
def test_what_breaks_a_rule_is_seen(broken, key, spoil):
    cells = sound()
    cells[key].update(source=spoil) if isinstance(spoil, str) else spoil(cells[key])
    assert list(next(one for one in RULES if one.__name__ == broken)([*cells.values()], "spoilt"))


def test_every_rule_has_something_that_breaks_it():
    assert {broken.__name__ for broken in RULES} == {broken for broken, _, _ in SPOILT}


# Equality of floats, in notebooks and in the core.


def test_equality_of_floats_decides_nothing_in_the_core():
    sources = {path: path.read_text(encoding="utf-8") for path in ROOT.glob("polycore/**/*.py")}
    found = [f"{path}: {one}" for path, code in sources.items() for one in float_equalities(code)]
    assert not found, "\n".join(["", *found])


PLANTED = """\
np.all(small == 2.5)
x = 0.5; y = x; print(y != z)
np.exp(1) == math.e
round(x / y, 3) == round(1 / 3, 3)
tail.upper == 0
[1, 2.0] == found
np.allclose(a, b)
np.array_equal(attention.weights([1], 2), f)
z in (0.5, 1)
abs(1.5 - x) == y
(f := np.sqrt(2)) == 2
sorted([0.1]) == found"""


@pytest.mark.parametrize("planted", PLANTED.splitlines())
def test_planted_equality_is_seen(planted):
    assert len(list(float_equalities(planted))) == 1


@pytest.mark.parametrize(
    "exact",
    [
        "a == 2",
        "Fraction(1, 2) == p / q",
        "ranks == [3, 4]",
        "x < 0.5",
        "name == 'paper'",
        "np.array_equal(signs, y)",
    ],
)
def test_exact_equality_is_not(exact):
    assert list(float_equalities(exact)) == []


@pytest.mark.parametrize(
    ("name", "parameter", "value", "words"),
    [
        ("task_2", "budget", 18, "budget must be one of 12, 24, 48, got 18"),
        (
            "task_2",
            "task",
            "rank 4",
            "task must be one of rank 3, rank 6, rank 10, rank 15, digits, got 'rank 4'",
        ),
        ("task_3", "length", 51200.0, "length must be one of 800, 3200, 12800, 51200, got 51200.0"),
        ("epsilon_rank", "budget", 18, "budget must be 12 or 24, got 18"),
        ("degree_budget", "longest", 12, "longest must be an integer >= 40, got 12"),
        ("sufficient_statistics", "limit", 10**4, "limit must be an integer <= 3101, got 10000"),
    ],
)
def test_a_bad_parameter_is_refused_by_the_cell_after(name, parameter, value, words):
    code, names = code_of(NOTEBOOKS[name]["cells"])[1:], {}
    where = next(place for place, cell in enumerate(code) if "parameters" in tags(cell))
    for cell in code[: where + 2]:
        exec(text(cell), names)  # as they are, all are accepted
    with pytest.raises(ValueError) as raised:
        exec(text(code[where + 1]), {**names, parameter: value})
    assert words in str(raised.value)
