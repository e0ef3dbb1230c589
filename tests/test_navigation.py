"""How a page is found: descriptions, the list of pages, names of folds, the search from a file."""

import json
import re
from collections import Counter
from html import unescape
from pathlib import Path

import pytest
from docutils import nodes
from made import held
from navigation import folded, plain, spoken

from pipeline.browser import show

ROOT = Path(__file__).parents[1]
SITE = ROOT / "_build/html"
PAGES = sorted(SITE.glob("book/*.html")) + sorted(SITE.glob("notebooks/*.html"))
DESCRIPTION = re.compile(r'<meta name="description" content="([^"]*)"/>')


@pytest.mark.site
def test_every_page_is_described_in_words_of_its_own():
    found = [DESCRIPTION.findall(page.read_text(encoding="utf-8")) for page in PAGES]
    assert len(PAGES) > 60 and all(len(one) == 1 for one in found)
    described = [unescape(text) for (text,) in found]
    assert [text for text in described if not 40 < len(text) <= 300 or text[-1] not in ".?!"] == []
    assert [text for text in described if re.search(r"[\\{}$]|<\w", text)] == []
    assert max(Counter(described).values()) == 1


def test_formulas_are_described_without_markup():
    assert spoken(r"\frac13 \log n \le \tfrac{B}{d N_{d_x}}") == "1/3 log n ≤ B/d N_d_x"
    term = nodes.raw("", r'<a href="x" data-means="y">\(\mathcal D_0\)</a>', format="html")
    assert plain(nodes.paragraph("", "", nodes.Text("On "), term)) == "On D_0"


LIST = '<p class="caption">{}</p>\n<ul class="nav">{}</ul>'


def test_the_parts_fold_but_the_first_and_that_of_the_page():
    listed = [LIST.format("I", ""), LIST.format("II", ""), LIST.format("III", "current")]
    assert re.findall(r'<details class="part"( open)?><summary>(\w+)', folded("".join(listed))) == [
        (" open", "I"),
        ("", "II"),
        (" open", "III"),
    ]


@pytest.mark.parametrize("width", [1280, 390])
def test_a_part_opens_and_closes_with_the_keyboard(visit, width):
    page = visit("notebooks/lemma_4_1.html", width)
    if width < 1000:
        page.locator("button.primary-toggle:visible").click()
        page.wait_for_timeout(600)
    inside = page.locator(".bd-links a", has_text="Task 1").first
    assert not inside.is_visible()
    assert page.locator(".bd-links a", has_text="Lemma 4.1").first.is_visible()
    page.locator(".bd-links summary", has_text="Part IV").focus()
    page.keyboard.press("Enter")
    assert inside.is_visible()
    page.keyboard.press("Enter")
    assert not inside.is_visible()
    assert page.complaints == []


FOLDS = {
    "the answer": r"^ *print\(",
    "the imports": r"^(?:from|import) ",
    "the check of the parameters": r"\b(?:integer|real|rational|one_of|common|setting|print)\b",
    "how the picture is drawn": r"^figures\.picture\(",
}


def test_a_fold_holds_what_it_says():
    names = Counter()
    for path in ROOT.glob("notebooks/*.ipynb"):
        for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
            if {"hide-input", "hide-cell"} & {*cell["metadata"].get("tags", [])}:
                name = held(cell)
                assert re.search(FOLDS[name], "".join(cell["source"]), re.M), (path, cell["id"])
                names[name] += 1
    assert names.keys() == FOLDS.keys()


@pytest.mark.site
def test_a_fold_is_called_by_what_it_holds():
    page = (SITE / "notebooks/lemma_4_1.html").read_text(encoding="utf-8")
    folds = re.findall(r'<details class="admonition hide.*?</summary>', page, re.S)
    assert len(folds) >= 3
    for fold in folds:
        assert re.search(rf'collapsed admonition-title">Show ({"|".join(FOLDS)})<', fold)
        assert "aria-label" not in fold


def test_the_search_works_from_a_local_file(browser):
    page = browser.new_page()
    complaints = []
    page.on("console", lambda line: line.type == "error" and complaints.append(line.text))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    show(page, (SITE / "search.html").resolve().as_uri() + "?q=separation+rank")
    page.locator("#search-results", has_text="Search finished").wait_for()
    assert "glossary.html#term-sep" in page.locator("ul.search li a").first.get_attribute("href")
    assert complaints == []
    page.close()
