"""The nearest occurrences by an index on disk: FAISS, which we use, beside usearch.

Both keep a byte for each number of a vector and propose 18 rows for the nearest 10; the files are
memory-mapped. Each library builds and searches in processes of its own (Linux).
"""

import argparse
import random
import re
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from benchmarks import report
from benchmarks.app_server import EMBEDDED, ROOT
from bertviz_core.arrays import Array, Exact, Ids, cosine, unit_rows
from bertviz_core.corpus import index, manifest
from bertviz_core.corpus.job import Word
from bertviz_core.corpus.plan import plan
from bertviz_core.corpus.search import SPARE, nearest
from bertviz_core.corpus.store import Occurrences
from bertviz_core.corpus.work import Worker
from bertviz_core.encoder import load_encoder

SENTENCES, LAYER, K = 20_000, 6, 10
QUERIES, EXACT_QUERIES = 200, 5
DATA = ROOT / "bertviz_core" / "data"
Search = Callable[[Array], Ids]


@dataclass(frozen=True)
class Cost:
    """What a piece of work took.

    Attributes:
        seconds: On the wall.
        memory: MB, the most that was taken for it, without what is mapped from files.
    """

    seconds: float
    memory: float


def main(arguments: list[str] | None = None) -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.corpus_search")
    parser.add_argument("--sentences", type=int, default=SENTENCES)
    sentences = parser.parse_args(arguments).sentences
    with TemporaryDirectory() as scratch:
        corpus = _written(Path(scratch) / "corpus", sentences, seed=0)
        others = _written(Path(scratch) / "others", QUERIES, seed=1)
        drawn = np.random.default_rng(0).choice(len(others), QUERIES, replace=False)
        queries = others.vectors(LAYER, np.sort(drawn))
        title = f"Nearest of {len(corpus):,} occurrences, layer {LAYER} of {EMBEDDED}, recall@{K}"
        report.heading(title)
        wanted = _tenth_cosines(corpus, queries)
        _exact(corpus, queries)
        for name, (build, search) in LIBRARIES.items():
            _compare(name, build, search, corpus, queries, wanted)
        _whole_search(corpus, queries)


def _compare(
    name: str,
    build: Callable[[Occurrences, Path], None],
    search: Callable[[Occurrences, Path], Search],
    corpus: Occurrences,
    queries: Array,
    wanted: Exact,
) -> None:
    path = corpus.folder / f"{name}.index"
    size = _size(corpus.folder)
    built = _apart(_build, build, corpus.folder, path)
    disk = (_size(corpus.folder) - size) / len(corpus)
    found, times, searched = _apart(_search, search, corpus.folder, path, queries)
    recall = _recall(corpus, queries, wanted, found)
    report.target(f"{name}: recall@{K}", recall, "", least=0.95 if name == "FAISS" else None)
    report.figure("    a query", median(times), "ms", spread=times)
    report.figure("    to build it", built.seconds, "s")
    report.figure("    memory to build it", built.memory, "MB")
    report.figure("    memory to search", searched.memory, "MB")
    report.figure("    bytes on disk for a number of a vector", disk / queries.shape[1], "x")


def _exact(corpus: Occurrences, queries: Array) -> None:
    times = []
    for query in queries[:EXACT_QUERIES]:
        begun = time.perf_counter()
        nearest(corpus, query, layer=LAYER, k=K, exact=True)
        times.append(time.perf_counter() - begun)
    report.figure("all compared: a query", 1000 * median(times), "ms", spread=_in_ms(times))


def _whole_search(corpus: Occurrences, queries: Array) -> None:
    """What a viewer waits for: the index opened, and what it proposes compared exactly."""
    times = []
    for query in queries:
        begun = time.perf_counter()
        opened = index.open_index(corpus, LAYER)
        assert opened is not None
        rows = opened.propose(query, K + SPARE)
        cosine(corpus.vectors(LAYER, rows), query)
        times.append(time.perf_counter() - begun)
    report.figure("FAISS, opened and proposals compared: a query", 1000 * median(times), "ms",
                  spread=_in_ms(times))  # fmt: skip


def _tenth_cosines(corpus: Occurrences, queries: Array) -> Exact:
    """Cosine of the 10th nearest to each query."""
    best = np.full((len(queries), K), -1, np.float32)
    units = unit_rows(queries, np.float32)
    for _, vectors in corpus.iter_vectors(LAYER):
        more = units @ unit_rows(vectors, np.float32).T
        best = np.sort(np.concatenate([best, more], axis=1), axis=1)[:, -K:]
    return best[:, 0].astype(np.float64)


