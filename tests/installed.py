"""The wheel, installed in a fresh environment that knows nothing of the clone."""

import os
import shutil
import socket
import subprocess
import sys
import sysconfig
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]
LIBRARIES = Path(sysconfig.get_path("purelib"))  # of this environment, as tested
# Runs first in every process of the fresh environment, and notes what it opens of the clone.
WATCH = """
import os, sys
notes = os.open({notes!r}, os.O_WRONLY | os.O_APPEND)
def watch(event, arguments):
    if event in ("open", "os.listdir", "os.scandir") and isinstance(arguments[0], str):
        path = os.path.abspath(arguments[0]) + os.sep
        if path.startswith({clone!r}) and not path.startswith({libraries!r}):
            os.write(notes, (path[:-1] + chr(10)).encode())
sys.addaudithook(watch)
"""


@dataclass(frozen=True)
class Installed:
    """An environment outside the clone with the wheel in it.

    Attributes:
        folder: Where it lies.
        wheel: The file.
        notes: Where its processes write which files of the clone they open.
    """

    folder: Path
    wheel: Path
    notes: Path

    @property
    def bertviz(self) -> Path:
        """The command."""
        return self.folder / "bin" / "bertviz"

    def opened_of_clone(self) -> list[str]:
        """What its processes have opened of the clone since this was last asked."""
        paths = self.notes.read_text(encoding="utf-8").splitlines()
        self.notes.write_text("", encoding="utf-8")
        return paths

    def run(self, *command: str | Path) -> "subprocess.CompletedProcess[str]":
        """Run something to its end, in an empty folder; its output."""
        return subprocess.run(
            command, cwd=_emptied(self.folder), env=_environment(), capture_output=True, text=True,
            check=False,
        )  # fmt: skip

    @contextmanager
    def serving(self) -> "Iterator[tuple[str, subprocess.Popen[bytes]]]":
        """`bertviz run` from an empty folder, on a free port; its address and process."""
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        options = ["--server.headless", "true", "--server.port", str(port)]
        server = subprocess.Popen(
            [self.bertviz, "run", *options, "--server.address", "127.0.0.1"],
            cwd=_emptied(self.folder),
            env=_environment(),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        address = f"http://127.0.0.1:{port}"
        try:
            _wait_for(f"{address}/_stcore/health", server)
            yield address, server
        finally:
            server.terminate()
            server.wait(timeout=20)


def install(folder: Path) -> Installed:
    """Build the wheel and install it; libraries are those of this environment.

    They were installed by the lock already. A copy of them would take a minute and show nothing
    more: `pip check` in the fresh environment says whether the wheel's own demands are met.
    """
    built, environment = folder / "dist", folder / "environment"
    _succeeds(sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", built)
    (wheel,) = built.iterdir()
    _succeeds(sys.executable, "-m", "venv", "--without-pip", environment)
    python = environment / "bin" / "python"
    _succeeds(sys.executable, "-m", "pip", "--python", python, "install", "--no-deps",
              "--no-index", "--no-compile", wheel)  # fmt: skip
    (own,) = environment.glob("lib/python*/site-packages")
    # Its .pth files are not read from here, so an editable install of the clone does not count.
    (own / "libraries.pth").write_text(f"{LIBRARIES}\n", encoding="utf-8")
    notes = folder / "opened.txt"
    notes.touch()
    (own / "sitecustomize.py").write_text(
        WATCH.format(notes=str(notes), clone=f"{ROOT}/", libraries=f"{LIBRARIES}/"),
        encoding="utf-8",
    )
    return Installed(environment, wheel, notes)


def _succeeds(*command: str | Path) -> None:
    done = subprocess.run(
        command, cwd=ROOT, env=_environment(), capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, (done.stdout + done.stderr)[-2000:]


def _environment() -> dict[str, str]:
    """Without what leads a process to the clone."""
    return {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}


def _emptied(folder: Path) -> Path:
    work = folder / "work"
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir()
    return work


def _wait_for(url: str, server: "subprocess.Popen[bytes]") -> None:
    for _ in range(600):
        assert server.poll() is None, f"the app ended with code {server.returncode}"
        try:
            urllib.request.urlopen(url, timeout=1)
        except OSError:
            time.sleep(0.1)
        else:
            return
    raise TimeoutError(url)
