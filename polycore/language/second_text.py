"""A text of another kind: scikit-learn's descriptions of its datasets, technical prose with tables
and references.

SECOND_TEXT is a recorded run (`runs`): the perplexity of `replaced`, for some of its rules, on
windows of 256 tokens that do not overlap, drawn from this text. The rules that decide are those
of `replaced`, and were so before the run was made.
"""

from functools import cache
from importlib.metadata import distribution
from pathlib import Path

import numpy as np

from polycore.checks import generator, integer
from polycore.language.replaced import SIZE, pinned_files, rule_of
from polycore.language.smollm import log_likelihoods, smollm2
from polycore.language.tokens import Tokenizer
from polycore.runs import Run

__all__ = ["SECOND_TEXT", "cell", "descriptions", "pieces"]

TRIED = {"softmax": (1,), "clipped": (4, 8, 16, 32, 64, 128, 256), "shifted": (16,), "even": (4,)}


@cache
def descriptions() -> str:
    """All descriptions, in the order of their names.

    >>> "Iris" in descriptions()
    True
    """
    folder = Path(str(distribution("scikit-learn").locate_file("sklearn/datasets/descr")))
    return "\n".join(path.read_text("utf-8") for path in sorted(folder.glob("*.rst")))


def pieces(tokenizer: Tokenizer, many: int, rng: np.random.Generator) -> list[list[int]]:
    """`many` windows of 256 tokens, of all that begin at a multiple of 256. ValueError where there
    are fewer.
    """
    tokens = tokenizer.encode(descriptions())
    whole = len(tokens) // SIZE
    starts = generator(rng).permutation(whole)[: integer("many", many, at_most=whole)]
    return [tokens[SIZE * start : SIZE * (start + 1)] for start in starts]


def cell(
    seed: np.random.SeedSequence, rule: str, degree: int, windows: int
) -> dict[str, list[float]]:
    """The mean of -ln(probability of a token) in each window."""
    rng, here = np.random.default_rng(seed), rule_of(rule, degree)
    model, tokenizer = smollm2()
    texts = pieces(tokenizer, windows, rng)
    found = [-np.mean(log_likelihoods(model, text, here, SIZE)) for text in texts]
    return {"losses": [float(f"{one:.6g}") for one in found]}


SECOND_TEXT = Run(
    "second_text",
    cell,
    lambda: [
        {"rule": rule, "degree": degree, "windows": 20}
        for rule, some in TRIED.items()
        for degree in some
    ],
    paired=(),
    seed=20250214,
    data=lambda: pinned_files() + descriptions().encode(),
)
