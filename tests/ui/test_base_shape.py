"""Every page on a folder checkpoint of bert-base's shape: 12 layers of 768 dimensions."""

import tomllib
from pathlib import Path

import pytest

from benchmarks.base_shaped import NAME, made_in, offered
from tests.headless import ROOT, charts, html, open_page

pytestmark = pytest.mark.slow  # a file of 440 MB is written

PAGES = sorted(f"pages/{path.name}" for path in (ROOT / "pages").glob("[1-8]_*.py"))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return made_in(tmp_path_factory.mktemp("base") / NAME)


@pytest.fixture(autouse=True)
def start_with_it(fresh_caches, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, setting in offered(folder).items():
        monkeypatch.setenv(name, setting)


@pytest.mark.parametrize("script", PAGES)
def test_a_page(script: str) -> None:
    app = open_page(script)
    assert app.selectbox(key="model").value == NAME
    assert "bx-alert" not in html(app)
    assert charts(app)


def test_the_largest_message_is_far_below_the_bound() -> None:
    text = " ".join(f"word {number}" for number in range(300))  # more tokens than BERT takes
    page = open_page("pages/2_Input_Embeddings.py", a=text)
    page.slider(key="tokens").set_value((0, 511)).run()
    (heatmaps,) = page.get("plotly_chart")
    settings = tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text(encoding="utf-8"))
    bound = settings["server"]["maxMessageSize"] * 1_000_000
    assert 1_000_000 < len(heatmaps.proto.spec) < bound / 3
