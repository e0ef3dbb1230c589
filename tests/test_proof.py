"""The kernel accepts what is true and refuses every attempt to cheat, saying what is left over."""

import copy
import dataclasses
import pathlib
import pickle
import re
import subprocess
import sys
import types

import cvc5
import kdrag as kd
import kdrag.smt as smt
import pytest
from kdrag import kernel
from sympy import (
    Dummy,
    Eq,
    Ge,
    Gt,
    Indexed,
    IndexedBase,
    Integer,
    Le,
    Lt,
    Mul,
    Ne,
    Pow,
    Rational,
    Sum,
    Symbol,
    Tuple,
    latex,
    sin,
    symbols,
)

from polycore.evidence import proved
from polycore.proof import (
    AXIOMS,
    Above,
    Chain,
    Exp,
    Judgment,
    Log,
    Power,
    ProofError,
    Silent,
    Stated,
    Tail,
    apply,
    arithmetic,
    axioms,
    ball,
    chain,
    i,
    judgment_of,
    m,
    n,
    step,
    theorem,
    total,
)
from polycore.proof import _solving as solving
from polycore.proof import kernel as proof
from polycore.proof.smtlib import script
from polycore.proof.translation import Scope
from polycore.theory import concentration, elementary
from polycore.theory.concentration import POWER_OVERTAKES_LOG
from polycore.theory.elementary import EXP_POSITIVE, POWER_AT_LEAST_ONE, POWER_MONOTONE
from polycore.theory.rademacher_sums import HOEFFDING_TWO_SIDED
from polycore.theory.sums import SUM_AFFINE, SUM_MONOTONE, SUM_POSITIVE

f, g, u, z = map(IndexedBase, "fguz")
x, y, a, c, d, t, beta = symbols("x y a c d t beta")
TWO, FOUR = Power(Integer(2), beta), Power(Integer(4), beta)


def refuses(*words):
    return pytest.raises(ProofError, match="(?s)" + ".*".join(map(re.escape, words)))


# What the kernel is for: the first steps of Lemma 4.1.

D0 = [Eq(u[i], Power(z[i], beta)), Ge(z[i], 2), Le(z[i], 4), Gt(beta, 0), Ge(n, 1)]


def term_bound():
    raised = apply(POWER_MONOTONE, {x: 2, y: z[i], a: beta}, D0)
    return arithmetic(Ge(u[i], TWO), D0, [raised])


def test_term_by_term_bounds_are_summed():
    smaller = apply(SUM_MONOTONE, {f: TWO, g: u[i]}, D0, [term_bound()])
    equal = apply(SUM_AFFINE, {c: 0, f: u[i], d: TWO}, D0)
    assert arithmetic(Ge(total(u[i]), n * TWO), D0, [smaller, equal]).conclusion == Ge(
        total(u[i]), n * TWO
    )


def test_a_sum_needs_the_bound_at_every_index():
    with refuses("a hypothesis of “add n inequalities” is not met", "u[i] = "):
        apply(SUM_MONOTONE, {f: TWO, g: u[i]}, D0)


def test_a_bound_on_the_sum_does_not_bound_a_term():
    with refuses("cannot derive u[i] <= 1", "nothing that is given excludes"):
        arithmetic(Le(u[i], 1), [Le(total(u[i]), 1), Ge(u[i], 0), Ge(n, 1)])


# Wrong constants, missing hypotheses, steps true only for some β.

SHARE = [Gt(x, 0), Le(x, d**2), Ge(a, n * d), Ge(d, 1), Ge(n, 1)]


def test_the_right_constant_is_proved_and_the_wrong_one_gets_a_countermodel():
    arithmetic(Le(x / a, d / n), SHARE)
    with refuses("cannot derive x/a <= d/(n + 1)", "nothing that is given excludes", "d = "):
        arithmetic(Le(x / a, d / (n + 1)), SHARE)


@pytest.mark.parametrize("missing", [0, 1, 2, 3, 4])
def test_each_hypothesis_is_needed_or_said_not_to_be(missing):
    needed = {1, 2, 3, 4}  # x > 0 is not: a negative term is below the bound too
    rest = [h for position, h in enumerate(SHARE) if position != missing]
    if missing in needed:
        with refuses("cannot derive"):
            arithmetic(Le(x / a, d / n), rest)
    else:
        arithmetic(Le(x / a, d / n), rest)


def test_a_step_true_only_for_beta_at_least_one_is_refused():
    arithmetic(
        Ge(TWO, 1), [Gt(beta, 0)], [apply(POWER_AT_LEAST_ONE, {x: 2, a: beta}, [Gt(beta, 0)])]
    )
    with refuses("cannot derive Power(2, beta) >= 2", "Power(2, beta) = "):
        arithmetic(
            Ge(TWO, 2), [Gt(beta, 0)], [apply(POWER_AT_LEAST_ONE, {x: 2, a: beta}, [Gt(beta, 0)])]
        )


