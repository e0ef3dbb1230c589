"""The one-layer network on top of the attention weights (Definitions 3.8 to 3.10).

    F_poly = phi( sum_{j=1}^m phi_tau(<f, y_j>) ),    phi(z) = max(z, 0),    phi_tau(z) = max(z -
    tau, 0),

with y_1 .. y_m the columns of a random sign matrix. The outer phi changes nothing, since every term
is >= 0.
"""

import math
from fractions import Fraction

import numpy as np
from numpy.typing import ArrayLike, NDArray

from polycore.checks import (
    Floats,
    Readable,
    attention_weights,
    generator,
    integer,
    numbers_of,
    rational,
    real,
)
from polycore.models import attention
from polycore.models.datasets import Scores
from polycore.tails.rademacher import Tail, certified_tail, sample

__all__ = [
    "relu",
    "shifted_relu",
    "columns",
    "rademacher_columns",
    "f_poly",
    "fires",
    "any_column",
    "no_column",
    "one_column_at",
    "draw_column_at",
    "fires_at",
    "draw_fires_at",
]


def relu(z: ArrayLike) -> Floats:
    """Rectifier phi(z) = max(z, 0), entrywise on any shape; TypeError or ValueError if not all
    finite. Definition 3.8.

    >>> relu(np.array([-1.0, 0.5]))
    array([0. , 0.5])
    """
    return shifted_relu(z, 0)


def shifted_relu(z: ArrayLike, tau: float) -> Floats:
    """Rectifier with threshold, phi_tau(z) = max(z - tau, 0), entrywise on any shape; `tau` real.
    Errors as `relu`. Definition 3.8.

    >>> shifted_relu(np.array([0.1, 0.25, 0.5]), 0.25)
    array([0.  , 0.  , 0.25])
    """
    return np.maximum(numbers_of("z", z) - real("tau", tau), 0.0)


