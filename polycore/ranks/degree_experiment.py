"""The experiment of Task 2: networks of products with equal budgets, trained on the same targets
from paired starts.

A cell is one architecture on one task: `budget` matrices of 8 x 8 in its layers, `steps` steps from
step size `rate`. Two recorded runs (`runs`): STEP_SIZES tries four step sizes for each cell on
seeds of their own; DEGREES trains each cell with the best of them. All architectures see the same
targets, the same batches and the same maps around their layers.

The rule, written before either run was made: one architecture is better than another on a task, at
a budget and a length of training, when the median over the seeds of ln(error of the other / error
of the one) lies above 0, and worse when it lies below; `compare` decides that, or leaves it open,
with a probability of at most 1/1000 for each of the two errors.
"""

from collections.abc import Iterable
from math import e

import numpy as np

from polycore.montecarlo import Decision, decide_median
from polycore.ranks.epsilon_rank import gauss_nodes, rank_within
from polycore.ranks.training import Parameters, Shape, digits, evaluate, rank_problem, train
from polycore.runs import Record, Run, recorded

__all__ = [
    "ARCHITECTURES",
    "BUDGETS",
    "DEGREES",
    "LENGTHS",
    "SHARE",
    "STEP_SIZES",
    "TASKS",
    "answer",
    "attained_ranks",
    "cell",
    "compare",
    "shape_of",
]

WIDTH = 8
BUDGETS = (12, 24, 48)
LENGTHS = (800, 3200, 12800, 51200)
RATES = {
    12: (0.002, 0.006, 0.02, 0.06),
    24: (0.0006, 0.002, 0.006, 0.02),
    48: (0.0002, 0.0006, 0.002, 0.006),
}
TASKS = {
    "rank 3": 1,
    "rank 6": 2,
    "rank 10": 3,
    "rank 15": 4,
    "digits": None,
}  # the degree of the polynomials in each half
SHARE = 0.1  # of the mean square: the error up to which a rank is counted

# The factors of the units of a layer, and the exponent of the last factor.
ARCHITECTURES = {
    "degree 2": ((2,) * WIDTH, 1.0),
    "degree 3": ((3,) * WIDTH, 1.0),
    "degree 4": ((4,) * WIDTH, 1.0),
    "mixed units": ((3,) * 6 + (2,) * 2, 1.0),
    "real power": ((3,) * WIDTH, e - 2),
    "one unit": ((3,) + (1,) * (WIDTH - 1), 1.0),
}


def shape_of(architecture: str, budget: int) -> Shape:
    """As many layers of an architecture as `budget` matrices pay for.

    >>> [shape_of(name, 12).layers for name in ARCHITECTURES]
    [6, 4, 3, 4, 4, 9]
    """
    powers, exponent = ARCHITECTURES[architecture]
    return Shape(budget * WIDTH // sum(powers), powers, exponent)


def cell(
    seed: np.random.SeedSequence,
    task: str,
    budget: int,
    architecture: str,
    steps: int,
    rate: float,
    seeds: int,
    stop: int | None = None,
) -> dict[str, list[float] | list[int]]:
    """Errors of the trained networks on held-out points, after the first 25 steps and at the end,
    and the ranks that they attain.

    `seed`: a SeedSequence, the same for cells that are to be compared in pairs. An error is the
    mean square over the variance or, for digits, the share of wrong answers, where half an answer
    more counts as wrong so that no error is 0. A network of which the values left float32 has an
    error of 1000.
    """
    targets, starts, batches = map(np.random.default_rng, seed.spawn(3))
    degree, shape = TASKS[task], shape_of(architecture, budget)
    problem = digits() if degree is None else rank_problem(degree, seeds, targets)
    parameters, errors = train(shape, problem, starts, batches, seeds, steps, rate, stop)
    errors = np.nan_to_num(errors, nan=1000, posinf=1000) + (
        0.5 / problem.held_out if problem.labels else 0
    )
    ranks = {} if degree is None else {"ranks": attained_ranks(parameters, shape)}
    return {
        "first": _digits(errors[:, 0]),
        "errors": _digits(errors[:, -1]),
        "medians": _digits(np.median(errors, axis=0)),
        **ranks,
    }


def attained_ranks(parameters: Parameters, shape: Shape, nodes: int = 8) -> list[int]:
    """For each seed the least rank within SHARE of its network's mean square, from nodes^2 x
    nodes^2 values at Gauss's nodes.
    """
    points, roots = gauss_nodes(nodes)
    side, root = np.array([(u, v) for u in points for v in points]), np.outer(roots, roots).ravel()
    grid = np.hstack([np.repeat(side, len(side), axis=0), np.tile(side, (len(side), 1))])
    values = evaluate(parameters, grid, shape).reshape(-1, len(side), len(side)) * np.outer(
        root, root
    )
    singular = np.linalg.svd(values, compute_uv=False)
    return [rank_within(one, SHARE * float(one @ one)) for one in singular]


def compare(record: Record, one: str, other: str, **where: str | int) -> Decision:
    """Whether architecture `one` is better than `other` at the cell `where` (task, budget, steps),
    as a `montecarlo.Decision`.

    The claim is that the median of ln(error of `other` / error of `one`) over the seeds, in pairs,
    lies above 0.
    """
    errors = (record.find(architecture=name, **where)["errors"] for name in (other, one))
    return decide_median(np.log(np.divide(*errors)), error=1e-3)


def answer(decisions: Iterable[Decision]) -> str:
    """What the comparisons of one architecture with its rivals say: "confirmed", "a rival is
    better" or "not decided".

    >>> answer([decide_median([1.0] * 24), decide_median([-1.0, 1.0] * 12)])
    'not decided'
    """
    verdicts = {decision.verdict for decision in decisions}
    return (
        "a rival is better"
        if "fail" in verdicts
        else "confirmed"
        if verdicts == {"pass"}
        else "not decided"
    )


def _digits(values):
    return [float(f"{value:.5g}") for value in values]


def _data():
    pictures = digits()
    return pictures.x.tobytes() + pictures.y.tobytes()


def _cells():
    """Each task, budget, architecture and length; what is neither of degree 2, 3 nor 4 at the least
    budget only.
    """
    for task in TASKS:
        for budget in BUDGETS:
            for architecture in list(ARCHITECTURES)[: None if budget == BUDGETS[0] else 3]:
                for steps in LENGTHS:
                    yield {
                        "task": task,
                        "budget": budget,
                        "architecture": architecture,
                        "steps": steps,
                    }


def _tried():
    return [{**one, "rate": rate, "seeds": 8} for one in _cells() for rate in RATES[one["budget"]]]


def _chosen():
    """Each cell with the step size of the least median error."""
    tried = recorded(STEP_SIZES)
    for one in _cells():
        medians = {
            rate: np.median(tried.find(**one, rate=rate)["errors"]) for rate in RATES[one["budget"]]
        }
        yield {**one, "rate": min(medians, key=medians.__getitem__), "seeds": 24}


STEP_SIZES = Run("step_sizes", cell, _tried, paired=("task",), seed=20211128, data=_data)
DEGREES = Run("degrees", cell, _chosen, paired=("task",), seed=20211127, data=_data)
