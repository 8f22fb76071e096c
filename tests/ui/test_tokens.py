"""The page on tokens, headless: its sections show the core's numbers."""

import json
import re
from pathlib import Path

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from bertviz_core.bert import Bert
from bertviz_core.tokens import tokenize
from bertviz_core.tokens.line_counts import count_lines
from bertviz_core.ui.sections import IDS, LINES, TWO_SEGMENTS, VOCABULARY, WORD_STEPS
from bertviz_core.ui.tokens.line_counts import EXAMPLE, MOST_DRAWN
from tests.headless import charts, chip_rows, html, numbers, open_page, said, value, values

pytestmark = pytest.mark.usefixtures("fresh_caches")

TOKENS = "pages/1_Tokens.py"
SECTIONS = (WORD_STEPS, VOCABULARY, IDS, TWO_SEGMENTS, LINES)


def table(app: AppTest, column: str):
    """The one table that has a column of this name."""
    (only,) = [frame.value for frame in app.dataframe if column in frame.value]
    return only


def named(app: AppTest, *names: str) -> list[str]:
    """What the page's sentences say under each name."""
    return [value(app, name) for name in names]


def test_opens_on_awesomesauce() -> None:
    app = open_page(TOKENS, closer=WORD_STEPS)
    assert app.segmented_control(key="closer").options == list(SECTIONS)
    counts = named(app, "tokens", "words", "pieces", "pieces_per_word", "added")
    assert counts == ["12", "7", "10", "1.43", "[CLS] and [SEP]"]
    assert values(app, "unknown") == []
    journey = named(app, "followed_word", "word_pieces", "tries")
    assert journey == ["awesomesauce", "awesome ##sau ##ce", "10"]
    tries = table(app, "try")
    assert tries["piece"].tolist()[5:] == ["awesome", "##sauce", "##sauc", "##sau", "##ce"]
    assert tries["token id"].dropna().tolist() == [12476, 23823, 3401]
    (figure,) = charts(app)
    assert numbers(figure["data"][0]["x"]).tolist() == [12, 11, 10, 9, 8, 7, 5, 4, 3, 2]
    assert chip_rows(app)[0]["selected"] == [4, 5, 6]  # its pieces
    app.text_input(key="a").set_value("").run()
    assert not app.exception
    assert value(app, "special_tokens") == "[CLS] [SEP]"
    assert "The text has no word to follow" in said(app)
    assert not charts(app)


def test_the_table_holds_what_the_tokenizer_gave(minilm: Bert) -> None:
    app = open_page(TOKENS, a="Café Sinan", b="[SEP] Zoe🐍", **{"all-tokens": "true"})
    text = tokenize(minilm, "Café Sinan", "[SEP] Zoe🐍")
    frame = table(app, "stands for")
    assert frame["token"].tolist() == list(text.tokens)
    assert frame["token id"].tolist() == text.input_ids.tolist()
    assert frame["segment"].tolist() == ["AB"[i] for i in text.token_type_ids]
    assert frame["position"].tolist() == text.position_ids.tolist()
    assert frame["stands for"].tolist() == [
        *("", "Café", "Sin", "an", "", "[SEP]", "Zoe🐍", ""),
    ]
    inside = frame["word"].notna()
    assert inside.tolist() == [word is not None for word in text.word_ids]
    spans = frame[["from character", "to character"]][inside].to_numpy(dtype=int)
    assert np.array_equal(spans, text.offsets[inside.to_numpy()])
    assert "bx-special bx-typed" not in html(app).split("bx-second")[0]
    chip = 'bx-second bx-special bx-typed" role="option" title="position 5, segment B, characters'
    assert f"{chip} 0 to 5" in html(app)
    assert "bx-unknown" in html(app)
    assert value(app, "unknown") == "1"
    # Words are coloured, and their pieces joined.
    chips = html(open_page(TOKENS, a="Sinan is"))
    words = re.findall(r'class="bx-word">(.*?)</span></span>', chips)
    hues = [re.findall(r"bx-hue(\d)", word) for word in words]
    assert hues == [[], ["0", "0"], ["1"], []]


