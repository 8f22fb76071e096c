"""How far a run over a corpus has come, as a file beside its parts."""

import json
import os
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from bertviz_core.checkpoints.settings import read_json
from bertviz_core.errors import UserInputError

STATE = "state.json"
SAMPLE = "sample.parquet"


@dataclass(frozen=True)
class State:
    """How far a run has come; written beside its parts.

    Attributes:
        word: The word looked for.
        model: Name of the checkpoint.
        pooling: How the pieces of a word are joined.
        part_size: Occurrences after which a part ends, at the end of a line.
        size: Bytes of the corpus.
        labelled: Whether its lines start with labels; None before the first line.
        read: Bytes read so far.
        lines: Lines read so far.
        occurrences: How many are written.
        left_out: How many lie beyond the tokens the model takes.
        parts: Occurrences in each part written.
        done: Whether the corpus has been read to its end and the sample is written.
    """

    word: str
    model: str
    pooling: str
    part_size: int
    size: int
    labelled: bool | None = None
    read: int = 0
    lines: int = 0
    occurrences: int = 0
    left_out: int = 0
    parts: tuple[int, ...] = ()
    done: bool = False


def part_file(folder: Path, number: int) -> Path:
    """The file of a part, present or not."""
    return folder / f"part-{number:05d}.parquet"


def resumed(folder: Path, wanted: State) -> State:
    """The state to begin with.

    Args:
        folder: Where a run may have begun before.
        wanted: What is asked for, with nothing done yet.

    Returns:
        The state in the folder, or `wanted` where there is none.

    Raises:
        UserInputError: The folder holds another run, or a file of this run is missing or damaged.
    """
    path = folder / STATE
    if not path.exists():
        if any(folder.glob("part-*.parquet")):
            raise UserInputError(f"{folder} holds parts without {STATE}; choose another folder.")
        return wanted
    try:
        state = _checked(read_json(path))
    except (KeyError, TypeError, ValueError) as error:
        raise UserInputError(f"{path} cannot be read; choose another folder.") from error
    for name in ("word", "model", "pooling", "part_size", "size"):
        before, now = getattr(state, name), getattr(wanted, name)
        if before != now:
            raise UserInputError(
                f"{folder} holds a run with {name.replace('_', ' ')} {before}, not {now}; "
                "choose another folder."
            )
    _check_parts(folder, state)
    return state


def _checked(values: Any) -> State:
    """A state as a file gives it, if it can be one.

    Raises:
        KeyError, TypeError, ValueError: It cannot.
    """
    state = State(**(values | {"parts": tuple(values["parts"])}))
    counts = (state.part_size, state.size, state.read, state.lines, state.occurrences)
    flags = (state.done, state.labelled is None or state.labelled)
    if (
        not all(type(count) is int and count >= 0 for count in (*counts, *state.parts))
        or type(state.left_out) is not int
        or not all(isinstance(flag, bool) for flag in flags)
        or state.read > state.size
        or sum(state.parts) != state.occurrences
    ):
        raise ValueError("the numbers do not fit each other")
    return state


def _check_parts(folder: Path, state: State) -> None:
    """Make sure that all parts a state names are there, from the end of each file."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    for number, count in enumerate(state.parts):
        part = part_file(folder, number)
        try:
            whole = pq.read_metadata(part).num_rows == count
        except (OSError, ValueError, pa.ArrowException):
            whole = False
        if not whole:
            raise damaged(part)
    if state.done and state.occurrences and not (folder / SAMPLE).is_file():
        raise damaged(folder / SAMPLE)


def damaged(part: Path) -> UserInputError:
    """What to raise for a file of a run that cannot be read."""
    return UserInputError(f"{part} is missing or damaged; choose another folder.")


def save_state(folder: Path, state: State) -> None:
    """Write the state, after the parts it names: a power cut never leaves a state without them."""
    unfinished = folder / f"{STATE}.unfinished"
    with unfinished.open("w", encoding="utf-8") as file:
        json.dump(asdict(state), file, indent=1)
        file.flush()
        os.fsync(file.fileno())
    os.replace(unfinished, folder / STATE)
