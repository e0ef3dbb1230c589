"""Theorems, each proved by the kernel when it is first used: from exp and ln to networks that fire
or stay silent.

This wing imports `polycore.proof` and nothing else of the core; `polycore.tails`, `polycore.models`
and `polycore.ranks` compute the same things and import neither. So a number and the theorem about
it never share code.
"""
