"""Two replicas behind nginx, as `docs/nginx.conf` has it, on the loopback and without root."""

import os
import shutil
import subprocess
import tempfile
import time
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from urllib.parse import urlsplit

from benchmarks.app_server import ROOT, RunningApp, copied_app, free_port, running

CONFIG = ROOT / "docs" / "nginx.conf"
PORTS = ("8501", "8502")  # of the replicas, in that file
MAX_WAIT = 10.0  # seconds

# In the foreground, with all paths in one folder.
FOREGROUND = "daemon off; pid nginx.pid;"
OWN_PATHS = "".join(
    f"    {of}_temp_path {of};\n" for of in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
)


@contextmanager
def replicated() -> Iterator[tuple[str, list[RunningApp], Path]]:
    """Two replicas of the real app behind nginx: its address, both, and the folder they share."""
    with tempfile.TemporaryDirectory() as name, ExitStack() as stack:
        scratch = Path(name)
        app = copied_app(scratch / "app")
        environment = {"HF_HUB_CACHE": str(scratch / "cache" / "hub")}
        replicas = [stack.enter_context(running(app, environment)) for _ in PORTS]
        (scratch / "nginx").mkdir()
        url = stack.enter_context(proxied(scratch / "nginx", [replica.url for replica in replicas]))
        yield url, replicas, scratch


def configured(port: int, replicas: Sequence[str]) -> str:
    """The text of `docs/nginx.conf` with the addresses of this run.

    Args:
        port: Where nginx listens.
        replicas: The two replicas' addresses, such as http://127.0.0.1:40001.

    Raises:
        ValueError: The file does not name its ports as expected.
    """
    text = CONFIG.read_text(encoding="utf-8")
    changes = [("listen 80", f"listen 127.0.0.1:{port}"), ("http {\n", "http {\n" + OWN_PATHS)]
    changes += [
        (f":{documented}", f":{urlsplit(replica).port}")
        for documented, replica in zip(PORTS, replicas, strict=True)
    ]
    for before, after in changes:
        if before not in text:
            raise ValueError(f"{CONFIG.name} has no {before}")
        text = text.replace(before, after)
    return text


@contextmanager
def proxied(folder: Path, replicas: Sequence[str]) -> Iterator[str]:
    """Run nginx in front of two replicas until the block ends.

    Args:
        folder: An empty one, for its configuration, log and temporary files.
        replicas: Their addresses.

    Yields:
        Its address, as soon as a replica answers behind it.

    Raises:
        RuntimeError: There is no nginx, or it ended; with the end of its log.
    """
    # Debian puts it where only root looks.
    nginx = shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin:/usr/local/sbin")
    if nginx is None:
        raise RuntimeError("no nginx on this machine (Debian's package is nginx-light)")
    port = free_port()
    # Workers of root's nginx would be nobody, and could not write here.
    settings = FOREGROUND + (" user root;" if os.geteuid() == 0 else "")
    (folder / "nginx.conf").write_text(configured(port, replicas), encoding="utf-8")
    log = folder / "error.log"
    log.touch()
    files = ("-p", f"{folder}/", "-c", f"{folder}/nginx.conf", "-e", str(log))
    process = subprocess.Popen([nginx, *files, "-g", settings], stderr=subprocess.DEVNULL)
    url = f"http://127.0.0.1:{port}"
    try:
        deadline = time.monotonic() + MAX_WAIT
        while not answers(f"{url}/_stcore/health"):
            if process.poll() is not None or time.monotonic() > deadline:
                raise RuntimeError(f"nginx does not answer: {log.read_text()[-1000:]}")
            time.sleep(0.02)
        yield url
    finally:
        process.terminate()
        process.wait()


def answers(address: str) -> bool:
    """Whether somebody listens there, and answers with 200."""
    try:
        with urllib.request.urlopen(address, timeout=MAX_WAIT) as answer:
            return int(answer.status) == 200
    except OSError:
        return False
