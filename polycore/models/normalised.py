"""Columns of the network divided by their root mean square, as RMSNorm does, and a test of their
sizes alone.

    y_j = x_j / sqrt(mean_k x_k^2),    of one size:  max_j y_j^2 < 2 min_j y_j^2.

The division changes no ratio, so that the test may be made on the columns x_j as well.
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.integrate import trapezoid
from scipy.special import ndtr

from polycore.checks import Floats, integer, numbers_of, real
from polycore.models import attention, network
from polycore.models.datasets import Scores
from polycore.tails.rademacher import Tail

__all__ = [
    "draw_one_size_at",
    "normalised",
    "one_column_between",
    "one_size",
    "one_size_at",
    "one_size_if_gaussian",
]

POINTS = 4001  # of the integral; with twice as many the tests find the same to 1e-9
WIDTH = 1e-11  # of the enclosure of one column
NEVER = Tail(0.0, 0.0, "past all sums", "exact")


def normalised(columns: ArrayLike) -> Floats:
    """Columns divided by their root mean square, along the last axis; any shape (..., m).

    TypeError or ValueError if not all are finite, or if all columns of a network are 0, which no
    division makes of size 1. Zhang and Sennrich, Root Mean Square Layer Normalization (2019).

    >>> normalised([3.0, -4.0, 0.0, 0.0])
    array([ 1.2, -1.6,  0. ,  0. ])
    """
    x = numbers_of("columns", columns)
    largest = np.max(np.abs(x), axis=-1, keepdims=True)  # first, for squares of it may not exist
    if not np.all(largest > 0):
        raise ValueError("columns must not all be 0: a root mean square of 0 divides nothing")
    x = x / largest
    return x / np.sqrt(np.mean(x**2, axis=-1, keepdims=True))


def one_size(columns: ArrayLike) -> NDArray[np.bool_]:
    """Whether the largest square is less than twice the smallest, along the last axis; shape (...).

    Errors as `normalised`.

    >>> one_size([[1.0, -1.3, 1.2], [1.0, -1.5, 1.2]])
    array([ True, False])
    """
    squares = normalised(columns) ** 2
    return np.asarray(squares.max(axis=-1) < 2 * squares.min(axis=-1))


def draw_one_size_at(
    member: Scores, kappa: float, m: int, trials: int, rng: np.random.Generator
) -> int:
    """How many of `trials` networks of m columns are of one size, f the weights of `member` at
    beta = kappa log2 n; the sums of equal weights are drawn, not their signs.

    trials m <= 2^31; errors as `network.draw_column_at`.

    >>> from polycore.models.datasets import spike_among
    >>> draw_one_size_at(spike_among(10**9, 4), 0.4, 50, 100, np.random.default_rng(0))
    100
    """
    m = integer("m", m)
    trials = integer("trials", trials, at_most=max(1, 2**31 // m))
    drawn = network.draw_column_at(member, kappa, trials * m, rng)
    return int(np.sum(one_size(drawn.reshape(trials, m))))


def one_size_at(member: Scores, kappa: float, m: int, steps: int = 48) -> Tail:
    """Enclosure of Pr[m columns are of one size], f the weights of `member` at beta = kappa log2 n.

    The smallest lies in one of 2 `steps` slots around ||f||; the others lie above it, within a
    factor that is taken a slot too small, and then a slot too large, for sqrt(2). Each event is a
    power of that of one column, from `network.one_column_at`. 2 <= m <= 2^53, 2 <= steps <= 1000;
    TypeError or ValueError otherwise, and as there.

    >>> from polycore.models.datasets import spike_among
    >>> one_size_at(spike_among(10**9, 4), 0.3, 600).lower > 0.999
    True
    """
    m, steps = integer("m", m, 2, 2**53), integer("steps", steps, 2, 1000)
    norm = member.squared_norm(attention.degree(kappa, member.n)) ** 0.5
    ends = norm * 2.0 ** (np.arange(-steps, 2 * steps + 2) / (2 * steps))
    tails = [network.one_column_at(member, kappa, end, WIDTH) for end in ends]
    slots = [(j, j + 1) for j in range(2 * steps)]
    least = [_first_but_not_second(tails, slot, slot[0] + steps - 1, m)[0] for slot in slots]
    most = [_first_but_not_second(tails, slot, slot[0] + steps + 2, m)[1] for slot in slots]
    # What no slot holds: no column past sqrt(2) times the first end, or all past the last slot.
    below = network.no_column(tails[steps + 1], m).upper
    beyond = network.no_column(_missed(tails[2 * steps]), m).upper
    upper = min(1.0, (sum(most) + below + beyond) * (1 + steps * 2**-46))
    lower = max(0.0, sum(least) * (1 - steps * 2**-46))
    return Tail(lower, upper, f"{2 * steps} slots, {m} columns", "certified")


def one_column_between(member: Scores, kappa: float, low: float, high: float) -> Tail:
    """Enclosure of Pr[low < |<f, y>| <= high] for one column y of signs, f the weights of `member`
    at beta = kappa log2 n.

    0 <= low <= high, else ValueError; otherwise as `network.one_column_at`.

    >>> from polycore.models.datasets import spike_among
    >>> round(one_column_between(spike_among(10**9, 4), 0.5, 0.9, 1.1).value, 6)
    1.0
    """
    low, high = real("low", low, at_least=0), real("high", high, at_least=low)
    missed = _missed(*(network.one_column_at(member, kappa, end, WIDTH) for end in (low, high)))
    return network.no_column(missed, 1)


def _missed(low, high=NEVER):
    """That a column is not between two ends, of which these are the tails."""
    less, more = 1 - low.upper + high.lower, 1 - low.lower + high.upper
    return Tail(max(0.0, less - 2**-50), min(1.0, more + 2**-50), low.method, "certified")


def _first_but_not_second(tails, slot, end, m):
    """Least and greatest Pr[all columns lie between the first end of the slot and this one, and not
    all of them between its second end and this one].
    """
    all_within = [network.no_column(_missed(tails[first], tails[end]), m) for first in slot]
    wide, narrow = all_within
    return max(0.0, wide.lower - narrow.upper), max(0.0, wide.upper - narrow.lower)


def one_size_if_gaussian(ratio: float, m: int) -> float:
    """Pr[m columns are of one size] when each is ``ratio`` times a sign, plus a standard Gaussian.

        m ∫ p(a) (P(√2 a) - P(a))^(m - 1) da,    P, p the distribution of |ratio + Gaussian|:

    the smallest is a, and all others lie within a factor √2 of it. ratio >= 0, 2 <= m <= 2^31;
    TypeError or ValueError otherwise.

    >>> round(one_size_if_gaussian(20.0, 100), 4), one_size_if_gaussian(0.0, 100) < 1e-20
    (0.9945, True)
    """
    ratio, m = real("ratio", ratio, at_least=0), integer("m", m, at_least=2, at_most=2**31)
    a = np.linspace(max(0.0, ratio - 10), ratio + 10, POINTS)
    density = (np.exp(-((a - ratio) ** 2) / 2) + np.exp(-((a + ratio) ** 2) / 2)) / np.sqrt(
        2 * np.pi
    )
    below = lambda size: ndtr(size - ratio) - ndtr(-size - ratio)
    return float(trapezoid(m * density * (below(np.sqrt(2) * a) - below(a)) ** (m - 1), a))
