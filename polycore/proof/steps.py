"""The proof of a judgment as a reader follows it: numbered steps from theorems of the core, axioms
and rules.
"""

import html
from collections.abc import Callable
from dataclasses import dataclass

from sympy import Rel

from polycore.proof.kernel import Judgment, Lemma
from polycore.proof.records import Application, Arithmetic, Axiom, Ball, Induction
from polycore.proof.theorems import judgment_of, name_of

__all__ = ["Step", "as_html", "steps"]

SIGNS = {"<=": "≤", ">=": "≥", "==": "=", "!=": "≠", "<": "<", ">": ">"}
Link = Callable[[str], str]  # the address at which a theorem of the core stands, by its full name


@dataclass(frozen=True)
class Step:
    """A judgment of a proof, and the names of what it was made from: of earlier steps their
    numbers, of theorems and axioms their own.
    """

    judgment: Judgment
    names: tuple[int | str, ...]


def steps(lemma: Lemma) -> tuple[Step, ...]:
    """The judgments behind a judgment, itself the last, down to axioms and to theorems of the core,
    which have steps of their own.

    >>> from polycore.proof import AXIOMS, Exp, Log, apply, arithmetic, n
    >>> tangent = apply(AXIOMS["tangent of exp"], {"x": Log(n)})
    >>> [step.names for step in steps(arithmetic(Exp(Log(n)) > Log(n), [], [tangent]))]
    [('tangent of exp',), (1,)]
    """
    whole, found = judgment_of(lemma), []
    numbers: dict[Rel, dict[frozenset[Rel], int]] = {}  # by conclusion and hypotheses

    def shown(one):
        """The name of a judgment, or of a step that says the same or more; none while neither is
        there.
        """
        earlier, given = numbers.get(one.conclusion, {}), {*one.hypotheses}
        return name(one) or next(
            (number for less, number in earlier.items() if less <= given), None
        )

    todo = [whole]
    while todo:
        here = todo[-1]
        if missing := [one for one in here.made.used if not shown(one)]:
            todo += reversed(missing)
        elif todo.pop() is whole or not shown(here):
            found.append(Step(here, tuple(map(shown, here.made.used))))
            numbers.setdefault(here.conclusion, {})[frozenset(here.hypotheses)] = len(found)
    return tuple(found)


def name(judgment: Judgment) -> str:
    """The name of a theorem of the core, or of an axiom; of other judgments none."""
    made = judgment.made
    return made.name if isinstance(made, Axiom) else name_of(judgment)


def as_html(lemma: Lemma, address: Link, title: str = "The proof") -> str:
    """The steps, folded under a title, as HTML: each with its rule, and with what is assumed beside
    the hypotheses of the whole.
    """
    found = steps(lemma)
    rows = "".join(_row(one, found[-1].judgment, address) for one in found)
    many = f"{len(found)} steps" if len(found) > 1 else "one step"
    head = f"<summary>{html.escape(title)} in {many}</summary>"
    return f"<details class='proof-steps'>{head}<ol>{rows}</ol></details>"


def _row(step, whole, address):
    said = f"{_code(step.judgment.conclusion)} {_reason(step, address)}"
    extra = [_code(one) for one in step.judgment.hypotheses if one not in whole.hypotheses]
    return f"<li>{said}{', where ' if extra else ''}{', '.join(extra)}</li>"


def _reason(step, address):
    """The rule in words, with the numbers of steps and with links to theorems."""
    made, names = step.judgment.made, step.names
    listed = lambda names: ", ".join(_linked(one, address) for one in sorted({*names}, key=_order))
    rest = lambda names: f" from {listed(names)}" if names else ""
    match made:
        case Ball():
            return "by balls that enclose its sides apart"
        case Application(terms=terms):
            put = ", ".join(f"{_code(old)} = {_code(new)}" for old, new in terms.items())
            return f"by {listed(names[:1])}{' with ' if put else ''}{put}{rest(names[1:])}"
        case Induction(over=over, first=first):
            first_case, step_case = map(listed, (names[:1], names[1:]))
            begun = f"by induction over {_code(over)} from {first} on"
            return f"{begun}: the first case is {first_case}, the step {step_case}"
        case Arithmetic():
            assumed = " from what is assumed" if step.judgment.hypotheses else ""
            return f"by arithmetic{rest(names) or assumed}"
        case _:
            return f"by one more independent column{rest(names)}"


def _order(name):
    """Steps by their numbers, then theorems and axioms."""
    return (isinstance(name, str), name)


def _linked(name, address):
    if isinstance(name, int):
        return f"({name})"
    if "." not in name:
        return f"the axiom “{html.escape(name)}”"
    return f"<a href='{address(name)}'>{name.rsplit('.', 1)[1]}</a>"


def _code(term):
    text = f"{term.lhs} {SIGNS[term.rel_op]} {term.rhs}" if isinstance(term, Rel) else str(term)
    return f"<code>{html.escape(text)}</code>"
