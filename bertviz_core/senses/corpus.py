"""All occurrences of a word in a corpus of any size, as Parquet files.

The corpus is read line by line. As soon as there are enough occurrences for a part, they run
through the model, the part is written, and then the state is saved. After a kill the next run
continues from the saved state and makes the same parts.
"""

import ctypes
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import IO, TYPE_CHECKING

from bertviz_core.encoder import Pooling
from bertviz_core.errors import UserInputError
from bertviz_core.senses import parquet
from bertviz_core.senses.occurrences import (
    MOST,
    Occurrence,
    WordFinder,
    is_header,
    split_label,
)
from bertviz_core.senses.state import SAMPLE, State, damaged, part_file, resumed, save_state
from bertviz_core.senses.vectors import SenseVectors, sense_vectors

if TYPE_CHECKING:
    import pyarrow as pa

    from bertviz_core.encoder import Encoder

# Of the sample's vectors: the page takes files of 50 MB. These are all 2,000 occurrences of the
# embedded model (22 MB), and 1,126 of BERT-base, which would need 80 MB for 2,000.
SAMPLE_BYTES = 45_000_000
LONGEST_LINE = 1_000_000  # bytes; a longer line is read as several, to bound the memory
STEP = 4_000_000  # bytes after which progress is reported, also where the word is rare
Progress = Callable[[int, int], None]


def map_corpus(
    encoder: "Encoder",
    word: str,
    corpus: Path,
    folder: Path,
    *,
    pooling: Pooling = "mean",
    part_size: int = MOST,
    progress: Progress | None = None,
) -> State:
    """Find a word in a corpus and write its vectors, part by part.

    Args:
        encoder: The model to run.
        word: Found as `WordFinder` does.
        corpus: A UTF-8 text, one sentence a line; labels as for `find_occurrences`.
        folder: Gets `part-00000.parquet` and so on, `sample.parquet` with at most 2,000
            occurrences, and 45 MB of vectors, spread evenly over all parts, and `state.json`. An
            interrupted run in that folder is continued.
        pooling: How the pieces of a word become one vector.
        part_size: Occurrences a part, a few more where a line has several; memory grows with it.
        progress: Called now and then with the bytes read and the occurrences done.

    Returns:
        The state at the end.

    Raises:
        UserInputError: The corpus cannot be read, the folder cannot be written to or holds another
            run, or a file of this run is missing or damaged.
    """
    finder = WordFinder(word)
    if part_size < 1:
        raise UserInputError(f"A part of {part_size} occurrences is too small; ask for 1 or more.")
    bert = encoder.bert
    about = parquet.About(
        finder.word, bert.name, pooling, bert.num_hidden_layers + 1, bert.hidden_size
    )
    try:
        size = corpus.stat().st_size
        text = corpus.open("rb")
    except OSError as error:
        raise UserInputError(f"{corpus} cannot be read: {error.strerror}.") from error
    try:
        with text:
            folder.mkdir(parents=True, exist_ok=True)
            state = resumed(folder, State(finder.word, bert.name, pooling, part_size, size))
            if not state.done:
                compute = partial(sense_vectors, encoder, pooling=pooling)
                state = _go_on(compute, finder, text, folder, about, state, progress or _ignore)
    except OSError as error:
        raise UserInputError(
            f"The run in {folder} broke off ({error.strerror or error}); started again, it goes on."
        ) from error
    return state


def spread_evenly(total: int, most: int) -> list[int]:
    """At most `most` of the numbers 0 to `total` - 1, as evenly as can be."""
    if total <= most:
        return list(range(total))
    return [i * total // most for i in range(most)]


def _go_on(
    compute: Callable[..., SenseVectors],
    finder: WordFinder,
    text: IO[bytes],
    folder: Path,
    about: parquet.About,
    state: State,
    report: Progress,
) -> State:
    """Read from where a state ends, and write what is found."""
    save_state(folder, state)
    text.seek(state.read)
    for occurrences, after in _chunks(text, finder, state, report):
        done = partial(_after_batch, report, after.read, state.occurrences)
        vectors = compute(occurrences, progress=done)
        count = len(vectors.occurrences)
        if count:
            parquet.write(part_file(folder, len(state.parts)), about, vectors)
        state = replace(
            after,
            occurrences=state.occurrences + count,
            left_out=state.left_out + vectors.left_out,
            parts=(*state.parts, count) if count else state.parts,
        )
        save_state(folder, state)
    if state.occurrences:
        parquet.write_tables(folder / SAMPLE, about, _sample(folder, state, parquet.schema(about)))
    state = replace(state, done=True)
    save_state(folder, state)
    return state


def _chunks(
    text: IO[bytes], finder: WordFinder, state: State, report: Progress
) -> Iterator[tuple[list[Occurrence], State]]:
    """Read on; stop where a part is full, now and then where the word is rare, and at the end."""
    waiting: list[Occurrence] = []
    after, reported, stopped, written = state, state.read, state.read, state.occurrences
    while raw := text.readline(LONGEST_LINE):
        ended = raw.endswith(b"\n") or after.read + len(raw) >= state.size
        line = raw.decode("utf-8" if after.read else "utf-8-sig", errors="replace")
        number = after.lines + 1
        after = replace(after, read=after.read + len(raw), lines=after.lines + ended)
        if after.labelled is None and line.strip():
            after = replace(after, labelled=is_header(line))
            if after.labelled:
                continue
        sentence, sense = split_label(line, bool(after.labelled))
        waiting += finder.find(sentence, number, sense)
        if after.read - reported >= STEP:
            reported = after.read
            report(after.read, written)
        full = len(waiting) >= state.part_size
        if full or (not waiting and after.read - stopped >= STEP):
            stopped = after.read
            written += len(waiting)
            yield waiting, after
            waiting = []
    if after.read > stopped:
        yield waiting, after


def _sample(folder: Path, state: State, columns: "pa.Schema") -> Iterator["pa.Table"]:
    """Rows spread evenly over all parts, one part in memory at a time."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    fitting = SAMPLE_BYTES // (4 * columns.field("vectors").type.list_size)
    wanted = spread_evenly(state.occurrences, min(MOST, max(fitting, 1)))
    before = 0
    for number, count in enumerate(state.parts):
        rows = [row - before for row in wanted if before <= row < before + count]
        before += count
        if rows:
            part = part_file(folder, number)
            try:
                table = pq.read_table(part)
                table.validate()
                sampled = table.take(rows)
            except (OSError, ValueError, pa.ArrowException) as error:
                raise damaged(part) from error
            if table.schema != columns:
                raise damaged(part)
            yield sampled


def _give_back_memory() -> None:
    """Make glibc return freed memory to the system: the pieces it keeps add up batch by batch."""
    with suppress(AttributeError, OSError, TypeError):  # another C library has none
        ctypes.CDLL(None).malloc_trim(0)


def _after_batch(report: Progress, read: int, before: int, done: int, _: int) -> None:
    report(read, before + done)
    _give_back_memory()


def _ignore(read: int, occurrences: int) -> None:
    pass
