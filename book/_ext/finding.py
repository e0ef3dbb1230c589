"""How a page is found: its description for search engines."""

import re
from html import escape, unescape

from docutils import nodes

LETTERS = "beta β, tau τ, delta δ, kappa κ, sigma σ, epsilon ε"
RELATIONS = "ge ≥, le ≤, pm ±, times ×, langle ⟨, rangle ⟩, sqrt √, top ᵀ"
SIGNS = dict(re.findall(r"(\w+) (\S)", f"{LETTERS}, {RELATIONS}"))
FRACTION = re.compile(r"\\t?frac(?:(\d)(\d)|\{(.*?)\}(?=\{))")
COMMAND = re.compile(r"\\(?:mathcal|mathbf|mathrm|mathbb|[(),;!|]|([a-z]+))|[{}]")
LONGEST = 300  # characters; search engines show no more


def spoken(formula):
    """A formula in a line without markup: x_1 ≥ 1/3."""
    divided = FRACTION.sub(
        lambda part: "/".join(filter(None, part.groups("")[:2])) or f"{part[3]}/", formula
    )
    return COMMAND.sub(lambda command: SIGNS.get(command[1], command[1] or ""), divided)


def plain(node):
    """The words of a paragraph; terms are HTML already, formulas and all."""
    said = (
        re.sub(r"<[^>]*>", "", text.astext()) if isinstance(text.parent, nodes.raw) else text
        for text in node.findall(nodes.Text)
    )
    return " ".join(spoken(unescape("".join(said))).split())


def describe(app, pagename, templatename, context, doctree):
    """The first sentences of a page, as many as fit."""
    if doctree is None:
        return
    paragraphs = map(plain, doctree.findall(nodes.paragraph))
    text = next((one for one in paragraphs if len(one) > 40), context["title"])
    if len(text) > LONGEST:
        text = re.match(rf".{{40,{LONGEST - 1}}}[.?!](?= )|.{{{LONGEST}}}", text)[0]
    context["metatags"] += f'<meta name="description" content="{escape(text)}"/>'


def setup(app):
    app.connect("html-page-context", describe)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
