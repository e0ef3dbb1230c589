"""Where |phi(u)|, the characteristic function of a tilted sum, may be large: a trigonometric bound
on a grid.

    ln|phi(u)| <= sum_i counts_i q_i(u a_i),   q_i(x) = c_0 + c_1 cos 2x + c_2 cos 4x >= ln|cos x +
    i tanh(s a_i) sin x|.

As every factor of phi is at most 1, some of the weights will do. On a grid these sums are one
product of matrices, and between two of its points, h apart, they exceed the larger one by b h^2/8
at most if their second derivative is at least -b. The nodes u = k step, k = 1, 2, ..., cost 2 |phi|
/ k each if skipped; a panel of them lies between two points of the grid. Either all are skipped
as far as that goes (`skip`), or the cheapest everywhere and the others kept (`refine`).
"""

import math
from typing import NamedTuple

import numpy as np
from scipy.special import ndtr

from polycore.checks import Floats
from polycore.tails._characteristic import ROW, Panels, fade
from polycore.tails.rademacher import UNIT

__all__ = ["Found", "skip", "majorant", "refine"]

SUBSET, MOST = 192, 2048  # weights in the bound, at least and at most
ROWS = 256  # in a block
FETCHED = 12  # factors of phi that are as quick as fetching the exponentials of one for a panel
LOOKED, SAMPLE = 32, 2**17  # weights, at most, for which it is tried how often the bound is large
# factors of phi that are as quick as the choice whether a panel, that may be large, is kept
KEPT = 128


class Found(NamedTuple):
    """The nodes in (start, end], but for those `kept`, cost `error` at most; nothing is found if
    `load` > 1 (`refine`).
    """

    start: float
    end: float
    error: float
    kept: list[Panels]
    load: float = 0.0


class _Grid(NamedTuple):
    """In a panel ln|phi| <= shift + the larger of sum_i once_i cos 2 u a_i + twice_i cos 4 u a_i
    at its ends.
    """

    a: Floats
    once: Floats
    twice: Floats
    shift: float
    step: float
    length: int  # nodes in a panel
    cost: float  # factors that a node takes, about
    small: float  # what a panel may cost without being looked at: half of what is allowed, in all


def majorant(y: Floats) -> tuple[Floats, Floats, Floats, Floats]:
    """c_0, c_1, c_2 and b: ln|cos x + i tanh(y) sin x| <= c_0 + c_1 cos 2x + c_2 cos 4x =: q(x),
    q'' >= -b; y > 0.

    In w = cos 2x the left side is ln(1 - e/2 + e w/2)/2, e = 1/cosh(y)^2. Its third derivative is
    positive, so the parabola that touches it at w = -0.35 and meets it at w = 1 is above it on [-1,
    1]. Rounded to some units of the c.

    >>> c = majorant(np.array([0.5]))
    >>> one = np.log(abs(np.cos(0.7) + 1j * np.tanh(0.5) * np.sin(0.7)))
    >>> bool(one < c[0] + c[1] * np.cos(1.4) + c[2] * np.cos(2.8) < 0)
    True
    """
    e, w = fade(y), -0.35
    height, slope = np.log1p(-e * (1 - w) / 2) / 2, e / 4 / (1 - e * (1 - w) / 2)
    square = (-height - slope * (1 - w)) / (1 - w) ** 2
    once, twice = slope - 2 * square * w, square / 2
    inner = np.abs(once) < -16 * twice
    bend = np.where(
        inner, once**2 / np.where(inner, -8 * twice, 1) - 16 * twice, 4 * np.abs(once) + 16 * twice
    )
    return height - slope * w + square * w**2 + twice, once, twice, bend


def skip(
    a: Floats, counts: Floats, s: float, step: float, stop: float, allowed: float, budget: float
) -> Found:
    """`Found`, `kept` empty: the u = k step from the first one whose bound is small enough to the
    next where it is not.

    While u a <= 1 for most of the energy, sin(x)^2 >= 0.7 x^2 shows |phi| <= exp(-0.35 u^2 sum e_i
    a_i^2), where sin(1)^2 > 0.708 leaves 1 % for rounding. From there on the grid does. `a`
    ascending. start > end if there is no such u, and the end comes early where looking takes longer
    than `budget` factors of phi; error <= 2 `allowed`.

    >>> found = skip(np.linspace(0.3, 1, 900), np.ones(900), 0.2, 0.02, 100.0, 1e-9, 1e9)
    >>> round(found.start, 2), found.end, found.error < 1e-9
    (0.44, 100.0, True)
    """
    v = 1.05 ** np.arange(
        math.ceil(math.log(step) / math.log(1.05)), math.ceil(math.log(stop) / math.log(1.05))
    )
    energy = np.append(0.0, np.cumsum(counts * fade(s * a) * a**2))
    charge = (
        2
        * (0.05 + step / v)
        * np.exp(-0.35 * v**2 * energy[np.searchsorted(a, 1 / (1.05 * v), side="right")])
    )
    good = np.flatnonzero(charge < allowed / 1000)
    if good.size == 0:
        return Found(math.inf, 0.0, 0.0, [])
    stays = good[np.arange(good.size) == good - good[0]]
    start, end, error = (
        v[good[0]],
        min(stop, 1.05 * v[stays[-1]]),
        1.001 * float(np.sum(charge[stays])),
    )
    grid = _grid(
        a, counts, s, step, end, stop, allowed, 1e3 * a.size, 2**16
    )  # nearly none may be large
    first = math.floor(end / step)
    most = first + ROWS * ROW * grid.length + budget / _looking(grid.a.size, grid.length)
    reached, more = _extend(grid, first, min(stop / step, most), allowed - error)
    return Found(float(start), float(min(stop, max(end, step * reached))), error + more, [])


