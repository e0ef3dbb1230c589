"""The self-attention data of Definition 6.1, and polynomial attention on it: dense, and for any n
from its distinct entries with multiplicities.

A is n x d with n = (d - 2) t tokens. Token j_3 has the row (a, b e_l, c), every other the row (0, b
e_l', c), and b + c = 1: row sums 1 + a and 1. With Q K^T = 1 1^T the scores are their products, so
every token attends alike, to

    f_{j_3} = w / (w + n - 1),    f_j = 1 / (w + n - 1),    w = (1 + a)^beta,

and the output A^T f has four kinds of entries. Nothing of size n is needed: n = 10^12 costs what n
= 10 does.
"""

import itertools
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from operator import mul
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from polycore.checks import Floats, Readable, generator, integer, one_of, rational, real
from polycore.models import attention
from polycore.models.network import any_column, no_column
from polycore.tails.rademacher import Tail, above

__all__ = ["Data", "compared", "d0", "d1", "draw", "in_units", "over_three_signs"]


Table = list[list[Fraction]]
Pair = TypeVar("Pair")  # found, and wanted


@dataclass(frozen=True)
class Data:
    """One member of the data: n = (d - 2) t tokens of dimension d, the excess a of token j_3 and
    the entries b, c.

    Numbers are read as decimals, so that b = 0.3 and c = 0.7 add up to 1. d >= 4, n a multiple of d
    - 2, a > 0, b >= 0.1, c >= 0.1, b + c = 1, 0 <= j3 < n; TypeError or ValueError otherwise.
    Definition 6.1 (which asks more of a: `d0`, `d1`).

    >>> Data(n=4, d=4, a="0.7", b="0.3", c="0.7").dense()
    array([[0.7, 0.3, 0. , 0.7],
           [0. , 0. , 0.3, 0.7],
           [0. , 0.3, 0. , 0.7],
           [0. , 0. , 0.3, 0.7]])
    """

    n: int
    d: int
    a: Fraction
    b: Fraction
    c: Fraction
    j3: int = 0

    def __post_init__(self):
        n, d = integer("n", self.n), integer("d", self.d, at_least=4)
        if n % (d - 2):
            near = max(1, round(n / (d - 2))) * (d - 2)
            raise ValueError(
                f"n must be (d - 2) t, a multiple of {d - 2} for d = {d}, got {n}: the nearest is "
                f"{near}"
            )
        object.__setattr__(self, "a", rational("a", self.a, above=0))
        for name in "bc":
            object.__setattr__(
                self, name, rational(name, getattr(self, name), at_least=Fraction(1, 10))
            )
        if self.b + self.c != 1:
            raise ValueError(
                f"b + c must be 1, got {float(self.b)} + {float(self.c)} = "
                f"{float(self.b + self.c):.9g}: pass c = 1 - b"
            )
        if integer("j3", self.j3, at_least=0) >= n:
            raise ValueError(f"j3 must be below n = {n}, got {self.j3}: tokens are counted from 0")

    @property
    def t(self) -> int:
        """Copies of the identity in the block columns, n / (d - 2)."""
        return self.n // (self.d - 2)

    @property
    def special_column(self) -> int:
        """The block column in which token j_3 has its b, from 1 to d - 2."""
        return 1 + self.j3 % (self.d - 2)

    def dense(self) -> Floats:
        """The matrix A, shape (n, d); ValueError beyond 10^8 entries. Definition 6.1.

        >>> d1(n=6, d=5, a=2, b="0.5").dense().sum(axis=1)  # row sums 1 + a and 1
        array([3., 1., 1., 1., 1., 1.])
        """
        if self.n * self.d > 10**8:
            raise ValueError(
                f"A has {self.n} x {self.d} entries, beyond 10^8: use output, exceeds and fires, "
                "which need no matrix"
            )
        A = np.zeros((self.n, self.d))
        A[self.j3, 0], A[:, -1] = self.a, self.c
        A[:, 1:-1] = float(self.b) * np.tile(np.eye(self.d - 2), (self.t, 1))
        return A

    def exact(self) -> NDArray[np.object_]:
        """The matrix A in rational numbers, an array of Fractions of shape (n, d);
        n <= 1000, else ValueError. Definition 6.1.

        >>> d1(n=6, d=5, a=2, b="0.5").exact().sum(axis=1).tolist()[:2]  # row sums 1 + a and 1
        [Fraction(3, 1), Fraction(1, 1)]
        """
        A = np.full((integer("n", self.n, at_most=1000), self.d), Fraction(0))
        A[self.j3, 0], A[:, -1] = self.a, self.c
        for j, row in enumerate(A):
            row[1 + j % (self.d - 2)] = self.b
        return A

    def weights(self, beta: float) -> Floats:
        """Attention weights of token j_3 and of each other token, the same whoever asks; shape
        (2,). Lemma 6.6, Parts 3 and 4.

        `beta` >= 0, finite; n >= 2; ValueError otherwise.

        >>> d1(n=4, d=4, a=3, b="0.5").weights(1)  # w = 4
        array([0.57142857, 0.14285714])
        """
        return attention.weights(
            [1 + float(self.a), 1.0], real("beta", beta, at_least=0), [1, self.n - 1]
        )

    def output(self, beta: float) -> Floats:
        """The distinct entries of c(A, x)_{j_0}: first, block column of j_3, each other block
        column, last; shape (4,). Lemma 6.7.

        >>> d1(n=4, d=4, a=3, b="0.5").output(1)  # f = 4/7, 1/7, 1/7, 1/7
        array([1.71428571, 0.35714286, 0.14285714, 0.5       ])
        """
        special, other = self.weights(beta)
        a, b, c = map(float, (self.a, self.b, self.c))
        return np.array([a * special, b * (special + (self.t - 1) * other), b * self.t * other, c])

    def row(self, beta: float) -> Floats:
        """The whole output c(A, x)_{j_0} of a token, shape (d,), with each entry of `output` where
        it belongs. Lemma 6.7.

        >>> d1(n=4, d=4, a=3, b="0.5").row(1)
        array([1.71428571, 0.35714286, 0.14285714, 0.5       ])
        """
        first, special, rest, last = self.output(beta)
        row = np.full(self.d, rest)
        row[[0, self.special_column, -1]] = first, special, last
        return row

    def attended(self, beta: int) -> tuple[Table, Table, Table]:
        """u, f and c(A, x) of every token, in rational arithmetic straight from Definition 6.2; the
        reference.

        u_{j_0 j_1} = (sum_k sum_l A_{j_0 k} A_{j_1 l})^beta, f = u / alpha, c = A^T f, of integers
        over a common denominator. Nested lists of Fractions, n x n, n x n and n x d. `beta` >= 0,
        an integer; n <= 100; TypeError or ValueError otherwise.

        >>> u, f, c = d1(n=4, d=4, a=3, b="0.5").attended(1)
        >>> u[0][0], u[0][1], u[1][1], f[0][0], c[1][0]
        (Fraction(16, 1), Fraction(4, 1), Fraction(1, 1), Fraction(4, 7), Fraction(12, 7))
        """
        integer("n", self.n, at_most=100), integer("beta", beta, at_least=0)
        unit = math.lcm(self.a.denominator, self.b.denominator, self.c.denominator)
        A = [[int(unit * entry) for entry in row] for row in self.exact().tolist()]
        powers = [
            [sum(p * q for p in one for q in other if p and q) ** beta for other in A] for one in A
        ]
        totals = [sum(row) for row in powers]
        u = [[Fraction(value, unit ** (2 * beta)) for value in row] for row in powers]
        f = [[Fraction(value, total) for value in row] for row, total in zip(powers, totals)]
        c = [
            [Fraction(sum(map(mul, row, column)), unit * total) for column in zip(*A)]
            for row, total in zip(powers, totals)
        ]
        return u, f, c

    def weight_parts(self, beta: int) -> dict[str, tuple[list[Fraction], list[Fraction]]]:
        """For each part of Lemma 6.6 the distinct entries of u, f that Definition 6.2 gives, and
        the one that the lemma's table has.

        Parts 1 and 2 are u and 3 and 4 are f, asked by j_3 and by the others; a is j_3 and b are
        the others. {part: (found, [value])}. `beta` and n as in `attended`. Lemmas 6.6, 6.10, 6.14
        and 6.18.

        >>> d1(n=4, d=4, a=3, b="0.5").weight_parts(1)["4a"]
        ([Fraction(4, 7)], [Fraction(4, 7)])
        """
        u, f, _ = self.attended(beta)
        w, everyone = (1 + self.a) ** beta, range(self.n)
        total = w + self.n - 1
        values = {
            "1a": w**2,
            "1b": w,
            "2a": w,
            "2b": Fraction(1),
            "3a": w / total,
            "3b": 1 / total,
            "4a": w / total,
            "4b": 1 / total,
        }

        def entries(asks, answers):
            table = u if asks in "12" else f
            asked, answered = (
                [j for j in everyone if (j == self.j3) == special]
                for special in (asks in "13", answers == "a")
            )
            return sorted({table[p][q] for p in asked for q in answered})

        return {part: (entries(*part), [value]) for part, value in values.items()}

    def output_parts(self, beta: int) -> dict[str, tuple[Table, Table]]:
        """For each part of Lemma 6.7 the rows of c(A, x) that Definition 6.2 gives, and those of
        the lemma's table.

        Parts 1 to 3 are asked by j_3 and 4 to 6 by the others: the first entry, the block columns,
        the last. {part: (found, wanted)}. `beta` and n as in `attended`. Lemmas 6.7, 6.11, 6.15 and
        6.19.

        >>> d1(n=4, d=4, a=3, b="0.5").output_parts(1)["1"]
        ([[Fraction(12, 7)]], [[Fraction(12, 7)]])
        """
        found, w = self.attended(beta)[2], (1 + self.a) ** beta
        special, other = w / (w + self.n - 1), 1 / (w + self.n - 1)
        row = [self.a * special, *[self.b * self.t * other] * (self.d - 2), self.c]
        row[self.special_column] = self.b * (special + (self.t - 1) * other)
        rows = lambda asked: [found[j] for j in range(self.n) if (j == self.j3) == asked]
        columns = slice(1), slice(1, -1), slice(-1, None)
        cut = {
            f"{1 + k + 3 * (not asked)}": (rows(asked), column)
            for asked in (True, False)
            for k, column in enumerate(columns)
        }
        return {
            part: ([one[column] for one in some], [row[column]] * len(some))
            for part, (some, column) in cut.items()
        }

    def exceeds(self, beta: float, tau: float | None = None) -> Tail:
        """Enclosure of Pr[<c(A, x)_{j_0}, sigma> > tau] over uniform signs, tau = c + 0.1 by
        default, as a Tail. Lemma 6.8.

        The signs of the three special entries are enumerated, the others are a binomial count;
        rounding of the four entries (relative 1e-14) is covered by moving the threshold both ways.

        >>> d1(n=10**12, d=10**6 + 2, a="0.7", b="0.5").exceeds(60).value
        0.375
        """
        first, column, rest, last = self.output(beta).tolist()
        tau = float(self.c + Fraction(1, 10)) if tau is None else real("tau", tau)
        slack = 1e-13 * (abs(tau) + first + column + last + rest)

        def needed(signs):
            s_first, s_column, s_last = signs
            limit = tau - s_first * first - s_column * column - s_last * last
            return [in_units(limit + side * slack, rest, self.d - 3) for side in (-1, 1)]

        return over_three_signs(needed, self.d - 3)

    def fires(self, beta: float, m: int, tau: float | None = None) -> Tail:
        """Enclosure of Pr[F_poly > 0] over m independent columns of signs, as a Tail. Theorems 6.9
        to 6.21.

        All tokens have the same output, so F_poly > 0 iff one column exceeds tau; a token more adds
        nothing.

        >>> d1(n=10**12, d=1002, a="0.7", b="0.5").fires(60, 100).value > 0.999998
        True
        """
        return any_column(self.exceeds(beta, tau), m)

    def silent(self, beta: float, m: int, tau: float | None = None) -> Tail:
        """Enclosure of Pr[F_poly = 0] = 1 - `fires`, with the digits that the difference loses, as
        a Tail.

        >>> d1(n=10**12, d=1002, a="0.7", b="0.5").silent(60, 1000).upper < 1e-200
        True
        """
        return no_column(self.exceeds(beta, tau), m)


