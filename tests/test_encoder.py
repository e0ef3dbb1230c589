"""A trained encoder read from its file: the file, the tokens, the forward pass, and the rules that
decide what another rule on scores keeps.

What needs the weights is skipped where they are not installed (`make weights`).
"""

import json
from dataclasses import replace
from math import erf

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from polycore.language import embeddings
from polycore.language.minilm import embedding, encoder_of, minilm, scores
from polycore.language.real_heads import most, of_heads
from polycore.language.replaced import needed
from polycore.language.rules import uniform
from polycore.language.safetensors import tensors
from polycore.language.smollm import ByHead
from polycore.language.text import verses
from polycore.language.weights import KJV, MINILM, MINILM_WORDS, are_here
from polycore.language.wordpiece import WordPiece, words
from polycore.models.mechanisms import clipped_power, plain
from polycore.runs import Record, recorded

needs_weights = pytest.mark.skipif(
    not are_here(MINILM, MINILM_WORDS, KJV), reason="the weights are not here: make weights"
)


# The file format


def file_of(held, name="a", dtype="F32", shape=(2, 3), **more):
    """A file of one tensor."""
    row = {"dtype": dtype, "shape": shape, "data_offsets": [0, len(held)], **more}
    header = json.dumps({"__metadata__": {"format": "pt"}, name: row}).encode()
    return len(header).to_bytes(8, "little") + header + held


@pytest.mark.parametrize(("dtype", "kind"), [("F32", "<f4"), ("F16", "<f2"), ("I64", "<i8")])
def test_numbers_are_read_row_by_row(dtype, kind):
    x = np.arange(6).reshape(2, 3).astype(kind)
    found = tensors(file_of(x.tobytes(), dtype=dtype))["a"]
    assert found.dtype == kind and np.array_equal(found, x)
    assert not np.array_equal(tensors(file_of(x.T.tobytes(), dtype=dtype))["a"], x)


@pytest.mark.parametrize(
    ("held", "message"),
    [
        (file_of(bytes(24))[:-1], "the tensor a ends at byte 24, and the file has 23"),
        (file_of(bytes(24))[:40], "should be a header in JSON, and are not: the file, of 40 bytes"),
        (b"GGUF" + bytes(40), "was cut off or has another format"),
        (file_of(bytes(12), dtype="BF16"), "tensor a is of type BF16; only F64, F32, F16"),
        (file_of(bytes(24), shape=(2, 2)), r"a has 24 bytes, and its shape \[2, 2\] takes 16"),
    ],
)
def test_what_cannot_be_read_is_refused(held, message):
    with pytest.raises(ValueError, match=message):
        tensors(held)


# Tokens

SMALL = WordPiece(["[UNK]", "[CLS]", "[SEP]", "a", "ab", "##b", "##bc", "##c", ".", "c"])


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("abc", ["ab", "##c"]),  # the longest first, though a and ##bc is as short
        ("abbc c.", ["ab", "##bc", "c", "."]),
        ("abd", ["[UNK]"]),  # as a whole, though it begins with a known part
        ("b", ["[UNK]"]),  # known only within a word
        ("a" * 2, ["[UNK]"]),
        ("ab" + "b" * 98, ["ab", *["##b"] * 98]),
        ("ab" + "b" * 99, ["[UNK]"]),  # 101 characters
        ("", []),
    ],
)
def test_a_word_is_cut_by_the_longest_part(text, parts):
    found = [SMALL.vocabulary[token] for token in SMALL.encode(text)]
    assert found == ["[CLS]", *parts, "[SEP]"]


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("It's  $5+3, İstanbul!", ["it", "'", "s", "$", "5", "+", "3", ",", "istanbul", "!"]),
        ("naïve e\u0301t\u00e9", ["naive", "ete"]),
        ("a\x00b\u200bc\ufffd d\te\nf", ["abc", "d", "e", "f"]),
        ("x漢字y", ["x", "漢", "字", "y"]),
        ("Straße", ["straße"]),
    ],
)
def test_a_text_becomes_plain_words(text, wanted):
    assert words(text) == wanted


@given(st.text())
def test_words_are_words_again(text):
    assert words(" ".join(words(text))) == words(text)


