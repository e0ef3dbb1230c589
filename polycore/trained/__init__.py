"""Small networks of attention, each trained with one mechanism from scratch."""

import polycore.ranks.training  # noqa: F401  sets how JAX computes, before anything imports it