def test_a_power_is_not_monotone_for_negative_exponents():
    with refuses(
        "a hypothesis of “a power with exponent at least 0 is increasing” is not met", "beta >= 0"
    ):
        apply(POWER_MONOTONE, {x: 2, y: 4, a: beta})


def test_hoeffding_with_the_wrong_exponent_is_refused():
    given = [Gt(t, 0), Gt(total(f[i] ** 2), 0), Ge(n, 0)]
    right = Exp(-(t**2) / (2 * total(f[i] ** 2)))
    arithmetic(Le(Tail(total(f[i]), t), 2 * right), given, [HOEFFDING_TWO_SIDED])
    for wrong in (
        2 * Exp(-(t**2) / total(f[i] ** 2)),
        right,
    ):  # the 2 dropped in the exponent, and before it
        with refuses("cannot derive Tail"):
            arithmetic(Le(Tail(total(f[i]), t), wrong), given, [HOEFFDING_TWO_SIDED])


# Division, and SymPy's rewriting.


def test_every_divisor_must_be_proved_non_zero():
    with refuses("cannot derive Eq(x/a, 1)", "which needs a ≠ 0", "a = 0"):
        arithmetic(Eq(x / a, 1), [Eq(x, a)])
    with refuses(
        "which needs a ≠ 0"
    ):  # whatever number Z3 takes 1/0 for, its square is not negative
        arithmetic(Ge(x**2 / a**2, 0))
    arithmetic(Eq(x / a, 1), [Eq(x, a), Gt(a, 0)])


def test_what_sympy_cancels_the_kernel_proves_again():
    # SymPy turns n·(1/n²) into 1/n, which is wrong at n = 0; SUM_AFFINE holds there.
    with refuses("cannot derive Ne(n, 0)"):
        apply(SUM_AFFINE, {c: 0, f: x, d: 1 / n**2}, [Ge(n, 0)])
    apply(SUM_AFFINE, {c: 0, f: x, d: 1 / n**2}, [Ge(n, 1)])


@pytest.mark.parametrize("names", range(4))
def test_what_sympy_rearranges_is_a_small_step(monkeypatch, names):
    """Put for r, a quotient turns 1/r about. In one step with all that is given, Z3 took 0.1 s or
    30 s, as its names fell.
    """
    for _ in range(names):
        kernel.FreshVar("pad", smt.RealSort())
    monkeypatch.setattr(solving, "SECONDS", 5)
    top, bottom = (Power(x, a).xreplace({x: symbols(name)}) for name in ("h", "l"))
    theorem, ratio = concentration.SILENT_SHARP, top / bottom
    given = [h.xreplace({symbols("r"): ratio}) for h in theorem.hypotheses]
    apply(theorem, {"r": ratio}, [*given, Gt(top, 0), Gt(bottom, 0)])


def test_a_relation_that_sympy_decided_is_not_a_statement():
    for rule in (arithmetic, ball):
        with refuses("is not a relation"):
            rule(Le(Integer(1), Integer(2)))


def test_a_function_without_axioms_is_refused():
    with refuses("the kernel has no reading of sin(x)"):
        arithmetic(Le(sin(x), 1))


def test_a_symbol_that_the_lemma_does_not_have_is_named():
    with refuses("has no symbol beta; it has", "x"):
        apply(POWER_MONOTONE, {"beta": 2})


# No judgment but by a rule.


def forge_by_hand():
    return Judgment()


def forge_without_init():
    return object.__new__(Judgment)


def forge_by_subclass():
    return type("Mine", (Judgment,), {"__new__": lambda cls: object.__new__(cls)})()


def forge_by_copy():
    return copy.copy(judgment_of(POWER_MONOTONE))


def forge_by_pickle():
    return pickle.loads(pickle.dumps(judgment_of(POWER_MONOTONE)))


def forge_by_the_library():
    return kd.axiom(kd.smt.BoolVal(False))


def forge_by_a_theorem():
    return theorem(forge_without_init)


def forge_by_setting():
    judgment = object.__new__(Judgment)
    object.__setattr__(judgment, "conclusion", Lt(x, x, evaluate=False))
    return judgment


def test_a_theorem_is_proved_once_and_not_before_it_is_asked_for():
    asked = []
    square = theorem(lambda: asked.append(1) or arithmetic(Ge(x**2, 0)))
    assert not asked and repr(square) == "⊢ x**2 >= 0"
    assert (
        apply(square, {"x": x + 1}).conclusion == Ge((x + 1) ** 2, 0)
        and judgment_of(square) is square()
        and asked == [1]
    )


