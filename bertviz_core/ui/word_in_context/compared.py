"""The words that the page compares, with all their cosines."""

from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations, product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bertviz_core.arrays import Array
from bertviz_core.bert import Bert
from bertviz_core.calibration import Calibration, Scales
from bertviz_core.contextual import WordInContext
from bertviz_core.contextual.marks import around
from bertviz_core.contextual.words import similarity_matrix
from bertviz_core.encoder import Pooling
from bertviz_core.ui import calibrations
from bertviz_core.ui.word_in_context.results import Comparison


@dataclass(frozen=True, eq=False)
class Compared:
    """The words that the page compares, seen at one layer.

    Attributes:
        bert: The model in use.
        comparison: The page's inputs as plain values.
        words: The marked words, sentence by sentence.
        anchors: The anchor words, each alone.
        layer: The layer to look at.
        calibration: The model's percentile scales; None while there are none.
        first_run: Whether the model was loaded for this run of the page.
    """

    bert: Bert
    comparison: Comparison
    words: list[WordInContext]
    anchors: list[WordInContext]
    layer: int = 0
    calibration: Scales | None = None
    first_run: bool = False

    def at(self, layer: int) -> "Compared":
        """The same words, seen at another layer, with what is known of the model by now."""
        known = calibrations.known(self.bert.name)
        return replace(self, layer=layer, calibration=known)

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

    def scale(self, first: int, second: int, pooling: Pooling | None = None) -> Calibration | None:
        """The percentile scale of a pair: of words of as many pieces, pooled in the same way.

        Args:
            first: Number of a word in `everything`.
            second: Number of another one.
            pooling: How pieces became one vector; None for the page's choice.

        Returns:
            The scale; None without a calibration, for a word with itself, for two words that both
            stand alone, and where the sentences measured hold too few such words.
        """
        words = self.everything[first], self.everything[second]
        if self.calibration is None or first == second:
            return None
        alone = [stands_alone(word) for word in words]
        if all(alone):
            return None
        # A scale with a word alone has it second.
        pieces = [len(word.tokens) for word in (words[::-1] if alone[0] else words)]
        return self.calibration.between(
            pieces[0], pieces[1], pooling or self.comparison.pooling, alone=any(alone)
        )

    def scale_to_tokens(self, number: int) -> Calibration | None:
        """The percentile scale of a word with single tokens of sentences; see `scale`."""
        if self.calibration is None:
            return None
        word = self.everything[number]
        return self.calibration.between(
            1, len(word.tokens), self.comparison.pooling, alone=stands_alone(word)
        )

    @cached_property
    def percentiles(self) -> NDArray[np.float64] | None:
        """Of all `cosines`, in the same shape, NaN where a pair has no scale; None without any."""
        if self.calibration is None:
            return None
        of_scale: dict[Calibration, list[tuple[int, int]]] = {}
        numbers = range(len(self.everything))
        for first, second in product(numbers, numbers):
            scale = self.scale(first, second)
            if scale is not None:
                of_scale.setdefault(scale, []).append((first, second))
        percentiles = np.full_like(self.cosines, np.nan, dtype=np.float64)
        for scale, pairs in of_scale.items():
            rows, columns = [row for row, _ in pairs], [column for _, column in pairs]
            for layer in range(self.cosines.shape[-1]):
                cosines = self.cosines[rows, columns, layer]
                percentiles[rows, columns, layer] = scale.percentiles(cosines, layer)
        return percentiles

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

    def excerpt(self, number: int, longest: int) -> tuple[str, str, str]:
        """A word with what stands around it in its sentence; see `marks.around`."""
        return around(*span(self.words[number]), longest)

    def shortened(self, number: int, longest: int = 32) -> str:
        """The same as one text, marked where several words of the sentence are compared."""
        before, word, after = self.excerpt(number, longest)
        text = self.words[number].sentence
        marked = sum(other.sentence == text for other in self.words) > 1
        return f"{before}[{word}]{after}" if marked else f"{before}{word}{after}"

    @property
    def made(self) -> dict[str, str | int]:
        """How all numbers at the layer were made, for what is saved."""
        return {"layer": self.layer, "pooling": self.comparison.pooling}

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
        self, cosines: NDArray[Any], pooling: Pooling | None = None
    ) -> NDArray[np.float64] | None:
        """Percentiles of other cosines of `pairs` at the layer; None without a calibration."""
        if self.calibration is None:
            return None
        scales = [self.scale(i, j, pooling) for i, j in self.pairs]
        return np.array(
            [
                np.nan if scale is None else scale.percentile(cosine, self.layer)
                for scale, cosine in zip(scales, cosines.tolist(), strict=True)
            ]
        )


def stands_alone(word: WordInContext) -> bool:
    """Whether a word is all of its sentence, as an anchor is."""
    return len(word.tokens) == len(word.text) - 2


def span(word: WordInContext) -> tuple[str, int, int]:
    """The word's sentence, the first character of its tokens and one past their last."""
    spans = word.text.offsets[list(word.token_positions)]
    return word.sentence, int(spans[0, 0]), int(spans[-1, 1])
