"""How a page is found: its description for search engines, and a list of pages whose parts fold."""

import re
from html import escape, unescape

from docutils import nodes

LETTERS = "beta β, tau τ, delta δ, kappa κ, sigma σ, epsilon ε"
RELATIONS = "ge ≥, le ≤, pm ±, times ×, langle ⟨, rangle ⟩, sqrt √, top ᵀ"
SIGNS = dict(re.findall(r"(\w+) (\S)", f"{LETTERS}, {RELATIONS}"))
FRACTION = re.compile(r"\\t?frac(?:(\d)(\d)|\{(.*?)\}(?=\{))")
COMMAND = re.compile(r"\\(?:mathcal|mathbf|mathrm|mathbb|[(),;!|]|([a-z]+))|[{}]")
PART = re.compile(r'<p [^>]*class="caption"[^>]*>(.*?)</p>\s*(<ul.*?</ul>)', re.S)
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


def folded(listed):
    """The pages under the names of their parts: open are the first part and that of this page."""
    place = iter(range(listed.count("<ul")))
    return PART.sub(
        lambda part: (
            f'<details class="part"{" open" * (next(place) == 0 or "current" in part[2])}>'
            f"<summary>{part[1]}</summary>{part[2]}</details>"
        ),
        listed,
    )


def fold_parts(app, pagename, templatename, context, doctree):
    made = context["generate_toctree_html"]
    context["generate_toctree_html"] = lambda *given, **named: folded(str(made(*given, **named)))


def setup(app):
    app.connect("html-page-context", describe)
    app.connect("html-page-context", fold_parts, priority=999)  # after the theme's own
    return {"parallel_read_safe": True, "parallel_write_safe": True}
