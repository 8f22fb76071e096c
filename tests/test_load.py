"""The load: viewers on a small server; and nginx with the configuration of docs/nginx.conf."""

import os
import re
import socket
from contextlib import ExitStack
from http.client import RemoteDisconnected
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from urllib.parse import urlsplit
from urllib.request import Request, urlopen

import pytest

from benchmarks import load, proxy, replicas
from benchmarks.app_server import ROOT, running, small_app

# A page as the scenario `rows` wants it; one of two ways of searching fails.
SCRIPT = """
import streamlit as st
st.text_input("a", key="a")
query = st.text_input("q", key="q")
st.title("small")
if "+" in query:
    raise RuntimeError("forced")
"""
ROW = re.compile(r"^  (\S.*?) +(\d+) +([\d.]+) +([\d.]+) +([\d.]+) +([\d.]+)$", re.M)
FIGURE = re.compile(r"^  (\S.*?) {2,}([-\d.]+) ?(\w*)", re.M)


@pytest.fixture
def small(tmp_path: Path) -> Path:
    folder = small_app(tmp_path / "app", SCRIPT)
    (folder / "pages").mkdir()
    for page in ("Input_Embeddings", "Nearest_Neighbors"):
        (folder / "pages" / f"{page}.py").write_text(SCRIPT, encoding="utf-8")
    return folder


@pytest.mark.slow
def test_a_load_prints_its_figures_counts_errors_and_ends(
    small: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with running(small) as app:
        crowd = ["--viewers", "4", "--minutes", "0.1", "--think", "0.1", "--ramp", "0.5"]
        load.main(["--url", app.url, "--pid", str(app.pid), "--settle", "1", *crowd])
    printed = capsys.readouterr().out
    rows = {name: [float(number) for number in rest] for name, *rest in ROW.findall(printed)}
    figures = {name: float(number) for name, number, _ in FIGURE.findall(printed)}
    actions = {"open Input_Embeddings", "open Nearest_Neighbors", "search neighbors",
               "type a sentence"}  # fmt: skip
    assert rows.keys() == {*actions, "all but the map"}
    for runs, p50, p95, p99, most in rows.values():
        assert runs > 0
        assert 0 < p50 <= p95 <= p99 <= most < 10
    assert rows["all but the map"][0] == sum(rows[action][0] for action in actions)
    problems = re.findall(r"^ {4} +(\d+) (.*)$", printed, re.M)
    assert len(problems) == 1, printed  # one kind, though not all searches fail
    assert 0 < figures["errors"] == int(problems[0][0]) < rows["search neighbors"][0]
    assert figures["connections lost"] == 0
    assert 0 < figures["processor milliseconds of the server a run"] < 1000
    start, peak = figures["memory at the start"], figures["memory at most"]
    assert 20 < start <= peak + 1
    assert figures["memory at the end"] <= peak
    assert figures["memory 1 s after all have left"] > 20


@pytest.mark.slow
def test_a_server_that_ends_is_a_connection_lost(
    small: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with running(small) as app:
        results = load.Results()
        load.asyncio.run(_until_killed(app.url, app.pid, results))
    assert len(results.lost) == 3  # one each, however often a viewer tries again
    assert not results.errors


async def _until_killed(url: str, pid: int, results: load.Results) -> None:
    """Three viewers, whose server ends after two seconds of five."""
    asyncio, now = load.asyncio, load.time.monotonic()
    stays = [
        load.stay(url, number, load.SCENARIOS["rows"], results, load.Stay(now, now + 5, 1))
        for number in range(3)
    ]

    async def kill() -> None:
        await asyncio.sleep(2)
        os.kill(pid, 9)

    await asyncio.gather(kill(), *stays)


def test_only_a_server_of_this_machine_is_loaded(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        load.main(["--url", "http://example.org"])
    assert "on this machine" in capsys.readouterr().err


def test_the_proxy_takes_the_largest_upload() -> None:
    text = proxy.CONFIG.read_text(encoding="utf-8")
    settings = (ROOT / ".streamlit" / "config.toml").read_text(encoding="utf-8")
    limit = re.search(r"^maxUploadSize = (\d+)$", settings, re.M)
    assert limit is not None
    assert re.search(rf"client_max_body_size {limit[1]}m;", text)


def test_the_addresses_of_a_run_are_filled_in() -> None:
    text = proxy.configured(40000, ["http://127.0.0.1:40001", "http://127.0.0.1:40002"])
    assert "listen 127.0.0.1:40000;" in text
    assert len(re.findall(r":40001\b", text)) == len(re.findall(r":40002\b", text)) == 3
    assert not re.search(r"850[12]|listen 80\b", text)


class Answering(BaseHTTPRequestHandler):
    """A replica as far as nginx asks for it."""

    def do_GET(self) -> None:
        self.send_response(200)
        self.end_headers()
        self.wfile.write(b"ok")

    def log_message(self, *args: object) -> None:
        pass


@pytest.mark.skipif(proxy.program() is None, reason="no nginx (Debian's package is nginx-light)")
def test_the_proxy_answers_its_own_name_while_many_sockets_are_idle(tmp_path: Path) -> None:
    with ThreadingHTTPServer(("127.0.0.1", 0), Answering) as replica:
        Thread(target=replica.serve_forever, daemon=True).start()
        address = f"http://127.0.0.1:{replica.server_port}"
        with proxy.proxied(tmp_path, [address, address]) as url, ExitStack() as sockets:
            own = urlsplit(url)
            for _ in range(900):  # more than the 768 of Debian's own settings
                idle = socket.create_connection((own.hostname, own.port), timeout=10)
                sockets.enter_context(idle)
            assert proxy.status(f"{url}/_stcore/health") == 200
            with pytest.raises(RemoteDisconnected):
                urlopen(Request(url, headers={"Host": "other.example.org"}), timeout=10)
        replica.shutdown()


@pytest.mark.slow
@pytest.mark.skipif(proxy.program() is None, reason="no nginx (Debian's package is nginx-light)")
def test_viewers_of_a_killed_replica_come_back_to_their_view(
    capsys: pytest.CaptureFixture[str],
) -> None:
    replicas.main(["--viewers", "4", "--minutes", "0.5", "--think", "1", "--ramp", "2"])
    printed = capsys.readouterr().out
    assert printed.count(": met") >= 15
    missed = [line for line in printed.splitlines() if line.endswith("missed")]
    assert not missed
