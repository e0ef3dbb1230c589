"""How a judgment was made: which rule, from which judgments, with what put for which symbols.

What a reader follows and what another prover is told; nothing is believed from it. Tuples, so that
nobody changes one.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from sympy import Expr, IndexedBase, Symbol

if TYPE_CHECKING:
    from polycore.proof.kernel import Judgment

__all__ = ["Application", "Arithmetic", "Axiom", "Ball", "Column", "Induction", "Record"]

Put: TypeAlias = "Mapping[Symbol | IndexedBase, Expr]"


class Axiom(NamedTuple):
    """Believed, under its name."""

    name: str

    @property
    def used(self) -> tuple[Judgment, ...]:
        return ()


class Ball(NamedTuple):
    """A relation between explicit numbers, enclosed in balls."""

    @property
    def used(self) -> tuple[Judgment, ...]:
        return ()


class Arithmetic(NamedTuple):
    """By real arithmetic from judgments; the last are those that no explicit divisor is zero."""

    used: tuple[Judgment, ...]


class Application(NamedTuple):
    """A judgment with terms put for its symbols: by arithmetic, its hypotheses among the judgments
    `using`, and where a divisor came with a term, that it is not zero.
    """

    lemma: Judgment
    terms: Put
    nonzero: tuple[Judgment, ...]
    using: tuple[Judgment, ...]

    @property
    def used(self) -> tuple[Judgment, ...]:
        return (self.lemma, *self.using, *self.nonzero)


class Induction(NamedTuple):
    """Over an integer from `first` on; the step uses the claim before once for each of `at`."""

    over: Symbol
    first: int
    at: tuple[Put, ...]
    base: Judgment
    step: Judgment

    @property
    def used(self) -> tuple[Judgment, ...]:
        return (self.base, self.step)


class Column(NamedTuple):
    """One more independent column of Definition 3.9, whose output the three judgments describe."""

    used: tuple[Judgment, Judgment, Judgment]


Record = Axiom | Ball | Arithmetic | Application | Induction | Column
