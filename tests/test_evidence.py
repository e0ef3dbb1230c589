"""Evidence is what a comparison of two sides decided, and cannot be had in any other way."""

import copy
import dataclasses
import pickle
from fractions import Fraction
from types import SimpleNamespace

import jsonschema
import numpy as np
import pytest
from flint import arb, fmpq, fmpz
from sympy import Eq, Ge, Gt, Integer, Lt, Rational, Symbol

from pipeline.files import read
from pipeline.ledger import EVIDENCE
from polycore.evidence import Evidence, certified, counted, estimated, exact, least, numeric, proved
from polycore.montecarlo import Decision, decide_at_most, decide_median
from polycore.proof import Judgment, ProofError, arithmetic, induction, total
from polycore.tails.bounds import saddlepoint
from polycore.tails.rademacher import Tail
from polycore.thresholds import sufficient_n

x = Symbol("x")
SQUARE = arithmetic(Ge(x**2, 0))
SCHEMA = read("book/results.schema.json")
ROUNDING = 2**-45, "float64: some roundings"


def test_nobody_passes_a_verdict_in():
    for forged in (
        lambda: Evidence("exact", "one is two", 1, True),
        lambda: Evidence(
            kind="monte-carlo",
            what="p",
            value=0.0,
            passed=True,
            interval=(),
            trials=0,
            seed=0,
            false_alarm=7,
            false_pass=42,
        ),
        lambda: Evidence("proof", "exp is the identity", "$e^x = x$", True, judgment=SQUARE),
        lambda: dataclasses.replace(exact("1 + 1", 2, equals=3), passed=True),
        lambda: copy.copy(exact("1 + 1", 2, equals=3)),
        lambda: pickle.loads(pickle.dumps(exact("1 + 1", 2, equals=3))),
        lambda: type("Kind", (Evidence,), {})("exact", "one is two", 1, True),
    ):
        with pytest.raises(TypeError, match="evidence is made by"):
            forged()
    with pytest.raises(dataclasses.FrozenInstanceError):
        exact("1 + 1", 2, equals=3).passed = True


def test_what_it_compared_cannot_be_changed_later():
    ranks = [1, [2, 3]]
    one = exact("ranks", ranks, equals=[1, [2, 4]])
    ranks[1][1] = 4
    assert one.value == (1, (2, 3)) and one.passed is False and one.record()["value"] == [1, [2, 3]]
    with pytest.raises(TypeError):
        one.value[0] = 2
    found = np.array([0.5])
    half = numeric("a half", found, *ROUNDING, equals=1)
    found[0] = 1
    assert half.value == (0.5,) and half.passed is False


# Exact


@pytest.mark.parametrize(
    ("value", "stated", "passed"),
    [
        (2, {"equals": 2}, True),
        (2, {"equals": 3}, False),
        (2, {"differs_from": 3}, True),
        (2, {"differs_from": 2}, False),
        (2, {"at_most": 2}, True),
        (3, {"at_most": 2}, False),
        (2, {"at_least": 2}, True),
        (1, {"at_least": 2}, False),
        (1, {"below": 2}, True),
        (2, {"below": 2}, False),
        (3, {"above": 2}, True),
        (2, {"above": 2}, False),
        (Fraction(1, 3), {"equals": fmpq(1, 3)}, True),
        (Rational(1, 3), {"at_most": Fraction(1, 3)}, True),
        (np.int64(3), {"equals": fmpz(3)}, True),
        (Integer(3), {"equals": 3}, True),
        ("fires", {"equals": "fires"}, True),
        ([1, 2], {"equals": (1, 2)}, True),
        (np.array([1, 2]), {"equals": [1, 2]}, True),
        ([1, 2], {"equals": [2, 1]}, False),
        ([1, 2], {"at_most": 2}, True),
        ([1, 3], {"at_most": 2}, False),
        ([1, 3], {"at_most": [1, 3]}, True),
        (10**43 + 1, {"equals": 10**43 + 1}, True),
        (10**43, {"equals": 10**43 + 1}, False),
    ],
)
def test_exact_evidence_compares_exactly(value, stated, passed):
    assert exact("a name", value, **stated).passed is passed


def test_exact_evidence_refuses_what_is_not_exact():
    for inexact in (0.5, np.float64(2), [1, 0.5], np.array([1.0]), Symbol("x"), 1j, None):
        with pytest.raises(TypeError, match="not exact; use numeric with its error"):
            exact("a half", inexact, equals=1)
        with pytest.raises(TypeError, match="not exact"):
            exact("a half", 1, equals=inexact)
    for truth in (True, np.bool_(True), [1, True], np.array([True])):
        with pytest.raises(
            TypeError, match="a truth value, which hides what was compared; give the two sides"
        ):
            exact("as it should be", truth, equals=1)
    with pytest.raises(TypeError, match="needs one of equals, differs_from, at_most.*got none"):
        exact("one", 1)
    with pytest.raises(TypeError, match="needs one of"):
        exact("one", 1, passed=True)
    with pytest.raises(TypeError, match="needs one of"):
        exact("one", 1, equals=1, at_most=2)
    with pytest.raises(TypeError, match="the name of a check must be words"):
        exact("", 1, equals=1)
    with pytest.raises(ValueError):
        exact("ranks", [1, 2], at_most=[1, 2, 3])


