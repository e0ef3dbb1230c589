"""A claim is as good as its evidence and its controls, and no better."""

import math

import numpy as np
import pytest
from flint import arb
from sympy import Ge, Gt, Le, Symbol

from polycore.evidence import (
    Claim,
    Control,
    ControlNotRejected,
    Verdicts,
    certified,
    counted,
    estimated,
    exact,
    numeric,
    proved,
    refused,
)
from polycore.evidence.pages import LONGEST, shown
from polycore.montecarlo import decide_at_most
from polycore.proof import Exp, ProofError, Refuted, arithmetic
from polycore.record import MIME

x, y = Symbol("x"), Symbol("y")
GOOD = exact("one and one", 2, equals=2)
BAD = exact("one and one is three", 2, equals=3)
OPEN = estimated("a coin", decide_at_most(0, 100, 0.01), seed=1)
ZERO = exact("the square of 0", 0**2, above=0)


def claim(*evidence, controls=(BAD,), **fields):
    return Claim("sum", "Sum", "book", "new", list(evidence), list(controls), **fields)


@pytest.mark.parametrize(
    ("evidence", "fields", "verdict"),
    [
        ([GOOD], {}, "holds"),
        ([GOOD, OPEN], {}, "open"),
        ([GOOD, OPEN, BAD], {"finding": {"it is two": "one and one"}}, "fails-as-stated"),
        (
            [GOOD, BAD],
            {"finding": {"it is two": "one and one"}, "changed_constants": True},
            "holds-with-changed-constants",
        ),
        ([GOOD, BAD, OPEN], {"finding": {"some are": "one and one"}, "question": True}, "answered"),
    ],
)
def test_the_verdict_follows_from_the_evidence(evidence, fields, verdict):
    assert claim(*evidence, **fields).verdict == verdict


@pytest.mark.parametrize(
    ("evidence", "otherwise", "said"),
    [
        ([GOOD], "", "What was checked holds here all the same."),
        ([GOOD, BAD], "", "the conclusion fails here: one and one is three."),
        ([GOOD, BAD], "It is two.", "It is two."),
        ([GOOD, OPEN], "", "“a coin” is undecided after 100 trials; about 1,375 would decide."),
        ([GOOD, OPEN, BAD], "", "the conclusion fails here: one and one is three."),
    ],
)
def test_outside_its_hypotheses_a_claim_says_nothing(evidence, otherwise, said):
    """Neither what fails nor a wrong version that passes can blame what was never claimed."""
    asks = {"x ≤ 1": False, "x > 0": True}
    one = claim(*evidence, controls=[GOOD], asks=asks, otherwise=otherwise)
    assert one.verdict == "outside-the-hypotheses"
    found, scope = one.record()["finding"], one.record()["scope"]
    assert found.startswith("Nothing is claimed here, for Sum asks that x ≤ 1.")
    assert found.endswith(said) and scope == {"is": "nothing claimed", "says": ""}
    assert "x > 0" not in found


def test_within_its_hypotheses_a_claim_is_as_any_other():
    one = claim(GOOD, asks={"x ≤ 1": True})
    assert one.verdict == "holds"
    assert one.record()["scope"]["says"] == "Asked of the parameters, and met: x ≤ 1."
    with pytest.raises(ControlNotRejected):
        claim(GOOD, controls=[GOOD], asks={"x ≤ 1": True})


def test_evidence_added_later_does_not_count():
    evidence, controls = [GOOD], [BAD]
    one = Claim("sum", "Sum", "book", "new", evidence, controls)
    evidence.append(BAD)
    controls.clear()
    assert one.verdict == "holds" and len(one.controls) == 1


def test_what_is_no_evidence_is_refused():
    with pytest.raises(TypeError, match="no constructor of polycore.evidence made"):
        claim(True)
    for literal in (True, np.bool_(True), "rejected", None):
        with pytest.raises(
            TypeError, match="needs the check that the wrong version fails, as evidence"
        ):
            Control("one and one is three", literal)
    with pytest.raises(TypeError):
        Control("one and one is three", rejected=True)
    with pytest.raises(AttributeError):
        claim(GOOD, controls=[True])


