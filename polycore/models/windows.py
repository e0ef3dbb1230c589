"""At which degrees a head is right about both datasets, at a finite n, in closed form.

The degree is beta = kappa log2 n. An edge is the kappa at which the network of m columns gives the
answer "D_1" with probability 1/2, about the worst list of a dataset: of D_1 a spike among the
highest scores of the background, of D_0 one of two levels. The sums of many signs are taken for
Gaussian, or corrected by Cramer's rate; how good that is, the chapters enclose.

`spike` and `band` are log2(v/h) and log2(h/l), 3 and 1 for the paper's data.
"""

import math
from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from scipy.optimize import brentq, minimize_scalar
from scipy.special import ndtr, ndtri
from scipy.stats import binom

from polycore.checks import Floats, integer, real
from polycore.models.normalised import one_size_if_gaussian

__all__ = [
    "falling_threshold",
    "best_threshold_opens",
    "fixed_threshold",
    "fixed_threshold_opens",
    "highest_threshold",
    "largest_deviation",
    "normalised_columns",
    "one_column",
    "quantile",
    "threshold_closes",
    "two_levels_exceed",
]


FAR = 700  # exp of it is a float
ROUNDED = 1e-15  # a spike of which so little is left to others is all
LISTS = 4000  # of two levels are looked at, at most


def one_column(m: int, chance: float = 0.5) -> float:
    """The probability with which a column fires when one of m does with this `chance`.

    m >= 1, 0 < chance < 1, else ValueError. Definition 3.9.

    >>> one_column(1), round(one_column(2, 0.75), 12)
    (0.5, 0.5)
    """
    chance = real("chance", chance, above=0, below=1)
    return -math.expm1(math.log1p(-chance) / integer("m", m))


def quantile(m: int, chance: float = 0.5) -> float:
    """Q^-1(`one_column`): the level, in standard deviations, that one of m Gaussian columns exceeds
    with this `chance`. Errors as there.

    >>> round(quantile(256), 2)
    2.78
    """
    return -float(ndtri(one_column(m, chance)))


def largest_deviation(n: int, kappa: float, band: float = 1) -> float:
    """The largest standard deviation ||f|| of a column of D_0, by Kantorovich's inequality:

        (1 + r)/(2 sqrt(r n)),    r = n^(kappa band).

    Its square is `thresholds.variance_bound`, which takes an exact kappa. n >= 1, kappa >= 0,
    band > 0, else TypeError or ValueError. Lemma 4.1.

    >>> round(largest_deviation(10**6, 0.5), 9)
    0.0158272
    """
    n, kappa = integer("n", n), real("kappa", kappa, at_least=0)
    half = kappa * real("band", band, above=0) * math.log(n) / 2
    if half > FAR:
        raise ValueError(
            f"kappa must leave r a float, got {kappa} at n = {n}: take a smaller kappa"
        )
    return math.cosh(half) / math.sqrt(n)


def falling_threshold(
    n: int, m: int, kappa: float, band: float = 1, delta: float = 0.01, k: float = 1
) -> float:
    """The threshold of the chapter on the best threshold, which falls as n grows:

        tau_n = sqrt(2 ln(m n^k/delta)) times `largest_deviation`.

    n, m >= 2, kappa >= 0, band > 0, 0 < delta < 1, k >= 0, else TypeError or ValueError.

    >>> round(falling_threshold(10**9, 256, 0.3), 6)
    0.002787
    """
    n, m = integer("n", n, 2), integer("m", m, 2)
    delta, k = real("delta", delta, above=0, below=1), real("k", k, at_least=0)
    rate = math.log(m) + k * math.log(n) - math.log(delta)
    return math.sqrt(2 * rate) * largest_deviation(n, kappa, band)


def _spike(n, power, noise):
    """The weight of a spike n^power times each of n - 1 others, and the deviation of the rest."""
    other = n**-power
    total = 1 + (n - 1) * other
    return 1 / total, math.hypot(math.sqrt(n - 1) * other / total, noise)


