"""Reading, writing and comparing the files of the build by their contents."""

import hashlib
import json
import os
import re
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

BUILD = Path("_build")
LOCK = Path("requirements.txt")

JsonObject = dict[str, Any]  # a notebook, a cell, a claim, …


def read(path: str | Path) -> Any:
    return json.loads(Path(path).read_text(encoding="utf-8"))


def whole(path: str | Path) -> Any:
    """What a file of the build holds; None where it is missing, or was cut."""
    try:
        return read(path)
    except (FileNotFoundError, ValueError):
        return None


def write(path: str | Path, text: str) -> None:
    """Write a file whole or not at all."""
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    partial = Path(f"{path}.{os.getpid()}")
    partial.write_text(text, encoding="utf-8")
    os.replace(partial, path)


def pretty(value: object) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False) + "\n"


def digest(*parts: object) -> str:
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:16]


def chapters() -> list[str]:
    """The notebooks, in the book's order: notebooks/lemma_4_1, …"""
    return re.findall(r"^\s*- file: (notebooks/\S+)", Path("_toc.yml").read_text(), re.M)


def core() -> dict[str, Path]:
    """The files of polycore by the names under which they are imported."""
    dotted = {".".join(path.with_suffix("").parts): path for path in Path("polycore").rglob("*.py")}
    return {name.removesuffix(".__init__"): dotted[name] for name in sorted(dotted)}


@contextmanager
def sources_copied() -> Iterator[Path]:
    """A scratch copy of the sources, with nothing that a build made."""
    ignored = [line.rstrip("/") for line in Path(".gitignore").read_text().split()]
    with tempfile.TemporaryDirectory() as scratch:
        copy = Path(scratch, "companion")
        shutil.copytree(".", copy, ignore=shutil.ignore_patterns(".git", *ignored))
        yield copy


def text(cell: JsonObject) -> str:
    return "".join(cell["source"])


def tagged(cell: JsonObject, tag: str) -> bool:
    return tag in cell["metadata"].get("tags", [])
