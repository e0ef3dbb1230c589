"""Evidence for one special token: bounds that decide, a wrong version of each that is seen, and bad
input.
"""

import math
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from sympy import Rational, symbols

from polycore.evidence import ControlNotRejected, exact, special_token
from polycore.models import attention
from polycore.models.self_attention import Data, d0, d1
from polycore.proof import restate
from polycore.theory.special_token import (
    OTHER_WEIGHT_LE_1_OVER_N,
    SPECIAL_WEIGHT_GE_HALF,
    SPECIAL_WEIGHT_SMALL,
    scores,
)
from polycore.theory.special_token_output import FIRST_COLUMN_HIGH, OTHER_BLOCK_HIGH

NAMES = ("kappa", "excess", "size", "dimension", "cases", "seed", "profile")
PARAMETERS = dict(zip(NAMES, (1.5, "0.7", 1000, 12, 80, 1, "paper")))
EXAMPLE = d1(1000, 12, "0.7", "0.5")
SMALL = d0(4, 4, "0.09", "0.5")
[PAST] = special_token.measured(Data.weights, SMALL, 20, at_most=[0.5])


def test_the_setting_is_the_member_that_the_parameters_describe():
    assert special_token.setting(d1, PARAMETERS, *NAMES) == (EXAMPLE, 80)
    quick = special_token.setting(d1, PARAMETERS | {"profile": "quick", "b": "0.3"}, *NAMES, "b")
    assert quick == (d1(1000, 12, "0.7", "0.3"), 10)


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("kappa", 0, "kappa must be a finite real number >= 0.0001 and <= 100, got 0"),
        ("excess", "0.5", "D_1 has a >= 0.7"),
        ("size", 1001, "multiple of 10 for d = 12, got 1001: the nearest is 1000"),
        ("dimension", 3, "dimension must be an integer >= 4, got 3"),
        ("b", 1, "b must be a finite real number >= 1/10 and <= 9/10, got 1"),
        ("cases", 7, "cases must be an integer >= 8, got 7"),
        ("seed", -1, "seed must be an integer >= 0, got -1"),
        ("profile", "fast", "profile must be one of paper, quick, got 'fast'"),
    ],
)
def test_a_bad_parameter_is_named(name, value, words):
    with pytest.raises(ValueError) as raised:
        special_token.setting(d1, PARAMETERS | {name: value}, *{**dict.fromkeys(NAMES), name: 0})
    assert words in str(raised.value)


@pytest.mark.parametrize("beta", [0, 20, 199.9, 200, 350, 1000])
@pytest.mark.parametrize("value", [1e-9, 1.0, 3.0])
def test_the_float_error_covers_what_its_reason_says(beta, value):
    error, because = special_token.float_error(np.array([0, -value]), beta)
    below = int(because.split()[4])
    assert beta < below <= max(200, beta + 100)
    assert error >= 2**-40 and error >= value * 16 * beta * 2**-53


def test_the_float_error_grows_with_the_values_and_refuses_what_is_not_finite():
    assert special_token.float_error(7.0, 350)[0] > 6 * special_token.float_error(1.0, 350)[0]
    with pytest.raises(ValueError, match="values must be a finite real number"):
        special_token.float_error(np.array([1.0, np.nan]), 1)
    with pytest.raises(ValueError, match="beta must be a finite real number >= 0"):
        special_token.float_error(1.0, -1)


def test_a_bound_past_the_value_is_rejected():
    special, other = EXAMPLE.weights(attention.degree(1.5, 1000))
    met = special_token.measured(Data.weights, EXAMPLE, 1.5, at_most=[special + 1e-9, other + 1e-9])
    broken = special_token.measured(Data.weights, EXAMPLE, 1.5, at_most=[special - 1e-9])
    assert [one.passed for one in (*met, *broken)] == [True, True, False]
    assert met[1].what == "weight of any other token at κ = 1.5, n = 1000"


