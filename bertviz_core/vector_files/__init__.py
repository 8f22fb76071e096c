"""Files with occurrences and vectors that visitors bring, opened whatever they hold."""

from collections.abc import Callable
from typing import IO

from bertviz_core.errors import UserInputError
from bertviz_core.vector_files import npz, table
from bertviz_core.vector_files.opened import Opened

__all__ = ["Opened", "read"]


def read(
    file: IO[bytes], word: str | None, most: int, check: Callable[[], object] = lambda: None
) -> Opened:
    """Open a file of occurrences and vectors.

    Args:
        file: The file, open: NPZ as `npz.py` says, or CSV or TSV as `table.py` says.
        word: Which of its words to take; None, or one that is not there, for the most frequent.
        most: How many occurrences to read; the first ones that fit.
        check: Called between the steps of the reading; it may raise to end it.

    Raises:
        UserInputError: It is none of these, or larger inside than fits.
    """
    file.seek(0)
    begins = file.read(4)
    if begins == npz.BEGINS:
        return npz.read(file, word, most, check)
    if begins == b"PAR1":
        raise UserInputError(
            "Parquet files cannot be opened here; write the vectors as NPZ, CSV or TSV, as "
            "docs/corpus.md says."
        )
    return table.read(file, word, most, check)