# Certified


@pytest.mark.parametrize(
    ("enclosure", "stated", "passed"),
    [
        # 0.2 the float is above 1/5 by less than its error: see below
        (Tail(0.1, 0.2, "by hand", "certified"), {"at_most": 0.2}, True),
        (Tail(0.1, 0.2, "by hand", "certified"), {"below": 0.09}, False),
        (Tail(0.1, 0.2, "by hand", "certified"), {"below": 0.15}, None),
        (
            Tail(Fraction(1, 4), Fraction(1, 4), "enumeration", "exact"),
            {"at_most": Fraction(1, 4)},
            True,
        ),
        (
            Tail(Fraction(1, 4), Fraction(1, 4), "enumeration", "exact"),
            {"below": Fraction(1, 4)},
            False,
        ),
        (arb.pi(), {"above": 3.14159}, True),
        (arb.pi(), {"at_least": arb(4)}, False),
        (arb(3, 0.5), {"at_least": 3}, None),
        (arb.pi(), {"below": Tail(0.0, 1.0, "a bound", "bound")}, False),
    ],
)
def test_certified_evidence_compares_enclosures(enclosure, stated, passed):
    if stated == {"at_most": 0.2}:
        assert Fraction(0.2) > Fraction(1, 5)
        passed = None
    assert certified("a name", enclosure, **stated).passed is passed


def test_certified_evidence_needs_an_enclosure():
    for number in (0.5, Fraction(1, 2), (0.1, 0.2), 1):
        with pytest.raises(TypeError, match="which encloses nothing"):
            certified("half", number, at_most=1)
    with pytest.raises(TypeError, match="“Lugannani-Rice”, which is approximation: no enclosure"):
        certified("half", saddlepoint([1.0], 50, [1000]), at_most=1)
    with pytest.raises(TypeError, match="needs one of at_most"):
        certified("half", arb(0.5), equals=0.5)
    with pytest.raises(TypeError, match="is not a number and encloses nothing"):
        certified("half", arb(0.5), at_most="0.5")


def test_undecided_evidence_says_so():
    one = certified("half", arb(0.5, 0.1), at_most=0.5)
    assert (
        one.passed is None
        and one.remedy == "“half” is undecided: a value lies within its error of the bound."
    )
    assert str(one) == "half: is undecided"


# Numeric


@pytest.mark.parametrize(
    ("value", "error", "stated", "passed"),
    [
        (2.5000000000000004, 2**-45, {"equals": 2.5}, True),
        (2.6, 2**-45, {"equals": 2.5}, False),
        ([2.5, 2.6], 2**-45, {"equals": 2.5}, False),
        ([2.5, 3.5], [1e-9, 1e-9], {"equals": [2.5, 3.5]}, True),
        (0.1 + 0.2, 1e-15, {"at_most": 0.3}, None),  # a verdict at its threshold is none
        (0.1 + 0.2, 1e-15, {"at_most": 0.31}, True),
        (0.1 + 0.2, 1e-15, {"at_most": 0.29}, False),
        ([0.1, 0.3], 1e-15, {"below": 0.3}, None),
        ([0.4, 0.3], 1e-15, {"below": 0.3}, False),
    ],
)
def test_numeric_evidence_allows_for_its_error(value, error, stated, passed):
    assert numeric("a name", value, error, "roundings", **stated).passed is passed


def test_numeric_evidence_states_its_error_and_why():
    for error in (0, -1e-9, float("nan"), float("inf")):
        with pytest.raises(ValueError, match="finite with an error > 0"):
            numeric("half", 0.5, error, "roundings", equals=0.5)
    with pytest.raises(ValueError, match="finite"):
        numeric("half", float("nan"), *ROUNDING, equals=0.5)
    for because in ("", None, 3):
        with pytest.raises(TypeError, match="needs the reason why"):
            numeric("half", 0.5, 1e-9, because, equals=0.5)
    with pytest.raises(ValueError, match="2 values and 3 bounds"):
        numeric("halves", [0.5, 0.5], *ROUNDING, equals=[1, 2, 3])


# What the ledger holds


