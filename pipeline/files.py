"""Reading, writing and comparing the files of the build by their contents."""

import hashlib
import json
import os
import re
from pathlib import Path

BUILD = Path("_build")
LOCK = Path("requirements.txt")


def read(path):
    return json.loads(Path(path).read_text(encoding="utf-8"))


def write(path, text):
    """Write a file whole or not at all."""
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    partial = Path(f"{path}.{os.getpid()}")
    partial.write_text(text, encoding="utf-8")
    os.replace(partial, path)


def pretty(value):
    return json.dumps(value, indent=2, ensure_ascii=False) + "\n"


def digest(*parts):
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:16]


def chapters():
    """The notebooks, in the book's order: notebooks/lemma_4_1, …"""
    return re.findall(r"^\s*- file: (notebooks/\S+)", Path("_toc.yml").read_text(), re.M)


def text(cell):
    return "".join(cell["source"])


def tagged(cell, tag):
    return tag in cell["metadata"].get("tags", [])
