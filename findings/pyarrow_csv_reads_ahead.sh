#!/usr/bin/env bash
# pyarrow 26.0.1: how much of a file `csv.open_csv` has read when it hands out its first batch.
#
# Guess, written down first: with `use_threads=False` the reader takes one block of `block_size`
# bytes, parses it, and hands it out; a second block at most is read meanwhile. So of 1 MB blocks
# about 2 MB are read before the first batch, and memory does not depend on the file.
#
# Seen: dozens of blocks are read from the file before the first batch is asked for at all, also
# without threads. A job that hands parts of a large file to workers holds 30 to 40 MB more than
# its block size says; a smaller `block_size` is what bounds it.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet pyarrow==26.0.1
"$folder/venv/bin/python" - <<'PYTHON'
import io
import time

import pyarrow as pa
from pyarrow import csv

print("pyarrow", pa.__version__)
BLOCK = 1_000_000
ROW = b"1850,the old mill stood by the river and nobody went there\n"
DATA = b"year,text\n" + ROW * (80 * BLOCK // len(ROW))


class Counted(io.BytesIO):
    """A file that knows how much of it was read."""

    taken = 0

    def read(self, size: int = -1) -> bytes:
        part = super().read(size)
        self.taken += len(part)
        return part


ahead = {}
for threads in (False, True):
    file = Counted(DATA)
    how = csv.ReadOptions(block_size=BLOCK, use_threads=threads)
    with csv.open_csv(file, read_options=how) as reader:
        reader.read_next_batch()
        time.sleep(1.0)  # what is read beside us
        ahead[threads] = file.taken / BLOCK
    print(f"use_threads={threads}: {ahead[threads]:.0f} blocks read at the first batch, of {len(DATA) / BLOCK:.0f}")
assert all(blocks > 10 for blocks in ahead.values()), "it reads as little ahead as one would guess"
PYTHON