def test_a_control_that_passes_refuses_the_claim():
    with pytest.raises(ControlNotRejected, match="one and one"):
        claim(GOOD, controls=[GOOD])
    undecided = certified("about a half", arb(0.5, 0.1), below=0.5)
    with pytest.raises(ControlNotRejected, match="about a half"):
        claim(GOOD, controls=[undecided])


def test_a_claim_without_evidence_control_or_finding_is_refused():
    with pytest.raises(ValueError, match="needs evidence and at least one negative control"):
        claim(GOOD, controls=[])
    with pytest.raises(ValueError, match="needs evidence"):
        claim()
    with pytest.raises(
        ValueError,
        match=r"“fails-as-stated” because of \['one and one is three'\]; say in `finding`",
    ):
        claim(BAD)
    with pytest.raises(ValueError, match="“answered”"):
        claim(GOOD, question=True)


def test_a_finding_is_shown_whatever_the_verdict():
    undecided = "“a coin” is undecided after 100 trials; about 1,375 would decide."
    assert (
        claim(GOOD, BAD, OPEN, finding={"It is two.": "one and one"}).record()["finding"]
        == f"It is two. {undecided}"
    )
    assert (
        claim(GOOD, OPEN, finding={"It is two.": "one and one"}).record()["finding"]
        == f"It is two. {undecided}"
    )
    assert claim(GOOD, finding={"It is two.": "one and one"}).record()["finding"] == "It is two."
    assert (
        claim(GOOD, finding={"It is two.": "one and one"}, otherwise="Not here.").record()[
            "finding"
        ]
        == "It is two."
    )
    assert (
        claim(GOOD, BAD, finding={"It is two.": "one and one"}, otherwise="Not here.").record()[
            "finding"
        ]
        == "Not here."
    )
    assert claim(GOOD, OPEN, otherwise="Not here.").record()["finding"] == undecided
    assert (
        claim(GOOD, OPEN, finding={"Some are.": "one and one"}, question=True).record()["finding"]
        == "Some are."
    )


def test_an_open_claim_is_shown_with_the_control_that_was_not_rejected():
    passed = Control("a biased coin", GOOD)
    bundle = Verdicts(claim(OPEN, controls=[BAD, passed]))._repr_mimebundle_()
    assert (
        "The wrong version “a biased coin” was not rejected."
        in bundle[MIME]["claims"][0]["finding"]
    )
    assert "<li>a biased coin" not in bundle["text/html"]
    for decided in (GOOD, BAD):
        with pytest.raises(ControlNotRejected, match="a biased coin"):
            claim(decided, controls=[BAD, passed], finding={"x": "one and one is three"})


# The kernel as a control


def square_is(relation):
    return arithmetic(relation)


def test_a_wrong_version_that_the_kernel_refuses_and_a_case_breaks():
    assert refused("squares are positive", square_is, Ge(x**2, 0), Gt(x**2, 0), ZERO).rejected
    assert not refused(
        "squares are above -1", square_is, Ge(x**2, 0), Gt(x**2, -1), ZERO
    ).rejected  # it is proved


def test_what_the_kernel_refuses_may_be_true_and_is_then_no_control():
    positive = numeric(
        "exp(-9)", math.exp(-9), 1e-12, "a rounding", above=0
    )  # a theorem, but not one of arithmetic
    assert not refused(
        "e^x is positive", square_is, Ge(Exp(x) ** 2, 0), Gt(Exp(x), 0), positive
    ).rejected


def test_a_refusal_says_nothing_where_the_right_version_is_refused_too():
    """As where the attempt left out what the right version is proved from."""
    with pytest.raises(Refuted):
        refused(
            "x ≤ 1", lambda premises: arithmetic(Le(x, 1)), [Le(x, y), Le(y, 1)], [Le(x, y)], ZERO
        )


