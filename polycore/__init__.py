"""The shared core of the companion book, in wings; README draws them."""

from polycore.injected import watch

watch()
