"""A proof step by step: complete, in an order that can be checked, each step one of the rules."""

import html
import importlib
import pkgutil
import re

import pytest
from sympy import Ge, Gt, Integer, Le, symbols

from polycore import theory
from polycore.proof import AXIOMS, Exp, Log, ProofError, Theorem, apply, arithmetic, ball, n
from polycore.proof.records import Application, Arithmetic, Column
from polycore.proof.steps import as_html, steps
from polycore.theory import relu, sums

pytestmark = pytest.mark.kernel  # a step that is a theorem has its name: all are proved

ROOMS = [
    importlib.import_module(f"{theory.__name__}.{one.name}")
    for one in pkgutil.iter_modules(theory.__path__)
]
THEOREMS = {
    f"{room.__name__}.{name}": value
    for room in ROOMS
    for name, value in vars(room).items()
    if isinstance(value, Theorem) and value.__module__ == room.__name__
}


def words(lemma):
    """The steps as a reader sees them, a line each."""
    rows = re.findall("<li>(.*?)</li>", as_html(lemma, "#{}".format))
    return [html.unescape(re.sub("<[^>]*>", "", row)) for row in rows]


def test_each_rule_is_said():
    x = symbols("x")
    tangent = apply(AXIOMS["tangent of exp"], {"x": Log(n)})
    more = arithmetic(Gt(Exp(Log(n)), x), [Ge(Log(n), x)], [tangent])
    assert words(
        arithmetic(Gt(Exp(Log(n)), 1), [Ge(Log(n), 1)], [apply(more, {"x": 1}, [Ge(Log(n), 1)])])
    ) == [
        "Exp(Log(n)) ≥ Log(n) + 1 by the axiom “tangent of exp” with x = Log(n)",
        "Exp(Log(n)) > x by arithmetic from (1), where Log(n) ≥ x",
        "Exp(Log(n)) > 1 by (2) with x = 1",
        "Exp(Log(n)) > 1 by arithmetic from (3)",
    ]
    assert words(ball(Gt(Log(Integer(3)), 1))) == [
        "Log(3) > 1 by balls that enclose its sides apart"
    ]
    assert "by induction over n from 0 on: the first case is (" in words(sums.SUM_AFFINE)[-1]
    [column] = [one for one in THEOREMS.values() if isinstance(one.made, Column)]
    assert "by one more independent column from" in words(column)[-1]


def test_steps_lead_from_theorems_and_axioms_to_the_theorem():
    for name, one in THEOREMS.items():
        found = steps(one)
        assert found[-1].judgment is one()
        for number, step in enumerate(found, 1):
            assert len(step.names) == len(step.judgment.made.used)
            for used in step.names:
                known = used in THEOREMS or used in AXIOMS
                assert used < number if isinstance(used, int) else known, (name, step)


def again(judgment, used):
    """The judgment made once more, by the rule on record from the judgments given."""
    made, given = judgment.made, judgment.hypotheses
    if isinstance(made, Arithmetic):
        return arithmetic(judgment.conclusion, given, used)
    return apply(made.lemma, made.terms, given, used)


def test_the_record_is_enough_to_make_a_judgment_again_and_less_is_not():
    refused = 0
    for one in (*vars(sums).values(), *vars(relu).values()):
        for step in steps(one) if isinstance(one, Theorem) else ():
            made, judgment = step.judgment.made, step.judgment
            if not isinstance(made, Arithmetic | Application):
                continue
            used = made.used if isinstance(made, Arithmetic) else made.using
            assert again(judgment, used).conclusion == judgment.conclusion
            try:
                again(judgment, ())
            except ProofError:
                refused += 1
    assert refused > 20


def test_what_follows_from_less_is_not_shown_again():
    """A step under more hypotheses, where one under fewer is there; not the other way round."""
    x, y = symbols("x y")
    few, more = (arithmetic(Ge(x**2, 0), [Ge(x, 1)][:k]) for k in (0, 1))
    for order, many in (([few, more], 2), ([more, few], 3)):
        assert len(steps(arithmetic(Ge(x**2 + 1, y), [Ge(x, 1), Le(y, 1)], order))) == many
    found = steps(sums.SUM_AFFINE)
    assert not [
        (one, other)
        for k, one in enumerate(found)
        for other in found[:k]
        if one.judgment.conclusion == other.judgment.conclusion
        and {*other.judgment.hypotheses} <= {*one.judgment.hypotheses}
    ]


def test_a_theorem_of_a_notebook_has_no_page_and_is_shown_in_steps():
    own = Theorem(lambda: arithmetic(Ge(symbols("x") ** 2, 0)))
    assert [step.names for step in steps(arithmetic(Ge(symbols("x") ** 2, -1), [], [own]))] == [
        (),
        (1,),
    ]


def test_the_title_says_how_many_steps():
    tangent = apply(AXIOMS["tangent of exp"], {"x": Log(n)})
    two = arithmetic(Gt(Exp(Log(n)), 1), [Ge(Log(n), 1)], [tangent])
    titles = [as_html(lemma, "#{}".format).partition("</summary>")[0] for lemma in (tangent, two)]
    assert [title.partition(" in ")[2] for title in titles] == ["one step", "2 steps"]
