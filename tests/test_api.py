"""The pages of polycore's names: all of them, word for word, and the chapters that use each."""

import ast
import html
import json
import re
from graphlib import TopologicalSorter
from pathlib import Path
from urllib.parse import urldefrag

import pytest
from sympy import Ge, Lt, Symbol

from pipeline import api, shown
from pipeline.files import chapters
from polycore.proof import arithmetic
from polycore.theory import elementary

ROOT = Path(__file__).parents[1]
PAGES = sorted(ROOT.glob("_build/html/book/api*.html"))
MODULES = {
    ".".join(path.relative_to(ROOT).with_suffix("").parts): ast.parse(path.read_text("utf-8"))
    for path in ROOT.glob("polycore/**/[!_]*.py")
}
LEDGER = json.loads((ROOT / "book/results.json").read_text(encoding="utf-8"))
NOTEBOOKS = {
    path.stem: json.loads(path.read_text(encoding="utf-8"))
    for path in ROOT.glob("notebooks/*.ipynb")
}
CODE = {
    name: "\n".join(
        "".join(cell["source"]) for cell in notebook["cells"] if cell["cell_type"] == "code"
    )
    for name, notebook in NOTEBOOKS.items()
}


def public(tree):
    """What a module puts into __all__, also where it does so in two steps."""
    assigned = [node for node in tree.body if "__all__" in ast.unparse(node).split("=")[0]]
    return [name for node in assigned for name in ast.literal_eval(node.value)]


def letters(text):
    """Text without what typesetting may change: spaces, quotes, backticks and dashes."""
    return re.sub(r"[\s`'’\"“”–-]|:\w+:(?=`)|\.\.\.|…", "", text)


@pytest.fixture(scope="module")
def entries():
    """The HTML of each entry by its full name."""
    found = {}
    for page in PAGES:
        body = re.search(r"<article.*</article>", page.read_text(encoding="utf-8"), re.S)[0]
        parts = re.split(r'<dt class="sig sig-object py" id="([\w.]+)"', body)[1:]
        found |= zip(parts[::2], parts[1::2])
    return found


def test_every_public_name_has_its_anchor(entries):
    names = {f"{module}.{name}" for module, tree in MODULES.items() for name in public(tree)}
    assert len(names) > 200 and names <= entries.keys()


def test_every_theorem_is_shown_with_what_it_is_proved_from(entries):
    """From any theorem the links lead on, and never round, to axioms and arithmetic."""
    modules = json.loads((ROOT / "_build/api.json").read_text(encoding="utf-8"))["modules"]
    found = {
        f"{module['name']}.{one['name']}": one for module in modules for one in module["members"]
    }
    sources = {name: one["from"] for name, one in found.items() if "from" in one}
    assert len(sources) > 150 and {one for some in sources.values() for one in some} <= {*sources}
    assert list(TopologicalSorter(sources).static_order())  # CycleError where they lead round
    for name, one in sources.items():
        words = ("Proved from", "Axioms and rules below it", "Decided by arithmetic")
        assert any(word in entries[name] for word in words)
        assert all(f"#{other}" in entries[name] for other in one), name
        assert found[name]["proof"] in entries[name]
        for *_, why in found[name].get("steps", ["", []])[1]:
            assert letters(why.split("$")[0]) in letters(html.unescape(entries[name])), (name, why)
    lone = sources["polycore.theory.special_token_sums.NETWORK_FIRES_AT_HIGH_DEGREE"]
    assert "polycore.theory.networks.NETWORK_FIRES" in lone


@pytest.mark.site
def test_every_proof_of_a_claim_is_shown_step_by_step():
    """Down to axioms and theorems of the core, each of which has its steps on the page of the core
    (above); `tests/test_steps.py` says what steps are.
    """
    missing = []
    for claim in LEDGER:
        page = ROOT / "_build/html" / claim["notebook"].replace(".ipynb", ".html")
        shown = html.unescape(page.read_text(encoding="utf-8"))
        proofs = [one["what"] for one in claim["evidence"] if one["kind"] == "proof"]
        missing += [
            (claim["id"], what) for what in proofs if f"The proof of “{what}” in " not in shown
        ]
    assert missing == []


