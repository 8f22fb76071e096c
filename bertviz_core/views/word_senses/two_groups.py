"""How far a word's use is apart in two groups of a corpus, layer by layer."""

import threading
from collections.abc import Callable
from typing import Annotated, Any, NamedTuple

import numpy as np

from bertviz_core.arrays import Ids
from bertviz_core.bert import Bert
from bertviz_core.corpus.schema import SENTENCE
from bertviz_core.corpus.shift.measures import LOW_P, Changed, Shift, changed, shift
from bertviz_core.corpus.shift.resamples import resample
from bertviz_core.corpus.shift.two_groups import TwoGroups, sentences_of, two_groups, vectors_of
from bertviz_core.csv_files import Made
from bertviz_core.file_names import file_name
from bertviz_core.shared import once
from bertviz_core.views.declare import view
from bertviz_core.views.fields import Decimal, Listed
from bertviz_core.views.parts import caption, note, picture, program, say, table
from bertviz_core.views.view import Part, View
from bertviz_core.views.word_senses.corpora import Corpus, folder_unsaid
from bertviz_core.views.word_senses.mapped import PAGE
from bertviz_core.views.word_senses.shift_figure import shift_by_layer

AVERAGE = "average pairwise distance"
LOW = 0.05
MOST_VALUES = 200  # of a column of text that are offered
SENTENCES = 5  # of each group
_ONE_AT_A_TIME = threading.Lock()


class _Measured(NamedTuple):
    groups: TwoGroups
    sentences: Ids
    shift: Shift


def _columns(corpus: Corpus) -> list[str]:
    """The columns that can divide the occurrences; a condition has no room for other names."""
    return [name for name in corpus.columns if not set("<>=!") & set(name)]


def _texts(corpus: Corpus, word: str, shiftby: str) -> list[str]:
    """The first groups to choose from, of a column of text."""
    values = _values(corpus, word, shiftby)
    return [_printed(one) for one in values if isinstance(one, str | bool)]


