"""Hoeffding's inequality for bounded random variables, from e^(x+y) = e^x e^y and e^x ≥ 1 + x alone.

A variable has finitely many values ``x_i`` with probabilities ``p_i``. Judgments in the symbols ``a``, ``b`` (its limits),
``s`` (the rate), ``q`` and ``u`` for two values, and from ``PRODUCT`` on in sequences with a term for each variable: ``g`` (the
generating functions E e^(s X_i)), ``d`` (the means), ``c`` (the squares of b_i − a_i) and ``M`` (E e^(s (X_1 + … + X_i))).

>>> TWO_VALUES
q >= 0, q <= 1 ⊢ q*Exp(u) - q + 1 <= Exp(q*u + u**2/8)
"""

from sympy import Eq, Ge, Gt, IndexedBase, Le, Lt, Rational, Sum, symbols

from polycore.elementary import EXP_MONOTONE, EXP_POSITIVE, EXP_ZERO, exp_of_equals
from polycore.hoeffding_lemma import COSH
from polycore.proof import AXIOMS, apply, arithmetic, induction
from polycore.statements import Ceil, Exp, i, n, total
from polycore.sums import SUM_ADD, SUM_AFFINE, SUM_MONOTONE
from polycore.translation import put

__all__ = [
    "CHORD", "EQUAL_STEPS", "FIRST_STEP", "HOEFFDING_BOUNDED", "HOEFFDING_LEMMA", "HOEFFDING_ONE_SIDE", "MARKOV", "NEARLY", "PRODUCT", "SECOND_DIFFERENCES",
    "TWO_VALUES",
]  # fmt: skip

a, b, q, s, u, h, y, t = symbols("a b q s u h y t")
_share = [Ge(q, 0), Le(q, 1)]


def _sum(x, z, given=()):
    return apply(AXIOMS["exp of a sum"], {"x": x, "y": z}, given)


def _tangent(x, given=()):
    return apply(AXIOMS["tangent of exp"], {"x": x}, given)


def _mean(x):
    """E e^(x Y) for a Y that is 1 with probability q, and else 0."""
    return 1 - q + q * Exp(x)


# Second differences of ln _mean are at most h²/4 in equal steps h, so from 0 on it stays below a parabola.
_halves = [*(_sum(x, z) for x in (h / 2, -h / 2) for z in (h / 2, -h / 2)), apply(COSH, {"x": h / 2}), EXP_ZERO]
_halves += [_sum(h**2 / 8, h**2 / 8), apply(EXP_POSITIVE, {"x": h / 2}), apply(EXP_POSITIVE, {"x": -h / 2})]
_bent = arithmetic(Le(2 + Exp(h) + Exp(-h), 4 * Exp(h**2 / 4)), using=_halves, why="the square of cosh(h/2)")
x, z, r, w, k = symbols("x z r w k")
_alike = [Ge(x, 0), Ge(z, 0), Eq(r * w, 1), Le(2 + r + w, 4 * k), Ge(k, 1)]
_alike = arithmetic(Le((x + z * r) * (x + z * w), k * (x + z) ** 2), _alike, why="a square is not negative")
_steps = [_sum(u, h), _sum(u, -h), _sum(h, -h), EXP_ZERO, _bent, _tangent(h**2 / 4), apply(EXP_POSITIVE, {"x": u})]
_terms = {"x": 1 - q, "z": q * Exp(u), "r": Exp(h), "w": Exp(-h), "k": Exp(h**2 / 4)}
SECOND_DIFFERENCES = arithmetic(
    Le(_mean(u + h) * _mean(u - h), Exp(h**2 / 4) * _mean(u) ** 2), _share, [apply(_alike, _terms, _share, _steps), *_steps], "second differences"
)
_positive = lambda x, given=_share: apply(arithmetic(Gt(_mean(u), 0), _share, [apply(EXP_POSITIVE, {"x": u})]), {"u": x}, given)

