"""What follows from the kernel's axioms about exp, ln and powers.

Each constant is a judgment, proved when this module is imported; ``proof.apply`` puts
terms for its symbols ``x``, ``y``, ``a``, ``b``.

>>> POWER_MONOTONE
x > 0, x <= y, a >= 0 ⊢ Power(x, a) <= Power(y, a)
"""

from sympy import Eq, Ge, Gt, Integer, Le, symbols

from polycore.proof import AXIOMS, apply, arithmetic
from polycore.statements import Exp, Log, Power

__all__ = [
    "EXP_AT_MOST", "EXP_EQUAL", "EXP_INJECTIVE", "EXP_MONOTONE", "EXP_POSITIVE", "EXP_ZERO",
    "LOG_MONOTONE", "LOG_ONE", "LOG_POWER", "LOG_PRODUCT", "LOG_QUOTIENT", "LOG_TANGENT", "LOG_TWO_POSITIVE",
    "POWER_AT_LEAST_ONE", "POWER_EQUAL", "POWER_MONOTONE", "POWER_ONE", "POWER_POSITIVE", "POWER_PRODUCT", "POWER_SUM", "exp_of_equals",
]  # fmt: skip

x, y, a, b = symbols("x y a b")
_X, _XY = [Gt(x, 0)], [Gt(x, 0), Gt(y, 0)]


def _sum(p, q):
    return apply(AXIOMS["exp of a sum"], {x: p, y: q})


def _tangent(p):
    return apply(AXIOMS["tangent of exp"], {x: p})


def _inverse(p, given=()):
    return apply(AXIOMS["log inverts exp"], {x: p}, given)


def _power(p, q, given):
    return apply(AXIOMS["power"], {x: p, a: q}, given)


EXP_ZERO = arithmetic(
    Eq(Exp(Integer(0)), 1, evaluate=False),
    using=[_sum(0, 0), _tangent(0)],
    why="e^0 is its own square and at least 1",
)
EXP_POSITIVE = arithmetic(
    Gt(Exp(x), 0),
    using=[EXP_ZERO, _sum(x, -x), _sum(x / 2, x / 2)],
    why="e^x is a square and has an inverse",
)
EXP_MONOTONE = arithmetic(
    Le(Exp(x), Exp(y)),
    [Le(x, y)],
    [_sum(x, y - x), _tangent(y - x), EXP_POSITIVE],
    why="exp is increasing",
)
EXP_EQUAL = arithmetic(
    Eq(Exp(x), Exp(y)),
    [Eq(x, y)],
    [apply(EXP_MONOTONE, {}, [Eq(x, y)]), apply(EXP_MONOTONE, {x: y, y: x}, [Eq(x, y)])],
    why="exp of equals",
)


def exp_of_equals(p, q, given=(), using=()):
    """``e^p = e^q`` for terms that arithmetic finds equal."""
    return apply(EXP_EQUAL, {x: p, y: q}, given, [arithmetic(Eq(p, q, evaluate=False), given, using)])


EXP_INJECTIVE = arithmetic(
    Eq(x, y),
    [Eq(Exp(x), Exp(y))],
    [_sum(x, y - x), _tangent(y - x), _sum(y, x - y), _tangent(x - y), EXP_POSITIVE],
    why="exp takes each value once",
)

