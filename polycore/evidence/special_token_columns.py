"""What the chapters on columns of random signs check alike, on data with one special token.

A column of signs *fires* when its sum over the output of a token exceeds the threshold tau = c +
0.1, and the network fires when one of its columns does; otherwise they are *silent*. The bound of
each comparison is an argument, so that a chapter shows what decides.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from numpy.random import Generator
from sympy import Rel, symbols

from polycore.checks import common, integer, named, one_of, rational
from polycore.evidence.claims import Claim, Control, refused
from polycore.evidence.kinds import Evidence, certified
from polycore.evidence.special_token import asked_of_degree
from polycore.models import attention, network
from polycore.models.self_attention import Data, d0
from polycore.montecarlo import Decision, decide_agreement
from polycore.proof import Judgment, Theorem, apply
from polycore.tails import rademacher
from polycore.tails.rademacher import Tail
from polycore.thresholds import dimension_to_be_quiet

__all__ = [
    "Setting",
    "any_dimension",
    "asked",
    "at_lengths",
    "both_parts",
    "critical_kappa",
    "dense_and_counted",
    "drawn_column",
    "drawn_network",
    "network_claim",
    "refused_without",
    "rounding",
    "wrong_versions",
]

# The lemma or theorem whose derivation another one applies.
REPEATED = {"6.12": "6.8", "6.16": "6.12", "6.20": "6.12", "6.17": "6.13", "6.21": "6.13"}
LENGTHS = tuple(10**exponent for exponent in (4, 6, 9, 12))


@dataclass(frozen=True)
class Setting:
    """The parameters of a chapter on one dataset, checked: one column, or with `C` the network.

    `dataset`: `self_attention.d0` or `d1`; beta = `kappa` log2 n; `excess` and `b` as in
    Definition 6.1; the example has dimension `dimension` and `size` tokens, rounded down to a
    multiple of d - 2. The probability of the wrong answer is to be `delta`/n^`k`, in a network of
    ceil(`C` log2(n/delta)) columns. `trials` and `seed` of what is drawn; `profile` "paper", or
    "quick" with an eighth of the trials. Each is checked as by `common`, but `dimension` - 2 <=
    `size` <= 10^15. TypeError or ValueError otherwise.

    >>> from polycore.models.self_attention import d1
    >>> Setting(d1, 1.5, "0.7", "0.5", 1000, 12, 0.01, 1, C=7).columns(1000)
    117
    """

    dataset: Callable[..., Data]
    kappa: float
    excess: str
    b: str
    size: int
    dimension: int
    delta: float
    k: int
    trials: int = 8
    seed: int = 0
    profile: str = "paper"
    C: float | None = None

    def __post_init__(self) -> None:
        common(kappa=self.kappa, delta=self.delta, k=self.k, b=self.b, excess=self.excess)
        common(C=1 if self.C is None else self.C, trials=self.trials, seed=self.seed)
        common(dimension=self.dimension)
        one_of("profile", self.profile, ["paper", "quick"])
        integer("size", self.size, at_least=self.dimension - 2, at_most=10**15)
        with named(n="size", d="dimension", a="excess"):
            self.near(self.size, self.dimension)  # what Definition 6.1 asks of the entries

    @cached_property
    def example(self) -> Data:
        """The member of `dimension` and about `size` tokens."""
        return self.near(self.size, self.dimension)

    @property
    def draws(self) -> int:
        """How many trials the profile makes."""
        return self.trials // {"paper": 1, "quick": 8}[self.profile]

    def near(self, n: int, d: int) -> Data:
        """The member of dimension `d` with `n` tokens, rounded down to a multiple of d - 2.

        >>> from polycore.models.self_attention import d0
        >>> Setting(d0, 0.5, "0.09", "0.5", 100, 8, 0.01, 1).near(1000, 8).n
        996
        """
        return self.dataset(n - n % (d - 2), d, self.excess, self.b)

    def usual(self, kappa: float) -> "Setting":
        """At this degree, with the book's own excess, b = 1/2, n = 10^6 and d = 1002: where wrong
        versions are wrong, whatever the setting is.

        >>> from polycore.models.self_attention import d0
        >>> tiny = Setting(d0, 60, "0.01", "0.1", 100, 8, 0.01, 1)
        >>> tiny.usual(2.0).example.a, tiny.usual(2.0).near(1000, 42).b
        (Fraction(9, 100), Fraction(1, 2))
        >>> tiny.usual(2.0).example.n, tiny.usual(2.0).example.d
        (1000000, 1002)
        """
        own = "0.09" if self.dataset is d0 else "0.7"
        return replace(self, kappa=kappa, excess=own, b="1/2", size=10**6, dimension=1002)

    def promised(self, n: int) -> Fraction:
        """The probability of the wrong answer that is promised for `n` tokens, delta/n^k.

        >>> from polycore.models.self_attention import d0
        >>> Setting(d0, 0.5, "0.09", "0.5", 100, 8, 0.01, 2).promised(100)
        Fraction(1, 1000000)
        """
        return rational("delta", self.delta) / n**self.k

    def columns(self, n: int) -> int:
        """How many columns there are for `n` tokens: one, or those of the network."""
        return 1 if self.C is None else network.columns(n, self.delta, self.C)

    def fires(self, data: Data, kappa: float | None = None, tau: float | None = None) -> Tail:
        """Enclosure of the probability that one column fires on `data`, or with `C` the network.

        At the setting's `kappa` and at tau = c + 0.1 by default. Lemma 6.8, Theorem 6.9.

        >>> from polycore.models.self_attention import d1
        >>> high = Setting(d1, 60, "0.7", "0.5", 10**6, 1002, 0.01, 1)
        >>> high.fires(high.example).value
        0.375
        """
        beta = attention.degree(self.kappa if kappa is None else kappa, data.n)
        if self.C is None:
            return data.exceeds(beta, tau)
        return data.fires(beta, self.columns(data.n), tau)


def critical_kappa(data: Data) -> float:
    """The kappa at which (1 + a)^beta is n, 1/log2(1 + a); the special token outweighs the others
    from there on.

    >>> from polycore.models.self_attention import d1
    >>> critical_kappa(d1(n=4, d=4, a=1, b="0.5"))
    1.0
    """
    return float(1 / np.log2(1 + float(data.a)))


def asked(setting: Setting, fires: bool = False, of_degree: str | None = None) -> dict[str, bool]:
    """What a lemma asks of the parameters, and whether the example is so: `asks` of a claim.

    To fire, beta >= log n/log(1 + a) and (d - 2) rho^2 >= 2 b^2 L, with rho = (a + b)/2 - 0.1. To
    be silent, beta <= log n/(2 log(1 + a)), rho > 0 and the same, with rho = 0.1 - (a + b)/sqrt(n)
    - b/(d - 2). L is ln(n^k/delta) for one column, ln(m n^k/delta) for a network of m that is
    silent, and ln 5 for one that fires, for which m ln(10/9) >= ln(n^k/delta) too. `of_degree`: the
    excess a_1 that bounds the degree, that of the setting by default. Lemmas 6.8 to 6.20.

    >>> from polycore.models.self_attention import d0
    >>> asked(Setting(d0, 2, "0.09", "0.5", 10**6, 1002, 0.01, 1))
    {'β ≤ ½ log n/log(1 + a₀)': True, 'ρ > 0': True, '(d − 2)ρ² ≥ 2b² ln(nᵏ/δ)': True}
    """
    data, limit = setting.example, {"at_least": 1.0} if fires else {"at_most": 0.5}
    symbol = "a₀" if setting.dataset is d0 and of_degree is None else "a₁"
    a, b, columns = float(data.a), float(data.b), setting.columns(data.n)
    promise = setting.k * np.log(data.n) - np.log(setting.delta)
    rho = (a + b) / 2 - 0.1 if fires else 0.1 - (a + b) / np.sqrt(data.n) - b / (data.d - 2)
    needed, what = promise, "ln(nᵏ/δ)"
    if setting.C is not None:
        both = (np.log(5), "ln 5") if fires else (promise + np.log(columns), "ln(m nᵏ/δ)")
        needed, what = both
    found = asked_of_degree(setting.kappa, of_degree or setting.excess, symbol, **limit)
    found |= {} if fires else {"ρ > 0": bool(rho > 0)}
    found[f"(d − 2)ρ² ≥ 2b² {what}"] = bool(rho > 0 and (data.d - 2) * rho**2 >= 2 * b**2 * needed)
    if fires and setting.C is not None:
        found["m ln(10/9) ≥ ln(nᵏ/δ)"] = bool(columns * np.log(10 / 9) >= promise)
    return found


def at_lengths(setting: Setting, at_most: Callable[[int], Fraction]) -> list[Evidence]:
    """Evidence that the probability to fire is at most `at_most`(n): near 10^4, 10^6, 10^9 and
    10^12 tokens, and for the example, which comes last.

    At each length d is one more than the least that meets the condition of Lemmas 6.12, 6.16 and
    6.20 for `at_most`(2n) over the columns of twice as many tokens: with the largest excess in D_0,
    0.1, and with the given one in D_1. The length is then rounded up to a multiple of d - 2, so
    that the condition holds there. A length at which no d up to n + 2 is enough is left out.

    >>> from polycore.models.self_attention import d0
    >>> one = Setting(d0, 0.5, "0.09", "0.5", 10**6, 1002, 0.01, 1)
    >>> [evidence.passed for evidence in at_lengths(one, at_most=one.promised)]
    [True, True, True, True, True]
    """
    error = lambda n: at_most(2 * n) / setting.columns(2 * n)
    members = [_in_least_dimension(setting, n, error(n)) for n in LENGTHS]
    named = {f"n = {data.n}, d = {data.d}": data for data in members if data}
    data, name = setting.example, "Pr" if setting.C is None else "Pr[F > 0]"
    named[f"κ = {setting.kappa}, n = {data.n}, d = {data.d}"] = data
    return [
        certified(f"{name} at {where}", setting.fires(data), at_most=at_most(data.n))
        for where, data in named.items()
    ]


def _in_least_dimension(setting: Setting, n: int, error: Fraction) -> Data | None:
    """The member of `n` tokens or a few more, one dimension above the least that is enough for
    `error`; None where none is.
    """
    largest = Fraction(1, 10) if setting.dataset is d0 else rational("excess", setting.excess)
    if n <= 100 * (largest + rational("b", setting.b)) ** 2:
        return None
    d = 1 + dimension_to_be_quiet(n, largest, setting.b, error)
    return setting.near(n + d - 3, d) if d - 2 <= n else None


def drawn_column(setting: Setting, data: Data, rng: Generator) -> Decision:
    """Whether drawn columns fire on `data` as often as the enclosed probability says: within ten
    standard errors, with both error rates (`montecarlo.decide_agreement`).

    One sum for each trial; tau = c + 0.1. Lemma 6.8.

    >>> from polycore.models.self_attention import d1
    >>> one = Setting(d1, 1.5, "0.7", "0.5", 1000, 12, 0.01, 1, trials=10_000)
    >>> drawn_column(one, one.example, np.random.default_rng(1)).verdict
    'pass'
    """
    row, tau = data.row(attention.degree(setting.kappa, data.n)), float(data.c) + 0.1
    hits = int(np.sum(rademacher.sample(row, setting.draws, rng) > tau))
    return _agreement(hits, setting, data.exceeds(attention.degree(setting.kappa, data.n)))


def drawn_network(
    setting: Setting, data: Data, columns: int, above: float, rng: Generator
) -> Decision:
    """Whether drawn networks of `columns` columns fire on `data` as often as the enclosed
    probability says, at tau = c + `above`; as `drawn_column`.

    All tokens have the same output, so one of them is enough. Theorem 6.9.

    >>> from polycore.models.self_attention import d1
    >>> one = Setting(d1, 1.5, "0.7", "0.5", 1000, 12, 0.01, 1, trials=4000)
    >>> drawn_network(one, one.example, 3, 0.1, np.random.default_rng(1)).verdict
    'pass'
    """
    beta, tau = attention.degree(setting.kappa, data.n), float(data.c) + above
    row = data.row(beta)
    draw = lambda: network.rademacher_columns(data.d, columns, rng)
    hits = sum(bool((row @ draw() > tau).any()) for _ in range(setting.draws))
    return _agreement(hits, setting, data.fires(beta, columns, tau))


def _agreement(hits: int, setting: Setting, exact: Tail) -> Decision:
    return decide_agreement(hits, setting.draws, exact.lower, exact.upper)


def dense_and_counted(data: Data, beta: float, y: np.ndarray) -> tuple[float, float]:
    """F_poly over the signs `y` at tau = c + 0.1: from the matrix, every token and column of it,
    and from the output of one token, n times.

    `y`: shape (d, m). The entries of the matrix are n d at most 10^8. Definition 6.4.

    >>> from polycore.models.self_attention import d1
    >>> data, signs = d1(n=4, d=4, a=3, b="0.5"), np.ones((4, 1))
    >>> dense, counted = dense_and_counted(data, 1, signs)
    >>> abs(dense - 4 * (12 / 7 + 1 / 7 + 5 / 14 - 0.1)) < 1e-12, abs(dense - counted) < 1e-12
    (True, True)
    """
    A, tau, ones = data.dense(), float(data.c) + 0.1, np.ones((data.d, data.d))
    output = attention.polynomial_attention(A, ones, ones / data.d, np.eye(data.d), beta)
    dense = float(np.sum(network.shifted_relu(output @ y, tau)))
    return dense, data.n * float(np.sum(network.shifted_relu(data.row(beta) @ y, tau)))


def rounding(data: Data, y: np.ndarray) -> tuple[float, str]:
    """How far the two values of `dense_and_counted` may lie apart by rounding, and why; for
    `numeric`.

    >>> from polycore.models.self_attention import d1
    >>> rounding(d1(n=4, d=4, a=3, b="0.5"), np.ones((4, 2)))[0] == 8 * 2**-39
    True
    """
    why = "float64: in each token and column a degree below 100 times 60 roundings of half a unit"
    return data.n * y.shape[1] * 2**-39, why


def refused_without(what: str, theorem: Theorem, name: str, case: Evidence) -> Control:
    """The control that the kernel refuses `theorem` without its hypothesis called `name`.

    `case`: evidence of that wrong version at a case computed apart. KeyError where no hypothesis is
    called so; otherwise as `refused`. Lemmas 6.8 and 6.12, Theorem 6.9.

    >>> from sympy import Ge, Gt, Symbol
    >>> from polycore.evidence import exact
    >>> from polycore.proof import Given, arithmetic, theorem
    >>> @theorem
    ... def SQUARE():
    ...     x = Symbol("x")
    ...     return arithmetic(Gt(x**2, 0), Given(positive=Gt(x, 0), small=Ge(1, x)))
    >>> refused_without("any x", SQUARE, "positive", exact("0²", 0, above=0)).rejected
    True
    """
    return _refused(what, theorem(), theorem.without(name), case)


def _refused(what: str, judgment: Judgment, needs: list[Rel], case: Evidence) -> Control:
    known = list(judgment.hypotheses)
    return refused(what, lambda given: apply(judgment, {}, given), known, needs, case)


def any_dimension(judgment: Judgment, case: Evidence) -> Control:
    """The control that the kernel refuses `judgment` without its condition on the dimension, the
    one hypothesis that names the exponent k.

    `case`: evidence of the wrong version in a small dimension. ValueError where not exactly one
    hypothesis names k; ProofError as `refused`. Lemmas 6.16 and 6.20, Theorems 6.13, 6.17 and 6.21.

    >>> from sympy import Ge
    >>> from polycore.evidence import exact
    >>> from polycore.proof import arithmetic
    >>> k, rate = symbols("k rate")
    >>> wide = arithmetic(Ge(rate, 0), [Ge(rate, k**2)])
    >>> any_dimension(wide, exact("a negative rate", -1, at_least=0)).rejected
    True
    """
    needs = [one for one in judgment.hypotheses if symbols("k") not in one.free_symbols]
    return _refused("any dimension", judgment, needs, case)


def wrong_versions(
    setting: Setting, judgment: Judgment, small: Data, at_most: Fraction
) -> list[Control]:
    """Four wrong versions of "fires with probability `at_most`" for the example, as controls that
    the same checks must reject.

    The degree is one and a half times the critical one; for one column the threshold is c - 0.1;
    the dimension is that of `small`; `judgment` lacks its condition on the dimension, with `small`
    as the case. ValueError and ProofError as `any_dimension`. Lemmas 6.16 and 6.20, Theorems 6.17
    and 6.21.

    >>> from sympy import Ge
    >>> from polycore.models.self_attention import d0
    >>> from polycore.proof import arithmetic
    >>> k, rate = symbols("k rate")
    >>> wide = arithmetic(Ge(rate, 0), [Ge(rate, k**2)])
    >>> one = Setting(d0, 0.5, "0.09", "0.5", 10**6, 1002, 0.01, 1)
    >>> for wrong in wrong_versions(one, wide, one.near(1000, 42), at_most=one.promised(10**6)):
    ...     print(wrong)
    one and a half times log n/log(1 + a): refused
    τ = c − 0.1: refused
    d = 42: refused
    any dimension: refused
    """
    high = setting.fires(setting.example, 1.5 * critical_kappa(setting.example))
    tried = [certified("one and a half times log n/log(1 + a)", high, at_most=at_most)]
    if setting.C is None:
        low = setting.fires(setting.example, tau=float(setting.example.c) - 0.1)
        tried.append(certified("τ = c − 0.1", low, at_most=at_most))
    narrow = certified(f"d = {small.d}", setting.fires(small), at_most=at_most)
    wrong = [Control(one.what, one) for one in (*tried, narrow)]
    return [*wrong, any_dimension(judgment, narrow)]


def both_parts(
    lemma: str,
    outputs: str,
    evidence: Sequence[Evidence],
    controls: Sequence[Evidence | Control],
    **said: Any,
) -> list[Claim]:
    """The claims of the two parts of a lemma on one column: the token j_3, and the other tokens.

    `lemma` and `outputs`: numbers as in the paper; three parts of the lemma on the outputs belong
    to each. `said`: what `Claim` says besides. Errors as `Claim`. Lemmas 6.8, 6.12, 6.16 and 6.20.

    >>> from polycore.evidence import exact
    >>> right, wrong = exact("1 + 1", 2, equals=2), exact("1 + 1 = 3", 2, equals=3)
    >>> [claim.depends[-1] for claim in both_parts("6.8", "6.7", [right], [wrong])]
    ['lemma-6-7-part-3', 'lemma-6-7-part-6']
    """
    shared = ["definition-6-1", "definition-6-2", "lemma-3-6"]
    before = f"{_id('lemma', REPEATED[lemma])}-part-{{}}" if lemma in REPEATED else ""
    return [
        Claim(
            f"{_id('lemma', lemma)}-part-{part}",
            f"Lemma {lemma}, Part {part}",
            "paper",
            "reconstructed",
            tuple(evidence),
            tuple(controls),
            (
                *shared,
                *([before.format(part)] if before else []),
                *(f"{_id('lemma', outputs)}-part-{3 * part - less}" for less in (2, 1, 0)),
            ),
            **said,
        )
        for part in (1, 2)
    ]


def network_claim(
    theorem: str,
    lemma: str,
    evidence: Sequence[Evidence],
    controls: Sequence[Evidence | Control],
    **said: Any,
) -> Claim:
    """The claim of a theorem on the network, which rests on both parts of a lemma on one column.

    Arguments and errors as `both_parts`. Theorems 6.9, 6.13, 6.17 and 6.21.

    >>> from polycore.evidence import exact
    >>> right, wrong = exact("1 + 1", 2, equals=2), exact("1 + 1 = 3", 2, equals=3)
    >>> network_claim("6.9", "6.8", [right], [wrong]).id
    'theorem-6-9'
    """
    shared = [f"definition-6-{number}" for number in (1, 2, 4)]
    shared += [_id("theorem", REPEATED[theorem])] if theorem in REPEATED else []
    return Claim(
        _id("theorem", theorem),
        f"Theorem {theorem}",
        "paper",
        "reconstructed",
        tuple(evidence),
        tuple(controls),
        (*shared, *(f"{_id('lemma', lemma)}-part-{part}" for part in (1, 2))),
        **said,
    )


def _id(kind: str, number: str) -> str:
    return f"{kind}-{number.replace('.', '-')}"
