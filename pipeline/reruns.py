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
from collections.abc import Iterable, Iterator
from itertools import islice, starmap
from pathlib import Path
from typing import Any, BinaryIO

from tqdm import tqdm

from pipeline.execution import settings
from pipeline.files import JsonObject, chapters, read, tagged, text
from pipeline.ledger import committed
from polycore.injected import assigned
from polycore.record import MIME

__all__ = [
    "changes",
    "exercises",
    "outcome",
    "parameters",
    "problem",
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
    _prove()
    only = os.environ.get("ONLY", "").split() or [Path(chapter).name for chapter in chapters()]
    todo = [
        (chapter, values)
        for chapter in chapters()
        if Path(chapter).name in only
        for values in changes(chapter)
    ]
    found = tqdm(_answers(todo), total=len(todo), unit="run")
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


def outcome(chapter: str, values: Values) -> JsonObject:
    """The verdicts of a chapter run with other values, {claim: verdict}, or where and with what it
    ended.
    """
    import matplotlib.pyplot as plt

    names: dict[str, Any] = {"__name__": "__main__", "display": lambda *shown: None}
    verdicts: dict[str, str] = {}
    for cell in _code(chapter):
        lines = text(cell)
        if tagged(cell, "parameters"):
            lines += "".join(f"\n{name} = {value!r}" for name, value in values.items())
        try:
            with contextlib.redirect_stdout(io.StringIO()):
                shown = _executed(lines, names)
        except Exception as error:
            return {"cell": cell["id"], "error": f"{type(error).__name__}: {error}"}
        plt.close("all")
        for claim in _claims(shown):
            verdicts[claim["id"]] = claim["verdict"]
    return verdicts


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


def _prove():
    from pipeline import kernels

    for theorem in kernels.theorems():
        kernels.prove(theorem)


def _answers(todo: Iterable[tuple[str, Values]]) -> Iterator[tuple[str, Values, JsonObject]]:
    """The outcomes of all runs as they come: a fork for each, as many at once as cores."""
    waiting, running = iter(todo), dict[BinaryIO, tuple[str, Values]]()
    while True:
        for chapter, values in islice(waiting, (os.cpu_count() or 1) - len(running)):
            running[_forked(chapter, values)] = chapter, values
        if not running:
            return
        ready, _, _ = select.select(list(running), [], [])
        for said in ready:
            answer = said.read()
            said.close()
            os.wait()
            none = {"cell": "?", "error": f"ended without an answer, within {LIMIT} seconds"}
            yield *running.pop(said), ast.literal_eval(answer.decode()) if answer else none


def _forked(chapter, values):
    """Where the outcome can be read: from a fork that has LIMIT seconds."""
    reading, writing = os.pipe()
    if os.fork() == 0:
        signal.alarm(LIMIT)
        os.write(writing, repr(outcome(chapter, values)).encode())
        os._exit(0)
    os.close(writing)
    return os.fdopen(reading, "rb")


def _code(chapter):
    cells = read(Path(f"{chapter}.ipynb"))["cells"]
    return [
        cell for cell in cells if cell["cell_type"] == "code" and not tagged(cell, "remove-cell")
    ]


def parameters(chapter: str) -> Values:
    """The parameters of a chapter, with their own values."""
    (cell,) = [cell for cell in _code(chapter) if tagged(cell, "parameters")]
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


def _claims(shown):
    show = getattr(shown, "_repr_mimebundle_", None)
    bundle = show() if show else {}
    return bundle.get(MIME, {}).get("claims", []) if isinstance(bundle, dict) else []


if __name__ == "__main__":
    sys.exit(run_all())
