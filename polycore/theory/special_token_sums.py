"""Random signs on the output of self-attention with one special token: when one column of them
fires, that is, its sum exceeds the threshold, and when a network of many columns does.

Judgments of the kernel: ``f`` is the output of one token, whose three last entries are the special
ones, and there are ``N`` tokens. ``p`` and ``r`` are the weights of the special and of each other
token.

>>> OUTPUT_ABOVE_GE_TENTH.conclusion
Above(Sum(f[i], (i, 1, n + 3)), c + 1/10) >= 1/10
"""

from functools import cache

from sympy import Eq, Ge, Gt, IndexedBase, Integer, Le, Rational, symbols

from polycore.proof import (
    Above,
    Exp,
    Given,
    Log,
    Power,
    apply,
    arithmetic,
    chain,
    i,
    m,
    n,
    step,
    theorem,
)
from polycore.proof.kernel import Lemma
from polycore.theory.elementary import (
    EXP_MONOTONE,
    EXP_ZERO,
    exp_of_sum,
    log_inverts,
)
from polycore.theory.networks import (
    EXP_LE_ERROR,
    LOG_ERROR,
    NETWORK_FIRES,
    NETWORK_SILENT,
    WANTED,
)
from polycore.theory.special_token import (
    ATTENDED,
    HIGH_DEGREE,
    LOW_DEGREE,
    OTHER_SHARE_LE_1_OVER_N,
    OTHER_SHARE_POSITIVE,
    SPECIAL_SHARE_GE_HALF,
    SPECIAL_SHARE_POSITIVE,
    SPECIAL_SHARE_SMALL,
)
from polycore.theory.sums import SUM_AFFINE, SUM_EQUAL
from polycore.theory.three_signs import (
    NORM,
    SUM_ABOVE_GE_EIGHTH_LESS_TAIL,
    SUM_ABOVE_LE_TAIL,
    THREE,
    WHOLE,
)

__all__ = [
    "COLUMN_FIRES_AT_HIGH_DEGREE",
    "COLUMN_SILENT_AT_LOW_DEGREE",
    "MEMBER",
    "NETWORK_FIRES_AT_HIGH_DEGREE",
    "NETWORK_SILENT_AT_LOW_DEGREE",
    "OUTPUT",
    "OUTPUT_ABOVE_GE_EIGHTH_AT_HIGH_DEGREE",
    "OUTPUT_ABOVE_GE_EIGHTH_LESS_TAIL",
    "OUTPUT_ABOVE_GE_TENTH",
    "OUTPUT_ABOVE_GE_TENTH_AT_HIGH_DEGREE",
    "OUTPUT_ABOVE_LE_TAIL",
    "OUTPUT_ABOVE_LE_TAIL_AT_LOW_DEGREE",
    "REST_SQUARES_SMALL",
    "SPECIAL_ENTRIES_LARGE",
    "SPECIAL_ENTRIES_SMALL",
]

f = IndexedBase("f")
a, b, c, p, q, r, t, x, h, delta, k, rate, epsilon, N = symbols(
    "a b c p q r t x h delta k rate epsilon N"
)

# The output of one token: n = d - 3 block columns of weight b t r, and a p, b (p + (t - 1) r), c.
SPECIAL_ENTRIES = [Eq(f[n + 1], a * p), Eq(f[n + 2], b * (p + (t - 1) * r)), Eq(f[n + 3], c)]
OUTPUT = [
    Eq(f[i], b * t * r),
    *SPECIAL_ENTRIES,
    Gt(r, 0),
    Le(r * t * (n + 1), 1),
    Gt(p, 0),
    Ge(t, 1),
    Gt(a, 0),
    Gt(b, 0),
    Gt(c, 0),
    Ge(n, 1),
]
"""The output of one token, as hypotheses: ``p`` and ``r`` are the weights of the special and of
each other token.
"""

THRESHOLD = c + Rational(1, 10)
FIRING_MARGIN = (a + b) / 2 - Rational(1, 10)
SILENT_MARGIN = Rational(1, 10) - (a + b) * epsilon - b / (n + 1)
ENTRIES = a * p + b * (p + (t - 1) * r) + c


@theorem
def SPECIAL_ENTRIES_LARGE():
    """The special entries exceed the threshold by ``(a + b)/2 − 1/10`` when ``p ≥ 1/2``."""
    given = [*OUTPUT, Ge(p, Rational(1, 2))]
    known = [arithmetic(Ge(a * p, a / 2), given), arithmetic(Ge(b * p, b / 2), given)]
    known += [arithmetic(Ge(b * ((t - 1) * r), 0), given)]
    return chain(
        sum(THREE),
        step("=", ENTRIES, "the output"),
        step(">=", (a + b) / 2 + c, r"$p \ge 1/2$, and no weight is negative", *known),
        given=given,
    )


