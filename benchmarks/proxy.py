"""Two replicas behind nginx, as `docs/nginx.conf` has it, on the loopback and without root."""

import os
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from urllib.parse import urlsplit

from benchmarks.app_server import ROOT, RunningApp, copied_app, free_port, running, serving

# In the foreground, with all paths in one folder.
OWN_PATHS = "".join(
    f"    {of}_temp_path {of};\n" for of in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
)


@contextmanager
def replicated() -> Iterator[tuple[str, list[RunningApp], Path]]:
    """Two replicas of the real app behind nginx: its address, both, and the folder they share."""
    with tempfile.TemporaryDirectory() as name, ExitStack() as stack:
        app, scratch = copied_app(Path(name) / "app"), Path(name)
        cache = {"HF_HUB_CACHE": str(scratch / "cache" / "hub")}
        replicas = [stack.enter_context(running(app, cache)) for _ in range(2)]
        (scratch / "nginx").mkdir()
        # Debian puts it where only root looks.
        nginx = shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin:/usr/local/sbin")
        if nginx is None:
            raise RuntimeError("no nginx on this machine (Debian's package is nginx-light)")
        port = free_port()
        text = configured(port, [replica.url for replica in replicas])
        (scratch / "nginx" / "nginx.conf").write_text(text, encoding="utf-8")
        # Workers of root's nginx would be nobody, and could not write here.
        settings = "daemon off; pid nginx.pid;" + (" user root;" if os.geteuid() == 0 else "")
        own = f"{scratch}/nginx/"
        command = [nginx, "-p", own, "-c", f"{own}nginx.conf", "-e", f"{own}error.log"]
        serve = serving([*command, "-g", settings], port, cwd=scratch, env=os.environ)
        url, _ = stack.enter_context(serve)
        yield url, replicas, scratch


def configured(port: int, replicas: Sequence[str]) -> str:
    """The text of `docs/nginx.conf` with the addresses of this run."""
    text = (ROOT / "docs" / "nginx.conf").read_text(encoding="utf-8")
    changes = {"listen 80": f"listen 127.0.0.1:{port}", "http {\n": "http {\n" + OWN_PATHS}
    for documented, replica in zip((":8501", ":8502"), replicas, strict=True):
        changes[documented] = f":{urlsplit(replica).port}"
    for before, after in changes.items():
        assert before in text, f"docs/nginx.conf has no {before}"
        text = text.replace(before, after)
    return text
