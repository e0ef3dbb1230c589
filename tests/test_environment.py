"""The lock is what pyproject.toml asks for, environment.yml is what the lock gives, and make says
what it lacks.
"""

import os
import re
import subprocess
import sys
import tomllib
from collections import Counter
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name

from pipeline.environment import environment, pins

ROOT = Path(__file__).parents[1]
LOCK = (ROOT / "requirements.txt").read_text()
ALSO = (ROOT / "mutants.txt").read_text()  # what `make mutants` adds
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
    for name, version, notes in re.findall(
        r"^([\w.-]+)(?:\[.*?\])?==(\S+)[^#]*\n((?:    #.*\n?)+)", lock, re.M
    ):
        if "polycore (pyproject.toml" in notes:
            found.setdefault(canonicalize_name(name), []).append(version)
    return found


def staleness(project, lock):
    """Why the lock is not one of this project; nothing when it is."""
    wanted, found = declared(project), asked_for(lock)
    lines = [f"{name}: asked for, not locked" for name in wanted.keys() - found.keys()]
    lines += [f"{name}: locked, no longer asked for" for name in found.keys() - wanted.keys()]
    for name in wanted.keys() & found.keys():
        lines += [
            f"{name}: {one} is not {wanted[name]}" for one in found[name] if one not in wanted[name]
        ]
    return lines


def left_out(folders):
    """The files whose examples no test runs, where it runs those of these folders."""
    sources = {path.relative_to(ROOT) for path in ROOT.glob("[!._]*/**/*.py")}
    examples = {path for path in sources if re.search(r"^\s*>>> ", (ROOT / path).read_text(), re.M)}
    return {path for path in examples if path.parts[0] not in folders}


def test_the_examples_of_all_docstrings_are_run():
    folders = tomllib.loads(PROJECT)["tool"]["pytest"]["ini_options"]["testpaths"]
    assert left_out(folders) == set()
    assert Path("pipeline/shown.py") in left_out(["tests", "polycore"])


def test_lock_is_that_of_the_project():
    assert staleness(PROJECT, LOCK + ALSO) == [], "run: make lock"


@pytest.mark.parametrize(
    ("project", "complaint"),
    [
        (
            PROJECT.replace('"scipy>=1.13",', '"scipy>=1.13",\n    "pandas",'),
            "pandas: asked for, not locked",
        ),
        (PROJECT.replace('"scipy>=1.13",\n', ""), "scipy: locked, no longer asked for"),
        (PROJECT.replace("scipy>=1.13", "scipy>=99"), "scipy: 1"),
    ],
)
def test_stale_lock_is_noticed(project, complaint):
    lines = staleness(project, LOCK + ALSO)
    assert lines and all(line.startswith(complaint) for line in lines)


def test_lock_names_no_index_and_hashes_everything():
    assert "://" not in LOCK + ALSO
    blocks = re.split(r"^(?=\w)", LOCK, flags=re.M)[1:]
    assert len(blocks) == len(pins(LOCK))
    assert all("--hash=sha256:" in block for block in blocks)


def versions(lock):
    """Packages that are pinned to more than one version, each for some Pythons or platforms."""
    versions = {pin.partition(" ;")[0] for pin in pins(lock)}
    names = Counter(pin.partition("==")[0] for pin in versions)
    return [name for name, number in names.items() if number > 1]


def test_every_python_has_the_same_versions():
    """NumPy 2.5 draws other binomial numbers than NumPy 2.4 does from the same seed."""
    assert versions(LOCK) == versions(LOCK + ALSO) == []
    assert versions(LOCK + "numpy==2.5.5 ; python_full_version >= '3.12' \\\n") == ["numpy"]


def test_environment_is_generated_from_the_lock():
    assert (ROOT / "environment.yml").read_text() == environment(LOCK), "run: make lock"


def test_stale_environment_is_noticed():
    changed = re.sub(r"^numpy==(\S+)", r"numpy==\g<1>9", LOCK, flags=re.M)
    assert changed != LOCK
    assert (ROOT / "environment.yml").read_text() != environment(changed)


