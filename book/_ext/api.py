"""The pages of polycore's public names: what each is, and which chapters use it."""

import ast
import re
from textwrap import dedent

from companion import Generated, ledger, staged
from docutils import nodes
from sphinx.addnodes import pending_xref

PAGE = "book/api"
CODE = re.compile(r"(``[^`]+``|(?::\w+:)?`[^`]+`)")


def used(code, doors):
    """The names of polycore that Python code uses, in full: polycore.tails.bounds.hoeffding, …;
    ``doors`` leads from a name at the door of a wing to the room that it is from.
    """
    tree = list(ast.walk(ast.parse(re.sub(r"(?m)^(\s*)[%!]+\w.*", r"\1pass", code))))
    statements = [node for node in tree if isinstance(node, ast.ImportFrom)]
    imports = [
        (f"{node.module}.{alias.name}", alias.asname or alias.name)
        for node in statements
        for alias in node.names
        if node.module.split(".")[0] == "polycore"
    ]
    known = {asname: name for name, asname in imports}
    attributes = [
        f"{known[node.value.id]}.{node.attr}"
        for node in tree
        if isinstance(node, ast.Attribute)
        and isinstance(node.value, ast.Name)
        and node.value.id in known
    ]
    return {doors.get(name, name) for name in [*known.values(), *attributes]}


def chapters(env):
    """The heading of each chapter and the names that it uses, by document, in the book's order."""
    if not hasattr(env, "companion_uses"):
        env.companion_uses = {}
        modules = staged(env, "book/api.json")
        doors = {name: room for one in modules for name, room in one.get("door", {}).items()}
        for notebook in dict.fromkeys(claim["notebook"] for claim in ledger(env).values()):
            cells = staged(env, notebook)["cells"]
            title = re.search(r"^# ([^:\n]*)", joined(cells, "markdown"), re.M)[1]
            names = used(joined(cells, "code"), doors)
            env.companion_uses[notebook.removesuffix(".ipynb")] = title, names
    return env.companion_uses


def joined(cells, kind):
    return "\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == kind)


def link_programs(app, doctree):
    """End each chapter with links to the modules that it uses."""
    docname = app.env.docname
    if PAGE in app.env.found_docs and docname in chapters(app.env):
        rooms = {module["name"] for module in staged(app.env, "book/api.json")}
        names = chapters(app.env)[docname][1]
        modules = sorted(
            rooms & {part for name in names for part in (name, name.rsplit(".", 1)[0])}
        )
        line = nodes.paragraph("", "Programs: ", classes=["programs"])
        for name in modules:
            line += [
                linked("mod", name, name.removeprefix("polycore."), docname),
                nodes.Text(", "),
            ]
        line[-1] = nodes.Text(".")
        doctree[-1].append(line)
        doctree[-1] += applied(app.env, docname, names)


def applied(env, docname, names):
    """A line with links to the theorems of the core that a chapter names, where it names some."""
    proved = {
        f"{module['name']}.{one['name']}"
        for module in staged(env, "book/api.json")
        for one in module["members"]
        if "from" in one
    }
    line = nodes.paragraph("", "Theorems of the core used here: ", classes=["programs"])
    for name in sorted(names & proved):
        line += [linked("obj", name, name.rsplit(".", 1)[1], docname), nodes.Text(", ")]
    if len(line) == 1:
        return []
    line[-1] = nodes.Text(".")
    return [line]


def linked(kind, name, shown, docname):
    """A link to a name of Python."""
    facts = {"reftarget": name, "refdoc": docname, "refexplicit": True, "refwarn": True}
    return pending_xref("", nodes.inline("", shown), refdomain="py", reftype=kind, **facts)


