"""Figures: legible on both grounds, described, and the same bytes each time."""

import re

import pytest
from matplotlib.colors import to_rgba

from polycore import figures, running_example


def luminance(colour):
    channels = [int(colour[k : k + 2], 16) / 255 for k in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one, other):
    low, high = sorted(map(luminance, (one, other)))
    return (high + 0.05) / (low + 0.05)


def draw():
    axes = figures.axes("n", "probability of a miss", xscale="log")
    axes.plot([1, 10], [0.5, 0.1], label="exact")
    return figures.picture(axes, "It falls & falls.", "A falling line")


@pytest.mark.parametrize("ground", ["#ffffff", "#14181e"])
def test_colours_stand_out_from_the_light_and_the_dark_page(ground):
    assert all(contrast(colour, ground) >= 3 for colour in figures.COLOURS.values())
    assert contrast("#ffff00", "#ffffff") < 3


def test_text_takes_the_colour_of_the_page():
    svg = draw().svg
    assert "currentColor" in svg and figures._INK not in svg
    assert re.findall(r"<text[^>]*>([^<]*)</text>", svg).count("probability of a miss") == 1


def test_words_written_on_a_figure_take_the_colour_of_the_page():
    axes = figures.axes("x", "y")
    axes.text(0.5, 0.5, "above")
    axes.annotate("below", (0.2, 0.2), color=figures.COLOURS["red"])
    colours = dict(
        map(
            reversed,
            re.findall(
                r'<text style="[^"]*?fill: ([^;"]*)[^>]*>([^<]*)</text>',
                figures.picture(axes, "a", "b").svg,
            ),
        )
    )
    assert colours["above"] == "currentColor" and colours["below"] == figures.COLOURS["red"]


def test_the_ground_is_the_page():
    """Neither the figure nor its legend has a white one, and no box stands around it."""
    svg = draw().svg
    assert "exact" in re.findall(r"<text[^>]*>([^<]*)</text>", svg)  # in the legend
    assert "#ffffff" not in svg and "white" not in svg
    axes = figures.axes("x", "y")
    visible = [side for side, spine in axes.spines.items() if spine.get_visible()]
    assert visible == ["left", "bottom"]
    assert all(line.get_visible() and line.get_alpha() < 0.5 for line in axes.get_xgridlines())


def test_a_line_without_a_name_has_no_legend():
    axes = figures.axes("x", "y")
    axes.plot([0, 1])
    figures.picture(axes, "a", "b")
    assert axes.get_legend() is None


def test_the_letters_are_as_large_as_a_phone_needs():
    """In a column of 358 pixels, as it has between its margins."""
    svg = draw().svg
    width = float(re.search(r'<svg [^>]*?viewBox="0 0 (\S+) ', svg)[1])
    sizes = [float(size) for size in re.findall(r'<text style="font-size: ([\d.]+)px', svg)]
    assert len(sizes) > 4 and min(sizes) * 358 / width >= 10


def test_each_row_and_column_of_a_matrix_has_its_number():
    for values in ([[0, 1, 2], [2, 3, 4]], [[0, 1]]):
        axes = figures.heat(figures.axes("column", "row"), values)
        assert [*axes.get_xticks()] == [*range(1, len(values[0]) + 1)]
        assert [*axes.get_yticks()] == [*range(1, len(values) + 1)]
        assert not any(line.get_visible() for line in axes.get_xgridlines())


def test_zero_is_the_page_and_the_largest_entry_blue():
    squares = figures.heat(figures.axes("column", "row"), [[1, 2], [3, 4]]).collections[0]
    zero, half, largest = squares.to_rgba([0, 2, 4])
    assert zero[3] == 0 and half[3] == pytest.approx(0.5, abs=0.01)
    assert tuple(largest) == to_rgba(figures.COLOURS["blue"])


def test_a_figure_is_described_and_escaped():
    shown = draw()._repr_mimebundle_()["text/html"]
    assert 'aria-label="A falling line"' in shown and "It falls &amp; falls." in shown
    with pytest.raises(ValueError, match="needs a caption and a description"):
        figures.picture(figures.axes("x", "y"), "caption", "")


def test_the_same_figure_is_the_same_bytes():
    assert draw().svg == draw().svg


def test_the_rows_of_the_running_example_do_not_cover_each_other(monkeypatch):
    """Of each dataset a bar, and below it what stands on its own line."""
    drawn = []
    monkeypatch.setattr(figures, "picture", lambda axes, *said: drawn.append(axes))
    running_example.picture(4, 0.1)
    [axes] = drawn
    bars = [(bar.get_y(), bar.get_y() + bar.get_height()) for bar in axes.patches]
    heaps = [(path[:, 1].min(), path[:, 1].max()) for path in _paths(axes)]
    assert len(bars) == 4 and bars[0] == bars[1] and bars[2] == bars[3] and len(heaps) == 2
    rows = [bars[0], heaps[0], bars[2], heaps[1]]  # from above
    assert all(below[1] < above[0] for above, below in zip(rows, rows[1:]))


def _paths(axes):
    return [collection.get_paths()[0].vertices for collection in axes.collections]
