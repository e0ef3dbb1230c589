"""What the book adds to Sphinx: badges, tables and numbers generated from the ledger, and math
without a network.
"""

import gc
import importlib.metadata
import inspect
import json
import re
import shutil
from pathlib import Path

from docutils import nodes
from sphinx import addnodes
from sphinx.addnodes import pending_xref
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective, SphinxRole
from sphinx.util.index_entries import split_index_msg
from sphinx_proof.directive import DEFAULT_REALTYP_TO_COUNTERTYP, ElementDirective

logger = logging.getLogger(__name__)

# These are copied after the pages are written: the first build knows no checksum of theirs.
COPIED_LATE = r"(_static/(?:mystnb\.\w+|proof)\.css)\?v=\w+"
MATHJAX = ("tex-chtml-full.js", "output/chtml/fonts")  # 1.8 MB of the wheel's 24


def staged(env, name):
    """A JSON file as the book has it: the ledger, the record of the build, a chapter as it was
    executed.
    """
    return json.loads(Path(env.srcdir, name).read_text(encoding="utf-8"))


def forget(app):
    """What was read once for a build is read again in the next, which may keep other pages."""
    for name in [name for name in vars(app.env) if name.startswith("companion_")]:
        delattr(app.env, name)


def ledger(env):
    """The claims by id, read once a build."""
    if not hasattr(env, "companion_ledger"):
        env.companion_ledger = {claim["id"]: claim for claim in staged(env, "book/results.json")}
    return env.companion_ledger


# Badges


def badge(docname, kind, value):
    """A word on a coloured ground, linked to the section that explains it."""
    link = pending_xref(
        "", refdomain="std", reftype="ref", reftarget=kind, refexplicit=True, refwarn=True
    )
    link["refdoc"] = docname
    link += nodes.Text(value.replace("-", " "))
    return nodes.inline("", "", link, classes=["badge-" + kind, value])


def word(claim, kind):
    return claim["scope"]["is"] if kind == "scope" else claim[kind]


class BadgeRole(SphinxRole):
    """{provenance}`lemma-4-1`, {verdict}`lemma-4-1`, {scope}`lemma-4-1`: the badge of a claim."""

    def run(self):
        claim = ledger(self.env).get(self.text)
        if claim:
            return [badge(self.env.docname, self.name, word(claim, self.name))], []
        logger.warning("no claim %r in the ledger", self.text, location=self.get_location())
        return [nodes.Text(self.text)], []


def mark_statements(app, doctree):
    """Put the badges under each statement and its number into the index, and call each by the
    document's own number.
    """
    claims = ledger(app.env)
    for node in list(doctree.findall(nodes.Element)):
        if "realtype" in node and node["label"] in claims:
            claim = claims[node["label"]]
            marks = [
                badge(app.env.docname, kind, word(claim, kind))
                for kind in ("provenance", "verdict", "scope")
            ]
            if claim["id"] in coq_record(app.env)["claims"]:
                marks.append(badge(app.env.docname, "coq", "checked-by-Coq"))
            node.parent.insert(
                node.parent.index(node) + 1, nodes.paragraph("", "", *marks, classes=["badges"])
            )
            index(app, doctree, node, claim["label"].split(", Part")[0], node["label"])
        if (
            isinstance(node, pending_xref)
            and node["reftarget"] in claims
            and not node["refexplicit"]
        ):
            node.children = [nodes.inline("", claims[node["reftarget"]]["label"])]


def index(app, doctree, node, words, key):
    """Put words into the index, once a page, leading to the id ``key``; ``node`` is near it. The
    search asks the index first.
    """
    known, docname = app.env.get_domain("index"), app.env.docname
    if all(entry[1] != words for entry in known.entries.get(docname, [])):
        node.parent.insert(
            node.parent.index(node), addnodes.index(entries=[("single", words, key, "main", None)])
        )
        known.process_doc(app.env, docname, doctree)


def keep_index(app, env):
    """Sphinx writes the environment before it knows what the search finds in the index, so that a
    page which is kept would have lost it.
    """
    found = env._search_index_index_entries
    for docname, entries in env.get_domain("index").entries.items():
        rows = (
            (part, key, main)
            for kind, words, key, main, _ in entries
            for part in split_index_msg(kind, words)
        )
        found.setdefault(docname, sorted(set(rows)))


def relate_chapters(app, doctree):
    """End each chapter with links: what its statements rest on, and what rests on them."""
    docname, claims = app.env.docname, ledger(app.env).values()
    here = [claim for claim in claims if claim["notebook"] == f"{docname}.ipynb"]
    ids = {claim["id"] for claim in here}
    below = [
        claim
        for claim in claims
        if claim["id"] in {key for one in here for key in one["depends"]} - ids
    ]
    above = [claim for claim in claims if ids & set(claim["depends"]) and claim not in here]
    for words, others in (("Rests on: ", below), ("Used by: ", above)):
        parts = {}  # one link for all parts of a statement that a chapter holds
        for claim in others:
            parts.setdefault((claim["notebook"], claim["label"].split(",")[0]), []).append(claim)
        if parts:
            line = nodes.paragraph("", words, classes=["relations"])
            for (_, name), group in parts.items():
                line += [
                    prf_link(docname, group[0]["id"], name if group[1:] else group[0]["label"]),
                    nodes.Text(", "),
                ]
            line[-1] = nodes.Text(".")
            doctree[-1].append(line)


