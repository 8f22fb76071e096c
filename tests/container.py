"""The Dockerfile's steps in a bare folder, for machines without Docker: `make container`.

    python -m tests.container [NAME=VALUE ...]

No image is built. What the Dockerfile says is done step by step with its own words, in a folder
that stands for the image: a fresh environment, the package installed from its sources and these
taken away, then the app by its own command, as another user if this one is root, with a tree that
cannot be written to, and home and cache in folders of their own. It is asked whether it is healthy,
two pages are opened, something is kept in the cache, and it is stopped as Docker stops it.

NAME=VALUE sets a build argument. TORCH_INDEX is empty if not given: torch then comes from where pip
takes everything else.
"""

import asyncio
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.app_server import free_port
from benchmarks.session import Viewer
from tests.dockerfile import Instruction, Stage, assigned, read

ROOT = Path(__file__).parents[1]
FOLDERS = re.compile(r"(?<![\w./])/(venv|src|cache|tmp)\b")  # of the image, that the steps name
PAGES = ("Input_Embeddings", "Word_in_Context")
LONGEST_WAIT = 120.0  # seconds


class Bare:
    """A folder that stands for an image, and what the steps have set in it."""

    def __init__(self, folder: Path, python: str, arguments: dict[str, str]) -> None:
        self.folder = folder
        self.arguments = arguments
        self.as_root = os.geteuid() == 0
        for name in ("base", "tmp", "root"):
            (folder / name).mkdir()
        # What `python` is in the base image.
        (folder / "base" / "python").write_text(f'#!/bin/sh\nexec {shlex.quote(python)} "$@"\n')
        (folder / "base" / "python").chmod(0o755)
        self.begin()

    def begin(self) -> None:
        """A new stage: nothing is set, and what was built is all there is."""
        self.set = {"PATH": f"{self.folder / 'base'}:/usr/local/bin:/usr/bin:/bin"}
        self.at = self.folder / "root"
        self.user: int | None = None

    def here(self, text: str) -> str:
        """A text with the image's folders as they are here; no other may stand in it."""
        if re.search(r"(?<![\w./])/\w", FOLDERS.sub("x", text)):
            raise ValueError(f"a folder of this machine's own: {text}")
        return FOLDERS.sub(lambda found: str(self.folder / found[1]), text)

    def do(self, step: Instruction) -> None:
        """Do one step of a stage."""
        text = self.here(step.text)
        if step.name == "ARG":
            self.set |= assigned(text, self.set) | self.arguments
        elif step.name == "ENV":
            self.set |= assigned(text, self.set)
        elif step.name == "WORKDIR":
            self.at = Path(text)
            self.at.mkdir(exist_ok=True)
        elif step.name == "USER":
            self.user = int(step.text.partition(":")[0])
        elif step.name == "RUN":
            self._run(text)
        elif step.name == "COPY" and "from" in step.flags:
            assert Path(text.split()[0]).is_dir()
        elif step.name == "COPY":
            copy_context(text.split()[:-1], self.at)

    def _run(self, text: str) -> None:
        # pip's settings and cache are this machine's.
        own = {name: os.environ[name] for name in os.environ if name.startswith("PIP_")}
        own["HOME"] = os.path.expanduser("~")
        alone = "" if self.as_root else "chown() { :; }; "  # nobody else can own anything
        command = ["bash", "-ec", alone + text]
        done = subprocess.run(command, cwd=self.at, env=own | self.set, stdout=subprocess.DEVNULL)
        if done.returncode:
            sys.exit(f"this step failed: {text}")

    def started(self, stage: Stage) -> "subprocess.Popen[bytes]":
        """Run the image's command, on a free port that only this machine reaches."""
        self.set |= {"STREAMLIT_SERVER_ADDRESS": "127.0.0.1"}
        self.set |= {"STREAMLIT_SERVER_PORT": str(free_port())}
        command = json.loads(self.here(stage.last("CMD").text))
        return subprocess.Popen(
            [shutil.which(command[0], path=self.set["PATH"]) or command[0], *command[1:]],
            cwd=self.at, env=self.set, **self._as_its_user(),
        )  # fmt: skip

    def healthy(self, stage: Stage) -> bool:
        """Whether the image's own health check is content."""
        command = json.loads(self.here(stage.last("HEALTHCHECK").text.removeprefix("CMD ")))
        return not subprocess.run(
            command, env=self.set, stderr=subprocess.DEVNULL, **self._as_its_user()
        ).returncode

    def cannot_write(self) -> bool:
        """Whether the image's user is kept from writing beside the package."""
        attempt = f"open({str(self.folder / 'venv' / 'written')!r}, 'w')"
        done = subprocess.run(
            ["python", "-c", attempt], env=self.set, capture_output=True, **self._as_its_user()
        )
        return b"PermissionError" in done.stderr

    def _as_its_user(self) -> dict[str, object]:
        if not self.as_root:
            return {}
        return {"user": self.user, "group": self.user, "extra_groups": ()}