@pytest.mark.site
def test_every_derivation_that_a_chapter_shows_is_a_step_of_a_proof():
    """Of a claim of the chapter or of the core: else no second solver decides it, and nobody would
    miss a hypothesis that it lost.
    """
    core = shown.of_core(json.loads((ROOT / "_build/api.json").read_text("utf-8"))["modules"])
    found = {
        chapter: {*shown.uncarried(outputs(ROOT / f"_build/executed/{chapter}.ipynb"), core)}
        for chapter in chapters()
    }
    assert len(core) > 1000 and {name: lost for name, lost in found.items() if lost} == {}


def outputs(notebook):
    """Of each cell the code, and what it shows as text and as HTML."""
    for cell in json.loads(notebook.read_text(encoding="utf-8"))["cells"]:
        for output in cell.get("outputs", []):
            data = output.get("data", {})
            text, page = ("".join(data.get(f"text/{kind}", "")) for kind in ("plain", "html"))
            yield "".join(cell["source"]), text, page
            yield "", "".join(output.get("text", "")), ""  # what is printed is no value of the cell


@pytest.mark.parametrize(
    ("code", "text", "lost"),
    [
        ("Stated(one)", "Stated(judgment=⊢ x >= 1)", []),
        ("Stated(two)", "Stated(judgment=y > 0 ⊢ x >= 2)", ["x ≥ 2"]),
        ("a_chain", "Chain(links=(⊢ Eq(x, 2), ⊢ 2 > 1), judgment=⊢ x > 1)", ["x = 2", "2 > 1"]),
        ("a_chain", "Chain(links=(y > 0 ⊢ x > 1,), judgment=y > 0 ⊢ x >= 1)", []),
        ("a_chain", "Chain(links=(⊢ Eq(x, 2), ⊢ 2 > 1), judgment=⊢ x >= 1)", []),
        (
            "links",
            "Chain(links=(y, z ⊢ x >= 1, y, z ⊢ f(x, y) <= 1), judgment=y, z ⊢ x > 1)",
            ["f(x, y) ≤ 1"],
        ),
        ("", "equal parts\n", []),
        ("", "y > 0 ⊢ x >= 1\n⊢ x >= 2", ["x ≥ 2"]),
        ("equal.conclusion", "Eq(f(x, y), 1)", []),
        ("equal.conclusion", "Eq(f(x, y), 2)", ["f(x, y) = 2"]),
        ("given[0]", "x >= 2", []),
        ("f(x, y)", "3", []),
    ],
)
def test_a_derivation_that_nothing_carries_is_named(code, text, lost):
    claim = ("Verdicts(claim)", "", "<li><code>x ≥ 1</code> by A</li>")
    assert [*shown.uncarried([(code, text, ""), claim], {"f(x, y) = 1"})] == lost


@pytest.mark.site
def test_what_a_claim_rests_on_names_the_chapters_that_derive_what_it_applies():
    """Theorems applied, directly or below others, against the declared `depends`: where an earlier
    chapter shows the derivation, or states the theorem, a claim of it must be among them.
    """
    modules = json.loads((ROOT / "_build/api.json").read_text(encoding="utf-8"))["modules"]
    sources = {
        f"{module['name']}.{one['name']}": one["from"]
        for module in modules
        for one in module["members"]
        if "from" in one
    }
    order = [chapter.removeprefix("notebooks/") for chapter in chapters()]
    homes = {name: shown_in(name.rsplit(".", 1)[1]) for name in sources}
    missing = {}
    for chapter in order:
        earlier = {*order[: order.index(chapter)]}
        for name in below(sources, applied_by(chapter)):
            found = homes[name] & {*order}
            # a chapter that states a theorem before it is derived rests on the one that derives it
            there = {one for one in found & earlier if chapter not in rests_on(one)}
            if chapter not in found and there and not found & rests_on(chapter):
                missing.setdefault(chapter, {})[name.rsplit(".", 1)[1]] = there
    assert not missing


