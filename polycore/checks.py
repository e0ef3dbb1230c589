"""One-line validators, run before any work: each names the value, the cause and the remedy."""

import math
import numbers
import operator
import re
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from fractions import Fraction
from typing import Any, SupportsIndex, TypedDict, TypeVar, Unpack

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = [
    "integer",
    "one_of",
    "real",
    "probability",
    "common",
    "named",
    "rational",
    "numbers_of",
    "vector",
    "matrix",
    "multiplicities",
    "attention_weights",
    "generator",
]

Floats = NDArray[np.float64]
Number = float | Fraction
Readable = Number | str  # what `rational` reads
Word = TypeVar("Word", bound=str | int)


class Limits(TypedDict, total=False):
    """What `real` and `rational` are told of a number."""

    at_least: Number
    above: Number
    below: Number
    at_most: Number
    hint: str


def integer(name: str, value: SupportsIndex, at_least: int = 1, at_most: int | None = None) -> int:
    """`value` as a Python int.

    >>> integer("n", 0)
    Traceback (most recent call last):
    ValueError: n must be an integer >= 1, got 0
    """
    try:
        if isinstance(value, (bool, np.bool_)):
            raise TypeError
        value = operator.index(value)
    except TypeError:
        raise TypeError(
            f"{name} must be an integer >= {at_least}, got {_short(value)} "
            f"({type(value).__name__}): "
            "write 10**12, not 1e12 or '10'"
        ) from None
    if value < at_least:
        raise ValueError(f"{name} must be an integer >= {at_least}, got {_short(value)}")
    if at_most is not None and value > at_most:
        raise ValueError(
            f"{name} must be an integer <= {at_most}, got {_short(value)}: more than is provided "
            "for"
        )
    return value


def one_of(name: str, value: Word, allowed: Collection[Word]) -> Word:
    """`value` if it is one of the `allowed` words or integers.

    >>> one_of("profile", "fast", ["paper", "quick"])
    Traceback (most recent call last):
    ValueError: profile must be one of paper, quick, got 'fast'
    """
    if not isinstance(value, (str, int)) or isinstance(value, bool) or value not in allowed:
        raise ValueError(
            f"{name} must be one of {', '.join(map(str, allowed))}, got {_short(value)}"
        )
    return value


def real(
    name: str,
    value: float | numbers.Real,
    at_least: Number | None = None,
    above: Number | None = None,
    below: Number | None = None,
    at_most: Number | None = None,
    hint: str = "",
) -> float:
    """`value` as a finite float within the limits; `hint` ends the message where it is outside.

    >>> real("beta", -1, at_least=0)
    Traceback (most recent call last):
    ValueError: beta must be a finite real number >= 0, got -1
    """
    return _real(name, value, at_least, above, below, at_most, hint, of=float)


def _real(
    name,
    value,
    at_least=None,
    above=None,
    below=None,
    at_most=None,
    hint="",
    of=lambda value: value,
):
    limits = [
        (">=", at_least, operator.ge),
        (">", above, operator.gt),
        ("<", below, operator.lt),
        ("<=", at_most, operator.le),
    ]
    wanted = f"{name} must be a finite real number" + " and".join(
        f" {s} {b}" for s, b, _ in limits if b is not None
    )
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, numbers.Real):
        raise TypeError(f"{wanted}, got {_short(value)} ({type(value).__name__})")
    try:
        number = float(value)
    except OverflowError:
        raise ValueError(
            f"{wanted}, got {_short(value)}: beyond the largest float, 1.8e308"
        ) from None
    if not math.isfinite(number) or not all(
        holds(of(value), b) for _, b, holds in limits if b is not None
    ):
        cause = (
            ": an earlier 0/0 or inf - inf?" if math.isnan(number) else f": {hint}" if hint else ""
        )
        raise ValueError(f"{wanted}, got {_short(value)}{cause}")
    return number


def _short(value):
    """What was given, short enough for a message; integers of any size."""
    try:
        shown = str(value) if isinstance(value, numbers.Number) else repr(value)
    except ValueError:  # Python writes no integer of more than 4300 digits
        return f"a number of about 2^{abs(int(value)).bit_length()}"
    return shown if len(shown) <= 80 else f"{shown[:38]} ... {shown[-38:]}"


def probability(name: str, value: Number) -> float:
    """`value` as a float in the open interval (0, 1): a level of error, never 0 or 1.

    >>> probability("delta", 1)
    Traceback (most recent call last):
    ValueError: delta must be a finite real number > 0 and < 1, got 1
    """
    return real(name, value, above=0, below=1)


