"""What the server keeps of visitors' files, whatever they send to its upload route."""

import asyncio
import os
import sys
import tomllib
import urllib.request
from urllib.error import HTTPError, URLError

import pytest
from starlette.exceptions import HTTPException
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager
from streamlit.runtime.uploaded_file_manager import UploadedFileRec

from benchmarks.app_server import free_port
from benchmarks.session import Viewer
from bertviz_core.ui.browser import uploads
from bertviz_core.ui.browser.uploads import MOST_BYTES, MOST_FILES, MOST_IN_ALL, bound
from bertviz_core.ui.word_senses.sources import MOST_TEXT, MOST_VECTORS
from tests.headless import ROOT
from tests.live_app import at_port, serving

# The app with limits of a fiftieth: what it does at them does not depend on their size.
SMALLER = f"""
from bertviz_core.ui.browser import uploads
uploads.MOST_BYTES, uploads.MOST_IN_ALL = {MOST_BYTES // 50}, {MOST_IN_ALL // 50}
from streamlit.web.cli import main
main(prog_name="streamlit")
"""


@pytest.fixture
def manager(monkeypatch: pytest.MonkeyPatch) -> MemoryUploadedFileManager:
    monkeypatch.setattr(uploads, "MOST_BYTES", 100)
    monkeypatch.setattr(uploads, "MOST_IN_ALL", 250)
    manager = MemoryUploadedFileManager("upload")
    for _ in range(3):  # once is enough, and more does no harm
        bound(manager)
    return manager


def send(manager: MemoryUploadedFileManager, session: str, name: str, size: int) -> None:
    manager.add_file(session, UploadedFileRec(name, name, "text/plain", b"x" * size))


def test_the_newest_files_of_a_session_stay(manager: MemoryUploadedFileManager) -> None:
    for number in range(10):
        send(manager, "a", str(number), 1)
    assert list(manager.file_storage["a"]) == ["6", "7", "8", "9"]
    send(manager, "a", "large", 98)
    assert list(manager.file_storage["a"]) == ["8", "9", "large"]
    send(manager, "a", "large", 99)  # sent again
    assert list(manager.file_storage["a"]) == ["9", "large"]


def test_a_file_too_many_of_all_is_refused(manager: MemoryUploadedFileManager) -> None:
    for session in ("a", "b"):
        send(manager, session, "x", 100)
    with pytest.raises(HTTPException, match="as many files as it can"):
        send(manager, "c", "x", 51)
    send(manager, "c", "x", 50)
    manager.remove_session_files("a")
    send(manager, "d", "x", 100)


def test_the_limits_fit_together() -> None:
    config = tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text(encoding="utf-8"))
    assert config["server"]["maxUploadSize"] == max(MOST_VECTORS, MOST_TEXT)
    largest = MOST_VECTORS * 1024 * 1024
    assert largest < MOST_BYTES < MOST_IN_ALL
    assert MOST_FILES >= 2


async def answers(url: str) -> list[int]:
    """What the server answers to more than 1 MB, to 0.98 MB of one session twice, and of many."""
    got: list[int] = []

    async def upload(viewer: Viewer, size: int) -> None:
        try:
            await viewer.upload("text", "x.txt", b"x" * size)
            got.append(204)
        except HTTPError as error:
            got.append(error.code)
        except URLError:  # the answer came, and the end of the connection, before all was sent
            got.append(413)

    viewers = [Viewer(url) for _ in range(5)]
    for viewer in viewers:
        await viewer.__aenter__()
        await viewer.open("Word_Senses", **{"from": "text file"})
    await upload(viewers[0], 1_060_000)
    for viewer in [viewers[0], *viewers]:
        await upload(viewer, 980_000)
    for viewer in viewers:
        await viewer.__aexit__(None, None, None)
    return got


def test_a_server_keeps_within_the_limits() -> None:
    port = free_port()
    command = [sys.executable, "-c", SMALLER, "run", "app.py", *at_port(port)]
    command += ["--server.maxUploadSize", "1"]
    with serving(command, port, cwd=ROOT, env=os.environ) as (url, _):
        assert asyncio.run(answers(url)) == [413, 204, 204, 204, 204, 204, 507]
        with urllib.request.urlopen(f"{url}/_stcore/metrics") as page:
            metrics = page.read().decode()
    (line,) = [line for line in metrics.splitlines() if 'cache_type="UploadedFileManager"' in line]
    assert 3 * 980_000 < float(line.split()[-1]) <= MOST_IN_ALL / 50
