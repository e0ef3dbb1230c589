"""The locked set of packages, and the conda environment that is generated from it."""

import re
import subprocess
import sys
from pathlib import Path

from pipeline.files import LOCK

# Extras are kept: the pip of Python 3.11, asked for an extra of a pinned package, looks at the
# newest version first, and stops when that is not the pinned one.
COMMAND = (
    "uv pip compile --universal --fork-strategy fewest --python-version 3.11 --no-strip-extras "
    "--generate-hashes --quiet "
)
LOCKS = (
    "--group book --group test pyproject.toml -o requirements.txt",
    "--group mutants --constraint requirements.txt -o mutants.txt",
)
HEADER = """\
# Generated from requirements.txt by `make lock`. No hashes: pip refuses -e in hash mode.
name: polycore
channels: [conda-forge, nodefaults]
dependencies:
  - python=3.11.*
  - pip
  - pip:
"""


def pins(lock: str) -> list[str]:
    """The pinned requirements, markers kept, hashes left out."""
    return re.findall(r"^(\S+==\S+(?: ; [^\\\n]+?)?) \\$", lock, re.M)


def environment(lock: str) -> str:
    return HEADER + "".join(f'      - "{pin}"\n' for pin in [*pins(lock), "-e ."])


def resolve() -> None:
    """Bring the locks in line with pyproject.toml, keep what is pinned already, and write the conda
    environment.
    """
    for lock in LOCKS:
        subprocess.run([sys.executable, "-m", *(COMMAND + lock).split()], check=True)
    Path("environment.yml").write_text(environment(LOCK.read_text()))
