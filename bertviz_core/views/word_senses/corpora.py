"""The corpora that the operator offers, opened for all viewers.

``BERTVIZ_CORPORA`` names them: entries ``name=/a/folder`` of `bert-explorer occurrences`, separated
by commas or line ends. Visitors choose among the names and can name nothing else.
"""

import logging
import os
import re
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from bertviz_core.corpus.job import PARTS
from bertviz_core.corpus.part_files import SENSE, SOURCE, outer
from bertviz_core.corpus.store import Occurrences
from bertviz_core.corpus.stratified_sample import Sample
from bertviz_core.errors import UserInputError
from bertviz_core.shared.results import once, slow_once
from bertviz_core.views.parts import Sentence
from bertviz_core.views.view import caption, note

LOOK_AGAIN = 60  # seconds; what a job has written since is seen after so long
_log = logging.getLogger(__name__)


@dataclass(frozen=True, eq=False)
class Corpus:
    """A corpus, as it was at the last look."""

    name: str  # as visitors see it
    identity: str  # names this state of its folder in the cache
    occurrences: Occurrences  # all of them

    @property
    def columns(self) -> list[str]:
        """The columns that tell occurrences apart."""
        columns = [one.name for one in self.occurrences.carried if one.name != SENSE]
        return [*columns, SOURCE] if len(self.occurrences.job.files) > 1 else columns


def notes_on_sample(corpus: Corpus, sample: Sample, column: str | None) -> Iterator[Sentence]:
    """Say what is missing of a corpus, and how a sample of it was drawn."""
    count = len(sample.rows)
    total = sample.opened.total
    if missing := corpus.occurrences.parts_missing:
        yield note(
            "This corpus is not complete: {missing} parts are missing.", missing=f"{missing:,}"
        )
    if count < total:
        yield caption(
            "On the map: <b>{count}</b> of the {total} occurrences of “{word}” in <b>{corpus}</b>, "
            "drawn at random" + (", as equally as possible over each {column}." if column else "."),
            method="a-corpus",
            count=f"{count:,}",
            total=f"{total:,}",
            word=sample.opened.word,
            corpus=corpus.name,
            column=column or "",
        )


def offered_corpora(environ: Mapping[str, str] = os.environ) -> dict[str, Path]:
    """The folders on offer, by name, in the operator's order."""
    corpora: dict[str, Path] = {}
    for entry in re.split(r"[,\n]", environ.get("BERTVIZ_CORPORA", "")):
        if not entry.strip():
            continue
        name, _, folder = (part.strip() for part in entry.partition("="))
        if not name or not folder:
            raise UserInputError(
                f"BERTVIZ_CORPORA has the entry “{entry.strip()}”; expected name=/a/folder."
            )
        corpora[name] = outer(Path(os.path.expanduser(folder)))
    return corpora


def open_corpus(name: str) -> Corpus:
    """Open a corpus that is on offer, or the one that was opened within the last minute."""
    folder = offered_corpora().get(name)
    if folder is None:
        raise UserInputError(f"There is no corpus “{name}” here any more; choose another one.")
    with folder_hidden(name, folder):
        written = _last_written(str(folder), int(time.monotonic() // LOOK_AGAIN))
        return Corpus(name, f"{folder} {written}", _occurrences(str(folder), written))


@contextmanager
def folder_hidden(name: str, folder: Path) -> Iterator[None]:
    """Keep the operator's folder out of what visitors read; the log has it."""
    try:
        yield
    except UserInputError as error:
        if str(folder) not in str(error):
            raise
        _log.warning("The corpus %s cannot be read: %s", name, error)
        raise UserInputError(
            f"The corpus “{name}” cannot be read now; the server's log says why."
        ) from error


@once
def _last_written(folder: str, look: int) -> int:
    """When a file came to the folder or went, in nanoseconds; 0 where there is no folder."""
    try:
        return os.stat(os.path.join(folder, PARTS)).st_mtime_ns
    except OSError:
        return 0


@slow_once
def _occurrences(folder: str, last_written: int) -> Occurrences:
    return Occurrences.open(Path(folder))
