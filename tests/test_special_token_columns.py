"""Columns of signs on data with one special token: what their chapters share, and its theorems at
numbers.
"""

import dataclasses
import json
import math
import random
import re
from fractions import Fraction
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from sympy import Ge, Gt, Symbol

from polycore.evidence import exact
from polycore.evidence import special_token_columns as columns
from polycore.models import attention, network
from polycore.models.self_attention import Data, d0, d1, draw
from polycore.proof import Given, ProofError, Theorem, apply, arithmetic, theorem
from polycore.tails import rademacher
from polycore.theory import networks, special_token_sums, three_signs
from tests.test_lemmas import holds

ROOT = Path(__file__).parents[1]
ONE = columns.Setting(d0, 0.5, "0.09", "0.5", 10**6, 1002, 0.01, 1)
MANY = dataclasses.replace(ONE, C=7, dimension=1502)
RIGHT, WRONG = exact("1 + 1", 2, equals=2), exact("1 + 1 = 3", 2, equals=3)
k, rate = Symbol("k"), Symbol("rate")
WIDE = arithmetic(Ge(rate, 0), [Ge(rate, k**2)])


@pytest.mark.parametrize(
    ("parameter", "value", "words"),
    [
        ("kappa", 0, "kappa must be a finite real number >= 0.0001"),
        ("excess", "0.7", "D_0 has a in (0, 0.1), D_1 has a >= 0.7 (a is the parameter excess)"),
        ("b", "0.95", "b must be a finite real number >= 1/10 and <= 9/10"),
        ("size", 999, "size must be an integer >= 1000, got 999"),
        ("dimension", 3, "dimension must be an integer >= 4, got 3"),
        ("delta", 1, "delta must be a finite real number >= 1e-12 and < 1"),
        ("k", 0, "k must be an integer >= 1, got 0"),
        ("trials", 7, "trials must be an integer >= 8, got 7"),
        ("trials", 10**9, "trials must be an integer <= 1000000"),
        ("size", 10**16, "size must be an integer <= 1000000000000000"),
        ("seed", -1, "seed must be an integer >= 0, got -1"),
        ("profile", "fast", "profile must be one of paper, quick, got 'fast'"),
        ("C", 0, "C must be a finite real number >= 0.01"),
    ],
)
def test_a_bad_parameter_is_refused_by_name(parameter, value, words):
    with pytest.raises(ValueError) as raised:
        dataclasses.replace(ONE, **{parameter: value})
    assert words in str(raised.value)


def test_a_size_that_is_no_integer_is_refused():
    with pytest.raises(TypeError, match="size must be an integer"):
        dataclasses.replace(ONE, size=1e6)


def test_a_setting_gives_what_its_parameters_say():
    assert ONE.example.n == 10**6 and MANY.example.n == 10**6 - 10**6 % 1500
    assert ONE.columns(10**6) == 1 and MANY.columns(10**6) == network.columns(10**6, 0.01, 7)
    assert ONE.promised(100) == Fraction(1, 10**4)
    assert dataclasses.replace(ONE, profile="quick", trials=80).draws == 10


def every_sign(data, beta, tau):
    """The share of all sign vectors at which a column fires."""
    sums = np.array(list(product([-1, 1], repeat=data.d))) @ data.row(beta)
    return float(np.mean(sums > tau))


@pytest.mark.parametrize("C", [None, 0.5, 2])
def test_fires_as_often_as_all_sign_vectors_say(C):
    setting = columns.Setting(d1, 1.4, "0.9", "0.4", 64, 10, 0.1, 1, C=C)
    beta = attention.degree(1.4, 64)
    for tau in (float(setting.example.c) + 0.1, 0.2, 1.3):
        p, m = every_sign(setting.example, beta, tau), setting.columns(64)
        found = setting.fires(setting.example, tau=tau).value
        assert found == pytest.approx(1 - (1 - p) ** m, abs=1e-12)
    assert setting.fires(setting.example).value == setting.fires(setting.example, 1.4, 0.7).value


def test_the_special_token_outweighs_the_others_from_the_critical_degree_on():
    for data in (d0(1000, 12, "0.09", "0.5"), d1(10**6, 12, 3, "0.2")):
        special, other = data.weights(attention.degree(columns.critical_kappa(data), data.n))
        assert special / other == pytest.approx(data.n, rel=1e-9, abs=0)


