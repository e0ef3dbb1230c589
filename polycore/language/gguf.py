"""GGUF, version 3: the file format of llama.cpp for the weights of a model and all that goes with
them.

A file has a header, metadata by name, a table of tensors, and the tensors. Of the some thirty types
of tensors four are read here: F32, F16, and two that store blocks of 32 numbers,

    Q8_0: x = d q,  q a signed byte;    Q4_1: x = d q + m,  q in 0, ..., 15,

with d and m of a block in half precision. The source is llama.cpp's specification,
https://github.com/ggml-org/ggml/blob/master/docs/gguf.md, and its package `gguf`.
"""

import struct
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["File", "Tensor", "parse"]

Singles = NDArray[np.float32]

SIMPLE = dict(zip((0, 1, 2, 3, 4, 5, 6, 7, 10, 11, 12), "BbHhIif?Qqd"))
STRING, ARRAY = 8, 9
BLOCK = 32
SIZES = {"F32": (1, 4), "F16": (1, 2), "Q8_0": (BLOCK, 34), "Q4_1": (BLOCK, 20)}  # numbers, bytes
NAMES = {0: "F32", 1: "F16", 2: "Q4_0", 3: "Q4_1", 6: "Q5_0", 7: "Q5_1", 8: "Q8_0", 9: "Q8_1"}
NAMES |= dict(zip(range(10, 16), ("Q2_K", "Q3_K", "Q4_K", "Q5_K", "Q6_K", "Q8_K")))
NAMES |= {30: "BF16"}


@dataclass(frozen=True)
class Tensor:
    """A tensor as the file holds it: shape (the last index runs fastest), type and bytes."""

    name: str
    shape: tuple[int, ...]
    kind: str
    held: bytes | memoryview

    def values(self) -> Singles:
        """The numbers, in single precision; ValueError for a type that is not read here.

        >>> Tensor("a", (2,), "F16", np.float16([1, -2]).tobytes()).values()
        array([ 1., -2.], dtype=float32)
        """
        flat = {"F32": _f32, "F16": _f16, "Q8_0": _q8_0, "Q4_1": _q4_1}
        check_kind(self.name, self.kind)
        return flat[self.kind](self.held).reshape(self.shape)


@dataclass(frozen=True)
class File:
    """Metadata and tensors by name."""

    metadata: dict[str, Any]
    tensors: dict[str, Tensor]


def parse(held: bytes) -> File:
    """A GGUF file of version 3 from its bytes.

    ValueError for another format or version, for a type of tensor that is not read here, and for a
    file that ends too early.

    >>> parse(b"GGUF" + struct.pack("<IQQ", 3, 0, 0))
    File(metadata={}, tensors={})
    """
    reader = _Reader(held)
    if (magic := bytes(held[:4])) != b"GGUF":
        raise ValueError(f"the file begins with {magic!r}, not b'GGUF': it has another format")
    reader.at = 4
    if (version := reader.simple("I")) != 3:
        raise ValueError(f"the file is of version {version} of GGUF; only version 3 is read")
    tensors, entries = reader.simple("Q"), reader.simple("Q")
    metadata = {reader.string(): reader.value(reader.simple("I")) for _ in range(entries)}
    table = [reader.row() for _ in range(tensors)]
    step = metadata.get("general.alignment", 32)
    start = -(-reader.at // step) * step
    return File(metadata, {row[0]: _tensor(reader, start, *row) for row in table})


def check_kind(name: str, kind: str) -> None:
    """ValueError for a type of tensor that is not read here."""
    if kind not in SIZES:
        raise ValueError(
            f"the tensor {name} is of type {kind}; only {', '.join(SIZES)} are read: take a file "
            "that was quantised otherwise"
        )


class _Reader:
    """Reads one thing after another; `at` is where the next begins."""

    def __init__(self, held):
        self.held, self.at = memoryview(held), 0

    def take(self, count, start=None):
        begin = self.at if start is None else start
        if begin + count > len(self.held):
            raise ValueError(
                f"the file ends after {len(self.held)} bytes, before byte {begin + count} that it "
                "speaks of: it was cut off"
            )
        if start is None:
            self.at += count
        return self.held[begin : begin + count]

    def simple(self, letter):
        return struct.unpack("<" + letter, self.take(struct.calcsize("<" + letter)))[0]

    def string(self):
        return bytes(self.take(self.simple("Q"))).decode("utf-8")

    def value(self, kind):
        if kind == STRING:
            return self.string()
        if kind == ARRAY:
            of, count = self.simple("I"), self.simple("Q")
            return [self.value(of) for _ in range(count)]
        if kind not in SIMPLE:
            raise ValueError(f"the metadata hold a value of the unknown type {kind}")
        return self.simple(SIMPLE[kind])

    def row(self):
        """(name, shape, type, offset) of a tensor; a file names the fastest index first."""
        name, count = self.string(), self.simple("I")
        shape = tuple(self.simple("Q") for _ in range(count))[::-1]
        kind = self.simple("I")
        return name, shape, NAMES.get(kind, f"number {kind}"), self.simple("Q")


def _tensor(reader, start, name, shape, kind, offset):
    check_kind(name, kind)
    numbers, size = SIZES[kind]
    if shape[-1] % numbers:
        raise ValueError(f"the tensor {name} has rows of {shape[-1]}, no multiple of {numbers}")
    return Tensor(name, shape, kind, reader.take(prod(shape) // numbers * size, start + offset))


def _f32(held):
    return np.frombuffer(held, "<f4").astype(np.float32)


def _f16(held):
    return np.frombuffer(held, "<f2").astype(np.float32)


def _q8_0(held):
    blocks = np.frombuffer(held, np.dtype([("d", "<f2"), ("q", "i1", BLOCK)]))
    return blocks["d"].astype(np.float32)[:, None] * blocks["q"]


def _q4_1(held):
    """The low halves of the 16 bytes are the first 16 numbers, the high halves the others."""
    blocks = np.frombuffer(held, np.dtype([("d", "<f2"), ("m", "<f2"), ("q", "u1", BLOCK // 2)]))
    d, m = (blocks[name].astype(np.float32)[:, None] for name in "dm")
    return d * np.hstack([blocks["q"] & 15, blocks["q"] >> 4]) + m
