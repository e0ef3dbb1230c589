"""The pieces of the inversion, one by one: which nodes are computed, the transforms at them against
balls, what each error is charged with, and how the width is searched.
"""

import math
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from flint import acb, arb, ctx
from scipy.optimize import brentq

from polycore.tails import _characteristic as values
from polycore.tails import _majorant as bounds
from polycore.tails import _meet_in_the_middle as halves
from polycore.tails import inversion as module
from polycore.tails.bounds import cumulants, tilt


def test_equal_weights_are_merged_and_zeros_left_out():
    a, counts = module._merged(np.array([3.0, 1, 0, 1, 3, 2]), np.array([1.0, 2, 5, 1, 1, 4]))
    assert (a.tolist(), counts.tolist()) == ([1, 2, 3], [3, 4, 2])
    a, counts = module._merged(np.array([0.5, 0.5]), np.array([1.0, 2]))
    assert (a.tolist(), counts.tolist()) == ([0.5], [3])


WAYS = ["two_class_tail", "few_class_tail", "_counted", "_fourier"]


@pytest.mark.parametrize(
    ("counts", "tried"),
    [
        ([10**15], WAYS[:1]),
        ([10**12, 10**8], WAYS[:1]),
        ([10**12 + 1, 1], ["few_class_tail", "_fourier"]),
        ([10**8 + 1, 10**8 + 1], ["few_class_tail", "_fourier"]),
        ([2] * 8, WAYS[1:]),
        ([2] * 9, WAYS[2:]),
        ([1] * 1024, WAYS[2:]),
        ([1] * 1025, WAYS[3:]),
    ],
)
def test_which_ways_are_tried(monkeypatch, counts, tried):
    """The exact ones first, as far as they go."""
    asked = []
    for name in WAYS:
        answer = lambda *_, name=name: asked.append(name)
        monkeypatch.setattr(module, name, answer)
    module.inversion(np.arange(1.0, len(counts) + 1), 2.5, counts)
    assert asked == tried


def test_balls_of_weights_that_are_there_twice_are_those_of_each():
    f = np.random.default_rng(2).uniform(0.3, 1, 250)
    t, counts = 7 * math.sqrt(np.sum(f**2)), [2] * 50 + [1] * 200
    once, all_of_them = module.ball_tail(f, t, counts), module.ball_tail(np.repeat(f, counts), t)
    assert abs(once / all_of_them - 1) < 1e-20


def test_the_balls_go_as_far_as_40_deviations():
    assert module.ball_tail([1.0], 1600.0, [1600]) == 0
    with pytest.raises(ValueError, match="and 40"):
        module.ball_tail([1.0], math.nextafter(1600, 2000), [1600])


@pytest.mark.parametrize(
    "found",
    [
        (5, 9),
        (2**53, 2**53),
        (5, 2**53 + 1),
        (2**53 + 1, 2**53 + 1),
        (2**53 + 1, 2**53 + 3),
        (2**59 + 1, 2**59 + 5),
    ],
)
def test_a_count_past_2_to_the_53_is_rounded_outward(monkeypatch, found):
    monkeypatch.setattr(halves, "patterns_beyond", lambda *_: found)
    tail = module._counted(np.array([0.5, 1.0]), np.array([30.0, 31.0]), 3.0)
    low, high = (min(Fraction(1), Fraction(many, 2**60)) for many in found)
    assert Fraction(tail.lower) <= low <= high <= Fraction(tail.upper)
    exact = found[1] <= 2**53
    assert (tail.lower == low and tail.upper == high) or not exact
    assert tail.upper - tail.lower <= float(high - low) + 8 * math.ulp(tail.upper)


def sifted(monkeypatch, loads, width=1e-2, stop=1e3):
    """What `_sifted` finds and asks of `refine`, which answers with these loads."""
    asked, answers = [], iter(loads)

    def refine(*of):
        asked.append(of[4:])
        return bounds.Found(of[4], of[5], 0.0, ["kept"], next(answers))

    monkeypatch.setattr(module, "refine", refine)
    end = lambda width: stop * 1e-2 / width
    found = module._sifted(np.ones(1), np.ones(1), 1.0, 0.5, 20.2, end, width, 0.05, 1e9)
    return found, asked


