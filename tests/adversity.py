"""What may happen to a build, at moments that nobody chose: `make adversity`, some minutes.

Whatever it is, the next command simply works, what was finished is not made again, and no half-made
site is shown. The tests of every day, in test_failure.py, do the same at chosen moments.
"""

import contextlib
import copy
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from pipeline import runs
from tests.test_runs import squares

ROOT = Path(__file__).parents[1]
MOMENTS = range(20)  # also the seeds
as_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can mount a file system")


def edited(tree):
    """Something to do for every step of a build: a cell, a page, a module."""
    tree.chapter("one", "print('edited')")
    page = tree.path / "book/index.md"
    page.write_text(page.read_text() + "\nEdited.\n")
    (tree.path / "polycore/leaf.py").write_text("LEAF = 2\n")


@pytest.fixture(scope="module")
def whole(template, tmp_path_factory):
    """The site after an edit, and how long its build took when nothing happened."""
    tree = copy.copy(template)
    tree.path = shutil.copytree(
        template.path, tmp_path_factory.mktemp("whole") / "tree", symlinks=True
    )
    edited(tree)
    began = time.monotonic()
    assert tree.build() == {"execute:one", "execute:two", "book"}
    return tree.site(), time.monotonic() - began


def started(tree):
    return subprocess.Popen(
        **tree.command("book"),
        start_new_session=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )


def is_whole_again(tree, before, after):
    """The site is the old or the new one; the next build makes the new one, and then none."""
    assert tree.site() in (before, after)
    tree.build()
    assert tree.site() == after and tree.build() == set()


@pytest.mark.parametrize("moment", MOMENTS)
def test_a_build_that_is_killed(built, whole, moment):
    (after, seconds), before = whole, built.site()
    edited(built)
    build = started(built)
    time.sleep(random.Random(moment).uniform(0, seconds))
    os.killpg(build.pid, signal.SIGKILL)
    build.communicate()
    is_whole_again(built, before, after)


@pytest.mark.parametrize("moment", MOMENTS)
def test_runs_that_are_killed(tmp_path, moment, monkeypatch):
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    monkeypatch.setattr(runs, "record", lambda run, answers: {"digest": run.digest()})
    run = squares(waits=0.2)
    code = "from tests.test_runs import squares; from pipeline import runs; "
    code += f"runs.make(squares(waits=0.2), {str(tmp_path)!r}, 2)"
    command = [sys.executable, "-c", code]
    process = subprocess.Popen(command, cwd=ROOT, stderr=subprocess.DEVNULL, start_new_session=True)
    time.sleep(random.Random(moment).uniform(0, 4))
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    kept = tmp_path / "squares" / run.digest()
    before = {path: path.stat().st_mtime_ns for path in kept.glob("[0-9].json")}
    made = runs.make(run, tmp_path, 2)
    assert made == runs.make(run, tmp_path, 1)
    assert all(path.stat().st_mtime_ns == when for path, when in before.items())


def test_what_a_run_kept_that_is_cut(tmp_path, monkeypatch):
    monkeypatch.setattr(runs, "record", lambda run, answers: {"digest": run.digest()})
    made = runs.make(squares(), tmp_path, 1)
    for place, share in enumerate((0, 0.5, 0.99)):
        path = tmp_path / "squares" / squares().digest() / f"{place}.json"
        content = path.read_bytes()
        path.write_bytes(content[: int(share * len(content))])
    assert runs.make(squares(), tmp_path, 1) == made


@pytest.mark.parametrize("moment", range(5))
def test_two_builds_at_once(built, whole, moment):
    (after, seconds), before = whole, built.site()
    edited(built)
    first = started(built)
    time.sleep(random.Random(moment).uniform(0, seconds))
    second = started(built)
    for build in (first, second):
        build.communicate()
    is_whole_again(built, before, after)


CUT = ("executed/notebooks/one.ipynb", "results.json", "queries/one.json", "sphinx.made")


@pytest.mark.parametrize("name", CUT)
@pytest.mark.parametrize("share", [0, 0.5, 0.99])
def test_a_file_of_the_build_that_is_cut(built, name, share):
    before = built.site()
    path = built.path / "_build" / name
    content = path.read_bytes()
    path.write_bytes(content[: int(share * len(content))])
    is_whole_again(built, before, before)


@pytest.mark.parametrize("years", [-40, 10])
def test_a_clock_that_was_wrong(built, years):
    """All files are of another time, as after a jump of the clock; contents alone decide."""
    when = time.time() + years * 365 * 86400
    for path in built.path.rglob("*"):
        os.utime(path, (when, when), follow_symlinks=False)
    assert built.build() == set()


@contextlib.contextmanager
def disk(tree, folder, size):
    """The tree on a file system of its own, of so many bytes beside what it holds."""
    held = sum(path.lstat().st_blocks * 512 for path in tree.path.rglob("*"))
    folder.mkdir()
    subprocess.run(
        ["mount", "-t", "tmpfs", "-o", f"size={int(1.2 * held) + size}", "tmpfs", folder],
        check=True,
    )
    try:
        tree.path = shutil.copytree(tree.path, folder / "tree", symlinks=True)
        yield
    finally:
        subprocess.run(["umount", "--lazy", folder], check=True)


@as_root
@pytest.mark.parametrize("moment", range(5))
def test_a_full_disk(built, whole, tmp_path, moment):
    before, (after, _) = built.site(), whole
    with disk(built, tmp_path / "disk", 2**26):
        edited(built)
        free = shutil.disk_usage(built.path).free
        filler = built.path.parent / "filler"
        left = random.Random(moment).randrange(4096, 2**22)
        with contextlib.suppress(OSError), filler.open("wb") as file:
            os.posix_fallocate(file.fileno(), 0, free - left)
        status, printed = built.doit("book")
        assert status == 0 or "No space left on device" in printed or "disk is full" in printed
        filler.unlink()
        is_whole_again(built, before, after)


@as_root
def test_a_folder_that_cannot_be_written(built, whole, tmp_path):
    before, (after, _) = built.site(), whole
    with disk(built, tmp_path / "disk", 2**26):
        edited(built)
        remount = lambda how: subprocess.run(
            ["mount", "-o", f"remount,{how}", tmp_path / "disk"], check=True
        )
        remount("ro")
        status, printed = built.doit("book")
        assert status != 0 and ("Read-only file system" in printed or "readonly" in printed)
        assert built.site() == before
        remount("rw")
        is_whole_again(built, before, after)
