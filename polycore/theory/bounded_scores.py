"""Scores in a band: all between ``lo`` and ``lo·2^k``, so that the largest power is at most
``(2^k)^β`` times the smallest.

Judgments of the kernel in the symbols ``z`` (scores), ``u`` (their powers), ``alpha``, ``f``
(weights), ``beta`` and ``kappa``, with ``β ≤ κ log2 n``. D₀ is the band from 2 to 4; D₁ with its
spike lies in the band from 2 to 32.

>>> Band.between(2, 4).sharp.conclusion
Sum(f[i]**2, (i, 1, n)) <= (Power(2, beta) + 1)**2/(4*n*Power(2, beta))
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from sympy import Eq, Expr, Ge, Gt, IndexedBase, Integer, Le, Rel, symbols

from polycore.proof import (
    AXIOMS,
    Given,
    Judgment,
    Log,
    Power,
    Theorem,
    apply,
    arithmetic,
    i,
    n,
    total,
)
from polycore.theory.concentration import at_numbers
from polycore.theory.elementary import (
    EXP_MONOTONE,
    LOG_PRODUCT,
    LOG_TWO_POSITIVE,
    POWER_AT_LEAST_ONE,
    POWER_MONOTONE,
    POWER_POSITIVE,
    POWER_PRODUCT,
)
from polycore.theory.variance import CRUDE_VARIANCE, KANTOROVICH, VARIANCE_POSITIVE

__all__ = ["Band"]

z, u, f = map(IndexedBase, "zuf")
alpha, beta, kappa, q = symbols("alpha beta kappa q")
_norm, _log_two = total(f[i] ** 2), Log(Integer(2))


@dataclass(frozen=True)
class Band:
    """The weights of degree β of scores between ``low`` and ``low·2^doublings``, both integers ≥ 1.

    ``given``: the hypotheses; ``ratio``: ``(2^doublings)^β``; ``crude``: ``‖f‖² ≤ ratio²/n``;
    ``sharp``: ``‖f‖² ≤ (1 + ratio)²/(4 ratio n)``; ``positive``: ``‖f‖² > 0``. Proved in the
    chapters of Lemmas 4.1 and 4.2.
    """

    low: int
    doublings: int

    def __post_init__(self):
        for name, value in (("low", self.low), ("doublings", self.doublings)):
            if type(value) is not int or value < 1:
                raise ValueError(
                    f"{name} must be an integer >= 1, got {value!r}: scores lie in "
                    "[low, low 2^doublings], and the logarithms of both ends are exact"
                )

    @classmethod
    def between(cls, low: int, high: int) -> "Band":
        """The band from ``low`` to ``high``, which must be ``low`` times a power of two, from 2 on;
        ValueError otherwise.

        >>> Band.between(2, 32)
        Band(low=2, doublings=4)
        """
        doublings = (high // low).bit_length() - 1
        if low * 2**doublings != high:
            raise ValueError(
                f"high must be low times a power of two, got {high!r} and {low!r}: the logarithm "
                "of their ratio enters the proofs as an integer"
            )
        return cls(low, doublings)

    @property
    def below(self) -> list[Rel]:
        """The hypotheses without the upper limit."""
        definition = [Eq(u[i], Power(z[i], beta)), Eq(alpha, total(u[i])), Eq(f[i], u[i] / alpha)]
        return [*definition, Ge(z[i], self.low), Gt(beta, 0), Ge(n, 1)]

    @property
    def given(self) -> list[Rel]:
        return [*self.below, Le(z[i], self.low * 2**self.doublings)]

    @property
    def ratio(self) -> Expr:
        return Power(Integer(2**self.doublings), beta)

    def exponent(self, kappa: Expr) -> Expr:
        """``q`` with ``ratio = n^q`` at the degree ``β = κ log2 n``.

        >>> Band.between(2, 32).exponent(kappa)
        4*kappa
        """
        return self.doublings * kappa

    @property
    def _ends(self):
        return {
            "lo": Power(Integer(self.low), beta),
            "hi": Power(Integer(self.low * 2**self.doublings), beta),
        }

    @cached_property
    def powers(self) -> list[Judgment]:
        """What is used of powers: all are positive, ``ratio ≥ 1``, and the ratio of the ends is
        ``ratio``.
        """
        ends = self.low, self.low * 2**self.doublings
        positive = [apply(POWER_POSITIVE, {"x": end, "a": beta}) for end in ends]
        at_least_one = apply(POWER_AT_LEAST_ONE, {"x": 2**self.doublings, "a": beta}, [Gt(beta, 0)])
        return [
            *positive,
            at_least_one,
            apply(POWER_PRODUCT, {"x": self.low, "y": 2**self.doublings, "a": beta}),
        ]

    @cached_property
    def _known(self):
        ends, (low, high) = self._ends, (self.low, self.low * 2**self.doublings)
        above = apply(POWER_MONOTONE, {"x": low, "y": z[i], "a": beta}, self.below)
        below = apply(POWER_MONOTONE, {"x": z[i], "y": high, "a": beta}, self.given)
        lower = arithmetic(Ge(u[i], ends["lo"]), self.below, [above])
        return [lower, arithmetic(Le(u[i], ends["hi"]), self.given, [below]), *self.powers]

    def _variance(self, lemma, bound):
        between = apply(lemma, self._ends, self.given, self._known)
        return arithmetic(Le(_norm, bound), self.given, [between, *self.powers], lemma.why)

    @cached_property
    def crude(self) -> Judgment:
        return self._variance(CRUDE_VARIANCE, self.ratio**2 / n)

    @cached_property
    def sharp(self) -> Judgment:
        return self._variance(KANTOROVICH, (1 + self.ratio) ** 2 / (4 * self.ratio * n))

    @cached_property
    def positive(self) -> Judgment:
        return apply(VARIANCE_POSITIVE, {"lo": self._ends["lo"]}, self.given, self._known)

    @cached_property
    def degree(self) -> Judgment:
        """``ratio ≤ n^(doublings κ)`` when ``β ≤ κ log2 n``, κ > 0."""
        given = [Gt(beta, 0), Ge(n, 1), Gt(kappa, 0), Le(beta, kappa * Log(n) / _log_two)]
        logs = [apply(LOG_PRODUCT, {"x": 2, "y": 2**k}) for k in range(1, self.doublings)]
        exponents = {
            "x": beta * Log(Integer(2**self.doublings)),
            "y": self.exponent(kappa) * Log(n),
        }
        powers = [apply(AXIOMS["power"], {"x": 2**self.doublings, "a": beta})]
        powers += [apply(AXIOMS["power"], {"x": n, "a": self.exponent(kappa)}, given)]
        ordered = apply(EXP_MONOTONE, exponents, given, [LOG_TWO_POSITIVE, *logs])
        return arithmetic(
            Le(self.ratio, Power(n, self.exponent(kappa))),
            given,
            [*powers, ordered],
            r"$\beta \le \kappa \log n$",
        )

    def eventually(self, theorem: Theorem) -> Judgment:
        """A theorem of ``concentration`` (CRUDE, HOELDER or SHARP, or one with _SILENT) for these
        weights, κ a symbol.

        Its hypotheses have names: ``scores``, ``degree``, ``sizes``, ``exponent`` (it is positive),
        and the two conditions on n₀, ``steep`` and ``overtaken``.
        """
        numbers = {
            name: [
                h.xreplace({q: self.exponent(kappa)})
                for h in theorem.given(name)
                if h != Gt(_norm, 0)
            ]
            for name in ("sizes", "exponent", "steep", "overtaken")
        }
        degree = [Gt(kappa, 0), Le(beta, kappa * Log(n) / _log_two)]
        given = Given(scores=self.given, degree=degree, **numbers)
        return apply(theorem, {"r": self.ratio, "q": self.exponent(kappa)}, given, self._premises)

    def from_n0(self, theorem: Theorem, numbers: Mapping[str, Expr]) -> Judgment:
        """The same at explicit numbers ``kappa``, ``tau``, ``delta``, ``k``, ``n0`` (and ``c``);
        ``q``, the exponent of the ratio, may take the place of ``kappa``, its part for each power
        of two. Errors as ``at_numbers``.
        """
        others = dict(numbers)
        most = others.pop("kappa") if "kappa" in numbers else numbers["q"] / self.doublings
        given = [*self.given, Le(beta, most * Log(n) / _log_two), Ge(n, numbers["n0"])]
        met = [*self._premises[:-1], apply(self.degree, {"kappa": most}, given), LOG_TWO_POSITIVE]
        return at_numbers(theorem, others | {"r": self.ratio, "q": self.exponent(most)}, given, met)

    @property
    def _premises(self):
        return [self.crude, self.sharp, self.positive, *self.powers, self.degree]
