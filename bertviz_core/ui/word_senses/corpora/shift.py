"""How far a word's use is apart in two groups of a corpus, layer by layer."""

import threading
from dataclasses import dataclass
from typing import Any

import numpy as np
import streamlit as st

from bertviz_core.arrays import Array, Ids
from bertviz_core.bert import Bert
from bertviz_core.corpus.schema import SENTENCE
from bertviz_core.corpus.shift.changed import Changed, changed
from bertviz_core.corpus.shift.measures import LOW_P, Shift, shift
from bertviz_core.corpus.shift.resamples import Measure, resample
from bertviz_core.corpus.shift.two_groups import (
    TwoGroups,
    sentences_of,
    two_groups,
    vectors_of,
)
from bertviz_core.figures.shift import ShiftCurve, shift_by_layer
from bertviz_core.ui import inputs, slots
from bertviz_core.ui.html import caption, finding, note
from bertviz_core.ui.show import chart, code, folded_table, table
from bertviz_core.ui.take_home.view import file_name
from bertviz_core.ui.waiting import waiting
from bertviz_core.ui.word_senses.corpora.offered import Corpus, folder_unsaid
from bertviz_core.ui.word_senses.corpora.source import columns_of
from bertviz_core.ui.word_senses.occurrences import Mapped

AVERAGE, PROTOTYPE = "average pairwise distance", "prototype distance"
LOW = 0.05
MOST_VALUES = 200  # of a column of text that are offered
SENTENCES = 5  # of each group
_ONE_AT_A_TIME = threading.Lock()


@dataclass(frozen=True, eq=False)
class _Measured:
    groups: TwoGroups
    sentences: Ids
    shift: Shift


def shift_of_groups(bert: Bert, mapped: Mapped, layer: int) -> None:
    """Ask for two groups, and draw both measures with their intervals and what chance does."""
    if mapped.drawn is None:
        return
    corpus = mapped.drawn.corpus
    columns = [name for name in columns_of(corpus) if not set("<>=!") & set(name)]
    if not columns:
        note("This corpus carries no column, such as a year, that could divide the occurrences.")
        return
    condition = _condition(corpus, mapped.word, columns)
    if condition is None:
        note("No occurrence of “{word}” has a value in this column.", word=mapped.word)
        return
    with waiting("Comparing the two groups at every layer …", height=480):
        measured = _measured(corpus.found_at, mapped.word, condition, corpus)
    _say_finding(mapped, layer, measured)
    average, prototype = measured.shift.average, measured.shift.prototype
    made = {**mapped.made(layer), "by": condition}
    chart(
        shift_by_layer(
            (_curve(AVERAGE, average), _curve(PROTOTYPE, prototype)), mapped.layers, layer=layer
        ),
        alt=f"Distance of {measured.groups.first.name} and {measured.groups.second.name} by "
        "layer: "
        + ", ".join(
            f"{number}: {value:.2f} (p {p:.3f})"
            for number, value, p in zip(mapped.layers, average.values, average.p, strict=True)
        ),
        name="senses-shift",
        of=made,
    )
    folded_table(
        "Table",
        lambda: {"layer": mapped.layers, **measured.shift.columns()},
        key="shift-numbers",
        name="senses-shift",
        of=made,
    )
    code(
        "senses/shift",
        bert,
        file=f"{file_name('shift', made)}.npz",
        arrays=lambda: _arrays(corpus, measured),
    )
    _sentences(corpus, mapped, layer, condition, measured.groups)