def asked_by_hand(setting, fires):
    """The two sides of what Lemmas 6.8 to 6.20 and Theorems 6.9 to 6.21 ask, the larger first."""
    data, b, m = setting.example, float(setting.b), setting.columns(setting.example.n)
    a, d, n = float(data.a), data.d, data.n
    promise = math.log(n**setting.k / setting.delta)
    critical = math.log(n) / math.log(1 + a)
    beta = setting.kappa * math.log2(n)
    if fires:
        rho, needed = (a + b) / 2 - 0.1, promise if setting.C is None else math.log(5)
        sides = {"β": (beta, critical)}
        sides |= {} if setting.C is None else {"m": (m * math.log(10 / 9), promise)}
    else:
        rho, needed = 0.1 - (a + b) / n**0.5 - b / (d - 2), promise + math.log(m)
        sides = {"β": (critical, 2 * beta), "ρ": (1 + rho, 1)}
    return sides | {"(": ((d - 2) * rho**2 if rho > 0 else 0, 2 * b**2 * needed)}


def some_setting(rng, C, fires):
    """One at which what is asked is often nearly so."""
    dataset = rng.choice((d0, d1))
    excess = round(rng.uniform(0.02, 0.099) if dataset is d0 else rng.uniform(0.7, 3), 3)
    b, k, delta = round(rng.uniform(0.1, 0.9), 2), rng.randint(1, 3), 10 ** -rng.uniform(0.5, 6)
    n, near = 10 ** rng.randint(4, 12), rng.uniform(0.9, 1.1)
    kappa = near / math.log2(1 + excess) / (1 if fires else 2)
    promise = math.log(n**k / delta)
    if C:
        C = round(near * promise / math.log(10 / 9) / math.log2(n / delta), 1)
    rho = max((excess + b) / 2 - 0.1, 0.01) if fires else 0.08
    needed = math.log(5) if fires and C else promise + (math.log(n) if C else 0)
    d = 2 + rng.choice((round(b / 0.1), rng.uniform(0.5, 2) * 2 * b**2 * needed / rho**2))
    dimension = min(max(4, round(d)), n + 2)
    return columns.Setting(dataset, kappa, str(excess), str(b), n, dimension, delta, k, C=C or None)


@pytest.mark.parametrize("fires", [False, True])
@pytest.mark.parametrize("C", [False, True])
def test_what_is_asked_is_what_the_statements_say(C, fires):
    """Compared where the sides are not equal but for rounding; seen on either side, and near."""
    rng, seen = random.Random(1), {}
    for _ in range(3000):
        setting = some_setting(rng, C, fires)
        found = columns.asked(setting, fires)
        sides = asked_by_hand(setting, fires)
        assert {name[0] for name in found} == {*sides}
        for name, is_so in found.items():
            more, less = sides[name[0]]
            if abs(more - less) > 1e-9 * abs(less):
                assert is_so == (more > less), (setting, name)
                seen.setdefault((name[0], is_so), []).append(abs(more - less) / less)
    assert len(seen) == 2 * len(sides) and all(min(off) < 0.02 for off in seen.values())


def test_a_margin_of_nothing_is_not_positive():
    """0.1 - (a + b)/sqrt n - b/(d - 2) at a + b = 5, n = 10^4, b = 1/2 and d = 12."""
    nothing = columns.Setting(d1, 0.1, "4.5", "0.5", 10**4, 12, 0.01, 1)
    assert columns.asked(nothing)["ρ > 0"] is False


def test_what_the_degree_is_bounded_by_is_named():
    one = dataclasses.replace(ONE, kappa=3)
    names = [[*columns.asked(one, of_degree=excess)][0] for excess in (None, "0.7")]
    assert names == ["β ≤ ½ log n/log(1 + a₀)", "β ≤ ½ log n/log(1 + a₁)"]
    assert [*columns.asked(one, of_degree="0.1").values()][0] is True
    assert [*columns.asked(one, of_degree="0.2").values()][0] is False


def rho_rate(a, n, d, b):
    margin = 0.1 - (a + b) / math.sqrt(n) - b / (d - 2)
    return (d - 2) * margin**2 / (2 * b**2) if margin > 0 else -math.inf


