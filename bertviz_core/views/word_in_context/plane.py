"""The plane of two anchors: how alike words are to each of them, as paths through the layers."""

from collections.abc import Sequence

import numpy as np

from bertviz_core.arrays import Array
from bertviz_core.figures.axes import label, titled
from bertviz_core.figures.colors import MUTED, SENTENCES, faint, ink
from bertviz_core.figures.drawing import Figure, Trace, draw, marks
from bertviz_core.figures.playing import SCRUBBER, layer_frames, layer_scrubber, play_menu
from bertviz_core.shared import once
from bertviz_core.views.word_in_context.placing import LARGE, SMALL, Obstacles, near_first

Name = tuple[str, str, str]  # what comes before a word, the word, and what comes after it
Range = list[float]
Place = tuple[str, float]  # of a label, and how far from its dot
MOST_LABELLED = len(SENTENCES)  # words
MOST_NUMBERED = 4  # words whose dots are numbered
# Pixels inside the axes, for labels that fit: beside the matrix and on a phone; in large type.
WIDTHS, WIDTHS_LARGE = (530, 288), (350,)
HEIGHT, HEIGHT_LARGE = 306, 240  # of the plane with its axes, without the slider
ABOVE, BELOW = SCRUBBER + 6, 64  # and around them, for the slider and for the axis
ROOM = 0.2  # of the range, on each side, for labels
HOVER = "%{customdata}"
AWAY = (LARGE / 2, LARGE, 1.5 * LARGE)  # pixels from a large dot to its word
BLANK = "\N{NO-BREAK SPACE}"  # plotly.js 4 takes empty texts away, and moves the others as it plays


def anchor_plane(
    cosines: Array,
    names: Sequence[Name],
    anchors: tuple[str, str],
    hints: Sequence[Sequence[str]],
    *,
    layer: int,
    large: bool = False,
    middle: Array | None = None,
) -> Figure:
    """Draw each word as a path to a layer, over its similarities to two anchors (n, layers, 2).

    `middle` (layers, 2) is where a word leans to neither; that of the words unless it is given.
    """
    middle = cosines.mean(axis=0) if middle is None else middle
    layers, height = cosines.shape[1], HEIGHT_LARGE if large else HEIGHT
    axes = _ranges(cosines)
    sides, no_lean = _sides(anchors), [_no_lean(axes, at) for at in middle.tolist()]
    plane = _Plane(cosines, names, hints, axes, sides, large=large)
    states = [plane.traces(at) for at in range(layers)]
    moving = ("type", "x", "y", "text", "textposition", "customdata")
    return draw(
        states[layer],
        height=height + SCRUBBER,
        frames=[
            frame | {"layout": {"shapes": shapes}}
            for frame, shapes in zip(
                layer_frames(
                    [
                        [{key: one[key] for key in moving if key in one} for one in own]
                        for own in states
                    ]
                ),
                no_lean,
                strict=True,
            )
        ],
        annotations=sides,
        shapes=no_lean[layer],
        updatemenus=[play_menu(layers, layers - 1, redraw=True)],
        sliders=[layer_scrubber(layers, layer)],
        margin={"t": ABOVE},
        xaxis=titled(f"similarity to {label(anchors[0])}", range=axes[0], showgrid=True),
        yaxis=titled(f"similarity to {label(anchors[1])}", range=axes[1]),
    )