def test_a_theorem_that_a_chain_proves_shows_its_steps():
    by_chain = theorem(lambda: chain(x, step("<=", x + 1, "add 1"), step("<", x + 2, "and again")))
    assert arithmetic(Lt(x, x + 3), using=[by_chain]).conclusion == Lt(x, x + 3)
    assert [link.why for link in by_chain.derivation().links] == ["add 1", "and again"]
    with pytest.raises(TypeError, match="POWER_MONOTONE has no chain to show"):
        POWER_MONOTONE.derivation()


@pytest.mark.slow
def test_nothing_is_proved_when_the_core_is_imported():
    code = "import pkgutil, polycore, importlib\nfrom polycore.proof import Theorem, theorem\n"
    code += "for room in pkgutil.walk_packages(polycore.__path__, 'polycore.'):\n"
    code += "    importlib.import_module(room.name)\n"
    code += "import gc\nassert len([t for t in gc.get_objects() if type(t) is Theorem]) > 100\n"
    code += "theorems = [t for t in gc.get_objects() if type(t) is Theorem]\n"
    code += "assert not [t.__name__ for t in theorems if t._prove.cache_info().currsize]"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_hypotheses_are_taken_and_left_out_by_name():
    assert POWER_OVERTAKES_LOG.given("steep") == [
        POWER_OVERTAKES_LOG.hypotheses[5]
    ] and POWER_OVERTAKES_LOG.without("large") == [*POWER_OVERTAKES_LOG.hypotheses[5:]]
    with pytest.raises(
        KeyError, match="no hypothesis is called slope; there are large, steep, overtaken"
    ):
        POWER_OVERTAKES_LOG.given("slope")


@pytest.mark.parametrize(
    "forge",
    [
        forge_by_hand,
        forge_without_init,
        forge_by_subclass,
        forge_by_copy,
        forge_by_pickle,
        forge_by_the_library,
        forge_by_a_theorem,
        forge_by_setting,
    ],
)
def test_no_judgment_is_made_or_used_except_through_a_rule(forge):
    with pytest.raises((ProofError, AttributeError, TypeError)):
        arithmetic(Lt(x, x, evaluate=False), using=[forge()])


def test_a_judgment_cannot_be_changed():
    judgment = arithmetic(Ge(x**2, 0))
    with pytest.raises(AttributeError):
        judgment.conclusion = Lt(x**2, 0)
    with pytest.raises(AttributeError):
        object.__setattr__(judgment, "conclusion", Lt(x**2, 0))
    assert judgment.conclusion == Ge(x**2, 0)


def test_the_record_of_a_judgment_cannot_be_changed():
    """Neither what it was made from, nor which terms were put for which symbols."""
    made = apply(AXIOMS["tangent of exp"], {"x": Log(n)}).made
    with pytest.raises(AttributeError):
        object.__setattr__(made, "using", ())
    with pytest.raises(TypeError):
        made.terms[x] = n
    assert made.lemma is AXIOMS["tangent of exp"] and dict(made.terms) == {x: Log(n)}


def test_only_the_kernel_mentions_its_seal():
    sources = pathlib.Path(proof.__file__).parent.glob("*.py")
    users = {
        path.name
        for path in sources
        if re.search(r"\b_issue\b|\bkd\.axiom\b|admit", path.read_text("utf-8"))
    }
    assert users == {"kernel.py"}


def test_nothing_false_follows_from_the_axioms_alone():
    apart = {
        "one more term",
        "one more sign",
        "no sign, limit below 0",
    }  # their index or hypothesis is another's
    everything = [
        apply(axiom, {}, axiom.hypotheses) for name, axiom in AXIOMS.items() if name not in apart
    ]
    everything += [apply(AXIOMS["no sign, limit below 0"], {"t": -t}, [Gt(t, 0)])]
    given = [Gt(x, 0), Gt(t, 0), Ge(n, 1), Ge(m, 0)]
    with refuses("cannot derive x < x"):
        arithmetic(Lt(x, x, evaluate=False), given, everything)


# Chains.


def test_a_mutated_chain_names_its_step():
    with refuses("step 2 of the chain (too much): cannot derive x**2 < x", "x = "):
        chain(x, step("<=", x**2, "squares grow"), step("<", x, "too much"), given=[Ge(x, 1)])


def test_links_that_do_not_join_are_refused():
    one, two = arithmetic(Le(x, x**2 + 1)), arithmetic(Le(x**2, x**2 + y**2))
    with refuses("the chain is broken"):
        Chain((one, two), arithmetic(Le(x, x**2 + y**2 + 1)))


