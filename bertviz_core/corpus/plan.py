"""From what somebody asked for to a job: the files, the columns, the layers, the model."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from bertviz_core.bert import Bert, load_bert
from bertviz_core.checkpoints.catalog import model_named
from bertviz_core.corpus.job import PART_BYTES, Job, Model, Word
from bertviz_core.corpus.part_files import Receipt
from bertviz_core.corpus.reading.columns import choose_columns
from bertviz_core.corpus.reading.files import codec_of, find_corpus
from bertviz_core.corpus.reading.passages import passages
from bertviz_core.corpus.reading.words import Search
from bertviz_core.encoder import Pooling
from bertviz_core.encoder.batches import check_pooling
from bertviz_core.errors import UserInputError

# How long a part takes is expected from a look at a few places of the corpus.
PLACES, PLACE_CHARACTERS = 16, 16_384
PART_SECONDS = 20  # and three times as many where words are most frequent
READ_BYTES = 50e6  # that hold no word, a second and core
MODEL_FLOPS = 50e9  # floating-point operations of the model a second and core
TOKEN_CHARACTERS = 4.5
# A part is smaller than that where the corpus has less work: so that 16 workers have four each.
MIN_PARTS, MIN_PART_BYTES = 64, 32_768


class Plan(NamedTuple):
    """A job and its model."""

    job: Job  # what will be done
    bert: Bert  # the opened checkpoint


def plan(
    words: Sequence[Word],
    corpus: Sequence[str],
    *,
    model: str,
    layers: Sequence[int] | None = None,
    pooling: Pooling = "mean",
    text: str = "text",
    carried: Sequence[str] | None = None,
    part_bytes: int | None = None,
) -> Plan:
    """Look at the corpus and the model.

    Args:
        corpus: Paths, folders, patterns, URIs; see `find_corpus`.
        model: In the list of models, or a folder.
        layers: Which are kept; negative ones count from the last. None for all.
        text: Name of the column with the text, in JSON lines and Parquet.
        carried: Columns that are carried along; None for all that can be.
        part_bytes: Of the corpus a part. None for parts of 20 seconds of a core's work, as it is
            expected, and at least 64 of them where the corpus is not tiny.

    Raises:
        UserInputError: A path, a column or a layer is not there, or a part is too small.
        ModelUnavailableError: As for `load_bert`.

    Example:
        >>> words = [Word("mouse", ("mouse",))]
        >>> plan(words, [str(corpus)], model=bert.name, layers=[0, -1]).job.layers
        (0, 6)
    """
    check_pooling(pooling)
    if part_bytes is not None and part_bytes < 1:
        raise UserInputError("A part of less than a byte of the corpus is too small.")
    files = find_corpus(corpus)
    bert = load_bert(model)
    job = Job(
        words=tuple(words),
        model=Model(
            # Another machine, or a run from another folder, opens the same one.
            name=model if model_named(model) else str(Path(model).resolve()),
            sha256=bert.checkpoint.weights_hash(),
            layers=bert.num_hidden_layers + 1,
            hidden_size=bert.hidden_size,
        ),
        files=files,
        layers=kept_layers(layers, bert.num_hidden_layers + 1),
        pooling=pooling,
        text=text,
        carried=choose_columns(files, text, carried),
    )
    return Plan(replace(job, part_bytes=part_bytes or _part_bytes(job, bert)), bert)


def _part_bytes(job: Job, bert: Bert) -> int:
    """How many bytes of the corpus a part has, by the work that is expected."""
    import pyarrow as pa

    wide = int(bert.settings["intermediate_size"])
    weights = bert.num_hidden_layers * bert.hidden_size * (4 * bert.hidden_size + 2 * wide)
    a_character = 2 * weights / MODEL_FLOPS / TOKEN_CHARACTERS  # seconds
    size = sum(file.size for file in job.files)
    whole = replace(job, part_bytes=max(size // PLACES, PLACE_CHARACTERS)).parts()
    # To look into a compressed file half-way would be to unpack half of it.
    places = [part for part in whole if not (part.start and codec_of(part.file.path))]
    search, costs = Search(job.words), []
    for part in places[:: -(-len(places) // PLACES)]:
        seen, run, end = 0, 0, part.end  # characters, those that the model reads, bytes or rows
        with suppress(OSError, UserInputError, pa.ArrowException):  # its worker says why
            for passage in passages(job, part, Receipt()):
                if seen > PLACE_CHARACTERS:
                    end = passage.offset
                    break
                seen += len(passage.text) + 1
                run += sum(map(len, {found.sentence for found in search.find(passage.text)}))
        read = max(end - part.start, 1) * part.file.size / max(part.file.length, 1)
        costs.append((max(seen, read) / READ_BYTES + run * a_character) / max(read, 1))
    cost = max(sum(costs) / len(costs), max(costs) / 3)  # seconds a byte
    unpacked = sum(max(file.size, file.length) for file in job.files)
    least = MIN_PART_BYTES * size / max(unpacked, 1)
    return int(max(min(PART_SECONDS / cost, size / MIN_PARTS, PART_BYTES), least, 1))


def kept_layers(layers: Sequence[int] | None, count: int) -> tuple[int, ...]:
    """The layers that are kept, rising, each once."""
    if layers is None:
        return tuple(range(count))
    if not layers or not all(-count <= layer < count for layer in layers):
        raise UserInputError(
            f"The model has the layers 0 (the input embedding) to {count - 1}, or from the end -1 "
            f"to {-count}; name one or more."
        )
    return tuple(sorted({layer % count for layer in layers}))
