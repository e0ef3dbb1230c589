"""The theorems of the core and the proofs of the chapters as theorems of Coq: `make certify`.

polycore.proof.coq prints them, certify/ holds what is written by hand, and Coq compiles both. A
lemma that Coq does not accept yet is assumed there, and listed in book/coq.json; a theorem or a
claim that rests on one is not called accepted.
"""

import gc
import json
import multiprocessing
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Collection, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import chain
from pathlib import Path

from pipeline.api import COQ
from pipeline.files import BUILD, JsonObject, chapters, digest, read, write
from pipeline.kernels import COLLECT
from pipeline.lemmas import ENDINGS, Chapter, Library, added_by, by_hand
from pipeline.replay import REFERENCE

FOLDER = BUILD / "certify"
LEDGER = Path("book/results.json")
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
# Not from the start of the line: what a tactic says as it gives up may stand before.
FAILED = r'File "\./(\w+)\.v", line (\d+), characters [\d-]+:\n(Error.*)'
LEMMA = r"^Lemma (\w+) : (.*?)\.\nProof\..*?^Qed\.$"
FIRST = ["Prelude", "Axioms", "Tactics"]  # by hand


def sources(library: Library, added: dict[str, Chapter]) -> dict[str, str]:
    """The files of the rooms and of the chapters. Each needs the rooms that it uses, so that Coq
    compiles side by side what can be; a chapter that writes nothing new has none.
    """
    room = {lemma: name for name, lemmas in library.files.items() for lemma in lemmas}
    uses: dict[str, Iterable[list[str]]] = {
        name: map(library.uses, lemmas) for name, lemmas in library.files.items()
    }
    texts = {name: "\n".join(map(library.text, lemmas)) for name, lemmas in library.files.items()}
    uses |= {name: one.uses.values() for name, one in added.items()}
    texts |= {name: one.text for name, one in added.items() if one.uses}

    def needed(name):
        return sorted({room[one] for one in chain(*uses[name]) if one in room} - {name})

    return {name: HEAD.format(" ".join([*FIRST, *needed(name)])) + texts[name] for name in texts}


def module(chapter: str) -> str:
    """The name of a chapter's file."""
    return f"Chapter_{Path(chapter).name}"


def assumed(text: str, opened: Collection[str]) -> str:
    """The file with its open lemmas as axioms."""
    axiom = lambda lemma: f"Axiom {lemma[1]} : {lemma[2]}." if lemma[1] in opened else lemma[0]
    return re.sub(LEMMA, axiom, text, flags=re.DOTALL | re.MULTILINE)


def write_all(files: dict[str, str], opened: Collection[str]) -> None:
    """All files into the folder of the build; one that says the same as before is left alone."""
    texts = by_hand() | {f"{name}.v": assumed(text, opened) for name, text in files.items()}
    for name, text in texts.items():
        path = FOLDER / name
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            write(path, text)
    run("coq_makefile", "-Q", ".", "Poly", *sorted(texts), "-o", "Makefile")


def run(*command: str, check: bool = True, given: str = "") -> str:
    """A command in the folder of the generated files, and what it is told; what it said."""
    out, err = subprocess.PIPE, subprocess.STDOUT
    done = subprocess.run(command, cwd=FOLDER, input=given, text=True, stdout=out, stderr=err)
    if check and done.returncode:
        raise RuntimeError(f"{' '.join(command)}:\n{done.stdout}")
    return done.stdout


def refused(files: dict[str, str]) -> dict[str, str]:
    """Compile; the lemmas that Coq refuses, with what it says."""
    said = run("make", "-k", f"-j{os.cpu_count()}", check=False)
    failed = {name: f"line {line}: {why}" for name, line, why in re.findall(FAILED, said, re.M)}
    if "Error" in said and not failed:
        raise RuntimeError(said)
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        surveyed = dict(zip(failed, pool.map(survey, failed)))
    for name, why in failed.items():
        if name not in files or not surveyed[name]:
            raise RuntimeError(f"{FOLDER}/{name}.v, {why}")
    return {lemma: why for found in surveyed.values() for lemma, why in found.items()}


def survey(name: str) -> dict[str, str]:
    """All lemmas of a file that Coq refuses: where coqc stops coqtop goes on, and where a proof has
    failed there is no lemma of that name yet.
    """
    text = (FOLDER / f"{name}.v").read_text(encoding="utf-8")
    on = r"\g<0>\nAbort All.\nAxiom \1 : \2."
    asked = re.sub(LEMMA, on, text, flags=re.DOTALL | re.MULTILINE)
    said = run("coqtop", "-q", "-color", "no", "-Q", ".", "Poly", check=False, given=asked)
    parts = re.split(r"(\w+) is declared$", said, flags=re.MULTILINE)
    axioms = re.findall(r"^Axiom (\w+) ", text, re.MULTILINE)
    found = dict(zip(parts[1::2], parts[::2]))  # what was said before the axiom was taken
    why = lambda said: " ".join(re.findall(r"^Error:\s*.+", said, re.M)[0].split())
    return {name: why(said) for name, said in found.items() if name not in axioms}


