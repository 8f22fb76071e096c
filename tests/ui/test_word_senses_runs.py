"""What Word Senses makes beside the page or in turn: runs of the model, visitors' files."""

import threading

import pytest

from bertviz_core.shared import queue
from bertviz_core.ui import senses
from tests.data.vector_files import npz_file, numbers, rows_of
from tests.headless import charts, open_page, said
from tests.waiting import held, wait_for

pytestmark = pytest.mark.usefixtures("fresh_caches")
TEXT, VECTORS = "text file", "file of vectors"
PAGE = "pages/5_Word_Senses.py"
NPZ = npz_file(vectors=numbers(8), **rows_of(8))
LINES = b"a bank\n" * 8
UPLOADS = [(VECTORS, "vectors", "x.npz", NPZ), (TEXT, "text", "x.txt", LINES)]


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
    monkeypatch.setattr(senses, "MAX_SECONDS", 0)
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


def test_a_text_that_is_too_large_is_refused() -> None:
    app = open_page(PAGE, **{"from": TEXT, "senseword": "bank"})
    app.file_uploader(key="text").set_value(("x.txt", b"a bank\n" * 800_000, "")).run()
    assert "The file has 5.6 MB; up to 5 MB can be read here." in said(app)
    assert not charts(app)
