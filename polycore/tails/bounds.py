"""The hierarchy of tail bounds of Z = sum_i f_i sigma_i: bounds, an approximation, and Monte Carlo
that meets rare events.

Every level is a function of (f, t, counts) for Pr[|Z| > t], strict, that returns a Tail; beside the
words of `rademacher` its `rigour` may be

- "approximation": a formula with no error bound, lower == upper;
- "estimated": random draws, with a confidence interval that holds at every sample size.

Where the support decides (`rademacher.settled`: t >= sum |f|, or a single sign and t < |f|),
saddlepoint and sampling are exact, their `method` "support", and Chernoff's bound is 0 or 1.
Hoeffding's and Bentkus and Dzindzalieta's know ||f|| alone: they stay positive past sum |f|, where
the answer 0 is their lower end.

The certified level is `inversion.inversion`. All but Hoeffding rest on the cumulant function
K(s) = ln E exp(s Z) = sum_i ln cosh(s f_i) and on the distribution tilted by s,
dQ/dP = exp(s Z - K(s)): under Q the signs are still independent, with means tanh(s f_i).
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import erfc, erfcx

from polycore.checks import Floats, generator, integer, probability, real
from polycore.montecarlo import Decision
from polycore.tails.rademacher import BLOCK, UNIT, Tail, beyond, settled, weights

__all__ = [
    "Estimate",
    "hoeffding",
    "log_hoeffding",
    "bentkus_dzindzalieta",
    "chernoff",
    "log_chernoff",
    "saddlepoint",
    "decide_estimate",
    "importance_sample",
    "cumulants",
    "tilt",
]

TINY = 5e-324  # what an upper bound that underflows is rounded up to


@dataclass(frozen=True)
class Estimate(Tail):
    """A Tail seen by random draws: Pr[lower <= Pr[|Z| > t] <= upper] >= 1 - error.

    `estimate` is unbiased; `relative_error` is its standard error over itself, for the eye (inf if
    no draw exceeded t).
    """

    lower: float
    upper: float
    estimate: float
    relative_error: float
    draws: int
    error: float

    @property
    def value(self) -> float:
        """The unbiased estimate, to plot or to print."""
        return self.estimate


def log_hoeffding(squared_norm: float, t: float) -> float:
    """Natural logarithm of Hoeffding's bound, ln 2 - t^2 / (2 ||f||^2); not clipped, so that any n
    fits.

    `squared_norm` > 0, `t` >= 0; ValueError otherwise. Lemma 3.6; `hoeffding1963`.

    >>> log_hoeffding(1e-6, 0.1)
    -4999.306852819441
    """
    t = real("t", t, at_least=0)
    return math.log(2) - t * (t / (2 * real("squared_norm", squared_norm, above=0)))


def hoeffding(f: ArrayLike, t: float, counts: ArrayLike | None = None) -> Tail:
    """Hoeffding's bound Pr[|Z| > t] <= min(1, 2 exp(-x)), x = t^2 / (2 ||f||^2), as a Tail; rounded
    up by (1 + |ln 2 - x|) 2^-45.

    `f`: shape (c,), not all zero; `t` >= 0; ValueError otherwise. Lemma 3.6; `hoeffding1963`.

    >>> round(hoeffding([0.01] * 100, 0.3).upper, 6) == round(2 * math.exp(-4.5), 6)
    True
    """
    a, counts, t = weights(f, counts, t)
    log = log_hoeffding(np.sum(counts * a**2), t)
    upper = math.exp(log) * (1 + 256 * UNIT * (1 + abs(log)))
    return Tail(0.0, min(1.0, max(TINY, upper)), "Hoeffding", "bound")


def bentkus_dzindzalieta(f: ArrayLike, t: float, counts: ArrayLike | None = None) -> Tail:
    """Pr[|Z| > t] <= min(1, 2 c Pr[eta >= t/||f||]), eta standard normal, with the best constant c
    = 1/(4 Pr[eta >= sqrt 2]).

    c = 3.1786...; equality as t rises to 2 at f = (1, 1). Rounded up by (1 + x^2) 2^-45, x =
    t/||f||. `f`: shape (c,), not all zero; `t` >= 0; ValueError otherwise. `bentkus2015`.

    >>> # exactly 1/2
    >>> [round(level([1, 1], 1.999999999).upper, 6) for level in (bentkus_dzindzalieta, hoeffding)]
    [0.5, 0.735759]
    """
    a, counts, t = weights(f, counts, t)
    x = min(t / math.sqrt(np.sum(counts * a**2)), 1e100)  # far beyond underflow
    upper = erfc(x / math.sqrt(2)) / (2 * erfc(1.0)) * (1 + 256 * UNIT * (1 + x * x))
    return Tail(0.0, min(1.0, max(TINY, float(upper))), "Bentkus-Dzindzalieta", "bound")


def log_chernoff(f: ArrayLike, t: float, counts: ArrayLike | None = None) -> float:
    """Natural logarithm of Chernoff's bound, ln 2 + min_s (K(s) - s t); not clipped, -inf where t
    >= sum |f|.

    Any s > 0 bounds, so the accuracy of the minimum moves sharpness only; rounded up by (K + s t)
    2^-46. `f`: shape (c,), not all zero; `t` >= 0; ValueError otherwise. `chernoff1952`.

    >>> log_chernoff([1e-12], 0.99, [10**12]) < log_hoeffding(1e-12, 0.99)
    True
    """
    a, counts, t = weights(f, counts, t)
    if beyond(a, counts, t):
        return -math.inf
    s = tilt(a, counts, t)
    log = cumulants(a, counts, s)[0]
    return math.log(2) + log - s * t + 128 * UNIT * (1 + log + s * t)


def chernoff(f: ArrayLike, t: float, counts: ArrayLike | None = None) -> Tail:
    """Chernoff's bound Pr[|Z| > t] <= min(1, 2 min_s exp(K(s) - s t)) as a Tail, 0 where t >= sum
    |f|.

    Never above Hoeffding's, as ln cosh x <= x^2/2. Errors and rounding as `log_chernoff`.
    `chernoff1952`.

    >>> f = [0.5, 0.5]
    >>> chernoff(f, 1).upper, chernoff(f, 0.9).upper < hoeffding(f, 0.9).upper
    (0.0, True)
    """
    log = log_chernoff(f, t, counts)
    upper = 0.0 if math.isinf(log) else max(TINY, math.exp(min(0.0, log)))
    return Tail(0.0, upper, "Chernoff", "bound")


def saddlepoint(f: ArrayLike, t: float, counts: ArrayLike | None = None) -> Tail:
    """Lugannani and Rice's approximation 2 (1 - Phi(w) + phi(w) (1/v - 1/w)) at K'(s) = t.

    w^2 = 2 (s t - K(s)), v = s sqrt(K''(s)). For laws with a density its relative error is O(1/n),
    uniformly in the tail; Z has atoms, and the formula passes between their jumps. Below w = 1e-3
    the removable singularity at t = 0 is its first term, -K''''(0) s / (8 K''(0)^1.5). `f`: shape
    (c,), not all zero; `t` >= 0; ValueError otherwise. `lugannani1980`.

    >>> # exactly 0.106750 for t in [50, 52), 0.121214 for t in [48, 50)
    >>> round(saddlepoint([1.0], 50, [1000]).value, 6)
    0.113861
    """
    a, counts, t = weights(f, counts, t)
    if (certain := settled(a, counts, t)) is not None:
        return Tail(certain, certain, "support", "approximation")
    s = tilt(a, counts, t)
    log, _, variance = cumulants(a, counts, s)
    w, v = math.sqrt(2 * (s * t - log)), s * math.sqrt(variance)
    # K'''' = -2 sum f^4 at 0
    norm = math.sqrt(np.sum(counts * a**2))
    gap = 1 / v - 1 / w if w > 1e-3 else s * norm * np.sum(counts * (a / norm) ** 4) / 4
    value = 2 * math.exp(-w * w / 2) * (erfcx(w / math.sqrt(2)) / 2 + gap / math.sqrt(2 * math.pi))
    value = min(1.0, max(0.0, float(value)))
    return Tail(value, value, "Lugannani-Rice", "approximation")


