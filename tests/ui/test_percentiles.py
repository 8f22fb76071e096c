"""The ruler on a page: measured once, beside the page, and then shown."""

from pathlib import Path

import numpy as np
import pytest
from bertviz_core.ui.ruler import beside, percent
from huggingface_hub import constants
from streamlit.testing.v1 import AppTest

from bertviz_core.bert import Bert
from bertviz_core.calibration import Calibration, CalibrationRun, calibrate_table
from bertviz_core.calibration import run as run_module
from bertviz_core.calibration.disk import cache_file, save_calibration
from bertviz_core.errors import UserInputError
from bertviz_core.ui import calibrations as ruler_cache
from bertviz_core.ui import results as cache
from tests.headless import charts, html, numbers
from tests.tiny import SENTENCES

PAGE = """
import streamlit as st
from bertviz_core.ui import results as cache, ruler

bert = cache.opened_bert("tiny")
measured = ruler.ruler(bert)
st.text("at layer 2: " + ruler.beside(measured, 0.9, 2))
ruler.ruler_picture(measured, [0.9], 2, name="mark")
if measured:
    ruler.anisotropy(bert, measured, 2)
"""


@pytest.fixture
def few_sentences(
    fresh_caches, tmp_path: Path, tiny_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The tiny model on offer, sentences it can read, and a disk cache of this test's own."""
    monkeypatch.setenv("BERTVIZ_MODELS", f"tiny={tiny_folder}")
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path / "hub"))
    sentences = tmp_path / "sentences.txt"
    sentences.write_text("\n".join(SENTENCES), encoding="utf-8")
    monkeypatch.setattr(run_module, "SENTENCES", sentences)
    monkeypatch.setattr(ruler_cache, "_PAUSE", 0)


@pytest.fixture
def app() -> AppTest:
    return AppTest.from_string(PAGE, default_timeout=60)


def texts(app: AppTest) -> list[str]:
    return [element.value for element in app.text]


@pytest.mark.usefixtures("few_sentences")
def test_from_the_button_to_the_percentile(app: AppTest) -> None:
    app.run()
    assert [button.label for button in app.button] == ["Measure what a cosine is worth"]
    assert texts(app) == ["at layer 2:"]
    assert not cache.encoder_in_memory("tiny")
    app.button[0].click().run()
    assert cache.encoder_in_memory("tiny")
    # The page goes first; the fragment's next look, which a browser asks for, does the work.
    assert not app.button
    assert "Measuring what a cosine of tiny is worth" in app.get("progress")[0].proto.text
    steps: list[tuple[int, int]] = []
    found = ruler_cache.measure("tiny", lambda *state: steps.append(state))
    assert steps == [(1, 2)]
    assert cache_file(cache.opened_bert("tiny")).is_file()
    app.run()
    assert not app.exception
    assert not app.get("progress")
    share = percent(found.percentile(0.9, 2))
    assert 2 < float(share) < 98
    assert texts(app)[0] == f"at layer 2: higher than {share}% of unrelated pairs"
    picture, curve = charts(app)
    assert numbers(picture["data"][0]["y"]).sum() == pytest.approx(100, abs=1e-3)
    assert np.array_equal(numbers(curve["data"][2]["y"]), found.anisotropy)
    assert f"<bdi>{found.anisotropy[0]:.3f}</bdi>" in html(app)
    assert f"{found.pairs:,}" in html(app)
    assert app.dataframe[0].value["mean cosine"].to_numpy() == pytest.approx(found.anisotropy)


@pytest.mark.usefixtures("few_sentences")
def test_read_from_disk_without_the_encoder(app: AppTest) -> None:
    found = ruler_cache.measure("tiny")
    ruler_cache.measurement.clear()
    cache.loaded_encoder.clear()
    app.run()
    assert not app.exception
    assert not app.button
    assert f"{found.anisotropy[2]:.3f}" in html(app)
    assert not cache.encoder_in_memory("tiny")


