"""Every occurrence in a corpus: how fast, and in how much memory.

python -m benchmarks.corpus [--model NAME_OR_FOLDER] [--memory-gb 1] [--device cuda] [--only NAME]

On a GPU: whether its numbers are transformers', and how busy it is kept.
"""

import argparse
import hashlib
import os
import shutil
import subprocess
import sys
import time
from collections import deque
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from benchmarks import report
from benchmarks.app_server import EMBEDDED, ROOT
from benchmarks.random_text import WORD, random_sentences, write_corpus
from benchmarks.ray_nodes import one_node
from bertviz_core.bert import Bert, load_bert
from bertviz_core.corpus.job import Job, Word
from bertviz_core.corpus.part_files import Receipt
from bertviz_core.corpus.run import in_process, plan, run
from bertviz_core.corpus.work import Worker
from bertviz_core.encoder import Encoder, load_encoder
from bertviz_core.encoder.devices import one_thread_each
from bertviz_core.encoder.forward import BATCH_TOKENS
from bertviz_core.errors import UserInputError
from bertviz_core.tokens import tokenize

SENTENCES, ROUNDS = {"cpu": 2_048, "cuda:0": 32_768}, {"cpu": 5, "cuda:0": 3}
RAY_ROUNDS = 2
NODES_MB = 60
ROUNDING = 20  # millionths, that two ways to compute in float32 may differ by
FEW, MANY = 1_024, 20_000  # sentences, timed beside the matrix products of the layers
MAX_MEMORY, MAX_GROWTH = 900, 30  # MB
PART_MB = 0.5  # of a corpus whose memory is measured: parts of the same size, whatever its own is
SHORTEST, LONGEST = 8, 60
RARE = 200  # lines, of which one holds the word
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
    add("--device", default="cpu", help="as torch names it: cpu, cuda")
    parts = ("identities", "throughput", "products", "ray", "nodes", "memory")
    add("--only", choices=parts, help="one of the parts; on a GPU there are the first two")
    options = parser.parse_args()
    try:
        encoder = load_encoder(load_bert(options.model), options.device)
    except UserInputError as error:
        print(f"Skipped: {error}")
        return
    megabytes, on_cpu = options.memory_gb * 1_000, encoder.device == "cpu"
    for part in [options.only] if options.only else parts[: None if on_cpu else 2]:
        match part:
            case "identities":
                _identities(encoder)
            case "throughput":
                _throughput(encoder)
            case "products":
                for count in (FEW, MANY):
                    _products(encoder, count)
            case "ray":
                _on_ray(options.model, megabytes)
            case "nodes":
                _nodes(encoder.bert)
            case "memory":
                _memory(options.model, megabytes)


def _planned(corpus: Path, bert: Bert) -> Job:
    """The job over a file, at the first, a middle and the last layer."""
    words = (Word(WORD, (WORD,)),)
    return plan(words, [str(corpus)], bert, layers=(0, 3, -1))


def _identities(encoder: Encoder) -> None:
    """Hidden states of one batch beside those of the library, text by text."""
    import torch
    from transformers import BertModel

    bert, device = encoder.bert, encoder.device
    card = device if device == "cpu" else f"{device}, {torch.cuda.get_device_name(device)}"
    report.heading(f"Beside transformers, {bert.name} on {card}, torch {torch.__version__}")
    lines = [" ".join(words) for n in (1, 8, 60, 250) for words in random_sentences(1, n, n)]
    texts = tokenize(bert, lines)
    library = BertModel.from_pretrained(bert.checkpoint.folder).eval().to(device)
    for text, ours in zip(texts, encoder.hidden_states_many(texts), strict=True):
        ids = torch.tensor(text.input_ids[None], device=device)
        with torch.inference_mode():
            theirs = torch.cat(library(ids, output_hidden_states=True).hidden_states)
        millionths = np.abs(ours - theirs.cpu().numpy()).max() * 1e6
        report.figure(f"{len(text)} tokens: differs by", millionths, "e-6", most=ROUNDING)


