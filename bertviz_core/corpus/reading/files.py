"""The files of a corpus: found by path, folder, pattern or URI, and opened."""

import glob
import io
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import IO, TYPE_CHECKING, Literal

from bertviz_core.corpus.job import CODECS, CorpusFile
from bertviz_core.errors import UserInputError

if TYPE_CHECKING:
    from pyarrow.fs import FileInfo, FileSystem
    from pyarrow.parquet import ParquetFile

Format = Literal["text", "json", "parquet"]
FORMATS: dict[str, Format] = {
    ".txt": "text",
    ".text": "text",
    ".tsv": "text",
    ".jsonl": "json",
    ".ndjson": "json",
    ".parquet": "parquet",
}
_PATTERN = set("*?[")
_BUFFER = 1_000_000  # bytes that are read at once


@dataclass(frozen=True)
class Corpus:
    """The files that were asked for."""

    # each once, in the order they were named, those of a folder by the alphabet
    files: tuple[CorpusFile, ...]
    # files of folders whose names do not say that they are text; such a file is read where it
    # is named itself, or by a pattern
    left_out: tuple[str, ...]


def file_format(path: str) -> Format:
    """What a file holds, by its name; "text" if that does not tell."""
    return FORMATS.get(_suffix(path), "text")


def codec_of(path: str) -> str | None:
    """How pyarrow calls the compression of a file; None for none."""
    return CODECS.get(PurePosixPath(path).suffix.lower())


def find_corpus(paths: Sequence[str]) -> Corpus:
    """Find the files of a corpus, at least one.

    A path is a file, folder or pattern (`*`, `**`) of this machine, or a URI that `pyarrow.fs` or
    fsspec opens. Of a folder all files count that are named as text, JSON lines or Parquet,
    whatever their depth, but for hidden ones.
    """
    files: dict[str, CorpusFile] = {}
    left_out: dict[str, None] = {}
    for path in paths:
        found, others = _found(path)
        if not found:
            raise UserInputError(
                f"{path} holds no file of a corpus; expected text (.txt, .tsv), JSON lines "
                "(.jsonl, .ndjson) or .parquet, the first two also as .gz or .zst."
            )
        for one, size in found:
            files.setdefault(one, CorpusFile(one, size, _row_groups(one)))
        left_out |= dict.fromkeys(others)
    return Corpus(tuple(files.values()), tuple(name for name in left_out if name not in files))


def source_names(files: Sequence[CorpusFile]) -> dict[str, str]:
    """Name each file, by its path, without the folders that all of them share."""
    parts = [file.path.split("/") for file in files]
    shared = 0
    for names in zip(*(path[:-1] for path in parts), strict=False):
        if len(set(names)) > 1:
            break
        shared += 1
    return {file.path: "/".join(path[shared:]) for file, path in zip(files, parts, strict=True)}


@contextmanager
def opened(file: CorpusFile) -> Iterator[IO[bytes]]:
    """Open text or JSON lines, unpacked; a file of another size than the job knows is refused."""
    system, path = _system(file.path)
    codec = codec_of(file.path)
    info = system.get_file_info(path)
    if info.is_file and info.size is not None and info.size != file.size:
        raise UserInputError(_changed(file))
    raw = (
        system.open_input_stream(path, compression=codec) if codec else system.open_input_file(path)
    )
    with raw, io.BufferedReader(raw, _BUFFER) as stream:
        yield stream


@contextmanager
def opened_parquet(file: CorpusFile) -> "Iterator[ParquetFile]":
    """Open a Parquet file; one of other row groups than the job knows is refused."""
    import pyarrow.parquet as pq

    system, path = _system(file.path)
    # Without it a row group would be read whole, ahead of its rows.
    with (
        system.open_input_file(path) as raw,
        pq.ParquetFile(raw, buffer_size=_BUFFER, pre_buffer=False) as table,
    ):
        if _rows(table) != file.row_groups:
            raise UserInputError(_changed(file))
        yield table