def test_a_chain_shows_the_statements_that_were_checked():
    shown = chain(
        x, step("<=", x**2, "squares grow"), step("<", x**2 + 1, "add one"), given=[Ge(x, 1)]
    )._repr_latex_()
    assert r"x &\le x^{2} && \text{squares grow}" in shown and r"&< x^{2} + 1" in shown


def test_a_chain_cannot_mix_directions():
    with refuses("cannot derive"):
        chain(x, step("<=", x + 1, "add"), step(">=", x - 2, "subtract"))


# Numbers.


def test_balls_certify_true_relations_and_refuse_false_ones():
    assert ball(Lt(Power(Integer(2), Rational(1, 2)), Rational(3, 2))).axioms == {"ball"}
    with refuses("ball arithmetic does not find"):
        ball(Gt(Power(Integer(2), Rational(1, 2)), Rational(3, 2)))
    with refuses("put numbers for its symbols"):
        ball(Gt(Log(x), 0))


def test_a_judgment_knows_the_axioms_it_rests_on():
    signs = {
        "no sign, limit at least 0",
        "no sign, limit below 0",
        "one more sign",
        "two sides",
        "ceiling",
    }
    sums = {"empty sum", "one more term", "induction"}
    assert concentration.TAIL_SMALL_FROM_N0.axioms == {
        "exp of a sum",
        "tangent of exp",
        "log inverts exp",
        "power",
        "ball",
        *signs,
        *sums,
    }
    assert elementary.EXP_ZERO.axioms == {"exp of a sum", "tangent of exp"}
    assert SUM_MONOTONE.axioms == {"empty sum", "one more term", "induction"}


def refuted(text):
    solver = cvc5.Solver()
    parser = cvc5.InputParser(solver)
    parser.setStringInput(cvc5.InputLanguage.SMT_LIB_2_6, text, "query")
    answers = []
    while not (command := parser.nextCommand()).isNull():
        answers.append(command.invoke(solver, parser.getSymbolManager()).strip())
    return answers[-1]


@pytest.mark.slow
def test_another_solver_decides_the_queries_too():
    queries = concentration.TAIL_SMALL_FROM_N0.queries
    assert len(queries) > 300 and {text.split("\n")[0][11:-1] for text in queries} == {
        "QF_NRA",
        "QF_UF",
        "HO_UFNIRA",
    }
    assert {refuted(text) for text in queries} == {"unsat"}


def test_the_other_solver_can_say_no():
    [text] = arithmetic(Ge(x**2 + 1, 2 * x)).queries
    weakened = text.replace("1.0", "0.5")
    assert weakened != text and refuted(weakened) == "sat"


def test_the_other_solver_gets_what_was_proved_and_not_what_z3_made_of_it():
    for text in concentration.TAIL_SMALL_FROM_N0.queries:
        assert "(not " in text.split("(assert")[-1] and "false" not in text


def test_every_step_that_z3_decided_is_among_the_queries(monkeypatch):
    """Behind an induction are both halves, the divisor that may not be zero, the rearranging and
    the logic.
    """
    ask, asked = kernel.prove, []

    def prove(theorem, **more):
        proof = ask(theorem, **more)
        asked.append(theorem)
        return proof

    monkeypatch.setattr(kernel, "prove", prove)
    given = [Gt(a, 0), Eq(f[i], x / a)]
    judgment = proof.induction(Eq(total(f[i]), n * x / a), given, "n equal terms")
    assert len(judgment.queries) == len({script([], theorem, "") for theorem in asked}) > 10


def test_a_query_has_the_same_text_in_every_run():
    again = [arithmetic(Ge(x**2 + a**2, 2 * a * x)).queries for _ in range(2)]
    assert again[0] == again[1] and "!" not in "".join(again[0])


def test_a_query_has_the_same_text_whatever_else_is_held():
    goal = smt.Function("f", smt.RealSort(), smt.RealSort())(smt.Real("x") + 1) > 0
    before, held = (
        script([], goal, ""),
        goal.arg(0).arg(0),
    )  # Z3 by itself gives a name to what something else holds too
    assert "(+ x.0 1.0)" in before and script([], goal, "") == before and held is not None


@pytest.mark.parametrize("bind", [smt.RawForAll, lambda _, claim: claim])
def test_a_query_has_the_same_text_however_long_the_drawn_numbers_are(bind):
    """Z3 breaks lines, and names what is free in them, where they get long; and a name that it
    draws late is longer.
    """

    def bounded(k, many):
        s = smt.Const(f"s!{k}", smt.RealSort())
        return script([], bind([s], smt.Sum([s] * many) * smt.Sum([s] * many) > 0), "")

    assert all(bounded(7, many) == bounded(10**9, many) for many in range(2, 30))