def shown_in(theorem):
    """The chapters with its derivation; those that state it, where none has that."""
    derived = {name for name, code in CODE.items() if f"{theorem}.derivation()" in code}
    return derived or {name for name, code in CODE.items() if f"Stated({theorem})" in code}


def applied_by(chapter):
    """The theorems of the core that a chapter imports, in full."""
    tree = ast.parse(re.sub(r"(?m)^(\s*)%.*", r"\1pass", CODE[chapter]))
    imports = [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
    return {f"{node.module}.{alias.name}" for node in imports for alias in node.names}


def below(sources, names):
    """All theorems that these are proved from, and they themselves."""
    todo, found = [*names & sources.keys()], set()
    while todo:
        if (name := todo.pop()) not in found:
            found.add(name)
            todo += sources[name]
    return found


def rests_on(chapter):
    """The chapters of the claims that those of a chapter depend on, directly or through others."""
    claims = {claim["id"]: claim for claim in LEDGER}
    home = lambda claim: Path(claim["notebook"]).stem
    todo, found = [one["id"] for one in LEDGER if home(one) == chapter], set()
    while todo:
        if (claim := todo.pop()) not in found:
            found.add(claim)
            todo += claims[claim]["depends"]
    return {home(claims[claim]) for claim in found} - {chapter}


@pytest.mark.site
def test_a_chapter_links_to_the_theorems_that_it_applies():
    page = (ROOT / "_build/html/notebooks/theorem_6_5.html").read_text(encoding="utf-8")
    line = re.search(r"Theorems of the core used here: .*?</p>", page, re.S)[0]
    assert "special_token_sums.NETWORK_FIRES_AT_HIGH_DEGREE" in line


@pytest.mark.site
def test_docstrings_stand_on_the_page_word_for_word():
    pages = "".join(page.read_text(encoding="utf-8") for page in PAGES)
    text = letters(html.unescape(re.sub(r"<[^>]*>", "", pages)))
    for module, tree in MODULES.items():
        shown = [
            node
            for node in tree.body
            if isinstance(node, (ast.ClassDef, ast.FunctionDef)) and node.name in public(tree)
        ]
        for node in [tree, *shown]:
            doc = letters(ast.get_docstring(node) or "")  # a theorem may be its formula alone
            assert re.sub(r"(?<=\w)\n", "", doc) in text, f"{module}: {getattr(node, 'name', '')}"


def test_judgments_are_shown_as_formulas(entries):
    assert r"\vdash" in entries["polycore.theory.elementary.POWER_MONOTONE"]


def linked(entry):
    """The chapters after "Used in:", by the name of their notebook."""
    line = re.search(r"<p>Used in:.*?</p>", entry, re.S)
    return set(re.findall(r'href="\.\./notebooks/(\w+)\.html"', line[0])) if line else set()


def methods(tree):
    owners = [node for node in ast.walk(tree) if isinstance(node, ast.ClassDef)]
    return [node.name for one in owners for node in one.body if isinstance(node, ast.FunctionDef)]


def bound(code):
    """The names that a chapter gives to something of its own."""
    nodes = list(ast.walk(ast.parse(re.sub(r"(?m)^(\s*)%.*", r"\1pass", code))))
    stored = [one for one in nodes if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)]
    functions = [one.name for one in nodes if isinstance(one, ast.FunctionDef)]
    return {*functions, *(one.id for one in stored)}


def test_a_name_links_to_the_chapters_in_which_it_stands(entries):
    """Names that mean one thing only, and are no words of English, can be looked for as text."""
    rooms = [part for module in MODULES for part in module.split(".")]
    every = [*rooms, *(name for tree in MODULES.values() for name in public(tree))]
    every += [name for tree in MODULES.values() for name in methods(tree)]
    own = set().union(*map(bound, CODE.values()))
    telling = {
        name
        for name in {*every} - own
        if every.count(name) == 1 and ("_" in name or name.isupper())
    }
    checked = {
        full: name
        for full in entries
        if full.rpartition(".")[0] in MODULES and (name := full.rpartition(".")[2]) in telling
    }
    assert len(checked) > 100
    words = {chapter: {*re.findall(r"\w+", code)} for chapter, code in CODE.items()}
    for full, name in checked.items():
        assert linked(entries[full]) == {one for one in words if name in words[one]}, full


