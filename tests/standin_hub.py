"""A stand-in for the Hugging Face hub on this machine, with faults that can be switched on.

It answers HEAD and GET of /{repo}/resolve/{revision}/{file} as the hub does: weights as a large
file whose linked ETag is their SHA-256.
"""

import hashlib
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from bertviz_core.checkpoints.catalog import OfferedModel
from bertviz_core.checkpoints.checkpoint import WEIGHTS, snapshot_folder

REVISION = "0123456789abcdef0123456789abcdef01234567"
REPO = "someone/tiny-bert"
MODEL = OfferedModel("tiny-bert", repo_id=REPO, revision=REVISION)


def snapshot() -> Path:
    """Where the files of the model arrive."""
    return snapshot_folder(REPO, REVISION)


@dataclass
class StandinHub:
    """What is served, what is broken, and what was asked for."""

    files: dict[str, bytes]  # one that is absent is a 404 as the hub words it
    revision: str = REVISION  # that the server names
    sent_instead: dict[str, bytes] = field(default_factory=dict)  # of the same length
    longer: dict[str, int] = field(default_factory=dict)  # bytes beyond those that are announced
    status: int | None = None  # of HTTP, in place of any file
    cut_at: int | None = None  # the connection breaks when this byte of the weights would follow
    asked: list[tuple[str, str]] = field(default_factory=list)  # method, file
    endpoint: str = ""  # address of the server

    def etag(self, name: str) -> str:
        return hashlib.sha256(self.files[name]).hexdigest()

    def fetched(self, name: str) -> int:
        """How often the body of a file was asked for."""
        return self.asked.count(("GET", name))


@contextmanager
def standin_hub(folder: Path) -> Iterator[StandinHub]:
    """Serve the files of a folder on a free port of 127.0.0.1."""
    hub = StandinHub(
        {
            path.relative_to(folder).as_posix(): path.read_bytes()
            for path in folder.rglob("*")
            if path.is_file()
        }
    )

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_HEAD(self) -> None:
            self._answer(body=False)

        def do_GET(self) -> None:
            self._answer(body=True)

        def _answer(self, *, body: bool) -> None:
            name = re.sub("^/.*?/resolve/[^/]*/", "", self.path)
            hub.asked.append((self.command, name))
            if self.path not in {f"/{REPO}/resolve/{at}/{name}" for at in (REVISION, "main")}:
                self._head(404, {"Content-Length": "0", "X-Error-Code": "RepoNotFound"})
                return
            if hub.status:
                self._head(hub.status, {"Content-Length": "0"})
                return
            if name not in hub.files:
                self._head(404, {"Content-Length": "0", "X-Error-Code": "EntryNotFound"})
                return
            content = hub.sent_instead.get(name, hub.files[name])
            announced = len(content)
            if body:
                content += bytes(hub.longer.get(name, 0))
            headers = {"ETag": f'"{hub.etag(name)}"', "Content-Length": str(len(content))}
            if name.endswith(WEIGHTS):
                headers["X-Linked-ETag"] = headers["ETag"]
                headers["X-Linked-Size"] = str(announced)
            self._head(200, headers)
            if body:
                cut = hub.cut_at if name == WEIGHTS else None
                self.close_connection |= cut is not None
                self.wfile.write(content[:cut])

        def _head(self, status: int, headers: dict[str, str]) -> None:
            self.send_response(status)
            self.send_header("X-Repo-Commit", hub.revision)
            for name, value in headers.items():
                self.send_header(name, value)
            self.end_headers()

        def log_message(self, format: str, *args: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    server.block_on_close = False
    hub.endpoint = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield hub
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
