"""Making recorded runs: `make runs`, in WORKERS processes or on the Dask cluster at SCHEDULER."""

import importlib.metadata
import json
import os
import platform
import re
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import numpy as np
from doit.exceptions import TaskFailed
from joblib import Parallel, delayed, parallel_config
from joblib.externals.loky.process_executor import TerminatedWorkerError
from tqdm import tqdm

from pipeline.execution import settings
from pipeline.files import BUILD, JsonObject, read, whole, write
from polycore.runs import FOLDERS, Parameters, Run

MADE_WITH = ("numpy", "scipy", "jax", "jaxlib", "optax", "scikit-learn")
ATTEMPTS = 5
Cell = tuple[np.random.SeedSequence, Parameters]


def make_all() -> TaskFailed | None:
    """Bring every recorded run up to date."""
    # JAX, which no other task needs
    from polycore.language.embeddings import EMBEDDINGS, ENCODER_HEADS
    from polycore.language.real_heads import HEADS
    from polycore.language.replaced import CLOSER, PERPLEXITY, RECALL, RECALL_CLOSER
    from polycore.language.second_text import SECOND_TEXT
    from polycore.language.sentence import SENTENCE
    from polycore.language.weights import MissingWeights
    from polycore.ranks.degree_experiment import DEGREES, STEP_SIZES
    from polycore.trained.mechanism_experiment import COMPARED, RATES_TRIED

    os.environ.update(settings())
    asked, scheduler = os.environ.get("WORKERS", str(os.cpu_count())), os.environ.get("SCHEDULER")
    if not re.fullmatch("[1-9][0-9]*", asked):
        return TaskFailed(
            f"WORKERS must be a number of processes, at least 1, got {asked!r}: make runs "
            f"WORKERS={os.cpu_count()}"
        )
    # each after those that its cells are chosen by
    of_degrees, of_mechanisms = (STEP_SIZES, DEGREES), (RATES_TRIED, COMPARED)
    of_a_model = PERPLEXITY, CLOSER, RECALL, RECALL_CLOSER, HEADS, SENTENCE, SECOND_TEXT
    of_an_encoder = EMBEDDINGS, ENCODER_HEADS
    for run in (*of_degrees, *of_a_model, *of_an_encoder, *of_mechanisms):
        path = FOLDERS[0] / f"{run.name}.json"
        made = whole(path)
        if made and made["made"]["digest"] == run.digest():
            print(f"{run.name}: up to date")
            continue
        try:
            write(path, make(run, BUILD / "runs", int(asked), scheduler))
        except MissingWeights as error:
            return TaskFailed(f"{run.name} needs a model that is not here: {error}")
        except (OSError, ValueError) as error:
            if not scheduler:
                raise
            return TaskFailed(
                f"There is no Dask cluster at SCHEDULER={scheduler} ({error}). What was computed "
                "is kept; start one, or leave SCHEDULER out."
            )
    return None


def make(run: Run, folder: str | Path, workers: int = 1, scheduler: str | None = None) -> str:
    """The text of a run's file, from its cells in `folder`; those that are missing are computed,
    and kept as they arrive.

    An interrupted run goes on where it was, and a worker that is killed costs its cells of that
    moment a second attempt.
    """
    kept, cells = Path(folder, run.name, run.digest()), list(run.cells())
    for attempt in range(1, ATTEMPTS + 1):
        missing = [place for place in range(len(cells)) if not whole(kept / f"{place}.json")]
        try:
            for place, answer in computed(run, cells, missing, workers, scheduler):
                write(kept / f"{place}.json", json.dumps(answer))
            break
        except TerminatedWorkerError:
            print(
                f"{run.name}: a worker was killed; what it had is computed again (attempt "
                f"{attempt} of {ATTEMPTS})"
            )
    answers = [read(kept / f"{place}.json") for place in range(len(cells))]
    rows = [
        json.dumps({"parameters": parameters, "result": answer["result"]})
        for (_, parameters), answer in zip(cells, answers)
    ]
    return (
        f'{{"made": {json.dumps(record(run, answers))},\n"cells": [\n' + ",\n".join(rows) + "\n]}\n"
    )


def record(run: Run, answers: Sequence[JsonObject]) -> JsonObject:
    """From what, on what and when the results were made."""
    seconds = round(sum(answer["seconds"] for answer in answers))
    versions = {
        "python": platform.python_version(),
        **{name: importlib.metadata.version(name) for name in MADE_WITH},
    }
    processors = sorted({answer["processor"] for answer in answers})
    return {
        "digest": run.digest(),
        "seed": run.seed,
        "on": time.strftime("%Y-%m-%d"),
        "seconds": seconds,
        "processors": processors,
        "versions": versions,
    }


def computed(
    run: Run, cells: Sequence[Cell], missing: Sequence[int], workers: int, scheduler: str | None
) -> Iterator[tuple[int, JsonObject]]:
    """(place, answer) of the missing cells as they arrive, under a bar with the time left."""
    if not missing:
        return
    with backend(workers, scheduler):
        jobs = (delayed(timed)(run.cell, place, *cells[place]) for place in missing)
        answers = Parallel(return_as="generator_unordered")(jobs)
        yield from tqdm(answers, total=len(missing), unit="cell", ascii=True, desc=run.name)


@contextmanager
def backend(workers: int, scheduler: str | None) -> Iterator[None]:
    """Where joblib computes: in processes of its own, or on the Dask cluster of which the scheduler
    is given.
    """
    if not scheduler:
        with parallel_config(backend="loky", n_jobs=workers):
            yield
        return
    from distributed import Client  # half a second; importing it tells joblib of Dask

    with Client(scheduler) as client, parallel_config(backend="dask", client=client):
        yield


def timed(
    cell: Callable[..., JsonObject],
    place: int,
    seed: np.random.SeedSequence,
    parameters: Parameters,
) -> tuple[int, JsonObject]:
    began = time.time()
    result = cell(seed, **parameters)
    return place, {"result": result, "seconds": time.time() - began, "processor": processor()}


def processor() -> str:
    """The model of the processor, as far as the system names it."""
    try:
        named = re.search(r"^model name\s*: (.+)", Path("/proc/cpuinfo").read_text(), re.M)
    except OSError:
        named = None
    return named[1] if named else platform.processor() or platform.machine()
