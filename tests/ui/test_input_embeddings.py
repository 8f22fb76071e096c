"""Input Embeddings above its sections, headless: heatmaps, a token's numbers, the proof."""

import numpy as np
import pytest

from bertviz_core.bert import Bert
from bertviz_core.checkpoints.catalog import EMBEDDED
from bertviz_core.embeddings import input_embeddings
from bertviz_core.tokens import tokenize
from bertviz_core.ui.results import models
from tests.headless import charts, html, numbers, open_page, value, values

pytestmark = pytest.mark.usefixtures("fresh_caches")

PAGE = "pages/2_Input_Embeddings.py"


def test_draws_the_cores_numbers(minilm: Bert) -> None:
    app = open_page(PAGE, a="I am Sinan", b="She is Zoe")
    text = tokenize(minilm, "I am Sinan", "She is Zoe")
    parts = input_embeddings(minilm, text)
    (figure,) = charts(app)
    drawn = [numbers(trace["z"]) for trace in figure["data"]]
    expected = [parts.word, parts.token_type, parts.position, parts.summed, parts.output]
    assert len(drawn) == 5
    for ours, theirs in zip(drawn, expected, strict=True):
        assert ours.dtype == np.float32
        assert np.array_equal(ours, theirs)
    for trace in figure["data"]:
        assert trace["zmin"] == -trace["zmax"]
    assert figure["layout"]["yaxis"]["ticktext"][4] == "4 ##an"
    for token, token_id in zip(text.tokens, text.input_ids, strict=True):
        assert f"<bdi>{token}</bdi><small>{token_id}</small>" in html(app)


def test_window_and_most_variable() -> None:
    app = open_page(PAGE, dims="window")
    (figure,) = charts(app)
    assert numbers(figure["data"][0]["z"]).shape == (7, 64)
    app = open_page(PAGE, dims="most variable", variable="9")
    (figure,) = charts(app)
    assert numbers(figure["data"][0]["z"]).shape == (7, 9)
    assert len(figure["layout"]["xaxis"]["ticktext"]) == 9


def test_one_scale_for_all() -> None:
    each = {trace["zmax"] for trace in charts(open_page(PAGE))[0]["data"]}
    one = {trace["zmax"] for trace in charts(open_page(PAGE, scale="one for all"))[0]["data"]}
    assert len(each) == 5
    assert one == {max(each)}


def test_the_token_table_shows_the_chosen_tokens_numbers(minilm: Bert) -> None:
    app = open_page(PAGE, a="the cat", token="2")
    parts = input_embeddings(minilm, tokenize(minilm, "the cat"))
    frame = app.dataframe[0].value
    assert np.array_equal(frame["token"], parts.word[2])
    assert np.array_equal(frame["after LayerNorm"], parts.output[2])
    assert "cat" in app.text[0].value


def test_long_text_is_cut_and_says_so() -> None:
    app = open_page(PAGE)
    app.text_input(key="a").set_value("dog " * 600).run()
    assert not app.exception
    assert [value(app, name) for name in ("all", "room", "cut")] == ["602", "512", "90"]
    (figure,) = charts(app)
    assert figure["data"][0]["type"] == "image"
    assert "drawn as a picture" in " ".join(caption.value for caption in app.caption)


def test_the_proof_comes_by_a_click_for_each_text() -> None:
    app = open_page(PAGE)
    assert not values(app, "difference")
    app.button(key="prove").click().run()
    assert value(app, "count") == "2,688"
    assert float(value(app, "difference")) < 2e-6
    app.slider(key="token").set_value(3).run()  # stays while the text does
    assert value(app, "count") == "2,688"
    app.text_input(key="a").set_value("another sentence").run()
    assert not values(app, "difference")
    app.button(key="prove").click().run()
    assert value(app, "count") == "1,536"
    assert models.has_library_model(EMBEDDED)
    other = open_page(PAGE)  # another viewer waits for no proof, whatever is in memory
    assert not values(other, "difference")
    assert other.button(key="prove")
