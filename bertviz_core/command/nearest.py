"""Which occurrences in a corpus are used most like a marked word?"""

import argparse
from typing import Any

from bertviz_core.command.asking import (
    add_folder,
    add_format,
    chosen_layer,
    lines_of,
    number,
    occurrence_line,
    printable,
    say_if_unfinished,
    write_rows,
)
from bertviz_core.contextual import word_in_context
from bertviz_core.corpus.schema import COLUMNS
from bertviz_core.corpus.search import nearest
from bertviz_core.corpus.store import Occurrences
from bertviz_core.corpus.work import open_encoder


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The marked word, the folder, and which occurrences may be answers."""
    add = parser.add_argument
    add("sentence", metavar="SENTENCE",
        help="with the word in brackets: 'We sat on the [bank].'; -: each line of standard input",
    )  # fmt: skip
    add_folder(parser)
    add("-k", metavar="N", type=int, default=10, help="how many to print (10)")
    add("--layer", type=int, help="the last one kept if left out")
    add("--where", metavar="CONDITION", action="append", default=[],
        help="only where it holds: 'year<1950', 'word=bank'; of several all")  # fmt: skip
    add_format(parser, "one row an occurrence")


def run(options: argparse.Namespace) -> int:
    """Print the nearest occurrences of each sentence, best first."""
    sentences = lines_of([options.sentence])
    occurrences = Occurrences.open(options.folder)
    layer = chosen_layer(occurrences, options.layer)
    where = [occurrences.condition(text) for text in options.where]
    job, columns = occurrences.job, [*COLUMNS, *(one.name for one in occurrences.carried)]
    encoder = open_encoder(job.model, "cpu")
    say_if_unfinished(occurrences)
    rows: list[dict[str, Any]] = []
    for sentence in sentences:
        query = word_in_context(encoder, sentence, job.pooling)
        found = nearest(occurrences, query.vectors[layer], layer=layer, k=options.k, where=where)
        own = zip(occurrences.take(found.rows, columns).to_pylist(), found.cosines, strict=True)
        if options.format != "table":
            for row, cosine in own:
                added = {"query": sentence, "layer": layer, "cosine": number(cosine)}
                rows.append(added | row | added)  # first, and not replaced by a namesake
            continue
        print(
            f"“{printable(query.word)}” at layer {layer} of {job.model.title}, among "
            f"{found.among:,} occurrences in {occurrences.folder}:"
        )
        if not len(found.rows):
            print("  No occurrence is left; ask for another word or condition.")
        for row, cosine in own:
            print(f"  {cosine:.3f}  {occurrence_line(row)}")
    if options.format != "table":
        write_rows(rows, options.format)
    return 0
