"""The pages about all statements: the table and its choices, the findings, the graph, the glossary,
and what made a chapter.
"""

import json
import re
import tomllib
from html import unescape
from pathlib import Path

import pytest
import yaml

pytestmark = pytest.mark.site

ROOT = Path(__file__).parents[1]
SITE = ROOT / "_build/html"
LEDGER = json.loads((ROOT / "book/results.json").read_text(encoding="utf-8"))
CHAPTERS = sorted(path.name for path in (SITE / "notebooks").glob("*.html"))


def html(name):
    return (SITE / name).read_text(encoding="utf-8")


def shown(page):
    return page.locator("table.verdicts tbody tr:not(.chapter):visible").count()


@pytest.mark.parametrize("name", ["document", "provenance", "verdict"])
def test_choosing_a_value_leaves_its_statements(visit, name):
    page = visit("book/verdicts.html")
    select = page.locator("form.choices label", has_text=name.capitalize()).locator("select")
    for value in {claim[name] for claim in LEDGER}:
        select.select_option(label=value.replace("-", " "))
        expected = sum(claim[name] == value for claim in LEDGER)
        assert shown(page) == expected > 0
        assert (
            page.locator("form.choices output").text_content()
            == f"{expected} of {len(LEDGER)} statements"
        )
    select.select_option(label="all")
    assert shown(page) == len(LEDGER)


def test_choices_and_words_work_together(visit):
    page = visit("book/verdicts.html")
    page.locator("form.choices label", has_text="Evidence").locator("select").select_option(
        label="monte carlo"
    )
    page.locator("form.choices input").fill("LEMMA 6.12")
    drawn = [
        item["label"]
        for item in LEDGER
        if any(one["kind"] == "monte-carlo" for one in item["evidence"])
    ]
    assert 0 < shown(page) == sum("Lemma 6.12" in label for label in drawn)
    page.locator("form.choices label", has_text="Part").first.locator("select").select_option(
        label="Part IV. The note"
    )
    assert shown(page) == 0


@pytest.mark.parametrize("words", ["", "attention mechanisms", "no statement has these words"])
def test_each_statement_stands_under_its_chapter(visit, words):
    page = visit("book/verdicts.html")
    page.locator("form.choices input").fill(words)
    chapters = []  # (what its row leads to, where the links of the rows under it lead)
    for kind, link in page.locator("table.verdicts tbody tr:visible").evaluate_all(
        "rows => rows.map(row => [row.className, row.querySelector('a').getAttribute('href')])"
    ):
        page_of = link.partition("#")[0]
        if "chapter" in kind:
            chapters.append((page_of, set()))
        else:
            chapters[-1][1].add(page_of)
    assert all(under == {chapter} for chapter, under in chapters)
    all_of_them = {f"../{claim['notebook'][:-6]}.html" for claim in LEDGER}
    assert {chapter for chapter, _ in chapters} == {
        "": all_of_them,
        "attention mechanisms": {"../notebooks/mechanisms.html"},
    }.get(words, set())


def unreported(text):
    """Claims that are new, or do not hold as stated, and that a page of findings leaves out."""
    reported = re.findall(r"^```\{finding\} (\S+)$", text, re.M)
    return {
        claim["id"]
        for claim in LEDGER
        if claim["verdict"] != "holds" or claim["provenance"] == "new"
    } - set(reported)


def test_every_defect_and_every_new_result_is_a_finding():
    text = (ROOT / "book/findings.md").read_text(encoding="utf-8")
    assert unreported(text) == set()
    assert unreported(text.replace("{finding} task-2", "{note}")) == {"task-2"}


def test_findings_have_statement_verdict_evidence_and_consequence():
    blocks = re.findall(r'<dl class="[^"]*finding[^"]*">.*?</dl>', html("book/findings.html"), re.S)
    assert len(blocks) > 20
    for block in blocks:
        assert re.findall(r"<dt>(\w+)", block) == ["Said", "Verdict", "Evidence", "Consequence"]
        assert all(
            re.sub(r"<[^>]*>", "", part).strip()
            for part in re.findall(r"<dd>(.*?)</dd>", block, re.S)
        )


