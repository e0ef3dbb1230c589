"""The trusted kernel: judgments that only rules can make.

A :class:`Judgment` says that a relation between real numbers follows from hypotheses.
SymPy writes and prints statements and is *not* trusted: whatever it rewrites is proved
again. ``knuckledragger`` (``kdrag``) keeps the proofs, Z3 decides the arithmetic, cvc5
replays it (``make check``). All that must be believed is the first screen of this file,
the translation to Z3 (``_Scope``) and the programs named in ``SOLVERS``.

A statement that mentions the index ``i`` is meant for every ``i`` in ``1..n``.
"""

from dataclasses import dataclass
from functools import reduce
from weakref import WeakKeyDictionary

import flint
import kdrag as kd
import kdrag.smt as smt
import sympy
from kdrag import kernel
from sympy import Add, Eq, Ge, Gt, Indexed, IndexedBase, Le, Lt, Mul, Ne, Pow, Sum, Symbol
from sympy.core.relational import Relational

__all__ = [
    "AXIOMS", "Chain", "Exp", "Judgment", "Log", "Power", "ProofError", "RULES", "SOLVERS", "Tail",
    "apply", "arithmetic", "ball", "chain", "i", "n", "step", "total",
]  # fmt: skip


class Exp(sympy.Function):
    """e^x, opaque to SymPy: nothing about it is used but the axioms."""

    def _latex(self, printer):
        return rf"e^{{{printer.doprint(self.args[0])}}}"


class Log(sympy.Function):
    """The natural logarithm ln x, opaque to SymPy."""

    def _latex(self, printer):
        return rf"\ln {printer.parenthesize(self.args[0], 50)}"


class Power(sympy.Function):
    """x^a with a real exponent, opaque to SymPy, so that 4^β and (2^β)² are not confused."""

    def _latex(self, printer):
        base, exponent = self.args
        shown = printer.doprint(base)
        return rf"{shown if base.is_Atom or isinstance(base, Indexed) else rf'({shown})'}^{{{printer.doprint(exponent)}}}"


class Tail(sympy.Function):
    """Pr[|Σ f_i σ_i| > t] for independent Rademacher σ_i: ``Tail(total(f_i), t)``."""

    def _latex(self, printer):
        summand = printer.doprint(Mul(self.args[0].function, Symbol(r"\sigma_i"), evaluate=False))
        return rf"\Pr\Big[\Big|\sum_{{i=1}}^{{n}} {summand}\Big| > {printer.doprint(self.args[1])}\Big]"


i, n = Symbol("i", integer=True), Symbol("n", integer=True)
_f, _g = IndexedBase("f"), IndexedBase("g")
_x, _y, _a, _c, _d, _t = sympy.symbols("x y a c d t")


def total(term):
    """The sum of ``term`` over i = 1..n."""
    return Sum(term, (i, 1, n))


