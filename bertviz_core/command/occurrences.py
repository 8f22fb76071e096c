"""Write the vectors of every occurrence of some words in a corpus.

What it writes opens in the app, and in `bert-explorer nearest`, `shift` and `export`. A run that
was interrupted goes on where the same command is given again.
"""

import argparse
import sys
from functools import partial
from pathlib import Path

from bertviz_core.bert import Bert, load_bert
from bertviz_core.checkpoints.catalog import EMBEDDED
from bertviz_core.command.terminal import lines_of
from bertviz_core.contextual.word_vectors import POOLINGS
from bertviz_core.corpus.job import Job
from bertviz_core.corpus.part_files import begun, local
from bertviz_core.corpus.reading.files import READ
from bertviz_core.corpus.reading.words import read_words
from bertviz_core.corpus.run import MAPPED, Summary, in_process, plan
from bertviz_core.corpus.run import run as run_job
from bertviz_core.corpus.store import Occurrences
from bertviz_core.corpus.work import Worker
from bertviz_core.encoder import load_encoder
from bertviz_core.errors import UserInputError, shortened
from bertviz_core.process import map_large_arrays
from bertviz_core.showable import showable

MEGABYTE = 1_000_000
MAX_NAMES = 200  # characters of names that are printed, of which there may be thousands


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The words, the corpus, the folder, and how."""
    add = parser.add_argument
    add("words", metavar="WORD", nargs="+",
        help="a word, or a lemma with its forms: go=go,goes,went; -: each line of standard input",
    )  # fmt: skip
    add("--corpus", metavar="PATH", nargs="+", required=True,
        help=f"files, folders, patterns or URIs: {READ}")  # fmt: skip
    add("--out", metavar="FOLDER", type=local, required=True, help="folder to write to")
    add("--layers", metavar="0,6,-1", type=layer_list, help="layers to keep; all if left out")
    add("--pooling", choices=POOLINGS, default="mean", help="how pieces of a word are joined")
    add("--model", default=EMBEDDED, help="a name on offer, a folder or org/name")
    add("--text", metavar="NAME", default="text", help="column with the text")
    add("--carry", metavar="NAMES", type=name_list,
        help="columns to keep: year,author; '' for none; all if left out")  # fmt: skip
    add("--part-mb", metavar="N", type=megabytes,
        help="MB of the corpus in one part; if left out 0.256 to 8, for 64 parts")  # fmt: skip
    add("--ray", metavar="ADDRESS", help="of a Ray cluster, or “local”; this process if left out")


def megabytes(text: str) -> int:
    """A number of megabytes as bytes, at least one."""
    if not 1 <= (size := float(text) * MEGABYTE) < 1 << 63:
        raise ValueError
    return int(size)


def layer_list(text: str) -> list[int]:
    """Numbers of layers with commas between them."""
    return [int(number) for number in text.split(",")]


def name_list(text: str) -> list[str]:
    """Names with commas between them."""
    return [name.strip() for name in text.split(",") if name.strip()]


def run(options: argparse.Namespace) -> int:
    """Do the job; 0 if all parts are written, 1 if some were set aside."""
    before = begun(options.out)
    if "-" in options.corpus:
        raise UserInputError("A corpus is read more than once: expected files, not “-”.")
    map_large_arrays(MAPPED)
    bert = load_bert(options.model)
    job = plan(
        read_words(lines_of(options.words)),
        options.corpus,
        bert,
        layers=options.layers,
        pooling=options.pooling,
        text=options.text,
        carried=options.carry,
        part_bytes=options.part_mb or (before.part_bytes if before else None),
        log=partial(print, file=sys.stderr),
    )
    size = sum(file.size for file in job.files) / MEGABYTE
    print(f"Words: {len(job.words):,}. Files: {len(job.files):,}, {size:,.1f} MB.", file=sys.stderr)
    if job.carried:
        names = shortened(", ".join(column.name for column in job.carried), MAX_NAMES)
        print(f"Carried along: {names}.", file=sys.stderr)
    try:
        summary = _with_bar(job, bert, options)
    except KeyboardInterrupt:
        print("\nStopped; the same command goes on from here.", file=sys.stderr)
        raise
    counts = Occurrences.open(options.out).counts
    _print_summary(summary, counts, options.out)
    for part, reason in summary.set_aside:
        print(f"Not done: {showable(f'{part}: {reason}')}", file=sys.stderr)
    return 1 if summary.set_aside else 0


def _with_bar(job: Job, bert: Bert, options: argparse.Namespace) -> Summary:
    from tqdm import tqdm

    if options.ray is None:
        encoder = load_encoder(bert)
        batch = f"up to {encoder.batch_tokens:,} tokens in a batch"
        print(f"Model: {bert.name} on {encoder.device}, {batch}.", file=sys.stderr)
        runner = in_process(Worker(job, options.out, encoder))
    else:
        from bertviz_core.corpus.on_ray import on_ray

        runner = on_ray(job, options.out, address=options.ray)
    size = sum(file.size for file in job.files)
    with tqdm(total=size, unit="B", unit_scale=True, desc="corpus", file=sys.stderr) as bar:

        def show(now: Summary) -> None:
            counts = {
                "occurrences": f"{now.total.occurrences:,}",
                "parts": f"{now.done:,}/{now.parts:,}",
                "tokens_s": f"{now.tokens / max(now.seconds, 1e-9):,.0f}",
            }
            bar.set_postfix(counts, refresh=False)
            bar.update(now.total.bytes - bar.n)

        log = partial(tqdm.write, file=sys.stderr)
        return run_job(job, options.out, runner=runner, progress=show, log=log)


def _print_summary(summary: Summary, counts: dict[str, int], folder: Path) -> None:
    done = summary.total
    absent = [word for word, count in counts.items() if not count]
    print(
        f"{done.occurrences:,} occurrences of {len(counts) - len(absent):,} words from "
        f"{summary.done:,} of {summary.parts:,} parts, in {folder}."
    )
    if summary.tokens:
        rate = summary.tokens / summary.seconds
        print(f"{summary.tokens:,} tokens in {summary.seconds:,.0f} s, {rate:,.0f} a second.")
    for count, what in (
        (done.left_out, "more occurrences lie beyond the tokens the model takes"),
        (done.unreadable, "lines or rows hold no text, or are no JSON"),
        (done.unfit, "values of columns do not fit their kind; left empty"),
    ):
        if count:
            print(f"{count:,} {what}.")
    if absent:
        print(f"Not found: {shortened(', '.join(map(showable, absent)), MAX_NAMES)}.")
