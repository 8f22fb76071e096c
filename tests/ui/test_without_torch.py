"""What the pages load, and what they leave alone until it is asked for."""

import asyncio
import threading
from pathlib import Path

import pytest
from starlette.types import Receive, Scope, Send

from bertviz_core.ui import server
from bertviz_core.ui.page import PAGES
from tests.fresh_process import drive_app, printed_by

# All but Home and those that run the model at once.
SCRIPTS = [
    entry.script
    for entry in PAGES
    if entry.title not in ("Home", "Word in Context", "Word Senses", "Sentence Vectors", "Methods")
]


def test_no_section_loads_torch_before_a_click_and_no_page_a_hall() -> None:
    drive_app(f"""
def hall():
    return [name for name in sys.modules if name == "bertviz_core.hall.store"]
for script in {SCRIPTS!r}:
    app.switch_page(script).run()
    assert not app.exception, script
    assert app.get("plotly_chart"), script
    switches = [one for one in app.segmented_control if one.key == "section"]
    for label in [label for switch in switches for label in switch.options]:
        app.segmented_control(key="section").set_value(label).run()
        assert not app.exception, label
        assert not heavy(), (label, heavy())
app.switch_page("pages/7_Positions_and_Segments.py").run()
app.segmented_control(key="section").set_value("experiments").run()
app.button(key="run_experiments").click().run()
assert not app.exception
assert len(app.get("plotly_chart")) == 3
assert heavy() == {{"torch"}}
app.query_params["tour"] = "2"
app.switch_page("pages/1_Tokens.py").run()
assert not app.exception
assert "guess-false" in [button.key for button in app.button]
assert not hall()
""")


def test_presenting_opens_no_store_before_a_hall_is_opened(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path / "hub"))
    drive_app(f"""
from pathlib import Path
store = Path({str(tmp_path)!r}, "bertviz", "halls.sqlite")
app.query_params["tour"] = "2"
app.query_params["present"] = "light"
app.switch_page("pages/1_Tokens.py").run()
assert not app.exception
assert not store.exists()
from bertviz_core.ui.tour.phone import halls
assert not halls.cache_info().currsize
app.button(key="hall-open").click().run()
assert not app.exception
assert halls.cache_info().currsize == 1
assert store.exists()
""")


def test_pandas_is_there_before_plotly_looks_for_it_and_not_before() -> None:
    """Else Plotly's objects that are made while another thread imports pandas fail."""
    imported = printed_by("""
import sys
from bertviz_core.figures.drawing import draw
figure = draw([{"type": "bar", "y": [1]}], height=100)
figure.to_dict()
print("pandas" in sys.modules)
figure.data
pandas = sys.modules["pandas"]
print(pandas.Series.__name__, pandas.__spec__._initializing)
""")
    assert imported.split() == ["False", "Series", "False"]


async def _app(scope: Scope, receive: Receive, send: Send) -> None:
    pass


@pytest.mark.parametrize("address", [entry.address for entry in PAGES])
def test_torch_is_imported_as_a_browser_asks_for_a_page(
    address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = threading.Event()
    monkeypatch.setattr(server, "chosen_device", asked.set)
    scope = {"type": "http", "path": f"/base/{address}"}
    asyncio.run(server.torch_in_time(_app)(scope, None, None))
    runs = address in ("", "Word_in_Context", "Sentence_Vectors", "Word_Senses")
    assert asked.wait(5 if runs else 0.1) is runs
