"""A trained model with another rule in place of the softmax of every layer, and nothing trained:
what it still predicts, and what it still recalls.

Four recorded runs (`runs`), whose cells are one rule at one degree, all on equal texts and tokens.
PERPLEXITY: the mean of -ln(probability of the next token) over each of `windows` windows of 256
tokens of the King James Bible. RECALL: `sequences` times 64 random tokens and the same again; the
share of the second 64, less the first of them, that have the largest logit of all. A query to whom
a rule leaves no key averages all, and the share of such queries is recorded. The rule "constant" is
a clipped power whose shift is a number for each head: the mean of the largest scores of the
queries of the model as trained, in one window of 256 tokens that is drawn apart. CLOSER is
PERPLEXITY again for a few degrees, on more windows and others: most of PERPLEXITY was known when it
was written, and left these degrees undecided. RECALL_CLOSER does the same for RECALL, which had
left degree 64 undecided.

The rules that decide, written before the runs were made; each errs with a probability of at most
1/1000 to either side, whatever the distribution over windows:

- a rule *keeps the perplexity* if the median over windows of ln(its perplexity / softmax's) lies
  below ln 1.01, and loses it if that lies above (`keeps_perplexity`);
- it *keeps the recall* if the median over sequences of its recall less softmax's lies above -0.02
  (`keeps_recall`), one token of the 63 and a little more;
- the degree that is needed is the least of those tried that keeps it, if all larger ones do too
  (`needed`);
- doubling a degree *more than halves* what is lost if the median of the loss in log-perplexity less
  twice that at the doubled degree lies above 0 (`more_than_halved`); a change of the logarithms of
  weights by s^2/2p, which costs in proportion to its square, would divide it by about four;
- one degree is worse than another if the median of the difference of their log-perplexities lies
  above 0 (`worse`).
"""

from collections.abc import Callable
from functools import cache
from math import log

import numpy as np
from numpy.typing import NDArray

from polycore.language.rules import CONSTANT, DEGREES_TRIED, RULES, Averaged
from polycore.language.smollm import ByHead, log_likelihoods, logits, scores, smollm2
from polycore.language.text import window
from polycore.language.weights import KJV, SMOLLM2
from polycore.models.mechanisms import clipped_power
from polycore.montecarlo import Decision, decide_median
from polycore.runs import Record, Run

__all__ = [
    "CLOSER",
    "CLOSER_TRIED",
    "PERPLEXITY",
    "RECALL",
    "RECALL_CLOSER",
    "RATIO",
    "SHORT",
    "keeps_perplexity",
    "keeps_recall",
    "left_without",
    "loses_perplexity",
    "loses_recall",
    "losses",
    "more_than_halved",
    "needed",
    "perplexity_cell",
    "pinned_files",
    "recall_cell",
    "rule_of",
    "shifts",
    "worse",
]

SIZE, HALF = 256, 64  # tokens of a window; random tokens before they are repeated
CLOSER_TRIED = {
    "softmax": (1,),
    "clipped": (8, 16, 32, 64),
    "shifted": (8, 16, 32),
    "taylor": (4, 8, 16),
}
CALIBRATION = 20250206  # the seed of the window that `shifts` reads
RATIO, SHORT = 1.01, 0.02  # what is allowed to be lost


def perplexity_cell(
    seed: np.random.SeedSequence, rule: str, degree: int, windows: int
) -> dict[str, list[float] | float]:
    """The mean of -ln(probability of a token) in each window, and the share of queries to whom the
    rule leaves no key.
    """
    rng, here = np.random.default_rng(seed), rule_of(rule, degree)
    model, tokenizer = smollm2()
    texts = [window(tokenizer, SIZE, rng) for _ in range(windows)]
    found = [-np.mean(log_likelihoods(model, text, here, SIZE)) for text in texts]
    return {"losses": _digits(found), "empty": left_without(here)}


def recall_cell(
    seed: np.random.SeedSequence, rule: str, degree: int, sequences: int
) -> dict[str, list[int] | float]:
    """How many of the last 63 tokens of each sequence are recalled, and the share of queries
    to whom the rule leaves no key.
    """
    rng, here = np.random.default_rng(seed), rule_of(rule, degree)
    model, _ = smollm2()
    found = []
    for _ in range(sequences):
        tokens = np.tile(rng.integers(len(model.embedding), size=HALF), 2)
        best = np.argmax(logits(model, tokens.tolist(), here)[HALF:-1], axis=-1)
        found.append(int(np.sum(best == tokens[HALF + 1 :])))
    return {"recalled": found, "empty": left_without(here)}


def rule_of(rule: str, degree: int) -> ByHead:
    """A rule for every head, with which a query that is left without a key averages all."""
    if rule == CONSTANT:
        each = [[clipped_power(degree, shift) for shift in layer] for layer in shifts()]
    else:
        model, _ = smollm2()
        each = [[RULES[rule](degree)] * model.heads] * len(model.layers)
    return ByHead(tuple(tuple(map(Averaged, layer)) for layer in each))


