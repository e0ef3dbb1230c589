"""A scope is told from the evidence for each part, and a sentence of a finding names what carries
it.
"""

import pytest
from flint import arb
from sympy import Ge, Symbol

from polycore.evidence import Claim, Verdicts, certified, estimated, exact, numeric, proved
from polycore.montecarlo import decide_at_most
from polycore.proof import arithmetic
from polycore.record import MIME

x = Symbol("x")
PROOF = proved("a square", arithmetic(Ge(x**2, 0)))
EXACT, WRONG = exact("one and one", 2, equals=2), exact("one and one is three", 2, equals=3)
FLOAT = numeric("a third", 1 / 3, 1e-9, "a rounding", below=0.5)
WRONG_FLOAT = numeric("a third again", 1 / 3, 1e-9, "a rounding", above=0.5)
BALL, DRAWN = (
    certified("pi", arb.pi(), above=3),
    estimated("a coin", decide_at_most(0, 10**4, 0.01), seed=1),
)


def claim(*evidence, **fields):
    return Claim("sum", "Sum", "book", "new", list(evidence), [WRONG], **fields)


@pytest.mark.parametrize(
    ("evidence", "fields", "is_", "says"),
    [
        ([PROOF], {"parts": {"squares": "a square"}}, "proved", "Proved: squares."),
        ([PROOF, EXACT], {"parts": {"squares": "a square"}}, "proved", "Proved: squares."),
        (
            [PROOF],
            {"parts": {"squares": "a square"}, "in_words": "the rest."},
            "proved-in-part",
            "Proved: squares. Argued in words: the rest.",
        ),
        (
            [PROOF, EXACT],
            {"parts": {"squares": "a square", "sums": "one and one"}},
            "proved-in-part",
            "Proved: squares. Computed exactly: sums.",
        ),
        ([PROOF, FLOAT], {"parts": {"both": ("a square", "a third")}}, "tested", "Computed: both."),
        (
            [EXACT, BALL, DRAWN],
            {"parts": {"sums": "one and one", "circles": "pi", "coins": "a coin"}},
            "tested",
            "Certified: circles. Computed exactly: sums. Estimated: coins.",
        ),
        ([EXACT], {}, "tested", ""),
        (
            [WRONG],
            {"parts": {"1 + 1 = 3": WRONG.what}, "finding": {"It is two.": WRONG.what}},
            "proved",
            "Refuted: 1 + 1 = 3.",
        ),
        (
            [PROOF, WRONG_FLOAT],
            {"parts": {"squares": "a square"}, "finding": {"No.": WRONG_FLOAT.what}},
            "tested",
            "Proved: squares.",
        ),
        ([EXACT], {"parts": {"squares": "other-claim > a square"}}, "proved", "Proved: squares."),
    ],
)
def test_a_scope_follows_from_the_evidence_for_the_parts(evidence, fields, is_, says):
    one = claim(*evidence, **fields)
    assert one.scope == {"is": is_, "says": says} == one.record()["scope"]
    page = Verdicts(one)._repr_mimebundle_()["text/html"]
    assert f"{one.verdict}, {is_}".replace("-", " ") in page and says in page


def test_what_has_a_proof_says_what_it_proves():
    with pytest.raises(ValueError, match="Sum has a proof; say in `parts`"):
        claim(PROOF)
    with pytest.raises(ValueError, match="Sum has a proof"):
        claim(EXACT, in_words="the rest.")


@pytest.mark.parametrize("field", ["parts", "finding"])
def test_words_rest_on_evidence_of_the_claim_by_its_name(field):
    for names, said in (
        ("a cube", r"rests on \['a cube'\]; name its evidence, of"),
        ((), "rests on nothing"),
    ):
        with pytest.raises(ValueError, match=said):
            claim(EXACT, **{field: {"words": names}})
    with pytest.raises(TypeError, match="“It is two.” names no evidence"):
        claim(EXACT, **{field: "It is two."})


def test_what_sentences_and_parts_rest_on_is_emitted():
    more = exact("x > y", 2, above=1)
    finding = {
        "It is two.": ("one and one", WRONG.what),
        "As elsewhere.": ("x > y", "other-claim > x > y"),
    }
    parts = {"squares": ("a square", "third-claim > y"), "order": "x > y"}
    bundle = Verdicts(claim(EXACT, PROOF, more, parts=parts, finding=finding))._repr_mimebundle_()
    assert bundle[MIME]["rests"] == {
        "sum": {
            "finding": {
                "It is two.": [["sum", "one and one"], ["sum", WRONG.what]],
                "As elsewhere.": [["sum", "x > y"], ["other-claim", "x > y"]],
            },
            "parts": [["third-claim", "y"]],
        }
    }
    assert bundle[MIME]["claims"][0]["finding"] == "It is two. As elsewhere."


def test_hypotheses_are_those_of_the_judgments():
    y = Symbol("y")
    more = [
        arithmetic(Ge(x * x, x), [Ge(x, 1), Ge(y, 1)]),
        arithmetic(Ge(x * y, 1), [Ge(y, 1), Ge(x, 1)]),
    ]
    one = claim(
        PROOF,
        *(proved(f"part {k}", judgment) for k, judgment in enumerate(more)),
        parts={"both": ("part 0", "part 1")},
    )
    assert one.hypotheses == (r"x \geq 1", r"y \geq 1")