# One step more multiplies by what the first step does, and by e^(h²/4) once more each time.
_next, _now, _first = _mean((n + 1) * h), _mean(n * h), _mean(h)
_ratio = Le(_next, Exp(n * h**2 / 4) * _first * _now)
_ratios = [Gt(z, 0), Gt(x, 0), Gt(r, 0), Le(w * z, k * x**2), Le(x, y * r * z), Gt(k, 0), Gt(y, 0)]
_ratios = arithmetic(Le(w, k * y * r * x), _ratios, why="a ratio times the next")
_terms = {"w": _mean((n + 2) * h), "x": _next, "z": _now, "r": _first, "k": Exp(h**2 / 4), "y": Exp(n * h**2 / 4)}
_given = [*_share, Ge(n, 0), _ratio]
_known = [apply(SECOND_DIFFERENCES, {"u": (n + 1) * h}, _given), *(_positive(x, _given) for x in (h, n * h, (n + 1) * h))]
_known += [apply(EXP_POSITIVE, {"x": x}) for x in (h**2 / 4, n * h**2 / 4)]
_same = [((n + 1) * h + h, (n + 2) * h), ((n + 1) * h - h, n * h)]
_known += [exp_of_equals(p, r_) for p, r_ in _same]
_stepped = apply(_ratios, _terms, _given, _known)
_ratios_grow = induction(_ratio, _share, "second differences add up", base=[EXP_ZERO], step=[_stepped, _sum(n * h**2 / 4, h**2 / 4)])

# So n equal steps: a first step of at most q h + y on the scale of ln gives n (q h + y) and the parabola.
_begun = [*_share, Le(_mean(h), Exp(q * h + y))]
_line = n * (q * h + y) + n**2 * h**2 / 8
_before = [*_begun, Ge(n, 0), Le(_mean(n * h), Exp(_line))]
_product = [Gt(x, 0), Gt(z, 0), Gt(k, 0), Le(x, r), Le(z, w)]
_product = arithmetic(Le(k * x * z, k * r * w), _product, why="larger factors")
_known = [apply(_ratios_grow, {}, _before), *(_positive(x, _before) for x in (h, n * h)), apply(EXP_POSITIVE, {"x": n * h**2 / 4})]
_known += [apply(_product, {"x": _mean(h), "z": _mean(n * h), "k": Exp(n * h**2 / 4), "r": Exp(q * h + y), "w": Exp(_line)}, _before, _known)]
_longer = (n + 1) * (q * h + y) + (n + 1) ** 2 * h**2 / 8
_known += [_sum(n * h**2 / 4, q * h + y), _sum(n * h**2 / 4 + q * h + y, _line)]
_known += [apply(EXP_MONOTONE, {"x": n * h**2 / 4 + q * h + y + _line, "y": _longer}, _before)]
EQUAL_STEPS = induction(Le(_mean(n * h), Exp(_line)), _begun, "equal steps", base=[EXP_ZERO], step=_known)

# Steps small enough cost as little as one likes.
_small = [*_share, Le(h, Rational(1, 2))]
_grown = arithmetic(Le(Exp(h), 1 + h + 2 * h**2), _small[2:], [_tangent(-h), _sum(h, -h), EXP_ZERO, apply(EXP_POSITIVE, {"x": -h})])
_scaled = arithmetic(Le(q * x, q * h + 2 * h**2), [*_share, Le(x, h + 2 * h**2)])
FIRST_STEP = arithmetic(
    Le(_mean(h), Exp(q * h + 2 * h**2)),
    _small,
    [apply(_scaled, {"x": Exp(h) - 1}, _small, [_grown]), _tangent(q * h + 2 * h**2)],
    why="1 + x is at most e^x",
)
_many = [*_share, Ge(n, 1), Ge(n, 2 * u), Ge(n, 4 * u**2)]
_limit, _excess = Exp(q * u + u**2 / 8), 2 * u**2 / n
_met = [arithmetic(Le(u / n, Rational(1, 2)), _many), arithmetic(Le(_excess, Rational(1, 2)), _many), arithmetic(Ge(_excess, 0), _many)]
_met += [apply(FIRST_STEP, {"h": u / n}, _many, _met)]
_step = {"h": u / n, "y": 2 * (u / n) ** 2}
_all = apply(EQUAL_STEPS, _step, _many, _met)
_whole = n * (q * (u / n) + 2 * (u / n) ** 2) + n**2 * (u / n) ** 2 / 8
_known = [_all, exp_of_equals(_whole, q * u + u**2 / 8 + _excess, _many), exp_of_equals(n * (u / n), u, _many)]
_known += [_sum(q * u + u**2 / 8, _excess, _many), _tangent(-_excess, _many), _sum(_excess, -_excess, _many), EXP_ZERO, *_met]
_known += [apply(EXP_POSITIVE, {"x": x}, _many) for x in (q * u + u**2 / 8, _excess)]
NEARLY = arithmetic(Le(_mean(u), _limit * (1 + 2 * _excess)), _many, _known)

