"""Claims and the evidence for them: every piece decides for itself, and a verdict follows from all
of them.
"""

from polycore.evidence.claims import MIME, Claim, Control, ControlNotRejected, Verdicts, refused
from polycore.evidence.kinds import (
    KINDS,
    Evidence,
    certified,
    counted,
    estimated,
    exact,
    least,
    numeric,
    proved,
)
from polycore.evidence.scopes import ELSEWHERE

__all__ = [
    "ELSEWHERE",
    "KINDS",
    "MIME",
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
