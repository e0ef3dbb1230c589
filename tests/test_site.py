"""The site in a browser without a network: every page, light and dark, desktop and phone."""

import importlib.resources
import json
import re
from pathlib import Path
from urllib.parse import urldefrag, urljoin

import pytest

from pipeline.browser import served, show

pytestmark = pytest.mark.site

ROOT = Path(__file__).parents[1]
SITE = ROOT / "_build/html"
LEDGER = json.loads((ROOT / "book/results.json").read_text(encoding="utf-8"))
CHECKED_BY_COQ = json.loads((ROOT / "book/coq.json").read_text(encoding="utf-8"))["claims"]
# Not search.html, the results page: without a query it asks for one.
PAGES = sorted(
    str(path.relative_to(SITE))
    for path in SITE.rglob("*.html")
    if path.name != "search.html" and "_static" not in path.parts
)
CHAPTERS = [page for page in PAGES if page.startswith(("book/", "notebooks/"))]
LISTS = sorted({*PAGES} - {*CHAPTERS} - {"index.html"})  # which leads to the landing page
SHORT = "notebooks/fact_3_2.html"  # for what any chapter will do
WIDTHS = {"desktop": 1280, "phone": 390}
SIZES = {name: {"width": width, "height": 844} for name, width in WIDTHS.items()}
SIZES["paper"] = {"width": 673, "height": 1000}  # pixels between the margins of A4

each_width = pytest.mark.parametrize("width", WIDTHS.values(), ids=WIDTHS)


@pytest.fixture(scope="module", params=CHAPTERS)
def page(request, looked_at):
    """Each page in turn, opened once for all tests that only look at it; pytest runs them one after
    another, as they stand here: on a phone, there in the dark, on paper, without formulas. Half of
    the work is laying those out, so no test goes back.
    """
    page = looked_at(request.param, WIDTHS["phone"])
    page.name = request.param
    return page


def test_one_worker_opens_the_page(page, request, worker_id):
    assert worker_id == "master" or request.node.nodeid.endswith(f"@{page.name}")


def turn(page, theme, **media):
    """Show the page on another medium and at another ``size``, where one is given, and wait until
    it has the theme that it wears there. At another size it is laid out once: what is hidden is
    not, and each change alone would lay out all of it.
    """
    size = media.pop("size", None)
    if size:
        page.evaluate("document.documentElement.style.display = 'none'")
        page.set_viewport_size(size)
    page.emulate_media(**media)
    page.wait_for_function("theme => document.documentElement.dataset.theme == theme", arg=theme)
    if size:
        page.evaluate("document.documentElement.style.removeProperty('display')")


def article(page):
    """The text that a reader sees, without code and without typeset math."""
    return page.evaluate(
        """() => {
            const copy = document.querySelector('article').cloneNode(true);
            const others = copy.querySelectorAll('pre, code, mjx-container, script, style');
            others.forEach(node => node.remove());
            return copy.textContent;
        }"""
    )


def test_no_warning_stands_on_the_page(page):
    assert page.locator(".output.stderr").all_text_contents() == []


@pytest.mark.parametrize("name", ["index.html", *LISTS])
def test_other_pages_have_no_error_either(visit, name):
    page = visit(name)
    page.wait_for_timeout(500)  # not "networkidle", which may never come where one leads to another
    assert page.complaints == []


def test_complaints_are_heard(visit, address):
    page = visit(SHORT)
    page.evaluate(
        """() => { console.error('planted'); setTimeout(() => { throw Error('thrown') });
                   for (const url of ['https://example.org/', 'nowhere'])
                       fetch(url).catch(() => 0) }"""
    )
    page.wait_for_timeout(500)
    heard = "\n".join(page.complaints)
    for planted in (
        "planted",
        "error: thrown",
        "request outside: https://example.org/",
        f"404 {address}",
    ):
        assert planted in heard


