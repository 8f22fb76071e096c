"""Which occurrences in a corpus are used most like a marked word?"""

import argparse
import sys
from collections.abc import Iterator
from typing import Any

from bertviz_core.command.folders import add_folder, chosen_layer
from bertviz_core.contextual import word_in_context
from bertviz_core.corpus.printing import origin, printable, sentence_line
from bertviz_core.corpus.schema import COLUMNS
from bertviz_core.corpus.search import Nearest, nearest
from bertviz_core.corpus.store import ROW, Occurrences
from bertviz_core.corpus.work import open_encoder
from bertviz_core.csv_files import as_csv


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The marked word, the folder, and which occurrences may be answers."""
    parser.add_argument(
        "sentence", metavar="SENTENCE", help="with the word in brackets: 'We sat on the [bank].'"
    )
    add_folder(parser)
    parser.add_argument("-k", metavar="N", type=int, default=10, help="how many to print (10)")
    parser.add_argument("--layer", type=int, help="the last one kept if left out")
    parser.add_argument("--word", help="only occurrences of this word of the job")
    parser.add_argument(
        "--where", metavar="CONDITION", action="append", default=[],
        help="only where it holds: 'year<1950'; given several times, all must hold",
    )  # fmt: skip
    parser.add_argument("--csv", action="store_true", help="print all columns, as CSV")


def run(options: argparse.Namespace) -> int:
    """Print the nearest occurrences, best first."""
    occurrences = Occurrences.open(options.folder)
    layer = chosen_layer(occurrences, options.layer)
    where = [occurrences.condition(text) for text in options.where]
    job = occurrences.job
    query = word_in_context(open_encoder(job.model, "cpu"), options.sentence, job.pooling)
    found = nearest(
        occurrences,
        query.vectors[layer],
        layer=layer,
        k=options.k,
        word=options.word,
        where=where or None,
    )
    for line in _about(occurrences, query.word, layer, found):
        print(line, file=sys.stderr if options.csv else sys.stdout)
    columns = [*COLUMNS, *(column.name for column in occurrences.carried)]
    rows = occurrences.take(found.rows, columns).to_pylist()
    if options.csv:
        sys.stdout.buffer.write(_csv(occurrences, rows, found, columns))
        return 0
    for row, cosine in zip(rows, found.cosines, strict=True):
        sentence = sentence_line(row["sentence"], row["start"], row["end"])
        carried = {name: row[name] for name in columns if name not in COLUMNS}
        print(f"  {cosine:.3f}  {sentence}  {origin(row['source'], carried)}")
    return 0


def _about(occurrences: Occurrences, word: str, layer: int, found: Nearest) -> Iterator[str]:
    yield (
        f"“{printable(word)}” at layer {layer} of {occurrences.about.model}, among {found.among:,} "
        f"occurrences in {occurrences.folder}:"
    )
    if occurrences.parts_missing:
        yield f"  The job is not finished; missing parts: {occurrences.parts_missing:,}"
    if not len(found.rows):
        yield "  No occurrence is left; ask for another word or condition."


def _csv(
    occurrences: Occurrences, rows: list[dict[str, Any]], found: Nearest, columns: list[str]
) -> bytes:
    texts = {name for name, kind in occurrences.kinds.items() if kind == "string"}
    values = {
        name: [row[name] or "" if name in texts else row[name] for row in rows] for name in columns
    }
    return as_csv({"cosine": found.cosines, ROW: found.rows, **values})
