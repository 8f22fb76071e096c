"""The occurrences of a word that the page is about, and what several views compute of them, once.

Vectors are large: they are in the cache once, and what is computed of them is kept under their
`identity`.
"""

import threading
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from bertviz_core import senses
from bertviz_core.arrays import Array
from bertviz_core.bert import Bert
from bertviz_core.errors import UserInputError
from bertviz_core.saved_files import Made, file_name
from bertviz_core.senses import Groups, Occurrence, SenseScores, SenseVectors, pairs, projection
from bertviz_core.senses.groups import MIN_OCCURRENCES
from bertviz_core.senses.projection import Plane
from bertviz_core.senses.vector_files import Cell, Opened
from bertviz_core.shared import once
from bertviz_core.views.parts import program
from bertviz_core.views.sentences import joined
from bertviz_core.views.view import Program
from bertviz_core.views.word_senses.corpora import CorpusSample

PAGE = "Word Senses"
ALL, ONE, TSNE = "all layers", "this layer", "t-SNE"
MAPS = {ALL: "senses-pca", ONE: "senses-pca-one", TSNE: "senses-tsne"}  # names of their pictures
ALL_OCCURRENCES = "senses"  # the table of them
TAKEN = ("sense", "group", "line", "start", "end", "model")  # names of columns in any of our files
MOST_LISTED = 200  # occurrences in a program; it reads more from the table's CSV
# For work that sets how many threads the whole process uses: two at once could leave it at one. And
# for maps: of the largest file, each takes 100 MB meanwhile.
_ONE_AT_A_TIME = threading.Lock()


@dataclass(frozen=True, eq=False)
class Mapped:
    """The occurrences in view."""

    # Plain values that tell these vectors and labels from others in the cache.
    identity: tuple[Hashable, ...]
    word: str
    model: str  # name of the checkpoint that made the vectors
    pooling: str  # how the pieces of a word became one vector
    found: SenseVectors  # n occurrences and their vectors
    layers: tuple[int, ...]  # numbers of the layers, rising; 0 is the input embedding
    total: int = 0  # how many occurrences there are, with those that are not on the map
    # The file or the sample that the vectors were read from; None where the model ran.
    opened: Opened | None = None
    corpus_sample: CorpusSample | None = None  # where they are a sample of a corpus
    # Of each occurrence the group of the column that it is coloured by; None for none.
    colours: tuple[str, ...] | None = None

    def __post_init__(self) -> None:
        if len(self.occurrences) < MIN_OCCURRENCES:
            raise UserInputError(
                f"{len(self.occurrences)} occurrences of “{self.word}” can be drawn; a map needs "
                f"at least {MIN_OCCURRENCES}."
            )

    @property
    def occurrences(self) -> tuple[Occurrence, ...]:
        """All n."""
        return self.found.occurrences

    @property
    def vectors(self) -> Array:
        """Their vectors: float32 (n, layers, hidden_size)."""
        return self.found.vectors

    @cached_property
    def senses(self) -> tuple[str | None, ...]:
        """The label of each occurrence."""
        return tuple(occurrence.sense for occurrence in self.occurrences)

    @property
    def labelled(self) -> bool:
        """Whether the source has labels of senses."""
        return any(sense is not None for sense in self.senses)

    @cached_property
    def scorable(self) -> bool:
        """Whether the labels make pairs of one sense and pairs of different senses."""
        labels = [sense for sense in self.senses if sense is not None]
        compared = [labels[row] for row in pairs.sampled(range(len(labels)))]
        return 1 < len(set(compared)) < len(compared)

    @property
    def columns(self) -> Mapping[str, Sequence[Cell]]:
        """What else the source says of each occurrence, by the name of the column."""
        return {} if self.opened is None else self.opened.columns

    def at(self, layer: int) -> Array:
        """The vectors of one layer: float32 (n, hidden_size)."""
        return self.vectors[:, self.layers.index(layer)]

    def numbers_of(self, places: Sequence[int]) -> list[int]:
        """The numbers of the layers at some places among those there are."""
        return [self.layers[place] for place in places]

    def groups(self, layer: int, count: int | None = None) -> Groups:
        """The groups at one layer; None for as many as the silhouette proposes."""
        return _groups(self, layer).with_count(count)

    def made(self, layer: int) -> Made:
        """How what is saved was made, beside its model."""
        made: Made = {"word": self.word, "layer": layer, "pooling": self.pooling}
        if self.corpus_sample is not None:
            made = {**made, "corpus": self.corpus_sample.corpus.name}
        return made if self.opened is None else {**made, "vectors of": self.model}

    def program(self, template: str, bert: Bert, at: int, /, **values: Any) -> list[Program]:
        """The program that prints what is shown; none where it would print other numbers.

        It lists the occurrences, or reads them from the table of all where they are many.
        """
        every = self.layers == tuple(range(bert.num_hidden_layers + 1))
        own = self.opened is None or self.opened.as_computed
        if not (own and every and self.model == bert.name):
            return []
        words: Any = [(o.sense, o.sentence, o.start, o.end) for o in self.occurrences]
        if len(words) > MOST_LISTED:
            file = file_name(PAGE.lower(), ALL_OCCURRENCES, bert.name, made=self.made(at))
            words = f"{file}.csv"
        return [program(template, bert, words=words, pooling=self.pooling, **values)]


