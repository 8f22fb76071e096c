"""What Word Senses makes beside the page or in turn: runs of the model, visitors' files."""

import threading
from typing import Any

import pytest
from streamlit.delta_generator import DeltaGenerator

from bertviz_core import senses
from bertviz_core.senses import prepared_set, sense_vectors
from bertviz_core.shared import queue
from bertviz_core.ui.forms import word_senses_sources as sources
from bertviz_core.ui.forms.word_senses_sources import TEXT, VECTORS
from tests.data.vector_files import npz_file, numbers, rows_of
from tests.headless import charts, open_page, said
from tests.waiting import held, wait_for

pytestmark = pytest.mark.usefixtures("fresh_caches")
PAGE = "pages/5_Word_Senses.py"
NPZ = npz_file(vectors=numbers(8), **rows_of(8))
LINES = b"a bank\n" * 8
UPLOADS = [(VECTORS, "vectors", "x.npz", NPZ), (TEXT, "text", "x.txt", LINES)]


def test_two_viewers_share_one_run_and_see_its_progress(monkeypatch: pytest.MonkeyPatch) -> None:
    go_on, runs = threading.Event(), []
    pages: list[Any] = []
    shown: list[tuple[float, str]] = []
    draw = DeltaGenerator.progress

    def slow(*arguments: Any, progress: Any, **options: Any) -> Any:
        def slowly(done: int, total: int) -> None:
            progress(done, total)
            go_on.wait(20)

        runs.append(arguments)
        return sense_vectors(*arguments, progress=slowly, **options)

    def progress(self: DeltaGenerator, share: float, text: str) -> Any:
        shown.append((share, text))
        return draw(self, share, text)

    monkeypatch.setattr(senses, "sense_vectors", slow)
    monkeypatch.setattr(DeltaGenerator, "progress", progress)
    viewers = [threading.Thread(target=lambda: pages.append(open_page(PAGE))) for _ in range(2)]
    last = f"of {len(prepared_set('bank').occurrences)} occurrences"
    try:
        for count, viewer in enumerate(viewers, start=1):
            # One after the other: two headless pages that begin at once may mix up their pages.
            viewer.start()
            wait_for(lambda: sum(text.endswith(last) for _, text in shown) >= count)  # noqa: B023
        assert not pages
    finally:
        go_on.set()
    for viewer in viewers:
        viewer.join(60)
    first, second = (charts(page)[0] for page in pages)
    assert first == second
    open_page(PAGE, layer="3")
    assert len(runs) == 1
    assert all(0 <= share <= 1 for share, _ in shown)


@pytest.mark.parametrize(("source", "key", "name", "content"), UPLOADS)
def test_it_waits_in_the_line_of_the_model(
    source: str, key: str, name: str, content: bytes
) -> None:
    app = open_page(PAGE, **{"from": source, "senseword": "bank"})
    app.file_uploader(key=key).set_value((name, content, ""))
    viewer = threading.Thread(target=app.run)
    with held(queue):
        viewer.start()
        wait_for(lambda: queue.waiting == 1)
    viewer.join()
    assert not app.exception
    assert charts(app)
    with held(queue):  # what was opened does not wait
        assert charts(app.run())


@pytest.mark.parametrize(("source", "key", "name", "content"), UPLOADS)
def test_a_file_that_takes_too_long_is_ended(
    source: str, key: str, name: str, content: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sources, "LONGEST", 0)
    app = open_page(PAGE, **{"from": source, "senseword": "bank"})
    app.file_uploader(key=key).set_value((name, content, "")).run()
    assert not app.exception
    assert "Reading the file took longer than 0 seconds, and was ended." in said(app)
    assert not charts(app)


def test_the_bytes_of_a_file_tell_what_it_is() -> None:
    app = open_page(PAGE, **{"from": VECTORS})
    for name in ("x.parquet", "x"):
        app.file_uploader(key="vectors").set_value((name, b"PAR1" + bytes(90), "")).run()
        assert not app.exception
        assert "The file is not an NPZ file" in said(app)
    app.file_uploader(key="vectors").set_value(("x.exe", NPZ, "")).run()
    assert charts(app)


def test_a_file_that_has_gone_is_asked_for() -> None:
    app = open_page(PAGE, **{"from": VECTORS})
    assert "no longer on the server" not in said(app)
    app.session_state["_kept_vectors"] = "a file that made room"
    app.run()
    assert not app.exception
    assert "Your file is no longer on the server. Choose it again." in said(app)