# What fits into the memory of a small machine, and is drawn in minutes.
LARGEST, MOST = 10**7, 10**6
TENTH = Fraction(1, 10)  # what Definition 6.1 asks of b and c = 1 - b, at least
COMMON: dict[str, Callable[[str, Any], object]] = {
    "kappa": lambda name, value: real(name, value, at_least=1e-4, at_most=100),
    "delta": lambda name, value: real(name, value, at_least=1e-12, below=1),
    "k": lambda name, value: integer(name, value, at_most=10),
    "C": lambda name, value: real(name, value, at_least=0.01, at_most=200),
    "b": lambda name, value: rational(name, value, at_least=TENTH, at_most=1 - TENTH),
    "excess": lambda name, value: rational(name, value, above=0, at_most=100),
    "dimension": lambda name, value: integer(name, value, at_least=4, at_most=LARGEST),
    "size": lambda name, value: integer(name, value, at_most=LARGEST),
    "trials": lambda name, value: integer(name, value, at_least=8, at_most=MOST),
    "draws": lambda name, value: integer(name, value, at_least=8, at_most=MOST),
    "seed": lambda name, value: integer(name, value, at_least=0),
}


def common(**given: object) -> None:
    """Check parameters that many chapters have, each at the ends for which all of them have room.

    `kappa` from 0.0001 to 100, `delta` from 1e-12 to below 1, `k` from 1 to 10, `C` from 0.01 to
    200, `b` from 1/10 to 9/10, `excess` above 0 to 100, `dimension` from 4 to 10^7, `size` from 1
    to 10^7, `trials` and `draws` from 8 to 10^6, `seed` >= 0. TypeError or ValueError otherwise.

    >>> common(kappa=0.45, delta=0.01, trials=10**12)
    Traceback (most recent call last):
    ValueError: trials must be an integer <= 1000000, got 1000000000000: more than is provided for
    """
    for name, value in given.items():
        COMMON[name](name, value)


@contextmanager
def named(**letters: str) -> Iterator[None]:
    """Within the context a TypeError or ValueError says which parameter is meant by a letter.

    `letters`: the parameter of a chapter, by the letter that the function called there has for it.

    >>> with named(n="size", d="dimension"):
    ...     integer("n", 0)
    Traceback (most recent call last):
    ValueError: n must be an integer >= 1, got 0 (n is the parameter size)
    """
    try:
        yield
    except (TypeError, ValueError) as error:
        said = [
            f"{letter} is the parameter {name}"
            for letter, name in letters.items()
            if letter != name and re.search(rf"\b{letter}\b", str(error))
        ]
        raise type(error)(f"{error} ({', '.join(said)})" if said else str(error)) from None


def rational(name: str, value: Readable, **limits: Unpack[Limits]) -> Fraction:
    """`value` as an exact Fraction within the limits of `real`; the float 0.45 means 9/20.

    A float is read by its shortest decimal.

    >>> rational("kappa", 0.45), rational("delta", "1e-2"), rational("k", 1)
    (Fraction(9, 20), Fraction(1, 100), Fraction(1, 1))
    """
    if isinstance(value, str):
        try:
            value = Fraction(value)
        except (ValueError, ZeroDivisionError):
            raise ValueError(
                f"{name} must be a number such as '0.45' or '9/20', got {value!r}"
            ) from None
    _real(name, value, of=_read, **limits)  # exactly: a delta of 10^-400 is no 0
    return _read(value)


def _read(number):
    if isinstance(number, numbers.Rational):
        return Fraction(number)
    return Fraction(repr(float(number)))


def numbers_of(name: str, values: ArrayLike) -> Floats:
    """`values` as a float64 array of finite numbers, of any shape.

    >>> numbers_of("z", "0.5")
    Traceback (most recent call last):
    TypeError: z must be real numbers, got dtype <U3: '0.5'
    """
    return _array(name, values)


def vector(name: str, values: ArrayLike | Sequence[Number]) -> Floats:
    """`values` as a non-empty one-dimensional float64 array of finite numbers.

    >>> vector("scores", [2.0, float("nan")])
    Traceback (most recent call last):
    ValueError: scores must be finite, got nan at index 1: an overflow or 0/0 before this call?
    """
    return _array(name, values, 1, "one-dimensional")


