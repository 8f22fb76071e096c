"""Which occurrences in a corpus are used most like a marked word?"""

import argparse

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
from bertviz_core.corpus.store import Occurrences
from bertviz_core.corpus.work import open_encoder


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The marked word, the folder, and which occurrences may be answers."""
    add = parser.add_argument
    add("sentence", metavar="SENTENCE", help="with the word in brackets: 'We sat on the [bank].'")
    add_folder(parser)
    add("-k", metavar="N", type=int, default=10, help="how many to print (10)")
    add("--layer", type=int, help="the last one kept if left out")
    add("--where", metavar="CONDITION", action="append", default=[],
        help="only where it holds: 'year<1950', 'word=bank'; of several all")  # fmt: skip


def run(options: argparse.Namespace) -> int:
    """Print the nearest occurrences, best first."""
    occurrences = Occurrences.open(options.folder)
    layer = chosen_layer(occurrences, options.layer)
    where = [occurrences.condition(text) for text in options.where]
    job = occurrences.job
    query = word_in_context(open_encoder(job.model, "cpu"), options.sentence, job.pooling)
    vector = query.vectors[layer]
    found = nearest(occurrences, vector, layer=layer, k=options.k, where=where)
    print(
        f"“{printable(query.word)}” at layer {layer} of {job.model.title}, among "
        f"{found.among:,} occurrences in {occurrences.folder}:"
    )
    say_if_unfinished(occurrences)
    if not len(found.rows):
        print("  No occurrence is left; ask for another word or condition.")
    columns = [*COLUMNS, *(column.name for column in occurrences.carried)]
    table = occurrences.take(found.rows, columns)
    for row, cosine in zip(table.to_pylist(), found.cosines, strict=True):
        print(f"  {cosine:.3f}  {occurrence_line(row)}")
    return 0
