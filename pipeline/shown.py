"""What a chapter shows as derived, against what its claims and the core carry: the steps of their
proofs.

A derivation that nothing carries could lose a hypothesis and nobody would see it: no second solver
decides it again, Coq does not check it, and no comparison knows it. Conclusions are compared, as
text; under which hypotheses a step stands is for the proof that has it.
"""

import html
import re
from collections.abc import Iterable, Iterator

from pipeline.files import JsonObject

Shown = tuple[str, str, str]  # of a cell: its code, and what it shows as text and as HTML
SIGNS = {"<=": "≤", ">=": "≥", "Eq": "=", "Ne": "≠"}


def steps(page: str) -> set[str]:
    """The conclusions of all steps of the proofs on a page, as they are printed there.

    >>> sorted(steps("<li><code>x &gt; 0</code> by A</li><li><code>x = 1</code> by B</li>"))
    ['x = 1', 'x > 0']
    """
    return set(map(html.unescape, re.findall(r"<li><code>(.*?)</code>", page)))


def derived(code: str, shown: str) -> list[str]:
    """The conclusions that a cell shows as text, as steps are printed: of a chain its links, then
    the whole; of judgments that are printed each.

    >>> derived("Stated(square)", "Stated(judgment=x > 1 ⊢ x**2 >= 1)")
    ['x**2 ≥ 1']
    >>> derived("apply(EVEN).conclusion", "Eq(f(x, 1), y)"), derived("x", "Eq(x, y)")
    (['f(x, 1) = y'], [])
    >>> derived("print(one, other)", "x > 1 ⊢ x > 0\\nso x > 0\\n⊢ 1 > 0")
    ['x > 0', '1 > 0']
    """
    if shown.startswith(("Stated(judgment=", "Chain(links=(")):
        given = re.match(r".*?=\(?(.*?)⊢ ", shown)
        parts = shown.split(f"{given[1] if given else ''}⊢ ")[1:]
        return [printed(re.sub(r"(, |,?\), judgment=|\))$", "", part)) for part in parts]
    if code.rstrip().endswith(".conclusion"):
        return [printed(shown)]
    return [printed(line.split("⊢ ")[-1]) for line in shown.split("\n") if "⊢ " in line]


def printed(relation: str) -> str:
    """A relation as steps print it, from how Python does."""
    if equation := re.fullmatch(r"(Eq|Ne)\((.*)\)", relation):
        sign, sides = equation.groups()
        ends = [place.start() for place in re.finditer(", ", sides)]
        comma = next(end for end in ends if balanced(sides[:end]))
        return f"{sides[:comma]} {SIGNS[sign]} {sides[comma + 2 :]}"
    return re.sub(" (<=|>=) ", lambda sign: f" {SIGNS[sign[1]]} ", relation)


def balanced(text: str) -> bool:
    return all(text.count(one) == text.count(other) for one, other in ("()", "[]"))


def uncarried(cells: Iterable[Shown], core: set[str]) -> Iterator[str]:
    """What cells of a chapter show as derived and is no step of a proof, of a claim of theirs or of
    the core.
    """
    every = list(cells)
    carried = core.union(*(steps(page) for _, _, page in every))
    for code, shown, _ in every:
        found = derived(code, shown)
        if not (shown.startswith("Chain(") and found[-1] in carried):
            single = found[:-1] if shown.startswith("Chain(") else found
            yield from (one for one in single if one not in carried)


def of_core(modules: Iterable[JsonObject]) -> set[str]:
    """The steps of all theorems of the core, as `pipeline.api` describes them, and the axioms."""
    from polycore.proof import AXIOMS  # only here: who wants a type need not wait for the core

    axioms = {printed(str(axiom.conclusion)) for axiom in AXIOMS.values()}
    proofs = [one["proof"] for module in modules for one in module["members"] if "proof" in one]
    return axioms.union(*map(steps, proofs))
