"""The files of a corpus: found by path, folder, pattern or URI, and opened."""

import codecs
import io
import json
import os
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import replace
from pathlib import PurePosixPath
from typing import IO, TYPE_CHECKING, Any, Literal

from bertviz_core.corpus.job import CorpusFile
from bertviz_core.corpus.reading.csv_rows import LOOK_BYTES, Row, csv_rows, quote_of, tabs_in_each
from bertviz_core.decoding import UTF8, as_utf8, encoding_of
from bertviz_core.errors import UserInputError, shortened
from bertviz_core.tokens.tokenized_text import without_lone_surrogates

if TYPE_CHECKING:
    from pyarrow.parquet import ParquetFile

Format = Literal["text", "conllu", "json", "csv", "parquet"]
FORMATS: dict[str, Format] = {
    ".txt": "text", ".text": "text", ".conllu": "conllu",
    ".jsonl": "json", ".ndjson": "json", ".json": "json",
    ".csv": "csv", ".tsv": "csv",
    ".parquet": "parquet",
}  # fmt: skip
CODECS = {".gz": "gzip", ".bz2": "bz2", ".zst": "zstd"}  # as pyarrow names them
READ = (
    "text (.txt), JSON lines or an array (.jsonl, .ndjson, .json), a table with a header (.csv, "
    ".tsv), CoNLL-U (.conllu), all of these also as .gz, .bz2 or .zst, and .parquet"
)
BUFFER_BYTES = 1_000_000  # that are read at once
MAX_RECORD = 32_000_000  # bytes of a JSON line, or of an array
_TABLE = (
    "{} is a table, not text: each line has as many tabs ({}). If a column has the text, name the "
    "file .tsv, add a first line with the names of its columns, and choose one with --text. If "
    "each line is a text, write blanks in place of tabs; if it is a word, a sentence a line."
)
_HALF_A_PAIR = re.compile(r"\\u[dD][89a-fA-F]")  # or the escape of a whole one
MAX_PROBE = 4_000_000  # bytes that are unpacked to guess how long a compressed file is


def file_format(path: str) -> Format:
    """What a file of a corpus holds, by its name."""
    return FORMATS[_suffixes(path)[0]]


def find_corpus(
    paths: Sequence[str], log: Callable[[str], object] = lambda line: None
) -> tuple[CorpusFile, ...]:
    """Find at least one file by paths, folders, patterns, or addresses that fsspec opens.

    `log` is called with a line for each file whose encoding is a guess, or whose quotes are signs.
    """
    files: dict[str, CorpusFile] = {}
    for path in paths:
        try:
            if not (sizes := path.strip() and _sizes(path)):
                raise UserInputError(
                    f"{path.strip() or '“”'} is empty, or not of a kind that is read: {READ}."
                )
            for name, size in sizes.items():
                files.setdefault(name, _measured(CorpusFile(name, size, 0), log))
        except UserInputError:
            raise
        except Exception as error:  # each kind of address is opened by code of others
            reason = shortened(getattr(error, "strerror", None) or error).rstrip(".")
            raise UserInputError(f"{shortened(path)} cannot be read ({reason}).") from error
    return tuple(files.values())


def source_names(files: Sequence[CorpusFile]) -> dict[str, str]:
    """Name each file by its path, without shared folders; bytes that are not UTF-8 as \\xe9."""
    paths = (os.fsencode(file.path).decode(errors="backslashreplace") for file in files)
    parts = [path.split("/") for path in paths]
    shared = len(os.path.commonprefix([path[:-1] for path in parts]))  # noqa: RUF071 - of lists
    return {file.path: "/".join(path[shared:]) for file, path in zip(files, parts, strict=True)}


@contextmanager
def opened(file: CorpusFile) -> Iterator[io.BufferedReader]:
    """Open a file but Parquet: unpacked, as UTF-8, a JSON array as lines."""
    with _opened_raw(file) as raw, _unpacked(raw, file.path) as stream:
        beginning = stream.peek()
        encoding, _ = encoding_of(beginning, file.path)
        lines_end_in_cr = b"\r" in beginning and b"\n" not in beginning
        if encoding not in UTF8 or lines_end_in_cr:
            # As a compressed file: what stands before a part is read once more.
            stream = io.BufferedReader(as_utf8(stream, encoding), BUFFER_BYTES)
        begins = stream.peek().removeprefix(codecs.BOM_UTF8).lstrip()[:1]
        is_array = file_format(file.path) == "json" and begins == b"["
        yield _array_as_lines(stream, file.path) if is_array else stream


@contextmanager
def opened_csv(file: CorpusFile, start: int = 0) -> Iterator[Iterator[Row]]:
    """Open CSV or TSV as its rows from a number on, the header first; see `csv_rows`."""
    with opened(file) as stream, closing(csv_rows(stream, file.path, start, file.quote)) as rows:
        yield rows


def json_value(written: str) -> Any:
    """A JSON value without halves of surrogate pairs; a ValueError or RecursionError for others."""
    value = json.loads(written)
    if _HALF_A_PAIR.search(written):
        value = json.loads(without_lone_surrogates(json.dumps(value, ensure_ascii=False)))
    return value


