"""What the kernel proved, held against numbers: each lemma at random points, each threshold from
both sides.
"""

import functools
import itertools
import math
import random

import pytest
from sympy import (
    Eq,
    Ge,
    Gt,
    Indexed,
    IndexedBase,
    Integer,
    Le,
    Lt,
    Ne,
    Rational,
    Sum,
    Symbol,
    symbols,
)

from polycore import thresholds
from polycore.proof import (
    AXIOMS,
    Above,
    Ceil,
    Exp,
    Log,
    Power,
    ProofError,
    Silent,
    Tail,
    Theorem,
    apply,
    arithmetic,
    i,
    n,
    total,
)
from polycore.theory import (
    bounded_variables,
    concentration,
    elementary,
    hoeffding_lemma,
    spike,
    sums,
)
from polycore.theory import rademacher_sums as sign_sums
from polycore.theory import relu as rectifier
from polycore.theory.bounded_scores import Band
from polycore.theory.concentration import (
    SILENT_CRUDE,
    SILENT_HOELDER,
    SILENT_SHARP,
    TAIL_SMALL_CRUDE,
    TAIL_SMALL_HOELDER,
    TAIL_SMALL_SHARP,
    at_numbers,
)
from polycore.theory.variance import CRUDE_VARIANCE, KANTOROVICH, VARIANCE_POSITIVE

pytestmark = pytest.mark.kernel

F, RATIO = IndexedBase("f"), symbols("r")
COMPARE = {
    Eq: lambda a, b: math.isclose(a, b, rel_tol=1e-9, abs_tol=1e-9),
    Ne: lambda a, b: a != b,
    Le: lambda a, b: a <= b + 1e-9 * abs(b),
    Lt: lambda a, b: a < b,
    Ge: lambda a, b: a >= b - 1e-9 * abs(b),
    Gt: lambda a, b: a > b,
}


def terms(e, at):
    """The terms of a sum."""
    return [value(e.function, at | {"i": k}) for k in range(1, int(value(e.limits[0][2], at)) + 1)]


def value(e, at):
    """The number that ``e`` is at a point, by the definitions of the textbook."""
    match e:
        case Symbol():
            return at[e.name]
        case Indexed():
            return at[e.base.name][int(value(e.indices[0], at)) - 1]
        case Sum():
            return sum(terms(e, at))
        case Exp():
            exponent = value(e.args[0], at)
            return math.exp(exponent) if exponent < 700 else math.inf
        case Log():
            return math.log(value(e.args[0], at))
        case Power():
            return value(e.args[0], at) ** value(e.args[1], at)
        case Ceil():
            return math.ceil(value(e.args[0], at))
        case Above() | Tail() | Silent():
            signed = itertools.product(*((term, -term) for term in terms(e.args[0], at)))
            sums, t = list(map(sum, signed)), value(e.args[1], at)
            if isinstance(e, Silent):
                return silent(sums, t, int(value(e.args[2], at)), value(e.args[3], at))
            return sum((abs(z) if isinstance(e, Tail) else z) > t for z in sums) / len(sums)
    if e.is_Number:
        return float(e)
    parts = [value(part, at) for part in e.args]
    return math.fsum(parts) if e.is_Add else math.prod(parts) if e.is_Mul else parts[0] ** parts[1]


def silent(sums, t, columns, tokens):
    """How often max(tokens · Σ_j max(z_j - t, 0), 0) is 0 over all choices of columns; where those
    are too many, column by column.
    """
    if len(sums) ** columns > 1000:
        return (sum(z <= t for z in sums) / len(sums)) ** columns
    outputs = [
        max(tokens * sum(max(z - t, 0) for z in chosen), 0)
        for chosen in itertools.product(sums, repeat=columns)
    ]
    return outputs.count(0) / len(outputs)


def holds(relation, at):
    every = range(1, at["n"] + 1) if i in relation.free_symbols else [0]
    return all(
        COMPARE[relation.func](*(value(side, at | {"i": k}) for side in relation.args))
        for k in every
    )