def _spike_exceeds(n, kappa, tau, spike, noise):
    """Pr[a column exceeds tau], for a spike among n - 1 equal scores."""
    weight, rest = _spike(n, kappa * spike, noise)
    return (ndtr((weight - tau) / rest) + ndtr((-weight - tau) / rest)) / 2


def _opens(gap, last, never):
    """Where a gap first turns positive, up to `last`, as far as 256 steps show, the first of which
    are the shortest; 0 where it is positive from the start and turns no more.
    """
    kappas = last * np.linspace(0, 1, 257) ** 2
    gaps = np.array([gap(kappa) for kappa in kappas])
    turns = np.flatnonzero((gaps[:-1] <= 0) & (gaps[1:] > 0))
    if turns.size:
        return brentq(gap, *kappas[turns[0] : turns[0] + 2], xtol=1e-12)
    if gaps[1] <= 0:
        raise ValueError(never)
    return 0.0


def fixed_threshold_opens(n: int, m: int, tau: float, spike: float = 3, noise: float = 0) -> float:
    """The kappa from which on a spike makes the network of a fixed threshold fire with probability
    1/2 at least; `noise` >= 0 is the deviation of Gaussian noise in every column, otherwise as for
    `fixed_threshold`.

    >>> [round(fixed_threshold_opens(10**9, 256, 0.2, noise=eta), 3) for eta in (0, 0.05)]
    [0.311, 0.292]
    """
    n, m, tau = integer("n", n, 2), integer("m", m, 2), real("tau", tau, above=0, below=1)
    spike, noise = real("spike", spike, above=0), real("noise", noise, at_least=0)
    gap = lambda kappa: _spike_exceeds(n, kappa, tau, spike, noise) - one_column(m)
    if gap(0) >= 0:
        raise ValueError(
            f"tau must exceed what equal scores sum up to, got {tau} at n = {n}: the network fires "
            "at every degree; take a larger n"
        )
    never = (
        f"at n = {n} no degree is found at which m = {m} columns fire with probability 1/2 above "
        f"tau = {tau}: take more columns"
    )
    return _opens(gap, math.log(n / ROUNDED, n) / spike, never)


def fixed_threshold(
    n: int, m: int, tau: float, spike: float = 3, band: float = 1
) -> tuple[float, float]:
    """Where a fixed threshold opens, and where it closes.

    It closes where c scores of D_0, with the share s of all weight, exceed tau together with
    probability p = `one_column` (m). That is Q(sqrt(2 c I(tau/s))) but for what is small in c, with
    Cramer's rate I and the Gaussian tail Q, and the worst share gives

        (h/l)^beta / n = min over s of s/(1-s) 2 I(tau/s) / Q^-1(p)^2,
        I(x) = ((1+x) ln(1+x) + (1-x) ln(1-x))/2.

    n, m >= 2, 0 < tau < 1, spike, band > 0, else TypeError or ValueError. Lemmas 5.1 and 5.2.

    >>> [round(edge, 3) for edge in fixed_threshold(10**9, 256, 0.2)]
    [0.311, 0.814]
    """
    opens, band = fixed_threshold_opens(n, m, tau, spike), real("band", band, above=0)
    rate = lambda x: (1 + x) * math.log1p(x) + (1 - x) * math.log1p(-x)
    needed = lambda s: s / (1 - s) * rate(tau / s)
    least = minimize_scalar(needed, bounds=(tau, 1), method="bounded").fun
    return opens, math.log(n * least / quantile(m) ** 2) / (band * math.log(n))


