"""Self-attention with one special token: its scores, its weights and its output, column by column, proved once for all cases.

In the data of Definition 6.1 one token has the row sum ``1 + a`` and every other the row sum 1, and with ``x = 1`` the
scores are their products: a matrix of rank one. Judgments of the kernel in the symbols ``w = (1 + a)^beta``, ``s``
(the same power of the token that asks: ``w`` or 1) and ``n`` tokens, ``p`` and ``r`` (the weights of the special and of
each other token), and ``N`` tokens of a member of either dataset.

>>> SPECIAL.conclusion
Eq(s*w/alpha, w/(n + w - 1))
"""

from functools import cache

from sympy import Eq, Ge, Gt, IndexedBase, Integer, Le, Rational, Sum, symbols

from polycore.elementary import (
    EXP_MONOTONE, LOG_MONOTONE, POWER_AT_LEAST_ONE, POWER_EQUAL, POWER_ONE, POWER_POSITIVE, POWER_PRODUCT, POWER_SUM, log_inverts, power_is,
)  # fmt: skip
from polycore.proof import AXIOMS, apply, arithmetic, theorem
from polycore.statements import Log, Power, i, m, n
from polycore.sums import SUM_AFFINE, SUM_EQUAL

__all__ = [
    "ATTENDED", "BOTH_SPECIAL", "FIRST_COLUMN", "FIRST_COLUMN_LOW", "FLAT", "HIGH", "LAST_COLUMN", "LOW", "NONE_SPECIAL", "NORMALISER",
    "OF_ONE", "OF_SQUARE", "ONE_SPECIAL", "OTHER", "OTHERS_POSITIVE", "OTHERS_SMALL", "OTHER_BLOCK", "OTHER_WEIGHT_SMALL", "SHARE_HALF",
    "SHARE_POSITIVE", "SHARE_SMALL", "SPECIAL", "SPECIAL_BLOCK", "SPECIAL_BLOCK_LOW", "SPECIAL_WEIGHT_HALF", "SPECIAL_WEIGHT_SMALL",
    "low_for_larger",
]  # fmt: skip

u, f, v = map(IndexedBase, "ufv")
alpha, s, w, a, beta, q, x, y, p, r, N = symbols("alpha s w a beta q x y p r N")

# The rows of the token that asks and of the one that answers: n zeros, the excess (or zero), b and c. A score is the product of their sums.
asks, answers = IndexedBase("A"), IndexedBase("B")
b, c = symbols("b c")


def _row(entries, excess):
    return [Eq(entries[i], 0), *(Eq(entries[n + k], entry) for k, entry in enumerate((excess, b, c), 1))]


def _alike(term, value, given, count):
    """What says that the sum of ``count`` terms that equal ``value``, which ``given`` implies, is ``count`` times that."""
    equal = arithmetic(Eq(term, value), given)
    return [
        apply(SUM_EQUAL, {"f": term, "g": value, "n": count}, given, [equal]),
        apply(SUM_AFFINE, {"c": 0, "f": term, "d": value, "n": count}, given),
    ]


def _row_sum(entries, excess):
    given = [*_row(entries, excess), Eq(b + c, 1), Ge(n, 0)]
    last = [apply(AXIOMS["one more term"], {"f": entries[i], "n": n + k}, given) for k in range(3)]
    return arithmetic(Eq(Sum(entries[i], (i, 1, n + 3)), 1 + excess), given, [*_alike(entries[i], 0, given, n), *last])


def _power_of_score(one, other, value, using):
    """``u = (score)^β`` where one token has the excess ``one``, and the other ``other``."""
    given = [*_row(asks, one), *_row(answers, other), Eq(b + c, 1), Gt(a, 0), Ge(n, 0)]
    sums = [Sum(entries[i], (i, 1, n + 3)) for entries in (asks, answers)]
    score = arithmetic(Eq(sums[0] * sums[1], (1 + one) * (1 + other)), given, [_row_sum(asks, one), _row_sum(answers, other)])
    equal = apply(POWER_EQUAL, {"x": sums[0] * sums[1], "y": (1 + one) * (1 + other), "a": beta}, given, [score])
    return arithmetic(Eq(Power(sums[0] * sums[1], beta), value), given, [equal, *using], "the score is the product of the row sums")


