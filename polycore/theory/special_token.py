"""Self-attention with one special token: its scores and its weights, proved once for all cases.

In the data of Definition 6.1 one token has the row sum ``1 + a`` and every other the row sum 1, and
with ``x = 1`` the scores are their products: a matrix of rank one. Judgments of the kernel in the
symbols ``w = (1 + a)^beta``, ``s`` (the same power of the token that asks: ``w`` or 1) and ``n``
tokens, ``p`` and ``r`` (the weights of the special and of each other token), and ``N`` tokens of a
member of either dataset. What comes out is in ``special_token_output``.

>>> SPECIAL_WEIGHT.conclusion
Eq(s*w/alpha, w/(n + w - 1))
"""

from collections.abc import Sequence
from functools import cache

from sympy import (
    Eq,
    Expr,
    Ge,
    Gt,
    IndexedBase,
    Integer,
    Le,
    Rational,
    Rel,
    Sum,
    Symbol,
    symbols,
)  # fmt: skip

from polycore.proof import (
    AXIOMS,
    Exp,
    Judgment,
    Log,
    Power,
    apply,
    arithmetic,
    chain,
    i,
    n,
    restate,
    step,
    theorem,
)
from polycore.theory.elementary import (
    EXP_MONOTONE,
    LOG_MONOTONE,
    POWER_AT_LEAST_ONE,
    POWER_EQUAL,
    POWER_ONE,
    POWER_POSITIVE,
    POWER_PRODUCT,
    POWER_SUM,
    log_inverts,
    power_is,
)  # fmt: skip
from polycore.theory.sums import SUM_AFFINE, SUM_EQUAL

__all__ = [
    "ATTENDED", "HIGH_DEGREE", "LOW_DEGREE", "NORMALISER", "OTHER_SHARE_LE_1_OVER_N",
    "OTHER_SHARE_POSITIVE", "OTHER_WEIGHT", "OTHER_WEIGHT_LE_1_OVER_N", "POWER_GE_N",
    "POWER_LE_N_TO_Q", "POWER_OF_ONE", "POWER_OF_SQUARE", "ROW_SUM", "SCORE_OF_BOTH_SPECIAL",
    "SCORE_OF_NONE_SPECIAL", "SCORE_OF_ONE_SPECIAL", "SHARE_LE_N_TO_Q_MINUS_1",
    "SPECIAL_SHARE_GE_HALF", "SPECIAL_SHARE_POSITIVE", "SPECIAL_SHARE_SMALL", "SPECIAL_WEIGHT",
    "SPECIAL_WEIGHT_GE_HALF", "SPECIAL_WEIGHT_SMALL", "equal_terms", "low_for_larger", "scores",
]  # fmt: skip

u = IndexedBase("u")
alpha, s, w, a, beta, q, x, y, p, r, N = symbols("alpha s w a beta q x y p r N")
HALF = Rational(1, 2)

# The rows of the token that asks and of the one that answers: n zeros, the excess (or zero), b and
# c. A score is the product of their sums.
asks, answers = IndexedBase("A"), IndexedBase("B")
b, c = symbols("b c")


def _row(entries, excess):
    return [
        Eq(entries[i], 0),
        *(Eq(entries[n + k], entry) for k, entry in enumerate((excess, b, c), 1)),
    ]


def equal_terms(term: Expr, value: Expr, given: Sequence[Rel], count: Expr) -> list[Judgment]:
    """``Σ term = count · value``, from the terms, which ``given`` says equal ``value``: two
    judgments.
    """
    equal = arithmetic(Eq(term, value), given)
    return [
        apply(SUM_EQUAL, {"f": term, "g": value, "n": count}, given, [equal]),
        apply(SUM_AFFINE, {"c": 0, "f": term, "d": value, "n": count}, given),
    ]


@theorem
def ROW_SUM():
    """The row of the special token sums to ``1 + a``; any other row, with 0 for ``a``, to 1."""
    given = [*_row(asks, a), Eq(b + c, 1), Ge(n, 0)]
    last = [apply(AXIOMS["one more term"], {"f": asks[i], "n": n + k}, given) for k in range(3)]
    zeros = equal_terms(asks[i], 0, given, n)
    return chain(
        Sum(asks[i], (i, 1, n + 3)),
        step("=", a + b + c, "the other entries are zero", *zeros, *last),
        step("=", 1 + a, "$b + c = 1$"),
        given=given,
    )


