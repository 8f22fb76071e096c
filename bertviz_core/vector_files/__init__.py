"""Files with occurrences and vectors that visitors bring, opened whatever they hold."""

from typing import IO

from bertviz_core.vector_files import bounds, npz, old_parquet, parquet
from bertviz_core.vector_files.opened import Opened

__all__ = ["Opened", "read"]


def read(file: IO[bytes], word: str | None, most: int) -> Opened:
    """Open a file of occurrences and vectors.

    Args:
        file: The file, open: Parquet as `corpus/schema.py` or `parquet.py` says, NPZ as `npz.py`
            says, or Parquet as this project wrote it before.
        word: Which of its words to take; None, or one that is not there, for the most frequent.
        most: How many occurrences to read; the first ones that fit.

    Raises:
        UserInputError: It is none of these, or larger inside than fits.
    """
    import pyarrow.parquet as pq

    file.seek(0)
    if file.read(len(npz.BEGINS)) == npz.BEGINS:
        return npz.read(file, word, most)
    with bounds.unreadable_said():
        with pq.ParquetFile(
            file, thrift_string_size_limit=1_000_000, thrift_container_size_limit=100_000
        ) as opened:
            metadata = opened.metadata
        if old_parquet.KEY in (metadata.schema.to_arrow_schema().metadata or {}):
            return old_parquet.read(file, metadata, most)
        return parquet.read(file, metadata, word, most)
