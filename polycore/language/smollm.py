"""SmolLM2, and any model of Llama's kind, forward: from tokens to the logits of each next token.

A layer changes the state x of every token twice,

    x <- x + W_o attention(R W_q N(x), R W_k N(x), W_v N(x)),
    x <- x + W_d (silu(W_g N(x)) * W_u N(x)),

where N divides by the root mean square, R rotates pairs of coordinates by angles that grow with the
place (RoPE), and several heads of queries share one head of keys. Attention is that of
`models.mechanisms`, causal, by a *rule* on the scores: softmax in the model as trained, and here
any other as well, one for all heads or, `ByHead`, one for each. Weights and states are in single
precision, scores and their rules in double, as some rules need. Touvron et al., LLaMA (2023); Su et
al., RoFormer (2021); Ben Allal et al., SmolLM2 (2025).
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import expit, log_softmax

from polycore.checks import integer
from polycore.language.gguf import File, parse
from polycore.language.tokens import Tokenizer
from polycore.language.weights import SMOLLM2, content
from polycore.models.mechanisms import Rule, attend, plain

__all__ = [
    "ByHead",
    "Model",
    "log_likelihoods",
    "logits",
    "model_of",
    "rotated",
    "scores",
    "smollm2",
]

Singles = NDArray[np.float32]
Reals = NDArray[np.floating[Any]]
Heads = tuple[Singles, Singles, Singles]  # queries (heads, n, d), keys and values (groups, n, d)


@dataclass(frozen=True)
class Model:
    """The weights of a model: `layers` by their names in a GGUF file, the embedding (vocabulary,
    width), which also reads the logits, and the last `norm`; `heads` of queries, `groups` of keys.
    """

    layers: tuple[dict[str, Singles], ...]
    embedding: Singles
    norm: Singles
    heads: int
    groups: int
    context: int
    base: float = 10_000.0
    epsilon: float = 1e-5


@dataclass(frozen=True)
class ByHead:
    """A rule for each head: `rules[layer][head]`."""

    rules: tuple[tuple[Rule, ...], ...]


@cache
def smollm2() -> tuple[Model, Tokenizer]:
    """SmolLM2-135M-Instruct and its tokenizer, from the pinned file; errors as
    `weights.content`.
    """
    file = parse(content(SMOLLM2))
    return model_of(file), Tokenizer.of(file.metadata)


def model_of(file: File) -> Model:
    """The model that a GGUF file holds; ValueError for another architecture than llama."""
    if (kind := file.metadata.get("general.architecture")) != "llama":
        raise ValueError(f"the file holds a model of architecture {kind}; only llama is computed")
    said = {
        name.removeprefix("llama."): value
        for name, value in file.metadata.items()
        if name.startswith("llama.")
    }
    held = {name: tensor.values() for name, tensor in file.tensors.items()}
    return Model(
        tuple(_layer(held, place) for place in range(said["block_count"])),
        held["token_embd.weight"],
        held["output_norm.weight"],
        said["attention.head_count"],
        said["attention.head_count_kv"],
        said["context_length"],
        said["rope.freq_base"],
        said["attention.layer_norm_rms_epsilon"],
    )


def _layer(held, place):
    first = f"blk.{place}."
    return {
        name.removeprefix(first).removesuffix(".weight"): value
        for name, value in held.items()
        if name.startswith(first)
    }


def logits(model: Model, tokens: Sequence[int], rule: Rule | ByHead = plain) -> Singles:
    """The logits of the token after each of these, shape (n, vocabulary).

    ValueError for no tokens, for more than the context of the model, and for what is no token of
    it.
    """
    *_, (x, _, _) = _states(model, tokens, rule)
    return _normed(model, x, model.norm) @ model.embedding.T


def log_likelihoods(
    model: Model, tokens: Sequence[int], rule: Rule | ByHead = plain, least: int = 2
) -> Reals:
    """ln of the probability of each token but the first, given those before it: shape (n - 1,).

    ValueError for fewer than `least` tokens, and as `logits`.
    """
    integer("least", least, at_least=2)
    if len(tokens) < least:
        raise ValueError(
            f"the text has {len(tokens)} tokens, and {least} are asked for: take a longer text"
        )
    following = log_softmax(logits(model, tokens, rule)[:-1].astype(np.float64), axis=-1)
    return following[np.arange(len(tokens) - 1), np.asarray(tokens)[1:]]


def scores(model: Model, tokens: Sequence[int], rule: Rule | ByHead = plain) -> Iterator[Reals]:
    """For each layer the scores <q, k>/sqrt(d) of its heads, shape (heads, n, n), later keys too;
    errors as `logits`.
    """
    for _, q, k in _states(model, tokens, rule):
        shared = _each_head(model, k)
        yield q.astype(np.float64) @ shared.astype(np.float64).swapaxes(1, 2) * q.shape[-1] ** -0.5


def _states(model, tokens, rule):
    """(states, queries, keys) after each layer."""
    x = model.embedding[_checked(model, tokens)]
    for place, layer in enumerate(model.layers):
        rules = rule.rules[place] if isinstance(rule, ByHead) else [rule] * model.heads
        q, k, v = _projected(model, layer, _normed(model, x, layer["attn_norm"]))
        x = x + _mixed(model, q, k, v, rules) @ layer["attn_output"].T
        h = _normed(model, x, layer["ffn_norm"])
        gate = h @ layer["ffn_gate"].T
        x = x + (gate * expit(gate) * (h @ layer["ffn_up"].T)) @ layer["ffn_down"].T
        yield x, q, k


def _checked(model, tokens):
    integer("number of tokens", len(tokens))
    if len(tokens) > model.context:
        raise ValueError(
            f"the text has {len(tokens)} tokens, and the context of the model holds "
            f"{model.context}: take a shorter text"
        )
    for token in tokens:
        integer("token", token, at_least=0, at_most=len(model.embedding) - 1)
    return np.asarray(tokens)


def _normed(model, x, gain):
    """The rows over their root mean square, times a gain."""
    return x / np.sqrt(np.mean(x**2, axis=-1, keepdims=True) + np.float32(model.epsilon)) * gain


def _projected(model, layer, h):
    """Queries, keys and values by head; queries and keys rotated."""
    q = _split(h @ layer["attn_q"].T, model.heads)
    k, v = (_split(h @ layer[name].T, model.groups) for name in ("attn_k", "attn_v"))
    return rotated(q, model.base), rotated(k, model.base), v


def _split(x, many):
    return x.reshape(len(x), many, -1).swapaxes(0, 1)


def rotated(x: ArrayLike, base: float = 10_000.0) -> Reals:
    """Rotary positions: coordinates 2i and 2i + 1 of row t, turned by the angle t base^(-2i/d).

    Shape (..., n, d), d even, else ValueError. Inner products of rows then depend on their places
    by the difference only. Su et al., RoFormer (2021), section 3.2.2, as GGUF files order the
    coordinates.

    >>> np.round(rotated([[1.0, 0.0], [1.0, 0.0]]), 4)
    array([[1.    , 0.    ],
           [0.5403, 0.8415]])
    """
    rows = np.asarray(x)
    count, width = rows.shape[-2:]
    if width % 2:
        raise ValueError(f"rows of {width} coordinates have no pairs to turn: the width is even")
    angles = np.outer(np.arange(count), base ** (-np.arange(0, width, 2) / width))
    kind = rows.dtype if rows.dtype == np.float32 else np.dtype(float)
    cos, sin = np.cos(angles).astype(kind), np.sin(angles).astype(kind)
    even, odd = rows[..., ::2], rows[..., 1::2]
    turned = np.stack([even * cos - odd * sin, even * sin + odd * cos], axis=-1)
    return turned.reshape(rows.shape)


def _each_head(model, x):
    """What several heads share, once for each of them."""
    return np.repeat(x, model.heads // model.groups, axis=0)


def _mixed(model, q, k, v, rules):
    """What all heads read, side by side, shape (n, width)."""
    triples = zip(q, _each_head(model, k), _each_head(model, v), rules)
    return np.hstack([_read(*one) for one in triples]).astype(np.float32)


def _read(q, k, v, rule):
    """What one head reads: in double precision, though its queries, keys and values are single."""
    q, k, v = (x.astype(np.float64) for x in (q, k, v))
    return attend(q, k, v, rule, causal=True)
