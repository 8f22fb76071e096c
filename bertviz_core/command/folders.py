"""What `nearest` and `shift` ask alike: a folder that a job has written, and one of its layers."""

import argparse
from pathlib import Path

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
