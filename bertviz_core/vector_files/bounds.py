"""How large a visitor's file may be inside: a few kilobytes can say that they are gigabytes."""

from bertviz_core.errors import UserInputError

LARGEST = 64_000_000  # bytes of vectors that are kept
# A BERT has up to 48 layers of 1,536 numbers. A map takes the square of the numbers in memory, and
# their cube in time.
MOST_LAYERS, MOST_DIMENSIONS = 64, 1_536
MOST_ROWS = 1_000_000
MOST_BYTES = 64_000_000  # of an archive, once it is unpacked
MOST_TEXT = 32_000_000  # bytes of one array of text, once it is unpacked
MOST_COLUMNS = 40  # beside those that every file has
MOST_WORDS = 10_000


def check_shape(layers: int, hidden_size: int) -> None:
    """Refuse vectors of too many layers or numbers."""
    if not (0 < layers <= MOST_LAYERS and 0 < hidden_size <= MOST_DIMENSIONS):
        raise UserInputError(
            f"The file says that its vectors have {layers:,} layers of {hidden_size:,} numbers; "
            f"up to {MOST_LAYERS} of {MOST_DIMENSIONS:,} can be."
        )


def check_columns(further: int) -> None:
    """Refuse too many columns beside those that every file has."""
    if further > MOST_COLUMNS:
        raise UserInputError(
            f"The file has {further:,} further columns; up to {MOST_COLUMNS} can be."
        )


def check_rows(rows: int) -> None:
    """Refuse too many rows."""
    if rows > MOST_ROWS:
        raise UserInputError(
            f"The file has {rows:,} rows, or more; up to {MOST_ROWS:,} can be read."
        )


def rows_that_fit(most: int, layers: int, hidden_size: int) -> int:
    """How many rows are read at most."""
    return min(most, max(LARGEST // (4 * layers * hidden_size), 1))


def check_sizes(size: int, text: int) -> None:
    """Refuse an archive that is too large once it is unpacked."""
    if size > MOST_BYTES or text > MOST_TEXT:
        raise UserInputError(
            f"The file is too large inside: {size / 1e6:,.0f} MB have to be unpacked, "
            f"{text / 1e6:,.0f} MB of it one array of text; up to {MOST_BYTES / 1e6:.0f} MB and "
            f"{MOST_TEXT / 1e6:.0f} MB of text can be."
        )
