"""Which tests a mutant is put to, what is kept of it, and what the last run of all found."""

import json
import os
import subprocess
import sys
import time
from concurrent.futures import Future
from contextlib import nullcontext
from pathlib import Path
from types import SimpleNamespace

import psutil
import pytest

from pipeline import changes, mutants
from pipeline.files import digest, read, text

ROOT = Path(__file__).parents[1]


@pytest.mark.parametrize(
    ("module", "first"),
    [
        ("polycore.thresholds", "tests/test_thresholds.py"),  # of its name
        ("polycore.tails.inversion", "tests/test_inversion.py"),
        ("polycore.evidence.scopes", "tests/test_scopes.py"),  # named by none, imported by claims
        ("polycore.proof.products", "tests/test_coq.py"),
    ],
)
def test_a_module_is_put_to_the_tests_that_name_it(module, first):
    examples, *tests = mutants.own_tests(module)
    assert examples == f"{module.replace('.', '/')}.py" and tests[0] == first
    assert len(tests) == len({*tests}) and all((ROOT / test).exists() for test in tests)


def test_every_module_has_tests_or_examples():
    alone = [path for name, path in mutants.modules().items() if len(mutants.own_tests(name)) < 2]
    assert [path for path in alone if ">>>" not in path.read_text(encoding="utf-8")] == []


@pytest.fixture
def found(tmp_path, monkeypatch):
    """A module, its tests, and what was found of its one mutant."""
    monkeypatch.chdir(tmp_path)
    mutants.source.cache_clear()
    for name in ("a", "test_of_its_own", "test_more"):
        Path(f"{name}.py").write_text(f"x = '{name}'\n")
    tests = ["a.py", "test_of_its_own.py", "test_more.py"]
    monkeypatch.setattr(mutants, "own_tests", lambda name: tests)
    one = SimpleNamespace(module_path=Path("a.py"), operator_name="core/AddNot", occurrence=0)

    def keep(by, decided, **more):
        tests_now = {path: digest(Path(path).read_text()) for path in decided}
        kept = mutants.found_of("a", one)
        kept.parent.mkdir(parents=True, exist_ok=True)
        kept.write_text(json.dumps({"by": by, "tests": tests_now} | more))

    def change(path):
        with Path(path).open("a") as file:
            file.write("y = 0\n")
        mutants.source.cache_clear()

    yield SimpleNamespace(one=one, keep=keep, change=change, tests=tests)
    mutants.source.cache_clear()


def test_what_was_found_stands_while_those_that_decided_do(found):
    assert mutants.known("a", found.one) is None
    found.keep("killed", ["test_of_its_own.py"])
    found.change("test_more.py")
    assert mutants.known("a", found.one)["by"]
    found.change("test_of_its_own.py")
    assert mutants.known("a", found.one) is None
    found.keep("", found.tests)
    assert not mutants.known("a", found.one)["by"]
    found.change("test_more.py")  # it may kill now
    assert mutants.known("a", found.one) is None


def test_of_a_changed_module_nothing_is_known(found):
    found.keep("killed", ["test_of_its_own.py"])
    found.change("a.py")
    assert mutants.known("a", found.one) is None


def test_a_test_of_more_modules_than_before_makes_survivors_unknown(found):
    found.keep("", found.tests)
    found.tests.append("test_new.py")
    assert mutants.known("a", found.one) is None


