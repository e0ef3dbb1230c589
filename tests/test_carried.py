"""Every sentence of the findings page is carried by fields of the ledger, and one that is not is
seen.
"""

import json
import re
from pathlib import Path

import pytest
from carried import carriers, described, evidence, found, sentences, unfounded

from polycore.record import MIME

ROOT = Path(__file__).parents[1]
SOURCE = (ROOT / "book/findings.md").read_text(encoding="utf-8")
CLAIMS = {
    claim["id"]: claim
    for claim in json.loads((ROOT / "book/results.json").read_text(encoding="utf-8"))
}
PAGE = """### Squares
```{finding} sum
The note says $x^2 = 0. 5$ of squares. It is short.

One is {on}`two. Not three <sum > one and one>`. The rest is in {prf:ref}`other`,
and {value}`sum > pi. Or so`.
```
"""
TOY = {
    "sum": {
        "evidence": [
            {"what": "one and one", "kind": "exact"},
            {"what": "pi. Or so", "kind": "certified"},
        ],
        "controls": [],
    },
    "other": {"evidence": [], "controls": [{"what": "three", "compared": {"kind": "exact"}}]},
}


def problems(source, claims, rests):
    return [
        line
        for heading, rows in found(source, claims, rests)
        for line in unfounded(heading, rows, claims)
    ]


def emitted():
    """What the executed chapters say that the sentences of their findings rest on."""
    rests = {}
    for path in (ROOT / "_build/executed/notebooks").glob("*.ipynb"):
        for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
            for output in cell.get("outputs", []):
                said = output.get("data", {}).get(MIME, {}).get("rests", {})
                rests |= {key: one["finding"] for key, one in said.items()}
    return rests


@pytest.mark.site
def test_every_sentence_of_the_findings_is_carried():
    rests = emitted()
    assert len(list(found(SOURCE, CLAIMS, rests))) > 30 and problems(SOURCE, CLAIMS, rests) == []
    headings = re.findall(r"^### (.*)", SOURCE, re.M)
    assert [
        heading for heading, _ in found(SOURCE, CLAIMS, rests)
    ] == headings  # none is outside a block


def test_a_sentence_ends_outside_formulas_and_roles():
    assert sentences("For $a. b$ it is {on}`so. And so <sum > one>`. Not “here.” But\nthere!") == [
        "For $a. b$ it is {on}`so. And so <sum > one>`.",
        "Not “here.”",
        "But there!",
    ]


def test_what_carries_a_sentence_is_found():
    [(heading, rows)] = found(
        PAGE, TOY, {"sum": {"It is two.": [["sum", "one and one"], ["other", "three"]]}}
    )
    assert heading == "Squares" and [(row, carried) for row, _, carried in rows] == [
        ("Said", [("sum", "statement")]),
        ("Said", [("sum", "statement")]),
        ("Verdict", [("sum", "one and one"), ("other", "three")]),
        ("Consequence", [("sum", "one and one")]),
        ("Consequence", [("other", ""), ("sum", "pi. Or so")]),
    ]
    assert problems(PAGE, TOY, {}) == []


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        (
            "{on}`two. Not three <sum > one and one>`",
            "two",
            "nothing carries the sentence “One is two.”",
        ),
        (
            "<sum > one and one>",
            "<sum > one and two>",
            "rests on sum > one and two, which is not in the ledger",
        ),
        (
            "{prf:ref}`other`",
            "{prf:ref}`another`",
            "rests on another > , which is not in the ledger",
        ),
        ("> pi. Or so", "> pie", "rests on sum > pie, which is not in the ledger"),
        ("{on}`two.", "{on}`$2$.", "“$2$. Not three” holds a formula"),
    ],
)
def test_a_sentence_that_nothing_carries_is_seen(old, new, said):
    assert old in PAGE
    [line] = problems(PAGE.replace(old, new), TOY, {})
    assert said in line


def test_a_wrong_version_is_called_one():
    assert described(TOY["sum"], "one and one") == "exact: one and one"
    assert described(TOY["other"], "three") == "wrong version, rejected: three"


def test_a_name_that_the_ledger_lost_stops_no_page():
    assert described(TOY["sum"], "gone") == "not in the ledger: gone"


def test_a_sentence_of_a_claim_that_nothing_carries_is_seen():
    [line] = problems(PAGE, TOY, {"sum": {"So.": [["sum", "gone"]]}})
    assert "“So.” rests on sum > gone" in line


DESIGN = (ROOT / "book/design.md").read_text(encoding="utf-8")


def loose(text, claims):
    """Sentences that no evidence carries; a question is none."""
    for sentence in sentences(text):
        names = [(key, what) for key, what in carriers(sentence) if key in claims]
        held = [what == "" or evidence(claims[key], what) for key, what in names]
        if not (held and all(held)) and not re.fullmatch(r"\*[^*]*\?\*", sentence):
            yield sentence


def adrift(page, claims):
    """Such sentences under the questions of the design page; a picture says what was measured."""
    page = re.sub(r"^```\{measured\}.*?^```$", "", page, flags=re.M | re.S)
    for section in re.split(r"^## .*$", page, flags=re.M)[1:-1]:  # the last says what is open
        yield from loose(section, claims)


def test_every_sentence_of_the_design_page_is_carried():
    assert list(adrift(DESIGN, CLAIMS)) == []
    assert len(carriers(DESIGN)) > 20


def test_a_sentence_of_design_that_nothing_carries_is_seen():
    page = "## Which?\n\n*Is it so?* It {on}`is <sum > one and one>`. %s\n\n## Open\n\nMuch is."
    page = page.replace("## Open", "```{measured} a.svg\nAs measured.\n```\n\n## Open")
    assert list(adrift(page % "See {prf:ref}`other`.", TOY)) == []
    for planted in ("It is fast.", "It {on}`is <sum > two>`.", "{prf:ref}`another` says so."):
        assert list(adrift(page % planted, TOY)) == [planted]


LANDING = (ROOT / "book/index.md").read_text(encoding="utf-8")


def so_what(page):
    """The items under "So what?" on the landing page."""
    (items,) = re.findall(r"^\*\*So what\?\*\*.*?\n\n(- .*?)\n::::$", page, re.M | re.S)
    return re.split(r"^- ", items, flags=re.M)[1:]


def test_what_follows_on_the_landing_page_is_carried():
    items = so_what(LANDING)
    assert len(items) == 3 and [one for item in items for one in loose(item, CLAIMS)] == []
    planted = LANDING.replace("- Either", "- Nothing else is needed. Either")
    assert [one for item in so_what(planted) for one in loose(item, CLAIMS)] == [
        "Nothing else is needed."
    ]