HOME = {claim["id"]: claim["notebook"].removesuffix(".ipynb") for claim in LEDGER}
BELOW = {
    (HOME[claim["id"]], HOME[other]) for claim in LEDGER for other in claim["depends"]
}  # chapters, and those that they rest on


def way_to(chapter):
    """All chapters that one rests on, directly or through others."""
    todo, found = [chapter], set()
    while todo:
        one = todo.pop()
        more = {lower for upper, lower in BELOW if upper == one} - found - {chapter}
        found |= more
        todo += more
    return found


def test_graph_has_every_chapter_with_its_worst_verdict_and_every_dependency():
    page = html("book/graph.html")
    rows = re.findall(r'<li class="([\w-]+)" data-id="([\w/-]+)">', page)
    assert [name for _, name in rows] == list(dict.fromkeys(HOME.values()))
    for verdict, name in rows:
        found = {claim["verdict"] for claim in LEDGER if HOME[claim["id"]] == name}
        assert verdict in found and (verdict == "holds") == (found == {"holds"})
    arcs = set(re.findall(r'data-from="([\w/-]+)" data-to="([\w/-]+)"', page))
    assert arcs == {(upper, lower) for upper, lower in BELOW if upper != lower}


def test_focus_in_the_graph_lights_up_the_relations(visit):
    page, chapter = visit("book/graph.html"), "notebooks/exact_window"

    def lit(kind):
        return set(
            page.locator(f"li.{kind}").evaluate_all("rows => rows.map(row => row.dataset.id)")
        )

    assert not lit("rests-on") and not lit("used-by")
    page.locator(f'li[data-id="{chapter}"] a').focus()
    assert lit("rests-on") == way_to(chapter)
    assert lit("used-by") == {upper for upper, lower in BELOW if lower == chapter} - {chapter}
    page.get_by_role("button", name="How do we get to Theorem 6.5?").click()
    assert lit("rests-on") == way_to("notebooks/theorem_6_5")
    assert f"By the {len(way_to('notebooks/theorem_6_5'))} chapters" in page.content()
    page.locator(f'li[data-id="{chapter}"] a').focus()
    page.keyboard.press("Enter")
    page.wait_for_url("**/notebooks/exact_window.html")


def test_rows_and_arcs_of_the_graph_meet(visit):
    page = visit("book/graph.html")
    name = min(upper for upper, lower in BELOW if upper != lower)
    row = page.locator(f'li[data-id="{name}"]').bounding_box()
    start = page.locator(f'path[data-from="{name}"]').first.evaluate(
        "path => { const p = path.getPointAtLength(0).matrixTransform(path.getScreenCTM()); "
        "return p.y }"
    )
    assert abs(start - (row["y"] + row["height"] / 2)) < 2


@pytest.mark.parametrize("name", CHAPTERS)
def test_chapter_says_what_made_it(name):
    page = html(f"notebooks/{name}")
    (made,) = re.findall(r'<p class="made">(.*?)</p>', page)
    build = json.loads((ROOT / "_build/book/book/build.json").read_text(encoding="utf-8"))
    assert re.fullmatch(
        r"Executed in \d+ s, with .+ = .+\. Source: commit (?:[0-9a-f]{7,}(?:-dirty)?|unknown), "
        rf"packages {build['lock']}\.",
        made,
    )


@pytest.mark.parametrize("name", CHAPTERS)
def test_launch_buttons_open_the_chapter_at_the_tag_of_this_version(name):
    repository = yaml.safe_load((ROOT / "_config.yml").read_text(encoding="utf-8"))["repository"][
        "url"
    ].removeprefix("https://github.com/")
    tag = (
        "v"
        + tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]
    )
    notebook = f"notebooks/{Path(name).stem}.ipynb"
    assert set(
        re.findall(r'href="(https://(?:mybinder|colab)[^"]*)"', html(f"notebooks/{name}"))
    ) == {
        f"https://mybinder.org/v2/gh/{repository}/{tag}?urlpath=lab/tree/{notebook}",
        f"https://colab.research.google.com/github/{repository}/blob/{tag}/{notebook}",
    }


def test_each_figure_leads_to_its_cell():
    for name in CHAPTERS:
        page = html(f"notebooks/{name}")
        links = re.findall(r'<a class="cell-link" href="#([^"]*)"', page)
        assert len(links) == page.count("<figure class='picture'>")
        for target in links:
            before = page[: page.index(f'href="#{target}"')]
            assert f'id="{target}"' in before and "picture(" in re.sub(
                r"<[^>]*>", "", before[before.rindex(f'id="{target}"') :]
            )


