"""The trusted kernel: judgments ``hypotheses ⊢ conclusion`` that only rules can make.

SymPy writes and prints statements and is not trusted: whatever it rewrites is proved
again. ``knuckledragger`` (``kdrag``) keeps the proofs, Z3 decides the arithmetic, cvc5
replays it (``make check``). What must be believed is ``_AXIOMS``, ``RULES``, the reading
and printing of statements (``translation``, ``statements``) and ``PROGRAMS``.
"""

from dataclasses import dataclass
from functools import reduce
from weakref import WeakKeyDictionary

import flint
import kdrag as kd
import kdrag.smt as smt
from kdrag import kernel
from sympy import Eq, Ge, Gt, Indexed, IndexedBase, Le, Rel, Sum, symbols, sympify

from polycore.statements import Exp, Log, Power, Tail, i, n, total
from polycore.translation import COMPARE, INT, ProofError, Refuted, Scope, enclose

__all__ = ["AXIOMS", "PROGRAMS", "RULES", "SOURCES", "Judgment", "ProofError", "Refuted"]
__all__ += ["apply", "arithmetic", "ball", "induction"]

f, g, x, y, a, c, d, t = *map(IndexedBase, "fg"), *symbols("x y a c d t")

# name: (hypotheses, conclusion, source). With induction over n, all that is believed.
_AXIOMS = {
    "exp of a sum": ([], Eq(Exp(x + y), Exp(x) * Exp(y)), "DLMF, 4.2(iii)"),
    "tangent of exp": ([], Ge(Exp(x), 1 + x), "DLMF, 4.5(ii)"),
    "log inverts exp": ([Gt(x, 0)], Eq(Exp(Log(x)), x), "DLMF, 4.2(iii)"),
    "power": ([Gt(x, 0)], Eq(Power(x, a), Exp(a * Log(x))), "DLMF, 4.2(iv); definition"),
    "empty sum": ([], Eq(Sum(f[i], (i, 1, 0)), 0, evaluate=False), "definition"),
    "one more term": ([Ge(n, 0)], Eq(Sum(f[i], (i, 1, n + 1)), total(f[i]) + f[n + 1]), "definition"),
    "Hoeffding": (
        [Gt(t, 0), Gt(total(f[i] ** 2), 0)],
        Le(Tail(total(f[i]), t), 2 * Exp(-(t**2) / (2 * total(f[i] ** 2)))),
        "Lemma 3.6; Hoeffding 1963, Theorem 2",
    ),
}
PROGRAMS = {
    "knuckledragger": "keeps the proofs, and instantiates and generalises them",
    "z3-solver": "decides real arithmetic, rewriting and the two steps of an induction",
    "cvc5": "replays every obligation of real arithmetic",
    "python-flint": "encloses explicit numbers in balls",
    "sympy": "writes and prints statements; its simplifications are not believed",
}
SECONDS = 20  # for Z3, on each obligation


@dataclass(frozen=True)
class _Content:
    hypotheses: tuple
    conclusion: Rel
    why: str
    axioms: frozenset
    obligations: tuple
    variables: tuple
    proof: kernel.Proof


def _seal():
    """Handles without content of their own, and the only two functions that join the two."""
    issued = WeakKeyDictionary()

    def content(judgment):
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

    for name in ("hypotheses", "conclusion", "why", "axioms", "obligations"):
        setattr(Judgment, name, property(lambda self, name=name: getattr(content(self), name)))

    def issue(*fields):
        judgment = object.__new__(Judgment)
        issued[judgment] = _Content(*fields)
        return judgment

    return Judgment, issue, content


Judgment, _issue, _content = _seal()


_BOOLEAN_OR_ARITHMETIC = {
    getattr(smt, f"Z3_OP_{name}")
    for name in "AND OR NOT IMPLIES EQ DISTINCT TRUE FALSE LE LT GE GT ADD SUB UMINUS MUL DIV ANUM".split()
}


def _generic(formula, table):
    """``formula`` with all that is not real arithmetic replaced by fresh variables, kept in ``table``."""
    arithmetic = smt.is_app(formula) and formula.decl().kind() in _BOOLEAN_OR_ARITHMETIC
    if arithmetic and all(child.sort() != INT for child in formula.children()):
        children = [_generic(child, table) for child in formula.children()]
        return formula.decl()(*children) if children else formula
    return table.setdefault(formula.get_id(), (formula, kernel.FreshVar("x", formula.sort())))[1]


def _implication(facts, goal):
    return reduce(lambda rest, fact: smt.Implies(fact.thm, rest), reversed(facts), goal)