def test_the_steps_of_a_word() -> None:
    app = open_page(TOKENS, a="x", follow="Café\u00a0中!", closer=WORD_STEPS)
    steps = table(app, "step")
    assert steps["taken"].tolist() == ["yes"] * 5
    assert steps["after"].tolist() == ["Café␣中!", "Café␣␣中␣!", "Cafe␣␣中␣!", "cafe␣␣中␣!",
                                       "cafe | 中 | !"]  # fmt: skip
    assert steps["changed"].tolist() == ["[U+00A0] → ␣", "中 → ␣中␣", "é → e", "C → c", "3 words"]
    assert value(app, "parts") == "3"
    app.selectbox(key="spell").set_value("3 !").run()
    assert not app.exception
    assert table(app, "try")["piece"].tolist() == ["!"]


def test_the_word_is_chosen_anew_when_the_text_changes() -> None:
    app = open_page(TOKENS)
    assert app.selectbox(key="follow").value == "awesomesauce"
    app.selectbox(key="follow").set_value("café").run()
    assert named(app, "followed_word", "word_pieces") == ["café", "cafe"]
    app.text_input(key="a").set_value("unbelievably dogs").run()
    assert app.selectbox(key="follow").value == "unbelievably"
    app.text_input(key="a").set_value("dogs").run()
    assert app.selectbox(key="follow").value == "dogs"
    app.text_input(key="a").set_value("").run()
    assert not charts(app)
    app.text_input(key="a").set_value("the cat").run()
    assert app.selectbox(key="follow").value == "the"
    assert charts(app)
    app = open_page(TOKENS, a="the cat", follow="qwertyuiop")  # typed, not of the text
    assert app.selectbox(key="follow").options == ["qwertyuiop", "the", "cat"]
    assert value(app.run(), "followed_word") == "qwertyuiop"
    app.text_input(key="a").set_value("the unbelievably").run()
    assert value(app, "followed_word") == "unbelievably"


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("love🐍", {"stuck_at": "🐍", "word_pieces": "[UNK]"}),
        ("b" * 101, {"length": "101", "longest": "100", "word_pieces": "[UNK]"}),
        ("[SEP]", {"word_pieces": "[SEP]", "tries": "0"}),
        ("\u200b\u0007", {}),
        ("z" * 100, {"drawn": "12"}),
    ],
    ids=ascii,
)
def test_words_without_pieces(word: str, expected: dict[str, str]) -> None:
    app = open_page(TOKENS, follow=word, closer=WORD_STEPS)
    assert {name: value(app, name) for name in expected} == expected
    assert table(app, "step").shape[0] >= 1
    assert ("every character was dropped" in said(app)) == (not expected)
    if "drawn" in expected:
        assert value(app, "tries") == f"{len(table(app, 'try')):,}"
        assert len(numbers(charts(app)[0]["data"][0]["x"])) == 12


def test_in_the_vocabulary() -> None:
    app = open_page(TOKENS, closer=VOCABULARY)
    assert named(app, "word", "continuation") == ["sinan", "##sinan"]
    assert "No: neither" in said(app)
    assert values(app, "pieces")[-1] == "sin ##an"
    app.text_input(key="lookup").set_value("An").run()
    assert named(app, "typed", "normalized", "word") == ["An", "an", "an"]
    assert named(app, "word_id", "continuation_id") == ["2019", "2319"]
    forms = table(app, "written")
    assert forms.loc[0].tolist() == ["an", 2019, 2319]
    app.text_input(key="lookup").set_value("python").run()
    assert named(app, "word", "word_id", "continuation") == ["python", "18750", "##python"]
    assert values(app, "continuation_id") == []
    app.text_input(key="lookup").set_value("##sau").run()
    assert named(app, "continuation", "continuation_id", "word") == ["##sau", "23823", "sau"]
    assert values(app, "word_id") == []
    app.text_input(key="lookup").set_value("  ").run()
    assert "Type a word to look for" in said(app)


