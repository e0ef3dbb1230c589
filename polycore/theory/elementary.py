"""What follows from the kernel's axioms about exp, ln and powers, in the symbols ``x``, ``y``,
``a``, ``b``.

>>> POWER_MONOTONE
x > 0, x <= y, a >= 0 ⊢ Power(x, a) <= Power(y, a)
"""

from collections.abc import Sequence

from sympy import Eq, Expr, Ge, Gt, Integer, Le, Rel, symbols

from polycore.proof import (
    AXIOMS,
    Exp,
    Judgment,
    Log,
    Power,
    apply,
    arithmetic,
    chain,
    step,
    theorem,
)
from polycore.proof.kernel import Lemma

__all__ = [
    "EXP_AT_MOST", "EXP_EQUAL", "EXP_INJECTIVE", "EXP_MONOTONE", "EXP_POSITIVE", "EXP_ZERO",
    "LOG_MONOTONE", "LOG_ONE", "LOG_POWER", "LOG_PRODUCT", "LOG_QUOTIENT", "LOG_TANGENT",
    "LOG_TWO_POSITIVE", "POWER_AT_LEAST_ONE", "POWER_EQUAL", "POWER_MONOTONE", "POWER_ONE",
    "POWER_OUTGROWS", "POWER_POSITIVE", "POWER_PRODUCT", "POWER_RISES_WITH_EXPONENT", "POWER_SUM",
    "exp_of_equals", "exp_of_sum", "log_inverts", "power_is", "tangent",
]  # fmt: skip

x, y, a, b = symbols("x y a b")
POSITIVE, BOTH_POSITIVE = [Gt(x, 0)], [Gt(x, 0), Gt(y, 0)]


def exp_of_sum(p: Expr | int, q: Expr | int, given: Sequence[Rel] = ()) -> Judgment:
    """``e^(p + q) = e^p e^q``."""
    return apply(AXIOMS["exp of a sum"], {x: p, y: q}, given)


def tangent(p: Expr | int, given: Sequence[Rel] = ()) -> Judgment:
    """``e^p ≥ 1 + p``."""
    return apply(AXIOMS["tangent of exp"], {x: p}, given)


def log_inverts(p: Expr | int, given: Sequence[Rel] = (), using: Sequence[Lemma] = ()) -> Judgment:
    """``e^(ln p) = p``."""
    return apply(AXIOMS["log inverts exp"], {x: p}, given, using)


def power_is(
    p: Expr | int, q: Expr | int, given: Sequence[Rel] = (), using: Sequence[Lemma] = ()
) -> Judgment:
    """``p^q = e^(q ln p)``."""
    return apply(AXIOMS["power"], {x: p, a: q}, given, using)


@theorem
def EXP_ZERO():
    why = "e^0 is its own square and at least 1"
    return arithmetic(
        Eq(Exp(Integer(0)), 1, evaluate=False), using=[exp_of_sum(0, 0), tangent(0)], why=why
    )


@theorem
def EXP_POSITIVE():
    why = "e^x is a square and has an inverse"
    return arithmetic(
        Gt(Exp(x), 0), using=[EXP_ZERO, exp_of_sum(x, -x), exp_of_sum(x / 2, x / 2)], why=why
    )


@theorem
def EXP_MONOTONE():
    using: list[Lemma] = [exp_of_sum(x, y - x), tangent(y - x), EXP_POSITIVE]
    return arithmetic(Le(Exp(x), Exp(y)), [Le(x, y)], using, "exp is increasing")


@theorem
def EXP_EQUAL():
    given = [Eq(x, y)]
    using = [apply(EXP_MONOTONE, {}, given), apply(EXP_MONOTONE, {x: y, y: x}, given)]
    return arithmetic(Eq(Exp(x), Exp(y)), given, using, "exp of equals")


def exp_of_equals(
    p: Expr | int, q: Expr | int, given: Sequence[Rel] = (), using: Sequence[Lemma] = ()
) -> Judgment:
    """``e^p = e^q`` for terms that arithmetic finds equal."""
    return apply(
        EXP_EQUAL, {x: p, y: q}, given, [arithmetic(Eq(p, q, evaluate=False), given, using)]
    )


