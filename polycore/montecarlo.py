"""Monte Carlo that can fail: a claim about a probability, decided with both error rates stated.

Intervals are Clopper and Pearson's (1934): exact, so the rates below hold at every sample size and
not only in the limit. A verdict is "pass", "fail" or "undecided"; the smallest discrepancy that the
same number of trials would have caught is part of the answer, and so is the number of trials that
would decide.
"""

import math
from bisect import bisect_left, bisect_right
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import betainc, betaincc, betainccinv, betaincinv

from polycore.checks import Number, integer, one_of, probability, real, vector

__all__ = [
    "Decision",
    "lower_limit",
    "upper_limit",
    "clopper_pearson",
    "decide_at_most",
    "decide_equal",
    "decide_agreement",
    "decide_median",
    "z_score",
]

MOST = 10**12  # trials: no larger number is advised


@dataclass(frozen=True)
class Decision:
    """A verdict and what it rests on.

    `verdict`: "pass", "fail" or "undecided"; `estimate`: successes/trials; `interval`: the limits
    that the verdict was read from; `false_alarm`: the largest Pr[fail] while the claim is true, a
    false rejection (type I); `false_pass`: the largest Pr[pass] while it is false (by more than the
    margin, if there is one), a false acceptance (type II); `detects`: the smallest probability
    (`decide_at_most`) or distance (`decide_equal`) failed with probability >= 1 - false_pass, inf
    if there is none; `claim`: {relation: number}, what was decided. trials >= 1,
    `false_alarm`, `false_pass` in (0, 1); ValueError otherwise, for a verdict of another name and
    for an estimate outside its interval.
    """

    verdict: str
    estimate: float
    interval: tuple[float, float]
    trials: int
    false_alarm: float
    false_pass: float
    detects: float
    claim: dict[str, float] = field(hash=False)
    undecided_at: Callable[[int], float] | None = field(
        default=None, repr=False, compare=False
    )  # Pr[undecided] at n trials if the estimate is the truth

    def __post_init__(self):
        (
            one_of("verdict", self.verdict, ("pass", "fail", "undecided")),
            integer("trials", self.trials),
        )
        probability("false_alarm", self.false_alarm), probability("false_pass", self.false_pass)
        low, high = self.interval
        if not low <= self.estimate <= high:
            raise ValueError(
                f"the estimate {self.estimate} is not in its interval [{low}, {high}]: of another "
                "sample?"
            )

    @cached_property
    def needed(self) -> float | None:
        """How many trials would decide; None unless undecided, or where that is not known.

        If the estimate is the truth, the same test decides with probability >= 1 - false_pass at n
        = `needed` trials, and at n - 1 it does not or they were made. That probability rises in
        small zigzags, so some smaller n may do as well. inf if no n <= 10^12 was found, as where
        the truth lies on the bound itself.

        >>> decide_at_most(0, 10**6, 1e-6).needed  # the least n with (1 - bound)^n <= false_pass
        13815504
        """
        if self.verdict != "undecided" or self.undecided_at is None:
            return None
        low, high = self.trials, 2 * self.trials
        while self.undecided_at(high) > self.false_pass:
            if high >= MOST:
                return math.inf
            low, high = high, min(2 * high, MOST)
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (
                (low, middle) if self.undecided_at(middle) <= self.false_pass else (middle, high)
            )
        return high


def lower_limit(successes: int, trials: int, error: float) -> float:
    """One-sided lower limit: the p with Pr[Bin(trials, p) >= successes] = error; 0 for no success.

    0 <= successes <= trials <= 2^53, 0 < error < 1; ValueError otherwise. `clopper1934`.

    >>> round(lower_limit(10, 10, 0.01), 12) == round(0.01 ** (1 / 10), 12)
    True
    """
    k, n = _outcome(successes, trials)
    return float(betaincinv(k, n - k + 1, probability("error", error))) if k else 0.0


def upper_limit(successes: int, trials: int, error: float) -> float:
    """One-sided upper limit: the p with Pr[Bin(trials, p) <= successes] = error; 1 if all succeed.

    0 <= successes <= trials <= 2^53, 0 < error < 1; ValueError otherwise. `clopper1934`.

    >>> f"{upper_limit(0, 10**6, 1e-6):.3g}"  # what zero failures in a million runs can certify
    '1.38e-05'
    """
    k, n = _outcome(successes, trials)
    return float(betainccinv(k + 1, n - k, probability("error", error))) if k < n else 1.0


def clopper_pearson(successes: int, trials: int, error: float) -> tuple[float, float]:
    """Two-sided interval (lower, upper): it misses p with probability <= `error`/2 on each side.

    0 <= successes <= trials <= 2^53, 0 < error < 1; ValueError otherwise. `clopper1934`.

    >>> clopper_pearson(0, 1, 0.1)
    (0.0, 0.95)
    """
    error = probability("error", error)
    return lower_limit(successes, trials, error / 2), upper_limit(successes, trials, error / 2)


