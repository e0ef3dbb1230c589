"""The lemmas that `make certify` prints: those of the core, room by room, and those that a chapter
adds.
"""

from __future__ import annotations

import io
import os
from contextlib import redirect_stdout
from functools import cache
from graphlib import TopologicalSorter
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from pipeline.dependencies import imported
from pipeline.files import core, digest, read, tagged
from polycore.proof import Judgment, Theorem, coq
from polycore.proof.records import Column
from polycore.proof.theorems import name_of

if TYPE_CHECKING:
    from polycore.evidence import Claim

BY_HAND = Path("certify")
# Of proofs whose arithmetic no tactic finds, by the name of the lemma.
ENDINGS = BY_HAND / "endings"
ROOM = "polycore.theory."


class Library:
    """The lemmas of all rooms, each in its room's file, in an order in which each needs only
    earlier ones; and those that a chapter adds, in a process of its own.
    """

    def __init__(self) -> None:
        self.judgments: dict[str, Judgment] = {}  # by the name of the lemma
        self.names: dict[tuple[object, ...], str] = {}  # by what it says
        self.files: dict[str, list[str]] = {}
        self.theorems: dict[str, str] = {}  # by its name in Python, the name of the lemma
        self.text = cache(self.printed)
        self.says = cache(lambda name: coq.statement(self.judgments[name]))
        for room in rooms():
            lemmas: list[str] = []
            for name, one in vars(import_module(ROOM + room)).items():
                if isinstance(one, Theorem) and one.__module__ == ROOM + room:
                    lemmas += self.added(one(), name)
                    self.theorems[name] = self.name(one())
            if lemmas:
                self.files[room] = lemmas

    def added(self, judgment: Judgment, theorem: str) -> list[str]:
        """The names of a judgment and of all that it was made from, as far as they are new."""
        todo, new, steps = [judgment], list[str](), 0
        while todo:
            here = todo[-1]
            if missing := [one for one in here.made.used if _said(one) not in self.names]:
                todo += reversed(missing)
            elif _said(todo.pop()) not in self.names:
                steps += not name_of(here)
                name = name_of(here).rpartition(".")[2] or f"{theorem}_{steps}"
                assert name not in self.judgments, f"two lemmas would be called {name}"
                self.names[_said(here)], self.judgments[name] = name, here
                new.append(name)
        return new

    def name(self, judgment: Judgment) -> str:
        """The name of the lemma that says it."""
        return self.names[_said(judgment)]

    def printed(self, name: str) -> str:
        """A lemma with its proof, which ends as somebody wrote where somebody did."""
        ending = ENDINGS / f"{name}.v"
        by_hand = ending.read_text(encoding="utf-8") if ending.exists() else ""
        return coq.lemma(self.judgments[name], name, self.name, by_hand)

    def behind(self, name: str) -> set[str]:
        """The names of all lemmas from which Coq proves one, its own among them; one more column is
        proved by hand.
        """
        found, todo = set[str](), [name]
        while todo:
            if (one := todo.pop()) not in found:
                found.add(one)
                todo += self.uses(one)
        return found

    def uses(self, name: str) -> list[str]:
        """The names of the lemmas from which one is proved."""
        made = self.judgments[name].made
        return [] if isinstance(made, Column) else [*map(self.name, made.used)]

    def digest(self, theorem: str) -> str:
        """Of what the lemmas behind a theorem say, and of the files by hand."""
        return digest(
            sorted(map(self.says, self.behind(self.theorems[theorem]))), [*by_hand().values()]
        )


def by_hand() -> dict[str, str]:
    """The files that are written by hand, by their names."""
    return {path.name: path.read_text(encoding="utf-8") for path in sorted(BY_HAND.glob("*.v"))}


def _said(judgment):
    return judgment.hypotheses, judgment.conclusion


def rooms() -> list[str]:
    """The rooms of the theory, each after those that it imports."""
    files = {n.removeprefix(ROOM): path for n, path in core().items() if n.startswith(ROOM)}
    needs = {
        room: {other for other in files if ROOM + other in (imported(path.read_text()) or ())}
        for room, path in files.items()
    }
    return list(TopologicalSorter(needs).static_order())


class Chapter(NamedTuple):
    """What a chapter adds: its lemmas as Coq; by claim, what each proof says in the ledger's words,
    and its lemma; for each new lemma those from which it is proved.
    """

    text: str
    proofs: dict[str, dict[str, str]]
    uses: dict[str, list[str]]


def added_by(library: Library, chapter: str) -> Chapter:
    """The lemmas of a chapter, in a process that is forked for it: they stay in the library."""
    new: list[str] = []
    proofs: dict[str, dict[str, str]] = {}
    for claim in claims(chapter):
        shown = [(str(e.record()["value"]), e.judgment) for e in claim.evidence if e.judgment]
        for number, (said, judgment) in enumerate(shown, 1):
            new += library.added(judgment, f"{coq.identifier(claim.id)}_{number}")
            proofs.setdefault(claim.id, {})[said] = library.name(judgment)
    text = "\n".join(map(library.text, new))
    return Chapter(text, proofs, {name: library.uses(name) for name in new})


def claims(chapter: str) -> list[Claim]:
    """What a chapter claims when its cells are run here, with few trials: the proofs are the same.
    RuntimeError where a cell fails.
    """
    from IPython.core.interactiveshell import InteractiveShell

    from polycore.evidence import Verdicts

    os.environ["MPLBACKEND"] = "agg"
    found: list[Claim] = []
    for cell in read(f"{chapter}.ipynb")["cells"]:
        if cell["cell_type"] == "code" and not tagged(cell, "remove-cell"):
            quick = "profile = 'quick'" * tagged(cell, "parameters")
            with redirect_stdout(io.StringIO()):
                done = InteractiveShell.instance().run_cell("".join(cell["source"]) + "\n" + quick)
            if not done.success:
                raise RuntimeError(
                    f"{chapter}.ipynb: {done.error_in_exec or done.error_before_exec}"
                )
            found += done.result.claims if isinstance(done.result, Verdicts) else []
    return found
