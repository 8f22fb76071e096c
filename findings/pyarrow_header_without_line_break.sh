#!/usr/bin/env bash
# pyarrow 26.0.1: a CSV file that is a header alone, with and without a line break at its end.
#
# Guess, written down first: both give a table of no rows with the columns of the header. A last
# line without a line break is a line, as it is for every row of data.
#
# Seen: with the line break the table has no rows; without it the file is called empty ("Empty CSV
# file or block: cannot infer number of columns"), by `read_csv` and by `open_csv`. Behind a row of
# data the missing line break does not matter. An export that found nothing and strips its end is
# read as damaged; who streams a file adds a line break at its end, which is no row.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet pyarrow==26.0.1
"$folder/venv/bin/python" - <<'PYTHON'
import io

import pyarrow as pa
from pyarrow import csv

print("pyarrow", pa.__version__)


def rows(data: bytes) -> int | str:
    seen = set()
    for read in (csv.read_csv, lambda file: csv.open_csv(file).read_all()):
        try:
            seen.add(read(io.BytesIO(data)).num_rows)
        except pa.ArrowInvalid as error:
            seen.add(str(error))
    (result,) = seen  # both ways agree
    print(data, "->", result)
    return result


assert rows(b"year,text\n") == 0
assert "Empty CSV" in str(rows(b"year,text"))
assert rows(b"year,text\n1850,mill\n") == rows(b"year,text\n1850,mill") == 1
PYTHON