# A letter that is given a meaning where it stands: it is not the glossary's. A dotted one is
# between ⟦ and ⟧ here.
LETTER = r"⟦\\\([nmdpBL]\\\)⟧"
BEFORE = r"[Ll]et|writes|now|here|(?:the|s) integer|metric|[Tt]here are|Doubled|those of"
BEFORE = rf"(?:\b(?:{BEFORE})\s|\()"
NAMED_HERE = re.compile(
    rf"{BEFORE}{LETTER}|{LETTER}\s(?:stands? for|counts|is the|others?\b|such\b|events\b)"
)


def redefined(page):
    """The letters that are dotted where the chapter gives them a meaning of its own, each with its
    words.
    """
    page = re.sub(r'<a class="explained"[^>]*>(.*?)</a>', r"⟦\1⟧", page, flags=re.S)
    text = unescape(re.sub(r"<[^>]+>", "", page)).replace("\n", " ")
    return [
        text[max(0, found.start() - 30) : found.end() + 30] for found in NAMED_HERE.finditer(text)
    ]


@pytest.mark.parametrize("name", CHAPTERS)
def test_a_letter_is_not_explained_where_it_means_something_else(name):
    assert redefined(html(f"notebooks/{name}")) == []


def test_a_letter_given_another_meaning_is_noticed():
    n = '<span class="math">\\(n\\)</span>'
    dotted = f'<a class="explained" href="x" data-means="the length">{n}</a>'
    assert redefined(f"<p>the kernel writes {dotted} for d - 3</p>") and redefined(
        f"<p>a sum of {dotted} such products</p>"
    )
    assert not redefined(f"<p>for sufficiently large {dotted} it is so</p>")


def test_each_term_of_the_glossary_is_explained_somewhere():
    terms = set(re.findall(r'<dt id="(term-[^"]*)"', html("book/glossary.html")))
    used = {
        target
        for name in CHAPTERS
        for target in re.findall(r'glossary\.html#(term-[^"]*)"', html(f"notebooks/{name}"))
    }
    assert terms == used


@pytest.mark.parametrize("width", [1280, 390])
def test_a_term_shows_its_meaning_on_focus(visit, width):
    page = visit("notebooks/lemma_4_1.html", width)
    term = page.locator("a.explained").first
    box = """node => {
        const style = getComputedStyle(node, '::after');
        return [style.content, style.display];
    }"""
    assert term.evaluate(box)[0] == "none"
    term.focus()
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("Tab")  # the ring, and the meaning, are for who uses the keyboard
    assert term.get_attribute("data-means") in term.evaluate(box)[0]
    assert page.evaluate("document.documentElement.scrollWidth") <= width


@pytest.mark.parametrize(
    ("words", "found"),
    [
        ("Lemma 6.15", "notebooks/lemma_6_15.html"),
        ("separation rank", "book/glossary.html#term-sep"),
    ],
)
def test_search_finds_first(visit, words, found):
    page = visit(f"search.html?q={words.replace(' ', '+')}")
    page.locator("#search-results", has_text="Search finished").wait_for()
    assert found in page.locator("ul.search li a").first.get_attribute("href")


def test_every_verdict_has_a_mark_in_the_graph():
    text = (ROOT / "book/graph.md").read_text(encoding="utf-8")
    schema = json.loads((ROOT / "book/results.schema.json").read_text(encoding="utf-8"))
    assert (
        re.findall(r'class="verdict-mark ([\w-]+)"', text)
        == schema["items"]["properties"]["verdict"]["enum"]
    )


def test_citations_have_a_doi_where_there_is_one():
    text = (ROOT / "book/references.bib").read_text(encoding="utf-8")
    entries = dict(re.findall(r"^@\w+\{(\w+),(.*?)^\}", text, re.M | re.S))
    # a manuscript, a Russian journal of 1948, a program and a web site
    assert {key for key, body in entries.items() if "doi" not in body} == {
        "navon2021",
        "kantorovich1948",
        "knuckledragger",
        "dlmf",
    }
