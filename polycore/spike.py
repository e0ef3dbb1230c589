"""A spike: one entry n + 1 whose power is at least the sum of the n others, and the probability that signs see it.

Judgments of the kernel in the symbols ``u`` (the others' powers, at most ``hi``), ``top`` (the spike's),
``alpha`` (the sum of all), ``f`` (the weights) and ``t`` (the limit to be exceeded); further down ``z`` (scores at
most ``h``, and ``v``, the spike). The entries are numbered so
that the spike comes last, which changes no law: the signs are alike. ``OUTWEIGHS`` is about any signs ``s``.

>>> SEEN.conclusion
Above(Sum(f[i], (i, 1, n + 1)), t) >= 1/2 - Exp(-2*n*(1/2 - t)**2)/2
"""

from sympy import Eq, Ge, Gt, IndexedBase, Le, Lt, Rational, Sum, symbols

from polycore.concentration import FIRES
from polycore.elementary import EXP_MONOTONE, EXP_ZERO, POWER_MONOTONE, POWER_POSITIVE
from polycore.proof import AXIOMS, apply, arithmetic
from polycore.sign_sums import ABOVE_AT_LEAST_ZERO, ABOVE_MONOTONE, COVER, HOEFFDING_BELOW, SYMMETRY
from polycore.statements import Above, Exp, Log, Power, i, m, n, total
from polycore.sums import SUM_AFFINE, SUM_EQUAL, SUM_MONOTONE, SUM_POSITIVE

__all__ = [
    "GIVEN", "NETWORK_FIRES", "OTHERS", "OUTGROWN", "OUTWEIGHS", "SEEN", "SEEN_BY_ONE_SIGN", "SPIKE", "SPREAD",
]  # fmt: skip

u, f, s = map(IndexedBase, "ufs")
alpha, top, hi, t = symbols("alpha top hi t")
_half = Rational(1, 2)
_weights = [Eq(alpha, total(u[i]) + top), Eq(f[i], u[i] / alpha), Eq(f[n + 1], top / alpha)]
GIVEN = [*_weights, Gt(u[i], 0), Le(u[i], hi), Gt(hi, 0), Le(n * hi, top), Ge(n, 1)]

_others = [
    apply(SUM_MONOTONE, {"f": u[i], "g": hi}, GIVEN),
    apply(SUM_AFFINE, {"c": 0, "f": u[i], "d": hi}, GIVEN),
    apply(SUM_POSITIVE, {"f": u[i]}, GIVEN),
]
SPIKE = arithmetic(Ge(f[n + 1], _half), GIVEN, _others, why="the spike outweighs the others together")
OTHERS = arithmetic(Le(f[i], f[n + 1] / n), GIVEN, _others, why="each of the others has its share of the spike at most")
_squares = [
    apply(SUM_MONOTONE, {"f": f[i] ** 2, "g": f[n + 1] / n * f[i]}, GIVEN, [arithmetic(Le(f[i] ** 2, f[n + 1] / n * f[i]), GIVEN, [OTHERS, *_others])]),
    apply(SUM_AFFINE, {"c": f[n + 1] / n, "f": f[i], "d": 0}, GIVEN),
    apply(SUM_EQUAL, {"f": f[i], "g": u[i] / alpha}, GIVEN, _others),
    apply(SUM_AFFINE, {"c": 1 / alpha, "f": u[i], "d": 0}, GIVEN, _others),
    apply(SUM_POSITIVE, {"f": f[i] ** 2}, GIVEN, [arithmetic(Gt(f[i] ** 2, 0), GIVEN, _others)]),
]
SPREAD = arithmetic(Le(total(f[i] ** 2), 1 / (4 * n)), GIVEN, [*_others, *_squares], why="w (1 − w)/n for a spike of weight w")

# The sign of the spike is + with probability ½; then the others must not take it down again.
_rest, _limit = total(f[i]), t - f[n + 1]
_given = [*GIVEN, Lt(t, _half)]
_either = apply(AXIOMS["one more sign"], {"f": f[i]}, [Ge(n, 1)])
_lost = apply(ABOVE_AT_LEAST_ZERO, {"t": t + f[n + 1]}, [Ge(n, 1)])
SEEN_BY_ONE_SIGN = arithmetic(
    Ge(Above(Sum(f[i], (i, 1, n + 1)), t), Rational(1, 4)),
    _given,
    [
        *[_either, _lost, SPIKE],
        apply(COVER, {"t": _limit, "s": _limit}, _given, [SPIKE]),
        apply(SYMMETRY, {"t": _limit}, _given),
    ],
    why="half of the signs of the spike, and half of the sums of the others",
)
_exponent = -2 * n * (_half - t) ** 2
_norm = total(f[i] ** 2)
_drop = apply(HOEFFDING_BELOW, {"t": _half - t}, _given, _squares)
SEEN = arithmetic(
    Ge(Above(Sum(f[i], (i, 1, n + 1)), t), _half - Exp(_exponent) / 2),
    _given,
    [
        *[_either, _lost, SPIKE, _drop, SPREAD],
        apply(ABOVE_MONOTONE, {"s": _limit, "t": t - _half}, _given, [SPIKE]),
        apply(EXP_MONOTONE, {"x": -((_half - t) ** 2) / (2 * _norm), "y": _exponent}, _given, [SPREAD, *_squares]),
    ],
    why="the sign of the spike, then Hoeffding on the others",
)

