"""What the proof kernel believes, with induction: two facts about exp, and definitions.

Probabilities enter by definition too: the law of a sum of fair signs by its last sign,
which is + or − with probability ½ each whatever the others are, and the law of
independent columns of signs by the last column.
"""

from sympy import Eq, Ge, Gt, IndexedBase, Lt, Sum, symbols

from polycore.statements import Above, AllBelow, Ceil, Exp, Log, Power, Tail, i, m, n, total

__all__ = ["STATEMENTS"]

f = IndexedBase("f")
x, y, a, t = symbols("x y a t")
_none, _more, _last = Sum(f[i], (i, 1, 0)), Sum(f[i], (i, 1, n + 1)), f[n + 1]


def _above(t):
    return Above(total(f[i]), t)


def _below(columns):
    return AllBelow(total(f[i]), t, columns)


# name: (hypotheses, conclusion, source)
STATEMENTS = {
    "exp of a sum": ([], Eq(Exp(x + y), Exp(x) * Exp(y)), "DLMF, 4.2(iii)"),
    "tangent of exp": ([], Ge(Exp(x), 1 + x), "DLMF, 4.5(ii)"),
    "log inverts exp": ([Gt(x, 0)], Eq(Exp(Log(x)), x), "DLMF, 4.2(iii)"),
    "power": ([Gt(x, 0)], Eq(Power(x, a), Exp(a * Log(x))), "DLMF, 4.2(iv); definition"),
    "ceiling": ([], Ge(Ceil(x), x), "definition; a whole number"),
    "empty sum": ([], Eq(_none, 0, evaluate=False), "definition"),
    "one more term": ([Ge(n, 0)], Eq(_more, total(f[i]) + _last), "definition"),
    "no sign, limit at least 0": ([Ge(t, 0)], Eq(Above(_none, t), 0), "definition; the empty sum is 0"),
    "no sign, limit below 0": ([Lt(t, 0)], Eq(Above(_none, t), 1), "definition; the empty sum is 0"),
    "one more sign": (
        [Ge(n, 0)],
        Eq(Above(_more, t), _above(t - _last) / 2 + _above(t + _last) / 2),
        "Definition 3.4: fair and independent",
    ),
    "two sides": ([Ge(t, 0)], Eq(Tail(total(f[i]), t), _above(t) + Above(total(-f[i]), t)), "definition"),
    "no column": ([], Eq(_below(0), 1), "definition; of nothing, every one is below"),
    "one more column": ([Ge(m, 0)], Eq(_below(m + 1), _below(m) * (1 - _above(t))), "Definition 3.10: independent"),
}
