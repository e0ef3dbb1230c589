"""Evidence and claims for the attention weights and the output of one special token: Lemmas 6.6 and
6.7, and the six that repeat them.

A chapter names the members, the degree and the bounds; these functions compute, compare and make
the claims. Parts that differ only in which token asks have the same proofs and checks, which
`whoever_asks` gives to each of them.
"""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import TypeVar

import numpy as np

from polycore.checks import (
    COMMON,
    Floats,
    Readable,
    integer,
    named,
    one_of,
    rational,
    real,
)
from polycore.evidence.claims import Claim, Control
from polycore.evidence.kinds import Bound, Evidence, counted, exact, numeric, proved
from polycore.models import attention
from polycore.models.self_attention import Data, compared, draw
from polycore.proof import Judgment

__all__ = [
    "asked_of_degree",
    "dense_members",
    "float_error",
    "largest_difference",
    "measured",
    "members",
    "output_claims",
    "setting",
    "undivided",
    "weight_claims",
    "whoever_asks",
    "wrong_weights",
]

Alike = TypeVar("Alike")
Entries = Callable[[Data, float], Floats]
# By part of a lemma: its checks, its wrong versions, and what is worth knowing with the names of
# what carries it.
Checks = Mapping[str, Evidence | Sequence[Evidence]]
Controls = Mapping[str, Evidence | Control | Sequence[Evidence | Control]]
Findings = Mapping[str, Mapping[str, str]]
CHECKS = COMMON | {
    "size": lambda name, value: integer(name, value, at_most=10**15),
    "cases": lambda name, value: integer(name, value, at_least=8, at_most=10**4),
    "profile": lambda name, value: one_of(name, value, ["paper", "quick"]),
}


def setting(
    dataset: Callable[..., Data], values: Mapping[str, object], *names: str
) -> tuple[Data, int]:
    """The member of `dataset` that the parameters of a chapter describe, and its number of cases,
    an eighth in the profile "quick".

    `dataset`: d0 or d1. `values` holds the parameters `names`, of which each is checked as by
    `common`, but size from 1 to 10^15, cases from 8 to 10^4, profile "paper" or "quick"; b is one
    half where it is not named. TypeError or ValueError otherwise, and as `dataset`; KeyError for
    another name. Definition 6.1.

    >>> from polycore.models.self_attention import d1
    >>> named = {"size": 8, "dimension": 4, "excess": "0.7", "cases": 80, "profile": "quick"}
    >>> setting(d1, named, *named)
    (Data(n=8, d=4, a=Fraction(7, 10), b=Fraction(1, 2), c=Fraction(1, 2), j3=0), 10)
    """
    found = {name: CHECKS[name](name, values[name]) for name in names}
    with named(n="size", d="dimension", a="excess"):
        example = dataset(found["size"], found["dimension"], found["excess"], found.get("b", "0.5"))
    return example, found["cases"] // {"paper": 1, "quick": 8}[found["profile"]]


def float_error(values: float | Floats, beta: float) -> tuple[float, str]:
    """A bound on the float error of attention weights, or of averages with such weights, and the
    reason for it.

    2^-40 max(1, |v| (β + 50)/400) for the largest value v, which covers 16 β half units in its last
    place, and few others. `values` of any shape, finite; `beta` >= 0, finite; ValueError otherwise.
    Lemmas 6.6 and 6.7.

    >>> float_error(0.5, 20)[0] == 2**-40, float_error(1.0, 750)[0] == 2**-39
    (True, True)
    """
    largest = real("values", float(np.max(np.abs(values))))
    beta = real("beta", beta, at_least=0)
    below = 100 * max(2, math.floor(beta / 100) + 1)
    because = f"float64: a degree below {below} times 16 roundings of half a unit, and few others"
    return 2**-40 * max(1.0, largest * (beta + 50) / 400), because


def asked_of_degree(
    kappa: float, excess: Readable, symbol: str = "a₁", **limit: float
) -> dict[str, bool]:
    """What a lemma asks of beta = `kappa` log2 n as a multiple of log n/log(1 + a), and whether it
    is so: `asks` of a claim.

    `excess` is a, called `symbol`; `limit` is at_least or at_most, 1 or 0.5, else KeyError. Lemmas
    6.6 to 6.21.

    >>> asked_of_degree(1.5, "0.7", at_least=1), asked_of_degree(1.5, "0.09", "a₀", at_most=0.5)
    ({'β ≥ log n/log(1 + a₁)': True}, {'β ≤ ½ log n/log(1 + a₀)': True})
    """
    share = kappa * np.log2(1 + float(rational("excess", excess)))
    [(relation, bound)] = limit.items()
    sign, times = "≥" if relation == "at_least" else "≤", {1: "", 0.5: "½ "}[bound]
    met = share >= bound if relation == "at_least" else share <= bound
    return {f"β {sign} {times}log n/log(1 + {symbol})": bool(met)}