@functools.cache  # each lemma is tried at the same ones
def points(seed):
    """Values for every symbol of the lemmas, often on the edge of a hypothesis; sequences have one
    term past n.
    """
    rng = random.Random(seed)
    size = rng.randint(0, 5)
    at = {
        name: rng.uniform(0.1, 3) * rng.choice((1, 1, -1))
        for name in [
            "x",
            "y",
            "a",
            "b",
            "c",
            "d",
            "e",
            "k",
            "q",
            "r",
            "s",
            "t",
            "lo",
            "hi",
            "tau",
            "delta",
            "n0",
            "rate",
            "N",
        ]
    }
    at |= {name: [rng.uniform(-2, 3) for _ in range(size + 1)] for name in "fgz"}
    at["y"] = at["x"] if rng.random() < 0.2 else at["y"]
    at["g"] = (
        at["f"]
        if rng.random() < 0.2
        else [min(p, q) if rng.random() < 0.5 else q for p, q in zip(at["f"], at["g"])]
    )
    at["h"] = [math.log(math.cosh(at["s"] * v)) + rng.choice((0, 1e-9, 1)) for v in at["f"]]
    at |= {"n": size, "m": rng.randint(0, 4)}
    if rng.random() < 0.2:  # what Hoeffding's lemma halves
        at["y"], at["a"] = rng.uniform(0, 0.5), rng.uniform(0.5, 1)
        at["x"] = 2**size * at["y"]
    if rng.random() < 0.2:  # a rate at which a column is missed
        at["a"] = -math.log(
            max(1 - value(Above(total(F[i]), symbols("t")), at), 1e-3)
        ) - rng.choice((0, 1))
    return at


ROOMS = (elementary, sums, hoeffding_lemma, sign_sums)
LEMMAS = {name: getattr(room, name) for room in ROOMS for name in room.__all__}
LEMMAS = AXIOMS | {name: lemma for name, lemma in LEMMAS.items() if isinstance(lemma, Theorem)}


@pytest.mark.parametrize("name", LEMMAS)
def test_each_axiom_and_lemma_is_true_at_random_points(name):
    lemma, met = LEMMAS[name], 0
    for seed in range(3000):
        at = points(seed)
        if all(holds(h, at) for h in lemma.hypotheses):
            met += 1
            assert holds(lemma.conclusion, at), at
    assert met >= 20


def test_a_false_lemma_is_seen():
    x, a, b = symbols("x a b")
    false = Eq(Power(x, a + b), Power(x, a) + Power(x, b))
    assert not all(holds(false, points(seed) | {"x": 2.0}) for seed in range(20))
    f, g = IndexedBase("f"), IndexedBase("g")
    assert not all(holds(Le(total(f[i]), total(g[i])), points(seed)) for seed in range(20))


def attention_point(seed):
    rng = random.Random(seed)
    lo, hi = sorted(rng.uniform(0.1, 5) for _ in range(2))
    u = [rng.choice((lo, hi, rng.uniform(lo, hi))) for _ in range(rng.randint(1, 6))]
    alpha = sum(u)
    return {"u": u, "alpha": alpha, "f": [v / alpha for v in u], "lo": lo, "hi": hi, "n": len(u)}


@pytest.mark.parametrize(
    "lemma", [CRUDE_VARIANCE, KANTOROVICH, VARIANCE_POSITIVE], ids=lambda lemma: lemma.__name__
)
def test_variances_at_random_weights(lemma):
    for seed in range(500):
        at = attention_point(seed)
        assert all(holds(h, at) for h in lemma.hypotheses) and holds(lemma.conclusion, at)


def rectified_point(seed):
    """Values x_i on both sides of τ and at it, their rectifications, the sum s and the outer
    rectifier F; one more at the end.
    """
    rng, tau = random.Random(seed), 0.25
    x = [
        rng.choice((tau, rng.uniform(-1, tau), rng.uniform(-1, 1)))
        for _ in range(rng.randint(0, 4))
    ]
    last, s = rng.uniform(-1, 1), rng.uniform(-1, 1)
    g = [max(v - tau, 0) for v in (*x, last)]
    return {"x": [*x, last], "g": g, "tau": tau, "n": len(x), "s": s, "F": max(s, 0)}


@pytest.mark.parametrize("name", [name for name in rectifier.__all__ if name != "SHIFTED_RELU"])
def test_rectifiers_at_random_points(name):
    lemma, met = getattr(rectifier, name), 0
    for seed in range(500):
        at = rectified_point(seed)
        if all(holds(h, at) for h in lemma.hypotheses):
            met += 1
            assert holds(lemma.conclusion, at), at
    assert met >= 20


