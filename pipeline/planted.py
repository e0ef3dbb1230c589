"""Errors planted in the chapters, one at a time, which the book must refuse (`make planted`).

Another constant, sign or bound is planted in what a chapter tells the kernel and the checks: in
relations, in the steps of a chain, in what is put into a theorem, in what a number is compared
with. What refuses it is the kernel, a control or another check while the chapter runs, or that what
it shows is no step of a proof; or the gate; or the comparison with the committed ledger and
queries, which `make check` makes; or, where the parameters of the book do not show it, `make
reruns`. What a number is allowed for its roundings is left alone: no statement has it.
"""

import ast
import json
import os
import signal
import sys
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from tqdm import tqdm

from pipeline import api, changes, kernels, ledger, replay, reruns, shown
from pipeline.dependencies import closure
from pipeline.differences import compare
from pipeline.execution import settings
from pipeline.files import BUILD, JsonObject, chapters, digest, read, tagged, text, whole, write

FOLDER = BUILD / "planted"
RECORD = Path("book/planted.json")
HIDDEN = "hide-input", "hide-cell", "remove-cell", "parameters"
PAIRS = (
    ("Ge", "Le"),
    ("Gt", "Lt"),
    (">=", "<="),
    (">", "<"),
    ("at_least", "at_most"),
    ("above", "below"),
)
TURNED = {one: other for pair in PAIRS for one, other in (pair, pair[::-1])}
RELATIONS = {"Eq", "Ne", "Ge", "Gt", "Le", "Lt"}
# What is imported from there.
TOLD = "polycore.proof", "polycore.evidence", "polycore.theory", "polycore.montecarlo"
IMPORTED = "relations", f"from sympy import {', '.join(sorted(RELATIONS))}"  # or a name is missing
LIMIT = 1800  # seconds: a chapter, and where nothing refuses it also at other parameters
KINDS = "kernel", "control", "check", "gate", "comparison", "rerun"


class Plant(NamedTuple):
    """A cell of a chapter, with one thing changed."""

    cell: str
    line: int
    was: str
    becomes: str
    source: str


def plants(chapter: str) -> Iterator[Plant]:
    """All that can be planted in the cells that a reader sees."""
    cells = reruns.code(chapter)
    told = {name for cell in cells for name in told_to(text(cell))} | RELATIONS
    for cell in cells:
        if not any(tagged(cell, tag) for tag in HIDDEN):
            for node, other in moved(ast.parse(text(cell)), told):
                yield planted(cell["id"], text(cell), node, other)