def test_scripts_that_run_late_are_waited_for(browser, tmp_path):
    """As on a busy machine: the page is still being read, and MathJax comes at its end."""
    busy = "<script>{ const start = Date.now(); while (Date.now() - start < 50); }</script>" * 30
    (tmp_path / "late.js").write_text("MathJax.startup = {promise: Promise.resolve()}")
    head = "<script>MathJax = {}</script><script defer src='late.js'></script>"
    (tmp_path / "page.html").write_text(f"<!DOCTYPE html><head>{head}</head><body>{busy}</body>")
    with served(tmp_path) as address:
        page = browser.new_page()
        show(page, address + "page.html")
        assert page.evaluate("'startup' in MathJax")
        page.close()


def test_root_opens_the_landing_page(visit):
    page = visit("")
    page.wait_for_url("**/book/index.html")
    assert page.locator("article h1").count() == 1


TYPESET = """() => ['.math', '.math mjx-container', ':is(mjx-merror, [data-mjx-error])']
    .map(of => document.querySelectorAll('article ' + of).length)"""


def test_math_is_typeset(page):
    formulas, typeset, wrong = page.evaluate(TYPESET)
    assert (typeset >= formulas, wrong) == (True, 0)
    stray = re.findall(r".{0,30}(?:\$|\\[a-zA-Z]+\b|\\[()\[\]]).{0,30}", article(page))
    assert stray == []


# Icons that are no letter, or of a font that is not there.
UNDRAWN = """icons => icons.filter(icon => {
    const {content, fontFamily} = getComputedStyle(icon, '::before');
    const loaded = [...document.fonts].filter(face => face.status == 'loaded');
    const plain = name => name.replaceAll('"', '');
    return content.length != 3 || !loaded.some(face => plain(face.family) == plain(fontFamily));
}).map(icon => icon.className)"""


@each_width
def test_icons_are_letters_of_a_font_and_of_one_size(visit, width):
    """A script of the theme's draws them again: 1.5 MB that every page would wait for."""
    page = visit(SHORT, width)
    assert page.locator("script[src*=fontawesome]").count() == 0
    icons = page.locator(".bd-header-article :is(.fas, .fab, .fa-solid, .theme-switch):visible")
    assert icons.count() >= 5 and icons.evaluate_all(UNDRAWN) == []
    sizes = icons.evaluate_all("icons => icons.map(icon => getComputedStyle(icon).fontSize)")
    assert len({*sizes}) == 1
    for wrong in ("font-family: serif", "content: none"):
        page.add_style_tag(content=f".bd-header-article *::before {{ {wrong} !important }}")
        assert len(icons.evaluate_all(UNDRAWN)) == icons.count()


@each_width
def test_one_search_field(visit, width):
    page = visit(SHORT, width)
    fields = page.locator("button.search-button-field, button.search-button, form.bd-search input")
    assert sum(fields.nth(place).is_visible() for place in range(fields.count())) == 1


@each_width
def test_sidebar_opens_and_closes(visit, width):
    page = visit(SHORT, width)
    link = page.locator(".bd-sidebar-primary a", has_text="What you must trust").first
    toggle = page.locator("button.primary-toggle:visible")
    at_first = shown(page, link)
    assert at_first == (width > 1000)
    toggle.click()
    page.wait_for_timeout(600)
    assert shown(page, link) != at_first
    if at_first:
        toggle.click()
    else:
        page.keyboard.press("Escape")
    page.wait_for_timeout(600)
    assert shown(page, link) == at_first


def shown(page, locator):
    """Whether a person sees the element: it has a box, and the box is within the window."""
    box = locator.bounding_box()
    return bool(box) and locator.is_visible() and 0 <= box["x"] < page.viewport_size["width"]


def test_links_say_where_they_lead(page):
    """sphinx-proof drops a name that contains the label it belongs to, and leaves its kind."""
    names = page.evaluate(
        "() => [...document.querySelectorAll('article a.internal')].map(link => "
        "link.innerText.trim())"
    )
    assert not {"Theorem", "Lemma", "Equation", "Definition"} & set(names)


