"""Queries in SMT-LIB as Z3 was asked them, so that another solver can decide them again."""

import re
from collections.abc import Sequence

import kdrag.smt as smt

__all__ = ["script"]

_ELSEWHERE = smt.Context()  # where nothing is held: Z3 names a part when anything else holds it too
_INT, _REAL = smt.IntSort(_ELSEWHERE), smt.RealSort(_ELSEWHERE)
_SORTS = {
    f"() {sort.sexpr()})": sort
    for sort in [_INT, _REAL, smt.BoolSort(_ELSEWHERE), smt.ArraySort(_INT, _REAL)]
}  # of constants, as Z3 declares them


def script(assumptions: Sequence[smt.BoolRef], goal: smt.BoolRef, logic: str) -> str:
    """The question whether ``goal`` can be false where all ``assumptions`` hold; the answer "unsat"
    says that it cannot.

    Names are numbered as they occur, so that a query has the same text in every run. Sequences are
    functions here.

    >>> print(script([], smt.FreshConst(smt.RealSort(), "x") < 1, "QF_NRA"))
    (set-logic QF_NRA)
    (declare-fun x.0 () Real)
    (assert (not (< x.0 1.0)))
    (check-sat)
    """
    # One assertion: what several of them say of every i is then one part, with one bound variable.
    # Apart, cvc5 would have to find out that they say the same, with products in the way.
    asked = smt.And([*assumptions, smt.Not(goal)]) if assumptions else smt.Not(goal)
    there = asked.translate(_ELSEWHERE)
    # Which parts Z3 names depends on their length, so that names must not be as long as the drawn
    # numbers are; and none is that of a bound variable, in whose scope it would be read as that.
    free = [
        (smt.Const(name, _SORTS[kind]), smt.Const(f"{name.split('!')[0]}!0{k:03}", _SORTS[kind]))
        for k, (name, kind) in enumerate(_printed(there)[0].items())
        if kind in _SORTS
    ]
    declared, formula = _printed(smt.substitute(there, *free))
    names: dict[str, str] = {}
    formula, *lines = (
        _numbered(text, declared, names)
        for text in (formula, *(f"(declare-fun {name} {kind}" for name, kind in declared.items()))
    )
    # What occurs last is declared first: cvc5 eliminates variables in the order of declaration.
    text = "\n".join([f"(set-logic {logic})", *sorted(lines, reverse=True), formula, "(check-sat)"])
    return text.replace("(select ", "(@ ").replace("(Array Int Real)", "(-> Int Real)")


def _printed(there):
    """What is free in a formula and has no meaning of its own, {name: its kind}; its assertion."""
    text = smt.Z3_benchmark_to_smtlib_string(
        there.ctx_ref(), "", "", "", "", 0, (smt.Ast * 0)(), there.as_ast()
    )
    head, _, rest = text.partition("(assert")
    declared = dict(re.findall(r"^\(declare-fun (\S+) (.*)$", head, re.MULTILINE))
    return declared, " ".join(["(assert", *rest.rpartition("(check-sat)")[0].split()])


def _numbered(text, declared, names):
    """The text with numbers from 0 on for those that Z3 drew: $0 for a shared part, x.1 for what is
    free, f_2 for what is bound.
    """

    def number(drawn):
        stem = "$" if drawn[0][0] in "$?" else drawn[0].split("!")[0] + "_."[drawn[0] in declared]
        return names.setdefault(drawn[0], f"{stem}{len(names)}")

    return re.sub(r"[$?]x\d+|\w+!\d+", number, text)
