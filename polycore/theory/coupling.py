"""A spike among n equal scores, and a list without it: read by the same signs, their columns hardly
differ.

Judgments of the kernel in the symbols ``s`` and ``y`` (the signs of the n others and of the spike),
``X`` (the ratio of the spike's power to that of each other score), ``g`` (the largest probability
of a value of a sum of 2 n equal signs).

>>> LARGEST_ATOM_LE.conclusion
(3*n + 1)*g[n]**2 <= 1
"""

from sympy import Eq, Ge, IndexedBase, Le, symbols

from polycore.proof import apply, arithmetic, chain, i, induction, n, step, theorem, total
from polycore.theory.sums import SUM_AFFINE, summed

__all__ = ["COLUMNS_CLOSE", "LARGEST_ATOM_LE"]

g, s = IndexedBase("g"), IndexedBase("s")
a, x, y, X = symbols("a x y X")


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
