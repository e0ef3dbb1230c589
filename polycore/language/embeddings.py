"""A trained encoder with another rule in place of the softmax of every layer, and nothing trained:
what is left of its embeddings.

Two recorded runs (`runs`), of verses of the King James Bible with at most 300 characters.
EMBEDDINGS: the cells are one rule at one degree, all on equal verses: `pool` different ones, and
`queries` others, drawn independently. Recorded are, of each query, the cosine of its embedding with
that under softmax, and of how many the nearest verse of the pool is the same as under softmax,
where the pool is embedded under the same rule as the query. ENCODER_HEADS: a cell is 16 verses; for
each of the 72 heads of the model as trained it holds, of the scores s of all pairs of tokens of a
verse and of their softmax w, the means over verses of

- `negative`: the share of scores below 0;
- `positive_mass`: the mean over queries of the sum of w where s > 0;
- `fourth_on_negative`: the mean over queries of the sum where s < 0 of the weights s^4;
- `spread`: the mean over queries of the standard deviation of s^2/2 under w;
- `lowest`: the lowest score.

The rules that decide, written before the runs were made; each errs with a probability of at most
1/1000 to either side, whatever the distribution over verses. A trial on 60 other verses had been
seen. The degrees are those that were tried on the decoder.

- a rule *keeps the embedding* if the median over verses of the cosine lies above 0.99, and loses it
  if that lies below (`keeps_embedding`, `loses_embedding`);
- it *keeps the neighbour* if another verse of the pool is the nearest for at most one query in ten,
  and loses it if the same one is for at most nine in ten (`keeps_neighbour`, `loses_neighbour`);
- the degree that is needed is the least of those tried that keeps it, if all larger ones do too
  (`replaced.needed`);
- one rule is *nearer* to softmax than another, each at a degree, if the median of the difference of
  their cosines lies above 0 (`nearer`);
- doubling a degree *more than halves* what is lost if the median of 1 less the cosine, less twice
  that at the doubled degree, lies above 0 (`more_than_halved`);
- something holds of most heads as in `real_heads.most`.
"""

from functools import cache

import numpy as np
from numpy.typing import NDArray
from scipy.special import softmax

from polycore.language.minilm import embedding, minilm, scores
from polycore.language.real_heads import _deviation, _mean_ratio
from polycore.language.replaced import _digits, left_without
from polycore.language.rules import CONSTANT, DEGREES_TRIED, RULES, Averaged
from polycore.language.smollm import ByHead
from polycore.language.text import verses
from polycore.language.weights import KJV, MINILM, MINILM_WORDS
from polycore.models.mechanisms import plain
from polycore.montecarlo import Decision, decide_at_most, decide_median
from polycore.runs import Record, Run

__all__ = [
    "EMBEDDINGS",
    "ENCODER_HEADS",
    "cosines",
    "embeddings_cell",
    "encoder_heads_cell",
    "keeps_embedding",
    "keeps_neighbour",
    "loses_embedding",
    "loses_neighbour",
    "more_than_halved",
    "nearer",
    "read_by_a_head",
]

Reals = NDArray[np.float64]

LONGEST, VERSES, CELLS = (
    300,
    16,
    24,
)  # characters of a verse; verses of a cell of ENCODER_HEADS; cells
CLOSE, OTHERS = 0.99, 0.1  # a cosine that is kept; the share of other neighbours that is allowed
ERROR = 1e-3


def embeddings_cell(
    seed: np.random.SeedSequence, rule: str, degree: int, queries: int, pool: int
) -> dict[str, list[float] | float]:
    """The cosine of each query, how many queries keep their neighbour, and the share of tokens to
    which the rule leaves no key.
    """
    rng, every = np.random.default_rng(seed), _short()
    model, _ = minilm()
    here = ByHead(((Averaged(RULES[rule](degree)),) * model.heads,) * len(model.layers))
    places = rng.permutation(len(every))
    texts = [every[k] for k in (*places[:pool], *rng.choice(places[pool:], queries))]
    now = np.array([embedding(model, _tokens(text), here) for text in texts])
    then = np.array([_trained(text) for text in texts])
    nearest = [np.argmax(each[pool:] @ each[:pool].T, axis=1) for each in (now, then)]
    return {
        "cosines": _digits(np.sum(now * then, axis=1)[pool:]),
        "same": int(np.sum(nearest[0] == nearest[1])),
        "empty": left_without(here),
    }