def test_notebook_downloads(page):
    link = page.locator("a[href*='_sources/'][href$='.ipynb']")
    assert link.count() == page.name.startswith("notebooks/")
    if link.count():
        assert link.get_attribute("download") is not None
        got = page.request.get(urljoin(page.url, link.get_attribute("href"))).json()
        assert any(cell.get("outputs") for cell in got["cells"])
        assert "papermill" not in json.dumps(
            [got["metadata"], [cell["metadata"] for cell in got["cells"]]]
        )


BADGES = """() => Object.fromEntries([...document.querySelectorAll('div.proof')].map(box => {
    const said = of => [...box.parentElement.querySelectorAll(`#${CSS.escape(box.id)} ${of}`)]
        .map(node => node.innerText);
    const badges = ['provenance', 'verdict', 'coq'].map(kind => said(`+ p.badges .badge-${kind}`));
    return [box.id, [said('> .admonition-title'), ...badges]];
}))"""


def test_statements_carry_their_badges(page):
    found = page.evaluate(BADGES)
    for claim in LEDGER:
        if page.name == claim["notebook"].replace(".ipynb", ".html"):
            [title], *badges, coq = found[claim["id"]]
            assert badges == [[claim["provenance"]], [claim["verdict"].replace("-", " ")]]
            assert len(coq) == (claim["id"] in CHECKED_BY_COQ)
            if claim["document"] == "book":  # names, not numbers
                title = re.sub("^(Theorem|Observation) ", "", title).replace("’", "'")
            assert title.startswith(claim["label"].split(",")[0])


AXE = (
    importlib.resources.files("axe_playwright_python")
    .joinpath("axe.min.js")
    .read_text(encoding="utf-8")
)
# The inside of a formula and of a figure is drawn for the eye and hidden from others; the words of
# code differ in their colours only, which PALE measures. They are most of a page, and take most of
# the time.
EMPTY = """document.querySelectorAll('mjx-container, pre, article svg[role=img]')
    .forEach(box => box.replaceChildren())"""
VIOLATIONS = """async options => {
    const found = await axe.run({preload: false, resultTypes: ['violations'], ...options});
    return found.violations.filter(({impact}) => ['serious', 'critical'].includes(impact))
        .flatMap(({id, nodes}) => nodes.map(node => `${id}: ${node.html.slice(0, 120)}`));
}"""
COLOURS = "color-contrast", "link-in-text-block"  # all that differs in the dark
RULES = {"light": {}, "dark": {"runOnly": COLOURS}}
# On every page PALE measures contrast, ten times as fast; how a link stands out is for the style
# to say, which each kind of page has.
BUT_COLOURS = {"rules": {rule: {"enabled": False} for rule in COLOURS}}


def violations(page, theme, rules=None):
    """What axe-core calls serious or critical; without motion, or colours would be met half-way. It
    leaves formulas and code empty.
    """
    page.evaluate(f"{EMPTY}; {AXE}")
    turn(page, theme, media="screen", color_scheme=theme, reduced_motion="reduce")
    return page.evaluate(VIOLATIONS, rules or RULES[theme])


@pytest.mark.parametrize("name", [SHORT, "book/index.html", "book/play.html", "search.html"])
def test_each_kind_of_page_is_accessible_in_both_themes(visit, name):
    page = visit(name)
    assert [found for theme in RULES for found in violations(page, theme)] == []


@pytest.mark.parametrize("name", LISTS)
def test_lists_are_accessible(visit, name):
    page = visit(name)
    for theme in ("light", "dark"):
        turn(page, theme, color_scheme=theme)
        assert page.evaluate(PALE) == []
    assert violations(page, "light", BUT_COLOURS) == []


def test_a_planted_violation_is_reported(visit):
    page = visit(SHORT)
    page.evaluate(
        "() => document.querySelector('article').insertAdjacentHTML('beforeend', '<img "
        "src=x><button></button>')"
    )
    page.evaluate("() => { document.querySelectorAll('article p')[1].style.color = '#777' }")
    light, dark = ({found.split(":")[0] for found in violations(page, theme)} for theme in RULES)
    assert light == {"button-name", "color-contrast", "image-alt"}
    assert dark == {"color-contrast"}


