"""One more layer of linear attention, as the kernel proves it, against matrices of integers."""

import pytest
from sympy import Matrix, symbols

from polycore.proof import Refuted
from polycore.theory.linear_attention import ENTRIES, one_more_layer

psi, g11, g12, g13, g22, g23 = symbols("psi g11 g12 g13 g22 g23")


@pytest.mark.parametrize(
    ("width", "j", "k", "factor"),
    [
        (2, 1, 2, psi**3 * g11 * g12 * g22),
        (2, 1, 1, psi**3 * g11 * g12**2),
        (3, 3, 3, psi**3 * g11 * g23**2),
    ],
)
def test_what_the_kernel_says_is_so_in_integers(width, j, k, factor):
    entries = sorted(ENTRIES[:width, :width].free_symbols, key=str)
    at = dict(zip([psi, *entries], range(2, 9)))
    G = ENTRIES[:width, :width].subs(at)
    F = Matrix(width, width, [*(at[psi] * G[1, :]), *[0] * width * (width - 1)])
    M = Matrix(width, width, lambda row, column: int((row, column) == (j - 1, k - 1)))
    after = [one.conclusion.rhs.subs(at) for one in one_more_layer(width, j, k, factor)]
    assert after == [*(F * M * F.T * G * F)]


@pytest.mark.parametrize("wrong", [psi**3, psi**3 * g11 * g12, 2 * psi**3 * g11 * g12 * g22])
def test_another_factor_is_refuted(wrong):
    with pytest.raises(Refuted):
        one_more_layer(2, 1, 2, wrong)
