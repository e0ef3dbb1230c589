"""Hoeffding's inequality for bounded random variables, from e^(x+y) = e^x e^y and e^x ≥ 1 + x
alone.

A variable has finitely many values ``x_i`` with probabilities ``p_i``. Judgments in the symbols
``a``, ``b`` (its limits), ``s`` (the rate), ``q`` and ``u`` for two values, and from ``MGF_OF_SUM``
on in sequences with a term for each variable: ``g`` (the generating functions E e^(s X_i)), ``d``
(the means), ``c`` (the squares of b_i − a_i) and ``M`` (E e^(s (X_1 + … + X_i))).

>>> MGF_OF_TWO_VALUES
q >= 0, q <= 1 ⊢ q*Exp(u) - q + 1 <= Exp(q*u + u**2/8)
"""

from sympy import Eq, Ge, Gt, IndexedBase, Le, Lt, Rational, Sum, symbols

from polycore.proof import (
    AXIOMS,
    Ceil,
    Exp,
    apply,
    arithmetic,
    i,
    induction,
    n,
    put,
    theorem,
    total,
)
from polycore.proof.kernel import Lemma
from polycore.theory.elementary import (
    EXP_MONOTONE,
    EXP_POSITIVE,
    EXP_ZERO,
    exp_of_equals,
    exp_of_sum,
    tangent,
)
from polycore.theory.hoeffding_lemma import COSH_LE_EXP, ceiling
from polycore.theory.sums import SUM_ADD, SUM_AFFINE, SUM_MONOTONE

__all__ = [
    "EXP_BELOW_CHORD", "MGF_BY_EQUAL_STEPS", "MGF_FIRST_STEP", "HOEFFDING_BOUNDED",
    "HOEFFDING_LEMMA", "HOEFFDING_ONE_SIDE", "MARKOV", "MGF_OF_TWO_VALUES_NEARLY", "MGF_OF_SUM",
    "MGF_SECOND_DIFFERENCE", "MGF_OF_TWO_VALUES",
]  # fmt: skip

a, b, q, s, u, h, y, t, v, mu = symbols("a b q s u h y t v mu")
x, z, r, w, k = symbols("x z r w k")  # for lemmas of arithmetic
p, X, g, d, c, M, e, L, l = map(IndexedBase, "pxgdcMeLl")
SHARE = [Ge(q, 0), Le(q, 1)]
LARGER_FACTORS = Le(x * z, r * w), [Ge(x, 0), Ge(z, 0), Le(x, r), Le(z, w)]


def _positive(of, given=()):
    return apply(EXP_POSITIVE, {"x": of}, given)


def _mean(of):
    """E e^(of Y) for a Y that is 1 with probability q, and else 0."""
    return 1 - q + q * Exp(of)


def _mean_positive(of, given):
    return arithmetic(Gt(_mean(of), 0), given, [_positive(of)])


@theorem
def MGF_SECOND_DIFFERENCE():
    """Second differences of ln _mean are at most h²/4 in equal steps h, so from 0 on it stays below
    a parabola.
    """
    halves: list[Lemma] = [
        *(exp_of_sum(one, other) for one in (h / 2, -h / 2) for other in (h / 2, -h / 2)),
        apply(COSH_LE_EXP, {"x": h / 2}),
        EXP_ZERO,
    ]
    halves += [exp_of_sum(h**2 / 8, h**2 / 8), _positive(h / 2), _positive(-h / 2)]
    bent = arithmetic(
        Le(2 + Exp(h) + Exp(-h), 4 * Exp(h**2 / 4)), using=halves
    )  # the square of cosh(h/2)
    ratios = [Ge(x, 0), Ge(z, 0), Eq(r * w, 1), Le(2 + r + w, 4 * k), Ge(k, 1)]
    alike = arithmetic(
        Le((x + z * r) * (x + z * w), k * (x + z) ** 2), ratios
    )  # a square is not negative
    steps = [
        exp_of_sum(u, h),
        exp_of_sum(u, -h),
        exp_of_sum(h, -h),
        EXP_ZERO,
        bent,
        tangent(h**2 / 4),
        _positive(u),
    ]
    terms = {"x": 1 - q, "z": q * Exp(u), "r": Exp(h), "w": Exp(-h), "k": Exp(h**2 / 4)}
    goal = Le(_mean(u + h) * _mean(u - h), Exp(h**2 / 4) * _mean(u) ** 2)
    return arithmetic(
        goal, SHARE, [apply(alike, terms, SHARE, steps), *steps], "second differences"
    )


