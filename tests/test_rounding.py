"""What the tails allow for roundings, added up again from what the docstrings say, in another
arithmetic: no rounding is ever as large as what is allowed for it, so nothing else would feel it.
"""

import math

import numpy as np
import pytest
from mpmath import mp, mpf

from polycore.tails import _characteristic as values
from polycore.tails import _majorant as bounds
from polycore.tails import bounds as levels
from polycore.tails import inversion as module

UNIT = mpf(2) ** -53


def alike(found, known, rel=1e-6):
    return float(found) == pytest.approx(float(known), rel=rel, abs=0)


@pytest.fixture(autouse=True)
def digits():
    with mp.workdps(40):
        yield


def series(a, counts, s, u):
    """What the series of ln cosh at s + iu says of its own error: 128 + 8 k units of each term, and
    of what is left out 1.3 times the sum of squares times a geometric series, for both ends.
    """
    a, top = [mpf(x) for x in a], mpf(max(a))
    z, error, k = mp.mpc(s, u), mpf(0), 0
    while True:
        k += 1
        power = sum(n * (x / top) ** (2 * k) for n, x in zip(counts, a))
        odd = mp.zeta(2 * k) * (1 - mpf(4) ** -k)  # sum of (2 j + 1)^-2k
        ends = [abs(2 * top * end / mp.pi) ** (2 * k) for end in (z, mpf(s))]
        error += odd * power / k * sum(ends) * UNIT * (128 + 8 * k)
        ratio = abs(2 * top * z / mp.pi) ** 2
        squares = sum(n * (x / top) ** 2 for n, x in zip(counts, a))
        rest = mpf("1.3") * squares * ratio ** (k + 1) / (1 - ratio)
        if rest < 1e-16 or k == 60:
            return error + 2 * rest


def turned(a, counts, s, u):
    """The sum of the |angles| of the factors, and that of the u a past an eighth of a turn."""
    angles = [mp.arg(mp.mpc(mp.cos(u * x), mp.tanh(s * x) * mp.sin(u * x))) for x in a]
    far = sum((n * u * x for n, x in zip(counts, a) if u * x > mp.pi / 4), mpf(0))
    return sum(n * abs(angle) for n, angle in zip(counts, angles)), far


@pytest.mark.parametrize("t", [1.1, 1.3, 5.0])
def test_a_bound_is_rounded_up_by_what_its_docstring_says(t):
    a, counts = np.array([0.5, 0.25]), np.array([2.0, 4.0])
    norm = mp.sqrt(sum(n * mpf(x) ** 2 for x, n in zip(a, counts)))
    x = mpf(t) / norm
    up = lambda level: mpf(level(a, t, counts).upper)
    hoeffding = 2 * mp.exp(-x * x / 2)
    assert alike(
        up(levels.hoeffding) / hoeffding - 1, 256 * UNIT * (1 + abs(mp.log(hoeffding))), 0.1
    )
    gaussian = mp.erfc(x / mp.sqrt(2)) / (2 * mp.erfc(1))
    assert alike(up(levels.bentkus_dzindzalieta) / gaussian - 1, 256 * UNIT * (1 + x * x), 0.1)


@pytest.mark.parametrize("t", [0.3, 0.9, 1.9])
def test_the_logarithm_of_chernoffs_bound_is_rounded_up_by_what_its_docstring_says(t):
    a, counts = np.array([0.5, 0.25]), np.array([2.0, 4.0])
    s = mpf(levels.tilt(a, counts, t))
    cumulant = sum(n * mp.log(mp.cosh(s * x)) for x, n in zip(a, counts))
    off = mpf(levels.log_chernoff(a, t, counts)) - mp.log(2) - cumulant + s * t
    assert alike(off, 128 * UNIT * (1 + cumulant + s * t), 0.1)


