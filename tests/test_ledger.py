"""The committed ledger: its form, its labels, and how differences from it are found."""

import copy
import json
import re
from pathlib import Path

import jsonschema
import pytest

from pipeline.differences import compare
from pipeline.ledger import CONTROL, EVIDENCE, FIELDS, ordered, outline, unfounded

ROOT = Path(__file__).parents[1]
TEXT = (ROOT / "book/results.json").read_text(encoding="utf-8")
LEDGER = json.loads(TEXT)
SCHEMA = json.loads((ROOT / "book/results.schema.json").read_text())


def labels():
    """The documents' own labels, as {"paper": {…}, "note": {…}}."""
    parts = re.split(r"^# (paper|note)$", (ROOT / "book/statements.txt").read_text(), flags=re.M)
    return {
        name: set(filter(None, body.splitlines())) for name, body in zip(parts[1::2], parts[2::2])
    }


def test_ledger_has_the_form_of_the_schema():
    jsonschema.validate(LEDGER, SCHEMA)


@pytest.mark.slow
@pytest.mark.parametrize(
    "spoil",
    [
        lambda claim: claim.update(verdict="fine"),
        lambda claim: claim.update(verdict="open", finding=""),
        lambda claim: claim.update(built="2026-01-01"),
        lambda claim: claim.pop("statement"),
        lambda claim: claim["controls"].clear(),
        lambda claim: claim["controls"][0].update(rejected=False),
        lambda claim: claim["evidence"].clear(),
        lambda claim: claim["controls"][0].pop("compared"),
        lambda claim: claim["evidence"].append(
            {"kind": "monte-carlo", "what": "x", "value": 1, "passed": True}
        ),
        lambda claim: claim["evidence"].append(
            {"kind": "exact", "what": "x", "value": 0.5, "tolerance": 0.1, "passed": True}
        ),
        lambda claim: claim["evidence"].append(
            {"kind": "numeric", "what": "x", "value": [1, 0.5], "passed": True}
        ),
        lambda claim: claim["evidence"].append(
            {"kind": "exact", "what": "x", "value": True, "passed": True}
        ),
        lambda claim: claim["evidence"].append(
            {"kind": "proof", "what": "x", "value": "$x$", "passed": None}
        ),
    ],
)
def test_schema_refuses_a_spoilt_ledger(spoil):
    jsonschema.validate(LEDGER[:1], SCHEMA)
    spoilt = copy.deepcopy(LEDGER[:1])
    spoil(spoilt[0])
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(spoilt, SCHEMA)


def test_ledger_is_written_in_one_way():
    assert json.dumps(LEDGER, indent=2, ensure_ascii=False) + "\n" == TEXT
    assert all(tuple(claim) == FIELDS for claim in LEDGER)
    for fields, kind in ((EVIDENCE, "evidence"), (CONTROL, "controls")):
        assert all(
            list(item) == list(ordered(item, fields)) for claim in LEDGER for item in claim[kind]
        )
    assert all(
        list(one["compared"]) == list(ordered(one["compared"], EVIDENCE))
        for claim in LEDGER
        for one in claim["controls"]
    )


def test_fields_are_those_of_the_schema():
    claim, shapes = SCHEMA["items"], SCHEMA["$defs"]
    assert FIELDS == tuple(claim["properties"]) == tuple(claim["required"])
    assert set(EVIDENCE) == set(shapes["evidence"]["properties"])
    assert tuple(shapes["control"]["properties"]) == CONTROL


def test_ids_are_unique_and_dependencies_exist():
    ids = [claim["id"] for claim in LEDGER]
    assert len(ids) == len(set(ids))
    assert {key for claim in LEDGER for key in claim["depends"]} <= set(ids)


def test_labels_are_those_of_the_documents():
    assert len(labels()["paper"]) > 50 and labels()["note"]
    for document, known in labels().items():
        assert {claim["label"] for claim in LEDGER if claim["document"] == document} == known


def test_id_is_the_label_in_lower_case():
    for claim in LEDGER:
        if claim["document"] in labels():
            assert claim["id"] == re.sub(r"[^a-z0-9]+", "-", claim["label"].lower()).strip("-")


