"""Occurrences whose vectors a visitor brings, as the NumPy archive of docs/corpus.md."""

import struct
import zipfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from bertviz_core.arrays import Array, read_only
from bertviz_core.errors import UserInputError
from bertviz_core.result import Readable
from bertviz_core.senses.occurrences import MAX_LABEL, MAX_SENTENCE, Occurrence, parts_of
from bertviz_core.senses.scores import label_numbers
from bertviz_core.senses.vectors import SenseVectors
from bertviz_core.tokens.tokenized_text import REPLACEMENT

Cell = str | int | float | bool | None
MAX_NAME = 200  # characters, of a model, a word or a column
MAX_VECTOR_BYTES = 64_000_000  # that are kept
UNKNOWN = "unknown"
Arrays = Mapping[str, NDArray[Any]]
BEGINS = b"PK\x03\x04"
LABELLED = "these vectors"  # their word, where a file has labels in place of sentences
_OF_WORDS = ("sentence", "start", "end")
_OF_FILE = {"vectors", "labels", *_OF_WORDS, "layers", "word", "sense", "model", "pooling", "about"}
# A BERT has up to 48 layers of 1,536 numbers. A map takes the square of the numbers in memory, and
# their cube in time.
MAX_LAYERS, MAX_DIMENSIONS = 64, 1_536
MAX_ROWS, MAX_WORDS = 1_000_000, 10_000
MAX_UNPACKED, MAX_ARRAY_TEXT = 64_000_000, 32_000_000  # unpacked: of all, and of one array of text
MAX_COLUMNS = 40  # beside those that every file has
MIN_NUMBER = 1e-6  # where the largest one is below, all are scaled
MAX_NUMBER = 1e6  # a number of a BERT is below 100; sums and squares of these stay finite
_MAX_DIRECTORY = 20_000  # bytes of the list of arrays at the end
_MAX_HEADER = 10_000  # bytes, of an array
_END, _END_64 = b"PK\x05\x06", b"PK\x06\x07"
MAX_WHOLE = (1 << 63) - 1  # a whole number of Arrow
_LONGEST = {"sentence": MAX_ARRAY_TEXT, "labels": MAX_SENTENCE}  # characters; of others MAX_NAME
_OBJECTS = (
    "The array {0} holds Python objects, as columns of pandas do, which are not opened. In "
    "np.savez write {0}="
)
_TEXT = 'pd.Series({0}).astype(object).fillna("").to_numpy("U")'
_KINDS = {"f": "decimals", "i": "integers", "u": "integers", "b": "true and false", "U": "text"}


@dataclass(frozen=True, eq=False, repr=False)
class VectorFile(Readable):
    """Occurrences of one word of a file, with their vectors."""

    word: str  # the word
    counts: Mapping[str, int]  # how many occurrences each word of the file has
    model: str  # name of the model that made the vectors; "unknown" where the file does not say
    pooling: str  # how the pieces of a word were joined, or "unknown"
    layers: tuple[int, ...]  # those of the file, rising; 0 is the input embedding
    found: SenseVectors  # the first ones that fit; vectors float32 (n, layers, hidden_size)
    # what else the file says of each of them, by column; None where it says nothing
    columns: Mapping[str, Sequence[Cell]] = field(default_factory=dict)
    # whether this project wrote them as float32, so that its programs print the same
    as_computed: bool = False

    @property
    def total(self) -> int:
        return self.counts[self.word]


def occurrence(sentence: str, start: int, end: int, line: int, sense: str | None) -> Occurrence:
    """One row of a file; of a long sentence a part around the word is kept."""
    if not 0 <= start < end <= min(len(sentence), start + MAX_SENTENCE):
        raise UserInputError(
            "The file has a row whose word is not in its sentence, or has more than "
            f"{MAX_SENTENCE:,} characters."
        )
    (part,) = parts_of(sentence, [(start, end)])
    return Occurrence(*part, line, (sense or "")[:MAX_LABEL] or None)


def shortened(cells: Iterable[Cell]) -> tuple[Cell, ...]:
    """Values of a column, text cut to the length of a label; NaN is None."""
    return tuple(
        cell[:MAX_LABEL] if isinstance(cell, str) else None if cell != cell else cell
        for cell in cells
    )