def over_three_signs(needed: Callable[[tuple[int, ...]], Sequence[float]], count: int) -> Tail:
    """Enclosure of Pr[T > needed(s)] for three signs s and the sum T of `count` more, all
    independent and fair, as a Tail.

    `needed` takes the three signs and gives two limits between which the true one is.

    >>> # two signs that do not cancel: both +
    >>> over_three_signs(lambda signs: (-signs[0], -signs[0]), 1).value
    0.25
    """
    limits = [needed(signs) for signs in itertools.product((-1, 1), repeat=3)]
    lower = sum(_beyond(count, high).lower for _, high in limits) / 8
    upper = sum(_beyond(count, low).upper for low, _ in limits) / 8
    return Tail(lower, upper, "eight signs and a binomial", "certified")


def _beyond(count, limit):
    """Pr[T > limit], the same for all limits between two sums: T is as even or odd as `count`."""
    least = math.floor(limit) + 1
    return _from(count, least + (least - count) % 2)


@lru_cache(maxsize=2**14)
def _from(count, least):
    """Pr[T >= least]. A phase diagram asks for the same few sums a hundred thousand times."""
    return above(count, least - 1)


def in_units(limit: float, weight: float, count: int) -> float:
    """The sum of `count` signs beyond which `weight` times it exceeds `limit`; past +-`count` where
    no sum does or all do.

    >>> in_units(0.5, 0.25, 10), in_units(-1, 0, 10), in_units(np.float64(1), 1e-310, 10)
    (2.0, -11.0, 11.0)
    """
    if not weight:
        return math.copysign(count + 1, limit)
    units = float(limit) / float(weight)  # infinite for next to no weight: beyond all sums
    return max(-count - 1.0, min(count + 1.0, units))


