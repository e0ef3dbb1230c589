"""Monte Carlo that can fail: a claim about a probability, decided with both error rates stated.

Intervals are Clopper and Pearson's (1934): exact, so the rates below hold at every sample size and not
only in the limit. A verdict is "pass", "fail" or "undecided"; the smallest discrepancy that the same
number of trials would have caught is part of the answer.
"""

import math
from bisect import bisect_right
from dataclasses import dataclass

from scipy.stats import beta

from polycore.checks import integer, probability, real

__all__ = ["Decision", "lower_limit", "upper_limit", "clopper_pearson", "decide_at_most", "decide_equal",
           "decide_agreement", "z_score"]


@dataclass(frozen=True)
class Decision:
    """A verdict and what it rests on.

    `verdict`: "pass", "fail" or "undecided"; `estimate`: successes/trials; `interval`: the limits that the
    verdict was read from; `false_alarm`: largest Pr[fail] while the claim is true; `false_pass`: largest
    Pr[pass] while it is false (by more than the margin, if there is one); `detects`: the smallest
    probability (`decide_at_most`) or distance (`decide_equal`) failed with probability >= 1 - false_pass,
    inf if there is none.
    """

    verdict: str
    estimate: float
    interval: tuple
    trials: int
    false_alarm: float
    false_pass: float
    detects: float


def lower_limit(successes, trials, error):
    """One-sided lower confidence limit: the p with Pr[Bin(trials, p) >= successes] = error; 0 for no success.

    0 <= successes <= trials, 0 < error < 1; ValueError otherwise. `clopper1934`.

    >>> round(lower_limit(10, 10, 0.01), 12) == round(0.01 ** (1 / 10), 12)
    True
    """
    k, n = _outcome(successes, trials)
    return float(beta.ppf(probability("error", error), k, n - k + 1)) if k else 0.0


def upper_limit(successes, trials, error):
    """One-sided upper confidence limit: the p with Pr[Bin(trials, p) <= successes] = error; 1 if all succeed.

    0 <= successes <= trials, 0 < error < 1; ValueError otherwise. `clopper1934`.

    >>> f"{upper_limit(0, 10**6, 1e-6):.3g}"  # what zero failures in a million runs can certify
    '1.38e-05'
    """
    k, n = _outcome(successes, trials)
    return float(beta.isf(probability("error", error), k + 1, n - k)) if k < n else 1.0


def clopper_pearson(successes, trials, error):
    """Two-sided confidence interval (lower, upper) that misses p with probability at most `error`, half on each side.

    0 <= successes <= trials, 0 < error < 1; ValueError otherwise. `clopper1934`.

    >>> clopper_pearson(0, 1, 0.1)
    (0.0, 0.95)
    """
    error = probability("error", error)
    return lower_limit(successes, trials, error / 2), upper_limit(successes, trials, error / 2)


def decide_at_most(successes, trials, bound, false_alarm=1e-6, false_pass=1e-6):
    """Decide the claim p <= bound.

    fail iff lower_limit(false_alarm) > bound, so Pr[fail | p <= bound] <= false_alarm;
    pass iff upper_limit(false_pass) <= bound, so Pr[pass | p > bound] <= false_pass.
    0 <= bound <= 1, rates in (0, 1) with sum < 1; ValueError otherwise. `clopper1934`.

    >>> decide_at_most(0, 10**6, 1e-6).verdict, decide_at_most(0, 10**6, 1e-4).verdict, decide_at_most(300, 10**6, 1e-4).verdict
    ('undecided', 'pass', 'fail')
    """
    (k, n), bound = _outcome(successes, trials), real("bound", bound, at_least=0, at_most=1)
    _rates(false_alarm, false_pass)
    lower, upper = lower_limit(k, n, false_alarm), upper_limit(k, n, false_pass)
    verdict = "fail" if lower > bound else "pass" if upper <= bound else "undecided"
    return Decision(verdict, k / n, (lower, upper), n, false_alarm, false_pass, _caught_above(n, bound, false_alarm, false_pass))


