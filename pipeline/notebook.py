"""Chapters opened by hand: python -m pipeline.notebook starts JupyterLab with what the book's
notebooks run with.
"""

import json
import os
import sys

from pipeline.execution import settings
from pipeline.files import JsonObject, chapters, read, write
from pipeline.ledger import ordered

METADATA = {
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}
CELL = ("cell_type", "execution_count", "id", "metadata", "outputs", "source")  # as ruff keeps it


def stripped(notebook: JsonObject) -> JsonObject:
    """The notebook as it is committed: no outputs, no counts, and of all metadata the tags and the
    kernel's name.
    """
    return {**notebook, "cells": list(map(bare, notebook["cells"])), "metadata": METADATA}


def bare(cell: JsonObject) -> JsonObject:
    tags = cell["metadata"].get("tags")
    empty: JsonObject = (
        {"execution_count": None, "outputs": []} if cell["cell_type"] == "code" else {}
    )
    return ordered({**cell, **empty, "metadata": {"tags": tags} if tags else {}}, CELL)


def strip() -> None:
    """Take out what running the notebooks put into their sources; leave alone a file in which there
    is nothing of it.
    """
    for chapter in chapters():
        path = f"{chapter}.ipynb"
        if (clean := stripped(read(path))) != read(path):
            write(path, json.dumps(clean, indent=1, ensure_ascii=False) + "\n")
            print(f"{path}: stripped")


if __name__ == "__main__":
    print("Before you commit a notebook that ran: .venv/bin/doit strip", flush=True)
    # In place of this process, so that what stops the one stops the other.
    os.execve(
        sys.executable,
        [sys.executable, "-m", "jupyterlab", "notebooks", *sys.argv[1:]],
        os.environ | settings(),
    )
