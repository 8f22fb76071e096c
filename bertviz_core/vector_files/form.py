"""The columns of a Parquet file of occurrences, checked before any of them is read."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from bertviz_core.corpus.schema import END, KEY, LAYER, SENSE, SENTENCE, START, WORD, described
from bertviz_core.errors import UserInputError
from bertviz_core.vector_files import bounds
from bertviz_core.vector_files.opened import LONGEST_NAME, UNKNOWN

if TYPE_CHECKING:
    import pyarrow as pa
    import pyarrow.parquet as pq

_LAYER = re.compile(rf"{LAYER}(0|[1-9]\d{{0,2}})")


@dataclass(frozen=True)
class Form:
    """What the end of a file says of its columns.

    Attributes:
        layers: The column of each layer, by its number, rising.
        hidden_size: Numbers a vector.
        texts: Columns of text.
        further: Columns beside those that every file has, but for the label.
        labelled: Whether there are labels of senses.
        model: Name of the model.
        pooling: How pieces of a word were joined.
        as_computed: Whether a job wrote the file, in float32.
    """

    layers: Mapping[int, str]
    hidden_size: int
    texts: tuple[str, ...]
    further: tuple[str, ...]
    labelled: bool
    model: str = UNKNOWN
    pooling: str = UNKNOWN
    as_computed: bool = False

    @property
    def values(self) -> dict[str, int]:
        """The columns that are read, and how many values each has in a row."""
        flat = [WORD, SENTENCE, START, END, *self.further, *([SENSE] if self.labelled else [])]
        return dict.fromkeys(flat, 1) | dict.fromkeys(self.layers.values(), self.hidden_size)


def form_of(metadata: "pq.FileMetaData") -> Form:
    """Check the columns of a file.

    Args:
        metadata: From its end.

    Raises:
        UserInputError: A column is missing or of another type.
    """
    import pyarrow.types as kinds

    schema = metadata.schema.to_arrow_schema()
    if len(set(schema.names)) < len(schema.names):
        raise UserInputError("The file has two columns of one name.")
    types = {name: schema.field(name).type for name in schema.names}
    layers = sorted((int(m[1]), m[0]) for m in map(_LAYER.fullmatch, types) if m is not None)
    missing = [name for name in (WORD, SENTENCE, START, END) if name not in types]
    if missing or not layers:
        raise UserInputError(
            f"The file holds the columns {_listed(schema.names)}; expected {WORD}, {SENTENCE}, "
            f"{START}, {END} and vectors as {LAYER}0, {LAYER}1 and so on."
        )
    of_layers = dict(layers)
    flat = [name for name in types if name not in of_layers.values()]
    for name, kind in types.items():
        _check_kind(name, kind, vectors=name in of_layers.values())
    required = {WORD, SENTENCE, START, END}
    further = tuple(name for name in flat if name not in required | {SENSE})
    if len(further) > bounds.MOST_COLUMNS:
        raise UserInputError(
            f"The file has {len(further)} further columns; up to {bounds.MOST_COLUMNS} can be."
        )
    form = Form(
        of_layers,
        _numbers_a_vector(metadata, layers[0][1], types[layers[0][1]]),
        tuple(name for name in flat if not _is_number(types[name])),
        further,
        SENSE in types and not kinds.is_null(types[SENSE]),
    )
    bounds.check_shape(len(layers), form.hidden_size)
    return form if KEY not in (schema.metadata or {}) else _of_job(form, schema)


def _of_job(form: Form, schema: "pa.Schema") -> Form:
    """With what a job says of the file."""
    try:
        about, _ = described(schema)
        model, pooling = str(about.model), str(about.pooling)
        fits = about.layers == tuple(form.layers) and about.hidden_size == form.hidden_size
    except (KeyError, TypeError, ValueError, RecursionError):
        fits = False
    if not fits:
        raise UserInputError(
            "The file says other layers or sizes of its vectors than it has; write it anew with "
            "bertviz occurrences."
        )
    return replace(
        form,
        model=model[:LONGEST_NAME],
        pooling=pooling[:LONGEST_NAME],
        as_computed=about.stored == "float32",
    )


def _check_kind(name: str, kind: "pa.DataType", *, vectors: bool) -> None:
    import pyarrow.types as kinds

    if vectors:
        lists = kinds.is_list(kind) or kinds.is_fixed_size_list(kind) or kinds.is_large_list(kind)
        fits, expected = lists and kinds.is_floating(kind.value_type), "lists of decimal numbers"
    elif name in (WORD, SENTENCE, SENSE):
        fits, expected = _is_text(kind) or (name == SENSE and kinds.is_null(kind)), "text"
    elif name in (START, END):
        fits, expected = kinds.is_integer(kind), "whole numbers"
    else:
        fits, expected = _is_text(kind) or _is_number(kind), "text, numbers, or true and false"
    if not fits:
        raise UserInputError(f"The column {name[:40]} holds {str(kind)[:60]}; expected {expected}.")


def _is_text(kind: "pa.DataType") -> bool:
    import pyarrow.types as kinds

    inner = kind.value_type if kinds.is_dictionary(kind) else kind
    return bool(kinds.is_string(inner) or kinds.is_large_string(inner))


def _is_number(kind: "pa.DataType") -> bool:
    import pyarrow.types as kinds

    return bool(
        kinds.is_integer(kind)
        or kinds.is_floating(kind)
        or kinds.is_boolean(kind)
        or kinds.is_null(kind)
    )


def _numbers_a_vector(metadata: "pq.FileMetaData", name: str, kind: "pa.DataType") -> int:
    """As many as the first row group with rows says; what does not fit it is refused later."""
    import pyarrow.types as kinds

    for group in map(metadata.row_group, range(metadata.num_row_groups)):
        for chunk in map(group.column, range(group.num_columns)):
            if group.num_rows and bounds.column_of(chunk.path_in_schema, {name: 0}):
                size, more = divmod(chunk.num_values, group.num_rows)
                if more:
                    raise UserInputError(
                        f"The file has vectors in {name} that are missing, or not of one length."
                    )
                return int(size)
    return int(kind.list_size) if kinds.is_fixed_size_list(kind) else 1


def _listed(names: Iterable[str]) -> str:
    return ", ".join(name[:40] for name in list(names)[:20]) or "none"
