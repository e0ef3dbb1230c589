"""The trusted kernel: judgments ``hypotheses ⊢ conclusion`` that only rules can make.

SymPy writes and prints statements and is not trusted: whatever it rewrites is proved
again. ``knuckledragger`` (``kdrag``) keeps the proofs, Z3 decides each step, cvc5
decides it again (``make check``). What must be believed is ``axioms``, ``RULES``, the reading
and printing of statements (``translation``, ``statements``) and ``PROGRAMS``.
"""

from dataclasses import dataclass
from functools import cache, partial, reduce, update_wrapper
from weakref import WeakKeyDictionary

import flint
import kdrag as kd
import kdrag.smt as smt
from kdrag import kernel
from sympy import Eq, Ge, Gt, IndexedBase, Integer, Le, Mul, Pow, Rel, Sum, sympify  # noqa: F401  IndexedBase is for an example

from polycore.axioms import NEXT_COLUMN, STATEMENTS, F, F_next, N, f, t, tau, x
from polycore.smtlib import script
from polycore.statements import Above, Log, Silent, i, m, n, total  # noqa: F401  Log is for the examples
from polycore.translation import COMPARE, INT, ProofError, Refuted, Scope, enclose, put

__all__ = ["AXIOMS", "PROGRAMS", "RULES", "SOURCES", "Given", "Judgment", "ProofError", "Refuted"]
__all__ += ["apply", "arithmetic", "ball", "induction", "judgment_of", "one_more_column", "theorem"]

PROGRAMS = {
    "knuckledragger": "keeps the proofs, and instantiates and generalises them",
    "z3-solver": "decides real arithmetic, instantiation and rewriting",
    "cvc5": "decides again every query that Z3 was asked",
    "python-flint": "encloses explicit numbers in balls",
    "sympy": "writes and prints statements; its simplifications are not believed",
}
SECONDS = 20  # for Z3, on each query


class Given(tuple):
    """Hypotheses with names: relations in their order, of which some can be taken or left out by name.

    >>> from polycore.axioms import x
    >>> given = Given(positive=Gt(x, 0), limits=[Ge(x, 1), Le(x, 2)])
    >>> list(given), given.named("limits"), given.without("positive", "limits")
    ([x > 0, x >= 1, x <= 2], [x >= 1, x <= 2], [])
    """

    def __new__(cls, **parts):
        pairs = [(name, relation) for name, part in parts.items() for relation in (part if isinstance(part, (list, tuple)) else [part])]
        made = super().__new__(cls, (relation for _, relation in pairs))
        made.names = tuple(name for name, _ in pairs)
        return made

    def named(self, *names):
        """The relations with these names; KeyError for a name that none has."""
        if unknown := set(names) - set(self.names):
            raise KeyError(f"no hypothesis is called {', '.join(sorted(unknown))}; there are {', '.join(dict.fromkeys(self.names))}")
        return [relation for name, relation in zip(self.names, self) if name in names]

    def without(self, *names):
        """The relations with other names than these; KeyError for a name that none has."""
        left_out = self.named(*names)
        return [relation for relation in self if relation not in left_out]


@dataclass(frozen=True)
class _Content:
    hypotheses: tuple
    conclusion: Rel
    why: str
    axioms: frozenset
    variables: tuple
    proof: kernel.Proof
    conditions: tuple  # proofs that no divisor is zero, of this step and of all before it


def _seal():
    """Handles without content of their own, and the only two functions that join the two."""
    issued = WeakKeyDictionary()

    def content(judgment):
        judgment = judgment_of(judgment)
        try:
            return issued[judgment]
        except (KeyError, TypeError):
            kind = type(judgment).__name__
            raise ProofError(f"this {kind} was not made by a rule; make it with apply, arithmetic or ball") from None

    class Judgment:
        """``hypotheses ⊢ conclusion``, made only by the rules of this module."""

        __slots__ = ("__weakref__",)

        def __new__(cls, *args, **kwargs):
            raise ProofError("a judgment is made by a rule (apply, arithmetic, ball), never by hand")

        def __repr__(self):
            return f"{', '.join(map(str, self.hypotheses))} ⊢ {self.conclusion}".lstrip()

    for name in ("hypotheses", "conclusion", "why", "axioms"):
        setattr(Judgment, name, property(lambda self, name=name: getattr(content(self), name)))
    Judgment.queries = property(lambda self: _queries([content(self).proof, *content(self).conditions]))

    def issue(*fields):
        judgment = object.__new__(Judgment)
        issued[judgment] = _Content(*fields)
        return judgment

    return Judgment, issue, content


Judgment, _issue, _content = _seal()


