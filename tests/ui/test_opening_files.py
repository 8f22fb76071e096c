"""Opening a visitor's file: one at a time for all viewers, and not for long."""

import io
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from bertviz_core import senses
from bertviz_core.ui.results import queue
from bertviz_core.ui.word_senses import results
from bertviz_core.ui.word_senses.sources import TEXT, VECTORS
from bertviz_core.vector_files import read
from tests.data.vector_files import numbers, table_file
from tests.headless import charts, open_page, said
from tests.waiting import held, wait_for

pytestmark = pytest.mark.usefixtures("fresh_caches")
PAGE = "pages/5_Word_Senses.py"
TABLE = table_file(numbers(8))
LINES = b"a bank\n" * 8


def test_one_file_is_opened_at_a_time_and_each_once(monkeypatch: pytest.MonkeyPatch) -> None:
    opening, most, opened = 0, 0, []

    def one_at_a_time(real):
        def work(file, *others):
            nonlocal opening, most
            opening += 1
            most = max(most, opening)
            opened.append(real.__name__)
            time.sleep(0.05)
            opening -= 1
            return real(file, *others)

        return work

    monkeypatch.setattr(results, "read", one_at_a_time(read))
    monkeypatch.setattr(senses, "lines_of", one_at_a_time(senses.lines_of))
    with ThreadPoolExecutor(8) as viewers:
        vectors = [
            viewers.submit(results.opened_file, name, None, io.BytesIO(TABLE)) for name in "abab"
        ]
        texts = [
            viewers.submit(results.searched_file, name, "bank", io.BytesIO(LINES))
            for name in "cdcd"
        ]
    assert [one.result().total for one in vectors + texts] == [8] * 8
    assert most == 1
    assert sorted(opened) == ["lines_of"] * 2 + ["read"] * 2


@pytest.mark.parametrize(
    ("source", "key", "name", "content"),
    [(VECTORS, "vectors", "x.csv", TABLE), (TEXT, "text", "x.txt", LINES)],
)
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


@pytest.mark.parametrize(
    ("source", "key", "name", "content"),
    [(VECTORS, "vectors", "x.csv", TABLE), (TEXT, "text", "x.txt", LINES)],
)
def test_a_file_that_takes_too_long_is_ended(
    source: str, key: str, name: str, content: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(results, "LONGEST", 0)
    app = open_page(PAGE, **{"from": source, "senseword": "bank"})
    app.file_uploader(key=key).set_value((name, content, "")).run()
    assert not app.exception
    assert "Reading the file took longer than 0 seconds, and was ended." in said(app)
    assert not charts(app)


@pytest.mark.parametrize("name", ["x.parquet", "x.exe", "x"])
def test_a_file_of_another_ending_is_told_by_its_bytes(name: str) -> None:
    app = open_page(PAGE, **{"from": VECTORS})
    app.file_uploader(key="vectors").set_value((name, b"PAR1" + bytes(90), "")).run()
    assert not app.exception
    assert "Parquet files cannot be opened here" in said(app)
    app.file_uploader(key="vectors").set_value((name, TABLE, "")).run()
    assert charts(app)


def test_a_file_that_has_gone_is_asked_for() -> None:
    app = open_page(PAGE, **{"from": VECTORS})
    assert "no longer on the server" not in said(app)
    app.session_state["_kept_vectors"] = "a file that made room"
    app.run()
    assert not app.exception
    assert "Your file is no longer on the server. Choose it again." in said(app)