def test_ids_to_text() -> None:
    app = open_page(TOKENS, closer=IDS, a="Café!")
    assert len(charts(app)) == 1  # only the chosen section is computed
    assert [area.key for area in app.text_area] == []
    assert app.text_input(key="ids").value == "101 1045 2572 8254 2319 102"
    decoded = named(app, "ids", "decoded_tokens", "decoded_text")
    assert decoded == ["6", "[CLS] i am sin ##an [SEP]", "i am sinan"]
    assert named(app, "text_a", "returned") == ["Café!", "cafe!"]
    app.text_input(key="ids").set_value("101 30522").run()
    assert "30522 is not in the token table of all-MiniLM-L6-v2" in said(app)
    assert not app.exception
    app.text_input(key="ids").set_value("one two").run()
    assert "“one” is not a token id" in said(app)


def test_two_texts_two_segments() -> None:
    app = open_page(TOKENS, closer=TWO_SEGMENTS, a="I am Sinan [SEP] She is Zoe")
    reading = named(app, "in_segment_a", "differing", "typed")
    assert reading == ["10", "4", "5"]
    assert values(app, "without_row") == []
    # First of the text as it is, then of the two texts it could have been.
    assert values(app, "in_segment_b") == ["0", "4"]
    assert named(app, "text_a", "text_b") == ["I am Sinan", "She is Zoe"]
    _, figure = charts(app)
    drawn = numbers(figure["data"][0]["z"])
    assert drawn.tolist() == [[0] * 10, [0] * 6 + [1] * 4, [0] * 6 + [1] * 4]
    app.text_input(key="b").set_value("and you").run()
    assert value(app, "without_row") == "3"
    assert numbers(charts(app)[1]["data"][0]["z"]).shape == (2, 13)
    frame = table(app, "by the text")
    assert frame["by the text"].tolist() == [0] * 10 + [1] * 3
    assert frame["by counting [SEP]"].tolist() == [0] * 6 + [1] * 4 + [2] * 3


def test_many_lines(minilm: Bert) -> None:
    app = open_page(TOKENS, closer=LINES)
    counts = count_lines(minilm, EXAMPLE.splitlines())
    frame = table(app, "[UNK] rate")
    assert frame["tokens"].tolist() == counts.lengths.tolist()
    assert frame["pieces per word"].tolist() == counts.pieces_per_word.tolist()
    assert named(app, "lines", "lengths", "mean_length") == ["6", "7 to 18", "12.2"]
    assert values(app, "pieces_per_word")[-1] == "1.61"
    assert value(app, "unknown_share") == "5.3%"
    _, figure = charts(app)
    drawn = sum(numbers(bar["x"]) for bar in figure["data"])
    assert drawn.tolist() == counts.lengths.tolist()


def test_many_more_lines() -> None:
    app = open_page(TOKENS, closer=LINES)
    app.text_area(key="texts").set_value("\n".join(["dog " * 600] + ["cat\n"] * 60)).run()
    assert not app.exception
    assert named(app, "drawn", "all") == [str(MOST_DRAWN), "61"]
    assert value(app, "too_long") == "1"
    assert set(values(app, "room")) == {"512"}
    assert len(table(app, "[UNK] rate")) == 61
    app.text_area(key="texts").set_value("x" * 5000).run()
    assert value(app, "most") == "5,000"
    app.text_area(key="texts").set_value("\u0007").run()
    assert "has no word that BERT can read" in said(app)
    app.text_area(key="texts").set_value(" \n ").run()
    assert "Type or paste some lines" in said(app)


def test_a_cased_checkpoint_keeps_case(mine: Path) -> None:
    (mine / "tokenizer_config.json").write_text(json.dumps({"do_lower_case": False}))
    app = open_page(TOKENS, a="Thé cat", closer=WORD_STEPS)
    steps = table(app, "step")
    assert steps["taken"].tolist() == ["yes", "yes", *["not by this model"] * 2, "yes"]
    assert steps["after"].tolist() == ["Thé"] * 5
    assert named(app, "followed_word", "word_pieces") == ["Thé", "[UNK]"]
    assert "bx-unknown" in html(app)


def test_why_a_word_is_unknown() -> None:
    assert "more than 100 characters" in value(open_page(TOKENS, a="a" * 101), "reasons")
    one = value(open_page(TOKENS, a="\u1200"), "reasons")
    assert "fits no piece" in one
    assert "100" not in one
    both = value(open_page(TOKENS, a="\u1200 " + "a" * 101 + " [UNK]"), "reasons")
    assert [part in both for part in ("fits no piece", "100", "typed")] == [True] * 3
