"""What is put into the chapters and into the page "Try it", and what counts as wrong."""

import itertools
import math
import runpy
from contextlib import nullcontext
from pathlib import Path
from types import SimpleNamespace

import pytest
from hypothesis import find, given, settings
from hypothesis import strategies as st

from pipeline import fuzz
from pipeline.browser import show

ROOT = Path(__file__).parents[1]
SITE = ROOT / "_build/html"
TRIED = settings(max_examples=10_000, database=None, derandomize=True)


@pytest.mark.parametrize(
    ("own", "typed"),
    [
        (0.5, lambda x: isinstance(x, float) and math.isnan(x)),
        (0.5, lambda x: isinstance(x, float) and 0.5 < x < 2),
        (8, lambda x: isinstance(x, int) and x > 10**200),
        (8, lambda x: isinstance(x, int) and 8 < x <= 32),
        (8, lambda x: x is None),
        (8, lambda x: x == "abc"),
        ("0.7", lambda x: x == "inf"),
        ("0.7", lambda x: isinstance(x, str) and x != "0.7" and 0 < float(x) < 10),
        (["0.1"], lambda x: x is True),
    ],
)
def test_what_is_typed_is_near_far_and_of_another_kind(own, typed):
    assert typed(find(fuzz.beside(own), lambda x: bool(said(typed, x)), settings=TRIED))


@pytest.mark.parametrize("value", [1e-300, 1e-9, 1e9, 1e300, math.inf, 0, -1])
def test_numbers_far_away_are_typed_as_a_number_and_as_a_text(value):
    for own in (0.5, "0.7"):
        find(fuzz.beside(own), lambda x: said(lambda x: float(x) == value, x), settings=TRIED)


@settings(database=None, derandomize=True)
@given(fuzz.beside(-0.5))
def test_what_is_near_is_at_most_four_times_as_much_and_has_its_sign(value):
    known = [*fuzz.FAR, *fuzz.NO_NUMBER]
    assert any(value is one or value == one for one in known) or -2 <= value <= -0.125


def said(typed, x):
    try:
        return typed(x)
    except (TypeError, ValueError):
        return False


def test_one_or_two_parameters_of_a_chapter_are_changed_and_it_is_quick():
    name, values = find(
        fuzz.chapter(), lambda one: len(one[1]) == 3 and "profile" in one[1], settings=TRIED
    )
    assert values["profile"] == "quick" and {*values} <= {*fuzz.reruns.parameters(name)}
    slow = lambda one: "profile" not in fuzz.reruns.parameters(one[0])
    find(fuzz.chapter(), lambda one: slow(one) and len(one[1]) == 1, settings=TRIED)


@settings(TRIED, max_examples=300, deadline=None)
@given(fuzz.chapter())
def test_no_chapter_is_as_it_was_or_changed_in_more_than_two_parameters(one):
    name, values = one
    assert 1 <= len(values) <= 2 + ("profile" in fuzz.reruns.parameters(name))


@pytest.mark.parametrize("kind", [lambda x: 1e15 < x < math.inf, lambda x: x < 0])
def test_what_is_typed_lies_beyond_both_ends(kind):
    find(fuzz.TYPED, lambda text: kind(fuzz.number(text)), settings=TRIED)


@settings(TRIED, max_examples=1000)
@given(fuzz.TYPED)
def test_no_field_is_emptied(text):
    """With which m would follow n."""
    assert text


CHECKED = {"cell": "checked-parameters", "error": "ValueError: x must be an integer"}


@pytest.mark.parametrize(
    ("made", "is_wrong"),
    [
        (CHECKED, False),
        (CHECKED | {"error": "ValueError: it must be an integer"}, True),
        (CHECKED | {"cell": "drawn"}, True),
        ({"cell": "?", "error": "ended without an answer"}, True),
        ({"claim-6-3": "holds"}, False),
        ({"claim-6-3": "outside-the-hypotheses"}, False),
        ({"claim-6-3": "fails-as-stated"}, True),
        ({}, True),
    ],
    ids=str,
)
def test_a_chapter_refuses_by_name_before_any_work_or_says_nothing_else(made, is_wrong):
    assert bool(fuzz.wrong("one", {"x": 3}, made)) == is_wrong


SOUND = {
    "faults": 0,
    "marked": 0,
    "answers": 4,
    "said": "It fires.",
    "text": "It fires. 0.5",
    "drawn": "",
    "held": ["1"],
    "numbers": [["n", "1", False]],
}
MARKED = SOUND | {"faults": 1, "marked": 1, "answers": 0, "said": "Nothing is computed until"}


