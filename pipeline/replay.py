"""The second opinion: every query that Z3 was asked for a proof of the ledger, decided again by
cvc5.
"""

import json
import os
import re
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import product, repeat
from multiprocessing import get_context
from multiprocessing.connection import Connection
from pathlib import Path

from doit.exceptions import TaskFailed

from pipeline.files import BUILD, JsonObject, digest, read, write

Strategy = tuple[dict[str, str], float]  # options of cvc5, and seconds
Asked = dict[str, dict[str, list[str]]]  # by claim and proof, the queries
Behind = dict[str, dict[str, list[int | str]]]  # by claim and proof, how many and a digest

ASKED = BUILD / "queries"  # by chapter: claim, proof, queries
REFERENCE = Path("book/queries.json")
# How cvc5 goes about it, with its seconds. No one way decides all: what is mostly logic drowns in
# nonlinear lemmas, and the reverse. What one way does not decide in a second another mostly does.
PLAIN = {
    "enum-inst": "true"
}  # a sequence at i − 1 matches no pattern, so instances are also enumerated
WAYS = (
    PLAIN,
    {"nl-ext": "none", "nl-cov": "true", "decision": "internal"},
    PLAIN | {"decision": "internal"},
    {"nl-cov": "false"},
    {"nl-ext-rewrite": "false"},  # products of several quotients by one letter
)
STRATEGIES = (*((way, seconds) for seconds in (0.3, 1, 5) for way in WAYS), (PLAIN, 120))
START = 60  # seconds for a process to begin
REMEDY = "If the proof was meant to change: .venv/bin/doit accept, then commit book/queries.json."


def answer(queries: Iterable[str], options: dict[str, str], to: Connection) -> None:
    """Send ``to`` that it is ready, and then what cvc5 prints for each SMT-LIB 2 script: ``unsat``
    where it agrees with Z3.
    """
    import cvc5  # only `make check` needs it

    to.send("ready")
    for query in queries:
        solver = cvc5.Solver()
        for option in (
            {"fresh-binders": "true"} | options
        ).items():  # binders as the standard has them
            solver.setOption(*option)
        parser = cvc5.InputParser(solver)
        parser.setStringInput(cvc5.InputLanguage.SMT_LIB_2_6, query, "query")
        said = []
        while not (command := parser.nextCommand()).isNull():
            said.append(command.invoke(solver, parser.getSymbolManager()))
        to.send("".join(said).strip())


def until_one_fails(queries: Sequence[str], options: dict[str, str], seconds: float) -> list[str]:
    """What a process of its own says to the first queries, with ``seconds`` for each: cvc5 can
    overrun a limit that it sets itself.
    """
    processes = get_context("forkserver")
    # To import these takes half a second, and there are a hundred processes.
    processes.set_forkserver_preload(["__main__", __name__, "cvc5"])
    here, there = processes.Pipe(duplex=False)
    process = processes.Process(target=answer, args=(queries, options, there), daemon=True)
    process.start()
    there.close()
    said: list[str] = []
    try:
        if not here.poll(START):
            return [f"not ready in {START} s"]
        here.recv()
        while len(said) < len(queries) and here.poll(seconds):
            said.append(here.recv())
    except EOFError:
        return [*said, "nothing, and stopped"]
    finally:
        process.kill()
        process.join()
    return said if len(said) == len(queries) else [*said, f"nothing in {seconds} s"]


def turned(query: str) -> str:
    """The query with its declarations in the opposite order, in which cvc5 eliminates variables."""
    declared = re.findall(r"^\(declare-fun .*", query, re.MULTILINE)
    return re.sub(r"^\(declare-fun .*", lambda _: declared.pop(), query, flags=re.MULTILINE)


def decided(queries: Iterable[str], strategies: Iterable[Strategy]) -> dict[str, str | None]:
    """To each query the first answer of a strategy that has one, or what the last said."""
    said: dict[str, str | None] = dict.fromkeys(queries)
    # All ways that are as short, before a query is turned: mostly the second decides.
    ways = sorted(product(strategies, (False, True)), key=lambda one: (one[0][1], one[1]))
    for (options, seconds), other in ways:
        left = [query for query, words in said.items() if words not in ("sat", "unsat")]
        while left:
            asked = [turned(query) for query in left] if other else left
            words = until_one_fails(asked, options, seconds)
            said.update(zip(left, words))
            left = left[len(words) :]
    return said


def replay(
    queries: Sequence[str], strategies: Sequence[Strategy] = STRATEGIES
) -> TaskFailed | None:
    """Refuse unless there are queries and cvc5 says ``unsat`` to each distinct one."""
    if not queries:
        return TaskFailed(
            "No notebook emitted a query: there is nothing to replay, so nothing was checked."
        )
    distinct, cores = list(dict.fromkeys(queries)), os.cpu_count() or 1
    shares = [distinct[core::cores] for core in range(cores)]
    with ThreadPoolExecutor(len(shares)) as pool:
        said = {
            query: words
            for share in pool.map(decided, shares, repeat(strategies))
            for query, words in share.items()
        }
    for query, words in said.items():
        if words != "unsat":
            return TaskFailed(
                f"cvc5 says {words!r}, not 'unsat', to this query that Z3 decided:\n{query}"
            )
    print(f"Queries that cvc5 decided again, every one of them unsat: {len(distinct)}")
    return None


def behind(asked: Asked) -> Behind:
    """For each proof how many queries stand behind it, and a digest of them: what is committed, and
    notices one that is gone or another.
    """
    return {
        key: {what: [len(queries), digest(sorted(queries))] for what, queries in proofs.items()}
        for key, proofs in asked.items()
    }


def unlike(ledger: Iterable[JsonObject], asked: Asked, committed: Behind) -> Iterator[str]:
    """A line for each proof of the ledger behind which other queries stand than those committed, or
    none.
    """
    proofs = [
        (claim["id"], item["what"])
        for claim in ledger
        for item in claim["evidence"]
        if item["kind"] == "proof"
    ]
    now = behind(asked)  # once: a digest of all queries takes long
    found = {key: now.get(key[0], {}).get(key[1]) for key in proofs}
    wanted = {(key, what): pair for key, pairs in committed.items() for what, pair in pairs.items()}
    for key in dict.fromkeys([*wanted, *found]):
        old, new = wanted.get(key), found.get(key)
        if old != new:
            words = [
                "none" if pair is None else f"{pair[0]} queries, {pair[1]}" for pair in (old, new)
            ]
            yield f"{key[0]}, “{key[1]}”: committed {words[0]}; now {words[1]}"


def collected() -> Asked:
    """By claim and proof, the queries that the chapters emitted."""
    return {
        key: proofs
        for path in sorted(ASKED.glob("*.json"))
        for key, proofs in read(path).items()
        if proofs
    }


def accept() -> None:
    """Make the queries of this build the committed ones."""
    lines = [
        f"  {json.dumps(key)}: {json.dumps(proofs, ensure_ascii=False)}"
        for key, proofs in behind(collected()).items()
    ]
    write(REFERENCE, "{\n" + ",\n".join(lines) + "\n}\n")


def replay_all() -> TaskFailed | None:
    """Refuse where other queries stand behind a proof than those committed, and what cvc5 does not
    decide as Z3 did.
    """
    asked = collected()
    if lines := list(
        unlike(read(BUILD / "results.json"), asked, read(REFERENCE) if REFERENCE.exists() else {})
    ):
        return TaskFailed(
            "\n".join(["The queries behind the proofs are not the committed ones:", *lines, REMEDY])
        )
    return replay(
        [text for proofs in asked.values() for queries in proofs.values() for text in queries]
    )
