"""Each chapter run again with each of its parameters changed, one at a time, and as its exercises
ask: `make reruns`.

A value may be refused, but only by a cell that checks (`checked-parameters`, …), before any work.
Otherwise each statement must come out as in the ledger, undecided, or outside its hypotheses: a
reader who changes a number must never be told that a statement fails because of the number.

Every run is a fork of a process that holds all proofs.
"""

import ast
import contextlib
import io
import os
import re
import select
import signal
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import islice, starmap
from pathlib import Path
from typing import Any, BinaryIO

from tqdm import tqdm

from pipeline.execution import settings
from pipeline.files import JsonObject, chapters, read, tagged, text
from pipeline.ledger import committed
from pipeline.shown import Shown
from polycore.injected import assigned
from polycore.record import MIME

__all__ = [
    "answers",
    "cells",
    "changes",
    "code",
    "emitted_by",
    "exercises",
    "outcome",
    "parameters",
    "problem",
    "prove",
    "run_all",
    "values_beside",
]

LIMIT = 300  # seconds of a run, after which it counts as an error
ALIKE = "open", "outside-the-hypotheses"  # in place of the verdict of the ledger
Values = dict[str, Any]


def run_all() -> str | None:
    """Every change of every chapter, or of those that ONLY names, with blanks between; the
    problems, a line each, if there are any.
    """
    os.environ.update(settings(), MPLBACKEND="Agg")
    prove()
    only = os.environ.get("ONLY", "").split() or [Path(chapter).name for chapter in chapters()]
    todo = [
        (chapter, values)
        for chapter in chapters()
        if Path(chapter).name in only
        for values in changes(chapter)
    ]
    found = tqdm(answers(todo, outcome), total=len(todo), unit="run")
    return "\n".join(said for said in starmap(problem, found) if said) or None


def changes(chapter: str) -> Iterator[Values]:
    """The chapter as it is, with each parameter beside its own value, and as each exercise asks; at
    the profile "quick" where it has one.
    """
    own = parameters(chapter)
    base = {"profile": "quick"} if "profile" in own else {}
    yield base
    for name, value in own.items():
        yield from ({**base, name: other} for other in values_beside(value))
    yield from (base | values for values in exercises(chapter))


def exercises(chapter: str) -> Iterator[Values]:
    """What the exercises of a chapter ask to change, in their order: `-p kappa 0.6` is {"kappa":
    0.6}.
    """
    own = parameters(chapter)
    for cell in read(Path(f"{chapter}.ipynb"))["cells"]:
        if cell["id"].startswith("exercise") and cell["cell_type"] == "markdown":
            asked = re.findall(r"-p (\w+) ([^\s`]+)", text(cell))
            yield {
                name: value if isinstance(own[name], str) else ast.literal_eval(value)
                for name, value in asked
            }