def _kd(theorem, by):
    """A step of logic and rewriting, by the kernel of knuckledragger."""
    try:
        return kernel.prove(theorem, by=by, timeout=SECONDS * 1000)
    except kernel.LemmaError as error:
        raise ProofError(f"the kernel does not accept {theorem}: {error.args[-1]}") from None


def _rewritings(table):
    """Equalities between terms that differ only in how SymPy arranged an argument."""
    groups = {}
    for atom, _ in table.values():
        groups.setdefault(smt.simplify(atom, som=True).sexpr(), []).append(atom)
    return [_kd(first == other, []) for first, *others in groups.values() for other in others]


def _entail(facts, goal, shown):
    """A proof of ``goal`` from proofs, by real arithmetic, and the obligation that Z3 discharged."""
    table = {}
    _generic(_implication(facts, goal), table)
    facts = [*_rewritings(table), *facts]
    formula = _generic(_implication(facts, goal), table)
    atoms, variables = map(list, zip(*table.values())) if table else ([], [])
    try:
        proof = kernel.prove(formula, timeout=SECONDS * 1000, solver=lambda: smt.SolverFor("QF_NRA"))
    except kernel.LemmaError as error:
        raise _left_over(error.args[-1], zip(atoms, variables), shown) from None
    proof = kernel.instan(atoms, kernel.generalize(variables, proof)) if table else proof
    return reduce(kernel.modus, facts, proof), _obligation(formula, variables)


def _obligation(formula, variables):
    """The negation of ``formula`` in SMT-LIB, its variables numbered, for another solver to refute."""
    solver = smt.Solver()
    solver.add(smt.Not(smt.substitute(formula, *((v, smt.Const(f"x{k}", v.sort())) for k, v in enumerate(variables)))))
    return "(set-logic QF_NRA)\n" + solver.to_smt2()


def _left_over(found, atoms, shown):
    if not isinstance(found, smt.ModelRef):
        return ProofError(f"Z3 could not decide it in {SECONDS} s ({found})")
    named = ((shown[a.get_id()][1], found[v]) for a, v in atoms if a.get_id() in shown and found[v] is not None)
    values = sorted(f"{name} = {value}" for name, value in named)
    return Refuted(f"nothing that is given excludes {', '.join(values)}")


def _statements(judgments):
    return [relation for p in map(_content, judgments) for relation in (*p.hypotheses, p.conclusion)]


def _derive(goal, given, using, why, scope, lemmas=(), axioms=frozenset(), obligations=()):
    """The one way to ``given ⊢ goal``: from judgments, and from proofs about ``scope``."""
    given, parts = tuple(given), [*scope.divisors(goal), goal]
    premises = [_content(judgment) for judgment in (*using, *(ball(part) for part in parts[:-1] if part.lhs.is_number))]
    facts = [*lemmas, *(kernel.instan([scope.var[s] for s in p.variables], p.proof) for p in premises)]
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
    proof = done[-1][0]
    if i in goal.free_symbols:
        [one], every = kernel.herb(scope.closed(goal))
        proof = kernel.compose(kernel.instan([one], kernel.generalize([scope.var[i]], proof)), every)
    axioms = axioms.union(*(p.axioms for p in premises))
    obligations = dict.fromkeys([*obligations, *(text for p in premises for text in p.obligations), *(text for _, text in done)])
    return _issue(tuple(given), goal, why, axioms, tuple(obligations), scope.variables, scope.generalized(proof))


def arithmetic(goal, given=(), using=(), why=""):
    """Real arithmetic: a relation follows from judgments when Z3 refutes its negation, every divisor being non-zero.

    Raises :class:`ProofError` with values at which the goal is false, when it does not follow.

    >>> arithmetic(Ge(x**2 + 1, 2 * x))
    ⊢ x**2 + 1 >= 2*x
    """
    return _derive(goal, given, using, why, Scope([goal, *given, *_statements(using)]))


def _put(relation, terms):
    """``relation`` with terms put for symbols all at once, and not decided by SymPy."""
    entries = {e: terms[e.base].xreplace({i: e.indices[0]}) for e in relation.atoms(Indexed) if e.base in terms}
    return relation.func(*(side.xreplace(entries | terms) for side in relation.args), evaluate=False)