def _score(one, other, *steps):
    """The chain from the score of tokens with the excesses ``one`` and ``other``, to the power
    β.
    """
    given = [*_row(asks, one), *_row(answers, other), Eq(b + c, 1), Gt(a, 0), Ge(n, 0)]
    pair, product = ((asks, one), (answers, other)), (1 + one) * (1 + other)
    sums = [apply(ROW_SUM, {"A": entries[i], "a": excess}, given) for entries, excess in pair]
    score = Sum(asks[i], (i, 1, n + 3)) * Sum(answers[i], (i, 1, n + 3))
    multiplied = arithmetic(Eq(score, product), given, sums)
    equal = apply(POWER_EQUAL, {"x": score, "y": product, "a": beta}, given, [multiplied])
    first = step("=", Power(product, beta), "the product of the row sums", equal)
    return chain(Power(score, beta), first, *steps, given=given)


@theorem
def POWER_OF_SQUARE():
    return apply(POWER_PRODUCT, {"x": 1 + a, "y": 1 + a, "a": beta}, [Gt(a, 0)])


@theorem
def POWER_OF_ONE():
    using = [
        apply(POWER_PRODUCT, {"x": 1, "y": 1, "a": beta}),
        apply(POWER_POSITIVE, {"x": 1, "a": beta}),
    ]
    return arithmetic(Eq(Power(Integer(1), beta), 1), using=using, why="one to any power")


@theorem
def SCORE_OF_BOTH_SPECIAL():
    """``u = (score)^β`` where both tokens are special."""
    twice = apply(POWER_SUM, {"x": 1 + a, "a": beta, "b": beta}, [Gt(a, 0)])
    square = step("=", Power(1 + a, beta) ** 2, "a power of a product", POWER_OF_SQUARE)
    return _score(a, a, square, step("=", Power(1 + a, 2 * beta), "the exponents add", twice))


@theorem
def SCORE_OF_ONE_SPECIAL():
    """``u = (score)^β`` where one of the tokens is special."""
    return _score(a, Integer(0))


@theorem
def SCORE_OF_NONE_SPECIAL():
    """``u = (score)^β`` where neither token is special."""
    return _score(Integer(0), Integer(0), step("=", 1, "one to any power", POWER_OF_ONE))


# Weights: n - 1 tokens have the unnormalised weight s, one has s w.
ASKED = [Eq(u[i], s), Eq(alpha, Sum(u[i], (i, 1, n - 1)) + s * w), Gt(s, 0), Ge(w, 1), Ge(n, 1)]


@theorem
def NORMALISER():
    return chain(
        alpha,
        step("=", Sum(u[i], (i, 1, n - 1)) + s * w, r"definition of $\alpha$"),
        step("=", s * (w + n - 1), "$n - 1$ equal terms", *equal_terms(u[i], s, ASKED, n - 1)),
        given=ASKED,
    )


def _cancelled(power):
    # A lemma about few symbols: SymPy's 1/alpha and the kernel's are the same number only where
    # alpha is not 0.
    share = arithmetic(Eq(s * w / alpha, w / a), [Eq(alpha, s * a), Gt(s, 0), Gt(a, 0)])
    return apply(
        share,
        {"a": w + n - 1, "w": power},
        ASKED,
        [NORMALISER],
        "the power s of the token that asks cancels",
    )


@theorem
def SPECIAL_WEIGHT():
    """The weight of the special token, whichever token asks."""
    return _cancelled(w)


@theorem
def OTHER_WEIGHT():
    """The weight of each other token, whichever token asks."""
    return _cancelled(Integer(1))


# The degree: N tokens.
POWER = Power(1 + a, beta)
DEGREE = [Gt(a, 0), Gt(beta, 0), Ge(N, 1)]
HIGH_DEGREE, LOW_DEGREE = Ge(beta * Log(1 + a), Log(N)), Le(beta * Log(1 + a), q * Log(N))


