"""The experiment: the same small networks trained with each mechanism, from equal starts and on
equal sequences.

A cell is one mechanism on one task. Two recorded runs (`runs`): RATES_TRIED tries three step sizes
on seeds of its own; COMPARED trains each with the one whose loss on held-out sequences of the
lengths trained has the least median there. `tasks` says what is asked, `networks` of what.

The rules, written before either run was made. On each task and length one mechanism is *better*
than another when the median over the seeds of the difference, in pairs, lies above 0: of the share
of right answers, or of the bits per letter that it saves (`better`). It *holds* at a length when
the median share lies above 0.99, and *breaks* where it lies below 1/2 (`holds`, `breaks`). It
*recalls more* than another when the median of the logarithm of the quotient of their numbers n½
lies above 0 (`recalls_more`); n½ is the length at which the share of right answers falls to one
half, by lines in the logarithm of the length between those tested, and their least or largest where
it lies beyond. Each errs with a probability of at most 1/1000 to either side, whatever the
distribution over seeds.
"""

from itertools import islice

import numpy as np
from numpy.typing import NDArray

from polycore.language.weights import KJV
from polycore.montecarlo import Decision, decide_median
from polycore.runs import Record, Run, recorded
from polycore.trained.mechanisms import MECHANISMS
from polycore.trained.networks import losses_and_right, train
from polycore.trained.tasks import TASKS, batches

__all__ = [
    "COMPARED",
    "FIRST",
    "RATES_TRIED",
    "SEEDS",
    "better",
    "breaks",
    "cell",
    "found",
    "halves",
    "holds",
    "rate_of",
    "recalls_more",
]

SEEDS, FIRST = 14, 20  # steps after which a loss is on record, for the sample that is made again
STEP_SIZES = (0.003, 0.01, 0.03)
TESTS, TESTED = 8, 32  # batches of each length, and the sequences of one


def cell(
    seed: np.random.SeedSequence,
    task: str,
    mechanism: str,
    rate: float,
    seeds: int,
    short: bool = False,
) -> dict[str, list[float]]:
    """For each seed the mean loss on sequences of the lengths trained, in bits, after 20 steps and
    at the end, and for each length tested the share of right answers and the loss.

    `short`: only what is known after 20 steps.
    """
    some = [_one(one, TASKS[task], mechanism, rate, short) for one in seed.spawn(seeds)]
    return {name: [_digits(one[name]) for one in some] for name in some[0]}


def _one(seed, task, mechanism, rate, short):
    starts, drawn, tests = seed.spawn(3)

    def after(steps):
        both = map(np.random.default_rng, (drawn, starts))
        some = islice(batches(task, next(both)), steps)
        return train(task.shape, mechanism, some, task.steps, rate, next(both))

    known = {"first": _measured(after(FIRST), task, task.trained, tests)[0]}
    if short:
        return known
    trained = after(task.steps)
    known["loss"] = _measured(trained, task, task.trained, tests)[0]
    for length in task.tested:
        bits, right = _measured(trained, task, (length,), tests)
        known |= {f"bits at {length}": bits, f"right at {length}": right}
    return known


def _measured(trained, task, lengths, tests):
    """The mean loss in bits and the share of right answers, on held-out sequences."""
    rng = np.random.default_rng(tests)
    each = [
        losses_and_right(trained, task.held_out(rng, TESTED, length))
        for length in lengths
        for _ in range(TESTS)
    ]
    loss, right = np.mean(each, axis=0)
    return np.nan_to_num(loss / np.log(2), nan=1000), right  # what left float32 is no answer


def _digits(value):
    return float(f"{value:.6g}")


def found(record: Record, task: str, mechanism: str, what: str) -> NDArray[np.float64]:
    """A result for each seed, such as "right at 16" or "loss"."""
    return np.array(record.find(task=task, mechanism=mechanism)[what])


def better(record: Record, task: str, length: int, one: str, other: str) -> Decision:
    """Whether `one` is right more often than `other` or, on the text, saves bits."""
    if task == "text":
        one, other = other, one
    what = f"{'bits' if task == 'text' else 'right'} at {length}"
    return decide_median(found(record, task, one, what) - found(record, task, other, what))


def holds(record: Record, task: str, length: int, mechanism: str) -> Decision:
    """Whether more than 0.99 of the answers are right."""
    return decide_median(found(record, task, mechanism, f"right at {length}"), bound=0.99)


def breaks(record: Record, task: str, length: int, mechanism: str) -> Decision:
    """Whether fewer than half of the answers are right."""
    return decide_median(-found(record, task, mechanism, f"right at {length}"), bound=-0.5)


def recalls_more(record: Record, task: str, one: str, other: str) -> Decision:
    """Whether n½ is larger for `one` than for `other`."""
    return decide_median(np.log(halves(record, task, one) / halves(record, task, other)))


def halves(record: Record, task: str, mechanism: str) -> NDArray[np.float64]:
    """n½ for each seed."""
    lengths = TASKS[task].tested
    shares = [found(record, task, mechanism, f"right at {length}") for length in lengths]
    return np.array([_half(lengths, each) for each in np.transpose(shares)])


def _half(lengths, shares):
    """Where the shares first fall below 1/2.

    >>> [round(_half((4, 16, 64), some), 9) for some in ((1, 0.75, 0.25), (0.2, 0.1, 0), (1, 1, 1))]
    [32.0, 4.0, 64.0]
    """
    below = next((k for k, share in enumerate(shares) if share < 0.5), None)
    if below in (None, 0):
        return float(lengths[-1 if below is None else 0])
    low, high = np.log(lengths[below - 1 : below + 1])
    above, under = shares[below - 1 : below + 1]
    return float(np.exp(low + (high - low) * (above - 0.5) / (above - under)))


def rate_of(record: Record, task: str, mechanism: str) -> float:
    """The step size of the least median loss."""
    tried = record.parameters(task=task, mechanism=mechanism)
    return min(tried, key=lambda each: np.median(record.find(**each)["loss"]))["rate"]


def _grid(seeds):
    for task in TASKS:
        for mechanism in MECHANISMS:
            yield {"task": task, "mechanism": mechanism, "seeds": seeds}


RATES_TRIED = Run(
    "rates",
    cell,
    lambda: [{**each, "rate": rate} for each in _grid(3) for rate in STEP_SIZES],
    paired=("task",),
    seed=20250212,
    data=KJV.sha256.encode,
)
COMPARED = Run(
    "mechanisms",
    cell,
    lambda: [
        {**each, "rate": rate_of(recorded(RATES_TRIED), each["task"], each["mechanism"])}
        for each in _grid(SEEDS)
    ],
    paired=("task",),
    seed=20250213,
    data=KJV.sha256.encode,
)