@pytest.mark.parametrize(
    ("shown", "again", "is_wrong"),
    [
        (SOUND, SOUND, False),
        (MARKED, MARKED, False),
        (MARKED, MARKED | {"held": ["2"]}, False),
        (MARKED, MARKED | {"faults": 2}, True),
        (SOUND, SOUND | {"held": ["2"]}, True),
        (SOUND | {"text": "NaN"}, SOUND | {"text": "NaN"}, True),
        (SOUND | {"drawn": "Mundefined"}, SOUND | {"drawn": "Mundefined"}, True),
        *[
            (MARKED | spoilt, MARKED | spoilt, True)
            for spoilt in ({"answers": 4}, {"marked": 0}, {"said": "It fires."})
        ],
    ],
)
def test_a_page_marks_a_field_or_answers_and_its_address_leads_back(shown, again, is_wrong):
    assert bool(fuzz.wrong_page(shown, again)) == is_wrong


@pytest.mark.parametrize(
    ("text", "value"),
    [("1e9", 1e9), ("1 000_000", 1e6), ("2^10", 1024), ("1/4", 0.25), ("-.5", -0.5), ("0x10", 16)],
)
def test_a_number_as_people_write_it(text, value):
    assert fuzz.number(text) == value


@pytest.mark.parametrize("text", ["", "x", "1/0", "9^999", "1,5", "1^", "0xg"])
def test_what_is_no_number(text):
    assert math.isnan(fuzz.number(text))


@pytest.mark.parametrize(
    ("text", "is_taken"),
    [("2", True), ("7", True), ("2.5", False), ("1", False), ("8", False), ("x", False)],
)
def test_what_lies_beyond_the_ends_must_be_marked(text, is_taken):
    known = {"n": (True, 2.0, 7.0)}
    assert bool(fuzz.unmarked({"numbers": [["n", text, False]]}, known)) != is_taken
    assert fuzz.unmarked({"numbers": [["n", text, True]]}, known) is None
    if text != "x":  # without a message any number is taken
        assert fuzz.unmarked({"numbers": [["n", text, False]]}, {}) is None


@pytest.mark.parametrize(
    ("shown", "said"),
    [
        (SOUND, None),
        (SOUND | {"numbers": [["n", "x", False]]}, "n = 'x' is taken"),
        (SOUND | {"text": "NaN"}, "it shows NaN"),
    ],
)
def test_what_is_wrong_is_told_with_the_address_of_its_setting(shown, said):
    answers = {fuzz.SHOWN: shown, fuzz.MESSAGES: [], "location.hash": "#panel=scores&n=1"}
    tab = SimpleNamespace(evaluate=lambda script, *_: answers.get(script))
    found = fuzz.look(tab, "scores", [(0, "1")])
    if said is None:
        assert found is None
    else:
        assert found.startswith(said) and found.endswith(f": {fuzz.PAGE}#panel=scores&n=1")


def test_the_ends_of_a_field_are_those_that_its_message_names():
    messages = [
        ["n", "An integer from 2 to 1e6, please."],
        ["κ", "A number from 0 to 3.5, please."],
        ["kind", "One of these, please."],
    ]
    tab = SimpleNamespace(evaluate=lambda asked, _: messages if asked == fuzz.MESSAGES else None)
    assert fuzz.ends(tab, "one") == {"n": (True, 2.0, 1e6), "κ": (False, 0.0, 3.5)}


NO_ANSWER = {"cell": "?", "error": "ended without an answer"}


@pytest.mark.parametrize(
    ("limit", "given_up", "said"),
    [(60, 0, ["drawn: no answer", "ended without an answer"]), (0, 1, ["drawn: no answer"])],
)
def test_runs_of_chapters_are_counted_and_each_kind_of_error_told(
    limit, given_up, said, monkeypatch, capsys
):
    """A run that ends without an answer is given up where its time was over, and wrong before."""
    made = [CHECKED, {"claim-6-3": "holds"}, NO_ANSWER]
    made += [{"cell": "drawn", "error": f"no answer, {k}"} for k in (1, 2)]
    monkeypatch.setattr(fuzz.reruns, "prove", lambda: None)
    monkeypatch.setattr(fuzz.reruns, "answers", lambda todo, how: [(*todo[0], made.pop(0))])
    monkeypatch.setattr(fuzz, "LIMIT", limit)
    monkeypatch.setattr(
        fuzz, "repeat", lambda run, values: [run(("one", {"x": 3})) for _ in range(5)]
    )
    with pytest.raises(SystemExit) as ended:
        fuzz.parameters()
    assert f"chapters: 5 runs, {given_up} given up after {limit} s" in capsys.readouterr().out
    lines = ended.value.code.split("\n")
    assert len(lines) == len(said) and all(any(one in line for line in lines) for one in said)
    assert "no answer, 2" in ended.value.code


