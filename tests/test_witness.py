"""Witnesses meet every hypothesis, and contradictions have none."""

import pytest
from flint import arb, fmpq
from sympy import Eq, Ge, Gt, IndexedBase, Le, Lt, Rational, Sum, symbols

from polycore.proof import Above, Exp, Log, Power, Theorem, i, n, total
from polycore.proof.witness import _above, _for_one, witness
from polycore.theory import concentration, networks, special_token_sums, spike
from polycore.theory.bounded_scores import Band

pytestmark = pytest.mark.kernel

f, u, z = map(IndexedBase, "fuz")
x, s, alpha, beta = symbols("x s alpha beta")
WEIGHTS = [
    Eq(u[i], Power(z[i], beta)),
    Eq(alpha, total(u[i])),
    Eq(f[i], u[i] / alpha),
    Ge(z[i], 2),
    Le(z[i], 4),
    Gt(beta, 0),
    Ge(n, 1),
]


def test_weights_exist():
    found = witness([*WEIGHTS, Ge(f[i], 0)])
    assert (
        found.keys() == {z[i], beta, n}
        and 2 <= found[z[i]] <= 4
        and found[beta] > 0
        and found[n] >= 1
    )


@pytest.mark.parametrize(
    "last",
    [
        Gt(total(f[i]), 1),
        Lt(total(f[i]), 1),
        Gt(f[i], 1),
        Lt(alpha, 1),
        Eq(alpha, Power(4, beta) * n + 1),
        Lt(n, 1),
        Eq(x, x + 1, evaluate=False),
    ],
    ids=str,
)
def test_a_contradiction_has_no_witness(last):
    assert witness([*WEIGHTS, last]) is None


def test_what_only_balls_can_tell():
    assert witness([Ge(Exp(x), 2), Le(Log(x), 0)])[x] == 1
    assert witness([Eq(Exp(s), Power(2, x)), Gt(s, 1), Le(x, 2)]) == {x: 2}
    assert (
        witness([Eq(Exp(x), Exp(x) + 1 - 1, evaluate=False), Gt(Exp(x), 1), Lt(Exp(x), 1)]) is None
    )


def test_an_equation_gives_what_it_is_linear_in():
    """7/3, and (e^x - 7)/3 at x = 1, are on no list; a square is not solved but tried."""
    assert witness([Eq(3 * s + 1, 7 * x + 1), Eq(x, 1), Ge(s, 2), Le(s, 3)]) == {}
    assert witness([Eq(Exp(x) - s, 2 * s + 7), Gt(x, 0), Lt(s, -1)]) == {x: 1}
    assert witness([Eq(s**2, 4 * x), Gt(s, 0), Gt(x, 1)]) == {s: 4, x: 4}


def test_what_is_linear_only_in_places_or_perhaps_is_not_solved():
    """A square is linear neither between 0, 1 and 2 nor where e^190 hides it behind its error; a
    small one is hidden by e^160.
    """
    assert witness([Eq(x, 1), Eq(s**2, Exp(x)), Gt(s, 2)]) is None
    assert witness([Eq(x, 190), Eq(s**2 + s * Exp(x), 5 * Exp(x))]) is None
    small = Rational(1, 2**26)
    assert witness([Eq(x, 160), Eq(small * s**2 + s * Exp(x), 5 * Exp(x))]) is None


@pytest.mark.parametrize("slope", [1, -1])
def test_a_slope_of_one_is_none_of_zero(slope):
    linear = Eq(slope * s * Exp(x), 3 + Exp(x))
    assert witness([Eq(x, 0), linear, Gt(slope * s, 3), Lt(slope * s, 5)]) == {}


def test_so_many_values_are_tried_before_giving_up(monkeypatch):
    """The last of 24 values will do, of which the bound itself is one: 23 are tried in vain."""
    room = "polycore.proof.witness.PATIENCE"
    monkeypatch.setattr(room, 23)
    assert witness([Gt(x, 10**100)]) == {x: 10**120}
    monkeypatch.setattr(room, 22)
    assert witness([Gt(x, 10**100)]) is None