class Theorem:
    """A judgment that is proved when somebody first asks for it, and then kept; made by ``theorem``."""

    def __init__(self, prove):
        update_wrapper(self, prove)
        self._prove = cache(prove)

    def __call__(self):
        """The judgment."""
        return self._prove()

    def __repr__(self):
        return repr(self())

    def __getattr__(self, name):
        if name in ("hypotheses", "conclusion", "why", "axioms", "queries"):
            return getattr(self(), name)
        raise AttributeError(f"a theorem has no {name}")

    def given(self, *names):
        """The hypotheses with these names (:class:`Given`)."""
        return self.hypotheses.named(*names)

    def without(self, *names):
        """The hypotheses without those of these names."""
        return self.hypotheses.without(*names)


def theorem(prove):
    """A function that proves a judgment, which is not called before somebody uses it: rules and displays take it for the judgment.

    What it proves is kept. Its hypotheses are at hand by name where they were given so (:class:`Given`).

    >>> @theorem
    ... def SQUARES():
    ...     x = IndexedBase("x")
    ...     return arithmetic(Ge(x[i] ** 2, 0))
    >>> SQUARES
    ⊢ x[i]**2 >= 0
    """
    return Theorem(prove)


def judgment_of(theorem):
    """The judgment of a theorem, which is proved now if nobody asked before; anything else as it is."""
    return theorem() if type(theorem) is Theorem else theorem


_LOGIC = {getattr(smt, f"Z3_OP_{name}") for name in "AND OR NOT IMPLIES TRUE FALSE".split()}
_RELATIONS = {getattr(smt, f"Z3_OP_{name}") for name in "EQ DISTINCT LE LT GE GT".split()}
_ARITHMETIC = _LOGIC | _RELATIONS | {getattr(smt, f"Z3_OP_{name}") for name in "ADD SUB UMINUS MUL DIV ANUM".split()}


def _atoms(formulas, kept):
    """The largest parts of ``formulas`` that no operation ``kept`` makes, by their ids: the logic need not look into them."""
    seen, found, todo = set(), {}, [*reversed(formulas)]
    while todo:
        part = todo.pop()
        if (key := part.get_id()) in seen:
            continue
        seen.add(key)
        kind = part.decl().kind() if smt.is_app(part) else None
        if kind in kept and not (kind in _RELATIONS and part.arg(0).sort() == INT):
            todo += reversed(part.children())
        else:
            found[key] = part
    return found


def _implication(facts, goal):
    return reduce(lambda rest, fact: smt.Implies(fact.thm, rest), reversed(facts), goal)


_ASKED = {}  # id of a proof by Z3: the proof, and its query


def _ask(theorem, by=(), logic=None):
    """A proof by Z3, the only way to one. What was asked is written only where somebody wants to ask another solver."""
    solver = logic and (lambda: smt.SolverFor(logic))
    proof = kernel.prove(theorem, by=by, timeout=SECONDS * 1000, solver=solver)
    _ASKED[id(proof)] = proof, cache(partial(script, [one.thm for one in by], theorem, logic or "HO_UFNIRA"))
    return proof


def _queries(proofs):
    """All that Z3 was asked for these proofs, and for those that they were made from."""
    seen, found, todo = set(), {}, [*reversed(proofs)]
    while todo:
        proof = todo.pop()
        if id(proof) not in seen:
            seen.add(id(proof))
            found |= {_ASKED[id(proof)][1](): None} if id(proof) in _ASKED else {}
            todo += [part for part in reversed(proof.reason) if isinstance(part, kernel.Proof)]
    return tuple(found)


def _kd(theorem, by):
    """A step of logic and rewriting, by the kernel of knuckledragger."""
    try:
        return _ask(theorem, by)
    except kernel.LemmaError as error:
        raise ProofError(f"the kernel does not accept {theorem}: {error.args[-1]}") from None


def _rewritings(atoms):
    """Equalities between terms that differ only in how SymPy arranged an argument."""
    groups, tidy = {}, partial(smt.simplify, som=True, sort_sums=True)
    for atom in atoms.values():
        groups.setdefault(tidy(tidy(atom)), []).append(atom)  # once leaves a factor 1
    return [_kd(first == other, []) for first, *others in groups.values() for other in others]


def _entail(facts, goal, shown):
    """A proof of ``goal`` from proofs, by real arithmetic."""
    return _decided([*_rewritings(_atoms([*(fact.thm for fact in facts), goal], _ARITHMETIC)), *facts], goal, shown)


