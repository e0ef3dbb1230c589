"""What depends on the last bit of a float is found: by the kernel's guard, by rounding noise, by a
processor held down.
"""

import json
import os
import subprocess
import sys
from types import SimpleNamespace

import pytest

from pipeline import machines as other_machines
from pipeline.machines import held_down, instruction_sets, last_place, pythons, same_line, settings

pytestmark = pytest.mark.slow

NOISES = "noise 1"


@pytest.fixture
def machines(built, monkeypatch):
    def machines(only):
        built.accept()
        monkeypatch.setenv("ONLY", only)
        return built.doit("machines")

    return machines


def test_a_planted_equality_stops_the_build(built):
    built.chapter(
        "one",
        "import numpy as np\nfrom polycore.models import attention",
        "small = attention.polynomial_attention([[1.0], [3.0]], *[np.eye(1)] * 3, "
        "1)\nprint(np.all(small == 2.5))",
    )
    status, printed = built.doit("book")
    assert status != 0
    assert (
        "FloatEquality: 'small == 2.5' compares array" in printed
        and "notebooks/one.ipynb failed in cell 5" in printed
    )


def test_nothing_moves_in_a_book_that_rests_on_no_last_bit(machines):
    status, printed = machines("noise 1")
    assert status == 0, printed
    assert "noise 1: nothing moved" in printed


PLANTED = [
    "exact('whole part of the logarithm of 8 to base 2', min(math.floor(math.log(8) / "
    "math.log(2)) for _ in range(20)), at_least=3)",
    "numeric('e to the power 1.5', max(math.exp(1.5) for _ in range(20)), 1e-17, 'hope', "
    "equals=4.4816890703380645)",
]


def test_what_rests_on_a_last_bit_is_found(built, machines):
    """A verdict at its threshold, an error that is too small, a sentence and digits past those that
    are earned.
    """
    more = "'more' if math.exp(1.5) > 4.4816890703380645 else 'less'"
    printed = f"print(*({more} for _ in range(20)))\nprint(math.exp(2.5))"
    built.chapter(
        "one",
        "import math\nfrom polycore.evidence import numeric",
        printed,
        finding="It is more than 2.",
    )
    notebook = built.load("one")
    last = notebook["cells"][-1]
    last["source"] = last["source"].replace(
        "size, at_least=2)]", f"size, at_least=2), {', '.join(PLANTED)}]"
    )
    built.save("one", notebook)
    status, found = machines(NOISES)
    assert status != 0 and "The book is not the same under: noise" in found
    assert "one: verdict: 'holds' became 'fails-as-stated'" in found
    for name in ("whole part of the logarithm of 8 to base 2", "e to the power 1.5"):
        assert f"one: evidence > {name} > passed: True became False" in found
    assert (
        f"notebooks/one: '{' '.join(['less'] * 20)}' became '" in found
        and "notebooks/one: '12.18249396070" in found
    )


def test_an_unknown_setting_is_named(built, monkeypatch):
    monkeypatch.setenv("PROFILE", "quick"), monkeypatch.setenv("ONLY", "noise 1, VAX")
    status, printed = built.doit("machines")
    assert status != 0 and "ONLY names VAX; this machine has " in printed and "noise 3" in printed


@pytest.mark.parametrize("name", sorted(instruction_sets()))
def test_settings_hold_numpy_and_blas_down(name):
    code = "import numpy as np; from numpy._core._multiarray_umath import __cpu_features__ as f; "
    code += "print(*[k for k in f if f[k]])"
    environment = os.environ | instruction_sets()[name]
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code], env=environment, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    newest = {"SSE4.2": "X86_V3", "AVX2": "X86_V4"}.get(name)
    assert newest is None or newest not in done.stdout.split()


def test_settings_are_those_of_this_machine():
    assert {"noise 1", "noise 2", "noise 3"} <= settings().keys()
    assert all(f"Python {version}" in settings() for version in pythons())
    assert f"3.{sys.version_info.minor}" not in pythons()
    assert (
        held_down(["A", "B"], "Nehalem", "-AVX2", "nehalem", "SSE4_2")["NPY_DISABLE_CPU_FEATURES"]
        == "A B"
    )


@pytest.mark.parametrize(
    ("old", "new", "same"),
    [
        ("0.333 ± 1e-05", "0.334 ± 1e-05", True),
        ("0.333", "0.335", False),
        ("12 of 12", "11 of 12", False),
        ("1.5e-08", "1.6e-08", True),
        ("1.5e-08", "1.5e-07", False),
        ("holds", "fails", False),
        ("-0.0", "0.0", True),
        ("n = 1000000", "n = 1000001", False),
        ("a b", "a  b", False),
    ],
)
def test_lines_may_differ_by_one_in_a_last_digit(old, new, same):
    assert same_line(old, new) is same


def test_last_places():
    assert [str(last_place(number)) for number in ("0.50", "3e-7", "7")] == ["0.01", "1E-7", "0"]


