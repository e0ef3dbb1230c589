"""Figures: legible on both grounds, described, and the same bytes each time."""

import re

import pytest

from polycore import figures


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


def test_a_figure_is_described_and_escaped():
    shown = draw()._repr_mimebundle_()["text/html"]
    assert 'aria-label="A falling line"' in shown and "It falls &amp; falls." in shown
    with pytest.raises(ValueError, match="needs a caption and a description"):
        figures.picture(figures.axes("x", "y"), "caption", "")


def test_the_same_figure_is_the_same_bytes():
    assert draw().svg == draw().svg
