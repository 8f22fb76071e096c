"""The occurrences on the map that are nearest to the chosen one."""

from typing import Any

from bertviz_core.bert import Bert
from bertviz_core.calibration.percentiles import percentiles_among, rounded
from bertviz_core.contextual.marks import around
from bertviz_core.saved_files import Column
from bertviz_core.senses import nearest_occurrences
from bertviz_core.senses.projection import map_ranks
from bertviz_core.views.declare import view
from bertviz_core.views.parts import caption, table, verdict
from bertviz_core.views.view import Part, View
from bertviz_core.views.word_senses.map_figure import SIGNS, series_marks
from bertviz_core.views.word_senses.mapped import PAGE, Mapped, listed, placed

MAX_BESIDE = 2  # nearest ones beside the map; the section has more of them
# Characters shown of the chosen sentence, and of the nearest ones.
CHOSEN, NEARBY = 400, 50


@view("nearest occurrences", page=PAGE, rank=40, doing="Comparing with the chosen one …")
def nearest(bert: Bert, mapped: Mapped, layer: int, near: int, kind: str) -> View:
    """The occurrences nearest to the chosen one, with their sentences."""
    count = len(mapped.occurrences)
    rows, cosines = nearest_occurrences(mapped.at(layer), near - 1)
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
            presented=True,
        ),
        caption(
            "Nearest to number {number}. Percentiles compare with {pairs} pairs of occurrences of "
            "this word, of any sense."
            + (" The pairs are drawn at random." if pairs < count * (count - 1) // 2 else ""),
            method="percentiles-among-occurrences",
            number=near,
            pairs=f"{pairs:,}",
        ),
        mapped.program(PROGRAM, bert, layer, layer=layer, number=near, name="nearest"),
        made=mapped.made(layer),
    )


def chosen(mapped: Mapped, layer: int, row: int, series: list[str]) -> list[Part]:
    """The sentence of the chosen occurrence, and its nearest ones."""
    rows, cosines = nearest_occurrences(mapped.at(layer), row)
    marks, sense = series_marks(series), mapped.senses[row]
    lines: list[str] = []
    values: dict[str, Any] = {}
    for i, (other, cosine) in enumerate(zip(rows[:MAX_BESIDE], cosines, strict=False), start=1):
        lines.append(f"<p>{{cosine{i}}} {_line(i, marks[series[other]])}</p>")
        values |= _read(mapped, other, series, i) | {f"cosine{i}": f"{cosine:.2f}"}
    return [
        verdict(
            f"<p><b>{{number}} ·</b> {_line(0, marks[series[row]])}</p>",
            number=row + 1,
            **_read(mapped, row, series, 0),
        ),
        caption(
            "Nearest at layer {at_layer}"
            + ("." if sense is None else ": <b>{same}</b> of {count} share its sense."),
            method="nearest-occurrences",
            at_layer=layer,
            same=sum(mapped.senses[other] == sense for other in rows),
            count=len(rows),
        ),
        verdict("".join(lines), **values),
    ]


def _line(i: int, mark: tuple[str, str]) -> str:
    """Our HTML for an occurrence: the sign of its series, and its sentence."""
    color, symbol = mark
    return (
        f'<span style="color: {color}">{SIGNS[symbol]}</span> <small>{{series{i}}}</small> '
        f"{{before{i}}}<b>{{word{i}}}</b>{{after{i}}}"
    )


def _read(mapped: Mapped, row: int, series: list[str], i: int) -> dict[str, Any]:
    """The values of a line."""
    one = mapped.occurrences[row]
    before, word, after = around(one.sentence, one.start, one.end, NEARBY if i else CHOSEN)
    return {f"series{i}": series[row], f"before{i}": before, f"word{i}": word, f"after{i}": after}


PROGRAM = '''
"""The occurrences of a word that are nearest to one of them, by cosine.

Of more than 200, `words` is the page's table of all, saved as CSV: put that beside this program.
"""

words = ...  # sense or None, sentence, first character of the word, one past its last
pooling = ...  # "mean", "first", "last" or "max"
layer = ...
number = ...  # of the occurrence, counted from 1
words_of, read, states, pool, vectors_of = ...
tokenizer, model = ...
words = words_of(words)
vectors = vectors_of(tokenizer, model, words, pooling)[layer]
units = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)

cosines = units @ units[number - 1]
drawn = np.random.default_rng(0).permutation(len(units))[:300]  # of many, as the page does
pairs = (units[drawn] @ units[drawn].T)[np.triu_indices(len(drawn), 1)]
others = [i for i in np.argsort(-cosines, kind="stable") if i != number - 1]
for i in others[:10]:
    below = (pairs < cosines[i] - 1e-6).mean() / 2 + (pairs <= cosines[i] + 1e-6).mean() / 2
    print(f"number {i + 1} cosine {cosines[i]:.4f} higher than {100 * below:.0f}% of the pairs")
'''