def columns(n: int, delta: Readable, C: Readable) -> int:
    """Number of columns m = ceil(C log2(n / delta)), exact at the edges where C log2(n / delta) is
    an integer.

    With C = p/q, m is the least integer with 2^(q m) >= (n/delta)^p, decided on integers. n >= 1, 0
    < delta < 1, C > 0 of numerator and denominator <= 1000; floats are read by their shortest
    decimal (0.1 is 1/10). TypeError or ValueError otherwise. Definition 3.10.

    >>> columns(64, "0.0625", 2), columns(65, "0.0625", 2), columns(10**12, 0.01, 2)
    (20, 21, 94)
    """
    ratio = integer("n", n) / rational("delta", delta, above=0, below=1)
    C = rational("C", C, above=0)
    if max(C.numerator, C.denominator) > 1000:
        close = min(C, Fraction(1000))
        close = max(close.limit_denominator(int(1000 / max(close, Fraction(1)))), Fraction(1, 1000))
        raise ValueError(
            f"C must be a ratio of integers <= 1000, got {float(C):.9g}: round it, for example to "
            f"{close}"
        )
    power = Fraction(ratio) ** C.numerator
    log = (
        -(-power.numerator // power.denominator) - 1
    ).bit_length()  # ceil(log2(power)), since power >= 1
    return -(-log // C.denominator)


def rademacher_columns(n: int, m: int, rng: np.random.Generator) -> NDArray[np.int8]:
    """Independent Rademacher signs y in {-1, +1}^(n x m), int8, from random bits. Definition 3.10.

    For the m sums <f, y_j> alone, `rademacher.sample(f, m, rng)` has the same distribution and
    builds no matrix. n, m >= 1, n m <= 2^40 (a byte each); TypeError or ValueError otherwise.

    >>> rademacher_columns(2, 3, np.random.default_rng(0))
    array([[-1,  1, -1],
           [ 1,  1,  1]], dtype=int8)
    """
    n, rng = integer("n", n, at_most=2**40), generator(rng)
    m = integer("m", m, at_most=2**40 // n)
    octets = rng.integers(0, 256, -(-n * m // 8), dtype=np.uint8)
    return 2 * np.unpackbits(octets, count=n * m).view(np.int8).reshape(n, m) - np.int8(1)


def f_poly(weights: ArrayLike, y: ArrayLike, tau: float) -> float:
    """Output of the network, F_poly = phi(sum_j phi_tau(<f, y_j>)), a float >= 0.

    `weights`: f, shape (n,), >= 0 and of sum 1 (`checks.attention_weights`; a single 1 is one sign
    per column); `y`: shape (n, m), its columns the y_j; `tau` >= 0: past 1 the output is 0.
    ValueError otherwise, or when the shapes do not fit. Definition 3.9.

    >>> f_poly([0.75, 0.25], [[1, 1, -1], [1, -1, 1]], 0.25)  # <f, y_j> = 1, 0.5, -0.5
    1.0
    """
    f, y, tau = (
        attention_weights("weights", weights),
        numbers_of("y", y),
        real("tau", tau, at_least=0),
    )
    if y.ndim != 2 or y.shape[0] != f.size:
        raise ValueError(
            f"y must have shape (n, m) with n = {f.size}, one row per weight, got {y.shape}: "
            "transposed?"
        )
    return float(relu(np.sum(shifted_relu(f @ y, tau))))


def fires(
    weights: ArrayLike, m: int, tau: float, counts: ArrayLike | None = None, width: float = 1e-5
) -> Tail:
    """Enclosure of Pr[F_poly > 0] = 1 - (1 - p)^m over m independent columns of signs, p = Pr[<f,
    y_j> > tau], as a Tail.

    F_poly > 0 iff one <f, y_j> exceeds tau, and p is half of Pr[|<f, y_j>| > tau], by symmetry.
    `weights`: one per class, >= 0 and of sum 1 with `counts`, how often each occurs; 1 <= m <=
    2^53, `tau` >= 0 (from 1 on it is 0). Rigour, errors and `width` (of the two-sided tail) as
    `rademacher.certified_tail`. Definitions 3.9 and 3.10.

    >>> round(fires([0.75, 0.25], 2, 0.25, [1, 1]).value, 12)  # p = 1/2
    0.75
    """
    f, tau = attention_weights("weights", weights, counts), real("tau", tau, at_least=0)
    m = integer("m", m, at_most=2**53)  # before the work
    one = certified_tail(f, tau, counts, width)
    return any_column(Tail(one.lower / 2, one.upper / 2, one.method, one.rigour), m)


def any_column(one: Tail, m: int) -> Tail:
    """Enclosure of 1 - (1 - p)^m, the probability that one of m independent columns does what each
    does with probability p.

    `one`: p as a Tail; 1 <= m <= 2^53; TypeError or ValueError otherwise. Definition 3.10.

    >>> any_column(Tail(0.5, 0.5, "a coin", "exact"), 2).value
    0.75
    """
    m = integer("m", m, at_most=2**53)
    # a relative error of the logarithm moves the result by no more; 2^-46 is 32 times what the
    # functions may lose
    lower, upper = (
        -math.expm1(m * math.log1p(-p)) if p < 1 else 1.0 for p in (one.lower, one.upper)
    )
    return Tail(
        max(0.0, lower * (1 - 2**-46)),
        min(1.0, upper * (1 + 2**-46)),
        f"{one.method}, {m} columns",
        "certified",
    )


def no_column(one: Tail, m: int) -> Tail:
    """Enclosure of (1 - p)^m, the probability that none of m independent columns does what each
    does with probability p.

    `one`: p as a Tail; 1 <= m <= 2^53; TypeError or ValueError otherwise. Where p m is large this
    keeps the digits that 1 - `any_column` loses. Definition 3.10.

    >>> abs(no_column(Tail(0.5, 0.5, "a coin", "exact"), 100).value * 2.0**100 - 1) < 1e-12
    True
    """
    m = integer("m", m, at_most=2**53)
    logs = [m * math.log1p(-p) if p < 1 else -math.inf for p in (one.upper, one.lower)]
    # exp turns an absolute error of the exponent, 2^-50 of it, into a relative one
    lower, upper = (
        math.exp(log) * (1 + side * (2**-46 + 2**-50 * abs(log))) if log > -700 else 0.0
        for side, log in zip((-1, 1), logs)
    )
    return Tail(
        max(0.0, lower), min(1.0, max(upper, 1e-304)), f"{one.method}, {m} columns", "certified"
    )


# The same for a member of a dataset, at the degree kappa log2 n.


def _weights(member, kappa, each=False):
    if not isinstance(member, Scores):
        raise TypeError(
            f"member must be scores with multiplicities, got {type(member).__name__}: "
            "datasets.Scores.each_once(...) takes a vector of scores"
        )
    beta = attention.degree(real("kappa", kappa, at_least=0), member.n)
    return attention.weights(member.expand(), beta) if each else member.weights(beta)


def one_column_at(member: Scores, kappa: float, t: float, width: float = 1e-5) -> Tail:
    """Enclosure of Pr[|<f, y>| > t] for one column y of signs, f the weights of `member` at beta =
    kappa log2 n.

    kappa >= 0; rigour, errors and `width` as `rademacher.certified_tail`, and TypeError for a
    `member` that is not `datasets.Scores`. Lemmas 4.1 and 4.2.

    >>> from polycore.models.datasets import spike_among
    >>> round(one_column_at(spike_among(10**9, 4), 0.4, 0.25).value, 6)  # whatever the spike's sign
    1.0
    """
    f = _weights(member, kappa)
    return certified_tail(f, t, member.counts, width)


def draw_column_at(member: Scores, kappa: float, trials: int, rng: np.random.Generator) -> Floats:
    """Independent values of <f, y>, as in `one_column_at`; shape (trials,).

    Where scores repeat, the sums of their signs are drawn (`rademacher.sample` with counts).

    >>> from polycore.models.datasets import spike_among
    >>> np.round(draw_column_at(spike_among(10**9, 4), 0.5, 4, np.random.default_rng(0)))
    array([ 1., -1., -1., -1.])
    """
    f = _weights(member, kappa)
    return sample(f, trials, rng, member.counts if max(member.counts) > 1 else None)


def fires_at(member: Scores, kappa: float, m: int, tau: float, width: float = 1e-5) -> Tail:
    """Enclosure of Pr[F_poly > 0] over m columns, f the weights of `member` at beta = kappa log2 n.

    kappa >= 0; the rest as `fires`. Lemmas 5.1 and 5.2.

    >>> from polycore.models.datasets import spike_among
    >>> round(fires_at(spike_among(10**9, 4), 0.4, 2, 0.2).value, 6)
    0.75
    """
    f = _weights(member, kappa)
    return fires(f, m, tau, member.counts, width)


def draw_fires_at(
    member: Scores, kappa: float, m: int, tau: float, trials: int, rng: np.random.Generator
) -> int:
    """How many of `trials` networks of m columns fire, as in `fires_at`: each is built, all its n m
    signs drawn, and its output computed (`rademacher_columns`, `f_poly`).

    Time ~ trials n m, at most 2^40; errors as those two.

    >>> from polycore.models.datasets import spike_among
    >>> draw_fires_at(spike_among(100, 4), 0.5, 2, 0.2, 40, np.random.default_rng(0))  # 3/4 of them
    31
    """
    f, m = _weights(member, kappa, each=True), integer("m", m)
    networks = range(integer("trials", trials, at_most=max(1, 2**40 // (f.size * m))))
    return sum(f_poly(f, rademacher_columns(f.size, m, rng), tau) > 0 for _ in networks)