def _condition(corpus: Corpus, word: str, columns: list[str]) -> str | None:
    """Ask for a column and what divides it; None where it has no value."""
    with slots.cells("shift", 2):
        column = inputs.listed("Two groups by", columns, key="shiftby")
        values = _values(corpus.found_at, word, column, corpus)
        if not values:
            return None
        if isinstance(values[0], str | bool):
            first = inputs.listed(
                "The first group is", [_printed(value) for value in values], key="shiftof"
            )
            return f"{column}={first}"
        low, high = values[0], values[-1]
        inputs.reset_unless(
            "shiftat", lambda kept: inputs.is_number(kept) and low <= kept <= high, None
        )
        middle = values[len(values) // 2]
        if middle == low:  # no occurrence is below it
            middle = next((value for value in values if value > low), low)
        chosen = st.number_input(
            f"The first group is below ({_printed(low)} to {_printed(high)})",
            value=None,
            placeholder=f"{_printed(middle)}, the middle one",
            key="shiftat",
            format="%.10g",  # a year has no decimals
            **inputs.BOUND,
        )
    return f"{column}<{_printed(middle if chosen is None else chosen)}"


@st.cache_resource(max_entries=64, show_spinner=False)
def _values(found_at: str, word: str, column: str, _corpus: Corpus) -> list[Any]:
    """Of text, and of true and false, the most frequent first; of numbers all, rising."""
    import pyarrow.compute as pc
    import pyarrow.types as kinds

    occurrences = _corpus.occurrences
    with folder_unsaid(_corpus.name, occurrences.folder):
        read = occurrences.table([column], word=word).column(column).drop_null()
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


@st.cache_resource(max_entries=32, show_spinner=False)
def _measured(found_at: str, word: str, condition: str, _corpus: Corpus) -> _Measured:
    occurrences = _corpus.occurrences
    with _ONE_AT_A_TIME, folder_unsaid(_corpus.name, occurrences.folder):
        groups = two_groups(occurrences, word, [condition])
        resamples = resample(*sentences_of(occurrences, groups))
        vectors = (vectors_of(occurrences, groups, layer) for layer in occurrences.layers)
        return _Measured(groups, resamples.sentences, shift(vectors, resamples))


@st.cache_resource(max_entries=32, show_spinner=False)
def _changed(
    found_at: str, word: str, condition: str, layer: int, _corpus: Corpus, _groups: TwoGroups
) -> Changed:
    occurrences = _corpus.occurrences
    with folder_unsaid(_corpus.name, occurrences.folder):
        resamples = resample(*sentences_of(occurrences, _groups), count=1)
        return changed(*vectors_of(occurrences, _groups, layer), resamples)


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


def _curve(name: str, measure: Measure) -> ShiftCurve:
    return ShiftCurve(
        name,
        measure.values,
        (measure.low, measure.high),
        (measure.chance_low, measure.chance_high),
    )


def _say_finding(mapped: Mapped, layer: int, measured: _Measured) -> None:
    place = mapped.layers.index(layer)
    average, groups = measured.shift.average, measured.groups
    apart = average.p[place] < LOW
    finding(
        "At layer {layer} a use of <b>{word}</b> with <b>{first}</b> and one with <b>{second}</b> "
        "are <b>{relative}</b> times as far apart as two of one group, "
        + (
            "<b>further</b> than in groups made at random"
            if apart
            else "<b>not further</b> than in groups made at random"
        )
        + " (p {p}).",
        method="two-groups-of-a-corpus",
        layer=layer,
        word=mapped.word,
        first=groups.first.name,
        second=groups.second.name,
        relative=f"{measured.shift.relative[place]:.2f}",
        p=f"{average.p[place]:.3f}",
    )
    said = (
        f"To compare words, take {{relative}}: 1 is no further than within a group. {LOW_P} "
        "Average pairwise distance {value}; at random {low} to {high}. "
        "{first}: {first_count} occurrences; {second}: {second_count}."
    )
    drawn = [one for one in (groups.first, groups.second) if len(one.rows) < one.count]
    if drawn:
        said += " Of each group at most {most} are compared, drawn at random."
    if groups.left_out:
        said += " {left_out} occurrences have no value and are in neither."
    if len(mapped.layers) > 1:
        said += (
            " For the lowest p of all layers, held against the lowest of each random division: "
            "{best_p}."
        )
    caption(
        said,
        relative=f"{measured.shift.relative[place]:.2f}",
        value=f"{average.values[place]:.3f}",
        low=f"{average.chance_low[place]:.3f}",
        high=f"{average.chance_high[place]:.3f}",
        first=groups.first.name,
        second=groups.second.name,
        first_count=f"{groups.first.count:,}",
        second_count=f"{groups.second.count:,}",
        most=f"{max((len(one.rows) for one in drawn), default=0):,}",
        left_out=f"{groups.left_out:,}",
        best_p=f"{average.best_p:.3f}",
    )


def _sentences(
    corpus: Corpus, mapped: Mapped, layer: int, condition: str, groups: TwoGroups
) -> None:
    """List the sentences that are like their own group and unlike the other."""
    found = _changed(corpus.found_at, mapped.word, condition, layer, corpus, groups)
    rows = np.concatenate([groups.first.rows, groups.second.rows])
    chosen: Ids = np.concatenate([found.first[:SENTENCES], found.second[:SENTENCES]])
    with folder_unsaid(corpus.name, corpus.occurrences.folder):
        texts = corpus.occurrences.take(rows[chosen], [SENTENCE]).column(SENTENCE).to_pylist()
    own: Array = found.own[chosen].astype(np.float32)
    other: Array = found.other[chosen].astype(np.float32)
    st.caption("The sentences that are most like their own group and least like the other")
    table(
        {
            "group": [
                groups.first.name if number < len(groups.first.rows) else groups.second.name
                for number in chosen.tolist()
            ],
            "cosine with its own": own,
            "with the other": other,
            "sentence": texts,
        },
        name="senses-changed",
        of={**mapped.made(layer), "by": condition},
    )
