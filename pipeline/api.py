"""The public names of polycore with their docstrings, for the book's pages about them."""

import importlib
import inspect
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

from sympy import latex
from sympy.core.relational import Relational

from pipeline.files import BUILD, LOCK, JsonObject, core, digest, pretty, read, whole, write
from polycore.evidence.pages import address
from polycore.proof import Judgment, Theorem
from polycore.proof.steps import as_html, steps

# Of `make certify`: how many theorems and lemmas there are, those lemmas that Coq does not accept
# yet with what it says, and the theorems that it accepts, each with a digest of what is behind it.
COQ = Path("book/coq.json")
CACHE = BUILD / "api.json"  # to show every theorem is to prove it again: half a minute


def described() -> list[JsonObject]:
    """Every module with its public names, from the cache unless a module changed."""
    code = [Path(__file__), LOCK, COQ, *core().values()]
    made_from = digest([path.read_text(encoding="utf-8") for path in code])
    if (whole(CACHE) or {}).get("made_from") != made_from:
        modules = [module(name) for name in rooms()]
        write(CACHE, pretty({"made_from": made_from, "modules": modules}))
    return read(CACHE)["modules"]


def keep(copy: Path) -> None:
    """Take over what was described in a copy of the sources, if it was: by its digest it counts
    where they are the same.
    """
    if (copy / CACHE).exists():
        write(CACHE, (copy / CACHE).read_text(encoding="utf-8"))


def rooms() -> list[str]:
    """The modules that chapters may import, each wing before its rooms, single modules last."""
    public = [name for name in core() if "._" not in name and "." in name]
    wing = lambda name: name.split(".")[1]
    alone = lambda name: sum(map(wing(name).__eq__, map(wing, public))) == 1
    return sorted(public, key=lambda name: (alone(name), name))


def module(name: str) -> JsonObject:
    """A module: its docstring, and a record for each name in its ``__all__``."""
    from sphinx.pycode import ModuleAnalyzer  # only here: not every build has a page to make

    room = importlib.import_module(name)
    notes = {
        key: " ".join(lines)
        for (_, key), lines in ModuleAnalyzer.for_module(name).find_attr_docs().items()
    }
    shared = {"name": name, "doc": inspect.getdoc(room)}
    if hasattr(room, "__path__"):
        return {**shared, "members": [], "door": door(room)}
    members = [member(key, getattr(room, key), notes.get(key, "")) for key in room.__all__]
    return {**shared, "members": members}


def door(wing: ModuleType) -> dict[str, str]:
    """{name at the door of a wing: the name in the room that it is from}."""
    inside = [name for name in core() if name.startswith(f"{wing.__name__}.")]
    homes = {key: name for name in inside for key in importlib.import_module(name).__all__}
    return {f"{wing.__name__}.{key}": f"{homes[key]}.{key}" for key in getattr(wing, "__all__", [])}


def member(name: str, value: object, note: str = "") -> JsonObject:
    """A name: a class with what is documented in it, a function, or a constant with the note that
    stands below it.
    """
    shared = {"name": name, "doc": inspect.getdoc(value)}
    if inspect.isclass(value):
        kind = "exception" if issubclass(value, Exception) else "class"
        inside = [member(key, part) for key, part in vars(value).items() if documented(key, part)]
        return {"kind": kind, **shared, "signature": signature(value), "members": inside}
    if isinstance(value, property):
        return {"kind": "property", **shared}
    if inspect.isroutine(value):
        return {"kind": "function", **shared, "signature": signature(value)}
    said = value.__doc__ or "" if isinstance(value, Theorem) else note
    return {"kind": "data", "name": name, "doc": said, **constant(value)}


def documented(name: str, part: object) -> bool:
    return (
        not name.startswith("_")
        and (isinstance(part, property) or inspect.isfunction(part))
        and bool(part.__doc__)
    )


def signature(value: Callable[..., object]) -> str:
    """The parameters and their defaults, without types; empty where Python knows none, as of an
    exception.
    """
    try:
        found = inspect.signature(value).parameters.values()
    except ValueError:
        return ""
    plain = [one.replace(annotation=one.empty) for one in found if one.name != "self"]
    known = not any(one.name == "args" for one in plain)
    return str(inspect.Signature(plain)).replace("<factory>", "...") if known else ""


def derivation(value: Theorem) -> JsonObject:
    """What a theorem is proved from: the theorems that its steps name, and the axioms below all
    of them; its steps; those of its chain where it is one.
    """
    used = {
        name for step in steps(value) for name in step.names if str(name).startswith("polycore")
    }
    shown = {
        "from": sorted(used),
        "axioms": sorted(value.axioms),
        "proof": as_html(value, address),
        "coq": value.__name__ in read(COQ)["theorems"],
    }
    try:
        chain = value.derivation()
    except TypeError:  # a single rule proves it
        return shown
    links = [(link.conclusion, link.why) for link in chain.links]
    rows = [[relation(one), latex(one.rhs), why] for one, why in links]
    return {**shown, "steps": [latex(chain.judgment.conclusion.lhs), rows]}


def relation(one: Relational) -> str:
    """The sign of a relation, as LaTeX."""
    return latex(one).removeprefix(latex(one.lhs)).removesuffix(latex(one.rhs)).strip()


def constant(value: object) -> JsonObject:
    """What is shown of a constant: the formulas of judgments and of lists of relations, or a number
    or word of Python.
    """
    if isinstance(value, (Judgment, Theorem)):
        shown = {"given": list(map(latex, value.hypotheses)), "conclusion": latex(value.conclusion)}
        return {**shown, **derivation(value)} if isinstance(value, Theorem) else shown
    if isinstance(value, list) and all(isinstance(item, Relational) for item in value):
        return {"given": list(map(latex, value))}
    plain = isinstance(value, (int, str)) or (
        isinstance(value, tuple) and all(isinstance(item, int) for item in value)
    )
    return {"value": repr(value)} if plain else {}
