"""The ledger: collected from the executed notebooks, held against the committed one."""

import re
import shutil
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from doit.exceptions import TaskFailed

from pipeline import readme, replay
from pipeline.differences import compare
from pipeline.execution import PROFILE, executed
from pipeline.files import BUILD, JsonObject, chapters, pretty, read, text, write
from polycore.record import ELSEWHERE, MIME

RESULTS = BUILD / "results.json"
REFERENCE = Path("book/results.json")
FIELDS = (
    *("id", "label", "document", "provenance", "statement", "hypotheses", "depends"),
    *("notebook", "evidence", "controls", "scope", "verdict", "finding"),
)
EVIDENCE = (
    *("kind", "what", "value", "tolerance", "because", "bound", "interval"),
    *("trials", "seed", "false_alarm", "false_pass", "passed"),
)
CONTROL = ("what", "rejected", "compared")
MORE = "Raise `trials` in that notebook's parameters, or let the quick profile shrink them less."
REMEDY = (
    "If this is meant: .venv/bin/doit accept, then commit "
    "book/results.json, book/queries.json and README.md."
)

# A fenced {prf:…} block: its fence, its options, its body.
BLOCK = re.compile(r"^(`{3,}|:{3,})\{prf:\w+\}.*\n((?::[\w-]+:.*\n)*)([\s\S]*?)^\1\s*$", re.M)


def statements(cells: Iterable[JsonObject]) -> dict[str, str]:
    """The text of each {prf:…} block, by label."""
    prose = "\n\n".join(text(cell) for cell in cells if cell["cell_type"] == "markdown")
    labelled = (
        (re.search(r"^:label: *(\S+)", options, re.M), body)
        for _, options, body in BLOCK.findall(prose)
    )
    return {label[1]: body.strip() for label, body in labelled if label}


def ordered(record: JsonObject, fields: Iterable[str]) -> JsonObject:
    """The record with its fields in the ledger's order; notebooks sort them by name."""
    return {field: record[field] for field in fields if field in record}


def collect(path: str | Path, notebook: str) -> tuple[list[JsonObject], replay.Asked, JsonObject]:
    """The claims of an executed copy of ``notebook`` as the ledger holds them; by claim the queries
    behind its proofs, and what it rests on elsewhere.
    """
    cells = read(path)["cells"]
    bundles = [output.get("data", {}) for cell in cells for output in cell.get("outputs", [])]
    emitted = [bundle[MIME] for bundle in bundles if MIME in bundle]
    texts = statements(cells)
    claims = [claim for one in emitted for claim in one["claims"]]
    for claim in claims:
        if claim["id"] not in texts:
            raise ValueError(
                f"{notebook} claims {claim['id']!r}, but no {{prf:…}} block there has this :label:"
            )
        claim |= {"statement": texts[claim["id"]], "notebook": notebook}
    asked = asked_for(emitted)
    rests = {id: said for one in emitted for id, said in one["rests"].items()}
    return [kept(claim) for claim in claims], asked, rests


def asked_for(emitted: Iterable[JsonObject]) -> replay.Asked:
    """By claim the queries behind its proofs."""
    return {
        id: {what: [one["queries"][k] for k in found] for what, found in proofs.items()}
        for one in emitted
        for id, proofs in one["asked"].items()
    }


def kept(claim: JsonObject) -> JsonObject:
    """A claim as the ledger holds it."""
    evidence = [ordered(item, EVIDENCE) for item in claim["evidence"]]
    controls = [
        ordered({**item, "compared": ordered(item["compared"], EVIDENCE)}, CONTROL)
        for item in claim["controls"]
    ]
    return ordered(claim | {"evidence": evidence, "controls": controls}, FIELDS)


