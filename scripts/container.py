"""`make container`: build the Dockerfile's image, start it, and open two pages of the app in it.

With Docker where its daemon answers, else with buildah, which needs root and no daemon. Where
buildah cannot fetch the image that the Dockerfile begins with, debootstrap makes one like it.
"""

import asyncio
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.app_server import ROOT, free_port, serving
from benchmarks.session import Viewer

IMAGE = "bert-explorer"
BUILDAH = ("buildah", "--storage-driver", "vfs")  # overlays need more rights than a container has
DEBIAN = "debootstrap --variant=minbase --include=ca-certificates,python3-venv,python-is-python3"
PIP = (sys.executable, "-m", "pip")
CPU_TORCH = ("--no-deps", "--require-hashes", "-r", "requirements-torch-cpu.lock")


def main() -> None:
    """Build and try the image, or say why not; ends with an error where a step fails."""
    port = free_port()
    if succeeds("docker", "info"):
        run("docker", "build", "--tag", IMAGE, ".")
        config = json.loads(output("docker", "inspect", "--format", "{{json .Config}}", IMAGE))
        start = ["docker", "run", "--rm", "--name", f"{IMAGE}-{port}", "--read-only"]
        start += ["--tmpfs", "/tmp", "--publish", f"127.0.0.1:{port}:8501", IMAGE]
        look_at(port, config, start, ["docker", "exec", f"{IMAGE}-{port}"])
    elif shutil.which("buildah") and os.geteuid() == 0:
        with tempfile.TemporaryDirectory() as folder:
            build_with_buildah(Path(folder))
        described = json.loads(output(*BUILDAH, "inspect", "--type=image", IMAGE))
        config = described["Docker"]["config"]
        container = output(*BUILDAH, "from", "--pull-never", IMAGE)
        inside = [*BUILDAH, "run", "--isolation", "chroot"]
        inside += ["--env", f"STREAMLIT_SERVER_PORT={port}", container, "--"]
        try:
            look_at(port, config, [*inside, *config["Cmd"]], inside)
        finally:
            run(*BUILDAH, "rm", container)
    else:
        print("No image was built: no Docker daemon answers, and there is no buildah run by root.")


def build_with_buildah(folder: Path) -> None:
    """Build with this machine's settings of pip, which may name other sources of packages."""
    (python,) = re.findall(r"(?m)^ARG PYTHON=(\S+)", (ROOT / "Dockerfile").read_text("utf-8"))
    base = f"docker.io/library/python:{python}-slim"
    if not any(succeeds(*BUILDAH, *way, base) for way in (("inspect", "--type=image"), ("pull",))):
        run(*DEBIAN.split(), "bookworm", str(folder / "base"))  # its Python is 3.11
        container = output(*BUILDAH, "from", "scratch")
        run(*BUILDAH, "add", "--quiet", container, str(folder / "base"), "/")
        run(*BUILDAH, "commit", "--quiet", "--rm", container, base)
    listed = output(*PIP, "config", "list").replace("\\n", " ")
    settings = re.findall(r"(?m)^[^.]+\.([\w-]+)='(.*)'$", listed)
    text = "".join(f"{key} = {value}\n" for key, value in dict(settings).items())
    (folder / "pip.conf").write_text(f"[global]\n{text}", encoding="utf-8")
    options = [f"--volume={folder}/pip.conf:/etc/pip.conf:ro"]
    options += [f"--volume={path}:{path}:ro" for path in set(re.findall(r" (/\S+)", text))]
    if succeeds(*PIP, "install", "--dry-run", "--ignore-installed", *CPU_TORCH):
        options.append("--build-arg=TORCH_INDEX=")  # pip finds the CPU build by these settings
    succeeds(*BUILDAH, "rmi", IMAGE)  # of the run before: each takes 2 GB
    # A health check is part of Docker's format only.
    run(*BUILDAH, "bud", "--isolation", "chroot", "--pull-never", "--format", "docker",
        *options, "--tag", IMAGE, ".")  # fmt: skip


def look_at(port: int, config: dict[str, dict[str, list[str]]], start: list[str],
            inside: list[str]) -> None:  # fmt: skip
    """Start the app in the image; ask for its health, open two pages, write, and stop it."""
    with serving(start, port, cwd=ROOT, env=os.environ, patience=120) as (address, _):
        run(*inside, *config["Healthcheck"]["Test"][1:])
        asyncio.run(open_pages(address))
        run(*inside, "touch", "/cache/written")
        run(*at_user(inside, "1000"), "touch", "/cache/by-a-user-of-spaces")
        assert not succeeds(*inside, "touch", "/venv/written"), "its user can change the app"


def at_user(inside: list[str], user: str) -> list[str]:
    """The command that runs something in the container, for another user."""
    *before, last = inside if inside[-1] != "--" else inside[:-1]
    return [*before, "--user", user, last, *inside[len(before) + 1 :]]


async def open_pages(address: str) -> None:
    """Each must show a picture and report no problem."""
    async with Viewer(address) as viewer:
        for page in ("Input_Embeddings", "Word_in_Context"):
            shown = await viewer.open(page)
            assert shown.of_kind("plotly_chart"), page
            assert not shown.problems, shown.problems
            print(f"{shown.seconds:6.1f} s  {page}", flush=True)


def run(*command: str) -> None:
    began = time.monotonic()
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"{' '.join(command)} failed:\n{done.stdout}{done.stderr}"[-5000:])
    print(f"{time.monotonic() - began:6.1f} s  {' '.join(command)[:90]}", flush=True)


def output(*command: str) -> str:
    return subprocess.check_output(command, cwd=ROOT, text=True).strip()


def succeeds(*command: str) -> bool:
    if not shutil.which(command[0]):
        return False
    return not subprocess.run(command, cwd=ROOT, capture_output=True, check=False).returncode


if __name__ == "__main__":
    main()
