"""How a judgment was made: which rule, from which judgments, with what put for which symbols.

What a reader follows and what another prover is told; nothing is believed from it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from sympy import Expr, IndexedBase, Symbol

if TYPE_CHECKING:
    from polycore.proof.kernel import Judgment

__all__ = ["Application", "Arithmetic", "Axiom", "Ball", "Column", "Induction", "Record"]

Put: TypeAlias = "Mapping[Symbol | IndexedBase, Expr]"


@dataclass(frozen=True)
class Axiom:
    """Believed, under its name."""

    name: str

    @property
    def used(self) -> tuple[Judgment, ...]:
        return ()


@dataclass(frozen=True)
class Ball:
    """A relation between explicit numbers, enclosed in balls."""

    @property
    def used(self) -> tuple[Judgment, ...]:
        return ()


@dataclass(frozen=True)
class Arithmetic:
    """By real arithmetic from judgments; the last are those that no explicit divisor is zero."""

    used: tuple[Judgment, ...]


@dataclass(frozen=True)
class Application:
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


@dataclass(frozen=True)
class Induction:
    """Over an integer from `first` on; the step uses the claim before once for each of `at`."""

    over: Symbol
    first: int
    at: tuple[Put, ...]
    base: Judgment
    step: Judgment

    @property
    def used(self) -> tuple[Judgment, ...]:
        return (self.base, self.step)


@dataclass(frozen=True)
class Column:
    """One more independent column of Definition 3.9, whose output the three judgments describe."""

    used: tuple[Judgment, Judgment, Judgment]


Record = Axiom | Ball | Arithmetic | Application | Induction | Column
