"""The benchmarks run, at sizes too small to time, and README's table is of their making."""

import contextlib
import re
from pathlib import Path

import numpy as np
import pytest

from benchmarks import (
    collapse,
    growth,
    heads,
    mechanisms,
    pages,
    report,
    search,
    sequences,
    signs,
    softmax,
    tails,
)
from benchmarks.measure import medians, peak, seconds, size, slope
from pipeline.browser import served
from polycore.models import attention, datasets
from polycore.tails import rademacher

pytestmark = pytest.mark.slow

README = (Path(__file__).parents[1] / "README.md").read_text(encoding="utf-8")
TINY = {
    signs: {"n": 100, "m": 3, "repeats": 1, "stream": 800},
    tails: {"n": 10**5, "repeats": 1, "deviations": 4},  # the fewer weights, the more nodes count
    heads: {"n": 10**4, "trials": 100, "repeats": 1},
    search: {"n": 4, "repeats": 1},
    collapse: {"n": 1000, "small": 100, "repeats": 1},
    softmax: {"n": 100, "repeats": 1},
    sequences: {"n": 64, "large": 640, "d": 10, "repeats": 1},
    mechanisms: {"sizes": (64, 128), "shapes": ((2, 4), (4, 3)), "sketched": 3, "repeats": 1},
}
QUANTITY = r"[\d.e+]+"
LINES = rf"n\^-?{QUANTITY} against n\^-?{QUANTITY}, which (?:meet at n = {QUANTITY}|do not meet)"
CAUSAL = (  # against JAX, and where there is one against ONNX Runtime
    rf"({QUANTITY} times as (slow|fast)(, )?)+(; {LINES})+; flops meet at {QUANTITY}; "
    rf"{QUANTITY} MB at most, softmax {QUANTITY}(, {QUANTITY})? MB"
)
RESULTS = [
    rf"{QUANTITY} times as (fast|slow)",
    rf"{QUANTITY} times the limit; the (bit generator|memory) binds",
    rf"{QUANTITY} times as fast, and they agree there; {QUANTITY} MB at most",
    rf"{QUANTITY} times as (fast|slow), and they agree",
    rf"{QUANTITY} times as (fast|slow), and they agree",
    rf"{QUANTITY} times as fast, and they agree",
    rf"(holds|does not hold); {QUANTITY} times as fast, and agrees, where both fit",
    rf"{QUANTITY} times as (slow|fast); it checks .*",
    rf"{QUANTITY} times as fast, and agrees, where both fit",
    rf"{QUANTITY} times as (slow|fast) as SciPy, {QUANTITY} times the time of JAX; {QUANTITY} MB "
    rf"at most, {QUANTITY} MB for softmax",
    CAUSAL,
    CAUSAL,
    rf"{QUANTITY} times as (slow|fast)",
    rf"{QUANTITY} times as slow; {QUANTITY} MB in all",
    rf"{QUANTITY} times as slow; {QUANTITY} MB in all",
]


PICTURES = {
    report.GROWTH: "Time against n on logarithmic axes.",
    report.COST: "Time of causal attention against n on logarithmic axes.",
}


def faults(readme):
    """What in README's table is not as `make bench` writes it."""
    marked = report.MARKED.findall(readme)
    if len(marked) != 1 or report.HEAD not in marked[0]:
        return ["no table between the marks"]
    lines = re.findall(r"^\| (.*) \|$", marked[0].split(report.HEAD)[1], re.MULTILINE)
    cells = [re.split(r"(?<!\\) \| ", line) for line in lines]
    wrong = [
        line
        for line, row in zip(lines, cells)
        if len(row) != 4 or not re.fullmatch(rf"{QUANTITY} m?s", row[1])
    ]
    wrong += [row[-1] for row, wanted in zip(cells, RESULTS) if not re.fullmatch(wanted, row[-1])]
    said = re.search(
        r"\n\nMedians, .* on \d+ cores with Python [\d.]+, numpy [\d.]+, scipy [\d.]+, numba "
        r"[\d.]+, jax [\d.]+(, onnxruntime [\d.]+)?\.\n\n!\[Time against n[^\]]*\][^\n]*\n\n"
        r"!\[Time of causal attention",
        marked[0],
    )
    return (
        wrong
        + ["number of lines"] * (len(lines) != len(RESULTS))
        + ["cores and versions"] * (not said)
    )


@pytest.fixture(scope="module")
def rows(tmp_path_factory, browser):
    site = tmp_path_factory.mktemp("site")
    for name in (pages.LANDING, pages.BARE, "notebooks/one.html"):
        (site / name).parent.mkdir(exist_ok=True)
        (site / name).write_text('<link rel="icon" href="data:,">' + "x" * 10**5)
    measured = [row for part, tiny in TINY.items() for row in part.rows(**tiny)]
    with pytest.MonkeyPatch.context() as patch:  # a second one beside it would not start
        patch.setattr(pages, "chromium", lambda: contextlib.nullcontext(browser))
        return measured + pages.rows(site, repeats=1)


