"""What the pages of a Parquet file become when they are unpacked, read before any of them is.

The end of a file names sizes that nothing holds it to. What pyarrow allocates is what each page
says before its content, and a page that unpacks to anything else is an error there (pyarrow 26).
pyarrow itself has no bound on what it unpacks, and does not show these headers.

References:
    `PageHeader` in parquet.thrift of apache/parquet-format; Thrift's compact protocol.
"""

from dataclasses import dataclass
from typing import IO, Any

LONGEST_HEADER = 65_536  # bytes
MOST_PAGES = 10_000  # of a column of a row group; a page has about 1 MB
_DEEPEST = 8
_STOP, _TRUE, _FALSE, _BYTE, _DOUBLE, _BINARY, _LIST, _SET, _STRUCT = 0, 1, 2, 3, 7, 8, 9, 10, 12
_NUMBERS = (4, 5, 6)  # of 16, 32 and 64 bits
_SIZE, _PACKED, _OF_DATA = 2, 3, (5, 8)  # fields of a header: both sizes, what a data page says
Fields = dict[int, Any]


@dataclass(frozen=True)
class Unpacked:
    """What the pages of a column say of themselves.

    Attributes:
        size: Bytes after unpacking.
        values: How many values the data pages hold: each of them takes memory, however small they
            are packed together.
    """

    size: int
    values: int


def unpacked(file: IO[bytes], column: Any) -> Unpacked:
    """Add up what the pages of one column of a row group say of their sizes.

    Args:
        file: The Parquet file, open.
        column: Its `pyarrow.parquet.ColumnChunkMetaData`.

    Raises:
        ValueError: The headers cannot be read, or there are more than 10,000.
    """
    first = column.data_page_offset
    if column.has_dictionary_page:
        first = min(first, column.dictionary_page_offset)
    place, end, size, values = first, first + column.total_compressed_size, 0, 0
    for _ in range(MOST_PAGES):
        if place >= end:
            return Unpacked(size, values)
        file.seek(place)
        header = _Header(file.read(LONGEST_HEADER))
        try:
            fields = header.struct()
        except IndexError as error:
            raise ValueError("a page header ends too soon") from error
        said = [fields[number] for number in _OF_DATA if isinstance(fields.get(number), dict)]
        numbers = [fields.get(_SIZE), fields.get(_PACKED), *(one.get(1) for one in said)]
        if not all(isinstance(number, int) and number >= 0 for number in numbers):
            raise ValueError("a page header without sizes")
        page, packed, *counts = (int(number or 0) for number in numbers)
        size += page
        values += sum(counts)
        place += header.read + packed
    raise ValueError(f"more than {MOST_PAGES} pages")


class _Header:
    """A struct of Thrift's compact protocol, at the start of some bytes."""

    def __init__(self, content: bytes) -> None:
        self.content = content
        self.read = 0

    def struct(self, depth: int = 0) -> Fields:
        """Its whole numbers and structs by the number of their field; all else is passed over."""
        if depth > _DEEPEST:
            raise ValueError("a page header of too many levels")
        fields: Fields = {}
        field = 0
        while (kind := self._byte()) & 15 != _STOP:
            field = field + (kind >> 4) if kind >> 4 else self._number()
            value = self._value(kind & 15, depth)
            if value is not None:
                fields[field] = value
        return fields

    def _value(self, kind: int, depth: int) -> Any:
        if kind in _NUMBERS:
            return self._number()
        if kind == _STRUCT:
            return self.struct(depth + 1)
        if kind in (_LIST, _SET):
            sizes = self._byte()
            count = sizes >> 4 if sizes >> 4 < 15 else self._unsigned()
            for _ in range(min(count, LONGEST_HEADER)):
                self._value(_BYTE if sizes & 15 in (_TRUE, _FALSE) else sizes & 15, depth + 1)
        elif kind in (_BYTE, _DOUBLE, _BINARY):
            length = {_BYTE: 1, _DOUBLE: 8}.get(kind) or self._unsigned()
            self.read += length
        elif kind not in (_TRUE, _FALSE):
            raise ValueError(f"a page header with a field of kind {kind}")
        return None

    def _byte(self) -> int:
        self.read += 1
        return self.content[self.read - 1]

    def _unsigned(self) -> int:
        value = shift = 0
        while True:
            byte = self._byte()
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value
            if shift > 70:
                raise ValueError("a number in a page header is too long")

    def _number(self) -> int:
        value = self._unsigned()
        return value >> 1 ^ -(value & 1)
