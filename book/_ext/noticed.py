"""{noticed} mutants, {noticed} planted: what noticed the changes that a machine made."""

import json
from collections import Counter
from pathlib import Path

from companion import Generated

# By the start of its name, what a module is for.
WINGS = {
    "polycore.proof": "the kernel, and what prints for Coq",
    "polycore.theory": "the theorems of the core",
    "polycore.tails": "tails of random sums",
    "polycore.models": "attention, networks and datasets",
    "polycore.ranks": "ranks and training",
    "polycore.evidence": "evidence and verdicts",
    "polycore.language": "language models",
    "polycore.trained": "trained mechanisms",
    "polycore": "the other modules of the core",
    "pipeline": "the build",
}
CATCHERS = {
    "kernel": "the kernel: a step does not follow",
    "control": "a control: the wrong version passes now",
    "check": "another check, or an error, while the chapter runs",
    "gate": "the gate: a verdict or a scope is not the committed one",
    "comparison": "the comparison with the committed ledger and queries",
    "rerun": "`make reruns`: a statement fails at other parameters",
}


class Noticed(Generated):
    """The table of book/mutants.json, by parts of the code, or of book/planted.json, by catcher."""

    required_arguments = 1

    def text(self):
        file = Path(self.env.srcdir, f"book/{self.arguments[0]}.json")
        self.env.note_dependency(str(file))
        record = json.loads(file.read_text(encoding="utf-8"))
        found = record["found"]
        of_code = self.arguments == ["mutants"]
        table = by_wing(found) if of_code else by_catcher(found)
        units = "modules" if of_code else "chapters"
        more = estimated(record["fresh"]) if "fresh" in record else ""
        return "\n".join([*table, "", summed(record["all"], found, units), "", more])


def by_wing(found):
    yield "| part of the code | tried | noticed | equivalent | not noticed |"
    yield "|:---|---:|---:|---:|---:|"
    counts = {wing: Counter() for wing in WINGS}
    for name, of in found.items():
        counts[next(wing for wing in WINGS if name.startswith(wing))].update(of)
    for wing, of in counts.items():
        columns = of.total(), of["killed"], of["equivalent"], of["survived"]
        yield f"| {WINGS[wing]} (`{wing}`) | " + " | ".join(f"{one:,}" for one in columns) + " |"


def by_catcher(found):
    total = sum(map(Counter, found.values()), Counter())
    yield "| what noticed | errors |"
    yield "|:---|---:|"
    for name, words in CATCHERS.items():
        yield f"| {words} | {total[name]:,} |"
    yield f"| nothing could: equivalent | {total['equivalent']:,} |"
    yield f"| nothing did | {total['survived']:,} |"


def summed(every, found, units):
    """Of how many; a sample that was mended is no estimate."""
    tried = {name: sum(of.values()) for name, of in found.items()}
    many, some = sum(every.values()), sum(tried.values())
    if some == many:
        return f"All {many:,} were tried."
    left = sum(of.get("survived", 0) for of in found.values())
    missing = f" For {left} of them this is still to be done." if left else ""
    whole = sum(tried.get(name) == all_of_it for name, all_of_it in every.items())
    which = f", all of {whole} {units} and some of the others" if whole else ""
    return (
        f"{some:,} of {many:,} were tried with the present code and tests{which}. Where "
        "nothing noticed one at first, a test or a control was added; so they say nothing sure of "
        f"the rest.{missing}"
    )


def estimated(fresh):
    """What a sample says of all changes that is reported as it was found, before any test was added
    because of it.
    """
    survived, alike = len(fresh["survived"]), fresh["equivalent"]
    least = f"{100 * fresh['least']:.1f} %"
    return (
        f"A fresh sample of {fresh['tried']:,} is reported as it was found, before any test was "
        f"added because of it: nothing noticed {survived}, and {alike} of these are equivalent. So "
        f"of all changes that are not, at least {least} are noticed, with 95 % confidence."
    )


def setup(app):
    app.add_directive("noticed", Noticed)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
