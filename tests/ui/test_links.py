"""Which address phones are given: never one that means the phone itself, without a word."""

from types import SimpleNamespace
from typing import Any

import pytest
import streamlit as st
from streamlit import net_util
from streamlit.web.server.server_util import is_url_from_allowed_origins

from bertviz_core.ui import links, server

OWN = "192.168.0.7"
LOOPBACK = [
    "localhost", "127.0.0.1", "127.8.9.10", "[::1]", "0.0.0.0", "app.localhost", "LOCALHOST",
    "localhost.", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "[::]",
]  # fmt: skip
OTHERS = [
    "192.168.0.7",
    "example.org",
    "notlocalhost",
    "localhost.example.org",
    "[fe80::1]",
    "127.example.org",
    "10.127.0.1",
    "[::2]",
]


def for_phones(
    monkeypatch: pytest.MonkeyPatch, url: str, *, address: str | None = None, port: int = 8501,
    browser: str | None = None, own: str = OWN,
) -> tuple[str, list[dict[str, Any]]]:  # fmt: skip
    """The address that phones are given, and the values of the lines that are shown with it."""
    shown: list[dict[str, Any]] = []
    options = {"server.address": address, "server.port": port}
    monkeypatch.setattr(st, "get_option", options.__getitem__)
    monkeypatch.setattr(st, "context", SimpleNamespace(url=url, ip_address=browser))
    monkeypatch.setattr(links, "get_internal_ip", lambda: own)
    monkeypatch.setattr(links, "note", lambda text, **values: shown.append(values))
    return links.for_phones(), shown


@pytest.mark.parametrize("host", LOOPBACK)
@pytest.mark.parametrize("address", [None, "0.0.0.0", "::"])
def test_this_machine_has_an_address(
    monkeypatch: pytest.MonkeyPatch, host: str, address: str | None
) -> None:
    url, shown = for_phones(monkeypatch, f"http://{host}:8501/base/Tokens", address=address)
    assert url == f"http://{OWN}:8501/base/Tokens"
    assert [one["own"] for one in shown] == [OWN]


@pytest.mark.parametrize(
    "how",
    [
        {"address": "127.0.0.1"},  # the server listens to this machine alone
        {"port": 8502},  # behind a proxy
        {"browser": "172.17.0.1"},  # in a container
        {"own": "127.0.0.1"},  # without a network
    ],
)
def test_no_address_is_known(monkeypatch: pytest.MonkeyPatch, how: dict[str, Any]) -> None:
    here = "http://localhost:8501/Tokens"
    url, shown = for_phones(monkeypatch, here, **how)
    assert url == here
    assert [one["host"] for one in shown] == ["localhost"]


@pytest.mark.parametrize("host", OTHERS)
def test_other_names_stay(monkeypatch: pytest.MonkeyPatch, host: str) -> None:
    url = f"https://{host}/Tokens"
    assert for_phones(monkeypatch, url) == (url, [])


def test_a_page_of_another_site_makes_the_server_ask_nobody(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Streamlit would ask checkip.amazonaws.com whether the page is its own."""
    assert server.MIDDLEWARE
    asked: list[Any] = []
    monkeypatch.setattr(net_util, "_make_blocking_http_get", lambda *url, **_: asked.append(url))
    assert not is_url_from_allowed_origins("http://example.org")
    assert not is_url_from_allowed_origins("http:///nothing")
    assert not asked
