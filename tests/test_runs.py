"""Recorded runs: the same file however it is computed, and no file that the code of now could not
have made.
"""

import dataclasses
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from pipeline import runs
from polycore import provenance
from polycore.language.embeddings import EMBEDDINGS, ENCODER_HEADS
from polycore.language.real_heads import HEADS
from polycore.language.replaced import CLOSER, PERPLEXITY, RECALL, RECALL_CLOSER
from polycore.language.second_text import SECOND_TEXT
from polycore.language.sentence import SENTENCE
from polycore.language.weights import MissingWeights
from polycore.ranks.degree_experiment import DEGREES, STEP_SIZES, answer, cell, compare
from polycore.runs import FOLDERS, Record, Run, StaleRun, recorded
from polycore.trained.mechanism_experiment import COMPARED, RATES_TRIED
from tests.cells import draw

ROOT = Path(__file__).parents[1]


def squares(count=6, **more):
    return Run(
        "squares",
        draw,
        lambda: [{"number": number, **more} for number in range(count)],
        ("number",),
        5,
    )


@pytest.fixture(autouse=True)
def workers_find_the_cells(monkeypatch):
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    monkeypatch.setattr(
        runs, "record", lambda run, answers: {"digest": run.digest()}
    )  # the rest tells the time


def by_hand(run):
    """The same file from a plain loop."""
    rows = [
        json.dumps({"parameters": each, "result": run.cell(seed, **{**each, "falls": ""})})
        for seed, each in run.cells()
    ]
    return (
        f'{{"made": {json.dumps({"digest": run.digest()})},\n"cells": [\n'
        + ",\n".join(rows)
        + "\n]}\n"
    )


# How it is computed


@pytest.mark.parametrize("workers", [1, 2])
def test_one_process_and_several_give_the_same_file(tmp_path, workers):
    assert runs.make(squares(), tmp_path, workers) == by_hand(squares())


def test_a_killed_worker_costs_its_cell_a_second_attempt(tmp_path, capsys):
    run = squares(falls=str(tmp_path / "fell"))
    assert runs.make(run, tmp_path / "kept", 2) == by_hand(run)
    assert (tmp_path / "fell").exists() and "a worker was killed" in capsys.readouterr().out


@pytest.mark.slow
def test_a_dask_cluster_of_which_a_worker_is_killed_gives_the_same_file(tmp_path):
    from distributed import LocalCluster

    run = squares(falls=str(tmp_path / "fell"))
    with LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None
    ) as cluster:
        assert runs.make(run, tmp_path / "kept", scheduler=cluster.scheduler_address) == by_hand(
            run
        )
    assert (tmp_path / "fell").exists()


@pytest.mark.slow
def test_a_run_that_was_killed_goes_on_where_it_was(tmp_path):
    code = "from tests.test_runs import squares; from pipeline import runs; "
    code += f"runs.make(squares(waits=0.5), {str(tmp_path)!r}, 2)"
    process = subprocess.Popen(
        [sys.executable, "-c", code], cwd=ROOT, stderr=subprocess.PIPE, start_new_session=True
    )
    kept = tmp_path / "squares" / squares(waits=0.5).digest()
    deadline = time.time() + 60
    while len(list(kept.glob("*.json"))) < 2 and time.time() < deadline:
        time.sleep(0.05)
    os.killpg(process.pid, signal.SIGKILL)
    shown = process.communicate()[1].decode()
    before = {path.name: path.stat().st_mtime_ns for path in kept.glob("[0-9]*.json")}
    assert 2 <= len(before) < 6 and "squares:" in shown and "0/6" in shown  # the progress bar
    assert runs.make(squares(waits=0.5), tmp_path, 2) == by_hand(squares(waits=0.5))
    assert all((kept / name).stat().st_mtime_ns == when for name, when in before.items())


def test_cells_that_are_paired_have_one_seed_and_others_their_own():
    run = Run(
        "pairs",
        draw,
        lambda: [{"number": number, "waits": waits} for number in (1, 2) for waits in (0.0, 1.0)],
        ("number",),
        5,
    )
    keys = [seed.spawn_key for seed, _ in run.cells()]
    assert keys == [(0,), (0,), (1,), (1,)]
    child = np.random.SeedSequence(5).spawn(2)[1]
    assert list(run.cells())[2][0].generate_state(4).tolist() == child.generate_state(4).tolist()


# What is read


@pytest.fixture
def kept(tmp_path, monkeypatch):
    monkeypatch.setattr("polycore.runs.FOLDERS", (tmp_path,))
    run = squares()
    (tmp_path / "squares.json").write_text(runs.make(run, tmp_path / "kept"))
    return run


def test_a_record_finds_its_cells_and_computes_them_again(kept):
    record = recorded(kept)
    assert record.find(number=3)["square"] == 9 and record.again(number=3) == record.find(number=3)
    assert record.again({"number": 4}, number=3)["square"] == 16
    with pytest.raises(KeyError, match="has 0 cells"):
        record.find(number=7)
    with pytest.raises(KeyError, match="has 6 cells"):
        record.find()


def test_a_missing_run_says_how_it_is_made(kept):
    with pytest.raises(FileNotFoundError, match="no recorded run 'other'.*make runs"):
        recorded(dataclasses.replace(kept, name="other"))