NAMES: dict[Entries, tuple[str, ...]] = {
    Data.weights: ("weight of j₃", "weight of any other token"),
    Data.output: ("first entry", "block column of j₃", "other block columns"),
}


def measured(
    entries: Entries,
    data: Data,
    kappa: float,
    names: Sequence[str] | None = None,
    at: str = "",
    **bounds: Sequence[Bound],
) -> list[Evidence]:
    """The first entries of `entries`, Data.weights or Data.output, at the degree kappa log2 n, each
    against its bound.

    One of at_most, at_least, below, above: a bound for each. `names` are their names, and `at` is
    that of the degree, by kappa unless it is given. TypeError for another number of relations,
    ValueError for more bounds than entries, and errors as `numeric`. Lemmas 6.6 and 6.7.

    >>> from polycore.models.self_attention import d1
    >>> example = d1(n=100, d=12, a="0.7", b="0.5")
    >>> [one] = measured(Data.weights, example, 1.5, at_least=[0.5])
    >>> print(one)
    weight of j₃ at κ = 1.5, n = 100: passes
    """
    if len(bounds) != 1:
        raise TypeError(f"measured needs one of at_most, at_least, below, above, got {[*bounds]}")
    [(relation, limits)] = bounds.items()
    names = names or NAMES[entries]
    if len(limits) > len(names):
        raise ValueError(
            f"{relation} has {len(limits)} bounds for {len(names)} entries: {', '.join(names)}"
        )
    beta = attention.degree(kappa, data.n)
    where = f"{at or f'κ = {kappa:.4g}'}, n = {data.n}"
    return [
        numeric(f"{name} at {where}", value, error, because, **{relation: limit})
        for name, limit, value in zip(names, limits, entries(data, beta))
        for error, because in [float_error(value, beta)]
    ]


def members(
    parts: Callable[[Data, int], dict], dataset: str, cases: int, rng: np.random.Generator
) -> dict[str, Evidence]:
    """For each part of a lemma, whether members of `dataset` at random have the values of its table
    exactly.

    `parts`: Data.weight_parts or Data.output_parts, which multiply u, f and c out in rational
    arithmetic by Definition 6.2; the degrees are 0 to 6 in turn. Errors as `compared`. Lemmas 6.6
    and 6.7.

    >>> found = members(Data.weight_parts, "D1", 8, np.random.default_rng(0))
    >>> found["3a"].what, found["3a"].value
    ('members at random whose entries are these, of 8', 8)
    """
    what = "entries" if parts is Data.weight_parts else "rows"
    title = f"members at random whose {what} are these, of {cases}"
    found = compared(parts, dataset, cases, rng)
    return {part: counted(title, pairs) for part, pairs in found.items()}


def dense_members(
    dataset: str, cases: int, rng: np.random.Generator, low: float, high: float
) -> Iterator[tuple[str, Data, float, Floats]]:
    """Members of `dataset` at random with their attention weights from the dense matrix: name,
    member, degree β, and the weights for a token that asks at random, shape (n,).

    β is log n/log(1 + a), the degree at which Lemma 6.6 begins, times a number at random from `low`
    to `high`. Errors as `draw`. Lemmas 6.6 and 6.7.

    >>> [(name, data, beta, weights)] = dense_members("D1", 1, np.random.default_rng(0), 1, 3)
    >>> name, weights.shape == (data.n,), weights[data.j3] >= 0.5
    ('member 0', True, np.True_)
    """
    for case in range(integer("cases", cases)):
        data = draw(dataset, rng)
        sums = data.dense().sum(axis=1)
        beta = math.log(data.n) / math.log(1 + data.a) * rng.uniform(low, high)
        asks = rng.integers(data.n)
        yield f"member {case}", data, beta, attention.weights(sums[asks] * sums, beta)


