"""Self-attention with one special token: its output, column by column, proved once for all cases.

The output of a token is the average of all rows, each with its weight: ``p`` for the special token
and ``r`` for each other one (``special_token``). Judgments of the kernel about the three kinds of
columns: the first, in which the special token alone has an entry, ``a``; the block columns, each
with ``m`` entries ``b``, of which one belongs to the special token or none; the last, in which all
entries are ``c``. The sums go over the other tokens: ``f`` are their weights, all of them ``r``,
and ``v`` their entries in the first column.

>>> FIRST_COLUMN.conclusion
Eq(a*p + Sum(f[i]*v[i], (i, 1, n - 1)), a*p)
"""

from functools import cache

from sympy import Eq, Ge, Gt, IndexedBase, Le, Lt, Sum

from polycore.proof import Power, apply, arithmetic, chain, i, m, n, step, theorem
from polycore.theory.elementary import POWER_POSITIVE
from polycore.theory.special_token import (
    ATTENDED,
    HIGH_DEGREE,
    LOW_DEGREE,
    OTHER_SHARE_LE_1_OVER_N,
    OTHER_SHARE_POSITIVE,
    POWER_GE_N,
    SPECIAL_SHARE_GE_HALF,
    SPECIAL_SHARE_POSITIVE,
    SPECIAL_SHARE_SMALL,
    N,
    a,
    b,
    c,
    equal_terms,
    p,
    q,
    r,
    s,
)
from polycore.theory.sums import SUM_AFFINE, SUM_EQUAL

__all__ = [
    "FIRST_COLUMN", "FIRST_COLUMN_HIGH", "FIRST_COLUMN_LOW", "LAST_COLUMN", "OTHER_BLOCK",
    "OTHER_BLOCK_HIGH", "OTHER_BLOCK_LOW", "SPECIAL_BLOCK", "SPECIAL_BLOCK_HIGH",
    "SPECIAL_BLOCK_LOW",
]  # fmt: skip

f, v = IndexedBase("f"), IndexedBase("v")
ANSWERED, HIGH, LOW = (
    [relation.xreplace({N: n}) for relation in relations]
    for relations in (ATTENDED, [HIGH_DEGREE], [LOW_DEGREE])
)
FIRST = [*ANSWERED, Eq(v[i], 0)]
BLOCK = [*ANSWERED, Gt(b, 0), Eq(f[i], r), Ge(m, 1), Le(m, n)]
SMALL = Power(n, q - 1)


def _weights(given, *laws):
    """What ``laws`` say of p and r among n tokens."""
    return [apply(law, {"N": n}, given) for law in laws]


def _bounded(entry, sign, bound, why, given, *by):
    """The chain from an entry of the output to its value, which ``entry`` says, to a bound."""
    value = step("=", entry.conclusion.rhs, entry.why, entry)
    return chain(entry.conclusion.lhs, value, step(sign, bound, why, *by), given=given)


@theorem
def FIRST_COLUMN():
    zeros = [
        apply(SUM_EQUAL, {"f": v[i] * f[i], "g": 0, "n": n - 1}, FIRST),
        apply(SUM_AFFINE, {"c": 0, "f": f[i], "d": 0, "n": n - 1}, FIRST),
    ]
    entry = Sum(v[i] * f[i], (i, 1, n - 1)) + a * p
    return arithmetic(Eq(entry, a * p), FIRST, zeros, "all the others have a zero there")


@theorem
def FIRST_COLUMN_HIGH():
    """The first entry is at least ``a/2`` at a high degree."""
    given = [*FIRST, *HIGH]
    half = _weights(given, SPECIAL_SHARE_GE_HALF)
    return _bounded(FIRST_COLUMN, ">=", a / 2, r"$p \ge 1/2$", given, *half)


@theorem
def FIRST_COLUMN_LOW():
    """The first entry is at most ``a n^(q−1)`` at a low degree."""
    given = [*FIRST, *LOW]
    little = _weights(given, SPECIAL_SHARE_SMALL)
    return _bounded(FIRST_COLUMN, "<=", a * SMALL, r"$p \le n^q / n$", given, *little)


@theorem
def SPECIAL_BLOCK():
    using = equal_terms(b * f[i], b * r, BLOCK, m - 1)
    entry, why = Sum(b * f[i], (i, 1, m - 1)) + b * p, "one weight $p$ and $m - 1$ weights $r$"
    return arithmetic(Eq(entry, b * (p + (m - 1) * r)), BLOCK, using, why)