def prf_link(docname, label, text):
    """A link to a {prf:…} block under a name of our own."""
    link = pending_xref(
        "", refdomain="prf", reftype="ref", reftarget=label, refexplicit=True, refwarn=True
    )
    link["refdoc"] = docname
    link += nodes.inline("", text)
    return link


def check_statements(app, env):
    """Every labelled statement is in the ledger, and every claim has its statement."""
    stated = {
        label: entry["docname"]
        for label, entry in getattr(env, "proof_list", {}).items()
        # sphinx-proof gives a block without a label a running number
        if label in ledger(env) or not re.fullmatch(rf"{entry['realtype']}-\d+", label)
    }
    for label in stated.keys() - ledger(env).keys():
        logger.warning(
            "the statement %r is not in the ledger: no notebook claims it",
            label,
            location=stated[label],
        )
    for label in ledger(env).keys() - stated.keys():
        logger.warning("the ledger's claim %r has no {prf:…} block", label)


# What is generated from the ledger


class Generated(SphinxDirective):
    """A directive whose content is MyST that ``text`` writes, from other pages too: a build that
    keeps what did not change makes this page all the same.
    """

    def run(self):
        self.env.note_reread()
        return self.parse_text_to_nodes(self.text())


class Trust(Generated):
    """{trust}: the axioms, the rules and the programs, as the kernel has them."""

    def text(self):
        from polycore.proof import AXIOMS, PROGRAMS, RULES, SOURCES

        # Lists, not tables: the bars of an absolute value would end a cell.
        axioms = [
            f"- **{name}**: {judged(axiom)} ({SOURCES[name]})" for name, axiom in AXIOMS.items()
        ]
        rules = [f"- `{rule.__name__}`. {summary(rule)}" for rule in RULES]
        programs = [
            f"- **{name}** {importlib.metadata.version(name)}: {duty}"
            for name, duty in PROGRAMS.items()
        ]
        return "\n".join(["## Axioms", *axioms, "## Rules", *rules, "## Programs", *programs])


def coq_record(env):
    """What Coq accepted, from `make certify`."""
    file = Path(env.srcdir, "book/coq.json")
    env.note_dependency(str(file))
    return json.loads(file.read_text(encoding="utf-8"))


class CoqRole(SphinxRole):
    """{coq}`lemmas`, {coq}`theorems`, {coq}`claims`: how many Coq accepts; {coq}`open`: how many
    lemmas it does not.
    """

    def run(self):
        record = coq_record(self.env)
        lemmas = f"{record['lemmas'] - len(record['open']):,} of {record['lemmas']:,}"
        theorems = f"{len(record['theorems'])} of {record['core']}"
        claims = f"{len(record['claims'])} of {record['proved']}"
        left = f"{len(record['open']) or 'none'}"
        counts = {"lemmas": lemmas, "theorems": theorems, "claims": claims, "open": left}
        return [nodes.Text(counts[self.text])], []


def summary(function):
    """The first sentence of a docstring, in one line."""
    return inspect.getdoc(function).split("\n\n")[0].replace("\n", " ")


def judged(axiom):
    """An axiom as a formula: its conclusion, and its hypotheses after it."""
    from sympy import latex  # a third of a second: one page needs it, each build would wait

    given = r",\ ".join(map(latex, axiom.hypotheses))
    return f"${latex(axiom.conclusion)}$" + (f" where ${given}$" if given else "")


def scientific(value):
    """Four digits of a number, and its power of ten after an "e" where it is far from 1; integers
    may exceed every float.
    """
    if isinstance(value, float):
        return f"{value:.4g}"
    exponent = len(str(abs(value))) - 1
    return f"{value / 10**exponent:.4g}e{exponent}"


def formatted(value):
    """A number of the ledger as prose shows it: four digits, powers of ten as powers of ten."""
    if isinstance(value, list):
        return [part for item in value for part in (*formatted(item), nodes.Text(", "))][:-1]
    if isinstance(value, int) and abs(value) < 10**12:
        return [nodes.Text(f"{value:,}")]
    if isinstance(value, str) and value.startswith("$"):
        return [nodes.math(value[1:-1], value[1:-1])]
    if not isinstance(value, (int, float)):
        return [nodes.Text(str(value))]
    mantissa, _, exponent = scientific(value).partition("e")
    if not exponent:
        return [nodes.Text(mantissa)]
    latex = rf"{mantissa} \times 10^{{{int(exponent)}}}"
    return [nodes.math(latex, latex)]


