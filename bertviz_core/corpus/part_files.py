"""The Parquet files of parts: each appears whole, with its receipt, or not at all."""

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING
from uuid import uuid4

from bertviz_core.corpus.job import Job, Part
from bertviz_core.corpus.schema import LAYER, Receipt, description, receipt_of, schema
from bertviz_core.errors import UserInputError

if TYPE_CHECKING:
    import pyarrow.parquet as pq

UNFINISHED = ".unfinished"  # how the name of a file ends while it is written


class CannotWriteError(UserInputError):
    """The folder takes no file: other parts would fail as this one did."""


def finished(job: Job, folder: Path, part: Part) -> Receipt | None:
    """The receipt of a part's file; None where it is not there, damaged, or not this part's."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        with pq.ParquetFile(
            folder / part.name, page_checksum_verification=True, pre_buffer=False
        ) as file:
            receipt = receipt_of(file.metadata, job, part)
            for _ in file.iter_batches(1_024) if receipt is not None else ():
                pass  # to read a page is to check it
            return receipt
    except (OSError, pa.ArrowException):
        return None


def remove_unfinished(folder: Path) -> None:
    """Remove what a killed run left half written; a worker that still writes one of them fails."""
    for path in folder.glob(f"*{UNFINISHED}"):
        with suppress(OSError):
            path.unlink()


@contextmanager
def part_file(job: Job, folder: Path, part: Part, receipt: Receipt) -> "Iterator[pq.ParquetWriter]":
    """Write the file of a part; at the end of the `with` it gets its receipt and its name."""
    import pyarrow.parquet as pq

    columns = schema(job)
    others = [name for name in columns.names if not name.startswith(LAYER)]
    plain = [f"{LAYER}{layer}.list.element" for layer in job.layers]
    texts = ["word", "source", *(c.name for c in job.carried if c.kind == "string")]
    with appearing_whole(folder / part.name) as unfinished:
        with writing(folder):
            writer = pq.ParquetWriter(
                unfinished,
                columns,
                # Vectors hardly shrink and have no value twice; as they are, they can be mapped.
                compression=dict.fromkeys(others, "zstd") | dict.fromkeys(plain, "none"),
                use_dictionary=texts,
                write_statistics=others,
                write_page_checksum=True,
            )
        try:
            yield writer
            with writing(folder):
                writer.add_key_value_metadata(description(job, part, receipt))
                writer.close()
        finally:
            with suppress(OSError, ValueError):  # closing writes once more, perhaps to a full disk
                writer.close()


@contextmanager
def appearing_whole(path: Path) -> Iterator[Path]:
    """Give another name to write to; at the end of the `with` the file gets its own."""
    unfinished = path.with_name(f"_{path.name}.{uuid4().hex}{UNFINISHED}")
    try:
        yield unfinished
        with writing(path.parent):
            with unfinished.open("rb+") as file:
                os.fsync(file.fileno())
            os.replace(unfinished, path)
    finally:
        unfinished.unlink(missing_ok=True)


@contextmanager
def writing(folder: Path) -> Iterator[None]:
    """Say what the system says when a folder cannot be written to."""
    try:
        yield
    except OSError as error:
        raise CannotWriteError(
            f"{folder} cannot be written to ({error.strerror or error}); make room there or choose "
            "another folder. The same command goes on with what is written."
        ) from error
