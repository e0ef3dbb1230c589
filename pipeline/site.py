"""The site: pages staged from sources and executed notebooks, built aside, then shown at once."""

import fcntl
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

from doit.exceptions import TaskFailed

from pipeline import kernels
from pipeline.execution import executed
from pipeline.files import BUILD, LOCK, chapters, core, digest, pretty, read, tagged
from pipeline.ledger import RESULTS

STAGE = BUILD / "book"
OUTPUT = BUILD / "sphinx"
MADE = BUILD / "sphinx.made"  # what the pages in OUTPUT share; gone while they are made
COMMIT = "@commit@"  # in the pages until they are shown: a commit alone makes no page anew
SENTENCE = "runs/sentence.json"  # three heads of a trained model
PROGRAMS = "book/api.md"  # beside it there is a page for each wing of the core
WING = "# polycore.{0}\n\n```{{wing}} {0}\n```\n\n```{{api}} {0}\n```\n"
GLOSSARY = "book/glossary.md"  # every chapter shows its meanings
EXTENSIONS = "book/_ext"
SITE = BUILD / "html"  # a link to the newest complete site


def page(chapter: str) -> bytes:
    """The executed notebook under the metadata of its source: tags may change without executing."""
    source, done = read(f"{chapter}.ipynb"), read(executed(chapter))
    cells = iter(source["cells"])
    for cell in done["cells"]:
        if tagged(cell, "injected-parameters"):
            cell["metadata"] = {"tags": ["injected-parameters", "remove-cell"]}
        else:
            original = next(cells)
            cell |= {"metadata": original["metadata"], "id": original["id"]}
    ran = {
        "language_info": done["metadata"]["language_info"],
        "seconds": round(done["metadata"]["papermill"]["duration"]),
    }
    done["metadata"] = source["metadata"] | ran
    return json.dumps(
        done, ensure_ascii=False
    ).encode()  # with an indent it takes five times as long


def pages() -> dict[str, bytes]:
    """Everything that the site is made from, by the path at which it is staged."""
    prose = [
        path
        for path in Path("book").rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    ]
    staged = {
        str(path): path.read_bytes() for path in [Path("_config.yml"), Path("_toc.yml"), *prose]
    }
    staged |= {f"{chapter}.ipynb": page(chapter) for chapter in chapters()}
    if PROGRAMS in staged:
        staged |= {f"book/api_{wing}.md": WING.format(wing).encode() for wing in wings()}
    return staged | {
        "book/results.json": RESULTS.read_bytes(),
        "book/build.json": build_record().encode(),
        "book/_static/sentence.js": real_head().encode(),
    }


def wings() -> list[str]:
    """The folders of the core."""
    return sorted({parts[1] for name in core() if len(parts := name.split(".")) > 2})


def real_head() -> str:
    """The recorded sentence as a script, for the page that computes in the browser."""
    (cell,) = read(SENTENCE)["cells"]
    return f"const realHead = {json.dumps(cell['result'], ensure_ascii=False)};\n"


def build_record() -> str:
    """What each page says that it was made from: the lock, and the commit, which is put in when the
    site is shown.
    """
    return pretty({"commit": COMMIT, "lock": digest(LOCK.read_text())})


def commit() -> str:
    """The commit that is checked out, "-dirty" where the tree differs from it; "unknown" in a copy
    without history, or without git.
    """
    if not shutil.which("git"):
        return "unknown"
    asked = ["git", "describe", "--always", "--dirty", "--exclude=*"]
    return subprocess.run(asked, capture_output=True, text=True).stdout.strip() or "unknown"


def name(staged: dict[str, bytes]) -> str:
    """A site is named by its contents, its commit, and the code that makes its generated parts."""
    code = [LOCK, *core().values(), *sorted(Path("pipeline").glob("*.py"))]
    return "site-" + digest(
        contents(staged),
        commit(),
        [path.read_text() for path in code],
    )


def contents(staged: dict[str, bytes]) -> list[tuple[str, str]]:
    return sorted((path, sha256(content).hexdigest()) for path, content in staged.items())


def is_built() -> bool:
    return SITE.is_symlink() and os.readlink(SITE) == name(pages())


