"""Chapters run again by hand: README's examples, the comparison with the book, JupyterLab's
surroundings, the served site.
"""

import copy
import json
import os
import re
import shlex
import socket
import subprocess
import sys
import threading
import time
import urllib.parse
import urllib.request
from pathlib import Path
from types import SimpleNamespace

import pytest
from jupyter_client import BlockingKernelClient
from nbformat.v4 import new_code_cell, new_notebook
from papermill import execute_notebook
from papermill.exceptions import PapermillExecutionError

from pipeline import notebook, serve
from pipeline.compare import differences, report
from pipeline.execution import settings

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
EXAMPLES = re.findall(r"^\| `\.venv/bin/(papermill .*?)` \| .*? \| `(.*?)` \|$", README, re.M)
CHAPTERS = sorted(path.stem for path in ROOT.glob("notebooks/*.ipynb"))


@pytest.fixture(autouse=True)
def at_the_root(monkeypatch):
    monkeypatch.chdir(ROOT)


def executed(chapter):
    path = ROOT / f"_build/executed/notebooks/{chapter}.ipynb"
    assert path.exists(), "no chapter has been executed; run: make book"
    return path


def test_readme_has_three_examples_from_three_chapters():
    assert len({re.search(r"notebooks/\w+", command)[0] for command, _ in EXAMPLES}) == 3


@pytest.mark.slow
@pytest.mark.parametrize(("command", "line"), EXAMPLES, ids=[command for command, _ in EXAMPLES])
def test_example_of_the_readme_gives_what_it_says(command, line, tmp_path):
    out = str(tmp_path / "out.ipynb")
    arguments = [out if word == "out.ipynb" else word for word in shlex.split(command)]
    subprocess.run(
        [sys.executable, "-m", *arguments],
        env=os.environ | settings(),
        check=True,
        capture_output=True,
    )
    done = subprocess.run(
        [sys.executable, "-m", "pipeline.compare", out], check=True, capture_output=True, text=True
    )
    first, *lines = done.stdout.splitlines()
    assert first.replace('"', "") == "With {} = {}:".format(*arguments[-2:])
    assert line in lines


@pytest.mark.site
def test_the_books_own_copies_do_not_differ():
    for chapter in CHAPTERS:
        assert (
            report(executed(chapter)) == "With its own parameters:\nnothing differs from the book."
        )


def spoilt(claims, spoil):
    changed = copy.deepcopy(claims)
    spoil(changed[0])
    return changed


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (lambda claim: claim.update(verdict="open"), ["Lemma 4.1: verdict: 'holds' became 'open'"]),
        (
            lambda claim: claim["evidence"][1].update(value=1),
            ["Lemma 4.1, evidence “B”: value: 2 became 1"],
        ),
        (
            lambda claim: claim["controls"][0].update(rejected=False),
            ["Lemma 4.1, wrong version “C”: rejected: True became False"],
        ),
        (
            lambda claim: claim["evidence"].pop(0),
            ["Lemma 4.1, evidence “A”: no longer in the ledger"],
        ),
        (
            lambda claim: claim.update(id="mine", label="Mine"),
            ["Mine: not in the committed ledger"],
        ),
    ],
    ids=["verdict", "value", "control", "one piece less", "a claim of one's own"],
)
def test_what_changed_is_said_by_name(spoil, said):
    evidence = [{"kind": "exact", "what": what, "value": 2, "passed": True} for what in "AB"]
    shared = {
        "id": "lemma-4-1",
        "label": "Lemma 4.1",
        "notebook": "notebooks/lemma_4_1.ipynb",
        "statement": "x = 1",
    }
    shared["scope"] = {"is": "proved", "says": ""}
    claim = {
        **shared,
        "verdict": "holds",
        "finding": "",
        "evidence": evidence,
        "controls": [{"what": "C", "rejected": True}],
    }
    assert differences([claim], [copy.deepcopy(claim)]) == []
    lines = differences([claim], spoilt([claim], spoil))
    assert lines[: len(said)] == said