def decide_at_most(
    successes: int, trials: int, bound: Number, false_alarm: float = 1e-6, false_pass: float = 1e-6
) -> Decision:
    """Decide the claim p <= bound.

    fail iff lower_limit(false_alarm) > bound, so Pr[fail | p <= bound] <= false_alarm;
    pass iff upper_limit(false_pass) <= bound, so Pr[pass | p > bound] <= false_pass.
    0 <= successes <= trials <= 2^53, 0 <= bound <= 1, `false_alarm`, `false_pass` in (0, 1) with
    sum < 1; ValueError otherwise. `clopper1934`.

    >>> seen = (0, 1e-6), (0, 1e-4), (300, 1e-4)
    >>> tuple(decide_at_most(hits, 10**6, limit).verdict for hits, limit in seen)
    ('undecided', 'pass', 'fail')
    """
    (k, n), bound = _outcome(successes, trials), real("bound", bound, at_least=0, at_most=1)
    _rates(false_alarm, false_pass)
    lower, upper = lower_limit(k, n, false_alarm), upper_limit(k, n, false_pass)
    verdict = "fail" if lower > bound else "pass" if upper <= bound else "undecided"

    def undecided_at(n):
        outcomes = range(n + 1)
        first = bisect_right(outcomes, bound, key=lambda k: upper_limit(k, n, false_pass))
        last = bisect_right(outcomes, bound, key=lambda k: lower_limit(k, n, false_alarm))
        return _chance(first, last, n, successes / trials)

    detects = _caught_above(n, bound, false_alarm, false_pass)
    return Decision(
        verdict,
        k / n,
        (lower, upper),
        n,
        false_alarm,
        false_pass,
        detects,
        {"at_most": bound},
        undecided_at,
    )


def decide_equal(
    successes: int,
    trials: int,
    low: Number,
    high: Number,
    margin: float,
    false_alarm: float = 1e-6,
    false_pass: float = 1e-6,
) -> Decision:
    """Decide the claim low <= p <= high, where [low, high] is an exact enclosure.

    fail iff clopper_pearson(false_alarm) misses [low, high], so Pr[fail | claim] <= false_alarm;
    otherwise pass iff clopper_pearson(false_pass) lies in [low - margin, high + margin], so that
    Pr[pass | p further than margin from the claim] <= false_pass. Where the margin leaves no p
    outside, nothing passes: such a check could not fail by more than the margin, and is undecided.
    0 <= low <= high <= 1, margin > 0, otherwise as for `decide_at_most`. `clopper1934`.

    >>> tuple(decide_equal(k, 10_000, 0.5, 0.5, 0.05).verdict for k in (5_080, 5_400))
    ('pass', 'fail')
    """
    margin = real("margin", margin, above=0)
    return _equal(successes, trials, low, high, lambda n: margin, false_alarm, false_pass)


def _equal(successes, trials, low, high, margin, false_alarm, false_pass):
    """`decide_equal` with a margin that is a function of the number of trials."""
    (k, n), high = _outcome(successes, trials), real("high", high, at_least=0, at_most=1)
    low = real("low", low, at_least=0, at_most=high)
    _rates(false_alarm, false_pass)
    interval = clopper_pearson(k, n, false_alarm)
    start, first, last, stop = _edges(n, low, high, margin(n), false_alarm, false_pass)
    verdict = "fail" if not start <= k < stop else "pass" if first <= k < last else "undecided"

    def undecided_at(n):
        start, first, last, stop = _edges(n, low, high, margin(n), false_alarm, false_pass)
        return _chance(start, first, n, k / trials) + _chance(last, stop, n, k / trials)

    # failures count for 1 - p as successes do for p
    above = _caught_above(n, high, false_alarm / 2, false_pass) - high if high < 1 else 0.0
    below = _caught_above(n, 1 - low, false_alarm / 2, false_pass) - (1 - low) if low > 0 else 0.0
    claim = {"at_least": low, "at_most": high} if low < high else {"equals": low}
    return Decision(
        verdict, k / n, interval, n, false_alarm, false_pass, max(above, below), claim, undecided_at
    )


def decide_agreement(
    successes: int,
    trials: int,
    low: Number,
    high: Number,
    standard_errors: float = 10,
    false_alarm: float = 1e-6,
    false_pass: float = 1e-6,
) -> Decision:
    """`decide_equal` with a margin of this many standard errors of the estimate.

    A standard error is sqrt(p (1 - p)/trials) at p = (low + high)/2, and near p = 0 and 1 at least
    2/trials. `standard_errors` > 0; errors as `decide_equal`.

    >>> tuple(decide_agreement(k, 10_000, 0.5, 0.5).verdict for k in (5_080, 5_400))
    ('pass', 'fail')
    >>> # ten standard errors of 40 trials are 0.79: any share would do
    >>> few = decide_agreement(20, 40, 0.5, 0.5)
    >>> few.verdict, few.needed
    ('undecided', 101)
    """
    p = (real("low", low, at_least=0, at_most=1) + real("high", high, at_least=0, at_most=1)) / 2
    standard_errors = real("standard_errors", standard_errors, above=0)

    def margin(n):
        return standard_errors * math.sqrt(max(p * (1 - p), 4 / n) / n)

    return _equal(successes, trials, low, high, margin, false_alarm, false_pass)