def test_what_an_equation_has_on_both_sides_it_does_not_define():
    assert witness([Eq(s, s * x)]) == {s: 1}  # else x is chosen first, and then s as well


def test_a_choice_that_has_nothing_to_do_with_a_clash_is_not_made_again():
    """Else a is not moved before all b, c and d were tried: far more than PATIENCE."""
    a, *others, y = symbols("a b c d y")
    free = [Gt(one, 0) for one in (a, *others)]
    assert witness([*free, Gt(a * y, 10**200)])[a] == 10**120


def test_entries_before_and_after():
    steps = [Eq(u[0], 1), Eq(u[i], (2 * i - 1) * u[i - 1]), Ge(n, 0)]
    assert witness(steps) == {n: 1}
    assert (
        witness([*steps, Gt(u[i], 1)]) is None
    )  # it is 1 for n = 1, the only one tried where entries follow from others
    assert witness([Eq(u[1], 3), Eq(u[i + 1], 2 * u[i]), Ge(n, 1)]) == {n: 1}
    assert witness([Eq(u[1], 3), Eq(u[i + 1], 2 * u[i]), Eq(u[2], 5), Ge(n, 1)]) is None
    assert (
        witness([Eq(f[n + 1], 7), Gt(Sum(f[i], (i, 1, n + 1)), 10), Le(f[i], 2), Ge(n, 0)])[n] >= 2
    )
    assert (
        witness([Eq(f[n + 1], 7), Gt(Sum(f[i], (i, 1, n + 1)), 10), Le(f[i], 2), Le(n, 1)]) is None
    )


@pytest.mark.parametrize(("beyond", "whole"), [(-1, 4), (0, 6), (1, 13), (2, 22)])
def test_sums_have_as_many_terms_as_they_say(beyond, whole):
    """The first three are 2, and past them come 7 and 9."""
    terms = [Eq(n, 3), Eq(f[i], 2), Eq(f[n + 1], 7), Eq(f[n + 2], 9)]
    sum_is = lambda value: Eq(Sum(f[i], (i, 1, n + beyond)), value)
    assert witness([sum_is(whole), *terms]) == {}
    assert witness([sum_is(whole + 1), *terms]) is None


@pytest.mark.parametrize("size", [0, 1])
def test_a_sum_with_its_end_before_its_beginning_is_zero(size):
    assert witness([Eq(n, size), Eq(f[i], 2), Eq(s, Sum(f[i], (i, 1, n - 1))), Eq(s, 0)]) == {}


def test_a_sum_waits_for_the_terms_past_its_end():
    late = [Eq(n, 3), Eq(f[i], 2), Eq(f[n + 1], x), Eq(x, s), Eq(s, beta), Eq(beta, 7)]
    assert witness([Eq(Sum(f[i], (i, 1, n + 1)), 13), *late]) == {}


def test_whole_powers_of_fractions_are_exact():
    power = [Eq(x, Rational(2, 3)), Eq(s, 4), Eq(alpha, Power(x, s))]
    assert witness([*power, Eq(alpha, Rational(16, 81))]) == {}
    assert witness([*power, Gt(alpha, Rational(16, 81))]) is None
    assert witness([*power, Lt(alpha, Rational(16, 81))]) is None


def test_the_root_of_two_is_a_power_of_two():
    root = [Eq(x, Rational(1, 2)), Eq(alpha, Power(2, x))]
    assert witness([*root, Gt(alpha, Rational("1.41")), Lt(alpha, Rational("1.42"))]) == {}


@pytest.mark.parametrize("value", [Power(x, 2), Log(x)])
def test_of_zero_powers_and_logarithms_nothing_is_known(value):
    assert witness([Eq(x, 1), Eq(alpha, value)]) == {}
    assert witness([Eq(x, 0), Eq(alpha, value)]) is None
    assert witness([Eq(x, 0), Eq(alpha, value), Eq(alpha, 0)]) is None


