"""Mutants of the code: one small change at a time, which a test must notice (`make mutants`).

Cosmic Ray makes the changes, each in a copy of the sources, and the tests that name the module are
run there. What was found is kept as it arrives, and stands as long as the module and the tests that
decided are what they were.
"""

from __future__ import annotations

import json
import math
import multiprocessing
import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from contextlib import ExitStack
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from tqdm import tqdm

from pipeline.changes import chosen, is_equivalent, report
from pipeline.dependencies import imported
from pipeline.execution import THREADS
from pipeline.files import BUILD, JsonObject, digest, read, sources_copied, whole, write
from pipeline.kernels import die_with_parent
from polycore.montecarlo import lower_limit

if TYPE_CHECKING:  # of the group "mutants", which the book does without
    from cosmic_ray.work_item import MutationSpec

FOLDER = BUILD / "mutants"
KEPT = FOLDER.resolve() / "seconds"  # as a worker in its copy finds it
RECORD = Path("book/mutants.json")
# Of each kind of change one: the others (+ for *, | or >> too) nearly all end in an exception.
SWAPPED = {
    "BinaryOperator": "Add_Sub Sub_Add Mul_Div Div_Mul FloorDiv_Div Mod_FloorDiv Pow_Mul",
    "ComparisonOperator": "Lt_LtE LtE_Lt Gt_GtE GtE_Gt Eq_NotEq NotEq_Eq Is_IsNot IsNot_Is",
}
OPERATORS = (
    *(f"Replace{kind}_{pair}" for kind, pairs in SWAPPED.items() for pair in pairs.split()),
    *("ReplaceUnaryOperator_USub_UAdd", "ReplaceUnaryOperator_Delete_Not", "AddNot"),
    *("ReplaceTrueWithFalse", "ReplaceFalseWithTrue", "ReplaceAndWithOr", "ReplaceOrWithAnd"),
    *("ReplaceBreakWithContinue", "ReplaceContinueWithBreak", "ZeroIterationForLoop"),
    *("ExceptionReplacer", "NumberReplacer"),  # a number: one more, and one less
)
# In one process, for there is a mutant on every core, and no longer than whoever asks; the site is
# built from the core elsewhere.
MORTAL = "import sys, pytest, pipeline.kernels as k; k.die_with_parent(); sys.exit(pytest.main())"
TESTS = f"{sys.executable} -c '{MORTAL}' -x --tb=no -rfE -p no:cacheprovider -m 'not site' "
# What tests all modules of a folder: limits of parameters, and types; the build; the theorems, with
# the record of what Coq had; and the digests of the recorded runs.
ALL_OF = {
    "polycore.": ["tests/test_limits.py", "tests/test_types.py"],
    "polycore.language.": ["tests/test_runs.py"],
    "polycore.theory.": ["tests/test_lemmas.py", "tests/test_coq.py"],
    "pipeline.": ["tests/test_build.py", "tests/test_failure.py"],
}
PATIENCE = 3, 20  # times as long as without a change, and seconds more


@cache
def source(path: str | Path) -> str:
    return Path(path).read_text(encoding="utf-8")


@cache
def modules() -> dict[str, Path]:
    """All modules of the core and the build, by the names under which they are imported."""
    paths = sorted([*Path("polycore").rglob("*.py"), *Path("pipeline").glob("*.py")])
    dotted = {".".join(path.with_suffix("").parts): path for path in paths}
    return {name.removesuffix(".__init__"): path for name, path in dotted.items()}


def mutants(path: Path) -> Iterator[MutationSpec]:
    """All mutants of a module."""
    from cosmic_ray.ast import ast_nodes, get_ast
    from cosmic_ray.plugins import get_operator
    from cosmic_ray.work_item import MutationSpec

    nodes = [*ast_nodes(get_ast(source(path)))]
    for name in OPERATORS:
        operator = get_operator(f"core/{name}")()
        places = [place for node in nodes for place in operator.mutation_positions(node)]
        for k, place in enumerate(places):
            yield MutationSpec(path, f"core/{name}", k, *place)


@cache
def naming() -> dict[str, frozenset[str]]:
    """The modules that each file of tests names, and what the packages among them hand on."""
    files, found = modules(), dict[str, frozenset[str]]()
    for path in sorted(Path("tests").glob("test_*.py")):
        names = (imported(source(path)) or frozenset()) & files.keys()
        packages = [name for name in names if files[name].name == "__init__.py"]
        handed = [imported(source(files[name])) or frozenset() for name in packages]
        found[str(path)] = names.union(*handed) & files.keys()
    return found


@cache
def own_tests(name: str) -> list[str]:
    """The examples of a module and the tests that name it, that of its name first, then the most
    special; where none does, the tests of the modules that import it.
    """
    own = {path for path, names in naming().items() if name in names}
    if not own:
        files = modules()
        users = [user for user in files if name in (imported(source(files[user])) or ())]
        own = {path for user in users if user != name for path in own_tests(user)} & {*naming()}
    first = f"tests/test_{name.rpartition('.')[2].strip('_')}.py"
    order = sorted(own, key=lambda path: (path != first, len(naming()[path]), path))
    more = [path for start, paths in ALL_OF.items() if name.startswith(start) for path in paths]
    return [*dict.fromkeys([str(modules()[name]), *order, *more])]


def found_of(name: str, mutant: MutationSpec) -> Path:
    """The file of what was found of a mutant."""
    key = source(mutant.module_path), mutant.operator_name, mutant.occurrence
    return FOLDER / name / f"{digest(*key)}.json"