@theorem
def SPECIAL_BLOCK_HIGH():
    """The entry of the special token's block column is at least ``b/2`` at a high degree."""
    given = [*BLOCK, *HIGH]
    half = _weights(given, SPECIAL_SHARE_GE_HALF, OTHER_SHARE_POSITIVE)
    return _bounded(SPECIAL_BLOCK, ">=", b / 2, r"$p \ge 1/2$", given, *half)


@theorem
def SPECIAL_BLOCK_LOW():
    """The entry of the special token's block column is at most ``b n^(q−1) + b m/n`` at a low
    degree.
    """
    given, bound = [*BLOCK, *LOW], b * SMALL + b * m / n
    few = [Gt(b, 0), Ge(m, 1), Gt(r, 0), Le(n * r, 1), Ge(n, 1), Le(p, s)]
    both = arithmetic(Le(b * (p + (m - 1) * r), b * s + b * m / n), few)
    little = _weights(given, SPECIAL_SHARE_SMALL, SPECIAL_SHARE_POSITIVE)
    little += _weights(given, OTHER_SHARE_POSITIVE, OTHER_SHARE_LE_1_OVER_N)
    both = apply(both, {"s": SMALL}, given, little)
    return _bounded(SPECIAL_BLOCK, "<=", bound, r"$p \le n^q / n$ and $r \le 1/n$", given, both)


@cache
def _other_block():
    using, entry = equal_terms(b * f[i], b * r, BLOCK, m), Sum(b * f[i], (i, 1, m))
    return arithmetic(Eq(entry, b * m * r), BLOCK, using, "$m$ weights $r$")


@theorem
def OTHER_BLOCK():
    """The entry of another block column is at most ``b m/n``, at every degree."""
    few = [Gt(b, 0), Ge(m, 1), Gt(r, 0), Le(n * r, 1), Ge(n, 1)]
    small = arithmetic(Le(b * m * r, b * m / n), few)
    known = _weights(BLOCK, OTHER_SHARE_POSITIVE, OTHER_SHARE_LE_1_OVER_N)
    small = apply(small, {}, BLOCK, known)
    return _bounded(_other_block(), "<=", b * m / n, r"$r \le 1/n$", BLOCK, small)


@theorem
def OTHER_BLOCK_LOW():
    """The entry of another block column is at most what that of the special token is."""
    positive = apply(POWER_POSITIVE, {"x": n, "a": q - 1}, BLOCK)
    more = arithmetic(Gt(b * SMALL, 0), [*BLOCK, Gt(SMALL, 0)])
    entry, bound = OTHER_BLOCK.conclusion.lhs, OTHER_BLOCK.conclusion.rhs
    return chain(
        entry,
        step("<=", bound, "$m$ weights of at most $1/n$", OTHER_BLOCK),
        step("<=", b * SMALL + bound, "a power is positive", positive, more),
        given=BLOCK,
    )


@theorem
def OTHER_BLOCK_HIGH():
    """The entry of another block column is less than ``b/2`` at a high degree, if no more than half
    of the tokens have their b there.
    """
    given = [*BLOCK, *HIGH, Ge(n, 2 * m)]
    less = arithmetic(Le((2 * n - 1) * r, 1), given, _weights(given, POWER_GE_N))
    few = [Gt(b, 0), Gt(r, 0), Ge(m, 1), Ge(n, 2 * m), Le((2 * n - 1) * r, 1)]
    half = arithmetic(Lt(b * m * r, b / 2), few)
    half = apply(half, {}, given, [less, *_weights(given, OTHER_SHARE_POSITIVE)])
    return _bounded(_other_block(), "<", b / 2, r"$w \ge n$ and $n \ge 2 m$", given, half)


@theorem
def LAST_COLUMN():
    """The last entry is c: the weights add up to one."""
    given = [*ANSWERED, Eq(Sum(f[i], (i, 1, n - 1)) + p, 1)]
    linear = apply(SUM_AFFINE, {"c": c, "f": f[i], "d": 0, "n": n - 1}, given)
    return chain(
        Sum(c * f[i], (i, 1, n - 1)) + c * p,
        step("=", c * (Sum(f[i], (i, 1, n - 1)) + p), "a sum is linear", linear),
        step("=", c, "the weights add up to one"),
        given=given,
    )
