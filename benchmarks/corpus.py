"""Every occurrence in a corpus: how fast, and in how much memory.

python -m benchmarks.corpus [--model NAME_OR_FOLDER] [--memory-gb 1] [--device cuda]

On a GPU: whether its numbers are transformers', and how busy it is kept.
"""

import argparse
import hashlib
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from benchmarks import report
from benchmarks.app_server import EMBEDDED, ROOT
from benchmarks.random_text import WORD, random_sentences, write_corpus
from bertviz_core.bert import Bert, load_bert
from bertviz_core.corpus.job import Job, Word
from bertviz_core.corpus.part_files import Receipt
from bertviz_core.corpus.run import in_process, plan, run
from bertviz_core.corpus.work import Worker
from bertviz_core.encoder import Encoder, load_encoder
from bertviz_core.errors import UserInputError
from bertviz_core.tokens import tokenize

SENTENCES, ROUNDS = {"cpu": 2_048, "cuda:0": 32_768}, {"cpu": 5, "cuda:0": 3}
RAY_ROUNDS = 2
ROUNDING = 20  # millionths, that two ways to compute in float32 may differ by
MAX_MEMORY, MAX_GROWTH = 900, 50  # MB
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
    options = parser.parse_args()
    try:
        encoder = load_encoder(load_bert(options.model), options.device)
    except UserInputError as error:
        print(f"Skipped: {error}")
        return
    _identities(encoder)
    _throughput(encoder)
    if encoder.device == "cpu":
        _on_ray(options.model, options.memory_gb * 1_000)
        _memory(options.model, options.memory_gb)


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
                parts = sorted(folder.glob("parts/part-*"))
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
