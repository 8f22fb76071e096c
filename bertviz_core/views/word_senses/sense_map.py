"""The occurrences of a word in view, what several views compute of them once, and what is left out.

Vectors are large: they are in the cache once, and what is computed of them is kept under their
`identity`.
"""

import threading
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from bertviz_core import senses
from bertviz_core.arrays import Array
from bertviz_core.bert import Bert
from bertviz_core.errors import UserInputError
from bertviz_core.saved_files import Made
from bertviz_core.senses import (
    Groups,
    Occurrence,
    SenseScores,
    SenseVectors,
    WordOccurrences,
    projection,
)
from bertviz_core.senses.groups import MIN_OCCURRENCES
from bertviz_core.senses.occurrences import MAX_SENTENCE
from bertviz_core.senses.projection import Plane
from bertviz_core.senses.scores import sampled
from bertviz_core.senses.vector_files import Cell, VectorFile
from bertviz_core.shared import once
from bertviz_core.views.parts import caption, note, program
from bertviz_core.views.view import Program, Sentence
from bertviz_core.views.word_senses.corpora import CorpusSample

PAGE = "Word Senses"
ALL, ONE, TSNE = "all layers", "this layer", "t-SNE"
MAPS = {ALL: "senses-pca", ONE: "senses-pca-one", TSNE: "senses-tsne"}  # names of their pictures
TAKEN = ("sense", "group", "line", "start", "end", "model")  # names of columns in any of our files
# For work that sets how many threads the whole process uses: two at once could leave it at one. And
# for maps: of the largest file, each takes 100 MB meanwhile.
_ONE_AT_A_TIME = threading.Lock()


@dataclass(frozen=True, eq=False)
class SenseMap:
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
    opened: VectorFile | None = None
    matches: WordOccurrences | None = None  # what was found in lines of text
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
        compared = [labels[row] for row in sampled(range(len(labels)))]
        return 1 < len(set(compared)) < len(compared)

    @property
    def columns(self) -> Mapping[str, Sequence[Cell]]:
        """What else the source says of each occurrence, by the name of the column."""
        return {} if self.opened is None else self.opened.columns

    def at(self, layer: int) -> Array:
        """The vectors of one layer: float32 (n, hidden_size)."""
        return self.vectors[:, self.layers.index(layer)]

    def groups(self, layer: int, count: int | None = None) -> Groups:
        """The groups at one layer; None for as many as the silhouette proposes."""
        return _groups(self, layer).with_count(count)

    def made(self, layer: int) -> Made:
        """How what is saved was made, beside its model."""
        made: Made = {"word": self.word, "layer": layer, "pooling": self.pooling}
        if self.corpus_sample is not None:
            made = {**made, "corpus": self.corpus_sample.corpus.name}
        return made if self.opened is None else {**made, "vectors of": self.model}

    def program(self, template: str, bert: Bert, /, **values: Any) -> list[Program]:
        """The program that prints what is shown; none where it would print other numbers."""
        every = self.layers == tuple(range(bert.num_hidden_layers + 1))
        own = self.opened is None or self.opened.as_computed
        if not (own and every and self.model == bert.name):
            return []
        words = [(one.sense, one.sentence, one.start, one.end) for one in self.occurrences]
        return [program(template, bert, words=words, pooling=self.pooling, **values)]


@once
def _groups(mapped: SenseMap, layer: int) -> Groups:
    with _ONE_AT_A_TIME:
        return senses.group(mapped.at(layer))


@once
def scores_of(mapped: SenseMap) -> SenseScores:
    """The scores of every layer against the labels, which have to be `scorable`."""
    with _ONE_AT_A_TIME:
        return senses.sense_scores(mapped.vectors, mapped.senses)


@once
def _shared_frame(mapped: SenseMap) -> Plane:
    with _ONE_AT_A_TIME:
        return projection.shared_frame(mapped.vectors)


@once
def _layer_frame(mapped: SenseMap, layer: int) -> Plane:
    with _ONE_AT_A_TIME:
        return projection.layer_frame(mapped.at(layer))


@once
def _tsne_map(mapped: SenseMap, layer: int) -> Array:
    with _ONE_AT_A_TIME:
        return projection.tsne_map(mapped.at(layer))


def placed(mapped: SenseMap, layer: int, kind: str) -> tuple[Array, Array | None, tuple[str, str]]:
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


def listed(mapped: SenseMap, rows: Sequence[int], **own: Any) -> dict[str, Any]:
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


def left_out(bert: Bert, mapped: SenseMap) -> Iterator[Sentence]:
    """Say which occurrences are not on the map, and which other model made the vectors."""
    count, total, matches = len(mapped.occurrences), mapped.total, mapped.matches
    counts = {"count": f"{count:,}", "total": f"{total:,}", "word": mapped.word}
    if matches is not None and matches.total > len(matches.occurrences):
        yield caption(
            "“{word}” occurs {total} times; the first {count} are on the map. The command "
            "<code>bert-explorer occurrences</code> takes all of them.",
            method="how-a-word-is-found",
            **counts | {"total": f"{matches.total:,}"},
        )
    if matches is not None and matches.shortened:
        yield note(
            "{shortened} of them are in lines of more than {longest} characters, of which only the "
            "part around the word is read and shown.",
            shortened=f"{matches.shortened:,}",
            longest=f"{MAX_SENTENCE:,}",
        )
    if matches is not None and count < total:
        yield note(
            "{left_out} of {total} are left out: the word comes after the first {most} tokens of "
            "its line, or BERT reads none of its characters.",
            left_out=f"{mapped.found.left_out:,}",
            most=bert.max_position_embeddings,
            **counts,
        )
    sample = mapped.corpus_sample
    if sample is not None and (missing := sample.corpus.occurrences.parts_missing):
        said = "This corpus is not complete: {missing} parts are missing."
        yield note(said, missing=f"{missing:,}")
    elif sample is None and matches is None and count < total:
        said = "The file holds {total} occurrences of “{word}”; the first {count} are on the map."
        yield note(said, **counts)
    if mapped.model != bert.name:
        yield note(
            "These vectors come from the model “<b>{model}</b>”, pooled by {pooling}; the model in "
            "the sidebar does not matter here.",
            model=mapped.model,
            pooling=mapped.pooling,
        )
