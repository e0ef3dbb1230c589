"""What the proof kernel believes, with induction: two facts about exp, and definitions.

Probabilities enter by definition too: the distribution of a sum of fair signs by its last
sign, which is + or − with probability ½ each whatever the others are, and that of
independent columns of signs by the last column.
"""

from sympy import Eq, Expr, Ge, Gt, IndexedBase, Lt, Rel, Sum, symbols

from polycore.proof.statements import Above, Ceil, Exp, Log, Power, Silent, Tail, i, n, total

__all__ = ["NEXT_COLUMN", "STATEMENTS", "maximum"]

f = IndexedBase("f")
x, y, a, t, tau, N = symbols("x y a t tau N")
F, F_next, T, g = symbols("F G T g")
_none, _more, _last = Sum(f[i], (i, 1, 0)), Sum(f[i], (i, 1, n + 1)), f[n + 1]


def _above(t):
    return Above(total(f[i]), t)


# name: (hypotheses, conclusion, source)
STATEMENTS = {
    "exp of a sum": ([], Eq(Exp(x + y), Exp(x) * Exp(y)), "DLMF, 4.2(iii)"),
    "tangent of exp": ([], Ge(Exp(x), 1 + x), "DLMF, 4.5(ii)"),
    "log inverts exp": ([Gt(x, 0)], Eq(Exp(Log(x)), x), "DLMF, 4.2(iii)"),
    "power": ([Gt(x, 0)], Eq(Power(x, a), Exp(a * Log(x))), "DLMF, 4.2(iv); definition"),
    "ceiling": ([], Ge(Ceil(x), x), "definition; an integer"),
    "empty sum": ([], Eq(_none, 0, evaluate=False), "definition"),
    "one more term": ([Ge(n, 0)], Eq(_more, total(f[i]) + _last), "definition"),
    "no sign, limit at least 0": (
        [Ge(t, 0)],
        Eq(Above(_none, t), 0),
        "definition; the empty sum is 0",
    ),
    "no sign, limit below 0": (
        [Lt(t, 0)],
        Eq(Above(_none, t), 1),
        "definition; the empty sum is 0",
    ),
    "one more sign": (
        [Ge(n, 0)],
        Eq(Above(_more, t), _above(t - _last) / 2 + _above(t + _last) / 2),
        "Definition 3.4: fair and independent",
    ),
    "two sides": (
        [Ge(t, 0)],
        Eq(Tail(total(f[i]), t), _above(t) + Above(total(-f[i]), t)),
        "definition",
    ),
    "no column": ([Gt(N, 0)], Eq(Silent(total(f[i]), t, 0, N), 1), "Definition 3.9: F = φ(0)"),
}


def maximum(value: Expr, shifted: Expr) -> list[Rel]:
    """``value = max(shifted, 0)``, characterised: it is at least both and equal to one."""
    return [Ge(value, 0), Ge(value, shifted), Eq(value * (value - shifted), 0)]


NEXT_COLUMN = [
    *maximum(g, x - tau),
    Ge(T, 0),
    Gt(N, 0),
    *maximum(F, N * T),
    *maximum(F_next, N * (T + g)),
]
"""Definition 3.9 with one more column: it sees x and adds g = φ_τ(x) to the sum T of the others; F
= φ(N T) becomes G = φ(N (T + g)).
"""
