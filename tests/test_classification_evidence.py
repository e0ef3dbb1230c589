"""Words and numbers that the chapters of Sections 4 and 5 share, and the theorems behind them."""

from fractions import Fraction

import numpy as np
import pytest
from sympy import Ge, Gt, Integer, Rational, symbols

from polycore import montecarlo, thresholds
from polycore.evidence import certified, classification, exact
from polycore.models import attention, datasets, network
from polycore.proof import Log, ProofError, Silent, apply, m, n, total
from polycore.tails import rademacher
from polycore.tails.rademacher import Tail
from polycore.theory import spike
from polycore.theory.bounded_scores import Band
from polycore.theory.concentration import (
    SILENT_CRUDE,
    SILENT_SHARP,
    TAIL_SMALL_SHARP,
    at_threshold,
)

# In words.


@pytest.mark.parametrize(("hits", "verdict"), [(5_080, "pass"), (6_000, "fail")])
def test_draws_are_told_beside_what_is_enclosed(hits, verdict):
    decision = montecarlo.decide_agreement(hits, 10_000, 0.5, 0.5)
    said = classification.beside_draws(decision)
    assert f"drawn {hits / 10_000:.5f}" in said and f"{verdict}\n" in said
    assert f"{montecarlo.z_score(hits, 10_000, 0.5):+.2f} standard errors" in said
    assert f"{decision.detects:.5f}" in said


def test_a_certain_event_has_no_standard_score():
    decision = montecarlo.decide_agreement(100, 100, 1.0, 1.0)
    assert "standard errors" not in classification.beside_draws(decision)


def test_the_middle_of_the_enclosure_is_told():
    decision = montecarlo.decide_agreement(3_000, 10_000, 0.2, 0.3)
    assert "enclosed 0.25000" in classification.beside_draws(decision)
    with pytest.raises(ValueError, match="both ends of an enclosure"):
        classification.beside_draws(montecarlo.decide_at_most(0, 100, 0.1))


@pytest.mark.parametrize(
    ("bound", "word"), [(0.01, "kept"), (1e-5, "broken"), (1.5e-4, "undecided")]
)
def test_a_promise_is_kept_or_broken_as_the_evidence_says(bound, word):
    check = certified("a tail", Tail(1e-4, 2e-4, "a bound", "certified"), at_most=bound)
    assert classification.beside_promise(check).endswith(word)


@pytest.mark.parametrize("check", [exact("a rank", 1, equals=1), exact("a rank", 2, at_least=1)])
def test_only_a_promise_is_told_as_one(check):
    with pytest.raises(ValueError, match="give evidence that a probability is at_most"):
        classification.beside_promise(check)


@pytest.mark.parametrize(
    ("failed", "reached", "said"),
    [
        (["n₀, paper variance"], True, "κ < 1/8; the sharp variance reaches this κ"),
        (["n₀, paper variance", "a sum"], True, "Not as computed here: n₀, paper variance;"),
        (["n₀, paper variance"], False, "It is false."),
    ],
)
def test_other_constants_mend_only_what_is_the_papers(failed, reached, said):
    checks = [exact(what, 1, equals=2) for what in failed] + [exact("all right", 1, equals=1)]
    assert said in classification.otherwise(checks, reached, "1/8", "It is false.")


# The numbers of an n₀, and what the kernel concludes from them.


@pytest.mark.kernel
@pytest.mark.parametrize(
    ("band", "theorem", "prefactor"),
    [(Band.between(2, 4), TAIL_SMALL_SHARP, 2), (Band.between(2, 32), SILENT_SHARP, "C")],
)
def test_a_certified_n0_is_one_for_the_kernel(band, theorem, prefactor):
    prefactor = thresholds.Columns("2.5") if prefactor == "C" else prefactor
    kappa = Rational(1, 20)
    found = thresholds.sufficient_n(kappa * band.doublings, "0.05", 2, prefactor=prefactor)
    numbers = classification.numbers_at(found)
    proof = band.from_n0(theorem, numbers)
    assert Ge(n, found.n) in proof.hypotheses
    named = {"kappa": kappa, **{key: numbers[key] for key in numbers if key != "q"}}
    assert str(band.from_n0(theorem, named)) == str(proof)
    with pytest.raises(ProofError, match="ball arithmetic does not find"):
        band.from_n0(theorem, numbers | {"n0": Integer(found.n - 1)})