def decide_median(values: ArrayLike, bound: float = 0.0, error: float = 1e-3) -> Decision:
    """Decide the claim that a median lies above `bound`, from independent draws.

    The interval [x_(r), x_(n+1-r)] between two order statistics misses the median with probability
    Pr[Bin(n, 1/2) < r] <= `error` on each side, whatever the distribution. pass iff it lies above
    `bound`, fail iff below; otherwise undecided. Both rates are `error`. `detects`: the share of
    draws above the bound from which on the chance to pass is 1 - `error`. 0 < `error` < 1;
    ValueError otherwise, and where no r >= 1 is rare enough. `david2003`, 7.1.

    >>> [decide_median(np.arange(24) - shift).verdict for shift in (1.5, 11.5, 21.5)]
    ['pass', 'undecided', 'fail']
    """
    x = np.sort(vector("values", values))
    rank = _rank(x.size, probability("error", error))
    if not rank:
        raise ValueError(
            f"values must be {math.ceil(-math.log2(error))} at least for error = {error}, got "
            f"{x.size}: all may lie on one side by chance"
        )
    bound, interval = real("bound", bound), (float(x[rank - 1]), float(x[-rank]))
    verdict = "pass" if interval[0] > bound else "fail" if interval[1] < bound else "undecided"
    share = float(np.mean(x > bound))

    def undecided_at(n):
        rank = _rank(n, error)
        return _chance(rank, n - rank + 1, n, share)

    detects = 1 - lower_limit(rank, x.size, error)
    return Decision(
        verdict,
        float(np.median(x)),
        interval,
        x.size,
        error,
        error,
        detects,
        {"above": bound},
        undecided_at,
    )


def _rank(trials, error):
    """The largest r with Pr[Bin(trials, 1/2) < r] <= error."""
    ranks = range(1, (trials + 1) // 2 + 1)  # up to the middle one
    return bisect_right(ranks, error, key=lambda r: _below(r, trials, 0.5))


def z_score(successes: int, trials: int, p: Number) -> float:
    """Standard score (successes - trials p) / sqrt(trials p (1 - p)) of a count.

    For the eye only: it is normal in the limit, and verdicts are read from the exact interval.
    0 <= successes <= trials <= 2^53, 0 < p < 1; ValueError otherwise.

    >>> z_score(60, 100, 0.5)
    2.0
    """
    (k, n), p = _outcome(successes, trials), probability("p", p)
    return (k - n * p) / math.sqrt(n * p * (1 - p))


def _outcome(successes, trials):
    trials, successes = (
        integer("trials", trials, at_most=2**53),
        integer("successes", successes, at_least=0),
    )
    if successes > trials:
        raise ValueError(
            f"successes must be <= trials = {trials}, got {successes}: are the two swapped?"
        )
    return successes, trials


def _rates(false_alarm, false_pass):
    if probability("false_alarm", false_alarm) + probability("false_pass", false_pass) >= 1:
        raise ValueError(
            f"false_alarm + false_pass must be < 1, got {false_alarm} + {false_pass}: a coin does "
            "as well"
        )


def _caught_above(trials, bound, false_alarm, false_pass):
    """The least p > bound that fails with probability >= 1 - false_pass, or inf."""
    first = bisect_right(
        range(trials + 1), bound, key=lambda k: lower_limit(k, trials, false_alarm)
    )
    return upper_limit(first - 1, trials, false_pass) if first <= trials else math.inf


def _edges(trials, low, high, margin, false_alarm, false_pass):
    """(start, first, last, stop): outside [start, stop) `decide_equal` fails, in [first, last) it
    passes.
    """
    outcomes = range(trials + 1)

    def lower(error):
        return lambda k: lower_limit(k, trials, error / 2)

    def upper(error):
        return lambda k: upper_limit(k, trials, error / 2)

    start = bisect_left(outcomes, low, key=upper(false_alarm))
    stop = bisect_right(outcomes, high, key=lower(false_alarm))
    first = min(max(start, bisect_left(outcomes, low - margin, key=lower(false_pass))), stop)
    last = min(max(first, bisect_right(outcomes, high + margin, key=upper(false_pass))), stop)
    if low - margin <= 0 and high + margin >= 1:  # every p would pass
        last = first
    return start, first, last, stop


def _chance(first, last, trials, p):
    """Pr[first <= Bin(trials, p) < last], from the tails on the smaller side."""
    if first >= last:
        return 0.0
    if first > trials * p:
        return _at_least(first, trials, p) - _at_least(last, trials, p)
    return _below(last, trials, p) - _below(first, trials, p)


def _at_least(k, trials, p):
    return (float(betainc(k, trials - k + 1, p)) if k <= trials else 0.0) if k else 1.0


def _below(k, trials, p):
    return (float(betaincc(k, trials - k + 1, p)) if k <= trials else 1.0) if k else 0.0
