"""Hoeffding's lemma for a sign, cosh x ≤ e^(x²/2), from e^(x+y) = e^x e^y and e^x ≥ 1 + x alone.

Near 0 it holds up to a factor, doubling carries it outward without loss, and from halves
small enough the factor is as near to 1 as one likes. Judgments in the symbols ``x``, ``y``, ``a``.

>>> COSH
⊢ Exp(-x)/2 + Exp(x)/2 <= Exp(x**2/2)
"""

from sympy import Eq, Ge, Gt, Integer, Le, Lt, Rational, symbols

from polycore.elementary import EXP_MONOTONE, EXP_POSITIVE, EXP_ZERO, POWER_ONE, POWER_POSITIVE, POWER_SUM, exp_of_equals
from polycore.proof import AXIOMS, apply, arithmetic, ball, induction
from polycore.statements import Ceil, Exp, Log, Power, n

__all__ = ["COSH", "COSH_DOUBLED", "COSH_NEARLY", "COSH_SMALL", "COSH_TWICE"]

x, y, a = symbols("x y a")


def _cosh(r):
    return Exp(r) / 2 + Exp(-r) / 2


def _sum(r, q):
    return apply(AXIOMS["exp of a sum"], {"x": r, "y": q})


def _tangent(r, given=()):
    return apply(AXIOMS["tangent of exp"], {"x": r}, given)


_half = x / 2
COSH_SMALL = arithmetic(
    Le(_cosh(x), 1 + x**2 / (2 * (1 - _half) ** 2)),
    [Ge(x, 0), Lt(x, 2)],
    [EXP_ZERO, *(_sum(p, q) for p in (_half, -_half) for q in (_half, -_half)), _tangent(_half), _tangent(-_half)],
    why="cosh x is 1 and half the square of a difference of exponentials, which two tangents bound",
)
COSH_TWICE = arithmetic(
    Le(_cosh(2 * x), Exp(4 * y)),
    [Le(_cosh(x), Exp(y))],
    [EXP_ZERO, EXP_POSITIVE, *(_sum(p, q) for p, q in [(x, x), (-x, -x), (x, -x), (y, y), (2 * y, 2 * y)])],
    why="cosh 2x = 2 cosh² x − 1 is at most the fourth power of cosh x",
)


def _scaled(power):
    """The exponents of the claim once x has been multiplied by ``power``."""
    return power * x, -power * x, a * (power * x) ** 2


_two, _none, _more = (Power(Integer(2), exponent) for exponent in (n, 0, n + 1))
_one = arithmetic(Eq(_none, 1), using=[apply(AXIOMS["power"], {"x": 2, "a": 0}), EXP_ZERO])
_twice = [apply(POWER_SUM, {"x": 2, "a": n, "b": 1}), apply(POWER_ONE, {"x": 2})]
_before = Le(_cosh(_two * x), Exp(a * (_two * x) ** 2))
COSH_DOUBLED = induction(
    _before,
    [Le(_cosh(x), Exp(a * x**2))],
    "doubled n times",
    base=[exp_of_equals(p, q, using=[_one]) for p, q in zip(_scaled(_none), _scaled(1))],
    step=[
        *(exp_of_equals(p, q, using=_twice) for p, q in zip(_scaled(_more), _scaled(2 * _two))),
        apply(COSH_TWICE, {"x": _two * x, "y": a * (_two * x) ** 2}, [_before]),
    ],
)

_bound, _excess = Exp(x**2 / 2), 3 * x**2 * y / 2
_factor = 1 / (2 * (1 - y / 2) ** 2)
_halved = [Eq(x, _two * y), Ge(n, 0), Ge(x, 0), Ge(y, 0), Le(y, 1), Le(2 * _excess, 1)]
_near = arithmetic(
    Le(_cosh(y), Exp(_factor * y**2)),
    _halved,
    [apply(COSH_SMALL, {"x": y}, _halved), _tangent(_factor * y**2, _halved)],
)
_far = apply(COSH_DOUBLED, {"x": y, "a": _factor}, _halved, [_near])
_exponents = [(x, _two * y), (-x, -_two * y), (_factor * x**2, _factor * (_two * y) ** 2)]
_bound_positive = apply(EXP_POSITIVE, {"x": x**2 / 2})
_almost = arithmetic(
    Le(_cosh(x), _bound * (1 + 2 * _excess)),
    _halved,
    [
        _far,
        *(exp_of_equals(p, q, _halved) for p, q in _exponents),
        apply(EXP_MONOTONE, {"x": _factor * x**2, "y": x**2 / 2 + _excess}, _halved),
        *[EXP_ZERO, _tangent(-_excess), _sum(_excess, -_excess), _sum(x**2 / 2, _excess)],
        *[_bound_positive, apply(EXP_POSITIVE, {"x": _excess})],
    ],
)
_y = x / _two
_small = [Gt(_two, 0), Ge(n, 0), Ge(x, 0), Le(_y, 1), Le(3 * x**2 * _y, 1)]
COSH_NEARLY = apply(_almost, {"y": _y}, _small, why="halved n times, and doubled as often")

# If cosh x exceeded the bound, ⌈many⌉ halvings would contradict COSH_NEARLY.
_beyond = [Ge(x, 0), Gt(_cosh(x), _bound)]
_share = 6 * _bound * x**3 / (_cosh(x) - _bound)
_many = 2 * x + 6 * x**3 + _share
_halvings = Ceil(_many)
_size = Power(Integer(2), _halvings)
_known = [_bound_positive, apply(POWER_POSITIVE, {"x": 2, "a": _halvings}, _beyond)]
_known += [apply(AXIOMS["ceiling"], {"x": _many}, _beyond), arithmetic(Ge(_share, 0), _beyond, _known)]
_growth = [apply(AXIOMS["power"], {"x": 2, "a": _halvings}, _beyond), _tangent(_halvings * Log(Integer(2)), _beyond)]
_growth += [ball(Ge(Log(Integer(2)), Rational(1, 2)))]
_known += [arithmetic(Ge(_size, 1 + _halvings / 2), _beyond, [*_known, *_growth])]
_y = x / _size
_known += [arithmetic(Le(_y * (2 + _halvings), 2 * x), _beyond, _known), arithmetic(Ge(x**3, 0), [Ge(x, 0)])]
_known += [arithmetic(Le(_y, 1), _beyond, _known)]
_known += [arithmetic(Le(3 * x**2 * _y, 1), _beyond, _known)]
_known += [apply(COSH_NEARLY, {"n": _halvings}, _beyond, _known)]
_positive = arithmetic(Le(_cosh(x), _bound), [Ge(x, 0)], [arithmetic(Le(_cosh(x), _bound), _beyond, _known)])
COSH = arithmetic(
    Le(_cosh(x), _bound),
    using=[_positive, apply(_positive, {"x": -x}, [Le(x, 0)])],
    why="Hoeffding's lemma for a sign: what holds up to any factor above 1 holds",
)