def outline(path: str, content: bytes) -> list[str]:
    """What other pages show of a page: its headings, and the names that links lead to."""
    text = content.decode()
    if path.endswith(".ipynb"):
        cells = json.loads(text)["cells"]  # of code none: there "#" begins a comment
        text = "\n".join("".join(c["source"]) for c in cells if c["cell_type"] == "markdown")
    return re.findall(r"^(?:#.*|\([\w-]+\)=|:label:.*)$", text, re.M)


def shared(staged: dict[str, bytes]) -> str:
    """The digest of all from which more than one page is made."""
    pages = [path for path in staged if path.endswith((".ipynb", ".md")) and path != GLOSSARY]
    others = {path: content for path, content in staged.items() if path not in pages}
    code = [LOCK, *core().values(), *sorted(Path("pipeline").glob("*.py"))]
    outlines = [(path, outline(path, staged[path])) for path in pages]
    return digest(contents(others), outlines, [path.read_text() for path in code])


def stage(staged: dict[str, bytes]) -> str:
    """Write what changed. Where what pages share changed too, or the last build failed, all pages
    are made anew; otherwise those that changed are, and those of the book about all others.
    """
    made_from = shared(staged)
    if not (MADE.exists() and MADE.read_text() == made_from):
        for folder in (STAGE, OUTPUT):
            shutil.rmtree(folder, ignore_errors=True)
    MADE.unlink(missing_ok=True)
    for path, content in staged.items():
        if not ((STAGE / path).exists() and (STAGE / path).read_bytes() == content):
            (STAGE / path).parent.mkdir(parents=True, exist_ok=True)
            (STAGE / path).write_bytes(content)
    return made_from


def describe() -> None:
    """Have the core described where there are pages about it: in a fork that holds all proofs, if
    kernels are forked.
    """
    if Path(PROGRAMS).exists():
        kernels.call("pipeline.api:described")


def build() -> TaskFailed | None:
    """Build the pages with warnings as errors; the site of before stays until the new one is
    complete.
    """
    staged = pages()
    site = name(staged)
    if PROGRAMS in staged:
        from pipeline import api  # and with it the core: half a second

        describe()  # of polycore, which the name covers
        staged["book/api.json"] = pretty(api.described()).encode()
    with open(BUILD / "site.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # the commands inherit it: two builds never share a stage
        made_from = stage(staged)
        environment = {"PYTHONPATH": f"{os.getcwd()}:{(STAGE / EXTENSIONS).resolve()}"}
        settings = os.environ | environment
        for command in commands():
            quiet, held = subprocess.DEVNULL, [lock.fileno()]
            if subprocess.run(command, stdout=quiet, env=settings, pass_fds=held).returncode:
                return TaskFailed(
                    f"The pages have the errors named above; {SITE} was left as it is."
                )
        MADE.write_text(made_from)
        show(site)
    print(f"The book is ready: {SITE}/index.html")
    return None


def commands() -> Iterator[list[str | Path]]:
    """Jupyter Book writes the configuration, once; Sphinx builds, and keeps what did not change."""
    if not (STAGE / "conf.py").exists():
        yield [Path(sys.executable).with_name("jupyter-book"), "config", "sphinx", STAGE]
    sphinx = [sys.executable, "-m", "sphinx", "-b", "html", "-W", "-n", "--keep-going", "-q"]
    yield [*sphinx, "-d", OUTPUT / "doctrees", STAGE, OUTPUT / "html"]


def show(site: str) -> None:
    """Put the finished pages in place of the old ones in a single step."""
    shutil.rmtree(BUILD / site, ignore_errors=True)
    shutil.copytree(OUTPUT / "html", BUILD / site)
    checked_out = commit()
    for chapter in chapters():
        shown = BUILD / site / f"{chapter}.html"
        shown.write_text(shown.read_text("utf-8").replace(COMMIT, checked_out), "utf-8")
    if not SITE.is_symlink():  # a folder: jupyter-book was called by hand
        shutil.rmtree(SITE, ignore_errors=True)
    link = BUILD / "html.next"
    link.unlink(missing_ok=True)
    link.symlink_to(site)
    os.replace(link, SITE)
    for old in BUILD.glob("site-*"):
        if old.name != site:
            shutil.rmtree(old)
