"""Tails of Z = sum_i f_i sigma_i where few distinct weights occur often: the distribution of one
class, for each outcome of the others.
"""

import math
from fractions import Fraction

import numpy as np

from polycore.checks import Floats
from polycore.tails.bounds import cumulants, tilt
from polycore.tails.rademacher import UNIT, Tail, half_binomial

__all__ = ["few_class_tail"]

LIMB = 32  # bits: products of a limb and a count, and sums of these, are int64
REACH = 4.5  # a class is summed over so many sqrt(n_c) outcomes to each side of its tilted mean
BLOCK = 2**18  # outcomes at a time


def few_class_tail(a: Floats, counts: Floats, t: float, most: int = 2**25) -> Tail | None:
    """Pr[|Z| > t] for a few distinct weights, as accurate as `two_class_tail`; None for more than
    `most` outcomes.

    With B_c ~ Bin(n_c, 1/2), and a, n, B without an index those of the class that has the most
    outcomes,

        Pr[|Z| > t] = 2 sum_{k_1, k_2, ..} prod_c Pr[B_c = k_c] Pr[a (2 B - n) > t - sum_c a_c (2
        k_c - n_c)]

    over the outcomes near their means under the distribution tilted by s, since by Chernoff and
    Hoeffding all others together have at most 4 exp(-2 4.5^2) exp(K(s) - s t) for each class. Ties
    are decided exactly, in integers of two limbs. All terms are positive, so roundings add. `a`,
    `counts`, `t` as `rademacher.weights` returns them, `a` distinct and positive, t < sum a. None,
    too, for more than 2^26 signs and weights that are not all below 2^64 times a number that
    divides them and t.

    >>> found = few_class_tail(np.array([2.0, 3.0, 4.0]), np.array([5e3, 4e3, 10.0]), 2500.0)
    >>> f"{found.value:.8e}", found.upper / found.lower - 1 < 1e-10
    ('4.28540468e-26', True)
    """
    if counts.sum() > 2**26:
        return None
    s = tilt(a, counts, t)
    begins, chances = zip(*(half_binomial(int(n)) for n in counts))
    means, reach = counts * (1 + np.tanh(s * a)) / 2, REACH * np.sqrt(counts)
    firsts = np.maximum(np.ceil(means - reach), begins).astype(int)
    spans = (
        np.minimum(np.floor(means + reach) + 1, np.add(begins, [p.size for p in chances])).astype(
            int
        )
        - firsts
    )
    *others, last = np.argsort(spans).tolist()
    *units, limit = _integers([*a.tolist(), t])
    if spans.min() < 1 or math.prod(spans[others].tolist()) > most or max(units) >= 2**64:
        return None
    laws, ends = [], [np.int64(limb) for limb in _limbs(limit + int(counts[last]) * units[last])]
    for c in others:
        start = firsts[c] - begins[c]
        signs = 2 * np.arange(firsts[c], firsts[c] + spans[c]) - int(counts[c])
        laws.append(
            (chances[c][start : start + spans[c]], *(limb * signs for limb in _limbs(units[c])))
        )
    survival = np.append(np.cumsum(chances[last][::-1])[::-1], 0.0)  # summed from the small end
    chance, high, low = np.ones(1), *(np.array([end]) for end in ends)
    for law, more, less in laws[:-1]:
        chance, high, low = (
            (chance[:, None] * law).ravel(),
            (high[:, None] - more).ravel(),
            (low[:, None] - less).ravel(),
        )
    (law, more, less), rows, value = laws[-1], max(1, BLOCK // laws[-1][0].size), 0.0
    for part in (slice(i, i + rows) for i in range(0, chance.size, rows)):
        above = (
            _quotient(high[part, None] - more, low[part, None] - less, 2 * units[last])
            + 1
            - begins[last]
        )
        value += 2 * float(chance[part] @ (survival[np.clip(above, 0, survival.size - 1)] @ law))
    slack = 8 * sum(p.size for p in chances) * UNIT
    left = 4 * len(others) * math.exp(-2 * REACH**2 + cumulants(a, counts, s)[0] - s * t) + 1e-290
    return Tail(
        max(0.0, value * (1 - slack)),
        min(1.0, value * (1 + slack) + left),
        "convolution",
        "certified",
    )


def _integers(values):
    """Floats as multiples of the largest number that divides them all."""
    scale = max(Fraction(value).denominator for value in values)
    whole = [int(Fraction(value) * scale) for value in values]
    return [value // math.gcd(*whole) for value in whole]


def _limbs(value):
    return value >> LIMB, value & (1 << LIMB) - 1


def _quotient(high, low, divisor):
    """floor((2^32 high + low) / divisor) for arrays of int64, exactly: a float is off by one at
    most, and the remainder shows it.
    """
    upper, lower = _limbs(divisor)
    found = np.floor((high * 2.0**LIMB + low) / divisor).astype(np.int64)
    carry, rest = _limbs(low - lower * found)
    rest_high = high - upper * found + carry
    return found - (rest_high < 0) + ((rest_high > upper) | (rest_high == upper) & (rest >= lower))