@needs_weights
def test_tokens_are_those_of_bert():
    """Known from BERT's own documentation, and 27,411 texts were compared with `tokenizers`."""
    model, tokenizer = minilm()
    assert len(tokenizer.vocabulary) == len(tokenizer.places) == len(model.embedding) == 30522
    assert tokenizer.encode("Hello world") == [101, 7592, 2088, 102]
    cut = [tokenizer.vocabulary[token] for token in tokenizer.encode("embeddings")]
    assert cut == ["[CLS]", "em", "##bed", "##ding", "##s", "[SEP]"]


# The forward pass


def small(layers=2, heads=3, width=12, inner=20, vocabulary=11, context=16):
    """A random encoder, with large weights: its attention is not nearly uniform."""
    rng = np.random.default_rng(3)
    draw = lambda *shape: rng.standard_normal(shape).astype(np.float32)
    held = {
        "embeddings.word_embeddings.weight": draw(vocabulary, width),
        "embeddings.position_embeddings.weight": draw(context, width),
        "embeddings.token_type_embeddings.weight": draw(2, width),
        "pooler.dense.weight": draw(width, width),
    }
    sizes = {f"attention.self.{name}": (width, width) for name in ("query", "key", "value")}
    sizes |= {"attention.output.dense": (width, width)}
    sizes |= {"intermediate.dense": (inner, width), "output.dense": (width, inner)}
    norms = ["embeddings."]
    for layer in range(layers):
        first = f"encoder.layer.{layer}."
        norms += [f"{first}attention.output.", f"{first}output."]
        for name, size in sizes.items():
            held |= {f"{first}{name}.weight": draw(*size), f"{first}{name}.bias": draw(size[0])}
    for first in norms:
        held |= {f"{first}LayerNorm.weight": np.exp(draw(width))}
        held |= {f"{first}LayerNorm.bias": draw(width)}
    return held, encoder_of(held, heads)


WORDS = [1, 5, 2, 2, 9, 0, 10]


def by_single_numbers(held, tokens, heads, layers=2, epsilon=1e-12):
    """The embedding again, from the file's own names, in sums over indices and double precision."""
    get = {name: value.astype(float) for name, value in held.items()}
    affine = lambda name, x: np.einsum("ti,oi->to", x, get[f"{name}.weight"]) + get[f"{name}.bias"]

    def norm(name, x):
        rows = [(row - row.mean()) / np.sqrt(row.var() + epsilon) for row in x]
        return np.array(rows) * get[f"{name}.LayerNorm.weight"] + get[f"{name}.LayerNorm.bias"]

    first = [get[f"embeddings.{name}_embeddings.weight"] for name in ("word", "position")]
    kind = get["embeddings.token_type_embeddings.weight"][0]
    x = norm(
        "embeddings", np.array([first[0][w] + first[1][t] for t, w in enumerate(tokens)]) + kind
    )
    gelu = np.vectorize(lambda y: y / 2 * (1 + erf(y / 2**0.5)))
    for layer in (f"encoder.layer.{place}" for place in range(layers)):
        q, k, v = (
            affine(f"{layer}.attention.self.{name}", x).reshape(len(x), heads, -1)
            for name in ("query", "key", "value")
        )
        w = np.exp(np.einsum("tha,sha->hts", q, k) / np.sqrt(q.shape[-1]))
        w /= w.sum(-1, keepdims=True)
        read = np.einsum("hts,sha->tha", w, v).reshape(len(x), -1)
        x = norm(f"{layer}.attention.output", x + affine(f"{layer}.attention.output.dense", read))
        inner = gelu(affine(f"{layer}.intermediate.dense", x))
        x = norm(f"{layer}.output", x + affine(f"{layer}.output.dense", inner))
    return x.sum(0) / np.sqrt((x.sum(0) ** 2).sum())


def test_an_embedding_is_that_of_another_program():
    held, model = small()
    wanted = by_single_numbers(held, WORDS, 3)
    close = lambda found, error: np.allclose(found, wanted, rtol=0, atol=error)
    assert close(embedding(model, WORDS), 2e-6)
    kinds = held["embeddings.token_type_embeddings.weight"]
    for wrong in (
        replace(model, epsilon=10.0),
        replace(model, heads=4),
        replace(model, layers=model.layers[::-1]),
        replace(model, places=model.places + kinds[1] - kinds[0]),
    ):
        assert not close(embedding(wrong, WORDS), 2e-3)


def test_scores_are_those_that_the_rule_is_given():
    (_, model), given = small(), []

    def watching(s, seen):
        given.append(s)
        return s

    embedding(model, WORDS, watching)
    found = np.concatenate(list(scores(model, WORDS)))
    assert found.shape == (6, 7, 7) and np.allclose(found, given, atol=1e-12)
    assert np.any(np.triu(found, 1))  # later tokens too