@pytest.mark.parametrize("u", [0.01, 0.3, 0.8, 1.3, 7.5])
@pytest.mark.parametrize("s", [0.0, 0.05, 0.7])
def test_the_error_of_a_value_is_what_its_docstring_adds_up(s, u):
    a, counts, t = [0.05, 0.4, 0.9, 1.0], [400, 30, 2, 5], 3.25
    [value], [error] = values.characteristic(np.array(a), np.array(counts), s, t, np.array([u]))
    near = sum(x < 0.9 / abs(complex(s, u)) for x in a)
    relative = 64 * UNIT * (1 + mpf(u) * t)
    relative += series(a[:near], counts[:near], s, u) if near else 0
    turns, far = turned(a[near:], counts[near:], s, mpf(u))
    relative += 64 * UNIT * turns
    known = abs(mp.mpc(value)) * mp.expm1(relative) + 64 * UNIT * (1 + far)
    assert alike(error, known)


def test_more_terms_of_the_series_are_not_left_out_than_is_charged():
    """One weight: the terms themselves, alternating or not, and their sum from the next one on."""
    for z in (0.1, 0.5, 0.89):
        for s, u in ((z, 0.0), (0.0, z), (z / 2, z / 2)):
            a, counts = np.ones(1), np.array([7])
            log, error = values._series(a, counts, s, np.array([u]))
            known = 7 * mp.log(mp.cosh(mp.mpc(s, u)) / mp.cosh(s))
            assert abs(mp.mpc(complex(log[0])) - known) <= error[0] < 1e-12


@pytest.mark.parametrize("u", [1.2, 1.45])
def test_sixty_terms_of_the_series_at_most(u):
    """As far as it converges; what is left out is then more than all roundings."""
    a, counts = np.array([0.5, 1.0]), np.array([3, 7])
    log, error = values._series(a, counts, 0.1, np.array([u]))
    assert alike(error[0], series(a, counts, 0.1, u)) and error[0] > 1e-13
    z = mp.mpc(0.1, u)
    known = sum(n * mp.log(mp.cosh(x * z) / mp.cosh(x * 0.1)) for x, n in zip(a, counts))
    assert abs(mp.mpc(complex(log[0])) - known) <= error[0]