@theorem
def POWER_GE_N():
    given = [*DEGREE, HIGH_DEGREE]
    ordered = apply(EXP_MONOTONE, {"x": Log(N), "y": beta * Log(1 + a)}, given)
    return chain(
        POWER,
        step("=", Exp(beta * Log(1 + a)), "meaning of a power", power_is(1 + a, beta, given)),
        step(">=", Exp(Log(N)), "the degree is high", ordered),
        step("=", N, "exp inverts ln", log_inverts(N, given)),
        given=given,
    )


@theorem
def POWER_LE_N_TO_Q():
    given = [*DEGREE, LOW_DEGREE]
    ordered = apply(EXP_MONOTONE, {"x": beta * Log(1 + a), "y": q * Log(N)}, given)
    return chain(
        POWER,
        step("=", Exp(beta * Log(1 + a)), "meaning of a power", power_is(1 + a, beta, given)),
        step("<=", Exp(q * Log(N)), "the degree is low", ordered),
        step("=", Power(N, q), "meaning of a power", power_is(N, q, given)),
        given=given,
    )


@theorem
def SHARE_LE_N_TO_Q_MINUS_1():
    """``w/(w + N − 1) ≤ N^(q−1)`` when ``w ≤ N^q``."""
    flat = [Ge(w, 1), Le(w, Power(N, q)), Ge(N, 1)]
    laws = [apply(POWER_SUM, {"x": N, "a": q - 1, "b": 1}, flat), apply(POWER_ONE, {"x": N}, flat)]
    return chain(
        w / (w + N - 1),
        step("<=", w / N, r"$w \ge 1$"),
        step("<=", Power(N, q) / N, r"$w \le N^q$"),
        step("=", Power(N, q - 1), "the exponents add", *laws),
        given=flat,
    )


ATTENDED = [Eq(p, POWER / (POWER + N - 1)), Eq(r, 1 / (POWER + N - 1)), *DEGREE]
"""The weights that ``SPECIAL_WEIGHT`` and ``OTHER_WEIGHT`` find, as hypotheses; a member of either
dataset has them.
"""


@cache
def _least():
    return apply(POWER_AT_LEAST_ONE, {"x": 1 + a, "a": beta}, ATTENDED)


def _share(goal, fraction):
    """``goal`` about p or r, from what ``fraction`` says of w and N."""
    fraction = apply(arithmetic(fraction, [Ge(w, 1), Ge(N, 1)]), {"w": POWER}, ATTENDED, [_least()])
    return arithmetic(goal, ATTENDED, [_least(), fraction])


@theorem
def SPECIAL_SHARE_POSITIVE():
    return _share(Gt(p, 0), Gt(w / (w + N - 1), 0))


@theorem
def OTHER_SHARE_POSITIVE():
    return _share(Gt(r, 0), Gt(1 / (w + N - 1), 0))


@theorem
def OTHER_SHARE_LE_1_OVER_N():
    return _share(Le(N * r, 1), Le(N / (w + N - 1), 1))


@theorem
def SPECIAL_SHARE_GE_HALF():
    given = [*ATTENDED, HIGH_DEGREE]
    outweighs = arithmetic(
        Ge(w / (w + N - 1), HALF),
        [Ge(w, N), Ge(N, 1)],
        why="the special token outweighs the others together",
    )
    outweighs = apply(outweighs, {"w": POWER}, given, [apply(POWER_GE_N, {}, given)])
    return arithmetic(Ge(p, HALF), given, [outweighs, _least()], "the degree is high")


@theorem
def SPECIAL_SHARE_SMALL():
    given = [*ATTENDED, LOW_DEGREE]
    little = apply(
        SHARE_LE_N_TO_Q_MINUS_1, {"w": POWER}, given, [apply(POWER_LE_N_TO_Q, {}, given), _least()]
    )
    return arithmetic(Le(p, Power(N, q - 1)), given, [little, _least()], "the degree is low")


# The same from the unnormalised weights: the token that asks has the power s, so n - 1 of them are
# s and one is s times that of j₃.
UNNORMALISED = [
    Eq(u[i], s),
    Eq(alpha, Sum(u[i], (i, 1, n - 1)) + s * POWER),
    Eq(alpha * p, s * POWER),
    Eq(alpha * r, s),
]
UNNORMALISED += [Gt(s, 0), Gt(a, 0), Gt(beta, 0), Ge(n, 1)]


