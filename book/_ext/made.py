"""What made a page: under each chapter the commit, packages, parameters and time; at each figure
the cell that drew it.
"""

import ast
from html import escape
from pathlib import Path

from companion import staged
from docutils import nodes


def parameters(notebook):
    """Names and values of the cells tagged as parameters, as they were executed, a later one over
    an earlier one.
    """
    found = {}
    for cell in notebook["cells"]:
        if {"parameters", "injected-parameters"} & set(cell["metadata"].get("tags", [])):
            source = "".join(cell["source"])
            assigned = [line for line in ast.parse(source).body if isinstance(line, ast.Assign)]
            found |= {
                ast.get_source_segment(source, line.targets[0]): ast.get_source_segment(
                    source, line.value
                )
                for line in assigned
            }
    return found


def record_chapter(app, pagename, templatename, context, doctree):
    """End a chapter's page, and not its text, with what it was made from: a search is for words,
    not for seconds.
    """
    if not Path(app.srcdir, f"{pagename}.ipynb").exists():
        return
    notebook, build = staged(app.env, f"{pagename}.ipynb"), staged(app.env, "book/build.json")
    given = "; ".join(f"{name} = {value}" for name, value in parameters(notebook).items())
    words = f"Executed in {notebook['metadata']['seconds']} s, with {given}. "
    words += f"Source: commit {build['commit']}, packages {build['lock']}."
    # The name that myst-nb gives to all folds would be read out in place of the one that is seen.
    context["body"] = context["body"].replace(' aria-label="Toggle hidden content"', "")
    context["body"] += f'<p class="made">{escape(words, quote=False)}</p>'


def held(cell):
    """What a fold holds: imports, the check of the parameters, a drawing, an answer."""
    source = "".join(cell["source"])
    if cell["id"].startswith("exercise"):
        return "the answer"
    if "figures.picture(" in source:
        return "how the picture is drawn"
    return "the check of the parameters" if "check" in cell["id"] else "the imports"


def mark_cells(app, doctree):
    """Give each code cell an anchor, its id in the notebook, each fold a name, and each figure a
    link to the cell that drew it.
    """
    name = f"{app.env.docname}.ipynb"
    if not Path(app.srcdir, name).exists():
        return
    cells = staged(app.env, name)["cells"]
    for node in doctree.findall(nodes.container):
        if node.get("nb_element") == "cell_code":
            cell = cells[node["cell_index"]]
            key = f"cell-{cell['id']}"
            for prompt, verb in (("prompt_show", "Show"), ("prompt_hide", "Hide")):
                node[prompt] = f"{verb} {held(cell)}"
            source = next(
                (part for part in node.children if part.get("nb_element") == "cell_code_source"),
                node,
            )
            source["ids"].append(key)
            for drawn in node.findall(nodes.raw):
                drawn.replace_self(
                    nodes.raw("", linked(drawn.astext(), f"#{key}"), **drawn.attributes)
                )


def linked(figure, target):
    """A figure's HTML with a link to its cell at the end of the caption."""
    return figure.replace(
        "</figcaption>",
        f' <a class="cell-link" href="{target}">The cell that drew it</a></figcaption>',
    )


def setup(app):
    app.connect("doctree-read", mark_cells)
    app.connect("html-page-context", record_chapter)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