def test_a_query_read_back_is_what_was_asked():
    """Also where names that Z3 drew look like those that it gives to shared parts."""
    drawn = [kernel.FreshVar("a", smt.RealSort()) for _ in range(3)]
    shared = sum(drawn[1:], drawn[0]) * drawn[2]
    goal = smt.Or(*(shared**k > drawn[0] for k in range(2, 6)))
    text = script([shared > 1], goal, "QF_NRA")
    named = [(one, smt.Real(f"a.{k}")) for k, one in enumerate(drawn, 1)]  # after $0
    asked = smt.substitute(smt.And(shared > 1, smt.Not(goal)), *named)
    assert "(let (($0 " in text
    assert [part.sexpr() for part in smt.parse_smt2_string(text)] == [asked.sexpr()]


def test_what_is_free_is_not_read_as_what_is_bound():
    """For every f, f > f with another f on the right: Z3 prints both by the same name."""
    drawn, y = kernel.FreshVar("f", smt.RealSort()), smt.Real("y")
    goal = smt.substitute(smt.RawForAll([drawn], drawn > y), (y, drawn))
    text = script([], goal, "")
    assert "(forall ((f_1 Real) )(> f_1 f.2))" in text and text.count("declare-fun") == 1


def test_induction_starts_where_it_says():
    with refuses("cannot derive Sum(f[i], (i, 1, 0)) > 0"):
        proof.induction(Gt(total(f[i]), 0), [Gt(f[i], 0)], "an empty sum is not positive")
    with refuses("cannot derive Sum(f[i], (i, 1, 1)) > 1"):
        proof.induction(
            Gt(total(f[i]), 1), [Gt(f[i], 0)], "positive terms need not exceed 1", first=1
        )
    with refuses("a hypothesis of “a sum of positive terms” is not met", "n >= 1"):
        apply(SUM_POSITIVE, {}, [Gt(f[i], 0), Ge(n, 0)])


def test_induction_needs_its_step():
    with refuses("cannot derive Sum(f[i], (i, 1, n + 1)) <= 0"):
        proof.induction(
            Le(total(f[i]), 0), [], "true of no term, and of one more only if that is not positive"
        )
    with refuses("cannot derive Silent"):
        none = apply(AXIOMS["no column"], {"f": f[i], "N": 1})
        proof.induction(
            Ge(Silent(total(f[i]), t, m, 1), 1), [], "true of no column alone", base=[none], over=m
        )


def test_the_hypotheses_of_an_induction_stay_as_they_are():
    for changing in (Le(x, n), Le(f[i], total(g[i]))):
        with refuses("an induction over n needs hypotheses that do not change with it"):
            proof.induction(Ge(total(f[i] ** 2), 0), [changing], "")


BOTH = [{t: t - f[n + 1]}, {t: t + f[n + 1]}]


def law_of_signs():
    """The law of no sign, and of one more, at the limit t."""
    sides = [("at least", Ge(t, 0)), ("below", Lt(t, 0))]
    none = [
        apply(AXIOMS[f"no sign, limit {where} 0"], {"f": f[i]}, [side]) for where, side in sides
    ]
    return none, [apply(AXIOMS["one more sign"], {"f": f[i]}, [Ge(n, 0)])]


def test_the_claim_before_is_used_only_where_its_hypotheses_hold():
    """No sign exceeds t ≥ 0; with one more, t − f may lie below 0, where the claim before says
    nothing.
    """
    none, last = law_of_signs()
    with refuses("the kernel does not accept", ": ["):  # values that break it
        proof.induction(
            Eq(Above(total(f[i]), t), 0), [Ge(t, 0)], "never above", none, last, at=BOTH
        )


def test_a_claim_for_another_limit_is_another_claim():
    """Only the last sign shifts the limit: without it the claim before says nothing."""
    (none, last), goal = law_of_signs(), Le(Above(total(f[i]), t), 1)
    assert proof.induction(goal, [], "at most 1", none, last, at=BOTH)
    for wrong in ([{}], BOTH[:1], [{t: t - f[n + 1]}, {t: t + 2 * f[n + 1]}]):
        with refuses("cannot derive Above"):
            proof.induction(goal, [], "at most 1", none, last, at=wrong)


# Events: one more column.

SEEN, BEFORE, AFTER = Le(x, axioms.tau), Eq(axioms.F, 0), Eq(axioms.F_next, 0)
COLUMN = axioms.NEXT_COLUMN


def test_one_more_column_needs_that_each_event_follows_from_the_other():
    silent = arithmetic(AFTER, [*COLUMN, BEFORE, SEEN])
    before, below = (arithmetic(goal, [*COLUMN, AFTER]) for goal in (BEFORE, SEEN))
    made = proof.one_more_column(silent, before, below)
    assert made.hypotheses == (Ge(m, 0), Gt(axioms.N, 0))
    for wrong in [(silent, below, before), (silent, before, before), (before, before, below)]:
        with refuses("does not derive"):
            proof.one_more_column(*wrong)