@theorem
def OF_SQUARE():
    return apply(POWER_PRODUCT, {"x": 1 + a, "y": 1 + a, "a": beta}, [Gt(a, 0)])


@theorem
def OF_ONE():
    using = [apply(POWER_PRODUCT, {"x": 1, "y": 1, "a": beta}), apply(POWER_POSITIVE, {"x": 1, "a": beta})]
    return arithmetic(Eq(Power(Integer(1), beta), 1), using=using, why="one to any power")


@theorem
def BOTH_SPECIAL():
    """``u = (score)^β`` where both tokens are special."""
    using = [OF_SQUARE, apply(POWER_SUM, {"x": 1 + a, "a": beta, "b": beta}, [Gt(a, 0)])]
    return _power_of_score(a, a, Power(1 + a, 2 * beta), using)


@theorem
def ONE_SPECIAL():
    """``u = (score)^β`` where one of the tokens is special."""
    return _power_of_score(a, 0, Power(1 + a, beta), [])


@theorem
def NONE_SPECIAL():
    """``u = (score)^β`` where neither token is special."""
    return _power_of_score(0, 0, 1, [OF_ONE])


# Weights: n - 1 tokens have the unnormalised weight s, one has s w.
ASKED = [Eq(u[i], s), Eq(alpha, Sum(u[i], (i, 1, n - 1)) + s * w), Gt(s, 0), Ge(w, 1), Ge(n, 1)]


@theorem
def NORMALISER():
    return arithmetic(Eq(alpha, s * (w + n - 1)), ASKED, _alike(u[i], s, ASKED, n - 1), "n − 1 equal terms and one")


def _weight(power):
    # A lemma about few symbols: SymPy's 1/alpha and the kernel's are the same number only where alpha is not 0.
    share = arithmetic(Eq(s * w / alpha, w / a), [Eq(alpha, s * a), Gt(s, 0), Gt(a, 0)])
    return apply(share, {"a": w + n - 1, "w": power}, ASKED, [NORMALISER], "the power s of the token that asks cancels")


@theorem
def SPECIAL():
    """The weight of the special token, whichever token asks."""
    return _weight(w)


@theorem
def OTHER():
    """The weight of each other token, whichever token asks."""
    return _weight(Integer(1))


# The degree: N tokens.
POWER = Power(1 + a, beta)
DEGREE = [Gt(a, 0), Gt(beta, 0), Ge(N, 1)]
HIGH_DEGREE, LOW_DEGREE = Ge(beta * Log(1 + a), Log(N)), Le(beta * Log(1 + a), q * Log(N))


@theorem
def HIGH():
    given = [*DEGREE, HIGH_DEGREE]
    using = [power_is(1 + a, beta, given), log_inverts(N, given), apply(EXP_MONOTONE, {"x": Log(N), "y": beta * Log(1 + a)}, given)]
    return arithmetic(Ge(POWER, N), given, using, "the degree is high")


@theorem
def LOW():
    given = [*DEGREE, LOW_DEGREE]
    using = [power_is(1 + a, beta, given), power_is(N, q, given)]
    using += [apply(EXP_MONOTONE, {"x": beta * Log(1 + a), "y": q * Log(N)}, given)]
    return arithmetic(Le(POWER, Power(N, q)), given, using, "the degree is low")


@theorem
def FLAT():
    """``w/(w + N − 1) ≤ N^(q−1)`` when ``w ≤ N^q``."""
    flat = [Ge(w, 1), Le(w, Power(N, q)), Ge(N, 1)]
    laws = [apply(POWER_SUM, {"x": N, "a": q - 1, "b": 1}, flat), apply(POWER_ONE, {"x": N}, flat)]
    laws += [apply(POWER_POSITIVE, {"x": N, "a": exponent}, flat) for exponent in (q, q - 1)]
    below = arithmetic(Le(w / (w + N - 1), s), [Ge(w, 1), Ge(N, 1), Le(w, s * N), Gt(s, 0)])
    return apply(below, {"s": Power(N, q - 1)}, flat, laws, "N^q of N is little")


