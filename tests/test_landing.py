"""The landing page: the figure that moves, and the map of all verdicts."""

import json
import re
from collections import Counter
from pathlib import Path

import pytest

pytestmark = pytest.mark.site

ROOT = Path(__file__).parents[1]
LEDGER = json.loads((ROOT / "book/results.json").read_text(encoding="utf-8"))
PAGE = "book/index.html"
FIGURE = "#moving-window"


def sentence(page):
    return page.locator(f"{FIGURE} output").inner_text()


def put(page, name, value):
    """Set a slider, or choose a head, as a person would."""
    page.locator(f"#window-{name}").evaluate(
        "(field, value) => { field.value = value; "
        "field.dispatchEvent(new Event('input', {bubbles: true})) }",
        value,
    )


def test_the_figure_says_what_it_shows(visit):
    page = visit(PAGE)
    assert sentence(page).startswith("Here the network tells the two apart.")
    assert sentence(page).endswith("for ever larger n the window is from 0.3333 to 1.")
    put(page, "kappa", 0.25)
    assert "is silent on both" in sentence(page)
    put(page, "kappa", 1.1)
    assert "fires on both" in sentence(page)
    for head, limit in {
        "falling": "is from 0.2 to 1.",
        "next": "begins at 0.5 and has no end.",
        "size": "is from 0.1667 to 0.5.",
    }.items():
        put(page, "head", head)
        assert sentence(page).endswith(limit)
    put(page, "spike", 2.25)
    assert sentence(page).endswith("there is no window.")
    assert page.complaints == []


def test_the_keyboard_moves_the_figure(visit):
    page = visit(PAGE)
    page.locator("#window-kappa").focus()
    for _ in range(10):
        page.keyboard.press("ArrowLeft")
    assert "κ = β / log₂ n = 0.30" in page.locator(f"{FIGURE} .kappa label").inner_text()
    assert "is silent on both" in sentence(page)
    before = page.locator(f"{FIGURE} svg").inner_html()
    page.keyboard.press("Tab")
    page.keyboard.press("Home")
    assert page.locator("#window-n").get_attribute("aria-valuetext") == "n = 10"
    assert page.locator(f"{FIGURE} svg").inner_html() != before


DRAWN = """list => document.querySelector(`#moving-window .line.${list}`).getAttribute('d').slice(1)
    .split('L').map(point => point.split(' ').map(Number))"""
COMPUTED = """([list, head]) => Array.from({length: 126}, (_, step) => {
    const given = {n: 1000, spike: 32, head, kappa: step / 100};
    const {fires, silent} = closedForms.papers(given)[list];
    return (fires + 1 - silent) / 2;
})"""


@pytest.mark.parametrize("head", ["fixed", "size"])
@pytest.mark.parametrize("list_", ["d0", "d1"])
def test_the_curves_are_drawn_to_the_scale_of_the_axes(visit, list_, head):
    page = visit(PAGE)
    put(page, "n", 3)
    put(page, "head", head)
    ground, *_, top = (
        float(re.match(r"M\d+ (\S+)H", line.get_attribute("d"))[1])
        for line in page.locator(f"{FIGURE} .grid").all()
    )
    marks = {
        float(mark.text_content()): float(mark.get_attribute("x"))
        for mark in page.locator(f"{FIGURE} text[text-anchor=middle]").all()
    }
    points = page.evaluate(DRAWN, list_)
    chances = [(ground - y) / (ground - top) for _, y in points]
    assert chances == pytest.approx(page.evaluate(COMPUTED, [list_, head]), abs=1e-9)
    assert max(chances) > 0.9 and min(chances) < 0.1
    for kappa, x in marks.items():
        assert points[round(100 * kappa)][0] == pytest.approx(x)
    assert sorted(marks) == [0, 0.25, 0.5, 0.75, 1, 1.25]


