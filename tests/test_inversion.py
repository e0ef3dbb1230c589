"""The certificate against enumeration, integers and ball arithmetic, and each piece of its error
against its absence.
"""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from flint import arb, fmpz_poly
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from polycore.tails import _convolution as convolution
from polycore.tails import _majorant as bounds
from polycore.tails import _meet_in_the_middle as halves
from polycore.tails import inversion as module
from polycore.tails.bounds import chernoff, saddlepoint
from polycore.tails.inversion import ball_tail, inversion
from polycore.tails.rademacher import enumerate_tail, settled, two_class_tail

pytestmark = pytest.mark.slow

cases = settings(deadline=None, derandomize=True, max_examples=30)
weights = st.lists(st.floats(-1, 1).filter(lambda a: abs(a) > 1e-3), min_size=1, max_size=9)


def fourier(f, t, width=1e-4):
    """The inversion itself, at sizes that have shorter ways."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "COSINES", 2**14)
        return module._fourier(
            *module._merged(np.abs(np.array(f, float)), np.ones(len(f))), float(t), width, 2**21
        )


def encloses(law, t, found):
    """Whether an enclosure holds both Pr[|Z| > t] and Pr[|Z| >= t]."""
    strict, loose = (
        Fraction(sum(beyond), len(law)) for beyond in ([z > t for z in law], [z >= t for z in law])
    )
    return Fraction(found.lower) <= strict and loose <= Fraction(found.upper)


def law(f):
    """All values of Z, exactly."""
    values = [Fraction(0)]
    for a in f:
        values = [z + s * Fraction(a) for z in values for s in (1, -1)]
    return values


def atoms(f):
    """All values of |Z|, exactly."""
    return list(map(abs, law(f)))


@cases
@given(weights, st.floats(0, 0.99))
def test_inversion_encloses_enumeration(f, part):
    t = part * float(np.sum(np.abs(f)))
    found = fourier(f, t)
    assert encloses(atoms(f), t, found) and found.rigour == "certified"


@cases
@given(weights, st.data())
def test_at_an_atom_the_enclosure_holds_both_sides_of_the_jump(f, data):
    law = atoms(f)
    t = data.draw(st.sampled_from(law))
    assume(0 < float(t) == t < max(law) * Fraction(0.999))
    found = fourier(f, t)
    assert encloses(law, t, found) and found.upper - found.lower >= law.count(t) / len(law) * (
        1 - 1e-9
    )


@cases
@given(weights, st.floats(0, 1.1))
def test_every_path_encloses_enumeration(f, part):
    t = part * float(np.sum(np.abs(f)))
    found, exact = inversion(f, t), enumerate_tail(f, t).value
    assert Fraction(found.lower) <= exact <= Fraction(found.upper) and found.rigour == "certified"


def test_twenty_weights_in_the_tail(dyadic):
    f, z = dyadic(20, 0)
    for x in (0.0, 0.5, 1.0, 2.0, 3.0, 3.7):
        t = x * np.linalg.norm(f)
        exact = float(np.mean(z > t * 2.0**40))  # 2^-20 times an integer
        counted, tilted = inversion(f, t), fourier(f, t)
        assert counted.lower == exact == counted.upper
        assert tilted.lower <= exact <= tilted.upper


def test_halves_and_inversion_agree_in_the_tail():
    f = np.random.default_rng(5).uniform(0.3, 1, 41)
    for x in (1.0, 3.0, 5.0):
        counted, tilted = inversion(f, x * np.linalg.norm(f)), fourier(f, x * np.linalg.norm(f))
        assert counted.method == "split enumeration" and counted.upper == counted.lower
        assert tilted.lower <= counted.value <= tilted.upper <= 1.2 * tilted.lower


@pytest.mark.parametrize("x", [1.0, 4.0])
def test_the_middle_is_right_to_1e_8_where_the_certificate_is_wider(x):
    f = np.random.default_rng(24).uniform(0, 1, 44)
    t = x * np.linalg.norm(f)
    exact, tilted = (
        inversion(f, t),
        module._fourier(*module._merged(f, np.ones(44)), t, 1e-8, 2**29),
    )
    assert exact.method == "split enumeration" and exact.upper < exact.lower * (1 + 1e-11)
    assert tilted.lower < exact.lower and exact.upper < tilted.upper
    assert tilted.upper > tilted.lower * (1 + 1e-7) and abs(tilted.value / exact.value - 1) < 1e-8


@pytest.mark.parametrize(("n", "x"), [(60, 5.0), (64, 5.5), (80, 7.0)])
def test_far_out_more_signs_are_counted(monkeypatch, n, x):
    f = np.random.default_rng(27).uniform(0, 1, n)
    t = float(x * np.linalg.norm(f))
    counted, tilted = (
        inversion(f, t),
        module._fourier(*module._merged(f, np.ones(n)), t, 1e-4, 2**34),
    )
    assert counted.method == "split enumeration" and counted.upper < counted.lower * (1 + 1e-9)
    assert tilted.lower < counted.lower and counted.upper < tilted.upper < tilted.lower * (1 + 1e-4)
    sums = halves._sums
    monkeypatch.setattr(
        halves, "_sums", lambda a, limit, most: sums(a, 0.8 * limit, most)
    )  # cut off too early
    few, _ = halves.patterns_beyond(f, t)
    assert few * 2.0 ** (1 - n) < tilted.lower


def test_too_many_patterns_are_not_counted(monkeypatch):
    f = np.random.default_rng(28).uniform(0, 1, 70)
    assert halves.patterns_beyond(f, 6.5 * np.linalg.norm(f), most=1e5) is None
    monkeypatch.setattr(halves, "_walks", None)
    assert halves.patterns_beyond(np.tile(f, 9), 1.0) is None  # and none is listed


def test_as_many_patterns_as_are_allowed_are_counted():
    """Of 1, 2, .., 6 those of either list whose sum is at most d, and one walk."""
    f, t = np.arange(1.0, 7.0), 9.0  # d = 6
    lists = [[0, 1, 3, 4, 5, 6], [0, 2, 4, 6, 6]]  # sums of 1, 3, 5 and of 2, 4, 6 up to 6
    steps = sum(map(len, lists))
    assert halves.patterns_beyond(f, t, most=steps) == halves.patterns_beyond(f, t)
    assert halves.patterns_beyond(f, t, most=steps - 1) is None


def patterns_hold(f):
    """Whether `patterns_beyond` encloses the counts at the float64 next to each atom of Z."""
    [z for z in law(f) if z > 0]
    found = [
        (sum(z > t for z in law(f)), sum(z >= t for z in law(f)), *halves.patterns_beyond(f, t))
        for t in (float(z) for z in law(f) if z > 0)
    ]
    return all(few <= strict <= loose <= many for strict, loose, few, many in found)


@pytest.mark.parametrize("listed", [2, 5, 50])
def test_patterns_are_counted_with_any_number_of_signs_outside_the_lists(monkeypatch, listed):
    monkeypatch.setattr(halves, "LISTED", listed)
    rng = np.random.default_rng(25)
    assert all(patterns_hold(rng.uniform(0.1, 1, n)) for n in (1, 2, 6, 7))
    assert halves.patterns_beyond(np.ones(12), 4.0) == (
        sum(math.comb(12, k) for k in range(4)),
        sum(math.comb(12, k) for k in range(5)),
    )


@pytest.mark.parametrize(("name", "wrong"), [("UNIT", 0.0), ("LISTED", 6)])
def test_patterns_without_slack_or_with_a_weight_twice_are_rejected(monkeypatch, name, wrong):
    if name == "LISTED":  # one weight both in the lists and outside of them
        sums = halves._sums
        monkeypatch.setattr(halves, "_sums", lambda a, *bounds: sums(np.append(a, 0.5), *bounds))
    monkeypatch.setattr(halves, name, wrong)
    assert not patterns_hold(np.random.default_rng(25).uniform(0.1, 1, 7))


def test_the_balls_pass_between_the_jumps_of_a_lattice():
    few, many = (two_class_tail([1.0], [100], t).value for t in (20.0, 19.0))
    assert few < float(ball_tail([1.0], 20.0, [100])) < many
    assert ball_tail([1.0] * 4, 4.0) == 0


@pytest.mark.parametrize("x", [1.0, 3.29, 7.13, 11.46, 16.0])
def test_inversion_against_ball_arithmetic(x):
    f = np.random.default_rng(11).uniform(0.3, 1, 700)
    t = float(x * np.linalg.norm(f))
    exact, found = ball_tail(f, t), inversion(f, t, width=1e-6)
    assert exact.rad() < exact.mid() * arb("1e-30")
    assert found.lower < exact < found.upper < found.lower * (1 + 1e-6)
    assert abs(exact / found.value - 1) < 1e-11  # the middle is better than its certificate


def test_inversion_against_exact_integers():
    m = np.random.default_rng(12).integers(1, 50, 600)
    law = fmpz_poly([1])
    for a in map(int, m):
        law *= fmpz_poly([1] + [0] * (a - 1) + [1])  # x^{(z + sum m)/2}
    half = int(m.sum())
    for t in (201.5, 1801.5, 6001.5):
        exact = 2 * Fraction(sum(int(law[j]) for j in range(half + 1) if 2 * j - half > t), 2**600)
        found = inversion(m.astype(float), t, factors=2**29)
        assert Fraction(found.lower) <= exact <= Fraction(
            found.upper
        ) and found.upper < found.lower * (1 + 1e-3)


@pytest.mark.parametrize("x", [3.3, 7.1, 11.5])
def test_two_classes_at_n_10_to_the_6(monkeypatch, x):
    monkeypatch.setattr(module, "COSINES", 2**16)
    f, counts = [2.5e-6, 7.1e-7], [10**5, 9 * 10**5]
    t = x * math.sqrt(np.dot(counts, np.square(f)))
    exact = inversion(f, t, counts)
    assert exact.method == "two-class convolution" and exact.upper < exact.lower * (1 + 1e-8)
    tilted = module._fourier(*module._merged(np.array(f), np.array(counts, float)), t, 1e-8, 2**34)
    assert tilted.lower <= exact.upper and exact.lower <= tilted.upper < tilted.lower * 1.2
    repeated = inversion(np.repeat(f, counts), t)
    assert (repeated.lower, repeated.upper) == (exact.lower, exact.upper)
    # half of it, and one part in 10^4 further, are told apart
    assert exact.value / 2 < tilted.lower and inversion(f, t * 1.0001, counts).upper < exact.lower


@pytest.mark.parametrize(
    ("x", "low", "high"),
    [(3.29, 9e-4, 1.1e-3), (7.13, 9e-13, 1.1e-12), (11.46, 1e-30, 3e-30), (21.2, 1e-100, 1e-99)],
)
def test_a_million_random_weights_to_1e_8(x, low, high):
    n = 10**6
    z = np.random.default_rng(13).uniform(2, 4, n)
    f = z ** (0.45 * math.log2(n))
    f /= f.sum()
    t = x * np.linalg.norm(f)
    found = inversion(f, t)
    assert (
        found.upper - found.lower < 1e-8 * found.value and low < found.lower and found.upper < high
    )
    assert found.method == "tilted inversion" and found.upper < chernoff(f, t).upper
    assert saddlepoint(f, t).value == pytest.approx(found.value, rel=1e-8, abs=0)


def test_of_few_weights_the_width_is_reached_in_steps(monkeypatch):
    a, counts = np.random.default_rng(29).uniform(0.2, 1, 4), [60] * 4
    t, ends, refine = 5 * math.sqrt(np.dot(counts, np.square(a))), [], module.refine
    ways = np.array([math.comb(60, k) for k in range(61)]) / 2**60
    left, right = (
        np.add.outer(*np.multiply.outer(pair, np.arange(-60, 61, 2.0))).ravel()
        for pair in (a[:2], a[2:])
    )
    order, both = np.argsort(right), np.multiply.outer(ways, ways).ravel()
    above = np.append(np.cumsum(both[order][::-1])[::-1], 0)
    exact = 2 * both @ above[np.searchsorted(right[order], t - left, side="right")]
    monkeypatch.setattr(module, "refine", lambda *given: ends.append(given[5]) or refine(*given))
    found = inversion(a, t, counts, width=1e-6)
    assert found.upper - found.lower <= 1e-6 * found.lower and found.lower < exact < found.upper
    finer = inversion(a, t, counts, width=2e-8)
    assert finer.lower < exact < finer.upper and finer.upper - finer.lower <= 2e-8 * finer.lower
    ends.clear()
    more = inversion(
        np.linspace(0.2, 1, 10) ** 1.1, 40.0, [100] * 10, width=1e-6
    )  # smoother, so the first step is not enough
    assert more.upper - more.lower <= 1e-6 * more.lower and len(ends) > 1 and ends[-1] > 2 * ends[0]


def law_of_classes(rng):
    """Small multiples of 1, 1/3 or 1/8, some of them several times, at most 14 in all."""
    while True:
        a = np.sort(rng.choice(np.arange(1, 12), rng.integers(2, 6), replace=False)) / rng.choice(
            [1, 3, 8]
        )
        counts = rng.integers(1, 6, a.size).astype(float)
        if counts.sum() <= 14:
            return a, counts, np.repeat(a, counts.astype(int))


def test_few_classes_agree_with_enumeration_also_at_ties(monkeypatch):
    rng, wrong = np.random.default_rng(20), 0
    for _ in range(100):
        a, counts, f = law_of_classes(rng)
        t = (
            float(abs(rng.choice([-1, 1], f.size) @ f))
            if rng.random() < 0.7
            else float(rng.uniform(0, 0.9 * f.sum()))
        )
        if settled(a, counts, t) is None:
            exact, found = enumerate_tail(f, t).lower, convolution.few_class_tail(a, counts, t)
            assert found.lower <= exact <= found.upper <= found.lower * (1 + 1e-9) + 1e-280
            with (
                monkeypatch.context() as spoiled
            ):  # in floating point, as if no quotient could be a whole number but for rounding
                spoiled.setattr(
                    convolution,
                    "_quotient",
                    lambda high, low, d: np.floor((high * 2.0**32 + low) / d - 1e-9).astype(int),
                )
                found = convolution.few_class_tail(a, counts, t)
                wrong += not found.lower <= exact <= found.upper
    assert wrong > 10


def test_few_classes_agree_with_one_class_fewer_and_with_the_inversion(monkeypatch):
    f, counts, t = np.array([0.3, 0.7, 0.9]), np.array([300.0, 200.0, 100.0]), 90.05
    found, whole = convolution.few_class_tail(f, counts, t), np.array([0.3, 0.7, 0.9, 0.9000000001])
    split = convolution.few_class_tail(whole, np.array([300.0, 200.0, 60.0, 40.0]), t)
    assert found.upper < found.lower * (1 + 1e-10) and split.value == pytest.approx(
        found.value, rel=1e-6, abs=0
    )
    pair = convolution.few_class_tail(f[:2], counts[:2], 70.0)
    assert pair.value == pytest.approx(
        two_class_tail(f[:2], counts[:2], 70.0).value, rel=1e-10, abs=0
    )
    monkeypatch.setattr(module, "few_class_tail", lambda *_: None)
    inverted = inversion(f, t, counts, width=1e-6)
    assert (
        inverted.method == "tilted inversion"
        and inverted.lower <= found.upper
        and found.lower <= inverted.upper
    )


@pytest.mark.parametrize(
    ("f", "counts", "most"),
    [
        ([1.0, 2.0, 3.0], [1e4, 1e4, 1e4], 1e5),
        ([1.0, 2.0, 3.0], [1e8, 1, 1], 2**25),
        ([1.0, 2.0, 3.0], [1e15, 1, 1], 2**25),
        ([1e-6, 1.0, 3.0], [9, 9, 9], 2**25),
    ],
)
def test_few_classes_too_many_outcomes_or_bits(f, counts, most):
    assert (
        convolution.few_class_tail(np.array(f), np.array(counts, dtype=float), 10.0, most) is None
    )


def test_an_atom_at_t_ends_the_search():
    f, counts = np.arange(1, 10) / 8, [20] * 9
    found, aside = (inversion(f, t, counts, width=1e-4) for t in (30.0, 30.1))
    assert found.upper > found.lower * 1.01 and aside.upper < aside.lower * (1 + 1e-4)
    assert found.lower <= aside.upper and aside.lower <= found.upper


def test_a_spike_and_many_small_weights():
    rest = np.random.default_rng(14).uniform(0.3, 1, 2000)
    f, deviation = np.append(rest, rest.sum()), np.linalg.norm(rest)
    t = f[-1] + 3.0 * deviation
    found, alone = inversion(f, t, width=1e-6), inversion(rest, 3.0 * deviation, width=1e-6)
    # Pr[spike + Z > t] one-sided is half of Pr[Z > 3 deviations]
    assert found.lower <= alone.upper / 2 and alone.lower / 2 <= found.upper < found.lower * (
        1 + 1e-6
    )


def skip_without_cause(a, counts, s, step, start, stop, allowed, budget):
    return bounds.Found(3 * step, stop, 0.0, [])


def untilted(a, counts, s, t, u):
    return right["characteristic"](a, counts, 0.0, t, u)


def no_wrapping(a, counts, t, s, exponent, more, size):
    return right["_period"](a, counts, t, s, exponent, more, size)[0] / 4, 0.0


def no_gap(k, total, sp):
    high, less, rounding = right["_extremal"](k, total, sp)
    return high - less / 2, 0 * less, rounding


def no_triangle(k, total, sp):
    high, less, rounding = right["_extremal"](k, total, sp)
    return high / np.maximum(1 - k / total, 1e-3), less, rounding


WRONG = {
    "refine": skip_without_cause,
    "characteristic": untilted,
    "_period": no_wrapping,
    "_extremal": no_gap,
}
right = {name: getattr(module, name) for name in WRONG}


TRIALS = [
    (f, float(t))
    for rng in [np.random.default_rng(15)]
    for n in (1, 2, 3, 5, 8)
    for f in [rng.uniform(0.1, 1, n)]
    for t in [*map(float, atoms(f)[:4]), *rng.uniform(0, f.sum(), 4)]
    if t < f.sum() * 0.99
]


def all_enclosed():
    return all(encloses(atoms(f), t, fourier(f, t)) for f, t in TRIALS)


def test_with_all_its_pieces_every_trial_is_enclosed():
    assert all_enclosed()


@pytest.mark.parametrize(("name", "wrong"), [*WRONG.items(), ("_extremal", no_triangle)])
def test_a_piece_left_out_is_rejected(monkeypatch, name, wrong):
    monkeypatch.setattr(module, name, wrong)
    assert not all_enclosed()


@pytest.mark.parametrize("charged", [True, False])
def test_what_wraps_round_is_charged(dyadic, monkeypatch, charged):
    def short(a, counts, t, s, exponent, more, size):
        period, wrapped = right["_period"](
            a, counts, t, s, exponent, more, 1e12 / math.e
        )  # e^-1 of the tail wraps, not 1e-11 of it
        return period, wrapped * charged

    monkeypatch.setattr(module, "_period", short)
    f, z = dyadic(16, 3)
    trials = [
        (float(np.mean(z > t * 2.0**40)), fourier(f, t))
        for x in (0.3, 1.0, 2.0, 3.0)
        for t in [x * np.linalg.norm(f)]
    ]
    assert all(found.lower <= exact <= found.upper for exact, found in trials) == charged


def test_half_the_tail_and_one_side_are_rejected():
    f = np.random.default_rng(16).uniform(0.3, 1, 700)
    t = float(7 * np.linalg.norm(f))
    exact, found = ball_tail(f, t), inversion(f, t, width=1e-4)
    assert (
        not found.lower < exact / 2 < found.upper
        and not found.lower < exact * (1 + arb("2e-4")) < found.upper
    )


@pytest.mark.parametrize(
    ("n", "seed", "x", "width"),
    [(100, 1, 3, 1e-7), (150, 2, 5, 1e-7), (200, 3, 7, 1e-7), (300, 4, 5, 1e-7)],
)
def test_hundreds_of_weights(n, seed, x, width):
    f = np.random.default_rng(seed).uniform(0, 1, n)
    t = float(x * np.linalg.norm(f))
    found = inversion(f, t, width=width)
    assert found.upper - found.lower < width * found.value
    exact = ball_tail(f, t)
    assert found.lower < exact < found.upper and abs(exact / found.value - 1) < 1e-10


def test_a_million_signs_of_few_weights():
    rng = np.random.default_rng(26)
    odd, pair, sizes = rng.uniform(0.3, 2, 4), [1.0, 0.47], [10**5, 9 * 10**5]
    t = 5 * math.sqrt(np.dot([*sizes, 1, 1, 1, 1], np.square([*pair, *odd])))
    shifted = [
        two_class_tail(pair, sizes, t - np.dot(signs, odd))
        for signs in itertools.product((-1, 1), repeat=4)
    ]
    lower, upper = (np.mean([getattr(case, end) for case in shifted]) for end in ("lower", "upper"))
    found = inversion([*pair, *odd], t, [*sizes, 1, 1, 1, 1], width=1e-7)
    assert found.lower < upper and lower < found.upper < found.lower * (1 + 1e-7)


def test_panels_dropped_from_the_sums_are_rejected(monkeypatch):
    rng = np.random.default_rng(23)
    trials = [
        (f, t)
        for n in (6, 9)
        for f in [rng.uniform(0.1, 1, n)]
        for t in map(float, atoms(f)[:6])
        if t < 0.9 * f.sum()
    ]

    def enclosed():
        return all(encloses(atoms(f), t, fourier(f, t)) for f, t in trials)

    assert enclosed()
    panels, refine = module.panels, module.refine
    monkeypatch.setattr(module, "panels", lambda *given: iter(()))
    assert not enclosed()
    monkeypatch.setattr(module, "panels", panels)
    monkeypatch.setattr(
        module, "refine", lambda *given: bounds.Found(*given[4:6], 0.0, [])
    )  # all skipped, at no cost
    assert not enclosed()
    monkeypatch.setattr(module, "refine", refine)
    assert enclosed()


def test_with_hardly_any_work_an_enclosure_is_wide_and_right():
    """Down to one factor of phi, where nothing beyond the first nodes is computed."""
    f = np.random.default_rng(3).uniform(0.2, 1, 100)
    found = [inversion(f, 3 * np.linalg.norm(f), factors=most) for most in (1, 1e3, 1e6)]
    for wide, fine in itertools.pairwise(found):
        assert wide.lower < fine.lower < fine.upper < wide.upper
        assert wide.upper - wide.lower > 2 * (fine.upper - fine.lower)


@pytest.mark.parametrize(("n", "x"), [(60, 3.0), (300, 5.0), (700, 21.0)])
def test_few_or_nearly_fixed_signs_get_an_honest_wide_enclosure(n, x, monkeypatch):
    monkeypatch.setattr(module, "_counted", lambda *given: None)  # too many patterns, after long
    f = np.random.default_rng(18).uniform(0.3, 1, n)
    t = float(x * np.linalg.norm(f))
    found = inversion(f, t, width=1e-10, factors=2**24)
    assert 1e-9 < found.upper / found.lower - 1 < 0.5
    if n > 60:  # fewer have no smooth law at the cut of the balls
        assert found.lower < ball_tail(f, t) < found.upper


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: inversion([1.0], -1), ValueError, "t must be a finite real number >= 0, got -1"),
        (lambda: inversion([0.0], 1), ValueError, "f is all zero"),
        (
            lambda: inversion([1.0], 0.5, width=0),
            ValueError,
            "width must be a finite real number > 0",
        ),
        (lambda: inversion([1.0], 0.5, width=1), ValueError, "width must be a finite real number"),
        (
            lambda: inversion([1.0], 0.5, factors=0),
            ValueError,
            "factors must be a finite real number > 0, got 0",
        ),
        (lambda: inversion([1.0], 0.5, [1, 2]), ValueError, "counts has 2 entries for 1 classes"),
        (
            lambda: inversion([1.0, 2.0, 3.0], 4e5, [10**6] * 3),
            ValueError,
            "below 1e-290: use tails.log_chernoff",
        ),
        (
            lambda: ball_tail([1.0], 0.5),
            ValueError,
            "t must lie between ||f|| = 1 and 40 ||f||, got 0.5",
        ),
        (
            lambda: ball_tail([1.0, 0.5], 1.2),
            ValueError,
            "200 terms of the sum over 2 classes do not fade",
        ),
    ],
)
def test_errors_name_the_value_and_the_remedy(call, error, message):
    with pytest.raises(error) as caught:
        call()
    assert message in str(caught.value)


@pytest.mark.parametrize("exponent", [0.4, 0.5, 0.6])
def test_a_tighter_request_never_widens(exponent):
    """Weights of which a few are large: |phi| is seen to be small at some widths only."""
    f = np.arange(1, 5001) ** -exponent
    tails = [inversion(f, 10 * np.linalg.norm(f), width=10.0**-digits) for digits in range(1, 8)]
    gaps = [(tail.upper - tail.lower) / tail.lower for tail in tails]
    assert all(tighter <= wider for wider, tighter in zip(gaps, gaps[1:])), gaps