ATTENDED = [Eq(p, POWER / (POWER + N - 1)), Eq(r, 1 / (POWER + N - 1)), *DEGREE]
"""The weights that ``SPECIAL`` and ``OTHER`` find, as hypotheses; a member of either dataset has them."""


@cache
def _least():
    return apply(POWER_AT_LEAST_ONE, {"x": 1 + a, "a": beta}, ATTENDED)


def _share(goal, fraction):
    """``goal`` about p or r, from what ``fraction`` says of w and N."""
    fraction = apply(arithmetic(fraction, [Ge(w, 1), Ge(N, 1)]), {"w": POWER}, ATTENDED, [_least()])
    return arithmetic(goal, ATTENDED, [_least(), fraction])


@theorem
def SHARE_POSITIVE():
    return _share(Gt(p, 0), Gt(w / (w + N - 1), 0))


@theorem
def OTHERS_POSITIVE():
    return _share(Gt(r, 0), Gt(1 / (w + N - 1), 0))


@theorem
def OTHERS_SMALL():
    return _share(Le(N * r, 1), Le(N / (w + N - 1), 1))


@theorem
def SHARE_HALF():
    given, half = [*ATTENDED, HIGH_DEGREE], Rational(1, 2)
    outweighs = arithmetic(Ge(w / (w + N - 1), half), [Ge(w, N), Ge(N, 1)], why="the special token outweighs the others together")
    outweighs = apply(outweighs, {"w": POWER}, given, [apply(HIGH, {}, given)])
    return arithmetic(Ge(p, half), given, [outweighs, _least()], "the degree is high")


@theorem
def SHARE_SMALL():
    given = [*ATTENDED, LOW_DEGREE]
    little = apply(FLAT, {"w": POWER}, given, [apply(LOW, {}, given), _least()])
    return arithmetic(Le(p, Power(N, q - 1)), given, [little, _least()], "the degree is low")


# The same from the unnormalised weights: the token that asks has the power s, so n - 1 of them are s and one is s times that of j₃.
UNNORMALISED = [Eq(u[i], s), Eq(alpha, Sum(u[i], (i, 1, n - 1)) + s * POWER), Eq(alpha * p, s * POWER), Eq(alpha * r, s)]
UNNORMALISED += [Gt(s, 0), Gt(a, 0), Gt(beta, 0), Ge(n, 1)]


def _from_unnormalised(share, *degree):
    """What ``share`` says of the weights, from the unnormalised ones."""
    given = [*UNNORMALISED, *degree]
    least = apply(POWER_AT_LEAST_ONE, {"x": 1 + a, "a": beta}, given)
    known = [least, apply(NORMALISER, {"w": POWER}, given, [least])]
    divided = arithmetic(Eq(x, y / (w + n - 1)), [Eq(s * (w + n - 1) * x, s * y), Gt(s, 0), Ge(w, 1), Ge(n, 1)])
    for weight, power in ((p, POWER), (r, Integer(1))):
        known += [apply(divided, {"x": weight, "y": power, "w": POWER}, given, known)]
    return apply(share, {"N": n}, given, known)


@theorem
def SPECIAL_WEIGHT_HALF():
    """The weight p of j₃ is at least 1/2 at a high degree."""
    return _from_unnormalised(SHARE_HALF, HIGH_DEGREE.xreplace({N: n}))


@theorem
def SPECIAL_WEIGHT_SMALL():
    """The weight p of j₃ is at most n^(q-1) at a low degree."""
    return _from_unnormalised(SHARE_SMALL, LOW_DEGREE.xreplace({N: n}))


@theorem
def OTHER_WEIGHT_SMALL():
    """Each weight r of another token than j₃ is at most 1/n."""
    return _from_unnormalised(OTHERS_SMALL)