def checked(names: Sequence[str]) -> None:
    """Let coqchk, which knows no tactic, check all files again; RuntimeError with what it refuses.
    The files of Coq's own libraries it takes as they are.
    """
    cores = os.cpu_count() or 1
    shares = [
        [word for name in names[k::cores] for word in ("-norec", f"Poly.{name}")]
        for k in range(cores)
    ]
    with ThreadPoolExecutor(cores) as pool:
        list(pool.map(lambda share: run("coqchk", "-silent", "-Q", ".", "Poly", *share), shares))


def assumptions(modules: Collection[str], lemmas: Collection[str]) -> list[str]:
    """What these lemmas rest on in Coq, beside what is allowed: asked of all at once, for to ask of
    each takes a second.
    """
    asked = f"Definition all := ({', '.join(lemmas)}).\nPrint Assumptions all.\n"
    write(FOLDER / "Assumptions.v", HEAD.format(" ".join(modules)) + asked)
    said = run("coqc", "-Q", ".", "Poly", "Assumptions.v").partition("Axioms:")[2]
    names = re.findall(r"^([\w.]+)\s*:", said, re.MULTILINE)
    return [name for name in names if not re.fullmatch(ALLOWED, name)]


def resting(uses: dict[str, list[str]], opened: Collection[str]) -> set[str]:
    """The open lemmas and all that are proved from one; each lemma comes after those it uses."""
    found = {*opened}
    for name, used in uses.items():
        found |= {name} if found.intersection(used) else set()
    return found


def proved_by(claim: JsonObject) -> list[str]:
    """What the proofs of a claim of the ledger say."""
    return [one["value"] for one in claim["evidence"] if one["kind"] == "proof"]


def digest_of(claim: JsonObject) -> str:
    """Of what the proofs of a claim say, of all that Z3 was asked for them, and of the files by
    hand.
    """
    return digest(proved_by(claim), read(REFERENCE).get(claim["id"]), [*by_hand().values()])


_library: Library  # in the processes that print a chapter each


def _take(library):
    global _library
    _library = library


def _added(chapter):
    return added_by(_library, chapter)


def printed(library: Library) -> dict[str, Chapter]:
    """What each chapter adds, by the name of its file, each in a fork of its own."""
    fork = multiprocessing.get_context("fork")
    with fork.Pool(initializer=_take, initargs=(library,), maxtasksperchild=1) as pool:
        found = pool.map(_added, chapters(), chunksize=1)
    return dict(zip(map(module, chapters()), found))


def certify() -> str | None:
    """Print, compile and record. What is wrong, if anything is: a lemma that Coq accepted before,
    or that is new; then the record stays as it was.
    """
    if not all(map(shutil.which, ("coqc", "coq_makefile", "coqtop", "coqchk"))):
        return MISSING
    gc.set_threshold(*COLLECT)
    library, known = Library(), read(COQ)["open"]
    added = printed(library)
    uses = {name: library.uses(name) for name in library.judgments}
    uses |= {name: used for one in added.values() for name, used in one.uses.items()}
    if stray := sorted({path.stem for path in ENDINGS.glob("*.v")} - uses.keys()):
        return f"{ENDINGS} has endings of lemmas that are not there: {', '.join(stray)}"
    opened = {name: why for name, why in known.items() if name in uses}
    files, fresh = sources(library, added), dict[str, str]()
    write_all(files, opened)
    while new := refused(files):
        fresh |= new
        write_all(files, opened | fresh)
    if fresh:
        said = "\n".join(f"{name}: {why}" for name, why in fresh.items())
        return (
            f"Coq refuses, of which {COQ} does not say so:\n{said}\nThe files are in {FOLDER}. "
            "CONTRIBUTING says what helps."
        )
    checked([*FIRST, *files])
    proofs = {id: one for each in added.values() for id, one in each.proofs.items()}
    return recorded(library, files, proofs, uses, opened)


def recorded(
    library: Library,
    files: Collection[str],
    proofs: dict[str, dict[str, str]],
    uses: dict[str, list[str]],
    opened: dict[str, str],
) -> str | None:
    """Write the record, from what each proof of a claim says and its lemma; or what is wrong."""
    ledger, without = {claim["id"]: claim for claim in read(LEDGER)}, resting(uses, opened)
    if other := [id for id, one in proofs.items() if {*one} != {*proved_by(ledger[id])}]:
        return f"With few trials the proofs do not say what {LEDGER} does: {', '.join(other)}"
    kept = {name: one for name, one in library.theorems.items() if one not in without}
    whole = {id: one for id, one in proofs.items() if not without.intersection(one.values())}
    lemmas = {*kept.values(), *(name for one in whole.values() for name in one.values())}
    if more := assumptions(files, sorted(lemmas)):
        return f"In Coq the accepted lemmas rest on {', '.join(more)}"
    record = {
        "claims": {id: digest_of(ledger[id]) for id in whole},
        "core": len(library.theorems),
        "lemmas": len(uses),
        "open": opened,
        "proved": len(proofs),
        "theorems": {name: library.digest(name) for name in kept},
    }
    write(COQ, json.dumps(record, indent=1, sort_keys=True) + "\n")
    print(
        f"Coq accepts {len(uses) - len(opened):,} of {len(uses):,} lemmas; on these alone rest "
        f"{len(kept)} of {len(library.theorems)} theorems of the core, and all proofs of "
        f"{len(whole)} of {len(proofs)} claims."
    )
    return None


if __name__ == "__main__":
    sys.exit(certify())