@pytest.mark.parametrize("more", [[Le(axioms.g, 0)], [Gt(axioms.T, 1)], [AFTER]], ids=str)
def test_one_more_column_is_about_every_column(more):
    silent = arithmetic(AFTER, [*COLUMN, BEFORE, SEEN, *more])
    before, below = (arithmetic(goal, [*COLUMN, AFTER]) for goal in (BEFORE, SEEN))
    with refuses("does not derive"):
        proof.one_more_column(silent, before, below)


@pytest.mark.parametrize(
    "missing",
    [
        axioms.maximum(axioms.g, x - axioms.tau)[2],
        Ge(axioms.T, 0),
        Gt(axioms.N, 0),
        Ge(axioms.F_next, axioms.N * (axioms.T + axioms.g)),
    ],
    ids=str,
)
def test_without_a_part_of_the_definition_the_events_differ(missing):
    rest = [h for h in COLUMN if h != missing]
    assert len(rest) == len(COLUMN) - 1
    with refuses("nothing that is given excludes"):
        for goal, given in [(AFTER, [BEFORE, SEEN]), (BEFORE, [AFTER]), (SEEN, [AFTER])]:
            arithmetic(goal, [*rest, *given])


# What SymPy may hold and the kernel must not read as something else.

MASKED = [
    Eq(f[i, 1], f[i, 2], evaluate=False),
    Eq(Tail(f[n], t), Tail(total(f[i]), t), evaluate=False),
    Ge(Symbol("x - 1") ** 2, 0, evaluate=False),
    Ge(Symbol("f_i") ** 2, 0, evaluate=False),
    Ge(Symbol("x", imaginary=True) ** 2, 0, evaluate=False),
    Lt(f[Symbol("i", integer=True, positive=True)] ** 2, x),
    Ne(2 * Symbol("k", integer=True), 1, evaluate=False),
    Ge(Dummy("x") ** 2, 0, evaluate=False),
    Ge(IndexedBase(x + t)[i] ** 2, 0),
    Ge(Indexed(IndexedBase("f"), i, n) ** 2, 0),
    Eq(
        type("Five", (Symbol,), {"is_Rational": True, "__str__": lambda self: "5"})("x"),
        5,
        evaluate=False,
    ),
]


@pytest.mark.parametrize("relation", MASKED, ids=str)
def test_what_would_print_as_something_else_is_not_read(relation):
    with refuses("the kernel has no reading of"):
        arithmetic(relation)
    with refuses("the kernel has no reading of"):
        arithmetic(Ge(x**2, 0), [relation])


def test_a_divisor_that_is_a_number_is_checked_too():
    zero = Power(Integer(2), Integer(0)) - 1
    with refuses("ball arithmetic does not find Ne(Power(2, 0) - 1, 0)"):
        arithmetic(Eq(x / zero, x / zero + 1, evaluate=False))
    with refuses("ball arithmetic does not find"):
        arithmetic(
            Eq(Mul(0, Pow(Integer(0), -1, evaluate=False), evaluate=False), 0, evaluate=False)
        )
    arithmetic(Ge((x / Log(Integer(2))) ** 2, 0))


def test_an_induction_does_not_divide_by_zero():
    with refuses("cannot derive", "which needs x ≠ 0"):
        proof.induction(Eq((x + x**2) / x, 0, evaluate=False), [Eq(x, 0)], "")


@pytest.mark.parametrize(
    "limits",
    [[(i, 0, n)], [(i, 2, n)], [(m, 1, n)], [(i, 1, n), (i, 1, n)], [(i, 1, n), (m, 1, n)]],
    ids=str,
)
def test_no_sum_but_one_over_i_from_1_is_read(limits):
    with refuses("the kernel has no reading of Sum"):
        arithmetic(Ge(Sum(x**2, *limits) ** 2, 0, evaluate=False))


def test_a_divisor_under_a_sum_is_checked_over_the_whole_sum():
    with refuses("divides by terms outside 1..n"):
        arithmetic(
            Ge(Sum(1 / f[i] ** 2, (i, 1, n + 1)) ** 2, 0, evaluate=False),
            [Gt(f[i], 0), Eq(f[n + 1], 0)],
        )


@pytest.mark.parametrize("first", [0, 1])
def test_the_schema_of_an_induction_is_true(first):
    """Of what holds from its beginning on and no earlier."""
    made = proof.induction(Ge(n, first), [], "no number is less than the first", first=first)
    todo, axioms = [proof._content(made).proof], []
    while todo:
        reason = todo.pop().reason
        todo += [part for part in reason if isinstance(part, kernel.Proof)]
        axioms += [one for one in todo if one.reason == ["induction"]]
    assert axioms
    for axiom in axioms:
        solver = smt.Solver()
        solver.add(smt.Not(axiom.thm))
        assert solver.check() == smt.unsat