def _decided(facts, goal, shown, logic="QF_NRA", kept=_ARITHMETIC):
    atoms = list(_atoms([*(fact.thm for fact in facts), goal], kept).values())
    variables = [kernel.FreshVar("x", atom.sort()) for atom in atoms]
    formula = smt.substitute(_implication(facts, goal), *zip(atoms, variables))
    try:
        proof = _ask(formula, logic=logic)
    except kernel.LemmaError as error:
        raise _left_over(error.args[-1], zip(atoms, variables), shown) from None
    proof = kernel.instan(atoms, kernel.generalize(variables, proof)) if atoms else proof
    return reduce(kernel.modus, facts, proof)


def _left_over(found, atoms, shown):
    if not isinstance(found, smt.ModelRef):
        return ProofError(f"Z3 could not decide it in {SECONDS} s ({found})")
    named = ((shown[a.get_id()][1], found[v]) for a, v in atoms if a.get_id() in shown and found[v] is not None)
    values = sorted(f"{name} = {value}" for name, value in named)
    return Refuted(f"nothing that is given excludes {', '.join(values)}")


def _instance(judgment, scope):
    content = _content(judgment)
    return scope.once("instance", judgment, lambda _: kernel.instan([scope.var[s] for s in content.variables], content.proof))


def _statements(judgments):
    return [relation for p in map(_content, judgments) for relation in (*p.hypotheses, p.conclusion)]


def _derive(goal, given, using, why, scope, lemmas=(), behind=()):
    """The one way to ``given ⊢ goal``: from judgments, and from proofs about ``scope`` with the judgments ``behind`` them."""
    given, parts = _fixed(given), [*scope.divisors(goal), goal]
    judgments = [*using, *(ball(part) for part in parts[:-1] if part.lhs.is_number)]
    premises = [_content(judgment) for judgment in judgments]
    facts = [*lemmas, *(_instance(judgment, scope) for judgment in judgments)]
    everywhere = [r for r in (*given, *(p.conclusion for p in premises)) if i in r.free_symbols]
    facts += [kernel.specialize([scope.var[i]], scope.closed(relation)) for relation in everywhere]
    done = []
    for part in parts:
        try:
            done.append(_entail(facts, smt.Implies(scope.all(given), scope.ranged(part)), scope.shown))
        except ProofError as error:
            listed = [", ".join(map(str, relations)) or "nothing" for relations in (given, [p.conclusion for p in premises])]
            need = "" if part is goal else f"\n  which needs {part.lhs} ≠ 0"
            raise type(error)(f"cannot derive {goal}{need}\n  from {listed[0]}\n  using {listed[1]}:\n  {error}") from None
    *conditions, proof = done
    if i in goal.free_symbols:
        [one], every = kernel.herb(scope.closed(goal))
        proof = kernel.compose(kernel.instan([one], kernel.generalize([scope.var[i]], proof)), every)
    sources = [*map(_content, behind), *premises]
    axioms = frozenset().union(*(p.axioms for p in sources))
    return _issue(given, goal, why, axioms, scope.variables, scope.generalized(proof), _distinct(conditions, *(p.conditions for p in sources)))


def _distinct(*proofs):
    """The proofs of several lists, each once: two proofs are one when they are the same object."""
    return tuple({id(proof): proof for some in proofs for proof in some}.values())


def arithmetic(goal, given=(), using=(), why=""):
    """Real arithmetic: a relation follows from judgments when Z3 refutes its negation, every divisor being non-zero.

    Raises :class:`ProofError` with values at which the goal is false, when it does not follow.

    >>> from polycore.axioms import x
    >>> arithmetic(Ge(x**2 + 1, 2 * x))
    ⊢ x**2 + 1 >= 2*x
    """
    return _derive(goal, given, using, why, Scope([goal, *given, *_statements(using)]))


def _rearranged(theorem):
    """A step that changes only how parts are arranged: by real arithmetic where that can tell, which is easier to decide again."""
    try:
        return _entail([], theorem, {})
    except ProofError:  # indices, which are integers, and what holds for every i
        return _kd(theorem, [])


def _instantiated(rule, given, numbers, nonzero, met, goal):
    """``given`` and ``met`` imply ``goal`` by ``rule``; where SymPy arranged a part otherwise, that is a small step of its own."""
    pairs = zip([*met, rule.thm.arg(1)], [*rule.thm.arg(0).children()[1:], goal], strict=True)
    divisors = smt.And([smt.BoolVal(True), *(proof.thm.arg(1) for proof in nonzero)])
    known = lambda part: numbers if smt.is_quantifier(part) else divisors  # a range of i may be part of a larger one
    steps = [_rearranged(smt.Implies(smt.And(known(other), one), other)) for one, other in pairs if not one.eq(other)]
    return _decided([rule, *nonzero, *steps], smt.Implies(smt.And([given, *met]), goal), {}, "QF_UF", _LOGIC)


