"""The site in a browser without a network: every page, light and dark, desktop and phone."""

import functools
import http.server
import json
import re
import shutil
import threading
from pathlib import Path
from urllib.parse import urldefrag, urljoin

import pytest
from playwright.sync_api import sync_playwright

ROOT = Path(__file__).parents[1]
SITE = ROOT / "_build/html"
LEDGER = json.loads((ROOT / "book/results.json").read_text(encoding="utf-8"))
# Not search.html, the results page: without a query it asks for one.
PAGES = sorted(str(path.relative_to(SITE)) for path in SITE.rglob("*.html") if path.name != "search.html" and "_static" not in path.parts)
CHAPTERS = [page for page in PAGES if page.startswith(("book/", "notebooks/"))]
WIDTHS = {"desktop": 1280, "phone": 390}

each_width = pytest.mark.parametrize("width", WIDTHS.values(), ids=WIDTHS)


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


@pytest.fixture(scope="session")
def address():
    if not PAGES:
        pytest.fail(f"there is no site in {SITE}; run: make book")
    handler = functools.partial(Quiet, directory=SITE)
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()


@pytest.fixture(scope="session")
def browser():
    program = shutil.which("chromium") or shutil.which("google-chrome")
    if not program:
        pytest.fail("no Chromium on this machine, so nobody has looked at the site: apt-get install chromium")
    with sync_playwright() as playwright:
        flags = ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"]
        yield playwright.chromium.launch(executable_path=program, args=flags)


def opened(browser, address, name, width=1280):
    """A page of the site, everything outside of it cut off; complaints gather in ``page.complaints``."""
    page = browser.new_context(viewport={"width": width, "height": 844}, color_scheme="light").new_page()
    page.complaints = complaints = []

    def route(request_route):
        inside = request_route.request.url.startswith(address)
        if not inside:
            complaints.append(f"request outside: {request_route.request.url}")
        request_route.continue_() if inside else request_route.abort()

    page.route("**/*", route)
    page.on("pageerror", lambda error: complaints.append(f"error: {error}"))
    page.on("console", lambda line: line.type in ("error", "warning") and complaints.append(line.text))
    page.on("response", lambda answer: answer.status >= 400 and complaints.append(f"{answer.status} {answer.url}"))
    page.on("requestfailed", lambda request: complaints.append(f"failed: {request.url}"))
    page.goto(urljoin(address, name), wait_until="networkidle")
    page.wait_for_function("!window.MathJax || MathJax.startup.promise.then(() => true)")
    return page


@pytest.fixture
def visit(browser, address):
    """Open a page afresh, for a test that does something to it."""
    contexts = []

    def open_page(name, width=1280):
        page = opened(browser, address, name, width)
        contexts.append(page.context)
        return page

    yield open_page
    for context in contexts:
        context.close()


@pytest.fixture(scope="module", params=CHAPTERS)
def page(request, browser, address):
    """Each page in turn, opened once for all tests that only look at it; pytest runs them one after another."""
    page = opened(browser, address, request.param)
    page.name = request.param
    yield page
    page.context.close()


def article(page):
    """The text that a reader sees, without code and without typeset math."""
    return page.evaluate(
        """() => {
            const copy = document.querySelector('article').cloneNode(true);
            copy.querySelectorAll('pre, code, mjx-container, script, style').forEach(node => node.remove());
            return copy.textContent;
        }"""
    )


def test_page_has_no_error_and_asks_nothing_of_the_network(page):
    assert page.complaints == []


@pytest.mark.parametrize("name", ["index.html", *sorted(set(PAGES) - set(CHAPTERS))])
def test_other_pages_have_no_error_either(visit, name):
    assert visit(name).complaints == []


