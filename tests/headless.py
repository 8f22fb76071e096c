"""A page without a browser: open it, read its own HTML, its charts and their numbers."""

import base64
import json
import re
from pathlib import Path

import numpy as np
from streamlit.testing.v1 import AppTest

ROOT = Path(__file__).parents[1]


def open_page(script: str, **query: str) -> AppTest:
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=60)
    if script != "app.py":
        app.switch_page(script)
    for name, value in query.items():
        app.query_params[name] = value
    app.run()
    assert not app.exception, app.exception
    return app


def html(app: AppTest) -> str:
    """All our own HTML on the page, but for styles and script."""
    return " ".join(e.proto.body for e in app.get("html") if "<style>" not in e.proto.body)


def said(app: AppTest) -> str:
    """The same as text, without its tags."""
    return re.sub("<[^>]+>", "", html(app))


def charts(app: AppTest) -> list[dict]:
    return [json.loads(chart.proto.spec) for chart in app.get("plotly_chart")]


def numbers(encoded: dict) -> np.ndarray:
    """A NumPy array as Plotly sends it."""
    array = np.frombuffer(base64.b64decode(encoded["bdata"]), dtype=encoded["dtype"])
    shape = [int(size) for size in encoded.get("shape", str(array.size)).split(",")]
    return array.reshape(shape)
