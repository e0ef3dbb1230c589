"""Queries in SMT-LIB as Z3 was asked them, so that another solver can decide them again."""

import re
from collections.abc import Sequence

import kdrag.smt as smt

__all__ = ["script"]


def script(assumptions: Sequence[smt.BoolRef], goal: smt.BoolRef, logic: str) -> str:
    """The question whether ``goal`` can be false where all ``assumptions`` hold; the answer "unsat"
    says that it cannot.

    Names are numbered as they occur, so that a query has the same text in every run. Sequences are
    functions here.

    >>> print(script([], smt.Real("x") < 1, "QF_NRA"))
    (set-logic QF_NRA)
    (declare-fun x.0 () Real)
    (assert (not (< x.0 1.0)))
    (check-sat)
    """
    # One assertion: what several of them say of every i is then one part, with one bound variable.
    # Apart, cvc5 would have to find out that they say the same, with products in the way.
    asked = smt.And([*assumptions, smt.Not(goal)]) if assumptions else smt.Not(goal)
    symbols = _symbols([asked])
    free = [
        (symbol(), _numbered(symbol, k)) for k, symbol in enumerate(symbols) if symbol.arity() == 0
    ]
    declared = [name.decl() for _, name in free] + [symbol for symbol in symbols if symbol.arity()]
    # On one line: where Z3 breaks it depends on the length of the numbers that it drew.
    formula = " ".join(smt.substitute(asked, *free).sexpr().split())
    text = "\n".join(
        [
            f"(set-logic {logic})",
            *sorted(name.sexpr() for name in declared),
            f"(assert {formula})",
            "(check-sat)",
        ]
    )
    return _bound(text).replace("(select ", "(@ ").replace("(Array Int Real)", "(-> Int Real)")


def _symbols(parts):
    """What is free in these formulas and has no meaning of its own, in the order in which it
    occurs.
    """
    found: dict[smt.FuncDeclRef, None] = {}
    seen, todo = set(), [*reversed(parts)]
    while todo:
        part = todo.pop()
        if part.get_id() not in seen:
            seen.add(part.get_id())
            if smt.is_app(part) and part.decl().kind() == smt.Z3_OP_UNINTERPRETED:
                found[part.decl()] = None
            todo += reversed(part.children())  # of a quantifier, its body
    return list(found)


def _numbered(symbol, k):
    """A constant for this one, without the number that Z3 drew for it; the point keeps it apart
    from what is bound.
    """
    return smt.Const(f"{symbol.name().partition('!')[0]}.{k}", symbol.range())


def _bound(text):
    """The text with numbers from 0 on for those that Z3 drew for bound variables, f!217, and for
    shared parts, a!3.
    """
    shared, variables = (
        set(re.findall(form, text))
        for form in (r"\(let \(\((a!\d+) ", r"\((\w+!\d+) (?:Int|Real|\(Array)")
    )
    assert not shared & variables, f"the query has two meanings for {shared & variables}"
    names: dict[str, str] = {}
    return re.sub(
        r"\w+!\d+", lambda name: names.setdefault(name[0], f"{name[0][0]}_{len(names)}"), text
    )
