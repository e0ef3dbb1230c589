"""What is executed again, and what is not."""

import json
import os
import re
import shutil
import subprocess
import sys

import pytest

EVERYTHING = {"one", "two"}


def edit(tree, name, change):
    notebook = tree.load(name)
    change({cell["id"]: cell for cell in notebook["cells"]})
    tree.save(name, notebook)


def test_second_build_does_nothing(built):
    assert built.build() == set()


def test_touching_changes_nothing(built):
    for path in built.path.rglob("*"):
        if path.is_file() and "_build" not in path.parts:
            os.utime(path, (2e9, 2e9))
    assert built.build() == set()


def test_a_commit_is_named_and_makes_no_page_anew(built):
    page = built.path / "_build/html/notebooks/one.html"
    made = built.path / "_build/sphinx/html/notebooks/one.html"
    assert "Source: commit unknown," in page.read_text()
    git = ["git", "-C", built.path, "-c", "user.name=one", "-c", "user.email=one@two"]
    subprocess.run([*git, "init", "-q"], check=True)
    times = []
    for message in ("One", "Two"):
        subprocess.run([*git, "add", "."], check=True)
        subprocess.run([*git, "commit", "-qm", message, "--allow-empty"], check=True)
        assert built.build() == {"book"}
        name = subprocess.run([*git, "rev-parse", "--short", "HEAD"], capture_output=True).stdout
        assert f"Source: commit {name.decode().strip()}," in page.read_text()
        times.append(made.stat().st_mtime_ns)
    assert times[0] == times[1]


def test_edited_cell_executes_that_notebook(built):
    edit(
        built,
        "one",
        lambda cells: cells["imports"].update(source=cells["imports"]["source"] + "\n1 + 1"),
    )
    assert built.execute() == {"one"}


def test_edited_prose_executes_that_notebook(built):
    edit(
        built,
        "two",
        lambda cells: cells["title"].update(source=cells["title"]["source"] + "\n\nMore."),
    )
    assert built.build() == {"execute:two", "book"}
    assert b"More." in built.site()["notebooks/two.html"]


def told(tree, name, more):
    """Build after this was added to the first cell of a chapter."""
    edit(tree, name, lambda cells: cells["title"].update(source=cells["title"]["source"] + more))
    tree.build()


def pages(tree):
    """The site without what tells a page that was kept: the checksums that Sphinx appends to what
    is there before the page is, and the order of the words in the index of the search.
    """
    found = {name: re.sub(rb"\?v=\w+", b"", page) for name, page in tree.site().items()}
    words = found["searchindex.js"].removeprefix(b"Search.setIndex(").removesuffix(b")")
    return found | {"searchindex.js": ordered(json.loads(words))}


def ordered(value):
    """Lists in one order, all the way down."""
    if isinstance(value, dict):
        return {key: ordered(one) for key, one in value.items()}
    return sorted(map(ordered, value), key=repr) if isinstance(value, list) else value


def test_pages_that_did_not_change_are_kept_and_the_site_is_as_from_nothing(built):
    other = built.path / "_build/sphinx/html/notebooks/one.html"
    told(built, "one", "\n\nMore.")
    before = other.stat().st_mtime_ns
    told(built, "two", "\n\nMore.")
    kept, unchanged = pages(built), other.stat().st_mtime_ns == before
    (built.path / "_build/sphinx.made").unlink()
    (built.path / "_build/html").unlink()
    built.build()
    assert unchanged and other.stat().st_mtime_ns > before
    assert b"More." in kept["notebooks/two.html"] and kept == pages(built)


def test_a_heading_reaches_the_pages_that_did_not_change(built):
    told(built, "one", "\n\nMore.")
    retitle = lambda text: text.replace("# two", "# Two and a half")
    edit(
        built, "two", lambda cells: cells["title"].update(source=retitle(cells["title"]["source"]))
    )
    built.build()
    assert b"Two and a half" in built.site()["notebooks/one.html"]


def test_tags_and_outputs_execute_nothing_but_reach_the_page(built):
    assert b"wrong sum" in built.site()["notebooks/one.html"]
    edit(built, "one", lambda cells: cells["verdict"]["metadata"].update(tags=["remove-cell"]))
    edit(built, "two", lambda cells: cells["imports"].update(execution_count=7, outputs=[]))
    assert built.build() == {"book"}
    assert b"wrong sum" not in built.site()["notebooks/one.html"]


