"""The pages that look at all statements at once: the table, the findings, and a chapter's figure
elsewhere.
"""

from collections import Counter
from html import escape
from itertools import groupby
from pathlib import Path

import yaml
from companion import Generated, ledger, staged
from docutils import nodes
from docutils.parsers.rst import directives
from made import linked
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective, SphinxRole

from pipeline.readme import INK

logger = logging.getLogger(__name__)

KINDS = {
    "proof": "proof",
    "certified": "certified number",
    "exact": "exact result",
    "numeric": "numeric result",
    "monte-carlo": "Monte Carlo estimate",
}


def counted(number, noun):
    return f"{number} {noun}" + "s" * (number != 1)


def cells(env, chapter):
    """The cells of a chapter as it was executed; the page is made again when they change."""
    env.note_dependency(f"{chapter}.ipynb")
    return staged(env, f"{chapter}.ipynb")["cells"]


def parts(env):
    """The captions of the book's parts, by chapter, read once a build."""
    if not hasattr(env, "companion_parts"):
        toc = yaml.safe_load(Path(env.srcdir, "_toc.yml").read_text(encoding="utf-8"))
        listed = [
            (one["file"], part.get("caption", ""))
            for part in toc.get("parts", [toc])
            for one in part["chapters"]
        ]
        env.companion_parts = dict(listed)
    return env.companion_parts


def filters(env, claim):
    """What a claim can be chosen by: the name of a choice, and its values."""
    yield "document", [claim["document"]]
    yield "part", [parts(env)[claim["notebook"][:-6]]]
    yield "provenance", [claim["provenance"]]
    yield "verdict", [claim["verdict"]]
    yield "scope", [claim["scope"]["is"]]
    yield "evidence", sorted({item["kind"] for item in claim["evidence"]})


class VerdictTable(Generated):
    """{verdict-table}: a row for each claim under that of its chapter, with what it can be chosen
    by in its classes, and the choices.
    """

    def run(self):
        children, options = super().run(), {}
        table = next(node for child in children for node in child.findall(nodes.table))
        table["classes"].append("verdicts")
        for row, (_, claim) in zip(next(table.findall(nodes.tbody)), self.rows()):
            if claim is None:
                row["classes"].append("chapter")
                row[0]["morecols"] = len(row) - 1
                del row[1:]
                continue
            for name, values in filters(self.env, claim):
                options.setdefault(name, {}).update(
                    (nodes.make_id(f"{name} {value}"), value) for value in values
                )
                row["classes"] += [nodes.make_id(f"{name} {value}") for value in values]
        return [nodes.raw("", form(options), format="html"), *children]

    def rows(self):
        """For each row its chapter, and a claim where it is not the chapter's own."""
        claims = ledger(self.env).values()
        for notebook, group in groupby(claims, key=lambda claim: claim["notebook"]):
            yield from ((notebook[:-6], claim) for claim in (None, *group))

    def text(self):
        head = "| Statement | Verdict | Provenance | Evidence | Finding |\n|---|---|---|---|---|\n"
        return head + "\n".join(
            written(claim) if claim else f"| {{doc}}`/{chapter}` |"
            for chapter, claim in self.rows()
        )


def written(claim):
    key, kinds = claim["id"], dict.fromkeys(item["kind"] for item in claim["evidence"])
    return (
        f"| {{prf:ref}}`{key}` | {{verdict}}`{key}` {{scope}}`{key}` | {{provenance}}`{key}` | "
        f"{', '.join(kinds)} | {claim['finding']} |"
    )


def form(options):
    """The choices above the table; overview.js shows them, as without it they choose nothing."""
    selects = "".join(
        f'<label>{name.capitalize()} <select><option value="">all</option>'
        + "".join(
            f'<option value="{key}">{escape(said(name, value))}</option>'
            for key, value in values.items()
        )
        + "</select></label>"
        for name, values in options.items()
    )
    words = '<label>Words <input type="search"></label><output></output>'
    return f'<form class="choices" hidden>{selects}{words}</form>'


def said(name, value):
    """A choice in words; the parts of the book have their names already."""
    return value if name == "part" else value.replace("-", " ")