def _changed(file: CorpusFile) -> str:
    return f"{file.path} is not the file with which the job was begun: its size has changed."


def _suffix(path: str) -> str:
    name = PurePosixPath(path)
    if name.suffix.lower() in CODECS:
        name = name.with_suffix("")
    return name.suffix.lower()


def _rows(table: "ParquetFile") -> tuple[int, ...]:
    metadata = table.metadata
    return tuple(metadata.row_group(n).num_rows for n in range(metadata.num_row_groups))


def _row_groups(path: str) -> tuple[int, ...]:
    """Rows of each group; none where the file cannot be read, which its worker reports."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    if file_format(path) != "parquet":
        return ()
    system, inner = _system(path)
    try:
        with system.open_input_file(inner) as raw, pq.ParquetFile(raw) as table:
            return _rows(table)
    except (OSError, pa.ArrowException):
        return ()


def _system(path: str) -> "tuple[FileSystem, str]":
    """The file system of a path, and what the file is called there."""
    import pyarrow as pa
    from pyarrow.fs import FileSystem, FSSpecHandler, LocalFileSystem, PyFileSystem

    if "://" not in path:
        return LocalFileSystem(), path
    try:
        system, inner = FileSystem.from_uri(path)
        return system, inner
    except pa.ArrowInvalid:
        pass  # pyarrow has no such file system; fsspec may
    except OSError as error:
        raise UserInputError(f"{path} cannot be reached ({error}).") from error
    try:
        from fsspec.core import url_to_fs

        other, inner = url_to_fs(path)
    except (ImportError, ValueError, OSError) as error:
        raise UserInputError(f"{path} cannot be opened ({error}).") from error
    return PyFileSystem(FSSpecHandler(other)), str(inner)


def _found(path: str) -> tuple[list[tuple[str, int]], list[str]]:
    """Path and size of the files that one path names, and the paths of those left out."""
    from pyarrow.fs import FileType

    system, inner = _system(path)
    scheme = path.split("://")[0] + "://" if "://" in path else ""
    try:
        info = system.get_file_info(inner)
        if info.type == FileType.NotFound and _PATTERN & set(inner):
            named = [one for one in map(system.get_file_info, _matches(path)) if one.is_file]
            return [(_address(scheme, one), one.size) for one in named], []
        if info.is_file:
            return [(_address(scheme, info), info.size)], []
        if info.type == FileType.NotFound:
            raise UserInputError(f"There is no {path}; name files, folders or patterns that exist.")
        inside = _inside(system, inner)
    except OSError as error:
        raise UserInputError(f"{path} cannot be read ({error.strerror or error}).") from error
    taken = [one for one in inside if _suffix(one.path) in FORMATS]
    others = [_address(scheme, one) for one in inside if one not in taken]
    return [(_address(scheme, one), one.size) for one in taken], others


def _matches(path: str) -> list[str]:
    """What a pattern matches, by the alphabet, as its file system calls it."""
    if "://" not in path:
        return sorted(glob.glob(path, recursive=True))
    from fsspec.implementations.arrow import ArrowFSWrapper

    system, inner = _system(path)
    return sorted(map(str, ArrowFSWrapper(system).glob(inner)))


def _inside(system: "FileSystem", folder: str) -> "list[FileInfo]":
    """All files below a folder, by the alphabet; without those that are hidden, or marks."""
    from pyarrow.fs import FileSelector

    found = system.get_file_info(FileSelector(folder, recursive=True))
    return sorted(
        (
            info
            for info in found
            if info.is_file
            and not any(
                part.startswith((".", "_"))
                for part in PurePosixPath(os.path.relpath(info.path, folder)).parts
            )
        ),
        key=lambda info: info.path,
    )


def _address(scheme: str, info: "FileInfo") -> str:
    """A path under which another process opens the file."""
    if scheme in ("", "file://"):
        return str(Path(info.path).resolve())
    return scheme + info.path.lstrip("/")
