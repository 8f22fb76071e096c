"""The page Nearest Neighbors, headless: its fields, what comes beside it, and the map."""

import sys
from pathlib import Path

import numpy as np
import pytest

from bertviz_core.bert import Bert
from bertviz_core.calibration.token_table import nearest_scores
from bertviz_core.errors import UserInputError
from bertviz_core.neighbors import TokenMap, layout
from bertviz_core.neighbors.layout import known_layout, save_layout
from bertviz_core.shared import models
from bertviz_core.ui import computed, jobs
from tests.headless import charts, open_page, said, value, values
from tests.waiting import wait_for

pytestmark = pytest.mark.usefixtures("fresh_caches")

PAGE = "pages/3_Nearest_Neighbors.py"


@pytest.fixture
def tiny_page(monkeypatch: pytest.MonkeyPatch, tiny_on_offer: object) -> None:
    monkeypatch.setenv("BERTVIZ_MODEL", "tiny")


def test_three_queries_and_what_their_scores_are_compared_with() -> None:
    app = open_page(PAGE, q="dog", q2="##qqqzz", q3="##ing", k="7")
    assert "has no piece “##qqqzz”" in said(app)
    assert values(app, "nearest") == ["dogs", "##ting"]
    assert len(charts(app)) == 3  # and the map
    app.segmented_control(key="metric").set_value("Euclidean").run()
    assert not app.get("progress")


@pytest.mark.usefixtures("tiny_page")
def test_the_page_does_not_wait_for_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    allowed: list[bool] = []

    def fails(bert: Bert, progress: object) -> None:
        wait_for(lambda: bool(allowed))
        raise UserInputError("No others.")

    monkeypatch.setattr(computed, "nearest_scores", fails)
    app = open_page(PAGE, q="dog")
    assert not values(app, "closer")
    assert len(app.get("progress")) == 1
    allowed.append(True)
    key = computed.OTHER_TOKENS.key(models.bert("tiny"))
    wait_for(lambda: jobs.find(key).state == "failed")
    app.run()
    assert value(app, "problem") == "No others."
    assert jobs.find(key).state == "failed", "it is not begun again"
    jobs.forget(key)
    monkeypatch.setattr(computed, "nearest_scores", nearest_scores)
    app.run()
    wait_for(lambda: computed.OTHER_TOKENS.of(models.bert("tiny")) is not None)
    app.run()
    assert "%" in value(app, "closer")
    assert not app.get("progress")


@pytest.mark.usefixtures("tiny_page")
def test_a_layout_is_made_by_a_click(
    monkeypatch: pytest.MonkeyPatch, tiny: Bert, tmp_path: Path
) -> None:
    points = np.linspace(-1, 1, 2 * tiny.vocab_size, dtype=np.float32).reshape(-1, 2)
    made = tmp_path / "made.npz"
    save_layout(tiny, TokenMap(points, 0.75), made)

    def copies(name: str, path: Path) -> list[str]:
        program = f"import shutil; print('[t-SNE] Iteration 50: x'); shutil.copy({str(made)!r}, "
        return [sys.executable, "-c", f"{program}{str(path)!r})"]

    monkeypatch.setattr(layout, "command", lambda *_: [sys.executable, "-c", "1 / 0"])
    app = open_page(PAGE, q="")
    assert value(app, "map-kept") != "7.5", "the map is a PCA until then"
    app.button(key="lay_out").click().run()
    key = computed.TOKEN_MAP.key(models.bert("tiny"))
    wait_for(lambda: jobs.find(key).state == "failed")
    app.run()
    assert "stopped early" in value(app, "problem")
    jobs.forget(key)

    monkeypatch.setattr(layout, "command", copies)
    app.run()
    app.button(key="lay_out").click().run()
    wait_for(lambda: computed.TOKEN_MAP.of(models.bert("tiny")) is not None)
    app.run()
    assert value(app, "map-kept") == "7.5"
    assert known_layout(tiny) is not None, "it is kept on disk"
