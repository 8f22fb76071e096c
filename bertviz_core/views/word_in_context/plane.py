"""The plane of two anchors: how alike words are to each of them, as paths through the layers."""

from collections.abc import Sequence

import numpy as np

from bertviz_core.arrays import Array
from bertviz_core.figures.axes import label, titled
from bertviz_core.figures.colors import MUTED, SENTENCES, faint, ink
from bertviz_core.figures.drawing import Figure, Trace, draw, marks
from bertviz_core.figures.playing import SCRUBBER, layer_frames, layer_scrubber, play_menu
from bertviz_core.figures.template import FRAME, MENU
from bertviz_core.views.word_in_context.placing import LARGE, SMALL, Obstacles, near_first

Name = tuple[str, str, str]  # what comes before a word, the word, and what comes after it
Range = list[float]
MOST_LABELLED = len(SENTENCES)  # words
MOST_NUMBERED = 4  # words whose dots are numbered
WIDTH = 520  # pixels of the picture's width on most screens, by which labels are placed
ROOM = 0.14  # of the range, on each side, for labels
HOVER = "%{customdata}"
BLANK = "\N{NO-BREAK SPACE}"  # plotly.js 4 takes empty texts away, and moves the others as it plays


def anchor_plane(
    cosines: Array,
    names: Sequence[Name],
    anchors: tuple[str, str],
    hints: Sequence[Sequence[str]],
    *,
    layer: int,
    height: int = 400,
) -> Figure:
    """Draw each word as a path from layer 0 to a layer, over its similarities to two anchors.

    `cosines` are (n, layers, 2); `hints` are what the pointer says of each word at each layer. Both
    axes are equally long. The first six words are printed at their dots; of more than four only
    the large dots, those of the layer in view, have numbers. The traces: n paths, the large dots,
    the numbers of the others, the words. A frame a layer holds the same of that layer.
    """
    layers = cosines.shape[1]
    axes = _ranges(cosines)
    states = [_State(cosines, names, hints, axes, height, at).traces() for at in range(layers)]
    moving = ("type", "x", "y", "text", "textposition", "customdata")
    return draw(
        states[layer],
        height=height + SCRUBBER,
        frames=layer_frames(
            [[{key: one[key] for key in moving if key in one} for one in own] for own in states]
        ),
        annotations=_sides(anchors, axes),
        shapes=_diagonal(axes),
        updatemenus=[play_menu(layers, layer, redraw=True)],
        sliders=[layer_scrubber(layers, layer)],
        margin={"t": MENU + SCRUBBER},
        xaxis=titled(f"similarity to {label(anchors[0])}", range=axes[0], showgrid=True),
        yaxis=titled(f"similarity to {label(anchors[1])}", range=axes[1]),
    )


