"""The views of the page Tokens, as data: what they show is what the tokenizer gives."""

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bertviz_core.bert import Bert, load_bert
from bertviz_core.errors import UserInputError
from bertviz_core.tokens import InputText
from bertviz_core.views.tokens.vocabulary import vocabulary
from bertviz_core.views.tokens.words import pieces
from bertviz_core.views.view import View
from tests.views.reading import drawn


def said(view: View, *names: str) -> list[object]:
    return [view.values[name] for name in names]


def test_the_tokens_of_a_text_and_the_search_for_its_hardest_word(minilm: Bert) -> None:
    view = pieces(minilm, "Sinan loves awesomesauce at the café!")
    counts = said(view, "tokens", "words", "pieces", "unknown", "added")
    assert counts == [12, 7, 10, 0, "[CLS] and [SEP]"]
    search = said(view, "followed_word", "word_pieces", "tries")
    assert search == ["awesomesauce", "awesome ##sau ##ce", 10]
    assert drawn(view, "word-search", "x").tolist() == [12, 11, 10, 9, 8, 7, 5, 4, 3, 2]
    empty = pieces(minilm, "")
    assert empty.values["special_tokens"] == "[CLS] [SEP]"
    assert not empty.pictures


def test_the_table_holds_what_the_tokenizer_gave(minilm: Bert) -> None:
    typed = InputText("Café Sinan", "[SEP] Zoe🐍")
    text, view = typed.tokenize(minilm), pieces(minilm, typed)
    frame = view.to_frame("tokens")
    assert frame["token"].tolist() == list(text.tokens)
    assert frame["token id"].tolist() == text.input_ids.tolist()
    assert frame["segment"].tolist() == ["AB"[i] for i in text.token_type_ids]
    assert frame["attention_mask"].tolist() == [1] * 8
    assert frame["as typed"].tolist() == ["", "Café", "Sin", "an", "", "[SEP]", "Zoe🐍", ""]
    inside = frame["word"].notna()
    assert inside.tolist() == [word is not None for word in text.word_ids]
    spans = frame[["from character", "to character"]][inside].to_numpy(dtype=int)
    assert np.array_equal(spans, text.offsets[inside.to_numpy()])
    assert said(view, "words", "pieces", "unknown") == [4, 5, 1]


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("love🐍", {"stuck_at": "🐍", "word_pieces": "[UNK]"}),
        ("b" * 101, {"length": 101, "longest": 100, "word_pieces": "[UNK]"}),
        ("[SEP]", {"word_pieces": "[SEP]", "tries": 0}),
        ("\u200b\u0007", {"followed_word": "[U+200B][U+0007]"}),
        ("z" * 100, {"drawn": 12}),
    ],
    ids=ascii,
)
def test_words_without_pieces(minilm: Bert, word: str, expected: dict[str, object]) -> None:
    view = pieces(minilm, "x", follow=word)
    assert {name: view.values[name] for name in expected} == expected
    assert len(view.to_frame("steps")) >= 1
    if "drawn" in expected:
        assert len(drawn(view, "word-search", "x")) == 12
        assert view.values["tries"] == len(view.to_frame("tries"))


def test_the_steps_of_a_word(minilm: Bert) -> None:
    view = pieces(minilm, "x", follow="Café\u00a0中!")
    steps = view.to_frame("steps")
    assert steps["taken"].tolist() == ["yes"] * 5
    assert steps["after"].tolist() == [
        *("Café␣中!", "Café␣␣中␣!", "Cafe␣␣中␣!", "cafe␣␣中␣!", "cafe | 中 | !")
    ]
    assert steps["changed"].tolist() == ["[U+00A0] → ␣", "中 → ␣中␣", "é → e", "C → c", "3 words"]
    assert view.to_frame("tries")["piece"].tolist() == ["cafe"], "of the word with most tries"
    assert said(view, "parts", "tries") == [3, 3]


def test_a_cased_checkpoint_keeps_case(tiny_folder: Path, tmp_path: Path) -> None:
    for file in tiny_folder.iterdir():
        (tmp_path / file.name).write_bytes(file.read_bytes())
    (tmp_path / "tokenizer_config.json").write_text(json.dumps({"do_lower_case": False}))
    cased = load_bert(tmp_path)
    steps = pieces(cased, "Thé").to_frame("steps")
    assert steps["taken"].tolist() == ["yes", "yes", *["not by this model"] * 2, "yes"]
    assert steps["after"].tolist() == ["Thé"] * 5
    assert said(pieces(cased, "Thé cat"), "word_pieces", "unknown") == ["[UNK]", 1]


@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        ("Sinan", ["sinan", None, None, "sin ##an"]),
        ("ÀN", ["an", 2019, 2319, "an"]),
        (" ##an", ["an", 2019, 2319, "an"]),
        ("python", ["python", 18750, None, "python"]),
        ("##sau", ["sau", None, 23823, "sa ##u"]),
        ("[MASK]", ["[MASK]", 103, None, "[MASK]"]),
        ("##", ["##", None, None, "# #"]),
        ("1.5", ["1.5", None, None, "1 . 5"]),
        ("3 dogs", ["3 dogs", None, None, "3 dogs"]),
    ],
)
def test_in_the_vocabulary(minilm: Bert, typed: str, expected: list[object]) -> None:
    view = vocabulary(minilm, typed)
    assert said(view, "word", "word_id", "continuation_id", "pieces") == expected


@given(ids=st.lists(st.integers(0, 30521), min_size=1, max_size=30))
@settings(max_examples=50, deadline=None)
def test_ids_are_read_like_transformers(minilm: Bert, library_tokenizer, ids: list[int]) -> None:
    view = vocabulary(minilm, str(ids))
    assert view.to_frame()["token id"].tolist() == ids
    assert view.to_frame()["token"].tolist() == library_tokenizer.convert_ids_to_tokens(ids)
    assert view.values["with_special"] == library_tokenizer.decode(ids)
    plain = library_tokenizer.decode(ids, skip_special_tokens=True)
    assert view.values["decoded_text"] == plain


@pytest.mark.parametrize("typed", [" ", "##\u200b", "30522", "-1", "101, 30522", "9" * 4900])
def test_what_is_not_in_the_table(minilm: Bert, typed: str) -> None:
    with pytest.raises(UserInputError):
        vocabulary(minilm, typed)


def test_a_typed_separator_starts_no_segment(minilm: Bert) -> None:
    view = pieces(minilm, InputText("a [SEP] b", "c"))
    assert view.values["typed"] == "2"
    assert view.to_frame("tokens")["segment"].tolist() == [*"AAAAABB"]
    assert "typed" not in pieces(minilm, InputText("a", "c")).values
