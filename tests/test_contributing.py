"""The statement that CONTRIBUTING.md adds as an example holds, with the code that stands there."""

import re
from pathlib import Path

import pytest

from polycore.proof import ProofError

PAGE = (Path(__file__).parents[1] / "CONTRIBUTING.md").read_text(encoding="utf-8")
CELLS = re.findall(r"^```python\n(.*?)^```$", PAGE, re.M | re.S)


@pytest.fixture(scope="module")
def run():
    names = {}
    for code in CELLS[:-1]:
        exec(code, names)
    exec(CELLS[-1].replace("Verdicts(\n", "run = Verdicts(\n"), names)
    return names


def test_the_example_holds_and_its_wrong_versions_do_not(run):
    [claim] = run["run"].claims
    assert claim.verdict == "holds" and claim.scope["is"] == "proved"
    assert run["wrong"].rejected
    assert f":label: {claim.id}" in PAGE and f'"{claim.id}"' in CELLS[-1]


def test_the_kernel_names_what_is_missing_as_the_page_says(run):
    with pytest.raises(ProofError, match="alpha = 0"):
        run["arithmetic"](
            run["Eq"](run["g"][run["i"]], run["f"][run["i"]]),
            run["both"],
            [run["pulled"], run["norm"]],
        )
