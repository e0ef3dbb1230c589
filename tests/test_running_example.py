"""The running example: its probabilities beside all of its weights, and what its figure says."""

import numpy as np
import pytest

from polycore import figures, running_example
from polycore.models import network
from polycore.running_example import DATASETS


@pytest.mark.parametrize("dataset", DATASETS)
@pytest.mark.parametrize("beta", [1, 3.5, 6])
def test_its_probabilities_are_those_of_its_weights(dataset, beta):
    member = DATASETS[dataset]
    weights, counts = member.weights(beta), member.counts
    assert running_example.weight(dataset, beta) == max(weights)
    fires = network.fires(weights, 5, 0.05, counts)
    assert running_example.fires(dataset, beta, 5, 0.05).value == pytest.approx(fires.value)
    either = network.fires(weights, 1, 0.05, counts)  # one column, to one side
    exceeds = running_example.exceeds(dataset, beta, 0.05)
    assert exceeds.value == pytest.approx(2 * either.value)


@pytest.mark.parametrize(
    ("beta", "threshold", "said"),
    [
        (4, 0.2, "is beyond ±0.2 almost always in dataset 1 and almost never in dataset 0."),
        (4, 0.5, "the sum is beyond ±0.5 with probability 0.5 in dataset 1"),
        (4, 0.5, "the largest score has 0.5 in dataset 1 and 0.00389 in dataset 0"),
    ],
)
def test_its_caption_says_how_often_and_how_much(beta, threshold, said):
    picture = running_example.picture(beta, threshold)
    assert said in picture.caption + picture.alt


def test_its_sums_are_heaped_where_the_largest_weight_is(monkeypatch):
    drawn = []
    monkeypatch.setattr(figures, "picture", lambda axes, *said: drawn.append(axes))
    running_example.picture(4, 0.2, "dataset 1")
    heap = drawn[0].collections[0].get_paths()[0].vertices
    assert heap[:, 0].min() == -1.05 and 1.03 < heap[:, 0].max() <= 1.05
    high = heap[heap[:, 1] > heap[:, 1].min() + 0.6, 0]  # of 1.1
    assert len(high) and np.all(np.abs(np.abs(high) - 0.5) < 0.03)