@cache
def shifts() -> tuple[tuple[float, ...], ...]:
    """For each head of each layer the mean over queries of the largest score."""
    model, tokenizer = smollm2()
    text = window(tokenizer, SIZE, np.random.default_rng(CALIBRATION))
    seen = np.tri(SIZE, dtype=bool)
    found = (np.max(layer, axis=-1, where=seen, initial=-np.inf) for layer in scores(model, text))
    return tuple(tuple(np.mean(layer, axis=-1).tolist()) for layer in found)


def left_without(here: ByHead) -> float:
    """The share of queries, over all heads, to whom the rule left no key."""
    heads = [one for layer in here.rules for one in layer if isinstance(one, Averaged)]
    return _digits([sum(one.empty for one in heads) / sum(one.rows for one in heads)])[0]


def losses(record: Record, rule: str, degree: int = 1) -> NDArray[np.float64]:
    """The log-perplexity of each window."""
    return np.array(record.find(rule=rule, degree=degree)["losses"])


def keeps_perplexity(record: Record, rule: str, degree: int) -> Decision:
    """Whether the median of ln(perplexity / that of softmax) lies below ln 1.01."""
    more = losses(record, rule, degree) - losses(record, "softmax")
    return decide_median(-more, bound=-log(RATIO))


def loses_perplexity(record: Record, rule: str, degree: int) -> Decision:
    """The contrary of `keeps_perplexity`: it passes where that fails."""
    more = losses(record, rule, degree) - losses(record, "softmax")
    return decide_median(more, bound=log(RATIO))


def keeps_recall(record: Record, rule: str, degree: int) -> Decision:
    """Whether the median of the recall less that of softmax lies above -0.02."""
    return decide_median(_gained(record, rule, degree), bound=-SHORT)


def loses_recall(record: Record, rule: str, degree: int) -> Decision:
    """The contrary of `keeps_recall`: it passes where that fails."""
    return decide_median(-_gained(record, rule, degree), bound=SHORT)


def _gained(record, rule, degree):
    """The share of each sequence that is recalled less that which softmax recalls."""
    kept, full = (
        np.array(record.find(rule=name, degree=p)["recalled"])
        for name, p in ((rule, degree), ("softmax", 1))
    )
    return (kept - full) / (HALF - 1)


def more_than_halved(record: Record, rule: str, degree: int) -> Decision:
    """Whether doubling the degree more than halves what is lost of the log-perplexity."""
    once, twice = (
        losses(record, rule, p) - losses(record, "softmax") for p in (degree, 2 * degree)
    )
    return decide_median(once - 2 * twice)


def worse(record: Record, rule: str, degree: int, other: int) -> Decision:
    """Whether a degree has the larger perplexity than another degree of the same rule."""
    return decide_median(losses(record, rule, degree) - losses(record, rule, other))


def needed(keeps: Callable[[Record, str, int], Decision], record: Record, rule: str) -> int | None:
    """The least degree tried that keeps, if all larger ones do too; None where the largest does
    not.
    """
    degrees = DEGREES_TRIED[rule]
    kept = [keeps(record, rule, degree).verdict == "pass" for degree in degrees]
    first = len(kept) - next((k for k, good in enumerate(reversed(kept)) if not good), len(kept))
    return degrees[first] if first < len(degrees) else None


def _digits(values):
    return [float(f"{value:.6g}") for value in values]


def pinned_files() -> bytes:
    """The hashes of the files that all runs of this wing read: their cells refuse any others."""
    return (SMOLLM2.sha256 + KJV.sha256).encode()


def _cells():
    return [
        {"rule": rule, "degree": degree} for rule, some in DEGREES_TRIED.items() for degree in some
    ]


PERPLEXITY = Run(
    "perplexity",
    perplexity_cell,
    lambda: [{**one, "windows": 14} for one in _cells()],
    paired=(),
    seed=20250207,
    data=pinned_files,
)
CLOSER = Run(
    "perplexity_closer",
    perplexity_cell,
    lambda: [
        {"rule": rule, "degree": degree, "windows": 40}
        for rule, some in CLOSER_TRIED.items()
        for degree in some
    ],
    paired=(),
    seed=20250210,
    data=pinned_files,
)
RECALL = Run(
    "recall",
    recall_cell,
    lambda: [{**one, "sequences": 24} for one in _cells()],
    paired=(),
    seed=20250208,
    data=pinned_files,
)
RECALL_CLOSER = Run(
    "recall_closer",
    recall_cell,
    lambda: (
        [{"rule": "softmax", "degree": 1, "sequences": 96}]
        + [{"rule": "clipped", "degree": degree, "sequences": 96} for degree in (32, 64, 128)]
    ),
    paired=(),
    seed=20250211,
    data=pinned_files,
)
