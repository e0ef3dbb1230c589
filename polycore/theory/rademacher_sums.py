"""The distribution of a sum of random signs, from its definition by the last sign: Hoeffding's
inequality, and independent columns.

Judgments of the kernel in the symbols ``f`` (coefficients), ``t``, ``s`` (limits), ``h`` (bounds on
ln cosh s f_i), ``m`` (columns), ``N`` (tokens with the same output) and ``a`` (the rate at which a
column is silent).

>>> HOEFFDING
t > 0, Sum(f[i]**2, (i, 1, n)) > 0, n >= 0 ⊢ Above(Sum(f[i], (i, 1, n)), t) <=
Exp(-t**2/(2*Sum(f[i]**2, (i, 1, n))))
"""

from collections.abc import Mapping, Sequence
from functools import cache

from sympy import Eq, Expr, Ge, Gt, IndexedBase, Le, Lt, Rel, Sum, Symbol, symbols

from polycore.proof import (
    AXIOMS,
    Above,
    Exp,
    Judgment,
    Silent,
    Tail,
    apply,
    arithmetic,
    i,
    induction,
    m,
    n,
    one_more_column,
    theorem,
    total,
)
from polycore.proof.axioms import NEXT_COLUMN, F, F_next, tau, x
from polycore.proof.kernel import Lemma
from polycore.theory.elementary import EXP_POSITIVE, EXP_ZERO, exp_of_equals, exp_of_sum
from polycore.theory.hoeffding_lemma import COSH_LE_EXP
from polycore.theory.sums import SUM_AFFINE

__all__ = [
    "ABOVE_AT_LEAST_ZERO", "ABOVE_AT_MOST_ONE", "ABOVE_MONOTONE", "CHERNOFF", "CHERNOFF_BELOW",
    "ABOVE_OR_BELOW", "ABOVE_EXCLUDES_BELOW", "HOEFFDING", "HOEFFDING_BELOW", "HOEFFDING_TWO_SIDED",
    "SILENT_LE_EXP", "ABOVE_ZERO_PAST_SUM", "ONE_MORE_COLUMN", "SILENT_MONOTONE",
    "ABOVE_ONE_BELOW_SUM", "ABOVE_SYMMETRIC", "SILENT_GE_UNION_BOUND", "OPPOSITE",
    "by_the_last_sign",
]  # fmt: skip

f, h = IndexedBase("f"), IndexedBase("h")
s, t, a, N = symbols("s t a N")
SUM, NEGATIVE, LAST, NORM = total(f[i]), total(-f[i]), f[n + 1], total(f[i] ** 2)
# The limits that are left once the last sign is known: with the one side turned round, and with
# both alike.
EITHER = {t: t - LAST}, {t: t + LAST}
OPPOSITE = [{t: t - LAST, s: s + LAST}, {t: t + LAST, s: s - LAST}]
ALIKE = [{t: t - LAST, s: s - LAST}, {t: t + LAST, s: s + LAST}]


def _defined(coefficients, limit):
    """The distribution of no sign, and of one more, for these coefficients and this limit."""
    terms = {"f": coefficients, "t": limit}
    none = [
        apply(AXIOMS[f"no sign, limit {where} 0"], terms, [side(limit, 0)])
        for where, side in (("at least", Ge), ("below", Lt))
    ]
    return none, [apply(AXIOMS["one more sign"], terms, [Ge(n, 0)])]


def by_the_last_sign(
    goal: Rel,
    given: Sequence[Rel],
    why: str,
    *laws: tuple[Expr, Expr],
    at: Sequence[Mapping[Symbol, Expr]],
    base: Sequence[Lemma] = (),
    step: Sequence[Lemma] = (),
) -> Judgment:
    """Induction over the signs, for a goal about sums with the coefficients and limits ``laws``;
    ``at``: what their limits become once the last sign is known; ``base`` and ``step`` as for
    ``induction``.

    >>> why = "a probability is at least 0"
    >>> by_the_last_sign(Ge(Above(SUM, t), 0), [], why, (f[i], t), at=EITHER)
    n >= 0 ⊢ Above(Sum(f[i], (i, 1, n)), t) >= 0
    """
    none, more = zip(*(_defined(*law) for law in laws))
    return induction(goal, given, why, [*sum(none, []), *base], [*sum(more, []), *step], at=at)


@theorem
def ABOVE_AT_LEAST_ZERO():
    return by_the_last_sign(
        Ge(Above(SUM, t), 0), [], "a probability is at least 0", (f[i], t), at=EITHER
    )


@theorem
def ABOVE_AT_MOST_ONE():
    return by_the_last_sign(
        Le(Above(SUM, t), 1), [], "a probability is at most 1", (f[i], t), at=EITHER
    )


@theorem
def ABOVE_MONOTONE():
    laws, why = [(f[i], t), (f[i], s)], "a higher limit is exceeded less often"
    return by_the_last_sign(Le(Above(SUM, t), Above(SUM, s)), [Le(s, t)], why, *laws, at=ALIKE)