def rows_that_fit(most: int, layers: int, hidden_size: int) -> int:
    """How many rows are read at most."""
    return min(most, max(MAX_VECTOR_BYTES // (4 * layers * hidden_size), 1))


def read(
    file: IO[bytes], word: str | None, most: int, check: Callable[[], object] = lambda: None
) -> VectorFile:
    """Open a NumPy archive: `most` occurrences of a word; None is its most frequent one.

    What it unpacks to is bounded before it is read. `check` is called between the steps of the
    reading, and may raise to end it.
    """
    file.seek(0)
    if file.read(len(BEGINS)) != BEGINS:
        raise UserInputError(
            "The file is not an NPZ file. Write one with np.savez(file, vectors=..., labels=...), "
            "or take some of a corpus with the command bert-explorer export."
        )
    arrays = arrays_of(file, check)
    return _opened(arrays, *_check_arrays(arrays), word, most)


def arrays_of(
    file: IO[bytes], check: Callable[[], object] = lambda: None
) -> dict[str, NDArray[Any]]:
    """All arrays of an NPZ file; see `read`."""
    _check_end(file)
    file.seek(0)
    arrays: dict[str, NDArray[Any]] = {}
    try:
        with np.load(file, allow_pickle=False, max_header_size=_MAX_HEADER) as archive:
            _check_entries(archive.zip.infolist())
            for name in archive.files:
                check()
                arrays[name] = archive[name]
    except UserInputError:
        raise
    except Exception as error:  # in zipfile, zlib, tokenize or anywhere in NumPy
        if "allow_pickle" in str(error):  # as NumPy says it
            made = "np.stack({0})" if name == "vectors" else _TEXT
            raise UserInputError(f"{_OBJECTS}{made}.".format(name[:40])) from error
        raise UserInputError("The NPZ file is damaged.") from error
    return arrays


def _check_end(file: IO[bytes]) -> None:
    """Make sure that the list of arrays is short: Python reads all of it into memory."""
    size = file.seek(0, 2)
    file.seek(max(size - 42, 0))
    end = file.read()
    record = end[-22:]
    if len(record) < 22 or not record.startswith(_END) or end[:-22].startswith(_END_64):
        raise UserInputError("The NPZ file is damaged.")
    (length,) = struct.unpack("<I", record[12:16])
    if length > _MAX_DIRECTORY:
        raise UserInputError("The NPZ file holds too many arrays, or too long names of arrays.")


def _check_entries(entries: list[zipfile.ZipInfo]) -> None:
    """Refuse what unpacks to too much, and what NumPy does not write."""
    for entry in entries:
        plain = entry.compress_type in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
        if not plain or not entry.filename.endswith(".npy"):
            raise UserInputError(
                f"The NPZ file holds {entry.filename[:40]}, which is not an array that "
                "np.savez or np.savez_compressed writes."
            )
    if (size := sum(entry.file_size for entry in entries)) > MAX_UNPACKED:
        raise UserInputError(
            f"The file is too large inside: {size / 1e6:,.0f} MB have to be unpacked; up to "
            f"{MAX_UNPACKED / 1e6:.0f} MB can be."
        )


def _check_arrays(arrays: dict[str, NDArray[Any]]) -> tuple[int, int]:
    """Refuse what does not fit, make the rest plain; return layers and numbers of a vector."""
    if not any({"vectors", *names} <= arrays.keys() for names in (_OF_WORDS, ("labels",))):
        listed = ", ".join(name[:40] for name in list(arrays)[:20]) or "none"
        raise UserInputError(
            f"The NPZ file holds the arrays {listed}; expected vectors, and labels or "
            f"{', '.join(_OF_WORDS)}."
        )
    shape = arrays["vectors"].shape
    if len(shape) not in (2, 3):
        raise UserInputError(
            f"The array vectors has the shape {shape}; expected (occurrences, layers, numbers)."
        )
    count, layers = shape[0], shape[1] if len(shape) == 3 else 1
    if not (0 < layers <= MAX_LAYERS and 0 < shape[-1] <= MAX_DIMENSIONS):
        raise UserInputError(
            f"The file says that its vectors have {layers:,} layers of {shape[-1]:,} numbers; "
            f"up to {MAX_LAYERS} of {MAX_DIMENSIONS:,} can be."
        )
    if count > MAX_ROWS:
        raise UserInputError(f"The file has {count:,} rows; up to {MAX_ROWS:,} can be read.")
    expected = {"vectors": "f", "sentence": "U", "start": "iu", "end": "iu", "layers": "iu"}
    expected |= dict.fromkeys(("word", "sense", "model", "pooling", "about"), "U")
    allowed: dict[str, tuple[tuple[int, ...], ...]] = {
        **{"vectors": (shape,), "layers": ((layers,),), "word": ((count,), ())},
        **dict.fromkeys(("model", "pooling", "about"), ((),)),
    }
    for name, array in arrays.items():
        shapes = allowed.get(name, ((count,),))
        kinds = expected.get(name, "".join(_KINDS))
        wanted = [] if array.shape in shapes else [str(shapes[0])]
        if array.dtype.kind not in kinds:
            wanted.append(" or ".join(dict.fromkeys(_KINDS[kind] for kind in kinds)))
        if wanted:
            raise UserInputError(
                f"The array {name[:40]} has the shape {array.shape} and the type "
                f"{str(array.dtype)[:40]}; expected {' and '.join(wanted)}."
                + " Is its first entry a header?"
                * (array.shape == (count + 1,))
            )
        if array.dtype.kind == "U" and array.nbytes > MAX_ARRAY_TEXT:
            raise UserInputError(
                f"The array {name[:40]} has {array.nbytes / 1e6:,.0f} MB of text; up to "
                f"{MAX_ARRAY_TEXT / 1e6:.0f} MB can be."
            )
        arrays[name] = plain_array(array, _LONGEST.get(name, MAX_NAME))
    if (further := len(arrays.keys() - _OF_FILE)) > MAX_COLUMNS:
        raise UserInputError(f"The file has {further:,} further columns, more than {MAX_COLUMNS}.")
    return layers, shape[-1]


def plain_array(array: NDArray[Any], longest: int) -> NDArray[Any]:
    """Text that can be encoded, cut to `longest` characters; numbers as Arrow has them."""
    kind = array.dtype.kind
    if kind != "U":
        wide = array.itemsize > 8 if kind == "f" else kind == "u" and (array > MAX_WHOLE).any()
        with np.errstate(over="ignore"):
            return array.astype(np.float64) if wide else array
    plain = np.array(array, f"U{min(array.itemsize // 4, longest) or 1}")
    codes = plain.reshape(-1).view(np.uint32)  # of any value
    codes[(codes > 0x10FFFF) | (codes >> 11 == 0xD800 >> 11)] = ord(REPLACEMENT)
    return plain


def _opened(
    arrays: Arrays, layers: int, hidden_size: int, word: str | None, most: int
) -> VectorFile:
    numbers = arrays["layers"].tolist() if "layers" in arrays else list(range(layers))
    if numbers != sorted({*numbers}) or not 0 <= numbers[0] <= numbers[-1] < 1_000:
        raise UserInputError(
            "The array layers is not a rising list of numbers of layers, such as 0, 6, 12."
        )
    count = len(arrays["vectors"])
    if "word" in arrays or not count or "sentence" not in arrays:
        words = np.atleast_1d(arrays.get("word", LABELLED))
    else:  # one for all, as the first row has it
        sentence, start, end = (arrays[name][0] for name in _OF_WORDS)
        words = np.array([str(sentence)[max(int(start), 0) : max(int(end), 0)][:MAX_NAME]])
    names, sizes = np.unique(words, return_counts=True)
    counts = dict(zip(names.tolist(), sizes.tolist(), strict=True))
    if len(counts) > MAX_WORDS:
        raise UserInputError(f"The file has {len(counts):,} words; up to {MAX_WORDS:,} can be.")
    if word is None or word not in counts:
        word = max(counts, key=counts.__getitem__, default=word or "")
    if len(words) == 1:  # for all
        counts = {word: count}
        rows = np.arange(count)
    else:
        rows = np.flatnonzero(words == word)
    rows = rows[: rows_that_fit(most, layers, hidden_size)]
    senses = arrays["sense"][rows].tolist() if "sense" in arrays else [None] * len(rows)
    if "sentence" in arrays:
        sentences, starts, ends = (arrays[name][rows].tolist() for name in _OF_WORDS)
    else:  # each label is a sentence of one word
        sentences = [str(label) or "–" for label in arrays["labels"][rows].tolist()]
        starts = [0] * len(rows)
        ends = list(map(len, sentences))
        if "sense" not in arrays and 2 * len({*sentences}) <= len(rows):  # they name classes
            senses = sentences
    lines = (label_numbers(sentences) + 1).tolist()
    columns = zip(sentences, starts, ends, lines, senses, strict=True)
    vectors = _finite(arrays["vectors"][rows]).reshape(len(rows), layers, hidden_size)
    model, pooling = (str(arrays.get(name, UNKNOWN)) for name in ("model", "pooling"))
    occurrences = tuple(occurrence(*row) for row in columns)
    further = {
        name[:MAX_NAME]: shortened(arrays[name][rows].tolist())
        for name in arrays
        if name not in _OF_FILE
    }
    read_vectors = SenseVectors(occurrences, read_only(vectors), 0)
    return VectorFile(word, counts, model, pooling, tuple(numbers), read_vectors, further)


def _finite(numbers: NDArray[Any]) -> Array:
    """Numbers of vectors as float32; what is not finite, or too large, is refused."""
    largest = np.abs(numbers).max(initial=0)
    if 0 < largest < MIN_NUMBER:  # float32 keeps little of them; cosines stay
        numbers = numbers / np.float64(largest)
    with np.errstate(invalid="ignore", over="ignore"):
        vectors = numbers.astype(np.float32, copy=False)  # first: a float16 has no bound to compare
        if not (np.abs(vectors) <= MAX_NUMBER).all():  # NaN is not either
            raise UserInputError(
                "The file has vectors with numbers that are missing or not finite, or beyond "
                f"±{MAX_NUMBER:,.0f}."
            )
    return vectors