def test_the_number_of_columns_counts_binary_logarithms():
    found = thresholds.sufficient_n("0.3", "0.01", 1, prefactor=thresholds.Columns("2.5"))
    assert classification.numbers_at(found)["c"] == Rational(5, 2) / Log(Integer(2))
    once = thresholds.sufficient_n("0.3", "0.01", 1)
    assert "c" not in classification.numbers_at(once)


@pytest.mark.slow
def test_a_network_is_silent_more_often_at_a_higher_threshold_only():
    found = thresholds.sufficient_n(
        "0.1", "0.05", 1, "0.1", "paper", prefactor=thresholds.Columns(2)
    )
    proof = Band.between(2, 4).from_n0(SILENT_CRUDE, classification.numbers_at(found))
    higher = at_threshold(proof, Rational(1, 5))
    terms = proof.conclusion.lhs.args[0]
    assert higher.conclusion == Ge(Silent(terms, Rational(1, 5), m, 1), proof.conclusion.rhs)
    assert higher.hypotheses == proof.hypotheses
    with pytest.raises(ProofError):
        at_threshold(proof, Rational(1, 20))


def test_the_hypotheses_of_a_band_have_names():
    by_crude = Band.between(2, 32).eventually(SILENT_CRUDE)
    [exponent] = by_crude.hypotheses.named("exponent")
    assert exponent == Gt(1 - 8 * symbols("kappa"), 0)
    assert not any(h.has(total(symbols("f"))) for h in by_crude.hypotheses.named("sizes"))
    assert len(by_crude.hypotheses.named("steep", "overtaken")) == 2


@pytest.mark.parametrize(("low", "high"), [(2, 6), (4, 2), (2, 2)])
def test_the_ends_of_a_band_are_a_power_of_two_apart(low, high):
    with pytest.raises(ValueError):
        Band.between(low, high)


@pytest.mark.parametrize("limit", [Rational(0), Rational(1, 10), Rational(1, 5), Rational(2, 3)])
def test_a_lone_spike_outweighs_from_its_share_on_and_not_before(limit):
    w, r = symbols("w r")
    share = (1 + limit) / (1 - limit)
    [weight] = spike.LONE_SPIKE_OUTWEIGHS.given("weight")
    right, wrong = ([weight, Ge(r, part * share * n), Ge(n, 1)] for part in (1, Rational(9, 10)))
    judgment = apply(spike.LONE_SPIKE_OUTWEIGHS, {"t": limit}, right)
    assert judgment.conclusion == Gt(2 * w - 1, limit) and list(judgment.hypotheses) == right
    with pytest.raises(ProofError):
        apply(spike.LONE_SPIKE_OUTWEIGHS, {"t": limit}, wrong)
    for many in (1, 7, 10**6):  # at equality it exceeds the limit, and less and less
        exact_weight = share * many / (share * many + many - 1)
        assert 0 < 2 * exact_weight - 1 - limit < 2 / Rational(many)


@pytest.mark.parametrize(
    "theorem",
    [TAIL_SMALL_SHARP, SILENT_SHARP],
    ids=["one column", "a network"],
)
def test_the_exponent_of_a_theorem_is_a_hypothesis_of_its_own(theorem):
    assert theorem.given("exponent") == [Gt(1 - symbols("q"), 0)]


# Members, and what they make of signs.


def test_a_spike_among_equal_scores_belongs_to_d1():
    for background in (2, 3.5, 4):
        member = datasets.spike_among(100, background)
        assert member.n == 100 and datasets.in_d1(member.expand())
        assert sorted(set(member.expand())) == [background, 32]
    for background in (1.9, 4.1, 32):
        with pytest.raises(ValueError, match="background"):
            datasets.spike_among(100, background)


