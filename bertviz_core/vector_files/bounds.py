"""How much of a visitor's file is unpacked: a few kilobytes can say that they are gigabytes."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import IO, TYPE_CHECKING, Any

from bertviz_core.errors import UserInputError
from bertviz_core.vector_files.pages import unpacked

if TYPE_CHECKING:
    import pyarrow.parquet as pq

LARGEST = 64_000_000  # bytes of vectors that are kept
MOST_LAYERS, MOST_DIMENSIONS = 64, 8_192
MOST_ROWS = 1_000_000
MOST_BYTES = 128_000_000  # of what is read, once it is unpacked
MOST_TEXT = 32_000_000  # bytes of one column that holds no vectors
MOST_COLUMNS = 40  # beside those that every file has
MOST_WORDS = 10_000
BATCH = 4_000_000  # bytes of vectors at a time


@contextmanager
def unreadable_said() -> Iterator[None]:
    """Turn pyarrow's errors into a sentence.

    Raises:
        UserInputError: The file could not be read.
    """
    import pyarrow as pa

    try:
        yield
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
        raise UserInputError(
            "The file is no Parquet file that can be read, and no NPZ; expected one of these, with "
            "occurrences of words and their vectors."
        ) from error


def check_shape(layers: int, hidden_size: int) -> None:
    """Refuse vectors of too many layers or numbers.

    Raises:
        UserInputError: They are too many, or none.
    """
    if not (0 < layers <= MOST_LAYERS and 0 < hidden_size <= MOST_DIMENSIONS):
        raise UserInputError(
            f"The file says that its vectors have {layers:,} layers of {hidden_size:,} numbers; "
            f"up to {MOST_LAYERS} of {MOST_DIMENSIONS:,} can be."
        )


def rows_that_fit(most: int, layers: int, hidden_size: int) -> int:
    """How many rows are read at most.

    Args:
        most: How many the caller wants.
        layers: Of the vectors.
        hidden_size: Numbers a layer.
    """
    return min(most, max(LARGEST // (4 * layers * hidden_size), 1))


def check_sizes(rows: int, size: int, text: int) -> None:
    """Refuse what is too large once it is unpacked.

    Args:
        rows: How many.
        size: Bytes of all that is read.
        text: Bytes of the largest column of text.

    Raises:
        UserInputError: One of them is too large.
    """
    if rows > MOST_ROWS or size > MOST_BYTES or text > MOST_TEXT:
        raise UserInputError(
            f"The file is too large inside: {rows:,} rows and {size / 1e6:,.0f} MB have to be "
            f"unpacked, {text / 1e6:,.0f} MB of it text; up to {MOST_ROWS:,} rows, "
            f"{MOST_BYTES / 1e6:.0f} MB and {MOST_TEXT / 1e6:.0f} MB of text can be."
        )


def check_parquet(
    file: IO[bytes],
    metadata: "pq.FileMetaData",
    groups: Sequence[int],
    values: Mapping[str, int],
) -> None:
    """Make sure that columns of a Parquet file unpack to what fits, before they are unpacked.

    Args:
        file: The file, open.
        metadata: From its end.
        groups: The row groups that are to be read.
        values: The columns that are to be read, and how many values each has in a row.

    Raises:
        UserInputError: They are too large, or larger than the end of the file says.
    """
    parts = [metadata.row_group(number) for number in groups]
    rows = sum(part.num_rows for part in parts)
    texts = dict.fromkeys((name for name, count in values.items() if count == 1), 0)
    size = 0
    chunks: list[tuple[str, Any, int]] = []
    for part in parts:
        for chunk in map(part.column, range(part.num_columns)):
            name = column_of(chunk.path_in_schema, values)
            if name is None:
                continue
            chunks.append((name, chunk, part.num_rows * values[name]))
            size += chunk.total_uncompressed_size
            if name in texts:
                texts[name] += chunk.total_uncompressed_size
    check_sizes(rows, size, max(texts.values(), default=0))
    for name, chunk, most in chunks:
        try:
            found = unpacked(file, chunk)
        except ValueError as error:
            raise UserInputError(f"The Parquet file is damaged: it has {error}.") from error
        if found.size > chunk.total_uncompressed_size:
            raise UserInputError(
                f"The Parquet file is larger inside than it says: {found.size / 1e6:,.0f} MB of "
                f"{name[:40]} instead of {chunk.total_uncompressed_size / 1e6:,.0f} MB."
            )
        if found.values > most:
            raise UserInputError(
                f"The Parquet file has {found.values:,} values in the column {name[:40]}; "
                f"expected {most:,}."
            )


def column_of(path: str, names: Mapping[str, Any]) -> str | None:
    """The column that a path in a Parquet file, "layer_6.list.element", belongs to.

    Returns:
        One of the names; None for a column that is not among them.
    """
    if path in names:
        return path
    return next((name for name in names if path.startswith(f"{name}.")), None)