def matrix(name: str, values: ArrayLike) -> Floats:
    """`values` as a non-empty two-dimensional float64 array of finite numbers.

    >>> matrix("A", [1, 2])
    Traceback (most recent call last):
    ValueError: A must be a non-empty two-dimensional array, got shape (2,)
    """
    return _array(name, values, 2, "two-dimensional")


def _array(name, values, dimensions=None, wanted="rectangular"):
    try:
        array = np.asarray(values)
    except ValueError:  # rows of several lengths
        raise ValueError(
            f"{name} must be a {wanted} array, got rows of several lengths: {_short(values)}"
        ) from None
    if array.dtype.kind not in "iufO":
        raise TypeError(f"{name} must be real numbers, got dtype {array.dtype}: {_short(values)}")
    if array.dtype.kind == "O":
        array = np.array([_number(name, value) for value in array.flat], np.float64).reshape(
            array.shape
        )
    array = array.astype(np.float64, copy=False)  # 0.8 MB copied is a tenth of 64 sign sums
    if dimensions is not None and (array.ndim != dimensions or array.size == 0):
        raise ValueError(f"{name} must be a non-empty {wanted} array, got shape {array.shape}")
    if not np.isfinite(array).all():
        first = tuple(map(int, np.argwhere(~np.isfinite(array))[0]))
        place = first[0] if dimensions == 1 else first
        raise ValueError(
            f"{name} must be finite, got {array[first]} at index {place}: an overflow or 0/0 "
            "before this call?"
        )
    return array


def _number(name, value):
    try:
        if isinstance(value, (str, bytes, bool)):
            raise TypeError
        return float(value)
    except OverflowError:
        raise ValueError(
            f"{name} must be real numbers below 1.8e308, got {_short(value)}"
        ) from None
    except (TypeError, ValueError):
        raise TypeError(
            f"{name} must be real numbers, got {_short(value)} ({type(value).__name__})"
        ) from None


def multiplicities(counts: ArrayLike | None, size: int) -> Floats:
    """The multiplicities of `size` values, as float64: integers >= 1, or once each by default.

    Integers above 2**53 are rounded to the nearest float64, a relative error of 2**-53.

    >>> multiplicities([1, 2, 3], 2)
    Traceback (most recent call last):
    ValueError: counts has 3 entries for 2 classes: give one count per class
    """
    if counts is None:
        return np.ones(size)
    counts = vector("counts", counts)
    if counts.size != size:
        raise ValueError(
            f"counts has {counts.size} entries for {size} classes: give one count per class"
        )
    wrong = counts[(counts < 1) | (counts != np.floor(counts))]
    if wrong.size:
        raise ValueError(f"counts must be integers >= 1, got {wrong[0]}: leave an empty class out")
    return counts


def attention_weights(name: str, values: ArrayLike, counts: ArrayLike | None = None) -> Floats:
    """`values` as attention weights: float64, f_i >= 0 and sum_i counts_i f_i = 1 to 1e-9.

    Weights that are all zero but one are weights: a spike that outweighs the others to rounding.
    Definition 3.7.

    >>> attention_weights("weights", [1, 1])
    Traceback (most recent call last):
    ValueError: weights must sum to 1, got 2.0: not yet divided by their sum, or their counts left
    out?
    """
    f = vector(name, values)
    if (f < 0).any():
        first = int(np.argmax(f < 0))
        raise ValueError(
            f"{name} must be >= 0, got {f[first]} at index {first}: weights are powers over their "
            "sum, "
            "not scores or coefficients"
        )
    counts = multiplicities(counts, f.size)
    with np.errstate(over="ignore"):
        total = float(np.sum(counts * f))
    if not abs(total - 1) <= 1e-9:
        raise ValueError(
            f"{name} must sum to 1, got {total}: not yet divided by their sum, or their counts "
            "left out?"
        )
    return f


def generator(rng: np.random.Generator) -> np.random.Generator:
    """`rng` itself, if it is a numpy.random.Generator: nothing here has a hidden seed.

    >>> generator(0)
    Traceback (most recent call last):
    TypeError: rng must be a numpy.random.Generator, got 0 (int): pass
    numpy.random.default_rng(seed)
    """
    if not isinstance(rng, np.random.Generator):
        raise TypeError(
            f"rng must be a numpy.random.Generator, got {rng!r} ({type(rng).__name__}): "
            "pass numpy.random.default_rng(seed)"
        )
    return rng
