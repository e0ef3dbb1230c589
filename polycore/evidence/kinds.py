"""Evidence: one check of a claim, made by a constructor that compares two sides and decides.

- `proved`: a judgment of the kernel, its text printed from it;
- `exact`: integers, fractions or words;
- `certified`: an enclosure (a ball, or a `rademacher.Tail` that is one) against a bound;
- `numeric`: floats, with a bound on their error and the reason for it;
- `estimated`: a Monte Carlo decision at a stated seed;
- `counted`: one of these for each of several cases;
- `least`: the least n from which on a bound stays kept.

Nobody passes a verdict in. What lies within its error of the bound is undecided, and no build
accepts that.
"""

import math
import operator
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np
from flint import arb, fmpq, fmpz
from numpy.typing import ArrayLike
from sympy import latex

from polycore.checks import Floats, integer
from polycore.evidence.quantities import Exactly, Held, Json, ball, exactly, number, plain, rounded
from polycore.montecarlo import Decision
from polycore.proof import Judgment, ProofError, judgment_of
from polycore.proof.kernel import Lemma
from polycore.proof.translation import readable
from polycore.proof.witness import Known, witness
from polycore.record import KINDS
from polycore.tails.rademacher import Tail
from polycore.thresholds import SufficientN

__all__ = [
    "Evidence",
    "certified",
    "counted",
    "estimated",
    "exact",
    "least",
    "numeric",
    "proved",
]

RELATIONS = {
    "equals": operator.eq,
    "differs_from": operator.ne,
    "at_most": operator.le,
    "at_least": operator.ge,
    "below": operator.lt,
    "above": operator.gt,
}
OPPOSITE = {"at_most": "above", "at_least": "below", "below": "at_least", "above": "at_most"}


@dataclass(frozen=True, init=False)
class Evidence:
    """One check of a claim and what it found; made by the functions of this module alone.

    `value` with its `tolerance` (of each float), `bound`: {relation: number}; the others as in the
    ledger. `passed` is None where the check could not decide; `remedy` then says what would.

    >>> Evidence("exact", "one is two", 1, True)
    Traceback (most recent call last):
    TypeError: evidence is made by exact, certified, numeric, proved, estimated, counted or least,
    which decide
    """

    kind: str
    what: str
    value: Held
    passed: bool | None
    tolerance: float | tuple[float, ...] | None = None
    because: str | None = None
    bound: dict[str, Held] | None = field(default=None, hash=False)
    interval: tuple[float, float] | None = None
    trials: int | None = None
    seed: int | None = None
    false_alarm: float | None = None
    false_pass: float | None = None
    judgment: Judgment | None = field(default=None, repr=False)
    remedy: str = field(default="", repr=False)

    def __new__(cls, *_, **__):
        raise TypeError(
            "evidence is made by exact, certified, numeric, proved, estimated, counted or least, "
            "which decide"
        )

    def __str__(self):
        said = {True: "passes", False: "fails", None: "is undecided"}
        return f"{self.what}: {said[self.passed]}"

    @property
    def queries(self) -> tuple[str, ...]:
        """What Z3 was asked for a proof, for another solver to decide again."""
        return self.judgment.queries if self.judgment else ()

    def record(self) -> dict[str, Json]:
        """The evidence as the ledger holds it: empty optional fields left out."""
        held = {
            name: getattr(self, name)
            for name in self.__dataclass_fields__
            if name not in ("judgment", "remedy")
        }
        always = ("kind", "what", "value", "passed")
        return {
            name: plain(value)
            for name, value in held.items()
            if name in always or value is not None
        }


Bound = arb | Tail | fmpq | fmpz | Fraction | float
Case = Evidence | tuple[Exactly, Exactly]  # a check, or what was found and what is wanted


