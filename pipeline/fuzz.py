"""Values that nobody chose, for ten minutes each: in the parameters of the chapters, and in the
fields of the page "Try it" (`make fuzz`).

A chapter refuses a value in the cell that checks, naming the parameter, or all its statements come
out as `make reruns` asks. A field says what is wrong with it, or the page answers with numbers; and
the address of a setting leads back to it. Hypothesis makes the values.
"""

from __future__ import annotations

import math
import os
import re
import subprocess
import sys
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from hypothesis import HealthCheck, given, seed, settings
from hypothesis import strategies as st

from pipeline import reruns
from pipeline.browser import chromium, served, show
from pipeline.execution import settings as environment
from pipeline.files import JsonObject, chapters
from pipeline.site import SITE

if TYPE_CHECKING:
    from playwright.sync_api import Page

__all__ = [
    "beside",
    "chapter",
    "ends",
    "fields",
    "look",
    "number",
    "page",
    "parameters",
    "unmarked",
    "wrong",
    "wrong_page",
]

MINUTES = float(os.environ.get("MINUTES", 10))
LIMIT = 60  # seconds of a chapter, after which it is given up: the value was taken, and is large
FAR = 1e-300, 1e-9, 1e9, 1e300, math.inf, math.nan, 0.0, -1.0
NO_NUMBER = None, True, "", "abc", "0.5", "1e9", [1]
PAGE = "book/play.html"
PANELS = "scores", "tokens", "head"
Steps = list[tuple[int, str | int]]  # a field of a panel, and what is put there
Ends = dict[str, tuple[bool, float, float]]
NONSENSE = re.compile("NaN|undefined|Infinity|null|false|object")


def beside(own: object) -> st.SearchStrategy[Any]:
    """What somebody may type in place of a parameter: another number, near it or far away; or
    something of another kind.
    """
    kind = type(own) if isinstance(own, (int, float)) else float
    far = [kind(x) for x in FAR if kind is float or math.isfinite(x)]
    if isinstance(own, str):
        digits = st.floats(0, 10, width=16).map(lambda x: f"{x:.3g}")
        return st.one_of(digits, st.sampled_from([own, *NO_NUMBER, *map(repr, far)]))
    if not isinstance(own, (int, float)) or isinstance(own, bool):
        return st.sampled_from([own, *NO_NUMBER])
    near = st.floats(-1, 1).map(lambda x: kind(own * 4**x))
    return st.one_of(near, near, st.sampled_from([*far, *NO_NUMBER]))


@st.composite
def chapter(draw: st.DrawFn) -> tuple[str, reruns.Values]:
    """A chapter and other values for one or two of its parameters."""
    name = draw(st.sampled_from(chapters()))
    own = reruns.parameters(name)
    changed = draw(st.lists(st.sampled_from([*own]), min_size=1, max_size=2, unique=True))
    quick = {"profile": "quick"} if "profile" in own else {}
    return name, quick | {one: draw(beside(own[one])) for one in changed}


def wrong(name: str, values: reruns.Values, made: JsonObject) -> str | None:
    """What is wrong with a run of a chapter; None where nothing is."""
    if made.get("cell", "").startswith("checked-"):
        named = any(re.search(rf"\b{one}\b", made["error"]) for one in values)
        return None if named else f"{name} with {values}: names no parameter: {made['error']}"
    return reruns.problem(name, values, made)


def parameters() -> None:
    """Run chapters with other values, each in a fork that holds all proofs."""
    os.environ.update(environment(), MPLBACKEND="Agg")
    reruns.LIMIT = LIMIT
    reruns.prove()
    done, found = list[bool](), dict[tuple[str, str], str]()

    def run(one: tuple[str, reruns.Values]) -> None:
        began = time.monotonic()
        [(name, values, made)] = reruns.answers([one], reruns.outcome)
        done.append(made.get("cell") != "?" or time.monotonic() - began < LIMIT)
        if not done[-1]:
            return
        if said := wrong(name, values, made):
            found[name, made.get("cell", "")] = said  # one of each kind: all are wanted, not one

    repeat(run, chapter())
    print(f"chapters: {len(done)} runs, {done.count(False)} given up after {LIMIT} seconds")
    if found:
        sys.exit("\n".join(found.values()))


TYPED = st.one_of(  # not an empty text, which leaves m to follow n
    st.floats(-1, 20).map(lambda x: f"{10**x:.3g}"),
    st.floats(0, 5, width=16).map(lambda x: f"{x:.3g}"),
    st.integers(-2, 300).map(str),
    st.sampled_from([" ", "x", "1/3", "2^20", "1e999", "-0", "1 000", "0,5", "NaN", "0x10", "½"]),
    st.text(min_size=1, max_size=4),
)


@st.composite
def fields(draw: st.DrawFn) -> tuple[str, Steps]:
    """A panel, and what is put into some of its fields, one after another."""
    steps = st.tuples(st.integers(0, 11), st.one_of(TYPED, TYPED, st.integers(0, 5)))
    return draw(st.sampled_from(PANELS)), draw(st.lists(steps, min_size=1, max_size=6))


