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
    """Open NPZ as `npz.py` says, or CSV or TSV as `table.py` says: `most` occurrences of a word.

    `check` is called between the steps of the reading, and may raise to end it.
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
