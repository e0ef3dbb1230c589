"""How two ledgers differ: words and integers in anything, numbers by more than their tolerances."""

import math
from collections.abc import Iterable
from numbers import Real

from pipeline.files import JsonObject

DIGITS = 9  # of a float without a tolerance of its own: a bound, the ends of an interval, a rate
# Times as wide as committed, a tolerance is reported: the method earns less. Rounding moves one by
# 1.6 at most, an error just below a power of ten and just above it; one twice as large by 1.625.
WIDER = 1.61


def compare(reference: Iterable[JsonObject], rebuilt: Iterable[JsonObject]) -> list[str]:
    """The differences between two ledgers, as lines for a person; none when they agree.

    A value may differ by what its two tolerances allow together, any other float in its ninth
    digit.

    >>> compare([{"id": "a", "verdict": "holds"}], [{"id": "a", "verdict": "open"}])
    ["a: verdict: 'holds' became 'open'"]
    >>> one, other = ({"id": "a", "value": value, "tolerance": 0.01} for value in (0.5, 0.52))
    >>> compare([one], [other]), compare([one], [{**other, "value": 0.53}])
    ([], ['a: value: 0.5 became 0.53, by more than ± 0.01'])
    """
    old, new = ({claim["id"]: claim for claim in ledger} for ledger in (reference, rebuilt))
    lines = [f"{key}: no longer in the ledger" for key in old if key not in new]
    lines += [f"{key}: not in the committed ledger" for key in new if key not in old]
    for key in [key for key in old if key in new]:
        lines += [f"{key}: {line}" for line in _differences("", old[key], new[key])]
    return lines


def _differences(where, old, new):
    if isinstance(old, dict) and isinstance(new, dict):
        measured = "tolerance" in old and "tolerance" in new
        if measured:
            yield from _moved(where, old, new)
        for name in sorted(
            (old.keys() | new.keys()) - ({"value", "tolerance"} if measured else set())
        ):
            yield from _differences(_join(where, name), old.get(name), new.get(name))
    elif isinstance(old, list) and isinstance(new, list) and _names(old) and _names(new):
        old, new = (dict(zip(_names(side), side)) for side in (old, new))
        yield from (f"{where}: “{name}” is gone" for name in old if name not in new)
        yield from (f"{where}: “{name}” is new" for name in new if name not in old)
        for name in [name for name in old if name in new]:
            yield from _differences(_join(where, name), old[name], new[name])
    elif isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        for position, pair in enumerate(zip(old, new)):
            yield from _differences(_join(where, position), *pair)
    elif isinstance(old, float) or isinstance(new, float):
        if not (_numbers(old, new) and math.isclose(old, new, rel_tol=2 * 10.0**-DIGITS)):
            yield f"{where}: {old!r} became {new!r}"
    elif old != new or type(old) is not type(new):
        yield f"{where}: {old!r} became {new!r}"


def _moved(where, old, new):
    """Values that differ by more than their tolerances, and tolerances that grew."""
    several = isinstance(old["value"], list)
    value, tolerance = _join(where, "value"), _join(where, "tolerance")
    if (
        several != isinstance(new["value"], list)
        or several
        and len(old["value"]) != len(new["value"])
    ):
        yield f"{value}: {old['value']!r} became {new['value']!r}"
        return
    rows = [
        each[name] if several else [each[name]]
        for each in (old, new)
        for name in ("value", "tolerance")
    ]
    for place, (before, allowed, now, error) in enumerate(zip(*rows)):
        at = f" > {place}" if several else ""
        if not _numbers(before, now) or abs(before - now) > (allowed + error) * (1 + 1e-6):
            limit = max(allowed, error)
            yield f"{value}{at}: {before!r} became {now!r}, by more than ± {limit:.2g}"
        elif error > WIDER * allowed and error > 2 * 10.0**-DIGITS * abs(now):
            yield f"{tolerance}{at}: {allowed!r} became {error!r}"


def _numbers(*values):
    return all(isinstance(value, Real) and not isinstance(value, bool) for value in values)


def _join(where, name):
    return f"{where} > {name}" if where else str(name)


def _names(items):
    """What tells the items of a list apart, or nothing."""
    names = [item["what"] for item in items if isinstance(item, dict) and "what" in item]
    return names if len(set(names)) == len(items) else []
