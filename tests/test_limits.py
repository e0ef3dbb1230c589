"""Every limit of a parameter is the one that a docstring states: what is checked while the examples
run, beside what the docstrings of the functions that check say.
"""

import doctest
import importlib
import inspect
import operator
import pkgutil
import re
import sys
from collections import namedtuple
from fractions import Fraction
from functools import cache

import pytest

import polycore
from polycore import checks
from polycore.checks import integer

SIGNS = {">=": operator.ge, ">": operator.gt, "<": operator.lt, "<=": operator.le}
LIMITS = {"at_least": ">=", "above": ">", "below": "<", "at_most": "<="}
INTERVAL = re.compile(r"((?:\w+, )*\w+) in ([\[(])(\S+), (\S+)([\])])")
RANGE = re.compile(r"((?:\w+(?:,| and) )*\w+) (from|above) (\S+) to (below )?([\w^/.-]*\w)")
# Limits of what an array holds, or another function finds.
NOT_STATED = {
    ("Problem", "held_out", "<="),
    ("rademacher_columns", "n", "<="),
    ("draw_fires_at", "trials", "<="),
    ("threshold_closes", "noise", "<"),
}


Limit = namedtuple("Limit", "code name sign end whole known")


@cache
def rooms():
    """The modules of the core, but those that take no numbers."""
    names = [room.name for room in pkgutil.walk_packages(polycore.__path__, "polycore.")]
    without = "polycore.theory", "polycore.recorded"
    return [importlib.import_module(name) for name in names if not name.startswith(without)]


@cache
def public():
    """Module, name and docstring of the public functions and methods of the core, by their code."""
    found = {}
    for room in rooms():
        for name in getattr(room, "__all__", ()):
            one = inspect.unwrap(getattr(room, name))
            for member, function in vars(one).items() if inspect.isclass(one) else [("", one)]:
                for inner in ("__func__", "func", "fget"):
                    function = getattr(function, inner, function)
                if inspect.isfunction(function):
                    begins = member in ("", "__post_init__")
                    title, of = (name, one) if begins else (f"{name}.{member}", function)
                    found[function.__code__] = one.__module__, title, inspect.getdoc(of) or ""
    return found


@cache
def documents(code):
    """The docstring of a function, and those of all that it names."""
    found, new = [], [public()[code]]
    while new:
        found += new
        new = [one for of in new for one in named_by(of) if one not in found]
    return [doc for *_, doc in found]


def named_by(of):
    """What a docstring names: of several of one name that of its own module or the one named."""
    here, _, doc = of
    for where, name in re.findall(r"`(?:\w+\.)*?(?:(\w+)\.)?(\w+)`", doc):
        called = [one for one in public().values() if one[1] == name]
        near = [one for one in called if one[0] == here or where and one[0].endswith(f".{where}")]
        yield from near or called


@cache
def relations(doc):
    """What a docstring says of numbers: left side, sign and right side, as they are written."""
    text = " ".join(doc.split(">>>")[0].replace("`", "").split())
    words = text.split()
    found = [of for at, word in enumerate(words) if word in SIGNS for of in related(words, at)]
    for names, opening, low, high, closing in INTERVAL.findall(text):
        signs = ">" if opening == "(" else ">=", "<" if closing == ")" else "<="
        found += [(name, *of) for name in names.split(", ") for of in zip(signs, (low, high))]
    for names, start, low, below, high in RANGE.findall(text):
        signs = ">" if start == "above" else ">=", "<" if below else "<="
        names = re.split(", | and ", names)
        found += [(name, *of) for name in names for of in zip(signs, (low, high))]
    return found


def related(words, at):
    """The relations of a sign: n, m >= 2, n m <= 2^40, d - 2 <= size; and low <= high <= 1."""
    left = [words[at - 1].lstrip("("), " ".join(words[at - 3 : at])]
    if words[at - 2].isidentifier():
        left.append(" * ".join(words[at - 2 : at]))
    listed = at - 2
    while words[listed].removesuffix(",").isidentifier() and words[listed].endswith(","):
        left.append(words[listed][:-1])
        listed -= 1
    sign = words[at]
    while words[at : at + 1] == [sign]:
        more = words[at + 2 : at + 3] in (["-"], ["+"])
        right = " ".join(words[at + 1 : at + (4 if more else 2)]).rstrip(",.;:)")
        yield from ((one, sign, right) for one in left)
        at += 2


@cache
def read(side):
    """The code of a side of a relation, its numbers exact; None where it is no formula."""
    if re.search(r"[A-Za-z]\w*\.|\.[A-Za-z]", side):
        return None  # of an object
    number = r"(?<![\w.])\d+(\.\d+)?(e-?\d+)?"
    exact = re.sub(number, r"Fraction('\g<0>')", side.replace("^", "**"))
    try:
        return compile(exact, side, "eval")
    except SyntaxError:
        return None  # no formula


def value(side, known):
    """What a side of a relation is; None where that is not known."""
    code = read(side)
    if not code or not {*code.co_names} <= {"Fraction"} | known.keys():
        return None
    found = eval(code, {"Fraction": Fraction}, known)
    return found if isinstance(found, (Fraction, float)) else None


