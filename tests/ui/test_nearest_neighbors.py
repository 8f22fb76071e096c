"""The page Nearest Neighbors, headless: the scores of others come beside it."""

import pytest

from bertviz_core.bert import Bert
from bertviz_core.calibration.token_table import nearest_scores
from bertviz_core.errors import UserInputError
from bertviz_core.shared.models import models
from bertviz_core.ui import computed, jobs
from tests.headless import open_page, value, values
from tests.waiting import wait_for

PAGE = "pages/3_Nearest_Neighbors.py"


@pytest.mark.usefixtures("tiny_on_offer")
def test_the_page_does_not_wait_for_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BERTVIZ_MODEL", "tiny")
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
