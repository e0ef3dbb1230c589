"""MiniLM, and any encoder of BERT's kind, forward: from tokens to one vector for the whole text.

A layer changes the state x of every token twice,

    x <- N(x + W_o attention(W_q x, W_k x, W_v x)),
    x <- N(x + W_2 gelu(W_1 x)),    gelu(y) = y Phi(y),

where each W adds a bias, N takes off the mean of a row, divides by its standard deviation, and has
a gain and a bias, and Phi is the normal distribution function. Every token attends to all of the
text, by a *rule* on the scores: softmax in the model as trained, and here any other as well, one
for all heads or, `ByHead`, one for each. The embedding of a text is the mean over its tokens, over
its length. Weights and states are in single precision, scores and their rules in double. Devlin et
al., BERT (2019); Wang et al., MiniLM (2020); Reimers and Gurevych, Sentence-BERT (2019).
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

from polycore.language.safetensors import tensors
from polycore.language.smollm import ByHead, _checked, _split
from polycore.language.weights import MINILM, MINILM_WORDS, content
from polycore.language.wordpiece import WordPiece
from polycore.models.mechanisms import Rule, attend, plain

__all__ = ["Encoder", "embedding", "encoder_of", "minilm", "scores"]

Singles = NDArray[np.float32]
Reals = NDArray[np.floating[Any]]


@dataclass(frozen=True)
class Encoder:
    """The weights of an encoder: `layers` by their names in the file; the `embedding` (vocabulary,
    width) of each token, what is added at each place (context, width), and the first `norm`.
    """

    layers: tuple[dict[str, Singles], ...]
    embedding: Singles
    places: Singles
    norm: dict[str, Singles]
    heads: int
    epsilon: float = 1e-12

    @property
    def context(self) -> int:
        """How many tokens a text may have."""
        return len(self.places)


@cache
def minilm() -> tuple[Encoder, WordPiece]:
    """all-MiniLM-L6-v2 and its tokenizer, from the pinned files; errors as `weights.content`."""
    words = content(MINILM_WORDS).decode("utf-8").splitlines()
    return encoder_of(tensors(content(MINILM)), heads=12), WordPiece(words)


def encoder_of(held: Mapping[str, NDArray[Any]], heads: int) -> Encoder:
    """The encoder whose tensors these are; their shapes do not tell the number of heads.

    KeyError where one is missing.
    """
    first = _inside(held, "embeddings.")
    many = len({name.split(".")[2] for name in held if name.startswith("encoder.layer.")})
    return Encoder(
        tuple(_inside(held, f"encoder.layer.{place}.") for place in range(many)),
        first["word_embeddings.weight"],
        # the second kind of token tells a second text from the first, and there is none here
        first["position_embeddings.weight"] + first["token_type_embeddings.weight"][0],
        _inside(first, "LayerNorm."),
        heads,
    )


def _inside(held, first):
    return {
        name.removeprefix(first): value for name, value in held.items() if name.startswith(first)
    }


def embedding(model: Encoder, tokens: Sequence[int], rule: Rule | ByHead = plain) -> Reals:
    """The embedding of a text, shape (width,), of length 1.

    ValueError for no tokens, for more than the context of the model, and for what is no token of
    it.
    """
    *_, (x, _, _) = _states(model, tokens, rule)
    mean: Reals = np.mean(x, axis=0, dtype=np.float64)
    return mean / float(np.linalg.norm(mean))


def scores(model: Encoder, tokens: Sequence[int], rule: Rule | ByHead = plain) -> Iterator[Reals]:
    """For each layer the scores <q, k>/sqrt(d) of its heads, shape (heads, n, n); errors as
    `embedding`.
    """
    for _, q, k in _states(model, tokens, rule):
        yield q.astype(np.float64) @ k.astype(np.float64).swapaxes(1, 2) * q.shape[-1] ** -0.5


def _states(model, tokens, rule):
    """(states, queries, keys) after each layer."""
    tokens = _checked(model, tokens)
    x = _normed(model, model.embedding[tokens] + model.places[: len(tokens)], model.norm)
    for place, layer in enumerate(model.layers):
        rules = rule.rules[place] if isinstance(rule, ByHead) else [rule] * model.heads
        names = (f"attention.self.{name}" for name in ("query", "key", "value"))
        q, k, v = (_split(_affine(layer, name, x), model.heads) for name in names)
        read = _affine(layer, "attention.output.dense", _mixed(q, k, v, rules))
        x = _normed(model, x + read, _inside(layer, "attention.output.LayerNorm."))
        inner = _affine(layer, "intermediate.dense", x)
        more = _affine(layer, "output.dense", inner * ndtr(inner))
        x = _normed(model, x + more, _inside(layer, "output.LayerNorm."))
        yield x, q, k


def _affine(layer, name, x):
    return x @ layer[f"{name}.weight"].T + layer[f"{name}.bias"]


def _normed(model, x, norm):
    """The rows less their mean, over their standard deviation, times a gain and plus a bias."""
    centred = x - np.mean(x, axis=-1, keepdims=True)
    spread = np.sqrt(np.mean(centred**2, axis=-1, keepdims=True) + np.float32(model.epsilon))
    return centred / spread * norm["weight"] + norm["bias"]


def _mixed(q, k, v, rules):
    """What all heads read, side by side, shape (n, width); computed in double precision."""
    triples = zip(*(x.astype(np.float64) for x in (q, k, v)), rules)
    return np.hstack([attend(*one) for one in triples]).astype(np.float32)
