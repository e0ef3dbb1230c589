"""The closed forms of the page "Try it" and of the landing page's figure against polycore in
Chromium, and the page "Try it" as its reader uses it.
"""

import itertools
import json
import math
import re
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from flint import arb, ctx
from scipy.stats import binom

from pipeline.reruns import parameters
from polycore.models import attention, datasets, mechanisms, network, normalised, windows
from polycore.models.self_attention import Data
from polycore.tails.rademacher import Tail, two_class_tail

pytestmark = pytest.mark.site

ROOT = Path(__file__).parents[1]
SCRIPT = (ROOT / "book/_static/closed_forms.js").read_text(encoding="utf-8")
PAGE = "book/play.html"
SEED, SIZE = 20231020, 1200  # of either setting, each on both datasets
LEAST = 1e-280  # polycore's enclosures end at 1e-290
NUDGE = 1e-13  # of the threshold, upwards: a sum that is equal up to rounding no longer exceeds it


@pytest.fixture(scope="module")
def run(looked_at):
    """Evaluate the closed forms, or a changed version of them, on each of a list of inputs."""
    page = looked_at(PAGE)
    return lambda call, inputs, script=SCRIPT: page.evaluate(
        "([script, call, inputs]) => inputs.map(new Function(`${script}; return (${call})`)())",
        [script, call, inputs],
    )


@pytest.fixture(scope="module")
def digits(run):
    """The relative error that the page promises."""
    (places,) = run("() => closedForms.DIGITS", [0])
    return 10.0**-places


# Random settings


def sizes(rng, count):
    """Whole numbers up to 10^12, uniform in their logarithm; few beyond 10^8, where polycore takes
    seconds.
    """
    exponents = np.concatenate([rng.uniform(0.31, 8, count - 16), np.linspace(8.5, 12, 16)])
    return [round(10**x) for x in rng.permutation(exponents)]


def scores_input(n, rng, **more):
    """A list of scores and a threshold at up to 30 standard deviations of what its noise brings,
    with or without the spike.
    """
    low, high, spike = np.round(
        np.sort(np.exp(rng.uniform(np.log(0.5), np.log(40), 3))), 3
    ).tolist()
    most = min(n - 1, 10**4)
    few = [0, n, int(np.exp(rng.uniform(0, np.log(most))))][rng.integers(3)]
    given = {
        "n": n,
        "kappa": round(rng.uniform(0, 2), 3),
        "low": low,
        "high": high,
        "spike": spike,
        "few": few,
    }
    given |= {"m": int(rng.integers(1, 2000)), **more}
    f, counts = scores_weights(given, rng.integers(2))
    above = f[-1] * rng.integers(2) + rng.uniform(0, 30) * math.sqrt(np.sum(counts * f**2))
    return given | {"tau": float(above) if 0 < above < 1 else 0.2}


def scores_weights(given, spikes):
    """(weights, counts) of the classes that there are, by polycore; the spike comes last."""
    others = given["n"] - spikes
    few = min(given["few"], others)
    classes = [(given["high"], few), (given["low"], others - few), (given["spike"], spikes)]
    values, counts = zip(*((value, int(count)) for value, count in classes if count))
    beta = given["kappa"] * math.log2(given["n"])
    if "temperature" in given:  # softmax: the power of degree 1/T of exponentials
        values, beta = np.exp(values), 1 / given["temperature"]
    return attention.weights(values, beta, counts), np.array(counts)


def tokens_input(n, rng, **more):
    """Tokens and a threshold at up to 30 standard deviations of the noise beyond what some signs of
    the special entries bring.
    """
    d = 2 + int(np.exp(rng.uniform(np.log(2), np.log(min(n, 10**6))))) if n > 2 else 4
    given = {
        "n": n,
        "d": d,
        "kappa": round(rng.uniform(0, 10), 3),
        "b": round(rng.uniform(0.1, 0.9), 3),
        "m": int(rng.integers(1, 2000)),
        **more,
    }
    given |= {
        name: round(float(np.exp(rng.uniform(np.log(0.02), np.log(3)))), 4) for name in ("a0", "a1")
    }
    first, block, rest, last = member(given, "a1").output(degree(given, "a1"))
    brought = np.array([first, block, last]) @ rng.integers(0, 2, 3)
    far = float(brought + rng.uniform(0, 30) * rest * math.sqrt(d))
    return given | {"tau": [round(1.1 - given["b"], 4), far][rng.integers(2)]}


