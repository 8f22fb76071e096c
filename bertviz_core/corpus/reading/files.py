"""The files of a corpus: found by path, folder, pattern or URI, and opened."""

import io
import os
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path, PurePosixPath
from typing import IO, TYPE_CHECKING, Any, Literal

from bertviz_core.corpus.job import CorpusFile
from bertviz_core.decoding import UTF8, AsUtf8, encoding_of
from bertviz_core.errors import UserInputError

if TYPE_CHECKING:
    from pyarrow.parquet import ParquetFile

Format = Literal["text", "json", "parquet"]
FORMATS: dict[str, Format] = {
    ".txt": "text", ".text": "text", ".tsv": "text",
    ".jsonl": "json", ".ndjson": "json",
    ".parquet": "parquet",
}  # fmt: skip
CODECS = {".gz": "gzip", ".zst": "zstd"}  # how pyarrow calls the compression of a file
BUFFER_BYTES = 1_000_000  # that are read at once
MAX_PROBE = 4_000_000  # bytes that are unpacked to guess how long a compressed file is


def file_format(path: str) -> Format:
    """What a file holds, by its name; "text" if that does not tell."""
    return FORMATS.get(_suffix(path), "text")


def codec_of(path: str) -> str | None:
    """How pyarrow calls the compression of a file; None for none."""
    return CODECS.get(PurePosixPath(path).suffix.lower())


def find_corpus(
    paths: Sequence[str], log: Callable[[str], object] = lambda line: None
) -> tuple[CorpusFile, ...]:
    """Find at least one file by paths, folders, patterns, or addresses that fsspec opens.

    `log` is called with a line for each file whose encoding is a guess.
    """
    files: dict[str, CorpusFile] = {}
    for path in paths:
        try:
            found = _sizes(path)
        except OSError as error:
            raise UserInputError(f"{path} cannot be read ({error.strerror or error}).") from error
        if not found:
            raise UserInputError(
                f"{path} holds no file of a corpus; expected text (.txt, .tsv), JSON lines "
                "(.jsonl, .ndjson) or .parquet, the first two also as .gz or .zst."
            )
        for name, size in found.items():
            files.setdefault(name, CorpusFile(name, size, _length(name, size, log)))
    return tuple(files.values())


def source_names(files: Sequence[CorpusFile]) -> dict[str, str]:
    """Name each file, by its path, without the folders that all of them share."""
    parts = [file.path.split("/") for file in files]
    shared = len(os.path.commonprefix([path[:-1] for path in parts]))  # noqa: RUF071 - of lists
    return {file.path: "/".join(path[shared:]) for file, path in zip(files, parts, strict=True)}


@contextmanager
def opened(file: CorpusFile) -> Iterator[IO[bytes]]:
    """Open text or JSON lines, unpacked, as UTF-8."""
    import pyarrow as pa

    codec = codec_of(file.path)
    with (
        _opened_raw(file) as raw,
        io.BufferedReader(
            pa.CompressedInputStream(raw, codec) if codec else raw, BUFFER_BYTES
        ) as stream,
    ):
        beginning = stream.peek()
        encoding, _ = encoding_of(beginning, file.path)
        lines_end_in_cr = b"\r" in beginning and b"\n" not in beginning
        if encoding in UTF8 and not lines_end_in_cr:
            yield stream
        else:  # as a compressed file: what stands before a part is read once more
            yield io.BufferedReader(AsUtf8(stream, encoding), BUFFER_BYTES)


@contextmanager
def opened_parquet(file: CorpusFile) -> "Iterator[tuple[IO[bytes], ParquetFile]]":
    """Open a Parquet file: its bytes, and its table."""
    import pyarrow.parquet as pq

    # With `pre_buffer` a row group would be read whole, ahead of its rows.
    with (
        _opened_raw(file) as raw,
        pq.ParquetFile(raw, buffer_size=BUFFER_BYTES, pre_buffer=False) as table,
    ):
        yield raw, table


@contextmanager
def _opened_raw(file: CorpusFile) -> Iterator[Any]:
    import fsspec

    with fsspec.open(file.path) as raw:
        if raw.size != file.size:
            raise UserInputError(
                f"{file.path} is not the file with which the job was begun: its size has changed."
            )
        yield raw


def _suffix(path: str) -> str:
    name = PurePosixPath(path)
    return (name.with_suffix("") if codec_of(path) else name).suffix.lower()


def _length(path: str, size: int, log: Callable[[str], object]) -> int:
    """Rows, or bytes when unpacked; what cannot be read is a single part, whose worker says why."""
    import fsspec
    import pyarrow as pa
    import pyarrow.parquet as pq

    codec = codec_of(path)
    with suppress(OSError, pa.ArrowException), fsspec.open(path) as raw:
        if file_format(path) == "parquet":
            return int(pq.read_metadata(raw).num_rows)
        stream = pa.CompressedInputStream(raw, codec) if codec else raw
        beginning = stream.read(MAX_PROBE if codec else BUFFER_BYTES)
        if guess := encoding_of(beginning[:BUFFER_BYTES], path)[1]:
            log(guess)
        if not codec or len(beginning) < MAX_PROBE:
            return len(beginning) if codec else size
        return MAX_PROBE * size // raw.tell()  # as if all of it shrank as its beginning did
    return 0


def _sizes(path: str) -> dict[str, int]:
    """The size of each file that a path names; of a folder those with a suffix of `FORMATS`."""
    import fsspec
    from fsspec.implementations.local import LocalFileSystem

    try:
        system, inner = fsspec.url_to_fs(path)
    except (ImportError, ValueError) as error:  # what reads such addresses is not installed
        raise UserInputError(f"{path} cannot be opened ({error}).") from error
    if is_folder := system.isdir(inner):
        below, found = inner, system.find(inner, detail=True)
    elif set("*?[") & set(inner) and not system.exists(inner):
        below = re.split(r"[*?[]", inner)[0].rpartition("/")[0]
        found = system.glob(inner, detail=True)
    else:
        below, found = inner, {inner: system.info(inner)}
        if found[inner]["type"] != "file":
            raise UserInputError(f"{path} is a pipe or a device; name files, folders or patterns.")
    local = isinstance(system, LocalFileSystem)
    sizes = {}
    for name, info in sorted(found.items()):
        hidden = re.search(r"(^|/)[._]", name.removeprefix(below))
        if info["type"] == "file" and not hidden and (_suffix(name) in FORMATS or not is_folder):
            # A path under which another process opens the file.
            address = str(Path(name).resolve()) if local else system.unstrip_protocol(name)
            sizes[address] = info["size"]
    return sizes
