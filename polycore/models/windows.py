"""At which degrees a head is right about both datasets, at a finite n, in closed form.

The degree is beta = kappa log2 n. An edge is the kappa at which the network of m columns gives the
answer "D_1" with probability 1/2, about the worst list of a dataset: of D_1 a spike among the
highest scores of the background, of D_0 one of two levels. The sums of many signs are taken for
Gaussian, or corrected by Cramer's rate; how good that is, the chapters enclose.

`spike` and `band` are log2(v/h) and log2(h/l), 3 and 1 for the paper's data.
"""

import math

from scipy.optimize import brentq, minimize_scalar
from scipy.special import ndtr, ndtri

from polycore.checks import integer, real
from polycore.models.normalised import one_size_if_gaussian

__all__ = [
    "falling_threshold",
    "best_threshold_opens",
    "fixed_threshold",
    "largest_deviation",
    "normalised_columns",
    "one_column",
    "quantile",
]


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
    root = n ** (kappa * real("band", band, above=0) / 2)
    return (1 / root + root) / (2 * math.sqrt(n))


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


def _spike(n, ratio, noise):
    """The weight of a spike `ratio` times each of n - 1 others, and the deviation of the rest."""
    total = ratio + n - 1
    return ratio / total, math.hypot(math.sqrt(n - 1) / total, noise)


def _spike_exceeds(n, kappa, tau, spike, noise=0.0):
    """Pr[a column exceeds tau], for a spike among n - 1 equal scores."""
    weight, rest = _spike(n, n ** (kappa * spike), noise)
    return (ndtr((weight - tau) / rest) + ndtr((-weight - tau) / rest)) / 2


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
    n, m, tau = integer("n", n, 2), integer("m", m, 2), real("tau", tau, above=0, below=1)
    spike, band = real("spike", spike, above=0), real("band", band, above=0)
    p = one_column(m)
    opens = brentq(lambda kappa: _spike_exceeds(n, kappa, tau, spike) - p, 0, 3 / spike, xtol=1e-12)
    rate = lambda x: (1 + x) * math.log1p(x) + (1 - x) * math.log1p(-x)
    needed = lambda s: s / (1 - s) * rate(tau / s)
    least = minimize_scalar(needed, bounds=(tau * (1 + 1e-12), 1 - 1e-12), method="bounded").fun
    return opens, math.log(n * least / quantile(m) ** 2) / (band * math.log(n))


def best_threshold_opens(
    n: int, m: int, spike: float = 3, band: float = 1, noise: float = 0, error: float = 0.5
) -> float:
    """The least kappa at which a threshold is wrong about either dataset with probability `error`
    at most: at the one that the list of two levels and largest variance exceeds with that
    probability, the spike exceeds it with the rest.

    `noise` >= 0: the standard deviation of Gaussian noise in every column; with it `error`
    must be below 1/2, for at 1/2 a threshold that hears noise alone would do. Otherwise as for
    `fixed_threshold`.

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

    return brentq(gap, 1e-3, 1 / spike + 0.1, xtol=1e-12)


def normalised_columns(
    n: int, m: int, spike: float = 3, band: float = 1, noise: float = 0
) -> tuple[float, float]:
    """Where the test of columns of one size opens, and where it closes: where a lone power exceeds
    what else a column holds by the same factor, which depends on m.

    Arguments and errors as for `best_threshold_opens`; infinite where the noise is too large.

    >>> [round(edge, 3) for edge in normalised_columns(10**12, 977)]
    [0.202, 0.606]
    """
    n, m = integer("n", n, 2), integer("m", m, 2)
    spike, band = real("spike", spike, above=0), real("band", band, above=0)
    noise = real("noise", noise, at_least=0)
    level = brentq(lambda ratio: one_size_if_gaussian(ratio, m) - 0.5, 0, 1000, xtol=1e-9)

    def gap(power):
        weight, rest = _spike(n, n**power, noise)
        return weight - level * rest

    needed = brentq(gap, 0, 4, xtol=1e-12) if level * noise < 0.9 else math.inf
    return needed / spike, needed / band
