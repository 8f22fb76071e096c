"""The snippets of the page on tokens are run, and print what the page shows."""

import ast
import re

import pytest

from bertviz_core.bert import Bert
from bertviz_core.snippets.tokens import (
    decode_code,
    lines_code,
    segments_code,
    tokens_code,
    vocabulary_code,
    word_steps_code,
)
from bertviz_core.tokens import tokenize
from bertviz_core.tokens.decoding import decode_ids
from bertviz_core.tokens.line_counts import count_lines
from bertviz_core.tokens.lookup import look_up
from bertviz_core.tokens.segments import segments_two_ways
from bertviz_core.tokens.wordpieces import trace_text
from tests.snippets.test_snippets import run

TRICKY = "I am Sinan\\ 'quoted' [MASK] \ud800 café❤"


@pytest.mark.parametrize("pair", [None, 'She\'s "Zoe"'])
def test_tokens(minilm: Bert, pair: str | None) -> None:
    printed, _ = run(tokens_code(minilm, TRICKY, pair), minilm)
    text = tokenize(minilm, TRICKY, pair)
    expected = [
        f"{place} {token} {text.input_ids[place]} {text.token_type_ids[place]} "
        f"{text.offsets[place][0]} {text.offsets[place][1]} {text.word_ids[place]}"
        for place, token in enumerate(text.tokens)
    ]
    assert printed.splitlines() == expected


def test_no_model_is_loaded_for_tokens(minilm: Bert) -> None:
    for snippet in (
        tokens_code(minilm, "a"),
        word_steps_code(minilm, "a"),
        vocabulary_code(minilm, "a", "a", "a"),
        decode_code(minilm, [101]),
        segments_code(minilm, "a"),
        lines_code(minilm, ["a"]),
    ):
        assert not re.search("torch|BertModel", snippet)
        assert "from transformers import BertTokenizer\n" in snippet


@pytest.mark.parametrize("word", ["awesomesauce", "Café-au-lait!", "cafe❤ x", "b" * 101])
def test_word_steps(minilm: Bert, word: str) -> None:
    printed, _ = run(word_steps_code(minilm, word), minilm)
    (part,) = trace_text(minilm, word).fragments
    expected = [f"normalized: {part.steps[-1].after!r}"]
    for search in part.words:
        expected += [f"try {one.piece} {one.token_id}" for one in search.tries]
        expected.append(f"{search.word} -> {' '.join(search.tokens)}")
    assert printed.splitlines() == expected


@pytest.mark.parametrize("word", ["sinan", "An", "python", "##", "["])
def test_vocabulary(minilm: Bert, word: str) -> None:
    found = look_up(minilm, word)
    printed, _ = run(vocabulary_code(minilm, found.word, found.normalized, found.shared), minilm)
    *forms, pieces, counts = printed.splitlines()
    assert forms == [
        f"{form.written} {form.word_id} {form.continuation_id}" for form in found.forms
    ]
    assert tuple(ast.literal_eval(pieces)) == found.pieces
    assert counts == f"{len(found.beginning)} {len(found.continuing)}"


def test_decode(minilm: Bert) -> None:
    ids = [101, 1045, 2572, 8254, 2319, 999, 102]
    printed, _ = run(decode_code(minilm, ids), minilm)
    decoded = decode_ids(minilm, ids)
    tokens, text, plain = printed.splitlines()
    assert tuple(ast.literal_eval(tokens)) == decoded.tokens
    assert [text, plain] == [decoded.text, decoded.text_without_special]


@pytest.mark.parametrize("pair", [None, "c"])
def test_segments(minilm: Bert, pair: str | None) -> None:
    printed, _ = run(segments_code(minilm, "a [SEP] b", pair), minilm)
    text = tokenize(minilm, "a [SEP] b", pair)
    reading = segments_two_ways(minilm, text)
    assert printed.splitlines() == [
        f"{token} {by_text} {by_counting}"
        for token, by_text, by_counting in zip(
            text.tokens, reading.by_text, reading.by_counting, strict=True
        )
    ]


def test_lines(minilm: Bert) -> None:
    lines = ["I am Sinan", "Good night 🌙", "'quotes' \\", "word " * 600]
    printed, _ = run(lines_code(minilm, lines), minilm)
    counts = count_lines(minilm, lines)
    assert printed.splitlines() == [
        f"{a} {b} {c} {d}"
        for a, b, c, d in zip(
            counts.lengths, counts.words, counts.pieces, counts.unknown, strict=True
        )
    ]
