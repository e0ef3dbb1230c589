"""The law of a sum of random signs, from its definition by the last sign: Hoeffding's inequality, and independent columns.

Judgments of the kernel in the symbols ``f`` (coefficients), ``t``, ``s`` (limits), ``h`` (bounds on
ln cosh s f_i), ``m`` (columns), ``N`` (tokens with the same output) and ``a`` (the rate at which a column is missed).

>>> HOEFFDING
t > 0, Sum(f[i]**2, (i, 1, n)) > 0, n >= 0 ⊢ Above(Sum(f[i], (i, 1, n)), t) <= Exp(-t**2/(2*Sum(f[i]**2, (i, 1, n))))
"""

from sympy import Eq, Ge, Gt, IndexedBase, Le, Lt, Sum, symbols

from polycore.axioms import NEXT_COLUMN, F, F_next, tau, x
from polycore.elementary import EXP_POSITIVE, EXP_ZERO, exp_of_equals
from polycore.hoeffding_lemma import COSH
from polycore.proof import AXIOMS, apply, arithmetic, induction, one_more_column
from polycore.statements import Above, Exp, Silent, Tail, i, m, n, total
from polycore.sums import SUM_AFFINE

__all__ = [
    "ABOVE_AT_LEAST_ZERO", "ABOVE_AT_MOST_ONE", "ABOVE_MONOTONE", "CHERNOFF", "CHERNOFF_BELOW", "COVER", "DISJOINT",
    "HOEFFDING", "HOEFFDING_BELOW", "HOEFFDING_TWO_SIDED", "MISSED", "NEVER_ABOVE", "ONE_MORE_COLUMN", "SILENT_MONOTONE", "SURELY_ABOVE", "SYMMETRY", "UNION_OF_COLUMNS",
]  # fmt: skip

f, h = IndexedBase("f"), IndexedBase("h")
s, t, a, N = symbols("s t a N")
_sum, _minus, _last = total(f[i]), total(-f[i]), f[n + 1]


def _defined(coefficients, limit):
    """The law of no sign, and of one more, for these coefficients and this limit."""
    terms = {"f": coefficients, "t": limit}
    none = [apply(AXIOMS[f"no sign, limit {where} 0"], terms, [side(limit, 0)]) for where, side in (("at least", Ge), ("below", Lt))]
    return none, [apply(AXIOMS["one more sign"], terms, [Ge(n, 0)])]


def _by_the_last_sign(goal, given, why, *laws, at, base=(), step=()):
    none, more = zip(*(_defined(*law) for law in laws))
    return induction(goal, given, why, [*sum(none, []), *base], [*sum(more, []), *step], at=at)


_BOTH = ({t: t - _last}, {t: t + _last})  # the limit that is left once the last sign is known
ABOVE_AT_LEAST_ZERO = _by_the_last_sign(Ge(Above(_sum, t), 0), [], "a probability is at least 0", (f[i], t), at=_BOTH)
ABOVE_AT_MOST_ONE = _by_the_last_sign(Le(Above(_sum, t), 1), [], "a probability is at most 1", (f[i], t), at=_BOTH)
ABOVE_MONOTONE = _by_the_last_sign(
    Le(Above(_sum, t), Above(_sum, s)),
    [Le(s, t)],
    "a higher limit is exceeded less often",
    *[(f[i], t), (f[i], s)],
    at=[{t: t - _last, s: s - _last}, {t: t + _last, s: s + _last}],
)
SYMMETRY = _by_the_last_sign(
    Eq(Above(_minus, t), Above(_sum, t)), [], "the signs turned round are as random", (f[i], t), (-f[i], t), at=_BOTH
)
COVER = _by_the_last_sign(
    Ge(Above(_sum, t) + Above(_minus, s), 1),
    [Lt(s + t, 0)],
    "the sum exceeds t, or its negative exceeds s",
    *[(f[i], t), (-f[i], s)],
    at=[{t: t - _last, s: s + _last}, {t: t + _last, s: s - _last}],
)

