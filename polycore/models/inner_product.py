"""Polynomial attention by inner products, Q K^T = I, on the data of Definition 6.1, for any n: from
its distinct entries with multiplicities.

With x = vec(I_d) the score of two tokens is their inner product: a^2 + b^2 + c^2 of token j_3 with
itself, b^2 + c^2 within one block (the t tokens with their b in one column), c^2 otherwise. So
there are three kinds of tokens that attend, in this order below: j_3, the t - 1 others of its
block, and the n - t tokens elsewhere, each of which attends to its own block first.
"""

import numpy as np

from polycore.checks import Floats, real
from polycore.models import attention
from polycore.models.network import any_column, no_column
from polycore.models.self_attention import Data, in_units, over_three_signs
from polycore.tails.rademacher import Tail

__all__ = ["exceeds", "fires", "outputs", "silent", "weights"]


def weights(data: Data, beta: float) -> Floats:
    """Attention weights of token j_3, of each (other) token of the own block, and of each other
    token, by kind; shape (3, 3).

    For t = 1 the block of j_3 has no other token, and the weight of one is 0. `beta` >= 0, finite;
    TypeError or ValueError otherwise. Definition 6.2.

    >>> from polycore.models.self_attention import d1
    >>> weights(d1(n=4, d=4, a=1, b="0.5"), 1)  # scores 3/2, 1/2 and 1/4
    array([[0.6       , 0.2       , 0.1       ],
           [0.33333333, 0.33333333, 0.16666667],
           [0.16666667, 0.33333333, 0.16666667]])
    """
    a, b, c = map(float, (data.a, data.b, data.c))
    own, near, far = a * a + b * b + c * c, b * b + c * c, c * c
    t, rest = data.t, data.n - data.t
    block, others = attention.weights([near, far], beta, [t, rest])
    if t == 1:  # token j_3 is alone in its block
        special, away = attention.weights([own, far], beta, [1, rest])
        return np.array([[special, 0, away], [block, block, others], [others, block, others]])
    return np.array(
        [
            attention.weights([own, near, far], beta, [1, t - 1, rest]),
            [block, block, others],
            [others, block, others],
        ]
    )


def outputs(data: Data, beta: float) -> Floats:
    """Entries of c(A, x)_{j_0} by kind of j_0: first, block column of j_0, each other block column,
    last; shape (3, 4).

    Errors as `weights`. Definition 6.2.

    >>> from polycore.models.self_attention import d1
    >>> outputs(d1(n=4, d=4, a=1, b="0.5"), 1)[0]  # 1 f, b (f + (t - 1) f'), b t f'', c
    array([0.6, 0.4, 0.1, 0.5])
    """
    a, b, c = map(float, (data.a, data.b, data.c))
    special, near, far = weights(data, beta).T
    own = b * np.array([special[0] + (data.t - 1) * near[0], data.t * near[1], data.t * near[2]])
    return np.column_stack([a * special, own, b * data.t * far, np.full(3, c)])


def exceeds(data: Data, beta: float, tau: float | None = None) -> Tail:
    """Enclosure of Pr[max_{j_0} <c(A, x)_{j_0}, sigma> > tau] over uniform signs, tau = c + 0.1 by
    default, as a Tail.

    The signs of the first column, of the block column of j_3 and of the last are enumerated; of the
    d - 3 others only their sum T counts. Each kind of token exceeds tau from some T on; of the
    tokens elsewhere those with a + in their block column do so first. Rounding (relative 1e-13) is
    covered by moving the threshold. Errors as `weights`.

    >>> from polycore.models.self_attention import d0
    >>> # tokens attend to their own block
    >>> exceeds(d0(n=10**12, d=10**6 + 2, a="0.09", b="0.5"), 60).value
    0.5
    """
    tau = float(data.c) + 0.1 if tau is None else real("tau", tau)
    count, (special, block, elsewhere) = data.d - 3, outputs(data, beta).tolist()
    slack = 1e-13 * (abs(tau) + float(1 + data.a))

    def needed(signs, side):
        s_first, s_column, s_last = signs

        def units(row, own, others):
            limit = tau - s_first * row[0] - own * row[1] - others * row[2] - s_last * row[3]
            return in_units(limit + side * slack, row[2], count)

        kinds = [units(special, s_column, 0), units(elsewhere, -1, s_column + 1)]
        if data.t > 1:
            kinds.append(units(block, s_column, 0))
        # a + among the others: one of them is the own column, the rest sum to T - 1
        return min(*kinds, max(units(elsewhere, 1, s_column - 1), -count))

    return over_three_signs(lambda signs: (needed(signs, -1), needed(signs, 1)), count)


def fires(data: Data, beta: float, m: int, tau: float | None = None) -> Tail:
    """Enclosure of Pr[F_poly > 0] over m independent columns of signs, as a Tail. Definition 6.4
    with Q K^T = I.

    >>> from polycore.models.self_attention import d0
    >>> fires(d0(n=10**12, d=1002, a="0.09", b="0.5"), 60, 100).value > 0.999
    True
    """
    return any_column(exceeds(data, beta, tau), m)


def silent(data: Data, beta: float, m: int, tau: float | None = None) -> Tail:
    """Enclosure of Pr[F_poly = 0] = 1 - `fires`, with the digits that the difference loses, as a
    Tail.

    >>> from polycore.models.self_attention import d0
    >>> silent(d0(n=10**12, d=1002, a="0.09", b="0.5"), 60, 100, tau=1.09).lower > 1 - 1e-13
    True
    """
    return no_column(exceeds(data, beta, tau), m)