@pytest.mark.parametrize(
    ("faults", "complaint"),
    [([None, None], ""), (["a text"], "a text"), ([None, "a text"], "a text"), ([None], "Type")],
)
def test_settings_of_the_page_are_counted_and_a_wrong_one_ends_it(
    faults, complaint, monkeypatch, capsys
):
    heard, told = [], iter(faults)
    tab = SimpleNamespace(on=lambda event, what: heard.append(what))
    browser = SimpleNamespace(new_page=lambda: tab)
    monkeypatch.setattr(fuzz, "served", lambda site: nullcontext("here/"))
    monkeypatch.setattr(fuzz, "chromium", lambda: nullcontext(browser))
    monkeypatch.setattr(fuzz, "show", lambda tab, address: None)

    def look(tab, panel, steps):
        if complaint == "Type":
            heard[0]("TypeError")
        return next(told)

    monkeypatch.setattr(fuzz, "look", look)
    monkeypatch.setattr(fuzz, "repeat", lambda run, values: [run(("scores", [])) for _ in range(2)])
    with pytest.raises(AssertionError, match=complaint) if complaint else nullcontext():
        fuzz.page()
    assert ("page: 2 settings" in capsys.readouterr().out) == (not complaint)


def test_values_are_tried_until_the_time_is_over(monkeypatch):
    """By a clock that each look at it sets on by a second."""
    clock = SimpleNamespace(monotonic=itertools.count().__next__, time_ns=fuzz.time.time_ns)
    monkeypatch.setattr(fuzz, "time", clock)
    monkeypatch.setattr(fuzz, "MINUTES", 20)
    tried = []
    fuzz.repeat(tried.append, st.integers(0, 10**9))
    assert 1180 < len(tried) < 1200 and len({*tried}) > 900
    assert 1200 <= clock.monotonic() < 1310  # the round is ended, without another value


def test_an_error_comes_with_the_least_value_that_makes_it(monkeypatch):
    monkeypatch.setattr(fuzz, "MINUTES", 1)

    def run(value):
        assert value < 100, value

    with pytest.raises(AssertionError, match="^100"):
        fuzz.repeat(run, st.integers(0, 10**6))


def test_chapters_and_the_page_are_fuzzed_beside_each_other(monkeypatch):
    started = []

    def start(command):
        started.append(command[1:])
        return SimpleNamespace(wait=lambda: len(started))  # both run before one is waited for

    monkeypatch.setattr(fuzz.subprocess, "Popen", start)
    monkeypatch.setattr(fuzz.sys, "argv", ["fuzz"])
    with pytest.raises(SystemExit) as ended:
        runpy.run_path(str(ROOT / "pipeline/fuzz.py"), run_name="__main__")
    assert ended.value.code == 4
    assert started == [["-m", "pipeline.fuzz", what] for what in ("parameters", "page")]


def test_one_of_the_two_can_be_asked_for(monkeypatch):
    monkeypatch.setattr(fuzz.sys, "argv", ["fuzz", "page"])
    monkeypatch.setattr("pipeline.browser.served", str)
    with pytest.raises(TypeError, match="context manager"):  # what is served here is no site
        runpy.run_path(str(ROOT / "pipeline/fuzz.py"), run_name="__main__")


@pytest.mark.site
@pytest.mark.parametrize(
    ("was", "becomes", "steps", "complaint"),
    [
        ("", "", [(0, "2.5")], None),
        ("", "", [(0, "1e6"), (1, "0.7")], None),
        ("Number.isInteger(value)", "true", [(0, "2.5")], "scores-n = '2.5' is taken"),
        ("value >= min &&", "value >= min / 2 &&", [(0, "1")], "scores-n = '1' is taken"),
        ('"aria-invalid", text !== ""', '"x", 0', [(0, "2.5")], "scores-n = '2.5' is taken"),
        ("if (!free || value)", "if (true)", [(0, "0")], "its address leads to another setting"),
        ("", "", [(0, "0.01"), (0, "0")], None),  # m does not follow an n that is none
    ],
)
def test_a_page_that_takes_what_it_should_not_is_found(
    was, becomes, steps, complaint, browser, address
):
    script = (SITE / "_static/controls.js").read_text(encoding="utf-8").replace(was, becomes)
    tab = browser.new_page()
    tab.route("**/controls.js*", lambda asked: asked.fulfill(body=script))
    show(tab, address + fuzz.PAGE)
    said = fuzz.look(tab, "scores", steps)
    tab.close()
    assert said is None if complaint is None else complaint in said
