"""Changes that a machine makes one at a time, to see whether they are noticed: which to try, which
nobody could tell apart, and what was found. They are those of mutants and of planted.
"""

import os
import re
import tomllib
from collections import Counter
from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from pipeline.files import JsonObject, digest, pretty, write

EQUIVALENT = Path("tests/equivalent.toml")
Change = tuple[str, Any]


def chosen(everything: Sequence[Change], known_as: Sequence[str]) -> list[Change]:
    """Of all changes, each the name of its module or chapter and what to change, those of the names
    in ONLY; of these SAMPLE at random, as SEED mixes them. Both may be left out.
    """
    only, sample = os.environ.get("ONLY", "").split(), os.environ.get("SAMPLE", "")
    if strangers := {*only} - {*known_as}:
        close = get_close_matches(min(strangers), known_as)
        raise SystemExit(f"ONLY names {min(strangers)!r}, which is none of {close or known_as}.")
    if not re.fullmatch("[1-9][0-9]*|", sample):
        raise SystemExit(f"SAMPLE must be a number, at least 1, got {sample!r}: SAMPLE=200")
    named = [one for one in everything if not only or one[0] in only]
    mixed = sorted(named, key=lambda one: digest(os.environ.get("SEED", ""), repr(one)))
    return mixed[: int(sample or len(mixed))]


def equivalents() -> list[JsonObject]:
    """The changes that nobody can tell from what was there, each with the reason."""
    return tomllib.loads(EQUIVALENT.read_text(encoding="utf-8"))["mutant"]


def is_equivalent(path: str | Path, found: JsonObject) -> bool:
    """Whether a change of a file is one of those."""
    same = {"module": str(path), "was": found["was"], "becomes": found["becomes"]}
    return any(same.items() <= one.items() for one in equivalents())


def report(
    record: Path,
    every: Iterable[str],
    by: Sequence[str],
    found: Iterable[tuple[str, Path, JsonObject]],
    **more: JsonObject,
) -> str | None:
    """Print by what the changes of each module or chapter were noticed, of all of which it is
    known, and keep it with how many each has, and `more`: `every` has the name of each change;
    those that nothing noticed and that are not on the list of equivalents.
    """
    counts: dict[str, Counter[str]] = {}
    survived = []
    for name, path, one in found:
        outcome = one["by"] or ("equivalent" if is_equivalent(path, one) else "survived")
        counts.setdefault(name, Counter())[outcome] += 1
        if outcome == "survived":
            survived.append(f"{path}:{one['line']}:\n- {one['was']}\n+ {one['becomes']}")
    columns = *by, "equivalent", "survived"
    print(f"{'':40}" + "".join(f"{column:>12}" for column in columns))
    for name, of in sorted(counts.items()):
        print(f"{name:40}" + "".join(f"{of[column]:12}" for column in columns))
    if "ONLY" not in os.environ:
        write(record, pretty({"all": Counter(every), "found": counts} | more))
    tried = sum(of.total() for of in counts.values())
    return "\n".join([*survived, f"{len(survived)} of {tried} survived."]) if survived else None