# name: (hypotheses, conclusion, source). This, the definition of a finite sum and
# induction are everything that is believed without proof.
_AXIOMS = {
    "exp of a sum": ([], Eq(Exp(_x + _y), Exp(_x) * Exp(_y)), "DLMF 4.2.30"),
    "tangent of exp": ([], Ge(Exp(_x), 1 + _x), "DLMF 4.5.12 (equality at 0)"),
    "log inverts exp": ([Gt(_x, 0)], Eq(Exp(Log(_x)), _x), "DLMF 4.2.3"),
    "power": ([Gt(_x, 0)], Eq(Power(_x, _a), Exp(_a * Log(_x))), "DLMF 4.2.26"),
    "Hoeffding": (
        [Gt(_t, 0), Gt(total(_f[i] ** 2), 0)],
        Le(Tail(total(_f[i]), _t), 2 * Exp(-(_t**2) / (2 * total(_f[i] ** 2)))),
        "Lemma 3.6; Hoeffding 1963, Theorem 2",
    ),
    "empty sum": ([], Eq(Sum(_f[i], (i, 1, 0)), 0, evaluate=False), "definition"),
    "one more term": ([Ge(n, 0)], Eq(Sum(_f[i], (i, 1, n + 1)), total(_f[i]) + _f[n + 1]), "definition"),
}
RULES = [
    ("apply", "Instantiate an axiom or a proved judgment, and prove its hypotheses."),
    ("arithmetic", "A relation follows when Z3 finds the negation unsatisfiable over the reals; every denominator must be proved non-zero."),
    ("chain", "Join relations end to end; the joined relation is again proved by arithmetic."),
    ("induction", "What holds for 0 terms, and for k + 1 terms whenever for k, holds for n; used to prove two facts about sums."),
    ("ball", "A relation between explicit numbers holds when ball arithmetic encloses the difference on one side of zero."),
]  # fmt: skip
SOLVERS = {
    "knuckledragger": "keeps the proofs and instantiates quantifiers",
    "z3-solver": "decides real arithmetic, sums and induction steps",
    "cvc5": "replays every obligation of real arithmetic that Z3 discharged",
    "python-flint": "encloses explicit numbers in balls",
    "sympy": "writes and prints statements; its simplifications are not believed",
}

_REAL, _INT = smt.RealSort(), smt.IntSort()
_ARRAY = smt.ArraySort(_INT, _REAL)
_EXP, _LOG = (smt.Function(name, _REAL, _REAL) for name in ("exp", "log"))
_POWER = smt.Function("power", _REAL, _REAL, _REAL)
_SUM = smt.Function("sum", _ARRAY, _INT, _REAL)
_TAIL = smt.Function("tail", _ARRAY, _INT, _REAL, _REAL)
_COMPARE = {
    Eq: lambda a, b: a == b, Ne: lambda a, b: a != b, Le: lambda a, b: a <= b,
    Lt: lambda a, b: a < b, Ge: lambda a, b: a >= b, Gt: lambda a, b: a > b,
}  # fmt: skip
SECONDS = 20  # for Z3, on each obligation
_SIGNS = {"=": Eq, "<=": Le, "<": Lt, ">=": Ge, ">": Gt}


class ProofError(Exception):
    """A step that no rule allows; the message says which, and what was left over."""


@dataclass(frozen=True)
class _Content:
    hypotheses: tuple
    conclusion: Relational
    why: str
    axioms: frozenset
    obligations: tuple
    variables: tuple
    proof: kernel.Proof


def _seal():
    """A class of handles without content, and the only two functions that see the content."""
    issued = WeakKeyDictionary()

    def content(judgment):
        try:
            return issued[judgment]
        except (KeyError, TypeError):
            raise ProofError(f"{type(judgment).__name__} was not made by a rule; use axiom, apply, arithmetic or ball") from None

    class Judgment:
        """``hypotheses ⊢ conclusion``, made only by the rules of this module."""

        __slots__ = ("__weakref__",)

        def __new__(cls, *args, **kwargs):
            raise ProofError("a judgment is made by a rule (apply, arithmetic, chain, ball), never by hand")

        hypotheses = property(lambda self: content(self).hypotheses)
        conclusion = property(lambda self: content(self).conclusion)
        why = property(lambda self: content(self).why)
        axioms = property(lambda self: content(self).axioms)
        obligations = property(lambda self: content(self).obligations)

        def __repr__(self):
            return f"{', '.join(map(str, self.hypotheses))} ⊢ {self.conclusion}"

        def _repr_latex_(self):
            hypotheses = r",\ ".join(map(sympy.latex, self.hypotheses))
            return rf"$\displaystyle {hypotheses} \;\vdash\; {sympy.latex(self.conclusion)}$"

    def issue(content):
        judgment = object.__new__(Judgment)
        issued[judgment] = content
        return judgment

    return Judgment, issue, content


Judgment, _issue, _content = _seal()


