"""Claims and the evidence for them: every piece decides for itself, and a verdict follows from all
of them.
"""

from polycore.evidence.claims import Claim, Control, ControlNotRejected, Verdicts, refused
from polycore.evidence.kinds import (
    Evidence,
    certified,
    counted,
    estimated,
    exact,
    least,
    numeric,
    proved,
)

__all__ = [
    "Claim",
    "Control",
    "ControlNotRejected",
    "Evidence",
    "Verdicts",
    "certified",
    "counted",
    "estimated",
    "exact",
    "least",
    "numeric",
    "proved",
    "refused",
]
