"""The largest message of a page on a checkpoint of the shape of bert-base."""

import tomllib
from pathlib import Path

import pytest

from benchmarks.base_shaped import NAME, made_in, offered
from tests.headless import ROOT, open_page


@pytest.mark.slow  # a file of 440 MB is written
@pytest.mark.usefixtures("fresh_caches")
def test_the_largest_message_is_far_below_the_bound(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, setting in offered(made_in(tmp_path / NAME)).items():
        monkeypatch.setenv(name, setting)
    text = " ".join(f"word {number}" for number in range(300))  # more tokens than BERT takes
    page = open_page("pages/2_Input_Embeddings.py", a=text)
    assert page.selectbox(key="model").value == NAME
    page.slider(key="tokens").set_value((0, 511)).run()
    (heatmaps,) = page.get("plotly_chart")
    settings = tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text(encoding="utf-8"))
    bound = settings["server"]["maxMessageSize"] * 1_000_000
    assert 1_000_000 < len(heatmaps.proto.spec) < bound / 3
