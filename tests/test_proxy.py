"""nginx with the configuration of docs/nginx.conf."""

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

from benchmarks import proxy
from benchmarks.app_server import ROOT


def test_the_proxy_takes_the_largest_upload() -> None:
    text = proxy.CONFIG.read_text(encoding="utf-8")
    settings = (ROOT / ".streamlit" / "config.toml").read_text(encoding="utf-8")
    limit = re.search(r"^maxUploadSize = (\d+)$", settings, re.M)
    assert limit is not None
    assert re.search(rf"client_max_body_size {limit[1]}m;", text)


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