def importance_sample(
    f: ArrayLike,
    t: float,
    draws: int,
    rng: np.random.Generator,
    counts: ArrayLike | None = None,
    error: float = 1e-6,
) -> Estimate:
    """Pr[|Z| > t] = 2 exp(K(s) - s t) E_Q Y, Y = exp(-s (Z - t)) [Z > t], from independent draws
    under the distribution Q tilted by s.

    0 <= Y <= 1, so Maurer and Pontil's empirical Bernstein bound, at error/2 a side and for V the
    sample variance,

        |mean - E_Q Y| <= sqrt(2 V L / draws) + 7 L / (3 (draws - 1)),   L = ln(4 / error),

    holds with probability >= 1 - error at every sample size; the roundings of Z and of the signs'
    probabilities are not charged. At K'(s) = t the relative variance of Y is about 1.25 x - 1 for t
    = x standard deviations of Z, not 1/Pr. Time ~ draws * classes. `f`: shape (c,), not all zero;
    `t` >= 0; 2 <= `draws` <= 2^32; 0 < `error` < 1; counts <= 2^53; ValueError otherwise.
    `maurer2009`, Theorem 4; `siegmund1976`.

    >>> seen = importance_sample([0.01], 7.01, 10**4, np.random.default_rng(0), [10**4])
    >>> seen.lower < 2.33566576e-12 < seen.upper, seen.relative_error < 0.03
    (True, True)
    """
    (a, counts, t), draws, rng = (
        weights(f, counts, t),
        integer("draws", draws, at_least=2, at_most=2**32),
        generator(rng),
    )
    level = math.log(4 / probability("error", error))
    if counts.max() > 2**53:
        raise ValueError(
            f"counts must be <= 2^53 to sample, got {counts.max():.3g}: beyond it float64 skips "
            "integers"
        )
    if (certain := settled(a, counts, t)) is not None:
        return Estimate(certain, certain, "support", "estimated", certain, 0.0, draws, float(error))
    s = tilt(a, counts, t)
    z = _tilted_sums(a, counts, s, draws, rng)
    y = np.where(z > t, np.exp(-s * np.maximum(z - t, 0)), 0.0)
    mean, deviation = float(np.mean(y)), float(np.std(y, ddof=1))
    log, scale = cumulants(a, counts, s)[0] - s * t, deviation / math.sqrt(draws)
    radius = math.sqrt(2 * level) * scale + 7 * level / (3 * (draws - 1))
    factor, slack = 2 * math.exp(log), 256 * UNIT * (1 + abs(log) + 2 * s * t)
    return Estimate(
        max(0.0, factor * (mean - radius) * (1 - slack)),
        min(1.0, max(TINY, factor * (mean + radius) * (1 + slack))),
        "tilted sampling",
        "estimated",
        factor * mean,
        scale / mean if mean else math.inf,
        draws,
        float(error),
    )


