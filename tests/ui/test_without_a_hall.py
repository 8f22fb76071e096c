"""In a fresh process: without a hall nothing of it is loaded, and no store is opened."""

from pathlib import Path

import pytest

from bertviz_core.ui import frame
from tests.fresh_process import drive_app

# Home is shown first. The others run the model at once.
SCRIPTS = [
    entry.script
    for entry in frame.pages()
    if entry.title not in ("Home", "Word in Context", "Word Senses", "Methods")
]
LOADED = """
def loaded():
    return [name for name in sys.modules
            if name.startswith("bertviz_core.hall")]
"""


def test_no_page_loads_a_hall() -> None:
    drive_app(
        LOADED
        + f"""
for script in {SCRIPTS!r}:
    app.switch_page(script).run()
    assert not app.exception, script
    assert not loaded(), (script, loaded())
app.query_params["tour"] = "2"
app.switch_page("pages/1_Tokens.py").run()
assert not app.exception
assert "guess-false" in [button.key for button in app.button]
assert not loaded(), loaded()
"""
    )


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
from bertviz_core.ui.tour.halls import halls
assert not halls.cache_info().currsize
app.button(key="hall-open").click().run()
assert not app.exception
assert halls.cache_info().currsize == 1
assert store.exists()
""")