def largest_difference(pairs: Sequence[tuple[Floats, Floats, float]], **bound: Bound) -> Evidence:
    """The largest relative difference between entries and their formula, against its bound:
    ``equals=0`` allows for rounding alone.

    `pairs`: (found, formula, degree β), arrays of one shape without zeros. The error is that of the
    largest degree. ValueError for no pairs, and errors as `numeric`. Lemmas 6.6 and 6.7.

    >>> pairs = [(np.array([0.1, 0.2]), np.array([0.1, 0.2 + 1e-16]), 20.0)]
    >>> largest_difference(pairs, equals=0).passed
    True
    """
    if not pairs:
        raise ValueError("there is nothing to compare: give at least one pair (found, formula, β)")
    largest = max(float(np.max(np.abs(found / formula - 1))) for found, formula, _ in pairs)
    error, because = float_error(1.0, max(beta for *_, beta in pairs))
    what = "largest relative difference from the formula"
    return numeric(what, largest, error, because, **bound)


def wrong_weights(small: Data, past: Evidence) -> dict[str, Evidence]:
    """A wrong version of each part of a lemma that repeats Lemma 6.6, which its check rejects.

    Parts 1 and 2: the powers w = 1 + a and 1 in place of one another, in the member `small` at β =
    1. Parts 3a and 4a: the bound at a degree `past` the range. Parts 3b and 4b: 1/(2n) in `small`,
    of few tokens, so that the difference is plain. ValueError beyond n = 100. Lemmas 6.10, 6.14 and
    6.18.

    >>> from polycore.models.self_attention import d0
    >>> small = d0(n=4, d=4, a="0.09", b="0.5")
    >>> [past] = measured(Data.weights, small, 20, at_most=[0.5])
    >>> any(one.passed for one in wrong_weights(small, past).values())
    False
    """
    found, w = small.weight_parts(1), 1 + small.a
    wrong: dict[str, tuple[str, int | Fraction]] = {
        "1a": ("(1 + a)^β in place of its square", w),
        "1b": ("1 in place of (1 + a)^β", 1),
        "2a": ("1 in place of (1 + a)^β", 1),
        "2b": ("(1 + a)^β in place of 1", w),
    }
    half = [Fraction(1, 2 * small.n)]
    return {
        **{part: exact(what, found[part][0], equals=[one]) for part, (what, one) in wrong.items()},
        **{part: exact("1/(2n)", found[part][0], at_most=half) for part in ("3b", "4b")},
        **dict.fromkeys(("3a", "4a"), past),
    }


def undivided(small: Data) -> dict[str, Evidence]:
    """The wrong version of Parts 3 and 6 of Lemma 6.7 and its like whose weights are not divided by
    their sum, at β = 2: the last entry is then α c.

    Part 3 is asked by j_3 and Part 6 by the token after it. ValueError beyond n = 100. Lemmas 6.7,
    6.11, 6.15 and 6.19.

    >>> from polycore.models.self_attention import d1
    >>> undivided(d1(n=4, d=4, a=3, b="0.5"))["6"].value  # α c = (16 + 3)/2
    Fraction(19, 2)
    """
    u, what = small.attended(2)[0], "weights that are not divided by their sum"
    askers = {"3": small.j3, "6": (small.j3 + 1) % small.n}
    return {
        part: exact(what, sum(u[asks]) * small.c, equals=small.c) for part, asks in askers.items()
    }


PARTS = {2: ("3a 4a", "3b 4b"), 3: ("1 4", "2 5", "3 6")}


def whoever_asks(*alike: Alike) -> dict[str, Alike]:
    """What is the same for the parts of a lemma that differ only in which token asks, by part.

    Two things: the special and each other weight, Parts 3 and 4 of Lemma 6.6. Three: the first
    column, the block columns and the last, Parts 1 to 6 of Lemma 6.7. ValueError otherwise.

    >>> whoever_asks("half", "1/n")
    {'3a': 'half', '4a': 'half', '3b': '1/n', '4b': '1/n'}
    """
    if len(alike) not in PARTS:
        raise ValueError(
            f"whoever_asks takes two weights or three kinds of columns, got {len(alike)}: give one "
            "for each, an empty list where there is nothing"
        )
    return {part: one for some, one in zip(PARTS[len(alike)], alike) for part in some.split()}


