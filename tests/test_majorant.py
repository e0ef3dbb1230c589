"""The bound on |phi| against |phi| itself, what is skipped by it against the cheapest choice, and
what looking and computing are said to take against a count.
"""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import brentq

from polycore.tails import _characteristic as values
from polycore.tails import _majorant as bounds
from polycore.tails import inversion as module

cases = settings(deadline=None, derandomize=True, max_examples=30)


@pytest.mark.parametrize("law", ["uniform", "powers", "lattice"])
def test_what_is_skipped_is_bounded(law):
    rng = np.random.default_rng(17)
    a = np.sort(
        {
            "uniform": rng.uniform(0.3, 1, 900),
            "powers": rng.uniform(2, 4, 20_000) ** 6.4 / 4**6.4,
            "lattice": rng.integers(1, 9, 2000) / 8,
        }[law]
    )
    a, counts = module._merged(a, np.ones(a.size))
    s = 3 / math.sqrt(np.sum(counts * a**2))
    step, stop = 0.02, 1e4
    start, end, error, kept, _ = bounds.skip(a, counts, s, step, stop, 1e-9, 1e12)
    assert start < end <= stop and error <= 2e-9 and not kept
    k = np.unique(
        np.concatenate(
            [
                np.arange(start // step + 1, start // step + 300),
                rng.integers(start / step + 1, end / step, 300),
            ]
        )
    )
    phi = np.abs(values.characteristic(a, counts, s, 0.0, step * k)[0])
    assert np.sum(2 * phi / k) <= error + 1e-13
    if law == "lattice":
        assert 8 * np.pi - 1 < end < 8 * np.pi  # there all sines of u a vanish, and |phi| = 1
        back = values.characteristic(a, counts, s, 0.0, np.array([8 * np.pi]))[0]
        assert abs(back[0]) == pytest.approx(1, abs=1e-9)
    else:
        assert end == stop


@cases
@given(st.floats(1e-6, 30), st.floats(0, 7))
def test_the_majorant_is_above_and_bends_no_more_than_it_says(y, x):
    constant, once, twice, bend = (float(c[0]) for c in bounds.majorant(np.array([y])))
    left = math.log(math.hypot(math.cos(x), math.tanh(y) * math.sin(x)))
    assert left <= constant + once * math.cos(2 * x) + twice * math.cos(4 * x) + 1e-15
    assert 4 * once * math.cos(2 * x) + 16 * twice * math.cos(4 * x) <= bend + 1e-15
    assert constant + once + twice == pytest.approx(
        0, abs=1e-15
    )  # no loss where |phi| returns to 1


def middle(ratio):
    """Where the waves are as one to the other: at 16 the bend is at its end, not within."""

    def off(y):
        _, once, twice, _ = bounds.majorant(np.array([y]))
        return float(once[0] / -twice[0]) - ratio

    return brentq(off, 0.1, 3)


@pytest.mark.parametrize("y", [1e-3, 0.3, middle(15.5), middle(16.5), 0.8, 2.0, 9.0])
def test_somewhere_the_majorant_bends_as_much_as_it_says(y):
    with np.errstate(divide="raise", over="raise", invalid="raise"):
        _, once, twice, bend = (float(c[0]) for c in bounds.majorant(np.array([y])))
    x = np.linspace(0, np.pi, 10_001)
    bends = 4 * once * np.cos(2 * x) + 16 * twice * np.cos(4 * x)
    assert bends.max() == pytest.approx(bend, rel=1e-5, abs=0)


@pytest.mark.parametrize("y", [0.01, 0.1, 0.8, 3.0])
def test_on_average_the_majorant_is_two_thirds_of_the_logarithm(y):
    x = np.linspace(0, np.pi, 20_000, endpoint=False)
    mean = np.mean(np.log(np.hypot(np.cos(x), np.tanh(y) * np.sin(x))))
    assert float(bounds.majorant(np.array([y]))[0][0]) <= 0.66 * mean


@pytest.mark.parametrize("turn", [0.2, 0.4, 0.6])
def test_a_panel_lies_below_its_bound_and_not_far(monkeypatch, turn):
    """At the top of the wave of a thousand equal signs, half a panel to either side."""
    monkeypatch.setattr(bounds, "_length", lambda *of: (64, 1.0))
    step, many = turn / 64, np.array([1000.0])
    grid = bounds._grid(np.ones(1), many, 0.8, step, 5.0, 1e3, 1e-9, 8.0, 256)
    u = 100 * math.pi + turn / 2 * np.linspace(-1, 1, 99)
    level, *_ = bounds.majorant(np.array([0.8]))
    wave = level * many + np.cos(2 * np.outer(u, grid.a)) @ grid.once
    wave += np.cos(4 * np.outer(u, grid.a)) @ grid.twice
    bound = grid.shift + max(wave[0], wave[-1]) - level[0] * many[0]
    curved = max(wave) - max(wave[0], wave[-1])
    slack = grid.shift - level[0] * many[0] - curved
    assert max(wave) <= bound
    assert slack < 0.1 * curved + 2e-3 * (1 + np.sum(np.abs(grid.once) + np.abs(grid.twice)))


def test_where_there_is_nothing_to_skip_nothing_is_charged():
    found = bounds.refine(np.ones(1), np.ones(1), 0.8, 0.1, 5.0, 5.0, 1e-9, 1e9)
    assert found == (5.0, 5.0, 0.0, [], 0.0)


def hundred(counts=1):
    """A hundred weights, or fifty pairs, tilted, and the nodes of 0.1 from the hundredth to 2
    10^6, of which |phi| may be large at about a fiftieth.
    """
    a = np.sort(np.random.default_rng(21).uniform(0, 1, 100 // counts))
    counts = np.full(a.size, counts)
    return a, counts, 5 / math.sqrt(np.sum(counts * a**2)), 0.1, 100 * 0.1, 2e6 * 0.1


@pytest.mark.parametrize("rows", [3, 5])
def test_sums_of_blocks_are_those_at_every_grid_point(monkeypatch, rows):
    """Whole rows, of which two make a block, to the end and not beyond; in float32."""
    monkeypatch.setattr(bounds, "ROWS", 2)
    a, once, twice = np.random.default_rng(9).uniform(0.1, 1, (3, 40))
    grid = bounds._Grid(a, once, twice, 0.0, 0.1, 7, 1.0, 0.0)
    row = bounds.ROW * grid.length
    starts, sums = zip(*bounds._blocks(grid, 30, 30 + rows * row))
    assert [part.tolist() for part in starts] == [
        [30 + k * row for k in (first, first + 1) if k < rows] for first in range(0, rows, 2)
    ]
    ends = np.concatenate(starts)[:, None] + grid.length * np.arange(bounds.ROW + 1)
    wave = sum(
        c * np.cos(2 * grid.step * ends * x) + d * np.cos(4 * grid.step * ends * x)
        for x, c, d in zip(a, once, twice)
    )
    assert abs(np.concatenate(sums) - wave).max() < 5e-4 * np.sum(once + twice)


def looking(many, length):
    """What the bound of a panel takes of each of its nodes, in factors of phi: an eighth for each
    weight, and fifty.
    """
    return (many / 8 + 50) / length


def keeping(factors, length):
    """What a panel takes that is kept: the factors of its nodes, of twelve more, and 128."""
    return factors * (length + 12) + 128


def computed_of(found):
    """The nodes of the kept panels."""
    for first, length, bits in found.kept:
        places = np.flatnonzero(np.unpackbits(bits))
        yield (first + 1 + length * places[:, None] + np.arange(length)).ravel()


@pytest.mark.parametrize(("counts", "rows"), [(1, bounds.ROWS), (2, 3)])
def test_nodes_that_are_neither_computed_nor_skippable_do_not_exist(monkeypatch, counts, rows):
    """In one block, or in many."""
    monkeypatch.setattr(bounds, "ROWS", rows)
    a, counts, s, step, *ends = hundred(counts)
    found = bounds.refine(a, counts, s, step, *ends, 1e-10, 1e15)
    length = found.kept[0].length
    last = 100 + length * math.ceil((2e6 - 100) / length)
    assert found.start == ends[0] and found.end == step * (last + 0.5)
    assert 0 < found.error <= 1e-10 and (len(found.kept) > 5) == (rows == 3)
    computed = np.concatenate([*computed_of(found)])
    assert np.unique(computed).size == computed.size
    assert computed.min() > 100 and computed.max() <= last
    skipped = np.setdiff1d(np.arange(101, last + 1), computed)
    assert 0.001 < computed.size / skipped.size < 0.5
    # all of the beginning and some thousand later ones
    later = np.random.default_rng(22).choice(skipped, 10**4, replace=False)
    for some, share in ((skipped[:3000], 1), (np.sort(later), skipped.size / later.size)):
        phi = np.abs(values.characteristic(a, counts, s, 3.0, step * some)[0])
        assert 2 * np.sum(phi / some) * share <= found.error


@pytest.mark.parametrize("rows", [bounds.ROWS, 3])
@pytest.mark.parametrize("counts", [1, 2])
def test_the_load_is_what_looking_and_computing_take(monkeypatch, counts, rows):
    """A power of a factor takes four for each time that it is squared. Guessed beforehand within a
    third, or found out on the way.
    """
    monkeypatch.setattr(bounds, "ROWS", rows)
    a, counts, *given = hundred(counts)
    load = lambda budget: bounds.refine(a, counts, *given, 1e-10, budget)
    found = load(1e15)
    length, factors = found.kept[0].length, np.sum(1 + 4 * np.log2(counts))
    nodes = math.ceil((2e6 - 100) / length) * length
    kept = sum(part.size for part in computed_of(found)) / length
    seen = looking(a.size, length) * nodes
    work = seen + keeping(factors, length) * kept
    assert found.load == pytest.approx(work / 1e15, rel=1e-9, abs=0)
    assert load(1.3 * work).load == pytest.approx(1 / 1.3) and load(1.3 * work).kept
    for share in (0.99, 0.5, 0.01) if rows > 3 else ():
        start, end, error, kept, more = load(share * work)
        assert (start, end, error, kept) == (10.0, 10.0, 0.0, [])
        assert more == pytest.approx(1 / share, rel=1 / 3, abs=0) and more > 1
    monkeypatch.setattr(bounds, "_length", lambda *of: (length, 0.0))  # promises too much
    found, more, taken = load(1e15), load(0.5 * work), 0.0
    for block, part in zip(found.kept, computed_of(found)):
        done = block.first - 100 + block.bits.size * 8 * length
        taken += keeping(factors, length) * part.size / length
        if seen + taken > 0.5 * work:
            break
    known = seen + taken * max(1, nodes / done)  # as if the rest were like the beginning
    assert more.load == pytest.approx(known / (0.5 * work)) and not more.kept


def test_where_too_much_is_expected_nothing_is_looked_at(monkeypatch):
    a, counts, *given = hundred()
    monkeypatch.setattr(bounds, "_length", lambda *of: (8, 1.5))
    monkeypatch.setattr(bounds, "_collect", None)
    nodes = 8 * math.ceil((2e6 - 100) / 8)
    assert bounds.refine(a, counts, *given, 1e-10, nodes) == (10.0, 10.0, 0.0, [], 1.5)


def block(seed, length):
    """Two rows whose bounds are drawn at random, up to 1 in the first, and what each panel
    is charged: 2 length / (k + 1) times the bound at the worse of its ends, at most 1, and at least
    what may be lost unseen.
    """
    rows = 50.0 + bounds.ROW * length * np.arange(2)
    log = np.random.default_rng(seed).normal(-24, 9, (2, bounds.ROW + 1)).astype(np.float32)
    log[1] -= 20
    grid = bounds._Grid(*[np.ones(1)] * 3, 0.7, 0.1, length, 1.0, small=1e-13)
    most = 2 * length / (rows + 1)
    bound = lambda log: most[:, None] * np.exp(np.minimum(log.astype(float) + 0.7, 0))
    charge = np.maximum(bound(np.maximum(log[:, 1:], log[:, :-1])), grid.small)
    return (grid, rows, log), charge.ravel(), bound(log).max(axis=1)


@cases
@given(st.integers(0, 2**32), st.integers(1, 9), st.floats(0, 4))
def test_the_cheapest_panels_are_skipped_as_far_as_the_quota_goes(seed, length, digits):
    given, charge, _ = block(seed, length)
    sums, quota = np.cumsum(np.sort(charge)), 1.001 * np.sum(charge) * 10**-digits
    cost, bits = bounds._choose(*given, quota)
    skipped = charge.size if bits is None else int(np.sum(~bits))
    assert cost <= quota and skipped == np.searchsorted(sums, quota / 1.001, side="right")
    assert cost == pytest.approx(1.001 * sums[skipped - 1])
    if bits is not None:
        assert charge[~bits].max() <= charge[bits].min()


@pytest.mark.parametrize("length", [1, 8])
def test_rows_that_fit_in_half_of_the_quota_are_not_sorted(length):
    """They are charged as if each panel were the worst of its row."""
    given, charge, worst = block(0, length)
    whole = bounds.ROW * np.sum(worst)
    for part in (0.2, 0.49):
        cost, bits = bounds._choose(*given, 1.001 * whole / part)
        assert cost == pytest.approx(1.001 * whole) and bits is None
    one = tuple(part[1:] for part in given[1:])
    second, bits = bounds._choose(given[0], *one, 1.0)
    assert second == pytest.approx(1.001 * bounds.ROW * worst[1]) and bits is None
    cost, bits = bounds._choose(*given, 1.001 * whole / 0.51)
    assert cost == pytest.approx(1.001 * np.sum(charge)) and bits is None


SHARED = {
    "few": (np.sqrt([2.0, 3.0, 5.0, 7.0]), 3.0, 500.0),
    "nearly equal": (1 + np.sqrt(np.arange(1.0, 33)) / 1e3, 3.0, 500.0),
    "a part of a wave": (np.array([2e-3]), 300.0, 500.0),
    "many": (np.sqrt(np.arange(2.0, 302.0)), 3.0, 500.0),
}


@pytest.mark.parametrize("name", SHARED)
def test_how_often_the_bound_is_large_is_guessed_within_two_per_cent(name):
    """At numbers drawn at random between two frequencies, also where the waves of 32 weights are
    nearly the same, so that their sum is not normal.
    """
    a, start, stop = SHARED[name]
    once, twice = np.random.default_rng(7).normal(size=(2, a.size))
    share = bounds._share(a, once, twice, start, stop)
    angles = 2 * np.outer(np.random.default_rng(6).uniform(start, stop, 20_000), a)
    sums = np.cos(angles) @ once + np.cos(2 * angles) @ twice
    for part in (0.02, 0.3, 0.5, 0.9, 0.99):
        number = np.quantile(sums, 1 - part)
        assert float(share(number)) == pytest.approx(part, abs=0.02)


def test_no_row_reaches_past_the_end():
    a, counts, s, step, start, _ = hundred()
    for rows in (1, 3):
        stop = start + rows * bounds.ROW * step
        grid = bounds._grid(a, counts, s, step, start, stop, 1e-10, 100.0, 2**8)
        assert grid.length == rows  # in a longer range, 8


@pytest.mark.parametrize("longest", [0.3, 1.0, 2.0, 7.4, 40.0])
@pytest.mark.parametrize("room", [-3.0, 0.0, 4.0])
def test_the_length_of_a_panel_is_the_cheapest(longest, room):
    share = lambda x: 0.5 * np.exp(-np.maximum(x, -0.6))
    cost = [
        looking(192, length) + keeping(90.0, length) / length * share(room - 0.01 * length**2)
        for length in range(1, max(1, math.ceil(longest)) + 1)
    ]
    length, found = bounds._length(192, 90.0, room, share, 0.01, longest)
    assert length == np.argmin(cost) + 1 and found == pytest.approx(min(cost))


@pytest.mark.parametrize("s", [0.02, 0.3, 3.0, 1e6])
@pytest.mark.parametrize("start", [0.6, 20.0, 200.0])
@pytest.mark.parametrize("size", [100, 192, 193, 1500, 30_000])
def test_weights_of_the_bound_are_as_many_as_make_it_small(s, start, size):
    """All, or 192 to 2048 of them, so many that |phi| is exp(-100) on average; the small ones, for
    the grid may be wider, but from half a radian at the first node on.
    """
    a = np.linspace(0.001, 1, size)
    chosen = bounds._chosen(a, s, start)
    average = -bounds.majorant(s * a)[0].mean()
    many = min(size, 2048 if average == 0 else max(192, min(2048, 100 / average)))
    assert np.unique(chosen).size == chosen.size == pytest.approx(many, rel=0.02, abs=1)
    if chosen.size < size:
        first, last = a[chosen[[0, -1]]] * start
        reach = (a.size - chosen.size) / size * start
        assert first == pytest.approx(min(0.5, reach), abs=2 * start / size)
        wide = max(8.0, (0.5 + 2 * chosen.size / size * start))
        assert last == pytest.approx(min(wide, start), abs=5 * start / size)
        assert np.ptp(np.diff(chosen)) <= 1


@pytest.mark.parametrize("budget", [1.0, 1e7])
def test_looking_ends_with_the_budget(monkeypatch, budget):
    """A block is looked at in any case, from the end of the first nodes on."""
    grids, grid_of = [], bounds._grid
    monkeypatch.setattr(
        bounds, "_grid", lambda *of: grids.append((of, grid_of(*of))) or grids[-1][1]
    )
    a = np.sort(np.random.default_rng(17).uniform(0.3, 1, 900))
    s = 3 / math.sqrt(np.sum(a**2))
    found = bounds.skip(a, np.ones(900), s, 0.02, 1e7, 1e-9, budget)
    [((*_, start, _, _, _, _), grid)] = grids
    assert grid.length > 40  # where nearly no panel may be large, they are long
    nodes = bounds.ROWS * bounds.ROW * grid.length + budget / looking(grid.a.size, grid.length)
    assert found.end / 0.02 == pytest.approx(math.floor(start / 0.02) + nodes, rel=1e-9, abs=0)
    assert found.error <= 2e-9


def test_what_the_first_nodes_cost_is_no_longer_allowed(monkeypatch):
    left = []
    monkeypatch.setattr(bounds, "_extend", lambda *of: (of[2], left.append(of[3]) or 0.0))
    a = np.linspace(0.3, 1, 900)
    found = bounds.skip(a, np.ones(900), 0.2, 0.02, 100.0, 1e-9, 1e9)
    assert 0 < found.error == pytest.approx(1e-9 - left[0], rel=1e-3, abs=0)


def test_what_a_block_cost_is_no_longer_allowed(monkeypatch):
    left = []
    monkeypatch.setattr(bounds, "_blocks", lambda *of: [([9.0], None)] * 3)
    monkeypatch.setattr(bounds, "_choose", lambda *of: (left.append(of[3]) or 0.25, None))
    assert bounds._extend(None, 0, 99.0, 1.0) == (99.0, 0.75) and left == [1.0, 0.75, 0.5]


def test_where_nothing_is_allowed_or_nothing_waves():
    a, counts, s, step, *ends = hundred()
    grid = bounds._grid(a, counts, s, step, *ends, 0.0, 100.0, 2**8)
    assert math.isfinite(grid.shift) and grid.small > 0
    share = bounds._share(a, 0 * a, 0 * a, *ends)
    assert share(-1.0) == 1 and share(1.0) == 0