def _throughput(encoder: Encoder) -> None:
    """In this process, beside sentence-transformers; both know their model already."""
    import torch
    from sentence_transformers import SentenceTransformer

    bert, on_gpu, count = encoder.bert, encoder.device != "cpu", SENTENCES[encoder.device]
    report.heading(f"Vectors of a word in {count:,} sentences of 3 to 60 words, {bert.name}")
    with TemporaryDirectory() as scratch:
        lines = [" ".join([*words, WORD]) for words in random_sentences(count, 3, 60)]
        corpus = Path(scratch) / "lines.txt"
        corpus.write_text("\n".join(lines), encoding="utf-8")
        job = _planned(corpus, bert)
        out = Path(scratch) / "out"
        runner = in_process(Worker(job, out, encoder))
        library = SentenceTransformer(str(bert.checkpoint.folder), device=encoder.device)
        texts = tokenize(bert, lines)
        done: list[Receipt] = []
        tokens: Any = {"output_value": "token_embeddings", "show_progress_bar": False}

        def ours() -> None:
            shutil.rmtree(out, ignore_errors=True)
            done.append(run(job, out, runner=runner).total)

        def theirs(size: int) -> None:
            torch.set_num_threads(CORES)
            library.encode(lines, batch_size=size, **tokens)

        words = [(len(text) - 2,) for text in texts]
        runs: dict[str, Callable[[], object]] = {
            "ours, from the text to the Parquet file": ours,
            "encoder alone, texts tokenized": lambda: encoder.piece_vectors_many(texts, words),
            "sentence-transformers, token embeddings": lambda: theirs(32),
            "the same in batches of 256": lambda: theirs(256),
            "tokenize": lambda: tokenize(bert, lines),
            "the tokenizer's encode_batch": lambda: bert.tokenizer.encode_batch(lines),
        }
        timed = {name: report.timed(run) for name, run in runs.items()}
        own, alone, *others, cut, batch = report.in_turn(timed, ROUNDS[encoder.device]).values()
    report.figure("    tokens", done[-1].tokens / median(own), "/s")
    ratio, least = report.ratio(min(others, key=median), own), 2.5 if on_gpu else 0.95
    report.figure("throughput / sentence-transformers' better", ratio, "x", least=least)
    ratio, most = report.ratio(own, alone), 2.0 if on_gpu else None
    report.figure("text to Parquet / encoder alone", ratio, "x", most=most)
    report.figure("tokenize / encode_batch", report.ratio(cut, batch), "x", most=2.0)


def _products(encoder: Encoder, count: int) -> None:
    """In this process, beside the matrix products that the layers cannot do without."""
    import torch

    bert = encoder.bert
    report.heading(f"{count:,} sentences of {SHORTEST} to {LONGEST} tokens, {bert.name}")
    lines = [" ".join([*words, WORD]) for words in random_sentences(2 * count, 3, 45)]
    texts = zip(lines, tokenize(bert, lines), strict=True)
    fitting = [(line, len(text)) for line, text in texts if SHORTEST <= len(text) <= LONGEST]
    assert len(fitting) >= count
    tokens = sum(length for _, length in fitting[:count])
    hidden, between = bert.hidden_size, int(bert.settings["intermediate_size"])
    shapes = (hidden, 3 * hidden), (hidden, hidden), (hidden, between), (between, hidden)
    layers = [[torch.randn(shape) for shape in shapes] for _ in range(bert.num_hidden_layers)]
    states = {width: torch.randn(BATCH_TOKENS, width) for width in (hidden, between)}

    def of_batch(size: int) -> None:
        with torch.inference_mode():
            for matrix in (matrix for layer in layers for matrix in layer):
                torch.mm(states[len(matrix)][:size], matrix)

    def products() -> None:
        sizes = [min(BATCH_TOKENS, tokens - done) for done in range(0, tokens, BATCH_TOKENS)]
        with one_thread_each() as threads:
            deque(threads.map(of_batch, sizes), maxlen=0)

    with TemporaryDirectory() as scratch:
        corpus, out = Path(scratch) / "lines.txt", Path(scratch) / "out"
        corpus.write_text("\n".join(line for line, _ in fitting[:count]), encoding="utf-8")
        job = _planned(corpus, bert)
        runner = in_process(Worker(job, out, encoder))

        def ours() -> None:
            shutil.rmtree(out, ignore_errors=True)
            assert run(job, out, runner=runner).total.tokens == tokens

        runs = {"text to the Parquet file": ours, "matrix products": products}
        timed = {name: report.timed(each) for name, each in runs.items()}
        own, bare = report.in_turn(timed, ROUNDS["cpu"] if count == FEW else 1).values()
    report.figure("text to Parquet / products", report.ratio(own, bare), "x", most=1.5)


