"""The occurrences of a whole corpus that are nearest to the chosen one."""

import threading

import numpy as np
import streamlit as st

from bertviz_core.arrays import Array
from bertviz_core.bert import Bert
from bertviz_core.corpus.schema import OFFSET, SENTENCE, SOURCE, WORD
from bertviz_core.corpus.search import Nearest, nearest
from bertviz_core.ui import inputs
from bertviz_core.ui.html import caption
from bertviz_core.ui.show import table
from bertviz_core.ui.waiting import waiting
from bertviz_core.ui.word_senses.chosen import chosen_number
from bertviz_core.ui.word_senses.corpora.offered import Corpus, folder_unsaid
from bertviz_core.ui.word_senses.occurrences import Mapped

SHOWN = 20
# A search may read gigabytes: two at once would only wait for each other.
_ONE_AT_A_TIME = threading.Lock()


def nearest_in_corpus(bert: Bert, mapped: Mapped, layer: int) -> None:
    """List them, with where they stand; of this word, or of all words of the corpus."""
    drawn = mapped.drawn
    if drawn is None:
        return
    corpus, occurrences = drawn.corpus, drawn.corpus.occurrences
    any_word = len(occurrences.words) > 1 and inputs.switch(
        "Among the other words of the corpus, too", key="anyword"
    )
    number = chosen_number(mapped)
    own = int(drawn.sample.rows[number - 1])
    word = None if any_word else mapped.word
    vector = mapped.at(layer)[number - 1]
    with waiting("Searching the whole corpus …", height=420):
        found = _nearest(corpus.found_at, layer, own, word, vector, corpus)
        kept = found.rows != own
        rows, cosines = found.rows[kept][:SHOWN], found.cosines[kept][:SHOWN]
        carried = [one.name for one in occurrences.carried]
        with folder_unsaid(corpus.name, occurrences.folder):
            texts = occurrences.take(rows, [WORD, SENTENCE, SOURCE, OFFSET, *carried])
    columns = {name: texts.column(name).to_pylist() for name in texts.column_names}
    table(
        {
            "cosine similarity": cosines,
            **({"word": columns[WORD]} if any_word else {}),
            "sentence": columns[SENTENCE],
            "source": columns[SOURCE],
            "offset": columns[OFFSET],
            **{name: columns[name] for name in carried},
            "on the map": [_number_of(row, drawn.sample.rows) for row in rows.tolist()],
        },
        name=f"senses-nearest-in-corpus-{number}",
        of=mapped.made(layer),
    )
    caption(
        "Nearest to number {number} at layer {at_layer}, among all {among} occurrences of "
        + ("all words" if any_word else "“{word}”")
        + " in <b>{corpus}</b>.",
        method="nearest-occurrences",
        number=number,
        at_layer=layer,
        among=f"{found.among - 1:,}",
        word=mapped.word,
        corpus=corpus.name,
    )


def _number_of(row: int, rows: "np.ndarray[tuple[int, ...], np.dtype[np.int64]]") -> int | None:
    """The number on the map of an occurrence of the corpus; None where it is not drawn."""
    place = int(np.searchsorted(rows, row))
    return place + 1 if place < len(rows) and rows[place] == row else None


@st.cache_resource(max_entries=64, show_spinner=False)
def _nearest(
    found_at: str, layer: int, own: int, word: str | None, _vector: Array, _corpus: Corpus
) -> Nearest:
    """One more than is shown: the chosen one is its own nearest."""
    occurrences = _corpus.occurrences
    with _ONE_AT_A_TIME, folder_unsaid(_corpus.name, occurrences.folder):
        return nearest(occurrences, _vector, layer=layer, k=SHOWN + 1, word=word)