@pytest.mark.parametrize("stop", [20.0, 21.0, 30.2, 1e3, 1e6])
def test_every_node_is_in_one_place(monkeypatch, stop):
    """The first ones one by one, where M^ bends, then panels of one, then what is refined."""
    found, [(start, end, allowed, most)] = sifted(monkeypatch, [0.5], stop=stop)
    [(first, length, bits), kept] = found.kept
    alone = int(np.unpackbits(bits).sum())
    assert (end, allowed, most, kept, length) == (stop, 0.05 * 1e-2, 1e9, "kept", 1)
    assert first == math.floor(20.2 / 0.5) and found.start == min(stop, 20.2)
    assert alone == min(2**16, max(0, math.ceil(stop / 0.5) - 1 - first))
    if start < stop:
        assert math.floor(start / 0.5) == first + alone
    else:
        assert first + alone >= math.ceil(stop / 0.5) - 1  # none is left, of those below N


def test_where_it_takes_too_long_the_width_grows(monkeypatch):
    """By the root of the load, and at least by a fiftieth; what is allowed, up to a tenth."""
    found, asked = sifted(monkeypatch, [4.0, 1.0001, 16.0, 9.0, 1.0])
    assert [1e3 * 1e-2 / end for _, end, *_ in asked] == pytest.approx(
        [1e-2, 2e-2, 2.04e-2, 8.16e-2, 0.2448]
    )
    assert [allowed / 0.05 for *_, allowed, _ in asked] == pytest.approx(
        [1e-2, 2e-2, 2.04e-2, 8.16e-2, 0.1]
    )
    assert found.end == asked[-1][1]


def test_of_wider_requests_the_one_that_reaches_furthest_is_taken(monkeypatch):
    """In steps of the root of ten, until one serves its own width, or a tenth."""
    asked, reach = [], {1: 3.0, 2: 7.0, 3: 5.0}

    def cleared(a, counts, s, step, least, stop, allowed, most):
        asked.append((1 / stop, allowed, most))
        return bounds.Found(0.0, reach.get(len(asked), 0.0), 0.0, [])

    monkeypatch.setattr(module, "_cleared", cleared)
    none = bounds.Found(0.0, 1.0, 0.0, [])
    given = None, None, 1.0, 0.5, 2.0, lambda width: 1 / width, 1e-3, 0.05, 1e9
    assert module._widened(none, *given).end == 7.0 and len(asked) == 4
    widths = [1e-3 * 10 ** (k / 2) for k in (1, 2, 3, 4)]
    assert [width for width, *_ in asked] == pytest.approx(widths)
    assert [allowed for _, allowed, _ in asked] == pytest.approx([0.05 * w for w in widths])
    reach[5] = 1000.0 / 3  # the next one serves its own width, which ends the search
    assert module._widened(none, *given).end == 1000 / 3 and len(asked) == 5
    for end in (1000.0, 2000.0):  # of its own width, and further
        assert module._widened(none._replace(end=end), *given).end == end and len(asked) == 5


@pytest.mark.parametrize(
    ("start", "end", "many", "known"),
    [
        (3.0, 900.0, 1, None),
        (3.0, 512.0, 1, None),
        (21.0, 900.0, 1, None),  # up to 20 the nodes are computed in any case
        (600.0, 900.0, 1, 512.0),
        (3.0, 15.0, 1, 512.0),
        (3.0, 15.0, 2**6, 20.0),
        (3.0, 15.0, 2**3, 64.0),
    ],
)
def test_what_is_skipped_is_worth_it_or_no_further_than_nodes_are_computed(
    monkeypatch, start, end, many, known
):
    """Those are at most 2^10 here, with all their weights, or as far as 20."""
    monkeypatch.setattr(module, "COSINES", 2**10)
    found = bounds.Found(start, end, 1e-9, [])
    monkeypatch.setattr(module, "skip", lambda *_: found)
    cleared = module._cleared(np.ones(many), np.ones(many), 1.0, 0.5, 20.0, 1e3, 1e-9, 1e9)
    assert cleared == (found if known is None else (known, known, 0.0, [], 0.0))


