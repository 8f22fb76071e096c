"""Files that a visitor may upload to take the server down; tests make them, none is stored."""

import io
import json
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from bertviz_core.vector_files.old_parquet import About, schema


def one_long_line(size: int) -> bytes:
    """A text of one line, `bank bank bank`: every occurrence stands in the same long line."""
    return b"bank " * (size // 5)


def parquet_file(
    rows: int = 4,
    layers: int = 2,
    hidden_size: int = 4,
    *,
    sentence: str = "a bank",
    sense: str | None = None,
    span: tuple[int, int] = (2, 6),
    value: float | None = None,
    says: dict[str, Any] | None = None,
) -> bytes:
    """Occurrences as this project once wrote them, packed so that much fits into little.

    Args:
        rows: How many; they differ in their vectors alone.
        layers: Of the vectors.
        hidden_size: Of the vectors.
        sentence: Of each row.
        sense: Its label.
        span: Where the word stands.
        value: Every number of the vectors; random ones if left out.
        says: What the metadata says that is not so.
    """
    about = {"word": "bank", "model": "m", "pooling": "mean"}
    about |= {"layers": layers, "hidden_size": hidden_size}
    size = rows * layers * hidden_size
    if value is None:
        numbers = np.random.default_rng(0).standard_normal(size, np.float32)
    else:
        numbers = np.full(size, value, np.float32)
    stored = schema(About(**about)).with_metadata(
        {"bertviz_senses": json.dumps(about | (says or {}))}
    )
    columns = [
        pa.array([1] * rows, pa.int64()),
        pa.array([sense] * rows, pa.string()),
        pa.array([sentence] * rows, pa.string()),
        pa.array([span[0]] * rows, pa.int32()),
        pa.array([span[1]] * rows, pa.int32()),
        pa.FixedSizeListArray.from_arrays(pa.array(numbers), layers * hidden_size),
    ]
    file = io.BytesIO()
    table = pa.Table.from_arrays(columns, schema=stored)
    pq.write_table(table, file, compression="zstd", dictionary_pagesize_limit=1 << 30)
    return file.getvalue()


def with_less_said(content: bytes) -> bytes:
    """A Parquet file whose end says that everything in it unpacks to 1,000 bytes.

    Whole numbers stand there seven bits a byte; a small one can be written as long as a large one.
    """
    metadata = pq.ParquetFile(io.BytesIO(content)).metadata
    part = metadata.row_group(0)
    sizes = {part.column(i).total_uncompressed_size for i in range(part.num_columns)}
    start = len(content) - 8 - metadata.serialized_size
    end = content[start:]
    for size in sorted(sizes | {part.total_byte_size}, reverse=True):
        if size > 100_000:
            end = end.replace(_number(size), _number(1_000, len(_number(size))))
    return content[:start] + end


def _number(value: int, length: int = 1) -> bytes:
    """A positive whole number in Thrift's compact protocol, of at least so many bytes."""
    value, digits = value * 2, []
    while value or len(digits) < length:
        digits.append(value & 127 | 128)
        value >>= 7
    return bytes([*digits[:-1], digits[-1] & 127])