def uninstallable(platform, python):
    """Why the lock does not install there, without compiling anything; nothing when it does. Asks
    the package index.
    """
    command = [
        sys.executable,
        "-m",
        "uv",
        "pip",
        "compile",
        "requirements.txt",
        "--no-deps",
        "--only-binary",
        ":all:",
        "--quiet",
    ]
    command += [
        "--python-platform",
        platform,
        "--python-version",
        python,
        "--output-file",
        os.devnull,
    ]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    return done.stderr if done.returncode else ""


NEWEST = "3.14"


# All by one worker: it waits for the index, and the others compute.
waits = pytest.mark.xdist_group("index")


@waits
@pytest.mark.slow
@pytest.mark.parametrize("python", ["3.11", NEWEST])
@pytest.mark.parametrize(
    "platform", ["x86_64-unknown-linux-gnu", "aarch64-manylinux_2_39", "aarch64-apple-darwin"]
)
def test_lock_installs_from_wheels(platform, python):
    assert uninstallable(platform, python) == ""


@waits
@pytest.mark.slow
def test_lock_that_lacks_a_wheel_is_noticed():
    assert "z3-solver" in uninstallable("aarch64-manylinux_2_28", "3.11")  # made for a newer glibc


WORKFLOW = ROOT / ".github/workflows/book.yml"


def test_workflow_tries_the_oldest_and_the_newest_python():
    assert set(re.findall(r'"(3\.\d+)"', WORKFLOW.read_text())) == {"3.11", NEWEST}


def lint(file, schema="vendor.github-workflows"):
    command = ["check-jsonschema", "--builtin-schema", schema, str(file)]
    program = Path(sys.executable).with_name(command[0])
    return subprocess.run([program, *command[1:]], capture_output=True, text=True)


def test_workflow_has_the_form_of_one(tmp_path):
    assert lint(WORKFLOW).returncode == 0, lint(WORKFLOW).stdout
    spoilt = tmp_path / "book.yml"
    spoilt.write_text(WORKFLOW.read_text().replace("runs-on:", "run-on:", 1))
    assert "run-on" in lint(spoilt).stdout


def test_issue_templates_have_the_form_of_one(tmp_path):
    forms = sorted(ROOT.glob(".github/ISSUE_TEMPLATE/f*.yml"))
    assert [lint(form, "vendor.github-issue-forms").returncode for form in forms] == [0, 0]
    spoilt = tmp_path / "form.yml"
    spoilt.write_text(forms[0].read_text().replace("type: textarea", "type: area", 1))
    assert lint(spoilt, "vendor.github-issue-forms").returncode


HOOKS = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text())["repos"][0]["hooks"]


def test_hooks_refuse_a_long_subject_and_a_long_subject_only():
    [subject] = [hook for hook in HOOKS if hook.get("stages") == ["commit-msg"]]
    refused = lambda message: bool(re.search(subject["entry"], message, re.MULTILINE))
    assert refused("x" * 73) and refused("x" * 73 + "\n\nWhy.")
    assert not refused("x" * 72 + "\n\n" + "y" * 100)


def test_hooks_run_the_tools_of_the_lock_and_load_nothing():
    assert {hook["language"] for hook in HOOKS} == {"system", "pygrep"}
    system = [hook["entry"].split()[0] for hook in HOOKS if hook["language"] == "system"]
    assert {Path(program).parent for program in system} == {Path(".venv/bin")}


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
    python.write_text(
        f'#!/bin/sh\nexec {sys.executable} -c "{lack}; $2"\n'
    )  # whatever make asks of it after -c
    python.chmod(0o755)
    done = subprocess.run(
        ["make", f"PYTHON={python}", "book"], cwd=tmp_path, text=True, capture_output=True
    )
    assert done.returncode != 0
    assert message in done.stderr
    assert not (tmp_path / ".venv").exists()
