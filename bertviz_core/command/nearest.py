"""Which occurrences in a corpus are used most like a marked word?"""

import argparse
import sys

from bertviz_core.command.asking import (
    add_folder,
    chosen_layer,
    occurrence_line,
    printable,
    say_if_unfinished,
)
from bertviz_core.contextual import word_in_context
from bertviz_core.corpus.schema import COLUMNS
from bertviz_core.corpus.search import nearest
from bertviz_core.corpus.store import ROW, Occurrences
from bertviz_core.corpus.work import open_encoder
from bertviz_core.csv_files import as_csv


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The marked word, the folder, and which occurrences may be answers."""
    add = parser.add_argument
    add("sentence", metavar="SENTENCE", help="with the word in brackets: 'We sat on the [bank].'")
    add_folder(parser)
    add("-k", metavar="N", type=int, default=10, help="how many to print (10)")
    add("--layer", type=int, help="the last one kept if left out")
    add("--word", help="only occurrences of this word of the job")
    add("--where", metavar="CONDITION", action="append", default=[],
        help="only where it holds: 'year<1950'; given several times, all must hold")  # fmt: skip
    add("--csv", action="store_true", help="print all columns, as CSV")


def run(options: argparse.Namespace) -> int:
    """Print the nearest occurrences, best first."""
    occurrences = Occurrences.open(options.folder)
    layer = chosen_layer(occurrences, options.layer)
    where = [occurrences.condition(text) for text in options.where] or None
    job = occurrences.job
    query = word_in_context(open_encoder(job.model, "cpu"), options.sentence, job.pooling)
    vector = query.vectors[layer]
    found = nearest(occurrences, vector, layer=layer, k=options.k, word=options.word, where=where)
    told = sys.stderr if options.csv else sys.stdout
    print(
        f"“{printable(query.word)}” at layer {layer} of {occurrences.job.model.title}, among "
        f"{found.among:,} occurrences in {occurrences.folder}:",
        file=told,
    )
    say_if_unfinished(occurrences, told)
    if not len(found.rows):
        print("  No occurrence is left; ask for another word or condition.", file=told)
    columns = [*COLUMNS, *(column.name for column in occurrences.carried)]
    table = occurrences.take(found.rows, columns)
    if options.csv:
        texts = {name for name, kind in occurrences.kinds.items() if kind == "string"}
        values = {name: table.column(name).to_pylist() for name in columns}
        values |= {name: [text or "" for text in values[name]] for name in texts}
        cells = {"cosine": found.cosines, ROW: found.rows, **values}
        sys.stdout.buffer.write(as_csv(cells))
        return 0
    for row, cosine in zip(table.to_pylist(), found.cosines, strict=True):
        print(f"  {cosine:.3f}  {occurrence_line(row)}")
    return 0