class _State:
    """The plane as it is at one layer."""

    def __init__(
        self,
        cosines: Array,
        names: Sequence[Name],
        hints: Sequence[Sequence[str]],
        axes: tuple[Range, Range],
        height: int,
        layer: int,
    ) -> None:
        self.cosines, self.names, self.layer = cosines, names, layer
        self.count, self.layers = cosines.shape[:2]
        self.crowded = self.count > MOST_NUMBERED
        self.colors = [*SENTENCES, *[MUTED] * self.count][: self.count]
        self.hints = [
            ["<br>".join(label(line, 100) for line in hint.split("\n")) for hint in row]
            for row in hints
        ]
        (left, right), (_, top) = axes
        scale = np.array([WIDTH, FRAME - height]) / (right - left)  # pixels, down the screen
        self.pixels = (cosines - np.array([left, top])) * scale
        self.size = (WIDTH, height - FRAME)

    def traces(self) -> list[Trace]:
        # Numbers keep their places as it plays: all dots are in their way, also those to come.
        taken = Obstacles(self.pixels, self.size)
        numbers = self._numbers(taken)
        return [*self._paths(), self._large(), numbers, self._words(taken)]

    def _paths(self) -> list[Trace]:
        # What is to come lies under the large dot, from which the path grows as it moves on.
        reached = np.minimum(np.arange(self.layers), self.layer)
        return [
            marks(
                path[reached, 0],
                path[reached, 1],
                {"color": color, "size": SMALL},
                HOVER,
                mode="lines+markers",
                line={"color": faint(color, 0.4) if self.crowded else color, "width": 2},
                customdata=[hints[at] for at in reached],
            )
            for path, color, hints in zip(self.cosines, self.colors, self.hints, strict=True)
        ]

    def _large(self) -> Trace:
        here = self.cosines[:, self.layer]
        return marks(
            here[:, 0],
            here[:, 1],
            {"color": self.colors, "size": LARGE},
            HOVER,
            mode="markers+text",
            text=[f"<b>{self.layer}</b>"] * self.count,
            textposition="middle center",
            textfont={"color": [ink(color) for color in self.colors]},
            customdata=[own[self.layer] for own in self.hints],
        )

    def _numbers(self, taken: Obstacles) -> Trace:
        """The number of each dot beside it, where no dot, line or other number is in its way."""
        numbered = [] if self.crowded else near_first(self.pixels)
        places = [
            taken.place(self.pixels[dot], len(str(dot[1])), SMALL / 2, LARGE / 2)
            for dot in numbered
        ]
        at = self.cosines[tuple(np.array(numbered, int).reshape(-1, 2).T)]
        shown = [layer if layer < self.layer else BLANK for _, layer in numbered]
        return self._texts(at, [f"<b>{one}</b>" for one in shown], places)

    def _words(self, taken: Obstacles) -> Trace:
        """The first words beside their large dots."""
        here = self.cosines[:MOST_LABELLED, self.layer]
        places, texts = list[tuple[str, float]](), list[str]()
        for (before, word, after), dot in zip(self.names, self.pixels[:, self.layer], strict=True):
            if len(texts) == MOST_LABELLED:
                break
            places.append(taken.place(dot, len(before + word + after), LARGE / 2))
            texts.append(f"{label(before, 40)}<b>{label(word, 40)}</b>{label(after, 40)}")
        return self._texts(here, texts, places)

    def _texts(self, at: Array, texts: list[str], places: list[tuple[str, float]]) -> Trace:
        # Unseen marks keep the texts away from the dots.
        unseen = {"size": [2 * away for _, away in places], "opacity": 0}
        beside = [name for name, _ in places]
        return marks(
            at[:, 0], at[:, 1], unseen, mode="markers+text", text=texts, textposition=beside
        )


def _ranges(cosines: Array) -> tuple[Range, Range]:
    """Of both axes: equally long, each around its own numbers, and some of the diagonal inside."""
    low, high = cosines.min(axis=(0, 1)), cosines.max(axis=(0, 1))
    middle = (low + high) / 2
    apart = float(abs(middle[0] - middle[1]))
    span = max(float((high - low).max()) * (1 + 2 * ROOM), apart / 0.8, 0.1)
    x, y = ([float(m) - span / 2, float(m) + span / 2] for m in middle)
    return x, y


def _sides(anchors: tuple[str, str], axes: tuple[Range, Range]) -> list[Trace]:
    """Which side of the diagonal is whose, in the corners that lie on that side."""
    (left, right), (bottom, top) = axes
    corners = []
    if top > left:
        corners.append((anchors[1], 0.01, 0.99, "left", "top"))
    if right > bottom:
        corners.append((anchors[0], 0.99, 0.01, "right", "bottom"))
    return [
        {
            "text": f"<i>closer to {label(anchor)}</i>",
            "x": x,
            "y": y,
            "xref": "x domain",
            "yref": "y domain",
            "xanchor": across,
            "yanchor": up,
        }
        for anchor, x, y, across, up in corners
    ]


def _diagonal(axes: tuple[Range, Range]) -> list[Trace]:
    """Where both similarities are equal, as far as it lies in the picture."""
    (left, right), (bottom, top) = axes
    low, high = max(left, bottom), min(right, top)
    line = {"color": MUTED, "dash": "dot", "width": 1.5}
    ends = {"x0": low, "y0": low, "x1": high, "y1": high}
    return [{"type": "line", **ends, "line": line, "layer": "below"}]
