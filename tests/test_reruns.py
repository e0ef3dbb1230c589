"""Chapters run with other parameters: a number that a reader changes makes no statement fail."""

import json
import subprocess
import sys
from itertools import islice
from pathlib import Path

import pytest

import dodo
from pipeline import execution, reruns
from pipeline.files import chapters
from pipeline.reruns import changes, outcome, problem, values_beside

ROOT = Path(__file__).parents[1]
CELLS = {
    "imports": (
        "from polycore.checks import real\nfrom polycore.evidence import Claim, Verdicts, exact"
    ),
    "parameters": "x = 1.0  # at most 1.5",
    "checked-parameters": 'real("x", x, above=0, at_most=4)',
    "work": "wrong = exact('two is one', 2, equals=1)\n1 / (x - 0.5)",
    "verdict": (
        "check = exact('x', int(4 * x), at_most=6)\n"
        "Verdicts(Claim('claim-6-3', 'One', 'book', 'new', [check], [wrong], otherwise='no'ASKS))"
    ),
}


@pytest.fixture
def chapter(tmp_path):
    """A chapter that breaks at x = 1/2, and whose claim fails above 3/2."""

    def write(asks=""):
        cells = [
            {
                "cell_type": "code",
                "id": key,
                "source": source.replace("ASKS", asks),
                "metadata": {"tags": ["parameters"] if key == "parameters" else []},
            }
            for key, source in CELLS.items()
        ]
        (tmp_path / "one.ipynb").write_text(json.dumps({"cells": cells}))
        return str(tmp_path / "one")

    return write


def test_each_parameter_is_changed_and_the_first_run_is_as_the_chapter_is(chapter):
    assert [*changes(chapter())] == [{}, {"x": 0.5}, {"x": 2.0}, {"x": 5.0}]
    assert values_beside(1) == [1, 2]  # half of one is no number of things
    assert values_beside(True) != [] and values_beside((1, 2)) == []


@pytest.mark.parametrize(
    ("x", "asks", "said"),
    [
        (1.0, "", None),
        (5.0, "", None),  # refused by the cell that checks the parameters
        (0.5, "", "work: ZeroDivisionError: float division by zero"),
        (2.0, "", "claim-6-3 fails-as-stated"),
        (2.0, ", asks={'x ≤ 1.5': x <= 1.5}", None),
    ],
)
def test_an_error_and_a_failing_statement_are_problems_and_nothing_else(chapter, x, asks, said):
    where = chapter(asks)
    found = problem(where, {"x": x}, outcome(where, {"x": x}))
    assert found is None if said is None else found.endswith(said), found


def test_a_chapter_that_refuses_its_own_parameters_or_shows_no_claim_is_one():
    refused = {"cell": "checked-parameters", "error": "ValueError: x"}
    assert problem("one", {}, refused) and not problem("one", {"x": 1}, refused)
    assert problem("one", {"x": 1}, {}).endswith("no claim")


@pytest.mark.slow
def test_a_run_that_takes_too_long_is_one():
    """In a process of its own: one with threads, as of JAX, must not be forked."""
    script = (
        "import time; from pipeline import reruns; reruns.LIMIT = 1\n"
        "work = lambda *run: time.sleep(30)\n"
        "[one] = reruns.answers([('one', {'x': 1.0})], work); print(reruns.problem(*one))"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert "without an answer, within 1 seconds" in done.stdout


TOGETHER = """
import multiprocessing, os, threading
from pipeline import reruns
os.cpu_count = lambda: 3
together, at_work = multiprocessing.Barrier(3), multiprocessing.Value("i")
def work(number):
    with at_work:
        at_work.value += 1
        many = at_work.value
    try:
        together.wait(20)
    except threading.BrokenBarrierError:
        return {number: "alone"}
    with at_work:
        at_work.value -= 1
    return {number: many}
answers = [*reruns.answers([(number,) for number in range(6)], work)]
print(sorted(number for number, _ in answers), max(made[number] for number, made in answers))
"""


@pytest.mark.slow
def test_as_many_runs_as_cores_are_made_at_once():
    """Each waits until it is one of three, and none sees a fourth."""
    command = [sys.executable, "-c", TOGETHER]
    said = subprocess.check_output(command, cwd=ROOT, text=True)
    assert said == "[0, 1, 2, 3, 4, 5] 3\n"


@pytest.mark.parametrize(("said", "status"), [(None, 0), ("one: wrong", 1)])
def test_the_command_fails_where_there_is_a_problem_and_only_there(monkeypatch, said, status):
    monkeypatch.setattr(reruns, "prove", lambda: None)
    monkeypatch.setattr(reruns, "answers", lambda todo, work: [("one", {}, {})])
    monkeypatch.setattr(reruns, "problem", lambda *run: said)
    monkeypatch.setenv("ONLY", "none")
    with pytest.raises(SystemExit) as ended:
        sys.exit(reruns.run_all())
    assert bool(ended.value.code is not None) == status


def test_linear_algebra_has_one_thread_a_run():
    """With 24 matrices a run took more than five minutes: two forks, and in each two threads that
    wait for one another.
    """
    [action] = dodo.task_reruns()["actions"]
    assert execution.THREADS.items() <= action.pkwargs["env"].items()


# What readers met: values that leave a theorem's range, and failed "as stated" or with a traceback.


@pytest.mark.slow
@pytest.mark.xdist_group("theory")  # their proofs are those of its tests
@pytest.mark.parametrize(
    ("chapter", "values"),
    [
        ("theorem_6_5", {"larger": "2"}),
        ("self_attention_window", {"larger": "5", "smaller": "2"}),
        ("self_attention_window", {"larger": "0.3"}),
        ("lemma_6_16", {"excess": "2", "profile": "quick"}),
        ("definition_1_1", {"beta": 2.5}),
        ("heads_of_attention", {"k": 2}),
        ("exact_window", {"low": 2, "high": 4, "spike": 7}),  # as the page "Try it" writes them
        ("self_attention_window", {"larger": 0.7, "smaller": 0.09, "b": 0.5, "dimension": 12}),
    ],
)
def test_what_readers_met(chapter, values):
    where = f"notebooks/{chapter}"
    assert problem(where, values, outcome(where, values)) is None


REFUSED_ON_PURPOSE = "largest", "most_channels"  # two exercises ask why
NUMBERED = [
    (chapter, name, value)
    for chapter in chapters()
    for name, value in reruns.parameters(chapter).items()
    if name != "seed" and values_beside(value)
]


def checked(chapter, values):
    """How the cells of a chapter end, up to the one that checks its parameters."""
    upto = [cell["id"] for cell in reruns.code(chapter)].index("checked-parameters") + 1
    return reruns.emitted_by(islice(reruns.cells(chapter, values, {}), upto))[1]


@pytest.mark.slow
@pytest.mark.parametrize(("chapter", "name", "value"), NUMBERED)
def test_every_number_has_an_upper_end_and_what_an_exercise_asks_lies_below_it(
    chapter, name, value
):
    far = "1e30" if isinstance(value, str) else type(value)(10**30)
    refused = checked(chapter, {name: far})
    assert refused and refused["cell"] == "checked-parameters", refused
    for values in reruns.exercises(chapter):
        assert name not in values or name in REFUSED_ON_PURPOSE or not checked(chapter, values)
