"""What is planted in the chapters, and what refuses it."""

import ast
import copy
import json
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest
from noticed import CATCHERS, by_catcher, by_wing, estimated, summed

from pipeline import mutants, planted
from pipeline.files import chapters, read

ROOT = Path(__file__).parents[1]
TOLD = {"arithmetic", "apply", "step", "exact", "numeric", "Ge", "Lt"}


@pytest.mark.parametrize(
    ("cell", "becomes"),
    [
        ("arithmetic(Ge(x, 2), given)", ["Le(x, 2)", "Ge(x, 3)"]),
        ('step("<=", x ** 2, "why")', ['step(">=",', "x ** 3"]),
        ('exact("what", y, at_most=0.5)', ["at_least=0.5", "at_most=1.0"]),
        ("apply(LAW, {'x': 2 * a})", ["3 * a"]),
        ('case = exact("ß", "é", equals=1)', ["equals=2"]),  # bytes are not characters
        ('numeric("x", y, 2**-40, "few", below=1)', ["above=1", "below=2"]),
        ('exact("what", y, at_most=0.0)', ["at_least=0.0", "at_most=1.0"]),
        ('refused("a", lambda: apply(A, 2), case=exact("b", y, equals=3))', ["equals=4"]),
        ('step("<=", f[2], "why")', ['step(">=",']),  # which of a list
        ('step("<=", f[2 * i], "why")', ['step(">=",', "f[3 * i]"]),
        ("print(exact(1), f'{exact(2)}')", []),  # shown, not told
        ("y = numpy.sum(2 * x)", []),
        ("ax.plot(x, 2)", []),
    ],
)
def test_what_is_told_is_planted_and_nothing_else(cell, becomes):
    found = [planted.planted("id", cell, *one) for one in planted.moved(ast.parse(cell), TOLD)]
    assert len(found) == len(becomes)
    for plant, part in zip(found, becomes):
        assert part in plant.becomes and plant.was == cell and plant.source == plant.becomes


def test_only_the_line_of_the_plant_is_another():
    cell = "a = 1\nb = exact(\n    'what', 3,\n)"
    [plant] = [planted.planted("id", cell, *one) for one in planted.moved(ast.parse(cell), TOLD)]
    assert plant.source == cell.replace("3", "4") and plant.line == 3


def test_every_chapter_has_something_to_plant():
    assert [chapter for chapter in chapters() if not any(planted.plants(chapter))] == []


CHAPTER = "notebooks/fact_3_2"
REFUSED = {  # of this chapter, by what stands there then
    "ones = arithmetic(Eq(x[i] * y[i], p[i] * 2), given)": "kernel",
    'entrywise = exact("(1, 2, 3) ∘ (4, 5, 6)", hadamard, equals=[5, 10, 18])': "check",
    'wrong = [exact("the inner product in its place", inner, equals=[5, 10, 18])]': "comparison",
    'exact("a function that mixes entries", sum(rows), equals=largest**5),': "comparison",
}
SCRIPT = """
import json, sys
from pathlib import Path
from pipeline import planted
folder, chapter, *lines = sys.argv[1:]
planted.FOLDER = Path(folder)
asked = {one.becomes: one for one in planted.plants(chapter)}
some = [asked[line] for line in lines]
planted.outcomes(chapter, some)
found = [json.loads(planted.kept(chapter, one).read_text()) for one in (None, *some)]
print(json.dumps([one["by"] for one in found]))
"""


