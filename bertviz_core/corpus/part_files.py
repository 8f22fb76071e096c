"""The Parquet files of parts: each appears whole, with its receipt, or not at all."""

import base64
import os
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any

from bertviz_core.corpus.job import Job, Part
from bertviz_core.corpus.schema import KEY, LAYER, About, Receipt, described, schema
from bertviz_core.errors import UserInputError

if TYPE_CHECKING:
    import pyarrow as pa
    import pyarrow.parquet as pq

UNFINISHED = ".unfinished"  # how the name of a file ends while it is written


class CannotWriteError(UserInputError):
    """The folder takes no file: other parts would fail as this one did."""


def finished(folder: Path, part: Part) -> Receipt | None:
    """The receipt of a part's file; None where it is not there or damaged: it is still to do."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        return described(pq.read_schema(folder / part.name))[1]
    except (OSError, pa.ArrowException, KeyError, TypeError, ValueError):
        return None


def remove_unfinished(folder: Path) -> None:
    """Remove what a killed run left half written; a worker that still writes one of them fails."""
    for path in folder.glob(f"*{UNFINISHED}"):
        with suppress(OSError):
            path.unlink()


class PartWriter:
    """Writes the file of a part, a block of rows after the other.

    Used in a `with`: what is not finished at its end is removed.
    """

    def __init__(self, job: Job, folder: Path, part: Part) -> None:
        """Begin the file under another name, which no other process has."""
        import pyarrow.parquet as pq

        self._about, self._carried = About.of(job), job.carried
        self._path = folder / part.name
        self._schema = schema(self._about, self._carried, Receipt())
        texts = ["word", "source", *(c.name for c in self._carried if c.kind == "string")]
        others = [name for name in self._schema.names if not name.startswith(LAYER)]
        plain = [f"{LAYER}{layer}.list.element" for layer in job.layers]
        with writing(folder):
            handle, name = tempfile.mkstemp(UNFINISHED, f"{part.name}.", folder)
            self._unfinished = Path(name)
            self._file = os.fdopen(handle, "wb")
            self._writer = pq.ParquetWriter(
                self._file,
                self._schema,
                # Vectors hardly shrink and have no value twice; as they are, they can be mapped.
                compression=dict.fromkeys(others, "zstd") | dict.fromkeys(plain, "none"),
                use_dictionary=texts,
                write_statistics=others,
                store_schema=False,  # it tells the receipt, which is known at the end
            )

    def __enter__(self) -> "PartWriter":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: object, trace: TracebackType | None
    ) -> None:
        """Remove what was not finished."""
        with suppress(OSError, ValueError):  # closing writes once more, perhaps to a full disk
            self._writer.close()
        with suppress(OSError):
            self._file.close()
        self._unfinished.unlink(missing_ok=True)

    def add(self, columns: Sequence[Any]) -> None:
        """Write Arrow arrays, in the order of the schema, as one row group."""
        import pyarrow as pa

        table = pa.Table.from_arrays(columns, schema=self._schema)
        with writing(self._path.parent):
            self._writer.write_table(table, row_group_size=max(len(table), 1))

    def finish(self, receipt: Receipt) -> None:
        """Give the file its receipt and its name."""
        said = schema(self._about, self._carried, receipt)
        metadata: dict[bytes, bytes] = {
            KEY: said.metadata[KEY],
            b"ARROW:schema": base64.b64encode(said.serialize()),  # as `store_schema` writes it
        }
        with writing(self._path.parent):
            self._writer.add_key_value_metadata(metadata)
            self._writer.close()
            self._file.flush()
            os.fsync(self._file.fileno())
            self._file.close()
            self._unfinished.chmod(0o666 & ~_umask())  # mkstemp lets nobody else read it
            os.replace(self._unfinished, self._path)
            _sync(self._path.parent)


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


def _umask() -> int:
    """What the process takes off new files' rights; it can only be read by setting it."""
    mask = os.umask(0o022)
    os.umask(mask)
    return mask


def _sync(folder: Path) -> None:
    """After a power cut the name is there, too, and not the content alone."""
    with suppress(OSError):  # some systems and network drives cannot do that for a folder
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


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