@pytest.mark.parametrize(("setting", "a"), [(ONE, 0.1), (MANY, 0.1)])
def test_the_members_at_each_length_meet_the_condition_and_hardly_more(setting, a):
    """It holds at the length after rounding; one dimension less misses it for twice the length."""
    found = columns.at_lengths(setting, at_most=setting.promised)
    assert len(found) == 5 and all(evidence.passed for evidence in found)
    assert "κ = 0.5" in found[-1].what
    for n, evidence in zip(columns.LENGTHS, found):
        tokens, d = map(int, re.search(r"n = (\d+), d = (\d+)", evidence.what).groups())
        needed = lambda many: math.log(many * setting.columns(many) / 0.01)
        assert n <= tokens < n + d - 2 and tokens % (d - 2) == 0
        assert rho_rate(a, tokens, d, 0.5) >= needed(tokens)
        assert rho_rate(a, n, d - 2, 0.5) < needed(2 * n) <= rho_rate(a, n, d - 1, 0.5)


def test_a_degree_that_is_too_high_is_seen_at_every_length():
    late = dataclasses.replace(ONE, kappa=1.5 * columns.critical_kappa(ONE.example))
    assert not any(one.passed for one in columns.at_lengths(late, at_most=late.promised))


def test_the_bound_decides():
    assert columns.at_lengths(ONE, at_most=lambda n: Fraction(1, n))[-1].passed
    assert not columns.at_lengths(ONE, at_most=lambda n: Fraction(1, n**2))[-1].passed


def test_lengths_at_which_no_dimension_is_enough_are_left_out():
    large = columns.Setting(d1, 0.1, "20", "0.5", 10**6, 1002, 0.01, 1)
    found = columns.at_lengths(large, at_most=large.promised)
    assert [evidence.what.split()[4] for evidence in found[:-1]] == [
        "1001056,",
        "1000000400,",
        "1000000000545,",
    ]


def test_a_length_that_no_dimension_is_enough_for_by_nothing_is_left_out():
    """(a + b)/sqrt n = 0.1 leaves no margin, however large d is."""
    edge = columns.Setting(d1, 0.1, "9.5", "0.5", 10**6, 1002, 0.01, 1)
    found = columns.at_lengths(edge, at_most=edge.promised)
    lengths = [int(evidence.what.split()[4][:-1]) for evidence in found[:-1]]
    assert len(lengths) == 3 and min(lengths) >= 10**6


def test_a_length_that_is_a_multiple_already_stays(monkeypatch):
    monkeypatch.setattr(columns, "dimension_to_be_quiet", lambda *given: 101)
    assert columns.at_lengths(ONE, at_most=ONE.promised)[0].what == "Pr at n = 10000, d = 102"


FAIR = columns.Setting(d1, 1.5, "0.7", "0.5", 1000, 12, 0.01, 1, trials=10_000)


def test_drawn_columns_agree_with_the_exact_probability_and_unfair_ones_do_not(monkeypatch):
    verdict = lambda: columns.drawn_column(FAIR, FAIR.example, np.random.default_rng(5)).verdict
    assert verdict() == "pass"
    fair = rademacher.sample
    monkeypatch.setattr(rademacher, "sample", lambda *given: abs(fair(*given)))
    assert verdict() == "fail"


def test_drawn_networks_agree_with_the_exact_probability_and_unfair_ones_do_not(monkeypatch):
    rng = np.random.default_rng(5)
    verdict = lambda: columns.drawn_network(FAIR, FAIR.example, 3, 0.1, rng).verdict
    assert verdict() == "pass"
    beta, tau = attention.degree(FAIR.kappa, FAIR.example.n), float(FAIR.example.c) + 0.1
    exact = FAIR.example.fires(beta, 3, tau)
    claim = columns.drawn_network(FAIR, FAIR.example, 3, 0.1, rng).claim
    assert claim == {"at_least": exact.lower, "at_most": exact.upper}
    alike = lambda d, m, rng: np.repeat(2 * rng.integers(0, 2, (d, 1)) - 1, m, axis=1)
    monkeypatch.setattr(network, "rademacher_columns", alike)  # m columns that are one
    assert verdict() == "fail"


