"""Every occurrence in a corpus: how fast, and in how much memory.

python -m benchmarks.corpus [--model NAME_OR_FOLDER] [--memory-gb 1]
"""

import argparse
import hashlib
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks import report
from benchmarks.app_server import EMBEDDED, ROOT
from benchmarks.random_text import WORD, random_sentences, write_corpus
from bertviz_core.bert import Bert, load_bert
from bertviz_core.corpus.job import Job, Word
from bertviz_core.corpus.run import in_process, plan, run
from bertviz_core.corpus.work import Outcome, Worker
from bertviz_core.encoder import load_encoder

SENTENCES, WORDS = 2_048, (3, 60)  # how many, and how long each may be
ROUNDS, RAY_ROUNDS = 5, 2
MAX_MEMORY, MAX_GROWTH = 900, 50  # MB
RARE = 200  # lines, of which one holds the word
BILLION = 10**9
CORES = len(os.sched_getaffinity(0))
# Runs the command and prints the most memory the process ever had, in kB. What getrusage says would
# include the process that started this one.
PEAK = """
import sys
from bertviz_core.command.main import main
assert main(sys.argv[1:]) == 0
print(next(line.split()[1] for line in open("/proc/self/status") if line.startswith("VmHWM")))
"""


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.corpus")
    add = parser.add_argument
    add("--model", default=EMBEDDED, help="in the list of models, or a folder")
    add("--memory-gb", type=float, default=0.1, help="size of the largest corpus")
    options = parser.parse_args()
    _throughput(options.model)
    _on_ray(options.model, options.memory_gb * 1_000)
    _memory(options.model, options.memory_gb)


def _planned(corpus: Path, bert: Bert, **options: Any) -> Job:
    """The job over a file, at the first, a middle and the last layer."""
    words = (Word(WORD, (WORD,)),)
    return plan(words, [str(corpus)], bert, layers=(0, 3, -1), **options)


def _throughput(model: str) -> None:
    """In this process, beside sentence-transformers; both know their model already."""
    import torch
    from sentence_transformers import SentenceTransformer

    report.heading(
        f"Vectors of a word in {SENTENCES:,} sentences of {WORDS[0]} to {WORDS[1]} words, {model}"
    )
    with TemporaryDirectory() as scratch:
        lines = [" ".join([*words, WORD]) for words in random_sentences(SENTENCES, *WORDS)]
        corpus = Path(scratch) / "lines.txt"
        corpus.write_text("\n".join(lines), encoding="utf-8")
        bert = load_bert(model)
        job = _planned(corpus, bert, part_bytes=corpus.stat().st_size)
        worker = Worker(job, Path(scratch), load_encoder(bert, "cpu"))
        encoder = SentenceTransformer(str(bert.checkpoint.folder), device="cpu")
        (part,) = job.parts()
        outcomes: list[Outcome] = []

        def ours() -> None:
            (Path(scratch) / part.name).unlink(missing_ok=True)  # else it is done
            outcomes.append(worker(part))

        def theirs() -> None:
            torch.set_num_threads(CORES)
            encoder.encode(lines, output_value="token_embeddings", show_progress_bar=False)

        runs = {
            "ours, from the text to the Parquet file": report.timed(ours),
            "sentence-transformers, token embeddings": report.timed(theirs),
        }
        own, others = report.in_turn(runs, ROUNDS).values()
    done = outcomes[-1].receipt
    assert done is not None
    report.figure("    occurrences", done.occurrences / median(own), "/s")
    report.figure("    tokens", done.tokens / median(own), "/s")
    hours = BILLION / done.tokens * median(own) / 3600
    report.figure("    hours of this machine for a billion tokens", hours, "h")
    report.figure("throughput / sentence-transformers", report.ratio(others, own), "x", least=0.95)


def _on_ray(model: str, megabytes: float) -> None:
    """The same corpus by a worker a core and by this process, each the whole command."""
    from bertviz_core.corpus.on_ray import on_ray

    report.heading(f"Ray local, {CORES} workers, beside this process: {megabytes:.0f} MB of text")
    names = "in this process", "Ray local"
    seconds: dict[str, list[float]] = {name: [] for name in names}
    with TemporaryDirectory() as scratch:
        corpus = write_corpus(Path(scratch) / "lines.txt", int(megabytes * 1e6), RARE)
        bert, folder = load_bert(model), Path(scratch) / "out"
        job = _planned(corpus, bert)
        for _ in range(RAY_ROUNDS):
            written = []
            for name in names:
                start = time.perf_counter()
                if name == "Ray local":
                    runner = on_ray(job, folder)
                else:
                    encoder = load_encoder(bert, "cpu")
                    runner = in_process(Worker(job, folder, encoder))
                assert not run(job, folder, runner=runner).set_aside
                seconds[name].append(time.perf_counter() - start)
                parts = sorted(folder.glob("part-*"))
                written.append([hashlib.sha256(path.read_bytes()).digest() for path in parts])
                shutil.rmtree(folder)
            assert written[0] == written[1]
    for name, times in seconds.items():
        report.figure(f"{name}, from start to end", median(times), "s", spread=times)
    report.figure("Ray local, times as fast", report.ratio(*seconds.values()), "x", least=0.85)


def _memory(model: str, gigabytes: float) -> None:
    report.heading(f"The command: the most memory it takes; one line in {RARE} holds the word")
    peaks = []
    for size in (gigabytes / 10, gigabytes):
        with TemporaryDirectory() as scratch:
            corpus = write_corpus(Path(scratch) / "lines.txt", int(size * 1e9), RARE)
            peaks.append(_peak(corpus, Path(scratch) / "out", model))
        name = f"{size * 1000:,.1f} MB of text"
        report.figure(name, peaks[-1], "MB", most=MAX_MEMORY)
    report.figure("growth", peaks[1] - peaks[0], "MB", most=MAX_GROWTH)


def _peak(corpus: Path, out: Path, model: str) -> float:
    command = [sys.executable, "-c", PEAK, "occurrences", WORD, "--corpus", str(corpus)]
    command += ["--out", str(out), "--model", model]
    done = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True)
    return int(done.stdout.split()[-1]) * 1024 / 1e6


if __name__ == "__main__":
    main()
    report.end()
