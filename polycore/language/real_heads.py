"""The scores of a trained model, head by head.

HEADS is a recorded run (`runs`). A cell is a window of 256 tokens of the King James Bible; for each
of the 270 heads of the model as trained it holds the following of the scores s of the keys that
each query i may see, n = i + 1 of them, and of their softmax w:

- `largest`: the largest |s|; bounded entries would have it of the order of sqrt(ln n);
- `negative`: the share of scores below 0;
- `positive_mass`: the mean over queries of the sum of w where s > 0;
- `fourth_on_negative`: the mean over queries of the sum where s < 0 of the weights s^4;
- `growth`: the slope of the logarithm of the effective support, exp(entropy of w), against ln n,
  over the queries from the 16th on, by least squares; 1 where the weights are bounded by c/n;
- `spread`: the mean over queries of the standard deviation of s^2/2 under w: divided by p, this is
  the leading change that (1 + s/p)^p makes to the logarithm of a weight, but for constants;
- `exponent`: the median over queries, from the 16th on, of e = 1 + ln(w/(1 - w))/ln(n - 1) for the
  heaviest key: the place of the head on the axis of the theorem "One threshold", where a spike has
  half of the weight from e = 1 on;
- `spike`, `background`: the medians over these queries of (s_1 - s_2)/ln n and of (s_2 - s_n)/ln n,
  with the largest, the second and the least score of the row. Powers of degree beta = kappa log2 n
  of the scores exp(s/beta) are the weights w, so these are kappa log2(v/h) and kappa log2(h/l), the
  place of the head on the axes of the theorem "The exact window";
- `half`: the share of these queries with e >= 1; `half_later`: of those with e >= 1 whose heaviest
  key is not the first token of the window, which many heads use as a place to rest.

The rule, written before the run was made: something holds of *most heads* if the median over
windows of the share of heads of which it holds lies above 1/2, with a probability of at most 1/1000
to err to either side (`most`).

The rule for `spike` and `background`, written before they were computed: of most heads it is asked
whether the spike is below 1/2, the lower end of the window of columns that are normalised, and
whether the background is above 1, the upper end of that of a fixed threshold.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from scipy.special import entr, softmax

from polycore.language.replaced import SIZE, _digits, pinned_files
from polycore.language.smollm import scores, smollm2
from polycore.language.text import window
from polycore.montecarlo import Decision, decide_median
from polycore.runs import Record, Run

__all__ = ["HEADS", "FIRST", "WINDOWS", "heads_cell", "most", "of_heads", "seen_by_a_head"]

FIRST = 15  # the place of the first query that is counted where n must be large
WINDOWS = 16

Reals = NDArray[np.float64]


def heads_cell(seed: np.random.SeedSequence, number: int) -> dict[str, list[float]]:
    """What `seen_by_a_head` says of each head, layer after layer; `number` only tells windows
    apart.
    """
    model, tokenizer = smollm2()
    text = window(tokenizer, SIZE, np.random.default_rng(seed))
    heads = [seen_by_a_head(one) for layer in scores(model, text) for one in layer]
    return {name: _digits([head[name] for head in heads]) for name in heads[0]}


def seen_by_a_head(s: Reals) -> dict[str, float]:
    """The quantities of the module's text from the scores of one head, shape (n, n), n > 16.

    >>> found = seen_by_a_head(np.zeros((32, 32)))  # uniform weights
    >>> round(found["growth"], 6), found["largest"], found["half"]
    (1.0, 0.0, 0.0)
    """
    seen = np.tri(len(s), dtype=bool)
    w = softmax(np.where(seen, s, -np.inf), axis=-1)
    fourth = np.where(seen, s, 0) ** 4
    n = np.arange(1, len(s) + 1)[FIRST:]
    support = np.sum(entr(w), axis=-1)[FIRST:]
    exponents = _exponents(s[FIRST:], seen[FIRST:], n)
    later = np.argmax(w[FIRST:], axis=-1) > 0
    return {
        "largest": float(np.max(np.abs(s[seen]))),
        "negative": float(np.mean(s[seen] < 0)),
        "positive_mass": float(np.mean(np.sum(w * (s > 0), axis=-1))),
        "fourth_on_negative": _mean_ratio(fourth * (s < 0), fourth),
        "growth": float(np.polyfit(np.log(n), support, 1)[0]),
        "spread": float(np.mean(_deviation(s**2 / 2, w))),
        "exponent": float(np.median(exponents)),
        **_on_the_axes(s[FIRST:], seen[FIRST:], n),
        "half": float(np.mean(exponents >= 1)),
        "half_later": float(np.mean((exponents >= 1) & later)),
    }


def _exponents(s, seen, n):
    """1 + ln(w/(1 - w))/ln(n - 1) of the heaviest key, from the scores: 1 - w may round to 0."""
    s = np.where(seen, s, -np.inf)
    top = np.argmax(s, axis=-1)[:, None]
    others = s.copy()
    np.put_along_axis(others, top, -np.inf, axis=-1)
    odds = np.take_along_axis(s, top, axis=-1)[:, 0] - np.logaddexp.reduce(others, axis=-1)
    return 1 + odds / np.log(n - 1)


def _on_the_axes(s, seen, n):
    """How far the largest score is above the second, and this one above the least, over ln n."""
    least = np.min(np.where(seen, s, np.inf), axis=-1)
    second, first = np.sort(np.where(seen, s, -np.inf), axis=-1)[:, -2:].T
    far = {"spike": first - second, "background": second - least}
    return {name: float(np.median(one / np.log(n))) for name, one in far.items()}


def _mean_ratio(part, whole):
    """The mean over rows of the sums' ratio; a row of zeros counts as 0."""
    sums = np.sum(whole, axis=-1)
    return float(np.mean(np.sum(part, axis=-1) / np.where(sums > 0, sums, 1)))


def _deviation(values, w):
    mean = np.sum(w * values, axis=-1, keepdims=True)
    return np.sqrt(np.sum(w * (values - mean) ** 2, axis=-1))


def of_heads(record: Record, name: str) -> Reals:
    """A quantity of all heads in all windows, shape (windows, heads)."""
    return np.array([record.find(**each)[name] for each in record.parameters()])


def most(record: Record, holds: Callable[..., NDArray[np.bool_]], *names: str) -> Decision:
    """Whether `holds`, of the quantities with these names, is true of most heads."""
    share = np.mean(holds(*(of_heads(record, name) for name in names)), axis=-1)
    return decide_median(share, bound=0.5)


HEADS = Run(
    "heads",
    heads_cell,
    lambda: [{"number": number} for number in range(WINDOWS)],
    paired=("number",),
    seed=20250209,
    data=pinned_files,
)