def _ratios_grow():
    """One step more multiplies by what the first step does, and by e^(h²/4) once more each time."""
    then, now, first = _mean((n + 1) * h), _mean(n * h), _mean(h)
    ratio = Le(then, Exp(n * h**2 / 4) * first * now)
    bent = [
        Gt(z, 0),
        Gt(x, 0),
        Gt(r, 0),
        Le(w * z, k * x**2),
        Le(x, y * r * z),
        Gt(k, 0),
        Gt(y, 0),
    ]
    lemma = arithmetic(Le(w, k * y * r * x), bent)
    terms = {
        "w": _mean((n + 2) * h),
        "x": then,
        "z": now,
        "r": first,
        "k": Exp(h**2 / 4),
        "y": Exp(n * h**2 / 4),
    }
    given = [*SHARE, Ge(n, 0), ratio]
    known = [
        apply(MGF_SECOND_DIFFERENCE, {"u": (n + 1) * h}, given),
        *(_mean_positive(at, given) for at in (h, n * h, (n + 1) * h)),
    ]
    known += [_positive(h**2 / 4), _positive(n * h**2 / 4)]
    known += [exp_of_equals((n + 1) * h + h, (n + 2) * h), exp_of_equals((n + 1) * h - h, n * h)]
    step = [apply(lemma, terms, given, known), exp_of_sum(n * h**2 / 4, h**2 / 4)]
    return induction(ratio, SHARE, "second differences add up", base=[EXP_ZERO], step=step)


@theorem
def MGF_BY_EQUAL_STEPS():
    """n equal steps: a first step of at most q h + y on the scale of ln gives n (q h + y) and the
    parabola.
    """
    begun = [*SHARE, Le(_mean(h), Exp(q * h + y))]
    line, longer = (count * (q * h + y) + count**2 * h**2 / 8 for count in (n, n + 1))
    before, grown = [*begun, Ge(n, 0), Le(_mean(n * h), Exp(line))], n * h**2 / 4
    product = arithmetic(
        Le(k * x * z, k * r * w), [Gt(x, 0), Gt(z, 0), Gt(k, 0), Le(x, r), Le(z, w)]
    )
    known = [
        apply(_ratios_grow(), {}, before),
        _mean_positive(h, before),
        _mean_positive(n * h, before),
        _positive(grown),
    ]
    terms = {"x": _mean(h), "z": _mean(n * h), "k": Exp(grown), "r": Exp(q * h + y), "w": Exp(line)}
    known += [
        apply(product, terms, before, known),
        exp_of_sum(grown, q * h + y),
        exp_of_sum(grown + q * h + y, line),
    ]
    known += [apply(EXP_MONOTONE, {"x": grown + q * h + y + line, "y": longer}, before)]
    return induction(Le(_mean(n * h), Exp(line)), begun, "equal steps", base=[EXP_ZERO], step=known)


@theorem
def MGF_FIRST_STEP():
    """A step small enough costs as little as one likes."""
    small = [*SHARE, Le(h, Rational(1, 2))]
    grown = arithmetic(
        Le(Exp(h), 1 + h + 2 * h**2),
        small[2:],
        [tangent(-h), exp_of_sum(h, -h), EXP_ZERO, _positive(-h)],
    )
    scaled = arithmetic(Le(q * x, q * h + 2 * h**2), [*SHARE, Le(x, h + 2 * h**2)])
    using = [apply(scaled, {"x": Exp(h) - 1}, small, [grown]), tangent(q * h + 2 * h**2)]
    return arithmetic(Le(_mean(h), Exp(q * h + 2 * h**2)), small, using, "1 + x is at most e^x")


