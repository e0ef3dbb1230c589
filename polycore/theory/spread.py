"""A sum of many random signs is spread: its modulus is in a band ``(s, 2 s]`` with probability
29/30 at most, when no weight dominates.

A polynomial of degree 6 in the sum lies below the indicator of what is outside the band, and its
mean is bounded sign by sign. Judgments of the kernel in the symbols ``f`` (weights), ``s`` (the
lower end of the band), ``z`` (a sum already there), ``mu`` (the largest square of a weight at
most), ``V`` (the sum of all squares), ``c`` and ``b`` (of the polynomial).

>>> BAND_LE.conclusion
Tail(Sum(f[i], (i, 1, n)), s) - Tail(Sum(f[i], (i, 1, n)), 2*s) <= 29/30
"""

from functools import cache

from sympy import Eq, Ge, Gt, IndexedBase, Integer, Le, Rational, sqrt, symbols

from polycore.proof import AXIOMS, Above, Tail, apply, arithmetic, i, n, restate, theorem, total
from polycore.proof.translation import put
from polycore.theory.rademacher_sums import by_the_last_sign
from polycore.theory.sums import SUM_NOT_NEGATIVE

__all__ = ["BAND_LE", "BAND_LE_POLYNOMIAL", "OUTSIDE_BAND_GE_POLYNOMIAL"]

f = IndexedBase("f")
c, b, mu, s, x, y, z, a = symbols("c b mu s x y z a")
SUM, NEGATIVE, NORM = total(f[i]), total(-f[i]), total(f[i] ** 2)
BAND = Tail(SUM, s) - Tail(SUM, 2 * s)
LIMITS = [(f[i], s - z), (-f[i], s + z), (f[i], 2 * s - z), (-f[i], 2 * s + z)]


def _outside(z):
    """``1 − Pr[s < |z + Σ f_i σ_i| ≤ 2 s]``."""
    inner, outer = (Above(SUM, end - z) + Above(NEGATIVE, end + z) for end in (s, 2 * s))
    return 1 - inner + outer


def _polynomial(second, fourth, sixth):
    """``b (y − s²)(y − 4 s²)(c − y)``, with these for the powers of the square ``y``."""
    rest = (c + 5 * s**2) * fourth - (5 * c * s**2 + 4 * s**4) * second + 4 * c * s**4
    return b * (rest - sixth)


def _mean(z, square):
    """Its mean at least: the sixth moment taken at most, the fourth at least."""
    fourth = z**4 + 6 * z**2 * square + 3 * square**2 - 2 * mu * square
    sixth = z**6 + 15 * z**4 * square + 45 * z**2 * square**2 + 15 * square**3
    return _polynomial(z**2 + square, fourth, sixth)


@cache
def _one_more_sign():
    """The mean for one more sign is at most that of the two means to which the sign may lead."""
    given = [Ge(x, 0), Ge(mu, a**2), Ge(c, 0), Gt(b, 0)]
    either = _mean(z - a, x) / 2 + _mean(z + a, x) / 2
    return arithmetic(Ge(either, _mean(z, x + a**2)), given)


def _scale(square):
    """What ``b`` must be for the polynomial to stay below 1."""
    return [Gt(b, 0), Le(4 * b * c * square**2, 1), Le(4 * b * (c - 5 * square / 2) ** 3, 27)]


def _no_sign():
    """Without a sign: the polynomial is at most 1, and not positive within the band."""
    given = [Ge(y, 0), Ge(x, 0), Ge(c, 4 * x)]
    value, terms = b * (y - x) * (y - 4 * x) * (c - y), {"y": z**2, "x": s**2}
    largest = arithmetic(Le(value, 1), [*given, *_scale(x)])
    within = arithmetic(Le(value, 0), [Ge(y, x), Le(y, 4 * x), Ge(c, 4 * x), Gt(b, 0)])
    none = [apply(AXIOMS["empty sum"], {"f": f[i] ** 2})]
    return [*none, apply(largest, terms, GIVEN), restate(within, terms)]