def _extend(grid, first, total, allowed):
    """(k, error): the nodes after `first` up to k are skipped at `error`; the next ones, if any,
    cost too much.
    """
    error = 0.0
    for rows, log in _blocks(grid, first, total):
        cost, bits = _choose(grid, rows, log, allowed - error)
        error += cost
        if bits is not None:
            return rows[0] + grid.length * int(np.argmax(bits)), error
    return total, error


def refine(
    a: Floats,
    counts: Floats,
    s: float,
    step: float,
    start: float,
    stop: float,
    allowed: float,
    budget: float,
) -> Found:
    """`Found` for the u = k step from `start` to `stop` or little more: the cheapest panels are
    skipped, error <= `allowed`.

    Where this, and computing the kept, take longer than `budget` factors of phi, as guessed
    beforehand or as it turns out, `load` is about the ratio. `a` ascending; `start` < `stop`, or
    there is nothing to do.

    >>> a = np.linspace(0.1, 1, 100) ** 1.5
    >>> found = refine(a, np.ones(100), 0.8, 0.1, 5.0, 1e5, 1e-9, 1e9)
    >>> some = any(bits.any() for _, _, bits in found.kept)
    >>> 1e5 <= found.end < 1e5 + 2, found.error <= 1e-9, some
    (True, True, True)
    """
    if stop <= start:
        return Found(start, stop, 0.0, [])
    factors = float(np.sum(1 + 4 * np.log2(counts)))  # a power by squaring
    grid = _grid(a, counts, s, step, start, stop, allowed, factors, 2**8)
    first = math.floor(start / step)
    total = first + grid.length * math.ceil((stop / step - first) / grid.length)
    load = grid.cost * (total - first) / budget
    if load <= 1:
        load, error, kept = _collect(grid, first, total, allowed, factors, budget)
        if load <= 1:
            return Found(start, step * (total + 0.5), error, kept, load)
    return Found(start, start, 0.0, [], load)


def _collect(grid, first, total, allowed, factors, budget):
    """(load, error, kept) for the nodes after `first` up to `total`, every block with its share of
    what is still allowed.
    """
    looking, computing, error, kept = (
        _looking(grid.a.size, grid.length) * (total - first),
        0.0,
        0.0,
        [],
    )
    for rows, log in _blocks(grid, first, total):
        nodes, left = ROW * grid.length * rows.size, total - rows[0]
        share = rows.size / math.ceil(left / (ROW * grid.length))  # the last row may be cut
        cost, bits = _choose(grid, rows, log, (allowed - error) * share)
        error += cost
        if bits is not None:
            bits[math.ceil(left / grid.length) :] = False  # beyond the end
            kept.append(Panels(rows[0], grid.length, np.packbits(bits)))
            computing += (factors * (grid.length + FETCHED) + KEPT) * np.count_nonzero(bits)
        if looking + computing > budget:
            return (
                (
                    looking
                    + computing * (total - first) / min(total - first, rows[0] + nodes - first)
                )
                / budget,
                error,
                [],
            )
    return (looking + computing) / budget, error, kept


def _grid(a, counts, s, step, start, stop, allowed, factors, longest):
    """The grid for u = k step from `start` to `stop`. Its shift is sum c_0 and what may be lost:

    - curvature, b h^2/8;
    - float32: at most 4 MOST + 4 roundings, to 2^-24 of size = 1 + sum |c_1| + |c_2| in all, less
    than 5e-4 size; as
      much again is for the sum of shift and logarithms, below 1000 + 2 size where it matters, and
      for the c and cosines;
    - float64: 4 u a, u a in two pieces of at most 3 roundings each, off by 4 * 3 UNIT u a.
    """
    chosen = _chosen(a, s, start)
    a, power = a[chosen], np.minimum(counts[chosen], 2**20)
    level, once, twice, bend = power * np.array(majorant(s * a))
    level, bend, size = (
        -float(np.sum(level)),
        float(np.sum(bend * a**2)),
        1 + float(np.sum(np.abs(once) + np.abs(twice))),
    )
    room, most = math.log(max(allowed, 1e-300)) + level, min(longest, (stop - start) / (step * ROW))
    share = _share(a, once, twice, start, stop)
    length, cost = _length(a.size, factors, room, share, bend * step**2 / 8, most)
    angle = float(a[-1]) * (stop + ROW * length * step)
    shift = bend * (length * step) ** 2 / 8 + (1e-3 + 16 * UNIT * angle) * size - level
    small = max(1e-300, allowed / (2 * ((stop - start) / (step * length) + ROW)))
    return _Grid(a, once, twice, shift, step, length, cost, small)


