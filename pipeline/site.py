"""The site: pages staged from sources and executed notebooks, built aside, then shown at once."""

import fcntl
import os
import shutil
import subprocess
import sys
from pathlib import Path

from doit.exceptions import TaskFailed

from pipeline import api
from pipeline.execution import executed
from pipeline.files import BUILD, LOCK, chapters, digest, pretty, read, tagged
from pipeline.ledger import RESULTS

STAGE = BUILD / "book"
OUTPUT = BUILD / "sphinx"
SITE = BUILD / "html"  # a link to the newest complete site


def page(chapter):
    """The executed notebook under the metadata of its source: tags may change without executing."""
    source, done = read(f"{chapter}.ipynb"), read(executed(chapter))
    cells = iter(source["cells"])
    for cell in done["cells"]:
        if tagged(cell, "injected-parameters"):
            cell["metadata"] = {"tags": ["injected-parameters", "remove-cell"]}
        else:
            original = next(cells)
            cell |= {"metadata": original["metadata"], "id": original["id"]}
    ran = {"language_info": done["metadata"]["language_info"], "seconds": round(done["metadata"]["papermill"]["duration"])}
    done["metadata"] = source["metadata"] | ran
    return pretty(done).encode()


def pages():
    """Everything that the site is made from, by the path at which it is staged."""
    prose = [path for path in Path("book").rglob("*") if path.is_file() and "__pycache__" not in path.parts]
    staged = {str(path): path.read_bytes() for path in [Path("_config.yml"), Path("_toc.yml"), *prose]}
    staged |= {f"{chapter}.ipynb": page(chapter) for chapter in chapters()}
    return staged | {"book/results.json": RESULTS.read_bytes(), "book/build.json": build_record().encode()}


def build_record():
    """What each page says that it was made from: the commit, "-dirty" where the tree differs from it, and the lock."""
    return pretty({"commit": commit() or "unknown", "lock": digest(LOCK.read_text())})


def commit():
    """The commit that is checked out; nothing in a copy without history, or on a machine without git."""
    if shutil.which("git"):
        asked = ["git", "describe", "--always", "--dirty", "--exclude=*"]
        return subprocess.run(asked, capture_output=True, text=True).stdout.strip()


def name(staged):
    """A site is named by its contents, and by the code that makes its generated parts."""
    code = [LOCK, *sorted(Path("polycore").glob("*.py")), *sorted(Path("pipeline").glob("*.py"))]
    return "site-" + digest(
        sorted((path, content.hex()) for path, content in staged.items()), [path.read_text() for path in code]
    )


def is_built():
    return SITE.is_symlink() and os.readlink(SITE) == name(pages())


def build():
    """Build the pages with warnings as errors; the site of before stays until the new one is complete."""
    staged = pages()
    described = pretty(api.described()).encode() if "book/api.md" in staged else b""  # of polycore, which the name covers
    with open(BUILD / "site.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # jupyter-book inherits it: two builds never share the stage
        for folder in (STAGE, OUTPUT):
            shutil.rmtree(folder, ignore_errors=True)
        for path, content in {**staged, "book/api.json": described}.items():
            (STAGE / path).parent.mkdir(parents=True, exist_ok=True)
            (STAGE / path).write_bytes(content)
        command = [Path(sys.executable).with_name("jupyter-book"), "build", STAGE, "-W", "-n", "--keep-going", "-q"]
        command += ["--path-output", OUTPUT]
        # What it prints to stdout is where the book lies, and it will not lie there.
        tree = os.environ | {"PYTHONPATH": os.getcwd()}  # the lists on the pages are this tree's
        done = subprocess.run(command, stdout=subprocess.DEVNULL, env=tree, pass_fds=[lock.fileno()])
        if done.returncode:
            return TaskFailed(f"The pages have the errors named above; {SITE} was left as it is.")
        show(name(staged))
    print(f"The book is ready: {SITE}/index.html")


def show(site):
    """Put the finished pages in place of the old ones in a single step."""
    shutil.rmtree(BUILD / site, ignore_errors=True)
    os.rename(OUTPUT / "_build" / "html", BUILD / site)
    if not SITE.is_symlink():  # a folder: jupyter-book was called by hand
        shutil.rmtree(SITE, ignore_errors=True)
    link = BUILD / "html.next"
    link.unlink(missing_ok=True)
    link.symlink_to(site)
    os.replace(link, SITE)
    for old in BUILD.glob("site-*"):
        if old.name != site:
            shutil.rmtree(old)