@theorem
def SPECIAL_ENTRIES_SMALL():
    """The special entries are short of the threshold by ``1/10 − (a + b) ε − b/(d − 2)`` when
    ``p ≤ ε``.
    """
    given = [*OUTPUT, Le(p, epsilon)]
    share = arithmetic(Le(r * t, 1 / (n + 1)), OUTPUT)
    known = [arithmetic(Le((a + b) * p, (a + b) * epsilon), given)]
    known += [arithmetic(Le(b * ((t - 1) * r), b / (n + 1)), given, [share])]
    return chain(
        sum(THREE),
        step("=", ENTRIES, "the output"),
        step(
            "<=",
            (a + b) * epsilon + b / (n + 1) + c,
            r"$p \le \epsilon$, and $t r \le 1/(n + 1)$",
            *known,
        ),
        given=given,
    )


@cache
def _squares():
    square = (b * t * r) ** 2
    equal = apply(
        SUM_EQUAL,
        {"f": f[i] ** 2, "g": square},
        OUTPUT,
        [arithmetic(Eq(f[i] ** 2, square), OUTPUT)],
    )
    return [equal, apply(SUM_AFFINE, {"c": 0, "f": f[i], "d": square}, OUTPUT)]


@theorem
def REST_SQUARES_SMALL():
    """The squares of the other entries add up to ``b²/(d − 2)`` at most."""
    share = arithmetic(Le((n + 1) * n * x**2, 1), [Gt(x, 0), Le(x * (n + 1), 1), Ge(n, 1)])
    share = apply(share, {"x": r * t}, OUTPUT, [arithmetic(Gt(r * t, 0), OUTPUT)])
    return chain(
        (n + 1) / b**2 * NORM,
        step("=", (n + 1) * n * (r * t) ** 2, "$n$ equal entries $b t r$", *_squares()),
        step("<=", 1, r"$t r \le 1/(n + 1)$", share),
        given=OUTPUT,
    )


def _of_output(theorem, margin, share, entries, why):
    """``theorem`` about the output at the threshold c + 1/10, to which the special entries leave
    ``margin``.
    """
    terms = {"tau": THRESHOLD, "x": margin, "h": (n + 1) / (2 * b**2)}
    using = [
        *(arithmetic(Ge(entry, 0), OUTPUT) for entry in THREE),
        REST_SQUARES_SMALL,
        arithmetic(Gt(NORM, 0), OUTPUT, _squares()),
        entries,
    ]
    return apply(theorem, terms, Given(output=OUTPUT, share=share, limit=Gt(margin, 0)), using, why)


@theorem
def OUTPUT_ABOVE_GE_EIGHTH_LESS_TAIL():
    """``Pr[⟨c, σ⟩ > c + 0.1] ≥ (1 − e^(−x² (d−2)/(2 b²)))/8`` with ``x = (a + b)/2 − 0.1``, when
    ``p ≥ 1/2``.
    """
    return _of_output(
        SUM_ABOVE_GE_EIGHTH_LESS_TAIL,
        FIRING_MARGIN,
        Ge(p, Rational(1, 2)),
        SPECIAL_ENTRIES_LARGE,
        "three signs, then Hoeffding on the others",
    )


@theorem
def OUTPUT_ABOVE_LE_TAIL():
    """``Pr[⟨c, σ⟩ > c + 0.1] ≤ e^(−x² (d−2)/(2 b²))`` with ``x = 0.1 − (a + b) ε − b/(d − 2)``,
    when ``p ≤ ε``.
    """
    return _of_output(
        SUM_ABOVE_LE_TAIL,
        SILENT_MARGIN,
        Le(p, epsilon),
        SPECIAL_ENTRIES_SMALL,
        "Hoeffding on what is missing",
    )


FIRING_RATE = (n + 1) * FIRING_MARGIN**2 / (2 * b**2)


@theorem
def OUTPUT_ABOVE_GE_TENTH():
    """``Pr[⟨c, σ⟩ > c + 0.1] ≥ 1/10`` when ``p ≥ 1/2`` and ``x² (d−2) ≥ 2 b² ln 5``."""
    fifth, tail = Log(Integer(5)), OUTPUT_ABOVE_GE_EIGHTH_LESS_TAIL
    given = Given(
        output=OUTPUT,
        share=tail.given("share"),
        limit=tail.given("limit"),
        wide=Ge(FIRING_RATE, fifth),
    )
    smaller = apply(EXP_MONOTONE, {"x": -FIRING_RATE, "y": -fifth}, given)
    inverse: list[Lemma] = [log_inverts(Integer(5)), EXP_ZERO, exp_of_sum(fifth, -fifth)]
    return chain(
        Above(WHOLE, THRESHOLD),
        step(">=", (1 - Exp(-FIRING_RATE)) / 8, "three signs, then Hoeffding", tail),
        step(">=", (1 - Exp(-fifth)) / 8, "the condition on the dimension", smaller),
        step("=", Rational(1, 10), "an eighth, less a fifth of it", *inverse),
        given=given,
    )


# The same from the degree: N = (d - 2) t tokens, and the weights that the degree gives them.
MEMBER = [
    Eq(f[i], b * t * r),
    *SPECIAL_ENTRIES,
    *ATTENDED,
    Eq(N, (n + 1) * t),
    Ge(t, 1),
    Gt(b, 0),
    Gt(c, 0),
    Ge(n, 1),
]
"""The output of one token of a member of either dataset at the degree β, as hypotheses."""