@cache
def _from_unnormalised():
    """What the unnormalised weights give: ``w ≥ 1``, ``α > 0``, and the two weights as shares."""
    given = UNNORMALISED
    least = apply(POWER_AT_LEAST_ONE, {"x": 1 + a, "a": beta}, given)
    total = apply(NORMALISER, {"w": POWER}, given, [least])
    positive = arithmetic(Gt(alpha, 0), given, [least, total])
    divided = arithmetic(Eq(x, y / alpha), [Eq(alpha * x, y), Gt(alpha, 0)])
    shares = {}
    for weight, power, law in ((p, POWER, SPECIAL_WEIGHT), (r, Integer(1), OTHER_WEIGHT)):
        equal = apply(divided, {"x": weight, "y": s * power}, given, [positive])
        shares[weight] = equal, apply(law, {"w": POWER}, given, [least, positive])
    return [least, positive], shares


def _weight(weight, power, last, *degree, times=1):
    """The chain from ``times`` a weight, by its definition, to a bound: ``last`` is its sign, the
    bound, the reason, and the theorem about weights among N tokens.
    """
    given, (known, shares) = [*UNNORMALISED, *degree], _from_unnormalised()
    defined, cancelled = shares[weight]
    sign, bound, why, law = last
    both = [*known, *(link for pair in shares.values() for link in pair)]
    return chain(
        times * weight,
        step("=", times * s * power / alpha, "definition of $f$", defined),
        step("=", times * power / (POWER + n - 1), "the factor $s$ cancels", cancelled),
        step(sign, bound, why, apply(law, {"N": n}, given, both), defined, cancelled),
        given=given,
        using=known,
    )


@theorem
def SPECIAL_WEIGHT_GE_HALF():
    """The weight p of j₃ is at least 1/2 at a high degree."""
    last = ">=", HALF, "$w$ has overtaken $n$", SPECIAL_SHARE_GE_HALF
    return _weight(p, POWER, last, HIGH_DEGREE.xreplace({N: n}))


@theorem
def SPECIAL_WEIGHT_SMALL():
    """The weight p of j₃ is at most n^(q-1) at a low degree."""
    last = "<=", Power(n, q - 1), "$w$ is at most a power of $n$", SPECIAL_SHARE_SMALL
    return _weight(p, POWER, last, LOW_DEGREE.xreplace({N: n}))


@theorem
def OTHER_WEIGHT_LE_1_OVER_N():
    """Each weight r of another token than j₃ is at most 1/n."""
    last = "<=", Integer(1), r"$w \ge 1$", OTHER_SHARE_LE_1_OVER_N
    return _weight(r, Integer(1), last, times=n)


def scores(excess: Symbol) -> dict[str, Judgment]:
    """``u`` for a special token with this ``excess``, part by part of Lemma 6.6: both tokens are
    special (1a), the one that asks (1b), the one that answers (2a), neither (2b).

    >>> scores(symbols("a1"))["1b"].conclusion.rhs
    Power(a1 + 1, beta)
    """
    named = {"a": excess}
    swapped = named | {"A": answers[i], "B": asks[i]}
    return {
        "1a": restate(SCORE_OF_BOTH_SPECIAL, named),
        "1b": restate(SCORE_OF_ONE_SPECIAL, named),
        "2a": restate(SCORE_OF_ONE_SPECIAL, swapped),
        "2b": restate(SCORE_OF_NONE_SPECIAL, named),
    }


def low_for_larger(judgment: Judgment, smaller: Symbol, larger: Symbol) -> Judgment:
    """``judgment`` about the excess ``smaller`` at a low degree, where the degree is low for an
    excess ``larger`` that is no less.
    """
    [low] = [h for h in judgment.hypotheses if h.func is Le and h.lhs == beta * Log(1 + smaller)]
    given = [h for h in judgment.hypotheses if h != low] + [
        Le(smaller, larger),
        Le(beta * Log(1 + larger), low.rhs),
    ]
    order = apply(LOG_MONOTONE, {"x": 1 + smaller, "y": 1 + larger}, given)
    return arithmetic(judgment.conclusion, given, [judgment, order], judgment.why)
