"""How large is "sufficiently large": the least n from which a Hoeffding tail stays below delta /
n^k.

Setting of Lemma 4.1: scores in D_0, beta = kappa log2 n, Z = <f, sigma>, Var Z <= v(n). The claim
at n is

    G(n) >= R(n),    G(n) = tolerance^2 / (2 v(n)),    R(n) = k ln n + ln prefactor(n) - ln delta,

that is prefactor(n) exp(-tolerance^2 / (2 v(n))) <= delta n^-k. Signs are decided by ball
arithmetic on exact integers and rationals: every answer below is certified. Numbers kappa, delta,
k, tolerance, C may be ints, Fractions, decimal strings, or floats, which are read by their shortest
decimal: 0.45 means 9/20.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from flint import arb, ctx, fmpq

from polycore.checks import Limits, Readable, integer, one_of, rational

__all__ = [
    "VARIANCES",
    "Columns",
    "Condition",
    "SufficientN",
    "dimension_to_be_quiet",
    "dimension_to_be_seen",
    "sufficient_n",
    "variance_bound",
]

# 1/v(n) = c n^e / s(n), with s(n) >= 1 non-increasing: kind -> (c, e as a function of kappa)
VARIANCES: dict[str, tuple[int, Callable[[Fraction], Fraction]]] = {
    "paper": (1, lambda kappa: 1 - 2 * kappa),  # v = 4^beta / n
    "hoelder": (1, lambda kappa: 1 - kappa),  # v = 2^beta / n
    "sharp": (
        4,
        lambda kappa: 1 - kappa,
    ),  # v = (1 + 2^beta)^2 / (4 2^beta n), s = (1 + n^-kappa)^2
}

LARGEST = 2**14  # bits of n_0


@dataclass(frozen=True)
class Columns:
    """The prefactor C log2(n/delta) + 1 of a union bound over the columns of Definition 3.10.

    It exceeds their number, ceil(C log2(n/delta)) of `network.columns`, by less than one.

    >>> Columns("2").C
    Fraction(2, 1)
    """

    C: Fraction

    if TYPE_CHECKING:  # what is read; the field holds what is made of it

        def __init__(self, C: Readable) -> None: ...

    def __post_init__(self):
        object.__setattr__(self, "C", rational("C", self.C, above=0))


@dataclass(frozen=True)
class Condition:
    """The claim G(n) >= R(n) above, and the slope condition that makes it persist.

    1/v(n) = c n^e / s(n) with s non-increasing, so dG/d ln n >= e G, while dR/d ln n = k + r(n),
    with r = 0 for a constant prefactor and r = C/(ln 2 (C log2(n/delta) + 1)), decreasing, for
    `Columns`. Where e G(n) >= k + r(n) (`steep`) this persists, because G grows and r does not;
    from there on G grows at least as fast as R, so G >= R (`holds`) persists too. Hence both
    conditions at one n give both at every larger n. `variance`: a key of VARIANCES; kappa >= 0, 0 <
    delta < 1, k > 0, tolerance > 0, prefactor > 0 or `Columns`; TypeError or ValueError otherwise.
    """

    kappa: Fraction
    delta: Fraction
    k: Fraction
    tolerance: Fraction = Fraction(1, 10)
    variance: str = "sharp"
    prefactor: Fraction | Columns | int = 2

    if TYPE_CHECKING:  # what is read; the fields hold what is made of it

        def __init__(
            self,
            kappa: Readable,
            delta: Readable,
            k: Readable,
            tolerance: Readable = Fraction(1, 10),
            variance: str = "sharp",
            prefactor: Readable | Columns = 2,
        ) -> None: ...

    def __post_init__(self):
        one_of("variance", self.variance, VARIANCES)
        limits: dict[str, Limits] = {
            "kappa": {"at_least": 0, "hint": "kappa is beta / log2 n, and degrees are >= 0"},
            "delta": {"above": 0, "below": 1},
            "k": {"above": 0},
            "tolerance": {"above": 0},
        }
        if not isinstance(self.prefactor, Columns):
            limits["prefactor"] = {"above": 0}
        for name, limit in limits.items():
            object.__setattr__(self, name, rational(name, getattr(self, name), **limit))

    @property
    def exponent(self) -> Fraction:
        """e with v(n) = O(n^-e): 1 - 2 kappa ("paper") or 1 - kappa."""
        return VARIANCES[self.variance][1](self.kappa)

    def hoeffding_exponent(self, n: int) -> arb:
        """G(n) = tolerance^2 / (2 v(n)), as a ball at the working precision."""
        return _arb(self.tolerance**2 / 2) * _inverse_variance(self.variance, n, self.kappa)

    def needed_exponent(self, n: int) -> arb:
        """R(n) = k ln n + ln prefactor(n) - ln delta, as a ball at the working precision."""
        prefactor = (
            self._columns(self.prefactor.C, n)
            if isinstance(self.prefactor, Columns)
            else _arb(self.prefactor)
        )
        return _arb(self.k) * arb(n).log() + prefactor.log() - _arb(self.delta).log()

    def _columns(self, C, n):
        return _arb(C) * (arb(n) / _arb(self.delta)).log() / arb(2).log() + 1

    def holds(self, n: int) -> bool:
        """Whether prefactor(n) exp(-tolerance^2 / (2 v(n))) <= delta n^-k, certified either way; n
        >= 1.

        No tie with a constant prefactor: G is algebraic and positive, R the logarithm of an
        algebraic number (Hermite-Lindemann). ArithmeticError if a million bits do not decide.

        >>> Condition("0.45", "0.01", 1).holds(10**5), Condition("0.45", "0.01", 1).holds(10**6)
        (False, True)
        """
        n = integer("n", n)
        sign = _sign(lambda: self.hoeffding_exponent(n) - self.needed_exponent(n), 2**20)
        if sign == 0:
            raise ArithmeticError(
                f"G(n) = R(n) to a million bits at n = {n}: change kappa, delta or k by a little"
            )
        return sign > 0

    def steep(self, n: int) -> bool:
        """Whether e G(n) >= k + r(n), certified if True (a tie, which can occur, counts as False);
        n >= 1.

        For "paper" and "hoelder" and a constant prefactor: a y >= K with y = n^e, a = tolerance^2 /
        2, K = k/e.

        >>> Condition("0.45", "0.01", 1).steep(10**3), Condition("0.45", "0.01", 1).steep(10**6)
        (False, True)
        """
        n = integer("n", n)

        def margin():
            extra = arb(0)
            if isinstance(self.prefactor, Columns):
                C = self.prefactor.C
                extra = _arb(C) / arb(2).log() / self._columns(C, n)
            return _arb(self.exponent) * self.hoeffding_exponent(n) - _arb(self.k) - extra

        return _sign(margin, 2**14) > 0


@dataclass(frozen=True)
class SufficientN:
    """`n`: the claim holds at n and at every larger integer (certified); `minimal`: and fails at n
    - 1 (certified).
    """

    n: int
    minimal: bool
    condition: Condition

    @property
    def log10(self) -> float:
        """log10 n, for the eye."""
        return math.log10(self.n)

    def __str__(self):
        """`n`, or its power of ten from ten million on."""
        return str(self.n) if self.n < 10**7 else f"10^{self.log10:.1f}"


def variance_bound(kind: str, n: int, kappa: Readable) -> float:
    """Upper bound v(n) on ||f||^2 over D_0 at beta = kappa log2 n, as the nearest float.

    "paper": n^(2 kappa - 1) (Lemma 4.1); "hoelder": n^(kappa - 1); "sharp": (1 + n^kappa)^2 / (4
    n^(kappa + 1)) (Kantorovich). n an integer >= 1 of any size; kappa >= 0. TypeError or ValueError
    otherwise, or past 1.8e308.

    >>> [variance_bound(kind, 10**4, "0.25") for kind in VARIANCES]
    [0.01, 0.001, 0.0003025]
    """
    n, kind = integer("n", n), one_of("kind", kind, VARIANCES)
    kappa = Condition(kappa, Fraction(1, 2), 1, variance=kind).kappa
    with ctx.workprec(64 + n.bit_length()):
        bound = float(1 / _inverse_variance(kind, n, kappa))
    if not math.isfinite(bound):
        raise ValueError(
            f"v(n) is beyond the largest float at kappa = {float(kappa):.3g}: kappa is beta / "
            "log2 n, not beta"
        )
    return bound


def sufficient_n(
    kappa: Readable,
    delta: Readable,
    k: Readable,
    tolerance: Readable = Fraction(1, 10),
    variance: str = "sharp",
    prefactor: Readable | Columns = 2,
) -> SufficientN | None:
    """The least n_0 with prefactor(n) exp(-tolerance^2 / (2 v(n))) <= delta n^-k for every n >=
    n_0; None if there is none.

    `prefactor` 2 is two-sided Hoeffding for one vector (Lemma 4.1), `Columns(C)` the union bound
    over the columns (Lemma 5.1). None when v(n) does not tend to 0: kappa >= 1/2 for "paper", kappa
    >= 1 otherwise. n_0 is the least n with `Condition.holds` and `Condition.steep`; both persist
    (see `Condition`), so bisection finds it. If the claim fails at n_0 - 1, n_0 is least for the
    claim too (`minimal`); that is false only where the tolerance is so large that the claim does
    not start out false. Errors as `Condition`; ValueError where n_0 > 2^16384, as just below the
    kappa from which on there is none.

    >>> least = sufficient_n("0.45", "0.01", 1)
    >>> least.n, least.minimal
    (229970, True)
    >>> sufficient_n("0.5", "0.01", 1, variance="paper") is None
    True
    """
    condition = Condition(kappa, delta, k, tolerance, variance, prefactor)
    if condition.exponent <= 0:
        return None

    def safe(n):
        return condition.holds(n) and condition.steep(n)

    power = 1
    while not safe(2**power):
        power *= 2
        if power > LARGEST:
            raise ValueError(
                f"n_0 exceeds 2^{LARGEST} at kappa = {float(condition.kappa):.12g}: the variance "
                "falls only like "
                f"n^-{float(condition.exponent):.3g}, or the tolerance is tiny; take a smaller "
                "kappa or a larger tolerance"
            )
    low, high = 0, 2**power  # not safe (no n = 0), safe
    while high - low > 1:
        middle = _between(low, high)
        low, high = (low, middle) if safe(middle) else (middle, high)
    return SufficientN(high, high == 1 or not condition.holds(high - 1), condition)


def dimension_to_be_seen(a: Readable, b: Readable, error: Readable) -> int:
    """The least d >= 4 with exp(-(d - 2) x^2 / (2 b^2)) <= error, x = (a + b)/2 - 1/10: what the
    signs leave in Lemma 6.8.

    a > 0, b > 0, 0 < error < 1, read as decimals; certified. ValueError when x <= 0, for then no d
    is enough.

    >>> dimension_to_be_seen("0.7", "0.9", "0.2")  # Pr >= (1 - 1/5)/8
    8
    """
    a, b, error = _share(a, b, error)
    return _dimension(
        lambda: _arb((a + b) / 2 - Fraction(1, 10)),
        arb(0),
        b,
        error,
        "a + b must exceed 0.2, take a larger a or b",
    )


def dimension_to_be_quiet(n: int, a: Readable, b: Readable, error: Readable) -> int:
    """The least d >= 4 with exp(-(d - 2) x^2 / (2 b^2)) <= error, x = 1/10 - (a + b)/sqrt(n) - b/(d
    - 2) > 0, as in Lemma 6.12.

    n >= 1 tokens; a > 0, b > 0, 0 < error < 1, read as decimals; certified, and true for every
    larger d. ValueError when (a + b)/sqrt(n) >= 1/10, for then no d is enough. Lemmas 6.12, 6.16
    and 6.20.

    >>> dimension_to_be_quiet(10**6, "0.1", "0.5", Fraction(1, 10**8))
    945
    """
    n, (a, b, error) = integer("n", n), _share(a, b, error)
    room = lambda: _arb(Fraction(1, 10)) - _arb(a + b) / arb(n).sqrt()
    return _dimension(
        room, _arb(b), b, error, "n must exceed 100 (a + b)^2, take a larger n, or a smaller a or b"
    )


def _share(a: Readable, b: Readable, error: Readable) -> tuple[Fraction, Fraction, Fraction]:
    return (
        rational("a", a, above=0),
        rational("b", b, above=0),
        rational("error", error, above=0, below=1),
    )


def _dimension(room, rest, b, error, reason):
    """Least d with (d - 2) (room - rest/(d - 2))^2 >= K^2 = 2 b^2 ln(1/error): with y = sqrt(d -
    2), room y^2 - K y - rest >= 0.
    """
    if _sign(room, 2**10) <= 0:
        raise ValueError(f"no dimension is enough: {reason}")
    precision = 64
    while precision <= 2**14:  # no tie: y is transcendental, as ln(1/error) is
        with ctx.workprec(precision):
            K = _arb(b) * (-2 * _arb(error).log()).sqrt()
            y = (K + (K**2 + 4 * room() * rest).sqrt()) / (2 * room())
            whole = (y**2).ceil().unique_fmpz()
        if whole is not None:
            return max(4, int(whole) + 2)
        precision *= 2
    raise ArithmeticError("d is not decided by 2^14 bits: change b or error by a little")


def _between(low, high):
    """An integer strictly between, halving the number of digits first."""
    power = 1 << (low.bit_length() + high.bit_length()) // 2  # has more digits than low
    return power if power < high else (low + high) // 2


def _inverse_variance(kind, n, kappa):
    factor, exponent = VARIANCES[kind]
    spread = (1 + _power(n, -kappa)) ** 2 if kind == "sharp" else arb(1)
    return factor * _power(n, exponent(kappa)) / spread


def _power(n, exponent):
    return (arb(n).log() * _arb(exponent)).exp()


def _arb(value):
    return arb(fmpq(value.numerator, value.denominator))


def _sign(compute, limit):
    """Sign of a real number given as a ball at any precision, doubled until 0 is outside; 0 if
    `limit` bits do not decide.
    """
    precision = 64
    while precision <= limit:
        with ctx.workprec(precision):
            value = compute()
            if value > 0 or value < 0:
                return 1 if value > 0 else -1
        precision *= 2
    return 0
