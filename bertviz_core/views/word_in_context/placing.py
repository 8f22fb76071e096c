"""Where labels of dots go: beside them, where they hide no other dot, line or label."""

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

Pixels = NDArray[np.floating]
SMALL, LARGE = 9, 28  # pixels: a dot, and one of the layer in view
LETTER, LINE = 7, 15  # pixels: width and height of a letter
# Plotly's names, with the direction they lead to; those come first that are best to read.
PLACES = {
    "top center": (0, -1),
    "bottom center": (0, 1),
    "middle right": (1, 0),
    "middle left": (-1, 0),
    "top right": (1, -1),
    "top left": (-1, -1),
    "bottom right": (1, 1),
    "bottom left": (-1, 1),
}
SAMPLES = np.linspace(0, 1, 12)[:, None]  # points of a line that a label may hide


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
        self.labels: list[tuple[Pixels, Pixels]] = []  # middles, and halves of their sides

    def place(self, dot: Pixels, letters: int, *aways: float) -> tuple[str, float]:
        """Choose the place of a label, and how far from a dot; keep it from others.

        `aways` are radii to choose from; the nearer ones come first.
        """
        half: Pixels = np.array([LETTER * letters, LINE]) / 2
        others = self.dots[(self.dots != dot).any(axis=1)]
        found: list[tuple[float, str, float, Pixels]] = []
        for far, away in enumerate(aways):
            for name, direction in PLACES.items():
                # Plotly moves a text by the mark's radius and a little, on both axes.
                middle: Pixels = dot + np.array(direction) * (half + away + 2)
                hidden = self._hidden(middle, half, others) + 2 * far
                found.append((hidden, name, away, middle))
        _, name, away, middle = min(found, key=lambda one: one[0])
        self.labels.append((middle, half))
        return name, away

    def _hidden(self, middle: Pixels, half: Pixels, others: Pixels) -> float:
        """How much a label would hide: dots and labels count more than a piece of a line.

        The other dots count less where they only do while they are large: at their own layer.
        """
        over_dots = (np.abs(others - middle) < half + SMALL / 2).all(axis=1).sum()
        over_large = (np.abs(others - middle) < half + LARGE / 2 - 2).all(axis=1).sum()
        over_lines = (np.abs(self.lines - middle) < half).all(axis=1).sum()
        over_labels = sum(
            bool((np.abs(other - middle) < half + size).all()) for other, size in self.labels
        )
        limits = np.array([self.width, self.height])
        cut = np.maximum(0, half - middle).sum() + np.maximum(0, middle + half - limits).sum()
        return float(10 * over_dots + 3 * over_large + over_lines + 20 * over_labels + cut)
