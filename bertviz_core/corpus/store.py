"""The occurrences that a job has written: read, chosen by conditions, searched.

Nothing is loaded whole.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, reduce
from itertools import pairwise
from operator import and_, eq, ge, gt, le, lt, ne
from pathlib import Path
from typing import TYPE_CHECKING, cast

import numpy as np

from bertviz_core.arrays import Array, Ids, cosine, read_only
from bertviz_core.corpus.job import Carried, Job, Kind
from bertviz_core.corpus.part_files import COLUMNS, LAYER, begun, local, receipt_of, schema
from bertviz_core.corpus.reading.columns import EMPTY
from bertviz_core.errors import UserInputError, expect_count, shortened
from bertviz_core.result import Readable, top

if TYPE_CHECKING:
    import pyarrow as pa
    from pyarrow.compute import Expression
    from pyarrow.dataset import ParquetFileFragment

COMPARE = {"<": lt, "<=": le, ">": gt, ">=": ge, "=": eq, "!=": ne}
OPPOSITES = {"<": ">=", "<=": ">", ">": "<=", ">=": "<", "=": "!=", "!=": "="}
# The name of a column may have blanks inside, and the value any sign.
_CONDITION = re.compile(r"\s*([^<>=!]*[^<>=!\s])\s*(<=|>=|!=|<|>|==?)\s*(.*?)\s*", re.DOTALL)
# Of text: a number; a date or the beginning of one; and the first whole number, with its era.
_NUMBER = re.compile(r"\s*-?[0-9]+(\.[0-9]+)?\s*")
_ISO_DATE = re.compile(r"[0-9]{4}(-(0[1-9]|1[0-2])(-(0[1-9]|[12][0-9]|3[01])([T ].*)?)?)?")
_DIGITS = r"\d{1,3}(?:,\d{3}){1,5}|\d{1,18}"  # 1,850 or 1850
_WHOLE = re.compile(
    rf"(?<!\d)((?<!\w)[-\u2212])?({_DIGITS})(?!\d)([^a-z,;]*b\.? ?c(\.? ?e)?\b)?", re.IGNORECASE
)
_YES_NO = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}


@dataclass(frozen=True)
class Condition:
    """What the value of a column must be; an empty value meets no condition."""

    column: str  # "year"
    operator: str  # "<", "<=", ">", ">=", "=" or "!="
    # Of the column's kind, or a number with which its texts are compared; it may have decimals.
    value: str | int | float | bool

    @property
    def opposite(self) -> "Condition":
        """The condition that all other values meet, except empty ones: "year>=1950"."""
        return Condition(self.column, OPPOSITES[self.operator], self.value)

    def __str__(self) -> str:
        return f"{self.column}{self.operator}{self.value}"


def _value(text: str, kind: Kind) -> str | int | float | bool:
    if kind == "bool":
        return _YES_NO[text.lower()]
    if kind == "string":
        text.encode()  # a terminal may pass bytes that are no text
        return text
    is_whole = re.fullmatch(r"[+-]?\d{1,18}", text)  # what int64 holds
    return int(text) if is_whole else float(text)


def whole_number(text: str | None) -> int | None:
    """The first whole number in a text; years before the common era are negative."""
    found = _WHOLE.search(text or "")
    return found and (-1 if found[1] or found[3] else 1) * int(found[2].replace(",", ""))


ROW = "row"  # of a table: the number of an occurrence over all parts
Where = Condition | Sequence[Condition]


class Occurrences(Readable):
    """All occurrences in a folder, numbered over its parts from 0.

    Open it again to see what was written since: the numbers then may be others.
    """

    def __init__(self, folder: Path, job: Job, numbers: Sequence[str] = ()) -> None:
        import pyarrow as pa
        from pyarrow.dataset import ParquetFileFormat
        from pyarrow.fs import LocalFileSystem

        self.folder, self.job = folder, job
        self.words: tuple[str, ...] = tuple(word.name for word in job.words)
        self.layers: tuple[int, ...] = job.layers
        self.carried: tuple[Carried, ...] = job.carried
        # Parts that the job has still to write, or whose file cannot be read or is another one's.
        self.parts_missing = 0
        self._columns = schema(job)
        self.check_columns(numbers)
        texts = {name for name in numbers if self.kinds[name] == "string"}
        self._numbers = texts - {*COLUMNS[:2]}  # but not of words and sentences
        for name in self._numbers:
            place = self._columns.get_field_index(name)
            self._columns = self._columns.set(place, pa.field(name, pa.int64()))
        self._groups: list[ParquetFileFragment] = []  # a row group each, over all parts
        system = LocalFileSystem(use_mmap=True)
        format = ParquetFileFormat(pre_buffer=False, page_checksum_verification=True)
        for part in job.parts():
            file = format.make_fragment(str(part.path_in(folder)), system)
            try:
                file.ensure_complete_metadata()
                if receipt_of(file.metadata, job, part) is not None:
                    self._groups += file.split_by_row_group()
                    continue
            except (OSError, pa.ArrowException):
                pass
            self.parts_missing += 1
        sizes = [group.row_groups[0].num_rows for group in self._groups]
        self._starts: Ids = np.concatenate([[0], np.cumsum(sizes, dtype=np.int64)])

    @classmethod
    def open(cls, folder: Path, numbers: Sequence[str] = ()) -> "Occurrences":
        """Open a folder, also of a job that is not finished; others are a UserInputError.

        Of the columns in `numbers` the `whole_number` of each text is read.
        """
        folder = local(folder)
        if (job := begun(folder)) is None:
            raise UserInputError(
                f"{folder} has no manifest.json; name a folder of `bert-explorer occurrences`."
            )
        return cls(folder, job, numbers)

    def __len__(self) -> int:
        return int(self._starts[-1])

    @property
    def kinds(self) -> dict[str, Kind]:
        """The kind of each column, without the vectors."""
        plain = (each for each in self._columns if not each.name.startswith(LAYER))
        return {each.name: cast(Kind, str(each.type).replace("32", "64")) for each in plain}

    def condition(self, text: str) -> Condition:
        """Read a condition on a column, such as "year<1950" or "author=Mary Smith"."""
        parts = _CONDITION.fullmatch(text)
        kinds = self.kinds
        if parts is None:
            raise UserInputError(
                f"“{text}” is not a condition; write a column, one of < <= > >= = != and a value, "
                "such as year<1950."
            )
        column, sign, value = parts.groups()
        self.check_columns([column])
        in_order = kinds[column] == "string" and sign[0] in "<>"
        kind = self._kind_in_order(column) if in_order else kinds[column]
        try:
            if in_order and kind == "string" and not _ISO_DATE.fullmatch(value):
                raise ValueError
            return Condition(column, sign.replace("==", "="), _value(value, kind))
        except (ValueError, KeyError) as error:
            texts = "dates such as 1848-03-01" if in_order else "text"
            expected = {"string": texts, "bool": "true or false"}.get(kind, "a number")
            raise UserInputError(f"“{column}” holds {expected}, not {value!r}.") from error

    def _kind_in_order(self, column: str) -> Kind:
        """As what the texts of a column are compared: "double" for numbers, "string" for dates."""
        read = (self._read(group, [column]).column(0).unique() for group in self._groups)
        texts = [text for part in read for text in part.to_pylist() if text not in (None, *EMPTY)]
        kinds: dict[Kind, re.Pattern[str]] = {"double": _NUMBER, "string": _ISO_DATE}
        for kind, pattern in kinds.items():
            if all(map(pattern.fullmatch, texts)):
                return kind
        others = [each for p in kinds.values() for each in texts if not p.fullmatch(each)]
        some = ", ".join(f"“{shortened(each, 40)}”" for each in [*dict.fromkeys(others)][:3])
        raise UserInputError(
            f"“{column}” holds texts that < and > cannot compare, such as {some}; --number "
            f"{shortened(column)} takes the first whole number in each."
        )

    def check_columns(self, columns: Iterable[str]) -> None:
        """Refuse columns that are not there; vectors are none of them."""
        if unknown := {*columns} - {*self.kinds}:
            known = ", ".join(self.kinds)
            raise UserInputError(f"There is no column “{min(unknown)}”; choose {known}.")

    @cached_property
    def counts(self) -> dict[str, int]:
        """How many occurrences each word has; the words without one, too."""
        counts: Counter[str] = Counter()
        for group in self._groups:
            counted = self._read(group, ["word"]).column("word").value_counts()
            counts.update({entry["values"]: entry["counts"] for entry in counted.to_pylist()})
        return {word: counts[word] for word in self.words}

    def rows(self, *, word: str | None = None, where: Where = ()) -> Ids:
        """The numbers (int64, rising) of the occurrences of a word that meet all conditions."""
        import pyarrow as pa

        conditions = [where] if isinstance(where, Condition) else [*where]
        if word is not None:
            if word not in self.words:
                some = shortened(", ".join(self.words))
                raise UserInputError(f"The job did not look for “{word}”; choose {some}.")
            conditions.append(Condition("word", "=", word))
        if not conditions:
            return np.arange(len(self))
        columns = sorted({one.column for one in conditions})
        self.check_columns(columns)
        wanted = reduce(and_, map(self._met, conditions))
        numbers_of: list[Ids] = [np.empty(0, np.int64)]
        for group, (start, end) in zip(self._groups, pairwise(self._starts), strict=True):
            numbers = pa.array(np.arange(start, end))
            table = self._read(group, columns).append_column(ROW, numbers)
            numbers_of.append(table.filter(wanted).column(ROW).to_numpy())
        return np.concatenate(numbers_of)

    def _met(self, condition: Condition) -> "Expression":
        import pyarrow as pa
        import pyarrow.compute as pc

        value, column = condition.value, pc.field(condition.column)
        if condition.operator[0] in "<>" and self.kinds[condition.column] == "string":
            column = pc.if_else(column.isin(EMPTY), pa.scalar(None, pa.string()), column)
            if isinstance(value, str):  # a month is compared by its year if only a year is given
                column = pc.utf8_slice_codeunits(column, 0, len(value))
            else:
                column = pc.utf8_trim_whitespace(column).cast("double")
        return COMPARE[condition.operator](column, value)

    def take(self, rows: Ids, columns: Sequence[str]) -> "pa.Table":
        """Read columns of some occurrences, in any order, and `row`, the number of each.

        Columns are those of `part_files.COLUMNS`, of `carried`, or "layer_6".
        """
        import pyarrow as pa

        rows = np.asarray(rows, np.int64)
        names = list(columns)
        self.check_columns({*names} - {*map(self.layer_name, self.layers)})
        order = np.argsort(rows, kind="stable")
        nothing = self._columns.empty_table().select(names)
        table = pa.concat_tables([nothing, *self._by_group(rows[order], names)])
        if (np.diff(rows) < 0).any():  # what stands in order is not copied: it may be large
            table = table.take(np.argsort(order))
        return table.append_column(ROW, pa.array(rows))

    def vectors(self, layer: int, rows: Ids) -> Array:
        """Read the vectors of some occurrences at a layer: float32 (n, hidden_size)."""
        return self._vectors_in(self.take(rows, [self.layer_name(layer)]).column(0))

    def iter_vectors(self, layer: int, rows: Ids) -> Iterator[Array]:
        """Read the vectors of rising rows, float32, up to 2,048 at a time."""
        for table in self._by_group(rows, [self.layer_name(layer)]):
            yield self._vectors_in(table.column(0))

    def layer_name(self, layer: int) -> str:
        """The column of a layer; one that is not kept is a UserInputError."""
        if layer not in self.layers:
            kept = ", ".join(map(str, self.layers))
            raise UserInputError(f"Layer {layer} is not in {self.folder}; choose {kept}.")
        return f"{LAYER}{layer}"

    def _by_group(self, rows: Ids, columns: list[str]) -> Iterator["pa.Table"]:
        """Read columns of rising rows, a row group at a time; none is read twice."""
        for group, start, end in zip(self._groups, self._starts, self._starts[1:], strict=False):
            some = rows[slice(*np.searchsorted(rows, [start, end]))]
            if len(some):
                table = self._read(group, columns)
                whole = np.array_equal(some, np.arange(start, end))
                yield table if whole else table.take(some - start)

    def _read(self, group: "ParquetFileFragment", columns: list[str]) -> "pa.Table":
        import pyarrow as pa

        try:
            table = group.to_table(columns=columns, use_threads=False)
        except (OSError, pa.ArrowException) as error:
            raise UserInputError(
                f"{group.path} cannot be read; remove it, and the command of the job writes it "
                "anew."
            ) from error
        for name in self._numbers.intersection(columns):
            numbers = pa.array(map(whole_number, table.column(name).to_pylist()), pa.int64())
            table = table.set_column(columns.index(name), name, numbers)
        return table

    def _vectors_in(self, column: "pa.ChunkedArray") -> Array:
        flat = column.combine_chunks().flatten()
        return np.asarray(flat).reshape(len(column), self.job.model.hidden_size)

    def _summary(self) -> str:
        missing = f", {self.parts_missing:,} parts missing" if self.parts_missing else ""
        layers = ", ".join(map(str, self.layers)) + missing
        words, model = shortened(", ".join(self.words), 60), self.job.model.title
        return f"{self.folder}: {len(self):,} of {words}, {model}, layers {layers}"


MAX_K = 1_000


@dataclass(frozen=True, eq=False, repr=False)
class Nearest(Readable):
    """Occurrences near a vector, best first."""

    rows: Ids  # int64 (k,), their numbers
    cosines: Array  # float32 (k,), in [-1, 1]
    among: int  # how many occurrences were compared

    def _summary(self) -> str:
        nearest = top([f"row {row}" for row in self.rows.tolist()], self.cosines)
        return f"among {self.among:,}: {nearest}"


def nearest(
    occurrences: Occurrences, vector: Array, *, layer: int, k: int = 10, where: Where = ()
) -> Nearest:
    """Find the occurrences whose vectors have the highest cosine with a vector.

    All of them are compared, part after part; of each no more than its cosine stays in memory.

    Args:
        vector: float32 (hidden_size,), of the same model, layer and pooling.
        k: How many, 1 to 1,000; fewer come back where there are fewer.
        where: Only occurrences that meet one condition, or several.

    Raises:
        UserInputError: The vector is of another size, k is out of range, or there is no such
            layer, word or column.

    Example:
        >>> vector = occurrences.vectors(6, [22])[0]
        >>> nearest(occurrences, vector, layer=6, k=3).rows.tolist()
        [22, 17, 19]
    """
    size = occurrences.job.model.hidden_size
    if vector.shape != (size,):
        raise UserInputError(f"The vector has the shape {vector.shape}; expected is ({size},).")
    expect_count(k, MAX_K, "occurrences")
    rows = occurrences.rows(where=where)
    compared = [cosine(some, vector) for some in occurrences.iter_vectors(layer, rows)]
    cosines = np.concatenate([np.empty(0), *compared])
    order = np.argsort(-cosines, kind="stable")[:k]
    return Nearest(read_only(rows[order]), read_only(cosines[order].astype(np.float32)), len(rows))
