"""The distribution of Z = sum_i f_i sigma_i under random signs: drawn, bounded, enclosed.

`rademacher` draws signs and encloses tails, `inversion` does so to a small relative error; the
bounds are at this door:

>>> from polycore import tails
>>> tails.hoeffding([0.5, 0.5], 1).method
'Hoeffding'
"""

from polycore.tails.bounds import (
    Estimate,
    bentkus_dzindzalieta,
    chernoff,
    cumulants,
    decide_estimate,
    hoeffding,
    importance_sample,
    log_chernoff,
    log_hoeffding,
    saddlepoint,
    tilt,
)

__all__ = [
    "Estimate",
    "bentkus_dzindzalieta",
    "chernoff",
    "cumulants",
    "decide_estimate",
    "hoeffding",
    "importance_sample",
    "log_chernoff",
    "log_hoeffding",
    "saddlepoint",
    "tilt",
]
