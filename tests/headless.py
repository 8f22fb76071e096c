"""A page without a browser: open it, read its own HTML, its charts and their numbers."""

import base64
import json
import re
from collections.abc import Callable, Iterator
from html import unescape
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from streamlit import config
from streamlit.runtime.media_file_manager import MediaFileManager
from streamlit.testing.v1 import AppTest
from streamlit.testing.v1.element_tree import Block

from bertviz_core.ui import state
from bertviz_core.ui.page import PAGES
from scripts import write_docs

ROOT = Path(__file__).parents[1]
SCRIPTS = {entry.address: entry.script for entry in PAGES}
# A defect is an exception on the page, and not a reference to the log.
config.set_option("client.showErrorDetails", "full")


def open_page(script: str, *, is_embedded: bool = False, **query: str) -> AppTest:
    """A page that has run; `is_embedded` in a frame of another site."""
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=60)
    app.context = {"is_embedded": is_embedded}
    if script != "app.py":
        app.switch_page(script)
    for name, value in query.items():
        app.query_params[name] = value
    app.run()
    assert not app.exception, app.exception
    assert loose_fields(app) == []
    assert unlisted_keys(app) == set()
    assert {key for key in app.session_state._state.filtered_state if key[0] == "_"} == {state.KEY}
    assert not app.get(
        "transparent"
    )  # no fragment writes outside itself: Streamlit 1.67 leaves such a slot blank (issue 16281)
    return app


def html(app: AppTest) -> str:
    """All our own HTML on the page, chips too, but for styles and script."""
    own = [e.proto.body for e in app.get("html") if "<style>" not in e.proto.body]
    return " ".join([*own, *(chips["chips"] for chips in chip_rows(app))])


def chip_rows(app: AppTest) -> list[dict]:
    """What rows of chips are given: their HTML, and the selected ones where they are tapped."""
    given = [json.loads(one.proto.bytes) for one in app.get("bidi_component")]
    return [row for row in given if "chips" in row]


def said(app: AppTest) -> str:
    """The same as text, without its tags."""
    return re.sub("<[^>]+>", "", html(app))


def values(app: AppTest, name: str) -> list[str]:
    """What the page's sentences say under a name, from top to bottom."""
    marked = re.findall(rf'<bdi data-name="{re.escape(name)}">(.*?)</bdi>', html(app))
    return [unescape(text) for text in marked]


def value(app: AppTest, name: str) -> str:
    """The one value that the page's sentences hold under a name."""
    (only,) = values(app, name)
    return only


def charts(app: AppTest) -> list[dict]:
    return [json.loads(chart.proto.spec) for chart in app.get("plotly_chart")]


def chart(app: AppTest, name: str) -> dict[str, Any]:
    """What the browser gets of a chart, by its name."""
    (found,) = (one for one in app.get("plotly_chart") if one.proto.id.endswith(f"-chart_{name}"))
    spec: dict[str, Any] = json.loads(found.proto.spec)
    return spec


def numbers(encoded: dict) -> np.ndarray:
    """A NumPy array as Plotly sends it."""
    array = np.frombuffer(base64.b64decode(encoded["bdata"]), dtype=encoded["dtype"])
    shape = [int(size) for size in encoded.get("shape", str(array.size)).split(",")]
    return array.reshape(shape)


def unpacked(part: Any) -> Any:
    """A part of a figure with lists for arrays, also for those that Plotly sends as base64."""
    if isinstance(part, dict):
        if "bdata" in part:
            return numbers(part).tolist()
        return {name: unpacked(value) for name, value in part.items()}
    if isinstance(part, np.ndarray):
        return part.tolist()
    return [unpacked(one) for one in part] if isinstance(part, list | tuple) else part


def loose_fields(app: AppTest) -> list[str]:
    """Fields of the address, as paths, in a container that the browser knows only by its number.

    Such a container is built anew when something above it goes, and its fields are cut off the
    address (see `ui/page.py`). Columns have numbers, and stand first in a named container, as do
    the cells of a named grid; the container of a fragment has a number, and stands alone in a named
    one.
    """
    return [path for region in (app.main, app.sidebar) for path in _loose(region, "", held=True)]


def unlisted_keys(app: AppTest) -> set[str]:
    """Keys of the page's fields and folds that the table of what a link may carry does not have."""
    title = app.session_state[state.KEY].page
    if title not in write_docs.FIELDS:  # a page that is being made
        return set()
    listed = {*write_docs.EVERYWHERE, *write_docs.fields_of(title)}
    folds = re.compile("code-.+|.+-numbers")
    found = {key for key in bound(app) if not {key, re.sub(r"\d+$", "#", key)} & listed}
    return {key for key in found if not folds.fullmatch(key)}


def bound(app: AppTest) -> dict[str, Any]:
    """The fields and folds of a page that are in its address, by their keys."""
    return dict(pair for region in (app.main, app.sidebar) for pair in _bound(region))


def _bound(block: Block) -> Iterator[tuple[str, Any]]:
    for child in block.children.values():
        if key := getattr(child.proto, "query_param_key", ""):
            yield key, child
        if isinstance(child, Block):
            yield from _bound(child)


def _loose(block: Block, path: str, *, held: bool) -> Iterator[str]:
    """Paths of the fields in a block that has no name itself, or stands in one without."""
    for number, child in block.children.items():
        key = getattr(child.proto, "query_param_key", "")
        if isinstance(child, Block):
            name = getattr(child.proto, "id", "") or child.key
            columns = any(inner.type == "column" for inner in child.children.values())
            alone = len(block.children) == 1
            cell = block.type == "grid_container"
            first = path != "" and ((number == 0 and (columns or alone)) or cell)
            steady = bool(name) or first or child.type == "column"
            yield from _loose(child, f"{path}/{name or child.type}", held=held and steady)
        elif key and not held:
            yield f"{path}/{key}"


def recorded_downloads(monkeypatch: pytest.MonkeyPatch) -> dict[str, Callable[[], bytes]]:
    """What makes each file that a page offers from now on, by the name of the file."""
    offered: dict[str, Callable[[], bytes]] = {}
    add = MediaFileManager.add_deferred

    def recorded(self: MediaFileManager, data: Callable[[], bytes], *args: Any, **how: Any) -> str:
        offered[how["file_name"]] = data
        return add(self, data, *args, **how)

    monkeypatch.setattr(MediaFileManager, "add_deferred", recorded)
    return offered
