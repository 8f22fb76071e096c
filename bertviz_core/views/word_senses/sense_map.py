"""The occurrences of a word in view, what several views compute of them once, and what is left out.

Vectors are large: they are in the cache once, and what is computed of them is kept under their
`identity`.
"""

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, field
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
)
from bertviz_core.senses.groups import MIN_OCCURRENCES
from bertviz_core.senses.occurrences import MAX_SENTENCE
from bertviz_core.senses.projection import Plane, shared_frame
from bertviz_core.senses.scores import sampled
from bertviz_core.senses.vector_files import VectorFile
from bertviz_core.shared.results import slow_once
from bertviz_core.views.parts import Program, Sentence
from bertviz_core.views.view import caption, note, program

PAGE = "Word Senses"
PICTURE = "senses-pca"  # the name of the map
TAKEN = ("sense", "group", "line", "start", "end", "model")  # names of columns in any of our files


@dataclass(frozen=True, eq=False, repr=False)
class SenseMap(VectorFile):
    """The occurrences in view, from any source."""

    # Plain values that tell these vectors and labels from others in the cache.
    identity: tuple[Hashable, ...] = ()
    # Of each occurrence the group of the column that it is coloured by; None for none.
    colours: tuple[str, ...] | None = None
    notes: tuple[Sentence, ...] = ()  # which occurrences are not on the map
    source: Made = field(default_factory=dict)  # what saved files say of where the vectors are from

    def __post_init__(self) -> None:
        if len(self.occurrences) < MIN_OCCURRENCES:
            raise UserInputError(
                f"{len(self.occurrences)} occurrences of “{self.word}” can be drawn; a map needs "
                f"at least {MIN_OCCURRENCES}."
            )

    @property
    def occurrences(self) -> tuple[Occurrence, ...]:
        return self.found.occurrences

    @property
    def vectors(self) -> Array:
        """Their vectors: float32 (n, layers, hidden_size)."""
        return self.found.vectors

    @cached_property
    def senses(self) -> tuple[str | None, ...]:
        return tuple(occurrence.sense for occurrence in self.occurrences)

    @property
    def labelled(self) -> bool:
        return any(sense is not None for sense in self.senses)

    @cached_property
    def scorable(self) -> bool:
        """Whether the labels make pairs of one sense and pairs of different senses."""
        labels = [sense for sense in self.senses if sense is not None]
        compared = [labels[row] for row in sampled(range(len(labels)))]
        return 1 < len(set(compared)) < len(compared)

    def at(self, layer: int) -> Array:
        """The vectors of one layer: float32 (n, hidden_size)."""
        return self.vectors[:, self.layers.index(layer)]

    @slow_once
    def groups(self, layer: int) -> Groups:
        """The groups at one layer, as many as the silhouette proposes."""
        return senses.group(self.at(layer))

    def made(self, layer: int) -> Made:
        """How what is saved was made, beside its model."""
        return {"word": self.word, "layer": layer, "pooling": self.pooling, **self.source}

    def program(self, template: str, bert: Bert, /, **values: Any) -> list[Program]:
        """The program that prints what is shown; none where it would print other numbers."""
        every = self.layers == tuple(range(bert.num_hidden_layers + 1))
        if not (self.as_computed and every and self.model == bert.name):
            return []
        words = [(one.sense, one.sentence, one.start, one.end) for one in self.occurrences]
        return [program(template, bert, words=words, pooling=self.pooling, **values)]


@slow_once
def scores_of(mapped: SenseMap) -> SenseScores:
    """The scores of every layer against the labels, which have to be `scorable`."""
    return senses.sense_scores(mapped.vectors, mapped.senses, mapped.found.others)


@slow_once
def plane_of(mapped: SenseMap) -> Plane:
    """All occurrences at all layers as points of one plane."""
    return shared_frame(mapped.vectors)


def columns_of(mapped: SenseMap, rows: Sequence[int], **more: Any) -> dict[str, Any]:
    """Columns of some occurrences: their number and sense, `more`, and what the source has."""
    columns: dict[str, Any] = {"number": [row + 1 for row in rows]}
    if mapped.labelled:
        columns["sense"] = [mapped.senses[row] or "" for row in rows]
    columns |= more | {"sentence": [mapped.occurrences[row].sentence for row in rows]}
    taken = {*columns, *TAKEN, *mapped.made(0)}
    return columns | {
        f"{name} (of the source)" if name in taken else name: [values[row] for row in rows]
        for name, values in mapped.columns.items()
    }


def notes_on_lines(
    bert: Bert, matches: WordOccurrences, vectors: SenseVectors
) -> Iterator[Sentence]:
    """Say which occurrences in lines of text are not on the map, or only in part."""
    count = len(matches.occurrences)
    if matches.total > count:
        yield note_on_first(matches.word, len(vectors.occurrences), matches.total)
    if matches.shortened:
        yield note(
            "{shortened} of them are in lines of more than {longest} characters, of which only the "
            "part around the word is read and shown.",
            shortened=f"{matches.shortened:,}",
            longest=f"{MAX_SENTENCE:,}",
        )
    if vectors.left_out:
        yield note(
            "{left_out} of {total} are left out: the word comes after the first {most} tokens of "
            "its line, or BERT reads none of its characters.",
            left_out=f"{vectors.left_out:,}",
            total=f"{count:,}",
            most=bert.max_position_embeddings,
        )


def note_on_first(word: str, count: int, total: int) -> Sentence:
    """Say that only the first occurrences are on the map."""
    return caption(
        "“{word}” occurs {total} times; the first {count} are on the map.",
        method="how-a-word-is-found",
        word=word,
        count=f"{count:,}",
        total=f"{total:,}",
    )