def test_the_time_that_a_chapter_took_changes_nothing_but_its_line(built):
    before, path = pages(built), built.path / "_build/executed/notebooks/one.ipynb"
    done = json.loads(path.read_text())
    done["metadata"]["papermill"]["duration"] += 10**6
    path.write_text(json.dumps(done))
    assert built.build() == {"book"}
    assert b"Executed in 1000" in (built.path / "_build/html/notebooks/one.html").read_bytes()
    assert pages(built) == before


def test_moved_parameters_tag_executes(built):
    edit(built, "one", lambda cells: cells["parameters"]["metadata"].update(tags=[]))
    assert built.execute() == {"one"}


def test_edited_module_executes_what_depends_on_it(built):
    (built.path / "polycore/leaf.py").write_text("LEAF = 2\n")
    assert built.execute() == {"two"}


def test_edited_module_that_nothing_imports_executes_nothing(built):
    (built.path / "polycore/stray.py").write_text("STRAY = 1\n")
    assert built.execute() == set()


def test_changed_lock_executes_everything(built):
    with open(built.path / "requirements.txt", "a") as lock:
        lock.write("# changed\n")
    assert built.execute() == EVERYTHING


def test_profile_reaches_the_notebooks_and_executes_everything(built, monkeypatch):
    monkeypatch.setenv("PROFILE", "quick")
    assert built.execute() == EVERYTHING
    done = json.loads((built.path / "_build/executed/notebooks/one.ipynb").read_text())
    assert 'profile = "quick"' in "".join("".join(cell["source"]) for cell in done["cells"])


def test_one_worker_and_two_give_the_same_ledger(built):
    built.chapter("three")
    ledgers = []
    for workers in ("1", "2"):
        (built.path / "_build").rename(built.path / f"build-before-{workers}")
        assert built.doit("-n", workers, "ledger")[0] == 0
        ledgers.append((built.path / "_build/results.json").read_bytes())
    assert ledgers[0] == ledgers[1]
    assert [claim["id"] for claim in json.loads(ledgers[0])] == ["one", "two", "three"]


def test_what_a_copy_executed_counts_where_the_inputs_are_the_same(built, tmp_path):
    copy = shutil.copytree(built.path, tmp_path / "copy", symlinks=True)
    shutil.rmtree(built.path / "_build")
    edit(
        built,
        "two",
        lambda cells: cells["imports"].update(source=cells["imports"]["source"] + "\n1 + 1"),
    )
    keep = f"from pipeline import execution; execution.keep({str(copy)!r})"
    subprocess.run([sys.executable, "-c", keep], cwd=built.path, check=True)
    assert built.execute() == {"two"}


@pytest.mark.parametrize(
    ("code", "found"),
    [
        ("from polycore import leaf", "leaf"),
        ("import polycore.leaf", "leaf"),
        ("from polycore.leaf import LEAF", "leaf"),
        ("from polycore.wing import room", "wing wing.room"),
        ("from polycore.wing.room import LEAF", "wing wing.room"),
        ("from polycore import wing", "wing"),
        ("import numpy\n%pip install x", ""),
        ("%%time\nimport polycore.leaf\n!ls", "leaf"),
        ("x = 7\ny = (\n    x\n    % prime\n)", ""),
        ("from polycore import *", "leaf wing wing.room"),
        ("from polycore.wing import *", "leaf wing wing.room"),
        ("from .leaf import LEAF", "leaf wing wing.room"),
        ("this is surely not Python", "leaf wing wing.room"),
    ],
)
def test_modules_named_by_code(code, found, tmp_path, monkeypatch):
    from pipeline.dependencies import named

    (tmp_path / "polycore/wing").mkdir(parents=True)
    for module in ("__init__", "leaf", "wing/__init__", "wing/room"):
        (tmp_path / f"polycore/{module}.py").touch()
    monkeypatch.chdir(tmp_path)
    assert named(code) == {"polycore", *(f"polycore.{name}" for name in found.split())}
