"""Theorems as functions that prove themselves when first used, and hypotheses with names."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache, update_wrapper
from typing import TYPE_CHECKING, Any, final
from weakref import WeakKeyDictionary

from sympy import Rel

if TYPE_CHECKING:
    from polycore.proof.chains import Chain
    from polycore.proof.kernel import Judgment

__all__ = ["Given", "Theorem", "judgment_of", "name_of", "theorem"]

PACKAGE = __name__.split(".")[0]
_NAMES: WeakKeyDictionary[Judgment, str] = WeakKeyDictionary()


class Given(tuple[Rel, ...]):
    """Hypotheses with names: relations in their order, of which some can be taken or left out by
    name.

    >>> from sympy import Ge, Gt, Le, Symbol
    >>> x = Symbol("x")
    >>> given = Given(positive=Gt(x, 0), limits=[Ge(x, 1), Le(x, 2)])
    >>> list(given), given.named("limits"), given.without("positive", "limits")
    ([x > 0, x >= 1, x <= 2], [x >= 1, x <= 2], [])
    """

    names: tuple[str, ...]

    def __new__(cls, **parts: Rel | Sequence[Rel]) -> Given:
        pairs = [
            (name, relation)
            for name, part in parts.items()
            for relation in (part if isinstance(part, (list, tuple)) else [part])
        ]
        made = super().__new__(cls, (relation for _, relation in pairs))
        made.names = tuple(name for name, _ in pairs)
        return made

    def named(self, *names: str) -> list[Rel]:
        """The relations with these names; KeyError for a name that none has."""
        if unknown := set(names) - set(self.names):
            raise KeyError(
                f"no hypothesis is called {', '.join(sorted(unknown))}; there are "
                f"{', '.join(dict.fromkeys(self.names))}"
            )
        return [relation for name, relation in zip(self.names, self) if name in names]

    def without(self, *names: str) -> list[Rel]:
        """The relations with other names than these; KeyError for a name that none has."""
        left_out = self.named(*names)
        return [relation for relation in self if relation not in left_out]


@final
class Theorem:
    """A judgment that is proved when somebody first asks for it, and then kept; made by
    ``theorem``.
    """

    def __init__(self, prove: Callable[[], Judgment | Chain]) -> None:
        update_wrapper(self, prove)
        # Any: a judgment or a chain, told apart by what it has; neither can be imported here
        self._prove: Callable[[], Any] = cache(prove)

    def __call__(self) -> Judgment:
        """The judgment."""
        made = self._prove()
        judgment = getattr(made, "judgment", made)
        if self.__module__.split(".")[0] == PACKAGE:  # one of a notebook has no page of its own
            _NAMES.setdefault(judgment, f"{self.__module__}.{self.__name__}")
        return judgment

    def derivation(self) -> Chain:
        """The chain that proves it, which a chapter displays step by step.

        Raises :class:`TypeError` for a theorem that a single rule proves.
        """
        made = self._prove()
        if not hasattr(made, "links"):
            raise TypeError(f"{self.__name__} has no chain to show; state it, or let it return one")
        return made

    def __repr__(self):
        return repr(self())

    def __getattr__(self, name):
        if name in ("hypotheses", "conclusion", "why", "axioms", "queries", "made"):
            return getattr(self(), name)
        raise AttributeError(f"a theorem has no {name}")

    def given(self, *names: str) -> list[Rel]:
        """The hypotheses with these names (:class:`Given`)."""
        return self.hypotheses.named(*names)

    def without(self, *names: str) -> list[Rel]:
        """The hypotheses without those of these names."""
        return self.hypotheses.without(*names)


def theorem(prove: Callable[[], Judgment | Chain]) -> Theorem:
    """A function that proves a judgment, which is not called before somebody uses it: rules and
    displays take it for the judgment.

    What it proves is kept. Its hypotheses are at hand by name where they were given so
    (:class:`Given`). It may return a chain, which is then at hand as its derivation.

    >>> from polycore.proof import arithmetic, i
    >>> from sympy import Ge, IndexedBase
    >>> @theorem
    ... def SQUARES():
    ...     x = IndexedBase("x")
    ...     return arithmetic(Ge(x[i] ** 2, 0))
    >>> SQUARES
    ⊢ x[i]**2 >= 0
    """
    return Theorem(prove)


def judgment_of(theorem: Judgment | Theorem) -> Judgment:
    """The judgment of a theorem, which is proved now if nobody asked before; anything else as it
    is.
    """
    return theorem() if type(theorem) is Theorem else theorem


def name_of(judgment: Judgment) -> str:
    """The full name of the theorem of the core that a judgment is; empty for any other judgment."""
    return _NAMES.get(judgment, "")