@pytest.mark.parametrize("width", [1440, 390])
def test_no_setting_breaks_the_figure(visit, width):
    page = visit(PAGE, width)
    for head in ("fixed", "falling", "next", "size"):
        put(page, "head", head)
        for n, spike, kappa in [(1, 2.25, 0), (1, 8, 1.25), (9, 2.25, 1.25), (9, 8, 0)]:
            for name, value in {"n": n, "spike": spike, "kappa": kappa}.items():
                put(page, name, value)
            html = page.locator(FIGURE).inner_html()
            assert not re.search('NaN|undefined|Infinity|∞ to|-[0-9.]+"', html)
            assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert page.complaints == []


def test_the_thumb_stands_under_its_place_on_the_axis(visit):
    page = visit(PAGE, 1440)
    box = page.locator("#window-kappa").bounding_box()
    for kappa, at in ((0, 0), (1.25, 1)):
        put(page, "kappa", kappa)
        place = page.locator(f"{FIGURE} circle.d1").bounding_box()
        thumb = box["x"] + 8 + at * (box["width"] - 16)
        assert abs(thumb - place["x"] - place["width"] / 2) < 4


def test_one_figure_at_a_time(visit, browser, address):
    still = "div.glance >> nth=0"
    page = visit(PAGE)
    assert page.locator(FIGURE).is_visible() and not page.locator(still).is_visible()
    page.emulate_media(media="print")
    assert page.locator(still).is_visible() and not page.locator(FIGURE).is_visible()
    with browser.new_context(java_script_enabled=False) as context:
        page = context.new_page()
        page.goto(address + PAGE)
        assert page.locator(still).is_visible() and not page.locator(FIGURE).is_visible()


def test_the_first_screen_has_answer_and_figure(visit):
    page = visit(PAGE, 1440)
    page.set_viewport_size({"width": 1440, "height": 900})
    for part in ("div.claims >> nth=0", FIGURE):
        box = page.locator(part).bounding_box()
        assert box["y"] + box["height"] < 900


def test_the_map_has_a_tile_for_each_statement(visit):
    page = visit(PAGE)
    tiles = page.locator("div.map .tiles a")
    assert tiles.evaluate_all(
        "tiles => tiles.map(tile => [tile.getAttribute('href'), tile.ariaLabel, tile.className])"
    ) == [
        [
            f"../{claim['notebook'][:-6]}.html#{claim['id']}",
            f"{claim['label']}: {claim['verdict'].replace('-', ' ')}",
            f"verdict-mark {claim['verdict']}",
        ]
        for claim in LEDGER
    ]
    numbers = Counter(claim["verdict"].replace("-", " ") for claim in LEDGER)
    legend = page.locator("div.map .legend li").all_inner_texts()
    assert dict(one.split(": ") for one in legend) == {
        verdict: str(number) for verdict, number in numbers.items()
    }
    assert legend[0].startswith("fails as stated") and legend[-1].startswith("holds: ")


@pytest.mark.parametrize("width", [1280, 390])
def test_a_tile_shows_its_name_on_focus(visit, width):
    page = visit(PAGE, width)
    tile = page.locator("div.map .tiles a.fails-as-stated").first
    shown = "tile => getComputedStyle(tile, '::after').content"
    assert tile.evaluate(shown) == "none"
    tile.focus()
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("Tab")
    assert tile.get_attribute("aria-label") in tile.evaluate(shown)
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_failures_are_filled_and_what_holds_is_pale(visit):
    """Each mark is told by its shape too, and stands on its ground with a contrast of its own."""
    page = visit(PAGE)
    look = """verdict => {
        const tile = document.querySelector(`div.map .tiles a.${verdict}`);
        const mark = getComputedStyle(tile, '::before');
        return [getComputedStyle(tile).backgroundColor, mark.color, mark.content];
    }"""
    verdicts = sorted({claim["verdict"] for claim in LEDGER} - {"holds"})
    grounds, inks, marks = zip(*(page.evaluate(look, verdict) for verdict in verdicts))
    ground, ink, mark = page.evaluate(look, "holds")
    assert len({*marks, mark}) == len({*grounds, ground}) == len(verdicts) + 1
    assert set(inks) == {"rgb(255, 255, 255)"} and all(one.startswith("rgb(") for one in grounds)
    assert "/ 0.12)" in ground and ink != inks[0]
