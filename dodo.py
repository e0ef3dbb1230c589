"""The build graph. What each task does is in pipeline/.

Contents alone decide what is stale: an executed notebook and a finished site each carry
the digest of what they were made from, so neither a touched file nor a killed build can
mislead the next one.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

from doit.action import CmdAction
from doit.exceptions import TaskFailed

from pipeline import (
    environment,
    execution,
    kernels,
    ledger,
    links,
    machines,
    notebook,
    pdf,
    replay,
    runs,
    site,
)
from pipeline.files import BUILD, chapters, sources_copied
from pipeline.progress import Progress

BUILD.mkdir(exist_ok=True)  # for the locks of builds that run at the same time

# A worker whose parent was killed would wait for its next task for ever.
os.register_at_fork(after_in_child=kernels.die_with_parent)

DOIT_CONFIG = {
    "backend": "sqlite3",
    "dep_file": ":memory:",  # contents decide what is stale, so a build leaves doit nothing to know
    "default_tasks": ["book"],
    "num_process": os.cpu_count(),
    "par_type": "process",
    "reporter": Progress,
    "verbosity": 2,
}


def task_execute():
    """Execute each notebook of which an input changed."""
    # The last parts first: the first has the short chapters, so no core waits long for the last.
    for chapter in reversed(chapters()):
        yield {
            "name": Path(chapter).name,
            "actions": [(execution.execute, [chapter])],
            "uptodate": [(execution.is_executed, [chapter])],
        }


def task_ledger():
    """Collect the claims of the executed notebooks into _build/results.json."""
    return {"actions": [ledger.gather], "task_dep": ["execute"]}


def task_gate():
    """Refuse a verdict that is not the committed one."""
    return {"actions": [ledger.gate], "task_dep": ["ledger"]}


def task_accept():
    """Commit to the collected ledger: make it book/results.json, and README's table its table."""
    return {"actions": [ledger.accept], "task_dep": ["ledger"]}


def task_api():
    """Describe every public name of the core, with its proof; the site's pages show it."""
    return {"actions": [site.describe], "task_dep": ["execute"]}


def task_book():
    """Build the site, _build/html."""
    return {"actions": [site.build], "uptodate": [site.is_built], "task_dep": ["gate"]}


def task_same():
    """Refuse any difference between the collected ledger and the committed one."""
    return {"actions": [ledger.same], "task_dep": ["gate"]}


def task_replay():
    """Let cvc5 decide again every query behind the proofs, and refuse other queries than those
    committed.
    """
    return {"actions": [replay.replay_all], "task_dep": ["ledger"]}


def rebuild():
    """Execute all from nothing in a scratch copy of the sources and compare; with the oldest
    instruction set, since the committed numbers come from a newer one.
    """
    from pipeline import api  # and with it the core: half a second

    with sources_copied() as copy:
        # While the process that has proved all is still there.
        command = [sys.executable, "-m", "doit", "same", "api"]
        if subprocess.run(command, cwd=copy, env=os.environ | machines.least()).returncode:
            if (failed := copy / "_build/failed").exists():
                shutil.copytree(failed, BUILD / "failed", dirs_exist_ok=True)
            return TaskFailed(
                "What was executed from nothing does not give the committed ledger; the reason "
                "stands above."
            )
        execution.keep(copy)
        api.keep(copy)
    return None


def task_check():
    """Execute everything in a scratch folder with the oldest instruction set, compare with the
    committed ledger; then replay the proofs and, at the same time, build the site from it.
    """
    return {"actions": [rebuild, [sys.executable, "-m", "doit", "replay", "book"]]}


def task_machines():
    """Execute everything under other instruction sets, other Pythons and rounding noise, and
    compare; ONLY="noise 1, AVX2" names some.
    """
    # Of another profile only verdicts are compared.
    here = ["same"] if execution.PROFILE == "paper" else []
    return {"actions": [machines.check_all], "task_dep": here}


def task_certify():
    """Print every theorem of the core for Coq, with its proof, and let Coq check them."""
    return {"actions": [[sys.executable, "-m", "pipeline.certify"]]}


def task_lint():
    """Check style and types of code and notebooks, as a commit does where hooks are installed."""
    return {"actions": [[sys.executable, "-m", "pre_commit", "run", "--all-files"]]}


def task_quick():
    """Lint, types and the tests that need no site, no build, no long proof: under a minute."""
    quick = " and ".join(f"not {name}" for name in ("site", "build", "kernel", "slow"))
    tests = [sys.executable, "-m", "pytest", "-n", str(os.cpu_count()), "-m", quick]
    return {"actions": [tests], "task_dep": ["lint"]}


def task_test():
    """Run the tests, those of the site on the site as it is now."""
    # One more than can compute: tests also wait, for browsers and builds. None has threads.
    many, one_each = str((os.cpu_count() or 1) + 1), os.environ | execution.THREADS
    command = [sys.executable, "-m", "pytest", "-n", many, "--durations=20", "--durations-min=3"]
    return {"actions": [CmdAction(command, shell=False, env=one_each)], "task_dep": ["book"]}


def task_pdf():
    """Print the whole book to _build/companion.pdf, where there is Chromium."""
    return {"actions": [pdf.write], "task_dep": ["book"]}


def task_runs():
    """Make the recorded runs that are missing or stale: WORKERS=8, or SCHEDULER=tcp://… for an
    existing Dask cluster.
    """
    return {"actions": [runs.make_all]}


def task_reruns():
    """Run each chapter with each of its parameters changed, one at a time: an hour;
    ONLY="lemma_4_1 lemma_6_7" names some.
    """
    # From the start: linear algebra reads it once, and two forks with two threads each take thrice
    # the time.
    one_each = os.environ | execution.THREADS
    command = [sys.executable, "-m", "pipeline.reruns"]
    return {"actions": [CmdAction(command, shell=False, env=one_each)]}


def task_adversity():
    """Kill builds and runs at random moments, cut what they keep, fill the disk: a few minutes."""
    tests = [sys.executable, "-m", "pytest", "tests/adversity.py", "-n", str(os.cpu_count())]
    return {"actions": [tests]}


def task_fuzz():
    """Put values that nobody chose into chapters and into the page "Try it", for MINUTES=10."""
    # Linear algebra reads it once, before the forks.
    command = [sys.executable, "-m", "pipeline.fuzz"]
    one_each = os.environ | execution.THREADS
    return {"actions": [CmdAction(command, shell=False, env=one_each)], "task_dep": ["book"]}


def task_planted():
    """Plant errors in the chapters, which the book must refuse: hours; SAMPLE=200 takes so many at
    random, ONLY="lemma_4_1 lemma_6_7" names chapters.
    """
    one_each = os.environ | execution.THREADS
    command = [sys.executable, "-m", "pipeline.planted"]
    return {"actions": [CmdAction(command, shell=False, env=one_each)]}


def task_links():
    """Ask every server that the site and the README name whether the page is there."""
    return {"actions": [links.ask_all], "task_dep": ["book"]}


def task_bench():
    """Measure what the core and the pages cost and write README's table and its picture."""
    return {"actions": [[sys.executable, "-m", "benchmarks"]], "task_dep": ["book"]}


def task_strip():
    """Take the outputs out of notebooks that were run in their place."""
    return {"actions": [notebook.strip]}


def task_lock():
    """Resolve requirements.txt from pyproject.toml and generate environment.yml from it."""
    return {"actions": [environment.resolve]}
