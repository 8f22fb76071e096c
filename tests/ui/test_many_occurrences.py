"""The run over many occurrences, beside the page on word senses: shared by viewers, and shown."""

import threading
from typing import Any

import pytest
from streamlit.delta_generator import DeltaGenerator

from bertviz_core import senses
from bertviz_core.senses import prepared_set, sense_vectors
from tests.headless import charts, html, open_page
from tests.waiting import wait_for

pytestmark = pytest.mark.usefixtures("fresh_caches")
PAGE = "pages/5_Word_Senses.py"


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
    for viewer in viewers:
        viewer.start()
    last = f"of {len(prepared_set('bank').occurrences)} occurrences"
    wait_for(lambda: sum(text.endswith(last) for _, text in shown) >= 2)
    assert not pages
    go_on.set()
    for viewer in viewers:
        viewer.join(60)
    first, second = (charts(page)[0] for page in pages)
    assert first == second
    open_page(PAGE, layer="3")
    assert len(runs) == 1
    assert all(0 <= share <= 1 for share, _ in shown)


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