class ValueRole(SphinxRole):
    """{value}`lemma-4-1 > what`: the value of the evidence of that name."""

    def run(self):
        key, _, what = (part.strip() for part in self.text.partition(">"))
        evidence = ledger(self.env).get(key, {}).get("evidence", [])
        values = [item["value"] for item in evidence if item["what"] == what]
        if values:
            return formatted(values[0]), []
        known = ", ".join(repr(item["what"]) for item in evidence) or "none: no such claim"
        logger.warning(
            "no evidence %r of %r; there is %s", what, key, known, location=self.get_location()
        )
        return [nodes.Text(self.text)], []


# A site without network, console errors or surprises


def local_mathjax(app):
    """Before any page is written, so that each names the script with its checksum."""
    if app.builder.format == "html":
        wheel = importlib.metadata.distribution("sphinx-mathjax-offline")
        for part in MATHJAX:
            source = Path(wheel.locate_file("sphinx-mathjax-offline/static/mathjax")) / part
            target = Path(app.outdir, "_static/mathjax", part)
            target.parent.mkdir(parents=True, exist_ok=True)
            if not target.exists():
                (shutil.copytree if source.is_dir() else shutil.copy)(source, target)


def tidy_page(app, pagename, templatename, context, doctree):
    """sphinx-thebe adds its script twice, and the second throws; the theme wants a mode named; a
    page is the same bytes whether it was built from nothing or again.
    """
    css_tag = context["css_tag"]
    context["css_tag"] = lambda css: re.sub(COPIED_LATE, r"\1", css_tag(css))
    scripts = {
        (script.filename or "", *sorted(script.attributes.items())): script
        for script in context["script_files"]
    }
    context["script_files"] = list(scripts.values())
    context["default_mode"] = "auto"
    # docutils gives the items of its list of citations another role than that of an item
    context["body"] = context.get("body", "").replace('role="doc-biblioentry"', 'role="listitem"')


# The pages that compute in the browser, each with its scripts and its style.
CURVES = "closed_forms.js", "shared.js", "curves.js", "curves.css"
LIVE = {
    "book/index": (*CURVES, "window.js", "landing.css"),
    "book/play": (*CURVES, "sentence.js", "controls.js", "answers.js", "play.js", "play.css"),
}


def live_page(app, pagename, templatename, context, doctree):
    """No other page asks for these files."""
    for name in LIVE.get(pagename, ()):
        (app.add_css_file if name.endswith(".css") else app.add_js_file)(name)


# The theme's icons again, as drawings: 1.5 MB before a page is shown, and a seventh of the work of
# opening it. The theme's style has them as a font.
DRAWINGS = re.compile(r'<script src="[^"]*/fontawesome\.js[^"]*"></script>')


def written(app, exception):
    """The theme's link to the notebook opens it as text; the attribute makes it a download. No page
    waits for icons that it has already.
    """
    if exception is None and app.builder.format == "html":
        for path in Path(app.outdir).rglob("*.html"):
            page = path.read_text(encoding="utf-8")
            linked = re.sub(r'<a (href="[^"]*_sources/[^"]*")', r"<a download \1", page)
            light = DRAWINGS.sub("", linked)
            if light != page:  # a page that was kept is light already
                path.write_text(light, encoding="utf-8")


# What the two documents number and sphinx-proof does not know, as it stands in a heading.
NUMBERED = {
    name: name for name in ("fact", "claim", "equation", "conclusion", "task", "comment", "section")
} | {"bound": "lower bound"}


class NumberedDirective(ElementDirective):
    """{prf:fact}, {prf:bound} and the others of NUMBERED."""

    def run(self):
        (node,) = super().run()
        node["realtype"] = NUMBERED[node["realtype"]]
        return [node]


def setup(app):
    # Trees of pages live until the build ends: to look through them again and again was a third
    # of its time. What is never collected is a gigabyte in the longest build.
    gc.disable()
    app.setup_extension("sphinx_proof")
    for name in NUMBERED:
        DEFAULT_REALTYP_TO_COUNTERTYP[name] = "property"
        app.add_directive_to_domain("prf", name, NumberedDirective)
    app.config.mathjax_path = "mathjax/tex-chtml-full.js"
    app.config.html_static_path.append("book/_static")
    app.add_css_file("companion.css")
    app.add_js_file("print.js", loading_method="defer")
    app.add_role("provenance", BadgeRole())
    app.add_role("verdict", BadgeRole())
    app.add_role("scope", BadgeRole())
    app.add_role("value", ValueRole())
    app.add_role("coq", CoqRole())
    app.add_directive("trust", Trust)
    app.connect("builder-inited", forget)
    app.connect("doctree-read", mark_statements)
    app.connect("doctree-read", relate_chapters)
    app.connect("env-check-consistency", check_statements)
    app.connect("env-check-consistency", keep_index)
    app.connect("html-page-context", live_page)
    app.connect("html-page-context", tidy_page, priority=999)
    app.connect("builder-inited", local_mathjax)
    app.connect("build-finished", written)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
