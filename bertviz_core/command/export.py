"""Take a sample of a word's occurrences to the page Word Senses, as a file to upload.

The sample is drawn at random. With --by it is stratified: about as many of each value of a column,
so not in proportion to the corpus.
"""

import argparse
from pathlib import Path

import numpy as np

from bertviz_core.command.terminal import add_format, write_rows
from bertviz_core.corpus.part_files import writing
from bertviz_core.corpus.store import Occurrences
from bertviz_core.corpus.stratified_sample import Sample, stratified_sample
from bertviz_core.errors import UserInputError
from bertviz_core.saved_files import as_npz
from bertviz_core.senses import MAX_OCCURRENCES

MAX_VECTOR_BYTES = 18_000_000  # so that with its sentences a file has the 20 MB the page takes


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The folder, the word, and how many of its occurrences."""
    add = parser.add_argument
    add("folder", metavar="FOLDER", type=Path, help="folder of `bert-explorer occurrences`")
    add("--word", required=True, help="one of the words of the job")
    add("--by", metavar="COLUMN", help="stratify: about as many of each value of it, or range")
    add("--most", metavar="N", type=int, default=MAX_OCCURRENCES, help="occurrences at most")
    add("--out", metavar="FILE.npz", type=Path, required=True, help="file to write")
    add_format(parser, "one row a value of the column")


def run(options: argparse.Namespace) -> int:
    """Write the sample, and say what it is a sample of."""
    if not 1 <= options.most <= MAX_OCCURRENCES:
        raise UserInputError(
            f"--most is a number from 1 to {MAX_OCCURRENCES:,}, which the page draws."
        )
    if options.out.suffix.lower() != ".npz":
        raise UserInputError(f"{options.out} is written as NPZ; name a file that ends in .npz.")
    occurrences = Occurrences.open(options.folder)
    vectors_bytes = 4 * len(occurrences.layers) * occurrences.job.model.hidden_size
    most = min(options.most, MAX_VECTOR_BYTES // vectors_bytes)
    sample = stratified_sample(occurrences, options.word, options.by, most=most)
    with writing(options.out):
        options.out.write_bytes(_archive(occurrences, sample))
    taken, total = len(sample.rows), sample.opened.total
    groups = sample.groups or ()
    if options.format != "table":
        keys = ("value", "occurrences", "drawn")
        rows = groups or (("", total, taken),)
        write_rows([dict(zip(keys, row, strict=True)) for row in rows], options.format)
        return 0
    how = f"a sample stratified by {options.by}" if options.by else "a random sample"
    what = how if taken < total else "all of them"
    print(f"{taken:,} of {total:,} occurrences of “{options.word}”, {what}, in {options.out}.")
    for name, count, drawn in groups:
        print(f"  {options.by} {name}: {drawn:,} of {count:,}")
    return 0


def _archive(occurrences: Occurrences, sample: Sample) -> bytes:
    """The sample as docs/corpus.md describes an archive of vectors."""
    opened, job = sample.opened, occurrences.job
    found = opened.found.occurrences
    arrays = {
        "vectors": opened.found.vectors, "layers": np.array(opened.layers),
        "word": np.array(opened.word), "pooling": np.array(job.pooling),
        "sentence": [one.sentence for one in found],
        "start": [one.start for one in found], "end": [one.end for one in found],
    }  # fmt: skip
    if any(one.sense for one in found):
        arrays["sense"] = [one.sense for one in found]
    about = {"sample": str(sample), "sha256": job.model.sha256}
    return as_npz(arrays | dict(opened.columns), job.model.title, about)