LOG_MONOTONE = arithmetic(
    Le(Log(x), Log(y)),
    [Gt(x, 0), Le(x, y)],
    [
        _inverse(x, _X), _inverse(y, [Gt(y, 0)]), apply(EXP_POSITIVE, {x: Log(y)}),
        _sum(Log(y), Log(x) - Log(y)), _tangent(Log(x) - Log(y)),
    ],
    why="ln is increasing",
)  # fmt: skip
LOG_PRODUCT = apply(
    EXP_INJECTIVE,
    {x: Log(x * y), y: Log(x) + Log(y)},
    _XY,
    [_inverse(x, _XY), _inverse(y, _XY), _inverse(x * y, _XY), _sum(Log(x), Log(y))],
    why="ln of a product",
)
_factor = apply(
    EXP_INJECTIVE,
    {x: Log(x), y: Log(y) + Log(b)},
    [*_XY, Gt(b, 0), Eq(x, y * b)],
    [_inverse(x, _X), _inverse(y, _XY), _inverse(b, [Gt(b, 0)]), _sum(Log(y), Log(b))],
)
LOG_QUOTIENT = arithmetic(
    Eq(Log(x / y), Log(x) - Log(y)),
    _XY,
    [apply(_factor, {b: x / y}, _XY)],
    why="ln of a quotient",
)
LOG_TANGENT = arithmetic(
    Le(Log(x), Log(y) + x / y - 1),
    _XY,
    [_inverse(x, _XY), _inverse(y, _XY), _sum(Log(y), Log(x) - Log(y)), _tangent(Log(x) - Log(y))],
    why="ln lies below its tangent at y",
)
LOG_ONE = arithmetic(
    Eq(Log(Integer(1)), 0, evaluate=False),
    using=[_inverse(1), EXP_ZERO, apply(EXP_INJECTIVE, {x: Log(Integer(1)), y: 0}, [Eq(Exp(Log(Integer(1))), Exp(Integer(0)))])],
    why="e^0 is 1",
)
LOG_TWO_POSITIVE = arithmetic(
    Gt(Log(Integer(2)), 0),
    using=[_inverse(2), EXP_ZERO, _tangent(-Log(Integer(2))), _sum(Log(Integer(2)), -Log(Integer(2)))],
    why="e^0 is less than 2",
)
EXP_AT_MOST = arithmetic(
    Le(Exp(x), y),
    [Gt(y, 0), Le(x, Log(y))],
    [_inverse(y, [Gt(y, 0)]), apply(EXP_MONOTONE, {y: Log(y)}, [Le(x, Log(y))])],
    why="exp of at most ln y is at most y",
)

POWER_POSITIVE = arithmetic(
    Gt(Power(x, a), 0),
    _X,
    [_power(x, a, _X), apply(EXP_POSITIVE, {x: a * Log(x)})],
    why="a power is positive",
)
POWER_ONE = arithmetic(
    Eq(Power(x, 1), x),
    _X,
    [_power(x, 1, _X), _inverse(x, _X)],
    why="the first power",
)
POWER_SUM = arithmetic(
    Eq(Power(x, a + b), Power(x, a) * Power(x, b)),
    _X,
    [*(_power(x, c, _X) for c in (a + b, a, b)), _sum(a * Log(x), b * Log(x))],
    why="exponents add",
)
POWER_PRODUCT = arithmetic(
    Eq(Power(x * y, a), Power(x, a) * Power(y, a)),
    _XY,
    [
        *(_power(c, a, _XY) for c in (x * y, x, y)), _sum(a * Log(x), a * Log(y)),
        apply(EXP_EQUAL, {x: a * Log(x * y), y: a * Log(x) + a * Log(y)}, _XY, [LOG_PRODUCT]),
    ],
    why="a power of a product",
)  # fmt: skip
LOG_POWER = apply(
    EXP_INJECTIVE,
    {x: Log(Power(x, a)), y: a * Log(x)},
    _X,
    [POWER_POSITIVE, _power(x, a, _X), _inverse(Power(x, a), [Gt(Power(x, a), 0)])],
    why="ln of a power",
)
_RISING = [Gt(x, 0), Le(x, y), Ge(a, 0)]
POWER_MONOTONE = arithmetic(
    Le(Power(x, a), Power(y, a)),
    _RISING,
    [
        _power(x, a, _RISING), _power(y, a, _RISING),
        apply(EXP_MONOTONE, {x: a * Log(x), y: a * Log(y)}, _RISING, [LOG_MONOTONE]),
    ],
    why="a power with exponent at least 0 is increasing",
)  # fmt: skip
POWER_EQUAL = arithmetic(
    Eq(Power(x, a), Power(y, a)),
    [*_XY, Eq(x, y)],
    [*(_power(base, a, [*_XY, Eq(x, y)]) for base in (x, y)), exp_of_equals(a * Log(x), a * Log(y), [*_XY, Eq(x, y)], [LOG_MONOTONE, apply(LOG_MONOTONE, {x: y, y: x}, [*_XY, Eq(x, y)])])],
    why="equal powers of equals",
)
_LARGE = [Ge(x, 1), Ge(a, 0)]
_log_at_least_zero = arithmetic(
    Ge(Log(x), 0),
    [Ge(x, 1)],
    [_inverse(x, [Ge(x, 1)]), EXP_ZERO, _tangent(-Log(x)), _sum(Log(x), -Log(x))],
)
POWER_AT_LEAST_ONE = arithmetic(
    Ge(Power(x, a), 1),
    _LARGE,
    [_power(x, a, _LARGE), _tangent(a * Log(x)), arithmetic(Ge(a * Log(x), 0), _LARGE, [_log_at_least_zero])],
    why="a power of at least 1 with exponent at least 0",
)
