"""A spike that outweighs its crowd: the judgment, and that its constant is the best."""

import numpy as np
import pytest
from sympy import Integer, Rational, symbols

from polycore.proof import ProofError, apply
from polycore.theory.spike import SPIKE_OUTWEIGHS_ANY_SIGNS

top, hi, limit = symbols("top hi t")


def lowest(n, top, hi):
    """The sum when the spike has the sign + and all others, at ``hi``, have the sign -."""
    return (top - n * hi) / (top + n * hi)


@pytest.mark.parametrize(
    "n, hi, tau", [(1, 1, Rational(1, 5)), (7, 3, Rational(1, 10)), (10**6, 2, Rational(0))]
)
def test_the_constant_is_the_best(n, hi, tau):
    """At equality of the last hypothesis the sum is τ exactly; above it, more; so nothing less
    would do.
    """
    edge = (1 + tau) / (1 - tau) * n * hi
    assert lowest(n, edge, hi) == tau
    assert (
        lowest(n, edge * Rational(1001, 1000), hi) > tau > lowest(n, edge * Rational(999, 1000), hi)
    )


def test_no_signs_and_no_crowd_hide_it():
    rng = np.random.default_rng(20231020)
    for n in (1, 5, 50):
        u = rng.uniform(0.1, 3, (1000, n))
        top = 1.0001 * 1.2 / 0.8 * n * 3
        sums = (top + np.sum(u * rng.choice([-1, 1], u.shape), axis=1)) / (top + u.sum(axis=1))
        assert sums.min() > 0.2


def test_a_smaller_spike_is_refused():
    """The hypothesis about the spike cannot be met by one that is a little too small."""
    numbers = {"t": Rational(1, 5), "hi": Integer(1)}
    given = [
        h.xreplace({limit: Rational(1, 5), hi: Integer(1)})
        for h in SPIKE_OUTWEIGHS_ANY_SIGNS.without("limit", "heavy")
    ]
    n = next(
        symbol for symbol in SPIKE_OUTWEIGHS_ANY_SIGNS.conclusion.free_symbols if symbol.name == "n"
    )
    assert apply(
        SPIKE_OUTWEIGHS_ANY_SIGNS,
        numbers | {"top": 2 * n},
        [h.xreplace({top: 2 * n}) for h in given],
    )
    with pytest.raises(ProofError, match="a hypothesis of"):
        apply(
            SPIKE_OUTWEIGHS_ANY_SIGNS,
            numbers | {"top": 3 * n / 2},
            [h.xreplace({top: 3 * n / 2}) for h in given],
        )
