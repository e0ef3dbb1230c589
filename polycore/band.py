"""Scores in a band: all between ``lo`` and ``lo·2^k``, so that the largest power is at most ``(2^k)^β`` times the smallest.

Judgments of the kernel in the symbols ``z`` (scores), ``u`` (their powers), ``alpha``, ``f`` (weights), ``beta`` and
``kappa``, with ``β ≤ κ log2 n``. D₀ is the band from 2 to 4; D₁ with its spike lies in the band from 2 to 32.

>>> Band(2, 1).sharp.conclusion
Sum(f[i]**2, (i, 1, n)) <= (Power(2, beta) + 1)**2/(4*n*Power(2, beta))
"""

from dataclasses import dataclass
from functools import cached_property

from sympy import Eq, Ge, Gt, IndexedBase, Integer, Le, symbols

from polycore.checks import integer
from polycore.concentration import at_numbers
from polycore.elementary import (
    EXP_MONOTONE,
    LOG_PRODUCT,
    LOG_TWO_POSITIVE,
    POWER_AT_LEAST_ONE,
    POWER_MONOTONE,
    POWER_POSITIVE,
    POWER_PRODUCT,
)
from polycore.proof import AXIOMS, apply, arithmetic
from polycore.statements import Log, Power, i, n, total
from polycore.variance import CRUDE_VARIANCE, KANTOROVICH, VARIANCE_POSITIVE

__all__ = ["Band"]

z, u, f = map(IndexedBase, "zuf")
alpha, beta, kappa, q = symbols("alpha beta kappa q")
_norm, _log_two = total(f[i] ** 2), Log(Integer(2))


@dataclass(frozen=True)
class Band:
    """The weights of degree β of scores between ``low`` and ``low·2^octaves``, both integers ≥ 1.

    ``given``: the hypotheses; ``ratio``: ``(2^octaves)^β``; ``crude``: ``‖f‖² ≤ ratio²/n``; ``sharp``:
    ``‖f‖² ≤ (1 + ratio)²/(4 ratio n)``; ``positive``: ``‖f‖² > 0``. Proved in the chapters of Lemmas 4.1 and 4.2.
    """

    low: int
    octaves: int

    def __post_init__(self):
        integer("low", self.low), integer("octaves", self.octaves)

    @property
    def below(self):
        """The hypotheses without the upper limit."""
        definition = [Eq(u[i], Power(z[i], beta)), Eq(alpha, total(u[i])), Eq(f[i], u[i] / alpha)]
        return [*definition, Ge(z[i], self.low), Gt(beta, 0), Ge(n, 1)]

    @property
    def given(self):
        return [*self.below, Le(z[i], self.low * 2**self.octaves)]

    @property
    def ratio(self):
        return Power(Integer(2**self.octaves), beta)

    @property
    def _ends(self):
        return {"lo": Power(Integer(self.low), beta), "hi": Power(Integer(self.low * 2**self.octaves), beta)}

    @cached_property
    def powers(self):
        """What is used of powers: all are positive, ``ratio ≥ 1``, and the ratio of the ends is ``ratio``."""
        ends = self.low, self.low * 2**self.octaves
        positive = [apply(POWER_POSITIVE, {"x": end, "a": beta}) for end in ends]
        at_least_one = apply(POWER_AT_LEAST_ONE, {"x": 2**self.octaves, "a": beta}, [Gt(beta, 0)])
        return [*positive, at_least_one, apply(POWER_PRODUCT, {"x": self.low, "y": 2**self.octaves, "a": beta})]

    @cached_property
    def _known(self):
        ends, (low, high) = self._ends, (self.low, self.low * 2**self.octaves)
        lower = [apply(POWER_MONOTONE, {"x": low, "y": z[i], "a": beta}, self.below)]
        upper = [apply(POWER_MONOTONE, {"x": z[i], "y": high, "a": beta}, self.given)]
        lower = arithmetic(Ge(u[i], ends["lo"]), self.below, lower)
        return [lower, arithmetic(Le(u[i], ends["hi"]), self.given, upper), *self.powers]

    def _variance(self, lemma, bound):
        between = apply(lemma, self._ends, self.given, self._known)
        return arithmetic(Le(_norm, bound), self.given, [between, *self.powers], lemma.why)

    @cached_property
    def crude(self):
        return self._variance(CRUDE_VARIANCE, self.ratio**2 / n)

    @cached_property
    def sharp(self):
        return self._variance(KANTOROVICH, (1 + self.ratio) ** 2 / (4 * self.ratio * n))

    @cached_property
    def positive(self):
        return apply(VARIANCE_POSITIVE, {"lo": self._ends["lo"]}, self.given, self._known)

    @cached_property
    def degree(self):
        """``ratio ≤ n^(octaves κ)`` when ``β ≤ κ log2 n``, κ > 0."""
        given = [Gt(beta, 0), Ge(n, 1), Gt(kappa, 0), Le(beta, kappa * Log(n) / _log_two)]
        logs = [apply(LOG_PRODUCT, {"x": 2, "y": 2**k}) for k in range(1, self.octaves)]
        exponents = {"x": beta * Log(Integer(2**self.octaves)), "y": self.octaves * kappa * Log(n)}
        powers = [apply(AXIOMS["power"], {"x": 2**self.octaves, "a": beta})]
        powers += [apply(AXIOMS["power"], {"x": n, "a": self.octaves * kappa}, given)]
        ordered = apply(EXP_MONOTONE, exponents, given, [LOG_TWO_POSITIVE, *logs])
        return arithmetic(Le(self.ratio, Power(n, self.octaves * kappa)), given, [*powers, ordered], r"$\beta \le \kappa \log n$")

    def eventually(self, theorem):
        """A theorem of ``concentration`` (CRUDE, HOELDER or SHARP, or one with _SILENT) for these weights, κ a symbol."""
        given = [*self.given, Gt(kappa, 0), Le(beta, kappa * Log(n) / _log_two)]
        given += [h.xreplace({q: self.octaves * kappa}) for h in theorem.without("variance", "ratio") if h != Gt(_norm, 0)]
        return apply(theorem, {"r": self.ratio, "q": self.octaves * kappa}, given, self._premises)

    def from_n0(self, theorem, numbers):
        """The same at explicit numbers ``kappa``, ``tau``, ``delta``, ``k``, ``n0`` (and ``c``); errors as ``at_numbers``."""
        numbers = dict(numbers)
        most = numbers.pop("kappa")
        given = [*self.given, Le(beta, most * Log(n) / _log_two), Ge(n, numbers["n0"])]
        met = [*self._premises[:-1], apply(self.degree, {"kappa": most}, given), LOG_TWO_POSITIVE]
        return at_numbers(theorem, numbers | {"r": self.ratio, "q": self.octaves * most}, given, met)

    @property
    def _premises(self):
        return [self.crude, self.sharp, self.positive, *self.powers, self.degree]