class _Scope:
    """The translation of SymPy relations to Z3, with one fresh variable for each symbol."""

    def __init__(self, relations):
        atoms = set().union({i, n}, *(relation.atoms(Symbol, IndexedBase) for relation in relations))
        bases = {base for base in atoms if isinstance(base, IndexedBase)}
        labels = {base.label for base in bases}
        self.symbols = sorted(atoms - labels, key=str)
        self.var = {symbol: kernel.FreshVar(str(symbol), self._sort(symbol)) for symbol in self.symbols}
        self.shown = {}

    @staticmethod
    def _sort(symbol):
        return _ARRAY if isinstance(symbol, IndexedBase) else _INT if symbol.is_integer else _REAL

    def integer(self, e):
        if e.is_Integer:
            return smt.IntVal(int(e))
        if e.is_Symbol and e.is_integer:
            return self.var[e]
        if e.is_Add:
            return reduce(lambda a, b: a + b, map(self.integer, e.args))
        raise ProofError(f"{e} is not an integer index; write it with i, n and whole numbers")

    def _bound(self, translate, e):
        """``translate(e)`` with i as the variable that a quantifier or a sum will bind."""
        k, outer = smt.Int("i"), self.var
        self.var = {**outer, i: k}
        translated, self.var = translate(e), outer
        return k, translated

    def array(self, body):
        k, term = self._bound(self.term, body)
        return smt.Lambda([k], term)

    def term(self, e):
        if e.is_Rational:
            return smt.RealVal(str(e))
        if e.is_Add:
            return reduce(lambda a, b: a + b, map(self.term, e.args))
        if e.is_Mul:
            return reduce(lambda a, b: a * b, map(self.term, e.args))
        if e.is_Pow and e.exp.is_Integer:
            power = reduce(lambda a, b: a * b, [self.term(e.base)] * abs(int(e.exp)))
            return power if e.exp > 0 else 1 / power
        atom = self._atom(e)
        self.shown[atom.get_id()] = atom, e
        return atom

    def _atom(self, e):
        match e:
            case Symbol():
                return smt.ToReal(self.var[e]) if e.is_integer else self.var[e]
            case Indexed():
                return self.var[e.base][self.integer(e.indices[0])]
            case Sum():
                (index, low, high), = e.limits
                if index == i and low == 1:
                    return _SUM(self.array(e.function), self.integer(high))
            case Tail():
                return _TAIL(self.array(e.args[0].function), self.integer(e.args[0].limits[0][2]), self.term(e.args[1]))
            case Exp() | Log():
                return (_EXP if isinstance(e, Exp) else _LOG)(self.term(e.args[0]))
            case Power():
                return _POWER(*map(self.term, e.args))
        raise ProofError(f"the kernel does not know {e!r} ({type(e).__name__}); write it with Exp, Log, Power, Tail and total")

    def local(self, relation):
        if type(relation) not in _COMPARE:
            raise ProofError(f"{relation!r} is not a relation: SymPy decided it, or it is no =, <=, <, >=, >; build it with evaluate=False")
        return _COMPARE[type(relation)](*map(self.term, relation.args))

    def value(self, symbol, term):
        """``term`` as a value of the kind of ``symbol``: sequence, integer or real."""
        if isinstance(symbol, IndexedBase):
            return self.var[term] if isinstance(term, IndexedBase) else self.array(term)
        return (self.integer if symbol.is_integer else self.term)(sympy.sympify(term))

    def in_range(self):
        return smt.And(1 <= self.var[i], self.var[i] <= self.var[n])

    def ranged(self, relation):
        formula = self.local(relation)
        return smt.Implies(self.in_range(), formula) if i in relation.free_symbols else formula

    def closed(self, relation):
        if i not in relation.free_symbols:
            return self.local(relation)
        k, formula = self._bound(self.ranged, relation)
        return smt.RawForAll([k], formula)

    def all(self, relations):
        return smt.And([smt.BoolVal(True), *map(self.closed, relations)])

    def at_index(self, relation):
        """The kernel's own: closed(relation) implies ranged(relation)."""
        return kernel.specialize([self.var[i]], self.closed(relation))