@pytest.mark.slow
def test_a_parameter_that_is_not_there_is_named_by_the_chapter_and_the_comparison(tmp_path):
    """papermill only warns, and runs the chapter as it is."""
    cells = [
        new_code_cell("import polycore"),
        new_code_cell("kappa = 1.0  # of the degree", metadata={"tags": ["parameters"]}),
        new_code_cell("print(kappa)"),
    ]
    kernel = {"name": "python3", "display_name": "", "language": "python"}
    one, out = tmp_path / "one.ipynb", tmp_path / "out.ipynb"
    one.write_text(json.dumps(new_notebook(cells=cells, metadata={"kernelspec": kernel})))
    wanted = "this chapter has no parameter kapa. Did you mean kappa? It has kappa"
    with pytest.raises(PapermillExecutionError) as raised:
        execute_notebook(one, out, {"kapa": 0.3}, progress_bar=False)
    assert wanted in str(raised.value) and raised.value.cell_index == 2
    assert wanted in report(out) and "differs" not in report(out)
    execute_notebook(one, out, {"kappa": 0.3, "profile": "quick"}, progress_bar=False)
    assert json.loads(out.read_text())["cells"][3]["outputs"][0]["text"] == ["0.3\n"]


@pytest.mark.site
def test_a_chapter_that_stopped_half_way_is_not_called_equal(tmp_path):
    half = json.loads(executed("lemma_4_1").read_text(encoding="utf-8"))
    for cell in half["cells"]:
        if cell["id"] == "verdict":
            cell["outputs"] = []
    (tmp_path / "half.ipynb").write_text(json.dumps(half))
    assert "holds no claims" in report(tmp_path / "half.ipynb")


@pytest.mark.site
def test_a_notebook_that_ran_is_stripped_to_its_source():
    for chapter in CHAPTERS:
        ran = json.loads(executed(chapter).read_text(encoding="utf-8"))
        source = json.loads((ROOT / f"notebooks/{chapter}.ipynb").read_text(encoding="utf-8"))
        assert notebook.stripped(ran) == source
        assert notebook.stripped(source) == source
        assert ran != source


def test_what_running_puts_into_a_notebook_is_taken_out(tmp_path, monkeypatch, capsys):
    """Outputs, counts and metadata, but for tags; keys in the order of the formatter."""
    code = {"id": "one", "cell_type": "code", "source": ["1 + 1"], "outputs": [{}]}
    ran = {
        "cells": [
            code | {"execution_count": 3, "metadata": {"tags": ["parameters"], "papermill": {}}},
            {"source": ["# κ"], "id": "two", "cell_type": "markdown", "metadata": {"x": 1}},
        ],
        "metadata": {"papermill": {"duration": 1}},
        "nbformat": 4,
    }
    clean = notebook.stripped(ran)
    one, two = clean["cells"]
    assert [*one] == [*notebook.CELL] and one["metadata"] == {"tags": ["parameters"]}
    assert one["execution_count"] is None and one["outputs"] == [] and one["source"] == ["1 + 1"]
    assert two == {"cell_type": "markdown", "id": "two", "metadata": {}, "source": ["# κ"]}
    assert clean["metadata"] == notebook.METADATA and clean["nbformat"] == 4
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(notebook, "chapters", lambda: ["clean", "ran"])
    for name, held in (("clean", clean), ("ran", ran)):
        Path(f"{name}.ipynb").write_text(json.dumps(held))
    before = Path("clean.ipynb").read_text()
    notebook.strip()
    assert capsys.readouterr().out == "ran.ipynb: stripped\n"
    written = json.dumps(clean, indent=1, ensure_ascii=False) + "\n"
    assert Path("ran.ipynb").read_text("utf-8") == written
    assert Path("clean.ipynb").read_text() == before


def test_a_kernel_imports_the_polycore_of_this_tree(tmp_path):
    code = "import polycore; print(polycore.__file__)"
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=tmp_path,
        env=os.environ | settings(),
        text=True,
        capture_output=True,
    )
    assert done.stdout.strip() == str(ROOT / "polycore/__init__.py")


