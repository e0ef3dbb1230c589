"""The pinned text: the King James Bible, verse by verse, and windows of it as tokens."""

import re
import sqlite3
from functools import cache
from itertools import accumulate

import numpy as np

from polycore.checks import generator, integer
from polycore.language.tokens import Tokenizer
from polycore.language.weights import KJV, content

__all__ = ["verses", "window"]

ORDER = "TestamentID, BookID, ChapterID, VerseID"


@cache
def verses() -> tuple[str, ...]:
    """The verses in their order, without their numbers; errors as `weights.content`."""
    database = sqlite3.connect(":memory:")
    database.deserialize(content(KJV))
    rows = database.execute(f"SELECT Passage1, Passage2 FROM Bible ORDER BY {ORDER}").fetchall()
    database.close()
    return tuple(re.sub(r"^\d+:\d+ ", "", " ".join(filter(None, row))).strip() for row in rows)


def window(tokenizer: Tokenizer, size: int, rng: np.random.Generator) -> list[int]:
    """The first `size` tokens from the beginning of a verse that is drawn.

    A verse too near to the end for that is drawn again.
    """
    size, rng, every = integer("size", size), generator(rng), verses()
    while True:
        start = int(rng.integers(len(every)))
        # five letters a token on average, and not more than ten in any verse
        lengths = accumulate(len(verse) for verse in every[start:])
        many = next((k + 1 for k, length in enumerate(lengths) if length > 10 * size), None)
        if many is None:
            continue
        tokens = tokenizer.encode(" ".join(every[start : start + many]))
        if len(tokens) >= size:
            return tokens[:size]