@pytest.mark.site
def test_a_chapter_links_to_the_modules_that_it_imports():
    for chapter, code in CODE.items():
        page = (ROOT / f"_build/html/notebooks/{chapter}.html").read_text(encoding="utf-8")
        line = re.search(r'<p class="programs">.*?</p>', page, re.S)[0]
        found = {urldefrag(href)[1] for href in re.findall(r'href="([^"]+)"', line)}
        alone = re.findall(r"^from polycore import (.*)$", code, re.M)
        wings = {f"polycore.{name}" for names in alone for name in names.split(", ")}
        wings |= set(re.findall(r"^from (polycore\.\w+)", code, re.M))
        rooms = set(re.findall(r"^from (polycore\.\w+\.\w+)", code, re.M))
        assert {".".join(name[7:].split(".")[:2]) for name in found} == wings, chapter
        assert found >= {f"module-{room}" for room in rooms}, chapter


DOOR = {"polycore.tails", "polycore.tails.bounds.hoeffding"}


@pytest.mark.parametrize(
    ("code", "found"),
    [
        ("from polycore.tails.bounds import hoeffding", {"polycore.tails.bounds.hoeffding"}),
        ("from polycore import tails\ntails.hoeffding(f, 1)", DOOR),
        ("from polycore import tails as t\nt.hoeffding(f, 1)", DOOR),
        ("%pip install x\nfrom polycore import tails\nx = 7 \\\n  % 3", {"polycore.tails"}),
        ("from numpy import tails\ntails.hoeffding(f, 1)", set()),
    ],
)
def test_names_used_by_code(code, found):
    from api import used

    assert used(code, {"polycore.tails.hoeffding": "polycore.tails.bounds.hoeffding"}) == found


def one(a, b: int = 2, *rest):
    """One."""


class Sample:
    """A sample."""

    def __init__(self, size: int, unit: str = "m") -> None:
        """Not shown: the parameters are those of the class."""

    def grown(self, by=1):
        """A larger one."""

    def undocumented(self):
        pass

    @property
    def area(self):
        """Its square."""

    constant = 3


class Fault(Sample, ValueError):
    """What goes wrong."""


FUNCTION = {"kind": "function", "name": "one", "doc": "One.", "signature": "(a, b=2, *rest)"}
PROPERTY = {"kind": "property", "name": "area", "doc": "Its square."}
METHOD = {"kind": "function", "name": "grown", "doc": "A larger one.", "signature": "(by=1)"}
CLASS = {"kind": "class", "doc": "A sample.", "signature": "(size, unit='m')"}
above = arithmetic(Ge(Symbol("x") + 1, 2), [Ge(Symbol("x"), 1)])
DATA = {"kind": "data", "doc": "a note"}


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (one, FUNCTION),
        (Sample.area, PROPERTY),
        (Sample, CLASS | {"members": [METHOD, PROPERTY]}),
        (Fault, CLASS | {"kind": "exception", "doc": "What goes wrong.", "members": []}),
        (type("Bare", (ValueError,), {"__doc__": "A"}), {"kind": "exception", "signature": ""}),
        (3, DATA | {"value": "3"}),
        ("m", DATA | {"value": "'m'"}),
        ((1, 2), DATA | {"value": "(1, 2)"}),
        ((1, "m"), DATA),
        (0.5, DATA),
        (above, DATA | {"given": [r"x \geq 1"], "conclusion": r"x + 1 \geq 2"}),
        ([Ge(Symbol("x"), 1)], DATA | {"given": [r"x \geq 1"]}),
        ([1], DATA),
    ],
)
def test_what_is_shown_of_a_name(value, shown):
    name = shown.get("name", "a_name")
    wanted = {"name": name} | shown
    found = api.member(name, value, "a note")
    assert {key: found[key] for key in wanted} == wanted
    assert shown["kind"] != "data" or found == wanted  # and nothing else of a constant


