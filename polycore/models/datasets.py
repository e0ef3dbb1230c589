"""The two datasets of Definition 3.11: random, extremal and adversarial members, given by their
scores z = Ax.

D_0: every score in [2, 4].    D_1: exactly one score equal to 32, all others in [2, 4].
"""

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import ArrayLike

from polycore.checks import Floats, generator, integer, multiplicities, real, vector
from polycore.models import attention

__all__ = [
    "LOW",
    "HIGH",
    "SPIKE",
    "Scores",
    "in_d0",
    "in_d1",
    "random_d0",
    "random_d1",
    "two_level",
    "extremal_d0",
    "adversarial_d0",
    "spike_among",
]

LOW, HIGH, SPIKE = 2, 4, 32


@dataclass(frozen=True)
class Scores:
    """A score vector with multiplicities: `values[c]` occurs `counts[c]` times, so n = sum counts
    may be 10^12.

    ValueError unless there is one integer count >= 1 per value.

    >>> Scores((4.0, 2.0), (1, 3)).expand()
    array([4., 2., 2., 2.])
    """

    values: tuple
    counts: tuple

    def __post_init__(self):
        multiplicities(self.counts, vector("values", self.values).size)

    @classmethod
    def each_once(cls, scores: ArrayLike) -> "Scores":
        """These scores, shape (n,), each with multiplicity 1; TypeError or ValueError otherwise.

        >>> Scores.each_once([2.5, 3.0])
        Scores(values=(2.5, 3.0), counts=(1, 1))
        """
        z = vector("scores", scores)
        return cls(tuple(z.tolist()), (1,) * z.size)

    @classmethod
    def grouped(cls, scores: ArrayLike) -> "Scores":
        """These scores, shape (n,), equal ones together, in ascending order; errors as `each_once`.

        >>> Scores.grouped([3.0, 2.5, 3.0])
        Scores(values=(2.5, 3.0), counts=(1, 2))
        """
        values, counts = np.unique(vector("scores", scores), return_counts=True)
        return cls(tuple(values.tolist()), tuple(counts.tolist()))

    @property
    def n(self) -> int:
        return sum(map(int, self.counts))

    def weights(self, beta: float) -> Floats:
        """The weight of one entry of each value, shape (c,): `attention.weights` with these counts.

        >>> Scores((32.0, 4.0), (1, 2)).weights(1)
        array([0.8, 0.1])
        """
        return attention.weights(self.values, beta, self.counts)

    def squared_norm(self, beta: float) -> float:
        """Variance of <f, sigma> for Rademacher sigma: `attention.squared_norm` with these counts.

        >>> round(Scores((32.0, 4.0), (1, 2)).squared_norm(1), 12)
        0.66
        """
        return attention.squared_norm(self.values, beta, self.counts)

    def expand(self) -> Floats:
        """All n scores as one array, shape (n,); ValueError above 10^8 entries."""
        if self.n > 10**8:
            raise ValueError(
                f"n = {self.n} scores do not fit in memory: pass values and counts instead of "
                "expanding"
            )
        return np.repeat(np.asarray(self.values, dtype=float), self.counts)


def in_d0(scores: ArrayLike) -> bool:
    """Whether all scores lie in [2, 4]. `scores`: shape (n,). Definition 3.11.

    >>> in_d0([2, 3.5, 4]), in_d0([2, 4.1])
    (True, False)
    """
    z = vector("scores", scores)
    return bool(np.all((z >= LOW) & (z <= HIGH)))


def in_d1(scores: ArrayLike) -> bool:
    """Whether exactly one score is 32 and all others lie in [2, 4]. `scores`: shape (n,).
    Definition 3.11.

    >>> in_d1([2, 32, 4]), in_d1([2, 3, 4]), in_d1([32, 32, 2]), in_d1([32, 5])
    (True, False, False, False)
    """
    z = vector("scores", scores)
    rest = z[z != SPIKE]
    return rest.size == z.size - 1 and bool(np.all((rest >= LOW) & (rest <= HIGH)))


def random_d0(n: int, rng: np.random.Generator) -> Floats:
    """A member of D_0 with independent scores, uniform on [2, 4]; shape (n,). Definition 3.11.

    >>> in_d0(random_d0(10, np.random.default_rng(0)))
    True
    """
    return generator(rng).uniform(LOW, HIGH, integer("n", n))


