"""A map of the token table on which near rows stay near: t-SNE, minutes of one processor.

That of the embedded model ships. For another one the app runs, when somebody asks,

    python -m bertviz_core.neighbors.layout MODEL FILE

as a process of its own: it has its own threads and memory, and can be stopped. What it makes is
kept on disk.
"""

import hashlib
import logging
import os
import re
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from bertviz_core.arrays import Array, frozen, unit_rows
from bertviz_core.bert import Bert
from bertviz_core.disk_cache import kept_file, known_arrays, read_arrays, write_arrays
from bertviz_core.errors import BertvizError
from bertviz_core.neighbors.token_map import TokenMap, neighbors_kept, start_of_layout

ITERATIONS, PERPLEXITY, SEED = 1000, 30.0, 0
_ITERATION = re.compile(r"\[t-SNE\] Iteration (\d+):")
_log = logging.getLogger(__name__)
FORMAT = 1  # raise it when the way of laying out changes in more than these


def table_key(bert: Bert, *method: object) -> str:
    """Hex digest of all numbers of a token table, and of a method: that of a layout."""
    table = bert.tables.word_embeddings
    method = method or (FORMAT, ITERATIONS, PERPLEXITY, SEED)
    digest = hashlib.sha256(repr((*method, table.shape)).encode())
    digest.update(np.ascontiguousarray(table).data)
    return digest.hexdigest()


def lay_out(bert: Bert) -> TokenMap:
    """The map of the rows at length 1, whose squared distance is 2 - 2 cosines, by t-SNE."""
    from sklearn.manifold import TSNE

    units = unit_rows(bert.tables.word_embeddings, np.float32)
    tsne = TSNE(
        2,
        perplexity=min(PERPLEXITY, (len(units) - 1) / 3),
        init=start_of_layout(units),
        max_iter=ITERATIONS,
        random_state=SEED,
        verbose=2,
    )
    points = rounded(tsne.fit_transform(units))
    return TokenMap(points, neighbors_kept(bert, points))


def rounded(points: Array) -> Array:
    """Points (n, 2) moved and scaled to lie between -1 and 1, in the digits that are kept."""
    low, high = points.min(axis=0), points.max(axis=0)
    centred = (points - (low + high) / 2) / (max(high - low) / 2 or 1.0)
    return frozen(centred.astype(np.float16))


def known_layout(bert: Bert) -> TokenMap | None:
    """The shipped layout of a model's table, or one that was made before; else None."""
    return _layout(known_arrays("token-map", table_key(bert)))


def read_layout(path: Path, key: str) -> TokenMap | None:
    """The layout that `save_layout` wrote for the table with this key; None for any other file."""
    return _layout(read_arrays(path, key))


def _layout(arrays: Mapping[str, Array] | None) -> TokenMap | None:
    if arrays is None:
        return None
    return TokenMap(frozen(arrays["points"]), float(arrays["kept"]))


def save_layout(bert: Bert, layout: TokenMap, path: Path | None = None) -> bool:
    """Write a layout to a file, or where it is kept; whether it could be written."""
    key = table_key(bert)
    return write_arrays(path or kept_file("token-map", key), key, as_arrays(layout))


def as_arrays(layout: TokenMap) -> dict[str, Any]:
    """A layout as it is written."""
    return {"points": layout.points.astype(np.float16), "kept": np.array(layout.kept)}


def laid_out_by_a_process(bert: Bert, report: Callable[[int, int], None]) -> TokenMap:
    """Lay a table out in a process of its own: a thread would slow every page for minutes.

    `report` gets the steps that are done, and how many there are. An error for the user if the
    process ends without a map.
    """
    with TemporaryDirectory() as folder:
        path = Path(folder) / "layout.npz"
        process = subprocess.Popen(
            command(bert.name, path),
            cwd=Path(__file__).parents[2],
            env=os.environ | {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        line = ""
        with process:
            for line in process.stdout or ():
                if step := _ITERATION.match(line):
                    report(int(step[1]), ITERATIONS)
        layout = read_layout(path, table_key(bert))
    if layout is None:
        _log.warning("No map of %s: %s", bert.name, line)
        raise BertvizError("the computation stopped early; the server's log has the details.")
    return layout


def command(name: str, path: Path) -> list[str]:
    """What lays out a model's table and writes it to a file."""
    return [sys.executable, "-m", "bertviz_core.neighbors.layout", name, str(path)]


def main(name: str, file: str) -> None:
    """Lay out the token table of a model on offer, or of a folder, and write it to a file."""
    from bertviz_core.bert import load_bert

    if hasattr(os, "nice"):
        os.nice(10)  # other work on the machine comes first
    bert = load_bert(name)
    layout = lay_out(bert)
    if not save_layout(bert, layout, Path(file)):
        sys.exit(f"{file} cannot be written")
    print(f"{layout.kept:.1%} of the nearest rows are near")


if __name__ == "__main__":
    main(*sys.argv[1:])