def weight_claims(
    lemma: str,
    proofs: Mapping[str, Judgment],
    checks: Sequence[Checks],
    controls: Controls,
    bound: str = "at most 1/√n",
    *,
    asked: Mapping[str, bool],
    finding: Findings | None = None,
    otherwise: str = "The bound is not met at this degree.",
) -> list[Claim]:
    """The claims of Lemma 6.6, or of one that repeats it: a judgment a part.

    `lemma` is its number, "6.10", and `bound` what it says of the weight of j_3. By part: the
    judgments, the further checks, the controls and the finding; `otherwise` as in `Claim`, and
    `asked` is its `asks` for the parts on f. KeyError for a part without a control, and errors as
    `Claim`. Lemmas 6.6, 6.10, 6.14 and 6.18.

    >>> from sympy import Ge, Symbol
    >>> from polycore.proof import arithmetic
    >>> proof, wrong = arithmetic(Ge(Symbol("x") ** 2, 0)), exact("one in place of 0", 0, equals=1)
    >>> [claim] = weight_claims("6.10", {"3a": proof}, [], {"3a": wrong}, asked={})
    >>> claim.label, claim.scope["says"]
    ('Lemma 6.10, Part 3a', 'Proved: j₃ asks: f of j₃ is at most 1/√n.')
    """
    asks = {"1": "j₃ asks", "2": "another token asks", "3": "j₃ asks", "4": "another token asks"}
    values = {"1a": "u of j₃", "1b": "u of any other", "3a": f"f of j₃ is {bound}"}
    values |= {"3b": "f of any other is at most 1/n"}
    values |= {"2a": values["1a"], "2b": values["1b"], "4a": values["3a"], "4b": values["3b"]}
    first = lemma == "6.6"
    return [
        _claim(
            lemma,
            part,
            {f"Part {part}": (f"{asks[part[0]]}: {values[part]}", proofs[part])},
            checks,
            controls,
            ["claim-6-3", *([] if first else [f"lemma-6-6-part-{part}"])],
            finding=(finding or {}).get(part, {}),
            otherwise=otherwise,
            asks=asked if part[0] in "34" else {},
        )
        for part in sorted(proofs)
    ]


def output_claims(
    lemma: str,
    proofs: Mapping[str, Mapping[str, Judgment]],
    checks: Sequence[Checks],
    controls: Controls,
    weights: str,
    *,
    asked: Mapping[str, bool],
    finding: Findings | None = None,
    otherwise: str = "The bound is not met at this degree.",
) -> list[Claim]:
    """The claims of Lemma 6.7, or of one that repeats it: a judgment for each bound.

    `proofs`: by part {what it says: judgment}; `weights` is the number of the lemma about the
    weights; the others, and the errors, as in `weight_claims`. Lemmas 6.7, 6.11, 6.15 and 6.19.

    >>> from sympy import Ge, Symbol
    >>> from polycore.proof import arithmetic
    >>> proof, wrong = arithmetic(Ge(Symbol("x") ** 2, 0)), exact("one in place of 0", 0, equals=1)
    >>> proofs = {"3": {"last column: c": proof}}
    >>> [claim] = output_claims("6.11", proofs, [], {"3": wrong}, "6.10", asked={})
    >>> claim.depends[2:]
    ('lemma-6-10-part-3a', 'lemma-6-7-part-3')
    """
    of = f"lemma-{weights.replace('.', '-')}-part"
    return [
        _claim(
            lemma,
            part,
            {said: (said, judgment) for said, judgment in proofs[part].items()},
            checks,
            controls,
            [f"{of}-{asks}a", f"{of}-{asks}b" if lemma == "6.7" else f"lemma-6-7-part-{part}"],
            finding=(finding or {}).get(part, {}),
            otherwise=otherwise,
            asks=asked,
        )
        for part in sorted(proofs)
        for asks in ("3" if part in "123" else "4")
    ]


def _claim(lemma, part, proofs, checks, controls, depends, **said):
    """A claim of a part: `proofs` is {name: (what of the statement it proves, judgment)}."""
    several = lambda found: list(found) if isinstance(found, (list, tuple)) else [found]
    proved_here = [proved(name, judgment) for name, (_, judgment) in proofs.items()]
    checked = [one for found in checks for one in several(found.get(part, []))]
    return Claim(
        f"lemma-{lemma.replace('.', '-')}-part-{part}",
        f"Lemma {lemma}, Part {part}",
        "paper",
        "reconstructed",
        [*proved_here, *checked],
        several(controls[part]),
        depends=["definition-6-1", "definition-6-2", *depends],
        parts={shows: name for name, (shows, _) in proofs.items()},
        **said,
    )