def known(name: str, mutant: MutationSpec) -> JsonObject | None:
    """What was found of a mutant, if the tests that decided are what they were: the one that killed
    it, or all.
    """
    found: JsonObject | None = whole(found_of(name, mutant))
    if not found:
        return None
    tests, own = found["tests"], {*own_tests(name)}
    the_same = all(path in own and digest(source(path)) == was for path, was in tests.items())
    return found if the_same and (found["by"] or own == tests.keys()) else None


def enter(copies: multiprocessing.Queue[str]) -> None:
    """A worker goes into its copy, compiled, since the tests may write nothing there."""
    die_with_parent()
    os.chdir(copies.get())
    os.environ |= {"PYTHONPATH": os.getcwd(), **THREADS}
    subprocess.run([sys.executable, "-m", "compileall", "-q", "polycore", "pipeline", "tests"])


def seconds(test: str) -> float:
    """How long a file of tests takes without a change, measured once; 0 where all of it is about
    the site.
    """
    from cosmic_ray.testing import TestOutcome, run_tests

    kept = KEPT / f"{Path(test).stem}-{digest(source(test))}.json"
    if (known := whole(kept)) is not None:
        return known
    began = time.time()
    outcome, said = run_tests(TESTS + test, 3600)
    passed = re.search(r"\d passed", said)
    if outcome != TestOutcome.SURVIVED and (passed or "deselected" not in said):
        raise RuntimeError(f"{test} fails without any change:\n{said}")
    write(kept, json.dumps(time.time() - began if passed else 0))
    return read(kept)


def tried(name: str, mutant: MutationSpec) -> JsonObject:
    """What the tests say of a mutant."""
    from cosmic_ray.mutating import mutate_and_test

    times, more = PATIENCE
    examples, *tests = own_tests(name)
    tests = [test for test in tests if seconds(test)]
    limit = more + times * sum(map(seconds, tests))
    result = mutate_and_test([mutant], TESTS + " ".join([examples, *tests]), limit)
    if result.diff is None:
        raise RuntimeError(f"{mutant}: {result.output}")
    failed = re.findall(r"^(?:FAILED|ERROR) ([\w/]+\.py)", result.output, re.M)
    none_ran = re.search(r"^(no tests ran|\d+ deselected in)", result.output, re.M)
    ended = "INTERNALERROR" in result.output  # as they were imported
    decided = failed or own_tests(name)
    side = lambda sign: "\n".join(
        line[1:].strip()
        for line in result.diff.split("\n")
        if re.match(rf"\{sign}(?!\{sign})", line)
    )
    return {
        "by": "killed" if result.is_killed and (ended or not none_ran) else "",
        "tests": {path: digest(source(path)) for path in decided},
        "seed": os.environ.get("SEED", ""),
        "line": mutant.start_pos[0],
        "was": side("-"),
        "becomes": side("+"),
    }


def tried_before(name: str, mutant: MutationSpec) -> JsonObject:
    """Of a mutant that other tests have tried: as which sample, and that it is no longer new."""
    before = whole(found_of(name, mutant))
    return {"seed": before.get("seed", ""), "again": True} if before else {}


def fresh(sample: list[tuple[str, MutationSpec]]) -> JsonObject:
    """What a sample says of all mutants, from those of it that were new: how many these are, which
    survived, how many of them are equivalent, and which share of all that are not is noticed at
    least, at 95 %. Otherwise what the one before it said: after a test was added because of a
    sample, it is an estimate no more.
    """
    found = [  # by the tests of that time
        {"module": str(one.module_path)} | (whole(found_of(name, one)) or {})
        for name, one in sample
    ]
    seed, said = os.environ.get("SEED"), read(RECORD).get("fresh", {})
    new = [made for made in found if made.get("seed") == seed]
    whole_sample = "SAMPLE" in os.environ and all("by" in made for made in found)
    if seed and new and whole_sample and not any("again" in made for made in new):
        keep = "module", "line", "was", "becomes"
        survived = [{key: made[key] for key in keep} for made in new if not made["by"]]
        said = {"seed": seed, "tried": len(new), "survived": survived}
    if not said:
        return {}
    alike = sum(is_equivalent(one["module"], one) for one in said["survived"])
    noticed = said["tried"] - len(said["survived"])
    least = math.floor(1000 * lower_limit(noticed, said["tried"] - alike, 0.05)) / 1000
    return said | {"equivalent": alike, "least": least}


def try_all() -> str | None:
    """Try the mutants of which nothing is known, say which survived, and keep the record."""
    everything = [(name, one) for name, path in modules().items() for one in mutants(path)]
    sample = chosen(everything, [*modules()])
    unknown = [one for one in sample if not known(*one)]
    with ExitStack() as stack:
        many = os.cpu_count() or 1
        spawn = multiprocessing.get_context("spawn")
        copies = spawn.Queue()
        for _ in range(many):
            copies.put(str(stack.enter_context(sources_copied())))
        pool = stack.enter_context(ProcessPoolExecutor(many, spawn, enter, (copies,)))
        jobs = {pool.submit(tried, *one): one for one in unknown}
        stack.callback(pool.shutdown, cancel_futures=True)  # an error need not wait for the others
        for job in tqdm(as_completed(jobs), total=len(jobs), unit="mutant"):
            write(found_of(*jobs[job]), json.dumps(job.result() | tried_before(*jobs[job])))
    every = [name for name, _ in everything]
    rows = [(name, modules()[name], made) for name, one in everything if (made := known(name, one))]
    return report(RECORD, every, ["killed"], rows, fresh=fresh(sample))


if __name__ == "__main__":
    sys.exit(try_all())
