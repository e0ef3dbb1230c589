"""A claim is as good as its evidence and its controls, and no better."""

import math

import numpy as np
import pytest
from sympy import Eq, Ge, Gt, Integer, Lt, Symbol

from pipeline.ledger import EVIDENCE
from polycore.evidence import (
    MIME,
    Claim,
    Control,
    ControlNotRejected,
    Evidence,
    Verdicts,
    compare,
    estimated,
    proved,
    refused,
)
from polycore.montecarlo import decide_at_most
from polycore.proof import Judgment, ProofError, arithmetic, induction
from polycore.statements import Exp, total

x = Symbol("x")
GOOD = Evidence("exact", "one and one", 2, True)
BAD = Evidence("exact", "one and one is three", 3, False)
RATES = dict(interval=(0.1, 0.2), trials=10, seed=1, false_alarm=1e-6, false_pass=1e-6)
OPEN = Evidence("monte-carlo", "a coin", 0.5, None, **RATES)
WRONG = Control("one and one is three", rejected=True)


def claim(*evidence, controls=(WRONG,), **fields):
    return Claim("sum", "Sum", "book", "new", list(evidence), list(controls), **fields)


@pytest.mark.parametrize(
    ("evidence", "fields", "verdict"),
    [
        ([GOOD], {}, "holds"),
        ([GOOD, OPEN], {"finding": "too few trials"}, "open"),
        ([GOOD, OPEN, BAD], {"finding": "it is two"}, "fails-as-stated"),
        ([GOOD, BAD], {"finding": "it is two", "changed_constants": True}, "holds-with-changed-constants"),
    ],
)
def test_the_verdict_follows_from_the_evidence(evidence, fields, verdict):
    assert claim(*evidence, **fields).verdict == verdict


def test_a_control_that_passes_refuses_the_claim():
    with pytest.raises(ControlNotRejected, match="one and one is three"):
        claim(GOOD, controls=[Control("one and one is three", rejected=False)])


def test_a_claim_without_evidence_control_or_finding_is_refused():
    with pytest.raises(ValueError, match="needs evidence and at least one control"):
        claim(GOOD, controls=[])
    with pytest.raises(ValueError, match="needs evidence"):
        claim()
    with pytest.raises(ValueError, match=r"“fails-as-stated” because of \['one and one is three'\]; say in `finding`"):
        claim(BAD)


def test_truth_values_are_not_guessed():
    with pytest.raises(TypeError, match="'a word' passed is 'yes'; it must be True, False or None"):
        Evidence("exact", "a word", 1, passed="yes")
    assert Evidence("exact", "numpy", 1, passed=np.bool_(True)).record()["passed"] is True


def test_proof_evidence_needs_a_judgment():
    with pytest.raises(ValueError, match="it needs a judgment of the kernel"):
        Evidence("proof", "trust me", "1 = 2", True)
    with pytest.raises(ProofError):
        proved("trust me", object.__new__(Judgment))
    cover = type("Cover", (Judgment,), {"__new__": object.__new__, "conclusion": Ge(x, 1), "obligations": ("x",)})
    with pytest.raises(ValueError, match="it needs a judgment of the kernel"):
        Evidence("proof", "trust me", "1 = 2", True, judgment=cover())


def test_proof_evidence_shows_its_hypotheses():
    by_induction = induction(Ge(total(Integer(1)), 0), [], "n ones")
    assert len(proved("a sum of ones", by_induction).obligations) > 1  # its two halves, for another solver
    absurd = arithmetic(Eq(x, x + 1, evaluate=False), [Lt(x, x, evaluate=False)])
    assert proved("anything", absurd).value == r"$x < x \vdash x = x + 1$"


def test_monte_carlo_evidence_states_its_rates():
    with pytest.raises(ValueError, match="lacks seed, false_pass"):
        Evidence("monte-carlo", "a coin", 0.5, True, interval=(0, 1), trials=10, false_alarm=1e-6)
    with pytest.raises(ValueError, match="only monte-carlo may be undecided"):
        Evidence("exact", "a coin", 0.5, None)