def _made(kind: str, what: str, value: Held, passed: bool | None, **more: object) -> Evidence:
    if not isinstance(what, str) or not what:
        raise TypeError(f"the name of a check must be words, got {what!r}")
    made = object.__new__(Evidence)
    for name, part in {
        "kind": kind,
        "what": what,
        "value": value,
        "passed": passed,
        **more,
    }.items():
        object.__setattr__(made, name, part)
    return made


def proved(what: str, judgment: Lemma, at: Known = ()) -> Evidence:
    """The evidence that a judgment of the kernel gives; its text is printed from the judgment,
    hypotheses and all.

    `because` has values at which the hypotheses hold, and what their equations define: nothing is
    proved from a contradiction. ProofError where none are found (`at`, {symbol: number}, then names
    some), and for a handle that no rule made; TypeError for anything else.

    >>> from sympy import Ge, Symbol
    >>> from polycore.proof import arithmetic
    >>> proved("a square", arithmetic(Ge(Symbol("x") ** 2, 0))).value
    '$x^{2} \\\\geq 0$'
    """
    judgment = judgment_of(judgment)
    if type(judgment) is not Judgment:
        raise TypeError(
            f"{what!r} is called a proof; it needs a judgment of the kernel, got "
            f"{type(judgment).__name__}"
        )
    readable([*judgment.hypotheses, judgment.conclusion])
    given = r",\ ".join(map(latex, judgment.hypotheses))
    conclusion = latex(judgment.conclusion)
    stated = rf"${given} \vdash {conclusion}$" if given else f"${conclusion}$"
    if (met := witness(judgment.hypotheses, at)) is None:
        assumed = ", ".join(map(str, judgment.hypotheses))
        raise ProofError(
            f"{what!r}: no values were found at which all hypotheses hold, so it may be about "
            f"nothing: {assumed}; name some in `at`"
        )
    values = r",\ ".join(f"{latex(key)} = {value}" for key, value in met.items())
    return _made(
        "proof", what, stated, True, judgment=judgment, because=f"${values}$" if values else None
    )


def exact(what: str, value: Exactly, **stated: Exactly) -> Evidence:
    """Whether an exact value stands in the stated relation to an exact bound: both integers,
    fractions, words or lists of them.

    One of `equals`, `differs_from`, `at_most`, `at_least`, `below`, `above`; the last four entry by
    entry for a list, whose bound may be one number. TypeError for floats, which are `numeric`, and
    for truth values, which hide what was compared.

    >>> exact("rank of x y + 1", 2, equals=2).passed, exact("ranks", [3, 4], at_most=[3, 3]).passed
    (True, False)
    """
    relation, bound = _stated(what, stated)
    value, bound = exactly(what, value), exactly(what, bound)
    return _made("exact", what, value, _related(relation, value, bound), bound={relation: bound})


def certified(what: str, enclosure: arb | Tail, **stated: Bound) -> Evidence:
    """Whether an enclosed number is `at_most`, `at_least`, `below` or `above` a bound; undecided
    where they overlap.

    `enclosure`: a ball (flint's arb), or a Tail whose rigour is "exact", "certified" or "bound".
    The bound is such a thing too, or a number; a float is read by its shortest decimal. TypeError
    otherwise: a number alone encloses nothing.

    >>> half = arb(0.5, 0.1)
    >>> certified("pi", arb.pi(), below=3.2).passed, certified("½", half, at_most=0.5).passed
    (True, None)
    """
    relation, bound = _stated(what, stated, among=OPPOSITE)
    if not isinstance(enclosure, (arb, Tail)):
        raise TypeError(
            f"{what!r} is {type(enclosure).__name__}, which encloses nothing; give a ball or a "
            "Tail, or use numeric"
        )
    return _enclosed("certified", what, [ball(what, enclosure)], relation, bound, scalar=True)