def copy_context(paths: list[str], to: Path) -> None:
    """Copy what COPY names, as far as .dockerignore lets it through."""
    allowed = [
        line[1:] for line in (ROOT / ".dockerignore").read_text().splitlines() if line[:1] == "!"
    ]
    for path in allowed if paths == ["."] else paths:
        assert path in allowed, f".dockerignore keeps {path} out"
        source, target = ROOT / path, to / path
        target.parent.mkdir(parents=True, exist_ok=True)
        if source.is_dir():
            left_out = shutil.ignore_patterns("__pycache__")
            shutil.copytree(source, target, ignore=left_out, dirs_exist_ok=True)
        else:
            shutil.copy(source, target)


def python_of(version: str) -> str:
    """A Python of this version that other users may run, too."""
    name = f"python{version}"
    for found in (shutil.which(name), f"/usr/bin/{name}", f"/usr/local/bin/{name}"):
        if found is None or not Path(found).exists():
            continue
        place = Path(found).resolve()
        if os.geteuid() or all(folder.stat().st_mode & 0o005 == 0o005 for folder in place.parents):
            return str(place)
    sys.exit(f"no {name} on this machine that another user may run")


async def opened(url: str, kept: Path) -> None:
    """Open two pages as a browser does, and wait until something is kept in the cache."""
    async with Viewer(url) as viewer:
        for page in PAGES:
            run = await viewer.open(page)
            charts = len(run.of_kind("plotly_chart"))
            print(f"  {page}: {charts} charts in {run.seconds:.1f} s", flush=True)
            assert charts, page
            assert not run.problems, run.problems
        began = time.monotonic()
        while not any(path.is_file() for path in kept.rglob("*")):
            assert time.monotonic() - began < LONGEST_WAIT, "nothing was kept in the cache"
            await asyncio.sleep(1)
            await viewer.rerun()


def main(arguments: list[str]) -> None:
    """Do the steps, start the app, look at it; ends with an error where one of them fails."""
    given = {"TORCH_INDEX": ""} | dict(pair.split("=", 1) for pair in arguments)
    shared, stages = read((ROOT / "Dockerfile").read_text(encoding="utf-8"))
    print("NO IMAGE IS BUILT: the Dockerfile's steps are run in a bare folder.", flush=True)
    folder = Path(tempfile.mkdtemp(prefix="container-"))
    folder.chmod(0o755)
    try:
        bare = Bare(folder, python_of(shared["PYTHON"]), given)
        for stage in stages:
            bare.begin()
            if stage is stages[-1]:
                shutil.rmtree(folder / "src")  # what is not copied is not in the image
            for step in stage.instructions:
                began = time.monotonic()
                bare.do(step)
                line = f"  {time.monotonic() - began:5.1f} s  {step.name} {step.text}"
                print(line[:100], flush=True)
        _try(bare, stages[-1])
    finally:
        subprocess.run(["chmod", "-R", "u+w", folder], check=False)
        shutil.rmtree(folder)
    print("All steps were done and the app answered. No image was built.")


def _try(bare: Bare, stage: Stage) -> None:
    subprocess.run(["chmod", "-R", "a-w", bare.folder / "venv"], check=True)
    bare.folder.joinpath("tmp").chmod(0o1777)
    process = bare.started(stage)
    try:
        began = time.monotonic()
        while not bare.healthy(stage):
            assert process.poll() is None, f"the app ended with code {process.returncode}"
            assert time.monotonic() - began < LONGEST_WAIT, "the app is not healthy"
            time.sleep(0.2)
        user = f"as user {bare.user}" if bare.as_root else "as this user, who is not root"
        print(f"  healthy after {time.monotonic() - began:.1f} s, {user}", flush=True)
        asyncio.run(
            opened(f"http://127.0.0.1:{bare.set['STREAMLIT_SERVER_PORT']}", bare.folder / "cache")
        )
        assert bare.cannot_write(), "the tree can be written to"
        print("  its cache is used, and its tree cannot be written to")
    finally:
        process.terminate()  # as `docker stop`, which kills after 10 s
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()
            sys.exit("the app does not end when it is told to")
    print("  it ends when it is told to")


if __name__ == "__main__":
    main(sys.argv[1:])
