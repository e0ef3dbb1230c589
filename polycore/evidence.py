"""Claims, the evidence for them, the controls they survive, and the ledger.

A notebook ends by displaying its :class:`Claim` objects. A claim refuses to exist
when one of its controls (a wrong version of the statement) was not rejected, and its
verdict cannot be better than its evidence.
"""

import html
import math
import re
from dataclasses import asdict, dataclass, field
from numbers import Integral, Rational, Real

import numpy as np
from sympy import latex

from polycore.checks import one_of
from polycore.proof import Judgment, Refuted

__all__ = [
    "MIME",
    "Claim",
    "Control",
    "ControlNotRejected",
    "Evidence",
    "Verdicts",
    "compare",
    "estimated",
    "proved",
    "refused",
]

MIME = "application/vnd.polycore.claims+json"

DOCUMENTS = ("paper", "note", "book")
PROVENANCES = ("stated", "reconstructed", "new")
KINDS = ("proof", "certified", "exact", "monte-carlo")
_RATES = ("interval", "trials", "seed", "false_alarm", "false_pass")

# Floats are stored with this many significant digits: what every method used here
# guarantees across machines. Whatever needs more digits is an integer or a fraction.
DIGITS = 9


class ControlNotRejected(AssertionError):
    """A wrong version of a statement passed its check: the check proves nothing."""


def _plain(value):
    """A value as JSON holds it: integers and fractions exactly, floats to DIGITS digits."""
    if value is None or isinstance(value, (str, bool)):
        return value
    if isinstance(value, Integral):
        return int(value)
    if isinstance(value, Rational):
        return str(value)
    if isinstance(value, Real):
        if not math.isfinite(value):
            raise ValueError(f"{value!r} is not a number that a ledger can hold; store what was computed instead")
        return float(f"{float(value):.{DIGITS}g}")
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    raise TypeError(f"cannot store {type(value).__name__} in the ledger; use a number, a string or a list of them")


@dataclass(frozen=True)
class Evidence:
    """One check of a claim, and what it found.

    ``kind`` says how rigorous it is: ``proof`` (a judgment of the kernel), ``certified``
    (ball arithmetic or a rigorous enclosure), ``exact`` (integer, rational or closed-form
    arithmetic), ``monte-carlo`` (estimated, with both error rates). ``passed`` is None
    where a Monte Carlo check could not decide; ``needed`` then says how many trials would
    (inf: no number helps; None: not known). No build accepts undecided evidence.

    >>> Evidence("exact", "sum of the weights", value=1, passed=True).passed
    True
    """

    kind: str
    what: str
    value: object
    passed: bool | None
    bound: object = None
    interval: tuple | None = None
    trials: int | None = None
    seed: int | None = None
    false_alarm: float | None = None
    false_pass: float | None = None
    judgment: Judgment | None = None
    needed: float | None = None

    def __post_init__(self):
        one_of("kind", self.kind, KINDS)
        if isinstance(self.passed, np.bool_):
            object.__setattr__(self, "passed", bool(self.passed))
        if type(self.passed) not in (bool, type(None)):
            raise TypeError(f"{self.what!r} passed is {self.passed!r}; it must be True, False or None")
        if self.kind == "proof" and type(self.judgment) is not Judgment:
            raise ValueError(f"{self.what!r} is called a proof; it needs a judgment of the kernel, as `proved` takes")
        if self.judgment:
            self.judgment.conclusion  # noqa: B018  raises for a handle that no rule made
        missing = [name for name in _RATES if getattr(self, name) is None]
        if self.kind == "monte-carlo" and missing:
            raise ValueError(f"Monte Carlo evidence {self.what!r} lacks {', '.join(missing)}; state them all")
        if self.passed is None and self.kind != "monte-carlo":
            raise ValueError(f"{self.what!r} is {self.kind}, so it passed or it did not; only monte-carlo may be undecided")

    @property
    def obligations(self):
        """What Z3 discharged for a proof, for another solver to replay."""
        return self.judgment.obligations if self.judgment else ()

    @property
    def remedy(self):
        """What would decide an undecided check, as a sentence; empty for any other.

        >>> from polycore.montecarlo import decide_at_most
        >>> estimated("a rare event", decide_at_most(0, 100, 0.01), seed=1).remedy
        '“a rare event” is undecided after 100 trials; about 1,375 would decide.'
        """
        if self.passed is not None:
            return ""
        if self.needed is None:
            would = "how many would decide is not known"
        elif self.needed == math.inf:
            would = "no number would decide if the estimate is the truth"
        else:
            would = f"about {self.needed:,} would decide"
        return f"“{self.what}” is undecided after {self.trials:,} trials; {would}."

    def record(self):
        """The evidence as the ledger holds it: empty optional fields left out."""
        always, optional = ("kind", "what", "value", "passed"), ("bound", *_RATES)
        present = [*always, *(name for name in optional if getattr(self, name) is not None)]
        return {name: _plain(getattr(self, name)) for name in present}


