"""The layout of each model's token table: the one that is known, or one made beside the page."""

import logging
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

import bertviz_core
from bertviz_core.bert import Bert
from bertviz_core.errors import BertvizError
from bertviz_core.neighbors import TokenMap
from bertviz_core.neighbors.layout import (
    ITERATIONS,
    known_layout,
    read_layout,
    save_layout,
    table_key,
)
from bertviz_core.shared import once
from bertviz_core.ui import jobs
from bertviz_core.ui.inputs import begin_button
from bertviz_core.ui.jobs import Job

ROOT = Path(bertviz_core.__file__).parents[1]
_made: dict[str, int] = {}  # how many layouts of each model this process has made
_log = logging.getLogger(__name__)
_ITERATION = re.compile(r"\[t-SNE\] Iteration (\d+):")


def layout_of(bert: Bert) -> TokenMap | None:
    """The layout of a model, once there is one; see `neighbors.layout`."""
    return _layout(bert, _made.get(bert.name, 0))[0]


@once
def _layout(bert: Bert, made: int) -> tuple[TokenMap | None]:
    return (known_layout(bert),)


def offer_layout(bert: Bert) -> None:
    """Ask whether to lay a table out, and show how far that is; the page runs anew at its end."""
    key = ("token map", bert.name)
    job = jobs.find(key)
    if jobs.say_failed(job, "No t-SNE map"):
        return
    if job is None or job.state != "running":
        if not begin_button(
            "Compute the t-SNE map",
            f"Places the {bert.vocab_size:,} rows of {bert.name} so that near rows stay near. "
            "It takes some minutes, once. Until then the map is a PCA.",
            icon=":material/scatter_plot:",
            key="lay_out",
        ):
            return
        jobs.begin(key, f"The t-SNE map of {bert.name}", _work(bert), finish=True)
    jobs.follow_beside(key, lambda job: f"Placing the rows: {job.done:,} of {ITERATIONS:,} steps")


def command(name: str, path: Path) -> list[str]:
    """The process that lays out a model's table and writes it to a file."""
    return [sys.executable, "-m", "bertviz_core.neighbors.layout", name, str(path)]


def _work(bert: Bert) -> Callable[[Job], None]:
    """Lay out in a process of its own: a thread would slow every page for minutes."""

    def work(job: Job) -> None:
        with TemporaryDirectory() as folder:
            path = Path(folder) / "layout.npz"
            process = subprocess.Popen(
                command(bert.name, path),
                cwd=ROOT,
                env=os.environ | {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"},
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
            )
            line = ""
            with process:
                for line in process.stdout or ():
                    if step := _ITERATION.match(line):
                        job.report(int(step[1]), ITERATIONS)
            layout = read_layout(path, table_key(bert))
        if layout is None:
            _log.warning("No map of %s: %s", bert.name, line)
            raise BertvizError("the computation stopped early; the server's log has the details.")
        save_layout(bert, layout)
        _made[bert.name] = _made.get(bert.name, 0) + 1  # look at the disk again

    return work