def numeric(
    what: str,
    value: ArrayLike,
    error: ArrayLike,
    because: str,
    **stated: Bound | Sequence[Bound] | Floats,
) -> Evidence:
    """Whether a float, or each of several, stands in the stated relation to a bound, allowing for
    its error.

    `error` >= |value - truth|, one number or one for each value; `because`: why that bounds it.
    `equals` passes within the error and fails outside; `at_most`, `at_least`, `below` and `above`
    are undecided within the error of the bound. The ledger holds `value` to no more digits than
    that. TypeError or ValueError otherwise.

    >>> from fractions import Fraction
    >>> third = numeric("a third", 1 / 3, 2**-50, "one rounding", equals=Fraction(1, 3))
    >>> close = numeric("0.1 + 0.2", 0.1 + 0.2, 1e-9, "roundings", below=0.3)
    >>> third.passed, third.record()["value"], close.passed
    (True, 0.333333333, None)
    """
    relation, bound = _stated(what, stated, among={"equals", *OPPOSITE})
    if not isinstance(because, str) or not because:
        raise TypeError(f"{what!r} needs the reason why {error!r} bounds its error, in words")
    values, scalar = np.asarray(value, dtype=float), np.ndim(value) == 0
    errors = np.broadcast_to(np.asarray(error, dtype=float), values.shape)
    if not (np.isfinite(values).all() and np.isfinite(errors).all() and (errors > 0).all()):
        raise ValueError(f"{what!r} must be finite with an error > 0, got {value!r} with {error!r}")
    balls = [arb(float(one), float(off)) for one, off in zip(values.ravel(), errors.ravel())]
    return _enclosed("numeric", what, balls, relation, bound, scalar, because=because)


def _enclosed(kind, what, balls, relation, bound, scalar, **more):
    limits = [
        ball(what, one)
        for one in (bound if isinstance(bound, (list, tuple, np.ndarray)) else [bound] * len(balls))
    ]
    if len(limits) != len(balls):
        raise ValueError(
            f"{what!r} has {len(balls)} values and {len(limits)} bounds; give one bound, or one "
            "for each"
        )
    passed = _all(_decided(relation, *pair) for pair in zip(balls, limits))
    value, tolerance = zip(*map(rounded, balls))
    remedy = (
        f"“{what}” is undecided: a value lies within its error of the bound."
        if passed is None
        else ""
    )
    return _made(
        kind,
        what,
        value[0] if scalar else value,
        passed,
        tolerance=tolerance[0] if scalar else tolerance,
        bound={relation: number(bound)},
        remedy=remedy,
        **more,
    )


def _decided(relation, value, bound):
    if relation == "equals":
        return value.overlaps(bound)
    if RELATIONS[relation](value, bound):
        return True
    return False if RELATIONS[OPPOSITE[relation]](value, bound) else None


def estimated(what: str, decision: Decision, seed: int) -> Evidence:
    """The evidence of a Monte Carlo decision (:mod:`polycore.montecarlo`) at a stated `seed` >= 0.

    >>> from polycore.montecarlo import decide_at_most
    >>> estimated("a rare event", decide_at_most(0, 100, 0.01), seed=1).remedy
    '“a rare event” is undecided after 100 trials; about 1,375 would decide.'
    """
    if not isinstance(decision, Decision):
        raise TypeError(
            f"{what!r} needs a decision of polycore.montecarlo, got {type(decision).__name__}"
        )
    passed = {"pass": True, "fail": False, "undecided": None}[decision.verdict]
    value, tolerance = rounded(arb(decision.estimate))
    return _made(
        "monte-carlo",
        what,
        value,
        passed,
        tolerance=tolerance,
        bound=dict(decision.claim),
        interval=tuple(decision.interval),
        trials=decision.trials,
        seed=integer("seed", seed, at_least=0),
        false_alarm=decision.false_alarm,
        false_pass=decision.false_pass,
        remedy="" if passed is not None else _more_trials(what, decision),
    )