DISJOINT = _by_the_last_sign(
    Le(Above(_sum, t) + Above(_minus, s), 1),
    [Ge(s + t, 0)],
    "the sum cannot exceed t and its negative s",
    *[(f[i], t), (-f[i], s)],
    at=[{t: t - _last, s: s + _last}, {t: t + _last, s: s - _last}],
)

# The whole sum of coefficients >= 0 is the largest value: a limit from there on is never exceeded, one below its negative always.
_support, _larger = [Ge(f[i], 0), Ge(n, 0)], Sum(f[i], (i, 1, n + 1))
_one_term = apply(AXIOMS["one more term"], {"f": f[i]}, [Ge(n, 0)])
_never = induction(
    Le(Above(_sum, _sum), 0),
    _support[:1],
    "no sum of signs exceeds the sum of their weights",
    base=[
        apply(AXIOMS["no sign, limit at least 0"], {"f": f[i], "t": Sum(f[i], (i, 1, 0))}, [], [apply(AXIOMS["empty sum"], {"f": f[i]})])
    ],
    step=[
        apply(AXIOMS["one more sign"], {"f": f[i], "t": _larger}, [Ge(n, 0)]),
        *(apply(ABOVE_MONOTONE, {"s": _sum, "t": _larger + side * _last}, [Ge(n, 0), Ge(_last, 0)], [_one_term]) for side in (-1, 1)),
    ],
)
_over, _under = [*_support, Ge(t, _sum)], [*_support, Lt(t, -_sum)]
NEVER_ABOVE = arithmetic(
    Eq(Above(_sum, t), 0),
    _over,
    [apply(_never, {}, _over), ABOVE_AT_LEAST_ZERO, apply(ABOVE_MONOTONE, {"s": _sum}, _over)],
    why="no sum of signs exceeds the sum of their weights",
)
SURELY_ABOVE = arithmetic(
    Eq(Above(_sum, t), 1),
    _under,
    [apply(_never, {}, _under), ABOVE_AT_MOST_ONE, apply(COVER, {"s": _sum}, _under), apply(SYMMETRY, {"t": _sum}, _under)],
    why="every sum of signs exceeds what is below all of them",
)

_bounds, _next = total(h[i]), h[n + 1]
_now, _none, _more = (bounds - s * t for bounds in (_bounds, Sum(h[i], (i, 1, 0)), Sum(h[i], (i, 1, n + 1))))
_cosh = [Ge(s, 0), Le(Exp(s * f[i]) / 2 + Exp(-s * f[i]) / 2, Exp(h[i]))]
CHERNOFF_BELOW = _by_the_last_sign(
    Le(1 - Above(_sum, -t), Exp(_now)),
    _cosh,
    "each sign multiplies the bound by cosh",
    (f[i], -t),
    at=_BOTH,
    base=[apply(law, {"x": _none}) for law in (EXP_POSITIVE, AXIOMS["tangent of exp"])],
    step=[
        *(apply(AXIOMS["exp of a sum"], {"x": _now, "y": more}) for more in (s * _last, -s * _last, _next)),
        *(exp_of_equals(_bounds - s * (t - last), _now + s * last) for last in (_last, -_last)),
        exp_of_equals(_more, _now + _next, [Ge(n, 0)], [apply(AXIOMS["one more term"], {"f": h[i]}, [Ge(n, 0)])]),
        apply(EXP_POSITIVE, {"x": _now}),
    ],
)
CHERNOFF = arithmetic(
    Le(Above(_sum, t), Exp(_now)),
    [*_cosh, Ge(n, 0)],
    [apply(DISJOINT, {"s": -t}, [Ge(n, 0)]), apply(CHERNOFF_BELOW, {"f": -f[i]}, [*_cosh, Ge(n, 0)])],
    why="each sign multiplies the bound by cosh",
)