# If the bound were exceeded, ⌈many⌉ steps would contradict that.
_beyond = [*_share, Gt(_mean(u), _limit)]
_share_of = 4 * u**2 * _limit / (_mean(u) - _limit)
_enough = 1 + u**2 + 4 * u**2 + _share_of
_known = [apply(EXP_POSITIVE, {"x": q * u + u**2 / 8}), apply(AXIOMS["ceiling"], {"x": _enough}, _beyond)]
_known += [arithmetic(Ge(_share_of, 0), _beyond, _known)]
_size = Ceil(_enough)
_known += [arithmetic(goal, _beyond, _known) for goal in (Ge(_size, 1), Ge(_size, 2 * u), Ge(_size, 4 * u**2))]
_known += [apply(NEARLY, {"n": _size}, _beyond, _known)]
TWO_VALUES = arithmetic(
    Le(_mean(u), _limit),
    _share,
    [arithmetic(Le(_mean(u), _limit), _beyond, _known)],
    why="Hoeffding's lemma for two values: what holds up to any factor above 1 holds",
)

# A value between two limits: e^x lies below its chord, so of all variables with this mean that with two values has the largest E e^(s X).
v, mu = symbols("v mu")
_between = [Ge(v, a), Le(v, b), Lt(a, b)]
_chord = ((b - v) * Exp(s * a) + (v - a) * Exp(s * b)) / (b - a)
_ends = [_sum(s * v, s * (end - v)) for end in (a, b)] + [_tangent(s * (end - v)) for end in (a, b)]
_above = [Ge(x, 1 + s * (a - v)), Ge(z, 1 + s * (b - v)), Gt(r, 0)]
_above = [*_between, *_above]
_width = arithmetic(Le(b - a, (b - v) * x + (v - a) * z), _above, why="two tangents")
_width = arithmetic(Le(r * (b - a), (b - v) * (r * x) + (v - a) * (r * z)), _above, [_width])
_above = arithmetic(Le(r, ((b - v) * (r * x) + (v - a) * (r * z)) / (b - a)), _above, [_width])
_terms = {"x": Exp(s * (a - v)), "z": Exp(s * (b - v)), "r": Exp(s * v)}
CHORD = arithmetic(
    Le(Exp(s * v), _chord),
    _between,
    [apply(_above, _terms, _between, [*_ends, apply(EXP_POSITIVE, {"x": s * v})]), *_ends],
    why="exp lies below its chord",
)