class TallyRole(SphinxRole):
    """{tally}`paper`: how many statements of a document there are, and their verdicts."""

    def run(self):
        verdicts = Counter(
            claim["verdict"]
            for claim in ledger(self.env).values()
            if claim["document"] == self.text
        )
        if not verdicts:
            logger.warning(
                "no statement of the document %r in the ledger",
                self.text,
                location=self.get_location(),
            )
        found = [f"{number} {words(name, number)}" for name, number in verdicts.most_common()]
        return [
            nodes.Text(
                f"{counted(sum(verdicts.values()), 'statement')}, of which "
                f"{' and '.join([', '.join(found[:-1]), found[-1]])}"
            )
        ], []


def words(verdict, number):
    """A verdict as a verb that agrees with the number: 1 holds, 2 hold; 1 is answered, 2 are
    answered.
    """
    if verdict == "answered":
        return "are answered" if number > 1 else "is answered"
    verb, *rest = verdict.split("-")
    return " ".join([verb.removesuffix("s") if number > 1 else verb, *rest])


class Finding(Generated):
    """{finding} id: what is said, a blank line, and what follows; the rest is the ledger's."""

    required_arguments = 1
    has_content = True

    def text(self):
        key = self.arguments[0]
        before, _, follows = "\n".join(self.content).partition("\n\n")
        claim = ledger(self.env)[key]
        kinds = Counter(item["kind"] for item in claim["evidence"])
        found = ", ".join(counted(kinds[kind], noun) for kind, noun in KINDS.items() if kinds[kind])
        badges = " ".join(f"{{{kind}}}`{key}`" for kind in ("provenance", "verdict", "scope"))
        rejected = counted(len(claim["controls"]), "wrong version")
        rows = {
            "Said": before,
            "Verdict": f"{{prf:ref}}`{key}` {badges} {claim['finding']}",
            "Evidence": f"{found}; {rejected} rejected. {claim['scope']['says']}",
            "Consequence": follows,
        }
        return "\n".join(f"{name}\n: {text}\n" for name, text in rows.items())

    def run(self):
        (rows,) = super().run()
        rows["classes"].append("finding")
        return [rows]


class Picture(SphinxDirective):
    """{picture} notebooks/exact_window > cell: the figure that a cell of a chapter drew."""

    required_arguments = 1
    final_argument_whitespace = True

    def run(self):
        self.env.note_reread()  # the chapter may draw another one
        chapter, _, key = (part.strip() for part in self.arguments[0].partition(">"))
        drawn = [
            output["data"]["text/html"]
            for cell in cells(self.env, chapter)
            if cell["id"] == key
            for output in cell["outputs"]
        ]
        if len(drawn) != 1:
            raise self.error(f"{chapter}.ipynb has no cell {key!r} with one figure")
        figure = linked("".join(drawn[0]), f"../{chapter}.html#cell-{key}")
        return [nodes.raw("", f'<div class="glance">{figure}</div>', format="html")]


class Measured(SphinxDirective):
    """{measured} cost.svg: a picture that `make bench` drew, with :alt: for those who do not see it
    and its caption.
    """

    required_arguments = 1
    option_spec = {"alt": directives.unchanged_required}
    has_content = True

    def run(self):
        file = Path(self.env.srcdir, "book/_static", self.arguments[0])
        self.env.note_dependency(str(file))
        svg = file.read_text(encoding="utf-8").replace(INK, "")  # here the page has a text colour
        named = svg.replace(
            "<svg ", f'<svg role="img" aria-label="{escape(self.options["alt"])}" ', 1
        )
        caption = f"<figcaption>{escape(' '.join(self.content))}</figcaption>"
        return [nodes.raw("", f"<figure class='picture'>{named}{caption}</figure>", format="html")]


def setup(app):
    app.add_js_file("overview.js", loading_method="defer")
    app.add_directive("verdict-table", VerdictTable)
    app.add_directive("finding", Finding)
    app.add_directive("picture", Picture)
    app.add_directive("measured", Measured)
    app.add_role("tally", TallyRole())
    return {"parallel_read_safe": True, "parallel_write_safe": True}
