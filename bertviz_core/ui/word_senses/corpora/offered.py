"""The corpora that the operator offers, opened for all viewers.

``BERTVIZ_CORPORA`` names them: entries ``name=/a/folder`` that `bertviz occurrences` has written,
separated by commas or line ends. Visitors choose among the names and can name nothing else.
"""

import logging
import os
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import streamlit as st

from bertviz_core.corpus.store import Occurrences
from bertviz_core.errors import UserInputError

LOOK_AGAIN = 60  # seconds; what a job has written since is seen after so long
_log = logging.getLogger(__name__)


@dataclass(frozen=True, eq=False)
class Corpus:
    """A corpus as it was found at the last look.

    Attributes:
        name: As visitors see it.
        found_at: Names this state of the folder in the caches.
        occurrences: All of them.
    """

    name: str
    found_at: str
    occurrences: Occurrences


def offered_corpora(environ: Mapping[str, str] = os.environ) -> dict[str, Path]:
    """The folders on offer, by name, in the operator's order.

    Args:
        environ: Where ``BERTVIZ_CORPORA`` is read from.

    Raises:
        UserInputError: An entry is not of the form name=/a/folder.
    """
    corpora: dict[str, Path] = {}
    for entry in re.split(r"[,\n]", environ.get("BERTVIZ_CORPORA", "")):
        if not entry.strip():
            continue
        name, _, folder = (part.strip() for part in entry.partition("="))
        if not name or not folder:
            raise UserInputError(
                f"BERTVIZ_CORPORA has the entry “{entry.strip()}”; expected name=/a/folder."
            )
        corpora[name] = Path(os.path.expanduser(folder))
    return corpora


def opened(name: str) -> Corpus:
    """Open a corpus, or the one that was opened within the last minute.

    Args:
        name: One of `offered_corpora()`.

    Raises:
        UserInputError: It is not offered, or its folder cannot be read.
    """
    folder = offered_corpora().get(name)
    if folder is None:
        raise UserInputError(f"There is no corpus “{name}” here any more; choose another one.")
    with folder_unsaid(name, folder):
        found_at = _last_written(str(folder))
        return Corpus(name, f"{folder} {found_at}", _occurrences(str(folder), found_at))


@contextmanager
def folder_unsaid(name: str, folder: Path) -> Iterator[None]:
    """Keep the operator's folder out of what visitors read; the log has it.

    Raises:
        UserInputError: As it was, or without the folder.
    """
    try:
        yield
    except UserInputError as error:
        if str(folder) not in str(error):
            raise
        _log.warning("The corpus %s cannot be read: %s", name, error)
        raise UserInputError(
            f"The corpus “{name}” cannot be read now; the server's log says why."
        ) from error


@st.cache_resource(ttl=LOOK_AGAIN, max_entries=64, show_spinner=False)
def _last_written(folder: str) -> int:
    """When a file came to the folder or went, in nanoseconds; 0 where there is no folder."""
    try:
        return os.stat(folder).st_mtime_ns
    except OSError:
        return 0


@st.cache_resource(max_entries=8, show_spinner="Opening the corpus …")
def _occurrences(folder: str, last_written: int) -> Occurrences:
    return Occurrences.open(Path(folder))