def test_scores_each_once_are_the_scores():
    z = datasets.random_d1(50, np.random.default_rng(1))
    member = datasets.Scores.each_once(z)
    assert member.n == 50 and np.array_equal(member.expand(), z)
    assert np.array_equal(member.weights(1.5), attention.weights(z, 1.5))
    assert member.squared_norm(1.5) == attention.squared_norm(z, 1.5)


def test_multiplicities_change_nothing_that_is_enclosed():
    compact = datasets.two_level(16, 3)
    spread = datasets.Scores.each_once(compact.expand())
    for kappa in (0.1, 0.8):
        one, other = (network.one_column_at(x, kappa, 0.21) for x in (compact, spread))
        assert one.lower <= other.upper and other.lower <= one.upper
        f = [Fraction(x) for x in attention.weights(compact.expand(), kappa * 4)]
        truth = rademacher.enumerate_tail(f, 0.21).lower
        assert all(x.lower <= truth <= x.upper for x in (one, other))


def test_a_network_fires_when_one_of_its_columns_does():
    member, kappa, tau = datasets.two_level(64, 5), 0.5, 0.2
    one, many = (network.fires_at(member, kappa, columns, tau) for columns in (1, 7))
    p = network.one_column_at(member, kappa, tau)
    assert one.value == pytest.approx(p.value / 2, rel=1e-9, abs=0)
    assert many.value == pytest.approx(1 - (1 - one.value) ** 7, rel=1e-9, abs=0)


@pytest.mark.slow
def test_networks_and_columns_are_drawn_as_their_distribution_says():
    rng, trials = np.random.default_rng(20231020), 4_000
    for member in (datasets.spike_among(64, 4), datasets.Scores.each_once([2, 3, 4, 32])):
        drawn = classification.networks_drawn(member, 0.3, 3, 0.2, trials, rng)
        assert drawn.verdict == "pass"
        found = network.one_column_at(member, 0.3, 0.2)
        hits = int(np.sum(abs(network.draw_column_at(member, 0.3, trials, rng)) > 0.2))
        assert montecarlo.decide_agreement(hits, trials, found.lower, found.upper).verdict == "pass"


def test_networks_of_another_threshold_do_not_agree(monkeypatch):
    rng, enclosed = np.random.default_rng(20231020), network.fires_at
    monkeypatch.setattr(network, "fires_at", lambda *x: enclosed(*x[:3], 1.5 * x[3]))
    member = datasets.two_level(64, 5)
    assert classification.networks_drawn(member, 0.5, 4, 0.2, 4_000, rng).verdict == "fail"


@pytest.mark.parametrize("delta", ["-1/2", 0, 1, 1.5])
def test_what_is_promised_is_a_probability(delta):
    with pytest.raises(ValueError, match="delta must be a finite real number > 0 and < 1"):
        classification.Promise(delta, 1, 2).at(100)


def test_a_promise_is_kept_by_a_silent_network_only():
    promise = classification.Promise("0.01", 1, 2)
    assert promise.at(10**6) == Fraction(1, 10**8)
    lone_four = datasets.two_level(10**9, 1)
    kept, broken = (promise.kept("a lone 4", lone_four, kappa) for kappa in (0.45, 1.05))
    assert kept.passed and broken.passed is False
    assert promise.kept("τ = 1", lone_four, 1.05, tau=1).passed


def test_the_sum_of_a_shown_chain_is_what_is_proved():
    """A derivation ends where its theorem does, under the same hypotheses."""
    for theorem in (spike.ABOVE_GE_QUARTER, spike.LONE_SPIKE_OUTWEIGHS):
        shown = theorem.derivation()
        assert shown.judgment.conclusion == theorem.conclusion
        assert shown.links[0].conclusion.lhs == theorem.conclusion.lhs
        assert all(link.hypotheses == theorem.hypotheses for link in shown.links)