def _on_ray(model: str, megabytes: float) -> None:
    """The same corpus by a worker a core and by this process, each the whole command."""

    report.heading(f"Ray local, {CORES} workers, beside one process: {megabytes:.0f} MB of text")
    names = {"in one process": [], "Ray local": ["--ray", "local"]}
    seconds: dict[str, list[float]] = {name: [] for name in names}
    with TemporaryDirectory() as scratch:
        corpus = write_corpus(Path(scratch) / "lines.txt", int(megabytes * 1e6), RARE)
        folder = Path(scratch) / "out"
        for _ in range(RAY_ROUNDS):
            written = []
            for name, options in names.items():
                start = time.perf_counter()
                subprocess.run(
                    [*_command(corpus, folder, model), *options],
                    cwd=ROOT, check=True, capture_output=True,
                )  # fmt: skip
                seconds[name].append(time.perf_counter() - start)
                parts = sorted(folder.glob("parts/part-*"))
                written.append([hashlib.sha256(path.read_bytes()).digest() for path in parts])
                shutil.rmtree(folder)
            assert written[0] == written[1]
    for name, times in seconds.items():
        report.figure(f"{name}, the whole command", median(times), "s", spread=times)
    report.figure("Ray local, times as fast", report.ratio(*seconds.values()), "x", least=0.95)


def _nodes(bert: Bert) -> None:
    """Two nodes of one core each beside one: all parts but the first ones, in which they start."""
    from bertviz_core.corpus.on_ray import on_ray

    report.heading("Two nodes of a Ray cluster on this machine, one core each, beside one node")
    os.environ["RAY_AUTH_MODE"] = "disabled"  # of the nodes, and alike here
    seconds: list[float] = []
    with TemporaryDirectory() as scratch, ExitStack() as nodes:
        corpus = write_corpus(Path(scratch) / "lines.txt", int(NODES_MB * 1e6), RARE)
        job = _planned(corpus, bert)
        address, _ = nodes.enter_context(one_node())
        for count in (1, 2):
            if count > 1:
                nodes.enter_context(one_node(address))
            out = Path(scratch) / f"out-{count}"
            at: list[float] = []

            def note(_: object, at: list[float] = at) -> None:
                at.append(time.monotonic())

            run(job, out, runner=on_ray(job, out, address=address), progress=note)
            seconds.append(at[-1] - at[len(at) // 4])
            report.figure(f"{count} of them, the last three quarters", seconds[-1], "s")
    report.figure("two, times as fast", seconds[0] / seconds[1], "x", least=1.8)


def _memory(model: str, megabytes: float) -> None:
    report.heading(f"The command: the most memory it takes; one line in {RARE} holds the word")
    peaks = []
    for size in (megabytes / 10, megabytes):
        with TemporaryDirectory() as scratch:
            corpus = write_corpus(Path(scratch) / "lines.txt", int(size * 1e6), RARE)
            # It varies by some 20 MB from run to run.
            tries = [_peak(corpus, Path(scratch) / f"out-{n}", model) for n in range(3)]
        peaks.append(median(tries))
        report.figure(f"{size:,.1f} MB of text, median of three", peaks[-1], "MB", most=MAX_MEMORY)
    report.figure("growth", peaks[1] - peaks[0], "MB", most=MAX_GROWTH)


def _command(corpus: Path, out: Path, model: str) -> list[str]:
    command = [sys.executable, "-c", PEAK, "occurrences", WORD, "--corpus", str(corpus)]
    return [*command, "--out", str(out), "--model", model]


def _peak(corpus: Path, out: Path, model: str) -> float:
    command = [*_command(corpus, out, model), "--part-mb", str(PART_MB)]
    done = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True)
    return int(done.stdout.split()[-1]) * 1024 / 1e6


if __name__ == "__main__":
    main()
    report.end()