_BOOLEAN_OR_ARITHMETIC = {
    smt.Z3_OP_AND, smt.Z3_OP_OR, smt.Z3_OP_NOT, smt.Z3_OP_IMPLIES, smt.Z3_OP_EQ, smt.Z3_OP_DISTINCT,
    smt.Z3_OP_TRUE, smt.Z3_OP_FALSE, smt.Z3_OP_LE, smt.Z3_OP_LT, smt.Z3_OP_GE, smt.Z3_OP_GT,
    smt.Z3_OP_ADD, smt.Z3_OP_SUB, smt.Z3_OP_UMINUS, smt.Z3_OP_MUL, smt.Z3_OP_DIV, smt.Z3_OP_ANUM,
}  # fmt: skip


def _generic(formula, atoms):
    """``formula`` with all that is not real arithmetic replaced by fresh variables, kept in ``atoms``."""
    arithmetic = smt.is_app(formula) and formula.decl().kind() in _BOOLEAN_OR_ARITHMETIC
    if arithmetic and all(child.sort() != _INT for child in formula.children()):
        children = [_generic(child, atoms) for child in formula.children()]
        return formula.decl()(*children) if children else formula
    return atoms.setdefault(formula.get_id(), (formula, kernel.FreshVar("x", formula.sort())))[1]


def _entail(facts, goal, shown):
    """A kernel proof of ``goal`` from kernel proofs, by real arithmetic, and the obligation it left."""
    table = {}
    _generic(_implication(facts, goal), table)
    facts = [*_rewritings(table), *facts]
    formula = _generic(_implication(facts, goal), table)
    atoms, variables = (list(column) for column in zip(*table.values())) if table else ([], [])
    try:
        proof = kernel.prove(formula, timeout=SECONDS * 1000, solver=lambda: smt.SolverFor("QF_NRA"))
    except kernel.LemmaError as error:
        raise ProofError(_left_over(error.args[-1], zip(atoms, variables), shown)) from None
    proof = kernel.instan(atoms, kernel.generalize(variables, proof)) if atoms else proof
    return reduce(kernel.modus, facts, proof), _obligation(formula, variables)


def _implication(facts, goal):
    return reduce(lambda rest, fact: smt.Implies(fact.thm, rest), reversed(facts), goal)


def _rewritings(table):
    """Equalities between terms that differ only in how SymPy arranged an argument."""
    groups = {}
    for atom, _ in table.values():
        groups.setdefault(smt.simplify(atom, som=True).sexpr(), []).append(atom)
    return [_kd(first == other, []) for first, *others in groups.values() for other in others]


def _obligation(formula, variables):
    """The negated formula in SMT-LIB, its variables numbered, for another solver to refute."""
    solver = smt.SolverFor("QF_NRA")
    numbered = [(v, smt.Const(f"x{k}", v.sort())) for k, v in enumerate(variables)]
    solver.add(smt.Not(smt.substitute(formula, *numbered)))
    return "(set-logic QF_NRA)\n" + solver.to_smt2()


def _left_over(found, atoms, shown):
    if not isinstance(found, smt.ModelRef):
        return f"Z3 could not decide it in {SECONDS} s ({found})"
    values = [f"{shown[atom.get_id()][1]} = {found[x]}" for atom, x in atoms if atom.get_id() in shown and found[x] is not None]
    return "it is false, with all that is given, at " + ", ".join(sorted(values))