def test_premises_are_all_there_but_the_one_that_is_meant_to_be_missing():
    attempt = lambda premises: arithmetic(Le(x, 1), premises)
    right, case = [Le(x, y), Le(y, 1)], exact("2 beside 3", 2, at_most=1)
    assert refused("without a limit on y", attempt, right, [Le(x, y)], case).rejected
    assert refused("y up to 2", attempt, right, [Le(x, y), Le(y, 2)], case).rejected
    with pytest.raises(ValueError, match="leaves out 2 premises of the right version"):
        refused("nothing known", attempt, right, [], case)
    with pytest.raises(ValueError, match="leaves out 0 premises"):
        refused("all known", attempt, right, right, case)


def test_what_the_kernel_cannot_decide_is_no_rejection():
    def gives_up(goal):
        if goal == "wrong":
            raise ProofError("Z3 could not decide it")

    with pytest.raises(ProofError):
        refused("hard", gives_up, "right", "wrong", ZERO)


# What is shown and emitted


def test_what_is_emitted_for_the_ledger():
    judgment = arithmetic(Ge(x**2, 0))
    bundle = Verdicts(
        claim(
            GOOD, proved("a square", judgment), parts={"squares": "a square", "sums": "one and one"}
        )
    )._repr_mimebundle_()
    (record,) = bundle[MIME]["claims"]
    assert bundle[MIME]["queries"] == sorted(judgment.queries)
    assert bundle[MIME]["asked"] == {"sum": {"a square": list(range(len(judgment.queries)))}}
    assert record["evidence"][1] == {
        "kind": "proof",
        "what": "a square",
        "value": r"$x^{2} \geq 0$",
        "passed": True,
    }
    assert record["controls"] == [
        {
            "what": BAD.what,
            "rejected": True,
            "compared": {"kind": "exact", "what": BAD.what, "value": 2, "bound": {"equals": 3}},
        }
    ]
    assert "Sum: holds" in bundle["text/html"] and r"x^{2} \geq 0" in bundle["text/html"]


def test_what_a_reader_sees_of_a_check():
    third = numeric("a third <", 1 / 3, 1e-6, "few points", below=0.5)
    both = counted("some", {x: exact("x", x, at_most=3) for x in (1, 2)})
    page = Verdicts(claim(third, both, OPEN))._repr_mimebundle_()["text/html"]
    assert (
        "<td>a third &lt;</td><td>numeric</td><td>passed</td><td>0.3333 ± 1.4e-06; wanted &lt; "
        "0.5 (few points)</td>" in page
    )
    assert "<td>2; wanted = 2, each ≤ 3</td>" in page
    as_kept = {"kind": "exact", "value": 2, "bound": {"at_most": 3, "equals": 2}}  # sorted
    assert shown(as_kept) == "2; wanted = 2, each ≤ 3"
    assert "<li>one and one is three: 2; wanted = 3</li>" in page
    assert "0 in [0, 0.129]; wanted ≤ 0.01; 100 trials, both error rates 1e-06" in page
    page = Verdicts(
        claim(GOOD, BAD, OPEN, finding={"Some.": "one and one"}, question=True)
    )._repr_mimebundle_()["text/html"]
    assert all(f"<td>{word}</td>" in page for word in ("yes", "no", "not decided"))


def test_a_long_value_is_shown_by_its_beginning():
    power = exact("a power", 7**1000, equals=7**1000)
    assert (
        f"{str(7**1000)[:LONGEST]} …" in shown(power.record())
        and len(shown(power.record())) < 3 * LONGEST
    )


def test_a_judgment_is_shown_with_two_hypotheses_a_line_and_where_they_are_met():
    item = {"kind": "proof", "value": r"$A,\ B,\ C \vdash D$", "because": r"$x = 1,\ y = 2$"}
    said = shown(item)
    assert r"{l} A,\ B \\ C \\ \quad\vdash\ D \end" in said
    assert said.index("hypotheses met at") < said.index("x = 1") < said.index("y = 2")
    alone = shown({"kind": "proof", "value": "$D$"})
    assert r"{l} D \end" in alone and "met" not in alone and r"\vdash" not in alone