def said_by(script, *arguments):
    """In a process of its own, as `make planted` runs it: one with threads must not be forked."""
    command = [sys.executable, "-c", script, *map(str, arguments)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    return json.loads(done.stdout.splitlines()[-1])


@pytest.mark.slow
def test_what_is_planted_is_refused_and_the_chapter_as_it_is_is_not(tmp_path):
    assert said_by(SCRIPT, tmp_path, CHAPTER, *REFUSED) == ["", *REFUSED.values()]


ONCE = """
import json, sys
from pathlib import Path
from pipeline import planted, reruns
log = sys.argv[1]
planted.kept = lambda *_: Path(log + "-killed")
cells = {"first": f"with open({log!r}, 'a') as log: log.write('x')", "then": "1 + 1"}
reruns.cells = lambda *_: iter(cells.items())
SOURCES = "1 / 0", "import os; os.kill(os.getpid(), 9)", "[][1]"
asked = [planted.Plant("then", 1, "1 + 1", source, source) for source in SOURCES]
mine = []
_, error = reruns.emitted_by(planted.branches("one", asked, mine))
with open(log, "a") as said:
    said.write(error.get("error", "none") + ";")
if mine:
    raise SystemExit
print(json.dumps(open(log).read()))
"""


@pytest.mark.slow
def test_what_comes_before_a_plant_is_executed_once_and_each_is_planted_alone(tmp_path):
    divided, beyond = "ZeroDivisionError: division by zero;", "IndexError: list index out of range;"
    assert said_by(ONCE, tmp_path / "log") == f"x{divided}{beyond}none;"
    assert read(tmp_path / "log-killed") == {"by": "check", "said": "ended by SIGKILL"}


def test_a_control_that_is_not_refused_any_more_is_one():
    error = {"error": "ControlNotRejected: x", "kinds": ["ControlNotRejected", "AssertionError"]}
    assert planted.outcome(CHAPTER, None, [], error)["by"] == "control"


def test_a_scope_or_a_verdict_that_changes_is_for_the_gate():
    claims = [claim for claim in planted.ledger.committed() if CHAPTER in claim["notebook"]]
    emitted = [{"claims": copy.deepcopy(claims), "asked": {}, "queries": []}]
    assert planted.differences(CHAPTER, emitted)[0] == "comparison"  # no query behind any proof
    emitted[0]["claims"][0]["verdict"] = "open"
    by, [line] = planted.differences(CHAPTER, emitted)
    assert by == "gate" and line.endswith("verdict: 'holds' became 'open'")


def test_the_tables_are_of_what_is_there():
    names = {Path(chapter).name for chapter in chapters()}
    assert read(planted.RECORD)["found"].keys() <= names
    assert read(mutants.RECORD)["found"].keys() <= mutants.modules().keys()


def test_the_table_counts_every_error_once():
    total = Counter(dict.fromkeys([*planted.KINDS, "equivalent", "survived"], 1))
    rows = [int(line.split("|")[2]) for line in [*by_catcher({"one": total})][2:]]
    assert CATCHERS.keys() == {*planted.KINDS} and sum(rows) == total.total()


def test_a_sample_is_called_one():
    found = {"one": {"kernel": 95, "equivalent": 3}, "two": {"survived": 2}}
    said = summed({"one": 98, "two": 1000}, found, "chapters")
    assert said.startswith(
        "100 of 1,098 were tried with the present code and tests, all of 1 chapters and some of "
        "the others."
    )
    assert said.endswith(
        "so they say nothing sure of the rest. For 2 of them this is still to be done."
    )
    few = summed({"one": 99, "two": 1000}, found, "chapters")
    assert few.startswith("100 of 1,099 were tried with the present code and tests. Where")
    mended = summed({"one": 98, "two": 1000}, {"one": found["one"]}, "chapters")
    assert mended.endswith("so they say nothing sure of the rest.")
    assert summed({"one": 98, "two": 2}, found, "chapters") == "All 100 were tried."


def test_a_fresh_sample_says_what_it_found():
    said = estimated({"tried": 300, "survived": [{}] * 5, "equivalent": 3, "least": 0.979})
    assert "sample of 300" in said and "noticed 5, and 3 of these are equivalent" in said
    assert said.endswith("at least 97.9 % are noticed, with 95 % confidence.")


def test_each_module_is_of_one_part():
    found = {name: Counter(killed=1) for name in mutants.modules()}
    rows = [line for line in by_wing(found) if "`" in line]
    tried = [int(line.split("|")[2].replace(",", "")) for line in rows]
    assert sum(tried) == len(found) and all(tried)


@pytest.mark.parametrize("unlike", [False, True])
def test_what_cannot_be_forked_has_one_change_a_process(monkeypatch, unlike):
    one, other = (planted.Plant("cell", line, "x", "y", "") for line in (1, 2))
    monkeypatch.setattr(planted, "is_unlike", lambda chapter: unlike)
    runs = [*planted.together([("a", None), ("a", one), ("b", None), ("a", other)])]
    apart = [("a", []), ("a", [one]), ("a", [other]), ("b", [])]
    assert runs == (apart if unlike else [("a", [one, other]), ("b", [])])


@pytest.fixture
def one_chapter(monkeypatch, tmp_path):
    """`try_all` for one chapter with one plant; the forks are made by whoever uses it."""
    plant = planted.Plant("cell", 1, "x", "y", "")
    monkeypatch.setattr(planted, "chapters", lambda: ["notebooks/a"])
    monkeypatch.setattr(planted, "plants", lambda chapter: [plant])
    monkeypatch.setattr(planted, "is_unlike", lambda chapter: False)
    monkeypatch.setattr(planted, "core", set)
    monkeypatch.setattr(planted.reruns, "prove", lambda: None)
    monkeypatch.setattr(planted.reruns, "LIMIT", 1)  # it is put back, as the environment is
    monkeypatch.setattr(planted, "settings", dict)
    monkeypatch.setenv("MPLBACKEND", "Agg")
    monkeypatch.setattr(planted, "RECORD", tmp_path / "planted.json")
    monkeypatch.setattr(planted, "kept", lambda chapter, one: tmp_path / f"{one is plant}.json")
    for name in ("ONLY", "SAMPLE", "SEED"):
        monkeypatch.delenv(name, raising=False)

    def try_all(**by):
        """What it says where a run ends so, with nothing planted and with the plant."""

        def answers(todo, work):
            for chapter, some in todo:
                for name, found in by.items():
                    (tmp_path / f"{name}.json").write_text(json.dumps({"by": found}))
                yield chapter, some, {}

        monkeypatch.setattr(planted.reruns, "answers", answers)
        return planted.try_all()

    return try_all


@pytest.mark.parametrize(
    ("by", "said"),
    [
        ({"False": "", "True": "check"}, None),
        ({"False": "", "True": ""}, "1 of 1 survived."),
        ({"False": "check", "True": "check"}, "Refused with nothing planted: notebooks/a"),
        ({"False": ""}, "Ended without an answer: notebooks/a"),
    ],
)
def test_all_that_was_asked_is_answered(one_chapter, by, said):
    found = one_chapter(**by)
    assert found is said is None or found.endswith(said)