@pytest.mark.parametrize(
    ("said", "by", "decided"),
    [
        ("FAILED test_more.py::test_it\n1 failed in 1s", "killed", ["test_more.py"]),
        ("timeout", "killed", ["a.py", "test_of_its_own.py", "test_more.py"]),
        (
            "INTERNALERROR> SystemExit\n\nno tests ran in 1s",
            "killed",
            ["a.py", "test_of_its_own.py", "test_more.py"],
        ),
        ("no tests ran in 1s", "", ["a.py", "test_of_its_own.py", "test_more.py"]),
        ("9 deselected in 1s", "", ["a.py", "test_of_its_own.py", "test_more.py"]),
    ],
)
def test_only_a_test_kills(found, monkeypatch, said, by, decided):
    """pytest ends with an error also where it ran none."""
    diff = "--- mutation diff ---\n--- a/a.py\n+++ b/a.py\n@@ -1 +1 @@\n-x = 'a'\n+x = 'b'"
    result = SimpleNamespace(output=said, diff=diff, is_killed=True)
    stub = SimpleNamespace(mutate_and_test=lambda *_: result)
    monkeypatch.setitem(sys.modules, "cosmic_ray", SimpleNamespace(mutating=stub))
    monkeypatch.setitem(sys.modules, "cosmic_ray.mutating", stub)
    monkeypatch.setattr(mutants, "seconds", lambda test: 1.0)
    found.one.start_pos = (1, 4)
    made = mutants.tried("a", found.one)
    assert (made["by"], made["was"], made["becomes"]) == (by, "x = 'a'", "x = 'b'")
    assert made["line"] == 1
    assert [*made["tests"]] == decided


@pytest.mark.parametrize(
    ("outcome", "said", "is_known"),
    [
        ("survived", "3 passed in 1s", True),
        ("killed", "5 deselected in 1s", False),
        ("killed", "1 failed, 2 passed in 1s", None),
    ],
)
def test_how_long_a_file_of_tests_takes_is_measured_once(
    found, monkeypatch, tmp_path, outcome, said, is_known
):
    """Nothing where all of it is about the site; and it must pass without a change."""
    asked = []
    stub = SimpleNamespace(
        TestOutcome=SimpleNamespace(SURVIVED="survived"),
        run_tests=lambda command, limit: asked.append(command) or (outcome, said),
    )
    monkeypatch.setitem(sys.modules, "cosmic_ray", SimpleNamespace(testing=stub))
    monkeypatch.setitem(sys.modules, "cosmic_ray.testing", stub)
    monkeypatch.setattr(mutants, "KEPT", tmp_path / "seconds")
    if is_known is None:
        with pytest.raises(RuntimeError, match="test_more.py fails without any change"):
            mutants.seconds("test_more.py")
        return
    first, again = mutants.seconds("test_more.py"), mutants.seconds("test_more.py")
    assert first == again and (first > 0 if is_known else first == 0) and len(asked) == 1
    found.change("test_more.py")
    assert mutants.seconds("test_more.py") is not None and len(asked) == 2


class Pool:
    """A pool of processes that does everything at once, here."""

    made = []

    def __init__(self, many, *_):
        self.many, self.cancelled = many, None
        self.made.append(self)

    __enter__ = lambda self: self
    __exit__ = lambda *_: None

    def submit(self, work, *arguments):
        job = Future()
        job.set_result(work(*arguments))
        return job

    def shutdown(self, cancel_futures=False):
        self.cancelled = cancel_futures


def test_all_that_is_unknown_is_tried_on_all_cores_and_kept(found, monkeypatch):
    found.keep("killed", ["test_of_its_own.py"])
    new = SimpleNamespace(**vars(found.one) | {"occurrence": 1})
    monkeypatch.setattr(mutants, "modules", lambda: {"a": Path("a.py")})
    monkeypatch.setattr(mutants, "mutants", lambda path: [found.one, new])
    monkeypatch.setattr(mutants, "sources_copied", lambda: nullcontext("copy"))
    monkeypatch.setattr(mutants, "ProcessPoolExecutor", Pool)
    monkeypatch.setattr(changes, "equivalents", list)
    tests = {path: digest(Path(path).read_text()) for path in found.tests}
    made = {"by": "", "tests": tests, "line": 1, "was": "x", "becomes": "y"}
    tried = []
    monkeypatch.setattr(mutants, "tried", lambda name, one: tried.append(one) or made)
    monkeypatch.setattr(mutants, "RECORD", Path("record.json"))
    mutants.RECORD.write_text("{}")
    for name in ("ONLY", "SAMPLE", "SEED"):
        monkeypatch.delenv(name, raising=False)
    assert mutants.try_all().endswith("1 of 2 survived.")
    assert tried == [new] and mutants.known("a", new)["was"] == "x"
    assert read(mutants.RECORD)["found"] == {"a": {"killed": 1, "survived": 1}}
    assert Pool.made[-1].many == os.cpu_count() and Pool.made[-1].cancelled
    assert mutants.try_all().endswith("1 of 2 survived.") and tried == [new]