# In the page: put the values in as a reader does; what is shown then, and whether it says so.
TYPE = """([panel, steps]) => {
    const root = document.getElementById(`play-${panel}`);
    const inputs = [...root.querySelectorAll('fieldset :is(input[type=text], select)')];
    for (const [place, value] of steps) {
        const input = inputs[place % inputs.length], {options} = input;
        if (input.disabled) continue;
        if (options) input.selectedIndex = (value.length ?? value) % options.length;
        else input.value = value;
        input.dispatchEvent(new Event('input', {bubbles: true}));
    }
}"""
SHOWN = """async panel => {
    const root = document.getElementById(`play-${panel}`);
    while (root.querySelector('[aria-busy=true]')) await new Promise(requestAnimationFrame);
    const all = what => [...root.querySelectorAll(what)];
    return {
        faults: all('.fault').filter(one => one.textContent).length,
        marked: all('[aria-invalid=true]').length,
        answers: all(':is(.answer, .bars)').length,
        said: root.querySelector('output').innerText,
        text: root.querySelector('output').innerText + root.querySelector('.results').innerText,
        drawn: all('.results [style], .results [d], .results [x], .results [height]')
            .map(one => one.outerHTML.slice(0, 200)).join(' '),
        held: all('fieldset :is(input[type=text], select)').map(one => one.value),
        numbers: all('fieldset input[type=text]:enabled').map(one =>
            [one.id, one.value, one.getAttribute('aria-invalid') == 'true']),
    };
}"""
MESSAGES = """panel => [...document.querySelectorAll(`#play-${panel} .fault`)]
    .map(one => [one.id.replace('-fault', ''), one.textContent])"""
RETURN = """hash => {
    history.replaceState(null, '', hash); dispatchEvent(new HashChangeEvent('hashchange'));
}"""


def number(text: str) -> float:
    """A number as people write it, by our own reading: 1e9, 1 000, 2^20, 1/3; NaN if it is none."""
    plain = re.sub(r"[\s_]", "", text)
    try:
        if pair := re.fullmatch(r"([\d.]+)([\^/])([\d.]+)", plain):
            one, other = float(pair[1]), float(pair[3])
            return one**other if pair[2] == "^" else one / other
        return float(int(plain, 16) if plain[:2] == "0x" else plain)
    except (ValueError, OverflowError, ZeroDivisionError):
        return math.nan


def ends(tab: Page, panel: str) -> Ends:
    """Whether each number of a panel is whole, and its two ends, as its message says them."""
    tab.evaluate(TYPE, [panel, [(place, "x") for place in range(12)]])
    found = {}
    for key, said in tab.evaluate(MESSAGES, panel):
        if pair := re.search(r"(number|integer) from (\S+) to (\S+),", said):
            found[key] = pair[1] == "integer", float(pair[2]), float(pair[3])
    return found


def unmarked(shown: JsonObject, known: Ends) -> str | None:
    """A number beyond the ends that its own message names, and not marked."""
    for key, text, marked in shown["numbers"]:
        whole, least, most = known.get(key, (False, -math.inf, math.inf))
        value = number(text)
        if not marked and not (least <= value <= most and (not whole or value == int(value))):
            return f"{key} = {text!r} is taken: from {least:g} to {most:g}, whole: {whole}"
    return None


def wrong_page(shown: JsonObject, again: JsonObject) -> str | None:
    """What is wrong with what a panel shows, and shows again at the address of its setting."""
    if bool(shown["faults"]) != ("Nothing is computed" in shown["said"]):
        return "an answer in spite of a fault, or none without one"
    if bool(shown["faults"]) == bool(shown["answers"]) or shown["faults"] != shown["marked"]:
        return "the fields that are marked are not those with a message"
    if found := NONSENSE.search(shown["text"] + shown["drawn"]):
        return f"it shows {found[0]}"
    if shown["faults"]:  # a field that follows the marked one shows what it was before
        shown, again = ({**one, "held": None, "numbers": None} for one in (shown, again))
    other = [f"{key}: {shown[key]!r}, {again[key]!r}" for key in shown if again[key] != shown[key]]
    return "its address leads to another setting: " + "; ".join(other) if other else None


def look(tab: Page, panel: str, steps: Steps) -> str | None:
    """What is wrong after values were put into the fields of a panel, one after another."""
    known = ends(tab, panel)
    tab.evaluate(RETURN, f"#panel={panel}")
    tab.evaluate(TYPE, [panel, steps])
    shown, hash = tab.evaluate(SHOWN, panel), tab.evaluate("location.hash")
    tab.evaluate(RETURN, f"#panel={panel}")
    tab.evaluate(RETURN, hash)
    said = unmarked(shown, known) or wrong_page(shown, tab.evaluate(SHOWN, panel))
    return f"{said}: {PAGE}{hash}" if said else None


def page() -> None:
    """Type into the fields of the built page, in a browser."""
    complaints, done = list[str](), list[str | None]()
    with served(SITE) as address, chromium() as browser:
        tab = browser.new_page()
        tab.on("pageerror", lambda error: complaints.append(str(error)))
        show(tab, address + PAGE)

        def run(one: tuple[str, Steps]) -> None:
            done.append(look(tab, *one))
            assert not complaints, complaints.pop()
            assert done[-1] is None, done[-1]

        repeat(run, fields())
    print(f"page: {len(done)} settings")


def repeat(run: Callable[..., None], values: st.SearchStrategy[Any]) -> None:
    """Try values until the time is over; an error ends it, with the least value that makes it."""
    end = time.monotonic() + 60 * MINUTES

    @settings(max_examples=100, deadline=None, suppress_health_check=list(HealthCheck))
    @given(values)
    def test(value: Any) -> None:
        if time.monotonic() < end:
            run(value)

    while time.monotonic() < end:
        seed(time.time_ns())(test)()


def fuzz() -> int:
    """Both beside each other, each in a process of its own."""
    command = [sys.executable, "-m", "pipeline.fuzz"]
    both = [subprocess.Popen([*command, what]) for what in ("parameters", "page")]
    return sum(process.wait() for process in both)


if __name__ == "__main__":
    named: dict[str, Callable[[], None]] = {"parameters": parameters, "page": page}
    sys.exit(named[sys.argv[1]]() if sys.argv[1:] else fuzz())
