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
    "best_threshold_opens",
    "fixed_threshold",
    "normalised_columns",
    "one_column",
    "quantile",
]


def one_column(m: int) -> float:
    """The probability with which a column fires when one of m does with probability 1/2.

    m >= 1, else ValueError. Definition 3.9.

    >>> one_column(1)
    0.5
    """
    return -math.expm1(-math.log(2) / integer("m", m))


def quantile(m: int) -> float:
    """Q^-1(`one_column` (m)): the level, in standard deviations, that one of m Gaussian columns
    exceeds with probability 1/2. Errors as there.

    >>> round(quantile(256), 3)
    2.781
    """
    return -float(ndtri(one_column(m)))


def _spike_exceeds(n, kappa, tau, spike):
    """Pr[a column exceeds tau], for a spike among n - 1 equal scores."""
    ratio = n ** (kappa * spike)
    weight, rest = ratio / (ratio + n - 1), math.sqrt(n - 1) / (ratio + n - 1)
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


def best_threshold_opens(n: int, m: int, spike: float = 3, band: float = 1) -> float:
    """The least kappa at which a threshold is right about both: at the one that the list of two
    levels and largest variance exceeds with probability 1/2, the spike reaches 1/2 too.

    Arguments and errors as for `fixed_threshold`.

    >>> round(best_threshold_opens(10**12, 326), 3)
    0.204
    """
    n, m = integer("n", n, 2), integer("m", m, 2)
    spike, band = real("spike", spike, above=0), real("band", band, above=0)
    p = one_column(m)

    def gap(kappa):
        ratio = n ** (kappa * band)
        norm = (1 + ratio) / (2 * math.sqrt(ratio * n))
        return _spike_exceeds(n, kappa, quantile(m) * norm, spike) - p

    return brentq(gap, 1e-3, 1 / (2 * spike - band) + 0.2, xtol=1e-12)


def normalised_columns(n: int, m: int, spike: float = 3, band: float = 1) -> tuple[float, float]:
    """Where the test of columns of one size opens, and where it closes: where a lone power exceeds
    sqrt(n - 1) others of size 1 by the same factor, which depends on m.

    Arguments and errors as for `fixed_threshold`.

    >>> [round(edge, 3) for edge in normalised_columns(10**12, 977)]
    [0.202, 0.606]
    """
    n, m = integer("n", n, 2), integer("m", m, 2)
    spike, band = real("spike", spike, above=0), real("band", band, above=0)
    level = brentq(lambda ratio: one_size_if_gaussian(ratio, m) - 0.5, 0, 1000, xtol=1e-9)
    needed = math.log(level * math.sqrt(n - 1)) / math.log(n)
    return needed / spike, needed / band