def test_each_operator_comparison_and_number_is_changed(found):
    """Where Cosmic Ray is, which the book does without."""
    pytest.importorskip("cosmic_ray")
    Path("b.py").write_text("x = 1 + 2 < 3 and not True\n")
    kinds = sorted(one.operator_name.partition("/")[2] for one in mutants.mutants(Path("b.py")))
    assert kinds.count("NumberReplacer") == 6 and {*kinds} == {
        *("NumberReplacer", "ReplaceAndWithOr", "ReplaceBinaryOperator_Add_Sub"),
        *("ReplaceComparisonOperator_Lt_LtE", "ReplaceTrueWithFalse"),
        "ReplaceUnaryOperator_Delete_Not",
    }


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere the tests of a mutant end later")
def test_the_tests_of_a_mutant_end_with_whoever_asked(tmp_path):
    began, slow = tmp_path / "began", tmp_path / "test_slow.py"
    slow.write_text(
        f"import time\ndef test():\n    open({str(began)!r}, 'w')\n    time.sleep(60)\n"
    )
    asks = f"subprocess.run(shlex.split(TESTS + {str(slow)!r}), start_new_session=True)"
    code = f"import shlex, subprocess\nfrom pipeline.mutants import TESTS\n{asks}"
    asking = psutil.Popen([sys.executable, "-c", code], cwd=ROOT, stdout=subprocess.DEVNULL)
    until = time.monotonic() + 60
    while not began.exists() and time.monotonic() < until:
        time.sleep(0.05)
    (tests,) = asking.children()
    asking.kill()
    tests.wait(timeout=20)


def test_a_book_without_what_makes_mutants_has_the_rest():
    without = "import sys; sys.modules['cosmic_ray'] = None; import pipeline.mutants"
    subprocess.run([sys.executable, "-c", without], cwd=ROOT, check=True)


def test_a_sample_is_an_estimate_where_all_of_it_was_tried_as_that_sample(found, monkeypatch):
    monkeypatch.setattr(mutants, "RECORD", Path("record.json"))
    mutants.RECORD.write_text(json.dumps({"fresh": {"seed": "1", "tried": 9, "survived": []}}))
    monkeypatch.setattr(changes, "equivalents", list)
    sample = 60 * [("a", found.one)]
    more = {"line": 1, "was": "x", "becomes": "y", "seed": "2"}
    found.keep("", found.tests, **more)
    assert mutants.fresh(sample)["tried"] == 9
    monkeypatch.setenv("SAMPLE", "60")
    monkeypatch.setenv("SEED", "3")
    assert mutants.fresh(sample)["tried"] == 9  # it was tried before, as another sample
    monkeypatch.setenv("SEED", "2")
    survived = {"module": "a.py", "line": 1, "was": "x", "becomes": "y"}
    said = {"seed": "2", "tried": 60, "survived": 60 * [survived], "equivalent": 0, "least": 0}
    assert mutants.fresh(sample) == said
    found.change("test_more.py")  # while the sample was tried, or after it
    assert mutants.fresh(sample) == said
    found.keep("killed", found.tests, **more)
    assert mutants.fresh(sample)["least"] == 0.951  # 0.05^(1/60)
    other = SimpleNamespace(**vars(found.one) | {"occurrence": 1})
    made = mutants.known("a", found.one) | {"by": ""}
    mutants.found_of("a", other).write_text(json.dumps(made))
    alike = [{side: survived[side] for side in ("module", "was", "becomes")}]
    monkeypatch.setattr(changes, "equivalents", lambda: alike)
    said = mutants.fresh([*sample, ("a", other)])
    assert (said["tried"], said["equivalent"], said["least"]) == (61, 1, 0.951)
    mutants.found_of("a", other).write_text(json.dumps(made | {"seed": "1"}))
    assert mutants.fresh([*sample, ("a", other)])["tried"] == 60  # that one was not new
    again = mutants.tried_before("a", other)
    assert again == {"seed": "1", "again": True}
    mutants.found_of("a", other).write_text(json.dumps(made | {"seed": "2", "again": True}))
    assert mutants.fresh([*sample, ("a", other)])["tried"] == 9  # after a test was added