def test_complaints_are_heard(visit, address):
    page = visit(CHAPTERS[0])
    page.evaluate(
        """() => { console.error('planted'); setTimeout(() => { throw Error('thrown') });
                   for (const url of ['https://example.org/', 'nowhere']) fetch(url).catch(() => 0) }"""
    )
    page.wait_for_timeout(500)
    heard = "\n".join(page.complaints)
    for planted in ("planted", "error: thrown", "request outside: https://example.org/", f"404 {address}"):
        assert planted in heard


def test_root_opens_the_landing_page(visit):
    page = visit("")
    page.wait_for_url("**/book/index.html")
    assert page.locator("article h1").count() == 1


def test_math_is_typeset(page):
    formulas = page.locator("article .math").count()
    assert page.locator("article .math mjx-container").count() >= formulas
    assert page.locator("mjx-merror, [data-mjx-error]").count() == 0
    stray = re.findall(r".{0,30}(?:\$|\\[a-zA-Z]+\b|\\[()\[\]]).{0,30}", article(page))
    assert stray == []


@each_width
def test_one_search_field(visit, width):
    page = visit(CHAPTERS[0], width)
    fields = page.locator("button.search-button-field, button.search-button, form.bd-search input")
    assert sum(fields.nth(place).is_visible() for place in range(fields.count())) == 1


@each_width
def test_sidebar_opens_and_closes(visit, width):
    page = visit(CHAPTERS[0], width)
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


SIDEWAYS = """() => [...document.querySelectorAll('article :is(p, li, table, img, svg, pre, h1, h2, h3)')].filter(node => {
    if (node.getBoundingClientRect().right <= innerWidth + 1) return false;
    for (let box = node; box.tagName != 'ARTICLE'; box = box.parentElement)
        if (['auto', 'scroll', 'hidden'].includes(getComputedStyle(box).overflowX)) return false;
    return true;
}).map(node => node.outerHTML.slice(0, 80))"""


@pytest.fixture
def phone(page):
    page.set_viewport_size({"width": WIDTHS["phone"], "height": 844})
    yield page
    page.set_viewport_size({"width": WIDTHS["desktop"], "height": 844})


def test_phone_does_not_scroll_sideways(phone):
    assert phone.evaluate("document.documentElement.scrollWidth") <= WIDTHS["phone"]
    assert phone.evaluate(SIDEWAYS) == []


def test_what_scrolls_sideways_is_seen(visit):
    page = visit(CHAPTERS[0], WIDTHS["phone"])
    page.evaluate("() => { document.querySelector('article p').style.width = '800px' }")
    assert len(page.evaluate(SIDEWAYS)) == 1


PALE = """text => {
    const canvas = document.createElement('canvas').getContext('2d', {willReadFrequently: true});
    const known = {};
    const luminance = colours => known[colours] ??= (() => {
        for (const colour of colours) { canvas.fillStyle = colour; canvas.fillRect(0, 0, 1, 1); }
        const part = value => value <= 0.03928 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
        const [r, g, b] = [...canvas.getImageData(0, 0, 1, 1).data].map(value => part(value / 255));
        return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    })();
    const contrast = node => {
        const layers = [];
        for (let box = node; box; box = box.parentElement) layers.unshift(getComputedStyle(box).backgroundColor);
        const ground = luminance(layers), ink = luminance([getComputedStyle(node).color]);
        return (Math.max(ground, ink) + 0.05) / (Math.min(ground, ink) + 0.05);
    };
    return [...document.querySelectorAll(text)].map(node => [node.innerText.slice(0, 40), contrast(node)]).filter(([_, ratio]) => ratio < 4.5);
}"""
TEXT = "article :is(p, li, dd, h1, h2, figcaption, .admonition-title, td, th, .badge-verdict, .badge-provenance)"


@pytest.mark.parametrize("theme", ["dark", "light"])
def test_text_is_legible(page, theme):
    page.emulate_media(color_scheme=theme)
    page.wait_for_function("theme => document.documentElement.dataset.theme == theme", arg=theme)
    assert page.evaluate(PALE, TEXT) == []