def test_a_rule_for_each_head_is_used_there():
    _, model = small()
    same = embedding(model, WORDS, ByHead(((plain,) * 3,) * 2))
    assert np.array_equal(same, embedding(model, WORDS))
    other = embedding(model, WORDS, ByHead(((plain,) * 3, (plain, uniform, plain))))
    assert not np.allclose(other, same, atol=1e-3)


def test_a_large_degree_comes_near_to_softmax():
    _, model = small()
    gaps = [
        np.linalg.norm(embedding(model, WORDS, clipped_power(p)) - embedding(model, WORDS))
        for p in (1e2, 1e4, 1e6)
    ]
    assert gaps[0] > 10 * gaps[1] > 100 * gaps[2]


@pytest.mark.parametrize(
    ("tokens", "message"),
    [
        ([1] * 17, "17 tokens, and the context of the model holds 16"),
        ([1, 11], "token must be an integer <= 10, got 11"),
        ([], "number of tokens must be an integer >= 1"),
    ],
)
def test_texts_that_do_not_fit_are_refused(tokens, message):
    with pytest.raises(ValueError, match=message):
        embedding(small()[1], tokens)


@needs_weights
def test_similarities_are_those_that_were_published():
    """The example in the README of sentence-transformers."""
    model, tokenizer = minilm()
    texts = ("The weather is lovely today.", "It's so sunny outside!", "He drove to the stadium.")
    every = np.array([embedding(model, tokenizer.encode(text)) for text in texts])
    published = [0.6660, 0.1046, 0.1411]
    upper = (every @ every.T)[np.triu_indices(3, 1)]
    assert np.allclose(upper, published, rtol=0, atol=6e-5)
    bare = np.array([embedding(model, tokenizer.encode(text)[1:-1]) for text in texts])
    assert not np.allclose((bare @ bare.T)[np.triu_indices(3, 1)], published, rtol=0, atol=1e-2)


@needs_weights
def test_a_verse_is_nearer_to_the_next_than_to_another():
    (model, tokenizer), every = minilm(), verses()
    rng = np.random.default_rng(0)
    of = lambda k: embedding(model, tokenizer.encode(every[k]))
    places = rng.choice(10_000, (40, 2), replace=False)
    wins = sum(of(k) @ of(k + 1) > of(k) @ of(other) for k, other in places)
    assert wins >= 32  # a coin does that with a probability below 1/10,000


# What decides


def made_up(**median):
    """A record of clipped powers with these cosines, and half of the rest in other neighbours."""
    rng = np.random.default_rng(5)
    rows = []
    for name, cosine in {"softmax1": 1.0, **median}.items():
        rule, degree = name.rstrip("0123456789"), int(name.lstrip("abcdefghijklmnopqrstuvwxyz"))
        noisy = cosine + (1 - cosine) * rng.uniform(-0.1, 0.1, 320)
        same = round(320 * (1 - 5 * (1 - cosine)))
        rows.append(({"rule": rule, "degree": degree}, {"cosines": noisy.tolist(), "same": same}))
    return Record(embeddings.EMBEDDINGS, {}, tuple(rows))


def test_the_rules_reject_what_is_false():
    record = made_up(clipped8=0.95, clipped16=0.992, shifted8=0.96)
    decided = {
        decide.__name__: [decide(record, "clipped", degree).verdict for degree in (8, 16)]
        for decide in (
            embeddings.keeps_embedding,
            embeddings.loses_embedding,
            embeddings.keeps_neighbour,
            embeddings.loses_neighbour,
        )
    }
    assert decided == {
        "keeps_embedding": ["fail", "pass"],
        "loses_embedding": ["pass", "fail"],
        "keeps_neighbour": ["fail", "pass"],
        "loses_neighbour": ["pass", "fail"],
    }
    shifted, clipped = ("shifted", 8), ("clipped", 8)
    assert embeddings.nearer(record, shifted, clipped).verdict == "pass"
    assert embeddings.nearer(record, clipped, shifted).verdict == "fail"
    slow = made_up(clipped8=0.95, clipped16=0.97)
    found = [embeddings.more_than_halved(one, "clipped", 8).verdict for one in (record, slow)]
    assert found == ["pass", "fail"]


