"""A build that fails says why, keeps the last good site, and leaves nothing in the way."""

import os
import signal
import subprocess
import time
from multiprocessing import Pipe
from types import SimpleNamespace

import psutil
import pytest
from doit.exceptions import TaskFailed

from pipeline.machines import least
from pipeline.replay import PLAIN, behind, replay, turned, unlike

UNSAT = "(set-logic QF_NRA)(declare-const x Real)(assert (< (* x x) 0.0))(check-sat)"
SAT = "(set-logic QF_NRA)(declare-const x Real)(assert (> (* x x) 0.0))(check-sat)"


def test_failing_cell_is_shown_and_the_site_stays(built):
    before = built.site()
    built.chapter("one", "print('this far')", "secret = 40\nsecret / 0")
    status, printed = built.doit("book")
    assert status != 0
    for part in (
        "notebooks/one.ipynb failed in cell 5 (In [4])",
        "secret / 0",
        "Traceback",
        "ZeroDivisionError",
    ):
        assert part in printed
    assert "\x1b[" not in printed
    assert "_build/failed/one.ipynb" in printed
    assert (
        '"this far\\n"' in (built.path / "_build/failed/one.ipynb").read_text()
    )  # an output, not the source
    assert built.site() == before


def test_check_holds_the_processor_down_and_keeps_what_failed_there(built):
    built.chapter("one", "import os\nprint(os.environ.get('OPENBLAS_CORETYPE'))", "1 / 0")
    status, printed = built.doit("check")
    assert status != 0 and "_build/failed/one.ipynb" in printed
    held = least().get("OPENBLAS_CORETYPE")
    assert f'"{held}\\n"' in (built.path / "_build/failed/one.ipynb").read_text()


def test_cell_number_is_that_of_the_source_when_parameters_are_injected(built, monkeypatch):
    monkeypatch.setenv("PROFILE", "quick")
    built.chapter("one", "1 / 0")
    assert "failed in cell 4 (In [4])" in built.doit("book")[1]


def test_dead_kernel_is_named(built):
    built.chapter("one", "import os\nos._exit(1)")
    status, printed = built.doit("book")
    assert status != 0
    assert "notebooks/one.ipynb could not be executed: DeadKernelError" in printed


def test_control_that_passes_fails_the_build(built):
    built.chapter("one", wrong=2)
    status, printed = built.doit("book")
    assert status != 0
    assert "the wrong version “wrong sum” was not rejected" in printed


def test_changed_verdict_is_refused_until_accepted(built):
    before = built.site()
    built.chapter("one", least=3, finding="the sum is another")
    status, printed = built.doit("book")
    assert status != 0
    assert "one: verdict: 'holds' became 'fails-as-stated'" in printed
    assert "doit accept" in printed
    assert built.site() == before
    built.accept()
    assert built.build() == {"book"}
    assert b"fails as stated" in built.site()["book/index.html"]


TOSSED = """\
from polycore.evidence import estimated
from polycore.montecarlo import decide_at_most

Verdicts(
    Claim("one", "Lemma one", "book", "new",
        [estimated("a coin", decide_at_most(0, 100, 0.01), seed=1)],
        [exact("wrong sum", 1, equals=2)]))
"""


def test_too_few_trials_fail_the_build_and_cannot_be_accepted(built):
    before, notebook = built.site(), built.load("one")
    notebook["cells"][-1]["source"] = TOSSED
    built.save("one", notebook)
    for task in ("book", "accept"):
        status, printed = built.doit(task)
        assert status != 0
        assert (
            "notebooks/one.ipynb, Lemma one: “a coin” is undecided after 100 trials; about 1,375 "
            "would decide." in printed
        )
        assert "Raise `trials`" in printed
        assert built.site() == before
    notebook["cells"][-1]["source"] = TOSSED.replace("0, 100", "0, 1375")
    built.save("one", notebook)
    built.accept()
    assert built.build() == {"book"}


def test_changed_number_is_mentioned_and_fails_the_comparison(built):
    built.chapter("one", "size = 3")
    status, printed = built.doit("book")
    assert status == 0
    assert "one: evidence > sum > value: 2 became 3" in printed
    status, printed = built.doit("same")
    assert status != 0
    assert "one: evidence > sum > value: 2 became 3" in printed


def test_numbers_of_another_profile_are_neither_compared_nor_accepted(built, monkeypatch):
    monkeypatch.setenv("PROFILE", "quick")
    built.chapter("one", "size = 3")
    status, printed = built.doit("book")
    assert status == 0 and "2 became 3" not in printed
    status, printed = built.doit("accept")
    assert status != 0 and "The profile is 'quick'" in printed


def test_claim_without_statement_is_refused(built):
    notebook = built.load("one")
    notebook["cells"][0]["source"] = "# Nothing is stated here"
    built.save("one", notebook)
    status, printed = built.doit("book")
    assert status != 0
    assert (
        "notebooks/one.ipynb claims 'one', but no {prf:…} block there has this :label:" in printed
    )


WRONG_PAGE = {
    "See {prf:ref}`lemma-9-9`.": "lemma-9-9",
    "It is {value}`one > product`.": "no evidence 'product' of 'one'; there is 'sum'",
    "It {verdict}`three`.": "no claim 'three' in the ledger",
    "```{prf:lemma} 9\n:label: nine\n:nonumber:\n\nx\n```": "'nine' is not in the ledger",
    "See [there](nowhere.md).": "nowhere.md",
}


def test_warnings_are_errors_and_all_are_shown(built):
    before = built.site()
    with open(built.path / "book/index.md", "a") as index:
        index.write("\n\n".join(["", *WRONG_PAGE]))
    status, printed = built.doit("book")
    assert status != 0
    assert [complaint for complaint in WRONG_PAGE.values() if complaint not in printed] == []
    assert built.site() == before


