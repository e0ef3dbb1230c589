"""One power that outweighs a crowd of n others: a sum with signs that no choice of signs can hide.

A judgment of the kernel in the symbols ``v`` (the one power), ``u`` (the others, each at
most ``h``), ``alpha`` (the sum of all), ``w`` and ``f`` (their weights), ``s`` (numbers
between -1 and 1, such as signs) and ``tau``.

>>> SEEN.conclusion
w + Sum(f[i]*s[i], (i, 1, n)) > tau
"""

from sympy import Eq, Ge, Gt, IndexedBase, Le, Lt, symbols

from polycore.proof import apply, arithmetic
from polycore.statements import i, n, total
from polycore.sums import SUM_AFFINE, SUM_EQUAL, SUM_MONOTONE, SUM_POSITIVE

__all__ = ["SEEN"]

u, f, s = map(IndexedBase, "ufs")
alpha, v, h, w, tau = symbols("alpha v h w tau")
_weights = [Eq(alpha, v + total(u[i])), Eq(w, v / alpha), Eq(f[i], u[i] / alpha)]
_crowd = [Gt(u[i], 0), Le(u[i], h), Ge(s[i], -1), Le(s[i], 1), Ge(n, 1)]
_given = [*_weights, *_crowd, Ge(tau, 0), Lt(tau, 1), Gt((1 - tau) * v, (1 + tau) * n * h)]

_known = [
    apply(SUM_POSITIVE, {"f": u[i]}, _given),
    apply(SUM_MONOTONE, {"f": u[i], "g": h}, _given),
    apply(SUM_AFFINE, {"c": 0, "f": u[i], "d": h}, _given),
]
_known += [arithmetic(Gt(v, 0), _given, _known)]
_known += [arithmetic(Gt(alpha, 0), _given, _known)]
_known += [arithmetic(Gt(w, (1 + tau) / 2), _given, _known)]
_known += [arithmetic(Gt(f[i], 0), _given, _known)]
_least = arithmetic(Ge(f[i] * s[i], -f[i]), _given, _known)
_rest = [
    apply(SUM_MONOTONE, {"f": -f[i], "g": f[i] * s[i]}, _given, [_least]),
    apply(SUM_AFFINE, {"c": -1, "f": f[i], "d": 0}, _given),
    apply(SUM_EQUAL, {"f": f[i], "g": u[i] / alpha}, _given, _known),
    apply(SUM_AFFINE, {"c": 1 / alpha, "f": u[i], "d": 0}, _given, _known),
]
SEEN = arithmetic(
    Gt(w + total(f[i] * s[i]), tau),
    _given,
    [*_known, *_rest],
    why="the crowd weighs 1 - w, and pulls the sum down by no more than that",
)
"""``w + Σ f_i s_i > τ`` when ``(1 - τ) v > (1 + τ) n h``."""