def test_what_lies_at_the_bound_is_not_decided():
    record = made_up(clipped8=0.99, clipped16=0.98)
    assert embeddings.keeps_embedding(record, "clipped", 8).verdict == "undecided"
    assert embeddings.keeps_neighbour(record, "clipped", 16).verdict == "undecided"  # 1 in 10


def test_the_degree_needed_is_that_of_the_decoder_s_rule():
    falling = {"clipped4": 0.9, "clipped8": 0.98, "clipped16": 0.995, "clipped32": 0.999}
    rest = {f"clipped{p}": 1.0 for p in (64, 128, 256)}
    assert needed(embeddings.keeps_embedding, made_up(**falling, **rest), "clipped") == 16
    spoilt = made_up(**{**falling, **rest, "clipped256": 0.9})
    assert needed(embeddings.keeps_embedding, spoilt, "clipped") is None


class Digits:
    """A tokenizer of texts that are digits."""

    def encode(self, text):
        return list(map(int, text))


@pytest.fixture
def of_digits(monkeypatch):
    """The cells, with a random encoder and ten texts of digits."""
    rng = np.random.default_rng(8)
    texts = ["".join(map(str, row)) for row in rng.integers(0, 10, (10, 6))]
    monkeypatch.setattr(embeddings, "minilm", lambda: (small()[1], Digits()))
    monkeypatch.setattr(embeddings, "_short", lambda: texts)
    caches = embeddings._tokens, embeddings._trained
    [each.cache_clear() for each in caches]
    yield texts
    [each.cache_clear() for each in caches]


def test_a_cell_compares_each_query_with_itself_and_with_the_pool(of_digits):
    draws, seed = np.random.default_rng(1), 1
    places = draws.permutation(10)
    pool, queries = places[:4], draws.choice(places[4:], 20)
    by = lambda rule: np.array([embedding(small()[1], Digits().encode(t), rule) for t in of_digits])
    flat, full = by(uniform), by(plain)
    cell = embeddings.embeddings_cell(seed, "uniform", 1, 20, 4)
    assert np.allclose(cell["cosines"], [flat[k] @ full[k] for k in queries], rtol=0, atol=1e-5)
    found = [[max(pool, key=lambda p: one[k] @ one[p]) for k in queries] for one in (flat, full)]
    assert cell["same"] == sum(a == b for a, b in zip(*found)) and 0 < cell["same"] < 20
    trained = embeddings.embeddings_cell(seed, "softmax", 1, 20, 4)
    assert np.allclose(trained["cosines"], 1) and trained["same"] == 20


def test_a_head_is_described_as_by_hand():
    s = np.random.default_rng(6).normal(-1, 2, (9, 9))
    w = np.array([np.exp(row) / np.exp(row).sum() for row in s])
    var = [one @ (row**2 / 2 - one @ row**2 / 2) ** 2 for row, one in zip(s, w)]
    wanted = {
        "negative": np.mean([value < 0 for row in s for value in row]),
        "positive_mass": np.mean([one[row > 0].sum() for row, one in zip(s, w)]),
        "fourth_on_negative": np.mean([(row[row < 0] ** 4).sum() / (row**4).sum() for row in s]),
        "spread": np.mean(np.sqrt(var)),
        "lowest": s.min(),
    }
    assert embeddings.read_by_a_head(s) == pytest.approx(wanted)
    assert embeddings.read_by_a_head(-s) != pytest.approx(wanted)


# The recorded runs


@needs_weights
@pytest.mark.slow
def test_a_sample_of_the_recorded_embeddings_comes_out_again():
    record = recorded(embeddings.EMBEDDINGS)
    where = {"rule": "clipped", "degree": 8}
    now = record.again({"queries": 4}, **where)["cosines"]
    assert np.allclose(now, record.find(**where)["cosines"][:4], rtol=0, atol=1e-4)
    other = record.find(rule="clipped", degree=16)["cosines"][:4]
    assert not np.allclose(now, other, rtol=0, atol=1e-3)


@needs_weights
@pytest.mark.slow
def test_a_sample_of_the_recorded_heads_comes_out_again():
    record = recorded(embeddings.ENCODER_HEADS)
    now, then = record.again(number=3), record.find(number=3)
    assert all(np.allclose(now[name], then[name], rtol=1e-2, atol=1e-2) for name in then)
    assert of_heads(record, "negative").shape == (24, 72)
    assert most(record, lambda a: a > -1, "negative").verdict == "pass"