def test_only_the_rectifier_meets_its_hypotheses():
    for seed in range(100):
        at = rectified_point(seed)
        x = at["x"]
        wrong = [
            [v - 0.25 for v in x],
            [v if v > 0.25 else 0 for v in x],
            [max(v, 0) - 0.25 for v in x],
        ]
        for values in wrong:
            same = values[: at["n"]] == at["g"][: at["n"]]
            assert all(holds(h, at | {"g": values}) for h in rectifier.SHIFTED_RELU) == same


def band_point(band, seed):
    rng = random.Random(seed)
    low, high = band.low, band.low * 2**band.doublings
    z = [rng.choice((low, high, rng.uniform(low, high))) for _ in range(rng.randint(1, 6))]
    beta = rng.uniform(0.01, 2)
    if (
        rng.random() < 0.1
    ):  # where Kantorovich's bound is attained: n/(1 + 2) of the scores at the top
        z, beta = [high, low, low], 1 / band.doublings
    u = [v**beta for v in z]
    kappa = beta / math.log2(len(z)) if len(z) > 1 else 1.0
    at = {"z": z, "u": u, "alpha": sum(u), "f": [v / sum(u) for v in u], "beta": beta, "n": len(z)}
    return at | {"kappa": kappa * rng.choice((1, 1 + 1e-12, 2))}


@pytest.mark.parametrize("band", [Band(2, 1), Band(2, 4), Band(3, 2)], ids=repr)
@pytest.mark.parametrize("name", ["crude", "sharp", "positive", "degree"])
def test_bands_at_random_scores(band, name):
    lemma, met, tight = getattr(band, name), 0, 0
    for seed in range(500):
        at = band_point(band, seed)
        if all(holds(h, at) for h in lemma.hypotheses):
            met += 1
            assert holds(lemma.conclusion, at), at
            tight += name == "positive" or math.isclose(
                *(value(side, at) for side in lemma.conclusion.args), rel_tol=1e-9
            )
    assert met >= 300 and (tight or name == "crude")


@pytest.mark.parametrize(
    ("theorem", "kind"),
    [
        (TAIL_SMALL_HOELDER, "hoelder"),
        (TAIL_SMALL_SHARP, "sharp"),
        (SILENT_HOELDER, "hoelder"),
        (SILENT_SHARP, "sharp"),
    ],
)
@pytest.mark.parametrize("band", [Band(2, 1), Band(2, 4)], ids=repr)
def test_bands_conclude_from_n0_on_and_not_before(band, theorem, kind):
    columns = theorem in (SILENT_HOELDER, SILENT_SHARP)
    prefactor = thresholds.Columns(2) if columns else 2
    least = thresholds.sufficient_n(
        Rational(1, 20) * band.doublings, "0.05", 2, variance=kind, prefactor=prefactor
    ).n
    numbers = {
        "kappa": Rational(1, 20),
        "tau": Rational(1, 10),
        "delta": Rational(1, 20),
        "k": Integer(2),
        "n0": Integer(least),
    }
    numbers |= {"c": 2 / Log(Integer(2))} if columns else {}
    found = band.from_n0(theorem, numbers)
    assert set(band.given) < set(found.hypotheses) and Ge(n, least) in found.hypotheses
    with pytest.raises(ProofError, match="ball arithmetic does not find"):
        band.from_n0(theorem, numbers | {"n0": Integer(least - 1)})
    every = band.eventually(theorem)
    assert Gt(1 - band.doublings * symbols("kappa"), 0) in every.hypotheses
    assert not any(
        h.lhs == total(F[i] ** 2) for h in every.hypotheses
    )  # the variance is proved, not assumed


def spiked_point(seed):
    rng = random.Random(seed)
    u = [rng.uniform(0.1, 3) for _ in range(rng.randint(1, 6))]
    top = max(u) * len(u) * rng.choice((1, 1 + 1e-9, 2))
    alpha = sum(u) + top
    at = {
        "u": u,
        "alpha": alpha,
        "f": [v / alpha for v in (*u, top)],
        "hi": max(u),
        "top": top,
        "n": len(u),
    }
    return at | {"t": rng.uniform(-1, 0.5)}


