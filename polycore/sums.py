"""Finite sums: what induction on the number of terms proves about them, once and for all terms.

>>> SUM_MONOTONE
f[i] <= g[i], n >= 0 ⊢ Sum(f[i], (i, 1, n)) <= Sum(g[i], (i, 1, n))
"""

from sympy import Eq, Gt, IndexedBase, Le, symbols

from polycore.proof import induction
from polycore.statements import i, n, total

__all__ = ["SUM_ADD", "SUM_AFFINE", "SUM_EQUAL", "SUM_MONOTONE", "SUM_POSITIVE"]

f, g = IndexedBase("f"), IndexedBase("g")
c, d = symbols("c d")

SUM_MONOTONE = induction(Le(total(f[i]), total(g[i])), [Le(f[i], g[i])], "add n inequalities")
SUM_EQUAL = induction(Eq(total(f[i]), total(g[i])), [Eq(f[i], g[i])], "add n equations")
SUM_ADD = induction(Eq(total(f[i] + g[i]), total(f[i]) + total(g[i])), [], "a sum of sums")
SUM_AFFINE = induction(Eq(total(c * f[i] + d), c * total(f[i]) + n * d), [], "a sum is linear")
SUM_POSITIVE = induction(Gt(total(f[i]), 0), [Gt(f[i], 0)], "a sum of positive terms", first=1)