PALE = """() => {
    // Whatever is written in the article, code and links too, at less than 4.5 : 1; in a figure at
    // less than 3 : 1.
    const canvas = document.createElement('canvas').getContext('2d', {willReadFrequently: true});
    const known = {}, grounds = new Map();
    const luminance = colours => known[colours] ??= (() => {
        for (const colour of colours) { canvas.fillStyle = colour; canvas.fillRect(0, 0, 1, 1); }
        const part = value => value <= 0.03928 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
        const [r, g, b] = [...canvas.getImageData(0, 0, 1, 1).data].map(value => part(value / 255));
        return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    })();
    const layers = box => {
        if (box && !grounds.has(box)) {
            const above = layers(box.parentElement);
            grounds.set(box, [...above, getComputedStyle(box).backgroundColor]);
        }
        return box ? grounds.get(box) : [];
    };
    const contrast = node => {
        const {color, fill} = getComputedStyle(node);
        const ground = luminance(layers(node));
        const ink = luminance([node.closest('svg') ? fill : color]);
        return (Math.max(ground, ink) + 0.05) / (Math.min(ground, ink) + 0.05);
    };
    const article = document.querySelector('article'), written = new Set();
    const texts = document.createTreeWalker(article, NodeFilter.SHOW_TEXT);
    while (texts.nextNode())
        if (texts.currentNode.data.trim()) written.add(texts.currentNode.parentElement);
    const apart = node => node.closest(':not(.picture) > svg, script, style, .headerlink');
    const pale = node => contrast(node) < (node.closest('svg') ? 3 : 4.5);
    return [...written].filter(node => !apart(node) && pale(node))
        .map(node => node.outerHTML.slice(0, 80));
}"""


def test_text_is_legible(page):
    assert page.evaluate(PALE) == []


@pytest.mark.parametrize("where", ["p", "p a", "pre .n", ".picture text"])
def test_pale_text_is_seen(visit, where):
    page = visit(SHORT)
    page.evaluate(
        "where => { const {style} = document.querySelector(`article ${where}`); style.color = "
        "style.fill = '#999' }",
        where,
    )
    assert len(page.evaluate(PALE)) == 1


SIDEWAYS = """() => [...document.querySelectorAll(
    'article :is(p, li, table, img, svg, pre, h1, h2, h3)'
)].filter(node => {
    if (node.getBoundingClientRect().right <= innerWidth + 1) return false;
    for (let box = node; box.tagName != 'ARTICLE'; box = box.parentElement)
        if (['auto', 'scroll', 'hidden'].includes(getComputedStyle(box).overflowX)) return false;
    return true;
}).map(node => node.outerHTML.slice(0, 80))"""


def test_phone_does_not_scroll_sideways(page):
    assert page.viewport_size == SIZES["phone"]
    assert page.evaluate("document.documentElement.scrollWidth") <= WIDTHS["phone"]
    assert page.evaluate(SIDEWAYS) == []


def test_text_is_legible_in_the_dark(page):
    turn(page, "dark", color_scheme="dark")
    assert page.evaluate(PALE) == []


def test_what_scrolls_sideways_is_seen(visit):
    page = visit(SHORT, WIDTHS["phone"])
    page.evaluate("() => { document.querySelector('article p').style.width = '800px' }")
    assert len(page.evaluate(SIDEWAYS)) == 1


CUT = """() => [...document.querySelectorAll(
    'article *:not(mjx-container *, svg *), article mjx-math'
)].filter(node =>
    node.getBoundingClientRect().right > innerWidth + 1
    || (node.clientWidth && getComputedStyle(node).overflowX != 'visible'
        && node.scrollWidth > node.clientWidth + 1)
).map(node => node.outerHTML.slice(0, 80))"""


