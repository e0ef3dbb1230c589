"""Linear attention with chosen weights, one layer at a time.

The output is the tokens times a matrix ``F``, made of the Gram matrix ``G`` of the inputs, and one
more layer makes ``F W_1 W_2ᵀ Fᵀ G F W_3`` of it. Let ``W_1 W_2ᵀ = e_j e_kᵀ`` and ``W_3 = I``. If
the first row of ``F`` is ``ψ`` times the second row of ``G``, and the others are zero, then it is
so again, and ``ψ`` has become ``ψ³ g_2j g_2k g_11``. Judgments in the symbols ``psi``, ``g11``, …

>>> [first, *_] = one_more_layer(2, 1, 2, psi**3 * g11 * g12 * g22)
>>> first.conclusion.rhs
g11*g12**2*g22*psi**3
"""

from sympy import Eq, Expr, Matrix, symbols

from polycore.proof import Judgment, arithmetic

__all__ = ["ENTRIES", "one_more_layer"]

psi, g11, g12, g13, g22, g23, g33 = symbols("psi g11 g12 g13 g22 g23 g33")

ENTRIES = Matrix([[g11, g12, g13], [g12, g22, g23], [g13, g23, g33]])
"""The Gram matrix of tokens of three channels; that of two channels is its upper left part."""


def one_more_layer(width: int, j: int, k: int, factor: Expr) -> list[Judgment]:
    """The entries of ``F`` after one more layer, row by row: those before it, with ``factor`` in
    place of ``ψ``.

    ``width``: 2 or 3 channels; ``j``, ``k``: from 1 to ``width``. The hypotheses are the entries of
    ``F`` before the layer, of ``M = e_j e_kᵀ``, of ``P = F M Fᵀ`` and of ``Q = G F``; afterwards
    ``F`` is ``P Q``. Raises ``Refuted`` for a ``factor`` other than ``ψ³ g_2j g_2k g_11``.

    >>> one_more_layer(2, 1, 2, psi**3)
    Traceback (most recent call last):
    polycore.proof.translation.Refuted: ...
    """
    F, M, P, Q = (Matrix(width, width, symbols(f"{x}1:{width**2 + 1}")) for x in "fmpq")
    G, below = ENTRIES[:width, :width], [0] * width * (width - 1)
    unit = Matrix(width, width, lambda row, column: int((row, column) == (j - 1, k - 1)))
    known = [(F, [*(psi * G[1, :]), *below]), (M, unit), (P, F * M * F.T), (Q, G * F)]
    before = [Eq(*pair) for new, made in known for pair in zip(new, made)]
    after = zip(P * Q, [*(factor * G[1, :]), *below])
    return [arithmetic(Eq(*pair), before) for pair in after]