@pytest.mark.usefixtures("few_sentences")
def test_all_viewers_share_one_measurement(monkeypatch: pytest.MonkeyPatch) -> None:
    runs = []
    started = CalibrationRun.__init__

    def counted(self, *args) -> None:
        runs.append(args)
        started(self, *args)

    monkeypatch.setattr(CalibrationRun, "__init__", counted)
    assert ruler_cache.measure("tiny") is ruler_cache.measure("tiny")
    assert len(runs) == 1


@pytest.mark.usefixtures("few_sentences")
def test_a_viewer_who_leaves_loses_no_step() -> None:
    class Left(BaseException):
        """Stands for Streamlit's own signal that ends a run."""

    def leave(done: int, of: int) -> None:
        raise Left

    with pytest.raises(Left):
        ruler_cache.measure("tiny", leave)
    assert ruler_cache.measurement("tiny").run.done == 1
    steps: list[int] = []
    assert ruler_cache.measure("tiny", lambda done, of: steps.append(done)) is not None
    assert steps == [1]


@pytest.mark.usefixtures("few_sentences")
def test_a_model_that_cannot_be_measured(app: AppTest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run_module, "calibration_sentences", lambda: ("dog", "dog dog"))
    assert ruler_cache.measure("tiny") is None
    app.run()
    assert "No percentiles: " in html(app)
    assert "Only 0 unrelated pairs" in html(app)
    assert texts(app) == ["at layer 2:"]
    assert not charts(app)


@pytest.mark.usefixtures("few_sentences")
def test_a_defect_is_said_once(app: AppTest, monkeypatch: pytest.MonkeyPatch, caplog) -> None:
    def broken(self, encoder) -> None:
        raise ZeroDivisionError("secret detail")

    monkeypatch.setattr(CalibrationRun, "step", broken)
    assert ruler_cache.measure("tiny") is None
    assert ruler_cache.measure("tiny") is None
    assert len([r for r in caplog.records if "The calibration of tiny stopped" in r.message]) == 1
    app.run()
    assert "log has the details" in html(app)
    assert "secret detail" not in html(app)


@pytest.mark.usefixtures("few_sentences")
def test_table_ruler_needs_no_encoder() -> None:
    bert = cache.opened_bert("tiny")
    ours = ruler_cache.table_calibration("tiny")
    assert np.array_equal(ours.quantiles, calibrate_table(bert).quantiles)
    assert not cache.encoder_in_memory("tiny")


def test_in_words() -> None:
    rows = np.linspace(0, 1, 1001, dtype=np.float32)[None]
    ruler = Calibration("x", 1, 10, 1234, rows, rows / 2, rows[:, 0], rows[:, 0], rows)
    assert beside(None, 0.5) == ""
    assert beside(ruler, 0.715) == "higher than 71% of unrelated pairs"
    assert beside(ruler, 0.3, centred=True) == "higher than 60% of unrelated pairs"
    assert beside(ruler, 0.99989) == "higher than 99.9% of unrelated pairs"
    assert beside(ruler, 0.0042) == "higher than 0.4% of unrelated pairs"
    assert beside(ruler, 0.00001) == "higher than 0.1% of unrelated pairs"
    assert beside(ruler, 1.0) == "higher than all 1,234 unrelated pairs measured"
    assert beside(ruler, -0.3) == "lower than all 1,234 unrelated pairs measured"


def test_saved_calibration_of_another_name(tiny: Bert, tmp_path, monkeypatch) -> None:
    """The file belongs to the weights: under another name it is found, with the new name."""
    from bertviz_core.calibration.disk import saved_calibration

    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path / "hub"))
    rows = np.zeros((3, 1001), dtype=np.float32)
    save_calibration(
        tiny,
        Calibration(
            "old", 1, 2, 3, rows, rows, rows[:, 0], rows[:, 0], rows[:, : tiny.hidden_size]
        ),
    )
    assert saved_calibration(tiny).model == tiny.name
    with pytest.raises(UserInputError):
        CalibrationRun(tiny, []).step(None)
