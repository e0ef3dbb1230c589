"""Executing a notebook when, and only when, something that its outputs depend on changed."""

import os
import re
import shutil
import sys
import tempfile
from pathlib import Path

from doit.exceptions import TaskFailed

from pipeline import kernels
from pipeline.dependencies import closure
from pipeline.files import BUILD, LOCK, chapters, digest, pretty, read, tagged, text, whole, write

# "paper", the parameters as they stand in the notebooks, or "quick": make book PROFILE=quick
PROFILE = os.environ.get("PROFILE", "paper")
MANY = 4  # chapters; proving all theorems takes as long as three of them
NOISE = os.environ.get("NOISE", "")  # the seed of rounding noise, for make machines
# One kernel or test a core already, and sums in a fixed order.
THREADS = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
STARTUP = (  # what every kernel does first
    f"import gc\ngc.set_threshold{kernels.COLLECT}\ndel gc\n"
    "from pipeline import guard\nguard.install(get_ipython())\n"
)
STARTUP += (
    f"from pipeline import noise\nnoise.install(get_ipython(), {NOISE})\ndel noise\n"
    if NOISE
    else ""
)
STARTUP += "del guard\n"


def inputs(chapter: str) -> str:
    """The digest of all that a chapter's outputs depend on: not of tags, ids or old outputs."""
    cells = read(f"{chapter}.ipynb")["cells"]
    code = "\n".join(text(cell) for cell in cells if cell["cell_type"] == "code")
    return digest(
        [(cell["cell_type"], text(cell), tagged(cell, "parameters")) for cell in cells],
        {name: path.read_text() for name, path in closure(code).items()},
        PROFILE,
        NOISE,
        LOCK.read_text(),
    )


def executed(chapter: str) -> Path:
    return BUILD / "executed" / f"{chapter}.ipynb"


def is_executed(chapter: str) -> bool:
    copy = whole(executed(chapter))
    return copy is not None and copy["metadata"]["inputs"] == inputs(chapter)


def forked() -> bool:
    """Whether kernels are forked from one that has all proofs: where that saves more than it takes.

    Not under noise, which comes before any import, and not elsewhere than on Linux, where
    libraries forbid to fork after they were imported.
    """
    if NOISE or sys.platform != "linux":
        return False
    return kernels.ADDRESS.exists() or sum(not is_executed(one) for one in chapters()) >= MANY


def execute(chapter: str) -> TaskFailed | None:
    """Run a notebook; keep the copy when every cell succeeded, set it aside when one did not."""
    made_from = inputs(chapter)
    with tempfile.TemporaryDirectory() as scratch:
        running = Path(scratch, f"{Path(chapter).name}.ipynb")
        try:
            run(f"{chapter}.ipynb", running)
        except Exception as error:  # a cell that raised, a kernel that died, a cell without end
            return TaskFailed(failure(chapter, running, error))
        notebook = read(running)
    notebook["metadata"]["inputs"] = made_from
    write(executed(chapter), pretty(notebook))
    return None


def keep(copy: str | Path) -> None:
    """Take over what a copy of the sources executed: by its digest each notebook counts where its
    inputs are the same.
    """
    for chapter in chapters():
        write(executed(chapter), Path(copy, executed(chapter)).read_text(encoding="utf-8"))


def settings() -> dict[str, str]:
    """The environment variables that decide what a notebook computes with, wherever it is run."""
    return {
        "PYTHONPATH": os.getcwd(),  # the polycore of this tree, wherever another is installed
        "PYTHONHASHSEED": "0",
        **THREADS,
        "JUPYTER_PREFER_ENV_PATH": "1",
        "MPLCONFIGDIR": str(
            (BUILD / "matplotlib").resolve()
        ),  # a list of fonts of its own: the user's may lack some
    }


def run(source: str, running: Path) -> None:
    """Execute the notebook ``source`` into ``running``, in a kernel that sees nothing of the
    user's.
    """
    import papermill  # half a second: too much for a build that has nothing to execute
    from traitlets.config import Config

    scratch = str(running.parent)
    os.environ.update(settings(), JUPYTER_RUNTIME_DIR=scratch, IPYTHONDIR=scratch)
    startup = running.parent / "profile_default/startup/guard.py"
    startup.parent.mkdir(parents=True)
    startup.write_text(STARTUP)
    papermill.execute_notebook(
        source,
        running,
        {} if PROFILE == "paper" else {"profile": PROFILE},
        kernel_name=kernels.offered(scratch, settings()) if forked() else "python3",
        language="python",
        progress_bar=False,
        cwd=scratch,
        execution_timeout=3600,
        start_timeout=300,
        # Else the whole file is written twice for each cell, text cells too: a seventh of a build.
        request_save_on_cell_execute=False,
        coalesce_streams=True,  # lines printed slowly are one output all the same
        # Sockets in the scratch folder. A free TCP port, once chosen, is now and then taken by a
        # neighbour before the kernel binds it: 3 of 240 starts failed, with 8 kernels at a time.
        config=Config(KernelManager={"transport": "ipc"}),
        extra_arguments=[
            "--log-level=50"
        ],  # or the interrupt that ends every kernel is reported as an error
    )


def failure(chapter: str, running: Path, error: Exception) -> str:
    """What a person needs to mend a failing notebook; its half-executed copy is kept."""
    from papermill.exceptions import PapermillExecutionError

    kept = BUILD / "failed" / running.name
    if not isinstance(error, PapermillExecutionError):
        return f"{chapter}.ipynb could not be executed: {type(error).__name__}: {error}"
    kept.parent.mkdir(exist_ok=True)
    shutil.copy(running, kept)
    injected = any(tagged(cell, "injected-parameters") for cell in read(kept)["cells"])
    trace = re.sub(r"\x1b\[[\d;]*m", "", "\n".join(error.traceback))
    return (
        f"{chapter}.ipynb failed in cell {error.cell_index + 1 - injected} (In "
        f"[{error.exec_count}]):\n\n"
        f"{error.source}\n\n{trace}\n\nThe half-executed copy: {kept}"
    )