@pytest.mark.parametrize(("decision", "would"), [
    (decide_at_most(0, 100, 0.01), "about 1,375 would decide."),
    (decide_at_most(50, 100, 0.5), "no number would decide if the estimate is the truth."),
])
def test_what_is_undecided_says_how_many_trials_would_decide(decision, would):
    bundle = Verdicts(claim(GOOD, estimated("a coin", decision, seed=1)))._repr_mimebundle_()
    (record,) = bundle[MIME]["claims"]
    assert record["verdict"] == "open"
    assert record["finding"] == f"“a coin” is undecided after 100 trials; {would}"
    assert record["finding"] in bundle["text/html"]
    assert set(record["evidence"][1]) <= set(EVIDENCE)


def test_a_finding_is_about_what_failed_and_what_is_undecided():
    assert claim(GOOD, BAD, OPEN, finding="It is two.").record()["finding"] == (
        "It is two. “a coin” is undecided after 10 trials; how many would decide is not known.")
    assert "It is two" not in claim(GOOD, OPEN, finding="It is two.").record()["finding"]
    assert claim(GOOD, finding="It is two.").record()["finding"] == ""


def test_an_open_claim_is_shown_with_the_control_that_too_few_trials_did_not_reject():
    passed = Control("a biased coin", rejected=False)
    bundle = Verdicts(claim(OPEN, controls=[WRONG, passed]))._repr_mimebundle_()
    assert "The wrong version “a biased coin” was not rejected." in bundle[MIME]["claims"][0]["finding"]
    assert "<li>a biased coin" not in bundle["text/html"]
    for decided in (GOOD, BAD):
        with pytest.raises(ControlNotRejected, match="a biased coin"):
            claim(decided, controls=[WRONG, passed], finding="x")


def test_the_kernel_as_a_control():
    assert refused("false", lambda: arithmetic(Ge(x, 1)), counterexample=not 0 >= 1).rejected
    assert not refused("true", lambda: arithmetic(Ge(x**2, 0)), counterexample=True).rejected


def test_what_the_kernel_refuses_may_be_true_and_is_then_no_control():
    positive = Gt(Exp(x), 0)  # a theorem, but not one of arithmetic
    assert not refused("e^x is positive", lambda: arithmetic(positive), counterexample=not math.exp(-9) > 0).rejected


def test_what_the_kernel_cannot_decide_is_no_rejection():
    def gives_up():
        raise ProofError("Z3 could not decide it")

    with pytest.raises(ProofError):
        refused("hard", gives_up, counterexample=True)


def test_what_is_emitted_for_the_ledger():
    judgment = arithmetic(Ge(x**2, 0))
    bundle = Verdicts(claim(GOOD, proved("a square", judgment)))._repr_mimebundle_()
    assert bundle[MIME]["obligations"] == list(judgment.obligations)
    assert bundle[MIME]["claims"][0]["evidence"][1] == dict(kind="proof", what="a square", value=r"$x^{2} \geq 0$", passed=True)
    assert "Sum: holds" in bundle["text/html"] and r"x^{2} \geq 0" in bundle["text/html"]


def test_values_are_stored_to_the_digits_that_are_guaranteed():
    assert Evidence("exact", "third", 1 / 3, True).record()["value"] == 0.333333333
    assert Evidence("exact", "large", 10**43 + 1, True).record()["value"] == 10**43 + 1
    with pytest.raises(ValueError, match="nan is not a number that a ledger can hold"):
        Evidence("exact", "nothing", float("nan"), True).record()


def ledger(value, **fields):
    return [{"id": "a", "evidence": [{"what": "w", "value": value}], **fields}]


def test_ledgers_are_compared_exactly_or_to_the_last_digit():
    assert compare(ledger(0.333333333), ledger(0.3333333331)) == []
    assert compare(ledger(0.333333333), ledger(0.333333339)) == ["a: evidence > w > value: 0.333333333 became 0.333333339"]
    assert compare(ledger(10**20), ledger(10**20 + 1)) != []
    assert compare(ledger(1), ledger(True)) == ["a: evidence > w > value: 1 became True"]
    assert compare(ledger(1, finding="x"), ledger(1)) == ["a: finding: 'x' became None"]
    assert compare(ledger(1), []) == ["a: no longer in the ledger"]
    assert compare([], ledger(1)) == ["a: not in the committed ledger"]


def test_a_control_is_rejected_or_not():
    assert Control("x", rejected=np.True_).rejected is True
    with pytest.raises(TypeError, match="control 'x' rejected is <generator"):
        Control("x", rejected=(False for _ in [1]))  # a generator is true, whatever it yields
