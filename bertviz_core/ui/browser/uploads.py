"""How much of visitors' files the server keeps in memory.

Streamlit keeps every file of a session until the session ends, and takes any number of them from
whoever has a session, whatever the page asks for.
"""

import threading
from http import HTTPStatus
from typing import Any

from starlette.exceptions import HTTPException
from streamlit import runtime
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager
from streamlit.runtime.uploaded_file_manager import UploadedFileRec

# Of one session: more than a page shows at a time, and more than the largest file alone.
MOST_FILES, MOST_BYTES = 4, 60_000_000
MOST_IN_ALL = 200_000_000  # bytes of all sessions
_INSTALLING = threading.Lock()


def bound_uploads() -> None:
    """Bound what the server that runs this page keeps; every page calls it."""
    if runtime.exists():
        manager: Any = runtime.get_instance().uploaded_file_mgr
        if type(manager) is MemoryUploadedFileManager:  # the tests' harness has another
            bound(manager)


def bound(manager: MemoryUploadedFileManager) -> None:
    """Take the place of a manager's `add_file`, once.

    Of a session, the newest files stay: a page whose file has gone asks for one. When all sessions
    together hold too much, a new file is refused.

    Args:
        manager: As Streamlit 1.67 has it: the upload route calls `add_file`, and answers with the
            status of an `HTTPException` that comes out of it.
    """
    with _INSTALLING:
        if "add_file" in vars(manager):
            return
        add, adding = manager.add_file, threading.Lock()

        def add_file(session_id: str, file: UploadedFileRec) -> None:
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
                if manager._total_bytes + len(file.data) > MOST_IN_ALL:
                    raise HTTPException(
                        HTTPStatus.INSUFFICIENT_STORAGE,
                        "The server holds as many files as it can; try again later.",
                    )
                add(session_id, file)

        manager.add_file = add_file  # type: ignore[method-assign]
