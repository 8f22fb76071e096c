"""The run over many occurrences, beside the page on word senses: shared, shown, ended when left."""

import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest
from streamlit.delta_generator import DeltaGenerator

from bertviz_core import senses
from bertviz_core.bert import Bert
from bertviz_core.senses import prepared_set, sense_vectors
from bertviz_core.ui import jobs
from bertviz_core.ui.word_senses import results
from bertviz_core.ui.word_senses.shelves import Key, shelves
from tests.headless import charts, html, open_page
from tests.waiting import wait_for

pytestmark = pytest.mark.usefixtures("fresh_caches")
PAGE = "pages/5_Word_Senses.py"


class Slow:
    """Stands in for `senses.sense_vectors`: each batch waits until it is let go."""

    def __init__(self) -> None:
        self.runs = 0
        self.batches = 0
        self.go_on = threading.Event()

    def __call__(self, *arguments: Any, progress: Any, **options: Any) -> Any:
        self.runs += 1

        def slowly(done: int, total: int) -> None:
            self.batches += 1
            progress(done, total)
            while not self.go_on.wait(0.02):
                progress(done, total)

        return sense_vectors(*arguments, progress=slowly, **options)


@pytest.fixture
def slow(monkeypatch: pytest.MonkeyPatch) -> Iterator[Slow]:
    run = Slow()
    monkeypatch.setattr(senses, "sense_vectors", run)
    yield run
    run.go_on.set()


def test_equal_work_of_two_viewers_is_done_once(slow: Slow) -> None:
    pages: list[Any] = []
    viewers = [threading.Thread(target=lambda: pages.append(open_page(PAGE))) for _ in range(2)]
    for viewer in viewers:
        viewer.start()
    wait_for(lambda: slow.batches > 0)
    time.sleep(0.5)  # until both wait
    assert not pages
    slow.go_on.set()
    for viewer in viewers:
        viewer.join(60)
    first, second = (charts(page)[0] for page in pages)
    assert first == second
    assert slow.runs == 1
    open_page(PAGE, layer="3")
    assert slow.runs == 1


def test_the_progress_is_shown(slow: Slow, monkeypatch: pytest.MonkeyPatch) -> None:
    shown: list[tuple[float, str]] = []
    draw = DeltaGenerator.progress

    def progress(self: DeltaGenerator, share: float, text: str) -> Any:
        shown.append((share, text))
        return draw(self, share, text)

    monkeypatch.setattr(DeltaGenerator, "progress", progress)
    viewer = threading.Thread(target=open_page, args=(PAGE,))
    viewer.start()
    total = len(prepared_set("bank").occurrences)
    wait_for(lambda: any(text.endswith(f"of {total} occurrences") for _, text in shown))
    slow.go_on.set()
    viewer.join(60)
    assert all(0 <= share <= 1 for share, _ in shown)
    assert [share for share, _ in shown] == sorted(share for share, _ in shown)


def test_work_that_its_viewer_left_ends(
    slow: Slow, minilm: Bert, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(jobs, "PATIENCE", 0.2)
    occurrences = prepared_set("bank").occurrences
    key = Key(minilm.name, "left behind", "mean")
    shelf = shelves.shelf_for(key)
    job = results.fill(shelf, key, occurrences, "mean")  # and nobody follows it
    wait_for(lambda: job.state == "abandoned")
    assert (slow.runs, slow.batches) == (1, 1)
    assert shelf.vectors is None
    slow.go_on.set()
    monkeypatch.setattr(jobs, "PATIENCE", 60)
    job = results.fill(shelf, key, occurrences, "mean")
    wait_for(lambda: job.state == "done")
    assert shelf.vectors is not None
    assert job.result is None  # the vectors are kept once


def test_a_failure_is_said_and_another_try_is_possible(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*arguments: Any, **options: Any) -> None:
        raise MemoryError

    with monkeypatch.context() as patched:
        patched.setattr(senses, "sense_vectors", fail)
        app = open_page(PAGE)
    assert "bx-alert" in html(app)
    assert not charts(app)
    app.run()
    assert "bx-alert" not in html(app)
    assert charts(app)