def apply(lemma, terms, given=(), using=(), why=""):
    """Application: an axiom or a judgment holds with terms put for its symbols, once its hypotheses are proved.

    ``terms`` maps the lemma's symbols, or their names, to terms; a sequence such as ``f``, in a
    lemma about ``f[i]``, takes a term in ``i``.

    >>> apply(AXIOMS["tangent of exp"], {"x": 2 * y})
    ⊢ Exp(2*y) >= 2*y + 1
    """
    content = _content(lemma)
    named = {str(symbol): symbol for symbol in content.variables}
    if unknown := {str(key) for key in terms} - named.keys():
        raise ProofError(f"“{content.why}” has no symbol {', '.join(unknown)}; it has {', '.join(named)}")
    terms = {named[str(key)]: sympify(term) for key, term in terms.items()}
    hypotheses, goal = [_put(h, terms) for h in content.hypotheses], _put(content.conclusion, terms)
    try:
        using = [*using, *(arithmetic(h, given, using) for h in hypotheses if h not in given)]
    except ProofError as error:
        raise type(error)(f"a hypothesis of “{content.why}” is not met: {error}") from None
    scope = Scope([goal, *given, *_statements(using), *terms.values()])
    values = [scope.value(symbol, terms.get(symbol, symbol)) for symbol in content.variables]
    # A hypothesis about every f[i] stays about every i; one about x, with z[i] put for x, is about this i.
    met = [scope.closed(h) if i in old.free_symbols else scope.local(h) for old, h in zip(content.hypotheses, hypotheses)]
    numbers = scope.all(h for h in given if i not in h.free_symbols)
    instance = _kd(smt.Implies(smt.And([numbers, *met]), scope.local(goal)), [kernel.instan(values, content.proof)])
    return _derive(goal, given, using, why or content.why, scope, [instance], content.axioms, content.obligations)


def _axiom(name, hypotheses, conclusion):
    scope = Scope([*hypotheses, conclusion])
    proof = kd.axiom(smt.Implies(scope.all(hypotheses), scope.closed(conclusion)), [name])
    return _issue(tuple(hypotheses), conclusion, name, frozenset({name}), (), scope.variables, scope.generalized(proof))


AXIOMS = {name: _axiom(name, hypotheses, conclusion) for name, (hypotheses, conclusion, _) in _AXIOMS.items()}
SOURCES = {name: source for name, (_, _, source) in _AXIOMS.items()}
_k, _P = smt.Int("k"), smt.Const("P", smt.ArraySort(INT, smt.BoolSort()))
_step, _every = smt.Implies(smt.And(_k >= 0, _P[_k]), _P[_k + 1]), smt.Implies(_k >= 0, _P[_k])
_schema = smt.ForAll([_P], smt.Implies(smt.And(_P[0], smt.ForAll([_k], _step)), smt.ForAll([_k], _every)))
_INDUCTION = kd.axiom(_schema, ["induction"])


def induction(goal, given, why, first=0):
    """Induction: what holds of sums of ``first`` terms, and of k + 1 terms when it does of k, holds for every n ≥ first."""
    scope, k = Scope([goal, *given]), kernel.FreshVar("k", INT)
    scope.undivided(goal)

    def claim(size):
        scope.var[n] = size
        return smt.Implies(scope.all(given), scope.local(goal))

    def unfold(name, size):
        sums = sorted(goal.atoms(Sum), key=str)
        return [kernel.instan([scope.array(s.function), size], _content(AXIOMS[name]).proof) for s in sums]

    n_now, zero = scope.var[n], smt.IntVal(0)
    base = _kd(claim(smt.IntVal(first)), unfold("empty sum", zero) + unfold("one more term", zero))
    more = _kd(smt.Implies(smt.And(k >= 0, claim(k + first)), claim(k + 1 + first)), unfold("one more term", k + first))
    schema = kernel.instan([smt.Lambda([_k], claim(_k + first))], _INDUCTION)
    every = _kd(smt.ForAll([_k], smt.Implies(_k >= 0, claim(_k + first))), [schema, base, kernel.generalize([k], more)])
    scope.var[n] = n_now
    hypotheses = (*given, Ge(n, first))
    proof = _kd(smt.Implies(scope.all(hypotheses), scope.closed(goal)), [kernel.instan([n_now - first], every)])
    used = frozenset({"empty sum", "one more term", "induction"})
    return _issue(hypotheses, goal, why, used, (), scope.variables, scope.generalized(proof))


def ball(relation):
    """Ball arithmetic: a relation between explicit numbers holds when balls enclose its sides apart.

    Raises :class:`ProofError` when 4096 bits do not separate them.

    >>> from sympy import Integer, Lt, Rational
    >>> ball(Lt(Exp(Integer(1)), Rational(272, 100)))
    ⊢ Exp(1) < 68/25
    """
    scope = Scope([relation])
    for bits in (64, 256, 1024, 4096):
        with flint.ctx.workprec(bits):
            if COMPARE[type(relation)](*map(enclose, relation.args)):
                proof = scope.generalized(kd.axiom(scope.local(relation), ["ball"]))
                return _issue((), relation, "ball arithmetic", frozenset({"ball"}), (), scope.variables, proof)
    raise ProofError(f"ball arithmetic does not find {relation} with 4096 bits; it is false, or too close to call")


RULES = (apply, arithmetic, induction, ball)