def test_every_float_has_a_tolerance_that_covers_what_was_cut_off():
    for ball in (
        arb(1) / 3,
        arb("1.2345678912345e-30"),
        arb(0.1, 1e-3),
        arb(0, 1e-13),
        arb(123456.789, 10),
        arb(5e-13, 1e-9),
    ):
        record = certified("a ball", ball, above=-(10**9)).record()
        value, tolerance = Fraction(record["value"]), Fraction(record["tolerance"])
        covered = arb(
            fmpq(value.numerator, value.denominator),
            arb(fmpq(tolerance.numerator, tolerance.denominator)),
        )
        assert covered.contains(ball), record
        assert len(
            f"{record['value']:.17g}".replace(".", "").strip("0-").split("e")[0]
        ) <= 9 or record["value"] == float(f"{record['value']:.9g}")
        assert tolerance <= 11 * Fraction(float(ball.rad())) + abs(value) / 10**8


def test_digits_are_those_that_the_error_leaves():
    record = numeric("two thirds", 2 / 3, 1e-4, "an integral on a coarse grid", below=1).record()
    assert record["value"] == 0.6667 and 1e-4 < record["tolerance"] <= 1.5e-4
    assert record["because"] == "an integral on a coarse grid" and record["bound"] == {"below": 1}
    assert numeric("nothing", 3e-16, 1e-13, "roundings", equals=0).record()["value"] == 0


@pytest.mark.parametrize(
    "made",
    [
        exact("a", Fraction(1, 3), equals=Fraction(1, 3)),
        exact("a", [[1, "b"], 2], equals=1),
        certified("a", arb.pi(), below=4),
        numeric("a", [0.5, 1e-30], *ROUNDING, at_most=[1, 2]),
        proved("a", SQUARE),
        counted("a", {"b": (1, 2)}),
        counted("a", {"b": numeric("b", 0.5, *ROUNDING, below=1)}),
        least("a", sufficient_n("0.45", "0.01", 1)),
        least("a", None),
        estimated("a", decide_at_most(3, 100, 0.5), seed=1),
        estimated("a", decide_median(np.arange(24.0)), seed=1),
    ],
)
def test_records_have_the_form_of_the_schema(made):
    record = made.record()
    jsonschema.validate(record, {**SCHEMA["$defs"]["evidence"], "$defs": SCHEMA["$defs"]})
    assert set(record) <= set(EVIDENCE)


# Proofs, decisions, counts, least numbers


def test_proof_evidence_needs_a_judgment_and_prints_it():
    for forged in (
        "1 = 2",
        None,
        type("Cover", (Judgment,), {"__new__": object.__new__, "conclusion": Ge(x, 1)})(),
    ):
        with pytest.raises(TypeError, match="it needs a judgment of the kernel"):
            proved("trust me", forged)
    with pytest.raises(ProofError):
        proved("trust me", object.__new__(Judgment))
    growing = proved("a square", arithmetic(Ge(x**2, x), [Ge(x, 1)]))
    assert growing.value == r"$x \geq 1 \vdash x^{2} \geq x$" and growing.because == "$x = 1$"
    by_induction = induction(Ge(total(Integer(1)), 0), [], "n ones")
    assert (
        len(proved("a sum of ones", by_induction).queries) > 1
    )  # its two halves, for another solver


def test_a_proof_from_a_contradiction_is_about_nothing():
    absurd = arithmetic(Eq(x, x + 1, evaluate=False), [Gt(x, 1), Lt(x, 1)])
    with pytest.raises(
        ProofError,
        match="no values were found at which all hypotheses hold.*x > 1, x < 1; name some in `at`",
    ):
        proved("anything", absurd)


def test_values_that_the_search_does_not_find_can_be_named():
    far = arithmetic(Gt(x, 0), [Gt(x, 123), Lt(x, 124)])
    with pytest.raises(ProofError, match="name some in `at`"):
        proved("between", far)
    assert proved("between", far, at={x: "123.5"}).because == "$x = 247/2$"
    with pytest.raises(ProofError):
        proved("not between", far, at={x: 124})


@pytest.mark.parametrize(
    "change",
    [
        {"trials": 0},
        {"false_alarm": 7},
        {"false_pass": 0.0},
        {"verdict": "fine"},
        {"interval": (0.2, 0.3)},
        {"estimate": float("nan")},
    ],
)
def test_a_decision_has_rates_trials_and_an_interval_that_contains_the_estimate(change):
    good = {
        "verdict": "pass",
        "estimate": 0.1,
        "interval": (0.0, 0.2),
        "trials": 10,
        "false_alarm": 1e-6,
        "false_pass": 1e-6,
        "detects": 1.0,
        "claim": {},
    }
    Decision(**good)
    with pytest.raises(ValueError):
        Decision(**{**good, **change})


def test_monte_carlo_evidence_is_a_decision_at_a_seed():
    with pytest.raises(TypeError, match="needs a decision of polycore.montecarlo"):
        estimated("a coin", True, seed=1)
    with pytest.raises(ValueError, match="seed"):
        estimated("a coin", decide_at_most(0, 100, 0.5), seed=-1)
    assert estimated("a coin", decide_at_most(0, 100, 0.5), seed=1).record()["bound"] == {
        "at_most": 0.5
    }


