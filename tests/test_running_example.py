"""The running example: its probabilities beside all of its weights, and what its figure says."""

import numpy as np
import pytest
from matplotlib.colors import to_rgba

from polycore import figures, running_example
from polycore.models import network
from polycore.running_example import DATASETS

OF = {"dataset 1": figures.COLOURS["orange"], "dataset 0": figures.COLOURS["blue"]}


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


@pytest.fixture
def drawn(monkeypatch):
    """The axes of the picture of both datasets at degree 4, where the weights are 1/2 and small."""
    kept = []
    monkeypatch.setattr(figures, "picture", lambda axes, *said: kept.append((axes, said)))
    running_example.picture(4, 0.3)
    return kept[0]


def test_its_bars_are_its_weights_and_its_lines_the_threshold(drawn):
    axes, (caption, _) = drawn
    bars = [(bar.get_x(), bar.get_x() + bar.get_width()) for bar in axes.patches]
    for place, (dataset, member) in enumerate(DATASETS.items()):
        largest = running_example.weight(dataset, 4)
        assert bars[2 * place : 2 * place + 2] == [(0, largest), (largest, pytest.approx(1))]
        assert f"of the {sum(member.counts) - 1} others together" in caption
    assert sorted(line.get_xdata()[0] for line in axes.lines) == [-0.3, 0.3]
    assert all(line.get_linewidth() > 0 for line in axes.lines)
    assert not any(line.get_visible() for line in axes.get_xgridlines())  # beside those none else
    assert axes.get_xlim()[0] <= -1 and axes.get_xlim()[1] >= 1  # where a sum can be


def test_its_names_stand_beside_what_they_name(drawn):
    """Each in the height of a bar, or of the heap below it, in one colour of the dataset's own."""
    axes, _ = drawn
    names = {label.get_text(): at for at, label in zip(axes.get_yticks(), axes.get_yticklabels())}
    heaps = [collection.get_paths()[0].vertices[:, 1] for collection in axes.collections]
    for place, dataset in enumerate(DATASETS):
        dark, light = axes.patches[2 * place : 2 * place + 2]
        assert dark.get_y() < names[f"{dataset}, weights"] < dark.get_y() + dark.get_height()
        assert light.get_alpha() < 1 and light.get_facecolor()[:3] == dark.get_facecolor()[:3]
        heap = axes.collections[place].get_facecolor()[0]
        assert tuple(heap) == dark.get_facecolor() == to_rgba(OF[dataset])
    sums = axes.get_yticks()[1::2]
    assert all(heap.min() < at < heap.max() for at, heap in zip(sums, heaps))


def test_its_sums_are_heaped_where_the_largest_weight_is(monkeypatch):
    drawn = []
    monkeypatch.setattr(figures, "picture", lambda axes, *said: drawn.append(axes))
    running_example.picture(4, 0.2, "dataset 1")
    heap = drawn[0].collections[0].get_paths()[0].vertices
    assert heap[:, 0].min() == -1.05 and 1.03 < heap[:, 0].max() <= 1.05
    high = heap[heap[:, 1] > heap[:, 1].min() + 0.6, 0]  # of 1.1
    assert len(high) and np.all(np.abs(np.abs(high) - 0.5) < 0.03)
