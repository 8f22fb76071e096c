"""Every occurrence in a corpus: how fast, in how much memory, at what cost.

python -m benchmarks.corpus [--model NAME_OR_FOLDER] [--memory-gb 1] [--gpu-tflops 312] [--no-ray]
"""

import argparse
import hashlib
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from benchmarks import report
from benchmarks.app_server import EMBEDDED, ROOT
from benchmarks.random_text import WORD, lines_with_word, write_corpus
from bertviz_core.bert import load_bert
from bertviz_core.corpus.job import Word
from bertviz_core.corpus.plan import Plan, plan
from bertviz_core.corpus.run import in_process, run
from bertviz_core.corpus.work import Outcome, Worker
from bertviz_core.encoder import load_encoder

if TYPE_CHECKING:
    from bertviz_core.bert import Bert

SENTENCES, WORDS = 2_048, (3, 60)  # how many, and how long each may be
ROUNDS = 5
RAY_ROUNDS = 2
MAX_MEMORY = 900  # MB
MEGABYTE = 1_000_000
RARE = 200  # lines, of which one holds the word
BILLION = 10**9
# Runs the command and prints the most memory the process ever had, in kB. What getrusage says would
# include the process that started this one.
PEAK = """
import sys
from bertviz_core.command.main import main
assert main(sys.argv[1:]) == 0
print(next(line.split()[1] for line in open("/proc/self/status") if line.startswith("VmHWM")))
"""


@dataclass(frozen=True)
class Rate:
    """What was done in a second, and how long a text was."""

    occurrences: float
    tokens: float
    tokens_a_text: float


def main(arguments: list[str] | None = None) -> None:
    """Print the figures."""
    options = _options(arguments)
    rate = _throughput(options.model)
    if options.ray:
        _on_ray(options.model, options.memory_gb * 1_000)
    _cost(load_bert(options.model), rate, options.gpu_tflops, options.gpu_share)
    _memory(options.model, options.memory_gb)


