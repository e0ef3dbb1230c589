"""Chains of relations, checked link by link and displayed from what was checked.

Nothing here is trusted: a chain only asks the kernel's ``arithmetic`` for its links.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from sympy import Eq, Expr, Ge, Gt, IndexedBase, Le, Lt, Rel, Symbol, latex, sympify

from polycore.proof.kernel import Judgment, Lemma, Terms, apply, arithmetic
from polycore.proof.theorems import judgment_of
from polycore.proof.translation import ProofError, put, readable

__all__ = ["Chain", "Stated", "chain", "restate", "step"]

Sign = Literal["=", "<=", "<", ">=", ">"]
Step = tuple[Sign, Expr, str, tuple[Lemma, ...]]  # what it comes to, why, and by which judgments

_SIGNS = {"=": Eq, "<=": Le, "<": Lt, ">=": Ge, ">": Gt}
_LATEX = {Eq: "=", Le: r"\le", Lt: "<", Ge: r"\ge", Gt: ">"}


@dataclass(frozen=True)
class Chain:
    """Judgments that join end to end, and the one from the first term to the last.

    Raises :class:`ProofError` when a link does not begin where the one before it ended.
    """

    links: tuple[Judgment, ...]
    judgment: Judgment

    def __post_init__(self):
        parts = (*self.links, self.judgment)
        if any(
            type(part) is not Judgment or part.hypotheses != self.judgment.hypotheses
            for part in parts
        ):
            raise ProofError("a chain is made of judgments under the same hypotheses")
        for link in self.links:
            _displayable(link.why)
        whole, conclusions = self.judgment.conclusion, [link.conclusion for link in self.links]
        ends = [whole.lhs, *(c.rhs for c in conclusions)]
        starts = [*(c.lhs for c in conclusions), whole.rhs]
        for end, start in zip(ends, starts):
            if end != start:
                raise ProofError(f"the chain is broken: {end} is followed by {start}")

    def _repr_latex_(self):
        whole = self.judgment.conclusion
        readable([*self.judgment.hypotheses, whole, *(link.conclusion for link in self.links)])
        rows = [
            rf"&{_LATEX[c.func]} {latex(c.rhs)} && \text{{{link.why}}}"
            for link in self.links
            for c in [link.conclusion]
        ]
        links = (
            rf"\begin{{aligned}} {latex(whole.lhs)} " + r" \\[4pt] ".join(rows) + r" \end{aligned}"
        )
        given = _given(self.judgment)
        return (
            rf"$$\begin{{gathered}} {given} \\[6pt] {links} \end{{gathered}}$$"
            if given
            else f"$${links}$$"
        )


def step(sign: Sign, term: Expr | int, why: str, *using: Lemma) -> Step:
    """One link: ``sign`` is ``=``, ``<=``, ``<``, ``>=`` or ``>``; ``using`` are the judgments it
    rests on.

    ``why`` is displayed beside it: words, and formulas between dollars.
    """
    if sign not in _SIGNS:
        raise ProofError(f"{sign!r} is no sign of a chain; use {', '.join(_SIGNS)}")
    _displayable(why)
    return sign, sympify(term), why, using


def _displayable(why):
    """Refuse a reason that would display more than words and short formulas."""
    words, formulas = "".join(why.split("$")[::2]), "".join(why.split("$")[1::2])
    if (
        why.count("$") % 2
        or set(words) & set("\\{}&^_#%~")
        or set(formulas) & set("&{}")
        or "\\\\" in formulas
    ):
        raise ProofError(
            f"{why!r} would not be displayed as words; put short formulas between dollars"
        )


def chain(
    start: Expr | int, *steps: Step, given: Sequence[Rel] = (), using: Sequence[Lemma] = ()
) -> Chain:
    """The chain ``start sign term sign term …``: each link proved by arithmetic, then joined.

    Raises :class:`ProofError` that names the step which does not follow and what was left over.

    >>> x = Symbol("x")
    >>> links = step("<=", x**2, "multiply"), step("<", x**2 + 1, "add 1")
    >>> chain(x, *links, given=[Ge(x, 1)]).judgment
    x >= 1 ⊢ x < x**2 + 1
    """
    links, left = [], sympify(start)
    for number, (sign, right, why, own) in enumerate(steps, 1):
        try:
            links.append(
                arithmetic(_SIGNS[sign](left, right, evaluate=False), given, [*using, *own], why)
            )
        except ProofError as error:
            raise type(error)(f"step {number} of the chain ({why}): {error}") from None
        left = right
    signs = [sign for sign, *_ in steps]
    strictest = next((sign for sign in ("<", ">", "<=", ">=") if sign in signs), "=")
    premises = [*using, *links, *(premise for *_, own in steps for premise in own)]
    whole = arithmetic(
        _SIGNS[strictest](sympify(start), left, evaluate=False), given, premises, "joined"
    )
    return Chain(tuple(links), whole)


@dataclass(frozen=True)
class Stated:
    """A judgment written out: its hypotheses, then what follows from them."""

    judgment: Judgment

    def __post_init__(self):
        object.__setattr__(self, "judgment", judgment_of(self.judgment))
        if type(self.judgment) is not Judgment:
            raise ProofError("only a judgment is stated: what a rule made")

    def _repr_latex_(self):
        readable([*self.judgment.hypotheses, self.judgment.conclusion])
        given = _given(self.judgment)
        follows = rf"{given} \\[6pt] \Longrightarrow\quad " if given else ""
        return (
            rf"$$\begin{{gathered}} {follows}{latex(self.judgment.conclusion)} \end{{gathered}}$$"
        )


def restate(lemma: Lemma, terms: Terms) -> Judgment:
    """The judgment with ``terms`` put for its symbols, or their names, under its own hypotheses
    with the same terms put.

    >>> x = Symbol("x")
    >>> restate(arithmetic(Ge(x**2, x), [Ge(x, 1)]), {"x": Symbol("y")})
    y >= 1 ⊢ y**2 >= y
    """
    atoms = set().union(
        *(relation.atoms(Symbol, IndexedBase) for relation in (*lemma.hypotheses, lemma.conclusion))
    )
    named = {
        str(atom): atom for atom in sorted(atoms, key=lambda atom: isinstance(atom, IndexedBase))
    }  # a sequence, not its label
    return apply(
        lemma,
        terms,
        [
            put(h, {named[str(key)]: sympify(term) for key, term in terms.items()})
            for h in lemma.hypotheses
        ],
    )


def _given(judgment):
    """The hypotheses, two in a row: more would leave a phone's screen."""
    hypotheses = [latex(h) for h in judgment.hypotheses]
    return r",\\ ".join(
        r",\quad ".join(hypotheses[k : k + 2]) for k in range(0, len(hypotheses), 2)
    )
