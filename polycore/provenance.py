"""Which code a function runs through: its definition and all definitions of this package that it can reach.

Two functions with equal results here compute the same. Left out is what computes nothing: docstrings, comments, layout,
the words of an error, where a definition stands and how it is imported.
"""

import ast
import importlib
import inspect
from functools import cache

__all__ = ["reached"]

PACKAGE = __name__.split(".")[0]


def reached(function):
    """The syntax trees, as sorted text, of all definitions of the package that `function` names, directly or through others.

    >>> len(reached(reached)) > 5, any("Documented nowhere" in text for text in reached(reached))
    (True, False)
    """
    found, todo = {}, [(function.__module__, function.__name__)]
    while todo:
        if (key := todo.pop()) in found:
            continue
        definitions, imported, effects = _module(key[0])
        nodes = [definitions[key[1]]] if key[1] in definitions else list(definitions.values())  # a module named as a whole
        found[key] = [_text(node) for node in [*nodes, *effects]]
        names = {each.id for node in [*nodes, *effects] for each in ast.walk(node) if isinstance(each, ast.Name)}
        todo += [(key[0], name) for name in names & definitions.keys() - {key[1]}]
        todo += [imported[name] for name in names & imported.keys()]
    return sorted({text for texts in found.values() for text in texts})


@cache
def _module(name):
    """(definitions by name, what is imported from the package by name, bare statements) of a module."""
    definitions, imported, effects = {}, {}, []
    for node in ast.parse(inspect.getsource(importlib.import_module(name))).body:
        match node:
            case ast.FunctionDef() | ast.ClassDef():
                definitions[node.name] = node
            case ast.Assign():
                definitions |= {each.id: node for target in node.targets for each in ast.walk(target) if isinstance(each, ast.Name)}
            case ast.ImportFrom(module=module) if module.split(".")[0] == PACKAGE:
                inside = [(alias.asname or alias.name, alias.name) for alias in node.names]
                imported |= {known: (module, own) if module != PACKAGE else (f"{module}.{own}", "") for known, own in inside}
            case ast.Expr(value=ast.Call()):
                effects.append(node)
    return definitions, imported, effects


def _text(node):
    return repr(_shape(_Bare().visit(ast.parse(ast.unparse(node)))))


def _shape(node):
    """A syntax tree as nested lists, the same in every version of Python: its own dump has changed."""
    if isinstance(node, ast.AST):
        fields = [(name, value) for name, value in ast.iter_fields(node) if value not in (None, []) and name != "kind"]
        return [type(node).__name__, *((name, _shape(value)) for name, value in fields)]
    return list(map(_shape, node)) if isinstance(node, list) else repr(node)


class _Bare(ast.NodeTransformer):
    """Without docstrings, and without what is said when something is refused."""

    def visit_Expr(self, node):
        return None if isinstance(node.value, ast.Constant) else node

    def visit_Raise(self, node):
        return ast.Raise()
