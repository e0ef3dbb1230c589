"""A spike among n equal scores, and a list without it: read by the same signs, their columns hardly
differ.

Judgments of the kernel in the symbols ``s`` and ``y`` (the signs of the n others and of the spike),
``X`` and ``r`` (the ratio of the spike's power to that of each other score, in either list), ``g``
(the largest probability of a value of a sum of 2 n equal signs), ``eta`` (the standard deviation of
noise, ``t n^-theta`` at least).

>>> LARGEST_ATOM_LE.conclusion
(3*n + 1)*g[n]**2 <= 1
"""

from sympy import Eq, Ge, Gt, IndexedBase, Integer, Le, Rational, symbols

from polycore.proof import (
    Given,
    Power,
    apply,
    arithmetic,
    chain,
    i,
    induction,
    m,
    n,
    step,
    theorem,
    total,
)
from polycore.proof.translation import put
from polycore.theory.elementary import POWER_POSITIVE, POWER_RISES_WITH_EXPONENT
from polycore.theory.moving_threshold import powers_of_n
from polycore.theory.sums import SUM_AFFINE, summed

__all__ = [
    "ANSWERS_DIFFER_LE",
    "ANSWERS_DIFFER_RARELY",
    "COLUMNS_CLOSE",
    "LARGEST_ATOM_LE",
    "NOISE_HIDES_SPIKE",
    "NOISE_HIDES_WHICH_SPIKE",
    "SPIKES_BOTH_HEAVY",
    "SPIKES_CLOSE",
]

g, s = IndexedBase("g"), IndexedBase("s")
a, b, e, p, q, r, t, w, x, y, K, X = symbols("a b e p q r t w x y K X")
theta, sd = symbols("theta eta")


@theorem
def SPIKES_CLOSE():
    """``x − x' ≤ 2 n (X − r)/((X + n)(r + n))`` for a column x of a list with a spike of ratio X
    and x' of one with ratio r; with all signs turned round, the other way as well.
    """
    given = [Ge(s[i], -1), Le(s[i], 1), Ge(y, -1), Le(y, 1), Ge(r, 1), Ge(X, r), Ge(n, 1)]
    signs, size = total(s[i]), (X + n) * (r + n)
    least = [summed(-1, s[i], given), apply(SUM_AFFINE, {"c": 0, "f": s[i], "d": -1}, given)]
    pulled = arithmetic(Le(n * y - signs, 2 * n), given, least)
    scaled = arithmetic(Le((X - r) * x, (X - r) * a), [Ge(X, r), Le(x, a)])
    scaled = apply(scaled, {"x": n * y - signs, "a": 2 * n}, given, [pulled])
    return chain(
        (X * y + signs) / (X + n) - (r * y + signs) / (r + n),
        step("=", (X - r) * (n * y - signs) / size, "a common denominator"),
        step("<=", 2 * n * (X - r) / size, "no sign exceeds 1", scaled),
        given=given,
    )


@theorem
def COLUMNS_CLOSE():
    """``2 n (X − 1)/((X + n)(1 + n)) ≤ 2 X/(n + 1)``: a spike, and no spike."""
    given = [Ge(X, 1), Ge(n, 1)]
    product = Le(2 * n * (X - 1) * (n + 1), 2 * X * (X + n) * (n + 1))
    why = "$n$ is less than $X + n$"
    apart = 2 * n * (X - 1) / ((X + n) * (1 + n))
    return arithmetic(Le(apart, 2 * X / (n + 1)), given, [arithmetic(product, given)], why)


@theorem
def SPIKES_BOTH_HEAVY():
    """``2 n (X − r)/((X + n)(r + n)) ≤ 2 n/r``: two spikes, each past the others together."""
    given = [Ge(r, 1), Ge(X, r), Ge(n, 1)]
    product = arithmetic(Le((X - r) * r, (X + n) * (r + n)), given)
    apart = 2 * n * (X - r) / ((X + n) * (r + n))
    why = "$X - r$ is less than $X + n$"
    return arithmetic(Le(apart, 2 * n / r), given, [product], why)


@theorem
def LARGEST_ATOM_LE():
    """``(3 n + 1) g_n² ≤ 1`` for ``g_n = C(2 n, n)/4^n``, the largest probability of a value of a
    sum of 2 n equal signs (Wallis).
    """
    given = [Eq(g[0], 1), Eq(2 * i * g[i], (2 * i - 1) * g[i - 1])]
    next_one = (3 * n + 4) * (2 * n + 1) ** 2, (3 * n + 1) * (2 * n + 2) ** 2
    why = "the square falls at least as fast as $1/(3n + 1)$"
    law = arithmetic(Le(*next_one), [Ge(n, 0)])
    return induction(Le((3 * n + 1) * g[n] ** 2, 1), given, why, [], [law])


COMPARED = Given(
    atom=[Ge(a, 0), Le((3 * n + 2) * a**2, 2)],
    sizes=[Ge(n, 1), Ge(X, 1), Ge(w, 1), Ge(K, 0)],
)


