"""Where labels of dots go: beside them, where they hide no other dot, line or label."""

from copy import copy

import numpy as np
from numpy.typing import NDArray

Pixels = NDArray[np.floating]
SMALL, LARGE = 9, 28  # pixels: a dot, and one of the layer in view
LETTER, LINE = 7, 15  # pixels: width and height of a letter
# Plotly's names, and where they lead; those come first that are best to read.
PLACES = (
    *("top center", "bottom center", "middle right", "middle left"),
    *("top right", "top left", "bottom right", "bottom left"),
)
DIRECTIONS = np.array([(0, -1), (0, 1), (1, 0), (-1, 0), (1, -1), (-1, -1), (1, 1), (-1, 1)])
SAMPLES = np.linspace(0, 1, 8)[:, None]  # points of a line that a label may hide


def near_first(paths: Pixels) -> list[tuple[int, int]]:
    """Words and layers of the dots that have a number: the ends first, of equal dots the first."""
    count, layers, _ = paths.shape
    order = dict.fromkeys((0, layers - 1, *range(1, layers - 1)))
    numbered: list[tuple[int, int]] = []
    for layer in order:
        for word in range(count):
            same = [other for other, at in numbered if at == layer]
            away = [float(np.abs(paths[word, layer] - paths[other, layer]).max()) for other in same]
            if min(away, default=9.0) > 2:
                numbered.append((word, layer))
    return numbered


class Obstacles:
    """What labels are not to hide: paths, and labels placed before, on screens of several sizes.

    `paths` are (sizes, n, layers, 2) in pixels.
    """

    def __init__(self, paths: Pixels, sizes: NDArray[np.integer]) -> None:
        self.paths, self.sizes = paths, sizes
        self.dots = paths.reshape(len(paths), -1, 2)
        steps = np.diff(paths, axis=2)[..., None, :] * SAMPLES
        self.lines = (paths[:, :, :-1, None] + steps).reshape(len(paths), -1, 2)
        self.labels: Pixels = np.empty((len(paths), 0, 2))  # middles
        self.halves: Pixels = np.empty((0, 2))  # of their sides

    def copy(self) -> "Obstacles":
        """The same, to which other labels are added."""
        return copy(self)

    def take_corner(self, end: int, letters: int) -> None:
        """Keep labels from a text in the upper left corner (0), or in the lower right one (1)."""
        half = _half(letters)
        self._take(end * self.sizes + (1 - 2 * end) * half, half)

    def _take(self, middles: Pixels, half: Pixels) -> None:
        self.labels = np.concatenate([self.labels, middles[:, None]], axis=1)
        self.halves = np.concatenate([self.halves, half[None]])

    def place(self, word: int, layer: int, letters: int, *aways: float) -> tuple[str, float]:
        """Choose the place of a dot's label, one for all sizes, and how far from the dot.

        `aways` are radii to choose from; the nearer ones come first.
        """
        half = _half(letters)
        # Plotly moves a text by the mark's radius and a little, on both axes.
        offsets = np.concatenate([DIRECTIONS * (half + away + 2) for away in aways])
        middles: Pixels = self.paths[:, word, layer, None] + offsets
        farther = np.repeat(np.arange(len(aways)), len(PLACES))
        best = int((self._hidden(word, layer, middles, half) + 4 * farther).argmin())
        self._take(middles[:, best], half)
        return PLACES[best % len(PLACES)], aways[farther[best]]

    def _hidden(self, word: int, layer: int, middles: Pixels, half: Pixels) -> Pixels:
        """How much labels in some places would hide: dots and labels count more than lines.

        The other dots count less where they only do while they are large: at their own layer.
        """
        dot = self.paths[:1, word, layer, None]
        others = self.dots[:, (self.dots[:1] != dot).any(axis=-1)[0]]
        cut = np.maximum(0, half - middles) + np.maximum(0, middles + half - self.sizes[:, None])
        return (
            10 * _near(others, middles, half + SMALL / 2)
            + 5 * _near(others, middles, half + LARGE / 2 - 2)
            + 3 * _near(self.lines, middles, half)
            + 20 * _near(self.labels, middles, half + self.halves)
            + 2 * cut.sum(axis=(0, 2))
        )


def _half(letters: int) -> Pixels:
    return np.array([LETTER * letters, LINE]) / 2


def _near(points: Pixels, middles: Pixels, reach: Pixels) -> Pixels:
    """How many points lie in a box around each of some middles; `reach` is half its sides."""
    away = np.abs(points[:, None] - middles[:, :, None])
    return (away < reach).all(axis=-1).sum(axis=(0, 2)).astype(np.float64)