def test_a_bound_within_the_float_error_is_undecided():
    [one] = special_token.measured(
        Data.output, EXAMPLE, 1, at_least=[EXAMPLE.output(attention.degree(1, 1000))[0]]
    )
    assert one.passed is None and one.what == "first entry at κ = 1, n = 1000"


def test_entries_and_the_degree_can_have_other_names():
    [one] = special_token.measured(Data.weights, EXAMPLE, 0.5, ["share"], "a low β", below=[0.5])
    assert one.what == "share at a low β, n = 1000"


def test_measured_refuses_two_relations_and_more_bounds_than_entries():
    with pytest.raises(TypeError, match="needs one of at_most, at_least"):
        special_token.measured(Data.weights, EXAMPLE, 1, at_most=[1], at_least=[0])
    with pytest.raises(ValueError, match="at_most has 3 bounds for 2 entries"):
        special_token.measured(Data.weights, EXAMPLE, 1, at_most=[1, 1, 1])


@pytest.mark.parametrize("parts", [Data.weight_parts, Data.output_parts])
@pytest.mark.parametrize("dataset", ["D0", "D1"])
def test_members_at_random_have_the_values_of_the_table(parts, dataset):
    found = special_token.members(parts, dataset, 14, np.random.default_rng(3))
    assert {one.value for one in found.values()} == {14}
    assert len(found) == (8 if parts is Data.weight_parts else 6)


def test_a_wrong_table_is_seen():
    def wrong(data, beta):
        parts = data.weight_parts(beta)
        return parts | {"1a": (parts["1a"][0], parts["1b"][1])}  # β in place of 2β

    found = special_token.members(wrong, "D1", 7, np.random.default_rng(3))
    assert found["1a"].passed is False and found["1b"].passed is True
    assert found["1a"].value.startswith("1 of 7; not member 1")  # at β = 0 the two are alike


def test_dense_members_have_the_weights_of_the_formula():
    """An independent computation: every score as an inner product of whole rows."""
    for _, data, beta, weights in special_token.dense_members(
        "D1", 20, np.random.default_rng(5), 1, 3
    ):
        A = data.dense()
        scores_of = (A @ np.ones((data.d, data.d)) @ A.T)[(data.j3 + 1) % data.n]
        powers = scores_of**beta
        assert np.allclose(weights, powers / powers.sum(), rtol=1e-11)
        assert weights[data.j3] >= 0.5 > weights.sum() - weights[data.j3]


def test_dense_members_are_those_of_the_generator():
    one, same = (
        [(beta, weights.tolist()) for *_, beta, weights in found]
        for found in (
            special_token.dense_members("D0", 5, np.random.default_rng(7), 1, 2) for _ in range(2)
        )
    )
    assert one == same


def test_a_difference_beyond_rounding_is_seen():
    right, wrong = np.array([0.25, 0.5]), np.array([0.25, 0.5 * (1 + 1e-11)])
    assert special_token.largest_difference([(right, right, 20.0)], equals=0).passed
    pairs = [(right, right, 20.0), (wrong, right, 20.0)]
    assert special_token.largest_difference(pairs, equals=0).passed is False
    with pytest.raises(ValueError, match="nothing to compare"):
        special_token.largest_difference([], equals=0)


@pytest.mark.parametrize("small", [SMALL, d1(4, 4, 3, "0.5", j3=2), d1(6, 5, "0.7", "0.9", j3=5)])
def test_every_wrong_weight_is_rejected_by_what_the_right_one_passes(small):
    [past] = special_token.measured(Data.weights, small, 20, at_most=[0.5])
    wrong, right = special_token.wrong_weights(small, past), small.weight_parts(1)
    assert sorted(wrong) == sorted(right)
    assert {one.passed for one in wrong.values()} == {False}
    for part, (found, table) in right.items():
        assert exact("right", found, equals=table).passed
        if part in ("3b", "4b"):
            assert exact("right", found, at_most=[Fraction(1, small.n)]).passed