@pytest.mark.parametrize("size", [1e-5, 1])
@pytest.mark.parametrize("counts", [(1, 2), (9, 40), (127, 3), (128, 1), (129, 500)])
def test_the_error_of_a_panel_is_what_its_docstring_adds_up(counts, size):
    """128 units for each factor of a pair, and where it is there 64 times or more 512 units of the
    product; two units for each node of the sum.
    """
    a, t, step, length = size * np.array([0.3, 0.7]), 1.5, 0.11, 5
    kept = [values.Panels(20.0, length, np.packbits([1, 0, 1]))]
    [(k, _, _, _, _, sums, error)] = values.panels(
        a, np.array(counts), 0.4, t, step, kept, lambda *found: found
    )
    assert k.tolist() == [21, 31]
    pairs = [n // 2 for n in counts if n > 1]
    pairs += [1] * math.ceil(sum(n % 2 for n in (*counts, 1)) / 2)  # with t, which is there once
    once, often = (
        mp.expm1(units * UNIT * sum(some))
        for units, some in (
            (128, [n for n in pairs if n < 64]),
            (512, [n for n in pairs if n >= 64]),
        )
    )
    for found, of_all in zip(error, sums):
        assert alike(found, length * once + (often + 2 * length * UNIT) * of_all)


@pytest.mark.parametrize("size", [0.01, 1e11])  # the second one so that most of it wraps round
@pytest.mark.parametrize(("s", "more", "t"), [(0.5, 1.5, 6.0), (2.0, 0.8, 9.0)])
def test_what_wraps_round_is_two_geometric_series(s, more, t, size):
    a, counts = np.array([0.5, 1.0]), np.array([9.0, 8.0])
    law = lambda s: sum(int(n) * mp.log(mp.cosh(s * mpf(x))) for x, n in zip(a, counts))
    exponent = law(s) - mpf(s) * t
    period, wrapped = module._period(a, counts, t, s, float(exponent), more, size)
    margin = mp.log(mpf(10) ** 12 / size)
    excess = law(s + more) - mpf(s + more) * t - exponent
    assert alike(period, max((margin - exponent) / s, (margin + excess) / more))
    above = [mp.exp(-s * m * mpf(period) - exponent) for m in range(1, 99)]
    below = [mp.exp(excess - more * m * mpf(period)) for m in range(1, 99)]
    assert alike(wrapped, mpf("1.001") * (sum(above) + sum(below)))


@pytest.mark.parametrize(("t", "n"), [(6.5, 17), (300.5, 900)])
def test_what_the_factor_before_the_means_is_off_by(monkeypatch, t, n):
    """512 units of 2 + K(s) + s t, where nothing wraps round and the means are 1."""
    monkeypatch.setattr(module, "_means", lambda *_: (1.0, 1.0, 0.0))
    period = module._period
    monkeypatch.setattr(module, "_period", lambda *given: (period(*given)[0], 0.0))
    a, counts = np.array([0.5, 1.0]), np.array([float(n), 8.0])
    s = mpf(module.tilt(a, counts, t))
    found = module._fourier(a, counts, t, 1e-3, 1e9)
    law = n * mp.log(mp.cosh(s / 2)) + 8 * mp.log(mp.cosh(s))
    rounding = 512 * UNIT * (2 + law + s * t)
    middle = (mpf(found.lower) + mpf(found.upper)) / 2
    assert alike(middle, 2 * mp.exp(law - s * t), 1e-12)
    assert alike((mpf(found.upper) - mpf(found.lower)) / 2 / middle, rounding, 1e-2)


def transform(k, total, sp):
    """M^(k/N), what L^ is less, and the rounding, all over N, as the docstrings say."""
    v, rate = mpf(k) / total, mpf(sp) / total
    w = mp.mpc(v, -rate / (2 * mp.pi))
    gap = 1 - mp.exp(-2j * mp.pi * w)
    rest = (rate / mp.expm1(rate) + rate) / (2 * mp.pi)
    weight = (2 if k else 1) / mpf(total)
    high = weight * ((1 - w) / gap - 1j * rest)
    size = (1 + v / abs(gap)) / abs(gap) * (1 - v + rate / (2 * mp.pi)) + rest + 1
    return high, weight * (1 - v), 64 * UNIT * weight * size


@pytest.mark.parametrize(("total", "sp"), [(40, 0.5), (64.7, 30.0), (1000, 3.0)])
def test_the_transforms_and_their_roundings(total, sp):
    k = np.array([0.0, 1, 2, 17, math.floor(total) - 1])
    for one, high, less, rounding in zip(k, *module._extremal(k, total, sp)):
        known, apart, allowed = transform(int(one), total, sp)
        assert abs(mp.mpc(complex(high)) - known) <= allowed and alike(less, apart, 1e-12)
        assert alike(rounding, allowed)


def test_what_a_sum_over_nodes_and_over_panels_is_off_by():
    """(|M^| + the rest) times the error of each value, and the roundings; over a panel M^ is a
    parabola through three of its nodes, and its third derivative is charged.
    """
    total, sp = 5000.0, 2.0
    k, phi, error = np.array([0.0, 3, 8]), np.array([1, 0.5 + 0.1j, 0.2j]), np.array([1, 2, 3e-9])
    lower, upper, off = module._sums(k, phi, error, total, sp)
    known = [transform(int(one), total, sp) for one in k]
    assert alike(upper, sum((high * mp.mpc(complex(p))).real for (high, *_), p in zip(known, phi)))
    gap = sum(less * mpf(p.real) for (_, less, _), p in zip(known, phi))
    assert alike(upper - lower, gap)
    parts = [(abs(high) + less) * e + r for (high, less, r), e in zip(known, error)]
    assert alike(off, sum(parts))

    k, length, size, each = np.array([900.0]), 9, np.array([3.5]), np.array([1e-7])
    one = np.array([1 + 0.5j])
    *_, off = module._stretched(k, length, one, one, one, size, each, total, sp)
    first, middle, last = (transform(900 + place, total, sp) for place in (0, 4, 8))
    slope, curve = (last[0] - first[0]) / 8, (last[0] - 2 * middle[0] + first[0]) / 32
    weight = abs(middle[0]) + abs(slope) * mpf(9) / 2 + abs(curve) * mpf(81) / 4 + 2 * first[1]
    h, v = mpf(4) / mpf(total), 900 / mpf(total)
    third = 2 / mpf(total) * (3 / (mp.pi * v**4) + mpf(7) / 2)
    bend = h**3 / (9 * mp.sqrt(3)) * third
    known = weight * each[0] + (first[2] + middle[2] + last[2] + bend) * size[0]
    assert known < off < known * 1.05  # 120 for 72 sqrt 3 = 124.7
    more = bend * (9 * mp.sqrt(3) / mpf(120) * 8 - 1) * size[0]
    assert alike(off, known + more)


@pytest.mark.parametrize(("stop", "step"), [(30.0, 0.003), (1e12, 0.1)])
def test_what_a_panel_may_be_above_its_ends(stop, step):
    """The curvature, 10^-3 of the size for float32, 16 units of the largest angle for float64."""
    a, counts, s = np.array([0.5, 1.0]), np.array([30.0, 2.0**21]), 0.8
    grid = bounds._grid(a, counts, s, step, 5.0, stop, 1e-9, 8.0, 2**4)
    level, once, twice, bend = bounds.majorant(s * a) * np.minimum(counts, 2**20)
    size = 1 + np.sum(np.abs(once) + np.abs(twice))
    curved = np.sum(bend * a**2) * (grid.length * step) ** 2 / 8
    angle = stop + values.ROW * grid.length * step
    known = curved + (1e-3 + 16 * float(UNIT) * angle) * size
    assert alike(grid.shift - np.sum(level), known, 1e-11)
    assert alike(grid.small, 1e-9 / 2 / ((stop - 5) / (step * grid.length) + values.ROW))


@pytest.mark.parametrize("step", [0.001, 0.05])
def test_the_first_nodes_are_charged_a_twentieth_at_a_time(monkeypatch, step):
    """From v to 1.05 v there are 1 + v/20 step of them at most, each at 2 step |phi|/v or less, by
    those weights that are at most 1 with 1.05 v; without any, nothing is skipped.
    """
    monkeypatch.setattr(bounds, "_extend", lambda grid, first, *_: (first, 0.0))
    a, s, energy = np.array([0.5, 0.97]), 5.0, np.array([50.0, 30.0])
    with np.errstate(divide="raise", over="raise", invalid="raise"):
        found = bounds.skip(a, energy / (values.fade(s * a) * a**2), s, step, 99.0, 1e-3, 1.0)
    v = 1.05 ** np.arange(math.ceil(math.log(step, 1.05)), math.ceil(math.log(99, 1.05)))
    near = 1.05 * v[:, None] * a <= 1
    charge = 2 * step / v * (1 + 0.05 * v / step) * np.exp(-0.35 * v**2 * (near @ energy))
    good = charge < 1e-6
    first = np.argmax(good)
    last = first + np.argmin(good[first:])
    assert alike(found.start, v[first]) and alike(found.end, 1.05 * v[last - 1])
    assert alike(found.error, 1.001 * np.sum(charge[first:last]), 1e-9)
    assert charge[near.sum(axis=1) == 1].max() > 1e-3 * found.error  # those are felt
    short = bounds.skip(a, energy / (values.fade(s * a) * a**2), s, step, 1.4, 1e-3, 1.0)
    assert short.end == 1.4


def test_where_no_node_is_small_nothing_is_skipped():
    found = bounds.skip(np.ones(1), np.ones(1), 0.2, 0.02, 100.0, 1e-9, 1e9)
    assert found == (math.inf, 0.0, 0.0, [], 0.0)