@pytest.mark.site
def test_the_site_is_served_on_another_port_where_one_is_taken():
    with serve.server(0) as first, serve.server(first.server_port) as second:
        assert first.server_port != second.server_port
        threading.Thread(target=second.serve_forever, daemon=True).start()
        with urllib.request.urlopen(
            f"http://127.0.0.1:{second.server_port}/book/index.html"
        ) as answer:
            assert b"Recomputed" in answer.read()
        second.shutdown()


@pytest.mark.parametrize(
    ("platform", "surroundings", "opens"),
    [
        ("linux", {}, False),
        ("linux", {"DISPLAY": ":0"}, True),
        ("linux", {"WAYLAND_DISPLAY": "wayland-0"}, True),
        ("darwin", {}, True),
        ("win32", {}, True),
    ],
)
def test_a_window_opens_where_there_can_be_one(monkeypatch, capsys, platform, surroundings, opens):
    for name in ("DISPLAY", "WAYLAND_DISPLAY"):
        monkeypatch.delenv(name, raising=False)
    for name, value in surroundings.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(serve, "sys", SimpleNamespace(platform=platform))

    class Stopped(serve.ThreadingHTTPServer):
        def serve_forever(self):
            raise KeyboardInterrupt

    opened = []
    monkeypatch.setattr(serve, "ThreadingHTTPServer", Stopped)
    monkeypatch.setattr(serve.webbrowser, "open", opened.append)
    serve.serve()
    address = re.search(r"The book is at (\S+) until", capsys.readouterr().out)[1]
    assert opened == [address] * opens


@pytest.fixture
def lab(tmp_path):
    """JupyterLab as make notebook starts it, without a window: a function that asks it, and the
    folder of its files.
    """
    quiet = ["--no-browser", "--allow-root", "--port=0"]
    hidden = os.environ | {
        "JUPYTER_RUNTIME_DIR": str(tmp_path),
        "JUPYTER_CONFIG_DIR": str(tmp_path),
        "IPYTHONDIR": str(tmp_path),
    }
    command = [sys.executable, "-m", "pipeline.notebook", *quiet]
    with subprocess.Popen(
        command, env=hidden, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    ) as process:
        try:
            known = json.loads(appeared(tmp_path, "jpserver-*.json").read_text())
            listens(urllib.parse.urlsplit(known["url"]))

            def ask(what, **data):
                token = {"Authorization": f"token {known['token']}"}
                request = urllib.request.Request(known["url"] + what, headers=token, **data)
                with urllib.request.urlopen(request) as answer:
                    return json.load(answer)

            yield ask, tmp_path
        finally:
            process.terminate()


def appeared(folder, pattern, seconds=60):
    """The file, once it is there and complete."""
    for _ in range(10 * seconds):
        for path in folder.glob(pattern):
            if path.read_text().rstrip().endswith("}"):
                return path
        time.sleep(0.1)
    pytest.fail(f"no {pattern} within {seconds} s")


def listens(address, seconds=60):
    """The server writes where it is before it answers there; returns once it does."""
    for _ in range(10 * seconds):
        try:
            return socket.create_connection((address.hostname, address.port)).close()
        except ConnectionRefusedError:
            time.sleep(0.1)
    pytest.fail(f"nothing answers at {address.netloc} within {seconds} s")


@pytest.mark.slow
def test_jupyterlab_shows_the_chapters_and_computes_with_this_tree(lab):
    ask, files = lab
    assert {Path(entry["name"]).stem for entry in ask("api/contents/")["content"]} >= set(CHAPTERS)
    ask("api/kernels", data=b'{"name": "python3", "path": "lemma_4_1.ipynb"}')
    client = BlockingKernelClient(connection_file=str(appeared(files, "kernel-*.json")))
    client.load_connection_file()
    client.start_channels(hb=False)  # a busy machine misses beats
    client.wait_for_ready(timeout=60)
    said = []
    where = "import polycore; print(polycore.__file__)"
    client.execute_interactive(where, output_hook=lambda message: said.append(message["content"]))
    client.stop_channels()
    assert {"name": "stdout", "text": f"{ROOT / 'polycore/__init__.py'}\n"} in said
