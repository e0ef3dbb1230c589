"""One style for every figure: legible on white, on black and on a phone.

Text and axes take the colour of the page they stand on, so that one picture serves the
light and the dark theme.
"""

import html
import io
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import matplotlib
from matplotlib.axes import Axes
from matplotlib.colors import LinearSegmentedColormap, to_rgb
from matplotlib.figure import Figure
from matplotlib.rcsetup import cycler
from matplotlib.text import Text
from numpy.typing import NDArray

if TYPE_CHECKING:
    from matplotlib.typing import RcKeyType

__all__ = ["COLOURS", "Picture", "axes", "heat", "picture"]

_INK = "#123456"  # stands for the page's own text colour, put in when the figure is shown
# Each has a contrast of at least 3 against white and against the dark page.
COLOURS = {
    "blue": "#3b7dd8",
    "orange": "#c8741a",
    "green": "#2b8f6b",
    "red": "#d6455d",
    "violet": "#8f68cf",
}
_STYLE: "dict[RcKeyType, Any]" = {
    "svg.fonttype": "none",
    "svg.hashsalt": "polycore",
    "font.family": "sans-serif",
    "font.size": 10,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.alpha": 0.2,
    "legend.frameon": False,
    "lines.linewidth": 1.8,
    "axes.prop_cycle": cycler(color=list(COLOURS.values())),
    **dict.fromkeys(
        (
            "text.color",
            "axes.edgecolor",
            "axes.labelcolor",
            "xtick.color",
            "ytick.color",
            "grid.color",
        ),
        _INK,
    ),
}


@dataclass(frozen=True)
class Picture:
    """A drawn figure with its caption, and a description for those who cannot see it."""

    svg: str
    caption: str
    alt: str

    def _repr_mimebundle_(self, include=None, exclude=None):
        drawing = self.svg.replace(
            "<svg ", f'<svg role="img" aria-label="{html.escape(self.alt)}" ', 1
        )
        caption = f"<figcaption>{html.escape(self.caption)}</figcaption>"
        return {
            "text/html": f"<figure class='picture'>{drawing}{caption}</figure>",
            "text/plain": self.alt,
        }


def axes(xlabel: str, ylabel: str, **settings: Any) -> Axes:
    """Axes in the book's style, narrow enough for a phone; ``settings`` as for ``Axes.set``.

    >>> axes("n", "probability", xscale="log").get_xscale()
    'log'
    """
    with matplotlib.rc_context(_STYLE):
        figure = Figure(figsize=(4.8, 3.2), layout="constrained")
        return figure.add_subplot(xlabel=xlabel, ylabel=ylabel, **settings)


def heat(axes: Axes, values: Sequence[Sequence[float]] | NDArray[Any]) -> Axes:
    """A matrix as shaded squares, row 1 at the top; the largest entry is blue, zero is the page.

    >>> tuple(map(float, heat(axes("column", "row"), [[0, 1], [2, 3]]).get_ylim()))
    (2.5, 0.5)
    """
    rows, columns = len(values), len(values[0])
    ramp = LinearSegmentedColormap.from_list(
        "page to blue", [(*to_rgb(COLOURS["blue"]), alpha) for alpha in (0, 1)]
    )
    axes.pcolormesh(range(1, columns + 1), range(1, rows + 1), values, cmap=ramp, vmin=0)
    axes.set(xticks=range(1, columns + 1), yticks=range(1, rows + 1), ylim=(rows + 0.5, 0.5))
    axes.grid(False)
    return axes


def picture(axes: Axes, caption: str, alt: str) -> Picture:
    """The finished figure: ``caption`` says what is seen, ``alt`` describes it in words.

    Raises ``ValueError`` when one of the two is missing.
    """
    if not caption or not alt:
        raise ValueError("a figure needs a caption and a description (alt); say what it shows")
    with matplotlib.rc_context(_STYLE):
        if axes.get_legend_handles_labels()[0]:
            axes.legend()
        for words in axes.findobj(Text):
            if words.get_color() == "black":  # written by the caller, outside of this style
                words.set_color(_INK)
        buffer = io.StringIO()
        axes.figure.figure.savefig(buffer, format="svg", transparent=True, metadata={"Date": None})
    svg = buffer.getvalue()
    svg = svg[svg.index("<svg") :].replace(_INK, "currentColor")
    # Two pictures on a page would share these ids, and nothing refers to them.
    svg = re.sub(r'<g id="[^"]*"', "<g", svg)
    return Picture(re.sub(r"<metadata>.*?</metadata>", "", svg, flags=re.DOTALL), caption, alt)
