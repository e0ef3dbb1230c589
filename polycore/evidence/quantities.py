"""Numbers as evidence takes them and as the ledger holds them: exact ones, balls, and floats with
their tolerances.
"""

import math
from collections.abc import Sequence
from fractions import Fraction
from numbers import Integral, Rational, Real

import numpy as np
from flint import arb, fmpq, fmpz
from numpy.typing import NDArray

from polycore.checks import real
from polycore.tails.rademacher import Tail

__all__ = ["ball", "exactly", "number", "plain", "rounded"]

# What is taken as exact, what is kept of it and of other values, and what a file holds.
Exactly = (
    int | np.integer | Fraction | fmpz | fmpq | str | Sequence["Exactly"] | NDArray[np.integer]
)
Exact = int | Fraction | str | tuple["Exact", ...]
Held = Exact | float | None | tuple["Held", ...] | dict[str, "Held"]
Json = int | float | str | None | list["Json"] | dict[str, "Json"]

DIGITS = 9  # of a float that the ledger holds, where the method earns no fewer


def exactly(what: str, value: object) -> Exact:
    """Integers, fractions, words and lists of them, as Python's own, which cannot be changed;
    TypeError naming `what` for the rest.

    >>> exactly("ranks", [np.int64(3), fmpq(1, 2), "none"])
    (3, Fraction(1, 2), 'none')
    """
    if isinstance(value, np.ndarray):
        return exactly(what, value.tolist())
    if isinstance(value, (list, tuple)):
        return tuple(exactly(what, one) for one in value)
    if isinstance(value, (bool, np.bool_)):
        raise TypeError(
            f"{what!r} got a truth value, which hides what was compared; give the two sides"
        )
    if isinstance(value, str):
        return str(value)
    if isinstance(value, (Integral, fmpz)):
        return int(value)
    if isinstance(value, fmpq):
        value = Fraction(int(value.p), int(value.q))
    if isinstance(value, Rational):
        value = Fraction(int(value.numerator), int(value.denominator))
        return value if value.denominator > 1 else int(value)
    kind = type(value).__name__
    raise TypeError(
        f"{what!r} got {value!r} ({kind}), which is not exact; use numeric with its error, or "
        "certified with an enclosure"
    )


def ball(what: str, value: object) -> arb:
    """A ball around what is given; a float is read by its shortest decimal. TypeError naming `what`
    where nothing is enclosed.

    >>> ball("a tenth", 0.1) * 10 - 1 < 1e-15, ball("a half", Tail(0.25, 0.75, "a bound", "bound"))
    (True, [+/- 0.751])
    """
    if isinstance(value, arb):
        return value
    if isinstance(value, Tail):
        if value.rigour not in ("exact", "certified", "bound"):
            raise TypeError(
                f"{what!r} rests on “{value.method}”, which is {value.rigour}: no enclosure"
            )
        return value.ball
    if isinstance(value, Real) and not isinstance(value, (bool, np.bool_, Rational)):
        value = Fraction(repr(real(what, value)))
    one = exactly(what, value)
    if not isinstance(one, (int, Fraction)):
        raise TypeError(f"{what!r} got {value!r}, which is not a number and encloses nothing")
    return arb(fmpq(one.numerator, one.denominator))


def rounded(enclosure: arb) -> tuple[float, float]:
    """(value, tolerance) of a ball as the ledger holds them: DIGITS digits, or as many as the
    radius leaves.

    >>> rounded(arb.pi()), rounded(arb(2, 0.01))
    ((3.14159265, 4e-09), (2.0, 0.011))
    """
    middle, radius = float(enclosure.mid()), float(enclosure.rad()) * (1 + 2**-50)
    if not math.isfinite(middle + radius):
        raise ValueError(
            f"{enclosure} is not a number that a ledger can hold; store what was computed instead"
        )
    places = [
        math.floor(math.log10(size)) - down
        for size, down in ((abs(middle), DIGITS - 1), (radius, 0))
        if size
    ]
    if not places:
        return 0.0, 0.0
    value = round(middle, -max(places)) + 0.0  # never -0.0
    return value, _upward(
        Fraction(radius) + abs(Fraction(value) - Fraction(middle)), max(places) - 1
    )


def _upward(number, place):
    """The least multiple of 10^place that is no less."""
    return float(Fraction(10) ** place * math.ceil(Fraction(number) / Fraction(10) ** place))


def number(bound: object) -> Held:
    """A bound as the ledger holds it: exact where it was given so, otherwise the middle of its
    ball.

    >>> number([1, Fraction(1, 3), 0.5])
    (1, Fraction(1, 3), 0.5)
    """
    if isinstance(bound, (list, tuple, np.ndarray)):
        return tuple(map(number, bound))
    return (
        exactly("a bound", bound)
        if isinstance(bound, Rational)
        else float(ball("a bound", bound).mid())
    )


def plain(value: Held) -> Json:
    """A value as JSON holds it: integers and words as they are, fractions as words, floats to
    DIGITS digits.

    >>> plain({"at_most": (Fraction(1, 3), 1 / 3)})
    {'at_most': ['1/3', 0.333333333]}
    """
    if isinstance(value, dict):
        return {name: plain(one) for name, one in value.items()}
    if isinstance(value, tuple):
        return [plain(one) for one in value]
    if isinstance(value, Fraction):
        return str(value)
    return float(f"{value:.{DIGITS}g}") if isinstance(value, float) else value
