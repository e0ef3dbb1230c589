"""What Z3 is asked, in which logic, and what is kept of it: the one way from a formula to a proof
of knuckledragger.
"""

from collections.abc import Callable, Mapping, Sequence, Set
from functools import cache, partial, reduce

import kdrag.smt as smt
from kdrag import kernel
from sympy import Expr

from polycore.proof.smtlib import script
from polycore.proof.translation import INT, ProofError, Refuted

__all__ = ["ARITHMETIC", "LOGIC", "by_logic", "decided", "entailed", "queries"]

SECONDS = 20  # for Z3, on each query
Shown = Mapping[int, tuple[smt.ExprRef, Expr]]  # a term by its id, and what it translates

LOGIC = {getattr(smt, f"Z3_OP_{name}") for name in ["AND", "OR", "NOT", "IMPLIES", "TRUE", "FALSE"]}
_RELATIONS = {getattr(smt, f"Z3_OP_{name}") for name in ["EQ", "DISTINCT", "LE", "LT", "GE", "GT"]}
ARITHMETIC = (
    LOGIC
    | _RELATIONS
    | {getattr(smt, f"Z3_OP_{name}") for name in ["ADD", "SUB", "UMINUS", "MUL", "DIV", "ANUM"]}
)


def _atoms(formulas, kept):
    """The largest parts of ``formulas`` that no operation ``kept`` makes, by their ids: the logic
    need not look into them.
    """
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


# id of a proof by Z3: the proof, and its query
_ASKED: dict[int, tuple[kernel.Proof, Callable[[], str]]] = {}


def _ask(theorem, by=(), logic=None):
    """A proof by Z3, the only way to one. What was asked is written only where somebody wants to
    ask another solver.
    """
    solver = logic and (lambda: smt.SolverFor(logic))
    proof = kernel.prove(theorem, by=by, timeout=SECONDS * 1000, solver=solver)
    _ASKED[id(proof)] = (
        proof,
        cache(partial(script, [one.thm for one in by], theorem, logic or "HO_UFNIRA")),
    )
    return proof


def queries(proofs: Sequence[kernel.Proof]) -> tuple[str, ...]:
    """All that Z3 was asked for these proofs, and for those that they were made from."""
    found: dict[str, None] = {}
    seen, todo = set(), [*reversed(proofs)]
    while todo:
        proof = todo.pop()
        if id(proof) not in seen:
            seen.add(id(proof))
            found |= {_ASKED[id(proof)][1](): None} if id(proof) in _ASKED else {}
            todo += [part for part in reversed(proof.reason) if isinstance(part, kernel.Proof)]
    return tuple(found)


def by_logic(theorem: smt.BoolRef, by: Sequence[kernel.Proof]) -> kernel.Proof:
    """A step of logic and rewriting, by the kernel of knuckledragger."""
    try:
        return _ask(theorem, by)
    except kernel.LemmaError as error:
        raise ProofError(f"the kernel does not accept {theorem}: {error.args[-1]}") from None


def _rewritings(atoms):
    """Equalities between terms that differ only in how SymPy arranged an argument."""
    groups: dict[smt.ExprRef, list[smt.ExprRef]] = {}
    tidy = partial(smt.simplify, som=True, sort_sums=True)
    for atom in atoms.values():
        groups.setdefault(tidy(tidy(atom)), []).append(atom)  # once leaves a factor 1
    return [by_logic(first == other, []) for first, *others in groups.values() for other in others]


def entailed(facts: Sequence[kernel.Proof], goal: smt.BoolRef, shown: Shown) -> kernel.Proof:
    """A proof of ``goal`` from proofs, by real arithmetic."""
    return decided(
        [*_rewritings(_atoms([*(fact.thm for fact in facts), goal], ARITHMETIC)), *facts],
        goal,
        shown,
    )


def decided(
    facts: Sequence[kernel.Proof],
    goal: smt.BoolRef,
    shown: Shown,
    logic: str = "QF_NRA",
    kept: Set[int] = ARITHMETIC,
) -> kernel.Proof:
    """The same, what ``kept`` does not name being any number or truth value."""
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
    named = (
        (shown[a.get_id()][1], found[v])
        for a, v in atoms
        if a.get_id() in shown and found[v] is not None
    )
    values = sorted(f"{name} = {value}" for name, value in named)
    return Refuted(f"nothing that is given excludes {', '.join(values)}")
