"""Which occurrences in a corpus are used most like a marked word?"""

import argparse
from typing import Any

from bertviz_core.command import terminal
from bertviz_core.contextual import word_in_context
from bertviz_core.corpus.store import nearest
from bertviz_core.corpus.work import open_encoder
from bertviz_core.showable import showable


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The marked word, the folder, and which occurrences may be answers."""
    add = parser.add_argument
    add("sentence", metavar="SENTENCE",
        help="with the word in brackets: 'We sat on the [bank].'; -: each line of standard input",
    )  # fmt: skip
    layer = "layer to search; the last one kept if left out"
    terminal.add_common(parser, layer=layer, rows="one row an occurrence")
    add("-k", metavar="N", type=int, default=10, help="how many to print")
    add("--where", metavar="CONDITION", action="append", default=[],
        help="search only where it holds: 'year<1950', 'word=bank'; can be repeated")  # fmt: skip


def run(options: argparse.Namespace) -> int:
    """Print the nearest occurrences of each sentence, best first."""
    sentences = terminal.lines_of([options.sentence])
    occurrences, layer = terminal.opened(options)
    where = [occurrences.condition(text) for text in options.where]
    job = occurrences.job
    encoder = open_encoder(job.model, "cpu")
    rows: list[dict[str, Any]] = []
    for sentence in sentences:
        query = word_in_context(encoder, sentence, job.pooling)
        vector = query.vectors[layer]
        neighbors = nearest(occurrences, vector, layer=layer, k=options.k, where=where)
        their_rows = occurrences.take(neighbors.rows, [*occurrences.kinds]).to_pylist()
        for row, cosine in zip(their_rows, neighbors.cosines, strict=True):
            added = {"query": sentence, "layer": layer, "cosine": cosine}
            rows.append(added | row | added)  # first, and not replaced by a namesake
        if options.format == "table":
            print(
                f"“{showable(query.word)}” at layer {layer} of {job.model.title}, among "
                f"{neighbors.among:,} occurrences in {occurrences.folder}:"
            )
            for row, cosine in zip(their_rows, neighbors.cosines, strict=True):
                print(f"  {cosine:.3f}  {terminal.occurrence_line(row)}")
            if not their_rows:
                print("  No occurrence is left; ask for another word or condition.")
    if options.format != "table":
        terminal.write_rows(rows, options.format)
    return 0
