"""Occurrences with vectors as a NumPy archive, with the arrays that docs/corpus.md names."""

import struct
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from bertviz_core.arrays import Array, read_only
from bertviz_core.errors import UserInputError
from bertviz_core.senses.vectors import SenseVectors
from bertviz_core.vector_files.opened import (
    LONGEST_NAME,
    UNKNOWN,
    Opened,
    line_numbers,
    occurrence,
    rows_that_fit,
    shortened,
)

BEGINS = b"PK\x03\x04"
REQUIRED = ("vectors", "sentence", "start", "end")
_OF_FILE = {*REQUIRED, "layers", "word", "sense", "model", "pooling", "about"}
# A BERT has up to 48 layers of 1,536 numbers. A map takes the square of the numbers in memory, and
# their cube in time.
MOST_LAYERS, MOST_DIMENSIONS = 64, 1_536
MOST_ROWS, MOST_WORDS = 1_000_000, 10_000
MOST_BYTES, MOST_TEXT = 64_000_000, 32_000_000  # unpacked: of all, and of one array of text
MOST_COLUMNS = 40  # beside those that every file has
LARGEST_NUMBER = 1e6  # a number of a BERT is below 100; sums and squares of these stay finite
_LONGEST_DIRECTORY = 20_000  # bytes of the list of arrays at the end
_LONGEST_HEADER = 10_000  # bytes, of an array
_END, _END_64 = b"PK\x05\x06", b"PK\x06\x07"
# What Python raises for a zip file, or the header of an array, that is not as it should be.
_DAMAGED = (zipfile.BadZipFile, zlib.error, struct.error, OSError, EOFError, ValueError,
            NotImplementedError)  # fmt: skip
_KINDS = {"f": "numbers", "i": "numbers", "u": "numbers", "b": "true and false", "U": "text"}


@dataclass(frozen=True)
class _Header:
    """What an array of the archive says of itself, before it is read."""

    entry: zipfile.ZipInfo
    shape: tuple[int, ...]
    kind: str


def read(
    file: IO[bytes], word: str | None, most: int, check: Callable[[], object] = lambda: None
) -> Opened:
    """Open a NumPy archive: `most` occurrences of a word; None is its most frequent one.

    Sizes are looked at before anything is unpacked. `check` is called between the steps of the
    reading, and may raise to end it.
    """
    file.seek(0)
    if file.read(len(BEGINS)) != BEGINS:
        raise UserInputError(
            "The file is not an NPZ file. Write the vectors with np.savez, or take some of a "
            "corpus with the command bert-explorer export."
        )
    _check_end(file)
    try:
        archive = zipfile.ZipFile(file)
    except _DAMAGED as error:
        raise UserInputError("The NPZ file is damaged, or is no NPZ file.") from error
    with archive:
        headers = _headers(archive)
        layers, hidden_size = _check_shapes(headers)
        return _opened(archive, headers, layers, hidden_size, word, most, check)


@contextmanager
def _stream(archive: zipfile.ZipFile, entry: zipfile.ZipInfo) -> Iterator[IO[bytes]]:
    """Open an array to be read; what is wrong with its bytes becomes a sentence."""
    try:
        with archive.open(entry) as stream:
            yield stream
    except _DAMAGED as error:
        raise UserInputError(f"{entry.filename[:40]} in the NPZ file is damaged.") from error


def _check_end(file: IO[bytes]) -> None:
    """Make sure that the list of arrays is short: Python reads all of it into memory."""
    size = file.seek(0, 2)
    file.seek(max(size - 42, 0))
    end = file.read()
    record = end[-22:]
    if len(record) < 22 or not record.startswith(_END) or end[:-22].startswith(_END_64):
        raise UserInputError("The NPZ file is damaged, or is no NPZ file.")
    (length,) = struct.unpack("<I", record[12:16])
    if length > _LONGEST_DIRECTORY:
        raise UserInputError("The NPZ file holds too many arrays, or too long names of arrays.")