@pytest.mark.parametrize("j3", range(4))
def test_the_last_entry_is_c_only_after_division(j3):
    small = replace(d1(4, 4, 3, "0.5"), j3=j3)
    wrong = special_token.undivided(small)
    assert {part: one.passed for part, one in wrong.items()} == {"3": False, "6": False}
    assert wrong["3"].value == 16 * wrong["6"].value  # w² at β = 2
    assert {row[-1] for row in small.attended(2)[2]} == {small.c}


def test_parts_that_differ_in_who_asks_share_what_they_have():
    assert special_token.whoever_asks(1, 2) == {"3a": 1, "4a": 1, "3b": 2, "4b": 2}
    shared = special_token.whoever_asks(1, 2, 3)
    assert [shared[part] for part in "123456"] == [1, 2, 3, 1, 2, 3]
    with pytest.raises(ValueError, match="got 1: give one for each"):
        special_token.whoever_asks(1)


def _claims(**changed):
    half, a = {"a": symbols("a0"), "q": Rational(1, 2)}, symbols("a0")
    special = restate(SPECIAL_WEIGHT_SMALL, half)
    other = restate(OTHER_WEIGHT_LE_1_OVER_N, {"a": a})
    proofs = scores(a) | special_token.whoever_asks(special, other)
    controls = special_token.wrong_weights(SMALL, PAST)
    given = {"checks": [], "controls": controls, "asked": {}} | changed
    return special_token.weight_claims("6.10", proofs, **given)


@pytest.mark.slow
def test_weight_claims_are_eight_with_a_judgment_each():
    made = {claim.id: claim for claim in _claims(bound="little")}
    assert len(made) == 8 and {claim.verdict for claim in made.values()} == {"holds"}
    third = made["lemma-6-10-part-3a"]
    assert third.label == "Lemma 6.10, Part 3a" and third.scope["is"] == "proved"
    assert third.scope["says"] == "Proved: j₃ asks: f of j₃ is little."
    assert third.depends == ("definition-6-1", "definition-6-2", "claim-6-3", "lemma-6-6-part-3a")


def test_a_check_that_fails_is_in_its_own_parts_alone():
    failed = special_token.whoever_asks(PAST, [])
    made = {claim.id[-2:]: claim.verdict for claim in _claims(checks=[failed])}
    assert [part for part, verdict in made.items() if verdict != "holds"] == ["3a", "4a"]


def test_a_finding_stands_with_its_part():
    finding = {"3a": {"One half is too little.": PAST.what}}
    with_finding = [claim.id[-2:] for claim in _claims(finding=finding) if claim.finding]
    assert with_finding == ["3a"]


def test_a_control_that_passes_makes_no_claim():
    passes = exact("a wrong version that passes", 1, equals=1)
    with pytest.raises(ControlNotRejected):
        _claims(controls=special_token.wrong_weights(SMALL, PAST) | {"2b": passes})
    with pytest.raises(KeyError, match="3b"):
        proofs, controls = {"3b": OTHER_WEIGHT_LE_1_OVER_N()}, {"3a": PAST}
        special_token.weight_claims("6.10", proofs, [], controls, asked={})


def test_only_the_parts_on_weights_ask_something_of_the_degree():
    asked = special_token.asked_of_degree(9, "0.09", "a₀", at_most=0.5)
    assert asked == {"β ≤ ½ log n/log(1 + a₀)": False}
    outside = [one.id[-2:] for one in _claims(asked=asked) if one.verdict != "holds"]
    assert outside == ["3a", "3b", "4a", "4b"]