def _derive(goal, given, using, why, lemmas=(), axioms=frozenset(), obligations=(), scope=None):
    """The one way to a judgment: ``given ⊢ goal`` from judgments and from kernel proofs in ``scope``."""
    premises = [_content(judgment) for judgment in using]
    scope = scope or _Scope([goal, *given, *(r for p in premises for r in (*p.hypotheses, p.conclusion))])
    facts = [kernel.instan([scope.var[s] for s in p.variables], p.proof) for p in premises]
    stated = [*given, *(p.conclusion for p in premises)]
    facts += [scope.at_index(relation) for relation in stated if i in relation.free_symbols]
    context, facts = scope.all(given), [*lemmas, *facts]
    try:
        done = [_entail(facts, smt.Implies(context, formula), scope.shown) for formula in [*_nonzero(goal, scope), scope.ranged(goal)]]
    except ProofError as error:
        raise ProofError(f"cannot derive {goal}\n  from {_listed(given)}\n  using {_listed(p.conclusion for p in premises)}:\n  {error}") from None
    proof = done[-1][0]
    if i in goal.free_symbols:
        pointwise = kernel.generalize([scope.var[i]], proof)
        proof = kernel.prove(smt.Implies(context, scope.closed(goal)), by=[pointwise])
    variables = tuple(symbol for symbol in scope.symbols if symbol != i)
    proof = kernel.generalize([scope.var[s] for s in variables], proof)
    axioms = axioms.union(*(p.axioms for p in premises))
    obligations = tuple(dict.fromkeys([*obligations, *(text for p in premises for text in p.obligations), *(text for _, text in done)]))
    return _issue(_Content(tuple(given), goal, why, axioms, obligations, variables, proof))


def _nonzero(goal, scope):
    """Every denominator of the goal differs from zero: without this, 1/0 would be any number."""
    bases = sorted({power.base for power in goal.atoms(Pow) if power.exp.is_negative}, key=str)
    return [scope.ranged(Ne(base, 0, evaluate=False)) for base in bases if not base.is_Rational]


def _listed(relations):
    return ", ".join(map(str, relations)) or "nothing"


def arithmetic(goal, given=(), using=(), why=""):
    """The judgment ``given ⊢ goal`` by real arithmetic from other judgments.

    Raises :class:`ProofError` with the values at which the goal is false, when it does not follow.

    >>> x = sympy.Symbol("x")
    >>> arithmetic(Ge(x**2 + 1, 2 * x))
     ⊢ x**2 + 1 >= 2*x
    """
    return _derive(goal, given, using, why)


def _put(relation, terms):
    """``relation`` with terms put for symbols at once, and nothing decided by SymPy."""
    entries = {e: terms[e.base].xreplace({i: e.indices[0]}) for e in relation.atoms(Indexed) if e.base in terms}
    scalars = {symbol: sympy.sympify(term) for symbol, term in terms.items() if not isinstance(symbol, IndexedBase)}
    return relation.func(*(side.xreplace(entries | scalars) for side in relation.args), evaluate=False)


def apply(lemma, terms, given=(), using=(), why=""):
    """The judgment ``given ⊢ lemma`` with ``terms`` put for its symbols, its hypotheses proved by arithmetic.

    A sequence symbol such as ``f`` in a lemma about ``f[i]`` takes a term in ``i``.
    """
    content = _content(lemma)
    hypotheses, goal = [_put(h, terms) for h in content.hypotheses], _put(content.conclusion, terms)
    try:
        using = [*using, *(arithmetic(h, given, using) for h in hypotheses)]
    except ProofError as error:
        raise ProofError(f"a hypothesis of “{content.why}” is not met: {error}") from None
    statements = [r for p in map(_content, using) for r in (*p.hypotheses, p.conclusion)]
    scope = _Scope([goal, *given, *statements, *map(sympy.sympify, terms.values())])
    values = [scope.value(symbol, terms.get(symbol, symbol)) for symbol in content.variables]
    # A hypothesis about every f[i] stays about every i; one about x, with z[i] put for x, is about this i.
    met = [scope.closed(h) if i in old.free_symbols else scope.local(h) for old, h in zip(content.hypotheses, hypotheses)]
    instance = smt.Implies(smt.And([smt.BoolVal(True), *met]), scope.local(goal))
    instance = _kd(instance, [kernel.instan(values, content.proof)])
    return _derive(goal, given, using, why or content.why, [instance], content.axioms, content.obligations, scope)


