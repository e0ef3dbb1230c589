"""Kernels forked from one that has all proofs: each holds them, none sees another, and none
outlives the build.
"""

import copy
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
from contextlib import nullcontext
from pathlib import Path

import psutil
import pytest

from pipeline import kernels
from pipeline.execution import MANY

pytestmark = pytest.mark.build
ROOT = Path(__file__).parents[1]
PROBE = """\
import pathlib
import sys

def proved():
    imported = "polycore.theory.sums" in sys.modules
    from polycore.theory.sums import SUM_AFFINE
    return imported and SUM_AFFINE._prove.cache_info().currsize

def tell():
    if proved():
        pathlib.Path("proved").touch()"""
HELD = """\
import os
import pathlib
import sys
import time
import probe
from pipeline import kernels
kernels.ADDRESS = pathlib.Path(os.environ["KERNELS"])
end = time.monotonic() + 90
while not os.path.exists("proved") and time.monotonic() < end:  # the next ones must find it
    kernels.call("probe:tell")
    time.sleep(1)
alone = not hasattr(sys, "left_behind")
sys.left_behind = True
print("held:", probe.proved(), alone)"""
SMALLEST = "polycore/theory/sums.py"
NAMES = [f"chapter_{number}" for number in range(MANY)]


@pytest.fixture(scope="module")
def many(template, tmp_path_factory):
    """A tree with as many chapters as are worth a fork, none of them executed."""
    tree = copy.copy(template)
    tree.path = shutil.copytree(template.path, tmp_path_factory.mktemp("many") / "tree")
    shutil.rmtree(tree.path / "_build")
    for path in tree.path.glob("notebooks/*"):
        path.unlink()
    tree.chapters = ()
    for room in {*tree.path.glob("polycore/theory/*.py")} - {
        tree.path / SMALLEST,
        tree.path / "polycore/theory/__init__.py",
    }:
        room.unlink()  # each build proves all theorems that there are
    (tree.path / "probe.py").write_text(PROBE)
    for name in NAMES:
        tree.chapter(name, HELD)
    return tree


def of_the_build(tree):
    """The processes that work in this tree, or for it."""
    for process in psutil.process_iter():
        try:
            path = f"{process.cwd()} {process.environ().get('PYTHONPATH')} {process.cmdline()}"
            if str(tree.path) in path and process.status() != psutil.STATUS_ZOMBIE:
                yield process
        except (psutil.NoSuchProcess, psutil.AccessDenied):
            pass


def printed(tree, name):
    path = tree.path / f"_build/executed/notebooks/{name}.ipynb"
    return re.search(r"held: \w+ \w+", path.read_text())[0]


def wait_for(condition, seconds=90, why=lambda: "nothing happened in time"):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, why()
        time.sleep(0.1)


def test_every_kernel_holds_the_proofs_and_none_sees_another(many):
    status, said = many.doit("-n", "2", "ledger")
    assert status == 0, said
    found = [printed(many, name) for name in NAMES]
    assert [one.endswith("True") for one in found] == [True] * MANY
    assert found[0] == "held: 1 True"  # the last to run, when another one had seen the proof
    assert f"{MANY} of {MANY} chapters" in said and " left\n" in said
    wait_for(lambda: not list(of_the_build(many)), 10)


def answer(server, answers):
    """What the server does with one call, but that it says something in place of the function."""
    connection, _ = server.accept()
    with connection:
        _, (out, err), *_ = socket.recv_fds(connection, 2**16, 2)
        os.write(out, b"said"), os.write(err, b"complained")
        os.close(out), os.close(err)
        for one in answers:
            connection.send(one)


@pytest.mark.parametrize("well", [True, False])
def test_what_a_fork_says_and_how_it_ends_reaches_whoever_called(
    monkeypatch, tmp_path, capfd, well
):
    monkeypatch.setattr(kernels, "ADDRESS", tmp_path / "server")
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as server:
        server.bind(str(kernels.ADDRESS))
        server.listen()
        told = threading.Thread(target=answer, args=(server, [b"1", b"+" if well else b"-"]))
        told.start()
        failure = nullcontext() if well else pytest.raises(RuntimeError, match="stands above")
        with failure:
            kernels.call("a:b")
        told.join()
    assert capfd.readouterr() == ("said", "complained")


LEFT_ALONE = """
import json, os, socket
from pipeline import kernels
mine, other = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
if (child := os.fork()) == 0:
    mine.close()
    kernels.run(other)
other.close()
told = {"call": "signal:pause", "environment": dict(os.environ), "folder": os.getcwd()}
socket.send_fds(mine, [json.dumps(told).encode()], [1, 2])
assert int(mine.recv(32)) == child
mine.close()
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""


def test_a_kernel_that_nobody_wants_any_more_ends():
    command = [sys.executable, "-c", LEFT_ALONE]
    assert subprocess.check_output(command, cwd=ROOT, text=True, timeout=60) == "1\n"


def test_a_kernel_that_dies_fails_its_chapter_alone(many, tmp_path):
    for name in NAMES:
        many.chapter(name, HELD, "import os\nos._exit(1)" if name == NAMES[1] else "1 + 1")
    status, said = many.doit("-n", "1", "--continue", "ledger")
    assert status and f"notebooks/{NAMES[1]}.ipynb could not be executed: DeadKernelError" in said
    assert "notebooks/chapter_0" not in said.split("could not")[0].split("TaskFailed")[-1]
    assert all(printed(many, name).endswith("True") for name in NAMES if name != NAMES[1])


@pytest.mark.parametrize("at", ["while it proves", "while chapters run"])
def test_no_process_outlives_a_build_that_is_killed(many, at, tmp_path):
    here = tmp_path / "here"
    for name in NAMES:
        many.chapter(name, f"open({str(here)!r}, 'w').close()\nimport time\ntime.sleep(600)")
    proving = lambda: any("pipeline.kernels" in each.cmdline() for each in of_the_build(many))
    with subprocess.Popen(**many.command("ledger"), stdout=subprocess.DEVNULL) as build:
        wait_for(proving if at == "while it proves" else here.exists)
        os.kill(build.pid, signal.SIGKILL)
    # The server looks up when its imports are done: ten seconds and more on a busy machine. What it
    # must not outlive is the chapters, which would sleep for ten minutes.
    wait_for(
        lambda: not list(of_the_build(many)), why=lambda: [p.cmdline() for p in of_the_build(many)]
    )


def test_a_core_that_cannot_be_imported_is_named(many):
    module = many.path / "polycore/theory/broken.py"
    module.write_text("raise RuntimeError('this theory is broken')\n")
    for name in NAMES:
        many.chapter(name, "1 + 1")
    status, said = many.doit("ledger")
    assert status and "this theory is broken" in said