@pytest.mark.parametrize(
    "change",
    [
        {"seed": 6},
        {"grid": lambda: [{"number": 7}]},
        {"cell": cell},
        {"paired": ()},
        {"data": lambda: b"other"},
    ],
    ids=["seed", "grid", "code", "pairs", "data"],
)
def test_a_stale_run_is_refused(kept, change):
    with pytest.raises(StaleRun, match="made from other code, cells or seed.*make runs"):
        recorded(dataclasses.replace(kept, **change))


def test_results_without_their_digest_are_refused(kept, tmp_path):
    path = tmp_path / "squares.json"
    path.write_text(path.read_text().replace(kept.digest(), "0" * 16))
    with pytest.raises(StaleRun):
        recorded(kept)


def test_making_runs_without_the_weights_says_what_installs_them(monkeypatch):
    def lacking(*_):
        raise MissingWeights("a-model==1 is not installed: make weights")

    monkeypatch.setattr(runs, "whole", lambda path: {"made": {"digest": "old"}})
    monkeypatch.setattr(runs, "settings", dict)
    monkeypatch.setattr(runs, "make", lacking)
    failed = runs.make_all()
    assert "needs a model that is not here: a-model==1" in str(failed.message)
    assert "make weights" in str(failed.message)


# Which code counts


SOURCE = '''
"""A module."""
import os
from polycore.checks import integer
LIMIT = 3
os.environ.setdefault("A", "1")
def helper(x):
    """Helps."""
    return min(x, LIMIT)
def other(x):
    return x
def cell(seed, n):
    # a comment
    if n < 0:
        raise ValueError("n must be positive")
    return helper(n)
'''


@pytest.fixture
def digest_of(tmp_path, monkeypatch):
    def digest_of(source):
        (tmp_path / "somecell.py").write_text(source)
        sys.modules.pop("somecell", None)
        provenance._module.cache_clear()
        import somecell

        return provenance.reached(somecell.cell)

    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    return digest_of


NOTHING_ELSE = [
    ('"""Helps."""', '"""Is of help."""'),
    ("# a comment", "# another"),
    ("n must be positive", "n is too small"),
    ("    return x\n", "    return 2 * x\n"),
    ("from polycore.checks import integer\n", ""),
    ("def helper(x):", "def helper(x: int) -> int:"),
]
SOMETHING = [
    ("min(x, LIMIT)", "max(x, LIMIT)"),
    ("LIMIT = 3", "LIMIT = 4"),
    ('"A", "1"', '"A", "2"'),
    ("return helper(n)", "return helper(integer('n', n))"),
    ("if n < 0", "if n <= 0"),
    ("def helper(x):", "def helper(x=2):"),
]


@pytest.mark.parametrize(
    ("old", "new", "same"),
    [(*pair, True) for pair in NOTHING_ELSE] + [(*pair, False) for pair in SOMETHING],
)
def test_what_computes_something_counts_and_nothing_else(digest_of, old, new, same):
    assert old in SOURCE
    assert (digest_of(SOURCE) == digest_of(SOURCE.replace(old, new))) is same


# The runs of the book


@pytest.mark.parametrize(
    "run",
    [
        STEP_SIZES,
        DEGREES,
        PERPLEXITY,
        CLOSER,
        RECALL,
        RECALL_CLOSER,
        HEADS,
        SENTENCE,
        SECOND_TEXT,
        EMBEDDINGS,
        ENCODER_HEADS,
        RATES_TRIED,
        COMPARED,
    ],
    ids=lambda run: run.name,
)
def test_committed_runs_are_those_of_the_code(run):
    assert isinstance(recorded(run), Record)
    assert (ROOT / "runs" / f"{run.name}.json").parent == FOLDERS[0]


def test_a_chosen_step_size_is_the_best_of_those_tried():
    tried, chosen = recorded(STEP_SIZES), recorded(DEGREES)
    for each in chosen.parameters():
        where = {name: each[name] for name in ("task", "budget", "architecture", "steps")}
        medians = {
            one["rate"]: np.median(tried.find(**where, rate=one["rate"])["errors"])
            for one in tried.parameters(**where)
        }
        assert len(medians) == 4 and each["rate"] == min(medians, key=medians.get)


def made_up(errors):
    """A record of two architectures with these errors."""
    cells = tuple(
        ({"task": "t", "architecture": name}, {"errors": list(values)})
        for name, values in errors.items()
    )
    return Record(STEP_SIZES, {}, cells)


def test_the_rule_confirms_refutes_and_leaves_open():
    rng = np.random.default_rng(0)
    noise = lambda: np.exp(rng.normal(0, 0.1, 24))
    record = made_up({"a": noise(), "b": 2 * noise(), "c": noise()})
    found = {
        pair: compare(record, *pair, task="t").verdict
        for pair in (("a", "b"), ("b", "a"), ("a", "c"))
    }
    assert found == {("a", "b"): "pass", ("b", "a"): "fail", ("a", "c"): "undecided"}
    decisions = [compare(record, "a", other, task="t") for other in "bc"]
    assert answer(decisions) == "not decided" and answer(decisions[:1]) == "confirmed"
    assert answer([compare(record, "b", other, task="t") for other in "ac"]) == "a rival is better"