def proved(what, judgment):
    """The evidence that a judgment of the kernel gives; the value is what was proved, hypotheses and all.

    >>> from sympy import Ge, Symbol
    >>> from polycore.proof import arithmetic
    >>> proved("a square", arithmetic(Ge(Symbol("x") ** 2, 0))).value
    '$x^{2} \\\\geq 0$'
    """
    given = r",\ ".join(map(latex, judgment.hypotheses))
    conclusion = latex(judgment.conclusion)
    stated = rf"${given} \vdash {conclusion}$" if given else f"${conclusion}$"
    return Evidence("proof", what, stated, True, judgment=judgment)


def estimated(what, decision, seed, bound=None):
    """The evidence of a Monte Carlo decision (:mod:`polycore.montecarlo`) at a stated seed.

    Undecided, it says in its claim's finding how many trials would decide.
    """
    passed = {"pass": True, "fail": False, "undecided": None}[decision.verdict]
    rates = {"false_alarm": decision.false_alarm, "false_pass": decision.false_pass}
    return Evidence(
        "monte-carlo", what, decision.estimate, passed, bound, decision.interval, decision.trials, seed, **rates,
        needed=decision.needed,
    )


@dataclass(frozen=True)
class Control:
    """A plausible wrong version of the statement, and whether the check rejected it."""

    what: str
    rejected: bool

    def __post_init__(self):
        if isinstance(self.rejected, np.bool_):
            object.__setattr__(self, "rejected", bool(self.rejected))
        if type(self.rejected) is not bool:
            raise TypeError(f"control {self.what!r} rejected is {self.rejected!r}; it must be True or False")


def refused(what, attempt, counterexample):
    """The control that the kernel does not derive the wrong version which ``attempt()`` tries to prove.

    To the kernel a sum or a power may be any number, so what it refuses may still be true:
    ``counterexample`` says whether a case computed apart shows the version to be wrong. And
    only a countermodel counts: where Z3 gives up, nothing was rejected.

    >>> from sympy import Gt, Symbol
    >>> from polycore.proof import arithmetic
    >>> refused("squares are positive", lambda: arithmetic(Gt(Symbol("x") ** 2, 0)), not 0**2 > 0).rejected
    True
    """
    try:
        attempt()
    except Refuted:
        return Control(what, rejected=bool(counterexample))
    return Control(what, rejected=False)


@dataclass(frozen=True)
class Claim:
    """A numbered statement with everything that supports it; its text stands in the notebook.

    The verdict follows from the evidence: ``holds`` when all of it passed, ``open`` when
    something is undecided and nothing failed. When something failed it is
    ``fails-as-stated``, or ``holds-with-changed-constants`` where ``changed_constants``
    says that the rest of the evidence proves it with other constants. What is undecided
    writes its own finding; ``finding`` is about what failed.

    Raises :class:`ControlNotRejected` when a control passed (but not for an open claim,
    which asserts nothing yet: its finding then says so), ``ValueError`` when there is no
    evidence, no control, or no finding for what failed.

    >>> one = Evidence("exact", "1 + 1", value=2, passed=True)
    >>> Claim("sum", "Sum", "book", "new", [one], [Control("1 + 1 = 3", rejected=True)]).verdict
    'holds'
    """

    id: str
    label: str
    document: str
    provenance: str
    evidence: list
    controls: list
    hypotheses: list = field(default_factory=list)
    depends: list = field(default_factory=list)
    finding: str = ""
    changed_constants: bool = False

    def __post_init__(self):
        one_of("document", self.document, DOCUMENTS)
        one_of("provenance", self.provenance, PROVENANCES)
        if not self.evidence or not self.controls:
            raise ValueError(f"{self.label} needs evidence and at least one control; a check that cannot fail is none")
        if self.verdict != "open" and (passed := [control.what for control in self.controls if not control.rejected]):
            raise ControlNotRejected(f"{self.label}: the wrong version “{passed[0]}” was not rejected")
        failed = [item.what for item in self.evidence if item.passed is False]
        if failed and not self.finding:
            raise ValueError(f"{self.label} is “{self.verdict}” because of {failed}; say in `finding` what is wrong")

    @property
    def verdict(self):
        passed = {item.passed for item in self.evidence}
        if False in passed:
            return "holds-with-changed-constants" if self.changed_constants else "fails-as-stated"
        return "open" if None in passed else "holds"

    def _found(self):
        """What is not as stated: nothing, the finding where something failed, and what is undecided."""
        found = [self.finding] if any(item.passed is False for item in self.evidence) else []
        found += [item.remedy for item in self.evidence if item.passed is None]
        found += [f"The wrong version “{control.what}” was not rejected." for control in self.controls if not control.rejected]
        return " ".join(found)

    def record(self):
        """The claim as the ledger holds it, without the fields that its notebook knows."""
        return {
            "id": self.id,
            "label": self.label,
            "document": self.document,
            "provenance": self.provenance,
            "hypotheses": list(self.hypotheses),
            "depends": list(self.depends),
            "evidence": [item.record() for item in self.evidence],
            "controls": [asdict(control) for control in self.controls],
            "verdict": self.verdict,
            "finding": self._found(),
        }


