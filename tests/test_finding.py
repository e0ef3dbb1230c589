"""How a page is found: descriptions, and the list of pages."""

import re
from collections import Counter
from html import unescape
from pathlib import Path

import pytest
from docutils import nodes
from finding import folded, plain, spoken

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