@pytest.mark.parametrize(("many", "chance"), [(1, 0), (2, "1/4"), (3, "1/8"), (5, "3/16")])
def test_a_probability_is_that_of_all_signs(many, chance):
    signs = [Eq(f[i], 1), Eq(n, many), Eq(s, Above(total(f[i]), 1))]
    assert witness([*signs, Eq(s, Rational(chance))]) == {}


def test_both_signs_weigh_the_same():
    likely = [Eq(f[i], 1), Eq(n, 3), Eq(s, Above(total(f[i]), 0))]
    assert witness([*likely, Eq(s, Rational(1, 2))]) == {}


def test_as_many_signs_are_counted_as_that_takes_a_moment():
    likely = lambda many: [Eq(f[i], 1), Eq(n, many), Gt(Above(total(f[i]), 0), 0)]
    assert witness(likely(16)) == {} and witness(likely(17)) is None


def test_a_sum_that_may_be_the_limit_is_not_counted():
    """Its ball is from 0 to 2, so not above 0 for certain."""
    with pytest.raises(ValueError, match="within its error of the limit"):
        _above([(fmpq(1), x)], fmpq(0), {x: arb(1, 1)})
    assert _above([(fmpq(1), x)], fmpq(0), {x: arb(1, 0.5)}) == fmpq(1, 2)


def test_probabilities_are_counted():
    likely = [Ge(Above(total(f[i]), 1), s), Gt(f[i], 0), Lt(f[i], 1), Ge(n, 1)]
    assert witness([*likely, Eq(s, 0)]) and witness([*likely, Gt(s, 0)])[n] >= 2
    assert witness([*likely, Gt(s, Rational(1, 2))]) is None


@pytest.mark.parametrize(
    "theorem",
    [
        concentration.TAIL_SMALL_SHARP,
        concentration.SILENT_SHARP,
        concentration.SILENT_FROM_N0,
        spike.NETWORK_FIRES_AT_SPIKE,
        spike.SPIKE_OUTWEIGHS_ANY_SIGNS,
        networks.NETWORK_SILENT,
        special_token_sums.OUTPUT_ABOVE_GE_TENTH,
        Theorem(lambda: Band(2, 1).eventually(concentration.SILENT_SHARP)),
    ],
    ids=range(8),
)
def test_theorems_of_the_core_are_about_something_and_their_contradictions_are_not(theorem):
    assert witness(theorem.hypotheses)
    assert witness([*theorem.hypotheses, Lt(n, 0)]) is None


@pytest.mark.parametrize(
    "relation", [Gt(n, 0), Gt(n, Rational(1, 2)), Lt(n, 1), Lt(n, Rational(1, 2))]
)
def test_n_is_a_number_of_scores(relation):
    """Not ½, which is tried among the first for others, nor −1."""
    found = witness([relation])[n]
    assert found == int(found) >= 0


def test_no_list_has_fewer_scores_than_none():
    assert witness([Lt(n, 0)]) is None


@pytest.mark.parametrize(
    "value",
    ["0", "-1", "1/100", "1/10", "1/4", "1/2", "3/4", "9/10", "1", "2", "3", "4"]
    + [str(10**power) for power in (1, 2, 3, 4, 6, 9, 12, 18, 30, 60, 120)],
)
def test_numbers_as_people_take_them_are_found_between_narrow_ends(value):
    value, near = Rational(value), Rational(1, 1000)
    assert witness([Gt(x, value - near), Lt(x, value + near)]) == {x: value}


def test_a_sum_for_one_token_is_its_only_term():
    assert _for_one(Le(total(f[i]), 3)) == Le(f[1], 3)
    assert _for_one(Le(Sum(f[i], (i, 1, n + 1)), n)) == Le(f[1] + f[2], 1)
    assert _for_one(Ge(f[i], i + n)) == Ge(f[1], 2)