def test_a_wrong_version_is_off_by_what_it_says():
    """Of four tokens with w = 1 + a = 1.09, at degree 1: u is w^2 and w, f of either over their
    sum.
    """
    w, found = Fraction(109, 100), special_token.wrong_weights(SMALL, PAST)
    right = {part: tuple(values[0]) for part, values in SMALL.weight_parts(1).items()}
    bounds = {part: one.bound for part, one in found.items()}
    assert {part: bounds[part] for part in ("1a", "1b", "2a", "2b")} == {
        "1a": {"equals": (w,)},
        "1b": {"equals": (1,)},
        "2a": {"equals": (1,)},
        "2b": {"equals": (w,)},
    }
    assert bounds["3b"] == bounds["4b"] == {"at_most": (Fraction(1, 8),)}
    parts = ("1a", "1b", "2a", "2b", "3b", "4b")
    assert {part: found[part].value for part in parts} == {part: right[part] for part in parts}
    assert found["3a"] is found["4a"] is PAST


def test_a_degree_at_its_bound_is_within_it():
    """a = 1, where log n/log(1 + a) is log2 n itself, in floats too."""
    for kappa, limit in ((1, "at_least"), (0.5, "at_most")):
        assert all(special_token.asked_of_degree(kappa, 1, **{limit: kappa}).values())


@pytest.mark.parametrize(("limit", "bound"), [("at_least", 1), ("at_most", 0.5)])
@pytest.mark.parametrize("excess", ["0.09", "0.7", "3"])
def test_a_degree_is_asked_to_lie_on_the_right_side_of_its_bound(limit, bound, excess):
    """beta = kappa log2 n against bound log n/log(1 + a), a thousandth to either side."""
    edge = bound * math.log(10**6) / math.log(1 + float(excess)) / math.log2(10**6)
    for kappa, more in ((edge * 1.001, True), (edge * 0.999, False)):
        [is_so] = special_token.asked_of_degree(kappa, excess, **{limit: bound}).values()
        assert is_so == (more if limit == "at_least" else not more)


def test_the_largest_degree_says_what_rounding_is_allowed():
    allowed = special_token.float_error(1.0, 750.0)[0]
    for share in (0.9, 1.1):
        found = np.array([1, 1 + share * allowed])
        pairs = [(found, np.ones(2), beta) for beta in (20.0, 750.0, 30.0)]
        assert special_token.largest_difference(pairs, equals=0).passed == (share < 1)


@pytest.mark.parametrize(
    ("lemma", "weights", "depends"),
    [
        ("6.7", "6.6", ("lemma-6-6-part-4a", "lemma-6-6-part-4b")),
        ("6.11", "6.10", ("lemma-6-10-part-4a", "lemma-6-7-part-4")),
    ],
)
def test_output_claims_depend_on_the_weights(lemma, weights, depends):
    proofs, wrong = {"4": {"first column: at least a/2": FIRST_COLUMN_HIGH()}}, {"4": PAST}
    [claim] = special_token.output_claims(lemma, proofs, [], wrong, weights, asked={})
    assert claim.label == f"Lemma {lemma}, Part 4" and claim.depends[2:] == depends
    assert claim.scope["says"] == "Proved: first column: at least a/2."


# The shared derivations: every link is shown, and the statements are about any excess.


def test_derivations_show_their_reasons():
    reasons = [link.why for link in SPECIAL_WEIGHT_GE_HALF.derivation().links]
    assert reasons == ["definition of $f$", "the factor $s$ cancels", "$w$ has overtaken $n$"]
    assert OTHER_BLOCK_HIGH.derivation().judgment.conclusion == OTHER_BLOCK_HIGH.conclusion


@pytest.mark.parametrize("part", ["1a", "1b", "2a", "2b"])
def test_scores_are_those_of_the_data(part):
    """What the kernel says of u is, at numbers, what rational arithmetic finds."""
    a0, beta = symbols("a0 beta")
    power = scores(a0)[part].conclusion.rhs
    exponent = 0 if power == 1 else power.args[1].subs(beta, 3)
    assert power == 1 or power.args[0] == 1 + a0
    assert SMALL.weight_parts(3)[part][0] == [(1 + SMALL.a) ** int(exponent)]