class Verdicts:
    """The claims of a notebook, displayed as a table and emitted for the ledger."""

    def __init__(self, *claims):
        self.claims = claims

    def _repr_mimebundle_(self, include=None, exclude=None):
        records = [claim.record() for claim in self.claims]
        obligations = sorted({text for claim in self.claims for item in claim.evidence for text in item.obligations})
        return {
            MIME: {"claims": records, "obligations": obligations},
            "text/html": "".join(map(_html, records)),
            "text/plain": "\n".join(f"{record['label']}: {record['verdict']}" for record in records),
        }


def _html(record):
    def row(item):
        mark = {True: "passed", False: "failed", None: "undecided"}[item["passed"]]
        cells = (html.escape(item["what"]), item["kind"], mark, _shown(item))  # long values last
        return "<tr>" + "".join(f"<td>{cell}</td>" for cell in cells) + "</tr>"

    rows = "".join(map(row, record["evidence"]))
    wrong = "".join(f"<li>{html.escape(control['what'])}</li>" for control in record["controls"] if control["rejected"])
    finding = f"<p>{html.escape(record['finding'])}</p>" if record["finding"] else ""
    return (
        f"<div class='verdict {record['verdict']}'>"
        f"<p><strong>{html.escape(record['label'])}: {record['verdict'].replace('-', ' ')}</strong></p>{finding}"
        f"<table><thead><tr><th>evidence</th><th>kind</th><th>result</th><th>value</th></tr></thead><tbody>{rows}</tbody></table>"
        f"<p>Wrong versions that the same checks rejected:</p><ul>{wrong}</ul></div>"
    )


def _shown(item):
    value = item["value"]
    if item["kind"] == "proof":
        *given, conclusion = re.split(r",\\ | \\vdash ", value.strip("$"))
        rows = [r",\ ".join(given[k : k + 2]) for k in range(0, len(given), 2)]
        lines = r" \\ ".join([*rows, rf"\quad\vdash\ {conclusion}" if rows else conclusion])
        shown = html.escape(rf"\begin{{array}}{{l}} {lines} \end{{array}}")
        return rf"<span class='math notranslate nohighlight'>\({shown}\)</span>"
    text = f"{value:.4g}" if isinstance(value, float) else str(value)
    if item["kind"] == "monte-carlo":
        text += " in [{:.4g}, {:.4g}]".format(*item["interval"])
        text += f"; {item['trials']:,} trials, false alarm {item['false_alarm']:g}, false pass {item['false_pass']:g}"
    return html.escape(text)


def compare(reference, rebuilt):
    """The differences between two ledgers, as lines for a person; none when they agree.

    Strings, integers and truth values must be equal; floats to the last stored digit.

    >>> compare([{"id": "a", "verdict": "holds"}], [{"id": "a", "verdict": "open"}])
    ["a: verdict: 'holds' became 'open'"]
    """
    old, new = ({claim["id"]: claim for claim in ledger} for ledger in (reference, rebuilt))
    lines = [f"{key}: no longer in the ledger" for key in old if key not in new]
    lines += [f"{key}: not in the committed ledger" for key in new if key not in old]
    for key in [key for key in old if key in new]:
        lines += [f"{key}: {line}" for line in _differences("", old[key], new[key])]
    return lines


def _differences(where, old, new):
    if isinstance(old, dict) and isinstance(new, dict):
        for name in sorted(old.keys() | new.keys()):
            yield from _differences(_join(where, name), old.get(name), new.get(name))
    elif isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        for position, pair in enumerate(zip(old, new)):
            yield from _differences(_join(where, _name(pair[0], position)), *pair)
    elif isinstance(old, float) or isinstance(new, float):
        close = isinstance(old, Real) and isinstance(new, Real) and math.isclose(old, new, rel_tol=2 * 10.0**-DIGITS)
        if not close:
            yield f"{where}: {old!r} became {new!r}"
    elif old != new or type(old) is not type(new):
        yield f"{where}: {old!r} became {new!r}"


def _join(where, name):
    return f"{where} > {name}" if where else str(name)


def _name(item, position):
    return item["what"] if isinstance(item, dict) and "what" in item else position
