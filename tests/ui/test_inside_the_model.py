"""The page Inside the Model, headless: its fields, its sections and its links."""

import json
from pathlib import Path

import pytest

from bertviz_core.views.declare import sections_of
from tests.headless import charts, open_page, said, unfolded, value, values
from tests.tiny import VOCABULARY

pytestmark = pytest.mark.usefixtures("fresh_caches")

PAGE = "pages/7_Inside_the_Model.py"
TRAINING = {"section": "what training changes"}


def test_the_headline_and_its_tables() -> None:
    app = open_page(PAGE, **unfolded("parameters", "totals"))
    choice = app.segmented_control(key="section")
    assert choice.options == [section.label for section in sections_of("Inside the Model")]
    assert value(app, "total") == "22,713,216"
    assert len(charts(app)) == 1
    assert [len(frame.value) for frame in app.dataframe] == [103, 2]
    labels = [button.proto.label for button in app.get("download_button")]
    assert "Not counted, 1 of the file's tensors, as CSV" in labels


def test_a_tensor_that_is_not_there_is_not_read() -> None:
    app = open_page(PAGE, section="one tensor", tensor="../../config.json", heights="linear")
    assert app.selectbox(key="tensor").value == "embeddings.word_embeddings.weight"
    assert charts(app)[1]["layout"]["yaxis"].get("type") is None


def test_only_some_kinds() -> None:
    app = open_page(PAGE, section="norms of the token table")
    (control,) = [group for group in app.button_group if group.key == "kinds"]
    control.set_value(["[unused]", "special"]).run()
    assert [trace["name"] for trace in charts(app)[1]["data"]] == ["[unused] (994)", "special (5)"]


def test_the_model_is_run_by_one_click_and_then_by_itself() -> None:
    app = open_page(PAGE, section="pooler")
    assert len(charts(app)) == 1
    app.button(key="run_pooler").click().run()
    assert value(app, "difference") == "exactly"
    app.text_input(key="pooled").set_value("another sentence").run()
    assert not [button for button in app.button if button.key == "run_pooler"]
    assert len(charts(app)) == 3
    app.segmented_control(key="section").set_value("what training changes").run()
    assert len(charts(app)) == 3
    app.text_input(key="beside").set_value("She is Zoe").run()
    assert value(app, "segments") == "2"
    app.text_input(key="alike").set_value("[dog] and [cat] " + "word " * 200).run()
    assert "tokens; a backward pass takes at most 128 here" in said(app)


def test_a_separator_that_config_json_calls_padding(mine: Path) -> None:
    """The row that stays is named by its id, whatever the tokenizer pads with."""
    settings = json.loads((mine / "config.json").read_text(encoding="utf-8"))
    settings["pad_token_id"] = VOCABULARY.index("[SEP]")
    (mine / "config.json").write_text(json.dumps(settings), encoding="utf-8")
    app = open_page(PAGE, **TRAINING, alike="the [king] and a [queen]")
    app.button(key="run_training").click().run()
    assert values(app, "padding_token") == ["[SEP]"]
    assert value(app, "answer").startswith("As far as their numbers show, yes")  # as drawn
