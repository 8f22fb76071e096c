"""The occurrences nearest to the chosen one: on the map, or in the whole corpus."""

import threading
from typing import Annotated

import numpy as np

from bertviz_core import senses
from bertviz_core.arrays import Ids
from bertviz_core.bert import Bert
from bertviz_core.calibration.percentiles import percentiles_among, rounded
from bertviz_core.corpus import search
from bertviz_core.corpus.schema import OFFSET, SENTENCE, SOURCE, WORD
from bertviz_core.csv_files import Column
from bertviz_core.senses.projection import map_ranks
from bertviz_core.shared import once
from bertviz_core.views.declare import view
from bertviz_core.views.fields import Choice
from bertviz_core.views.parts import caption, table
from bertviz_core.views.view import View
from bertviz_core.views.word_senses.corpora import Corpus, Drawn, folder_unsaid
from bertviz_core.views.word_senses.mapped import PAGE, Mapped, listed, placed

ON_MAP, IN_CORPUS, ANY_WORD = "those on the map", "the whole corpus", "all words of the corpus"
SHOWN = 20  # of a corpus
# A search may read gigabytes: two at once would only wait for each other.
_ONE_AT_A_TIME = threading.Lock()


def _offered(corpus: Corpus) -> list[str]:
    return [ON_MAP, IN_CORPUS, *([ANY_WORD] if len(corpus.occurrences.words) > 1 else [])]


@view("nearest occurrences", page=PAGE, rank=40, doing="Comparing with the chosen one …")
def nearest(
    bert: Bert,
    mapped: Mapped,
    layer: int,
    near: int,
    kind: str,
    among: Annotated[
        str,
        Choice(
            "Among",
            _offered,
            about="among which occurrences nearest ones are looked for",
            when=lambda corpus: corpus is not None,
        ),
    ] = ON_MAP,
) -> View:
    """The occurrences nearest to the chosen one, with their sentences."""
    if mapped.drawn is not None and among != ON_MAP:
        return _in_corpus(mapped, mapped.drawn, layer, near, among == ANY_WORD)
    count = len(mapped.occurrences)
    rows, cosines = senses.nearest_occurrences(mapped.at(layer), near - 1)
    percentiles, pairs = percentiles_among(mapped.at(layer), cosines)
    return View(
        table(
            listed(
                mapped,
                rows,
                **{
                    "cosine similarity": cosines,
                    "cosine similarity, percentile": Column(rounded(percentiles).tolist(), None),
                    "rank on the map": map_ranks(placed(mapped, layer, kind)[0], near - 1)[rows],
                },
            ),
            name=f"senses-nearest-{near}",
        ),
        caption(
            "Nearest to number {number}. Percentiles compare with {pairs} pairs of occurrences of "
            "this word{drawn}, of any sense.",
            method="percentiles-among-occurrences",
            number=near,
            pairs=f"{pairs:,}",
            drawn="" if pairs == count * (count - 1) // 2 else ", drawn at random",
        ),
        mapped.program("senses/nearest", bert, layer, layer=layer, number=near),
        made=mapped.made(layer),
    )


@once
def _nearest(
    mapped: Mapped, corpus: Corpus, layer: int, near: int, any_word: bool
) -> search.Nearest:
    """One more than is shown: the chosen one is its own nearest."""
    vector, word = mapped.at(layer)[near - 1], None if any_word else mapped.word
    with _ONE_AT_A_TIME, folder_unsaid(corpus.name, corpus.occurrences.folder):
        return search.nearest(corpus.occurrences, vector, layer=layer, k=SHOWN + 1, word=word)


def _in_corpus(mapped: Mapped, drawn: Drawn, layer: int, near: int, any_word: bool) -> View:
    """With where they are; of this word, or of all words of the corpus."""
    corpus, occurrences, own = drawn.corpus, drawn.corpus.occurrences, drawn.sample.rows[near - 1]
    found = _nearest(mapped, corpus, layer, near, any_word)
    kept = found.rows != own
    rows, cosines = found.rows[kept][:SHOWN], found.cosines[kept][:SHOWN]
    carried = [one.name for one in occurrences.carried]
    with folder_unsaid(corpus.name, occurrences.folder):
        texts = occurrences.take(rows, [WORD, SENTENCE, SOURCE, OFFSET, *carried])
    columns = {name: texts.column(name).to_pylist() for name in texts.column_names}
    return View(
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
            name=f"senses-nearest-in-corpus-{near}",
        ),
        caption(
            "Nearest to number {number} at layer {at_layer}, among all {among} occurrences of "
            + ("all words" if any_word else "“{word}”")
            + " in <b>{corpus}</b>.",
            method="nearest-occurrences",
            number=near,
            at_layer=layer,
            among=f"{found.among - 1:,}",
            word=mapped.word,
            corpus=corpus.name,
        ),
        made=mapped.made(layer),
    )


def _number_of(row: int, rows: Ids) -> int | None:
    """The number on the map of an occurrence of the corpus; None where it is not drawn."""
    place = int(np.searchsorted(rows, row))
    return place + 1 if place < len(rows) and rows[place] == row else None