@theorem
def EXP_INJECTIVE():
    using: list[Lemma] = [
        exp_of_sum(x, y - x),
        tangent(y - x),
        exp_of_sum(y, x - y),
        tangent(x - y),
        EXP_POSITIVE,
    ]
    return arithmetic(Eq(x, y), [Eq(Exp(x), Exp(y))], using, "exp takes each value once")


@theorem
def LOG_MONOTONE():
    difference = Log(x) - Log(y)
    using = [log_inverts(x, POSITIVE), log_inverts(y, [Gt(y, 0)]), apply(EXP_POSITIVE, {x: Log(y)})]
    using += [exp_of_sum(Log(y), difference), tangent(difference)]
    return arithmetic(Le(Log(x), Log(y)), [Gt(x, 0), Le(x, y)], using, "ln is increasing")


@theorem
def LOG_PRODUCT():
    using = [*(log_inverts(p, BOTH_POSITIVE) for p in (x, y, x * y)), exp_of_sum(Log(x), Log(y))]
    return apply(
        EXP_INJECTIVE, {x: Log(x * y), y: Log(x) + Log(y)}, BOTH_POSITIVE, using, "ln of a product"
    )


@theorem
def LOG_QUOTIENT():
    given = [*BOTH_POSITIVE, Gt(b, 0), Eq(x, y * b)]
    using = [
        log_inverts(x, POSITIVE),
        log_inverts(y, BOTH_POSITIVE),
        log_inverts(b, [Gt(b, 0)]),
        exp_of_sum(Log(y), Log(b)),
    ]
    factor = apply(EXP_INJECTIVE, {x: Log(x), y: Log(y) + Log(b)}, given, using)
    quotient = apply(factor, {b: x / y}, BOTH_POSITIVE)
    return arithmetic(
        Eq(Log(x / y), Log(x) - Log(y)), BOTH_POSITIVE, [quotient], "ln of a quotient"
    )


@theorem
def LOG_TANGENT():
    difference = Log(x) - Log(y)
    using = [
        log_inverts(x, BOTH_POSITIVE),
        log_inverts(y, BOTH_POSITIVE),
        exp_of_sum(Log(y), difference),
        tangent(difference),
    ]
    return arithmetic(
        Le(Log(x), Log(y) + x / y - 1), BOTH_POSITIVE, using, "ln lies below its tangent at y"
    )


@theorem
def LOG_ONE():
    one = Log(Integer(1))
    zero = apply(EXP_INJECTIVE, {x: one, y: 0}, [Eq(Exp(one), Exp(Integer(0)))])
    return arithmetic(
        Eq(one, 0, evaluate=False), using=[log_inverts(1), EXP_ZERO, zero], why="e^0 is 1"
    )


@theorem
def LOG_TWO_POSITIVE():
    two = Log(Integer(2))
    using: list[Lemma] = [log_inverts(2), EXP_ZERO, tangent(-two), exp_of_sum(two, -two)]
    return arithmetic(Gt(two, 0), using=using, why="e^0 is less than 2")


@theorem
def EXP_AT_MOST():
    given = [Gt(y, 0), Le(x, Log(y))]
    using = [log_inverts(y, [Gt(y, 0)]), apply(EXP_MONOTONE, {y: Log(y)}, [Le(x, Log(y))])]
    return arithmetic(Le(Exp(x), y), given, using, "exp of at most ln y is at most y")


@theorem
def POWER_POSITIVE():
    using = [power_is(x, a, POSITIVE), apply(EXP_POSITIVE, {x: a * Log(x)})]
    return arithmetic(Gt(Power(x, a), 0), POSITIVE, using, "a power is positive")


@theorem
def POWER_ONE():
    return arithmetic(
        Eq(Power(x, 1), x),
        POSITIVE,
        [power_is(x, 1, POSITIVE), log_inverts(x, POSITIVE)],
        "the first power",
    )