@pytest.mark.parametrize(
    ("machine", "has", "sets"),
    [
        ("aarch64", [], {}),
        ("x86_64", [], {"SSE4.2": ""}),
        ("x86_64", ["X86_V3"], {"SSE4.2": "X86_V3", "another BLAS kernel": None}),
        (
            "AMD64",
            ["X86_V3", "X86_V4", "AVX512_ICL"],
            {
                "SSE4.2": "X86_V3 X86_V4 AVX512_ICL",
                "AVX2": "X86_V4 AVX512_ICL",
                "another BLAS kernel": None,
            },
        ),
    ],
)
def test_a_processor_is_held_down_to_what_it_has(monkeypatch, machine, has, sets):
    """And NumPy is told to leave out what is newer, of what it would use here."""
    known = ["X86_V3", "X86_V4", "AVX512_ICL"]
    compiled = SimpleNamespace(
        __cpu_features__={name: name in has for name in known}, __cpu_dispatch__=known
    )
    monkeypatch.setattr(other_machines.platform, "machine", lambda: machine)
    monkeypatch.setattr(other_machines.importlib, "import_module", lambda name: compiled)
    found = instruction_sets()
    told = {name: one.get("NPY_DISABLE_CPU_FEATURES") for name, one in found.items()}
    assert told == sets and other_machines.least() == found.get("SSE4.2", {})


def test_other_pythons_are_those_from_3_11_on_that_work(monkeypatch, tmp_path):
    """The first on the path; and the one that runs here is not another."""
    bins = [tmp_path / name for name in ("first", "second", "pyenv/versions/3.15.0/bin")]
    there = {"first": "3.10 3.11 3.14", "second": "3.11 3.12 3.13", bins[2]: "3.15"}
    for folder, versions in there.items():
        (tmp_path / folder).mkdir(parents=True)
        for version in versions.split():
            program = tmp_path / folder / f"python{version}"
            program.write_text(f"#!/bin/sh\nexit {int(version == '3.12')}\n")
            program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{bins[0]}:{bins[1]}")
    monkeypatch.setenv("PYENV_ROOT", str(tmp_path / "pyenv"))
    here = SimpleNamespace(version_info=SimpleNamespace(minor=14))
    monkeypatch.setattr(other_machines, "sys", here)
    found = {version: path.parent for version, path in pythons().items()}
    assert found == dict(zip(("3.11", "3.13", "3.15"), bins))


def test_another_python_gets_the_lock_once(monkeypatch, tmp_path):
    ran = []

    def run(command, check):
        assert check  # half of a lock is no environment
        ran.append(command)
        if "venv" in command:
            command[-1].mkdir(parents=True)

    monkeypatch.setattr(other_machines, "BUILD", tmp_path)
    monkeypatch.setattr(other_machines.subprocess, "run", run)
    python = other_machines.installed("python3.13")
    assert python.parts[-2:] == ("bin", "python") and python.is_relative_to(tmp_path / "machines")
    assert [("--require-hashes" in one, python.parents[1] in one) for one in ran] == [
        (False, True),
        (True, True),
    ]
    assert other_machines.installed("python3.13") == python and len(ran) == 2
    assert other_machines.installed("python3.12") != python and len(ran) == 4


def test_what_moved_is_listed_with_the_time_it_took(monkeypatch, capsys):
    monkeypatch.setenv("ONLY", "noise 1, noise 2")
    monkeypatch.setattr(other_machines, "settings", lambda: {"noise 1": (), "noise 2": ()})
    monkeypatch.setattr(other_machines, "moved", lambda name: ["a line"] * name.endswith("2"))
    clock = iter([10, 14, 20, 22.4])
    monkeypatch.setattr(other_machines, "time", SimpleNamespace(time=lambda: next(clock)))
    failed = other_machines.check_all()
    assert failed.message.startswith("The book is not the same under: noise 2.")
    assert capsys.readouterr().out == (
        "noise 1: nothing moved, 4 s\nnoise 2: 1 moved, 2 s\na line\n"
    )


def test_another_number_of_lines_is_a_difference(monkeypatch, tmp_path):
    def executed(name, *lines):
        cells = [{"outputs": [{"text": [f"{line}\n" for line in lines]}]}]
        (tmp_path / name).write_text(json.dumps({"cells": cells}))
        return tmp_path / name

    here = executed("here", "0.5 of 12", "so it is")
    monkeypatch.setattr(other_machines, "executed", lambda chapter: here)
    reworded = lambda *lines: other_machines.reworded("one", executed("there", *lines))
    assert reworded("0.5 of 12", "so it is") == []
    assert reworded("0.5 of 12") == ["one: 2 lines of output became 1"]
    assert reworded("0.5 of 12", "it is not") == ["one: 'so it is' became 'it is not'"]


def test_the_table_of_verdicts_is_not_printed_twice():
    """The ledger is compared by itself."""
    shown = lambda html, plain: {"data": {"text/html": [html], "text/plain": [plain]}}
    table, figure = '<div class="verdict">', "<figcaption>A</figcaption>"
    cell = {"outputs": [shown(table, "Lemma 1: holds"), shown(figure, "What it shows")]}
    assert [*other_machines.printed({"cells": [cell]})] == ["What it shows", "A"]