def extremal(total, sp, x, sums=None):
    """sum_m L(x + m) and M(x + m) on the circle of length 1: one atom at x - t = x/P, s P = sp, N =
    total.
    """
    k = np.arange(math.floor(total) + 1.0)
    found = [
        (sums or module._sums)(k, np.exp(2j * np.pi * k * y), np.zeros(k.size), total, sp)[:2]
        for y in x
    ]
    return np.array(found).T


@pytest.mark.parametrize("sp", [0.5, 3.0, 30.0])
@pytest.mark.parametrize("total", [40, 64.7, 1000])
def test_graham_and_vaaler_functions_lie_on_either_side(total, sp):
    x = np.concatenate([np.linspace(0, 1, 1500, endpoint=False)[1:], [1e-4, 1e-9, 1 - 1e-4]])
    lower, upper = extremal(total, sp, x)
    exact = np.exp(-sp * x) / -math.expm1(-sp)  # sum_m E(x + m)
    assert (lower <= exact + 1e-12).all() and (exact <= upper + 1e-12).all()
    at_zero = extremal(total, sp, [0.0])
    assert at_zero[0] <= 1 / math.expm1(sp) + 1e-12 and at_zero[1] >= 1 / -math.expm1(-sp) - 1e-12
    # the least integrals: apart by 1/N over a period
    flat = np.linspace(0, 1, 4 * math.ceil(total), endpoint=False)
    low, high = extremal(total, sp, flat)
    assert np.mean(high - low) == pytest.approx(1 / total, rel=1e-9, abs=0)
    # the middle of the two is on neither side
    middle = (lower + upper) / 2
    assert not (middle >= exact - 1e-12).all() and not (middle <= exact + 1e-12).all()


right_stretched = module._stretched


@pytest.mark.parametrize("bent", [True, False])
def test_the_parabola_in_place_of_the_transform_is_charged(monkeypatch, bent):
    """One atom at x, by panels of eight nodes from the first on, against all nodes one by one."""
    total, sp = 1000.5, 3.0
    k, starts = np.arange(1001.0), np.arange(1.0, 1000, 8)
    if not bent:
        monkeypatch.setattr(
            module,
            "_stretched",
            lambda k, length, *given: right_stretched(k, length, *given)[:2] + (0.0,),
        )

    def holds(x):
        phi = np.exp(2j * np.pi * k * x)
        y = phi[1:].reshape(-1, 8)
        first = module._sums(k[:1], phi[:1], np.zeros(1), total, sp)
        near = module._sums(k, phi, np.zeros(k.size), total, sp)
        moved = (y @ (np.arange(8) - 3.5) ** p for p in range(3))
        far = module._stretched(starts, 8, *moved, np.full(125, 8.0), 0.0, total, sp)
        return all(abs(near[i] - first[i] - far[i]) <= far[2] for i in (0, 1))

    assert all(map(holds, (0.0, 0.01, 0.3, 0.5, 0.77))) == bent


def exact_extremal(k, total, sp):
    """M^ and M^ - L^ at k/N, over N, as often as k and -k are (Graham and Vaaler)."""
    with ctx.workprec(200):
        v, rate, tau = arb(k) / arb(total), arb(sp) / arb(total), 2 * arb.pi()
        w = acb(v, -rate / tau)
        rest = (rate / (rate.exp() - 1) + rate) / tau
        often = (2 if k else 1) / arb(total)
        high = (1 - w) / (1 - (acb(0, -1) * tau * w).exp()) - acb(0, 1) * rest
        return often * high, often * (1 - v)


