"""Where labels of dots go: beside them, where they hide no other dot, line or label."""

from copy import copy
from itertools import pairwise

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
    """What labels are not to hide: paths, (n, layers, 2) in pixels, and labels placed before."""

    def __init__(self, paths: Pixels, size: tuple[int, int]) -> None:
        self.dots = paths.reshape(-1, 2)
        on_lines = [a + (b - a) * SAMPLES for path in paths for a, b in pairwise(path)]
        self.lines = np.concatenate(on_lines) if on_lines else self.dots
        self.width, self.height = size
        self.labels: Pixels = np.empty((0, 2, 2))  # middles, and halves of their sides

    def copy(self) -> "Obstacles":
        """The same, to which other labels are added."""
        return copy(self)

    def place(self, dot: Pixels, letters: int, *aways: float) -> tuple[str, float]:
        """Choose the place of a label, and how far from a dot; keep it from others.

        `aways` are radii to choose from; the nearer ones come first.
        """
        half: Pixels = np.array([LETTER * letters, LINE]) / 2
        # Plotly moves a text by the mark's radius and a little, on both axes.
        middles: Pixels = np.concatenate([dot + DIRECTIONS * (half + away + 2) for away in aways])
        farther = np.repeat(np.arange(len(aways)), len(PLACES))
        best = int((self._hidden(dot, middles, half) + 4 * farther).argmin())
        self.labels = np.concatenate([self.labels, [[middles[best], half]]])
        return PLACES[best % len(PLACES)], aways[farther[best]]

    def _hidden(self, dot: Pixels, middles: Pixels, half: Pixels) -> Pixels:
        """How much labels in some places would hide: dots and labels count more than lines.

        The other dots count less where they only do while they are large: at their own layer.
        """
        others = self.dots[(self.dots != dot).any(axis=1)]
        limits = np.array([self.width, self.height])
        cut = np.maximum(0, half - middles) + np.maximum(0, middles + half - limits)
        return (
            10 * _near(others, middles, half + SMALL / 2)
            + 5 * _near(others, middles, half + LARGE / 2 - 2)
            + 3 * _near(self.lines, middles, half)
            + 20 * _near(self.labels[:, 0], middles, half + self.labels[:, 1])
            + cut.sum(axis=1)
        )


def _near(points: Pixels, middles: Pixels, reach: Pixels) -> Pixels:
    """How many points lie in a box around each of some middles; `reach` is half its sides."""
    away = np.abs(points - middles[:, None])
    return (away < reach).all(axis=-1).sum(axis=1).astype(np.float64)
