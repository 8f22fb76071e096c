"""The snippets of the page on tokens are run, and print what the page shows."""

import ast

import pytest

from bertviz_core.bert import Bert
from bertviz_core.tokens import tokenize
from bertviz_core.tokens.decoding import decode_ids
from bertviz_core.tokens.line_counts import count_lines
from bertviz_core.tokens.lookup import look_up
from bertviz_core.tokens.segments import segments_two_ways
from bertviz_core.tokens.wordpieces import trace_text
from tests.snippets.running import run_filled

TRICKY = "I am Sinan\\ 'quoted' [MASK] \ud800 café❤"


@pytest.mark.parametrize("pair", [None, 'She\'s "Zoe"'])
def test_tokens(minilm: Bert, pair: str | None) -> None:
    printed, _ = run_filled("tokens/tokens", minilm, text=TRICKY, text_pair=pair)
    text = tokenize(minilm, TRICKY, pair)
    expected = [
        f"{place} {token} {text.input_ids[place]} {text.token_type_ids[place]} "
        f"{text.offsets[place][0]} {text.offsets[place][1]} {text.word_ids[place]}"
        for place, token in enumerate(text.tokens)
    ]
    assert printed.splitlines() == expected


@pytest.mark.parametrize("word", ["awesomesauce", "Café-au-lait!", "cafe❤ x", "b" * 101])
def test_word_steps(minilm: Bert, word: str) -> None:
    printed, _ = run_filled("tokens/word_steps", minilm, text=word, longest_word=100)
    (part,) = trace_text(minilm, word).fragments
    expected = [f"normalized: {part.steps[-1].after!r}"]
    for search in part.words:
        expected += [f"try {one.piece} {one.token_id}" for one in search.tries]
        expected.append(f"{search.word} -> {' '.join(search.tokens)}")
    assert printed.splitlines() == expected


@pytest.mark.parametrize("word", ["sinan", "An", "python", "##", "["])
def test_vocabulary(minilm: Bert, word: str) -> None:
    found = look_up(minilm, word)
    printed, _ = run_filled(
        "tokens/vocabulary",
        minilm,
        word=found.word,
        normalized=found.normalized,
        beginning=found.shared,
    )
    *forms, pieces, words, continuing = printed.splitlines()
    assert forms == [
        f"{form.written} {form.word_id} {form.continuation_id}" for form in found.forms
    ]
    assert tuple(ast.literal_eval(pieces)) == found.pieces
    assert (int(words), int(continuing)) == (len(found.beginning), len(found.continuing))


def test_decode(minilm: Bert) -> None:
    ids = [101, 1045, 2572, 8254, 2319, 999, 102]
    printed, _ = run_filled("tokens/decode", minilm, token_ids=ids)
    decoded = decode_ids(minilm, ids)
    tokens, text, plain = printed.splitlines()
    assert tuple(ast.literal_eval(tokens)) == decoded.tokens
    assert [text, plain] == [decoded.text, decoded.text_without_special]


@pytest.mark.parametrize("pair", [None, "c"])
def test_segments(minilm: Bert, pair: str | None) -> None:
    printed, _ = run_filled("tokens/segments", minilm, text="a [SEP] b", text_pair=pair)
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
    printed, _ = run_filled("tokens/lines", minilm, lines=lines)
    counts = count_lines(minilm, lines)
    assert printed.splitlines() == [
        f"{a} {b} {c} {d}"
        for a, b, c, d in zip(
            counts.lengths, counts.words, counts.pieces, counts.unknown, strict=True
        )
    ]