def test_both_error_rates_are_stated():
    decision = columns.drawn_column(ONE, ONE.near(1000, 42), np.random.default_rng(1))
    assert 0 < decision.false_alarm <= 1e-6 and 0 < decision.false_pass <= 1e-6


def test_the_network_is_the_same_dense_and_counted():
    rng = np.random.default_rng(7)
    for case in range(40):
        data = draw(("D0", "D1")[case % 2], rng)
        y = network.rademacher_columns(data.d, 5, rng)
        dense, counted = columns.dense_and_counted(data, case / 4, y)
        error, why = columns.rounding(data, y)
        assert abs(dense - counted) < error < 1e-8 and "float64" in why


def test_one_token_less_would_be_seen():
    data = d1(1000, 12, "0.7", "0.5")
    y = network.rademacher_columns(12, 50, np.random.default_rng(2))
    dense, counted = columns.dense_and_counted(data, 15, y)
    less = counted * (data.n - 1) / data.n
    assert counted > 0 and abs(dense - less) > columns.rounding(data, y)[0]


@theorem
def SQUARE():
    x = Symbol("x")
    return arithmetic(Gt(x**2, 0), Given(positive=Gt(x, 0), small=Ge(1, x)))


def test_a_hypothesis_that_is_needed_is_missed_and_another_is_not():
    assert columns.refused_without("any x", SQUARE, "positive", WRONG).rejected
    assert not columns.refused_without("any x", SQUARE, "positive", RIGHT).rejected
    with pytest.raises(KeyError, match="no hypothesis is called large; there are positive, small"):
        columns.refused_without("any x", SQUARE, "large", WRONG)


def test_the_condition_on_the_dimension_is_the_one_that_names_k():
    control = columns.any_dimension(WIDE, WRONG)
    assert control.what == "any dimension" and control.rejected
    none = arithmetic(Ge(rate, 0), [Ge(rate, 1)])
    with pytest.raises(ValueError, match="leaves out 0 premises"):
        columns.any_dimension(none, WRONG)


@pytest.mark.parametrize(("setting", "threshold"), [(ONE, ["τ = c − 0.1"]), (MANY, [])])
def test_wrong_versions_are_rejected_and_the_bound_decides(setting, threshold):
    small, promised = setting.near(10**6, 42), setting.promised(setting.example.n)
    names = ["one and a half times log n/log(1 + a)", *threshold, "d = 42", "any dimension"]
    wrong = columns.wrong_versions(setting, WIDE, small, at_most=promised)
    assert [control.what for control in wrong] == names
    assert all(control.rejected for control in wrong)
    lenient = columns.wrong_versions(setting, WIDE, small, at_most=Fraction(1))
    assert not any(control.rejected for control in lenient)


def test_claims_are_those_of_the_ledger():
    ledger = {
        claim["id"]: (claim["label"], claim["document"], claim["provenance"], claim["depends"])
        for claim in json.loads((ROOT / "book/results.json").read_text("utf-8"))
    }
    lemmas = ("6.8", "6.7"), ("6.12", "6.11"), ("6.16", "6.15"), ("6.20", "6.19")
    theorems = ("6.9", "6.8"), ("6.13", "6.12"), ("6.17", "6.16"), ("6.21", "6.20")
    claims = [one for pair in lemmas for one in columns.both_parts(*pair, [RIGHT], [WRONG])]
    claims += [columns.network_claim(*pair, [RIGHT], [WRONG]) for pair in theorems]
    assert len(claims) == 12
    for claim in claims:
        found = claim.label, claim.document, claim.provenance, [*claim.depends]
        assert found == ledger[claim.id]


def test_what_a_claim_says_is_passed_on():
    one, _ = columns.both_parts("6.8", "6.7", [RIGHT], [WRONG], finding={"It is 2.": "1 + 1"})
    assert one.finding == (("It is 2.", ("1 + 1",)),)
    with pytest.raises(ValueError, match="rests on"):
        columns.network_claim("6.9", "6.8", [RIGHT], [WRONG], finding={"It is 2.": "1 + 2"})


# The theorems, at members of the data.

THEOREMS = {
    name: one
    for room in (networks, special_token_sums, three_signs)
    for name in room.__all__
    if isinstance(one := getattr(room, name), Theorem)
}