def unfounded(claims: Iterable[JsonObject], rests: Mapping[str, JsonObject]) -> Iterator[str]:
    """A line for each check of another claim that a part or a sentence names and the ledger does
    not have; a part needs a proof.
    """
    kinds = {
        (claim["id"], item["what"]): item["kind"] if item["passed"] else "failed"
        for claim in claims
        for item in claim["evidence"]
    }
    for key, said in rests.items():
        named = [(name, "part", {"proof"}) for name in said["parts"]]
        named += [
            (name, "finding", set(kinds.values()))
            for names in said["finding"].values()
            for name in names
            if name[0] != key
        ]
        for name, where, wanted in named:
            kind = kinds.get(tuple(name), "not in the ledger")
            if kind not in wanted:
                yield f"{key}: a {where} rests on “{ELSEWHERE.join(name)}”, which is {kind}"


def undecided(claims: Iterable[JsonObject]) -> list[str]:
    """A line for each claim with a check that did not decide; its finding names the check and what
    would. Answers may be open.
    """
    return [
        f"{claim['notebook']}, {claim['label']}: {claim['finding']}"
        for claim in claims
        if claim["verdict"] != "answered"
        and any(item["passed"] is None for item in claim["evidence"])
    ]


def gather() -> TaskFailed | None:
    """Write _build/results.json and the queries of every chapter; refuse a check that did not
    decide.
    """
    results: list[JsonObject] = []
    rests: JsonObject = {}
    shutil.rmtree(replay.ASKED, ignore_errors=True)
    for chapter in chapters():
        claims, asked, said = collect(executed(chapter), f"{chapter}.ipynb")
        results, rests = [*results, *claims], rests | said
        write(replay.ASKED / f"{Path(chapter).name}.json", pretty(asked))
    write(RESULTS, pretty(results))
    if lines := list(unfounded(results, rests)):
        return TaskFailed(
            "\n".join(["Something rests on what is not there; the site was left as it is.", *lines])
        )
    if lines := undecided(results):
        return TaskFailed("\n".join(["Not decided; the site was left as it is.", *lines, MORE]))
    return None


def committed() -> list[JsonObject]:
    return read(REFERENCE) if REFERENCE.exists() else []


def accept() -> TaskFailed | None:
    """Make the collected ledger the committed one, which is that of the paper profile, and README's
    table its table.
    """
    if PROFILE != "paper":
        return TaskFailed(
            f"The profile is {PROFILE!r}; only the ledger of the paper profile is committed. "
            "Unset PROFILE."
        )
    readme.update(read(RESULTS))
    replay.accept()
    write(REFERENCE, RESULTS.read_text(encoding="utf-8"))
    return None


def outline(claims: Iterable[JsonObject], profile: str = "paper") -> list[JsonObject]:
    """What no build may change by itself: ids, verdicts, scopes, and in the profile of the book
    what passed and what was rejected.
    """

    def checks(claim):  # whose names tell their sizes, which other profiles change
        controls = [
            {"what": item["what"], "rejected": item["rejected"]} for item in claim["controls"]
        ]
        return {
            "evidence": [
                {"what": item["what"], "passed": item["passed"]} for item in claim["evidence"]
            ],
            "controls": controls,
        }

    return [
        {
            "id": claim["id"],
            "verdict": claim["verdict"],
            "scope": claim["scope"]["is"],
            **(checks(claim) if profile == "paper" else {}),
        }
        for claim in claims
    ]


def gate() -> TaskFailed | None:
    """Refuse a changed verdict before a page shows it; mention a changed number."""
    reference, rebuilt = committed(), read(RESULTS)
    if changed := compare(outline(reference, PROFILE), outline(rebuilt, PROFILE)):
        lines = [
            "The verdicts are not the committed ones; the site was left as it is.",
            *changed,
            REMEDY,
        ]
        return TaskFailed("\n".join(lines))
    if PROFILE == "paper" and (numbers := compare(reference, rebuilt)):
        print(
            "\n".join(
                [
                    "Numbers that are not the committed ones, which make check refuses:",
                    *numbers,
                    REMEDY,
                ]
            )
        )
    return None


def same() -> TaskFailed | None:
    """Refuse any difference from the committed ledger."""
    if lines := compare(committed(), read(RESULTS)):
        return TaskFailed("\n".join([f"The rebuilt ledger is not {REFERENCE}:", *lines, REMEDY]))
    print(f"Claims in the rebuilt ledger, every one as committed: {len(committed())}")
    return None