p, X = IndexedBase("p"), IndexedBase("x")
_variable = [Ge(p[i], 0), Eq(total(p[i]), 1), Ge(X[i], a), Le(X[i], b), Lt(a, b), Eq(mu, total(p[i] * X[i])), Ge(n, 1)]
_slope, _height = (Exp(s * b) - Exp(s * a)) / (b - a), (b * Exp(s * a) - a * Exp(s * b)) / (b - a)
_line = arithmetic(Le(Exp(s * v), _slope * v + _height), _between, [CHORD])
_weighted = arithmetic(Le(r * x, k * (r * v) + h * r), [Ge(r, 0), Le(x, k * v + h)])
_term = apply(_line, {"v": X[i]}, _variable)
_term = apply(_weighted, {"r": p[i], "x": Exp(s * X[i]), "v": X[i], "k": _slope, "h": _height}, _variable, [_term])
_sums = [
    apply(SUM_MONOTONE, {"f": p[i] * Exp(s * X[i]), "g": _slope * (p[i] * X[i]) + _height * p[i]}, _variable, [_term]),
    apply(SUM_ADD, {"f": _slope * (p[i] * X[i]), "g": _height * p[i]}, _variable),
    apply(SUM_AFFINE, {"c": _slope, "f": p[i] * X[i], "d": 0}, _variable),
    apply(SUM_AFFINE, {"c": _height, "f": p[i], "d": 0}, _variable),
]
_inside = [arithmetic(goal, [Ge(p[i], 0), Ge(X[i], a), Le(X[i], b)]) for goal in (Ge(p[i] * X[i], a * p[i]), Le(p[i] * X[i], b * p[i]))]
_sums += [apply(SUM_MONOTONE, {"f": f, "g": g}, _variable, _inside) for f, g in ((a * p[i], p[i] * X[i]), (p[i] * X[i], b * p[i]))]
_sums += [apply(SUM_AFFINE, {"c": end, "f": p[i], "d": 0}, _variable) for end in (a, b)]
_mean_of = (mu - a) / (b - a)
_known = [arithmetic(goal, _variable, _sums) for goal in (Ge(mu, a), Le(mu, b))]
_known += [arithmetic(goal, [Ge(mu, a), Le(mu, b), Lt(a, b)]) for goal in (Ge(_mean_of, 0), Le(_mean_of, 1))]
_known += [apply(TWO_VALUES, {"q": _mean_of, "u": s * (b - a)}, _variable, _known), apply(EXP_POSITIVE, {"x": s * a})]
_generated = total(p[i] * Exp(s * X[i]))
_below = arithmetic(Le(_generated, _slope * mu + _height), _variable, _sums)
_two = 1 - _mean_of + _mean_of * Exp(s * (b - a))
_factored = arithmetic(Eq(_slope * mu + _height, Exp(s * a) * _two), _variable, [_sum(s * a, s * (b - a))])
_parabola = _mean_of * (s * (b - a)) + (s * (b - a)) ** 2 / 8
_bound = s * mu + s**2 * (b - a) ** 2 / 8
HOEFFDING_LEMMA = arithmetic(
    Le(_generated, Exp(_bound)),
    _variable,
    [_below, _factored, *_known[-2:], _sum(s * a, _parabola, _variable), exp_of_equals(s * a + _parabola, _bound, _variable)],
    why="Hoeffding's lemma",
)
"""``E e^(s X) ≤ e^(s E X + s² (b − a)²/8)`` for a variable with values between a and b."""

# Independent variables: the generating function of the sum is the product of theirs.
g, d, c, M, e = map(IndexedBase, "gdcMe")
_product = [Eq(M[0], 1), Eq(M[i], g[i] * M[i - 1]), Ge(M[i - 1], 0), Ge(g[i], 0), Le(g[i], Exp(s * d[i] + s**2 * c[i] / 8))]
_up_to = lambda last: s * Sum(d[i], (i, 1, last)) + s**2 * Sum(c[i], (i, 1, last)) / 8
_exponent, _last = _up_to(n), s * d[n + 1] + s**2 * c[n + 1] / 8
_more, _none = ([apply(AXIOMS[law], {"f": f}, given) for f in (d[i], c[i])] for law, given in [("one more term", [Ge(n, 0)]), ("empty sum", [])])
_factors = [Ge(x, 0), Ge(z, 0), Le(x, r), Le(z, w)]
_terms = {x: M[n], z: g[n + 1], r: Exp(_exponent), w: Exp(_last)}
_factors = apply(arithmetic(Le(x * z, r * w), _factors), _terms, [h.xreplace(_terms) for h in _factors])
PRODUCT = induction(
    Le(M[n], Exp(_exponent)),
    _product,
    "the generating function of a sum of independent variables is the product of theirs",
    base=[EXP_ZERO, exp_of_equals(_up_to(0), 0, using=_none)],
    step=[_factors, _sum(_exponent, _last), exp_of_equals(_up_to(n + 1), _exponent + _last, [Ge(n, 0)], _more)],
)
"""``M_n ≤ e^(s Σ d_i + s² Σ c_i/8)`` when ``M_i = g_i M_(i−1)`` and each ``g_i`` is bounded by Hoeffding's lemma."""