@theorem
def ANSWERS_DIFFER_LE():
    """``n (K (2 w X + 1) a)² ≤ 6 (K w X)²`` for K comparisons of w columns each, when no value of a
    sum of ``n + 1`` equal signs is more probable than a.
    """
    rooted = arithmetic(Le(n * a**2, Rational(2, 3)), COMPARED)
    wide = arithmetic(Le(2 * w * X + 1, 3 * w * X), COMPARED)
    squared = arithmetic(Le((K * x) ** 2, (K * y) ** 2), [Ge(x, 0), Le(x, y)])
    squared = apply(squared, {"x": 2 * w * X + 1, "y": 3 * w * X}, COMPARED, [wide])
    product = arithmetic(Le(x * b, x * y), [Ge(x, 0), Le(b, y)])
    terms = {"x": n * a**2, "b": (K * (2 * w * X + 1)) ** 2, "y": (K * 3 * w * X) ** 2}
    scaled = apply(product, terms, COMPARED, [squared])
    last = {"x": (K * 3 * w * X) ** 2, "b": n * a**2, "y": Rational(2, 3)}
    return chain(
        n * (K * (2 * w * X + 1) * a) ** 2,
        step("<=", n * a**2 * (3 * K * w * X) ** 2, "$w X$ is at least 1", scaled),
        step(
            "<=",
            6 * (K * w * X) ** 2,
            "$3 n a^2$ is at most 2",
            apply(product, last, COMPARED, [rooted]),
        ),
        given=COMPARED,
    )


@theorem
def ANSWERS_DIFFER_RARELY():
    """``K (2 w X + 1) a ≤ b`` when ``X ≤ n^p``, ``2 p + e ≤ 1`` and ``6 (K w)² ≤ b² n^e``: at low
    degrees K comparisons see almost never which list it is.
    """
    given = Given(
        atom=COMPARED.named("atom"),
        sizes=COMPARED.named("sizes"),
        powers=[Le(X, Power(n, p)), Le(2 * p + e, 1)],
        many=[Gt(b, 0), Le(6 * (K * w) ** 2, b**2 * Power(n, e))],
    )
    positive = [apply(POWER_POSITIVE, {"x": n, "a": to}, given) for to in (e, p)]
    square = arithmetic(Le(X**2, y**2), [Ge(X, 1), Le(X, y)])
    square = apply(square, {"y": Power(n, p)}, given)
    product = arithmetic(
        Le(6 * x * X**2, b**2 * y * a), [Le(6 * x, b**2 * y), Ge(x, 0), Le(X**2, a), Gt(y, 0)]
    )
    product = apply(
        product,
        {"x": (K * w) ** 2, "y": Power(n, e), "a": Power(n, p) ** 2},
        given,
        [square, *positive],
    )
    rises = apply(POWER_RISES_WITH_EXPONENT, {"x": n, "a": e + 2 * p, "b": 1}, given)
    powers = [rises, *powers_of_n(given, (e, 2 * p), (p, p))]
    most = arithmetic(Le(6 * (K * w * X) ** 2, b**2 * n), given, [product, *powers, *positive])
    root = arithmetic(Le(x, b), [Gt(b, 0), Ge(n, 1), Le(n * x**2, b**2 * n)])
    root = apply(root, {"x": K * (2 * w * X + 1) * a}, given, [most, ANSWERS_DIFFER_LE])
    return arithmetic(root.conclusion, given, [root], "a power of $n$ outgrows the comparisons")


def _noise(powers, exponents):
    return Given(
        noise=[Gt(t, 0), Gt(sd, 0), Ge(sd * Power(n, theta), t), Gt(b, 0)],
        sizes=[Ge(n, 1), Ge(m, 0)],
        powers=powers,
        exponents=exponents,
        many=Le(4 * m, 5 * b * t * Power(n, e)),
    )


def _within_noise(given, shift, small, large):
    """``2/5 m shift/η ≤ b`` from ``shift n^large ≤ 2 n^small`` and ``small + θ + e ≤ large``."""
    positive = [apply(POWER_POSITIVE, {"x": n, "a": to}, given) for to in (e, theta, small, large)]
    powers = powers_of_n(given, (small + theta, e), (small, theta))
    rises = {"x": n, "a": small + theta + e, "b": large}
    powers += [*positive, apply(POWER_RISES_WITH_EXPONENT, rises, given)]
    at = dict(zip((w, x, y, K), (Power(n, to) for to in (e, theta, small, large))))
    facts = [Gt(w, 0), Gt(x, 0), Gt(y, 0), Gt(K, 0), Le(y * x * w, K)]
    known = [arithmetic(put(fact, at), given, powers) for fact in facts]
    plain = [*facts, *given.named("sizes")[1:], Gt(t, 0), Gt(sd, 0), Ge(sd * x, t), Gt(b, 0)]
    plain += [Le(4 * m, 5 * b * t * w), Ge(a, 0), Le(a * K, 2 * y)]
    law = arithmetic(Le(2 * m * a / (5 * sd), b), plain)
    apart = Le(shift * Power(n, large), 2 * Power(n, small))
    known += [arithmetic(fact, given, [*powers, *known]) for fact in (apart, Ge(shift, 0))]
    return apply(law, at | {a: shift}, given, known, "noise hides what differs")


@theorem
def NOISE_HIDES_SPIKE():
    """``2/5 m · 2 X/(n + 1) / η ≤ b`` when ``X ≤ n^p`` and ``p + θ + e ≤ 1``."""
    given = _noise([Ge(X, 1), Le(X, Power(n, p))], Le(p + theta + e, 1))
    return _within_noise(given, 2 * X / (n + 1), p, Integer(1))


@theorem
def NOISE_HIDES_WHICH_SPIKE():
    """``2/5 m · (2 n/r) / η ≤ b`` when ``r ≥ n^q`` and ``1 + θ + e ≤ q``."""
    given = _noise([Ge(r, 1), Ge(r, Power(n, q))], Le(1 + theta + e, q))
    return _within_noise(given, 2 * n / r, Integer(1), q)
