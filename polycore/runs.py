"""Recorded runs: computations too long or too chaotic for a chapter, made once and kept as
`runs/NAME.json`.

A run is a function of a seed and parameters, a grid of parameters, its cells, and one seed for all.
Its file holds the results with the digest of all that they were made from, so that a file of other
code, other cells or another seed is refused. Here runs are defined and read; `make runs` computes
their cells, on one machine or on a cluster.
"""

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from polycore.provenance import reached

__all__ = ["Record", "Run", "StaleRun", "recorded"]

HERE = Path(__file__).parent
FOLDERS = (HERE.parent / "runs", HERE / "recorded")  # in a checkout, and where pip puts it


Parameters = dict[str, Any]  # of a cell
Result = dict[str, Any]  # that JSON can hold


class StaleRun(ValueError):
    """The file of a recorded run was made from something else than what stands in the code now."""


@dataclass(frozen=True)
class Run:
    """A grid of independent cells: `cell(seed, **parameters)` returns a dictionary that JSON can
    hold.

    `grid()`: the parameters of the cells, each a dictionary with the same names; `paired`: the
    names of those parameters that decide the seed, so that cells that agree in them get equal ones;
    `data()`: the bytes that cells are computed from.
    """

    name: str
    cell: Callable[..., Result]
    grid: Callable[[], Iterable[Parameters]]
    paired: tuple[str, ...]
    seed: int
    data: Callable[[], bytes] = bytes

    def cells(self) -> Iterator[tuple[np.random.SeedSequence, Parameters]]:
        """(seed, parameters) of each cell; a seed is a child of SeedSequence(seed), in the order of
        the grid.
        """
        keys: dict[tuple[object, ...], int] = {}
        grid = list(self.grid())
        for parameters in grid:
            place = keys.setdefault(tuple(parameters[name] for name in self.paired), len(keys))
            yield np.random.SeedSequence(self.seed, spawn_key=(place,)), parameters

    def digest(self) -> str:
        """What the results depend on: the code that a cell runs through, its data, the grid and the
        seed.
        """
        grid = [parameters for _, parameters in self.cells()]
        made_from = [reached(self.cell), _hash(self.data()), grid, self.paired, self.seed]
        return _hash(json.dumps(made_from, sort_keys=True).encode())


@dataclass(frozen=True)
class Record:
    """The results of a run, and on what they were made."""

    run: Run
    made: dict[str, Any]
    results: tuple[tuple[Parameters, Result], ...]

    def find(self, **parameters: object) -> Result:
        """The result of the one cell with these parameters, which may leave out some; KeyError
        unless there is one.
        """
        found = [result for each, result in self.results if parameters.items() <= each.items()]
        if len(found) != 1:
            raise KeyError(
                f"the run {self.run.name} has {len(found)} cells with {parameters}, not one"
            )
        return found[0]

    def parameters(self, **some: object) -> list[Parameters]:
        """The parameters of each cell that has `some` of them."""
        return [each for each, _ in self.results if some.items() <= each.items()]

    def again(
        self,
        changed: Mapping[str, object] | Iterable[tuple[str, object]] = (),
        **parameters: object,
    ) -> Result:
        """Compute the cell with these parameters again, here and now; some may be `changed`."""
        ((seed, each),) = [
            cell for cell in self.run.cells() if parameters.items() <= cell[1].items()
        ]
        return self.run.cell(seed, **{**each, **dict(changed)})


def recorded(run: Run) -> Record:
    """The record of a run; FileNotFoundError where there is none, `StaleRun` where it was made from
    something else.
    """
    path = next(
        (
            folder / f"{run.name}.json"
            for folder in FOLDERS
            if (folder / f"{run.name}.json").exists()
        ),
        None,
    )
    if path is None:
        raise FileNotFoundError(
            f"there is no recorded run {run.name!r} in {FOLDERS[0]}; `make runs` makes it, which "
            "can take hours"
        )
    held = json.loads(path.read_text(encoding="utf-8"))
    if held["made"]["digest"] != run.digest():
        raise StaleRun(
            f"{path} was made from other code, cells or seed than those of now (digest "
            f"{held['made']['digest']}, not "
            f"{run.digest()}); undo that change, or make the run again: make runs"
        )
    return Record(
        run, held["made"], tuple((each["parameters"], each["result"]) for each in held["cells"])
    )


def _hash(content):
    return hashlib.sha256(content).hexdigest()[:16]
