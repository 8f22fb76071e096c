"""A view to take home: what belongs to it, what its files are called, and that it costs nothing."""

import io
import json

import nbformat
import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from bertviz_core.ui.forms.word_senses_sources import OWN
from bertviz_core.vector_files import npz
from tests.headless import open_page, recorded_downloads
from tests.hostile import HOSTILE

pytestmark = pytest.mark.usefixtures("fresh_caches")
BUTTONS = ["This view as a notebook", "Arrays (NPZ)", "Web page (HTML)"]
EMBEDDINGS = "pages/2_Input_Embeddings.py"


def labels(app: AppTest) -> list[str]:
    return [button.proto.label for button in app.get("download_button")]


def opened(data: bytes) -> tuple[dict[str, np.ndarray], dict]:
    with np.load(io.BytesIO(data), allow_pickle=False) as archive:
        arrays = dict(archive)
    return arrays, json.loads(str(arrays["about"]))


def small_page() -> None:
    import numpy as np
    import streamlit as st

    from bertviz_core.bert import load_bert
    from bertviz_core.figures.neighbors import neighbor_bars
    from bertviz_core.ui.draw import draw
    from bertviz_core.ui.frame import shown_on
    from bertviz_core.views.parts import beside, picture, program, say, table
    from bertviz_core.views.view import View

    bert = load_bert("all-MiniLM-L6-v2")
    shown_on("Tokens", bert.name, "How?")
    st.session_state["a"] = "I love my pet [python]"

    def parts(name: str) -> list:
        figure = neighbor_bars([name], np.float32([0.5]), score_name="cosine")
        return [
            say("The <b>{first}</b> of {name}.", first="<i>*one*</i>", name=name),
            beside([picture(figure, alt=f"Bars of {name}", name=name)]),
            table({"cosine": [0.5]}, name=name, fold="Table"),
            program("tokens/decode", bert, token_ids=[1], name=name),
        ]

    draw(View(parts("first"), parts("second"), made={"layer": 5}))
    draw(View(parts("third")[:-1]))
    draw(View(parts("fourth"), made={"layer": 5}))


def test_a_view_is_what_is_above_its_program(monkeypatch: pytest.MonkeyPatch) -> None:
    """Not what belongs to the program before it, or to another view."""
    downloads = recorded_downloads(monkeypatch)
    app = AppTest.from_function(small_page)
    for name in ("first", "second", "fourth"):
        app.query_params[f"code-{name}"] = "true"
    app.query_params["a"] = "b c"
    app.run()
    assert not app.exception
    assert labels(app) == BUTTONS * 3
    config = json.loads(app.get("plotly_chart")[0].proto.config)
    picture = "tokens_first_all-MiniLM-L6-v2_layer-5_i-love-my-pet-python"
    assert config["toImageButtonOptions"]["filename"] == picture
    for name in ("first", "second", "fourth"):
        file = f"tokens_{name}_all-MiniLM-L6-v2_layer-5_i-love-my-pet-python"
        book = nbformat.reads(downloads[f"{file}.ipynb"]().decode(), as_version=4)
        heading = book.cells[0].source
        assert heading.startswith("# How")
        assert f"The <b>&#60;i&#62;&#42;one&#42;&#60;&#47;i&#62;</b> of {name}." in heading
        assert "?a=b+c) of the page" in heading.replace("%2B", "+")
        pictures = next(cell.source for cell in book.cells if "json.loads" in cell.source)
        assert [one for one in ("first", "second", "third", "fourth") if one in pictures] == [name]
        arrays, about = opened(downloads[f"{file}.npz"]())
        assert arrays["cosine"].tolist() == [0.5]
        assert (about["page"], about["view"], about["made"]) == ("Tokens", name, {"layer": 5})
        assert len(about["facts"]["SHA-256 of its weights"]) == 64
        page = downloads[f"{file}.html"]().decode()
        assert f"Bars of {name}" in page
        assert "<bdi>&lt;i&gt;*one*&lt;/i&gt;</bdi>" in page


def test_nothing_is_sent_before_somebody_unfolds_it(monkeypatch: pytest.MonkeyPatch) -> None:
    downloads = recorded_downloads(monkeypatch)
    app = open_page(EMBEDDINGS)
    assert not downloads
    folds = [fold for fold in app.expander if fold.label.startswith("Show the code")]
    assert len(folds) == 1
    assert not folds[0].children
    assert not open_page(EMBEDDINGS, present="1", **{"code-embeddings": "true"}).code
    assert not downloads


@pytest.mark.parametrize("text", [" ".join(HOSTILE[2:10]), HOSTILE[10]], ids=["signs", "long"])
def test_any_text(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    downloads = recorded_downloads(monkeypatch)
    open_page(EMBEDDINGS, a=text, **{"code-embeddings": "true"})
    made = {file.rpartition(".")[2]: make() for file, make in downloads.items()}
    assert sorted(made) == ["html", "ipynb", "npz"]
    nbformat.validate(nbformat.reads(made["ipynb"].decode(), as_version=4))
    arrays, _ = opened(made["npz"])
    assert arrays["output"].shape == (len(arrays["tokens"]), 384)
    assert (arrays["word"] + arrays["token_type"] + arrays["position"] == arrays["summed"]).all()
    page = made["html"].decode()
    for live in ("<script>alert", "<img src=x", "![x]"):
        assert live not in page.rpartition("</script></head>")[0][-2000:]
        assert live not in page[page.index("<body>") :]


def test_arrays_of_word_senses_open_there_again(monkeypatch: pytest.MonkeyPatch) -> None:
    downloads = recorded_downloads(monkeypatch)
    lines = "\n".join(f"the bank number {i} of the river" for i in range(8))
    open_page(
        "pages/5_Word_Senses.py",
        **{"from": OWN, "senseword": "bank", "lines": lines, "code-senses": "true"},
    )
    (data,) = [make() for file, make in downloads.items() if file.endswith(".npz")]
    arrays, _ = opened(data)
    assert arrays["vectors"].shape[1:] == (7, 384)
    again = npz.read(io.BytesIO(data), None, 100)
    assert again.model == "all-MiniLM-L6-v2"
    assert again.found.vectors == pytest.approx(arrays["vectors"])
    assert set(again.columns) == {"group", "x", "y"}