def spiked_scores(seed):
    rng = random.Random(seed)
    others, h, v = rng.randint(1, 6), rng.uniform(0.5, 3), rng.uniform(4, 9)
    beta = math.log(others + 1) / math.log(v / h) * rng.choice((1 + 1e-9, 1.5))
    z = [rng.choice((h, rng.uniform(0.1, h))) for _ in range(others)]
    u, c = [score**beta for score in z], rng.choice((1, 1.5)) / math.log(4 / 3) + 1e-9
    alpha = sum(u) + v**beta
    at = {
        "z": z,
        "u": u,
        "alpha": alpha,
        "f": [power / alpha for power in (*u, v**beta)],
        "n": others,
        "h": h,
        "v": v,
    }
    delta = rng.uniform(0.1, 0.9)
    at |= {
        "beta": beta,
        "t": rng.uniform(0, 0.49),
        "delta": delta,
        "c": c,
        "k": rng.choice((0.5, 1)),
    }
    return at | {"m": math.ceil(c * math.log((others + 1) / delta))}


@pytest.mark.parametrize("name", ["SPIKE_POWER_GE_OTHERS", "NETWORK_FIRES_AT_SPIKE"])
def test_networks_fire_at_random_spikes(name):
    lemma, near = getattr(spike, name), 0
    for seed in range(300):
        at = spiked_scores(seed)
        assert all(holds(h, at) for h in lemma.hypotheses) and holds(lemma.conclusion, at)
        near += math.isclose(
            value(lemma.conclusion.lhs, at), value(lemma.conclusion.rhs, at), rel_tol=0.5
        )
    assert near, "no point is near the bound, so that a wrong constant would not be seen"


@pytest.mark.parametrize(
    "name",
    [
        "SPIKE_WEIGHT_GE_HALF",
        "OTHER_WEIGHT_LE_SHARE",
        "OTHER_SQUARES_SMALL",
        "ABOVE_GE_QUARTER",
        "ABOVE_GE_HALF_LESS_TAIL",
    ],
)
def test_spikes_at_random_weights(name):
    lemma, tight = getattr(spike, name), 0
    for seed in range(500):
        at = spiked_point(seed)
        assert all(holds(h, at) for h in lemma.hypotheses) and holds(lemma.conclusion, at)
        both = (
            value(lemma.conclusion.lhs, at | {"i": 1}),
            value(lemma.conclusion.rhs, at | {"i": 1}),
        )
        tight += math.isclose(*both, rel_tol=0.3)
    assert tight, "no point is near the bound, so that a wrong constant would not be seen"


def test_a_spike_below_the_others_is_not_enough():
    weaker = [h for h in spike.GIVEN if h != Le(n * symbols("hi"), symbols("top"))]
    with pytest.raises(ProofError, match="is not met"):
        apply(spike.ABOVE_GE_QUARTER, {}, [*weaker, Lt(symbols("t"), Rational(1, 2))])


def test_kantorovich_is_attained_and_nothing_smaller_is_proved():
    u = [2.0] * 3 + [1.0] * 6  # n/(1 + hi/lo) entries at the top
    at = {"u": u, "alpha": 12.0, "f": [v / 12 for v in u], "lo": 1.0, "hi": 2.0, "n": 9}
    bound = KANTOROVICH.conclusion
    assert value(bound.lhs, at) == pytest.approx(value(bound.rhs, at), rel=1e-14, abs=0)
    with pytest.raises(ProofError, match="cannot derive"):
        arithmetic(
            Le(bound.lhs, Rational(99, 100) * bound.rhs), KANTOROVICH.hypotheses, [KANTOROVICH]
        )


GIVEN = [Gt(total(F[i] ** 2), 0), Ge(RATIO, 1)]


CRUDE_BOUND, HOELDER_BOUND, SHARP_BOUND = (
    RATIO**2 / n,
    RATIO / n,
    (1 + RATIO) ** 2 / (4 * RATIO * n),
)


