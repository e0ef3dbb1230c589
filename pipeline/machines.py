"""The book on other machines, as far as one machine can be them: other instruction sets, other
Pythons, rounding noise.

Each setting executes every chapter from nothing in a scratch copy. Verdicts, findings and sentences
must be those of the committed ledger and of the chapters as executed here, numbers within their
tolerances; what moved is listed.
"""

import importlib
import os
import platform
import re
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from decimal import Decimal
from pathlib import Path

from doit.exceptions import TaskFailed

from pipeline.differences import compare
from pipeline.execution import PROFILE, executed
from pipeline.files import BUILD, LOCK, JsonObject, chapters, digest, read, sources_copied
from pipeline.ledger import committed, outline

Setting = tuple[Callable[[], str | Path], dict[str, str]]  # see `settings`

NOISES = (1, 2, 3)  # seeds
NUMBER = re.compile(r"(?<![\w.])-?\d+(?:\.\d+)?(?:e[-+]?\d+)?(?![\w.])")


def instruction_sets() -> dict[str, dict[str, str]]:
    """Environment variables that hold NumPy, OpenBLAS, glibc, Numba and XLA down, for each set that
    this processor has.
    """
    if platform.machine() not in ("x86_64", "AMD64"):
        return {}
    compiled = importlib.import_module("numpy._core._multiarray_umath")
    features = compiled.__cpu_features__
    found = [name for name in compiled.__cpu_dispatch__ if features[name]]
    has = {level: any(name.startswith(level) for name in found) for level in ("X86_V3", "X86_V4")}
    sets = {"SSE4.2": held_down(found, "Nehalem", "-AVX2,-FMA,-AVX512F", "nehalem", "SSE4_2")}
    if has["X86_V4"]:
        newest = [name for name in found if not name.startswith("X86_V3")]
        sets["AVX2"] = held_down(newest, "Haswell", "-AVX512F", "haswell", "AVX2")
    if has["X86_V3"]:
        sets["another BLAS kernel"] = {"OPENBLAS_CORETYPE": "Sandybridge"}
    return sets


def least() -> dict[str, str]:
    """Environment variables that hold the processor down to its oldest instruction set; none where
    nothing can.
    """
    return next(iter(instruction_sets().values()), {})


def held_down(
    features: Sequence[str], blas: str, glibc: str, numba: str, xla: str
) -> dict[str, str]:
    return {
        "NPY_DISABLE_CPU_FEATURES": " ".join(features),
        "OPENBLAS_CORETYPE": blas,
        "GLIBC_TUNABLES": f"glibc.cpu.hwcaps={glibc}",
        "NUMBA_CPU_NAME": numba,
        "XLA_FLAGS": f"--xla_cpu_max_isa={xla} --xla_cpu_multi_thread_eigen=false",
    }


