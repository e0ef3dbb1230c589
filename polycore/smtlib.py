"""Queries in SMT-LIB as Z3 was asked them, so that another solver can decide them again."""

import re

import kdrag.smt as smt

__all__ = ["script"]


def script(assumptions, goal, logic):
    """The question whether ``goal`` can be false where all ``assumptions`` hold; the answer "unsat" says that it cannot.

    Names are numbered as they occur, so that a query has the same text in every run. Sequences are functions here.

    >>> print(script([], smt.Real("x") < 1, "QF_NRA"))
    (set-logic QF_NRA)
    (declare-fun x () Real)
    (assert
     (not (< x 1.0)))
    (check-sat)
    """
    fresh = smt.Context()  # elsewhere Z3 writes apart whatever something else holds too
    solver = smt.Solver(ctx=fresh)  # SolverFor and SimpleSolver simplify what they are given
    solver.add(*(part.translate(fresh) for part in (*assumptions, smt.Not(goal))))
    declared, *asserted = solver.to_smt2().split("(assert")
    number = _numbered()
    asserted = [number(text) for text in asserted]  # before the declarations, of which Z3 chooses the order
    declared = sorted(map(number, re.findall(r"\(declare-fun .*\)", declared)))
    text = "\n".join([f"(set-logic {logic})", *declared, "(assert" + "(assert".join(asserted).rstrip()])
    return text.replace("(select ", "(@ ").replace("(Array Int Real)", "(-> Int Real)")


def _numbered():
    """A function that puts numbers from 0 on for those that Z3 drew for variables, f!217, and for shared parts, ?x3814."""
    names = {}
    return lambda text: re.sub(r"[?$]x\d+|\w+!\d+", lambda name: names.setdefault(name[0], f"{name[0][0]}_{len(names)}"), text)