def member(seed):
    """Values for every symbol of the theorems: the output of a small member, often at the edge of
    what is assumed.
    """
    rng = random.Random(seed)
    d, t = rng.randint(5, 11), rng.choice((1, 3, 10**4, 10**6))
    b = rng.choice((0.1, 0.3, 0.9)) if seed % 2 else 0.1
    data = Data((d - 2) * t, d, rng.choice(("0.05", "0.7", "2.5")), str(b), str(round(1 - b, 1)))
    n, a, c = data.n, float(data.a), float(data.c)
    beta = rng.choice((0.01, 0.4, 1, 1.3)) * columns.critical_kappa(data) * math.log2(n)
    first, special, rest, last = data.output(beta)
    p, r = data.weights(beta)
    f = [rest] * (d - 3) + [first, special, last]
    norm, three, q = sum(v * v for v in f[:-3]), sum(f[-3:]), rng.choice((0.4, 0.5, 1))
    x = rng.choice((0.001, 0.02, 0.5, abs(three - c) / 2 + 1e-9))
    tau = three + rng.choice((x, -x, 1, sum(f[:-3]) + 1e-9, -sum(f[:-3]) - 1e-9))
    at = {"f": f, "n": d - 3, "a": a, "b": b, "c": c, "p": p, "r": r, "t": t, "N": n, "beta": beta}
    at |= {"x": x, "tau": tau, "h": rng.choice((0.5, 0.4)) / norm, "q": q, "m": rng.randint(1, 3)}
    at |= {"epsilon": rng.choice((p, n ** (q - 1))), "k": rng.choice((0.01, 0.1)), "delta": 0.999}
    return at | {"rate": rng.choice((0.01, 0.3, 2))}


def network_point(seed):
    """A few entries, and a network in which a column may fire with any probability."""
    rng = random.Random(seed)
    f = [rng.uniform(0.1, 1) for _ in range(rng.randint(1, 4))]
    at = {"f": f, "n": len(f), "m": rng.randint(1, 4), "N": rng.choice((1, 2)), "k": 0.1}
    at |= {"tau": rng.choice((0, -sum(f) - 1, sum(f) - 1e-6)), "delta": rng.choice((0.3, 2))}
    return at | {"x": rng.choice((1.001, 2, 3)), "rate": rng.choice((0.7, 1.3, 2.7))}


@pytest.mark.slow
@pytest.mark.parametrize("name", THEOREMS)
def test_each_theorem_is_true_at_members(name):
    lemma, met = THEOREMS[name], 0
    point = network_point if name in ("NETWORK_FIRES", "NETWORK_SILENT") else member
    for seed in range(1500):
        at = point(seed)
        if all(holds(h, at) for h in lemma.hypotheses):
            met += 1
            assert holds(lemma.conclusion, at), at
        if met >= 40:
            break
    assert met >= 10, met


def test_a_quarter_in_place_of_the_eighth_is_seen():
    lemma = THEOREMS["SUM_ABOVE_GE_EIGHTH"]
    twice = Ge(lemma.conclusion.lhs, 2 * lemma.conclusion.rhs)
    points = [at for at in map(member, range(300)) if all(holds(h, at) for h in lemma.hypotheses)]
    assert points and not all(holds(twice, at) for at in points)


def test_each_chain_has_reasons_and_ends_where_the_theorem_does():
    chains = 0
    for one in THEOREMS.values():
        try:
            found = one.derivation()
        except TypeError:
            continue
        chains += 1
        assert found.judgment is one() and all(link.why for link in found.links)
        assert found.links[-1].conclusion.rhs == one.conclusion.rhs
    assert chains >= 12


@pytest.mark.parametrize(
    ("name", "missing"),
    [
        ("COLUMN_FIRES_AT_HIGH_DEGREE", "dimension"),
        ("COLUMN_SILENT_AT_LOW_DEGREE", "dimension"),
        ("NETWORK_SILENT_AT_LOW_DEGREE", "dimension"),
        ("NETWORK_FIRES_AT_HIGH_DEGREE", "enough"),
        ("NETWORK_FIRES_AT_HIGH_DEGREE", "columns"),
    ],
)
def test_no_theorem_follows_without_a_condition_of_its_own(name, missing):
    lemma = THEOREMS[name]
    with pytest.raises(ProofError, match="is not met"):
        apply(lemma, {}, lemma.without(missing))
