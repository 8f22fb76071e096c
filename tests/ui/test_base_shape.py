"""Every page on a folder checkpoint of bert-base's shape: 12 layers of 768 dimensions."""

import tomllib
from pathlib import Path

import pytest

from benchmarks.base_shaped import NAME, made_in, offered
from bertviz_core.checkpoints.vocabulary import KINDS
from tests.headless import ROOT, charts, html, numbers, open_page, unfolded, value, values

pytestmark = pytest.mark.slow  # a file of 440 MB is written

INSIDE = "pages/7_Inside_the_Model.py"
PAGES = sorted(f"pages/{path.name}" for path in (ROOT / "pages").glob("[1-7]_*.py"))


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
    assert 1_000_000 < len(heatmaps.proto.spec) < bound / 5


def test_inside_the_model() -> None:
    app = open_page(INSIDE, **unfolded("parameters", "totals"))
    every, totals = (frame.value for frame in app.dataframe)
    assert len(every) == 199
    assert totals["all parameters"].tolist() == [109_482_240] * 2
    assert totals["two-dimensional ones only"].tolist() == [109_360_128] * 2
    assert charts(open_page(INSIDE, section="one tensor"))
    assert len(charts(open_page(INSIDE, section="norms of the token table"))[-1]["data"]) == len(
        KINDS
    )
    app = open_page(INSIDE, section="pooler")
    app.button(key="run_pooler").click().run()
    assert (values(app, "count")[0], value(app, "difference")) == ("768", "exactly")
    app = open_page(INSIDE, section="what training changes")
    of_tables = (
        value(app, f"{of}{name}") for name in ("positions", "segments") for of in ("", "all_")
    )
    assert list(of_tables) == ["8", "512", "1", "2"]
    assert len(numbers(charts(app)[1]["data"][0]["x"])) == 4 + 12 + 1
