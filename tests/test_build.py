"""What is executed again, and what is not."""

import json
import os
import shutil
import subprocess
import sys

import pytest

EVERYTHING = {"execute:one", "execute:two", "book"}


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


def test_edited_cell_executes_that_notebook(built):
    edit(built, "one", lambda cells: cells["imports"].update(source=cells["imports"]["source"] + "\n1 + 1"))
    assert built.build() == {"execute:one", "book"}


def test_edited_prose_executes_that_notebook(built):
    edit(built, "two", lambda cells: cells["title"].update(source=cells["title"]["source"] + "\n\nMore."))
    assert built.build() == {"execute:two", "book"}
    assert b"More." in built.site()["notebooks/two.html"]


def test_tags_and_outputs_execute_nothing_but_reach_the_page(built):
    assert b"wrong sum" in built.site()["notebooks/one.html"]
    edit(built, "one", lambda cells: cells["verdict"]["metadata"].update(tags=["remove-cell"]))
    edit(built, "two", lambda cells: cells["imports"].update(execution_count=7, outputs=[]))
    assert built.build() == {"book"}
    assert b"wrong sum" not in built.site()["notebooks/one.html"]


def test_the_time_that_a_chapter_took_changes_nothing_but_its_line(built):
    before, path = built.site(), built.path / "_build/executed/notebooks/one.ipynb"
    done = json.loads(path.read_text())
    done["metadata"]["papermill"]["duration"] += 10**6
    path.write_text(json.dumps(done))
    assert built.build() == {"book"}
    assert b"Executed in 1000" in (built.path / "_build/html/notebooks/one.html").read_bytes()
    assert built.site() == before


def test_moved_parameters_tag_executes(built):
    edit(built, "one", lambda cells: cells["parameters"]["metadata"].update(tags=[]))
    assert built.build() == {"execute:one", "book"}


def test_edited_module_executes_what_depends_on_it(built):
    (built.path / "polycore/leaf.py").write_text("LEAF = 2\n")
    assert built.build() == {"execute:two", "book"}


def test_edited_module_that_nothing_imports_executes_nothing(built):
    (built.path / "polycore/stray.py").write_text("STRAY = 1\n")
    assert not any(task.startswith("execute") for task in built.build())


def test_changed_lock_executes_everything(built):
    with open(built.path / "requirements.txt", "a") as lock:
        lock.write("# changed\n")
    assert built.build() == EVERYTHING


def test_profile_reaches_the_notebooks_and_executes_everything(built, monkeypatch):
    monkeypatch.setenv("PROFILE", "quick")
    assert built.build() == EVERYTHING
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
    edit(built, "two", lambda cells: cells["imports"].update(source=cells["imports"]["source"] + "\n1 + 1"))
    keep = f"from pipeline import execution; execution.keep({str(copy)!r})"
    subprocess.run([sys.executable, "-c", keep], cwd=built.path, check=True)
    assert built.build() == {"execute:two", "book"}


@pytest.mark.parametrize(
    ("code", "found"),
    [
        ("from polycore import leaf", {"__init__", "leaf"}),
        ("import polycore.stem", {"__init__", "stem"}),
        ("from polycore.stem import LEAF", {"__init__", "stem"}),
        ("from .leaf import LEAF", {"__init__", "leaf"}),
        ("from . import leaf", {"__init__", "leaf"}),
        ("import numpy\n%pip install x", {"__init__"}),
        ("%%time\nimport polycore.leaf\n!ls", {"__init__", "leaf"}),
        ("x = 7\ny = (\n    x\n    % prime\n)", {"__init__"}),
        ("from polycore import *", {"__init__", "leaf", "stem"}),
        ("this is surely not Python", {"__init__", "leaf", "stem"}),
    ],
)
def test_modules_named_by_code(code, found, tmp_path, monkeypatch):
    from pipeline.execution import named

    (tmp_path / "polycore").mkdir()
    for module in ("__init__", "leaf", "stem"):
        (tmp_path / f"polycore/{module}.py").touch()
    monkeypatch.chdir(tmp_path)
    assert named(code) == found
