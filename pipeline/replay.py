"""The second opinion: every arithmetic obligation of the proofs, decided again by cvc5."""

from doit.exceptions import TaskFailed

from pipeline.files import read
from pipeline.ledger import OBLIGATIONS


def answer(obligation, seconds=60):
    """What cvc5 prints for an SMT-LIB 2 script: ``unsat`` where it agrees with Z3."""
    import cvc5  # only `make check` needs it

    solver = cvc5.Solver()
    solver.setOption("tlimit-per", str(1000 * seconds))
    parser = cvc5.InputParser(solver)
    parser.setStringInput(cvc5.InputLanguage.SMT_LIB_2_6, obligation, "obligation")
    said = []
    while not (command := parser.nextCommand()).isNull():
        said.append(command.invoke(solver, parser.getSymbolManager()))
    return "".join(said).strip()


def replay(obligations):
    """Refuse unless there are obligations and cvc5 says ``unsat`` to each of them."""
    if not obligations:
        return TaskFailed("No notebook emitted an obligation: there is nothing to replay, so nothing was checked.")
    for obligation in obligations:
        if (said := answer(obligation)) != "unsat":
            return TaskFailed(f"cvc5 says {said!r}, not 'unsat', to this obligation that Z3 discharged:\n{obligation}")
    print(f"Obligations that cvc5 replayed, every one of them unsat: {len(obligations)}")


def replay_all():
    return replay([text for path in sorted(OBLIGATIONS.glob("*.json")) for text in read(path)])
