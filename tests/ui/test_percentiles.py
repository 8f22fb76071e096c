"""The percentile scale on a page: measured once, beside the page, and then shown."""

import threading
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from bertviz_core.calibration import CalibrationRun
from bertviz_core.calibration import run as run_module
from bertviz_core.calibration.disk import cache_file
from bertviz_core.calibration.percentiles import percent
from bertviz_core.shared import models
from bertviz_core.ui import calibrations, jobs
from tests.tiny import sentences_of_split_words
from tests.waiting import wait_for

PAGE = """
import streamlit as st
from bertviz_core.calibration.percentiles import in_words
from bertviz_core.ui import calibrations
from bertviz_core.shared import models

scales = calibrations.known("tiny")
if scales is None:
    calibrations.measure_beside(models.bert("tiny"), ask=not models.has_encoder("tiny"))
scale = scales and scales.between(2, 2)
st.text("at layer 2: " + in_words(scale, 0.9, 2))
"""
UNMEASURED = "at layer 2:"


@pytest.fixture
def few_sentences(tiny_on_offer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The tiny model on offer, and sentences it can read."""
    sentences = tmp_path / "sentences.txt"
    sentences.write_text("\n".join(sentences_of_split_words()), encoding="utf-8")
    monkeypatch.setattr(run_module, "SENTENCES", sentences)


def ended() -> jobs.Job:
    """The job that measures the tiny model, once it has ended."""
    job = calibrations.measuring("tiny")
    wait_for(lambda: job.state != "running")
    return job


@pytest.mark.usefixtures("few_sentences")
def test_from_the_button_to_the_percentile(monkeypatch: pytest.MonkeyPatch) -> None:
    app, other = (AppTest.from_string(PAGE, default_timeout=60) for _ in range(2))
    go_on, runs, step = threading.Event(), set(), CalibrationRun.step

    def waiting(self, encoder) -> None:
        runs.add(id(self))
        go_on.wait(20)
        step(self, encoder)

    monkeypatch.setattr(CalibrationRun, "step", waiting)
    app.run()
    assert [button.key for button in app.button] == ["measure"]
    assert app.text[0].value == UNMEASURED
    assert not models.has_encoder("tiny")
    # The page goes on at once, and says beside it what is being done; so does that of another.
    app.button[0].click().run()
    assert "once" in app.get("progress")[0].proto.text
    job = calibrations.measuring("tiny")
    wait_for(lambda: job.total == 11)
    for viewer in (app, other):
        viewer.run()
        assert not viewer.exception
        assert not viewer.button
        assert viewer.text[0].value == UNMEASURED
        assert "0 of 11 steps done" in viewer.get("progress")[0].proto.text
    go_on.set()
    assert ended().state == "done"
    calibration = calibrations.known("tiny")
    assert cache_file(models.bert("tiny")).is_file()
    scale = calibration.between(2, 2)
    share = percent(scale.percentile(0.9, 2))
    assert 2 < float(share) < 98
    for viewer in (app, other):
        viewer.run()
        assert not viewer.exception
        assert not viewer.get("progress")
        assert viewer.text[0].value == f"at layer 2: higher than {share}% of {scale.kind}"
    assert len(runs) == 1