@theorem
def MGF_OF_TWO_VALUES_NEARLY():
    many = [*SHARE, Ge(n, 1), Ge(n, 2 * u), Ge(n, 4 * u**2)]
    parabola, excess = q * u + u**2 / 8, 2 * u**2 / n
    met = [
        arithmetic(goal, many)
        for goal in (Le(u / n, Rational(1, 2)), Le(excess, Rational(1, 2)), Ge(excess, 0))
    ]
    met += [apply(MGF_FIRST_STEP, {"h": u / n}, many, met)]
    whole = n * (q * (u / n) + 2 * (u / n) ** 2) + n**2 * (u / n) ** 2 / 8
    known: list[Lemma] = [apply(MGF_BY_EQUAL_STEPS, {"h": u / n, "y": 2 * (u / n) ** 2}, many, met)]
    known += [exp_of_equals(whole, parabola + excess, many), exp_of_equals(n * (u / n), u, many)]
    known += [
        exp_of_sum(parabola, excess, many),
        tangent(-excess, many),
        exp_of_sum(excess, -excess, many),
        EXP_ZERO,
        *met,
    ]
    known += [_positive(parabola, many), _positive(excess, many)]
    return arithmetic(Le(_mean(u), Exp(parabola) * (1 + 2 * excess)), many, known)


@theorem
def MGF_OF_TWO_VALUES():
    """If the bound were exceeded, enough steps would contradict MGF_OF_TWO_VALUES_NEARLY."""
    bound = Exp(q * u + u**2 / 8)
    beyond = [*SHARE, Gt(_mean(u), bound)]
    share = 4 * u**2 * bound / (_mean(u) - bound)
    enough = 1 + u**2 + 4 * u**2 + share
    known = [_positive(q * u + u**2 / 8), ceiling(enough, beyond)]
    known += [arithmetic(Ge(share, 0), beyond, known)]
    known += [
        arithmetic(goal, beyond, known)
        for goal in (Ge(Ceil(enough), 1), Ge(Ceil(enough), 2 * u), Ge(Ceil(enough), 4 * u**2))
    ]
    known += [apply(MGF_OF_TWO_VALUES_NEARLY, {"n": Ceil(enough)}, beyond, known)]
    why = "Hoeffding's lemma for two values: what holds up to any factor above 1 holds"
    return arithmetic(
        Le(_mean(u), bound), SHARE, [arithmetic(Le(_mean(u), bound), beyond, known)], why
    )


@theorem
def EXP_BELOW_CHORD():
    """Of all variables between a and b with the same mean, that with these two values has the
    largest E e^(s X).
    """
    between, chord = (
        [Ge(v, a), Le(v, b), Lt(a, b)],
        ((b - v) * Exp(s * a) + (v - a) * Exp(s * b)) / (b - a),
    )
    ends = [
        *(exp_of_sum(s * v, s * (end - v)) for end in (a, b)),
        *(tangent(s * (end - v)) for end in (a, b)),
    ]
    two = [*between, Ge(x, 1 + s * (a - v)), Ge(z, 1 + s * (b - v)), Gt(r, 0)]
    # Two tangents, in steps that a second solver can follow: without the factor, with it, and
    # divided.
    wide = arithmetic(Le(b - a, (b - v) * x + (v - a) * z), two)
    wide = arithmetic(Le(r * (b - a), (b - v) * (r * x) + (v - a) * (r * z)), two, [wide])
    chords = arithmetic(Le(r, ((b - v) * (r * x) + (v - a) * (r * z)) / (b - a)), two, [wide])
    terms = {"x": Exp(s * (a - v)), "z": Exp(s * (b - v)), "r": Exp(s * v)}
    using = [apply(chords, terms, between, [*ends, _positive(s * v)]), *ends]
    return arithmetic(Le(Exp(s * v), chord), between, using, "exp lies below its chord")


GENERATED = total(p[i] * Exp(s * X[i]))