# Markov's inequality over the outcomes: e_i is 1 where the variable is at least t, and else 0.
_raised = [Ge(s, 0), Ge(k, 0), Ge(k * (v - t), 0), Eq(k * (1 - k), 0)]
_rise = [apply(EXP_POSITIVE, {"x": s * v}), apply(EXP_MONOTONE, {"x": s * t, "y": s * v}, [Ge(s, 0), Ge(v, t)])]
_raised_term = arithmetic(Le(k * Exp(s * t), Exp(s * v)), _raised, _rise)
_event = [Ge(p[i], 0), Eq(e[i] * (1 - e[i]), 0), Ge(e[i] * (X[i] - t), 0), Ge(s, 0), Ge(n, 0)]
_indicated = [apply(_raised_term, {"k": e[i], "v": X[i]}, _event, [arithmetic(Ge(e[i], 0), _event)])]
_weighted = arithmetic(Le(x * r, x * z), [Ge(x, 0), Le(r, z)])
_indicated += [apply(_weighted, {"x": p[i], "r": e[i] * Exp(s * t), "z": Exp(s * X[i])}, _event, _indicated)]
MARKOV = arithmetic(
    Le(Exp(s * t) * total(p[i] * e[i]), _generated),
    _event,
    [
        apply(SUM_MONOTONE, {"f": Exp(s * t) * (p[i] * e[i]), "g": p[i] * Exp(s * X[i])}, _event, _indicated),
        apply(SUM_AFFINE, {"c": Exp(s * t), "f": p[i] * e[i], "d": 0}, _event),
    ],
    why="Markov's inequality for e^(s X)",
)
"""``e^(s t) Pr[X ≥ t] ≤ E e^(s X)`` for a variable with finitely many values."""

# Together, at the best rate s = 4 t/Σ c_i: q is the probability that the sum exceeds its mean by t.
_squares, _means = total(c[i]), total(d[i])
_rate, _best = 4 * t / _squares, -2 * t**2 / _squares
_all = [*(h.xreplace({s: _rate}) for h in _product), Gt(t, 0), Gt(_squares, 0), Le(Exp(_rate * (_means + t)) * q, M[n]), Ge(n, 0)]
_spent = exp_of_equals(_rate * _means + _rate**2 * _squares / 8, _rate * (_means + t) + _best, _all)
_known = [apply(PRODUCT, {"s": _rate}, _all), _spent, _sum(_rate * (_means + t), _best, _all), apply(EXP_POSITIVE, {"x": _rate * (_means + t)}, _all)]
HOEFFDING_ONE_SIDE = arithmetic(Le(q, Exp(_best)), _all, _known, why="Hoeffding's inequality, one side")
"""``Pr[Σ X_i ≥ Σ E X_i + t] ≤ e^(−2 t²/Σ (b_i − a_i)²)`` for independent variables."""

# The other side is the same for the variables turned round: L and l are for them what M and g are here.
L, l = IndexedBase("L"), IndexedBase("l")
_turned = {"M": L[i], "g": l[i], "d": -d[i], "q": r}
_both = [*HOEFFDING_ONE_SIDE.hypotheses]
_both += [h for h in (put(h, {IndexedBase(k) if k in "Mgd" else q: x for k, x in _turned.items()}) for h in _both) if h not in _both]
HOEFFDING_BOUNDED = arithmetic(Le(q + r, 2 * Exp(_best)), _both, [HOEFFDING_ONE_SIDE, apply(HOEFFDING_ONE_SIDE, _turned, _both)], why="Hoeffding's inequality")
"""``Pr[|X − E X| ≥ t] ≤ 2 e^(−2 t²/Σ (b_i − a_i)²)``: q and r are the probabilities of the two sides."""
