"""The shared core of the companion book: one module per mathematical object.

Import the rooms, not this package: ``from polycore import attention, proof``.
"""