@once
def _groups(mapped: Mapped, layer: int) -> Groups:
    with _ONE_AT_A_TIME:
        return senses.group(mapped.at(layer))


@once
def clouds_of(mapped: Mapped, layer: int, count: int) -> Array:
    """Mean silhouettes of so many groups where there are none; see `senses.groups`."""
    with _ONE_AT_A_TIME:
        return senses.groups.silhouettes_by_chance(mapped.at(layer), count)


@once
def scores_of(mapped: Mapped) -> SenseScores:
    """The scores of every layer against the labels, which have to be `scorable`."""
    with _ONE_AT_A_TIME:
        return senses.sense_scores(mapped.vectors, mapped.senses)


@once
def _shared_frame(mapped: Mapped) -> Plane:
    with _ONE_AT_A_TIME:
        return projection.shared_frame(mapped.vectors)


@once
def _layer_frame(mapped: Mapped, layer: int) -> Plane:
    with _ONE_AT_A_TIME:
        return projection.layer_frame(mapped.at(layer))


@once
def _tsne_map(mapped: Mapped, layer: int) -> Array:
    with _ONE_AT_A_TIME:
        return projection.tsne_map(mapped.at(layer))


def placed(mapped: Mapped, layer: int, kind: str) -> tuple[Array, Array | None, tuple[str, str]]:
    """Points of a layer by one of `MAPS`, of all layers if they have one frame, and axis titles."""
    if kind == TSNE:
        points = _tsne_map(mapped, layer)
        perplexity = f"perplexity {projection.tsne_perplexity(len(points)):.0f}"
        return points, None, (f"t-SNE 1 ({perplexity})", "t-SNE 2")
    layers: Array | None = None
    if kind == ONE:
        plane = _layer_frame(mapped, layer)
        points, explained = plane.points, plane.explained
    else:
        plane = _shared_frame(mapped)
        place = mapped.layers.index(layer)
        layers, explained = plane.points, plane.explained[place]
        points = layers[:, place]
    first, second = (
        f"PC {number} ({share:.0%})" for number, share in enumerate(explained, start=1)
    )
    return points, layers, (first, second)


def listed(mapped: Mapped, rows: Sequence[int], **own: Any) -> dict[str, Any]:
    """Columns of some occurrences: their number and sense, `own` ones, and what the source has."""
    columns: dict[str, Any] = {"number": [row + 1 for row in rows]}
    if mapped.labelled:
        columns["sense"] = [mapped.senses[row] or "" for row in rows]
    columns |= own | {"sentence": [mapped.occurrences[row].sentence for row in rows]}
    taken = {*columns, *TAKEN, *mapped.made(0)}
    return columns | {
        f"{name} (of the source)" if name in taken else name: [values[row] for row in rows]
        for name, values in mapped.columns.items()
    }


def layers_named(layers: Sequence[int]) -> str:
    """ "layer 3", "layers 3, 4 and 5"; empty for none."""
    if not layers:
        return ""
    return ("layer " if len(layers) == 1 else "layers ") + joined(map(str, layers))