def _below_the_chord(variable):
    """``E e^(s X) ≤ slope E X + height``, and that the mean lies between the limits."""
    slope, height = (Exp(s * b) - Exp(s * a)) / (b - a), (b * Exp(s * a) - a * Exp(s * b)) / (b - a)
    line = arithmetic(
        Le(Exp(s * v), slope * v + height), [Ge(v, a), Le(v, b), Lt(a, b)], [EXP_BELOW_CHORD]
    )
    weighted = arithmetic(Le(r * x, k * (r * v) + h * r), [Ge(r, 0), Le(x, k * v + h)])
    terms = {"r": p[i], "x": Exp(s * X[i]), "v": X[i], "k": slope, "h": height}
    term = apply(weighted, terms, variable, [apply(line, {"v": X[i]}, variable)])
    sums = [
        apply(
            SUM_MONOTONE,
            {"f": p[i] * Exp(s * X[i]), "g": slope * (p[i] * X[i]) + height * p[i]},
            variable,
            [term],
        )
    ]
    sums += [apply(SUM_ADD, {"f": slope * (p[i] * X[i]), "g": height * p[i]}, variable)]
    sums += [
        apply(SUM_AFFINE, {"c": c_, "f": f_, "d": 0}, variable)
        for c_, f_ in [(slope, p[i] * X[i]), (height, p[i]), (a, p[i]), (b, p[i])]
    ]
    inside = [
        arithmetic(goal, variable)
        for goal in (Ge(p[i] * X[i], a * p[i]), Le(p[i] * X[i], b * p[i]))
    ]
    sums += [
        apply(SUM_MONOTONE, {"f": f_, "g": g_}, variable, inside)
        for f_, g_ in ((a * p[i], p[i] * X[i]), (p[i] * X[i], b * p[i]))
    ]
    goals = Le(GENERATED, slope * mu + height), Ge(mu, a), Le(mu, b)
    return [arithmetic(goal, variable, sums) for goal in goals], slope * mu + height


@theorem
def HOEFFDING_LEMMA():
    """``E e^(s X) ≤ e^(s E X + s² (b − a)²/8)`` for a variable with values between a and b."""
    variable = [
        Ge(p[i], 0),
        Eq(total(p[i]), 1),
        Ge(X[i], a),
        Le(X[i], b),
        Lt(a, b),
        Eq(mu, total(p[i] * X[i])),
        Ge(n, 1),
    ]
    known, chord = _below_the_chord(variable)
    share, bound = (mu - a) / (b - a), s * mu + s**2 * (b - a) ** 2 / 8
    known += [
        arithmetic(goal, [Ge(mu, a), Le(mu, b), Lt(a, b)]) for goal in (Ge(share, 0), Le(share, 1))
    ]
    known += [
        apply(MGF_OF_TWO_VALUES, {"q": share, "u": s * (b - a)}, variable, known),
        _positive(s * a),
    ]
    two = 1 - share + share * Exp(s * (b - a))
    known += [arithmetic(Eq(chord, Exp(s * a) * two), variable, [exp_of_sum(s * a, s * (b - a))])]
    parabola = share * (s * (b - a)) + (s * (b - a)) ** 2 / 8
    known += [
        exp_of_sum(s * a, parabola, variable),
        exp_of_equals(s * a + parabola, bound, variable),
    ]
    return arithmetic(Le(GENERATED, Exp(bound)), variable, known, "Hoeffding's lemma")


INDEPENDENT = [
    Eq(M[0], 1),
    Eq(M[i], g[i] * M[i - 1]),
    Ge(M[i - 1], 0),
    Ge(g[i], 0),
    Le(g[i], Exp(s * d[i] + s**2 * c[i] / 8)),
]
"""Independent variables, each bounded by Hoeffding's lemma: the generating function of the sum is
the product of theirs.
"""


@theorem
def MGF_OF_SUM():
    """``M_n ≤ e^(s Σ d_i + s² Σ c_i/8)`` when ``M_i = g_i M_(i−1)`` and each ``g_i`` is bounded by
    Hoeffding's lemma.
    """
    up_to = lambda last: s * Sum(d[i], (i, 1, last)) + s**2 * Sum(c[i], (i, 1, last)) / 8
    exponent, last = up_to(n), s * d[n + 1] + s**2 * c[n + 1] / 8
    more = [apply(AXIOMS["one more term"], {"f": f_}, [Ge(n, 0)]) for f_ in (d[i], c[i])]
    none = [apply(AXIOMS["empty sum"], {"f": f_}) for f_ in (d[i], c[i])]
    goal, given = LARGER_FACTORS
    terms = {x: M[n], z: g[n + 1], r: Exp(exponent), w: Exp(last)}
    factors = apply(arithmetic(goal, given), terms, [h_.xreplace(terms) for h_ in given])
    step = [
        factors,
        exp_of_sum(exponent, last),
        exp_of_equals(up_to(n + 1), exponent + last, [Ge(n, 0)], more),
    ]
    base: list[Lemma] = [EXP_ZERO, exp_of_equals(up_to(0), 0, using=none)]
    why = "the generating function of a sum of independent variables is the product of theirs"
    return induction(Le(M[n], Exp(exponent)), INDEPENDENT, why, base=base, step=step)