def test_what_was_given_and_what_was_used_are_named_apart():
    grows = arithmetic(Ge(x**2, x), [Ge(x, 1)])
    with refuses("\n  from t > 0\n  using x**2 >= x:\n"):
        arithmetic(Ge(x**2, 2 * x), [Gt(t, 0)], [grows])


def test_what_a_judgment_holds_cannot_be_set():
    content = proof._content(arithmetic(Ge(x**2, 0)))
    with pytest.raises(dataclasses.FrozenInstanceError):
        content.conclusion = Lt(x, x, evaluate=False)


def test_every_i_is_from_1_to_n():
    scope = Scope([Gt(f[i], 0)])
    every, last, entries = scope.closed(Gt(f[i], 0)), scope.var[n], scope.var[f[i].base]

    def follows(index):
        solver = smt.Solver()
        solver.add(every, last >= 1, smt.Not(entries[index] > 0))
        return solver.check() == smt.unsat

    assert follows(1) and follows(last)
    assert not follows(0) and not follows(last + 1)


def test_a_sum_over_1_to_n_may_divide_by_its_terms():
    arithmetic(Ge(total(1 / f[i] ** 2) ** 2, 0, evaluate=False), [Gt(f[i], 0)])


@pytest.mark.parametrize("base", [-2, 0])
def test_a_power_of_a_number_that_is_not_positive_has_no_ball(base):
    with refuses("is not an explicit number"):
        ball(Eq(Power(Integer(base), Integer(2)), base**2, evaluate=False))


@pytest.mark.parametrize(
    ("value", "below", "above"),
    [
        (Exp(Integer(1)) ** 3, 20, 21),  # 20.09
        (Exp(Integer(1)) ** -2, Rational(1, 8), Rational(1, 7)),  # 0.135
        (Log(Integer(8)), 2, Rational(21, 10)),  # 2.079
        (Power(Rational(1, 9), Rational(1, 2)), Rational(3, 10), Rational(2, 5)),  # 1/3
    ],
    ids=str,
)
def test_a_ball_holds_its_number(value, below, above):
    assert ball(Gt(value, below)).axioms == ball(Lt(value, above)).axioms == {"ball"}
    for wrong in (Gt(value, above), Lt(value, below)):
        with refuses("ball arithmetic does not find"):
            ball(wrong)


def test_powers_that_sympy_would_not_write_are_read_or_refused():
    """It writes x for x^1 and 1 for x^0, unless it is told not to."""
    arithmetic(Eq(Pow(x, 1, evaluate=False), x, evaluate=False))
    with refuses("the kernel has no reading of x**0"):
        arithmetic(Eq(Pow(x, 0, evaluate=False), 1, evaluate=False))


def test_a_tail_is_shown_with_its_own_limits():
    one = latex(Tail(Sum(f[i], (i, 1, 1)), t))
    assert r"\sum_{i=1}^{1}" in one and r"\left({f}_{i} + {g}_{i}\right)" in latex(
        Tail(total(f[i] + g[i]), t)
    )


def test_hypotheses_are_read_once():
    class Vanishing(list):
        reads = 0

        def __iter__(self):
            self.reads += 1
            return super().__iter__() if self.reads < 4 else iter(())

    absurd = Vanishing([Lt(x, x, evaluate=False)])
    assert arithmetic(Eq(x, x + 1, evaluate=False), absurd).hypotheses == tuple(
        list.__iter__(absurd)
    )


def test_chains_are_made_of_judgments_under_the_same_hypotheses():
    fake = types.SimpleNamespace(conclusion=Le(x, x**2), hypotheses=(), why="")
    with refuses("a chain is made of judgments under the same hypotheses"):
        Chain((fake,), fake)
    link, whole = arithmetic(Le(x, x**2), [Ge(x, 1)]), arithmetic(Le(x, x**2), [Ge(x, 2)])
    with refuses("a chain is made of judgments under the same hypotheses"):
        Chain((link,), whole)
    with refuses("only a judgment is stated"):
        Stated(fake)


@pytest.mark.parametrize(
    "why",
    [
        *(r"} \\ &\\le 0 && \\text{obvious", "2^b is large", "an odd $", r"$x \\ y$", "$x & y$"),
        *("$x$ and $x & y$", "$x$ is 2^b"),
    ],
)
def test_a_reason_cannot_display_a_row_of_its_own(why):
    with refuses("would not be displayed as words"):
        step("<=", x, why)
    step("<=", x, r"$2^\beta \le n^\kappa$ and so on")


