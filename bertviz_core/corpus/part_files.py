"""The files that a job has written so far, opened to be read."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from bertviz_core.corpus.job import Job
from bertviz_core.corpus.schema import About, Receipt, described, schema
from bertviz_core.errors import UserInputError

if TYPE_CHECKING:
    import pyarrow as pa
    import pyarrow.parquet as pq


@dataclass(frozen=True)
class PartFile:
    """The file of a part that is there."""

    path: Path  # of the file
    metadata: "pq.FileMetaData"  # what stands at its end: where each column of each row group lies

    @contextmanager
    def opened(self) -> Iterator["pq.ParquetFile"]:
        """Open the file, without reading again what stands at its end."""
        import pyarrow as pa
        import pyarrow.parquet as pq

        try:
            with pq.ParquetFile(self.path, metadata=self.metadata, memory_map=True) as file:
                yield file
        except (OSError, pa.ArrowException) as error:
            raise UserInputError(
                f"{self.path} cannot be read; remove it and run the job again, which writes it "
                "anew."
            ) from error


def part_files(folder: Path, job: Job) -> tuple[list[PartFile], int]:
    """The files of the parts that are there, and how many are missing or cannot be read."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    about = About.of(job)
    columns = schema(about, job.carried, Receipt())
    parts, missing = [], 0
    for part in job.parts():
        path = folder / part.name
        try:
            metadata = pq.read_metadata(path, memory_map=True)
        except (OSError, pa.ArrowException):
            missing += 1
            continue
        if not _fits(metadata.schema.to_arrow_schema(), columns, about):
            raise UserInputError(
                f"{path} was not written by the job of its folder; remove it and run the job again."
            )
        parts.append(PartFile(path, metadata))
    return parts, missing


def _fits(stored: "pa.Schema", columns: "pa.Schema", about: About) -> bool:
    try:
        return bool(stored.equals(columns)) and described(stored)[0] == about
    except (KeyError, TypeError, ValueError):  # it says nothing of itself
        return False