def member(given, excess):
    n, d, b = given["n"], given["d"], given["b"]
    return Data(n // (d - 2) * (d - 2), d, given[excess], b, round(1 - b, 3))


def degree(given, excess):
    """Of the power; for softmax, the degree at which a power gives the special token as much."""
    if "temperature" in given:
        return given[excess] / (given["temperature"] * math.log1p(given[excess]))
    return given["kappa"] * math.log2(member(given, "a1").n)


# What polycore says of them


def one_column(f, counts, tau):
    """Enclosure of Pr[<f, sigma> > tau], where three classes may be if the last has one entry."""
    if len(f) <= 2:
        return half(two_class_tail(f, counts, tau))
    down, up = (beyond(f[:2], counts[:2], tau + sign * f[2]) for sign in (1, -1))
    return Tail((down.lower + up.lower) / 2, (down.upper + up.upper) / 2, up.method, up.rigour)


def beyond(f, counts, limit):
    """Enclosure of Pr[Z > limit] for two classes; below 0 by symmetry from Pr[Z >= -limit]."""
    if limit >= 0:
        return half(two_class_tail(f, counts, limit))
    missed = half(two_class_tail(f, counts, math.nextafter(-limit, 0)))
    return Tail(1 - missed.upper, 1 - missed.lower, missed.method, missed.rigour)


def half(two_sided):
    return Tail(two_sided.lower / 2, two_sided.upper / 2, two_sided.method, two_sided.rigour)


def scores_law(given, spikes, nudge=0.0):
    """(weight, Pr of one column), the threshold moved by `nudge` of what is compared."""
    f, counts = scores_weights(given, spikes)
    return max(f[-1:] if spikes else f), one_column(
        f, counts, max(0.0, given["tau"] + nudge * (given["tau"] + max(f)))
    )


def tokens_law(given, dataset, nudge=0.0):
    excess = ("a0", "a1")[dataset]
    one, beta = member(given, excess), degree(given, excess)
    tau = given["tau"] + nudge * (given["tau"] + float(one.a) + 1)
    return one.weights(beta)[0], one.exceeds(beta, tau)


def agrees(found, law, given, dataset, error):
    """Whether weight and probabilities lie in polycore's enclosures widened by `error`, or do so
    next to a tie.

    Polycore decides a tie on the rounded weights, one way or the other; the page says that equal
    does not exceed.
    """
    weight, p = law(given, dataset)
    probable = inside(found, p, given["m"], error) or inside(
        found, law(given, dataset, NUDGE)[1], given["m"], error
    )
    return probable and abs(found["weight"] / weight - 1) <= error


def inside(found, p, m, error):
    enclosures = {
        "exceeds": p,
        "fires": network.any_column(p, m),
        "silent": network.no_column(p, m),
    }
    return all(
        tail.lower * (1 - error) - LEAST <= found[name] <= tail.upper * (1 + error) + LEAST
        for name, tail in enclosures.items()
    )


LAWS = {"scores": (scores_input, scores_law), "tokens": (tokens_input, tokens_law)}


@pytest.fixture(scope="module", params=LAWS)
def setting(request):
    """(name, law, inputs) of either setting."""
    draw, law = LAWS[request.param]
    rng = np.random.default_rng(SEED)
    return request.param, law, [draw(n, rng) for n in sizes(rng, SIZE)]


def wrong(found, law, inputs, error):
    return [
        (given, dataset)
        for answer, given in zip(found, inputs)
        for dataset in (0, 1)
        if not agrees(answer[f"d{dataset}"], law, given, dataset, error)
    ]


def test_closed_forms_agree_with_the_core(run, digits, setting):
    name, law, inputs = setting
    found = run(f"closedForms.{name}", inputs)
    assert wrong(found, law, inputs, digits) == []
    chances = [answer[key]["exceeds"] for answer in found for key in ("d0", "d1")]
    kinds = [0.0, LEAST, 1e-30, 1e-6, 0.1, 0.6]
    assert min(np.histogram(chances, kinds)[0]) > 50  # of every kind of probability there were some
    assert max(given["n"] for given in inputs) == 10**12
    laws = [law(given, dataset)[1] for given in inputs[:200] for dataset in (0, 1)]
    assert (
        np.mean([p.upper <= p.lower * (1 + digits) + LEAST for p in laws]) > 0.95
    )  # and polycore knew it as well


def warm_inputs(name, count):
    """Settings of softmax at temperatures between those of a maximum and of an average."""
    rng, draw = np.random.default_rng(SEED), LAWS[name][0]
    warm = np.round(np.exp(rng.uniform(np.log(0.3), np.log(30), count)), 3).tolist()
    return [draw(round(10 ** rng.uniform(0.4, 7)), rng, temperature=one) for one in warm]


@pytest.mark.parametrize("name", LAWS)
def test_softmax_agrees_with_the_core(run, digits, name):
    law, inputs = LAWS[name][1], warm_inputs(name, 200)
    found = run(f"closedForms.{name}", inputs)
    assert wrong(found, law, inputs, digits) == []
    chances = [answer[key]["exceeds"] for answer in found for key in ("d0", "d1")]
    assert min(np.histogram(chances, [0.0, 1e-6, 0.1, 0.6])[0]) > 20
    half = SCRIPT.replace("(z - top) / temperature", "(z - top) / temperature / 2")
    moved = run(f"closedForms.{name}", inputs, half)
    assert len(wrong(moved, law, inputs, digits)) > 100


MOVED = {
    "scores": [
        ("1 / 360", "1 / 300"),  # a coefficient of Stirling's series
        ("+ 2 + odd", "+ odd"),  # at least, in place of above
        ("answer(n - 1, 1)", "answer(n, 1)"),  # the spike comes on top
        ("Math.log1p((z - top) / top)", "(z - top) / top"),
        ("const some = Math.min(few, others)", "const some = Math.min(few + 1, others)"),
        ("[-spike, spike]", "[spike, spike]"),
    ],
    "tokens": [
        ("(t - 1)", "t"),
        ("d - 3", "d - 2"),
        ("all - 1]", "all]"),
        ("-Math.expm1(m *", "-Math.expm1((m + 1) *"),
        ("Math.log2(all)", "Math.log(all)"),
    ],
}


@pytest.mark.parametrize(
    "name, right, moved", [(name, *pair) for name, pairs in MOVED.items() for pair in pairs]
)
def test_a_moved_constant_is_caught(run, digits, name, right, moved):
    assert SCRIPT.count(right) == 1
    draw, law = LAWS[name]
    rng = np.random.default_rng(SEED)
    inputs = [draw(round(10 ** rng.uniform(0.4, 4)), rng) for _ in range(60)]
    assert wrong(run(f"closedForms.{name}", inputs), law, inputs, digits) == []
    assert wrong(
        run(f"closedForms.{name}", inputs, SCRIPT.replace(right, moved)), law, inputs, digits
    )


RULES = {
    "falling": lambda n, m, kappa, band: windows.falling_threshold(n, m, kappa, band),
    "next": lambda n, m, kappa, band: 1 - 1 / (3 * 2 ** (kappa * band * math.log2(n))),
}


def other_heads(run, head, count, script=SCRIPT):
    """Settings with this head, what the page says of them, and its threshold by polycore."""
    rng = np.random.default_rng(SEED)
    inputs = [
        scores_input(round(10 ** rng.uniform(0.4, 6)), rng) | {"head": head} for _ in range(count)
    ]
    inputs = [given | {"m": given["m"] + 1} for given in inputs]
    taus = [
        RULES[head](given["n"], given["m"], given["kappa"], math.log2(given["high"] / given["low"]))
        for given in inputs
    ]
    return inputs, run("closedForms.scores", inputs, script), taus


@pytest.mark.parametrize("head", RULES)
def test_other_heads_agree_with_the_core(run, digits, head):
    inputs, found, taus = other_heads(run, head, 400)
    assert [one["tau"] for one in found] == pytest.approx(taus, rel=1e-12, abs=0)
    below = [place for place, tau in enumerate(taus) if tau < 1 - 1e-9]
    assert len(below) > 50
    here = [inputs[place] | {"tau": found[place]["tau"]} for place in below]
    assert wrong([found[place] for place in below], scores_law, here, digits) == []


@pytest.mark.parametrize(
    ("head", "right", "moved"),
    [
        ("falling", "100 * m * n", "m * n"),
        ("falling", "/ (2 * n)", "/ n"),
        ("next", "3 * r", "2 * r"),
    ],
)
def test_a_moved_threshold_is_caught(run, head, right, moved):
    assert SCRIPT.count(right) == 1
    _, found, taus = other_heads(run, head, 60, SCRIPT.replace(right, moved))
    assert [one["tau"] for one in found] != pytest.approx(taus, rel=1e-12, abs=0)


@pytest.mark.parametrize(
    ("head", "ends"),
    [
        ("fixed", (1 / 3, 1)),
        ("falling", (1 / 5, 1)),
        ("next", (1 / 2, None)),
        ("size", (1 / 6, 1 / 2)),
    ],
)
def test_windows_of_heads_are_those_of_the_book(run, head, ends):
    paper = {"n": 10**6, "kappa": 0.4, "low": 2, "high": 4, "spike": 32, "few": 1, "tau": 0.2}
    call = """given => {
        const x = closedForms.scores(given);
        return [x.lower, x.upper].map(end => end < Infinity ? end : null);
    }"""
    (found,) = run(call, [paper | {"m": 100, "head": head}])
    assert found == [end if end is None else pytest.approx(end, rel=1e-14, abs=0) for end in ends]


def sizes_input(n, rng, spikes):
    """A list of scores at a degree near one at which the columns become of one size."""
    spike = round(float(np.exp(rng.uniform(np.log(8), np.log(100)))), 3)
    few = [0, n, int(rng.integers(1, min(n, 30)))][rng.integers(3)]
    end = 2 * math.log2(spike / (4 if few else 2) if spikes else 2)
    given = {"n": n, "kappa": round(rng.uniform(0.8, 5) / end, 3), "low": 2.0, "high": 4.0}
    return given | {"spike": spike, "few": few, "m": int(rng.integers(2, 40)), "head": "size"}


def of_one_size(given, spikes):
    """Pr[m columns are of one size], over all values of a column: the smallest has one of them, and
    no other is smaller, or sqrt(2) times as large.
    """
    f, counts = scores_weights(given, spikes)
    sums, chances = np.zeros(1), np.ones(1)
    for weight, count in zip(f, counts):
        signs = 2 * np.arange(count + 1) - count
        sums = np.add.outer(sums, weight * signs).ravel()
        chances = np.multiply.outer(chances, binom.pmf(np.arange(count + 1), count, 0.5)).ravel()
    sizes = np.abs(sums)
    values, place = np.unique(np.round(sizes / f.max(), 12), return_inverse=True)
    reached = np.append(0.0, np.cumsum(np.bincount(place, chances)))  # Pr[|x| < value]
    last = np.searchsorted(values, math.sqrt(2) * values)
    within = lambda first: np.maximum(0.0, reached[last] - reached[first]) ** given["m"]
    first = np.arange(values.size)
    return float(np.sum((within(first) - within(np.minimum(first + 1, last)))[values > 0]))


@pytest.fixture(scope="module")
def sized():
    """(given, dataset, probability) of networks whose head asks for columns of one size."""
    rng = np.random.default_rng(SEED)
    draws = [(round(10 ** rng.uniform(1, 3)), spikes) for spikes in (0, 1) for _ in range(100)]
    inputs = [(sizes_input(n, rng, spikes), spikes) for n, spikes in draws]
    return [(given, spikes, of_one_size(given, spikes)) for given, spikes in inputs]


def outside(run, sized, script=SCRIPT):
    """Where the probability is not between the page's two bounds, and how far apart these are."""
    found = run("closedForms.scores", [given for given, _, _ in sized], script)
    bounds = [answer[f"d{dataset}"] for answer, (_, dataset, _) in zip(found, sized)]
    apart = [bound["fires"] - (1 - bound["silent"]) for bound in bounds]
    pairs = zip(bounds, sized)
    missed = lambda bound, p: not 1 - bound["silent"] - 1e-9 <= p <= bound["fires"] + 1e-9
    return [(given, bound, p) for bound, (given, _, p) in pairs if missed(bound, p)], apart


def test_columns_of_one_size_are_enclosed(run, sized):
    left_out, apart = outside(run, sized)
    assert left_out == [] and np.mean(apart) < 0.1
    chances = [p for _, _, p in sized]
    assert min(np.histogram(chances, [0.0, 0.01, 0.99, 1.01])[0]) > 15  # of every kind


def test_columns_of_one_size_in_long_lists(run):
    """Where the core encloses the same with slots of its own."""
    rng = np.random.default_rng(SEED)
    inputs = [sizes_input(round(10 ** rng.uniform(3, 12)), rng, 1) for _ in range(40)]
    inputs = [given | {"few": given["n"] * (given["few"] > 0)} for given in inputs]
    for given, found in zip(inputs, run("closedForms.scores", inputs)):
        background = given["high" if given["few"] else "low"]
        member = datasets.Scores((background, given["spike"]), (given["n"] - 1, 1))
        core = normalised.one_size_at(member, given["kappa"], given["m"])
        assert 1 - found["d1"]["silent"] <= core.upper + 1e-9
        assert core.lower <= found["d1"]["fires"] + 1e-9


@pytest.mark.parametrize(
    ("right", "moved"),
    [
        ("2 * column(", "column("),
        ("bound(STEPS + 1) + outside", "bound(STEPS)"),
        ("1 - bound(STEPS)", "1 - bound(STEPS + 3)"),
        ("beyond[last]) ** m;", "beyond[last]) ** (m - 1);"),
    ],
)
def test_a_moved_bound_is_caught(run, sized, right, moved):
    assert SCRIPT.count(right) == 1
    assert outside(run, sized, SCRIPT.replace(right, moved))[0] != []


def tail_by_ratios(n, s):
    """Pr[s_1 + .. + s_n >= s] for s > 0: the first term in balls, the others by their ratios, up to
    1e-17 of the sum.
    """
    k = (n + s) // 2
    with ctx.workprec(160):
        first = (
            arb(n + 1).lgamma() - arb(k + 1).lgamma() - arb(n - k + 1).lgamma() - n * arb(2).log()
        ).exp()
    terms = min(n - k, int(80 / (s / n + math.sqrt((s / n) ** 2 + 40 / n))))
    j = np.arange(float(terms))
    return float(first) * (1 + math.fsum(np.cumprod((n - k - j) / (k + 1 + j))))


def test_sums_of_many_signs(run, digits):
    """Where polycore's enclosure is wider than what the page promises: up to 10^12 signs, down to
    1e-280.
    """
    rng = np.random.default_rng(SEED)
    cases = []
    for n, deviations in zip(
        np.round(10 ** np.linspace(5, 12, 40)).astype(int).tolist(), rng.uniform(1.5, 35, 40)
    ):
        cases.append((n, 2 * int(deviations * math.sqrt(n) / 2) + n % 2))
    found = run("([n, s]) => closedForms.atLeast(n, s)", cases)
    ratios = np.array([value / tail_by_ratios(*case) for value, case in zip(found, cases)])
    assert np.max(np.abs(ratios - 1)) < digits
    assert min(found) < 1e-200


def test_equal_does_not_exceed(run, digits):
    """n equal weights 1/n tie with a threshold in tenths whenever 20 divides n; counted in
    integers.
    """
    given = {"kappa": 1, "low": 2, "high": 4, "spike": 8, "m": 1}
    inputs = [
        given | {"n": n, "few": n, "tau": tenths / 10}
        for n in range(20, 400, 20)
        for tenths in range(1, 10)
    ]
    for one, found in zip(inputs, run("closedForms.scores", inputs)):
        n, tenths = one["n"], round(10 * one["tau"])
        exceed = sum(math.comb(n, k) for k in range(n + 1) if 10 * (2 * k - n) > tenths * n)
        assert found["d0"]["exceeds"] == pytest.approx(
            float(Fraction(exceed, 2**n)), rel=digits, abs=0
        )


def test_windows_are_those_of_the_book(run):
    ledger = {
        claim["id"]: claim
        for claim in json.loads((ROOT / "book/results.json").read_text(encoding="utf-8"))
    }
    [ends] = [
        (item["value"], item["bound"]["below"])
        for item in ledger["exact-window"]["evidence"]
        if item["what"].startswith("the window: its lower end")
    ]
    paper = {
        "n": 10**6,
        "kappa": 0.4,
        "low": 2,
        "high": 4,
        "spike": 32,
        "few": 1,
        "tau": 0.2,
        "m": 100,
    }
    (found,) = run("closedForms.scores", [paper])
    assert [found["lower"], found["upper"]] == pytest.approx(
        ends, rel=1e-8, abs=0
    )  # nine digits are in the ledger
    book = {"n": 10**6, "kappa": 2, "a0": 0.09, "a1": 0.7, "b": 0.5, "d": 1002, "m": 100}
    ends = [1 / math.log2(1.7), 1 / math.log2(1.09)]
    thresholds = {
        0.5: [0, 0],
        0.6: ends,
        1.08: ends,
        1.09: [ends[0], None],
        1.7: [None, None],
    }  # no infinity in JSON
    call = """given => {
        const x = closedForms.tokens(given);
        return [x.lower, x.upper].map(end => end < Infinity ? end : null);
    }"""
    found = run(call, [book | {"tau": tau} for tau in thresholds])
    for got, wanted in zip(found, thresholds.values()):
        assert got == [
            end if end is None else pytest.approx(end, rel=1e-14, abs=0) for end in wanted
        ]


def test_columns_are_those_of_the_book(run):
    counts = sizes(np.random.default_rng(SEED), 500)
    assert run("n => closedForms.columns(n)", counts) == [
        network.columns(n, 0.01, 7) for n in counts
    ]


# The figure of the landing page


def settings_of_the_figure():
    """(setting, its two lists as other settings give them) for each of its heads."""
    rng = np.random.default_rng(SEED)
    for head, C in {"fixed": 7, "falling": 7, "next": 7, "size": 21}.items():
        for n in (10, 10**3) if head == "size" else (10, 10**3, 10**6, 10**9):
            for spike in (5, 32, 256):
                kappa = round(float(rng.uniform(0.05, 1.25)), 2)
                setting = {"n": n, "kappa": kappa, "spike": spike, "head": head}
                m = network.columns(n, 0.01, C)
                full = setting | {"low": 2.0, "high": 4.0, "m": m, "tau": 0.2}
                if head in RULES:
                    full["tau"] = RULES[head](n, m, kappa, 1)
                yield setting, full


def chance(given, spikes):
    """Enclosure of the probability that the core's network fires."""
    if given["head"] == "size":
        p = of_one_size(given, spikes)
        return p - 1e-9, p + 1e-9
    p = network.any_column(scores_law(given, spikes, NUDGE)[1], given["m"])
    return p.lower, p.upper


def off_the_figure(run, script=SCRIPT):
    """Settings at which a curve of the figure, or its two bounds, miss the core's enclosure."""
    settings = list(settings_of_the_figure())
    found = run("closedForms.papers", [setting for setting, _ in settings], script)
    for (setting, full), answer in zip(settings, found):
        few = [1] if setting["head"] == "size" else [1, 8, 32]
        against_hs = [chance(full | {"few": setting["n"]}, 1)]
        two_levels = [chance(full | {"few": count}, 0) for count in few]
        for name, chances in {"d1": against_hs, "d0": two_levels}.items():
            low, high = map(max, zip(*chances))
            assert high - low < 1e-6
            if 1 - answer[name]["silent"] > high + 1e-9 or answer[name]["fires"] < low - 1e-9:
                yield setting, name


def test_the_curves_of_the_landing_page_are_those_of_the_core(run):
    assert list(off_the_figure(run)) == []


@pytest.mark.parametrize(
    ("right", "moved"),
    [
        ("low: 2, high: 4, tau", "low: 1, high: 4, tau"),
        ("tau: 0.2, m: columns", "tau: 0.3, m: columns"),
        ("m: columns(given.n, HEADS[given.head].C)", "m: columns(given.n)"),
        ("[8, 32]", "[8]"),
        ("[given.n, 1, ...", "[1, 1, ..."),
        ("one.fires > most.fires", "one.fires < most.fires"),
    ],
)
def test_a_moved_curve_is_seen(run, right, moved):
    assert SCRIPT.count(right) == 1
    assert list(off_the_figure(run, SCRIPT.replace(right, moved)))


# A head of a trained model

ROW_RULES = {
    "softmax": lambda p: mechanisms.plain,
    "clipped": mechanisms.clipped_power,
    "shifted": mechanisms.power_below_maximum,
    "even": mechanisms.power,
}


def rows_of_scores():
    """(scores, rule, degree) of which the rule leaves some key."""
    rng = np.random.default_rng(SEED)
    for rule in ROW_RULES:
        for _ in range(200):
            scores = rng.normal(rng.uniform(-3, 3), rng.uniform(0.1, 20), rng.integers(1, 30))
            degree = int(2 * rng.integers(1, 129))
            if rule != "clipped" or scores.max() > -degree:
                yield scores.tolist(), rule, degree


def row_of_the_core(scores, rule, degree):
    keys = np.array(scores)[:, None]
    return mechanisms.weights([[1.0]], keys, ROW_RULES[rule](degree), scale=1.0)[0]


def worst_row(run, script=SCRIPT):
    given = list(rows_of_scores())
    found = run("row => closedForms.row(...row)", given, script)
    return max(
        np.max(np.abs(np.array(row) - row_of_the_core(*each))) for row, each in zip(found, given)
    )


def test_a_row_has_the_weights_of_the_core(run):
    assert worst_row(run) < 1e-12


@pytest.mark.parametrize(
    ("old", "new"),
    [("1 + s / p)", "1 + s)"), ("(s - top) / p", "s / p"), ("(s / far) ** p", "(s / far) ** 2")],
)
def test_a_changed_rule_on_a_row_is_seen(run, old, new):
    assert SCRIPT.count(old) == 1
    assert worst_row(run, SCRIPT.replace(old, new)) > 0.01


def test_the_sentence_is_the_recorded_one(visit):
    (cell,) = json.loads((ROOT / "runs/sentence.json").read_text(encoding="utf-8"))["cells"]
    assert visit(PAGE).evaluate("realHead") == cell["result"]


# The page


def outcome(page, panel):
    return page.locator(f"#play-{panel} output").inner_text()


def kept(page):
    """The setting in the address; `page.url` lags behind."""
    return page.evaluate("location.hash")


def fields(page, panel):
    kinds = f"#play-{panel} fieldset :is(input[type=text], select)"
    return page.evaluate("kinds => [...document.querySelectorAll(kinds)].map(x => x.value)", kinds)


EXAMPLES = {
    ("scores", "The paper’s data"): "tells the two apart. κ is in the window",
    ("scores", "Just below the window"): "is silent on both. κ is below",
    ("scores", "Above the window"): "fires on both. κ is above",
    ("scores", "A higher threshold"): "is silent on both. κ is in the window",
    ("scores", "A falling threshold"): "tells the two apart. κ is in the window",
    ("scores", "A threshold next to 1"): "tells the two apart. κ is in the window, which has no",
    (
        "scores",
        "Columns of one size",
    ): "tells the two apart. κ is in the window: in long inputs the network, with enough",
    ("scores", "No window"): "has it the wrong way round. There is no window",
    ("scores", "Warm softmax"): "tells the two apart. κ is in the window",
    ("tokens", "The book’s data"): "tells the two apart. κ is in the window",
    ("tokens", "Just below the window"): "is silent on both. κ is below",
    ("tokens", "Above the window"): "fires on both. κ is above",
    (
        "tokens",
        "A higher threshold",
    ): "tells the two apart. κ is in the window, which has no upper end",
    ("tokens", "Too few dimensions"): "fires on both. κ is in the window",
    ("head", "As trained"): "half of the weight is on “The”, token 1.",
    ("head", "A clipped power"): "No token has more than half of the weight",
    ("head", "A higher degree"): "half of the weight is on “The”, token 1.",
    ("head", "Below the largest score"): "half of the weight is on “The”, token 1.",
    ("head", "An even power"): "No token has more than half of the weight",
}
PANELS = (*LAWS, "head")


def test_examples_and_their_addresses(visit):
    page, fresh = visit(PAGE), visit(PAGE)
    buttons = {panel: page.locator(f"#play-{panel} .examples button") for panel in PANELS}
    assert [
        (panel, label) for panel, found in buttons.items() for label in found.all_inner_texts()
    ] == list(EXAMPLES)
    for (panel, label), words in EXAMPLES.items():
        buttons[panel].filter(has_text=label).click()
        assert words in outcome(page, panel)
        fresh.evaluate("hash => { location.hash = hash }", kept(page)[1:])
        fresh.wait_for_timeout(100)  # until it has heard of the change
        assert fields(fresh, panel) == fields(page, panel)
        assert outcome(fresh, panel) == outcome(page, panel)
    assert page.complaints == fresh.complaints == []


def test_a_link_within_the_page_leaves_the_setting_alone(visit):
    page = visit(PAGE + "#panel=tokens&n=2000")
    assert fields(page, "tokens")[0] == "2000"
    page.locator("#scores-n").fill("12345")
    page.evaluate("location.hash = '#a-sequence-of-tokens'")
    page.wait_for_timeout(200)
    assert fields(page, "scores")[0] == "12345"
    page.evaluate("location.hash = '#panel=scores&n=54321'")
    page.wait_for_timeout(200)
    assert [fields(page, panel)[0] for panel in LAWS] == ["54321", "2000"]


def test_keyboard(visit):
    page = visit(PAGE)
    page.locator("#play-scores .examples button").last.focus()
    page.keyboard.press("Tab")  # the slider of n
    page.keyboard.press("ArrowRight")
    assert 1e9 < float(fields(page, "scores")[0]) < 1.1e9
    before = page.locator("#play-scores .results").inner_text()
    for _ in range(2):  # its field, then the slider of κ
        page.keyboard.press("Tab")
    for _ in range(12):
        page.keyboard.press("ArrowLeft")
    assert fields(page, "scores")[1] == "0.28"
    assert "below the window" in outcome(page, "scores")
    assert page.locator("#play-scores .results").inner_text() != before
    page.keyboard.press("Tab")
    page.keyboard.press("Control+a")
    page.keyboard.type("1.2")
    assert "above the window" in outcome(page, "scores")
    assert page.evaluate("document.activeElement.id") == "scores-kappa"
    assert page.complaints == []


TOP = """() => {
    const box = document.activeElement.getBoundingClientRect();
    return document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2).tagName;
}"""


@pytest.mark.parametrize("width", [1280, 390])
def test_the_focus_is_not_under_the_outcome(visit, width):
    page = visit(PAGE, width)
    page.emulate_media(reduced_motion="reduce")  # no scrolling that takes its time
    page.locator("#play-scores .examples button").last.focus()
    tops = []
    for _ in range(
        2 * 8 + 3
    ):  # a slider and a field for each number in use, two lists, and whether m follows n
        page.keyboard.press("Tab")
        page.wait_for_timeout(50)
        tops.append(page.evaluate(TOP))
    assert set(tops) == {"INPUT", "SELECT"}


BAD = {
    ("scores", "n", "1"): "An integer from 2 to 1e12, please.",
    ("scores", "n", "10^13"): "An integer from 2 to 1e12, please.",
    ("scores", "n", "2.5"): "An integer from 2 to 1e12, please.",
    ("scores", "kappa", "often"): "A number from 0 to 4, please.",
    ("scores", "n", "2^50"): "An integer from 2 to 1e12, please.",
    ("scores", "n", "1/3"): "An integer from 2 to 1e12, please.",
    ("scores", "kappa", "1/0"): "A number from 0 to 4, please.",
    ("scores", "kappa", "1/3"): "",
    ("scores", "kappa", ""): "A number from 0 to 4, please.",
    ("scores", "kappa", "Infinity"): "A number from 0 to 4, please.",
    ("scores", "low", "5"): "ℓ must not exceed h.",
    ("scores", "spike", "4"): "The spike must exceed h.",
    ("scores", "tau", "0"): "A number from 0.01 to 0.99, please.",
    ("tokens", "d", "3"): "An integer from 4 to 1e8, please.",
    ("tokens", "n", "1000"): "",
    ("tokens", "n", "999"): "There are n = (d − 2) t tokens, so d must not exceed n + 2.",
    ("tokens", "b", "0,5"): "A number from 0.1 to 0.9, please.",
    ("head", "p", "257"): "An integer from 1 to 256, please.",
}


def test_bad_input_gets_a_message_in_its_place(visit):
    page = visit(PAGE + "#panel=head&rule=clipped")
    for (panel, key, text), message in BAD.items():
        field = page.locator(f"#{panel}-{key}")
        good = field.input_value()
        field.fill(text)
        assert "".join(page.locator(f"#play-{panel} .fault").all_inner_texts()) == message
        assert ("Nothing is computed" in outcome(page, panel)) == bool(message)
        shown = page.locator(f"#play-{panel} :is(.answer, .bars)")
        assert bool(shown.count()) != bool(message)
        field.fill(good)
        assert shown.count() == (1 if panel == "head" else 4)
    assert page.complaints == []


def test_powers_and_fractions_are_numbers(visit):
    page = visit(PAGE + "#panel=scores&n=2^20&kappa=1/3")
    other = visit(PAGE + f"#panel=scores&n={2**20}&kappa={1 / 3}")
    shown = "#play-scores .results"
    assert page.locator(shown).inner_text() == other.locator(shown).inner_text()
    page.locator("#scores-n").fill("1 000_000")
    assert "n=1+000_000" in kept(page) and "Nothing is computed" not in outcome(page, "scores")


def test_columns_follow_n_until_they_are_held(visit):
    page = visit(PAGE)
    n, m, box = (page.locator(f"#scores-{name}") for name in ("n", "m", "m-follows"))
    for size in (10**6, 300):
        n.fill(str(size))
        assert m.input_value() == str(network.columns(size, 0.01, 7))
    page.locator("#scores-head").select_option("size")
    assert m.input_value() == str(network.columns(300, 0.01, 21))
    m.fill("50")
    n.fill("1e9")
    assert m.input_value() == "50" and not box.is_checked() and "m=50" in kept(page)
    assert visit(PAGE + "#" + kept(page)[1:]).locator("#scores-m").input_value() == "50"
    box.check()
    assert m.input_value() == str(network.columns(10**9, 0.01, 21)) and "m=&" in kept(page)
    page.locator("#tokens-n").fill("1000002")
    assert page.locator("#tokens-m").input_value() == str(network.columns(10**6, 0.01, 7))


def test_the_hardest_lists_show_both_ends(visit):
    page = visit(PAGE)
    cards = page.locator("#play-scores .answer .word")
    kappa = page.locator("#scores-kappa")
    seen = {}
    for text in ("0.3", "0.4", "1.05"):
        kappa.fill(text)
        seen[text] = cards.all_inner_texts()[:2]
    assert seen == {
        "0.3": ["silent, as it should", "silent, wrongly"],
        "0.4": ["silent, as it should", "fires, as it should"],
        "1.05": ["fires, wrongly", "fires, as it should"],
    }


COVERED = """panel => {
    const given = document.querySelector(`#play-${panel} .examples`);
    window.scrollBy({top: given.getBoundingClientRect().bottom - innerHeight, behavior: 'instant'});
    const top = button => {
        const {x, y, width, height} = button.getBoundingClientRect();
        return document.elementFromPoint(x + width / 2, y + height / 2);
    };
    return [...given.children].filter(button => top(button) != button).map(one => one.innerText);
}"""


@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.parametrize("panel", ["scores", "tokens", "head"])
def test_the_answer_covers_no_example(visit, panel, width):
    """It sticks to the bottom of the window, where examples come into sight as one scrolls."""
    assert visit(PAGE, width).evaluate(COVERED, panel) == []


def test_softmax_loses_the_spike_that_the_power_finds(visit):
    page = visit(PAGE + "#panel=scores&temperature=4")
    words = page.locator("#play-scores .answer .word").all_inner_texts()
    right = ["silent, as it should", "fires, as it should"]
    assert words == [*right, "silent, as it should", "silent, wrongly"]
    page.locator("#scores-temperature").fill("1")
    assert page.locator("#play-scores .answer .word").all_inner_texts() == 2 * right


DRAWN = """([panel, list]) => document.querySelector(`#play-${panel} .line.${list}`)
    .getAttribute('d').slice(1).split('L').map(point => point.split(' ').map(Number))"""


@pytest.mark.parametrize("panel", LAWS)
def test_the_curves_go_through_the_numbers(visit, panel):
    """The dot at κ lies on its curve, at the height of the probability on the card."""
    page, whole = visit(PAGE), f"#play-{panel} svg.curves[aria-busy=false]"
    page.wait_for_selector(whole)
    before = page.evaluate(DRAWN, [panel, "d1"])
    page.locator(f"#{panel}-n").fill("1000000")
    page.wait_for_selector(whole)
    after = page.evaluate(DRAWN, [panel, "d1"])
    assert len(before) == len(after) == 126 and before != after
    for kappa in ("0.5", "1.1") if panel == "scores" else ("2", "8"):
        page.locator(f"#{panel}-kappa").fill(kappa)
        page.wait_for_selector(whole)
        for list_ in ("d0", "d1"):
            dot = page.locator(f"#play-{panel} circle.{list_}")
            x, y = (float(dot.get_attribute(name)) for name in ("cx", "cy"))
            curve = page.evaluate(DRAWN, [panel, list_])
            assert min(math.hypot(x - one, y - other) for one, other in curve) < 0.01


def test_a_command_runs_a_chapter_with_the_numbers(visit):
    page = visit(PAGE)
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    for panel, label in EXAMPLES:
        button = page.locator(f"#play-{panel} .examples button").filter(has_text=label)
        button.click()
        command = page.locator(f"#play-{panel} .command code").inner_text()
        chapter, given = re.fullmatch(
            r"\.venv/bin/papermill (notebooks/\w+)\.ipynb out\.ipynb(.*)", command
        ).groups()
        asked = dict(re.findall(r"-p (\w+) (\S+)", given))
        assert {*asked} <= {*parameters(chapter)}
        page.locator(f"#play-{panel} .command button").click()
        assert page.evaluate("navigator.clipboard.readText()") == command
    assert "-p spike 32" in page.locator("#play-scores .command code").inner_text()
    page.locator("#scores-spike").fill("50")
    assert "-p spike 50" in page.locator("#play-scores .command code").inner_text()
    page.locator("#scores-n").fill("none")
    assert not page.locator("#play-scores .command").is_visible()


def test_an_odd_power_is_refused(visit):
    page = visit(PAGE + "#panel=head&rule=even&p=3")
    assert "An even degree, please" in page.locator("#head-p-fault").inner_text()
    assert "Nothing is computed" in outcome(page, "head")


def test_every_token_of_every_head_is_answered(visit):
    page = visit(PAGE)
    for head, query, rule, p in itertools.product(
        ("recalls", "rests", "spreads"), range(0, 19, 3), ROW_RULES, (2, 256)
    ):
        page.evaluate(
            "hash => { history.replaceState(null, '', hash); dispatchEvent(new "
            "HashChangeEvent('hashchange')) }",
            f"#panel=head&head={head}&query={query}&rule={rule}&p={p}",
        )
        text = page.locator("#play-head").inner_text()
        assert not re.search("NaN|undefined|Infinity|null|false", text)
        assert "weight is on" in text or "most of it" in text


def test_no_setting_gives_nonsense(visit):
    """Every number at an end of its range, or in the middle, in many combinations."""
    page, rng = visit(PAGE), np.random.default_rng(SEED)
    for panel in LAWS:
        ends = {}
        for field in page.locator(f"#play-{panel} input[type=text]:enabled").all():
            key = field.get_attribute("id")
            field.fill("x")  # the message names both ends
            ends[key] = [
                float(end)
                for end in re.findall(r"[\d.e]+\d|\d", page.locator(f"#{key}-fault").inner_text())
            ]
        for _ in range(60):
            chosen = {
                key: str(rng.choice([*pair, math.sqrt(abs(pair[0] * pair[1]))]))
                for key, pair in ends.items()
            }
            chosen = {
                key: str(int(float(x))) if key.split("-")[1] in ("n", "m", "d", "few") else x
                for key, x in chosen.items()
            }
            address = "&".join(f"{key.split('-')[1]}={value}" for key, value in chosen.items())
            choice, head = (
                rng.choice(["hardest", "high", "low", "mixed"]),
                rng.choice(["fixed", *RULES]),
            )
            page.evaluate(
                "hash => { history.replaceState(null, '', hash); dispatchEvent(new "
                "HashChangeEvent('hashchange')) }",
                f"#panel={panel}&background={choice}&head={head}&{address}",
            )
            text = page.locator(f"#play-{panel}").inner_text()
            assert not re.search("NaN|undefined|Infinity|null|false", text), (chosen, text)
    assert page.complaints == []


def test_phone_does_not_scroll_sideways_whatever_is_shown(visit):
    page = visit(PAGE, 390)
    for button in page.locator(".play .examples button").all():
        button.click()
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
        assert page.evaluate(
            "[...document.querySelectorAll('.play *')].every(x => x.getBoundingClientRect().right "
            "<= 390)"
        )
    page.locator("#scores-n").fill("none at all")
    assert page.locator("#scores-n-fault").is_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


def test_without_scripts_the_page_says_so(browser, address):
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(address + PAGE)
    assert page.get_by_text("The controls need JavaScript").is_visible()
    assert page.get_by_role("link", name="The exact window", exact=True).count() > 0
    assert not page.locator(".play").first.is_visible()
    context.close()


def test_no_other_page_loads_the_scripts():
    pages = (ROOT / "_build/html").rglob("*.html")
    assert {
        path.name for path in pages if "closed_forms.js" in path.read_text(encoding="utf-8")
    } == {"index.html", "play.html"}