def _share(a, once, twice, start, stop):
    """The function that says which share of the u has a sum above a number, about.

    For many weights the sums are nearly normal. For few, some of which may occur a million times,
    they are not: they are large where all u a are near multiples of pi, so it is looked where.
    """
    if a.size > LOOKED:
        spread = max(math.sqrt(float(np.sum(once**2 + twice**2)) / 2), 1e-300)
        return lambda number: ndtr(-number / spread)
    u = start + (stop - start) * np.modf((math.sqrt(5) - 1) / 2 * np.arange(SAMPLE))[0]
    turns = u[:, None] * (a / math.pi)
    turns -= np.rint(turns)  # in float64; the rest is a guess, for which float32 will do
    cos = np.cos(np.float32(2 * math.pi) * turns.astype(np.float32))
    sums = np.sort(cos @ once.astype(np.float32) + (2 * cos**2 - 1) @ twice.astype(np.float32))
    return lambda number: 1 - np.searchsorted(sums, number) / SAMPLE


def _length(many, factors, room, share, curved, longest):
    """(length, cost of a node) of the cheapest panels, were those kept whose sum is above
    `room`, `share` of all.
    """
    length = np.arange(1.0, max(2.0, longest + 1))
    above = share(room - curved * length**2)
    cost = _looking(many, length) + (factors * (1 + FETCHED / length) + KEPT / length) * above
    best = int(np.argmin(cost))
    return best + 1, float(cost[best])


def _looking(many, length):
    """Factors of phi that are as quick as a node's share of the bound of its panel."""
    return (many / 8 + 50) / length


def _chosen(a, s, start):
    """Which weights are in the bound from u = `start` on: so many that |phi| is exp(-100) on
    average, if there are.
    """
    typical = -float(np.mean(majorant(s * a[:: a.size // 1024 + 1])[0]))
    many = min(MOST, max(SUBSET, int(100 / max(typical, 1e-9))))
    if a.size <= many:
        return np.arange(a.size)
    low, enough = np.searchsorted(a, [0.5 / start, 8 / start])  # the smaller, the wider the grid
    low = min(low, a.size - many)
    return np.linspace(low, min(max(enough, low + 2 * many), a.size) - 1, many).astype(int)


def _blocks(grid, first, total):
    """Yields the nodes where the rows of a block begin and the trigonometric sums, float32, shape
    (rows, ROW + 1).
    """
    across = grid.step * grid.length * np.arange(ROW + 1.0) * grid.a[:, None]
    signed = np.concatenate([grid.once, -grid.once, grid.twice, -grid.twice]).astype(np.float32)
    right, row = _waves(across, 0), ROW * grid.length
    while first < total:
        rows = first + row * np.arange(float(min(ROWS, math.ceil((total - first) / row))))
        yield rows, (signed * _waves(grid.step * rows[:, None] * grid.a, 1)) @ right
        first = rows[-1] + row


def _waves(x, axis):
    """cos 2x, sin 2x, cos 4x, sin 4x."""
    cos, sin = np.cos(2 * x), np.sin(2 * x)
    return np.concatenate(
        [w.astype(np.float32) for w in (cos, sin, 2 * cos**2 - 1, 2 * cos * sin)], axis=axis
    )


def _choose(grid, rows, log, quota):
    """(cost, bits): the panels of least charge are skipped, at `cost` in all, and the bits of
    the others are 1.

    A panel after node k is charged 2 length |phi| / (k + 1), or grid.small if that is more; cost
    <= `quota` unless all the small are above it. `bits` is None if none are left. Exponentials and
    sums of charges are in float64, of up to 2^20 numbers >= 0, so that 1.001 is more than they can
    be off by.
    """
    quota, most = quota / 1.001, np.log(2 * grid.length / (rows + 1))
    level = most + grid.shift
    cost = ROW * float(np.sum(np.exp(np.minimum(log.max(axis=1) + level, most))))
    if cost <= quota / 2:
        return 1.001 * cost, None
    above = log > (math.log(grid.small) - level)[:, None].astype(np.float32)
    index = np.flatnonzero(above[:, 1:] | above[:, :-1])
    row, column = np.divmod(index, ROW)
    charge = np.exp(
        np.minimum(np.maximum(log[row, column], log[row, column + 1]) + level[row], most[row])
    )
    order = np.argsort(charge)
    sums = np.cumsum(np.append(grid.small * (ROW * rows.size - index.size), charge[order]))
    count = int(np.searchsorted(sums[1:], quota, side="right"))
    bits = np.zeros(ROW * rows.size, bool)
    bits[index[order[count:]]] = True
    return 1.001 * float(sums[count]), bits if count < index.size else None