def _headers(archive: zipfile.ZipFile) -> dict[str, _Header]:
    """The arrays by name, from the first bytes of each."""
    headers: dict[str, _Header] = {}
    size = text = rows = 0
    for entry in archive.infolist():
        name = entry.filename.removesuffix(".npy")
        plain = entry.compress_type in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
        if name == entry.filename or name in headers or not plain or entry.flag_bits & 1:
            raise UserInputError(
                f"The NPZ file holds {entry.filename[:40]}, which is no array that "
                "np.savez or np.savez_compressed writes."
            )
        headers[name] = header = _header(archive, name, entry)
        size += entry.file_size
        text = max(text, entry.file_size if header.kind == "U" else 0)
        rows = max(rows, *header.shape[:1], 0)
    if size > MOST_BYTES or text > MOST_TEXT:
        raise UserInputError(
            f"The file is too large inside: {size / 1e6:,.0f} MB have to be unpacked, "
            f"{text / 1e6:,.0f} MB of it one array of text; up to {MOST_BYTES / 1e6:.0f} MB and "
            f"{MOST_TEXT / 1e6:.0f} MB of text can be."
        )
    if rows > MOST_ROWS:
        raise UserInputError(f"The file has {rows:,} rows; up to {MOST_ROWS:,} can be read.")
    return headers


def _header(archive: zipfile.ZipFile, name: str, entry: zipfile.ZipInfo) -> _Header:
    with _stream(archive, entry) as stream:
        version = np.lib.format.read_magic(stream)
        read_header = (
            np.lib.format.read_array_header_1_0
            if version == (1, 0)
            else np.lib.format.read_array_header_2_0
        )
        shape, _, dtype = read_header(stream, max_header_size=_LONGEST_HEADER)
        if dtype.kind not in _KINDS:
            raise UserInputError(
                f"The array {name[:40]} holds {str(dtype)[:40]}; expected numbers or text, such as "
                "np.array(list_of_str)."
            )
        cells = 1
        for length in shape:  # of Python: they may be of any size
            cells *= int(length)
        if min(shape, default=0) < 0 or stream.tell() + cells * dtype.itemsize != entry.file_size:
            raise UserInputError(f"The array {name[:40]} is not as large as it says.")
    return _Header(entry, tuple(shape), dtype.kind)


def _check_shapes(headers: dict[str, _Header]) -> tuple[int, int]:
    """Refuse what is missing or does not fit; return how many layers and numbers a vector has."""
    if not set(REQUIRED) <= headers.keys():
        listed = ", ".join(name[:40] for name in list(headers)[:20]) or "none"
        raise UserInputError(
            f"The NPZ file holds the arrays {listed}; expected {', '.join(REQUIRED)}."
        )
    shape = headers["vectors"].shape
    if len(shape) not in (2, 3):
        raise UserInputError(
            f"The array vectors has the shape {shape}; expected (occurrences, layers, numbers)."
        )
    count, layers = shape[0], shape[1] if len(shape) == 3 else 1
    if not (0 < layers <= MOST_LAYERS and 0 < shape[-1] <= MOST_DIMENSIONS):
        raise UserInputError(
            f"The file says that its vectors have {layers:,} layers of {shape[-1]:,} numbers; "
            f"up to {MOST_LAYERS} of {MOST_DIMENSIONS:,} can be."
        )
    expected = {"vectors": "f", "sentence": "U", "start": "iu", "end": "iu", "layers": "iu"}
    expected |= dict.fromkeys(("word", "sense", "model", "pooling", "about"), "U")
    allowed: dict[str, tuple[tuple[int, ...], ...]] = {
        **{"vectors": (shape,), "layers": ((layers,),), "word": ((count,), ())},
        **dict.fromkeys(("model", "pooling", "about"), ((),)),
    }
    for name, header in headers.items():
        shapes = allowed.get(name, ((count,),))
        if header.shape not in shapes or header.kind not in expected.get(name, "".join(_KINDS)):
            kinds = {_KINDS[kind] for kind in expected.get(name, header.kind)}
            raise UserInputError(
                f"The array {name[:40]} has the shape {header.shape} and holds "
                f"{_KINDS[header.kind]}; expected {shapes[0]} and {kinds.pop()}."
            )
    if (further := len(headers.keys() - _OF_FILE)) > MOST_COLUMNS:
        raise UserInputError(f"The file has {further:,} further columns, more than {MOST_COLUMNS}.")
    return layers, shape[-1]