def told_to(source: str) -> Iterator[str]:
    """The names by which a cell imports the kernel, theorems and checks."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ImportFrom):
            for one in node.names:
                if f"{node.module}.{one.name}".startswith(TOLD):
                    yield one.asname or one.name


def moved(node: ast.AST, told: set[str], said: bool = False) -> Iterator[tuple[Any, str]]:
    """The constants and signs below a node that are told to the kernel or to a check, and what to
    put there.
    """
    called = node.func if isinstance(node, ast.Call) else None
    name = root(called)
    if isinstance(node, ast.JoinedStr) or name == "print":
        return
    if isinstance(node, ast.Call) and name == "refused":
        # What is refused is wrong with another constant too; the case beside it is a check.
        for word in node.keywords:
            if word.arg == "case":
                yield from moved(word, told, said)
        return
    if isinstance(node, ast.Subscript) and not any_name(
        node.slice
    ):  # which of a list, not a number
        yield from moved(node.value, told, said)
        return
    said = said or name in told
    if isinstance(called, ast.Name) and called.id in TURNED:
        yield called, TURNED[called.id]
    elif said and isinstance(node, ast.keyword) and node.arg in TURNED:
        yield node, TURNED[node.arg]
    elif said and isinstance(node, ast.Constant):
        match node.value:
            case bool():
                pass
            case int() as number:
                yield node, repr(number + 1)
            case float() as number:
                yield node, repr(2 * number or 1.0)
            case str() as sign if sign in TURNED:
                yield node, f'"{TURNED[sign]}"'
    allowed = node.args[2:3] if isinstance(node, ast.Call) and name == "numeric" else []
    for child in ast.iter_child_nodes(node):
        if child not in allowed:
            yield from moved(child, told, said)


def any_name(node: ast.AST) -> bool:
    return any(isinstance(one, ast.Name) for one in ast.walk(node))


def root(node: ast.AST | None) -> str:
    """The name with which what is called begins: of a.b.c it is a."""
    while isinstance(node, ast.Attribute):
        node = node.value
    return node.id if isinstance(node, ast.Name) else ""


def planted(cell: str, source: str, node: Any, other: str) -> Plant:
    """The cell with something else in the place of a node; of a keyword, of its name."""
    segment = node.arg if isinstance(node, ast.keyword) else ast.get_source_segment(source, node)
    lines = source.split("\n")
    line = lines[node.lineno - 1]
    start = len(line.encode()[: node.col_offset].decode())
    lines[node.lineno - 1] = changed = line[:start] + other + line[start + len(segment or "") :]
    return Plant(cell, node.lineno, line.strip(), changed.strip(), "\n".join(lines))


def instead(plant: Plant | None) -> dict[str, str]:
    return {plant.cell: plant.source} if plant else {}


def branches(chapter: str, asked: Iterable[Plant], mine: list[Plant]) -> Iterator[tuple[str, str]]:
    """The cells of a chapter; at a cell in which something is to be planted the process forks, and
    in each fork, one after another, it is planted, and then stands in `mine`.

    So what comes before is executed once for all.
    """
    for cell, source in [IMPORTED, *reruns.cells(chapter, {}, {})]:
        for plant in asked:
            if plant.cell == cell and not mine:
                if (child := os.fork()) == 0:
                    signal.alarm(LIMIT)
                    mine.append(plant)
                elif killed := os.WTERMSIG(os.waitpid(child, 0)[1]):
                    said = f"ended by {signal.Signals(killed).name}"  # of the alarm, or worse
                    write(kept(chapter, plant), json.dumps({"by": "check", "said": said}))
        yield cell, mine[0].source if mine and mine[0].cell == cell else source


def outcomes(chapter: str, asked: list[Plant]) -> JsonObject:
    """Write what refuses the chapter as it is, and with each of these planted; nothing is
    answered. Where the chapter imports what cannot be forked, one is planted, and it is here.
    """
    mine, here = asked if is_unlike(chapter) else [], os.getpid()
    signal.alarm(LIMIT if mine else 0)
    seen: list[shown.Shown] = []
    emitted, error = reruns.emitted_by(branches(chapter, asked, mine), seen)
    plant = mine[0] if mine else None
    write(kept(chapter, plant), json.dumps(outcome(chapter, plant, emitted, error, seen)))
    if os.getpid() != here:
        os._exit(0)
    return {}


@cache
def core() -> set[str]:
    """What the core carries: a fork has it from the process that proved it."""
    return shown.of_core(api.described())


def outcome(
    chapter: str,
    plant: Plant | None,
    emitted: list[JsonObject],
    error: JsonObject,
    seen: Iterable[shown.Shown] = (),
) -> JsonObject:
    """What refuses a chapter with something planted, one of KINDS, and what it says."""
    if error:
        kinds = {"ProofError": "kernel", "ControlNotRejected": "control"}
        named = [kinds[kind] for kind in error["kinds"] if kind in kinds]
        return {"by": [*named, "check"][0], "said": error["error"]}
    by, lines = differences(chapter, json.loads(json.dumps(emitted)))
    if not lines:
        alone = shown.uncarried(seen, core())
        by, lines = "check", [f"shown, and no claim carries it: {one}" for one in alone]
    if not lines and plant:
        by, lines = "rerun", [*at_other_values(chapter, plant)]
    return {"by": by if lines else "", "said": lines[0] if lines else ""}


def at_other_values(chapter: str, plant: Plant) -> Iterator[str]:
    """What `make reruns` would say."""
    for values in reruns.changes(chapter):
        made = reruns.outcome(chapter, values, instead(plant))
        if said := reruns.problem(chapter, values, made):
            yield said
            return


def differences(chapter: str, emitted: list[JsonObject]) -> tuple[str, list[str]]:
    """What a build says of the claims of a chapter, and whether the gate or the comparison does."""
    was = [claim for claim in ledger.committed() if claim["notebook"] == f"{chapter}.ipynb"]
    known = {claim["id"]: {key: claim[key] for key in ("statement", "notebook")} for claim in was}
    now = [
        ledger.kept(claim | known.get(claim["id"], {}))
        for one in emitted
        for claim in one["claims"]
    ]
    if lines := compare(ledger.outline(was), ledger.outline(now)) or ledger.undecided(now):
        return "gate", lines
    behind = {key: one for key, one in read(replay.REFERENCE).items() if key in known}
    lines = compare(was, now) + [*replay.unlike(now, ledger.asked_for(emitted), behind)]
    return ("comparison" if lines else ""), lines


def kept(chapter: str, plant: Plant | None) -> Path:
    """The file of what was found, which stands as long as the chapter is what it is."""
    key = digest([text(cell) for cell in reruns.code(chapter)], plant)
    return FOLDER / Path(chapter).name / f"{key}.json"


def together(unknown: list[tuple[str, Plant | None]]) -> Iterator[tuple[str, list[Plant]]]:
    """What is planted in a chapter in one run of it: all, or where the chapter imports what cannot
    be forked, one, or nothing.
    """
    for chapter in dict.fromkeys(chapter for chapter, _ in unknown):
        found = [plant for name, plant in unknown if name == chapter]
        if is_unlike(chapter):
            yield from ((chapter, [plant] if plant else []) for plant in found)
        else:
            yield chapter, list(filter(None, found))


def is_unlike(chapter: str) -> bool:
    """Whether a chapter imports what has threads: a fork of it may wait for ever."""
    code = "\n".join(map(text, reruns.code(chapter)))
    return any(name.startswith(kernels.UNLIKE) for name in closure(code))


def try_all() -> str | None:
    """Plant everything of which nothing is known, and say what was refused by what; what is not
    refused, if anything.
    """
    os.environ.update(settings(), MPLBACKEND="Agg")
    every = {Path(chapter).name: chapter for chapter in chapters()}
    everything = [(name, plant) for name, chapter in every.items() for plant in plants(chapter)]
    chosen = changes.chosen(everything, [*every])
    asked = [(every[name], plant) for name, plant in chosen]
    as_it_is = [(chapter, None) for chapter in dict.fromkeys(chapter for chapter, _ in asked)]
    unknown = [one for one in (*as_it_is, *asked) if not whole(kept(*one))]
    reruns.prove()
    core()
    reruns.LIMIT = 0  # of a chapter; each of its forks has LIMIT
    todo = sorted(together(unknown), key=lambda one: -len(one[1]))  # or a core waits for the last
    with tqdm(total=len(unknown)) as progress:
        for _, some, _ in reruns.answers(todo, outcomes):
            progress.update(len(some))
    if silent := sorted({chapter for chapter, plant in unknown if not whole(kept(chapter, plant))}):
        return f"Ended without an answer: {', '.join(silent)}"
    if wrong := [chapter for chapter, _ in as_it_is if read(kept(chapter, None))["by"]]:
        return f"Refused with nothing planted: {', '.join(wrong)}"
    return changes.report(RECORD, [name for name, _ in everything], KINDS, known(everything))


def known(everything: Iterable[tuple[str, Plant]]) -> Iterator[tuple[str, Path, JsonObject]]:
    """What was found of all that can be planted, in this run or before."""
    for name, plant in everything:
        if found := whole(kept(f"notebooks/{name}", plant)):
            yield name, Path(f"notebooks/{name}.ipynb"), plant._asdict() | found


if __name__ == "__main__":
    sys.exit(try_all())