@pytest.mark.parametrize(
    ("theorem", "kind", "bound", "columns"),
    [
        (TAIL_SMALL_CRUDE, "paper", CRUDE_BOUND, None),
        (TAIL_SMALL_HOELDER, "hoelder", HOELDER_BOUND, None),
        (TAIL_SMALL_SHARP, "sharp", SHARP_BOUND, None),
        (SILENT_CRUDE, "paper", CRUDE_BOUND, 2),
        (SILENT_HOELDER, "hoelder", HOELDER_BOUND, 2),
        (SILENT_SHARP, "sharp", SHARP_BOUND, 2),
    ],
    ids=["paper", "hoelder", "sharp", "paper, columns", "hoelder, columns", "sharp, columns"],
)
def test_the_kernel_and_the_thresholds_agree_on_n0(theorem, kind, bound, columns):
    prefactor = thresholds.Columns(columns) if columns else 2
    least = thresholds.sufficient_n("0.3", "0.05", 2, variance=kind, prefactor=prefactor).n

    def conclude(n0):
        numbers = {
            "q": Rational(3, 10),
            "tau": Rational(1, 10),
            "delta": Rational(1, 20),
            "k": Integer(2),
        }
        numbers |= {"c": columns / Log(Integer(2))} if columns else {}
        large = [
            *GIVEN,
            Le(total(F[i] ** 2), bound),
            Le(RATIO, Power(n, Rational(3, 10))),
            Ge(n, n0),
        ]
        two = [elementary.LOG_TWO_POSITIVE]
        return at_numbers(theorem, numbers | {"n0": Integer(n0), "r": RATIO}, large, two)

    assert conclude(least).axioms >= {"one more sign", "ball"}
    with pytest.raises(ProofError, match="ball arithmetic does not find"):
        conclude(least - 1)


def test_growth_needs_its_slope():
    without = [h for h in concentration.POWER_OVERTAKES_LOG.hypotheses if "a*e" not in str(h)]
    with pytest.raises(ProofError, match="is not met"):
        apply(concentration.POWER_OVERTAKES_LOG, {}, without)


def bounded_point(seed):
    """A variable with its probabilities, an event and a rate, two independent variables with all
    that is said of them.
    """
    rng = random.Random(seed)
    a, b = sorted((rng.uniform(-2, 1), rng.uniform(-1, 2)))
    size, s, t = rng.randint(1, 4), rng.uniform(0, 3), rng.uniform(0, 1.5)
    values = [rng.choice((a, b, rng.uniform(a, b))) for _ in range(size)]
    weights = [rng.random() for _ in values]
    p = [weight / sum(weights) for weight in weights]
    means = [rng.uniform(-1, 1) for _ in range(size)]
    c = [rng.uniform(0.1, 3) for _ in range(size)]
    rate = rng.choice((s, 4 * t / sum(c)))
    g, l = (
        [
            math.exp(rate * sign * d + rate**2 * k / 8) * rng.choice((1, rng.random()))
            for d, k in zip(means, c)
        ]
        for sign in (1, -1)
    )
    products = [
        [math.prod(terms[:k]) for k in range(1, size + 1)] + [1.0] for terms in (g, l)
    ]  # M[0] is asked for as the last
    at = {
        "a": a,
        "b": b,
        "x": values,
        "p": p,
        "v": rng.uniform(a, b),
        "n": size,
        "s": rate,
        "t": t,
        "c": c,
        "d": means,
        "g": g,
        "l": l,
    }
    at |= {
        "M": products[0],
        "L": products[1],
        "mu": sum(map(math.prod, zip(p, values))),
        "e": [int(x >= t) for x in values],
    }
    at["q"], at["r"] = (
        min(1, end[-2] * math.exp(-4 * t / sum(c) * (t + sign * sum(means))))
        for end, sign in zip(products, (1, -1))
    )
    at |= {"u": rng.uniform(-3, 3), "h": rng.uniform(-2, 0.5), "y": rng.uniform(0, 1)}
    if rng.random() < 0.7:
        at["q"] = min(at["q"], rng.random())
    return at


@pytest.mark.parametrize("name", bounded_variables.__all__)
def test_bounded_variables_at_random_points(name):
    lemma, met = getattr(bounded_variables, name), 0
    for seed in range(2000):
        at = bounded_point(seed)
        if all(holds(h, at) for h in lemma.hypotheses):
            met += 1
            assert holds(lemma.conclusion, at), at
    assert met >= 20
