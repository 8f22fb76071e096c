"""Input Embeddings above its sections, headless: heatmaps, a token's numbers, the proof."""

import numpy as np
import pytest

from bertviz_core.bert import Bert
from bertviz_core.checkpoints.catalog import EMBEDDED
from bertviz_core.embeddings import input_embeddings
from bertviz_core.tokens import tokenize
from bertviz_core.ui.results import models
from bertviz_core.ui.sections import DIMENSION, NUMBERS, ORDER, PROOF, ROWS, SHARES, SURVIVES
from tests.headless import charts, chip_rows, html, numbers, open_page, value, values

pytestmark = pytest.mark.usefixtures("fresh_caches")

PAGE = "pages/2_Input_Embeddings.py"


def test_draws_the_cores_numbers(minilm: Bert) -> None:
    app = open_page(PAGE, a="I am Sinan", b="She is Zoe", token="2", look=NUMBERS)
    text = tokenize(minilm, "I am Sinan", "She is Zoe")
    parts = input_embeddings(minilm, text)
    (figure,) = charts(app)
    drawn = [numbers(trace["z"]) for trace in figure["data"]]
    expected = [parts.word, parts.token_type, parts.position, parts.summed, parts.output]
    assert np.array_equal(drawn, expected)
    for token, token_id in zip(text.tokens, text.input_ids, strict=True):
        assert f"<bdi>{token}</bdi><small>{token_id}</small>" in html(app)
    choice = app.segmented_control(key="look")
    assert choice.options == [NUMBERS, PROOF, SHARES, ROWS, ORDER, DIMENSION, SURVIVES]
    assert chip_rows(app)[0]["selected"] == [2]
    (frame,) = app.dataframe
    for column, rows in (("token", parts.word), ("sum", parts.summed)):
        assert np.array_equal(frame.value[column], rows[2])
    assert np.array_equal(frame.value["after LayerNorm"], parts.output[2])
    assert "am" in app.text[0].value


def test_the_dimensions_and_the_scale_are_chosen() -> None:
    (each,) = charts(open_page(PAGE, dims="window"))
    assert numbers(each["data"][0]["z"]).shape == (7, 64)
    app = open_page(PAGE, dims="most variable", variable="9", scale="one for all")
    (figure,) = charts(app)
    assert numbers(figure["data"][0]["z"]).shape == (7, 9)
    assert len(figure["layout"]["xaxis"]["ticktext"]) == 9
    limits = [{trace["zmax"] for trace in chart["data"]} for chart in (each, figure)]
    assert [len(limit) for limit in limits] == [5, 1]


def test_a_shorter_text_and_one_that_is_cut() -> None:
    app = open_page(PAGE, a="a long sentence of several tokens here", token="8")
    app.text_input(key="a").set_value("dog").run()
    assert app.number_input(key="token").value is None
    assert chip_rows(app)[0]["selected"] == [1]
    app.text_input(key="a").set_value("dog " * 600).run()
    assert not app.exception
    assert [value(app, name) for name in ("all", "room", "cut")] == ["602", "512", "90"]
    (figure,) = charts(app)
    assert figure["data"][0]["type"] == "image"
    assert value(app, "drawn") == f"{5 * 512 * 384:,}"


def test_the_proof_comes_by_a_click_for_each_text() -> None:
    app = open_page(PAGE, look=PROOF)
    assert not values(app, "difference")
    app.button(key="prove").click().run()
    assert value(app, "count") == "2,688"
    assert float(value(app, "difference")) < 2e-6
    app.number_input(key="token").set_value(3).run()  # stays while the text does
    assert value(app, "count") == "2,688"
    app.text_input(key="a").set_value("another sentence").run()
    assert not values(app, "difference")
    assert models.has_library_model(EMBEDDED)
    other = open_page(PAGE, look=PROOF)  # another viewer waits for no proof, whatever is in memory
    assert not values(other, "difference")
    assert other.button(key="prove")