def _recall(corpus: Occurrences, queries: Array, wanted: Exact, found: list[Ids]) -> float:
    """Share of the nearest ten that were proposed; equal cosines count alike."""
    shares = []
    for query, tenth, rows in zip(queries, wanted, found, strict=True):
        cosines = cosine(corpus.vectors(LAYER, np.unique(rows)), query)
        shares.append(min(int((cosines >= tenth - 1e-6).sum()), K) / K)
    return float(np.mean(shares))


def _build_faiss(corpus: Occurrences, _: Path) -> None:
    index.build(corpus, LAYER)


def _search_faiss(corpus: Occurrences, _: Path) -> Search:
    opened = index.open_index(corpus, LAYER)
    assert opened is not None
    return lambda query: opened.propose(query, K + SPARE)


def _build_usearch(corpus: Occurrences, path: Path) -> None:
    from usearch.index import Index

    graph = Index(ndim=corpus.about.hidden_size, metric="cos", dtype="i8")
    for start, vectors in corpus.iter_vectors(LAYER):
        graph.add(np.arange(start, start + len(vectors)), vectors)
    graph.save(path)


def _search_usearch(_: Occurrences, path: Path) -> Search:
    from usearch.index import Index

    graph: Any = Index.restore(path, view=True)
    return lambda query: np.asarray(graph.search(query, K + SPARE).keys, np.int64)


LIBRARIES = {
    "FAISS": (_build_faiss, _search_faiss),
    "usearch": (_build_usearch, _search_usearch),
}


def _apart(work: Callable[..., Any], *arguments: Any) -> Any:
    """Do it in a fresh process, whose memory is its own."""
    with get_context("spawn").Pool(1) as pool:
        return pool.apply(work, arguments)


def _build(build: Callable[[Occurrences, Path], None], folder: Path, path: Path) -> Cost:
    corpus = Occurrences.open(folder)
    with _measured() as cost:
        build(corpus, path)
    return cost[0]


def _search(
    search: Callable[[Occurrences, Path], Search], folder: Path, path: Path, queries: Array
) -> tuple[list[Ids], list[float], Cost]:
    corpus = Occurrences.open(folder)
    found, times = [], []
    with _measured() as cost:
        ask = search(corpus, path)
        for query in queries:
            begun = time.perf_counter()
            found.append(ask(query))
            times.append(time.perf_counter() - begun)
    return found, _in_ms(times), cost[0]


@contextmanager
def _measured() -> Iterator[list[Cost]]:
    costs: list[Cost] = []
    before, most, done = _own_memory(), [0.0], threading.Event()

    def watch() -> None:
        while not done.wait(0.02):
            most[0] = max(most[0], _own_memory())

    watcher = threading.Thread(target=watch)
    watcher.start()
    begun = time.perf_counter()
    yield costs
    seconds = time.perf_counter() - begun
    done.set()
    watcher.join()
    costs.append(Cost(seconds, max(most[0], _own_memory()) - before))


def _own_memory() -> float:
    """MB of this process, without the files it maps."""
    status = Path("/proc/self/status").read_text(encoding="utf-8")
    return int(status.split("RssAnon:")[1].split()[0]) / 1000


def _size(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def _in_ms(seconds: list[float]) -> list[float]:
    return [1000 * each for each in seconds]


def _written(folder: Path, count: int, *, seed: int) -> Occurrences:
    """Every word of sentences that begin like one of the project's own and end like another."""
    texts = (DATA / "calibration.txt").read_text(encoding="utf-8").splitlines()
    for path in sorted((DATA / "senses").glob("*.tsv")):
        lines = path.read_text(encoding="utf-8").splitlines()[1:]
        texts += [line.split("\t")[-1] for line in lines]
    parts = [text.split() for text in texts if text.strip()]
    chance, sentences = random.Random(seed), []
    for _ in range(count):
        first, second = chance.sample(parts, 2)
        begin = first[: chance.randint(2, max(2, len(first)))]
        sentences.append(" ".join(begin + second[chance.randint(0, len(second) // 2) :]))
    corpus = folder.with_suffix(".txt")
    corpus.write_text("\n".join(sentences), encoding="utf-8")
    names = sorted({word for text in sentences for word in re.findall("[a-z]+", text.lower())})
    words = [Word(name, (name,)) for name in names]
    planned = plan(words, [str(corpus)], model=EMBEDDED, layers=[LAYER])
    with manifest.begin(folder, planned.job):
        worker = Worker(planned.job, folder, load_encoder(planned.bert))
        for part in planned.job.parts():
            worker(part)
    return Occurrences.open(folder)


if __name__ == "__main__":
    main()
