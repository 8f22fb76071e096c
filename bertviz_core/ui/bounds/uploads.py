"""How much of visitors' files the server keeps in memory.

Streamlit keeps every file of a session until two minutes after its browser has gone, and takes any
number of them from whoever has a session, whatever the page asks for: seen with 1.67, asked for in
https://github.com/streamlit/streamlit/issues/3401
"""

import threading
import time
from collections.abc import Sequence
from http import HTTPStatus
from typing import Any

from starlette.exceptions import HTTPException
from streamlit import runtime
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager
from streamlit.runtime.uploaded_file_manager import UploadedFileRec

MOST_IN_ALL = 200 * 1024 * 1024  # bytes of all sessions
# Of one session: a tenth, which is one file of the largest size (server.maxUploadSize).
MOST_FILES, MOST_BYTES = 4, MOST_IN_ALL // 10
IN_USE = 60.0  # seconds for which a file that a page has looked at stays, whoever wants room
_INSTALLING = threading.Lock()


def bound_uploads() -> None:
    """Bound what the server that runs this page keeps; every page calls it."""
    if runtime.exists():
        manager: Any = runtime.get_instance().uploaded_file_mgr
        if type(manager) is MemoryUploadedFileManager:  # the tests' harness has another
            bound(manager)


def bound(manager: MemoryUploadedFileManager) -> None:
    """Take the place of a manager's `add_file` and `get_files`, once.

    Of a session, the newest files stay. When all sessions together hold too much, the file goes
    that no page has looked at for longest; one that was looked at within a minute stays, and the
    new file is refused instead. A page whose file has gone asks for it.

    Streamlit 1.67 calls `add_file` for an upload, and answers with the status of an `HTTPException`
    that comes out of it; `get_files` is called at every run of a page whose field has a file.
    """
    with _INSTALLING:
        if "add_file" in vars(manager):
            return
        add, get, adding = manager.add_file, manager.get_files, threading.Lock()
        looked_at: dict[tuple[str, str], float] = {}  # by session and file

        def get_files(session_id: str, file_ids: Sequence[str]) -> list[UploadedFileRec]:
            with adding:
                found = get(session_id, file_ids)
                looked_at.update({(session_id, one.file_id): time.monotonic() for one in found})
            return found

        def add_file(session_id: str, file: UploadedFileRec) -> None:
            # Streamlit's field raises at such a name, at every run of its page.
            file = file._replace(name=file.name.replace("\0", "\ufffd"))
            with adding:
                held = manager.file_storage.get(session_id, {}).copy()
                held.pop(file.file_id, None)  # one that is sent again takes its own place
                manager.remove_file(session_id, file.file_id)
                size = len(file.data) + sum(len(one.data) for one in held.values())
                for file_id, oldest in held.copy().items():
                    if len(held) < MOST_FILES and size <= MOST_BYTES:
                        break
                    manager.remove_file(session_id, file_id)
                    del held[file_id]
                    size -= len(oldest.data)
                make_room(len(file.data))
                looked_at[session_id, file.file_id] = time.monotonic()
                add(session_id, file)

        def make_room(size: int) -> None:
            with manager._lock:
                storage = manager.file_storage
                held = [(one, file) for one, files in storage.items() for file in files]
            for gone in looked_at.keys() - set(held):
                del looked_at[gone]
            for one in sorted(held, key=lambda one: looked_at.get(one, 0)):
                used = looked_at.get(one, 0) > time.monotonic() - IN_USE
                if used or manager._total_bytes + size <= MOST_IN_ALL:
                    break
                manager.remove_file(*one)
            if manager._total_bytes + size > MOST_IN_ALL:
                raise HTTPException(
                    HTTPStatus.INSUFFICIENT_STORAGE,
                    "The server holds as many files as it can; try again in a minute.",
                )

        manager.add_file = add_file  # type: ignore[method-assign]
        manager.get_files = get_files  # type: ignore[method-assign]