def test_pale_text_is_seen(visit):
    page = visit(CHAPTERS[0])
    page.evaluate("() => { document.querySelectorAll('article p')[1].style.color = '#999' }")
    assert len(page.evaluate(PALE, TEXT)) == 1


def test_internal_links_resolve(address):
    ids = {page: set(re.findall(r'\bid="([^"]+)"', (SITE / page).read_text(encoding="utf-8"))) for page in PAGES}
    broken = []
    for page in CHAPTERS:
        for href in re.findall(r'<a [^>]*href="([^"]+)"', (SITE / page).read_text(encoding="utf-8")):
            target, anchor = urldefrag(urljoin(address + page, href))
            if target.startswith(address):
                path = target.removeprefix(address)
                if not (SITE / path).exists() or (anchor and path in ids and anchor not in ids[path]):
                    broken.append((page, href))
    assert broken == []


def test_links_say_where_they_lead(page):
    """sphinx-proof drops a name that contains the label it belongs to, and leaves its kind."""
    names = page.evaluate("() => [...document.querySelectorAll('article a.internal')].map(link => link.innerText.trim())")
    assert not {"Theorem", "Lemma", "Equation", "Definition"} & set(names)


def test_notebook_downloads(page):
    link = page.locator("a[href*='_sources/'][href$='.ipynb']")
    assert link.count() == page.name.startswith("notebooks/")
    if link.count():
        assert link.get_attribute("download") is not None
        got = page.request.get(urljoin(page.url, link.get_attribute("href"))).json()
        assert any(cell.get("outputs") for cell in got["cells"])
        assert "papermill" not in json.dumps([got["metadata"], [cell["metadata"] for cell in got["cells"]]])


def test_statements_carry_their_badges(page):
    for claim in LEDGER:
        if page.name == claim["notebook"].replace(".ipynb", ".html"):
            badges = page.locator(f"div.proof#{claim['id']} + p.badges")
            assert badges.locator(".badge-provenance").inner_text() == claim["provenance"]
            assert badges.locator(".badge-verdict").inner_text() == claim["verdict"].replace("-", " ")
            title = page.locator(f"div.proof#{claim['id']} > .admonition-title").inner_text()
            if claim["provenance"] == "new":  # the book's own have names, not numbers
                title = title.removeprefix("Theorem ").replace("’", "'")
            assert title.startswith(claim["label"].split(",")[0])


def test_verdict_table_has_a_row_for_each_claim(visit):
    page = visit("book/index.html")
    listed = [
        (row.locator("td").first.inner_text(), row.locator(".badge-verdict").inner_text())
        for row in page.locator("article table tbody tr").all()
    ]
    assert listed == [(claim["label"], claim["verdict"].replace("-", " ")) for claim in LEDGER]


def test_a_chapter_links_to_what_it_rests_on_and_back():
    home = {claim["id"]: claim["notebook"].replace(".ipynb", ".html") for claim in LEDGER}
    pairs = {(home[claim["id"]], home[key]) for claim in LEDGER for key in claim["depends"]}
    linked = {"Rests on": set(), "Used by": set()}
    for page in CHAPTERS:
        for line in re.findall(r'<p class="relations">(.*?)</p>', (SITE / page).read_text(encoding="utf-8"), re.S):
            targets = {urldefrag(urljoin(page, href))[0] for href in re.findall(r'href="([^"]+)"', line)}
            linked[line.split(":")[0]] |= {(page, target) for target in targets}
    assert linked["Rests on"] == {(one, other) for one, other in pairs if one != other}
    assert linked["Used by"] == {(other, one) for one, other in linked["Rests on"]}


def test_images_have_a_text_for_those_who_do_not_see_them():
    for page in CHAPTERS:
        article = re.search(r"<article.*?</article>", (SITE / page).read_text(encoding="utf-8"), re.S)[0]
        for image in re.findall(r"<(?:img|svg)\b[^>]*>", article):
            assert re.search(r'\b(?:alt|aria-label)="[^"]{20,}"', image), f"{page}: {image}"