# A spike heavier still is seen whatever the signs of the others: they weigh 1 - w, and pull down by no more.
_signs = [Ge(s[i], -1), Le(s[i], 1)]
_heavy = [*_weights, Gt(u[i], 0), Le(u[i], hi), *_signs, Ge(t, 0), Lt(t, 1), Gt((1 - t) * top, (1 + t) * n * hi), Ge(n, 1)]
_known = [
    apply(SUM_POSITIVE, {"f": u[i]}, _heavy),
    apply(SUM_MONOTONE, {"f": u[i], "g": hi}, _heavy),
    apply(SUM_AFFINE, {"c": 0, "f": u[i], "d": hi}, _heavy),
]
_known += [arithmetic(Gt(top, 0), _heavy, _known)]
_known += [arithmetic(Gt(alpha, 0), _heavy, _known)]
_known += [arithmetic(relation, _heavy, _known) for relation in (Gt(f[n + 1], (1 + t) / 2), Gt(f[i], 0))]
_pulled = [
    apply(SUM_MONOTONE, {"f": -f[i], "g": f[i] * s[i]}, _heavy, [arithmetic(Ge(f[i] * s[i], -f[i]), _heavy, _known)]),
    apply(SUM_AFFINE, {"c": -1, "f": f[i], "d": 0}, _heavy),
    apply(SUM_EQUAL, {"f": f[i], "g": u[i] / alpha}, _heavy, _known),
    apply(SUM_AFFINE, {"c": 1 / alpha, "f": u[i], "d": 0}, _heavy, _known),
]
OUTWEIGHS = arithmetic(
    Gt(f[n + 1] + total(f[i] * s[i]), t),
    _heavy,
    [*_known, *_pulled],
    why="the others weigh what the spike leaves, and pull the sum down by no more than that",
)
"""``f_(n+1) + Σ f_i s_i > t`` for all signs, when ``(1 - t) top > (1 + t) n hi``."""

# Scores: entry n + 1 is v, the others are at most h, and the degree has carried v^β past n h^β.
z, (v, h, beta, delta, k, c) = IndexedBase("z"), symbols("v h beta delta k c")
_powers = [Eq(u[i], Power(z[i], beta)), Eq(alpha, total(u[i]) + Power(v, beta)), Eq(f[i], u[i] / alpha)]
_scores = [Gt(z[i], 0), Le(z[i], h), Gt(h, 0), Gt(v, 0), Gt(beta, 0), Ge(n, 1)]
_spiked = [*_powers, Eq(f[n + 1], Power(v, beta) / alpha), *_scores, Ge(beta * (Log(v) - Log(h)), Log(n + 1))]
_more = beta * Log(v) - beta * Log(h)
_rules = [apply(AXIOMS["power"], {"x": base, "a": beta}, _spiked) for base in (v, h)]
_rules += [apply(POWER_POSITIVE, {"x": base, "a": beta}, _spiked) for base in (h, z[i])]
_rules += [apply(POWER_MONOTONE, {"x": z[i], "y": h, "a": beta}, _spiked)]
_rules += [apply(AXIOMS["exp of a sum"], {"x": _more, "y": beta * Log(h)}), apply(AXIOMS["log inverts exp"], {"x": n + 1}, _spiked)]
_rules += [apply(EXP_MONOTONE, {"x": Log(n + 1), "y": _more}, _spiked)]
OUTGROWN = arithmetic(Le(n * Power(h, beta), Power(v, beta)), _spiked, _rules, why="the degree is high")
"""``n h^β ≤ v^β`` when ``β (ln v - ln h) ≥ ln(n + 1)``."""

_facts = [arithmetic(fact, _spiked, _rules) for fact in (Gt(u[i], 0), Le(u[i], Power(h, beta)))]
_column = apply(
    SEEN_BY_ONE_SIGN, {"hi": Power(h, beta), "top": Power(v, beta)}, [*_spiked, Lt(t, _half)], [*_rules, OUTGROWN, *_facts]
)
_rate = Log(Rational(4, 3))  # a column misses the spike with probability 3/4 = e^-rate at most
_inverse = [apply(AXIOMS["log inverts exp"], {"x": Rational(4, 3)}), EXP_ZERO]
_inverse += [apply(AXIOMS["exp of a sum"], {"x": _rate, "y": -_rate})]
_enough = [Lt(t, _half), Gt(delta, 0), Lt(delta, 1), Gt(c, 0), Ge(_rate * c, k), Ge(_rate * c, 1)]
_enough += [Ge(m, c * (Log(n + 1) - Log(delta)))]
NETWORK_FIRES = apply(FIRES, {"a": _rate, "tau": t, "n": n + 1}, [*_spiked, *_enough], [_column, *_inverse])
"""All of ``m ≥ c ln(n/δ)`` columns miss the spike with probability at most ``δ n^-k``, n counting all entries, when ``c ln(4/3) ≥ k, 1``."""