def _options(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.corpus")
    add = parser.add_argument
    add("--model", default=EMBEDDED, help="in the list of models, or a folder")
    add("--memory-gb", type=float, default=0.1, help="size of the largest corpus")
    add("--gpu-tflops", type=float, default=312.0, help="peak of a GPU; an A100's in bfloat16")
    add("--gpu-share", type=float, default=0.3, help="of that peak that is reached, a guess")
    add("--no-ray", dest="ray", action="store_false", help="leave Ray out")
    return parser.parse_args(arguments)


def _throughput(model: str) -> Rate:
    """In this process, beside sentence-transformers; both know their model already."""
    report.heading(
        f"Vectors of a word in {SENTENCES:,} sentences of {WORDS[0]} to {WORDS[1]} words, {model}"
    )
    with TemporaryDirectory() as scratch:
        lines = lines_with_word(SENTENCES, *WORDS)
        planned = _planned(Path(scratch), lines, model)
        worker = Worker(planned.job, Path(scratch), load_encoder(planned.bert, "cpu"))
        (part,) = planned.job.parts()
        outcomes: list[Outcome] = []

        def ours() -> None:
            (Path(scratch) / part.name).unlink(missing_ok=True)  # else it is done
            outcomes.append(worker(part))

        runs: dict[str, Callable[[], Any]] = {
            "ours, from the text to the Parquet file": ours,
            "sentence-transformers, token embeddings": _sentence_transformers(planned.bert, lines),
        }
        times = report.in_turn(runs, ROUNDS)
    own, theirs = times.values()
    done = outcomes[-1].receipt
    assert done is not None
    seconds_of_all = median(own)
    report.figure("    occurrences", done.occurrences / seconds_of_all, "/s")
    report.figure("    tokens", done.tokens / seconds_of_all, "/s")
    report.target("throughput / sentence-transformers", report.ratio(theirs, own), "x", least=0.95)
    return Rate(
        done.occurrences / seconds_of_all,
        done.tokens / seconds_of_all,
        done.tokens / done.sentences,
    )


def _sentence_transformers(bert: "Bert", lines: list[str]) -> Callable[[], Any]:
    import torch
    from sentence_transformers import SentenceTransformer

    encoder = SentenceTransformer(str(bert.checkpoint.folder), device="cpu")

    def run() -> None:
        torch.set_num_threads(_cores())
        encoder.encode(lines, output_value="token_embeddings", show_progress_bar=False)

    return run


def _on_ray(model: str, megabytes: float) -> None:
    """The same corpus by a worker a core and by this process, each the whole command."""
    from bertviz_core.corpus.on_ray import on_ray

    report.heading(
        f"Ray local, {_cores()} workers, beside this process: {megabytes:.0f} MB of text"
    )
    seconds: dict[str, list[float]] = {"in this process": [], "Ray local": []}
    with TemporaryDirectory() as scratch:
        corpus = write_corpus(Path(scratch) / "lines.txt", int(megabytes * MEGABYTE), RARE)
        planned = plan((Word(WORD, (WORD,)),), [str(corpus)], model=model, layers=(0, 3, -1))
        for _ in range(RAY_ROUNDS):
            written = []
            for name, times in seconds.items():
                folder = Path(scratch) / "out"
                start = time.perf_counter()
                if name == "Ray local":
                    runner = on_ray(planned.job, folder)
                else:
                    encoder = load_encoder(planned.bert, "cpu")
                    runner = in_process(Worker(planned.job, folder, encoder))
                summary = run(planned.job, folder, runner=runner)
                times.append(time.perf_counter() - start)
                assert not summary.set_aside
                parts = sorted(folder.glob("part-*"))
                written.append([hashlib.sha256(path.read_bytes()).digest() for path in parts])
                shutil.rmtree(folder)
            assert written[0] == written[1]
    for name, times in seconds.items():
        report.figure(f"{name}, from start to end", median(times), "s", spread=times)
    ratio = report.ratio(seconds["in this process"], seconds["Ray local"])
    report.target("Ray local, times as fast", ratio, "x", least=0.85)


def _cost(bert: "Bert", rate: Rate, gpu_tflops: float, gpu_share: float) -> None:
    report.heading(f"A billion tokens of {bert.name}, {rate.tokens_a_text:.0f} a text")
    flops = _flops_a_token(bert, rate.tokens_a_text)
    report.figure("work of a token", flops / 1e6, "MFLOP")
    reached = rate.tokens * flops
    report.figure(f"reached here, {_cores()} cores", reached / 1e9, "GFLOP/s")
    hours = BILLION / rate.tokens / 3600
    report.figure("    hours of this machine", hours, "h")
    report.figure("    hours of a core", hours * _cores(), "h")
    per_second = gpu_tflops * 1e12 * gpu_share
    report.figure(
        f"hours of a GPU at {gpu_share:.0%} of {gpu_tflops:g} TFLOP/s",
        BILLION * flops / per_second / 3600,
        "h",
    )
    report.figure("    such a GPU is as fast as, machines", per_second / reached, "")


def _flops_a_token(bert: "Bert", tokens_a_text: float) -> float:
    """Two for each weight of the layers' matrices, and what attention takes."""
    hidden, wide = bert.hidden_size, int(bert.settings["intermediate_size"])
    dense = 2 * (4 * hidden * hidden + 2 * hidden * wide)
    return float(bert.num_hidden_layers * (dense + 4 * tokens_a_text * hidden))


def _memory(model: str, gigabytes: float) -> None:
    report.heading("The command: the most memory it takes")
    for what, every, sizes in (
        (f"one line in {RARE} holds the word", RARE, (gigabytes / 10, gigabytes)),
        ("each line holds it", 1, (0.0005, 0.002)),
    ):
        peaks = []
        for size in sizes:
            with TemporaryDirectory() as scratch:
                corpus = write_corpus(Path(scratch) / "lines.txt", int(size * 1e9), every)
                start = time.perf_counter()
                peaks.append(_peak(corpus, Path(scratch) / "out", model))
                seconds = time.perf_counter() - start
            report.figure(f"{what}: {size * 1000:,.1f} MB of text", peaks[-1], "MB")
            report.figure("    seconds", seconds, "s")
        report.target("    the most", max(peaks), "MB", most=MAX_MEMORY)
        report.target("    growth", peaks[1] - peaks[0], "MB", most=50)


def _peak(corpus: Path, out: Path, model: str) -> float:
    command = ["occurrences", WORD, "--corpus", str(corpus), "--out", str(out), "--model", model]
    done = subprocess.run(
        [sys.executable, "-c", PEAK, *command], cwd=ROOT, check=True, capture_output=True, text=True
    )
    return int(done.stdout.split()[-1]) * 1024 / MEGABYTE


def _planned(folder: Path, lines: list[str], model: str) -> Plan:
    """The job over some lines, one part, at the first, a middle and the last layer."""
    path = folder / "lines.txt"
    path.write_text("\n".join(lines), encoding="utf-8")
    size = path.stat().st_size
    words = (Word(WORD, (WORD,)),)
    return plan(words, [str(path)], model=model, layers=(0, 3, -1), part_bytes=size)


def _cores() -> int:
    return len(os.sched_getaffinity(0))


if __name__ == "__main__":
    main()
