"""nginx in front of two replicas, as `docs/nginx.conf` has it, on the loopback and without root."""

import os
import shutil
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

from benchmarks.app_server import ROOT, free_port

CONFIG = ROOT / "docs" / "nginx.conf"
PORTS = ("8501", "8502")  # of the replicas, in that file
LONGEST_WAIT = 10.0  # seconds

# In the foreground, with all paths in one folder.
FOREGROUND = "daemon off; pid nginx.pid;"
OWN_PATHS = "".join(
    f"    {of}_temp_path {of};\n" for of in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
)


def program() -> str | None:
    """Where nginx is; Debian puts it where only root looks."""
    return shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin:/usr/local/sbin")


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
    nginx = program()
    if nginx is None:
        raise RuntimeError("no nginx on this machine (Debian's package is nginx-light)")
    port = free_port()
    # Workers of root's nginx would be nobody, and could not write here.
    settings = FOREGROUND + (" user root;" if os.geteuid() == 0 else "")
    (folder / "nginx.conf").write_text(configured(port, replicas), encoding="utf-8")
    log = folder / "error.log"
    log.touch()
    command = [
        nginx,
        "-p",
        f"{folder}/",
        "-c",
        f"{folder}/nginx.conf",
        "-e",
        str(log),
        "-g",
        settings,
    ]
    process = subprocess.Popen(command, stderr=subprocess.DEVNULL)
    url = f"http://127.0.0.1:{port}"
    try:
        deadline = time.monotonic() + LONGEST_WAIT
        while status(f"{url}/_stcore/health") != 200:
            if process.poll() is not None or time.monotonic() > deadline:
                raise RuntimeError(f"nginx does not answer: {log.read_text()[-1000:]}")
            time.sleep(0.02)
        yield url
    finally:
        process.terminate()
        process.wait()


def status(address: str) -> int:
    """The code an address answers with; 0 if nobody listens."""
    try:
        with urllib.request.urlopen(address, timeout=LONGEST_WAIT) as answer:
            return int(answer.status)
    except urllib.error.HTTPError as error:
        return error.code
    except OSError:
        return 0
