#!/usr/bin/env bash
# ray 2.60.0: whether `Dataset.zip` of two Parquet folders pairs row with row.
#
# Guess, written down first: rows stay together. Blocks may come out of order (the documentation
# says so), but `zip` has a meaning only by position, so it keeps the order of its inputs.
#
# Seen: `read_parquet` hands out the files of a folder in another order at each run, also where
# nothing else is done with them, and `zip` takes both as they come. Of a folder of texts and one of
# their vectors, written part by part in the same order, most texts get the vector of another text;
# the number of rows is right, and nothing is said. (Of `ray.data.range` all rows are paired
# rightly, also behind a slow `map_batches`.) `take` and `limit` begin at any file, too.
# With `execution_options.preserve_order = True`, set before the folders are named, all rows are
# paired rightly. A column with a key in both folders is what would show it.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet "ray[data]==2.60.0" pyarrow==26.0.1
export RAY_USAGE_STATS_ENABLED=0 PYTHONWARNINGS=ignore
"$folder/venv/bin/python" - <<'PYTHON'
import logging
import tempfile
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import ray
from ray.cluster_utils import Cluster

print("ray", ray.__version__)
PARTS, ROWS = 12, 5
node = {"num_cpus": 4, "object_store_memory": 150 * 2**20}
cluster = Cluster(initialize_head=True, head_node_args=node | {"include_dashboard": False})
cluster.add_node(**node)
ray.init(address=cluster.address, log_to_driver=False, logging_level="ERROR")
logging.getLogger("ray.data").setLevel(logging.CRITICAL)
context = ray.data.DataContext.get_current()
context.enable_progress_bars = False


def wrong(folder: Path) -> int:
    """The number of texts that `zip` gives the vector of another text."""
    texts, vectors = (ray.data.read_parquet(str(folder / name)) for name in ("texts", "vectors"))
    rows = texts.zip(vectors).take_all()
    assert len(rows) == PARTS * ROWS
    return sum(row["text"] != f"text {row['vector'][0]:.0f}" for row in rows)


with tempfile.TemporaryDirectory() as made:
    for name in ("texts", "vectors"):
        (Path(made) / name).mkdir()
    for part in range(PARTS):
        numbers = np.arange(part * ROWS, (part + 1) * ROWS)
        texts = pa.table({"text": [f"text {number}" for number in numbers]})
        flat = pa.array(np.repeat(numbers, 3).astype(np.float32))
        vectors = pa.table({"vector": pa.FixedSizeListArray.from_arrays(flat, 3)})
        for name, table in (("texts", texts), ("vectors", vectors)):
            pq.write_table(table, f"{made}/{name}/part-{part:02d}.parquet")
    by_default = wrong(Path(made))
    print("by default:", by_default, "of", PARTS * ROWS, "texts have another vector")
    context.execution_options.preserve_order = True
    in_order = wrong(Path(made))
    print("with preserve_order:", in_order)
ray.shutdown()
cluster.shutdown()
assert in_order == 0
assert by_default > 0, "zip pairs row with row"
PYTHON