def best_threshold_opens(
    n: int, m: int, spike: float = 3, band: float = 1, noise: float = 0, error: float = 0.5
) -> float:
    """The kappa from which on a threshold is wrong about either dataset with probability `error`
    at most: at the one that the list of two levels and largest variance exceeds with that
    probability, the spike exceeds it with the rest.

    `noise` >= 0: the standard deviation of Gaussian noise in every column; 0 < `error` <= 1/2,
    and with noise `error` <= 0.49, for at 1/2 a threshold that hears noise alone would do.
    Otherwise as for `fixed_threshold`, and ValueError where no kappa is found.

    >>> [round(best_threshold_opens(10**12, 326, noise=eta, error=0.1), 3) for eta in (0, 1e-2)]
    [0.207, 0.28]
    """
    n, m = integer("n", n, 2), integer("m", m, 2)
    spike, band = real("spike", spike, above=0), real("band", band, above=0)
    noise = real("noise", noise, at_least=0)
    error = real("error", error, above=0, at_most=0.49 if noise else 0.5)

    def gap(kappa):
        norm = math.hypot(largest_deviation(n, kappa, band), noise)
        fires = _spike_exceeds(n, kappa, quantile(m, error) * norm, spike, noise)
        return fires - one_column(m, 1 - error)

    # Past the second, the threshold even of two columns is above 1, and a spike weighs less.
    last = min(math.log(n / ROUNDED, n) / spike, math.log(64 * n, n) / band)
    never = (
        f"at n = {n} and m = {m} no degree is found at which a threshold is wrong with probability "
        f"{error} at most: take a larger n, a spike further above the band, or less noise"
    )
    return _opens(gap, last, never)


def two_levels_exceed(
    n: int, kappa: float, tau: float, counts: Sequence[int], band: float = 1, noise: float = 0
) -> Floats:
    """Pr[a column exceeds tau] on lists of two levels, for each number c of scores h in `counts`:

        sum over j of binom(c, j) 2^-c Q((tau - (2j - c) w)/sigma),
        w = r/(c r + n - c),    sigma^2 = (n - c)/(c r + n - c)^2 + noise^2,

    each sign of an h counted, those of the scores l taken for Gaussian. n >= 2, 0 < `counts` < n,
    kappa >= 0, band > 0, noise >= 0, else TypeError or ValueError. Lemma 5.2.

    >>> two_levels_exceed(10**6, 1.2, 0.5, [1, 2]).round(3)
    array([0.5 , 0.25])
    """
    n, kappa, tau = integer("n", n, 2), real("kappa", kappa, at_least=0), real("tau", tau)
    band, noise = real("band", band, above=0), real("noise", noise, at_least=0)
    if not len(counts):
        raise ValueError("counts must hold a number of scores h for each list, got none")
    c, sums, chances = _signs(tuple(integer("counts", one, 1, n - 1) for one in counts))
    low = n ** (-kappa * band)
    total = c + (n - c) * low
    beyond = sums / total - tau
    return (chances * ndtr(beyond / np.hypot(np.sqrt(n - c) * low / total, noise))).sum(1)


@lru_cache(maxsize=8)  # a root is looked for at one list of counts
def _signs(counts):
    """The counts c in a column; in each row the sums 2j - c of so many signs, and the probability
    of each, which is 0 for j > c.
    """
    c = np.array(counts)[:, None]
    plus = np.arange(c.max() + 1)
    return c, 2 * plus - c, binom.pmf(plus, c, 0.5)


def highest_threshold(
    n: int, m: int, kappa: float, spike: float = 3, noise: float = 0, error: float = 0.5
) -> float:
    """The threshold that a spike makes a network exceed with probability 1 - `error`.

    m >= 8, kappa >= 0, 2^-m < `error` <= 1/2, otherwise as for `best_threshold_opens`.

    >>> round(highest_threshold(10**6, 200, 1.2, noise=0.01), 4)
    1.0246
    """
    n, m = integer("n", n, 2), integer("m", m, 8)
    kappa, spike = real("kappa", kappa, at_least=0), real("spike", spike, above=0)
    error = real("error", error, above=2.0**-m, at_most=0.5)
    weight, rest = _spike(n, kappa * spike, real("noise", noise, at_least=0))
    return float(weight - rest * ndtri(2 * one_column(m, 1 - error)))