def _more_trials(what, decision):
    if decision.needed is None:
        would = "how many would decide is not known"
    elif math.isinf(decision.needed):
        would = "no number would decide if the estimate is the truth"
    else:
        would = f"about {decision.needed:,} would decide"
    return f"“{what}” is undecided after {decision.trials:,} trials; {would}."


def counted(what: str, cases: Mapping[str, Case] | Mapping[int, Case]) -> Evidence:
    """Several checks as one, all of which must pass: the value is their number, or names those that
    did not.

    `cases`: {name: evidence, or a pair (found, wanted) to be equal exactly}. The kind is that of
    the weakest; ValueError for proofs, whose text is shown, and for Monte Carlo evidence, whose
    error rates would add up. A bound that is asked of every one is in the record.

    >>> counted("squares", {1: (1**2, 1), 2: (2**2, 5)}).value
    '1 of 2; not 2'
    >>> counted("squares", {x: exact("x²", x**2, at_least=1) for x in (1, 2)}).bound
    {'equals': 2, 'at_least': 1}
    """
    checks = {
        name: one if isinstance(one, Evidence) else exact(str(name), one[0], equals=one[1])
        for name, one in cases.items()
    }
    if not checks or {one.kind for one in checks.values()} & {"proof", "monte-carlo"}:
        raise ValueError(
            f"{what!r} needs cases, and no proof or Monte Carlo among them: state each of those "
            "as evidence of its own"
        )
    good = sum(one.passed is True for one in checks.values())
    words = {False: "not", None: "undecided"}
    missed = [
        f"{words[one.passed]} {name}" for name, one in checks.items() if one.passed is not True
    ]
    passed, kinds = (
        _all(one.passed for one in checks.values()),
        {one.kind for one in checks.values()},
    )
    remedy = " ".join(one.remedy for one in checks.values() if one.passed is None)
    return _made(
        max(kinds, key=KINDS.index),
        what,
        good if passed else "; ".join([f"{good} of {len(checks)}", *missed]),
        passed,
        bound={"equals": len(checks), **_shared(checks.values())},
        remedy=remedy,
        because=next((one.because for one in checks.values() if one.kind == "numeric"), None),
    )


def _shared(checks):
    """The bound of all of these, if it is one and the same, and no value."""
    first, *others = (one.bound or {} for one in checks)  # a certified n₀ has none
    return first if "equals" not in first and all(one == first for one in others) else {}


def least(what: str, found: SufficientN | None) -> Evidence:
    """That n_0 is certified: the conditions hold at n_0, and so at every larger n, and not at n_0 -
    1. `found` as `sufficient_n` returns it.

    None, where no n is large enough, is a failure.

    >>> from polycore.thresholds import sufficient_n
    >>> least("n_0", sufficient_n("0.45", "0.01", 1)).value
    229970
    """
    if found is None:
        return _made("certified", what, "no n is large enough", False)
    if not isinstance(found, SufficientN):
        raise TypeError(
            f"{what!r} needs what thresholds.sufficient_n returns, got {type(found).__name__}"
        )
    before = found.n == 1 or not found.condition.holds(found.n - 1)
    return _made(
        "certified",
        what,
        found.n,
        before and found.condition.holds(found.n) and found.condition.steep(found.n),
    )


def _stated(what, stated, among=RELATIONS):
    if len(stated) != 1 or not stated.keys() <= set(among):
        raise TypeError(
            f"{what!r} needs one of {', '.join(r for r in RELATIONS if r in among)}, got "
            f"{', '.join(stated) or 'none'}"
        )
    return next(iter(stated.items()))


def _related(relation, value, bound):
    if relation in ("equals", "differs_from") or not isinstance(value, tuple):
        return RELATIONS[relation](value, bound)
    bounds = bound if isinstance(bound, tuple) else (bound,) * len(value)
    return all(RELATIONS[relation](one, limit) for one, limit in zip(value, bounds, strict=True))


def _all(results):
    """False if one is, else None if one is, else True."""
    results = set(results)
    return False if False in results else None if None in results else True
