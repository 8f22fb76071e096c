"""Start the real app, or a small one, in a fresh process and stop it again."""

import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parent.parent
EMBEDDED = "all-MiniLM-L6-v2"
MAX_WAIT = 60.0  # seconds


@dataclass(frozen=True)
class RunningApp:
    """A server that answers."""

    url: str  # without a slash at the end
    pid: int
    started: float  # `time.time()` just before the process was started

    @property
    def stream(self) -> str:
        """The address of its WebSocket."""
        return self.url.replace("http", "ws", 1) + "/_stcore/stream"


@contextmanager
def running(
    folder: Path, environment: Mapping[str, str] | None = None, *, port: int | None = None
) -> Iterator[RunningApp]:
    """Run `streamlit run app.py` in a folder until the block ends.

    `environment` is added to this process's; without it the embedded model is used. A browser's
    cache belongs to one `port`.
    """
    port = port or free_port()
    command = [sys.executable, "-m", "streamlit", "run", "app.py", *at_port(port)]
    # Python keeps what it compiles, as it does for a user: only the first start is without.
    others = ("BERTVIZ_", "STREAMLIT_", "PYTHONDONTWRITEBYTECODE")
    own = {name: value for name, value in os.environ.items() if not name.startswith(others)}
    own |= {"BERTVIZ_MODEL": EMBEDDED} | dict(environment or {})
    started = time.time()
    with serving(command, port, cwd=folder, env=own) as (url, process):
        yield RunningApp(url, process.pid, started)


def at_port(port: int) -> tuple[str, ...]:
    """Streamlit's options for a server without a window, for this machine alone."""
    return (
        *("--server.headless", "true", "--server.port", str(port)),
        *("--server.address", "127.0.0.1"),
    )


@contextmanager
def serving(
    command: Sequence[str | Path], port: int, *, cwd: Path, env: Mapping[str, str],
    patience: float = MAX_WAIT,
) -> "Iterator[tuple[str, subprocess.Popen[bytes]]]":  # fmt: skip
    """Run a server until it is no longer needed; its address and process, once it answers."""
    process = subprocess.Popen(
        command, cwd=cwd, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    url = f"http://127.0.0.1:{port}"
    try:
        _wait_for(f"{url}/_stcore/health", process, patience)
        yield url, process
    finally:
        process.terminate()
        try:
            process.wait(20)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def copied_app(folder: Path) -> Path:
    """Copy what the app is made of into a new folder: edits during a run do not matter."""
    folder.mkdir(parents=True)
    shutil.copy(ROOT / "app.py", folder)
    for part in ("pages", "bertviz_core", "docs", ".streamlit"):
        shutil.copytree(
            ROOT / part, folder / part, ignore=shutil.ignore_patterns("__pycache__", ".*cache")
        )
    return folder


@contextmanager
def own_app(environment: Mapping[str, str] | None = None) -> Iterator[RunningApp]:
    """A copy of the real app, running until the block ends."""
    with (
        tempfile.TemporaryDirectory() as folder,
        running(copied_app(Path(folder) / "app"), environment) as app,
    ):
        yield app


def small_app(folder: Path, script: str) -> Path:
    """Write an app of one script into a new folder, with the settings of the real one."""
    folder.mkdir(parents=True)
    (folder / "app.py").write_text(script, encoding="utf-8")
    shutil.copytree(ROOT / ".streamlit", folder / ".streamlit")
    return folder


def free_port() -> int:
    """A port nobody listens on now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _wait_for(address: str, process: subprocess.Popen[bytes], patience: float) -> None:
    deadline = time.monotonic() + patience
    while time.monotonic() < deadline:
        if process.poll() is not None:
            raise RuntimeError(f"the server ended with code {process.returncode}")
        try:
            with urllib.request.urlopen(address, timeout=1) as answer:
                if answer.status == 200:
                    return
        except OSError:
            time.sleep(0.01)
    raise RuntimeError("the server did not answer in time")