@theorem
def MARKOV():
    """``e^(s t) Pr[X ≥ t] ≤ E e^(s X)``: e_i is 1 for the outcomes at which the variable is at
    least t, and else 0.
    """
    rise = [_positive(s * v), apply(EXP_MONOTONE, {"x": s * t, "y": s * v}, [Ge(s, 0), Ge(v, t)])]
    marked = [Ge(s, 0), Ge(k, 0), Ge(k * (v - t), 0), Eq(k * (1 - k), 0)]
    raised = arithmetic(Le(k * Exp(s * t), Exp(s * v)), marked, rise)
    event = [Ge(p[i], 0), Eq(e[i] * (1 - e[i]), 0), Ge(e[i] * (X[i] - t), 0), Ge(s, 0), Ge(n, 0)]
    known = [apply(raised, {"k": e[i], "v": X[i]}, event, [arithmetic(Ge(e[i], 0), event)])]
    weighted = arithmetic(Le(x * r, x * z), [Ge(x, 0), Le(r, z)])
    known += [
        apply(weighted, {"x": p[i], "r": e[i] * Exp(s * t), "z": Exp(s * X[i])}, event, known)
    ]
    using = [
        apply(
            SUM_MONOTONE, {"f": Exp(s * t) * (p[i] * e[i]), "g": p[i] * Exp(s * X[i])}, event, known
        )
    ]
    using += [apply(SUM_AFFINE, {"c": Exp(s * t), "f": p[i] * e[i], "d": 0}, event)]
    return arithmetic(
        Le(Exp(s * t) * total(p[i] * e[i]), GENERATED),
        event,
        using,
        "Markov's inequality for e^(s X)",
    )


SQUARES, MEANS = total(c[i]), total(d[i])
EXPONENT = -2 * t**2 / SQUARES


@theorem
def HOEFFDING_ONE_SIDE():
    """``Pr[Σ X_i ≥ Σ E X_i + t] ≤ e^(−2 t²/Σ (b_i − a_i)²)``, at the best rate s = 4 t/Σ c_i; q is
    the probability.
    """
    rate = 4 * t / SQUARES
    given = [
        *(h_.xreplace({s: rate}) for h_ in INDEPENDENT),
        Gt(t, 0),
        Gt(SQUARES, 0),
        Le(Exp(rate * (MEANS + t)) * q, M[n]),
        Ge(n, 0),
    ]
    spent = exp_of_equals(
        rate * MEANS + rate**2 * SQUARES / 8, rate * (MEANS + t) + EXPONENT, given
    )
    using = [
        apply(MGF_OF_SUM, {"s": rate}, given),
        spent,
        exp_of_sum(rate * (MEANS + t), EXPONENT, given),
        _positive(rate * (MEANS + t), given),
    ]
    return arithmetic(Le(q, Exp(EXPONENT)), given, using, "Hoeffding's inequality, one side")


@theorem
def HOEFFDING_BOUNDED():
    """``Pr[|X − E X| ≥ t] ≤ 2 e^(−2 t²/Σ (b_i − a_i)²)``: L and l are for −X_i what M and g are for
    X_i, r is the other side's q.
    """
    turned, given = {"M": L[i], "g": l[i], "d": -d[i], "q": r}, [*HOEFFDING_ONE_SIDE.hypotheses]
    other = {M: L[i], g: l[i], d: -d[i], q: r}
    given += [h_ for h_ in (put(h_, other) for h_ in given) if h_ not in given]
    using: list[Lemma] = [HOEFFDING_ONE_SIDE, apply(HOEFFDING_ONE_SIDE, turned, given)]
    return arithmetic(Le(q + r, 2 * Exp(EXPONENT)), given, using, "Hoeffding's inequality")