# The output, column by column: m is the number of entries b in a block column, and the weights of the others are all r.
ANSWERED = [h.xreplace({N: n}) for h in ATTENDED]
FIRST, COLUMN, LOW_HERE = [*ANSWERED, Eq(v[i], 0)], [*ANSWERED, Gt(b, 0), Eq(f[i], r), Ge(m, 1), Le(m, n)], LOW_DEGREE.xreplace({N: n})


@theorem
def FIRST_COLUMN():
    zeros = [apply(SUM_EQUAL, {"f": v[i] * f[i], "g": 0, "n": n - 1}, FIRST), apply(SUM_AFFINE, {"c": 0, "f": f[i], "d": 0, "n": n - 1}, FIRST)]
    return arithmetic(Eq(Sum(v[i] * f[i], (i, 1, n - 1)) + a * p, a * p), FIRST, zeros, "all the others have a zero there")


@theorem
def SPECIAL_BLOCK():
    using, why = _alike(b * f[i], b * r, COLUMN, m - 1), "one weight p and m − 1 weights r"
    return arithmetic(Eq(Sum(b * f[i], (i, 1, m - 1)) + b * p, b * (p + (m - 1) * r)), COLUMN, using, why)


def _shares(given):
    return [apply(law, {"N": n}, given) for law in (SHARE_POSITIVE, OTHERS_POSITIVE, OTHERS_SMALL)]


@theorem
def OTHER_BLOCK():
    few = arithmetic(Le(b * (m * r), b * (m / n)), [Gt(b, 0), Ge(m, 1), Gt(r, 0), Le(n * r, 1), Ge(n, 1)])
    using = [*_alike(b * f[i], b * r, COLUMN, m), apply(few, {}, COLUMN, _shares(COLUMN))]
    return arithmetic(Le(Sum(b * f[i], (i, 1, m)), b * m / n), COLUMN, using, "m weights r")


@theorem
def LAST_COLUMN():
    given = [*ANSWERED, Eq(Sum(f[i], (i, 1, n - 1)) + p, 1)]
    using = [apply(SUM_AFFINE, {"c": c, "f": f[i], "d": 0, "n": n - 1}, given)]
    return arithmetic(Eq(Sum(c * f[i], (i, 1, n - 1)) + c * p, c), given, using, "the weights add up to one")


@theorem
def FIRST_COLUMN_LOW():
    given = [*FIRST, LOW_HERE]
    using = [FIRST_COLUMN, apply(SHARE_SMALL, {"N": n}, given)]
    return arithmetic(Le(FIRST_COLUMN.conclusion.lhs, a * Power(n, q - 1)), given, using, "the degree is low")


@theorem
def SPECIAL_BLOCK_LOW():
    given, small = [*COLUMN, LOW_HERE], Power(n, q - 1)
    both = [Gt(b, 0), Ge(m, 1), Gt(r, 0), Le(n * r, 1), Ge(n, 1), Le(p, s)]
    both = arithmetic(Le(b * (p + (m - 1) * r), b * s + b * m / n), both)
    both = apply(both, {"s": small}, given, [apply(SHARE_SMALL, {"N": n}, given), *_shares(given)])
    return arithmetic(Le(SPECIAL_BLOCK.conclusion.lhs, b * small + b * m / n), given, [SPECIAL_BLOCK, both], "the degree is low")


def low_for_larger(judgment, smaller, larger):
    """``judgment`` about the excess ``smaller`` at a low degree, where the degree is low for an excess ``larger`` that is no less."""
    [low] = [h for h in judgment.hypotheses if h.func is Le and h.lhs == beta * Log(1 + smaller)]
    given = [h for h in judgment.hypotheses if h != low] + [Le(smaller, larger), Le(beta * Log(1 + larger), low.rhs)]
    order = apply(LOG_MONOTONE, {"x": 1 + smaller, "y": 1 + larger}, given)
    return arithmetic(judgment.conclusion, given, [judgment, order], judgment.why)
