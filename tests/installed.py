"""The wheel, installed in a fresh environment that knows nothing of the clone."""

import os
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from benchmarks.app_server import free_port
from tests.live_app import at_port, serving

ROOT = Path(__file__).parents[1]
LIBRARIES = Path(sysconfig.get_path("purelib"))  # of this environment, as tested


@dataclass(frozen=True)
class Installed:
    """An environment outside the clone with the wheel in it."""

    folder: Path
    wheel: Path

    @property
    def command(self) -> Path:
        """The command."""
        return self.folder / "bin" / "bert-explorer"

    def run(self, *command: str | Path) -> "subprocess.CompletedProcess[str]":
        """Run something to its end, in an empty folder; its output."""
        return subprocess.run(
            command, cwd=_emptied(self.folder), env=_environment(), capture_output=True, text=True,
            check=False,
        )  # fmt: skip

    @contextmanager
    def serving(self) -> "Iterator[tuple[str, subprocess.Popen[bytes]]]":
        """`bert-explorer run` from an empty folder, on a free port; its address and process."""
        port = free_port()
        command = [self.command, "run", *at_port(port)]
        work = _emptied(self.folder)
        with serving(command, port, cwd=work, env=_environment(), patience=60) as served:
            yield served


def install(folder: Path) -> Installed:
    """Build the wheel and install it; its libraries are those of this environment.

    `pip check` in the fresh one says whether the wheel's own demands are met.
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
    return Installed(environment, wheel)


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