def values_beside(value: object) -> list[Any]:
    """Half and double a number, and five times a fraction; as text where it is text.

    >>> values_beside(8), values_beside(0.25), values_beside("0.5"), values_beside("paper")
    ([4, 16], [0.125, 0.5, 1.25], ['0.25', '1', '2.5'], [])
    """
    if isinstance(value, str):
        with contextlib.suppress(ValueError):
            return [f"{other:g}" for other in values_beside(float(value))]
    elif isinstance(value, int):
        return [max(1, value // 2), 2 * value]
    elif isinstance(value, float):
        return [value / 2, 2 * value, 5 * value]
    return []


def outcome(chapter: str, values: Values, instead: Mapping[str, str] = {}) -> JsonObject:
    """The verdicts of a chapter run with other values, and with other code in some cells, {claim:
    verdict}, or where and with what it ended.
    """
    emitted, error = emitted_by(cells(chapter, values, instead))
    return error or {claim["id"]: claim["verdict"] for one in emitted for claim in one["claims"]}


def cells(chapter: str, values: Values, instead: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """The id and the code of each cell that is executed."""
    from papermill.translators import PythonTranslator  # as it writes them: nan has no repr

    write = PythonTranslator.translate
    given = "".join(f"\n{name} = {write(value)}" for name, value in values.items())
    for cell in code(chapter):
        lines = instead.get(cell["id"], text(cell))
        yield cell["id"], lines + given * tagged(cell, "parameters")


def emitted_by(
    run: Iterable[tuple[str, str]], seen: list[Shown] | None = None
) -> tuple[list[JsonObject], JsonObject]:
    """What cells, each an id and its code, emit for the ledger, and where and with what error they
    ended: that, and all kinds of error that it is. What they show goes into `seen`.
    """
    import matplotlib.pyplot as plt

    names: dict[str, Any] = {"__name__": "__main__", "display": lambda *shown: None}
    emitted: list[JsonObject] = []
    for id, lines in run:
        try:
            with contextlib.redirect_stdout(io.StringIO()) as said:
                shown = _executed(lines, names)
        except Exception as error:
            kinds = [kind.__name__ for kind in type(error).__mro__]
            return emitted, {"cell": id, "error": f"{kinds[0]}: {error}", "kinds": kinds}
        plt.close("all")
        bundle = _bundle(shown)
        if MIME in bundle:
            emitted.append(bundle[MIME])
        if seen is not None:
            seen.append(("", said.getvalue(), ""))  # what is printed is no value of the cell
            seen.append((lines, repr(shown), bundle.get("text/html", "")))
    return emitted, {}


def problem(chapter: str, values: Values, made: JsonObject) -> str | None:
    """What is wrong with the outcome of a run; None where nothing is."""
    where = f"{chapter} with {values}"
    if "error" in made:
        refused = made["cell"].startswith("checked-")
        return None if refused and values else f"{where}: {made['cell']}: {made['error']}"
    expected = {claim["id"]: claim["verdict"] for claim in committed()}
    wrong = [
        f"{claim} {verdict}"
        for claim, verdict in made.items()
        if verdict not in (expected.get(claim), *ALIKE)
    ]
    if not made:
        wrong = ["no claim"]
    return f"{where}: {', '.join(wrong)}" if wrong else None


def prove() -> None:
    """All theorems, before the forks, which then have them."""
    from pipeline import kernels

    for theorem in kernels.theorems():
        kernels.prove(theorem)


def answers(
    todo: Iterable[tuple[Any, ...]], work: Callable[..., JsonObject]
) -> Iterator[tuple[Any, ...]]:
    """What the work gives for each of the arguments, after these, as it comes: a fork for each, as
    many at once as cores.
    """
    waiting, running = iter(todo), dict[BinaryIO, tuple[Any, ...]]()
    while True:
        for one in islice(waiting, (os.cpu_count() or 1) - len(running)):
            running[_forked(work, one)] = one
        if not running:
            return
        ready, _, _ = select.select(list(running), [], [])
        for said in ready:
            answer = said.read()
            said.close()
            os.wait()
            none = {"cell": "?", "error": f"ended without an answer, within {LIMIT} seconds"}
            yield *running.pop(said), ast.literal_eval(answer.decode()) if answer else none


def _forked(work, arguments):
    """Where the answer can be read: from a fork that has LIMIT seconds."""
    reading, writing = os.pipe()
    if os.fork() == 0:
        signal.alarm(LIMIT)
        os.write(writing, repr(work(*arguments)).encode())
        os._exit(0)
    os.close(writing)
    return os.fdopen(reading, "rb")


def code(chapter: str) -> list[JsonObject]:
    """The cells that are executed."""
    cells = read(Path(f"{chapter}.ipynb"))["cells"]
    return [
        cell for cell in cells if cell["cell_type"] == "code" and not tagged(cell, "remove-cell")
    ]


def parameters(chapter: str) -> Values:
    """The parameters of a chapter, with their own values."""
    (cell,) = [cell for cell in code(chapter) if tagged(cell, "parameters")]
    names: Values = {}
    exec(text(cell), names)
    return {name: names[name] for name in assigned(text(cell))}


def _executed(lines, names):
    """Run a cell; the value of its last expression, as a notebook shows it."""
    *body, last = ast.parse(lines).body
    if not isinstance(last, ast.Expr):
        exec(lines, names)
        return None
    exec(compile(ast.Module(body, []), "<cell>", "exec"), names)
    return eval(compile(ast.Expression(last.value), "<cell>", "eval"), names)


def _bundle(shown):
    show = getattr(shown, "_repr_mimebundle_", None)
    bundle = show() if show else {}
    return bundle if isinstance(bundle, dict) else {}


if __name__ == "__main__":
    sys.exit(run_all())
