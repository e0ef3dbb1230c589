"""How the claims of a notebook that was run again differ from the book's: python -m
pipeline.compare out.ipynb
"""

import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from textwrap import shorten

from pipeline.differences import compare
from pipeline.files import JsonObject, read, tagged, text
from pipeline.ledger import collect, committed
from polycore.injected import UnknownParameter, assigned, refuse_unknown

WIDTH = 240  # of a line: a formula that was proved can be as long as a page


def differences(book: Sequence[JsonObject], rerun: Sequence[JsonObject]) -> list[str]:
    """Lines that say what changed, the verdicts before the evidence; none when the rerun's claims
    are the book's.
    """
    shown = {claim["id"] for claim in rerun}
    chapters = {claim["notebook"] for claim in book if claim["id"] in shown}
    ours = [claim for claim in book if claim["notebook"] in chapters]
    lines = compare(map(head, ours), map(head, rerun)) + compare(details(ours), details(rerun))
    return [shorten(line, WIDTH, placeholder=" …") for line in lines]


def head(claim: JsonObject) -> JsonObject:
    return {
        "id": claim["label"],
        **{field: claim[field] for field in ("verdict", "scope", "finding", "statement")},
    }


def details(claims: Iterable[JsonObject]) -> list[JsonObject]:
    """Each piece of evidence and each control by its own name, so that one more or less does not
    hide the others.
    """
    parts = [
        (claim["label"], words, item)
        for claim in claims
        for words, items in named(claim)
        for item in items
    ]
    return [{**item, "id": f"{label}, {words} “{item['what']}”"} for label, words, item in parts]


def named(claim: JsonObject) -> tuple[tuple[str, list[JsonObject]], ...]:
    return ("evidence", claim["evidence"]), ("wrong version", claim["controls"])


def parameters(path: str | Path) -> str:
    """What the notebook was run with in place of its own parameters: kappa = 1.05, …;
    UnknownParameter where it has no parameter of that name.
    """
    cells = read(path)["cells"]
    injected = "\n".join(text(cell) for cell in cells if tagged(cell, "injected-parameters"))
    own = "\n".join(text(cell) for cell in cells if tagged(cell, "parameters"))
    refuse_unknown(assigned(injected), assigned(own))
    return ", ".join(injected.splitlines()[1:]) or "its own parameters"


def report(path: str) -> str:
    """What a person is told about an executed notebook."""
    try:
        given = parameters(path)
    except UnknownParameter as error:
        return f"{path} says nothing new: {error}"
    claims, *_ = collect(path, path)
    if not claims:
        return f"{path} holds no claims. Its last cell, which shows them, did not run."
    lines = differences(committed(), claims) or ["nothing differs from the book."]
    return "\n".join([f"With {given}:", *lines])


if __name__ == "__main__":
    print("\n\n".join(map(report, sys.argv[1:])) or __doc__)
