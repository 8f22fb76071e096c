"""An index of the vectors of one layer, on disk, for folders too large to compare all.

All directions are cut into some thousand regions. The index keeps which rows lie in which region,
with a byte for each number of their vectors. A query reads the regions nearest to it and proposes
rows; `search` then compares the vectors of the parts themselves.
"""

import json
import os
import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from importlib import import_module
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

import numpy as np

from bertviz_core.arrays import Array, Ids, unit_rows
from bertviz_core.corpus.store import Occurrences
from bertviz_core.errors import UserInputError

ABOUT = "about.json"  # written last: an index without it is none
MOST_REGIONS = 4_096
PER_REGION = 40  # vectors from which the middle of a region is found; FAISS asks for 39
READ = 1 / 16  # of the regions a query; benchmarks/corpus_search.py measures what that finds
SHARD = 500_000  # rows a file: as many lie in memory while it is made
UNFINISHED = ".unfinished-"  # in the name of a folder that is being written
ABANDONED = 24 * 3600  # seconds after which whoever began it was surely killed
Progress = Callable[[int], None]


@dataclass(frozen=True)
class About:
    """What an index was made of.

    Attributes:
        fingerprint: Of the parts, see `Occurrences.fingerprint`.
        rows: How many.
        regions: How many.
        files: Size of each file in bytes.
    """

    fingerprint: str
    rows: int
    regions: int
    files: dict[str, int]


class Index:
    """An index, memory-mapped: only the regions that a query reads come into memory."""

    def __init__(self, folder: Path, about: About) -> None:
        faiss = _faiss()
        self._about = about
        self._shards = [
            faiss.read_index(str(folder / name), faiss.IO_FLAG_MMAP) for name in about.files
        ]

    def propose(self, vector: Array, k: int, rows: Ids | None = None) -> Ids:
        """Rows whose vectors are probably the nearest.

        Args:
            vector: float32 (hidden_size,).
            k: How many.
            rows: The rows to choose from; None for all.

        Returns:
            int64, at most k, in any order.
        """
        faiss = _faiss()
        regions = READ * self._about.regions
        selector = None
        if rows is not None:
            allowed = np.zeros(self._about.rows, bool)
            allowed[rows] = True
            bits = np.packbits(allowed, bitorder="little")
            selector = faiss.IDSelectorBitmap(bits)
            # The nearest of few rows lie farther away.
            regions *= self._about.rows / max(len(rows), 1)
        read = min(max(round(regions), 32), self._about.regions)
        how = faiss.SearchParametersIVF(sel=selector, nprobe=read)
        query = unit_rows(vector[None], np.float32)
        found = [shard.search(query, k, params=how) for shard in self._shards]
        products = np.concatenate([products[0] for products, _ in found])
        proposed = np.concatenate([numbers[0] for _, numbers in found])
        best = np.argsort(-products, kind="stable")
        best = best[proposed[best] >= 0]  # -1 where a shard has fewer
        return np.asarray(proposed[best][:k], np.int64)


def open_index(occurrences: Occurrences, layer: int) -> Index | None:
    """Open the index of a layer; None where there is none of these very parts, or no FAISS."""
    folder = _folder(occurrences, layer)
    try:
        about = About(**json.loads((folder / ABOUT).read_text(encoding="utf-8")))
        whole = all((folder / name).stat().st_size == size for name, size in about.files.items())
        if about.fingerprint != occurrences.fingerprint or not whole:
            return None
        return Index(folder, about)
    # What is damaged is no index. FAISS tells of a bad file by a RuntimeError.
    except (OSError, ValueError, TypeError, RuntimeError, UserInputError):
        return None