GIVEN = [Ge(s, 0), Ge(c, 4 * s**2), *_scale(s**2), Ge(mu, f[i] ** 2)]


@theorem
def OUTSIDE_BAND_GE_POLYNOMIAL():
    given, square = [Ge(n, 0)], arithmetic(Ge(f[i] ** 2, 0))
    step = [apply(AXIOMS["one more term"], {"f": f[i] ** 2}, given)]
    positive = apply(SUM_NOT_NEGATIVE, {"f": f[i] ** 2}, given, [square])
    last = [*given, Ge(mu, f[n + 1] ** 2), Ge(c, 4 * s**2), Gt(b, 0)]
    step += [apply(_one_more_sign(), {"a": f[n + 1], "x": NORM}, last, [positive])]
    goal = Ge(_outside(z), _mean(z, NORM))
    why = "a polynomial below the indicator of what is outside the band"
    at = [{z: z - f[n + 1]}, {z: z + f[n + 1]}]
    return by_the_last_sign(goal, GIVEN, why, *LIMITS, at=at, base=_no_sign(), step=step)


V = symbols("V")


@theorem
def BAND_LE_POLYNOMIAL():
    """``Pr[s < |Σ f_i σ_i| ≤ 2 s]`` is at most what the polynomial leaves, with ``V = ‖f‖²``."""
    given = [*GIVEN, Ge(n, 0), Eq(V, NORM)]
    sides = [apply(AXIOMS["two sides"], {"f": f[i], "t": end}, given) for end in (s, 2 * s)]
    using = [*sides, apply(OUTSIDE_BAND_GE_POLYNOMIAL, {"z": 0}, given)]
    why = "what is not outside the band is in it"
    return arithmetic(Le(BAND, 1 - _mean(Integer(0), V)), given, using, why)


NONE_DOMINATES = [Ge(s, 0), Gt(NORM, 0), Le(40 * f[i] ** 2, NORM), Ge(n, 0)]


def _most(where, centre, scale):
    """The bound for ``y = ‖f‖²`` and ``x = s²`` in this relation: ``c`` is ``centre``, ``b`` is
    ``1/scale``.
    """
    plain = [Gt(y, 0), Ge(x, 0), where, Eq(b * scale, 1)]
    known = [Gt(scale, 0), Ge(centre, 4 * x), Ge(scale, 4 * centre * x**2)]
    known += [Ge(27 * scale, 4 * (centre - 5 * x / 2) ** 3)]
    known = [arithmetic(fact, plain[:3]) for fact in known]
    at = {y: NORM, x: s**2}
    given = [*NONE_DOMINATES, *(put(h, at) for h in plain[2:])]
    met = [put(h, {c: centre}) for h in (Ge(c, 4 * x), *_scale(x))]
    met = [apply(arithmetic(fact, plain, known), at, given) for fact in met]
    ends = {"c": put(centre, at), "mu": NORM / 40, "V": NORM}
    band = apply(BAND_LE_POLYNOMIAL, ends, given, met)
    mean = _mean(Integer(0), y).subs({s: sqrt(x), mu: y / 40, c: centre})
    enough = apply(arithmetic(Ge(mean, Rational(1, 30)), plain, known), at, given)
    most = arithmetic(Le(BAND, Rational(29, 30)), given, [band, enough])
    return apply(most, {"b": 1 / put(scale, at)}, given[:-1], [apply(known[0], at, given[:-1])])


@theorem
def BAND_LE():
    """``Pr[s < |Σ f_i σ_i| ≤ 2 s] ≤ 29/30`` when ``40 f_i² ≤ ‖f‖²``, wherever the band lies."""
    low = _most(Le(4 * x, 7 * y), 7 * y, 51 * y**3 - 44 * y**2 * x + 37 * y * x**2)
    high = _most(Ge(4 * x, 7 * y), 4 * x, 16 * x**3)
    why = "where the band lies low, and where it lies high"
    return arithmetic(Le(BAND, Rational(29, 30)), NONE_DOMINATES, [low, high], why)
