"""Two ledgers agree when words and integers are the same and numbers within their tolerances."""

from fractions import Fraction

import pytest
from flint import arb
from hypothesis import example, given
from hypothesis import strategies as st

from pipeline.differences import compare
from polycore.evidence.quantities import exactly, rounded


def ledger(value, **fields):
    return [{"id": "a", "evidence": [{"what": "w", "value": value, **fields}]}]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        # each may be off by its own tolerance
        (ledger(0.5, tolerance=0.01), ledger(0.519, tolerance=0.01)),
        (ledger(0.0, tolerance=3e-14), ledger(2e-14, tolerance=3e-14)),
        (
            ledger([0.5, 1e-30], tolerance=[0.01, 1e-40]),
            ledger([0.51, 1e-30], tolerance=[0.01, 2e-40]),
        ),
        (ledger(1, bound={"at_most": 0.333333333}), ledger(1, bound={"at_most": 0.3333333331})),
        (ledger("fires"), ledger("fires")),
        # two in the ninth digit, and what rounding leaves of the sum of two tolerances
        (ledger(1, interval=[0.5, 1.0]), ledger(1, interval=[0.5, 1 + 1.9e-9])),
        (ledger(0.0, tolerance=1.0), ledger(2.5 * (1 + 5e-7), tolerance=1.5)),
        (ledger(1.0, tolerance=1e-11), ledger(1.0, tolerance=1.9e-9)),
        (ledger(10**43), ledger(10**43)),
    ],
)
def test_what_agrees(old, new):
    assert compare(old, new) == compare(new, old) == []


@pytest.mark.parametrize(
    ("old", "new", "line"),
    [
        (
            ledger(0.5, tolerance=0.01),
            ledger(0.53, tolerance=0.01),
            "value: 0.5 became 0.53, by more than ± 0.01",
        ),
        (
            ledger([0.5, 1e-30], tolerance=[0.01, 1e-40]),
            ledger([0.5, 2e-30], tolerance=[0.01, 1e-40]),
            "value > 1: 1e-30 became 2e-30, by more than ± 1e-40",
        ),
        (
            ledger([0.5], tolerance=[0.1]),
            ledger([0.5, 0.5], tolerance=[0.1, 0.1]),
            "value: [0.5] became [0.5, 0.5]",
        ),
        # it earns less now
        (ledger(0.5, tolerance=0.001), ledger(0.5, tolerance=0.1), "tolerance: 0.001 became 0.1"),
        (ledger(0.5, tolerance=0.1), ledger(0.5, tolerance=0.2), "tolerance: 0.1 became 0.2"),
        (
            ledger(0.5, tolerance=0.001),
            ledger("none", tolerance=0.001),
            "value: 0.5 became 'none', by more than ± 0.001",
        ),
        (
            ledger(1, bound={"at_most": 0.3}),
            ledger(1, bound={"at_most": 0.4}),
            "bound > at_most: 0.3 became 0.4",
        ),
        (
            ledger(1, bound={"at_most": 3}),
            ledger(1, bound={"at_least": 3}),
            "bound > at_least: None became 3",
        ),
        (ledger(10**20), ledger(10**20 + 1), f"value: {10**20} became {10**20 + 1}"),
        (ledger(1), ledger(True), "value: 1 became True"),
        (
            ledger(1, interval=[0.5, 1.0]),
            ledger(1, interval=[0.5, 1 + 2.1e-9]),
            "interval > 1: 1.0 became 1.0000000021",
        ),
        (
            ledger(0.0, tolerance=1.0),
            ledger(2.500005, tolerance=1.5),
            "value: 0.0 became 2.500005, by more than ± 1.5",
        ),
        (
            ledger(1.0, tolerance=1e-11),
            ledger(1.0, tolerance=2.1e-9),
            "tolerance: 1e-11 became 2.1e-09",
        ),
        (ledger(1.0, tolerance=0.1), ledger(1.0), "tolerance: 0.1 became None"),
        (ledger(1, because="x"), ledger(1), "because: 'x' became None"),
    ],
)
def test_what_differs(old, new, line):
    assert f"a: evidence > w > {line}" in compare(old, new)


def test_a_tolerance_that_shrinks_or_hangs_on_a_power_of_ten_is_no_difference():
    assert compare(ledger(0.5, tolerance=0.1), ledger(0.5, tolerance=0.001)) == []
    below, above = (rounded(arb(0.01 + off, 1e-14)) for off in (-1e-14, 1e-14))
    assert below == (0.01, 1e-12) and above == (
        0.01,
        1e-11,
    )  # nine digits of 0.00999… and of 0.0100…
    assert (
        compare(*(ledger(value, tolerance=tolerance) for value, tolerance in (below, above))) == []
    )


@example(0.5, 0)
@given(st.floats(0.1, 10), st.integers(-6, 0) | st.floats(-6, 0))
def test_an_error_twice_as_large_is_a_difference_and_one_in_the_ninth_digit_is_none(
    value, exponent
):
    error = 10.0**exponent
    was, bits, twice = (
        ledger(value, tolerance=tolerance)
        for value, tolerance in (
            rounded(arb(value, more * error)) for more in (1 - 1e-8, 1 + 1e-8, 2)
        )
    )
    assert [bool(compare(was, other)) for other in (bits, twice)] == [False, True]


def test_claims_that_came_or_went():
    assert compare(ledger(1), []) == ["a: no longer in the ledger"]
    assert compare([], ledger(1)) == ["a: not in the committed ledger"]


def test_evidence_that_came_went_or_moved_is_named():
    one, two, three = ({"what": name, "value": 1} for name in ("one", "two", "three"))
    old, new = (
        [{"id": "a", "evidence": rows}] for rows in ([one, two], [three, {**two, "value": 2}])
    )
    assert compare(old, new) == [
        "a: evidence: “one” is gone",
        "a: evidence: “three” is new",
        "a: evidence > two > value: 1 became 2",
    ]
    assert (
        compare([{"id": "a", "evidence": [one, two]}], [{"id": "a", "evidence": [two, one]}]) == []
    )


def test_what_is_whole_is_an_integer_and_nothing_has_no_tolerance():
    whole, half = exactly("two", Fraction(4, 2)), exactly("a half", Fraction(2, 4))
    assert (whole, half) == (2, Fraction(1, 2)) and type(whole) is int
    assert rounded(arb(0)) == (0.0, 0.0)
