"""Take a sample of a word's occurrences to the page Word Senses, or to other programs.

The end of the file's name says the form: .npz for the page, with all layers; .parquet of one layer.
With --unit the nearest are the same by L2, inner product and cosine, whatever a store takes.
The sample is drawn at random. With --by it is stratified: about as many of each value of a column,
so not in proportion to the corpus.
"""

import argparse

import numpy as np

from bertviz_core.arrays import Array, unit_rows
from bertviz_core.command.terminal import NUMBER, opened
from bertviz_core.corpus.part_files import local, writing
from bertviz_core.corpus.store import Occurrences
from bertviz_core.corpus.stratified_sample import Sample, stratified_sample
from bertviz_core.disk_cache import appearing_whole, remove_unfinished
from bertviz_core.errors import UserInputError, expect_count
from bertviz_core.saved_files import Columns, as_npz, as_parquet
from bertviz_core.senses import MAX_OCCURRENCES
from bertviz_core.showable import showable

MAX_VECTOR_BYTES = 18_000_000  # so that with its sentences a file has the 20 MB the page takes


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The folder, the word, and how many of its occurrences."""
    add = parser.add_argument
    add("folder", metavar="FOLDER", type=local, help="folder of `bert-explorer occurrences`")
    add("--word", required=True, help="one of the words of the job")
    add("--by", metavar="COLUMN", help="stratify: about as many of each value of it, or range")
    add("--number", **NUMBER)
    add("--most", metavar="N", type=int, default=MAX_OCCURRENCES, help="occurrences at most")
    add("--out", metavar="FILE", type=local, required=True,
        help="file to write: .npz or .parquet")  # fmt: skip
    add("--layer", type=int, help="of .parquet; the last that was kept if left out")
    add("--unit", action="store_true", help="scale each vector to length 1")


def run(options: argparse.Namespace) -> int:
    """Write the sample, and say what it is a sample of."""
    expect_count(options.most, MAX_OCCURRENCES, "occurrences")  # as many as the page draws
    if options.out.suffix.lower() not in (".npz", ".parquet"):
        raise UserInputError(f"{options.out} ends in neither .npz nor .parquet; name it so.")
    occurrences, layer = opened(options)
    vectors_bytes = 4 * len(occurrences.layers) * occurrences.job.model.hidden_size
    most = min(options.most, MAX_VECTOR_BYTES // vectors_bytes)
    sample = stratified_sample(occurrences, options.word, options.by, most=most)
    form = options.out.suffix.lower()
    vectors = sample.opened.found.vectors
    if form == ".parquet":
        vectors = vectors[:, [sample.opened.layers.index(layer)]]
    kept = np.flatnonzero((vectors != 0).any(axis=2).all(axis=1))
    written = unit_rows(vectors[kept]).astype(np.float32) if options.unit else vectors[kept]
    content = _written(occurrences, sample, written, kept.tolist(), form)
    remove_unfinished(options.out.parent)
    with writing(options.out), appearing_whole(options.out) as whole:
        whole.write_bytes(content)
    count = len(sample.rows)
    total = sample.opened.total
    how = f"a sample stratified by {options.by}" if options.by else "a random sample"
    what = how if count < total else "all of them"
    print(f"{count:,} of {total:,} occurrences of “{options.word}”, {what}, in {options.out}.")
    if zeros := count - len(kept):
        print(f"  Of these left out, since a vector of zeros has no direction: {zeros:,}")
    for name, size, drawn in sample.groups or ():
        print(f"  {options.by} {showable(name)}: {drawn:,} of {size:,}")
    return 0


def _written(
    occurrences: Occurrences, sample: Sample, vectors: Array, kept: list[int], form: str
) -> bytes:
    """What is kept of the sample as docs/corpus.md describes it."""
    job = occurrences.job
    sampled = [sample.opened.found.occurrences[row] for row in kept]
    senses = [one.sense for one in sampled]
    columns: Columns = {
        "sentence": [one.sentence for one in sampled],
        "start": [one.start for one in sampled], "end": [one.end for one in sampled],
        **({"sense": senses} if any(senses) else {}),
        **{name: [cells[row] for row in kept] for name, cells in sample.opened.columns.items()},
    }  # fmt: skip
    if form == ".parquet":
        return as_parquet(vectors[:, 0], columns)
    arrays = {
        "vectors": vectors, "layers": np.array(job.layers),
        "word": np.array(sample.opened.word), "pooling": np.array(job.pooling), **columns,
    }  # fmt: skip
    about = {"sample": str(sample), "sha256": job.model.sha256}
    return as_npz(arrays, job.model.title, about)
