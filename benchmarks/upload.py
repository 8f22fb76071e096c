"""What a viewer sends: files to the upload route as a browser does, cookies, widgets' values."""

import json
import urllib.parse
import urllib.request
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from streamlit.components.v2.bidi_component.main import _make_trigger_id

MAX_WAIT = 120.0  # seconds
XSRF = "_streamlit_xsrf"


@dataclass(frozen=True)
class UploadedFile:
    """A file that the server has.

    Attributes:
        urls: Its addresses, as the server gave them.
        name: Its name.
        size: In bytes.
    """

    urls: Any
    name: str
    size: int


def put_file(address: str, name: str, content: bytes, cookies: Mapping[str, str]) -> None:
    """Send a file to the server's upload route, with what it wants against forged requests.

    Args:
        address: Of the route, as the server gave it.
        name: Of the file.
        content: Its bytes.
        cookies: Of the viewer, by name.

    Raises:
        urllib.error.HTTPError: The server did not take it.
    """
    boundary = "----a-file-of-a-viewer"
    head = (
        f'--{boundary}\r\nContent-Disposition: form-data; name="file"; filename="{name}"\r\n'
        "Content-Type: text/plain\r\n\r\n"
    )
    body = head.encode() + content + f"\r\n--{boundary}--\r\n".encode()
    parts = urllib.parse.urlsplit(address)
    token = given_cookies(f"{parts.scheme}://{parts.netloc}", cookies).get(XSRF)
    request = urllib.request.Request(address, body, method="PUT")
    request.add_header("Content-Type", f"multipart/form-data; boundary={boundary}")
    if token:
        request.add_header("X-Xsrftoken", token)
        cookies = {**cookies, XSRF: token}
    request.add_header("Cookie", cookie_header(cookies))
    with urllib.request.urlopen(request, timeout=MAX_WAIT) as answer:
        answer.read()


def given_cookies(url: str, cookies: Mapping[str, str]) -> dict[str, str]:
    """What a server gives a browser that has these, before it connects."""
    health = urllib.request.Request(f"{url}/_stcore/health")
    health.add_header("Cookie", cookie_header(cookies))
    with urllib.request.urlopen(health, timeout=MAX_WAIT) as answer:
        return cookies_of(answer.headers.get_all("Set-Cookie") or [])


def cookies_of(headers: Iterable[str]) -> dict[str, str]:
    """Names and values of `Set-Cookie` headers."""
    pairs = (header.partition(";")[0].partition("=") for header in headers)
    return {name.strip(): value for name, _, value in pairs}


def cookie_header(cookies: Mapping[str, str]) -> str:
    """What a browser sends back."""
    return "; ".join(f"{name}={value}" for name, value in cookies.items())


PRESSED = object()  # the value of a button in the run that it asks for


@dataclass(frozen=True)
class Told:
    """What a component tells in the run that it asks for.

    Attributes:
        event: Its name, as in `setTriggerValue`.
        value: What is told.
    """

    event: str
    value: object


def put_value(widget: Any, value: object) -> None:
    """Write a value where the message has a place for its type."""
    if value is PRESSED:
        widget.trigger_value = True
    elif isinstance(value, Told):
        widget.id = _make_trigger_id(widget.id, "events")
        widget.json_trigger_value = json.dumps([{"event": value.event, "value": value.value}])
    elif isinstance(value, bool):
        widget.bool_value = value
    elif isinstance(value, str):
        widget.string_value = value
    elif isinstance(value, int):
        widget.int_value = value
    elif isinstance(value, UploadedFile):
        info = widget.file_uploader_state_value.uploaded_file_info.add()
        info.file_id, info.name, info.size = value.urls.file_id, value.name, value.size
        info.file_urls.CopyFrom(value.urls)
    elif isinstance(value, list) and value and isinstance(value[0], str):
        widget.string_array_value.data.extend(value)
    elif isinstance(value, list):
        widget.double_array_value.data.extend(value)
    else:
        raise TypeError(f"a widget's value is a bool, str, int or list, not {type(value)}")