def test_a_mutant_that_nobody_tried_is_new(found):
    missing = SimpleNamespace(**vars(found.one) | {"occurrence": 2})
    assert mutants.tried_before("a", missing) == {}


def test_equivalents_are_of_lines_that_are_there_and_say_why():
    for one in changes.equivalents():
        path = ROOT / one["module"]
        whole = path.read_text(encoding="utf-8")
        if path.suffix == ".ipynb":
            whole = "\n".join(text(cell) for cell in json.loads(whole)["cells"])
        lines = [line.strip() for line in whole.split("\n")]
        assert one["was"] in lines and one["was"] != one["becomes"], one
        assert len(one["why"].split()) > 3, one


def test_survivors_fail_the_run_and_equivalents_do_not(tmp_path, monkeypatch, capsys):
    record, path = tmp_path / "mutants.json", Path("polycore/runs.py")
    monkeypatch.delenv("ONLY", raising=False)
    alike = {"module": "polycore/runs.py", "was": "x + 1", "becomes": "x - 1", "why": "for a test"}
    monkeypatch.setattr(changes, "equivalents", lambda: [alike])
    other = {"by": "", "line": 3, "was": "x > 1", "becomes": "x >= 1"}
    killed, same = other | {"by": "killed"}, other | {"was": "x + 1", "becomes": "x - 1"}
    every = ["polycore.runs", "polycore.runs", "polycore.checks"]
    report = lambda *found: changes.report(
        record, every, ["killed"], [("polycore.runs", path, one) for one in found]
    )
    assert report(killed, killed, same) is None
    counts = {"polycore.runs": {"killed": 2, "equivalent": 1}}
    assert read(record) == {"all": {"polycore.runs": 2, "polycore.checks": 1}, "found": counts}
    assert report(killed, other) == "polycore/runs.py:3:\n- x > 1\n+ x >= 1\n1 of 2 survived."


ALL = [(name, change) for name in ("one", "two") for change in range(50)]


def test_a_sample_is_at_random_and_of_what_is_named(monkeypatch):
    monkeypatch.setenv("SAMPLE", "10")
    first = changes.chosen(ALL, ["one", "two"])
    assert len(first) == 10 and {name for name, _ in first} == {"one", "two"}
    assert changes.chosen(ALL, ["one", "two"]) == first
    monkeypatch.setenv("SEED", "2")
    assert changes.chosen(ALL, ["one", "two"]) != first
    monkeypatch.setenv("ONLY", "two")
    monkeypatch.delenv("SAMPLE")
    assert sorted(changes.chosen(ALL, ["one", "two"])) == ALL[50:]


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("ONLY", "one too", "ONLY names 'too', which is none of \\['two'\\]"),
        ("SAMPLE", "many", "SAMPLE must be a number, at least 1, got 'many'"),
        ("SAMPLE", "0", "SAMPLE must be a number, at least 1, got '0'"),
    ],
)
def test_what_cannot_be_meant_is_said_before_any_work(monkeypatch, name, value, said):
    monkeypatch.setenv(name, value)
    with pytest.raises(SystemExit, match=said):
        changes.chosen(ALL, ["one", "two"])