def _fixed(given):
    """Hypotheses, read once; names stay."""
    return given if type(given) is Given else tuple(given)


def apply(lemma, terms, given=(), using=(), why=""):
    """Application: an axiom or a judgment holds with terms put for its symbols, once its hypotheses are proved.

    ``terms`` maps the lemma's symbols, or their names, to terms; a sequence such as ``f``, in a
    lemma about ``f[i]``, takes a term in ``i``.

    >>> apply(AXIOMS["tangent of exp"], {"x": Log(n)})
    ⊢ Exp(Log(n)) >= Log(n) + 1
    """
    content = _content(lemma)
    named = {str(symbol): symbol for symbol in content.variables}
    if unknown := {str(key) for key in terms} - named.keys():
        raise ProofError(f"“{content.why}” has no symbol {', '.join(unknown)}; it has {', '.join(named)}")
    terms = {named[str(key)]: sympify(term) for key, term in terms.items()}
    hypotheses, goal = [put(h, terms) for h in content.hypotheses], put(content.conclusion, terms)
    scope = Scope([goal, *hypotheses, *given, *_statements(using), *terms.values()])
    try:
        using = [*using, *(_derive(h, given, using, "", scope) for h in hypotheses if h not in given)]
    except ProofError as error:
        raise type(error)(f"a hypothesis of “{content.why}” is not met: {error}") from None
    values = [scope.value(symbol, terms.get(symbol, symbol)) for symbol in content.variables]
    # A hypothesis about every f[i] stays about every i; one about x, with z[i] put for x, is about this i.
    met = [scope.closed(h) if i in old.free_symbols else scope.local(h) for old, h in zip(content.hypotheses, hypotheses)]
    turned = {symbol for symbol, term in terms.items() if type(term) in (Mul, Pow)}  # SymPy takes 1/r apart where r is a product
    divisors = [put(d, terms) for old in _statements([lemma]) for d in scope.divisors(old) if d.lhs in turned]
    divisors = dict.fromkeys([*divisors, *(d for term in terms.values() for d in scope.divisors(term))])
    numbers = scope.all(h for h in given if i not in h.free_symbols)
    nonzero = [_derive(divisor, given, using, "", scope) for divisor in divisors if not divisor.lhs.is_number]
    facts = [_instance(judgment, scope) for judgment in nonzero]
    instance = _instantiated(kernel.instan(values, content.proof), scope.all(given), numbers, facts, met, scope.local(goal))
    return _derive(goal, given, using, why or content.why, scope, [instance], [lemma, *nonzero])


def _axiom(name, hypotheses, conclusion):
    scope = Scope([*hypotheses, conclusion])
    proof = kd.axiom(smt.Implies(scope.all(hypotheses), scope.closed(conclusion)), [name])
    return _issue(tuple(hypotheses), conclusion, name, frozenset({name}), scope.variables, scope.generalized(proof), ())


AXIOMS = {name: _axiom(name, hypotheses, conclusion) for name, (hypotheses, conclusion, _) in STATEMENTS.items()}
SOURCES = {name: source for name, (_, _, source) in STATEMENTS.items()}


