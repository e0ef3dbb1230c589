"""One sentence as three heads of a trained model read it: a recorded run, for the page "Try it" and
for a picture.

The sentence says something, says something else, and begins to say the first again. The heads are
chosen by rule, from the softmax of the last token's scores: the one that puts most weight on what
followed that token where it first stood, the one that puts most on the first token of all, and the
one whose weights have the largest entropy.
"""

import numpy as np
from numpy.typing import NDArray
from scipy.special import entr, softmax

from polycore.language.replaced import pinned_files
from polycore.language.smollm import scores, smollm2
from polycore.runs import Result, Run

__all__ = ["SENTENCE", "TEXT", "chosen", "sentence_cell"]

TEXT = "The cat sat on the mat. The dog lay on the rug. The cat sat on the"


def chosen(last: NDArray[np.float64], follows: int) -> dict[str, int]:
    """Which rows (heads, n) of weights are those of the three heads, by name.

    >>> chosen(np.array([[0.8, 0.1, 0.1], [0.1, 0.2, 0.7], [0.3, 0.4, 0.3]]), 2)
    {'recalls': 1, 'rests': 0, 'spreads': 2}
    """
    entropy = np.sum(entr(last), axis=-1)
    wanted = {"recalls": last[:, follows], "rests": last[:, 0], "spreads": entropy}
    return {name: int(np.argmax(most)) for name, most in wanted.items()}


def sentence_cell(seed: np.random.SeedSequence, text: str) -> Result:
    """The tokens of a text, and of each of the three heads its layer, its number in it, both from
    1, and its scores of the keys that each token may see.
    """
    model, tokenizer = smollm2()
    tokens = tokenizer.encode(text)
    layers = np.concatenate(list(scores(model, tokens)))
    picked = chosen(softmax(layers[:, -1], axis=-1), tokens.index(tokens[-1]) + 1)
    heads = {
        name: {
            "layer": place // model.heads + 1,
            "head": place % model.heads + 1,
            "scores": [np.round(row[: i + 1], 3).tolist() for i, row in enumerate(layers[place])],
        }
        for name, place in picked.items()
    }
    return {"tokens": [tokenizer.decode([token]) for token in tokens], "heads": heads}


SENTENCE = Run(
    "sentence",
    sentence_cell,
    lambda: [{"text": TEXT}],
    paired=(),
    seed=20250212,
    data=pinned_files,
)
