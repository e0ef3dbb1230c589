"""The map of the landing page: all verdicts, a tile for each statement."""

from collections import Counter
from html import escape
from itertools import groupby

from companion import ledger
from docutils import nodes
from graph import FIRST
from overview import parts, said
from sphinx.util.docutils import SphinxDirective


class VerdictMap(SphinxDirective):
    """{verdict-map}: a link for each statement, marked by its verdict, under the parts of the book;
    above them what the marks mean, and how many of each there are.
    """

    def run(self):
        claims = ledger(self.env).values()
        part = lambda claim: parts(self.env)[claim["notebook"][:-6]]
        numbers = Counter(claim["verdict"] for claim in claims)
        legend = "".join(
            f'<li class="verdict-mark {name}">{said("verdict", name)}: {numbers[name]}</li>'
            for name in FIRST
            if numbers[name]
        )
        groups = "".join(
            f"<li><span>{escape(caption)}</span><ol>{''.join(map(tile, group))}</ol></li>"
            for caption, group in groupby(claims, key=part)
        )
        drawn = f'<ul class="legend">{legend}</ul><ol class="tiles">{groups}</ol>'
        return [nodes.raw("", f'<div class="map">{drawn}</div>', format="html")]


def tile(claim):
    words = escape(f"{claim['label']}: {said('verdict', claim['verdict'])}")
    address = f"../{claim['notebook'][:-6]}.html#{claim['id']}"
    marked = f'class="verdict-mark {claim["verdict"]}" href="{address}"'
    return f'<li><a {marked} aria-label="{words}"></a></li>'


def setup(app):
    app.add_directive("verdict-map", VerdictMap)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