def decide_equal(successes, trials, low, high, margin, false_alarm=1e-6, false_pass=1e-6):
    """Decide the claim low <= p <= high, where [low, high] is an exact enclosure.

    fail iff clopper_pearson(false_alarm) misses [low, high], so Pr[fail | claim] <= false_alarm; otherwise
    pass iff clopper_pearson(false_pass) lies in [low - margin, high + margin], so that
    Pr[pass | p further than margin from the claim] <= false_pass.
    0 <= low <= high <= 1, margin > 0, rates in (0, 1) with sum < 1; ValueError otherwise. `clopper1934`.

    >>> decide_equal(5_080, 10_000, 0.5, 0.5, 0.05).verdict, decide_equal(5_400, 10_000, 0.5, 0.5, 0.05).verdict
    ('pass', 'fail')
    """
    (k, n), high = _outcome(successes, trials), real("high", high, at_least=0, at_most=1)
    low, margin = real("low", low, at_least=0, at_most=high), real("margin", margin, above=0)
    _rates(false_alarm, false_pass)
    lower, upper = clopper_pearson(k, n, false_alarm)
    inner, outer = clopper_pearson(k, n, false_pass)
    passes = low - margin <= inner and outer <= high + margin
    verdict = "fail" if lower > high or upper < low else "pass" if passes else "undecided"
    # failures count for 1 - p as successes do for p
    above = _caught_above(n, high, false_alarm / 2, false_pass) - high if high < 1 else 0.0
    below = _caught_above(n, 1 - low, false_alarm / 2, false_pass) - (1 - low) if low > 0 else 0.0
    return Decision(verdict, k / n, (lower, upper), n, false_alarm, false_pass, max(above, below))


def decide_agreement(successes, trials, low, high, standard_errors=10, false_alarm=1e-6, false_pass=1e-6):
    """`decide_equal` with a margin of so many standard errors of the estimate, sqrt(p (1 - p) / trials) at p = (low + high)/2.

    Near p = 0 and 1 the standard error counts as 2/trials at least.

    >>> decide_agreement(5_080, 10_000, 0.5, 0.5).verdict, decide_agreement(5_400, 10_000, 0.5, 0.5).verdict
    ('pass', 'fail')
    """
    p = (real("low", low, at_least=0, at_most=1) + real("high", high, at_least=0, at_most=1)) / 2
    error = math.sqrt(max(p * (1 - p), 4 / integer("trials", trials)) / trials)
    return decide_equal(successes, trials, low, high, standard_errors * error, false_alarm, false_pass)


def z_score(successes, trials, p):
    """Standard score (successes - trials p) / sqrt(trials p (1 - p)) of a count, 0 < p < 1.

    For the eye only: its normal law is a limit, and verdicts are read from the exact interval.

    >>> z_score(60, 100, 0.5)
    2.0
    """
    (k, n), p = _outcome(successes, trials), probability("p", p)
    return (k - n * p) / math.sqrt(n * p * (1 - p))


def _outcome(successes, trials):
    trials, successes = integer("trials", trials), integer("successes", successes, at_least=0)
    if successes > trials:
        raise ValueError(f"successes must be <= trials = {trials}, got {successes}: are the two swapped?")
    return successes, trials


def _rates(false_alarm, false_pass):
    if probability("false_alarm", false_alarm) + probability("false_pass", false_pass) >= 1:
        raise ValueError(f"false_alarm + false_pass must be < 1, got {false_alarm} + {false_pass}: a coin does as well")


def _caught_above(trials, bound, false_alarm, false_pass):
    """The least p > bound that fails with probability >= 1 - false_pass, or inf."""
    first = bisect_right(range(trials + 1), bound, key=lambda k: lower_limit(k, trials, false_alarm))
    return upper_limit(first - 1, trials, false_pass) if first <= trials else math.inf