def random_d1(n: int, rng: np.random.Generator) -> Floats:
    """A member of D_1: 32 at a uniform place, the others uniform on [2, 4]; shape (n,), n >= 2.
    Definition 3.11.

    >>> in_d1(random_d1(10, np.random.default_rng(0)))
    True
    """
    scores = random_d0(integer("n", n, at_least=2), rng)
    scores[rng.integers(n)] = SPIKE
    return scores


def two_level(n: int, high_count: int) -> Scores:
    """The member of D_0 with `high_count` scores 4 and n - high_count scores 2; n >= 2,
    1 <= high_count <= n - 1.

    >>> two_level(10**12, 3)
    Scores(values=(4.0, 2.0), counts=(3, 999999999997))
    """
    n, high = integer("n", n, at_least=2), integer("high_count", high_count)
    if high >= n:
        raise ValueError(
            f"high_count must be < n = {n}, got {high}: one level only is Scores((4.0,), (n,))"
        )
    return Scores((float(HIGH), float(LOW)), (high, n - high))


def extremal_d0(n: int, beta: float) -> Scores:
    """The member of D_0 of largest ||f||^2, hence the worst case of Lemma 4.1.

    ||f||^2 <= (1 + 2^beta)^2 / (4 2^beta n) (Kantorovich), with equality when n/(1 + 2^beta) is an
    integer and that many scores are 4, the rest 2; otherwise one of the two neighbouring integers
    is best. n >= 2, beta >= 0; 2^beta enters as the nearest float64, everything after it exactly.

    >>> extremal_d0(9, 1.0)
    Scores(values=(4.0, 2.0), counts=(3, 6))
    """
    n, ratio = integer("n", n, at_least=2), Fraction(2.0 ** -real("beta", beta, at_least=0))
    floor = int(n * ratio / (1 + ratio))
    neighbours = {min(max(h, 1), n - 1) for h in (floor, floor + 1)}
    return two_level(
        n, max(neighbours, key=lambda h: (h + (n - h) * ratio**2) / (h + (n - h) * ratio) ** 2)
    )


def adversarial_d0(n: int, beta: float, rng: np.random.Generator) -> Floats:
    """Search [2, 4]^n for the member of largest ||f||^2, knowing nothing of two levels; shape (n,).

    From a uniform start, the best change of one score at a time (to one of 9 values in [2, 4])
    until none helps. Such a point is a global maximum: ||f|| is quasi-convex in each u_i, so it is
    a corner, and over the corners it is unimodal in the number of 4s. (A gradient search is not
    enough: every corner is a local maximum.) n >= 2, beta >= 0; time O(n^2). The attained ||f||^2
    is within a factor 1 - 4 n^2 2^-53.

    >>> sorted(adversarial_d0(9, 1.0, np.random.default_rng(0)).tolist())
    [2.0, 2.0, 2.0, 2.0, 2.0, 2.0, 4.0, 4.0, 4.0]
    """
    z, beta = random_d0(integer("n", n, at_least=2), rng), real("beta", beta, at_least=0)
    levels = np.linspace(LOW, HIGH, 9)
    options = (levels / HIGH) ** beta
    while True:
        u = ((z / HIGH) ** beta)[:, None]
        s1, s2 = u.sum(), (u**2).sum()
        norms = (s2 - u**2 + options**2) / (s1 - u + options) ** 2
        i, level = np.unravel_index(np.argmax(norms), norms.shape)
        # a gain below the rounding of the two sums of n terms is no gain
        if norms[i, level] <= s2 / s1**2 * (1 + 4 * n * 2**-53):
            return z
        z[i] = levels[level]


def spike_among(n: int, background: float) -> Scores:
    """The member of D_1 with one score 32 and n - 1 scores `background` in [2, 4]; n >= 2.

    It stands out most among 2s, and least among 4s. TypeError or ValueError otherwise.

    >>> spike_among(10**12, 4)
    Scores(values=(32.0, 4.0), counts=(1, 999999999999))
    """
    background = real("background", background, at_least=LOW, at_most=HIGH)
    return Scores((float(SPIKE), background), (1, integer("n", n, at_least=2) - 1))