def _ends(corpus: Corpus, word: str, shiftby: str) -> tuple[float, float, float] | None:
    """The lowest, the middle and the highest value of a column of numbers."""
    values = _values(corpus, word, shiftby)
    if not values or isinstance(values[0], str | bool):
        return None
    low, middle = values[0], values[len(values) // 2]
    if middle == low:  # no occurrence is below it
        middle = next((value for value in values if value > low), low)
    return low, middle, values[-1]


def _end(place: int) -> Callable[[Corpus, str, str], float]:
    return lambda corpus, word, shiftby: (_ends(corpus, word, shiftby) or (0, 0, 0))[place]


@view(
    "two groups, layer by layer",
    page=PAGE,
    rank=50,
    doing="Comparing the two groups at every layer …",
    when=lambda corpus: corpus is not None,
)
def shift_of_groups(
    bert: Bert,
    corpus: Corpus,
    word: str,
    layer: int,
    shiftby: Annotated[
        str,
        Listed(
            "Two groups by",
            _columns,
            about="the column that makes two groups",
            when=lambda corpus: bool(_columns(corpus)),
        ),
    ] = "",
    shiftof: Annotated[
        str,
        Listed(
            "The first group is",
            _texts,
            about="the first group",
            when=lambda corpus, word, shiftby: bool(_texts(corpus, word, shiftby)),
        ),
    ] = "",
    shiftat: Annotated[
        float | None,
        Decimal(
            "The first group is below",
            _end(0),
            _end(2),
            lambda corpus, word, shiftby: "{1}, the middle one of {0} to {2}".format(
                *map(_printed, _ends(corpus, word, shiftby) or (0, 0, 0))
            ),
            about="the number below which the first group is",
            when=lambda corpus, word, shiftby: _ends(corpus, word, shiftby) is not None,
        ),
    ] = None,
) -> View:
    """How far apart a word's use in two groups of a corpus is, and what chance does."""
    if not _columns(corpus):
        return View(
            note("This corpus has no column, such as a year, to divide the occurrences by.")
        )
    shiftby = shiftby or _columns(corpus)[0]
    texts, ends = _texts(corpus, word, shiftby), _ends(corpus, word, shiftby)
    if texts:
        condition = f"{shiftby}={shiftof or texts[0]}"
    elif ends is not None:
        condition = f"{shiftby}<{_printed(ends[1] if shiftat is None else shiftat)}"
    else:
        return View(note("No occurrence of “{word}” has a value in this column.", word=word))
    measured = _measured(corpus, word, condition)
    average, groups, layers = measured.shift.average, measured.groups, corpus.occurrences.layers
    job = corpus.occurrences.job
    made: Made = {"word": word, "layer": layer, "pooling": job.pooling, "corpus": corpus.name,
                  "vectors of": job.model.title, "by": condition}  # fmt: skip
    return View(
        _findings(word, layers, layer, measured),
        picture(
            shift_by_layer(AVERAGE, average, layers, layer=layer),
            alt=f"Distance of {groups.first.name} and {groups.second.name} by layer: "
            + ", ".join(
                f"{number}: {value:.2f} (p {p:.3f})"
                for number, value, p in zip(layers, average.values, average.p, strict=True)
            ),
            name="senses-shift",
        ),
        table({"layer": layers, **measured.shift.columns()}, name="senses-shift", fold="Table"),
        program(
            "corpus/shift",
            bert,
            file=f"{file_name(PAGE.lower(), 'shift', bert.name, made=made)}.npz",
            arrays=lambda: _arrays(corpus, measured),
        ),
        _sentences(corpus, word, layer, condition, groups),
        made=made,
    )


@once
def _values(corpus: Corpus, word: str, column: str) -> list[Any]:
    """Of text, and of true and false, the most frequent first; of numbers all, rising."""
    import pyarrow.compute as pc
    import pyarrow.types as kinds

    if not column:
        return []
    with folder_unsaid(corpus.name, corpus.occurrences.folder):
        rows = corpus.occurrences.rows(word=word)
        read = corpus.occurrences.take(rows, [column]).column(column).drop_null()
    if not kinds.is_string(read.type) and not kinds.is_boolean(read.type):
        # A hundred of them tell the middle and both ends; a corpus may have millions.
        read = read.filter(pc.is_finite(read))
        numbers = pc.quantile(read, np.linspace(0, 1, 101).tolist(), interpolation="lower")
        return [value for value in numbers.to_pylist() if value is not None]
    counted = sorted(read.value_counts().to_pylist(), key=lambda one: -one["counts"])
    return [one["values"] for one in counted[:MOST_VALUES]]


def _printed(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value)


@once
def _measured(corpus: Corpus, word: str, condition: str) -> _Measured:
    occurrences = corpus.occurrences
    with _ONE_AT_A_TIME, folder_unsaid(corpus.name, occurrences.folder):
        groups = two_groups(occurrences, word, [condition])
        resamples = resample(*sentences_of(occurrences, groups))
        vectors = (vectors_of(occurrences, groups, layer) for layer in occurrences.layers)
        return _Measured(groups, resamples.sentences, shift(vectors, resamples))


@once
def _changed(corpus: Corpus, word: str, condition: str, layer: int) -> Changed:
    occurrences, groups = corpus.occurrences, _measured(corpus, word, condition).groups
    with folder_unsaid(corpus.name, occurrences.folder):
        resamples = resample(*sentences_of(occurrences, groups), count=1)
        return changed(*vectors_of(occurrences, groups, layer), resamples)


def _arrays(corpus: Corpus, measured: _Measured) -> dict[str, Any]:
    """The vectors of both groups at every layer, and what the program divides them by."""
    occurrences, groups = corpus.occurrences, measured.groups
    with folder_unsaid(corpus.name, occurrences.folder):
        first, second = sentences_of(occurrences, groups)
        layers = [vectors_of(occurrences, groups, layer) for layer in occurrences.layers]
    return {
        "vectors": np.stack([np.concatenate(both) for both in layers], axis=1),
        "layers": np.array(occurrences.layers),
        "in_first": np.arange(len(first) + len(second)) < len(first),
        "sentence_number": measured.sentences,
        "sentence": [*first, *second],
    }


def _findings(
    word: str, layers: tuple[int, ...], layer: int, measured: _Measured
) -> tuple[Part, Part]:
    place = layers.index(layer)
    average, groups = measured.shift.average, measured.groups
    values = {
        "first": groups.first.name,
        "second": groups.second.name,
        "relative": f"{measured.shift.relative[place]:.2f}",
    }
    said = (
        f"To compare words, take {{relative}}: 1 is no further than within a group. {LOW_P} "
        "Average pairwise distance {value}; at random {low} to {high}. "
        "{first}: {first_count} occurrences; {second}: {second_count}."
    )
    drawn = [one for one in (groups.first, groups.second) if len(one.rows) < one.count]
    if drawn:
        said += " Of each group at most {most} are compared, drawn at random."
    if groups.left_out:
        said += " {left_out} occurrences have no value; they are left out."
    if len(layers) > 1:
        said += " Corrected for choosing the best layer, p is {best_p}."
    return (
        say(
            "At layer {layer} a use of <b>{word}</b> with <b>{first}</b> and one with "
            "<b>{second}</b> are <b>{relative}</b> times as far apart as two of one group, <b>"
            + ("further" if average.p[place] < LOW else "not further")
            + "</b> than in groups made at random (p {p}).",
            method="two-groups-of-a-corpus",
            layer=layer,
            word=word,
            **values,
            p=f"{average.p[place]:.3f}",
        ),
        caption(
            said,
            **values,
            value=f"{average.values[place]:.3f}",
            low=f"{average.chance_low[place]:.3f}",
            high=f"{average.chance_high[place]:.3f}",
            first_count=f"{groups.first.count:,}",
            second_count=f"{groups.second.count:,}",
            most=f"{max((len(one.rows) for one in drawn), default=0):,}",
            left_out=f"{groups.left_out:,}",
            best_p=f"{average.best_p:.3f}",
        ),
    )


def _sentences(
    corpus: Corpus, word: str, layer: int, condition: str, groups: TwoGroups
) -> tuple[Part, Part]:
    """The sentences that are like their own group and unlike the other."""
    found = _changed(corpus, word, condition, layer)
    rows = np.concatenate([groups.first.rows, groups.second.rows])
    chosen: Ids = np.concatenate([found.first[:SENTENCES], found.second[:SENTENCES]])
    with folder_unsaid(corpus.name, corpus.occurrences.folder):
        texts = corpus.occurrences.take(rows[chosen], [SENTENCE]).column(SENTENCE).to_pylist()
    first = chosen < len(groups.first.rows)
    return (
        caption("The sentences that are most like their own group and least like the other"),
        table(
            {
                "group": [groups.first.name if one else groups.second.name for one in first],
                "cosine with its own": found.own[chosen].astype(np.float32),
                "with the other": found.other[chosen].astype(np.float32),
                "sentence": texts,
            },
            name="senses-changed",
        ),
    )