@pytest.fixture
def printed(page):
    """The page as it goes to the printer of somebody who reads in the dark."""
    turn(page, "light", media="print", color_scheme="dark", size=SIZES["paper"])
    return page


AROUND = """() => [...document.querySelectorAll('nav, .bd-header-article, .bd-sidebar-primary,'
    + '.copybtn, summary, #jb-print-docs-body, footer')].filter(node => {
    const {width, height} = node.getBoundingClientRect();
    return width && height && getComputedStyle(node).visibility == 'visible';
}).map(node => node.outerHTML.slice(0, 80))"""


def test_paper_is_light_and_holds_the_text_alone(printed):
    assert printed.evaluate(AROUND) == []
    assert printed.locator("article h1").is_visible()
    assert printed.evaluate(CUT) == []
    assert printed.evaluate(PALE) == []
    assert (
        printed.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    )


def test_the_screen_gets_its_colours_back(visit):
    page = visit(SHORT)
    for media, theme in (("screen", "dark"), ("print", "light"), ("screen", "dark")):
        page.emulate_media(media=media, color_scheme="dark")
        page.wait_for_function(
            "theme => document.documentElement.dataset.theme == theme", arg=theme
        )


def test_what_paper_leaves_out_and_cuts_is_seen(visit):
    page = visit(SHORT)
    assert {found.split()[0] for found in page.evaluate(AROUND)} >= {"<nav", "<button", "<footer"}
    turn(page, "light", media="print", size=SIZES["paper"])
    page.evaluate("""() => document.querySelector('article').insertAdjacentHTML('beforeend',
        '<p style="width: 800px">wide</p>'
        + '<div style="overflow: auto"><b style="padding-left: 800px">long</b></div>')""")
    assert [found[:2] for found in page.evaluate(CUT)] == ["<p", "<d", "<b"]


def test_page_is_accessible(page):
    page.evaluate(EMPTY)  # before anything is laid out again
    page.set_viewport_size(SIZES["desktop"])
    assert violations(page, "light", BUT_COLOURS) == []


# The last that looks at a page: what its scripts asked late, or in print, was heard too.
def test_page_has_no_error_and_asks_nothing_of_the_network(page):
    assert page.complaints == []


def test_verdict_table_has_a_row_for_each_claim(visit):
    page = visit("book/verdicts.html")
    listed = [
        (row.locator("td").first.inner_text(), row.locator(".badge-verdict").inner_text())
        for row in page.locator("article table.verdicts tbody tr:not(.chapter)").all()
    ]
    assert listed == [(claim["label"], claim["verdict"].replace("-", " ")) for claim in LEDGER]


def test_a_chapter_links_to_what_it_rests_on_and_back():
    home = {claim["id"]: claim["notebook"].replace(".ipynb", ".html") for claim in LEDGER}
    pairs = {(home[claim["id"]], home[key]) for claim in LEDGER for key in claim["depends"]}
    linked = {"Rests on": set(), "Used by": set()}
    for page in CHAPTERS:
        for line in re.findall(
            r'<p class="relations">(.*?)</p>', (SITE / page).read_text(encoding="utf-8"), re.S
        ):
            targets = {
                urldefrag(urljoin(page, href))[0] for href in re.findall(r'href="([^"]+)"', line)
            }
            linked[line.split(":")[0]] |= {(page, target) for target in targets}
    assert linked["Rests on"] == {(one, other) for one, other in pairs if one != other}
    assert linked["Used by"] == {(other, one) for one, other in linked["Rests on"]}


def test_images_have_a_text_for_those_who_do_not_see_them():
    for page in CHAPTERS:
        article = re.search(
            r"<article.*?</article>", (SITE / page).read_text(encoding="utf-8"), re.S
        )[0]
        for image in re.findall(r"<(?:img|svg)\b[^>]*>", article):
            assert re.search(r'\b(?:alt|aria-label)="[^"]{20,}"', image), f"{page}: {image}"
