"""The second opinion: every query that Z3 was asked for a proof of the ledger, decided again by cvc5."""

import json
from multiprocessing import TimeoutError, get_context
from pathlib import Path

from doit.exceptions import TaskFailed

from pipeline.files import BUILD, digest, read, write

ASKED = BUILD / "queries"  # by chapter: claim, proof, queries
REFERENCE = Path("book/queries.json")
SECONDS = 60  # for cvc5, on each query
REMEDY = "If the proof was meant to change: .venv/bin/doit accept, then commit book/queries.json."


def answer(query):
    """What cvc5 prints for an SMT-LIB 2 script: ``unsat`` where it agrees with Z3."""
    import cvc5  # only `make check` needs it

    solver = cvc5.Solver()
    solver.setOption("tlimit-per", str(1000 * SECONDS))
    solver.setOption("fresh-binders", "true")  # as the standard has it, and without a warning for each
    parser = cvc5.InputParser(solver)
    parser.setStringInput(cvc5.InputLanguage.SMT_LIB_2_6, query, "query")
    said = []
    while not (command := parser.nextCommand()).isNull():
        said.append(command.invoke(solver, parser.getSymbolManager()))
    return "".join(said).strip()


def replay(queries, patience=2 * SECONDS):
    """Refuse unless there are queries and cvc5 says ``unsat`` to each that differs from the others."""
    if not queries:
        return TaskFailed("No notebook emitted a query: there is nothing to replay, so nothing was checked.")
    distinct = list(dict.fromkeys(queries))
    with get_context("spawn").Pool() as pool:  # left by killing it: cvc5 can overrun its own limit
        answers = pool.imap(answer, distinct)
        for query in distinct:
            try:
                said = answers.next(patience)
            except TimeoutError:
                said = f"nothing in {patience} s"
            if said != "unsat":
                return TaskFailed(f"cvc5 says {said!r}, not 'unsat', to this query that Z3 decided:\n{query}")
    print(f"Queries that cvc5 decided again, every one of them unsat: {len(distinct)}")


def behind(asked):
    """For each proof how many queries stand behind it, and a digest of them: what is committed, and notices one that is gone or another."""
    return {key: {what: [len(queries), digest(sorted(queries))] for what, queries in proofs.items()} for key, proofs in asked.items()}


def unlike(ledger, asked, committed):
    """A line for each proof of the ledger behind which other queries stand than those committed, or none."""
    proofs = [(claim["id"], item["what"]) for claim in ledger for item in claim["evidence"] if item["kind"] == "proof"]
    found = {key: behind(asked).get(key[0], {}).get(key[1]) for key in proofs}
    wanted = {(key, what): pair for key, pairs in committed.items() for what, pair in pairs.items()}
    for key in dict.fromkeys([*wanted, *found]):
        old, new = wanted.get(key), found.get(key)
        if old != new:
            words = ["none" if pair is None else f"{pair[0]} queries, {pair[1]}" for pair in (old, new)]
            yield f"{key[0]}, “{key[1]}”: committed {words[0]}; now {words[1]}"


def collected():
    """By claim and proof, the queries that the chapters emitted."""
    return {key: proofs for path in sorted(ASKED.glob("*.json")) for key, proofs in read(path).items() if proofs}


def accept():
    """Make the queries of this build the committed ones."""
    lines = [f"  {json.dumps(key)}: {json.dumps(proofs, ensure_ascii=False)}" for key, proofs in behind(collected()).items()]
    write(REFERENCE, "{\n" + ",\n".join(lines) + "\n}\n")


def replay_all():
    """Refuse where other queries stand behind a proof than those committed, and what cvc5 does not decide as Z3 did."""
    asked = collected()
    if lines := list(unlike(read(BUILD / "results.json"), asked, read(REFERENCE) if REFERENCE.exists() else {})):
        return TaskFailed("\n".join(["The queries behind the proofs are not the committed ones:", *lines, REMEDY]))
    return replay([text for proofs in asked.values() for queries in proofs.values() for text in queries])