_norm = total(f[i] ** 2)
_rate, _exponent = t / _norm, -(t**2) / (2 * _norm)
_deviation = [Gt(t, 0), Gt(_norm, 0), Ge(n, 0)]
_least = _rate**2 / 2 * f[i] ** 2
_together = apply(SUM_AFFINE, {"c": _rate**2 / 2, "f": f[i] ** 2, "d": 0}, _deviation)
_met = [apply(COSH, {"x": _rate * f[i]}, _deviation), exp_of_equals(total(_least) - _rate * t, _exponent, _deviation, [_together])]
HOEFFDING, HOEFFDING_BELOW = (
    arithmetic(
        Le(event, Exp(_exponent)),
        _deviation,
        [apply(chernoff, {"s": _rate, "h": _least}, _deviation, _met[:1]), _met[1]],
        why="Hoeffding's inequality, one side",
    )
    for event, chernoff in [(Above(_sum, t), CHERNOFF), (1 - Above(_sum, -t), CHERNOFF_BELOW)]
)
HOEFFDING_TWO_SIDED = arithmetic(
    Le(Tail(_sum, t), 2 * Exp(_exponent)),
    _deviation,
    [HOEFFDING, apply(SYMMETRY, {}, _deviation), apply(AXIOMS["two sides"], {"f": f[i]}, _deviation)],
    why="Hoeffding's inequality",
)

# The output of m + 1 columns is 0 exactly when that of m is and the last one does not exceed the threshold.
_seen, _now, _next = Le(x, tau), Eq(F, 0), Eq(F_next, 0)
_with, _without = [*NEXT_COLUMN, _now, _seen], [*NEXT_COLUMN, _next]
ONE_MORE_COLUMN = one_more_column(
    *(arithmetic(goal, given) for goal, given in [(_next, _with), (_now, _without), (_seen, _without)]),
    why="one more column is silent exactly when the others are and it does not exceed the threshold",
)
"""``Pr[F = 0]`` over m + 1 columns is that over m, times the probability that one does not exceed the threshold."""

_tokens = [Ge(n, 0), Gt(N, 0)]
_one_more = apply(ONE_MORE_COLUMN, {}, [Ge(m, 0), Gt(N, 0)])
_no_column = apply(AXIOMS["no column"], {"f": f[i]}, [Gt(N, 0)])
_not_negative = induction(Ge(Silent(_sum, t, m, N), 0), _tokens, "", base=[_no_column], step=[_one_more, ABOVE_AT_MOST_ONE], over=m)
SILENT_MONOTONE = induction(
    Le(Silent(_sum, s, m, N), Silent(_sum, t, m, N)),
    [*_tokens, Le(s, t)],
    "a higher threshold is silent more often",
    base=[_no_column, apply(_no_column, {"t": s}, [Gt(N, 0)])],
    step=[
        *[_one_more, apply(_one_more, {"t": s}, [Ge(m, 0), Gt(N, 0)])],
        *(apply(law, {"t": limit}, [Ge(n, 0)]) for law in (ABOVE_AT_MOST_ONE, ABOVE_AT_LEAST_ZERO) for limit in (s, t)),
        apply(ABOVE_MONOTONE, {}, [*_tokens, Le(s, t)]),
        apply(_not_negative, {"t": s}, [*_tokens, Ge(m, 0)]),
    ],
    over=m,
)
UNION_OF_COLUMNS = induction(
    Ge(Silent(_sum, t, m, N), 1 - m * Above(_sum, t)),
    _tokens,
    "a union bound over the columns",
    base=[_no_column],
    step=[_one_more, ABOVE_AT_LEAST_ZERO, ABOVE_AT_MOST_ONE],
    over=m,
)
MISSED = induction(
    Le(Silent(_sum, t, m, N), Exp(-a * m)),
    [*_tokens, Le(1 - Above(_sum, t), Exp(-a))],
    "every column misses it",
    base=[_no_column, EXP_ZERO],
    step=[
        _one_more, ABOVE_AT_MOST_ONE, apply(EXP_POSITIVE, {"x": -a * m}),
        apply(AXIOMS["exp of a sum"], {"x": -a * m, "y": -a}), exp_of_equals(-a * (m + 1), -a * m - a),
    ],
    over=m,
)  # fmt: skip