@pytest.mark.parametrize(
    ("name", "value"),
    [("is_Add", True), ("is_Rational", True), ("_latex", lambda printer, exp=None: "0")],
)
def test_what_is_put_into_a_term_is_not_read_and_not_shown(name, value):
    """SymPy gives the same object to whoever writes Exp(x)."""
    positive = apply(EXP_POSITIVE, {"x": Symbol("planted")}, why="a power of e")
    term = positive.conclusion.lhs
    term.__dict__[name] = value
    try:
        with refuses("the kernel has no reading of"):
            arithmetic(Eq(term, Symbol("planted"), evaluate=False))
        for show in (
            Stated(positive)._repr_latex_,
            Chain((positive,), positive)._repr_latex_,
            lambda: proved("positive", positive),
        ):
            with refuses("the kernel has no reading of"):
                show()
    finally:
        del term.__dict__[name]
    assert "planted" in Stated(positive)._repr_latex_()


def test_a_link_cannot_display_a_row_of_its_own():
    link = arithmetic(Ge(x**2, 0), why=r"} \\ &\le 0 && \text{obvious")
    with refuses("would not be displayed as words"):
        Chain((link,), link)


def test_an_induction_goes_over_an_integer():
    with refuses("an induction goes over n or m"):
        proof.induction(Ge(x**2, 0), [], "", over=x)


def test_what_is_known_of_a_term_is_not_taken_for_a_list_of_hypotheses():
    scope = Scope([Ge(x, 0), Ge(t, 0)])
    pair = Ge(x, 0), Ge(t, 0)
    assert scope.all(pair) is not scope.once("term", Tuple(*pair), lambda _: "another kind")


@pytest.mark.parametrize(
    ("term", "shown"),
    [
        (Power(x, t), "x^{t}"),
        (Power(f[i], t), "{f}_{i}^{t}"),
        (Power(Integer(2), t), "2^{t}"),
        (Power(Integer(-2), t), "(-2)^{t}"),
        (Power(Rational(1, 2), t), r"(\frac{1}{2})^{t}"),
        (Power(x + 1, t), "(x + 1)^{t}"),
        (Log(x), r"\ln(x)"),
        (Log(x) ** 2, r"\left(\ln(x)\right)^{2}"),
        (Tail(total(f[i]), t), r"\Pr\Big[\Big|\sum_{i=1}^{n} {f}_{i}\,\sigma_{i}\Big| > t\Big]"),
        (Silent(total(f[i]), t, n, 1), r"\phi\bigg(\sum_{j \le n} \phi_{t}\Big("),
        (Silent(total(f[i]), t, n, x), r"\phi\bigg(x\sum_{j \le n} \phi_{t}\Big("),
    ],
)
def test_what_binds_less_stands_in_brackets(term, shown):
    """And a sum over tokens has their number before it, unless there is one."""
    assert shown == latex(term) or shown in latex(term) and type(term) is Silent


def test_words_may_stand_between_formulas():
    assert step("<=", x, "with $x^2$ 50, and $y_1$ left")[2].startswith("with")


def test_each_hypothesis_is_shown_once():
    """Two in a row."""
    symbols = [Symbol(f"h{k}") for k in range(5)]
    under = arithmetic(Ge(symbols[0], 0), [Ge(h, 1) for h in symbols])
    rows = Stated(under)._repr_latex_().split("Longrightarrow")[0].split(r"\\")
    assert [row.count("geq") for row in rows if "geq" in row] == [2, 2, 1]


def test_a_chain_shows_its_hypotheses():
    shown = chain(x, step("<=", x**2, "multiply"), given=[Ge(x, 1), Gt(t, 0)])._repr_latex_()
    assert (
        shown.index(latex(Ge(x, 1)))
        < shown.index(latex(Gt(t, 0)))
        < shown.index(r"\begin{aligned}")
    )


def test_an_arrow_leads_from_hypotheses_and_from_nothing_else():
    lone, under = arithmetic(Ge(x**2, 0)), arithmetic(Ge(x**2, x), [Ge(x, 1)])
    assert "Longrightarrow" not in Stated(lone)._repr_latex_()
    shown = Stated(under)._repr_latex_()
    assert shown.index(latex(under.hypotheses[0])) < shown.index("Longrightarrow")


def test_a_chain_states_what_sympy_would_decide_by_itself():
    """That 1 <= 2 is true, it says, and would leave nothing to show."""
    shown = chain(1, step("<=", Integer(2), "add 1"), step("<=", Integer(3), "add 1"))
    assert [link.conclusion.args for link in shown.links] == [(1, 2), (2, 3)]
    assert shown.judgment.conclusion.args == (1, 3)
