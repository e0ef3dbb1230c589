"""A copy of the tree with a tiny book of its own, for tests that edit, break or kill a build; the
site in a browser.
"""

import contextlib
import copy
import fcntl
import functools
import gc
import json
import os
import pickle
import re
import shutil
import subprocess
import sys
from pathlib import Path
from urllib.parse import urljoin

import numpy as np
import pytest

import polycore.ranks.training  # noqa: F401  sets how JAX computes, before a test imports it
from pipeline.browser import chromium, served, show
from pipeline.kernels import COLLECT

gc.set_threshold(*COLLECT)
ROOT = Path(__file__).parents[1]
SITE = ROOT / "_build/html"

NEEDS = {
    "site": {"address", "browser", "entries"},
    "build": {"template"},
    "kernel": {"library"},  # all theorems, proved and printed
}  # fixtures, which a marker stands for


@pytest.hookimpl(tryfirst=True)  # xdist reads the groups in the same hook
def pytest_collection_modifyitems(items):
    for item in items:
        if hasattr(item, "callspec") and (page := item.callspec.params.get("page")):
            item.add_marker(pytest.mark.xdist_group(page))  # one worker opens it, once
        for marker, fixtures in NEEDS.items():
            if fixtures & {*item.fixturenames}:
                item.add_marker(marker)
        if "polycore.theory" in source(item.path) and not item.get_closest_marker("build"):
            item.add_marker(pytest.mark.xdist_group("theory"))  # one worker proves, once


@functools.cache
def source(path):
    return path.read_text(encoding="utf-8")


INDEX = """\
# Tiny

(provenance)=
## Provenance

(verdict)=
## Verdict

(scope)=
## Scope

```{verdict-table}
```
"""
STATEMENT = (
    "# {name}\n\n```{{prf:lemma}} {name}\n:label: {name}\n:nonumber:\n\nFor $x = {name}$.\n```"
)
CLAIM = """\
Verdicts(
    Claim({name!r}, "Lemma {name}", "book", "new",
        [exact("sum", size, at_least={least})],
        [exact("wrong sum", size, equals={wrong})],
        finding={finding!r}))
"""


def cell(kind, key, source, tags=()):
    code = {"execution_count": None, "outputs": []} if kind == "code" else {}
    return {
        "cell_type": kind,
        "id": key,
        "metadata": {"tags": list(tags)},
        "source": source,
        **code,
    }


class Tree:
    """A checkout in ``path`` whose book has the chapters that :meth:`chapter` wrote."""

    def __init__(self, path):
        self.path = path
        ignored = [line.rstrip("/") for line in (ROOT / ".gitignore").read_text().split()]
        shutil.copytree(ROOT, path, ignore=shutil.ignore_patterns(".git", "notebooks", *ignored))
        for page in [*path.glob("book/*.md"), path / "book/results.json"]:
            page.unlink()
        (path / "notebooks").mkdir()
        (path / "book/index.md").write_text(INDEX)
        self.chapters = ()

    def chapter(self, name, *code, least=2, wrong=5, finding=""):
        """Write notebooks/<name>.ipynb, with ``code`` cells between its parameters and its claim:
        size >= least, and not wrong.
        """
        claim = CLAIM.format(
            name=name, least=least, wrong=wrong, finding={finding: "sum"} if finding else {}
        )
        cells = [
            cell("markdown", "title", STATEMENT.format(name=name)),
            cell("code", "imports", "from polycore.evidence import Claim, Verdicts, exact"),
            cell("code", "parameters", "size = 2", ["parameters"]),
            *(cell("code", f"code-{place}", source) for place, source in enumerate(code)),
            cell("code", "verdict", claim),
        ]
        kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
        self.save(
            name,
            {
                "cells": cells,
                "metadata": {"kernelspec": kernel},
                "nbformat": 4,
                "nbformat_minor": 5,
            },
        )
        if name not in self.chapters:
            self.chapters += (name,)
            files = "".join(f"  - file: notebooks/{chapter}\n" for chapter in self.chapters)
            (self.path / "_toc.yml").write_text(
                f"format: jb-book\nroot: book/index\nchapters:\n{files}"
            )

    def load(self, name):
        return json.loads((self.path / f"notebooks/{name}.ipynb").read_text())

    def save(self, name, notebook):
        (self.path / f"notebooks/{name}.ipynb").write_text(json.dumps(notebook))

    def command(self, *arguments):
        """What ``make`` calls, on this tree."""
        pytest_set = [name for name in os.environ if name.startswith("PYTEST")]
        return {
            "args": [sys.executable, "-m", "doit", *arguments],
            "cwd": self.path,
            "env": {name: value for name, value in os.environ.items() if name not in pytest_set},
            "text": True,
        }

    def doit(self, *arguments):
        """The exit status and everything that was printed."""
        pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT}
        done = subprocess.run(**self.command(*arguments), **pipes)
        return done.returncode, done.stdout

    def tasks(self, *arguments):
        """The names of the tasks that had something to do."""
        status, printed = self.doit(*arguments)
        assert status == 0, printed
        return {line.split()[1] for line in printed.splitlines() if line.startswith(".  ")}

    def build(self):
        """Build the book; what had something to do, but what always has."""
        return self.tasks("book") - {"ledger", "gate"}

    def execute(self):
        """Execute what must be, and make no page; the chapters that were executed."""
        return {name.removeprefix("execute:") for name in self.tasks("execute")}

    def accept(self):
        status, printed = self.doit("accept")
        assert status == 0, printed

    def site(self):
        """The bytes of every file of the site, by path, but for the seconds that a chapter took."""
        html = self.path / "_build/html"
        files = {
            str(path.relative_to(html)): path.read_bytes()
            for path in html.rglob("*")
            if path.is_file()
        }
        return {
            name: re.sub(rb'(?<=Executed in )\d+|(?<="seconds": )\d+', b"", content)
            for name, content in files.items()
        }