def test_ledger_holds_no_time_and_no_path():
    assert not re.search(r"\b20\d\d-\d\d-\d\d\b|\d\d:\d\d:\d\d", TEXT)
    assert not re.search(r'"/|/home|/root|/tmp|/work|\b[A-Z]:\\\\', TEXT)


PLANTED = [
    ("verdict", lambda claim: claim.update(verdict="open"), "verdict"),
    ("statement", lambda claim: claim.update(statement="x"), "statement"),
    ("passed", lambda claim: claim["evidence"][0].update(passed=None), "passed"),
    ("kind", lambda claim: claim["evidence"][0].update(kind="guess"), "kind"),
    ("control", lambda claim: claim["controls"][0].update(rejected=False), "rejected"),
    ("value", lambda claim: claim["evidence"][0].update(value="another"), "value"),
]


@pytest.mark.parametrize(
    ("spoil", "where"), [row[1:] for row in PLANTED], ids=[row[0] for row in PLANTED]
)
def test_planted_difference_is_found(spoil, where):
    changed = copy.deepcopy(LEDGER)
    spoil(changed[0])
    (line,) = compare(LEDGER, changed)
    assert line.startswith(f"{LEDGER[0]['id']}: ") and where in line


def test_equal_ledgers_have_no_difference():
    assert compare(LEDGER, copy.deepcopy(LEDGER)) == []


def test_gate_sees_flags_and_leaves_numbers_to_the_comparison():
    flagged = {
        name
        for name, spoil, _ in PLANTED
        for changed in [copy.deepcopy(LEDGER)]
        if differs(spoil, changed)
    }
    assert flagged == {"verdict", "passed", "control"}


def test_gate_of_another_profile_sees_verdicts_and_leaves_out_checks_whose_names_tell_their_sizes():
    seen = {
        name
        for name, spoil, _ in PLANTED
        for changed in [copy.deepcopy(LEDGER)]
        if differs(spoil, changed, "quick")
    }
    assert seen == {"verdict"}
    fewer = copy.deepcopy(LEDGER)
    fewer[0]["evidence"] = [
        item | {"what": "the same of 25, not of 200"} for item in fewer[0]["evidence"][1:]
    ]
    assert (
        compare(outline(LEDGER, "quick"), outline(fewer, "quick"))
        == []
        != compare(outline(LEDGER), outline(fewer))
    )


def differs(spoil, changed, profile="paper"):
    spoil(changed[0])
    return compare(outline(LEDGER, profile), outline(changed, profile)) != []


def test_gate_sees_a_claim_that_came_or_went():
    assert compare(outline(LEDGER), outline(LEDGER[1:])) == [
        f"{LEDGER[0]['id']}: no longer in the ledger"
    ]
    assert compare(outline(LEDGER[1:]), outline(LEDGER)) == [
        f"{LEDGER[0]['id']}: not in the committed ledger"
    ]


def test_what_rests_on_another_claim_rests_on_something():
    proof, float_ = (
        {"what": "square", "kind": "proof", "passed": True},
        {"what": "third", "kind": "numeric", "passed": True},
    )
    claims = [{"id": "sum", "evidence": [proof, float_]}]
    rests = lambda part, sentence: {
        "other": {"parts": [part], "finding": {"So.": [sentence, ["other", "its own"]]}}
    }
    assert not list(unfounded(claims, rests(["sum", "square"], ["sum", "third"])))
    assert list(unfounded(claims, rests(["sum", "third"], ["sum", "cube"]))) == [
        "other: a part rests on “sum > third”, which is numeric",
        "other: a finding rests on “sum > cube”, which is not in the ledger",
    ]
    failed = [{"id": "sum", "evidence": [{**proof, "passed": False}]}]
    assert list(unfounded(failed, rests(["sum", "square"], ["its own", "x"]))) == [
        "other: a part rests on “sum > square”, which is failed",
        "other: a finding rests on “its own > x”, which is not in the ledger",
    ]
