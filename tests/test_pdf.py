"""The book on paper: one file of all pages, in which every link finds its place."""

import re
from collections import Counter

import pytest

from pipeline import pdf
from pipeline.browser import served

pytestmark = pytest.mark.site

LINKED = """() => [...document.querySelectorAll('article [href], article [*|href]')]
    .map(node => node.getAttribute('href') ?? node.getAttribute('xlink:href'))"""


def test_the_book_is_printed_with_an_outline(built):
    status, printed = built.doit("pdf")
    assert status == 0 and "ready: _build/companion.pdf" in printed
    content = (built.path / pdf.PDF).read_bytes()
    assert content.startswith(b"%PDF")
    assert (
        3 <= len(re.findall(rb"/Type /Page\b", content)) <= 9
    )  # each of three pages begins on a new sheet
    assert {b"Tiny", b"one", b"two"} <= set(re.findall(rb"/Title \((\w+)\)", content))
    assert re.search(rb"/MediaBox \[0 0 59[45]\S* 84[12]", content)  # A4
    assert b"/URI (http://127" not in content


def test_without_chromium_a_message_and_no_pdf(built, monkeypatch):
    monkeypatch.setenv("PATH", "")
    status, printed = built.doit("pdf")
    assert status == 0 and "No PDF was made: no Chromium on this machine" in printed
    assert not (built.path / pdf.PDF).exists()


@pytest.fixture
def sheet(built, browser, monkeypatch):
    """The two chapters, with a link to each other and to what is not in the book, as one page."""
    for name, other in (("one", "two"), ("two", "one")):
        cells = built.load(name)
        links = f"\n\n[other]({other}.ipynb), {{prf:ref}}`{other}`, [here](here-{name})\n\n"
        links += f"(here-{name})=\n## Same heading"
        cells["cells"][0]["source"] += links
        built.save(name, cells)
    built.build()
    monkeypatch.chdir(built.path)
    with served(built.path / "_build/html") as address:
        page = pdf.one_page(browser, address, pdf.names())
        yield page
        page.close()


def test_every_link_leads_to_one_place(sheet):
    assert pdf.names() == ["book/index.html", "notebooks/one.html", "notebooks/two.html"]
    anchors = Counter(
        sheet.evaluate(
            "() => [...document.querySelectorAll('article, article [id]')].map(node => node.id)"
        )
    )
    # sphinx-proof gives a block and its title the same anchor: they stand at the same place
    assert {anchor for anchor, times in anchors.items() if times > 1} == {
        "notebooks/one.html--one",
        "notebooks/two.html--two",
    }
    links = sheet.evaluate(LINKED)
    assert {link for link in links if link[1:] not in anchors} == set()
    chapters = {"#notebooks/one.html", "#notebooks/two.html"}
    assert chapters | {"#notebooks/one.html--one", "#notebooks/two.html--same-heading"} <= set(
        links
    )


def test_every_page_of_it_is_there_and_typeset(sheet):
    assert sheet.locator("article h1").all_inner_texts() == ["Tiny", "one", "two"]
    assert (
        sheet.locator("article .math mjx-container").count()
        == sheet.locator("article .math").count()
        == 2
    )
