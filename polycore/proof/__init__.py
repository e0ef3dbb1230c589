"""The proof kernel: how statements are written, what is believed of them, and the rules that alone
make judgments.

One import line serves a chapter:

>>> from polycore.proof import Exp, Log, apply, arithmetic, chain, i, n, step, total
"""

from polycore.proof.axioms import maximum
from polycore.proof.chains import Chain, Stated, chain, restate, step
from polycore.proof.kernel import (
    AXIOMS,
    PROGRAMS,
    RULES,
    SOURCES,
    Judgment,
    apply,
    arithmetic,
    ball,
    induction,
    one_more_column,
)
from polycore.proof.statements import Above, Ceil, Exp, Log, Power, Silent, Tail, i, m, n, total
from polycore.proof.theorems import Given, Theorem, judgment_of, theorem
from polycore.proof.translation import ProofError, Refuted, enclose, put

__all__ = [
    "AXIOMS",
    "PROGRAMS",
    "RULES",
    "SOURCES",
    "Above",
    "Ceil",
    "Chain",
    "Exp",
    "Given",
    "Judgment",
    "Log",
    "Power",
    "ProofError",
    "Refuted",
    "Silent",
    "Stated",
    "Tail",
    "Theorem",
    "apply",
    "arithmetic",
    "ball",
    "chain",
    "enclose",
    "i",
    "induction",
    "judgment_of",
    "m",
    "maximum",
    "n",
    "one_more_column",
    "put",
    "restate",
    "step",
    "theorem",
    "total",
]
