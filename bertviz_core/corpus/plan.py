"""A job from its options: which files, columns, layers and model."""

from collections.abc import Callable, Sequence
from numbers import Integral
from pathlib import Path
from typing import NamedTuple

from bertviz_core.bert import Bert, load_bert
from bertviz_core.checkpoints.catalog import model_named
from bertviz_core.corpus.job import CorpusFile, Job, Model, Word
from bertviz_core.corpus.reading.columns import choose_columns
from bertviz_core.corpus.reading.files import find_corpus
from bertviz_core.encoder import Pooling
from bertviz_core.encoder.batches import check_pooling
from bertviz_core.errors import UserInputError, expect, expect_each

PARTS = 64  # of a corpus of middle size: four for each of 16 workers
# Starting a part costs 20 ms. The largest takes the embedded model some minutes, if each line has a
# word: that much a job may lose when it is stopped.
MIN_PART_BYTES, MAX_PART_BYTES = 256_000, 8_000_000


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
    log: Callable[[str], object] = lambda line: None,
) -> Plan:
    """Look at the corpus and the model.

    Args:
        corpus: Paths, folders, patterns, URIs; see `find_corpus`.
        model: In the list of models, or a folder.
        layers: Which are kept; negative ones count from the last. None for all.
        text: Name of the column with the text, in JSON, CSV and Parquet.
        carried: Columns that are carried along; None for all that can be.
        part_bytes: How many bytes of the corpus one part has; None for `part_bytes_of(files)`.
        log: Called with a line for each file whose encoding is a guess.

    Raises:
        UserInputError: A path, a column or a layer is not there, or a part is too small.
        ModelUnavailableError: As for `load_bert`.

    Example:
        >>> words = [Word("mouse", ("mouse",))]
        >>> plan(words, [str(corpus)], model=bert.name, layers=[0, -1]).job.layers
        (0, 6)
    """
    check_pooling(pooling)
    if part_bytes is not None and int(expect(part_bytes, Integral, "bytes as a whole number")) < 1:
        raise UserInputError("A part of less than a byte of the corpus is too small.")
    paths = expect_each(corpus, (str, Path), "a list of paths, each a str")
    files = find_corpus([str(path) for path in paths], log)
    bert = load_bert(model)
    job = Job(
        words=tuple(expect_each(words, Word, "words, each a Word")),
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
        part_bytes=part_bytes or part_bytes_of(files),
    )
    return Plan(job, bert)


def part_bytes_of(files: Sequence[CorpusFile]) -> int:
    """How many bytes a part of a corpus has: 64 parts, unless these were very small or large."""
    size = sum(file.size for file in files)
    return min(max(size // PARTS, MIN_PART_BYTES), MAX_PART_BYTES)


def kept_layers(layers: Sequence[int] | None, count: int) -> tuple[int, ...]:
    """The layers that are kept, rising, each once."""
    if layers is None:
        return tuple(range(count))
    layers = [int(layer) for layer in expect_each(layers, Integral, "layers as whole numbers")]
    if not layers or not all(-count <= layer < count for layer in layers):
        raise UserInputError(
            f"The model has the layers 0 (the input embedding) to {count - 1}, or from the end -1 "
            f"to {-count}; name one or more."
        )
    return tuple(sorted({layer % count for layer in layers}))
