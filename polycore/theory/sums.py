"""Finite sums: what induction on the number of terms proves about them, once and for all terms.

>>> SUM_MONOTONE
f[i] <= g[i], n >= 0 ⊢ Sum(f[i], (i, 1, n)) <= Sum(g[i], (i, 1, n))
"""

from collections.abc import Sequence

from sympy import Eq, Expr, Ge, Gt, IndexedBase, Le, Rel, symbols

from polycore.proof import Judgment, apply, arithmetic, i, induction, n, theorem, total
from polycore.proof.kernel import Lemma

__all__ = [
    "SUM_ADD",
    "SUM_AFFINE",
    "SUM_EQUAL",
    "SUM_MONOTONE",
    "SUM_NOT_NEGATIVE",
    "SUM_POSITIVE",
    "summed",
]

f, g = IndexedBase("f"), IndexedBase("g")
c, d = symbols("c d")


@theorem
def SUM_MONOTONE():
    return induction(Le(total(f[i]), total(g[i])), [Le(f[i], g[i])], "add n inequalities")


@theorem
def SUM_EQUAL():
    return induction(Eq(total(f[i]), total(g[i])), [Eq(f[i], g[i])], "add n equations")


@theorem
def SUM_ADD():
    return induction(Eq(total(f[i] + g[i]), total(f[i]) + total(g[i])), [], "a sum of sums")


@theorem
def SUM_AFFINE():
    return induction(Eq(total(c * f[i] + d), c * total(f[i]) + n * d), [], "a sum is linear")


@theorem
def SUM_POSITIVE():
    return induction(Gt(total(f[i]), 0), [Gt(f[i], 0)], "a sum of positive terms", first=1)


@theorem
def SUM_NOT_NEGATIVE():
    given = [Ge(f[i], 0), Ge(n, 0)]
    zeros = apply(SUM_AFFINE, {"c": 0, "d": 0}, given)
    return arithmetic(
        Ge(total(f[i]), 0),
        given,
        [zeros, apply(SUM_MONOTONE, {"f": 0, "g": f[i]}, given)],
        "no term is negative",
    )


def summed(
    smaller: Expr | int, larger: Expr | int, given: Sequence[Rel], using: Sequence[Lemma] = ()
) -> Judgment:
    """``Σ smaller ≤ Σ larger``, from the terms."""
    return apply(
        SUM_MONOTONE,
        {"f": smaller, "g": larger},
        given,
        [arithmetic(Le(smaller, larger), given, using), *using],
    )
