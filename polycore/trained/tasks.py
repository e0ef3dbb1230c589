"""What small networks are trained to do: recall, find what is largest, continue a text.

- `pairs`: keys and values in turn, then all keys again in another order; each asks for its value
  (multi-query associative recall: Arora et al., Zoology, 2024).
- `successors`: tokens, all different, then all but the last again in another order; each asks for
  the token that came after it (induction: Olsson et al., In-Context Learning, 2022).
- `largest`: items of ten classes with heights that are uniform on [0, 1], then a question; it asks
  for the class of the highest item (Veličković et al., Softmax Is Not Enough, 2024).
- `spike`: the same, but the highest item has the height 1, and all others at most 1/2.
- `text`: letters of the King James Bible; each asks for the next.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from polycore.language.text import verses
from polycore.trained.networks import Batch, Shape

__all__ = [
    "CLASSES",
    "KEYS",
    "LETTERS",
    "TASKS",
    "Task",
    "batches",
    "largest",
    "pairs",
    "spike",
    "successors",
    "text",
]

KEYS, CLASSES = 256, 10  # there are as many values as keys
LETTERS = 73  # of the text, with blanks and stops

Draw = Callable[[np.random.Generator, int, int], Batch]  # generator, sequences, length


@dataclass(frozen=True)
class Task:
    """`draw` gives sequences to train on, `held_out` those to test on, of any length; a length
    costs `per` tokens each.

    Networks are trained for `steps` steps on the lengths `trained` in turn, and tested on others.
    """

    draw: Draw
    held_out: Draw
    shape: Shape
    trained: tuple[int, ...]
    tested: tuple[int, ...]
    per: int
    steps: int
    tokens: int = 1536  # of a batch, or a few less


def batches(task: Task, rng: np.random.Generator) -> Iterator[Batch]:
    """One for each step.

    >>> [answers.shape for _, _, answers in batches(TASKS["pairs"], np.random.default_rng(0))][:4]
    [(128, 4), (64, 8), (32, 16), (16, 32)]
    """
    for step in range(task.steps):
        length = task.trained[step % len(task.trained)]
        yield task.draw(rng, task.tokens // (task.per * length), length)


def pairs(rng: np.random.Generator, size: int, length: int) -> Batch:
    """`length` pairs of a key and a value, at most 256.

    >>> tokens, _, answers = pairs(np.random.default_rng(0), 1, 2)
    >>> bool(dict(tokens[0, :4].reshape(2, 2).tolist())[int(tokens[0, 4])] == answers[0, 0])
    True
    """
    keys = _different(rng, size, KEYS, length)
    values = rng.integers(KEYS, 2 * KEYS, (size, length))
    shown = np.stack([keys, values], axis=-1).reshape(size, -1)
    return _asked(rng, shown, keys, values)


def successors(rng: np.random.Generator, size: int, length: int) -> Batch:
    """`length` different tokens, at most 512, each but the last followed by its answer.

    >>> tokens, _, answers = successors(np.random.default_rng(0), 1, 2)
    >>> bool(tokens[0, 2] == tokens[0, 0]), bool(answers[0, 0] == tokens[0, 1])
    (True, True)
    """
    shown = _different(rng, size, 2 * KEYS, length)
    return _asked(rng, shown, shown[:, :-1], shown[:, 1:])


def _different(rng, size, many, length):
    return np.argsort(rng.random((size, many)), axis=1)[:, :length]


def _asked(rng, shown, keys, values):
    """The keys follow what is shown, in random order."""
    order = np.argsort(rng.random(keys.shape), axis=1)
    tokens = np.hstack([shown, np.take_along_axis(keys, order, 1)]).astype(np.int32)
    answers = np.take_along_axis(values, order, 1).astype(np.int32)
    return Batch(tokens, np.zeros(tokens.shape, np.float32), answers)


def largest(rng: np.random.Generator, size: int, length: int) -> Batch:
    """`length` items, whose heights are uniform, and a question.

    >>> tokens, heights, answers = largest(np.random.default_rng(0), 1, 3)
    >>> bool(tokens[0, heights[0].argmax()] == answers[0, 0]), int(tokens[0, -1])
    (True, 10)
    """
    heights = np.pad(rng.random((size, length), np.float32), ((0, 0), (0, 1)))
    tokens = rng.integers(CLASSES, size=heights.shape, dtype=np.int32)
    tokens[:, -1] = CLASSES
    return Batch(tokens, heights, np.take_along_axis(tokens, heights.argmax(1)[:, None], 1))


def spike(rng: np.random.Generator, size: int, length: int) -> Batch:
    """`largest`, with the height 1 for the highest item and half of theirs for the others.

    >>> int(np.sum(spike(np.random.default_rng(0), 1, 3).heights > 0.5))
    1
    """
    tokens, heights, answers = largest(rng, size, length)
    top = heights == heights.max(1, keepdims=True)
    return Batch(tokens, np.where(top, np.float32(1), heights / 2), answers)


def text(start: float, stop: float) -> Draw:
    """`length` letters from anywhere between two shares of the text; errors as `weights.content`
    where it is not installed.
    """

    def draw(rng, size, length):
        letters = _letters()
        within = letters[int(start * len(letters)) : int(stop * len(letters))]
        starts = rng.integers(len(within) - length, size=size)
        both = within[starts[:, None] + np.arange(length + 1)]
        return Batch(both[:, :-1], np.zeros((size, length), np.float32), both[:, 1:])

    return draw


@cache
def _letters() -> NDArray[np.int32]:
    return np.unique([*"\n".join(verses())], return_inverse=True)[1].astype(np.int32)


RECALL = Shape(tokens=2 * KEYS, answers=2 * KEYS, width=32, head=8, layers=1)
HIGHEST = Shape(tokens=CLASSES + 1, answers=CLASSES, width=32, head=8, layers=1)
SPELLING = Shape(tokens=LETTERS, answers=LETTERS, width=64, head=16, layers=2)
FEW, MANY = (4, 8, 16, 32), (4, 8, 16, 32, 64, 128, 256)
SHORT, LONG = (4, 8, 16), (16, 64, 256, 1024, 4096)
TASKS = {
    "pairs": Task(pairs, pairs, RECALL, FEW, MANY, per=3, steps=600),
    "successors": Task(successors, successors, RECALL, FEW, MANY, per=2, steps=600),
    "largest": Task(largest, largest, HIGHEST, SHORT, LONG, per=1, steps=1000),
    "spike": Task(spike, spike, HIGHEST, SHORT, LONG, per=1, steps=1000),
    "text": Task(text(0, 0.9), text(0.9, 1), SPELLING, (128,), (128, 512), 1, 1500, 1024),
}
