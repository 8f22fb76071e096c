"""Names of files: the same for the same view, and safe whatever was typed."""

import re

import pytest

from bertviz_core.saved_files import MAX_NAME, file_name
from tests.hostile import HOSTILE

RIGHT_TO_LEFT = "\u202eمرحبا بالعالم، هذه جملة\u2069"
SENTENCES = [
    *HOSTILE, RIGHT_TO_LEFT, "a/b\\c:d*e?f|g", "../../etc/passwd", "CON", ".hidden", "🐍🐍",
    "a\ud800b", "word " * 600, "我" * 600, "नमस्ते दुनिया", "\x00", "e\u0301" * 300,
]  # fmt: skip


def name_of(sentence: str) -> str:
    return file_name(
        "Word in Context", "curves", "all-MiniLM-L6-v2", made={"layer": 6}, sentence=sentence
    )


def test_page_picture_model_layer_and_sentence() -> None:
    assert name_of("I love my pet python") == (
        "Word-in-Context_curves_all-MiniLM-L6-v2_layer-6_i-love-my-pet-python"
    )


@pytest.mark.parametrize("sentence", SENTENCES, ids=lambda text: ascii(text[:20]))
def test_whatever_was_typed(sentence: str) -> None:
    name = name_of(sentence)
    assert name == name_of(sentence)
    assert name.startswith("Word-in-Context_curves_all-MiniLM-L6-v2_layer-6")
    assert len(name.encode("utf-8")) <= MAX_NAME
    assert not re.search(r"[/\\:*?\"'<>|\s\x00-\x1f\u200b-\u206f\U0001F300-\U0001FAFF]", name)
    assert name[-1] not in ".-_ "


def test_parts_that_are_blank_or_long() -> None:
    assert file_name("tokens", "", made={}, sentence="  \n ") == "tokens"
    name = file_name("p", "m" * 300, made={"word": "w" * 3000, "corpus": "../x"}, sentence="a b")
    assert name == f"p_{'m' * 48}_word-{'w' * 43}_corpus-x_a-b"
