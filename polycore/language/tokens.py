"""Byte-level byte-pair encoding, as GPT-2 and SmolLM2 cut text into tokens.

A text is cut into pieces, each piece is written as bytes, and neighbouring parts of a piece are
merged, the pair that was learnt first before the others, until no pair is left that was learnt.
SmolLM2 cuts each digit off by itself before GPT-2's pattern. Sennrich, Haddow and Birch, Neural
Machine Translation of Rare Words with Subword Units (2016); Radford et al., Language Models are
Unsupervised Multitask Learners (2019).
"""

import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from itertools import pairwise
from typing import Any

__all__ = ["Tokenizer", "pieces"]

CUTS = ("smollm",)  # what `tokenizer.ggml.pre` may be: the way of cutting that is written here
CONTRACTION = re.compile("'(?:s|t|re|ve|m|ll|d)")
# GPT-2's pattern, on one letter for each character: L letter, N numeral, S space, O any other;
# a blank stands for itself.
PATTERN = re.compile(r" ?L+| ?N+| ?O+|[ S]+(?![^ S])|[ S]+")


class Tokenizer:
    """The vocabulary and the merges of a model, from the metadata of its file."""

    def __init__(self, vocabulary: Sequence[str], merges: Sequence[str]) -> None:
        self.vocabulary = list(vocabulary)
        self.places = {word: place for place, word in enumerate(vocabulary)}
        self.ranks = {tuple(merge.split(" ")): rank for rank, merge in enumerate(merges)}
        self.known: dict[str, list[int]] = {}

    @classmethod
    def of(cls, metadata: Mapping[str, Any]) -> "Tokenizer":
        """From the metadata of a GGUF file; ValueError for another way of cutting."""
        model, cut = (metadata.get(f"tokenizer.ggml.{name}") for name in ("model", "pre"))
        if model != "gpt2" or cut not in CUTS:
            raise ValueError(
                f"the file's tokenizer is {model}, {cut}; only gpt2, {CUTS[0]} is read: take "
                "another model, or write its way of cutting"
            )
        return cls(metadata["tokenizer.ggml.tokens"], metadata["tokenizer.ggml.merges"])

    def encode(self, text: str) -> list[int]:
        """The tokens of a text, none added.

        >>> Tokenizer(["a", "b", "ab"], ["a b"]).encode("aba")
        [2, 0]
        """
        return [token for piece in pieces(text) for token in self._of_piece(piece)]

    def decode(self, tokens: Sequence[int]) -> str:
        """The text of tokens; bytes that are no text become the replacement character.

        >>> Tokenizer(["a", "b", "ab"], ["a b"]).decode([2, 0])
        'aba'
        """
        written = "".join(self.vocabulary[token] for token in tokens)
        return bytes(self._bytes[letter] for letter in written).decode("utf-8", "replace")

    @cached_property
    def _bytes(self):
        return {letter: byte for byte, letter in enumerate(LETTERS)}

    def _of_piece(self, piece):
        if piece not in self.known:
            parts = self._merged([LETTERS[byte] for byte in piece.encode("utf-8")])
            self.known[piece] = [self.places[part] for part in parts]
        return self.known[piece]

    def _merged(self, parts):
        """Merge the pair of the least rank, everywhere, as long as there is one."""
        while ranked := [pair for pair in pairwise(parts) if pair in self.ranks]:
            best = min(ranked, key=self.ranks.__getitem__)
            parts = list(_joined(parts, best))
        return parts


def pieces(text: str) -> Iterator[str]:
    """The pieces of a text, between which nothing is merged.

    >>> list(pieces("It's 12  of us, in\\n\\n1999."))
    ['It', "'s", ' ', '1', '2', ' ', ' of', ' us', ',', ' in', '\\n\\n', '1', '9', '9', '9', '.']
    """
    kinds = "".join(map(_kind, text))
    for run in re.finditer("N|[^N]+", kinds):  # each numeral by itself, before all else
        yield from _gpt2(text[run.start() : run.end()], run[0])


def _gpt2(text, kinds):
    at = 0
    while at < len(text):
        found = CONTRACTION.match(text, at) or PATTERN.match(kinds, at)
        assert found  # each of the five letters begins one of the alternatives
        yield text[at : found.end()]
        at = found.end()


def _kind(letter):
    """L, N, S, O or a blank."""
    category = unicodedata.category(letter)
    if letter == " " or category[0] in "LN":
        return " " if letter == " " else category[0]
    return "S" if category[0] == "Z" or letter in "\t\n\v\f\r\x85" else "O"


def _joined(parts, pair):
    at = 0
    while at < len(parts):
        hit = tuple(parts[at : at + 2]) == pair
        yield "".join(pair) if hit else parts[at]
        at += 1 + hit


def _letters():
    """The letter that stands for each byte: itself where it can be printed, else one above 255."""
    printed = {*range(33, 127), *range(161, 173), *range(174, 256)}
    others = iter(range(256, 512))
    return [chr(byte) if byte in printed else chr(next(others)) for byte in range(256)]


LETTERS = _letters()
