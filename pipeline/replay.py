"""The second opinion: every arithmetic obligation of the proofs, decided again by cvc5."""

import re
from multiprocessing import TimeoutError, get_context

from doit.exceptions import TaskFailed

from pipeline.files import read
from pipeline.ledger import OBLIGATIONS


SECONDS = 60  # for cvc5, on each obligation


def answer(obligation):
    """What cvc5 prints for an SMT-LIB 2 script: ``unsat`` where it agrees with Z3."""
    import cvc5  # only `make check` needs it

    solver = cvc5.Solver()
    solver.setOption("tlimit-per", str(1000 * SECONDS))
    parser = cvc5.InputParser(solver)
    parser.setStringInput(cvc5.InputLanguage.SMT_LIB_2_6, obligation, "obligation")
    said = []
    while not (command := parser.nextCommand()).isNull():
        said.append(command.invoke(solver, parser.getSymbolManager()))
    return "".join(said).strip()


def canonical(obligation):
    """The same script with the names that Z3 drew for shared parts, such as ``?x3814``, numbered from 0."""
    names = {}
    return re.sub(r"[?$]x\d+", lambda name: names.setdefault(name[0], f"{name[0][:2]}{len(names)}"), obligation)


def replay(obligations, patience=2 * SECONDS):
    """Refuse unless there are obligations and cvc5 says ``unsat`` to each that differs from the others."""
    if not obligations:
        return TaskFailed("No notebook emitted an obligation: there is nothing to replay, so nothing was checked.")
    distinct = list(dict.fromkeys(map(canonical, obligations)))
    with get_context("spawn").Pool() as pool:  # left by killing it: cvc5 can overrun its own limit
        answers = pool.imap(answer, distinct)
        for obligation in distinct:
            try:
                said = answers.next(patience)
            except TimeoutError:
                said = f"nothing in {patience} s"
            if said != "unsat":
                return TaskFailed(f"cvc5 says {said!r}, not 'unsat', to this obligation that Z3 discharged:\n{obligation}")
    print(f"Obligations that cvc5 replayed, every one of them unsat: {len(distinct)}")


def replay_all():
    return replay([text for path in sorted(OBLIGATIONS.glob("*.json")) for text in read(path)])
