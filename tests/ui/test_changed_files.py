"""A weights file that is replaced, overwritten or cut short while the app runs."""

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
import pytest
import streamlit as st
from safetensors.numpy import load_file, save

from bertviz_core.bert import load_bert
from bertviz_core.checkpoints.checkpoint import WEIGHTS
from bertviz_core.encoder import Encoder, load_encoder
from bertviz_core.shared import models, shared_encoder
from bertviz_core.tokens import InputText, tokenize
from bertviz_core.ui.calibrations import measure, measurement
from bertviz_core.views.positions_and_segments.experiments import hidden_states
from tests.headless import ROOT, charts, open_page, value
from tests.waiting import wait_for

pytestmark = pytest.mark.usefixtures("fresh_caches")
TEXT = "the cat sat on the mat"


def other_numbers(folder: Path) -> bytes:
    """The same tensors with other numbers: a file of the same size."""
    return save({name: array * 0.5 for name, array in load_file(folder / WEIGHTS).items()})


def overwrite(folder: Path, content: bytes) -> None:
    """As `cp` does: the same file, whose numbers change under whoever has mapped it."""
    with (folder / WEIGHTS).open("r+b") as file:
        file.write(content)
        file.truncate()


def replace(folder: Path, content: bytes) -> None:
    """As `mv` does: another file under the same name."""
    (folder / "new").write_bytes(content)
    (folder / "new").rename(folder / WEIGHTS)


@pytest.mark.parametrize("change", [overwrite, replace])
def test_numbers_are_those_of_the_file_as_it_is(
    mine: Path, change: Callable[[Path, bytes], None]
) -> None:
    before = hidden_states(shared_encoder(models.bert("mine")), InputText(TEXT))
    assert models.encoder("mine") is models.encoder("mine")
    change(mine, other_numbers(mine))
    fresh = load_encoder(load_bert(mine))
    expected = fresh.hidden_states(tokenize(fresh.bert, TEXT))
    np.testing.assert_array_equal(
        models.bert("mine").tables.word_norms, fresh.bert.tables.word_norms
    )
    after = hidden_states(shared_encoder(models.bert("mine")), InputText(TEXT))
    assert not np.array_equal(before, after)
    np.testing.assert_array_equal(after, expected)


CUT_SHORT = """
import os, sys
from pathlib import Path
from bertviz_core.errors import ModelUnavailableError
from bertviz_core.tokens import tokenize
from bertviz_core.shared import models
from bertviz_core.views.positions_and_segments.experiments import hidden_states

encoder = models.encoder("mine")
text = tokenize(encoder.bert, "the cat")
encoder.hidden_states(text)
os.truncate(Path(sys.argv[1]) / "model.safetensors", 100)
try:
    models.encoder("mine").hidden_states(text)
except ModelUnavailableError as error:
    print(error)
"""


def test_a_file_cut_short_does_not_end_the_process(mine: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", CUT_SHORT, str(mine)],
        cwd=ROOT,
        env=os.environ | {"BERTVIZ_MODELS": f"mine={mine}"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode != -signal.SIGBUS
    assert done.returncode == 0, done.stderr
    assert "model.safetensors of mine cannot be read" in done.stdout


def test_a_page_goes_on_with_another_model_and_says_why(mine: Path) -> None:
    app = open_page("pages/2_Input_Embeddings.py")
    assert charts(app)
    whole = (mine / WEIGHTS).read_bytes()
    overwrite(mine, whole[: len(whole) // 2])
    app.run()
    assert not app.exception
    assert "model.safetensors of mine cannot be read" in value(app, "problem")
    assert value(app, "fallback") == "all-MiniLM-L6-v2"
    assert charts(app)
    overwrite(mine, whole)
    st.cache_resource.clear()  # the app looks for files again after some seconds
    app.run()
    assert not app.exception
    assert models.bert("mine").is_current()


def test_a_calibration_never_mixes_two_files(mine: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from bertviz_core.calibration import calibrate
    from bertviz_core.calibration.run import CalibrationRun
    from bertviz_core.ui import calibrations

    content, steps = other_numbers(mine), []
    step = CalibrationRun.step

    def changed_after_two(run: CalibrationRun, encoder: Encoder) -> None:
        step(run, encoder)
        steps.append(run.done)
        if len(steps) == 2:
            replace(mine, content)

    monkeypatch.setattr(CalibrationRun, "step", changed_after_two)
    words = [f"{a} {b}" for a in ("the", "my", "a") for b in ("cat", "dog")]
    sentences = [f"{word} sat on the mat" for word in words] * 20
    begin = partial(CalibrationRun, sentences=sentences)
    monkeypatch.setattr(calibrations, "CalibrationRun", begin)
    job = measure("mine")
    wait_for(lambda: job.state != "running")
    assert job.state == "done", job.message
    monkeypatch.setattr(CalibrationRun, "step", step)
    expected = calibrate(load_encoder(load_bert(mine)), sentences)
    np.testing.assert_array_equal(measurement("mine").calibration.means, expected.means)
