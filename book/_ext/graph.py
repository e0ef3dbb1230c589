"""The graph of all statements, as a list in the book's order with an arc for each "rests on"."""

from html import escape
from itertools import groupby

from companion import ledger
from docutils import nodes
from overview import parts
from sphinx.util.docutils import SphinxDirective

WORDS = "An arc joins each statement to one that it rests on; the list below says it in words."
ROW = 24  # the height of a row; companion.css has the same


class StatementGraph(SphinxDirective):
    """{statement-graph}: each statement a link, coloured by its verdict; overview.js lights up what
    belongs to it.
    """

    def run(self):
        claims = ledger(self.env)
        groups = groupby(claims.values(), key=lambda claim: parts(self.env)[claim["notebook"][:-6]])
        listed, middle = [], {}
        for caption, group in groups:
            listed.append(f'<li class="part">{escape(caption)}</li>')
            for claim in group:
                middle[claim["id"]] = (len(listed) + 0.5) * ROW
                listed.append(entry(claim, claims))
        arcs = "".join(
            arc(claim["id"], other, middle)
            for claim in claims.values()
            for other in claim["depends"]
        )
        box = f'viewBox="0 0 100 {len(listed) * ROW}" preserveAspectRatio="none"'
        drawing = f'<svg {box} role="img" aria-label="{WORDS}">{arcs}</svg>'
        graph = f'<div class="graph"><ol>{"".join(listed)}</ol>{drawing}</div>'
        told = "".join(f"<li>{relations(claim, claims)}</li>" for claim in claims.values())
        return [
            nodes.raw(
                "",
                f"{graph}<details><summary>The same in words</summary><ul>{told}</ul></details>",
                format="html",
            )
        ]


def entry(claim, claims):
    """A row: a link to the statement."""
    address = f"../{claim['notebook'][:-6]}.html#{claim['id']}"
    name = escape(claim["label"])
    link = f'<a href="{address}" title="{relations(claim, claims)}">{name}</a>'
    return f'<li class="{claim["verdict"]}" data-id="{claim["id"]}">{link}</li>'


def relations(claim, claims):
    """The verdict and the arcs of a statement in words."""
    below = [claims[key]["label"] for key in claim["depends"]]
    above = [other["label"] for other in claims.values() if claim["id"] in other["depends"]]
    said = [
        f"{claim['label']} {claim['verdict'].replace('-', ' ')}, "
        f"{claim['scope']['is'].replace('-', ' ')}"
    ]
    said += [
        f"{words} {', '.join(labels)}"
        for words, labels in (("rests on", below), ("used by", above))
        if labels
    ]
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