@contextmanager
def opened_parquet(file: CorpusFile) -> "Iterator[ParquetFile]":
    """Open a Parquet file."""
    import pyarrow.parquet as pq

    # With `pre_buffer` a row group would be read whole, ahead of its rows.
    with (
        _opened_raw(file) as raw,
        pq.ParquetFile(raw, buffer_size=BUFFER_BYTES, pre_buffer=False) as table,
    ):
        yield table


@contextmanager
def _opened_raw(file: CorpusFile) -> Iterator[Any]:
    import fsspec

    with fsspec.open(file.path) as raw:
        if raw.size != file.size:
            raise UserInputError(
                f"{file.path} is not the file with which the job was begun: its size has changed."
            )
        yield raw


def _unpacked(raw: Any, path: str) -> io.BufferedReader:
    if codec := CODECS.get(_suffixes(path)[1]):
        import pyarrow as pa

        raw = pa.CompressedInputStream(raw, codec)
    return io.BufferedReader(raw, BUFFER_BYTES)


def _array_as_lines(stream: IO[bytes], path: str) -> io.BufferedReader:
    written = stream.read(MAX_RECORD).decode("utf-8-sig", "replace")
    try:
        lines = "\n".join(map(json.dumps, json.loads(written)))
    except (ValueError, RecursionError) as error:
        raise UserInputError(
            f"{path} begins as a JSON array, but is none of up to {MAX_RECORD / 1e6:.0f} MB; write "
            "one object a line, as by jq -c '.[]'."
        ) from error
    return io.BufferedReader(io.BytesIO(lines.encode()))


def _suffixes(path: str) -> tuple[str, str]:
    """ ".txt" and ".gz" of a.txt.gz; ".txt" and "" of a.txt."""
    name = PurePosixPath(path)
    packed = name.suffix.lower() if name.suffix.lower() in CODECS else ""
    return (name.with_suffix("") if packed else name).suffix.lower(), packed


def _measured(file: CorpusFile, log: Callable[[str], object]) -> CorpusFile:
    """The file with its length, and what its cells stand in.

    What cannot be read is a single part, whose worker says why.
    """
    import pyarrow as pa

    path = file.path
    format = file_format(path)
    packed_as = _suffixes(path)[1]
    with suppress(OSError, pa.ArrowException):
        if format == "parquet":
            with opened_parquet(file) as parquet:
                return replace(file, length=int(parquet.metadata.num_rows))
        with _opened_raw(file) as raw, _unpacked(raw, path) as stream:
            beginning = stream.read(MAX_PROBE if packed_as else BUFFER_BYTES)
            packed = raw.tell()
        encoding, guess = encoding_of(beginning[:BUFFER_BYTES], path)
        if guess:
            log(guess)
        if format == "text" and b"\t" in beginning:
            lines = re.split(r"\r\n?|\n", beginning.decode(encoding, "replace"))
            if tabs := tabs_in_each(lines[:-1] or lines):  # the last one may be cut
                raise UserInputError(_TABLE.format(path, tabs))
        if format == "csv":
            with opened(file) as utf8:
                look = utf8.read(LOOK_BYTES)
            file = replace(file, quote=quote_of(look, path))
            if b'"' in look and not file.quote:
                log(f"{path} is read without quotes: a quote in it is a sign like any other.")
            with suppress(UserInputError), opened_csv(file) as rows:
                return replace(file, length=sum(1 for _ in rows) - 1)
        elif not packed_as or len(beginning) < MAX_PROBE:
            return replace(file, length=len(beginning) if packed_as else file.size)
        else:  # as if all of it shrank as its beginning did
            return replace(file, length=MAX_PROBE * file.size // packed)
    return file


def _sizes(path: str) -> dict[str, int]:
    """The size of each file that a path names; of a folder or pattern only of `FORMATS`."""
    import fsspec
    from fsspec.implementations.local import LocalFileSystem

    if re.match(r"\w+://.*::|data:", path):  # in an archive, or in the address itself
        raise UserInputError(f"{path} is not a file of its own; write it to one, and name that.")
    system, inner = fsspec.url_to_fs(path)
    local = isinstance(system, LocalFileSystem)
    if system.isdir(inner):
        below = inner
        listed = system.find(inner, detail=True, withdirs=local)
    elif set("*?[") & set(inner) and not system.exists(inner):
        below = re.split(r"[*?[]", inner)[0].rpartition("/")[0]
        listed = system.glob(inner, detail=True)
    else:
        below = inner
        listed = {inner: system.info(inner)}
    sizes = {}
    for name, info in sorted(listed.items()):
        hidden = re.search(r"(^|/)[._]", name.removeprefix(below))
        known = _suffixes(name)[0] in FORMATS
        below_it = below == inner and info["type"] == "directory" and not hidden
        if below_it and not os.access(name, os.R_OK | os.X_OK):  # fsspec leaves it out
            raise UserInputError(f"{name} cannot be read (Permission denied).")
        if info["type"] == "file" and info["size"] and known and not hidden:
            # As another process opens it. A link keeps its name: the suffix says the format.
            sizes[name if local else system.unstrip_protocol(name)] = info["size"]
    return sizes