def _kd(theorem, by):
    """A step of pure logic and rewriting, by the kernel."""
    try:
        return kernel.prove(theorem, by=by, timeout=SECONDS * 1000)
    except kernel.LemmaError as error:
        raise ProofError(f"the kernel does not accept {theorem}: {error.args[-1]}") from None


def _axiom(name):
    hypotheses, conclusion, _ = _AXIOMS[name]
    scope = _Scope([*hypotheses, conclusion])
    variables = tuple(symbol for symbol in scope.symbols if symbol != i)
    formula = smt.Implies(scope.all(hypotheses), scope.closed(conclusion))
    proof = kd.axiom(smt.RawForAll([scope.var[s] for s in variables], formula), [name])
    return _issue(_Content(tuple(hypotheses), conclusion, name, frozenset({name}), (), variables, proof))


AXIOMS = {name: _axiom(name) for name in _AXIOMS}
SOURCES = {name: source for name, (_, _, source) in _AXIOMS.items()}
_k, _P = smt.Int("k"), smt.Const("P", smt.ArraySort(_INT, smt.BoolSort()))
_INDUCTION = kd.axiom(
    smt.ForAll([_P], smt.Implies(
        smt.And(_P[0], smt.ForAll([_k], smt.Implies(smt.And(_k >= 0, _P[_k]), _P[_k + 1]))),
        smt.ForAll([_k], smt.Implies(_k >= 0, _P[_k])))), ["induction"])  # fmt: skip


def _induction(goal, given, why):
    """The judgment ``given, n ≥ 0 ⊢ goal`` about sums to n, by induction on n."""
    scope, at = _Scope([goal, *given]), kernel.FreshVar("k", _INT)

    def claim(size):
        scope.var[n] = size
        return smt.Implies(scope.all(given), scope.local(goal))

    sums = [scope.array(s.function) for s in sorted(goal.atoms(Sum), key=str)]
    unfold = lambda name, size: [kernel.instan([s, size], _content(AXIOMS[name]).proof) for s in sums]
    base = _kd(claim(smt.IntVal(0)), unfold("empty sum", smt.IntVal(0)))
    more = _kd(smt.Implies(smt.And(at >= 0, claim(at)), claim(at + 1)), unfold("one more term", at))
    schema = kernel.instan([smt.Lambda([_k], claim(_k))], _INDUCTION)
    every = _kd(smt.ForAll([_k], smt.Implies(_k >= 0, claim(_k))), [schema, base, kernel.generalize([at], more)])
    scope.var[n] = size = kernel.FreshVar("n", _INT)
    hypotheses = (*given, Ge(n, 0))
    proof = _kd(smt.Implies(scope.all(hypotheses), scope.closed(goal)), [kernel.instan([size], every)])
    variables = tuple(symbol for symbol in scope.symbols if symbol != i)
    proof = kernel.generalize([scope.var[s] for s in variables], proof)
    return _issue(_Content(hypotheses, goal, why, frozenset({"empty sum", "one more term", "induction"}), (), variables, proof))


SUM_MONOTONE = _induction(Le(total(_f[i]), total(_g[i])), [Le(_f[i], _g[i])], "add n inequalities")
SUM_AFFINE = _induction(Eq(total(_c * _f[i] + _d), _c * total(_f[i]) + n * _d), [], "a sum is linear")


