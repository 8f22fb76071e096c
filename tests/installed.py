"""Fresh environments that know nothing of the clone: of the wheel, and of what a host installs."""

import importlib.metadata
import os
import shutil
import subprocess
import sys
import sysconfig
import tarfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from benchmarks.app_server import at_port, free_port, serving

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
            command, cwd=_emptied(self.folder), env=clean(), capture_output=True, text=True,
            check=False,
        )  # fmt: skip

    @contextmanager
    def serving(self) -> "Iterator[tuple[str, subprocess.Popen[bytes]]]":
        """`bert-explorer run` from an empty folder, on a free port; its address and process."""
        port = free_port()
        command = [self.command, "run", *at_port(port)]
        work = _emptied(self.folder)
        with serving(command, port, cwd=work, env=clean(), patience=60) as served:
            yield served


def install(folder: Path) -> Installed:
    """Build the wheel, from the source archive alone, and install it beside these libraries."""
    built, environment = folder / "dist", folder / "environment"
    _succeeds(sys.executable, "-m", "hatchling", "build", "-t", "sdist", "-d", built)
    (archive,) = built.iterdir()
    with tarfile.open(archive) as source:
        source.extractall(folder, filter="data")
    unpacked = folder / archive.name.removesuffix(".tar.gz")
    _succeeds(sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", built, at=unpacked)
    (wheel,) = built.glob("*.whl")
    python = made(environment)
    put(wheel, python)
    (own,) = environment.glob("lib/python*/site-packages")
    # Its .pth files are not read from here, so an editable install of the clone does not count.
    (own / "libraries.pth").write_text(f"{LIBRARIES}\n", encoding="utf-8")
    return Installed(environment, wheel)


def made(environment: Path, needed: Iterable[str] = ()) -> Path:
    """An environment with nothing but some requirements and what they ask for; its Python.

    Their files are links to those of this environment: it is made in a second, without a network.
    """
    _succeeds(sys.executable, "-m", "venv", "--without-pip", environment)
    (own,) = environment.glob("lib/python*/site-packages")
    todo, names = [Requirement(line) for line in needed], set[str]()
    while todo:
        each = todo.pop()
        name = canonicalize_name(each.name)
        if name not in names and (not each.marker or each.marker.evaluate({"extra": ""})):
            names.add(name)
            todo += map(Requirement, importlib.metadata.requires(name) or [])
            for top in {file.parts[0] for file in importlib.metadata.files(name) or ()}:
                if top not in ("..", "__pycache__") and not (own / top).exists():
                    (own / top).symlink_to(LIBRARIES / top)
    return environment / "bin" / "python"


def put(wheel: Path, python: Path) -> None:
    """Install the wheel without what it asks for."""
    _succeeds(sys.executable, "-m", "pip", "--python", python, "install", "--no-deps",
              "--no-index", "--no-compile", wheel)  # fmt: skip


def peak_megabytes(process: int) -> tuple[int, int]:
    """The most resident memory that a process had so far, and how much of it is mapped files.

    The system may drop those. How many of their pages count depends on how it read them: of the
    same libraries 60 MB more when they had just been written.
    """
    status = Path(f"/proc/{process}/status").read_text(encoding="ascii")
    peak, files = (status.partition(f"{name}:")[2].split()[0] for name in ("VmHWM", "RssFile"))
    return int(peak) * 1024 // 1_000_000, int(files) * 1024 // 1_000_000


def _succeeds(*command: str | Path, at: Path = ROOT) -> None:
    done = subprocess.run(command, cwd=at, env=clean(), capture_output=True, text=True, check=False)
    assert done.returncode == 0, (done.stdout + done.stderr)[-2000:]


def clean() -> dict[str, str]:
    """Without what leads a process to the clone."""
    return {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}


def _emptied(folder: Path) -> Path:
    work = folder / "work"
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir()
    return work
