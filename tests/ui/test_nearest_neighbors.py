"""The page Nearest Neighbors, headless: its fields, what comes beside it, and the map."""

import pytest

from bertviz_core.bert import Bert
from bertviz_core.calibration.token_table import nearest_scores
from bertviz_core.errors import UserInputError
from bertviz_core.neighbors import pca_map
from bertviz_core.shared.models import models
from bertviz_core.ui import computed, jobs
from tests.headless import open_page, value, values
from tests.waiting import wait_for

pytestmark = pytest.mark.usefixtures("fresh_caches")

PAGE = "pages/3_Nearest_Neighbors.py"


@pytest.fixture
def tiny_page(monkeypatch: pytest.MonkeyPatch, tiny_on_offer: object) -> None:
    monkeypatch.setenv("BERTVIZ_MODEL", "tiny")


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
def test_the_map_of_a_model_without_a_shipped_one(tiny: Bert) -> None:
    app = open_page(PAGE, q="")
    assert value(app, "map-kept") == f"{10 * pca_map(tiny).kept:.1f}"