def threshold_closes(
    n: int,
    m: int,
    tau: float | None = None,
    spike: float = 3,
    band: float = 1,
    noise: float = 0,
    error: float = 0.5,
) -> float:
    """The kappa up to which a threshold is wrong about lists of two levels with probability `error`
    at most: tau, or without it `highest_threshold`.

    With q the `quantile` of m columns at `error`, the worst list has about q^2/(4 (tau^2 - (q
    noise)^2)) scores h where their sum is nearly Gaussian, and q^2/(2 ln 2) where all their signs
    must agree. Each list of up to q^2/(2 (tau^2 - (q noise)^2)) + q^2 + 8 is looked at; ValueError
    where these are more than about 4000.

    m >= 8, 2^-m < `error` <= 1/2. With 0.05 <= tau < 1, `noise` is below tau / q, past which noise
    exceeds tau alone; without it 0 < `noise` < 0.1, for only noise ends it. Otherwise as for
    `best_threshold_opens`.

    >>> [round(threshold_closes(10**12, 326, *of), 3) for of in ((0.2,), (None, 3, 1, 1e-2, 0.1))]
    [0.856, 1.145]
    """
    n, m = integer("n", n, 2), integer("m", m, 8)
    spike, band = real("spike", spike, above=0), real("band", band, above=0)
    error = real("error", error, above=2.0**-m, at_most=0.5)
    level = lambda kappa: tau or highest_threshold(n, m, kappa, spike, noise, error)
    q = quantile(m, error)
    if tau is not None:
        tau, hint = real("tau", tau, at_least=0.05, below=1), "noise alone exceeds tau there"
        noise = real("noise", noise, at_least=0, below=tau / q, hint=hint)
        right, above = fixed_threshold_opens(n, m, tau, spike, noise), 1 - tau
    else:
        noise = real("noise", noise, above=0, below=0.1)
        right = (best_threshold_opens(n, m, spike, band, noise, error) + 1 / band) / 2
        rare, often = ndtri([2 * one_column(m, chance) for chance in (error, 1 - error)])
        above = noise * (often - rare)
    room = level(right) ** 2 - (q * noise) ** 2
    if q**2 * (0.5 + room) > LISTS * room:
        raise ValueError(
            f"the threshold must leave room above noise, got {level(right):.3g} with noise = "
            f"{noise} and m = {m}: more than {LISTS} lists would be looked at; take less noise, or "
            "a larger tau or error"
        )
    most = min(n - 1, math.ceil(q**2 * (0.5 / room + 1)) + 8)  # a list of more h exceeds it less
    counts = range(1, most + 1)  # each: their sums are on lattices, and some lie just above tau
    fires = lambda kappa: two_levels_exceed(n, kappa, level(kappa), counts, band, noise).max()
    gap = lambda kappa: fires(kappa) - one_column(m, error)

    last = math.log(2 * n / above, n) / band  # a single h weighs so little less than 1
    if gap(right) >= 0:
        raise ValueError(
            f"at n = {n} and m = {m} no window closes: take a larger n, a spike further above the "
            "band, or another noise"
        )
    return brentq(gap, right, last, xtol=1e-12)


def normalised_columns(
    n: int, m: int, spike: float = 3, band: float = 1, noise: float = 0
) -> tuple[float, float]:
    """Where the test of columns of one size opens, and where it closes: where a lone power is c
    times the standard deviation of what else a column holds. With N = n - 1 and q = c noise it is

        (q^2 N + sqrt(N (q^2 N + c^2 (1 - q^2))))/(1 - q^2)

    times each other power. c depends on m: there `one_size_if_gaussian` is 1/2. Infinite for q from
    1 on, where noise alone is that large; otherwise as for `best_threshold_opens`.

    >>> [round(edge, 3) for edge in normalised_columns(10**12, 977)]
    [0.202, 0.606]
    """
    n, m = integer("n", n, 2), integer("m", m, 2)
    spike, band = real("spike", spike, above=0), real("band", band, above=0)
    noise = real("noise", noise, at_least=0)
    level = brentq(lambda ratio: one_size_if_gaussian(ratio, m) - 0.5, 0, 1000, xtol=1e-9)
    loud, others = (level * noise) ** 2, n - 1
    if loud >= 1:
        return math.inf, math.inf
    root = math.sqrt(others) * math.sqrt(loud * others + level**2 * (1 - loud))
    power = math.log((loud * others + root) / (1 - loud), n)
    return power / spike, power / band
