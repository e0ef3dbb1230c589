"""Safetensors: a file format for the weights of a model.

A file has the length of its header, eight bytes from the lowest on, the header in JSON, and the
tensors, one after another. The header gives of each tensor its type, its shape (the last index runs
fastest) and where its bytes begin and end. The source is the specification of Hugging Face,
https://github.com/huggingface/safetensors.
"""

import json
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["tensors"]

KINDS = {"F64": "<f8", "F32": "<f4", "F16": "<f2", "I64": "<i8", "I32": "<i4"}


def tensors(held: bytes) -> dict[str, NDArray[Any]]:
    """The tensors of a file by name, from its bytes.

    ValueError for another format, for a file that was cut off, for a type that is not read here,
    and for a tensor whose bytes do not fit its shape.

    >>> header = b'{"a": {"dtype": "F32", "shape": [2], "data_offsets": [0, 8]}}'
    >>> tensors(len(header).to_bytes(8, "little") + header + np.float32([1, -2]).tobytes())
    {'a': array([ 1., -2.], dtype=float32)}
    """
    size = int.from_bytes(held[:8], "little")
    try:
        header = json.loads(held[8 : 8 + size])
    except ValueError:
        raise ValueError(
            f"the first {size} bytes after byte 8 should be a header in JSON, and are not: the "
            f"file, of {len(held)} bytes, was cut off or has another format"
        ) from None
    header.pop("__metadata__", None)
    return {name: _tensor(name, held[8 + size :], **row) for name, row in header.items()}


def _tensor(name, data, dtype, shape, data_offsets):
    if dtype not in KINDS:
        raise ValueError(
            f"the tensor {name} is of type {dtype}; only {', '.join(KINDS)} are read: take a file "
            "in one of these precisions"
        )
    (begin, end), kind = data_offsets, np.dtype(KINDS[dtype])
    if end > len(data):
        raise ValueError(
            f"the tensor {name} ends at byte {end}, and the file has {len(data)} after its header: "
            "it was cut off"
        )
    if end - begin != prod(shape) * kind.itemsize:
        raise ValueError(
            f"the tensor {name} has {end - begin} bytes, and its shape {shape} takes "
            f"{prod(shape) * kind.itemsize}: the header is damaged"
        )
    return np.frombuffer(data[begin:end], kind).reshape(shape)
