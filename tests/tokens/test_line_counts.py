"""How many words and pieces lines have, counted by hand."""

import numpy as np

from bertviz_core.bert import Bert
from bertviz_core.tokens import tokenize
from bertviz_core.tokens.line_counts import count_lines, count_words


def test_counts_of_a_text_by_hand(tiny: Bert) -> None:
    counts = count_words(tiny, tokenize(tiny, "The cats sat!", "Sinan zzz"))
    assert (counts.words, counts.pieces, counts.unknown) == (6, 8, 1)
    assert counts.pieces_per_word == 8 / 6
    empty = count_words(tiny, tokenize(tiny, ""))
    assert (empty.words, empty.pieces, empty.unknown) == (0, 0, 0)
    assert np.isnan(empty.pieces_per_word)


def test_counts_of_lines_by_hand(tiny: Bert) -> None:
    counts = count_lines(tiny, ["the cats", "", "zzz a zzz a", "dog " * 20])
    assert counts.characters.tolist() == [8, 0, 11, 80]
    assert counts.lengths.tolist() == [5, 2, 6, 22]
    assert counts.words.tolist() == [2, 0, 4, 20]
    assert counts.pieces.tolist() == [3, 0, 4, 20]
    assert counts.unknown.tolist() == [0, 0, 2, 0]
    assert counts.cut.tolist() == [0, 0, 0, 6]
    assert np.array_equal(counts.pieces_per_word, [1.5, np.nan, 1, 1], equal_nan=True)
    assert np.array_equal(counts.unknown_rate, [0, np.nan, 0.5, 0], equal_nan=True)
    assert (counts.total.words, counts.total.pieces, counts.total.unknown) == (26, 27, 2)
    assert len(count_lines(tiny, [])) == 0