@pytest.fixture(scope="session")
def template(tmp_path_factory, worker_id):
    """A built book of two chapters, the second one depending on leaf.py through stem.py; the first
    worker that needs it builds it for all.
    """
    temporary = tmp_path_factory.getbasetemp()
    shared = temporary if worker_id == "master" else temporary.parent
    kept = shared / "template.pickle"
    with (shared / "template.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not kept.exists():
            kept.write_bytes(pickle.dumps(_template(tmp_path_factory.mktemp("template") / "tree")))
    return pickle.loads(kept.read_bytes())


def _template(path):
    tree = Tree(path)
    (tree.path / "polycore/leaf.py").write_text("LEAF = 1\n")
    (tree.path / "polycore/stem.py").write_text("from polycore.leaf import LEAF\n")
    tree.chapter("one")
    tree.chapter("two", "from polycore import stem")
    tree.accept()
    assert tree.build() == {"book"}
    return tree


@pytest.fixture
def built(template, tmp_path):
    """A copy of the template, for one test to spoil."""
    tree = copy.copy(template)
    tree.path = shutil.copytree(template.path, tmp_path / "tree", symlinks=True)
    return tree


@pytest.fixture(scope="session")
def dyadic():
    """Weights whose sums are exact in floating point, with all of them enumerated."""

    def dyadic(n, seed):
        """n weights in [0.3, 1], multiples of 2^-40, and all 2^n values of |Z| in units of 2^-40,
        as integers.
        """
        units = np.random.default_rng(seed).integers(3 * 2**40 // 10, 2**40, n)
        z = np.zeros(1, np.int64)
        for unit in units:
            z = np.concatenate([z - unit, z + unit])
        return units * 2.0**-40, np.abs(z)

    return dyadic


@pytest.fixture(scope="session")
def address():
    """Where the site is, served without a network."""
    if not SITE.exists():
        pytest.fail(f"there is no site in {SITE}; run: make book")
    with served(SITE) as address:
        yield address


@pytest.fixture(scope="session")
def browser():
    """One for all tests of a process: a second one beside it would not start."""
    try:
        with chromium() as browser:
            yield browser
    except FileNotFoundError as missing:
        pytest.fail(f"nobody has looked at the site: {missing}")


def new_tab(browser, address):
    """A tab in a window of its own; complaints gather in ``tab.complaints``."""
    window = browser.new_context()
    tab = window.new_page()
    tab.complaints = []
    heard = lambda what: tab.complaints.append(what)

    def asked(request):
        if not request.url.startswith((address, "data:")):
            heard(f"request outside: {request.url}")

    tab.on("request", asked)  # not tab.route, which reads every script again
    tab.on("pageerror", lambda error: heard(f"error: {error}"))
    tab.on("console", lambda line: line.type in ("error", "warning") and heard(line.text))
    tab.on(
        "response", lambda answer: answer.status >= 400 and heard(f"{answer.status} {answer.url}")
    )
    tab.on("requestfailed", lambda request: heard(f"failed: {request.url}"))
    return window, tab


def opened(tab, url, width=1280):
    """A page in a tab in which others have been: scripts that are compiled already open it in two
    thirds of the time.
    """
    tab.goto("about:blank")
    tab.set_viewport_size({"width": width, "height": 844})
    tab.emulate_media(media="screen", color_scheme="light", reduced_motion="no-preference")
    tab.mouse.move(0, 0)
    tab.complaints = []  # what the page before asked has been heard, or given up
    show(tab, url)
    return tab


@pytest.fixture(scope="session")
def looked_at(browser, address):
    """Open a page that is only looked at, all in one tab."""
    window, tab = new_tab(browser, address)
    with window:
        yield lambda name, width=1280: opened(tab, urljoin(address, name), width)


@pytest.fixture(scope="session")
def desk(browser, address):
    """The window in which one test after another does something to a page."""
    window, tab = new_tab(browser, address)
    with window:
        yield tab


@pytest.fixture
def visit(browser, address, desk):
    """Open a page for a test that does something to it; a second one in a window of its own."""
    with contextlib.ExitStack() as windows:
        tabs = [desk]

        def open_page(name, width=1280):
            if not tabs:
                window, tab = new_tab(browser, address)
                windows.enter_context(window)
                tabs.append(tab)
            return opened(tabs.pop(), urljoin(address, name), width)

        yield open_page
        if desk.url.startswith(address):  # as a new reader comes
            desk.evaluate("localStorage.clear(), sessionStorage.clear()")
        desk.context.clear_permissions()