def ball(relation):
    """The judgment that a relation between explicit numbers holds, certified by ball arithmetic.

    >>> ball(Lt(Exp(sympy.Integer(1)), sympy.Rational(272, 100)))
     ⊢ Exp(1) < 68/25
    """
    relation = relation.func(*relation.args, evaluate=False)
    scope = _Scope([relation])
    formula = scope.local(relation)
    for bits in (64, 256, 1024, 4096):
        with flint.ctx.workprec(bits):
            if _COMPARE[type(relation)](*map(_enclose, relation.args)):
                proof = kernel.generalize([scope.var[n]], kd.axiom(formula, ["ball"]))
                return _issue(_Content((), relation, "ball arithmetic", frozenset({"ball"}), (), (n,), proof))
    raise ProofError(f"ball arithmetic does not find {relation} at 4096 bits; it is false, or an equality")


def _enclose(e):
    """A ball that contains the number ``e``."""
    if e.is_Rational:
        return flint.arb(flint.fmpq(int(e.p), int(e.q)))
    arguments = list(map(_enclose, e.args))
    if e.is_Pow and e.exp.is_Integer:
        return arguments[0] ** int(e.exp)
    rules = {Add: sum, Mul: lambda a: reduce(lambda x, y: x * y, a), Exp: lambda a: a[0].exp(), Log: lambda a: a[0].log(), Power: lambda a: a[0] ** a[1]}
    if e.func not in rules:
        raise ProofError(f"{e} is not an explicit number; put numbers for its symbols first")
    return rules[e.func](arguments)


@dataclass(frozen=True)
class Chain:
    """Relations joined end to end, displayed from the judgments that prove each of them."""

    links: tuple
    judgment: Judgment

    def __post_init__(self):
        ends = [(_content(a).conclusion.rhs, _content(b).conclusion.lhs) for a, b in zip(self.links, self.links[1:])]
        whole = _content(self.judgment).conclusion
        ends += [(whole.lhs, _content(self.links[0]).conclusion.lhs), (whole.rhs, _content(self.links[-1]).conclusion.rhs)]
        for end, start in ends:
            if end != start:
                raise ProofError(f"the chain is broken: one link ends in {end}, the next begins with {start}")

    def _repr_latex_(self):
        sign = {Eq: "=", Le: r"\le", Lt: "<", Ge: r"\ge", Gt: ">"}
        start = sympy.latex(self.links[0].conclusion.lhs)
        rows = [rf"&{sign[link.conclusion.func]} {sympy.latex(link.conclusion.rhs)} && \text{{{link.why}}}" for link in self.links]
        return rf"$$\begin{{aligned}} {start} " + r" \\ ".join(rows) + r" \end{aligned}$$"


def step(sign, term, why, *using):
    """One link of a chain: ``sign`` is =, <=, <, >= or >; ``using`` are the judgments it rests on."""
    return sign, sympy.sympify(term), why, using


def chain(start, *steps, given=(), using=()):
    """The chain ``start sign term sign term …``, each link proved by arithmetic, then joined.

    Raises :class:`ProofError` that names the step which does not follow and what was left over.

    >>> x = sympy.Symbol("x")
    >>> chain(x, step("<=", x**2, "x is at least 1"), step("<", x**2 + 1, "add 1"), given=[Ge(x, 1)]).judgment
    x >= 1 ⊢ x < x**2 + 1
    """
    links, left = [], sympy.sympify(start)
    for number, (sign, right, why, own) in enumerate(steps, 1):
        try:
            links.append(arithmetic(_SIGNS[sign](left, right, evaluate=False), given, [*using, *own], why))
        except ProofError as error:
            raise ProofError(f"step {number} of the chain ({why}): {error}") from None
        left = right
    signs = [sign for sign, *_ in steps]
    strongest = next((sign for sign in ("<", ">", "<=", ">=") if sign in signs), "=")
    whole = arithmetic(_SIGNS[strongest](sympy.sympify(start), left, evaluate=False), given, [*using, *links], "joined")
    return Chain(tuple(links), whole)