def wait_for(condition):
    for _ in range(600):
        if condition():
            return
        time.sleep(0.1)
    raise AssertionError(
        "a minute has gone by, and the build has not come to the point that the test waits for"
    )


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
@pytest.mark.parametrize("whole_group", [True, False])
def test_killed_while_executing(built, number, whole_group):
    before, mark = built.site(), built.path / "started"
    built.chapter(
        "one", f"import pathlib, time\npathlib.Path({str(mark)!r}).touch()\ntime.sleep(10)"
    )
    # what a shell starts in the background ignores SIGINT, and so would what it starts in turn
    heard = {"preexec_fn": lambda: signal.signal(signal.SIGINT, signal.SIG_DFL)}
    build = subprocess.Popen(
        **built.command("book"), **heard, start_new_session=True, stderr=subprocess.DEVNULL
    )
    wait_for(mark.exists)
    family = psutil.Process(build.pid).children(recursive=True)
    (os.killpg if whole_group else os.kill)(build.pid, number)
    assert build.wait() != 0
    wait_for(lambda: not any(process.is_running() for process in family))
    assert built.site() == before
    built.chapter("one")
    assert "execute:two" not in built.build()
    assert built.site() == before


def test_killed_while_building_the_pages(built):
    before = built.site()
    (built.path / "book/index.md").write_text(
        (built.path / "book/index.md").read_text() + "\nMore.\n"
    )
    build = subprocess.Popen(
        **built.command("book"), start_new_session=True, stderr=subprocess.DEVNULL
    )
    wait_for((built.path / "_build/sphinx").exists)
    os.killpg(build.pid, signal.SIGKILL)
    assert built.site() == before
    assert built.build() == {"book"}
    assert b"More." in built.site()["book/index.html"]


def test_a_copy_that_was_cut_is_executed_again(built):
    before, path = built.site(), built.path / "_build/executed/notebooks/one.ipynb"
    path.write_bytes(path.read_bytes()[:-100])
    assert "execute:one" in built.build()
    assert built.site() == before


def test_site_built_by_hand_is_replaced(built):
    before, html = built.site(), built.path / "_build/html"
    html.unlink()
    html.mkdir()
    assert built.build() == {"book"}
    assert built.site().keys() == before.keys()


def test_replay_accepts_what_cvc5_refutes():
    assert replay([UNSAT, UNSAT]) is None


def test_replay_asks_each_query_once(capsys):
    replay([UNSAT, UNSAT, UNSAT.replace("x", "y")])
    assert capsys.readouterr().out.endswith("unsat: 2\n")


PROOF = {
    "id": "sum",
    "evidence": [{"kind": "proof", "what": "one"}, {"kind": "exact", "what": "two"}],
}
ASKED = {"sum": {"one": ["first", "second"]}}


def test_what_stands_behind_a_proof_is_what_was_committed():
    assert not list(unlike([PROOF], ASKED, behind(ASKED)))
    assert not list(unlike([PROOF], {"sum": {"one": ["second", "first"]}}, behind(ASKED)))


@pytest.mark.parametrize(
    "asked",
    [{}, {"sum": {}}, {"sum": {"one": ["first"]}}, {"sum": {"one": ["first", "another"]}}],
    ids=str,
)
def test_a_query_that_is_gone_or_another_is_noticed(asked):
    [line] = unlike([PROOF], asked, behind(ASKED))
    assert line.startswith("sum, “one”: committed 2 queries, ")


def test_a_proof_without_committed_queries_is_noticed():
    [line] = unlike([PROOF], ASKED, {})
    assert "committed none" in line


def test_replay_tries_another_way_where_one_does_not_decide():
    assert "nothing" in str(replay([UNSAT], [({"no such option": "1"}, 5)]))
    assert replay([UNSAT], [({"no such option": "1"}, 5), (PLAIN, 5)]) is None


def test_a_query_turned_declares_the_same_in_the_opposite_order():
    letters = [f"(declare-fun {letter} () Real)" for letter in "xyz"]
    rest = ["(assert (< x x))", "(check-sat)"]
    query = "\n".join([*letters, *rest])
    assert turned(query) == "\n".join([*reversed(letters), *rest])
    assert turned(turned(query)) == query and replay([turned(query)]) is None


class Mute:
    """A process that does not even say that it is ready."""

    def __init__(self, target, args, daemon):
        self.end = os.dup(args[-1].fileno())  # or it would count as one that stopped

    def start(self):
        pass

    def kill(self):
        os.close(self.end)

    def join(self):
        pass


def test_replay_does_not_wait_for_ever(monkeypatch):
    refused = replay([UNSAT], [(PLAIN, 0)])
    assert isinstance(refused, TaskFailed)
    assert "nothing in 0 s" in str(refused) and UNSAT in str(refused)
    processes = SimpleNamespace(Pipe=Pipe, Process=Mute, set_forkserver_preload=list)
    monkeypatch.setattr("pipeline.replay.get_context", lambda how: processes)
    monkeypatch.setattr("pipeline.replay.START", 0.1)
    assert "not ready in 0.1 s" in str(replay([UNSAT], [(PLAIN, 5)]))


@pytest.mark.slow
@pytest.mark.parametrize("query", [SAT, UNSAT.replace("(check-sat)", "")])
def test_replay_refuses_anything_but_unsat(query):
    refused = replay([UNSAT, query])
    assert isinstance(refused, TaskFailed)
    assert query in str(refused)


def test_replay_refuses_to_have_checked_nothing():
    assert "nothing was checked" in str(replay([]))