def induction(goal, given, why, base=(), step=(), over=n, first=0, at=({},)):
    """Induction over n or m: what holds at ``first``, and at one more whenever it holds before, holds from ``first`` on.

    ``base`` and ``step`` are the judgments that the two halves need beside the definition of a sum.
    The step may use the claim before with other terms put for its symbols, once for each of ``at``.
    """
    if over not in (n, m):
        raise ProofError(f"an induction goes over n or m, which are integers, not over {over}")
    given, before = _fixed(given), Ge(over, first)
    ranged = [h for h in given if over == n and i in h.free_symbols]
    if any(h.has(Sum) if h in ranged else over in h.free_symbols for h in given):
        raise ProofError(f"an induction over {over} needs hypotheses that do not change with it, but for the range of i")
    steady = [h for h in given if h not in ranged]
    sums = [{"f": s.function} for s in sorted(goal.atoms(Sum), key=str) if over == n]
    terms = [apply(AXIOMS["one more term"], s | {"n": last}, [before][: last == n]) for s in sums for last in (0, n)]
    empty = [apply(AXIOMS["empty sum"], s) for s in sums]
    first_case = [*steady, *(put(h, {i: first}) for h in ranged if first)]
    base = arithmetic(put(goal, {over: Integer(first)}), first_case, [*empty, *terms, *base])
    earlier = [before, *(put(goal, shift) for shift in at), *(put(h, {i: n + 1}) for h in ranged)]
    step = arithmetic(put(goal, {over: over + 1}), [*steady, *earlier], [*terms, *step])
    scope = Scope([goal, *given, *_statements([base, step]), *(term for shift in at for term in shift.values())])
    others = [symbol for symbol in scope.variables if symbol != over]
    fixed, k = [scope.var[s] for s in others] or [kernel.FreshVar("unused", INT)], kernel.FreshVar("k", INT)
    here = lambda scope: smt.Implies(scope.all(given), scope.local(goal))
    claim = lambda scope: smt.RawForAll(fixed, here(scope))
    used = lambda scope, terms: kernel.specialize([scope.value(s, terms.get(s, s)) for s in others] or fixed, claim(scope))
    begin, now, then = (scope.at(over, size) for size in (smt.IntVal(first), k + first, k + first + 1))
    base_proof = kernel.generalize(fixed, _kd(here(begin), [_instance(base, begin)]))
    assumed = [used(now, shift) for shift in at]
    # What holds for i up to n + 1 does up to n, and at n + 1: said apart, each is a short question.
    ends = [(then.closed(h), smt.And(now.closed(h), now.local(put(h, {i: n + 1})))) for h in ranged]
    ends = [_kd(smt.Implies(smt.And(k >= 0, h), parts), [kernel.specialize([k + first + 1], h)]) for h, parts in ends]
    more = _kd(smt.Implies(smt.And([k >= 0, *(a.thm.arg(1) for a in assumed)]), here(then)), [_instance(step, now), *ends])
    more = _kd(smt.Implies(smt.And(k >= 0, claim(now)), here(then)), [more, *assumed])
    one, whole = kernel.herb(claim(then))
    step_proof = kernel.generalize([k], kernel.compose(kernel.instan(one, kernel.generalize(fixed, more)), whole))
    onward = smt.RawForAll([k], smt.Implies(smt.And(k >= 0, claim(now)), claim(then)))
    every = smt.RawForAll([k], smt.Implies(k >= 0, claim(now)))
    schema = kd.axiom(smt.Implies(claim(begin), smt.Implies(onward, every)), ["induction"])
    every = kernel.instan([scope.var[over] - first], kernel.modus(kernel.modus(schema, base_proof), step_proof))
    at_n = used(scope.at(over, scope.var[over] - first + first), {})
    proof = scope.generalized(_kd(smt.Implies(scope.all([*given, before]), scope.local(goal)), [every, at_n]))
    axioms, conditions = base.axioms | step.axioms | {"induction"}, _distinct(_content(base).conditions, _content(step).conditions)
    return _issue((*given, before), goal, why, axioms, scope.variables, proof, conditions)


def ball(relation):
    """Ball arithmetic: a relation between explicit numbers holds when balls enclose its sides apart.

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
                return _issue((), relation, "ball arithmetic", frozenset({"ball"}), scope.variables, proof, ())
    raise ProofError(f"ball arithmetic does not find {relation} with 4096 bits; it is false, or too close to call")


def one_more_column(silent, before, below, why=""):
    """Probability: F = 0 with one more column is the event that F = 0 without it and it does not exceed the threshold, when each follows.

    The judgments, from ``NEXT_COLUMN``: G = 0 where F = 0 and x ≤ τ; F = 0 and x ≤ τ where G = 0. ProofError for any others.
    """
    old, new, quiet = Eq(F, 0), Eq(F_next, 0), Le(x, tau)
    for judgment, given, goal in ((silent, {old, quiet}, new), (before, {new}, old), (below, {new}, quiet)):
        if judgment.conclusion != goal or set(judgment.hypotheses) - {*NEXT_COLUMN, *given}:
            raise ProofError(f"{judgment} does not derive {goal} from Definition 3.9 and {', '.join(map(str, given))}")
    now, then = (Silent(total(f[i]), t, columns, N) for columns in (m, m + 1))
    given, goal = (Ge(m, 0), Gt(N, 0)), Eq(then, now * (1 - Above(total(f[i]), t)))
    scope, parts = Scope([goal, *given]), list(map(_content, (silent, before, below)))
    proof = kd.axiom(smt.Implies(scope.all(given), scope.closed(goal)), ["one more column", *(part.proof for part in parts)])
    axioms = frozenset({"independent columns"}).union(*(part.axioms for part in parts))
    return _issue(given, goal, why, axioms, scope.variables, scope.generalized(proof), _distinct(*(part.conditions for part in parts)))


RULES = (apply, arithmetic, induction, ball, one_more_column)