def test_wings_come_before_what_stands_alone():
    rooms = api.rooms()
    alone = [name for name in rooms if name.count(".") == 1 and f"{name}.py" in FILES]
    assert rooms[-len(alone) :] == sorted(alone) != []
    assert rooms[: -len(alone)] == sorted({*rooms} - {*alone})
    assert not [name for name in rooms if "._" in name]


FILES = {path.relative_to(ROOT).as_posix().replace("/", ".") for path in ROOT.glob("polycore/*.py")}


def test_a_door_says_from_which_room_a_name_is():
    from polycore import tails

    door = api.door(tails)
    assert door["polycore.tails.hoeffding"] == "polycore.tails.bounds.hoeffding"
    assert {name.rpartition(".")[2] for name in door} == {*tails.__all__}


def test_a_relation_is_shown_by_its_sign():
    x, y = Symbol("x"), Symbol("y")
    assert [api.relation(made(x, y)) for made in (Ge, Lt)] == [r"\geq", "<"]


def test_a_theorem_of_a_single_rule_has_no_steps_to_show():
    found = api.member("LOG_ONE", elementary.LOG_ONE)
    from_these = {name.rpartition(".")[2] for name in found["from"]}
    assert from_these == {"EXP_INJECTIVE", "EXP_ZERO"} and "steps" not in found
    assert found["axioms"] == ["exp of a sum", "log inverts exp", "tangent of exp"]
    said = api.member("POWER_OUTGROWS", elementary.POWER_OUTGROWS, "a note")["doc"]
    assert said == elementary.POWER_OUTGROWS.__doc__


def test_a_wing_has_a_door_and_a_room_has_names():
    wing, room = api.module("polycore.tails"), api.module("polycore.tails.bounds")
    assert wing["door"] and wing["members"] == [] and "door" not in room
    assert "hoeffding" in {one["name"] for one in room["members"]}


def test_what_was_described_is_kept_until_the_core_changes(monkeypatch, tmp_path):
    described = []
    monkeypatch.setattr(api, "CACHE", tmp_path / "api.json")
    monkeypatch.setattr(api, "rooms", lambda: ["polycore.checks"])
    monkeypatch.setattr(api, "module", lambda name: described.append(name) or {"name": name})
    assert api.described() == api.described() == [{"name": "polycore.checks"}]
    assert len(described) == 1
    (tmp_path / "core.py").write_text("x = 1")
    monkeypatch.setattr(api, "core", lambda: {"core": tmp_path / "core.py"})
    assert api.described() and len(described) == 2


def test_what_a_copy_described_counts_where_the_core_is_the_same(monkeypatch, tmp_path):
    described = []
    for name in ("copy", "here"):
        (tmp_path / name / "book").mkdir(parents=True)
    for file in (api.LOCK, api.COQ):
        (tmp_path / "copy" / file).write_text("{}")
        (tmp_path / "here" / file).write_text("{}")
    monkeypatch.setattr(api, "rooms", lambda: ["polycore.checks"])
    monkeypatch.setattr(api, "module", lambda name: described.append(name) or {"name": name})
    monkeypatch.setattr(api, "core", dict)
    monkeypatch.chdir(tmp_path / "here")
    api.keep(tmp_path / "copy")  # which described nothing
    assert not api.CACHE.exists()
    monkeypatch.chdir(tmp_path / "copy")
    api.described()
    monkeypatch.chdir(tmp_path / "here")
    api.keep(tmp_path / "copy")
    assert api.described() == [{"name": "polycore.checks"}] and len(described) == 1
    (tmp_path / "core.py").write_text("x = 1")
    monkeypatch.setattr(api, "core", lambda: {"core": tmp_path / "core.py"})
    assert api.described() and len(described) == 2