def pythons() -> dict[str, Path]:
    """The other versions of Python on this machine, from 3.11 on: {"3.13": path}, of those on the
    path or of pyenv.
    """
    folders = [
        *map(Path, os.get_exec_path()),
        *Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")).glob("versions/*/bin"),
    ]
    found: dict[str, Path] = {}
    for path in sorted(path for folder in folders for path in folder.glob("python3.[1-9][0-9]")):
        version = path.name.removeprefix("python")
        works = (
            subprocess.run([path, "-c", "import ensurepip"], capture_output=True).returncode == 0
        )
        if works and int(version[2:]) >= 11 and int(version[2:]) != sys.version_info.minor:
            found.setdefault(version, path)
    return found


def settings() -> dict[str, Setting]:
    """All settings: {name: (function that gives the Python to run with, environment variables)}."""
    here = lambda: sys.executable
    found: dict[str, Setting] = {
        name: (here, environment) for name, environment in instruction_sets().items()
    }
    found |= {f"noise {seed}": (here, {"NOISE": str(seed)}) for seed in NOISES}
    return found | {
        f"Python {version}": (lambda path=path: installed(path), {})
        for version, path in pythons().items()
    }


def installed(python: Path) -> Path:
    """An environment of the lock for that Python, made once."""
    place = (BUILD / "machines" / digest(str(python), LOCK.read_text())).resolve()
    uv = [sys.executable, "-m", "uv"]
    if not (place / "ready").exists():
        subprocess.run([*uv, "venv", "--quiet", "--clear", "--python", python, place], check=True)
        subprocess.run(
            [
                *uv,
                "pip",
                "install",
                "--quiet",
                "--python",
                place,
                "--no-deps",
                "--require-hashes",
                "-r",
                LOCK,
            ],
            check=True,
        )
        (place / "ready").touch()
    return place / "bin/python"


def moved(name: str) -> list[str]:
    """What differs when the book is executed under a setting, as lines; none when nothing does. Of
    the quick profile: verdicts.
    """
    python, environment = settings()[name]
    with sources_copied() as copy:
        surroundings = os.environ | environment | {"NUMBA_CACHE_DIR": str(copy / BUILD / "numba")}
        done = subprocess.run(
            [python(), "-m", "doit", "ledger"],
            cwd=copy,
            env=surroundings,
            capture_output=True,
            text=True,
        )
        if done.returncode:
            return (done.stdout + done.stderr).splitlines()[-60:]
        rebuilt = read(copy / "_build/results.json")
        if PROFILE != "paper":
            return compare(outline(committed(), PROFILE), outline(rebuilt, PROFILE))
        pages = [
            line for chapter in chapters() for line in reworded(chapter, copy / executed(chapter))
        ]
    return compare(committed(), rebuilt) + pages


def reworded(chapter: str, elsewhere: Path) -> list[str]:
    """Lines that a chapter prints otherwise than here: other words, or a number that is off by more
    than one in its last digit.
    """
    here, there = (list(printed(read(path))) for path in (executed(chapter), elsewhere))
    if len(here) != len(there):
        return [f"{chapter}: {len(here)} lines of output became {len(there)}"]
    return [
        f"{chapter}: {old!r} became {new!r}"
        for old, new in zip(here, there)
        if not same_line(old, new)
    ]


def printed(notebook: JsonObject) -> Iterator[str]:
    """The lines of all outputs of an executed notebook that are text: printed, displayed, or a
    caption.
    """
    for cell in notebook["cells"]:
        for output in cell.get("outputs", []):
            shown = output.get("data", {})
            html = "".join(shown.get("text/html", ""))
            yield from "".join(output.get("text", "")).splitlines()
            if not re.search(r"<div class=.verdict", html):  # that is the ledger's
                yield from "".join(
                    shown.get("text/latex", shown.get("text/plain", ""))
                ).splitlines()
            yield from re.findall(r"<figcaption>(.*?)</figcaption>", html)


def same_line(old: str, new: str) -> bool:
    """Whether two lines have the same words, and numbers that differ by one in their last digit at
    most.

    >>> same_line("0.333 of 12", "0.334 of 12"), same_line("0.333 of 12", "0.335 of 12")
    (True, False)
    >>> same_line("it is", "it is not")
    False
    """
    if NUMBER.split(old) != NUMBER.split(new):
        return False
    pairs = zip(NUMBER.findall(old), NUMBER.findall(new), strict=True)
    return all(
        abs(Decimal(one) - Decimal(other)) <= max(last_place(one), last_place(other))
        for one, other in pairs
    )


def last_place(number: str) -> Decimal:
    """The value of a 1 in the last digit, for an integer 0.

    >>> last_place("0.333"), last_place("1.5e-08"), last_place("12")
    (Decimal('0.001'), Decimal('1E-9'), Decimal('0'))
    """
    place = Decimal(1).scaleb(int(Decimal(number).as_tuple().exponent))
    return place if "." in number or "e" in number else Decimal(0)


def check_all() -> TaskFailed | None:
    """Execute the book under each setting, or those that ONLY names, and refuse what moved."""
    known = settings()
    wanted = [name.strip() for name in os.environ.get("ONLY", ",".join(known)).split(",")]
    if unknown := [name for name in wanted if name not in known]:
        return TaskFailed(f"ONLY names {', '.join(unknown)}; this machine has {', '.join(known)}.")
    failed = {}
    for name in wanted:
        began = time.time()
        if lines := moved(name):
            failed[name] = lines
        print(
            "\n".join(
                [f"{name}: {len(lines) or 'nothing'} moved, {time.time() - began:.0f} s", *lines]
            ),
            flush=True,
        )
    if failed:
        return TaskFailed(
            f"The book is not the same under: {', '.join(failed)}. What moved stands above."
        )
    return None
