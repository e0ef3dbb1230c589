"""A spike among n equal scores, and a list without it: read by the same signs, their columns hardly
differ.

Judgments of the kernel in the symbols ``s`` and ``y`` (the signs of the n others and of the spike),
``X`` (the ratio of the spike's power to that of each other score), ``g`` (the largest probability
of a value of a sum of 2 n equal signs).

>>> LARGEST_ATOM_LE.conclusion
(3*n + 1)*g[n]**2 <= 1
"""

from sympy import Eq, Ge, Gt, IndexedBase, Le, Rational, symbols

from polycore.proof import (
    Given,
    Power,
    apply,
    arithmetic,
    chain,
    i,
    induction,
    n,
    step,
    theorem,
    total,
)
from polycore.theory.elementary import POWER_POSITIVE, POWER_RISES_WITH_EXPONENT
from polycore.theory.moving_threshold import powers_of_n
from polycore.theory.sums import SUM_AFFINE, summed

__all__ = ["ANSWERS_DIFFER_LE", "ANSWERS_DIFFER_RARELY", "COLUMNS_CLOSE", "LARGEST_ATOM_LE"]

g, s = IndexedBase("g"), IndexedBase("s")
a, b, e, p, w, x, y, K, X = symbols("a b e p w x y K X")


@theorem
def COLUMNS_CLOSE():
    """``x − x' ≤ 2 X/(n + 1)`` for a column x of the spike's list and x' of the list without it;
    with all signs turned round, the other way as well.
    """
    given = [Ge(s[i], -1), Le(s[i], 1), Ge(y, -1), Le(y, 1), Ge(X, 1), Ge(n, 1)]
    signs, size = total(s[i]), (X + n) * (n + 1)
    least = [summed(-1, s[i], given), apply(SUM_AFFINE, {"c": 0, "f": s[i], "d": -1}, given)]
    pulled = arithmetic(Le(n * y - signs, 2 * n), given, least)
    scaled = arithmetic(Le((X - 1) * x, (X - 1) * a), [Ge(X, 1), Le(x, a)])
    scaled = apply(scaled, {"x": n * y - signs, "a": 2 * n}, given, [pulled])
    product = arithmetic(Le(2 * n * (X - 1) * (n + 1), 2 * X * size), [Ge(X, 1), Ge(n, 1)])
    return chain(
        (X * y + signs) / (X + n) - (y + signs) / (n + 1),
        step("=", (X - 1) * (n * y - signs) / size, "a common denominator"),
        step("<=", 2 * n * (X - 1) / size, "no sign exceeds 1", scaled),
        step("<=", 2 * X / (n + 1), "$n$ is less than $X + n$", product),
        given=given,
    )


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
