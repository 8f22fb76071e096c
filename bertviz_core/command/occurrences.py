"""Write the vectors of every occurrence of some words in a corpus.

What it writes opens in the app, in `bertviz nearest` and in `bertviz shift`. A run that was
interrupted goes on where the same command is given again.
"""

import argparse
import sys
from pathlib import Path

from bertviz_core.checkpoints.catalog import EMBEDDED
from bertviz_core.corpus.job import PART_BYTES, Job
from bertviz_core.corpus.plan import Plan, plan
from bertviz_core.corpus.reading.words import read_words
from bertviz_core.corpus.run import Runner, Summary, in_process, named
from bertviz_core.corpus.run import run as run_job
from bertviz_core.encoder import POOLINGS
from bertviz_core.encoder.devices import DTYPES
from bertviz_core.errors import UserInputError

MEGABYTE = 1_000_000
INTERRUPTED = 130  # what a shell expects after Ctrl+C


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The words, the corpus, the folder, and how."""
    add = parser.add_argument
    add("words", metavar="WORD", nargs="*", help="bank, or a lemma with its forms: go=go,goes,went")
    add("--words-from", metavar="FILE", type=Path, help="more words, one a line")
    add(
        "--corpus",
        metavar="PATH",
        nargs="+",
        required=True,
        help="files, folders, patterns or URIs: text, .jsonl, .parquet, the first two also as .gz "
        "or .zst",
    )
    add("--out", metavar="FOLDER", type=Path, required=True, help="for the files")
    add("--layers", metavar="0,6,-1", type=_numbers, help="to keep; all if left out")
    add("--pooling", choices=POOLINGS, default="mean", help="of a word's pieces")
    add("--model", default=EMBEDDED, help=f"{EMBEDDED} if left out, or a folder")
    add(
        "--split",
        choices=("lines", "sentences"),
        default="lines",
        help="lines: one sentence a line; sentences: running text, paragraphs between blank lines",
    )
    add("--text", metavar="NAME", default="text", help="column with the text; “text” if left out")
    add("--carry", metavar="NAMES", type=_names, help="columns to keep: year,author; or none: ''")
    add("--dtype", choices=DTYPES, default="float32", help="numbers the model computes in")
    add("--stored", choices=("float32", "float16"), default="float32", help="numbers of vectors")
    add("--part-mb", metavar="N", type=float, default=PART_BYTES / MEGABYTE, help="of the corpus")
    add("--ray", metavar="ADDRESS", help="of a Ray cluster, or “local”; left out: this process")
    add("--gpus-per-worker", metavar="N", type=float, default=0, help="with --ray")


def run(options: argparse.Namespace) -> int:
    """Do the job; 0 if all parts are written, 1 if some were set aside."""
    words = read_words(options.words, options.words_from)
    planned = plan(
        words,
        options.corpus,
        model=options.model,
        layers=options.layers,
        pooling=options.pooling,
        dtype=options.dtype,
        stored=options.stored,
        split=options.split,
        text=options.text,
        carried=options.carry,
        part_bytes=int(options.part_mb * MEGABYTE),
    )
    for line in _seen(planned):
        print(line, file=sys.stderr)
    try:
        summary = _with_bar(planned, options)
    except KeyboardInterrupt:
        print("\nStopped; the same command goes on from here.", file=sys.stderr)
        return INTERRUPTED
    print(_said(planned.job, summary, options.out))
    for part, reason in summary.set_aside:
        print(f"Not done: {named(part)}: {reason}", file=sys.stderr)
    return 1 if summary.set_aside else 0


def _with_bar(planned: Plan, options: argparse.Namespace) -> Summary:
    from tqdm import tqdm

    runner = _runner(planned, options)
    size = sum(file.size for file in planned.job.files)
    with tqdm(total=size, unit="B", unit_scale=True, desc="corpus", file=sys.stderr) as bar:

        def show(now: Summary) -> None:
            if not bar.n and now.done:
                bar.initial = bar.n = now.total.bytes  # the rate is that of this run
            bar.set_postfix(
                occurrences=f"{now.total.occurrences:,}",
                parts=f"{now.done:,}/{now.parts:,}",
                tokens_s=f"{now.tokens / max(now.seconds, 1e-9):,.0f}",
                refresh=False,
            )
            bar.update(now.total.bytes - bar.n)

        def log(line: str) -> None:
            tqdm.write(line, file=sys.stderr)

        return run_job(planned.job, options.out, runner=runner, progress=show, log=log)


def _runner(planned: Plan, options: argparse.Namespace) -> Runner:
    if options.ray is not None:
        from bertviz_core.corpus.on_ray import on_ray

        return on_ray(
            planned.job,
            options.out,
            address=options.ray,
            gpus_per_worker=options.gpus_per_worker,
        )
    if options.gpus_per_worker:
        raise UserInputError(
            "--gpus-per-worker is for --ray; in this process a GPU is used anyway."
        )
    from bertviz_core.corpus.work import Worker
    from bertviz_core.encoder import load_encoder

    return in_process(
        Worker(planned.job, options.out, load_encoder(planned.bert, dtype=planned.job.dtype))
    )


def _seen(planned: Plan) -> list[str]:
    """What will be read, and what will not."""
    job = planned.job
    size = sum(file.size for file in job.files) / MEGABYTE
    lines = [
        f"Words: {len(job.words):,}. Files: {len(job.files):,}, {size:,.1f} MB. "
        f"Parts: {sum(1 for _ in job.parts()):,}."
    ]
    if planned.files_left_out:
        lines.append(
            f"Files left out, as their names do not say that they are text: "
            f"{len(planned.files_left_out):,}, {planned.files_left_out[0]} first. Named with "
            "--corpus by itself, such a file is read."
        )
    if job.carried:
        lines.append(f"Carried along: {', '.join(column.name for column in job.carried)}.")
    if planned.columns_left_out:
        lines.append(f"Columns left out: {', '.join(planned.columns_left_out[:20])}.")
    return lines


def _said(job: Job, summary: Summary, folder: Path) -> str:
    """What was done, and what is missing from it."""
    from bertviz_core.corpus.store import Occurrences

    done = summary.total
    counts = Occurrences.open(folder).counts
    written = summary.parts - len(summary.set_aside)
    absent = [word for word, count in counts.items() if not count]
    lines = [
        f"{done.occurrences:,} occurrences of {len(counts) - len(absent):,} words from "
        f"{written:,} of {summary.parts:,} parts, in {folder}."
    ]
    if summary.tokens:
        lines.append(
            f"{summary.tokens:,} tokens in {summary.seconds:,.0f} s, "
            f"{summary.tokens / summary.seconds:,.0f} a second."
        )
    notes: list[tuple[int, str]] = [
        (done.left_out, "more occurrences lie beyond the tokens the model takes"),
        (done.unreadable, "lines or rows hold no text, or are no JSON"),
        (done.unfit, f"values of {', '.join(c.name for c in job.carried)} do not fit; left empty"),
    ]
    lines += [f"{count:,} {what}." for count, what in notes if count]
    if absent:
        lines.append(f"Not found: {', '.join(absent[:20])}{', …' if len(absent) > 20 else ''}.")
    return "\n".join(lines)


def _numbers(text: str) -> list[int]:
    return [int(number) for number in text.split(",")]


def _names(text: str) -> list[str]:
    return [name.strip() for name in text.split(",") if name.strip()]
