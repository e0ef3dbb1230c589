"""Hover texts: the first use of each term and symbol in a chapter is a link to the glossary that
shows its meaning.
"""

import re
from html import escape
from pathlib import Path

from companion import index
from docutils import nodes
from overview import parts
from sphinx.addnodes import pending_xref

GLOSSARY = "book/glossary"
ENTRY = re.compile(r"^(?!#)(\S.*)\n: (.*)(?:\n: (.*))?$", re.M)


def glossary(app):
    """{where: [(term, meaning, other meanings)]} by the headings of the page; nothing for a book
    without it.
    """
    path = Path(app.srcdir, f"{GLOSSARY}.md")
    page = path.read_text(encoding="utf-8") if path.exists() else ""
    sections = re.split(r"^## (.*)$", page, flags=re.M)[1:]
    return {where: ENTRY.findall(body) for where, body in zip(sections[::2], sections[1::2])}


def explain(app, doctree):
    """Mark the first use of each term in a chapter, unless the glossary links the chapter for
    another meaning.
    """
    docname = app.env.docname
    if docname not in parts(app.env) or not docname.startswith("notebooks/"):
        return
    note = "Part IV" in parts(app.env)[docname]
    for heading, terms in glossary(app).items():
        if heading == "Words" or note == ("Part IV" in heading):
            for term, meaning, others in terms:
                if f"(../{docname}.ipynb)" not in others:
                    mark(doctree, term, meaning, app.builder.get_relative_uri(docname, GLOSSARY))


def mark(doctree, term, meaning, page):
    for node in doctree.findall(nodes.math if term.startswith("$") else nodes.Text):
        if prose(node) and (found := cut(node, term)):
            before, word, after = found
            target = f"{page}#{nodes.make_id(f'term-{term}')}"
            named = f' aria-label="{escape(meaning)}"' * term.startswith(
                "$"
            )  # a typeset symbol has no text of its own
            link = nodes.raw(
                "",
                f'<a class="explained" href="{target}" data-means="{escape(meaning)}"{named}>',
                format="html",
            )
            node.parent.replace(
                node, [*before, link, *word, nodes.raw("", "</a>", format="html"), *after]
            )
            return


def cut(node, term):
    """The node as three lists of nodes, before the term, the term and after it; None where it is
    not there.
    """
    if isinstance(node, nodes.math):
        return ([], [node.deepcopy()], []) if f"${node.astext()}$" == term else None
    found = re.fullmatch(rf"(.*?\b)({re.escape(term)}s?)(\b.*)", node.astext(), re.I | re.S)
    return found and [[nodes.Text(part)] for part in found.groups()]


def prose(node):
    """Whether a node stands in a paragraph, not in a link, in code, in a title or in a table."""
    above = []
    while node.parent is not None:
        node = node.parent
        above.append(node)
    inside = lambda *kinds: any(isinstance(one, kinds) for one in above)
    return inside(nodes.paragraph) and not inside(
        nodes.reference, pending_xref, nodes.literal, nodes.title, nodes.table
    )


def anchor(app, doctree):
    """Give each entry of the glossary the id that its links use, and a place in the index, which
    the search asks first.
    """
    if app.env.docname == GLOSSARY:
        for term in list(doctree.findall(nodes.term)):
            key = nodes.make_id(f"term-{term.astext()}")
            term["ids"].append(key)
            index(app, doctree, term.parent.parent, term.astext(), key)


def setup(app):
    app.connect("doctree-read", anchor)
    app.connect("doctree-read", explain, priority=400)  # before other lines are added to a chapter
    return {"parallel_read_safe": True, "parallel_write_safe": True}