class Api(Generated):
    """{api} theory: a section for each module of a wing; without a name, for each outside the
    wings.
    """

    optional_arguments = 1

    def run(self):
        return self.parse_text_to_nodes(self.text(), allow_section_headings=True)

    def text(self):
        wing = ".".join(["polycore", *self.arguments])
        rooms = [one for one in self.modules() if "door" not in one]
        inside = [one for one in rooms if one["name"].rpartition(".")[0] == wing]
        return "\n\n".join(map(self.section, inside))

    def modules(self):
        modules = staged(self.env, "book/api.json")
        self.known = {
            f"{module['name']}.{member['name']}"
            for module in modules
            for member in module["members"]
        }
        return modules

    def section(self, module):
        name = module["name"]
        head = [f"## {name.removeprefix('polycore.')}", self.about(module)]
        return "\n\n".join([*head, *(self.member(name, one) for one in module["members"])])

    def about(self, module):
        """The anchor of a module, and its docstring."""
        name = module["name"]
        return f"```{{py:module}} {name}\n```\n\n{self.prose(module['doc'], name)}"

    def member(self, module, one):
        """The signature, the docstring or the formulas, what a class holds, and the chapters that
        use it.
        """
        body = [
            self.prose(one["doc"], module),
            formulas(one),
            self.derivation(one),
            *(self.inside(module, part) for part in one.get("members", [])),
        ]
        if links := self.chapters(f"{module}.{one['name']}"):
            body.append(f"Used in: {links}.")
        return described(one, body, "`" * 6)

    def derivation(self, one):
        """How a theorem is proved: the steps of its chain, what it is proved from, and, folded, all
        steps.
        """
        if "from" not in one:
            return ""
        theorems = [f"{{py:obj}}`{name.rsplit('.', 1)[1]} <{name}>`" for name in one["from"]]
        words = [f"Proved from {', '.join(theorems)}."] if theorems else []
        words += (
            [f"Axioms and rules below it: {', '.join(one['axioms'])}."] if one["axioms"] else []
        )
        words = words or ["Decided by arithmetic from its hypotheses alone."]
        words += ["Coq accepts it too."] if one["coq"] else []
        folded = f"```{{raw}} html\n{one['proof']}\n```"
        return "\n\n".join([steps(one), " ".join(words), folded])

    def inside(self, module, part):
        kind = {"function": "method"}.get(part["kind"], part["kind"])
        return described({**part, "kind": kind}, [self.prose(part["doc"], module)], "`" * 5)

    def chapters(self, name):
        using = [
            (docname, title)
            for docname, (title, names) in chapters(self.env).items()
            if name in names
        ]
        return ", ".join(f"{{doc}}`{title} </{docname}>`" for docname, title in using)

    def prose(self, doc, module):
        """A docstring as MyST: formulas and examples as they stand, all else as plain words."""
        return "\n\n".join(self.block(block, module) for block in re.split(r"\n\s*\n", doc))

    def block(self, block, module):
        if block.startswith((">>>", "    ")):
            return f"```{'pycon' if block[0] == '>' else 'text'}\n{dedent(block)}\n```"
        parts = CODE.split(block)
        words = [
            self.code(part, module) if place % 2 else plain(part)
            for place, part in enumerate(parts)
        ]
        return "".join(words)

    def code(self, span, module):
        """A word in backticks: a link where it is a public name of this module or, with a dot, of
        another.
        """
        word = re.sub(r"^:\w+:", "", span).strip("`")
        for name in (f"{module}.{word}", f"polycore.{word}", word):
            if name in self.known:
                return f"{{py:obj}}`{word} <{name}>`"
        return f"`{word}`"


class Wing(Api):
    """{wing} theory: what a wing is about."""

    def run(self):
        return Generated.run(self)

    def text(self):
        name = f"polycore.{self.arguments[0]}"
        return self.about(next(one for one in self.modules() if one["name"] == name))


def plain(text):
    """Text in which nothing but the dash of a list means anything to MyST."""
    return re.sub(r"(?m)^\\- ", "- ", re.sub(r"([!-/:-@\[-`{-~])", r"\\\1", text))


def described(one, body, fence):
    """A directive of Sphinx's Python domain: it makes the anchor, and what search finds."""
    value = f":value: {one['value']}\n" if "value" in one else ""
    text = "\n\n".join(filter(None, body))
    head = f"{{py:{one['kind']}}} {one['name']}{one.get('signature', '')}"
    return f"{fence}{head}\n{value}\n{text}\n{fence}"


def formulas(one):
    """A judgment, or a list of hypotheses, in rows that fit a phone."""
    rows = list(one.get("given", []))
    if "conclusion" in one:
        rows.append((r"\quad\vdash\ " if rows else "") + one["conclusion"])
    lines = " \\\\\n".join(rows)
    return f"```{{math}}\n\\begin{{array}}{{l}}\n{lines}\n\\end{{array}}\n```" if rows else ""


def steps(one):
    """A chain in rows: the first term, then each next one with its reason."""
    if "steps" not in one:
        return ""
    first, rows = one["steps"]
    lines = [rf"&{first}"]
    lines += [rf"&\quad {sign} {term} \\&\qquad \text{{{why}}}" for sign, term, why in rows]
    return "```{math}\n\\begin{aligned}\n" + " \\\\\n".join(lines) + "\n\\end{aligned}\n```"


def setup(app):
    app.setup_extension("companion")
    app.config.add_module_names = False  # the section says which module it is
    app.add_css_file("api.css")
    app.add_directive("api", Api)
    app.add_directive("wing", Wing)
    app.connect("doctree-read", link_programs, priority=600)  # after what the statements rest on
    return {"parallel_read_safe": True, "parallel_write_safe": True}