@theorem
def ABOVE_SYMMETRIC():
    laws, why = [(f[i], t), (-f[i], t)], "the signs turned round are as random"
    return by_the_last_sign(Eq(Above(NEGATIVE, t), Above(SUM, t)), [], why, *laws, at=EITHER)


@theorem
def ABOVE_OR_BELOW():
    laws, why = [(f[i], t), (-f[i], s)], "the sum exceeds t, or its negative exceeds s"
    return by_the_last_sign(
        Ge(Above(SUM, t) + Above(NEGATIVE, s), 1), [Lt(s + t, 0)], why, *laws, at=OPPOSITE
    )


@theorem
def ABOVE_EXCLUDES_BELOW():
    laws, why = [(f[i], t), (-f[i], s)], "the sum cannot exceed t and its negative s"
    return by_the_last_sign(
        Le(Above(SUM, t) + Above(NEGATIVE, s), 1), [Ge(s + t, 0)], why, *laws, at=OPPOSITE
    )


@cache
def _never_above_the_sum():
    """The whole sum of coefficients >= 0 is the largest value."""
    larger, one_term = (
        Sum(f[i], (i, 1, n + 1)),
        apply(AXIOMS["one more term"], {"f": f[i]}, [Ge(n, 0)]),
    )
    empty = apply(AXIOMS["empty sum"], {"f": f[i]})
    base = [
        apply(
            AXIOMS["no sign, limit at least 0"], {"f": f[i], "t": Sum(f[i], (i, 1, 0))}, [], [empty]
        )
    ]
    step = [apply(AXIOMS["one more sign"], {"f": f[i], "t": larger}, [Ge(n, 0)])]
    lower = [{"s": SUM, "t": larger + side * LAST} for side in (-1, 1)]
    step += [apply(ABOVE_MONOTONE, terms, [Ge(n, 0), Ge(LAST, 0)], [one_term]) for terms in lower]
    return induction(
        Le(Above(SUM, SUM), 0),
        [Ge(f[i], 0)],
        "no sum of signs exceeds the sum of their weights",
        base,
        step,
    )


@theorem
def ABOVE_ZERO_PAST_SUM():
    over = [Ge(f[i], 0), Ge(n, 0), Ge(t, SUM)]
    using: list[Lemma] = [
        apply(_never_above_the_sum(), {}, over),
        ABOVE_AT_LEAST_ZERO,
        apply(ABOVE_MONOTONE, {"s": SUM}, over),
    ]
    return arithmetic(
        Eq(Above(SUM, t), 0), over, using, "no sum of signs exceeds the sum of their weights"
    )


@theorem
def ABOVE_ONE_BELOW_SUM():
    under = [Ge(f[i], 0), Ge(n, 0), Lt(t, -SUM)]
    using: list[Lemma] = [
        apply(_never_above_the_sum(), {}, under),
        ABOVE_AT_MOST_ONE,
        apply(ABOVE_OR_BELOW, {"s": SUM}, under),
    ]
    using += [apply(ABOVE_SYMMETRIC, {"t": SUM}, under)]
    return arithmetic(
        Eq(Above(SUM, t), 1), under, using, "every sum of signs exceeds what is below all of them"
    )


COSH_BOUNDED = [Ge(s, 0), Le(Exp(s * f[i]) / 2 + Exp(-s * f[i]) / 2, Exp(h[i]))]


@theorem
def CHERNOFF_BELOW():
    bounds, none, more = total(h[i]), Sum(h[i], (i, 1, 0)) - s * t, Sum(h[i], (i, 1, n + 1)) - s * t
    now, added = bounds - s * t, h[n + 1]
    base = [apply(law, {"x": none}) for law in (EXP_POSITIVE, AXIOMS["tangent of exp"])]
    step = [exp_of_sum(now, term) for term in (s * LAST, -s * LAST, added)]
    step += [exp_of_equals(bounds - s * (t - last), now + s * last) for last in (LAST, -LAST)]
    step += [
        exp_of_equals(
            more, now + added, [Ge(n, 0)], [apply(AXIOMS["one more term"], {"f": h[i]}, [Ge(n, 0)])]
        )
    ]
    step += [apply(EXP_POSITIVE, {"x": now})]
    goal, why = Le(1 - Above(SUM, -t), Exp(now)), "each sign multiplies the bound by cosh"
    return by_the_last_sign(goal, COSH_BOUNDED, why, (f[i], -t), at=EITHER, base=base, step=step)


@theorem
def CHERNOFF():
    given = [*COSH_BOUNDED, Ge(n, 0)]
    using = [
        apply(ABOVE_EXCLUDES_BELOW, {"s": -t}, [Ge(n, 0)]),
        apply(CHERNOFF_BELOW, {"f": -f[i]}, given),
    ]
    return arithmetic(
        Le(Above(SUM, t), Exp(total(h[i]) - s * t)),
        given,
        using,
        "each sign multiplies the bound by cosh",
    )