@theorem
def POWER_SUM():
    using = [*(power_is(x, c, POSITIVE) for c in (a + b, a, b)), exp_of_sum(a * Log(x), b * Log(x))]
    return arithmetic(
        Eq(Power(x, a + b), Power(x, a) * Power(x, b)), POSITIVE, using, "exponents add"
    )


@theorem
def POWER_PRODUCT():
    given, logs = BOTH_POSITIVE, {x: a * Log(x * y), y: a * Log(x) + a * Log(y)}
    using = [*(power_is(c, a, given) for c in (x * y, x, y)), exp_of_sum(a * Log(x), a * Log(y))]
    using += [apply(EXP_EQUAL, logs, given, [LOG_PRODUCT])]
    return arithmetic(
        Eq(Power(x * y, a), Power(x, a) * Power(y, a)), given, using, "a power of a product"
    )


@theorem
def POWER_EQUAL():
    given = [*BOTH_POSITIVE, Eq(x, y)]
    logs: list[Lemma] = [LOG_MONOTONE, apply(LOG_MONOTONE, {x: y, y: x}, given)]
    using = [
        power_is(x, a, given),
        power_is(y, a, given),
        exp_of_equals(a * Log(x), a * Log(y), given, logs),
    ]
    return arithmetic(Eq(Power(x, a), Power(y, a)), given, using, "equal powers of equals")


@theorem
def LOG_POWER():
    using: list[Lemma] = [
        POWER_POSITIVE,
        power_is(x, a, POSITIVE),
        log_inverts(Power(x, a), [Gt(Power(x, a), 0)]),
    ]
    return apply(
        EXP_INJECTIVE, {x: Log(Power(x, a)), y: a * Log(x)}, POSITIVE, using, "ln of a power"
    )


@theorem
def POWER_MONOTONE():
    given = [Gt(x, 0), Le(x, y), Ge(a, 0)]
    rising = apply(EXP_MONOTONE, {x: a * Log(x), y: a * Log(y)}, given, [LOG_MONOTONE])
    using = [power_is(x, a, given), power_is(y, a, given), rising]
    return arithmetic(
        Le(Power(x, a), Power(y, a)), given, using, "a power with exponent at least 0 is increasing"
    )


@theorem
def POWER_AT_LEAST_ONE():
    one, given = [Ge(x, 1)], [Ge(x, 1), Ge(a, 0)]
    log = arithmetic(
        Ge(Log(x), 0),
        one,
        [log_inverts(x, one), EXP_ZERO, tangent(-Log(x)), exp_of_sum(Log(x), -Log(x))],
    )
    using = [
        power_is(x, a, given),
        tangent(a * Log(x)),
        arithmetic(Ge(a * Log(x), 0), given, [log]),
    ]
    return arithmetic(
        Ge(Power(x, a), 1), given, using, "a power of at least 1 with exponent at least 0"
    )


@theorem
def POWER_RISES_WITH_EXPONENT():
    """``x^a ≤ x^b`` for ``x ≥ 1`` and ``a ≤ b``."""
    given = [Ge(x, 1), Le(a, b)]
    apart = [apply(POWER_SUM, {"b": b - a}, given), apply(POWER_POSITIVE, {}, given)]
    more = apply(POWER_AT_LEAST_ONE, {"a": b - a}, given)
    return arithmetic(Le(Power(x, a), Power(x, b)), given, [*apart, more], "x^(b − a) ≥ 1")


@theorem
def POWER_OUTGROWS():
    """``x^(1 + a) ≥ b x`` from any ``y`` on with ``y^a ≥ b``."""
    given = [Gt(y, 0), Ge(x, y), Ge(a, 0), Ge(Power(y, a), b)]
    apart = [apply(POWER_SUM, {b: 1}, given), apply(POWER_ONE, {}, given)]
    return chain(
        Power(x, 1 + a),
        step("=", Power(x, a) * x, "exponents add", *apart),
        step(">=", Power(y, a) * x, "a power grows", apply(POWER_MONOTONE, {x: y, y: x}, given)),
        step(">=", b * x, "it has reached this number"),
        given=given,
    )
