"""The words that the page compares, with all their cosines."""

from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bertviz_core.arrays import Array
from bertviz_core.bert import Bert
from bertviz_core.calibration import Calibration
from bertviz_core.contextual import WordInContext
from bertviz_core.contextual.words import similarity_matrix
from bertviz_core.ui import calibrations, percentiles
from bertviz_core.ui.word_in_context.results import Comparison


@dataclass(frozen=True, eq=False)
class Compared:
    """The words that the page compares, seen at one layer.

    Attributes:
        bert: The model in use.
        comparison: The page's inputs as plain values.
        words: The marked words, sentence by sentence.
        anchors: The anchor words, each alone.
        calibration: Of the model; None while there is none.
        layer: The layer to look at.
        first_run: Whether the model was loaded for this run of the page.
    """

    bert: Bert
    comparison: Comparison
    words: list[WordInContext]
    anchors: list[WordInContext]
    calibration: Calibration | None
    layer: int
    first_run: bool = False

    def at(self, layer: int) -> "Compared":
        """The same words, seen at another layer, with what is known of the model by now."""
        return replace(self, layer=layer, calibration=calibrations.known(self.bert.name))

    @property
    def everything(self) -> list[WordInContext]:
        """Words, then anchors."""
        return [*self.words, *self.anchors]

    @cached_property
    def cosines(self) -> Array:
        """Of each of `everything` with each other at every layer: float32 (n, n, layers)."""
        layers = range(self.bert.num_hidden_layers + 1)
        everything = self.everything
        return np.stack([similarity_matrix(everything, layer) for layer in layers], axis=-1)

    @cached_property
    def percentiles(self) -> NDArray[np.float64] | None:
        """Of all `cosines`, in the same shape; None without a calibration."""
        calibration, cosines = self.calibration, self.cosines
        if calibration is None:
            return None
        by_layer = (calibration.percentiles(cosines[..., i], i) for i in range(cosines.shape[-1]))
        return np.stack(list(by_layer), axis=-1)

    @property
    def names(self) -> list[str]:
        """Short names of `everything` that stay apart: words are numbered."""
        names = [f"{i} {word.word}" for i, word in enumerate(self.words, start=1)]
        for anchor in self.anchors:
            name = anchor.word
            while name in names:
                name += " (anchor)"
            names.append(name)
        return names

    @property
    def pairs(self) -> list[tuple[int, int]]:
        """The pairs the page is about, as numbers in `everything`.

        Each word with each anchor; without anchors, each word with each other one.
        """
        count = len(self.words)
        if self.anchors:
            return [(i, j) for i in range(count) for j in range(count, len(self.everything))]
        return list(combinations(range(count), 2))

    @property
    def pair_names(self) -> list[str]:
        """A name for each of `pairs`: "1 python – snake"."""
        names = self.names
        return [f"{names[i]} – {names[j]}" for i, j in self.pairs]

    @property
    def pair_cosines(self) -> Array:
        """Cosine of each of `pairs` at every layer: float32 (layers, number of pairs)."""
        rows, columns = np.array(self.pairs).T
        cosines: Array = self.cosines[rows, columns].T
        return cosines

    def others(self, number: int) -> list[int]:
        """What a word can be compared with, as numbers in `everything`: the anchors first."""
        count = len(self.words)
        return [*range(count, len(self.everything)), *(i for i in range(count) if i != number)]

    def sentence(self, number: int) -> str:
        """The sentence of a word, its mark shown where others of the same one are compared."""
        word = self.words[number]
        text = word.sentence
        if sum(other.sentence == text for other in self.words) > 1:
            _, start, end = span(word)
            text = f"{text[:start]}[{text[start:end]}]{text[end:]}"
        return text.strip()

    def same_nearest_anchor(self, cosines: Array) -> int | None:
        """Count the words to which several measures find the same anchor nearest.

        Args:
            cosines: (measures, n), by each measure the cosine of each of `pairs`.

        Returns:
            The number of words; None with fewer than two anchors.
        """
        if len(self.anchors) < 2:
            return None
        nearest = cosines.reshape(-1, len(self.words), len(self.anchors)).argmax(axis=-1)
        return int((nearest == nearest[0]).all(axis=0).sum())

    def percentiles_of(
        self, cosines: NDArray[Any], *, centred: bool = False
    ) -> NDArray[np.float64] | None:
        """Percentiles of other cosines of the layer; None without a calibration."""
        if self.calibration is None:
            return None
        percentiles: NDArray[np.float64] = self.calibration.percentiles(
            cosines, self.layer, centred=centred
        )
        return percentiles

    def after(self, cosine: float, *, centred: bool = False) -> str:
        """Where a cosine of the layer stands; see `percentiles.after`."""
        return percentiles.after(self.calibration, cosine, self.layer, centred=centred)

    def briefly(self, cosine: float, *, centred: bool = False) -> str:
        """The same in short; see `percentiles.briefly`."""
        return percentiles.briefly(self.calibration, cosine, self.layer, centred=centred)


def span(word: WordInContext) -> tuple[str, int, int]:
    """The word's sentence, the first character of its tokens and one past their last."""
    spans = word.text.offsets[list(word.token_positions)]
    return word.sentence, int(spans[0, 0]), int(spans[-1, 1])