def _tilted_sums(a, counts, s, draws, rng):
    up = 1 / (1 + np.exp(-2 * s * a))
    if counts.max() > 1:
        return sum(w * (2.0 * rng.binomial(int(n), p, draws) - n) for w, n, p in zip(a, counts, up))
    rows = max(1, BLOCK // a.size)
    sizes = (min(rows, draws - i) for i in range(0, draws, rows))
    return 2 * np.concatenate([(rng.random((size, a.size)) < up) @ a for size in sizes]) - a.sum()


def cumulants(a: Floats, counts: Floats, s: float) -> tuple[float, float, float]:
    """K(s), K'(s), K''(s) of Z, for arrays as `rademacher.weights` returns them and s >= 0: sum ln
    cosh(s a), sum a tanh(s a), sum a^2 / cosh(s a)^2.

    Each to a relative 2^-47: all terms are positive, and none is the difference of two larger ones.

    >>> cumulants(np.array([1.0]), np.array([2.0]), 0.0)
    (0.0, 0.0, 2.0)
    """
    y = s * a
    fade = np.exp(-2 * y)
    log = np.where(
        y < 1, np.log1p(2 * np.sinh(np.minimum(y, 1) / 2) ** 2), y - math.log(2) + np.log1p(fade)
    )
    return float(np.sum(counts * log)), *_moments(a, counts, y, fade)


def _moments(a: Floats, counts: Floats, y: Floats, fade: Floats) -> tuple[float, float]:
    mean = np.sum(counts * a * (-np.expm1(-2 * y) / (1 + fade)))
    return float(mean), float(np.sum(counts * a**2 * (4 * fade / (1 + fade) ** 2)))


def tilt(a: Floats, counts: Floats, t: float) -> float:
    """The saddlepoint: s >= 0 with K'(s) = t, for arrays as `rademacher.weights` returns them and 0
    <= t < sum a.

    K' is concave with K'(s) <= s ||f||^2, so Newton's steps from t/||f||^2 rise to the root. Where
    t meets sum a to rounding they stop early: the tilt then is smaller than the best one, and every
    use of it stays valid.

    >>> round(math.tanh(tilt(np.array([1.0]), np.array([1.0]), 0.5)), 12)
    0.5
    """
    s = t / float(np.sum(counts * a**2))
    for _ in range(200):
        mean, variance = _moments(a, counts, s * a, np.exp(-2 * s * a))
        if t - mean <= 16 * UNIT * t or variance == 0:
            break
        s += (t - mean) / variance
    return s


def decide_estimate(
    seen: Estimate, low: float, high: float, standard_errors: float = 10
) -> Decision:
    """Whether an `Estimate` agrees with a probability known to lie in [low, high], as a
    `montecarlo.Decision`.

    It fails if the interval misses [low, high], which for a correct sampler has probability
    `seen.error` at most. It passes if the interval stays within `standard_errors` standard errors
    of [low, high]: so a sampler of which the mean lies further away than that passes as seldom. In
    between it is undecided; `needed` draws would do if their mean is that of low and high and they
    vary as these do. 0 <= `low` <= `high` <= 1, `standard_errors` > 0; TypeError or ValueError
    otherwise.

    >>> seen = importance_sample([0.01], 7.01, 10**4, np.random.default_rng(0), [10**4])
    >>> limits = (2.335e-12, 2.336e-12), (4.7e-12, 4.7e-12)
    >>> tuple(decide_estimate(seen, *both).verdict for both in limits)
    ('pass', 'fail')
    """
    if not isinstance(seen, Estimate):
        raise TypeError(
            f"seen must be an Estimate, got {type(seen).__name__}: pass what importance_sample "
            "returns"
        )
    low, high = real("low", low, at_least=0, at_most=1), real("high", high, at_least=low, at_most=1)
    deviation = seen.relative_error * seen.estimate
    margin = real("standard_errors", standard_errors, above=0) * deviation
    missed = seen.upper < low or high < seen.lower
    near = low - margin <= seen.lower and seen.upper <= high + margin
    verdict = "fail" if missed else "pass" if near else "undecided"
    width = math.sqrt(2 * math.log(4 / seen.error)) * deviation
    # Of the radius, what falls like 1/n and not like 1/sqrt(n).
    rest = max(0.0, seen.upper - seen.estimate - width)

    def undecided_at(n):
        off = (width - margin) * math.sqrt(seen.draws / n) + rest * (seen.draws - 1) / (n - 1)
        return float(off > (high - low) / 2)

    claim = {"at_least": low, "at_most": high} if low < high else {"equals": low}
    return Decision(
        verdict,
        seen.estimate,
        (seen.lower, seen.upper),
        seen.draws,
        seen.error,
        seen.error,
        margin,
        claim,
        undecided_at,
    )