def test_what_the_scripts_say_is_what_readme_is_held_to(rows):
    made = report.insert(README, report.section(rows, PICTURES))
    assert faults(made) == []
    assert faults(report.insert(README, report.section(rows[1:], PICTURES)))
    assert faults(made.replace(f"| {rows[0].here} |", "| very little |"))
    assert faults(made.replace(rows[1].result, "near the limit"))
    assert faults(made.replace("numba", ""))
    assert faults(README.replace(report.HEAD, ""))


def test_whatever_the_times_the_two_lines_are_in_words():
    """At sizes too small to time a slope may be negative, or both the same."""
    rng = np.random.default_rng(0)
    for ours, theirs in [*rng.lognormal(size=(500, 2, 2)), np.ones((2, 2))]:
        said = mechanisms.crossing((64, 128), ours, theirs)
        assert re.fullmatch(LINES, said), said


def test_readme_is_as_make_bench_wrote_it():
    assert faults(README) == [], "run: make bench"
    assert all(file.as_posix() in README for file in PICTURES)


def test_the_marks_are_needed():
    with pytest.raises(ValueError, match="two marks of make bench once each"):
        report.insert("no marks", "table")


def test_a_disagreement_stops_the_measuring(monkeypatch):
    second, variance = rademacher.tail, attention.squared_norm
    with monkeypatch.context() as patch:
        patch.setattr(rademacher, "tail", lambda f, t: second(f, 1.1 * t))
        with pytest.raises(AssertionError, match="the two methods disagree"):
            tails.rows(**TINY[tails])
    with monkeypatch.context() as patch:
        patch.setattr(
            attention,
            "squared_norm",
            lambda z, beta, counts: variance(z, beta, counts) * (1 if counts is None else 1 + 1e-9),
        )
        with pytest.raises(AssertionError, match="the collapsed computation gives"):
            collapse.rows(**TINY[collapse])
    with monkeypatch.context() as patch:
        patch.setattr(datasets, "adversarial_d0", lambda n, beta, rng: np.full(n, 2.0))
        with pytest.raises(AssertionError, match="the search ends at"):
            search.rows(**TINY[search])
    with monkeypatch.context() as patch:
        patch.setattr(mechanisms, "jax_softmax", lambda q, k, v: v)
        with pytest.raises(AssertionError, match="by features or by a peer is not what it is"):
            list(mechanisms.rows(**TINY[mechanisms]))
    with monkeypatch.context() as patch:
        patch.setattr(sequences, "grouped", lambda data, y: 1.0)
        with pytest.raises(AssertionError, match="the network gives 1.0 with multiplicities and"):
            sequences.rows(**TINY[sequences])
    with monkeypatch.context() as patch:
        patch.setattr(sequences, "jax_softmax", lambda *given: lambda: 0.0)
        with pytest.raises(
            AssertionError, match="softmax attention by JAX is not what it is by SciPy"
        ):
            sequences.rows(**TINY[sequences])


def test_the_weight_of_a_page_is_what_it_loads(tmp_path, browser):
    (tmp_path / "a.html").write_text('<link rel="icon" href="data:,"><script src="b.js"></script>')
    (tmp_path / "b.js").write_text("/" * 1000)
    with served(tmp_path) as address:
        assert pages.weight(browser, address + "a.html") == sum(
            path.stat().st_size for path in tmp_path.iterdir()
        )


def test_the_picture_says_its_slopes():
    sizes = {name: (cost, ns[:2]) for name, (cost, ns) in growth.SIZES.items()}
    svg, alt = growth.drawing(sizes)
    assert svg.startswith("<svg") and svg.count("<style>") == 1
    assert all(
        re.search(rf"{name}: n\^-?[\d.]+", alt) and re.search(rf">{name}: n\^", svg)
        for name in sizes
    )
    committed = (Path(__file__).parents[1] / report.GROWTH).read_text()
    assert all(f">{name}: n^" in committed for name in sizes)


def test_the_picture_of_attention_has_every_way_of_it():
    tiny = {"d": 4, "dense": [16, 32], "long": [16, 64], "few": [16, 32], "sketched": 3}
    names = mechanisms.lines(**tiny)
    svg, alt = growth.drawing(names)
    assert len(names) == 3 + len(mechanisms.PEERS)
    assert all(f"{name}: n^" in alt and f">{name}: n^" in svg for name in names)


def test_a_process_tells_what_it_held():
    assert 4e6 < mechanisms.held(mechanisms.softmax_by_jax, 2048, 4) < 1e8


def test_medians_peaks_and_slopes():
    calls = []
    assert len(medians(lambda: calls.append("a"), lambda: calls.append("b"), repeats=2)) == 2
    assert calls == ["a", "b"] * 3  # in turn, one turn to warm up
    assert 10**6 <= peak(lambda: bytearray(10**6)) < 1.1 * 10**6
    assert abs(slope([10, 100, 1000], [3e-5, 3e-3, 0.3]) - 2) < 1e-12
    assert [size(n) for n in (10**12, 10**5, 64, 10, 1)] == ["10¹²", "10⁵", "64", "10", "1"]
    assert [seconds(x) for x in (3.9e-4, 0.0471, 0.12, 1.72, 120)] == [
        "0.39 ms",
        "47 ms",
        "120 ms",
        "1.7 s",
        "120 s",
    ]
