"""The graph of all chapters, as a list in the book's order with an arc for each "rests on"."""

import re
from html import escape
from itertools import groupby

from companion import ledger
from docutils import nodes
from overview import cells, parts
from sphinx.util.docutils import SphinxDirective

WORDS = "An arc joins each chapter to one that it rests on; the list below says it in words."
ROW = 24  # the height of a row; companion.css has the same
# The mark of a chapter is that of the first of these that one of its statements has.
FIRST = ("fails-as-stated", "holds-with-changed-constants", "open", "answered", "holds")


class StatementGraph(SphinxDirective):
    """{statement-graph} theorem-6-5: each chapter a link, marked by its verdicts; overview.js
    lights up the way to the one that is pointed at and, on request, to the statement named.
    """

    required_arguments = 1

    def run(self):
        claims, chapters = ledger(self.env), gathered(self.env)
        wanted = claims[self.arguments[0]]
        listed, middle = [], {}
        for caption, group in groupby(chapters, key=parts(self.env).get):
            listed.append(f'<li class="part">{escape(caption)}</li>')
            for name in group:
                middle[name] = (len(listed) + 0.5) * ROW
                listed.append(entry(name, chapters))
        arcs = "".join(
            arc(name, other, middle) for name in chapters for other in below(name, chapters)
        )
        box = f'viewBox="0 0 100 {len(listed) * ROW}" preserveAspectRatio="none"'
        drawing = f'<svg {box} role="img" aria-label="{WORDS}">{arcs}</svg>'
        ask = (
            f'<p><button type="button" data-way="{wanted["notebook"][:-6]}" hidden>'
            f"How do we get to {escape(wanted['label'])}?</button> <output></output></p>"
        )
        graph = f'<div class="graph">{ask}<ol>{"".join(listed)}</ol>{drawing}</div>'
        told = "".join(f"<li>{relations(name, chapters)}</li>" for name in chapters)
        words = f"<details><summary>The same in words</summary><ul>{told}</ul></details>"
        return [nodes.raw("", graph + words, format="html")]


def gathered(env):
    """For each chapter, in the book's order, its title, its statements, and the chapters that these
    rest on.
    """
    claims, chapters = ledger(env), {}
    for claim in claims.values():
        own = claim["notebook"][:-6]
        one = chapters.setdefault(own, {"title": title(env, own), "claims": [], "below": set()})
        one["claims"].append(claim)
        one["below"] |= {claims[key]["notebook"][:-6] for key in claim["depends"]} - {own}
    return chapters


def title(env, chapter):
    """The heading of a chapter, without the signs of formulas."""
    words = [cell for cell in cells(env, chapter) if cell["cell_type"] == "markdown"]
    prose = "\n".join("".join(cell["source"]) for cell in words)
    return re.search(r"^# (.*)$", prose, re.M)[1].replace("$", "")


def below(name, chapters):
    """The chapters that one rests on, in the book's order."""
    return [other for other in chapters if other in chapters[name]["below"]]


def entry(name, chapters):
    """A row: a link to the chapter, with the mark of its verdicts."""
    one = chapters[name]
    found = {claim["verdict"] for claim in one["claims"]}
    verdict = next(verdict for verdict in FIRST if verdict in found)
    words = (
        f'<a href="../{name}.html" title="{relations(name, chapters)}">{escape(one["title"])}</a>'
    )
    return f'<li class="{verdict}" data-id="{name}">{words}</li>'


def relations(name, chapters):
    """The verdicts and the arcs of a chapter in words."""
    rests = [chapters[other]["title"] for other in below(name, chapters)]
    used = [one["title"] for one in chapters.values() if name in one["below"]]
    said = [
        f"{claim['label']} {claim['verdict'].replace('-', ' ')}, "
        f"{claim['scope']['is'].replace('-', ' ')}"
        for claim in chapters[name]["claims"]
    ]
    pairs = ("rests on", rests), ("used by", used)
    said += [f"{words} {', '.join(titles)}" for words, titles in pairs if titles]
    return escape("; ".join(said) + ".")


def arc(upper, lower, middle):
    """A curve between two rows, the wider the further apart they are."""
    start, end = middle[upper], middle[lower]
    reach = 130 * (abs(start - end) / max(middle.values())) ** 0.5
    curve = f"M0 {start:g}C{reach:.0f} {start:g} {reach:.0f} {end:g} 0 {end:g}"
    return f'<path data-from="{upper}" data-to="{lower}" d="{curve}"/>'


def setup(app):
    app.add_directive("statement-graph", StatementGraph)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