@cache
def _shares():
    known = [
        apply(law, {}, MEMBER)
        for law in (SPECIAL_SHARE_POSITIVE, OTHER_SHARE_POSITIVE, OTHER_SHARE_LE_1_OVER_N)
    ]
    return [*known, arithmetic(Le(r * t * (n + 1), 1), MEMBER, known)]


def _of_member(theorem, degree, share, terms=()):
    """``theorem`` about the output, with ``degree`` in place of its hypothesis on the special
    weight, which ``share`` derives.
    """
    put = {symbols(name): term for name, term in dict(terms).items()}
    given = Given(
        member=MEMBER,
        degree=degree,
        rest=[h.xreplace(put) for h in theorem.without("output", "share")],
    )
    return apply(theorem, dict(terms), given, [*_shares(), apply(share, {}, given)])


@theorem
def OUTPUT_ABOVE_GE_EIGHTH_AT_HIGH_DEGREE():
    """``OUTPUT_ABOVE_GE_EIGHTH_LESS_TAIL`` for ``β ln(1 + a) ≥ ln N``."""
    return _of_member(OUTPUT_ABOVE_GE_EIGHTH_LESS_TAIL, HIGH_DEGREE, SPECIAL_SHARE_GE_HALF)


@theorem
def OUTPUT_ABOVE_GE_TENTH_AT_HIGH_DEGREE():
    """``OUTPUT_ABOVE_GE_TENTH`` for ``β ln(1 + a) ≥ ln N``."""
    return _of_member(OUTPUT_ABOVE_GE_TENTH, HIGH_DEGREE, SPECIAL_SHARE_GE_HALF)


@theorem
def OUTPUT_ABOVE_LE_TAIL_AT_LOW_DEGREE():
    """``OUTPUT_ABOVE_LE_TAIL`` for ``β ln(1 + a) ≤ q ln N``."""
    return _of_member(
        OUTPUT_ABOVE_LE_TAIL, LOW_DEGREE, SPECIAL_SHARE_SMALL, {"epsilon": Power(N, q - 1)}
    )


MISSING = SILENT_MARGIN.xreplace({epsilon: Power(N, q - 1)})
MISSING_RATE = (n + 1) * MISSING**2 / (2 * b**2)


def _error(rate, given):
    return apply(EXP_LE_ERROR, {"rate": rate}, given)


@theorem
def COLUMN_FIRES_AT_HIGH_DEGREE():
    """One column fires with probability (1 − δ N^-k)/8 at a high degree."""
    tail = OUTPUT_ABOVE_GE_EIGHTH_AT_HIGH_DEGREE
    given = Given(tail=tail.hypotheses, error=Gt(delta, 0), dimension=Ge(FIRING_RATE, LOG_ERROR))
    error = _error(FIRING_RATE, given)
    return chain(
        Above(WHOLE, THRESHOLD),
        step(">=", (1 - Exp(-FIRING_RATE)) / 8, "three signs, then Hoeffding on the others", tail),
        step(">=", (1 - WANTED) / 8, "the condition on the dimension", error),
        given=given,
    )


@theorem
def COLUMN_SILENT_AT_LOW_DEGREE():
    """One column is silent with probability 1 − δ N^-k at a low degree."""
    tail = OUTPUT_ABOVE_LE_TAIL_AT_LOW_DEGREE
    given = Given(tail=tail.hypotheses, error=Gt(delta, 0), dimension=Ge(MISSING_RATE, LOG_ERROR))
    error = _error(MISSING_RATE, given)
    return chain(
        Above(WHOLE, THRESHOLD),
        step("<=", Exp(-MISSING_RATE), "even with three signs +, Hoeffding on the others", tail),
        step("<=", WANTED, "the condition on the dimension", error),
        given=given,
    )


def _promised(theorem, terms, column, **more):
    """``theorem`` about the network, for the probability that ``column`` gives one column."""
    given = Given(tail=column.hypotheses, error=Gt(delta, 0), columns=Ge(m, 1), **more)
    return apply(theorem, {"n": n + 3, "tau": THRESHOLD} | terms, given, [column])


@theorem
def NETWORK_SILENT_AT_LOW_DEGREE():
    """The network is silent with probability 1 − δ N^-k at a low degree."""
    return _promised(
        NETWORK_SILENT,
        {"rate": MISSING_RATE},
        OUTPUT_ABOVE_LE_TAIL_AT_LOW_DEGREE,
        dimension=Ge(MISSING_RATE, Log(m) + LOG_ERROR),
    )


@theorem
def NETWORK_FIRES_AT_HIGH_DEGREE():
    """The network fires with probability 1 − δ N^-k at a high degree."""
    ninth = Rational(10, 9)
    return _promised(
        NETWORK_FIRES,
        {"x": ninth},
        OUTPUT_ABOVE_GE_TENTH_AT_HIGH_DEGREE,
        enough=Ge(Log(ninth) * m, LOG_ERROR),
    )
