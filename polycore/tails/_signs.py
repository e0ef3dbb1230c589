"""Sums under random signs, by the machine word: the compiled loop behind `rademacher.sample`.

`rademacher` imports this when it draws signs, not before: Numba compiles on first use (half a
second) and keeps the result beside Python's own bytecode.
"""

from typing import no_type_check

import numpy as np
from llvmlite import ir  # what Numba itself is built on, and so always there with it
from numba import njit, types
from numba.extending import intrinsic, overload
from numba.np.random.generator_core import next_uint64

from polycore.checks import Floats

__all__ = ["norm_1", "signed_sums"]

MULTIPLIER = 0x2360ED051FC65DA44385DF649FCCF645  # of PCG64, modulo 2^128
WORD, DOUBLE = ir.IntType(64), ir.IntType(128)


@njit(cache=True, fastmath={"reassoc"})
def norm_1(f: Floats) -> float:
    """sum |f_i| in one pass, several entries at a time.

    >>> norm_1(np.array([1.0, -4.0, 2.0]))
    7.0
    """
    total = 0.0
    for i in range(f.size):
        total += abs(f[i])
    return total


def signed_sums(f: Floats, trials: int, rng: np.random.Generator) -> Floats:
    """Z_k = sum_i f_i sigma_ik for `trials` independent sign vectors; shape (trials,), float64.

    `f`: shape (n,), float64. Bit k of the i-th of n words of 64 bits from `rng` is the sign of f_i
    in trial k, 1 for plus: 64 trials take n words, whatever their number. One addition serves b = 8
    or 11 trials,

        H[v] = sum of the f_i whose b bits are v,    Z_k = sum_v H[v] (2 bit_k(v) - 1),

    so the rounding error of Z_k is at most (n + 2^b) 2^-53 sum |f|. Method of four Russians,
    transposed. The words of PCG64, the bit generator of `default_rng`, are made in the loop; those
    of others cost a call each.

    >>> words = np.random.default_rng(0).bit_generator.random_raw(3)
    >>> signs = [(int(w) >> 5 & 1) * 2 - 1 for w in words]
    >>> sums = signed_sums(np.array([1.0, 2.0, 4.0]), 6, np.random.default_rng(0))
    >>> sums[5].item() == np.dot([1, 2, 4], signs).item()
    True
    """
    groups, source = -(-trials // 64), rng.bit_generator
    parts = ((),) * (8 if f.size < 10**4 else 6)
    with source.lock:
        if type(source) is not np.random.PCG64:
            return _sums(f, groups, parts, rng)[0][:, :64].ravel()[:trials]
        whole = source.state
        inner = whole["state"]
        halves = (half for x in (inner["state"], inner["inc"]) for half in divmod(x, 2**64))
        z, (high, low, *_) = _sums(f, groups, parts, tuple(map(np.uint64, halves)))
        inner["state"] = (int(high) << 64) + int(low)
        source.state = whole
    return z[:, :64].ravel()[:trials]


@njit(cache=True, fastmath={"reassoc"})
def _sums(f, groups, parts, source):
    """Z of each group of 64 trials, shape (groups, >= 64), and the source after its last word.

    `parts`: a tuple as long as there are tables, for that is known when this is compiled, so that
    the shifts are too.
    """
    bits = -(-64 // len(parts))
    z, table = np.empty((groups, len(parts) * bits)), np.empty((len(parts), 2**bits))
    for group in range(groups):
        table[:] = 0.0
        for i in range(f.size):
            word, source = _draw(source)
            weight = f[i]
            for j in range(len(parts)):
                table[j, word >> np.uint64(bits * j) & np.uint64(2**bits - 1)] += weight
        for j in range(len(parts)):
            for k in range(bits - 1, -1, -1):  # the highest bit of what is left, then folded away
                minus, plus = table[j, : 2**k], table[j, 2**k : 2 ** (k + 1)]
                z[group, bits * j + k] = plus.sum() - minus.sum()
                minus += plus
    return z, source


def _draw(source):
    """A word and the source after it: a Generator, or the state and the increment of PCG64 in four
    halves.
    """


@overload(_draw)
def _(source):
    return (
        _pcg64
        if isinstance(source, types.UniTuple)
        else lambda source: (next_uint64(source.bit_generator), source)
    )


@no_type_check  # Numba compiles it; Python may not call what is intrinsic
def _pcg64(source):
    """The state moves on, and its halves, xored, are turned by its highest six bits (O'Neill's
    XSL-RR).
    """
    high, low = _step(*source)
    mixed, turn = high ^ low, high >> np.uint64(58)
    return mixed >> turn | mixed << (-turn & np.uint64(63)), (high, low, source[2], source[3])


@intrinsic
def _step(_, high, low, increment_high, increment_low):
    """state * MULTIPLIER + increment modulo 2^128, in halves: Numba has no integers of more than 64
    bits.
    """

    def generate(context, builder, signature, halves):
        high, low, increment_high, increment_low = (builder.zext(half, DOUBLE) for half in halves)
        state = builder.mul(builder.or_(builder.shl(high, DOUBLE(64)), low), DOUBLE(MULTIPLIER))
        state = builder.add(
            state, builder.or_(builder.shl(increment_high, DOUBLE(64)), increment_low)
        )
        moved = [builder.trunc(half, WORD) for half in (builder.lshr(state, DOUBLE(64)), state)]
        return context.make_tuple(builder, signature.return_type, moved)

    word = types.uint64
    return types.UniTuple(word, 2)(word, word, word, word), generate
