"""What the chapters of Sections 4 and 5 say alike: a probability beside its draws or its promise,
the numbers of an n_0 for the kernel, and a verdict where the paper's variance does not reach.

A chapter computes, compares and decides on its own page; these functions put what it found into
words, or into the numbers that a theorem takes.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from sympy import Expr, Integer, Rational

from polycore.checks import Readable, rational
from polycore.evidence.kinds import Evidence, certified
from polycore.models import network
from polycore.models.datasets import Scores
from polycore.montecarlo import Decision, decide_agreement, z_score
from polycore.proof import Log
from polycore.thresholds import Columns, SufficientN

__all__ = [
    "Promise",
    "beside_draws",
    "beside_promise",
    "networks_drawn",
    "numbers_at",
    "otherwise",
]


@dataclass(frozen=True)
class Promise:
    """What Lemmas 5.1 and 5.2 promise of a network of C log2(n/delta) columns that should be
    silent: it fires with probability at most delta/n^k.

    >>> Promise("0.01", 1, 2).at(100)
    Fraction(1, 10000)
    """

    delta: Readable
    k: int
    C: Readable

    def at(self, n: int) -> Fraction:
        """delta/n^k, exactly; 0 < delta < 1, else TypeError or ValueError."""
        return rational("delta", self.delta, above=0, below=1) / n**self.k

    def kept(self, what: str, member: Scores, kappa: float, tau: float = 0.2) -> Evidence:
        """Evidence that the network of threshold `tau` keeps it on this member, at the degree kappa
        log2 n: its exact probability to fire, compared.

        >>> from polycore.models.datasets import two_level
        >>> Promise("0.01", 1, 2).kept("a single 4 among 2s", two_level(10**9, 1), 0.45).passed
        True
        """
        columns = network.columns(member.n, self.delta, self.C)
        fires = network.fires_at(member, kappa, columns, tau)
        return certified(what, fires, at_most=self.at(member.n))


def networks_drawn(
    member: Scores, kappa: float, m: int, tau: float, trials: int, rng: np.random.Generator
) -> Decision:
    """The decision whether networks of m columns, built and drawn with all their signs, fire as
    often as is enclosed: `network.draw_fires_at` beside `network.fires_at`.

    Errors as those two. Lemmas 5.1 and 5.2.

    >>> from polycore.models.datasets import two_level
    >>> rng = np.random.default_rng(0)
    >>> networks_drawn(two_level(50, 3), 0.4, 4, 0.3, 1000, rng).verdict
    'pass'
    """
    fires = network.fires_at(member, kappa, m, tau)
    hits = network.draw_fires_at(member, kappa, m, tau, trials, rng)
    return decide_agreement(hits, trials, fires.lower, fires.upper)


def beside_draws(decision: Decision) -> str:
    """A decision whether draws agree with an enclosed probability, in words: both, their standard
    score, and the least difference that it would have caught.

    `decision`: of `decide_agreement` or `decide_equal`; ValueError for any other. The score is left
    out where the probability is 0 or 1. Lemma 4.1.

    >>> from polycore.montecarlo import decide_agreement
    >>> print(beside_draws(decide_agreement(5_080, 10_000, 0.5, 0.5)))
    enclosed 0.50000, drawn 0.50800 (+1.60 standard errors): pass
      a difference of 0.04824 would have been caught
    """
    ends = [decision.claim.get(relation) for relation in ("equals", "at_least", "at_most")]
    known = [end for end in ends if end is not None]
    if len(known) != 2 - ("equals" in decision.claim):
        raise ValueError(
            f"the decision is about {decision.claim}: give one about both ends of an enclosure"
        )
    p, hits = (known[0] + known[-1]) / 2, round(decision.estimate * decision.trials)
    score = ""
    if 0 < p < 1:
        score = f" ({z_score(hits, decision.trials, p):+.2f} standard errors)"
    return (
        f"enclosed {p:.5f}, drawn {decision.estimate:.5f}{score}: {decision.verdict}\n"
        f"  a difference of {decision.detects:.5f} would have been caught"
    )


def beside_promise(check: Evidence) -> str:
    """A certified probability of failure and what a lemma promises for it, in words.

    `check`: evidence that a probability is `at_most` a bound; ValueError for any other. Lemma 4.1.

    >>> from polycore.evidence import certified
    >>> from polycore.tails.rademacher import Tail
    >>> tail = Tail(1e-4, 2e-4, "a bound", "certified")
    >>> print(beside_promise(certified("a tail", tail, at_most=0.01)))
    a tail: 1.50e-04, promised 1.00e-02, kept
    """
    promised = (check.bound or {}).get("at_most")
    if not isinstance(promised, (float, int, Fraction)):
        raise ValueError(
            f"{check.what!r} compares with {check.bound}: give evidence that a probability is "
            "at_most what is promised"
        )
    kept = {True: "kept", False: "broken", None: "undecided"}[check.passed]
    return f"{check.what}: {check.value:.2e}, promised {float(promised):.2e}, {kept}"


def numbers_at(found: SufficientN) -> dict[str, Expr]:
    """The numbers of a certified n_0 as the theorems of `theory.concentration` take them: q, the
    exponent of the ratio of powers, tau, delta, k and n0, and c = C/ln 2 where columns are counted.

    Lemmas 4.1 and 5.1.

    >>> from polycore.thresholds import sufficient_n
    >>> numbers_at(sufficient_n("0.45", "0.01", 1))
    {'q': 9/20, 'tau': 1/10, 'delta': 1/100, 'k': 1, 'n0': 229970}
    """
    condition = found.condition
    numbers = {
        "q": _exactly(condition.kappa),
        "tau": _exactly(condition.tolerance),
        "delta": _exactly(condition.delta),
        "k": _exactly(condition.k),
        "n0": Integer(found.n),
    }
    if isinstance(condition.prefactor, Columns):
        numbers["c"] = _exactly(condition.prefactor.C) / Log(Integer(2))
    return numbers


def otherwise(checks: Iterable[Evidence], reached: bool, limit: str, past: str) -> str:
    """What the verdict says where a check fails.

    `reached`: whether the sharp variance has an n_0; `limit`: up to which kappa the paper's
    variance does; `past`: what is false where there is none. Lemmas 4.1, 4.2, 5.1 and 5.2.

    >>> from polycore.evidence import exact
    >>> otherwise([exact("n_0, paper variance", 1, equals=2)], True, "1/2", "It is false.")
    "The paper's chain needs κ < 1/2; the sharp variance reaches this κ, from a larger n₀ on."
    >>> otherwise([exact("a sum", 1, equals=2)], True, "1/2", "It is false.")
    'Not as computed here: a sum.'
    """
    failed = [check.what for check in checks if check.passed is False]
    if not reached:
        return past
    if all("paper" in what for what in failed):
        return (
            f"The paper's chain needs κ < {limit}; the sharp variance reaches this κ, from a "
            "larger n₀ on."
        )
    return f"Not as computed here: {'; '.join(failed)}."


def _exactly(number: Fraction) -> Rational:
    return Rational(number.numerator, number.denominator)
