"""The separation rank of a polynomial under a partition of its variables, exactly (Definition 4.1
of the note).

    sep(y) = min R with y(a, b) = sum_{r=1}^R g_r(a) h_r(b)

is the rank of the coefficient matrix of y, rows for the monomials in a and columns for those in b,
and it is at least the rank of every matricization (y(a_i, b_j))_{ij}. So a matricization modulo a
prime bounds it from below with certainty, and where it does not grow with more random points it is
the rank modulo that prime, but for a small stated probability. Whoever knows how many functions of
a or of b there can be has an upper bound (`counting_bound`).

A polynomial is given as a function y(x, prime) of points x, shape (points, variables), int64 in [0,
prime), that returns its values modulo the prime, shape (points,); products of two residues stay
within int64.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import comb, prod

import numpy as np
from flint import fmpq, fmpq_mat, fmpz, nmod_mat
from numpy.typing import ArrayLike, NDArray
from sympy import Expr, Poly, Symbol
from sympy.polys.polyerrors import CoercionFailed, PolynomialError

from polycore.checks import generator, integer

__all__ = [
    "PRIMES",
    "SeparationRank",
    "coefficient_matrix",
    "counting_bound",
    "matricization",
    "monomials",
    "rank_factorization",
    "separation_rank",
]

Residues = NDArray[np.int64]
Polynomial = Callable[[Residues, int], Residues]  # of points, modulo a prime

PRIMES = (2**31 - 1, 2**31 - 19)
BLOCK = 2**16  # points evaluated at a time


@dataclass(frozen=True)
class SeparationRank:
    """`value`: a lower bound, certain; the rank modulo each of `primes` is larger with probability
    at most `error` in all.
    """

    value: int
    error: float
    primes: tuple[int, ...]


def monomials(variables: int, degree: int) -> int:
    """Number of monomials of one degree, C(degree + variables - 1, variables - 1).

    >>> monomials(2, 3)  # a^3, a^2 b, a b^2, b^3
    4
    """
    return comb(degree + integer("variables", variables) - 1, variables - 1)


def counting_bound(left: Sequence[int], right: Sequence[int]) -> int:
    """Upper bound sum_k min(left_k, right_k) of the separation rank: in part k there are that many
    functions on each side.

    `left`, `right`: of equal length; the parts of y(a, b) = sum_k y_k(a, b), as those of degree k
    in a. ValueError otherwise.

    >>> counting_bound([1, 2, 3], [3, 2, 1])  # degree 2 in two variables on each side
    4
    """
    if len(left) != len(right):
        raise ValueError(
            f"left and right must have a number for each part, got {len(left)} and {len(right)}"
        )
    return sum(map(min, left, right))


def matricization(y: Polynomial, left: ArrayLike, right: ArrayLike, prime: int) -> nmod_mat:
    """The matrix (y(a_i, b_j))_{ij} modulo a prime, as a flint.nmod_mat. Section 5.1.3 of the note.

    `left`, `right`: template points, shapes (r, variables in a) and (s, variables in b), of
    integers; 2 <= `prime` < 2^31. TypeError where y is not a function, ValueError where its
    values have not the shape (points,), or template points are something else.

    >>> matricization(lambda x, prime: x.prod(axis=1) % prime, [[1], [2]], [[3], [4]], 101).rank()
    1
    """
    prime = _prime(prime)
    left, right = (
        _template(name, points) % prime for name, points in (("left", left), ("right", right))
    )
    rows = max(1, BLOCK // len(right))
    values = [
        _values(y, _pairs(left[start : start + rows], right), prime)
        for start in range(0, len(left), rows)
    ]
    return nmod_mat(len(left), len(right), np.concatenate(values).tolist(), prime)


def _template(name: str, points: ArrayLike) -> Residues:
    points = np.asarray(points)
    if points.ndim != 2 or not points.size or not np.issubdtype(points.dtype, np.integer):
        raise ValueError(
            f"{name} must be template points, an array of integers of shape (points, variables), "
            f"got {points.tolist()}"
        )
    return points.astype(np.int64)


def _values(y, x, prime):
    if not callable(y):
        raise TypeError(
            f"y must be a function of points and a prime, got {y}: the rank of an expression is "
            "coefficient_matrix(...).rank()"
        )
    values = np.asarray(y(x, prime))
    if values.shape != (len(x),):
        raise ValueError(
            f"y must return a value for each of {len(x)} points, shape ({len(x)},), got the shape "
            f"{values.shape}"
        )
    return values


def _pairs(left, right):
    return np.hstack([np.repeat(left, len(right), axis=0), np.tile(right, (len(left), 1))])


def separation_rank(
    y: Polynomial,
    left: int,
    right: int,
    degree: int,
    rng: np.random.Generator,
    primes: Sequence[int] = PRIMES,
) -> SeparationRank:
    """The separation rank of y from matricizations at random points, twice as many until the rank
    is below their number.

    `left`, `right`: variables in a and in b; `degree`: that of y. If the rank modulo p exceeds the
    one found, v, a minor of size v + 1, a polynomial of degree (v + 1) degree in the points, has
    vanished at random points: probability at most (v + 1) degree / p (Schwartz-Zippel). ValueError
    for a prime that leaves more than 1 % to that, or where y is not such a polynomial: its
    difference of order degree + 1 on a random line is not zero. ValueError too where y takes
    another number of variables than `left` + `right`, and as `matricization`.

    >>> def y(x, prime):  # (a + a^2) b
    ...     return x[:, 0] * (x[:, 0] + 1) % prime * x[:, 1] % prime
    >>> separation_rank(y, 1, 1, 3, np.random.default_rng(0))
    SeparationRank(value=1, error=7.8...e-18, primes=(2147483647, 2147483629))
    """
    left, right, degree = (
        integer(name, value)
        for name, value in (("left", left), ("right", right), ("degree", degree))
    )
    if not isinstance(primes, (list, tuple)) or not primes:
        raise ValueError(
            f"primes must hold at least one prime, got {primes}: the default is {PRIMES}"
        )
    for prime in primes:
        _refuse_other_degrees(y, left + right, degree, generator(rng).spawn(1)[0], _prime(prime))
    found = [_rank_modulo(y, left, right, rng, prime) for prime in primes]
    value = max(found)
    errors = [(value + 1) * degree / prime for prime in primes]
    if max(errors) > 0.01:
        least = 100 * (value + 1) * degree
        raise ValueError(
            f"prime must exceed {least} for rank {value} and degree {degree}, got {min(primes)}: "
            "pass a larger one"
        )
    return SeparationRank(value, prod(errors), tuple(primes))


def _refuse_other_degrees(y, variables, degree, rng, prime):
    start, step = rng.integers(0, prime, (2, variables))
    line = (start + np.arange(degree + 2)[:, None] * step) % prime
    try:
        values = _values(y, line, prime).tolist()
    except IndexError as error:
        raise ValueError(
            "left and right must be a partition of the variables of y, which does not take "
            f"{variables}: {error}"
        ) from error
    if sum((-1) ** k * comb(degree + 1, k) * value for k, value in enumerate(values)) % prime:
        raise ValueError(
            f"y is not a polynomial of degree {degree}: on a random line its difference of order "
            f"{degree + 1} is not zero modulo {prime}"
        )


def _rank_modulo(y, left, right, rng, prime):
    points = [rng.integers(0, prime, (8, variables)) for variables in (left, right)]
    while (rank := matricization(y, points[0], points[1], prime).rank()) == len(points[0]):
        # the old points stay: only the first size that exceeds a rank can give it, so it has one
        # chance to be wrong
        points = [np.vstack([old, rng.integers(0, prime, old.shape)]) for old in points]
    return rank


def coefficient_matrix(y: Expr | Poly, left: Sequence[Symbol], right: Sequence[Symbol]) -> fmpq_mat:
    """Coefficients of a polynomial in rationals, rows for monomials in `left`, columns for those in
    `right`; the reference.

    `y`: a SymPy expression or Poly, with rational coefficients and in exactly the symbols of `left`
    and `right`, which have none in common. Returns a flint.fmpq_mat, whose `rank()` is the
    separation rank. TypeError or ValueError otherwise.

    >>> from sympy.abc import a, b
    >>> tuple(coefficient_matrix(y, [a], [b]).rank() for y in ((a + a**2) * b, a + b))
    (1, 2)
    """
    for name, side in (("left", left), ("right", right)):
        if isinstance(side, (str, Symbol)) or not all(
            isinstance(variable, Symbol) for variable in side
        ):
            raise TypeError(f"{name} must be a list of SymPy symbols, got {side!r}")
    left, right = list(left), list(right)
    if not left or not right or len({*left, *right}) < len(left) + len(right):
        raise ValueError(
            f"left and right must be a partition of the variables, got {left} and {right}: each "
            "symbol once, neither empty"
        )
    try:
        terms = Poly(y, *left, *right, domain="QQ").terms()
    except (PolynomialError, CoercionFailed) as error:
        raise ValueError(
            f"y must be a polynomial in {left + right} with rational coefficients, got {y}"
        ) from error
    table = {
        (powers[: len(left)], powers[len(left) :]): fmpq(int(value.p), int(value.q))
        for powers, value in terms
    }
    rows, columns = (sorted({key[side] for key in table}) for side in (0, 1))
    return fmpq_mat([[table.get((row, column), fmpq(0)) for column in columns] for row in rows])


def rank_factorization(matrix: fmpq_mat) -> tuple[fmpq_mat, fmpq_mat]:
    """Two flint.fmpq_mat whose product is `matrix`, with as many columns and rows as its rank: the
    products that sep(y) counts.

    Column r of the first holds the coefficients of g_r, row r of the second those of h_r.

    >>> from sympy.abc import a, b
    >>> columns, rows = rank_factorization(coefficient_matrix((a + a**2) * b, [a], [b]))
    >>> columns.ncols(), rows.nrows()
    (1, 1)
    """
    echelon, rank = matrix.rref()
    pivots = [next(k for k in range(matrix.ncols()) if echelon[r, k] != 0) for r in range(rank)]
    columns = fmpq_mat([[matrix[row, k] for k in pivots] for row in range(matrix.nrows())])
    return columns, fmpq_mat([[echelon[r, k] for k in range(matrix.ncols())] for r in range(rank)])


def _prime(prime):
    prime = integer("prime", prime, at_least=2, at_most=2**31 - 1)
    if not fmpz(prime).is_prime():
        raise ValueError(
            f"prime must be a prime number, got {prime}: the rank modulo a composite number is "
            "not defined"
        )
    return prime