def _opened(
    archive: zipfile.ZipFile,
    headers: dict[str, _Header],
    layers: int,
    hidden_size: int,
    word: str | None,
    most: int,
    check: Callable[[], object],
) -> Opened:
    def array(name: str) -> NDArray[Any]:
        check()
        with _stream(archive, headers[name].entry) as stream:
            return np.lib.format.read_array(stream, max_header_size=_LONGEST_HEADER)

    def one_text(name: str) -> str:
        return str(array(name)[()])[:LONGEST_NAME] if name in headers else UNKNOWN

    numbers = array("layers").tolist() if "layers" in headers else list(range(layers))
    if numbers != sorted({*numbers}) or not 0 <= numbers[0] <= numbers[-1] < 1_000:
        raise UserInputError(
            "The array layers is no rising list of numbers of layers, such as 0, 6, 12."
        )
    count = headers["vectors"].shape[0]
    words = _words(array, headers, count)
    names, sizes = np.unique(words, return_counts=True)
    counts = dict(zip(names.tolist(), sizes.tolist(), strict=True))
    if len(counts) > MOST_WORDS:
        raise UserInputError(f"The file has {len(counts):,} words; up to {MOST_WORDS:,} can be.")
    if word is None or word not in counts:
        word = max(counts, key=counts.__getitem__, default=word or "")
    if len(words) == 1:  # for all
        counts, rows = {word: count}, np.arange(count)
    else:
        rows = np.flatnonzero(words == word)
    rows = rows[: rows_that_fit(most, layers, hidden_size)]
    cells = {name: array(name)[rows].tolist() for name in ("sentence", "start", "end")}
    senses = array("sense")[rows].tolist() if "sense" in headers else [None] * len(rows)
    columns = zip(*cells.values(), line_numbers(cells["sentence"]), senses, strict=True)
    found = tuple(occurrence(*row) for row in columns)
    vectors = _finite(array("vectors")[rows]).reshape(len(rows), layers, hidden_size)
    return Opened(
        word,
        counts,
        one_text("model"),
        one_text("pooling"),
        tuple(numbers),
        SenseVectors(found, read_only(vectors), 0),
        {
            name[:LONGEST_NAME]: shortened(array(name)[rows].tolist())
            for name in headers
            if name not in _OF_FILE
        },
    )


def _finite(numbers: NDArray[Any]) -> Array:
    """Numbers of vectors as float32; what is not finite, or too large, is refused."""
    with np.errstate(invalid="ignore", over="ignore"):
        vectors = numbers.astype(np.float32, copy=False)  # first: a float16 has no bound to compare
        if not (np.abs(vectors) <= LARGEST_NUMBER).all():  # nor is what is no number
            raise UserInputError(
                "The file has vectors with numbers that are missing or not finite, or beyond "
                f"±{LARGEST_NUMBER:,.0f}."
            )
    return vectors


def _words(array: Any, headers: dict[str, _Header], count: int) -> NDArray[Any]:
    """The word of each row, or a single one for all."""
    if "word" in headers:
        return np.atleast_1d(array("word"))
    if not count:
        return np.array([""])
    start, end = int(array("start")[0]), int(array("end")[0])
    return np.array([str(array("sentence")[0])[max(start, 0) : max(end, 0)][:LONGEST_NAME]])
