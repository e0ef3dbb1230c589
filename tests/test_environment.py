"""The lock is what pyproject.toml asks for, environment.yml is what the lock gives, and make says what it lacks."""

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name

from pipeline.environment import environment, pins

ROOT = Path(__file__).parents[1]
LOCK = (ROOT / "requirements.txt").read_text()
PROJECT = (ROOT / "pyproject.toml").read_text()


def declared(project):
    """What pyproject.toml asks for, in all groups together: {name: specifier}."""
    data = tomllib.loads(project)
    groups = [data["project"]["dependencies"], *data["dependency-groups"].values()]
    wanted = [Requirement(text) for group in groups for text in group]
    found = {}
    for one in wanted:
        name = canonicalize_name(one.name)
        found[name] = found.get(name, SpecifierSet()) & one.specifier
    return found


def asked_for(lock):
    """What the lock holds because pyproject.toml asked for it: {name: [versions]}."""
    found = {}
    for name, version, notes in re.findall(r"^([\w.-]+)(?:\[.*?\])?==(\S+)[^#]*\n((?:    #.*\n?)+)", lock, re.M):
        if "polycore (pyproject.toml" in notes:
            found.setdefault(canonicalize_name(name), []).append(version)
    return found


def staleness(project, lock):
    """Why the lock is not one of this project; nothing when it is."""
    wanted, found = declared(project), asked_for(lock)
    lines = [f"{name}: asked for, not locked" for name in wanted.keys() - found.keys()]
    lines += [f"{name}: locked, no longer asked for" for name in found.keys() - wanted.keys()]
    for name in wanted.keys() & found.keys():
        lines += [f"{name}: {one} is not {wanted[name]}" for one in found[name] if one not in wanted[name]]
    return lines


def test_lock_is_that_of_the_project():
    assert staleness(PROJECT, LOCK) == [], "run: make lock"


@pytest.mark.parametrize(
    ("project", "complaint"),
    [
        (PROJECT.replace('"scipy>=1.13",', '"scipy>=1.13",\n    "pandas",'), "pandas: asked for, not locked"),
        (PROJECT.replace('"scipy>=1.13",\n', ""), "scipy: locked, no longer asked for"),
        (PROJECT.replace("scipy>=1.13", "scipy>=99"), "scipy: 1"),
    ],
)
def test_stale_lock_is_noticed(project, complaint):
    lines = staleness(project, LOCK)
    assert lines and all(line.startswith(complaint) for line in lines)


def test_lock_names_no_index_and_hashes_everything():
    assert "://" not in LOCK
    blocks = re.split(r"^(?=\w)", LOCK, flags=re.M)[1:]
    assert len(blocks) == len(pins(LOCK))
    assert all("--hash=sha256:" in block for block in blocks)


def test_environment_is_generated_from_the_lock():
    assert (ROOT / "environment.yml").read_text() == environment(LOCK), "run: make lock"


def test_stale_environment_is_noticed():
    changed = re.sub(r"^numpy==(\S+)", r"numpy==\g<1>9", LOCK, flags=re.M)
    assert changed != LOCK
    assert (ROOT / "environment.yml").read_text() != environment(changed)


@pytest.mark.parametrize(
    ("lack", "message"),
    [
        ("import sys; sys.version_info = (3, 8)", "Python 3.11 or newer is needed"),
        ("import sys; sys.modules['venv'] = None", "apt-get install python3-venv"),
    ],
)
def test_make_says_what_python_lacks(lack, message, tmp_path):
    for name in ("Makefile", "requirements.txt", "pyproject.toml"):
        (tmp_path / name).write_bytes((ROOT / name).read_bytes())
    python = tmp_path / "python"
    python.write_text(f'#!/bin/sh\nexec {sys.executable} -c "{lack}; $2"\n')  # whatever make asks of it after -c
    python.chmod(0o755)
    done = subprocess.run(["make", f"PYTHON={python}", "book"], cwd=tmp_path, text=True, capture_output=True)
    assert done.returncode != 0
    assert message in done.stderr
    assert not (tmp_path / ".venv").exists()
