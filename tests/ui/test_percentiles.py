"""The percentile scale on a page: measured once, beside the page, and then shown."""

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from bertviz_core.calibration import word_scales
from bertviz_core.calibration.percentiles import in_words
from bertviz_core.shared.models import models
from bertviz_core.ui import computed, jobs
from tests.tiny import sentences_of_split_words
from tests.waiting import wait_for

PAGE = """
import streamlit as st
from bertviz_core.calibration.percentiles import in_words
from bertviz_core.ui import computed
from bertviz_core.shared.models import models

scales = computed.SCALES.of(models.bert("tiny"))
if scales is None:
    computed.SCALES.offer(models.bert("tiny"), ask=not models.has_encoder("tiny"))
st.text("at layer 2: " + in_words(scales and scales.baseline(), 0.9, 2))
"""


@pytest.mark.usefixtures("tiny_on_offer")
def test_from_the_button_to_the_percentile(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sentences = tmp_path / "sentences.txt"
    sentences.write_text("\n".join(sentences_of_split_words()), encoding="utf-8")
    monkeypatch.setattr(word_scales, "CALIBRATION_FILE", sentences)
    monkeypatch.setattr(word_scales, "MIN_WORDS", 5)
    app = AppTest.from_string(PAGE, default_timeout=60).run()
    assert [button.key for button in app.button] == ["measure"]
    assert not models.has_encoder("tiny")
    app.button[0].click().run()
    assert app.text[0].value == "at layer 2:", "the page goes on at once"
    job = jobs.find(computed.SCALES.key(models.bert("tiny")))
    wait_for(lambda: job.state != "running")
    scale = word_scales.known(models.bert("tiny")).baseline()
    app.run()
    assert not app.exception
    assert not app.button
    assert not app.get("progress")
    assert app.text[0].value == f"at layer 2: {in_words(scale, 0.9, 2)}"
