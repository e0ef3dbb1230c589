"""Claims: a numbered statement with the evidence for it and the wrong versions that the same checks
rejected.

A notebook ends by displaying its :class:`Claim` objects. A claim refuses to exist when one of its
controls (a wrong version of the statement) was not rejected, and its verdict cannot be better than
its evidence.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sympy import Rel, latex

from polycore.checks import one_of
from polycore.evidence.kinds import Evidence
from polycore.evidence.pages import address, as_html
from polycore.evidence.quantities import Json
from polycore.evidence.scopes import Pairs, Said, checked, named, scope
from polycore.proof import Refuted
from polycore.proof.kernel import Lemma
from polycore.proof.steps import as_html as steps_as_html
from polycore.record import ELSEWHERE, MIME

__all__ = ["Claim", "Control", "ControlNotRejected", "Verdicts", "refused"]


OUTSIDE = "outside-the-hypotheses"
DOCUMENTS = ("paper", "note", "book")
PROVENANCES = ("stated", "reconstructed", "new")


class ControlNotRejected(AssertionError):
    """A wrong version of a statement passed its check: the check proves nothing."""


@dataclass(frozen=True)
class Control:
    """A plausible wrong version of a statement: `check` says it, compares, and must fail.

    `refuted`: for a wrong version that was put to the kernel, whether the kernel showed values that
    break it; `check` then is a case, computed apart, in which it is false.

    >>> from polycore.evidence import exact
    >>> Control("1 + 1 = 3", exact("1 + 1", 2, equals=3)).rejected
    True
    """

    what: str
    check: Evidence
    refuted: bool = True

    def __post_init__(self):
        if not isinstance(self.check, Evidence):
            raise TypeError(
                f"negative control {self.what!r} needs the check that the wrong version fails, as "
                f"evidence; got {self.check!r}"
            )

    def __str__(self):
        return f"{self.what}: {'refused' if self.rejected else 'NOT refused'}"

    @property
    def rejected(self) -> bool:
        """Whether the check failed. What it could not decide was not rejected."""
        return self.refuted and self.check.passed is False

    def record(self) -> dict[str, Json]:
        """The control as the ledger holds it; `compared` is the check, without what every control
        shares.
        """
        compared = {name: value for name, value in self.check.record().items() if name != "passed"}
        return {"what": self.what, "rejected": self.rejected, "compared": compared}


def refused(
    what: str,
    attempt: Callable[[Any], object],
    right: Rel | Sequence[Lemma],
    wrong: Rel | Sequence[Lemma],
    case: Evidence,
) -> Control:
    """The control that the kernel, given all that proves the right version, does not derive the
    wrong one.

    `attempt(right)` must prove, and `attempt(wrong)` end in a countermodel: where Z3 gives up,
    nothing was rejected. Where the two are lists of premises, all of the right ones but one must be
    among the wrong ones. To the kernel a sum or a power may be any number, so what it refuses may
    still be true: `case` is evidence of the wrong version at a case computed apart. ProofError
    where the right version is not derived, or the wrong one not decided; ValueError for other
    premises.

    >>> from sympy import Ge, Gt, Symbol
    >>> from polycore.evidence import exact
    >>> from polycore.proof import arithmetic
    >>> square = Symbol("x") ** 2
    >>> zero = exact("the square of 0", 0**2, above=0)
    >>> refused("squares are positive", arithmetic, Ge(square, 0), Gt(square, 0), zero).rejected
    True
    """
    if isinstance(right, (list, tuple)):
        missing = [premise for premise in right if premise not in wrong]
        if len(missing) != 1:
            raise ValueError(
                f"{what!r} leaves out {len(missing)} premises of the right version, {missing}; it "
                "must be one"
            )
    attempt(right)
    try:
        attempt(wrong)
    except Refuted:
        return Control(what, case)
    return Control(what, case, refuted=False)


@dataclass(frozen=True)
class Claim:
    """A numbered statement with everything that supports it; its text stands in the notebook.

    The verdict follows from the evidence: ``holds`` when all of it passed, ``open`` when something
    is undecided and nothing failed. When something failed it is ``fails-as-stated``, or
    ``holds-with-changed-constants`` where ``changed_constants`` says that the rest of the evidence
    proves it with other constants. A ``question`` is ``answered``: its evidence says what was found
    for each part of it, and its finding is the answer.

    ``asks``: {what the statement asks of the parameters, in words: whether it is so here}. Where
    one is not so, the verdict is ``outside-the-hypotheses``: nothing is claimed, and the finding
    says so, and what failed there.

    The ``scope`` says how much is proved. ``parts`` names for each part of the statement the
    evidence that settles it, and ``in_words`` is what links them to the statement and no judgment
    says (:mod:`polycore.evidence.scopes`).

    ``finding``: what is not as stated, or worth knowing, shown whatever the verdict: {sentence:
    names of the checks or controls that carry it}. ``otherwise``: what to say instead where a check
    fails that passes at the parameters of the book. What is undecided writes its own finding.

    ``controls``: a :class:`Control`, or evidence that failed, for each wrong version. Raises
    :class:`ControlNotRejected` when one passed (but not for an open claim, which asserts nothing
    yet: its finding then says so), ``ValueError`` when there is no evidence, no control, no finding
    for what failed, a sentence that rests on nothing, or a proof and nothing said of what it
    proves.

    >>> from polycore.evidence import exact
    >>> right, wrong = exact("1 + 1", 2, equals=2), exact("1 + 1 = 3", 2, equals=3)
    >>> Claim("sum", "Sum", "book", "new", [right], [wrong]).verdict
    'holds'
    """

    id: str
    label: str
    document: str
    provenance: str
    evidence: tuple[Evidence, ...]
    controls: tuple[Control, ...]
    depends: tuple[str, ...] = ()
    finding: Pairs = ()
    otherwise: str = ""
    parts: Pairs = ()
    in_words: str = ""
    changed_constants: bool = False
    question: bool = False
    asks: tuple[tuple[str, bool], ...] = ()

    if TYPE_CHECKING:  # what is taken; the fields hold what is made of it

        def __init__(
            self,
            id: str,
            label: str,
            document: str,
            provenance: str,
            evidence: Iterable[Evidence],
            controls: Iterable[Control | Evidence],
            depends: Iterable[str] = (),
            finding: Said = (),
            otherwise: str = "",
            parts: Said = (),
            in_words: str = "",
            changed_constants: bool = False,
            question: bool = False,
            asks: Mapping[str, bool] | Iterable[tuple[str, bool]] = (),
        ) -> None: ...

    def __post_init__(self):
        one_of("document", self.document, DOCUMENTS)
        one_of("provenance", self.provenance, PROVENANCES)
        controls = tuple(
            Control(one.what, one) if isinstance(one, Evidence) else one for one in self.controls
        )
        for name, value in {
            "evidence": self.evidence,
            "controls": controls,
            "depends": self.depends,
        }.items():
            object.__setattr__(self, name, tuple(value))
        object.__setattr__(self, "asks", tuple(dict(self.asks).items()))
        if not all(isinstance(item, Evidence) for item in self.evidence):
            raise TypeError(
                f"{self.label} has evidence that no constructor of polycore.evidence made"
            )
        if not self.evidence or not self.controls:
            raise ValueError(
                f"{self.label} needs evidence and at least one negative control; a check that "
                "cannot fail proves nothing"
            )
        object.__setattr__(
            self, "parts", checked(self.label, self.parts, self.in_words, self.evidence)
        )
        names = {item.what for item in self.evidence} | {item.what for item in self.controls}
        object.__setattr__(self, "finding", named(self.label, self.finding, names))
        if self.verdict not in (OUTSIDE, "open") and (
            passed := [control.what for control in self.controls if not control.rejected]
        ):
            raise ControlNotRejected(
                f"{self.label}: the wrong version “{passed[0]}” was not rejected"
            )
        failed = [item.what for item in self.evidence if item.passed is False]
        silent = not (self.finding or self.otherwise or self.outside)
        if (failed or self.question) and silent:
            raise ValueError(
                f"{self.label} is “{self.verdict}” because of {failed}; say in `finding` what "
                "holds instead"
            )

    @property
    def outside(self) -> tuple[str, ...]:
        """What the statement asks and the parameters do not give."""
        return tuple(what for what, met in self.asks if not met)

    @property
    def verdict(self) -> str:
        if self.outside:
            return OUTSIDE
        if self.question:
            return "answered"
        passed = {item.passed for item in self.evidence}
        if False in passed:
            return "holds-with-changed-constants" if self.changed_constants else "fails-as-stated"
        return "open" if None in passed else "holds"

    @property
    def hypotheses(self) -> tuple[str, ...]:
        """What all proofs of its parts assume, printed from the judgments."""
        named = {name for _, names in self.parts for name in names}
        assumed = [
            item.judgment.hypotheses
            for item in self.evidence
            if item.judgment and item.what in named
        ]
        return tuple(
            latex(one) for one in (assumed or [()])[0] if all(one in others for others in assumed)
        )

    @property
    def scope(self) -> dict[str, str]:
        if self.outside:
            return {"is": "nothing claimed", "says": ""}
        found = scope(self.parts, self.in_words, self.evidence, self.question)
        asked = [what for what, _ in self.asks]
        told = [found["says"], f"Asked of the parameters, and met: {'; '.join(asked)}."]
        return found | {"says": " ".join(filter(None, told))} if asked else found

    def _found(self):
        """The answer; or what is worth knowing, or what failed here, and what is undecided."""
        if self.outside:
            return self._beyond()
        found = [sentence for sentence, _ in self.finding]
        if self.question:
            return " ".join(found)
        found = (
            [self.otherwise]
            if self.otherwise and any(item.passed is False for item in self.evidence)
            else found
        )
        found += [item.remedy for item in self.evidence if item.passed is None]
        found += [
            f"The wrong version “{control.what}” was not rejected."
            for control in self.controls
            if not control.rejected
        ]
        return " ".join(found)

    def _beyond(self):
        """That nothing is claimed, and what happens here all the same."""
        said = f"Nothing is claimed here, for {self.label} asks that {' and '.join(self.outside)}."
        failed = [item.what for item in self.evidence if item.passed is False]
        undecided = [item.remedy for item in self.evidence if item.passed is None]
        if failed:
            lost = f"Beyond its range the conclusion fails here: {'; '.join(failed)}."
            return f"{said} {self.otherwise or lost}"
        kept = "What was checked holds here all the same."
        return f"{said} {' '.join(undecided) or kept}"

    def rests(self) -> dict[str, Any]:
        """What the sentences of the finding rest on, and which checks of other claims its parts do,
        as [claim, check].
        """
        own = {item.what for item in self.evidence} | {item.what for item in self.controls}
        meant = lambda name: [self.id, name] if name in own else name.split(ELSEWHERE, 1)
        parts = [meant(name) for _, names in self.parts for name in names if name not in own]
        return {
            "finding": {sentence: list(map(meant, names)) for sentence, names in self.finding},
            "parts": parts,
        }

    def record(self) -> dict[str, Any]:
        """The claim as the ledger holds it, without the fields that its notebook knows."""
        return {
            "id": self.id,
            "label": self.label,
            "document": self.document,
            "provenance": self.provenance,
            "hypotheses": list(self.hypotheses),
            "depends": list(self.depends),
            "evidence": [item.record() for item in self.evidence],
            "controls": [control.record() for control in self.controls],
            "scope": self.scope,
            "verdict": self.verdict,
            "finding": self._found(),
        }


class Verdicts:
    """The claims of a notebook, displayed as a table and emitted for the ledger."""

    def __init__(self, *claims: Claim) -> None:
        self.claims = claims

    def _repr_mimebundle_(self, include=None, exclude=None):
        records = [claim.record() for claim in self.claims]
        asked = {
            claim.id: {item.what: item.queries for item in claim.evidence if item.judgment}
            for claim in self.claims
        }
        texts = sorted(
            {text for claim in asked.values() for queries in claim.values() for text in queries}
        )
        numbers = {text: number for number, text in enumerate(texts)}
        by_number = {
            id: {what: sorted(numbers[text] for text in queries) for what, queries in claim.items()}
            for id, claim in asked.items()
        }
        return {
            MIME: {
                "claims": records,
                "queries": texts,
                "asked": by_number,
                "rests": {claim.id: claim.rests() for claim in self.claims},
            },
            "text/html": "".join(map(as_html, records, map(_proofs, self.claims))),
            "text/plain": "\n".join(
                f"{record['label']}: {record['verdict']}, {record['scope']['is']}"
                for record in records
            ),
        }


def _proofs(claim):
    """The steps of each of its proofs, folded."""
    shown = lambda item: steps_as_html(item.judgment, address, f"The proof of “{item.what}”")
    return "".join(shown(item) for item in claim.evidence if item.judgment)
