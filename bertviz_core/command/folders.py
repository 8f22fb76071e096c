"""What `nearest` and `shift` ask alike: a folder that a job has written, and one of its layers."""

import argparse
import sys
from pathlib import Path
from typing import TextIO

from bertviz_core.corpus.store import Occurrences


def add_folder(parser: argparse.ArgumentParser) -> None:
    """Ask for the folder, as `options.folder`."""
    parser.add_argument(
        "--in", dest="folder", metavar="FOLDER", type=Path, required=True,
        help="that `bertviz occurrences` has written",
    )  # fmt: skip


def chosen_layer(occurrences: Occurrences, layer: int | None) -> int:
    """The number of a layer; -1 is the model's last one, None the last that is kept."""
    if layer is None:
        return occurrences.layers[-1]
    number = layer + occurrences.job.model.layers if layer < 0 else layer
    occurrences.layer_name(number)  # refuses one that is not kept
    return number


def say_if_unfinished(occurrences: Occurrences, file: TextIO | None = None) -> None:
    """Say how many parts are missing."""
    if occurrences.parts_missing:
        missing = f"{occurrences.parts_missing:,}"
        print(f"  The job is not finished; missing parts: {missing}", file=file or sys.stdout)
