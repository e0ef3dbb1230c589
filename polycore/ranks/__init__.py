"""Separation ranks, exact and up to an error, the layers that have them, and the networks that were
trained for them.
"""