DEVIATION = [Gt(t, 0), Gt(NORM, 0), Ge(n, 0)]


def _at_the_best_rate(event, chernoff):
    """Hoeffding's inequality from Chernoff's, at the rate t/‖f‖²."""
    rate, exponent = t / NORM, -(t**2) / (2 * NORM)
    bound = rate**2 / 2 * f[i] ** 2
    added = apply(SUM_AFFINE, {"c": rate**2 / 2, "f": f[i] ** 2, "d": 0}, DEVIATION)
    using = [
        apply(
            chernoff,
            {"s": rate, "h": bound},
            DEVIATION,
            [apply(COSH_LE_EXP, {"x": rate * f[i]}, DEVIATION)],
        )
    ]
    using += [exp_of_equals(total(bound) - rate * t, exponent, DEVIATION, [added])]
    return arithmetic(
        Le(event, Exp(exponent)), DEVIATION, using, "Hoeffding's inequality, one side"
    )


@theorem
def HOEFFDING():
    return _at_the_best_rate(Above(SUM, t), CHERNOFF)


@theorem
def HOEFFDING_BELOW():
    return _at_the_best_rate(1 - Above(SUM, -t), CHERNOFF_BELOW)


@theorem
def HOEFFDING_TWO_SIDED():
    using: list[Lemma] = [
        HOEFFDING,
        apply(ABOVE_SYMMETRIC, {}, DEVIATION),
        apply(AXIOMS["two sides"], {"f": f[i]}, DEVIATION),
    ]
    return arithmetic(
        Le(Tail(SUM, t), 2 * Exp(-(t**2) / (2 * NORM))), DEVIATION, using, "Hoeffding's inequality"
    )


@theorem
def ONE_MORE_COLUMN():
    """``Pr[F = 0]`` over m + 1 columns is that over m, times the probability that one does not
    exceed the threshold.
    """
    below, now, then = Le(x, tau), Eq(F, 0), Eq(F_next, 0)
    both, silent = [*NEXT_COLUMN, now, below], [*NEXT_COLUMN, then]
    parts = [
        arithmetic(goal, given) for goal, given in [(then, both), (now, silent), (below, silent)]
    ]
    why = (
        "one more column is silent exactly when the others are and it does not exceed the threshold"
    )
    return one_more_column(parts[0], parts[1], parts[2], why)


TOKENS = [Ge(n, 0), Gt(N, 0)]


@cache
def _columns(limit):
    """The distribution of no column, and of one more, for this limit."""
    none = apply(AXIOMS["no column"], {"f": f[i], "t": limit}, [Gt(N, 0)])
    return none, apply(ONE_MORE_COLUMN, {"t": limit}, [Ge(m, 0), Gt(N, 0)])


@cache
def _silent_at_least_zero():
    none, more = _columns(t)
    return induction(
        Ge(Silent(SUM, t, m, N), 0), TOKENS, "", [none], [more, ABOVE_AT_MOST_ONE], over=m
    )


@theorem
def SILENT_MONOTONE():
    given, none, more = [*TOKENS, Le(s, t)], *zip(_columns(t), _columns(s))
    step = [
        apply(law, {"t": limit}, [Ge(n, 0)])
        for law in (ABOVE_AT_MOST_ONE, ABOVE_AT_LEAST_ZERO)
        for limit in (s, t)
    ]
    step += [
        apply(ABOVE_MONOTONE, {}, given),
        apply(_silent_at_least_zero(), {"t": s}, [*TOKENS, Ge(m, 0)]),
    ]
    goal, why = (
        Le(Silent(SUM, s, m, N), Silent(SUM, t, m, N)),
        "a higher threshold is silent more often",
    )
    return induction(goal, given, why, none, [*more, *step], over=m)


@theorem
def SILENT_GE_UNION_BOUND():
    none, more = _columns(t)
    goal, step = (
        Ge(Silent(SUM, t, m, N), 1 - m * Above(SUM, t)),
        [more, ABOVE_AT_LEAST_ZERO, ABOVE_AT_MOST_ONE],
    )
    return induction(goal, TOKENS, "a union bound over the columns", [none], step, over=m)


@theorem
def SILENT_LE_EXP():
    (none, more), given = _columns(t), [*TOKENS, Le(1 - Above(SUM, t), Exp(-a))]
    step = [more, ABOVE_AT_MOST_ONE, apply(EXP_POSITIVE, {"x": -a * m})]
    step += [exp_of_sum(-a * m, -a), exp_of_equals(-a * (m + 1), -a * m - a)]
    goal = Le(Silent(SUM, t, m, N), Exp(-a * m))
    return induction(goal, given, "every column misses it", [none, EXP_ZERO], step, over=m)