class _Plane:
    """What the plane shows at each layer."""

    def __init__(
        self,
        cosines: Array,
        names: Sequence[Name],
        hints: Sequence[Sequence[str]],
        axes: tuple[Range, Range],
        sides: Sequence[Trace],
        *,
        large: bool,
    ) -> None:
        self.cosines, self.names = cosines, names
        self.count, self.layers = cosines.shape[:2]
        self.crowded = self.count > MOST_NUMBERED
        self.colors = [*SENTENCES, *[MUTED] * self.count][: self.count]
        self.hints = [
            ["<br>".join(label(line, 100) for line in hint.split("\n")) for hint in row]
            for row in hints
        ]
        corners = tuple((round(one["x"]), len(one["text"]) - len("<i></i>")) for one in sides)
        letters = tuple(len("".join(name)) for name in names[:MOST_LABELLED])
        # Made once: the same paths come again with every other layer, and with percentiles.
        (left, right), (_, top) = axes
        packed = cosines.astype(np.float32).tobytes()
        self.numbered, self.places, self.beside = _places(
            packed, self.layers, left, top, right, corners, letters, large
        )

    def traces(self, layer: int) -> list[Trace]:
        """Paths up to a layer, the large dots there, the numbers of the others, the words."""
        return [*self._paths(layer), self._large(layer), self._numbers(layer), self._words(layer)]

    def _paths(self, layer: int) -> list[Trace]:
        # What is to come lies under the large dot, from which the path grows as it moves on.
        reached = np.minimum(np.arange(self.layers), layer)
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

    def _large(self, layer: int) -> Trace:
        here = self.cosines[:, layer]
        return marks(
            here[:, 0],
            here[:, 1],
            {"color": self.colors, "size": LARGE},
            HOVER,
            mode="markers+text",
            text=[f"<b>{layer}</b>"] * self.count,
            textposition="middle center",
            textfont={"color": [ink(color) for color in self.colors]},
            customdata=[own[layer] for own in self.hints],
        )

    def _numbers(self, layer: int) -> Trace:
        """The number of each dot beside it, where no dot, line or other number is in its way."""
        at = self.cosines[tuple(np.array(self.numbered, int).reshape(-1, 2).T)]
        texts = [f"<b>{of}</b>" if of < layer else BLANK for _, of in self.numbered]
        # Of two words it is plain whose a number is; the page's own letters are clearest.
        own = [self.colors[word] for word, _ in self.numbered] if self.count > 2 else None
        return self._texts(at, texts, self.places) | ({"textfont": {"color": own}} if own else {})

    def _words(self, layer: int) -> Trace:
        """The first words beside their large dots."""
        named = self.names[:MOST_LABELLED]
        return self._texts(
            self.cosines[:MOST_LABELLED, layer],
            [
                f"{label(before, 40)}<b>{label(word, 40)}</b>{label(after, 40)}"
                for before, word, after in named
            ],
            self.beside[layer],
        )

    def _texts(self, at: Array, texts: list[str], places: list[Place]) -> Trace:
        # Unseen marks keep the texts away from the dots.
        unseen = {"size": [2 * away for _, away in places], "opacity": 0}
        beside = [name for name, _ in places]
        return marks(
            at[:, 0], at[:, 1], unseen, mode="markers+text", text=texts, textposition=beside
        )


@once
def _places(
    cosines: bytes,
    layers: int,
    left: float,
    top: float,
    right: float,
    corners: tuple[tuple[int, int], ...],
    letters: tuple[int, ...],
    large: bool,
) -> tuple[list[tuple[int, int]], list[Place], list[list[Place]]]:
    """Which dots have a number, where these are, and where the words are at each layer."""
    widths, height = (WIDTHS_LARGE, HEIGHT_LARGE) if large else (WIDTHS, HEIGHT)
    sizes = np.array([(width, height - BELOW + SCRUBBER - ABOVE) for width in widths])
    paths = np.frombuffer(cosines, np.float32).reshape(-1, layers, 2)
    scales = sizes * [1, -1] / (right - left)  # down the screen
    pixels = (paths - np.array([left, top])) * scales[:, None, None]
    # Numbers keep their places as it plays: all dots are in their way, also those to come.
    taken = Obstacles(pixels, sizes)
    for corner in corners:
        taken.take_corner(*corner)
    numbered = [] if len(paths) > MOST_NUMBERED else near_first(pixels[0])
    places = [taken.place(*dot, len(str(dot[1])), SMALL / 2, LARGE / 2) for dot in numbered]
    words = list[list[Place]]()
    for layer in range(layers):
        free = taken.copy()
        words.append([free.place(word, layer, n, *AWAY) for word, n in enumerate(letters)])
    return numbered, places, words


def _ranges(cosines: Array) -> tuple[Range, Range]:
    """Of both axes: equally long, each around its own numbers."""
    low, high = cosines.min(axis=(0, 1)), cosines.max(axis=(0, 1))
    middle = (low + high) / 2
    span = max(float((high - low).max()) * (1 + 2 * ROOM), 0.1)
    x, y = ([float(m) - span / 2, float(m) + span / 2] for m in middle)
    return x, y


def _sides(anchors: tuple[str, str]) -> list[Trace]:
    """Which side of the line is whose, in the corners that lie on that side."""
    corners = [
        (anchors[1], 0.01, 0.99, "left", "top"),
        (anchors[0], 0.99, 0.01, "right", "bottom"),
    ]
    return [
        {
            "text": f"<i>leans to {label(anchor)}</i>",
            "x": x,
            "y": y,
            "xref": "x domain",
            "yref": "y domain",
            "xanchor": across,
            "yanchor": up,
        }
        for anchor, x, y, across, up in corners
    ]


def _no_lean(axes: tuple[Range, Range], middle: Sequence[float]) -> list[Trace]:
    """Where a word leans to neither anchor, as far as it lies in the picture."""
    (left, right), (bottom, top) = axes
    up = middle[1] - middle[0]
    low, high = max(left, bottom - up), min(right, top - up)
    line = {"color": MUTED, "dash": "dot", "width": 1.5}
    ends = {"x0": low, "y0": low + up, "x1": high, "y1": high + up}
    return [{"type": "line", **ends, "line": line, "layer": "below"}]