@pytest.mark.parametrize(
    ("decision", "would"),
    [
        (decide_at_most(0, 100, 0.01), "about 1,375 would decide."),
        (decide_at_most(50, 100, 0.5), "no number would decide if the estimate is the truth."),
        (
            Decision("undecided", 0.1, (0.0, 0.2), 100, 1e-6, 1e-6, 1.0, {}),
            "how many would decide is not known.",
        ),
    ],
)
def test_what_is_undecided_says_how_many_trials_would_decide(decision, would):
    assert (
        estimated("a coin", decision, seed=1).remedy
        == f"“a coin” is undecided after 100 trials; {would}"
    )


def test_a_count_names_every_case_that_failed():
    cases = {
        "w = 2": (3, 3),
        "w = 4": (5, 6),
        "w = 6": (7, 8),
        "w = 8": certified("w = 8", arb(0.5, 0.1), below=0.5),
    }
    found = counted("ranks", cases)
    assert (
        found.value == "1 of 4; not w = 4; not w = 6; undecided w = 8"
        and found.passed is False
        and found.kind == "exact"
    )
    assert counted("ranks", {"w = 2": (3, 3)}).value == 1
    undecided = counted("ranks", {"w = 2": (3, 3), "w = 8": cases["w = 8"]})
    assert undecided.passed is None and "w = 8" in undecided.remedy
    with pytest.raises(ValueError, match="no proof or Monte Carlo"):
        counted("coins", {"a": estimated("a", decide_at_most(0, 100, 0.5), seed=1)})
    with pytest.raises(ValueError, match="no proof"):
        counted("squares", {"a": proved("a", SQUARE)})
    with pytest.raises(ValueError, match="needs cases"):
        counted("nothing", {})
    assert (
        counted("mixed", {"a": (1, 1), "b": numeric("b", 0.5, *ROUNDING, below=1)}).kind
        == "numeric"
    )


def test_a_bound_asked_of_every_case_is_kept_and_no_other():
    """Or each could be asked for less, and nobody would see it."""
    below = lambda *bounds: {
        bound: numeric("x", 0.25, *ROUNDING, below=limit) for bound, limit in enumerate(bounds)
    }
    assert counted("x", below(0.5, 0.5)).bound == {"equals": 2, "below": 0.5}
    assert counted("x", below(0.5, 1)).bound == {"equals": 2}
    assert counted("x", {"a": (1, 1), "b": (1, 1)}).bound == {"equals": 2}
    assert counted("x", {"all": counted("some", below(0.5))}).bound == {"equals": 1}
    mixed = {"a": exact("a", 1, above=0), "b": exact("b", 1, at_least=0)}
    assert counted("x", mixed).bound == {"equals": 2}
    none = least("n₀", sufficient_n("0.45", "0.01", 1))
    assert counted("x", {"n₀": none}).bound == {"equals": 1}


def test_least_numbers_are_asked_again():
    found = sufficient_n("0.45", "0.01", 1)
    assert least("n₀", found).passed is True and least("n₀", found).value == 229970
    for wrong in (found.n - 1, found.n + 1, 2 * found.n):
        assert least("n₀", dataclasses.replace(found, n=wrong)).passed is False
    assert (
        least("n₀", sufficient_n("0.5", "0.01", 1, variance="paper")).value
        == "no n is large enough"
    )
    with pytest.raises(TypeError, match="thresholds.sufficient_n"):
        least("n₀", 229970)


def test_before_one_token_there_is_nothing_to_ask():
    def holds(n):
        assert n >= 1
        return True

    always = SimpleNamespace(holds=holds, steep=holds)
    found = dataclasses.replace(sufficient_n("0.45", "0.01", 1), condition=always)
    asked = [least("n₀", dataclasses.replace(found, n=n)).passed for n in (1, 2)]
    assert asked == [True, False]


@pytest.mark.parametrize(
    ("successes", "bound", "passed", "said"),
    [(0, 0.5, True, "passes"), (90, 0.5, False, "fails"), (50, 0.5, None, "is undecided")],
)
def test_a_decision_is_said_as_it_was_made(successes, bound, passed, said):
    made = estimated("a coin", decide_at_most(successes, 100, bound), seed=1)
    assert made.passed is passed and str(made) == f"a coin: {said}"


def test_cases_in_floats_say_why_their_error_is_a_bound():
    cases = {"whole": exact("one", 1, equals=1), "float": numeric("x", 1.0, 1e-9, "few", equals=1)}
    assert counted("cases", cases).because == "few"
    assert counted("cases", {"whole": (1, 1)}).because is None