def step(limit):
    return Fraction(1) if limit.whole else abs(limit.end) / 10**9 or Fraction(1, 10**9)


def inside(limit):
    """The last number that a limit admits, or one close to it."""
    return limit.end + {">": step(limit), "<": -step(limit)}.get(limit.sign, 0)


def outside(limit):
    return limit.end + {">=": -step(limit), "<=": step(limit)}.get(limit.sign, 0)


def holds(relation, limit, number):
    """Whether a relation is known to hold for this number in place of the parameter."""
    left, sign, right = relation
    sides = [value(side, limit.known | {limit.name: number}) for side in (left, right)]
    return None not in sides and SIGNS[sign](*sides)


def agree(relation, limit):
    """Whether a relation of the parameter begins or ends to hold just where the limit is."""
    sides = read(relation[0]), read(relation[2])
    about = any(code and limit.name in code.co_names for code in sides)
    ends = inside, outside
    return about and [holds(relation, limit, end(limit)) for end in ends] == [True, False]


def numbers(frame):
    """The numbers known in a function, and in the object of a method."""
    known = vars(of) if hasattr(of := frame.f_locals.get("self"), "__dict__") else {}
    is_number = lambda one: isinstance(one, (int, float, Fraction)) and abs(one) < 1e300
    both = {**known, **frame.f_locals}
    return {name: Fraction(one) for name, one in both.items() if is_number(one)}


@cache
def checked():
    """The limits that are checked while the examples run, with what is known where it is done."""
    found = []

    def see(frame, event, _):
        if event == "call" and frame.f_code in (integer.__code__, checks._real.__code__):
            given, whole = frame.f_locals, frame.f_code is integer.__code__
            while frame and (
                frame.f_code not in public() or frame.f_code.co_filename == checks.__file__
            ):
                frame = frame.f_back
            for limit, sign in LIMITS.items():
                if frame and (end := given.get(limit)) is not None:
                    # 0.1 is meant as a decimal, and 2.0**-m is not
                    ends = dict.fromkeys([Fraction(end), Fraction(str(end))])
                    told = frame.f_code, given["name"], sign
                    found.append([Limit(*told, one, whole, numbers(frame)) for one in ends])

    for room in rooms():
        for test in doctest.DocTestFinder().find(room):
            sys.setprofile(see)
            try:
                doctest.DocTestRunner().run(test, out=lambda said: None)
            finally:
                sys.setprofile(None)
    return found


def written(limit):
    return public()[limit.code][1], limit.name, limit.sign


@pytest.mark.slow
def test_what_is_checked_is_stated():
    missing = {}
    for limits in checked():
        one = limits[0]
        told = [of for doc in documents(one.code) for of in relations(doc)]
        counts = one.whole and (one.sign, one.end) == (">=", 1)  # a number of things
        if not counts and not any(agree(of, limit) for of in told for limit in limits):
            missing[written(one)] = float(one.end)
    assert missing.keys() == NOT_STATED, missing


def test_what_is_excluded_is_refused():
    """A number that the docstring excludes is admitted by no limit, or not by all, where it says
    when.
    """
    limits, wrong = {}, []
    for found in checked():
        one = found[0]
        limits.setdefault((one.code, one.name, one.sign[0]), []).extend(found)
    for (code, name, rises), of in limits.items():
        for left, sign, right in relations(public()[code][2]):
            other = right if left == name else left
            about = name in (left, right) and value(other, {}) is not None
            same_side = about and (sign[0] == rises) == (left == name)
            if same_side and not any(holds((left, sign, right), one, inside(one)) for one in of):
                wrong.append((*written(of[0]), f"{left} {sign} {right}"))
    assert wrong == []


def probed(n: int, d: int, tau: float, b: str, m: int):
    """n >= 2, d in [4, 10^3), n d <= 100; 2^-n <= `tau` < 1/2, `b` from 1/10 to 0.9, n - 1 < m."""


@pytest.mark.parametrize(
    ("name", "sign", "end", "whole", "right"),
    [
        ("n", ">=", 2, True, True),
        ("n", ">=", 3, True, False),
        ("n", ">", 2, True, False),
        ("d", "<", 1000, True, True),
        ("d", "<=", 999, True, True),
        ("d", "<=", 1000, True, False),
        ("d", "<=", 20, True, True),
        ("d", "<=", 19, True, False),
        ("tau", ">=", 2.0**-5, False, True),
        ("tau", ">", 2.0**-5, False, False),
        ("tau", "<", 0.5, False, True),
        ("tau", "<", 1.5, False, False),
        ("b", ">=", Fraction(1, 10), False, True),
        ("b", "<=", Fraction(9, 10), False, True),
        ("b", "<", Fraction(9, 10), False, False),
        ("m", ">=", 5, True, True),
        ("m", ">=", 4, True, False),
    ],
)
def test_a_limit_beside_its_docstring(name, sign, end, whole, right):
    limit = Limit(None, name, sign, Fraction(end), whole, {"n": Fraction(5)})
    assert any(agree(of, limit) for of in relations(inspect.getdoc(probed))) is right
