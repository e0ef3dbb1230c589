"""Each judgment as a theorem of Coq, its proof written from the record of how it was made.

Nothing here is trusted: Coq checks what it is told, and tactics (certify/Tactics.v) look for what
is left to arithmetic. What a theorem says is for a person to compare with the page.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import takewhile
from types import MappingProxyType

from sympy import IndexedBase, Integer, Symbol

from polycore.proof.coq_terms import (
    Term,
    about_each,
    argument,
    atoms,
    divisors,
    each,
    fingerprint,
    integer,
    normal,
    number,
    power,
    put,
    read,
    symbol,
    symbols,
    value,
)
from polycore.proof.kernel import Judgment, Terms
from polycore.proof.products import NEGATED, STAGES, implied
from polycore.proof.records import Application, Arithmetic, Axiom, Ball, Column, Induction
from polycore.proof.statements import i, n

__all__ = ["identifier", "lemma", "statement"]

Names = Callable[[Judgment], str]  # the name of the theorem that a judgment is in Coq
KINDS = {"sequence": "Z -> R", "whole": "Z", "real": "R"}
# in place of a symbol of a lemma that is not in the theorem: of no consequence, so it may be 0
ANY = {"sequence": each(number(0)), "whole": integer(Integer(0)), "real": number(0)}
RANGE = "(1 <= i <= n)%Z"
# what turns a goal into the refutation of its opposite
REFUTED = {"<=": "Rnot_gt_le", "<": "Rnot_ge_lt", ">=": "Rnot_lt_ge", ">": "Rnot_le_gt"}


def lemma(judgment: Judgment, name: str, names: Names, ending: str = "") -> str:
    """The theorem with its proof, from those that ``names`` gives for the judgments that it was
    made from; an ``ending`` by hand takes the place of the search for its arithmetic. Above it
    stands the judgment as Python shows it.

    >>> from polycore.proof import AXIOMS, apply
    >>> from polycore.proof.axioms import x
    >>> tangent = apply(AXIOMS["tangent of exp"], {"x": x / 2})
    >>> print(lemma(tangent, "HALF", lambda _: "TANGENT").split("Proof.")[0].strip())
    (** ⊢ Exp(x/2) >= x/2 + 1 *)
    Lemma HALF : forall (x : R), exp ((1/2) * x) >= (1 + ((1/2) * x)).
    """
    lines = "\n".join(f"  {line}" for line in Proof(judgment, names, ending).lines())
    head = f"(** {judgment} *)\nLemma {name} : {statement(judgment)}."
    return f"{head}\nProof.\n{lines}\nQed.\n"


def statement(judgment: Judgment) -> str:
    """What the judgment says: for all its symbols, from its hypotheses its conclusion."""
    parts = [*map(read, judgment.hypotheses), read(judgment.conclusion)]
    said = " -> ".join(map(_closed, parts))
    bound = " ".join(f"({one.name} : {KINDS[one.kind]})" for one in _symbols(judgment))
    return f"forall {bound}, {said}" if bound else said


def identifier(name: str) -> str:
    """A name as Coq allows it."""
    return re.sub(r"\W+", "_", name)


def _closed(term):
    """The relation, for every i if it mentions i."""
    return f"(forall i : Z, {RANGE} -> {term})" if about_each(term) else str(term)


def _variables(judgment):
    relations = (*judgment.hypotheses, judgment.conclusion)
    found: set[Symbol | IndexedBase] = set().union(
        *(relation.atoms(Symbol, IndexedBase) for relation in relations)
    )
    labels = {one.label for one in found if isinstance(one, IndexedBase)}
    ranged = {n} if any(about_each(read(one)) for one in relations) else set()
    return sorted((found | ranged) - labels - {i}, key=str)


def _symbols(judgment):
    return [symbol(one) for one in _variables(judgment)]


class Proof:
    """The tactics that prove a judgment, and what Coq knows while they run."""

    def __init__(self, judgment: Judgment, names: Names, ending: str = "") -> None:
        self.judgment, self.names, self.ending = judgment, names, ending
        self.held = [f"h_{place}" for place in range(len(judgment.hypotheses))]
        self.given = dict(zip(judgment.hypotheses, self.held))  # one may be assumed twice
        self.bound = {one.name for one in _symbols(judgment)}
        self.goal = read(judgment.conclusion)
        self.known: list[Term] = []  # at this i, where the goal is about each
        self.every: dict[str, Term] = {}  # by name, what is known of each i
        self.drawn = 0

    def lines(self) -> Iterable[str]:
        """The tactics, one line each."""
        match self.judgment.made:
            case Axiom(name):
                yield f"exact axiom_{identifier(name)}."
            case Column():
                yield "exact axiom_one_more_column."
            case Ball():
                yield "intros. ball."
            case Arithmetic(used):
                yield from self.introduced()
                for one in used:
                    yield from self.posed(one)
                yield from self.finished()
            case Application():
                yield from self.introduced()
                yield from self.applied(self.judgment.made)
                yield from self.finished()
            case Induction():
                yield from self.induced(self.judgment.made)

    def new(self, stem: str) -> str:
        """A name that nothing in the proof has."""
        self.drawn += 1
        return f"{stem}_{self.drawn}"

    def introduced(self) -> Iterable[str]:
        """What is assumed gets its names."""
        names = [one.name for one in _symbols(self.judgment)] + self.held
        yield " ".join(["intros", *names]) + "."
        if about_each(self.goal):
            yield "intros i h_i."
        for hypothesis, name in self.given.items():
            yield from self.learned(read(hypothesis), name)

    def put_for(self, lemma: Judgment, terms: Terms = MappingProxyType({})) -> dict[str, Term]:
        """What Coq is told to put for each symbol of a lemma."""
        given = {str(key): term for key, term in terms.items()}
        found = {
            shown.name: value(one, given[str(one)]) if str(one) in given else shown
            for one, shown in zip(_variables(lemma), _symbols(lemma))
        }
        return {name: put(term, self.unknown(term)) for name, term in found.items()}

    def unknown(self, term: Term) -> dict[str, Term]:
        """Something for each symbol that is not in the theorem."""
        there = {one.name: one for one in symbols(term)}
        return {name: ANY[there[name].kind] for name in there.keys() - self.bound - {"i"}}

    def call(self, lemma: str, values: Mapping[str, Term], *hypotheses: str) -> str:
        """A theorem at terms, and at what proves its first hypotheses."""
        return f"({' '.join([lemma, *map(argument, values.values()), *hypotheses])})"

    def posed(self, one: Judgment) -> Iterable[str]:
        """A judgment at the same symbols, its hypotheses met by what is known."""
        name, values = self.new("f"), self.put_for(one)
        met = [*takewhile(self.given.__contains__, one.hypotheses)]
        call = self.call(self.names(one), values, *(self.given[h] for h in met))
        yield f"pose proof {call} as {name}."
        for hypothesis in one.hypotheses[len(met) :]:
            need = put(read(hypothesis), values)
            if about_each(need) or implied(need, self.known) is None:
                yield f"meet {name}."  # or not: it is left as an implication then
                return
            yield from self.met(name, need, False, symbol(n))
        yield from self.learned(put(read(one.conclusion), values), name)

    def learned(self, term: Term, name: str) -> Iterable[str]:
        """What is now in the context; of each i it is known only where there is an i."""
        if not about_each(term):
            self.known.append(term)
            return
        self.every[name] = term
        if about_each(self.goal):
            yield from self.here(term, name)

    def here(self, term: Term, name: str) -> Iterable[str]:
        """What holds of each i, at this one, where it is in the range."""
        yield f"try pose proof ({name} i ltac:(range)) as {self.new('g')}."
        self.known.append(term)

    def applied(self, made: Application) -> Iterable[str]:
        """A judgment at the terms that were put for its symbols, once its hypotheses are met."""
        for one in (*made.using, *made.nonzero):
            yield from self.posed(one)
        name, values = self.new("f"), self.put_for(made.lemma, made.terms)
        call = self.call(self.names(made.lemma), values)
        yield f"pose proof {call} as {name}. cbv beta in {name}."
        for hypothesis in map(read, made.lemma.hypotheses):
            size = values.get("n", symbol(n))
            yield from self.met(name, put(hypothesis, values), about_each(hypothesis), size)
        conclusion = read(made.lemma.conclusion)
        if about_each(conclusion) and about_each(self.goal):
            yield f"specialize ({name} i h_i). cbv beta in {name}."
        if not about_each(conclusion) or about_each(self.goal):
            self.known.append(put(conclusion, values))

    def met(self, name: str, need: Term, every: bool, size: Term) -> Iterable[str]:
        """A hypothesis of a theorem, as Coq has it with terms put for symbols, from what is known;
        SymPy has arranged what is known in another way.
        """
        shown, here = self.new("k"), about_each(self.goal)
        said = f"(forall i : Z, (1 <= i <= {size})%Z -> {need})" if every else str(need)
        yield f"assert ({shown} : {said})."
        inner = Proof(self.judgment, self.names)
        inner.drawn, inner.goal = self.drawn + 100, need  # names of its own
        inner.known = [*self.known]
        begin = ""
        if every:
            inner.known = [term for term in self.known if not about_each(term)]
            told = [line for name, term in self.every.items() for line in inner.here(term, name)]
            begin = f"{'clear dependent i. ' * here}intros i h_i. {' '.join(told)} "
        yield f"{{ {begin}{' '.join(inner.finished())} }}"
        yield f"specialize ({name} {shown})."

    def finished(self) -> Iterable[str]:
        """Terms that SymPy arranged are made one, divisors are named, arithmetic does the rest."""
        yield "rewrite ?plus_IZR in *."
        yield from self.arranged()
        for divisor in divisors([*self.known, self.goal]):
            yield from self.divided(divisor)
        yield from [self.ending] if self.ending else self.followed(self.goal)

    def divided(self, divisor: Term) -> Iterable[str]:
        """The sign of a divisor, where it follows, and its inverse."""
        inverse, zero = power(divisor, -1), number(0)
        one = Term("=", (Term("*", (divisor, inverse)), number(1)))
        for sign, rule in ((">", "Rinv_0_lt_compat"), ("<", "Rinv_lt_0_compat")):
            if implied(Term(sign, (divisor, zero)), self.known, STAGES[:2]) is not None:
                name = self.new("d")
                tactics = " ".join(self.followed(Term(sign, (divisor, zero))))
                yield f"assert ({name} : {divisor} {sign} 0). {{ {tactics} }}"
                yield f"assert (/ {argument(divisor)} {sign} 0) by (apply {rule}; exact {name})."
                yield f"assert ({one}) by (apply Rinv_r; lra)."
                self.known += [Term(sign, (part, zero)) for part in (divisor, inverse)] + [one]
                return
        yield f"divisor ({divisor})."
        if Term("<>", (divisor, zero)) in self.known:
            self.known.append(one)

    def followed(self, goal: Term) -> Iterable[str]:
        """The goal by linear arithmetic from products, where some are found; else Coq looks."""
        if goal in self.known:
            yield "first [assumption | finish]."
            return
        found = implied(goal, self.known)
        if found is None:
            yield "finish."
            return
        if goal.kind in NEGATED and found:
            yield f"apply {REFUTED[goal.kind]}; intro."
        if goal.kind == "=" and found:
            yield "apply Rle_antisym; [apply Rnot_gt_le | apply Rnot_gt_le]; intro."
            yield f"all: {'; '.join(_told(one, 'try ') for one in found)}; lra."
            return
        for one in found:
            yield _told(one) + "."
        yield "first [lra | timeout 10 nra]."

    def arranged(self) -> Iterable[str]:
        """Atoms that are equal but for the arrangement of their arguments become one."""
        terms = [normal(term) for term in (*self.known, self.goal)]
        while pair := _alike(terms):
            old, new = pair
            name = self.new("e")
            equation = f"assert ({name} : ({old} = {new})) by congr"
            yield f"try ({equation}; rewrite {name} in *)."  # it may be of no use to the goal
            terms = [_replaced(term, old, new) for term in terms]
        *self.known, self.goal = terms

    def induced(self, made: Induction) -> Iterable[str]:
        """The first case and the step, for all other symbols at once: the step may need others."""
        over = made.over.name
        *given, before = self.judgment.hypotheses
        names = [one.name for one in _symbols(self.judgment) if one.name != over]
        held = [self.given[h] for h in given]
        every = [one.name for one in _symbols(self.judgment)]
        self.every = {self.given[h]: term for h in given if about_each(term := read(h))}
        yield f"{' '.join(['intros', *every, *held, 'h_n'])}. apply le_Z in h_n."
        if names + held:
            yield f"revert {' '.join(names + held)}."
        yield f"pattern {over}. revert {over} h_n. apply Z_up."
        case = " ".join(["intros", *names, *held]) + ". " if names + held else ""
        yield f"- {case}{' '.join(self.case(made.base, made, integer(Integer(made.first))))}"
        one_more = Term("shift", (symbol(made.over), integer(Integer(1))))
        yield f"- intros {over} h_n h_before. {case}"
        yield f"  assert (h_real : {read(before)}) by (apply IZR_le in h_n; lra)."
        for shift in made.at:
            values = self.put_for(self.judgment, shift)
            del values[over]
            name = self.new("b")
            yield f"  pose proof {self.call('h_before', values)} as {name}. cbv beta in {name}."
            yield f"  meet {name}."
            self.known.append(put(self.goal, values))
        yield "  " + " ".join(self.case(made.step, made, one_more))

    def case(self, one: Judgment, made: Induction, last: Term) -> Iterable[str]:
        """The first case, or the step, of an induction, from the judgment that says it."""
        name, known, values = self.new("f"), self.known, self.put_for(one)
        if last.kind == "integer":
            values |= {made.over.name: ANY["whole"]} if made.over.name in values else {}
        for every, term in self.every.items():
            yield f"try pose proof ({every} {argument(last)} ltac:(range)) as {self.new('g')}."
            self.known.append(put(term, {"i": last}))
        yield f"pose proof {self.call(self.names(one), values)} as {name}."
        for hypothesis in map(read, one.hypotheses):
            yield from self.met(name, put(hypothesis, values), about_each(hypothesis), symbol(n))
        inner = Proof(self.judgment, self.names)
        inner.drawn, inner.goal = self.drawn, put(self.goal, {made.over.name: last})
        inner.known = [*known, put(read(one.conclusion), values)]
        yield from inner.finished()


def _told(product, attempt=""):
    """A product of known signs, or an equation times a factor."""
    if product.relation == "=":
        factor, left, right = product.factors
        equation = f"{factor} * ({left}) = {factor} * ({right})"
        return f"{attempt}assert ({equation}) by (apply Rmult_eq_compat_l; lra)"
    whole = " * ".join(f"({factor})" for factor in product.factors)
    sign, tactic = ("<", "product_lt") if product.relation == ">" else ("<=", "product_le")
    return f"{attempt}assert (0 {sign} {whole}) by {tactic}"


def _alike(terms: Sequence[Term]) -> tuple[Term, Term] | None:
    """Two atoms that are equal but not the same, the innermost first."""
    first: dict[tuple[str, int], Term] = {}
    found = {atom: None for term in terms for atom in atoms(term)}
    for atom in sorted(found, key=lambda atom: len(str(atom))):
        other = first.setdefault((atom.kind, fingerprint(atom)), atom)
        if other != atom:
            return atom, other
    return None


def _replaced(term, old, new):
    if term == old:
        return new
    return term._replace(terms=tuple(_replaced(part, old, new) for part in term.terms))
