"""Which code a function runs through: its definition and all definitions of this package that it
can reach.

Two functions with equal results here compute the same. Left out is what computes nothing:
docstrings, comments, layout, types of parameters and results, the words of an error, where a
definition stands and how it is imported.
"""

import ast
import importlib
import inspect
from collections.abc import Callable
from functools import cache

__all__ = ["named", "reached"]

PACKAGE = __name__.split(".")[0]


def reached(function: Callable[..., object]) -> list[str]:
    """The syntax trees, as sorted text, of all definitions of the package that `function` names,
    directly or through others.

    >>> len(reached(reached)) > 5, any("Documented nowhere" in text for text in reached(reached))
    (True, False)
    """
    found, todo = {}, [(function.__module__, function.__name__)]
    while todo:
        if (key := todo.pop()) in found:
            continue
        found[key] = [_text(node) for node in _nodes(*key)]
        todo += named(*key)
    return sorted({text for texts in found.values() for text in texts})


def named(module: str, name: str) -> list[tuple[str, str]]:
    """The definitions of the package that a definition names directly: (module, name) of each.

    >>> ("polycore.provenance", "named") in named("polycore.provenance", "reached")
    True
    """
    definitions, imported, _ = _module(module)
    walked = (each for node in _nodes(module, name) for each in ast.walk(node))
    names = {each.id for each in walked if isinstance(each, ast.Name)}
    here = [(module, other) for other in names & definitions.keys() - {name}]
    return here + [imported[other] for other in names & imported.keys()]


def _nodes(module, name):
    """A definition, or all of a module that is named as a whole, with its bare statements."""
    definitions, _, effects = _module(module)
    return [
        *([definitions[name]] if name in definitions else definitions.values()),
        *effects,
    ]


@cache
def _module(name):
    """(definitions by name, what is imported from the package by name, bare statements) of a
    module.
    """
    definitions: dict[str, ast.stmt] = {}
    imported: dict[str, tuple[str, str]] = {}
    effects: list[ast.stmt] = []
    tree = ast.parse(inspect.getsource(importlib.import_module(name)))
    for node in _Untyped().visit(tree).body:
        match node:
            case ast.FunctionDef() | ast.ClassDef():
                definitions[node.name] = node
            case ast.Assign():
                definitions |= {
                    each.id: node
                    for target in node.targets
                    for each in ast.walk(target)
                    if isinstance(each, ast.Name)
                }
            case ast.ImportFrom(module=str(module)) if module.split(".")[0] == PACKAGE:
                imported |= {
                    alias.asname or alias.name: _home(module, alias.name) for alias in node.names
                }
            case ast.Expr(value=ast.Call()):
                effects.append(node)
    return definitions, imported, effects


def _home(module, name):
    """Where a name of a module is defined, behind the door of a wing: (module, name); (module, "")
    for a module itself.
    """
    if not hasattr(importlib.import_module(module), "__path__"):
        return module, name
    _, imported, _ = _module(module)
    return imported.get(name, (f"{module}.{name}", ""))


@cache  # a node is one of a module, which is kept: the same text each time
def _text(node):
    return repr(_shape(_Bare().visit(ast.parse(ast.unparse(node)))))


def _shape(node):
    """A syntax tree as nested lists, the same in every Python: its own dump has changed."""
    if isinstance(node, ast.AST):
        fields = [
            (name, value)
            for name, value in ast.iter_fields(node)
            if value not in (None, []) and name != "kind"
        ]
        return [type(node).__name__, *((name, _shape(value)) for name, value in fields)]
    return list(map(_shape, node)) if isinstance(node, list) else repr(node)


class _Untyped(ast.NodeTransformer):
    """Without the types of parameters and results; those of a dataclass's fields make the class."""

    def visit_arg(self, node):
        return ast.copy_location(ast.arg(node.arg), node)

    def visit_FunctionDef(self, node):
        node.returns = None
        return self.generic_visit(node)


class _Bare(ast.NodeTransformer):
    """Without docstrings, and without what is said when something is refused."""

    def visit_Expr(self, node):
        return None if isinstance(node.value, ast.Constant) else node

    def visit_Raise(self, node):
        return ast.Raise()