def build(occurrences: Occurrences, layer: int, progress: Progress | None = None) -> Index:
    """Make the index of a layer, in the folder of its parts; an older one is replaced.

    Args:
        occurrences: What to index.
        layer: One of its layers.
        progress: Called now and then with how many rows are done; each counts twice, as the
            vectors are read a first time to find the regions.

    Raises:
        UserInputError: There is nothing to index, the folder cannot be written to, or FAISS is not
            installed.

    References:
        Jégou et al. (2011), "Product Quantization for Nearest Neighbor Search", for the inverted
        file; Douze et al. (2024), "The Faiss library".
    """
    report = progress or (lambda rows: None)
    _faiss()
    if not len(occurrences):
        raise UserInputError(f"{occurrences.folder} has no occurrence, so nothing to index.")
    with _unfinished(occurrences, layer) as folder:
        empty = _regions(occurrences, layer, report)
        files = {}
        for number, shard in enumerate(_shards(empty, occurrences, layer, report)):
            path = folder / f"shard-{number:03d}.faiss"
            _write(shard, path)
            files[path.name] = path.stat().st_size
        about = About(occurrences.fingerprint, len(occurrences), empty.nlist, files)
        (folder / ABOUT).write_text(json.dumps(asdict(about)), encoding="utf-8")
        final = _folder(occurrences, layer)
        shutil.rmtree(final, ignore_errors=True)
        os.replace(folder, final)
    return Index(final, about)


def _folder(occurrences: Occurrences, layer: int) -> Path:
    return occurrences.folder / f"index-{occurrences.layer_name(layer)}"


@contextmanager
def _unfinished(occurrences: Occurrences, layer: int) -> Iterator[Path]:
    """A folder to write to, which is removed if it does not become the index."""
    folder, final = None, _folder(occurrences, layer)
    try:
        for left in final.parent.glob(f"{final.name}{UNFINISHED}*"):
            if time.time() - left.stat().st_mtime > ABANDONED:
                shutil.rmtree(left, ignore_errors=True)
        folder = Path(mkdtemp(prefix=f"{final.name}{UNFINISHED}", dir=final.parent))
        yield folder
    except OSError as error:
        raise UserInputError(
            f"The index cannot be written to {occurrences.folder}: {error.strerror or error}."
        ) from error
    finally:
        if folder is not None:
            shutil.rmtree(folder, ignore_errors=True)


def _regions(occurrences: Occurrences, layer: int, report: Progress) -> Any:
    """An index without rows, its regions found from vectors that are drawn from all parts."""
    faiss = _faiss()
    rows, size = len(occurrences), occurrences.about.hidden_size
    regions = max(min(int(2 * rows**0.5), rows // PER_REGION, MOST_REGIONS), 1)
    drawn = np.random.default_rng(0).choice(rows, min(regions * PER_REGION, rows), replace=False)
    drawn.sort()
    sample = np.empty((len(drawn), size), np.float32)
    for start, vectors in occurrences.iter_vectors(layer):
        first, last = np.searchsorted(drawn, (start, start + len(vectors)))
        sample[first:last] = unit_rows(vectors[drawn[first:last] - start], np.float32)
        report(start + len(vectors))
    kind, metric = faiss.ScalarQuantizer.QT_8bit, faiss.METRIC_INNER_PRODUCT
    middles = faiss.IndexFlatIP(size)
    empty = faiss.IndexIVFScalarQuantizer(middles, size, regions, kind, metric, False)
    empty.cp.spherical = True  # the middles have length 1, too
    empty.cp.niter = 10
    empty.train(sample)
    return empty


def _shards(empty: Any, occurrences: Occurrences, layer: int, report: Progress) -> Iterator[Any]:
    """The rows, as indexes of up to half a million."""
    faiss = _faiss()
    shard = faiss.clone_index(empty)
    for start, vectors in occurrences.iter_vectors(layer):
        if shard.ntotal and shard.ntotal + len(vectors) > SHARD:
            yield shard
            shard = faiss.clone_index(empty)
        shard.add_with_ids(unit_rows(vectors, np.float32), np.arange(start, start + len(vectors)))
        report(len(occurrences) + start + len(vectors))
    yield shard


def _write(shard: Any, path: Path) -> None:
    try:
        _faiss().write_index(shard, str(path))
    except RuntimeError as error:  # the disk is full
        raise OSError(f"{path.name} cannot be written") from error


def _faiss() -> Any:
    """The library; its types are left out, as mypy also runs where it is not installed."""
    try:
        return import_module("faiss")
    except ImportError as error:
        raise UserInputError(
            "The index needs FAISS, which is not installed; run `pip install '.[corpus]'`."
        ) from error
