"""The files of a corpus: found by path, folder, pattern or URI, and opened."""

import codecs
import glob
import io
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path, PurePosixPath
from typing import IO, TYPE_CHECKING, Literal

from bertviz_core.corpus.job import CorpusFile
from bertviz_core.errors import UserInputError

if TYPE_CHECKING:
    from pyarrow import RandomAccessFile
    from pyarrow.fs import FileSystem
    from pyarrow.parquet import ParquetFile

Format = Literal["text", "json", "parquet"]
FORMATS: dict[str, Format] = {
    ".txt": "text", ".text": "text", ".tsv": "text",
    ".jsonl": "json", ".ndjson": "json",
    ".parquet": "parquet",
}  # fmt: skip
CODECS = {".gz": "gzip", ".zst": "zstd"}  # how pyarrow calls the compression of a file
_BUFFER = 1_000_000  # bytes that are read at once
_LOOK = 4_000_000  # bytes, unpacked, of a compressed file
UTF8 = "UTF-8"
_UTF16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


def file_format(path: str) -> Format:
    """What a file holds, by its name; "text" if that does not tell."""
    return FORMATS.get(_suffix(path), "text")


def codec_of(path: str) -> str | None:
    """How pyarrow calls the compression of a file; None for none."""
    return CODECS.get(PurePosixPath(path).suffix.lower())


def find_corpus(paths: Sequence[str]) -> tuple[CorpusFile, ...]:
    """Find at least one file by paths, folders, patterns, or URIs that pyarrow or fsspec opens."""
    files: dict[str, CorpusFile] = {}
    for path in paths:
        try:
            found = _found(path)
        except OSError as error:
            raise UserInputError(f"{path} cannot be read ({error.strerror or error}).") from error
        if not found:
            raise UserInputError(
                f"{path} holds no file of a corpus; expected text (.txt, .tsv), JSON lines "
                "(.jsonl, .ndjson) or .parquet, the first two also as .gz or .zst."
            )
        for one, size in found.items():
            files.setdefault(one, CorpusFile(one, size, _length(one, size)))
    return tuple(files.values())


def source_names(files: Sequence[CorpusFile]) -> dict[str, str]:
    """Name each file, by its path, without the folders that all of them share."""
    parts = [file.path.split("/") for file in files]
    shared = len(os.path.commonprefix([path[:-1] for path in parts]))  # noqa: RUF071 - of lists
    return {file.path: "/".join(path[shared:]) for file, path in zip(files, parts, strict=True)}


@contextmanager
def opened(file: CorpusFile) -> Iterator[IO[bytes]]:
    """Open text or JSON lines, unpacked; what has changed its size, or is no UTF-8, is refused."""
    system, path = _system(file.path)
    codec = codec_of(file.path)
    info = system.get_file_info(path)
    if info.is_file and info.size is not None and info.size != file.size:
        raise UserInputError(_changed(file))
    raw = (
        system.open_input_stream(path, compression=codec) if codec else system.open_input_file(path)
    )
    with raw, io.BufferedReader(raw, _BUFFER) as stream:
        if (encoding := _encoding(stream.peek())) != UTF8:
            raise UserInputError(f"{file.path} is {encoding}; convert it to UTF-8, as by iconv.")
        yield stream


def _encoding(beginning: bytes) -> str:
    """Name the encoding of a file; single bytes that are no UTF-8 are replaced later."""
    # English text in UTF-16 has a NUL at every second byte.
    if beginning.startswith(_UTF16) or beginning.count(b"\0") * 4 > len(beginning):
        return "UTF-16 or UTF-32"
    with suppress(UnicodeDecodeError):
        codecs.utf_8_decode(beginning)  # the last character may be cut
        return UTF8
    foreign = beginning.decode(errors="ignore").isascii()
    return "in another encoding, perhaps Windows-1252" if foreign else UTF8


@contextmanager
def opened_parquet(file: CorpusFile) -> "Iterator[tuple[RandomAccessFile, ParquetFile]]":
    """Open a Parquet file, its bytes and its table; one that has changed its size is refused."""
    import pyarrow.parquet as pq

    system, inner = _system(file.path)
    # With `pre_buffer` a row group would be read whole, ahead of its rows.
    with (
        system.open_input_file(inner) as raw,
        pq.ParquetFile(raw, buffer_size=_BUFFER, pre_buffer=False) as table,
    ):
        if (raw.size(), table.metadata.num_rows) != (file.size, file.length):
            raise UserInputError(_changed(file))
        yield raw, table


def _changed(file: CorpusFile) -> str:
    return f"{file.path} is not the file with which the job was begun: its size has changed."


def _suffix(path: str) -> str:
    name = PurePosixPath(path)
    return (name.with_suffix("") if codec_of(path) else name).suffix.lower()


def _length(path: str, size: int) -> int:
    """Rows, or bytes when unpacked; what cannot be read is a single part, whose worker says why."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    codec, (system, inner) = codec_of(path), _system(path)
    with suppress(OSError, pa.ArrowException):
        if file_format(path) == "parquet":
            with system.open_input_file(inner) as raw:
                return int(pq.read_metadata(raw).num_rows)
        if codec is not None:  # as if the whole file shrank as its beginning did
            with (
                system.open_input_file(inner) as raw,
                pa.CompressedInputStream(raw, codec) as stream,
            ):
                unpacked = len(stream.read(_LOOK))
                return unpacked if unpacked < _LOOK else unpacked * size // raw.tell()
    return 0 if codec or file_format(path) == "parquet" else size


def _system(path: str) -> "tuple[FileSystem, str]":
    """The file system of a path, and what the file is called there."""
    import pyarrow as pa
    from pyarrow.fs import FileSystem, LocalFileSystem

    if "://" not in path:
        return LocalFileSystem(), path
    try:
        with suppress(pa.ArrowInvalid):  # pyarrow has no such file system; fsspec may
            return FileSystem.from_uri(path)
        return FileSystem.from_uri(f"fsspec+{path}")
    except (ImportError, ValueError, OSError) as error:
        raise UserInputError(f"{path} cannot be opened ({error}).") from error


def _found(path: str) -> dict[str, int]:
    """The files that a path names, with their sizes; of a folder those whose names say text."""
    from fsspec.implementations.arrow import ArrowFSWrapper
    from pyarrow.fs import FileSelector, FileType

    system, inner = _system(path)
    scheme, mark, _ = path.rpartition("://")
    info = system.get_file_info(inner)
    is_folder = info.type == FileType.Directory
    if is_folder:
        found = [
            one
            for one in system.get_file_info(FileSelector(inner, recursive=True))
            if not any(
                part.startswith((".", "_")) for part in Path(one.path).relative_to(inner).parts
            )
        ]
    elif info.is_file:
        found = [info]
    elif set("*?[") & set(inner):
        wrapped = ArrowFSWrapper(system)
        names = wrapped.glob(inner) if mark else glob.glob(path, recursive=True)
        found = system.get_file_info(list(map(str, names)))
    elif info.type == FileType.Unknown:
        raise UserInputError(f"{path} is a pipe or a device; name files, folders or patterns.")
    else:
        raise UserInputError(f"There is no {path}; name files, folders or patterns that exist.")

    def address(name: str) -> str:
        """A path under which another process opens the file."""
        local = scheme in ("", "file")
        return str(Path(name).resolve()) if local else f"{scheme}://{name.lstrip('/')}"

    in_order = sorted(found, key=lambda one: str(one.path))
    sizes = {address(one.path): one.size for one in in_order if one.is_file}
    return {name: sizes[name] for name in sizes if not is_folder or _suffix(name) in FORMATS}
