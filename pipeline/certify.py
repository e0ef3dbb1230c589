"""The theorems of the core as theorems of Coq: `make certify`.

polycore.proof.coq prints them, certify/ holds what is written by hand, and Coq compiles both. A
lemma that Coq does not accept yet is assumed there, and listed in book/coq.json; a theorem that
rests on one is not called accepted.
"""

import json
import os
import re
import shutil
import subprocess
import sys
from functools import cache
from graphlib import TopologicalSorter
from importlib import import_module
from pathlib import Path

from pipeline.api import COQ
from pipeline.dependencies import imported
from pipeline.files import BUILD, core, digest, read, write
from polycore.proof import Judgment, Theorem, coq
from polycore.proof.records import Column
from polycore.proof.theorems import name_of

FOLDER = BUILD / "certify"
BY_HAND = Path("certify")
# Of proofs whose arithmetic no tactic finds, by the name of the lemma.
ENDINGS = BY_HAND / "endings"
ROOM = "polycore.theory."
MISSING = (
    "Coq is not on this machine (no coqc or coq_makefile). On Debian and Ubuntu: "
    "apt-get install coq libcoq-interval"
)
HEAD = (
    "From Coq Require Import Reals Lra Lia ZArith Psatz.\n"
    "From Poly Require Import {}.\n"
    "Open Scope R_scope.\n\n"
)
# Coq's real numbers, with what they are made from, and the machine numbers that Interval uses.
ALLOWED = (
    r"ClassicalDedekindReals\.sig_(not_dec|forall_dec)|(\w+\.)?functional_extensionality_dep|"
    r"(Classical_Prop\.)?classic|(PrimInt63|Uint63|PrimFloat|FloatAxioms|FloatOps)\..*"
)
REFUSED = r'File "\./(\w+)\.v", line (\d+), characters [\d-]+:\n(Error.*?)(?=\nFile|\nmake|\Z)'


class Library:
    """The lemmas of all rooms, each in its room's file, in an order in which each needs only
    earlier ones.
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
                made = self.judgments[one].made
                todo += [] if isinstance(made, Column) else map(self.name, made.used)
        return found

    def digest(self, theorem: str) -> str:
        """Of what the lemmas behind a theorem say, and of the files by hand."""
        said = sorted(map(self.says, self.behind(self.theorems[theorem])))
        hand = [path.read_text(encoding="utf-8") for path in sorted(BY_HAND.glob("*.v"))]
        return digest(said, hand)


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


def source(library: Library, room: str, opened: dict[str, str]) -> str:
    """The file of a room; a lemma that is open has no proof."""
    parts = [
        f"Axiom {name} : {library.says(name)}.\n"
        if name in opened
        else library.text(name)
        for name in library.files[room]
    ]
    earlier = list(library.files)[: list(library.files).index(room)]
    return HEAD.format(" ".join(["Prelude", "Axioms", "Tactics", *earlier])) + "\n".join(parts)


def write_all(library: Library, opened: dict[str, str]) -> None:
    """All files into the folder of the build; one that says the same as before is left alone."""
    files = {path.name: path.read_text(encoding="utf-8") for path in BY_HAND.glob("*.v")}
    files |= {f"{room}.v": source(library, room, opened) for room in library.files}
    asked = "".join(f"Print Assumptions {name}.\n" for name in library.theorems.values())
    files["Assumptions.v"] = HEAD.format(" ".join(library.files)) + asked
    for name, text in files.items():
        path = FOLDER / name
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            write(path, text)
    modules = sorted(files.keys() - {"Assumptions.v"})
    run("coq_makefile", "-Q", ".", "Poly", *modules, "-o", "Makefile")


def run(*command: str, check: bool = True) -> str:
    """A command in the folder of the generated files; what it said."""
    done = subprocess.run(
        command, cwd=FOLDER, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    )
    if check and done.returncode:
        raise RuntimeError(f"{' '.join(command)}:\n{done.stdout}")
    return done.stdout


def refused(library: Library) -> dict[str, str]:
    """Compile; the first lemma of each file that Coq refuses, with what it says."""
    said = run("make", "-k", f"-j{os.cpu_count()}", check=False)
    found = {}
    for room, line, error in re.findall(REFUSED, said, re.DOTALL):
        lines = (FOLDER / f"{room}.v").read_text(encoding="utf-8").splitlines()[: int(line)]
        lemmas = [
            words[1] for words in map(str.split, lines) if words[:1] in (["Lemma"], ["Axiom"])
        ]
        if room not in library.files or not lemmas:
            raise RuntimeError(f"{FOLDER}/{room}.v, line {line}: {error}")
        found[lemmas[-1]] = " ".join(error.split())[-160:]
    return found


def assumptions(theorems: list[str]) -> dict[str, list[str]]:
    """What each theorem rests on in Coq, beside what is allowed."""
    said = run("coqc", "-Q", ".", "Poly", "Assumptions.v")
    parts = re.split(r"^(?:Axioms:|Closed under the global context)$", said, flags=re.MULTILINE)
    names = [re.findall(r"^([\w.]+)\s*:", part, re.MULTILINE) for part in parts[1:]]
    return {
        theorem: [name for name in some if not re.fullmatch(ALLOWED, name)]
        for theorem, some in zip(theorems, names, strict=True)
    }


def certify() -> str | None:
    """Print, compile and record. What is wrong, if anything is: a lemma that Coq accepted before,
    or that is new; then the record stays as it was.
    """
    if not all(map(shutil.which, ("coqc", "coq_makefile"))):
        return MISSING
    library, known = Library(), read(COQ)["open"]
    opened = {name: why for name, why in known.items() if name in library.judgments}
    fresh: dict[str, str] = {}
    write_all(library, opened)
    while new := refused(library):
        fresh |= new
        write_all(library, opened | fresh)
    if fresh:
        said = "\n".join(f"{name}: {why}" for name, why in fresh.items())
        return (
            f"Coq refuses, of which {COQ} does not say so:\n{said}\nThe files are in {FOLDER}. "
            "CONTRIBUTING says what helps."
        )
    rest, lemmas = assumptions(list(library.theorems)), len(library.judgments)
    theorems = {name: library.digest(name) for name, more in rest.items() if not more}
    record = {"core": len(rest), "lemmas": lemmas, "open": opened, "theorems": theorems}
    write(COQ, json.dumps(record, indent=1, sort_keys=True) + "\n")
    print(
        f"Coq accepts {lemmas - len(opened):,} of {lemmas:,} lemmas; on these alone rest "
        f"{len(theorems)} of {len(rest)} theorems of the core."
    )
    return None


if __name__ == "__main__":
    sys.exit(certify())