@pytest.mark.parametrize("sp", [1e-3, 0.5, 3.0, 30.0])
@pytest.mark.parametrize("total", [3.5, 40.0, 64.7, 1e4, 1e8])
def test_the_transforms_are_off_by_no_more_than_their_rounding(total, sp):
    """And that is not much: 2^-40 of the transform, or of M^(0), but for the rounding of 1 - v."""
    last = math.ceil(total) - 1
    k = np.unique(np.array([0, 1, 2, last // 3, last // 2, last - 1, last], float))
    high, less, rounding = module._extremal(k, total, sp)
    for one, gap, off, place in zip(high, less, rounding, k):
        known, between = exact_extremal(int(place), total, sp)
        assert abs(acb(one.real, one.imag) - known) <= arb(off)
        assert abs(arb(gap) - between) <= arb(off)
        assert off <= 2.0**-40 * max(abs(one), 1 / total) / (1 - place / total)


@pytest.mark.parametrize("total", [200.5, 1000.5])
@pytest.mark.parametrize("length", [1, 2, 7, 8])
def test_panels_are_off_by_no_more_than_the_bend(total, length):
    """One atom at x. The bend is the third derivative's: at least a hundredth of it is seen."""
    k, sp = np.arange(1.0, math.ceil(total)), 3.0
    starts = k[: k.size // length * length : length]
    x = (0.01, 0.3, 0.5, 0.77)
    seen = []
    for place in x:
        phi = np.exp(2j * np.pi * k * place)[: starts.size * length]
        y = phi.reshape(-1, length)
        moved = [y @ (np.arange(length) - (length - 1) / 2) ** p for p in range(3)]
        size = np.full(starts.size, float(length))
        for j in range(0, starts.size, 7):
            nodes = starts[j] + np.arange(length)
            near = module._sums(nodes, y[j], np.zeros(length), total, sp)
            *far, allowed = module._stretched(
                starts[j : j + 1],
                length,
                *(part[j : j + 1] for part in moved),
                size[:1],
                0.0,
                total,
                sp,
            )
            off = max(abs(one - other) for one, other in zip(near, far))
            assert off <= allowed
            seen.append(off / allowed)
    assert max(seen) > 0.01 or length < 3
    assert length > 1 or max(seen) < 0.1 and allowed < 1e-14


def test_an_error_of_the_values_is_an_error_of_the_sums():
    """Of each node |M^| + |M^ - L^| times as much; without one, the rounding of the transforms."""
    total, sp, k = 1000.5, 3.0, np.arange(1.0, 801.0)
    high, less, rounding = module._extremal(k, total, sp)
    phi, off = np.exp(2j * np.pi * k * 0.3), np.random.default_rng(1).uniform(0, 1e-3, k.size)
    exact, wide = (module._sums(k, phi, error, total, sp)[2] for error in (0 * off, off))
    assert exact == pytest.approx(np.sum(rounding), rel=1e-9, abs=0)
    assert wide - exact == pytest.approx(np.sum((abs(high) + less) * off), rel=1e-9, abs=0)


@pytest.mark.parametrize("length", [2, 7, 8])
@pytest.mark.parametrize("first", [1.0, 5.0, 300.0, 990.0])
def test_an_error_of_a_panel_is_charged_as_its_three_sums_can_have_it(first, length):
    """Turned so that all add up in M^, and twice that of the node in M^ - L^."""
    total, sp, error = 1000.5, 3.0, 1e-3
    places = first + np.array([0, (length - 1) / 2, length - 1])
    (start, middle, end), (gap, *_), _ = module._extremal(places, total, sp)
    half = (length - 1) / 2
    parts = middle, (end - start) / (2 * half), (start - 2 * middle + end) / (2 * half**2)
    most = error * np.array([1, length / 2, length**2 / 4])
    turned = [np.array([off * part.conjugate() / abs(part)]) for off, part in zip(most, parts)]
    none = [np.zeros(1, complex)] * 3
    stretched = lambda moved, error: module._stretched(
        np.array([first]), length, *moved, np.zeros(1), error, total, sp
    )
    low, high, charged = stretched(turned, error)
    assert stretched(none, error) == (0, 0, charged) and stretched(none, 0.0) == (0, 0, 0)
    assert high == pytest.approx(abs(np.array(parts)) @ most, rel=1e-9, abs=0)
    assert max(high, -low) <= charged <= (high + 2 * gap * error) * (1 + 1e-9)


def exact_cumulant(a, counts, s):
    """K(s), to the digits that mpmath works with."""
    s = mpmath.mpf(s)
    return mpmath.fsum(n * mpmath.log(mpmath.cosh(s * x)) for x, n in zip(a, counts))


@pytest.mark.parametrize(
    ("classes", "x"), [([1.0], 0.5), ([0.3, 1.0], 3.0), ([0.1, 0.2, 1.0], 1.0), ([0.7, 1.0], 7.0)]
)
@pytest.mark.parametrize("more", [0.5, 2, 8])
@pytest.mark.parametrize("size", [0.3, 0.01])
def test_what_wraps_round_is_a_part_in_10_to_the_12(classes, x, size, more):
    """One of the two series at its first term, the other at less; both are added up to the end."""
    a, counts = np.array(classes), np.full(len(classes), 40.0)
    deviation = math.sqrt(np.sum(counts * a**2))
    t = x * deviation
    s, more = tilt(a, counts, t), more / deviation
    with mpmath.workdps(40):
        exponent = exact_cumulant(a, counts, s) - mpmath.mpf(s) * t
        period, wrapped = module._period(a, counts, t, s, float(exponent), more, size)
        further = mpmath.mpf(s) + more
        excess = exact_cumulant(a, counts, further) - further * t - exponent
        behind = lambda m: mpmath.exp(-s * m * period - exponent)
        ahead = lambda m: mpmath.exp(excess - more * m * period)
        assert float(max(behind(1), ahead(1))) == pytest.approx(1e-12 * size, rel=1e-6, abs=0)
        known = mpmath.fsum(series(m) for series in (behind, ahead) for m in range(1, 200))
        assert known <= wrapped <= 1.002 * known
        assert wrapped <= 4e-12 * size


A, COUNTS = np.array([0.2, 0.5, 1.0]), np.array([30.0, 20.0, 10.0])
T = 12.0


def searched(
    monkeypatch, gaps, ends=(), a=A, counts=COUNTS, t=T, width=1e-4, few=(3, 60), slack=1e-13
):
    """What `_fourier` returns where its means are 0.2 and these gaps more, and what it asks for:
    each (end, allowed) of `_cleared`, and which search follows where that ends too soon.
    """
    asked, searches, ends = [], [], iter(ends)
    given = iter(gaps)

    def cleared(a, counts, s, step, least, stop, allowed, factors):
        asked.append((stop, allowed, step, least, s))
        return bounds.Found(step, next(ends, 1.0) * stop, 0.0, [])

    def sought(name):
        def search(*given):
            searches.append((name, *given))
            return bounds.Found(0.0, asked[-1][0], 0.0, [])

        return search

    monkeypatch.setattr(module, "_cleared", cleared)
    monkeypatch.setattr(module, "_sifted", sought("sifted"))
    monkeypatch.setattr(module, "_widened", sought("widened"))

    def means(a, counts, s, t, step, found, sp):
        assert sp == pytest.approx(
            2 * math.pi * s / step, rel=1e-12, abs=0
        )  # s P, for P = 2 pi/step
        return 0.2, 0.2 + next(given), slack

    monkeypatch.setattr(module, "_means", means)
    monkeypatch.setattr(module, "FEW", few[0])
    monkeypatch.setattr(module, "MANY", few[1])
    return module._fourier(a, counts, t, width, 1e9), asked, searches


@pytest.mark.parametrize("t", [0.0, 0.5, 12.0, 25.0])
@pytest.mark.parametrize("scale", [1.0, 2.0**-7])
def test_the_means_are_scaled_and_everything_is_charged(monkeypatch, t, scale):
    """Both sides, what wraps round from below alone, the slack, and the rounding of the factor."""
    a, t = scale * A, scale * t
    found, asked, _ = searched(monkeypatch, [1e-9], a=a, t=t)
    s = asked[0][-1]
    assert s == max(tilt(a, COUNTS, t), 1 / math.sqrt(np.sum(COUNTS * a**2)))
    log, _, variance = cumulants(a, COUNTS, s)
    size = 1 / (2 + 2.6 * s * math.sqrt(variance))
    period, wrapped = module._period(a, COUNTS, t, s, log - s * t, 8 / math.sqrt(variance), size)
    assert asked[0][2] == 2 * math.pi / period
    with mpmath.workdps(40):
        factor = 2 * mpmath.exp(exact_cumulant(a, COUNTS, s) - mpmath.mpf(s) * t)
        low = factor * (mpmath.mpf(0.2) - 1e-13 - wrapped)
        high = factor * (mpmath.mpf(0.2 + 1e-9) + 1e-13)
        charged = 512 * 2.0**-53 * (2 + log + s * t)
        assert low * (1 - 1.05 * charged) <= found.lower <= low * (1 - 0.95 * charged)
        assert high * (1 + 0.95 * charged) <= found.upper <= high * (1 + 1.05 * charged)


def test_an_enclosure_is_of_a_probability(monkeypatch):
    found, *_ = searched(monkeypatch, [0.0, 0.0], slack=1e9)
    assert (found.lower, found.upper) == (0, 1)


def test_the_search_narrows_until_the_width_is_reached(monkeypatch):
    """By what is missing, to a tenth at least and to half of it at most."""
    gaps = [0.2 * part for part in (1e-2, 3e-4, 1.5e-4, 0.99e-4)]
    found, asked, searches = searched(monkeypatch, gaps)
    widths = np.array([8e-4, 8e-5, 2.4e-5, 1.2e-5])  # heavy atoms: at first eight times as wide
    least = asked[0][1] / widths[0]
    assert [allowed for _, allowed, *_ in asked] == pytest.approx(least * widths, rel=1e-3, abs=0)
    assert [end for end, *_ in asked] == pytest.approx(
        asked[0][0] * widths[0] / widths, rel=1e-3, abs=0
    )
    assert not searches and found.upper / found.lower - 1 < 1e-4


@pytest.mark.parametrize(
    ("counts", "width", "aim"),
    [(np.ones(3), 1e-4, 1e-4), (np.array([2.0, 1, 1]), 1e-2, 8e-2), (COUNTS, 0.2, 0.5)],
)
def test_atoms_that_are_not_heavy_are_met_at_the_width_itself(monkeypatch, counts, width, aim):
    """The smoothing has 0.85 of it, to the first correction; a 20th may be skipped."""
    _, [(end, allowed, step, least, s)], _ = searched(
        monkeypatch, [1e-9], counts=counts, t=0.8, width=width
    )
    variance = cumulants(A, counts, s)[2]
    assert end == pytest.approx(
        2 * math.pi * s / (0.85 * aim) * (1 + 0.6 / (s * s * variance)), rel=1e-12, abs=0
    )
    assert least == pytest.approx(64 * step + 2 * math.pi * s, rel=1e-12, abs=0)
    assert allowed == pytest.approx(
        aim / 20 / (2 + 2.6 * s * math.sqrt(variance)), rel=1e-12, abs=0
    )


@pytest.mark.parametrize("tried", [1, 2, 3])
def test_a_gap_that_hardly_shrinks_is_an_atom(monkeypatch, tried):
    """A fifth less, at least, or the search ends; so it does where the frequencies end too soon."""
    gaps = [0.2 * 1e-2 * 0.79**k for k in range(tried)] + [0.2 * 1e-2 * 0.79 ** (tried - 1) * 0.81]
    found, asked, searches = searched(monkeypatch, [*gaps, 0.0])
    assert len(asked) == tried + 1 and not searches
    assert found.upper / found.lower - 1 == pytest.approx(gaps[-1] / 0.2, rel=1e-3, abs=0)


@pytest.mark.parametrize(
    ("few", "name"), [((3, 60), "sifted"), ((2, 60), "widened"), ((3, 59), "widened")]
)
def test_where_no_bound_reaches_far_enough_nodes_are_sifted_or_the_width_grows(
    monkeypatch, few, name
):
    gaps = [0.2 * 1e-2, 0.2 * 1e-3, 0.2 * 0.9e-4]
    _, asked, searches = searched(monkeypatch, gaps, ends=[1.0, 1.0, 0.9], few=few)
    assert len(asked) == 3 and [which for which, *_ in searches] == [name]
    *_, width, share, most = searches[0]
    assert width == pytest.approx(8e-6, rel=1e-2, abs=0) and most == 1e9
    assert share * width == pytest.approx(asked[-1][1], abs=0)


def test_a_tail_below_1e_290_is_refused(monkeypatch):
    """Where it is about exp(-660); its logarithm is known in any case."""
    a, counts = np.array([1.0, 2.0, 3.0]), np.array([400.0, 400.0, 400.0])
    reach = lambda t: (lambda s: cumulants(a, counts, s)[0] - s * t)(tilt(a, counts, t))
    inside, outside = (brentq(lambda t, e: reach(t) - e, 10, 2390, e) for e in (-659.9, -660.1))
    found, *_ = searched(monkeypatch, [1e-9], a=a, counts=counts, t=inside)
    assert 1e-290 < found.lower < 1e-286
    with pytest.raises(ValueError, match="about exp\\(-660.1\\), below 1e-290"):
        searched(monkeypatch, [1e-9], a=a, counts=counts, t=outside)


def test_nodes_one_by_one_and_in_panels_are_one_sum():
    """The means over all nodes, against their definition term by term."""
    a, counts, s, t, step, sp = np.array([0.4, 1.0]), np.array([3.0, 2.0]), 0.7, 1.3, 0.25, 30.0
    bits = np.packbits(np.arange(80) % 3 > 0)
    found = bounds.Found(
        10.1, 90.2, 1e-6, [values.Panels(40.0, 1, bits[:4]), values.Panels(72.0, 2, bits)]
    )
    lower, upper, slack = module._means(a, counts, s, t, step, found, sp)
    nodes = [*range(41)]  # up to 10.1
    nodes += [41 + j for j in range(32) if j % 3 > 0]
    nodes += [73 + 2 * j + l for j in range(80) if j % 3 > 0 for l in (0, 1)]
    k = np.array(nodes, float)
    phi = values.characteristic(a, counts, s, t, step * k)[0]
    high, less, _ = module._extremal(k, 90.2 / step, sp)
    exact = np.sum((high * phi).real), np.sum(less * phi.real)
    assert upper == pytest.approx(exact[0], abs=slack) and upper - lower == pytest.approx(
        exact[1], abs=slack
    )
    assert 1e-6 < slack < 1.1e-6


@pytest.mark.parametrize("rate", [1e-6, 0.5, 5.0])
def test_the_third_derivative_is_no_larger_than_is_charged(rate):
    """Of M^, which the partial fractions of the cotangent bound; half of it occurs."""
    v = np.array([0.001, 0.03, 0.2, 0.5, 0.8, 0.97, 0.999])
    with mpmath.workdps(60):
        turn = 2j * mpmath.pi
        transform = lambda v: (lambda w: (1 - w) / (1 - mpmath.exp(-turn * w)))(v + rate / turn)
        third = np.array([float(abs(mpmath.diff(transform, x, 3))) for x in v])
    bound = 3 / (math.pi * v**4) + 3.5
    assert (third <= bound).all() and (third > bound / 2).any() == (rate < 1)


@pytest.mark.parametrize("length", [8, 64])
@pytest.mark.parametrize("first", [1.0, 30.0, 900.0])
def test_the_bend_is_what_a_parabola_through_three_places_can_miss(first, length):
    """h^3/(9 sqrt 3) times the third derivative, at k and at -k, and at most a 25th more."""
    total, none = 1000.5, [np.zeros(1, complex)] * 3
    places = np.array([first]), length, *none
    bend = module._stretched(*places, np.ones(1), 0.0, total, 3.0)[2]
    half, third = (length - 1) / 2 / total, 3 / (math.pi * (first / total) ** 4) + 3.5
    missed = 2 / total * half**3 / (9 * math.sqrt(3)) * third
    assert missed <= bend <= 1.04 * missed