def d0(n: int, d: int, a: Readable, b: Readable, c: Readable | None = None, j3: int = 0) -> Data:
    """A member of D_0: a in (0, 0.1); c = 1 - b by default. Conditions otherwise as `Data`.
    Definition 6.1.

    >>> d0(n=4, d=4, a="0.7", b="0.5")
    Traceback (most recent call last):
    ValueError: a must be a finite real number > 0 and < 1/10, got 7/10: D_0 has a in (0, 0.1), D_1
    has a >= 0.7
    """
    return _member({"above": 0, "below": Fraction(1, 10)}, n, d, a, b, c, j3)


def d1(n: int, d: int, a: Readable, b: Readable, c: Readable | None = None, j3: int = 0) -> Data:
    """A member of D_1: a >= 0.7; c = 1 - b by default. Conditions otherwise as `Data`. Definition
    6.1.

    >>> d1(n=4, d=4, a="0.7", b="0.5").t
    2
    """
    return _member({"at_least": Fraction(7, 10)}, n, d, a, b, c, j3)


def draw(dataset: str, rng: np.random.Generator) -> Data:
    """A small member of `dataset`, "D0" or "D1", with sizes, entries and place of the special token
    at random. Definition 6.1.

    d from 4 to 8, t from 1 to 4, b in hundredths from 0.1 to 0.9, a in hundredths below 0.1 or from
    0.7 to 3. TypeError or ValueError for another name or no `numpy.random.Generator`.

    >>> draw("D0", np.random.default_rng(0)).a < Fraction(1, 10)
    True
    """
    one_of("dataset", dataset, ["D0", "D1"])
    d, t, b = (int(generator(rng).integers(*ends)) for ends in ((4, 9), (1, 5), (10, 91)))
    a = Fraction(int(rng.integers(*{"D0": (1, 10), "D1": (70, 301)}[dataset])), 100)
    n = (d - 2) * t
    return {"D0": d0, "D1": d1}[dataset](n, d, a, Fraction(b, 100), j3=int(rng.integers(n)))


def compared(
    parts: Callable[[Data, int], Mapping[str, Pair]],
    dataset: str,
    cases: int,
    rng: np.random.Generator,
) -> dict[str, dict[str, Pair]]:
    """For each part of a lemma, what `cases` members of `dataset` give by Definition 6.2, and what
    the lemma's table has.

    `parts`: Data.weight_parts or Data.output_parts; the degrees are 0 to 6 in turn. {part: {"member
    0": (found, wanted), ...}}. Errors as `draw`. Lemmas 6.6, 6.7 and those like them.

    >>> found = compared(Data.weight_parts, "D0", 20, np.random.default_rng(0))
    >>> all(entries == wanted for pairs in found.values() for entries, wanted in pairs.values())
    True
    """
    found: dict[str, dict[str, Pair]] = {}
    for case in range(integer("cases", cases)):
        for part, pair in parts(draw(dataset, rng), case % 7).items():
            found.setdefault(part, {})[f"member {case}"] = pair
    return found


def _member(limits, n, d, a, b, c, j3):
    rational("a", a, **limits, hint="D_0 has a in (0, 0.1), D_1 has a >= 0.7")
    return Data(n, d, a, b, 1 - rational("b", b) if c is None else c, j3)