def encoder_heads_cell(seed: np.random.SeedSequence, number: int) -> dict[str, list[float]]:
    """What `read_by_a_head` says of each head, layer after layer, the mean over the verses;
    `number` only tells cells apart.
    """
    (model, _), every = minilm(), _short()
    places = np.random.default_rng(seed).integers(len(every), size=VERSES)
    drawn = [scores(model, _tokens(every[k])) for k in places]
    found = [[read_by_a_head(one) for layer in each for one in layer] for each in drawn]
    return {
        name: _digits(np.mean([[head[name] for head in each] for each in found], axis=0))
        for name in found[0][0]
    }


def read_by_a_head(s: Reals) -> dict[str, float]:
    """The quantities of the module's text from the scores of one head, shape (n, n).

    >>> read_by_a_head(np.array([[1.0, 1.0], [-2.0, -2.0]]))["fourth_on_negative"]
    0.5
    """
    w, fourth = softmax(s, axis=-1), s**4
    return {
        "negative": float(np.mean(s < 0)),
        "positive_mass": float(np.mean(np.sum(w * (s > 0), axis=-1))),
        "fourth_on_negative": _mean_ratio(fourth * (s < 0), fourth),
        "spread": float(np.mean(_deviation(s**2 / 2, w))),
        "lowest": float(np.min(s)),
    }


@cache
def _tokens(text):
    return minilm()[1].encode(text)


@cache
def _trained(text):
    return embedding(minilm()[0], _tokens(text), plain)


@cache
def _short():
    """The different verses that are not too long."""
    return [text for text in dict.fromkeys(verses()) if len(text) <= LONGEST]


def cosines(record: Record, rule: str, degree: int = 1) -> Reals:
    """The cosine of each query with itself under softmax."""
    return np.array(record.find(rule=rule, degree=degree)["cosines"])


def keeps_embedding(record: Record, rule: str, degree: int) -> Decision:
    """Whether the median of the cosine lies above 0.99."""
    return decide_median(cosines(record, rule, degree), bound=CLOSE, error=ERROR)


def loses_embedding(record: Record, rule: str, degree: int) -> Decision:
    """The contrary of `keeps_embedding`: it passes where that fails."""
    return decide_median(-cosines(record, rule, degree), bound=-CLOSE, error=ERROR)


def keeps_neighbour(record: Record, rule: str, degree: int) -> Decision:
    """Whether another verse is the nearest with probability at most 0.1."""
    same, queries = _neighbours(record, rule, degree)
    return decide_at_most(queries - same, queries, OTHERS, ERROR, ERROR)


def loses_neighbour(record: Record, rule: str, degree: int) -> Decision:
    """Whether the same verse is the nearest with probability at most 0.9."""
    same, queries = _neighbours(record, rule, degree)
    return decide_at_most(same, queries, 1 - OTHERS, ERROR, ERROR)


def _neighbours(record, rule, degree):
    """(queries that keep their neighbour, queries)."""
    cell = record.find(rule=rule, degree=degree)
    return cell["same"], len(cell["cosines"])


def nearer(record: Record, one: tuple[str, int], other: tuple[str, int]) -> Decision:
    """Whether one rule, with its degree, has the larger cosine than another."""
    return decide_median(cosines(record, *one) - cosines(record, *other), error=ERROR)


def more_than_halved(record: Record, rule: str, degree: int) -> Decision:
    """Whether doubling the degree more than halves 1 less the cosine."""
    once, twice = (1 - cosines(record, rule, p) for p in (degree, 2 * degree))
    return decide_median(once - 2 * twice, error=ERROR)


def _files():
    """The hashes of the files: the cells refuse any others."""
    return (MINILM.sha256 + MINILM_WORDS.sha256 + KJV.sha256).encode()


EMBEDDINGS = Run(
    "embeddings",
    embeddings_cell,
    lambda: [
        {"rule": rule, "degree": degree, "queries": 320, "pool": 128}
        for rule, some in DEGREES_TRIED.items()
        if rule != CONSTANT
        for degree in some
    ],
    paired=(),
    seed=20250220,
    data=_files,
)
ENCODER_HEADS = Run(
    "encoder_heads",
    encoder_heads_cell,
    lambda: [{"number": number} for number in range(CELLS)],
    paired=("number",),
    seed=20250221,
    data=_files,
)
