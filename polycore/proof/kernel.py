"""The trusted kernel: judgments ``hypotheses ⊢ conclusion`` that only rules can make.

SymPy writes and prints statements and is not trusted: whatever it rewrites is proved
again. ``knuckledragger`` (``kdrag``) keeps the proofs, Z3 decides each step, cvc5
decides it again (``make check``). What must be believed is ``axioms``, ``RULES``, the reading
and printing of statements (``translation``, ``statements``) and ``PROGRAMS``.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from types import MappingProxyType
from typing import final
from weakref import WeakKeyDictionary

import flint
import kdrag as kd
import kdrag.smt as smt
from kdrag import kernel
from sympy import Eq, Expr, Ge, Gt, IndexedBase, Integer, Le, Mul, Pow, Rel, Sum, Symbol, sympify

from polycore.proof._solving import LOGIC, by_logic, decided, entailed, queries
from polycore.proof.axioms import NEXT_COLUMN, STATEMENTS, F, F_next, N, f, t, tau, x
from polycore.proof.records import (
    Application,
    Arithmetic,
    Axiom,
    Ball,
    Column,
    Induction,
    Record,
)
from polycore.proof.statements import Above, Log, Silent, i, m, n, total  # noqa: F401  Log is for the examples
from polycore.proof.theorems import Given, Theorem, judgment_of
from polycore.proof.translation import COMPARE, INT, ProofError, Scope, enclose, put

__all__ = ["AXIOMS", "PROGRAMS", "RULES", "SOURCES", "Judgment"]
__all__ += ["apply", "arithmetic", "ball", "induction", "one_more_column"]

PROGRAMS = {
    "knuckledragger": "keeps the proofs, and instantiates and generalises them",
    "z3-solver": "decides real arithmetic, instantiation and rewriting",
    "cvc5": "decides again every query that Z3 was asked",
    "python-flint": "encloses explicit numbers in balls",
    "sympy": "writes and prints statements; its simplifications are not believed",
}


@dataclass(frozen=True)
class _Content:
    hypotheses: tuple[Rel, ...]
    conclusion: Rel
    why: str
    axioms: frozenset[str]
    variables: tuple[Symbol | IndexedBase, ...]
    proof: kernel.Proof
    # proofs that no divisor is zero, of this step and of all before it
    conditions: tuple[kernel.Proof, ...]
    made: Record

    @property
    def queries(self) -> tuple[str, ...]:
        return queries([self.proof, *self.conditions])


@final
class Judgment:
    """``hypotheses ⊢ conclusion``, made only by the rules of this module."""

    __slots__ = ("__weakref__",)
    # Declared for the type checker. A handle holds nothing: `_seal` makes them properties, to read.
    hypotheses: tuple[Rel, ...]
    conclusion: Rel
    why: str
    axioms: frozenset[str]
    queries: tuple[str, ...]
    made: Record

    def __new__(cls, *args, **kwargs):
        raise ProofError("a judgment is made by a rule (apply, arithmetic, ball), never by hand")

    def __repr__(self):
        return f"{', '.join(map(str, self.hypotheses))} ⊢ {self.conclusion}".lstrip()


Lemma = Judgment | Theorem  # rules take a theorem for its judgment
Terms = Mapping[Symbol | IndexedBase | str, Expr | int]  # what is put for symbols, or their names


def _seal(
    handle: type[Judgment],
) -> tuple[Callable[..., Judgment], Callable[[Lemma], _Content]]:
    """Handles without content of their own, and the only two functions that join the two."""
    issued: WeakKeyDictionary[Judgment, _Content] = WeakKeyDictionary()

    def content(judgment: Lemma) -> _Content:
        judgment = judgment_of(judgment)
        try:
            return issued[judgment]
        except (KeyError, TypeError):
            kind = type(judgment).__name__
            raise ProofError(
                f"this {kind} was not made by a rule; make it with apply, arithmetic or ball"
            ) from None

    def field(name):
        return property(lambda self: getattr(content(self), name))

    for name in ("hypotheses", "conclusion", "why", "axioms", "queries", "made"):
        setattr(handle, name, field(name))

    def issue(*fields):
        judgment = object.__new__(handle)
        issued[judgment] = _Content(*fields)
        return judgment

    return issue, content


_issue, _content = _seal(Judgment)


def _instance(judgment, scope):
    content = _content(judgment)
    return scope.once(
        "instance",
        judgment,
        lambda _: kernel.instan([scope.var[s] for s in content.variables], content.proof),
    )


def _statements(judgments):
    return [
        relation for p in map(_content, judgments) for relation in (*p.hypotheses, p.conclusion)
    ]


def _derive(goal, given, using, why, scope, lemmas=(), behind=(), made=Arithmetic):
    """The one way to ``given ⊢ goal``: from judgments, and from proofs about ``scope`` with the
    judgments ``behind`` them; ``made`` records the judgments.
    """
    given, parts = _fixed(given), [*scope.divisors(goal), goal]
    judgments = [*map(judgment_of, using)]
    judgments += [ball(part) for part in parts[:-1] if part.lhs.is_number]
    premises = [_content(judgment) for judgment in judgments]
    facts = [*lemmas, *(_instance(judgment, scope) for judgment in judgments)]
    everywhere = [r for r in (*given, *(p.conclusion for p in premises)) if i in r.free_symbols]
    facts += [kernel.specialize([scope.var[i]], scope.closed(relation)) for relation in everywhere]
    done = []
    for part in parts:
        try:
            done.append(
                entailed(facts, smt.Implies(scope.all(given), scope.ranged(part)), scope.shown)
            )
        except ProofError as error:
            listed = [
                ", ".join(map(str, relations)) or "nothing"
                for relations in (given, [p.conclusion for p in premises])
            ]
            need = "" if part is goal else f"\n  which needs {part.lhs} ≠ 0"
            raise type(error)(
                f"cannot derive {goal}{need}\n  from {listed[0]}\n  using {listed[1]}:\n  {error}"
            ) from None
    *conditions, proof = done
    if i in goal.free_symbols:
        [one], every = kernel.herb(scope.closed(goal))
        proof = kernel.compose(
            kernel.instan([one], kernel.generalize([scope.var[i]], proof)), every
        )
    sources = [*map(_content, behind), *premises]
    axioms = frozenset().union(*(p.axioms for p in sources))
    return _issue(
        given,
        goal,
        why,
        axioms,
        scope.variables,
        scope.generalized(proof),
        _distinct(conditions, *(p.conditions for p in sources)),
        made(tuple(judgments)),
    )


def _distinct(*proofs):
    """The proofs of several lists, each once: two proofs are one when they are the same object."""
    return tuple({id(proof): proof for some in proofs for proof in some}.values())


def arithmetic(
    goal: Rel, given: Sequence[Rel] = (), using: Sequence[Lemma] = (), why: str = ""
) -> Judgment:
    """Real arithmetic: a relation follows from judgments when Z3 refutes its negation, every
    divisor being non-zero.

    Raises :class:`ProofError` with values at which the goal is false, when it does not follow.

    >>> from polycore.proof.axioms import x
    >>> arithmetic(Ge(x**2 + 1, 2 * x))
    ⊢ x**2 + 1 >= 2*x
    """
    return _derive(goal, given, using, why, Scope([goal, *given, *_statements(using)]))


def _rearranged(theorem):
    """A step that changes only how parts are arranged: by real arithmetic where that can tell,
    which is easier to decide again.
    """
    try:
        return entailed([], theorem, {})
    except ProofError:  # indices, which are integers, and what holds for every i
        return by_logic(theorem, [])


def _instantiated(rule, given, numbers, nonzero, met, goal):
    """``given`` and ``met`` imply ``goal`` by ``rule``; where SymPy arranged a part otherwise, that
    is a small step of its own.
    """
    pairs = zip([*met, rule.thm.arg(1)], [*rule.thm.arg(0).children()[1:], goal], strict=True)
    divisors = smt.And([smt.BoolVal(True), *(proof.thm.arg(1) for proof in nonzero)])
    known = lambda part: (
        numbers if smt.is_quantifier(part) else divisors
    )  # a range of i may be part of a larger one
    steps = [
        _rearranged(smt.Implies(smt.And(known(other), one), other))
        for one, other in pairs
        if not one.eq(other)
    ]
    return decided(
        [rule, *nonzero, *steps], smt.Implies(smt.And([given, *met]), goal), {}, "QF_UF", LOGIC
    )


def _fixed(given):
    """Hypotheses, read once; names stay."""
    return given if type(given) is Given else tuple(given)


def apply(
    lemma: Lemma,
    terms: Terms,
    given: Sequence[Rel] = (),
    using: Sequence[Lemma] = (),
    why: str = "",
) -> Judgment:
    """Application: an axiom or a judgment holds with terms put for its symbols, once its hypotheses
    are proved.

    ``terms`` maps the lemma's symbols, or their names, to terms; a sequence such as ``f``, in a
    lemma about ``f[i]``, takes a term in ``i``.

    >>> apply(AXIOMS["tangent of exp"], {"x": Log(n)})
    ⊢ Exp(Log(n)) >= Log(n) + 1
    """
    content = _content(lemma)
    named = {str(symbol): symbol for symbol in content.variables}
    if unknown := {str(key) for key in terms} - named.keys():
        raise ProofError(
            f"“{content.why}” has no symbol {', '.join(unknown)}; it has {', '.join(named)}"
        )
    terms = {named[str(key)]: sympify(term) for key, term in terms.items()}
    hypotheses, goal = [put(h, terms) for h in content.hypotheses], put(content.conclusion, terms)
    scope = Scope([goal, *hypotheses, *given, *_statements(using), *terms.values()])
    try:
        using = [
            *using,
            *(_derive(h, given, using, "", scope) for h in hypotheses if h not in given),
        ]
    except ProofError as error:
        raise type(error)(f"a hypothesis of “{content.why}” is not met: {error}") from None
    values = [scope.value(symbol, terms.get(symbol, symbol)) for symbol in content.variables]
    # A hypothesis about every f[i] stays about every i; one about x, with z[i] put for x, is about
    # this i.
    met = [
        scope.closed(h) if i in old.free_symbols else scope.local(h)
        for old, h in zip(content.hypotheses, hypotheses)
    ]
    turned = {
        symbol for symbol, term in terms.items() if type(term) in (Mul, Pow)
    }  # SymPy takes 1/r apart where r is a product
    divisors = [
        put(d, terms)
        for old in _statements([lemma])
        for d in scope.divisors(old)
        if d.lhs in turned
    ]
    divisors += [d for term in terms.values() for d in scope.divisors(term)]
    numbers = scope.all(h for h in given if i not in h.free_symbols)
    nonzero = [
        _derive(divisor, given, using, "", scope)
        for divisor in dict.fromkeys(divisors)
        if not divisor.lhs.is_number
    ]
    facts = [_instance(judgment, scope) for judgment in nonzero]
    instance = _instantiated(
        kernel.instan(values, content.proof),
        scope.all(given),
        numbers,
        facts,
        met,
        scope.local(goal),
    )
    made = partial(Application, judgment_of(lemma), MappingProxyType(terms), tuple(nonzero))
    behind = [lemma, *nonzero]
    return _derive(goal, given, using, why or content.why, scope, [instance], behind, made)


def _axiom(name: str, hypotheses: Sequence[Rel], conclusion: Rel) -> Judgment:
    scope = Scope([*hypotheses, conclusion])
    proof = kd.axiom(smt.Implies(scope.all(hypotheses), scope.closed(conclusion)), [name])
    return _issue(
        tuple(hypotheses),
        conclusion,
        name,
        frozenset({name}),
        scope.variables,
        scope.generalized(proof),
        (),
        Axiom(name),
    )


AXIOMS = {
    name: _axiom(name, hypotheses, conclusion)
    for name, (hypotheses, conclusion, _) in STATEMENTS.items()
}
SOURCES = {name: source for name, (_, _, source) in STATEMENTS.items()}


def induction(
    goal: Rel,
    given: Sequence[Rel],
    why: str,
    base: Sequence[Lemma] = (),
    step: Sequence[Lemma] = (),
    over: Symbol = n,
    first: int = 0,
    at: Sequence[Mapping[Symbol | IndexedBase, Expr]] = ({},),
) -> Judgment:
    """Induction over n or m: what holds at ``first``, and at one more whenever it holds before,
    holds from ``first`` on.

    ``base`` and ``step`` are the judgments that the two need beside the definition of a sum.
    The step may use the claim before with other terms put for its symbols, once for each of ``at``.
    """
    if over not in (n, m):
        raise ProofError(f"an induction goes over n or m, which are integers, not over {over}")
    given, before = _fixed(given), Ge(over, first)
    ranged = [h for h in given if over == n and i in h.free_symbols]
    if any(h.has(Sum) if h in ranged else over in h.free_symbols for h in given):
        raise ProofError(
            f"an induction over {over} needs hypotheses that do not change with it, but for the "
            "range of i"
        )
    steady = [h for h in given if h not in ranged]
    sums = [{"f": s.function} for s in sorted(goal.atoms(Sum), key=str) if over == n]
    terms = [
        apply(AXIOMS["one more term"], s | {"n": last}, [before][: last == n])
        for s in sums
        for last in (0, n)
    ]
    empty = [apply(AXIOMS["empty sum"], s) for s in sums]
    first_case = [*steady, *(put(h, {i: first}) for h in ranged if first)]
    base_case = arithmetic(put(goal, {over: Integer(first)}), first_case, [*empty, *terms, *base])
    earlier = [before, *(put(goal, shift) for shift in at), *(put(h, {i: n + 1}) for h in ranged)]
    step_case = arithmetic(put(goal, {over: over + 1}), [*steady, *earlier], [*terms, *step])
    scope = Scope(
        [
            goal,
            *given,
            *_statements([base_case, step_case]),
            *(term for shift in at for term in shift.values()),
        ]
    )
    others = [symbol for symbol in scope.variables if symbol != over]
    fixed, k = (
        [scope.var[s] for s in others] or [kernel.FreshVar("unused", INT)],
        kernel.FreshVar("k", INT),
    )
    here = lambda scope: smt.Implies(scope.all(given), scope.local(goal))
    claim = lambda scope: smt.RawForAll(fixed, here(scope))
    used = lambda scope, terms: kernel.specialize(
        [scope.value(s, terms.get(s, s)) for s in others] or fixed, claim(scope)
    )
    begin, now, then = (
        scope.at(over, size) for size in (smt.IntVal(first), k + first, k + first + 1)
    )
    base_proof = kernel.generalize(fixed, by_logic(here(begin), [_instance(base_case, begin)]))
    assumed = [used(now, shift) for shift in at]
    # What holds for i up to n + 1 does up to n, and at n + 1: said apart, each is a short question.
    ends = [(then.closed(h), smt.And(now.closed(h), now.local(put(h, {i: n + 1})))) for h in ranged]
    ends = [
        by_logic(smt.Implies(smt.And(k >= 0, h), parts), [kernel.specialize([k + first + 1], h)])
        for h, parts in ends
    ]
    more = by_logic(
        smt.Implies(smt.And([k >= 0, *(a.thm.arg(1) for a in assumed)]), here(then)),
        [_instance(step_case, now), *ends],
    )
    more = by_logic(smt.Implies(smt.And(k >= 0, claim(now)), here(then)), [more, *assumed])
    one, whole = kernel.herb(claim(then))
    step_proof = kernel.generalize(
        [k], kernel.compose(kernel.instan(one, kernel.generalize(fixed, more)), whole)
    )
    onward = smt.RawForAll([k], smt.Implies(smt.And(k >= 0, claim(now)), claim(then)))
    every = smt.RawForAll([k], smt.Implies(k >= 0, claim(now)))
    schema = kd.axiom(smt.Implies(claim(begin), smt.Implies(onward, every)), ["induction"])
    every = kernel.instan(
        [scope.var[over] - first], kernel.modus(kernel.modus(schema, base_proof), step_proof)
    )
    at_n = used(scope.at(over, scope.var[over] - first + first), {})
    proof = scope.generalized(
        by_logic(smt.Implies(scope.all([*given, before]), scope.local(goal)), [every, at_n])
    )
    axioms, conditions = (
        base_case.axioms | step_case.axioms | {"induction"},
        _distinct(_content(base_case).conditions, _content(step_case).conditions),
    )
    made = Induction(over, first, _kept(at), base_case, step_case)
    return _issue((*given, before), goal, why, axioms, scope.variables, proof, conditions, made)


def _kept(some):
    return tuple(MappingProxyType(dict(terms)) for terms in some)


def ball(relation: Rel) -> Judgment:
    """Ball arithmetic: a relation between explicit numbers holds when balls enclose its sides
    apart.

    Raises :class:`ProofError` when 4096 bits do not separate them.

    >>> ball(Ge(Log(Integer(3)), 1))
    ⊢ Log(3) >= 1
    """
    scope = Scope([relation])
    formula = scope.local(relation)
    for bits in (64, 256, 1024, 4096):
        with flint.ctx.workprec(bits):
            if COMPARE[type(relation)](*map(enclose, relation.args)):
                proof = scope.generalized(kd.axiom(formula, ["ball"]))
                why, axioms = "ball arithmetic", frozenset({"ball"})
                return _issue((), relation, why, axioms, scope.variables, proof, (), Ball())
    raise ProofError(
        f"ball arithmetic does not find {relation} with 4096 bits; it is false, or too close to "
        "call"
    )


def one_more_column(silent: Lemma, before: Lemma, below: Lemma, why: str = "") -> Judgment:
    """Probability: Pr[G = 0] = Pr[F = 0] · Pr[x ≤ τ] for one more column, which is independent of
    the others, when G = 0 is the event that F = 0 without it and it does not exceed the threshold.

    The judgments, from ``NEXT_COLUMN``: G = 0 where F = 0 and x ≤ τ; F = 0 and x ≤ τ where G = 0.
    ProofError for any others.
    """
    old, new, quiet = Eq(F, 0), Eq(F_next, 0), Le(x, tau)
    for judgment, allowed, wanted in (
        (silent, {old, quiet}, new),
        (before, {new}, old),
        (below, {new}, quiet),
    ):
        if judgment.conclusion != wanted or set(judgment.hypotheses) - {*NEXT_COLUMN, *allowed}:
            raise ProofError(
                f"{judgment} does not derive {wanted} from Definition 3.9 and "
                f"{', '.join(map(str, allowed))}"
            )
    now, then = (Silent(total(f[i]), t, columns, N) for columns in (m, m + 1))
    given, goal = (Ge(m, 0), Gt(N, 0)), Eq(then, now * (1 - Above(total(f[i]), t)))
    scope, parts = Scope([goal, *given]), list(map(_content, (silent, before, below)))
    proof = kd.axiom(
        smt.Implies(scope.all(given), scope.closed(goal)),
        ["one more column", *(part.proof for part in parts)],
    )
    axioms = frozenset({"independent columns"}).union(*(part.axioms for part in parts))
    return _issue(
        given,
        goal,
        why,
        axioms,
        scope.variables,
        scope.generalized(proof),
        _distinct(*(part.conditions for part in parts)),
        Column((judgment_of(silent), judgment_of(before), judgment_of(below))),
    )


RULES = (apply, arithmetic, induction, ball, one_more_column)
