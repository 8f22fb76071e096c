"""The percentile scale on a page: measured once, beside the page, and then shown."""

import threading
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from bertviz_core.calibration import words
from bertviz_core.calibration.percentiles import in_words
from bertviz_core.shared import models
from bertviz_core.ui import computed, jobs
from tests.tiny import sentences_of_split_words
from tests.waiting import wait_for

PAGE = """
import streamlit as st
from bertviz_core.calibration.percentiles import in_words
from bertviz_core.ui import computed
from bertviz_core.shared import models

scales = computed.SCALES.of(models.bert("tiny"))
if scales is None:
    computed.SCALES.offer(models.bert("tiny"), ask=not models.has_encoder("tiny"))
scale = scales and scales.between()
st.text("at layer 2: " + in_words(scale, 0.9, 2))
"""
UNMEASURED = "at layer 2:"


@pytest.fixture
def few_sentences(tiny_on_offer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The tiny model on offer, and sentences it can read."""
    sentences = tmp_path / "sentences.txt"
    sentences.write_text("\n".join(sentences_of_split_words()), encoding="utf-8")
    monkeypatch.setattr(words, "CALIBRATION_FILE", sentences)
    monkeypatch.setattr(words, "MIN_WORDS", 5)


def ended() -> jobs.Job:
    """The job that measures the tiny model, once it has ended."""
    job = jobs.find(computed.SCALES.key(models.bert("tiny")))
    wait_for(lambda: job.state != "running")
    return job


@pytest.mark.usefixtures("few_sentences")
def test_from_the_button_to_the_percentile(monkeypatch: pytest.MonkeyPatch) -> None:
    app, other = (AppTest.from_string(PAGE, default_timeout=60) for _ in range(2))
    go_on, runs, run = threading.Event(), [], words.words_of_marks

    def waiting(*given) -> list:
        runs.append(given)
        go_on.wait(20)
        return run(*given)

    monkeypatch.setattr(words, "words_of_marks", waiting)
    app.run()
    assert [button.key for button in app.button] == ["measure"]
    assert app.text[0].value == UNMEASURED
    assert not models.has_encoder("tiny")
    # The page goes on at once, and says beside it what is being done; so does that of another.
    app.button[0].click().run()
    assert "once" in app.get("progress")[0].proto.text
    job = jobs.find(computed.SCALES.key(models.bert("tiny")))
    wait_for(lambda: job.total == 1)
    for viewer in (app, other):
        viewer.run()
        assert not viewer.exception
        assert not viewer.button
        assert viewer.text[0].value == UNMEASURED
        assert "0 of 1 steps done" in viewer.get("progress")[0].proto.text
    go_on.set()
    assert ended().state == "done"
    assert words.known(models.bert("tiny")) is not None
    scale = computed.SCALES.of(models.bert("tiny")).between()
    for viewer in (app, other):
        viewer.run()
        assert not viewer.exception
        assert not viewer.get("progress")
        assert viewer.text[0].value == f"at layer 2: {in_words(scale, 0.9, 2)}"
    assert len(runs) == 1
