"""Rows of the query itself, and whether a sum is nearer to its answer than one of its terms."""

import numpy as np
import pytest

from bertviz_core.bert import Bert
from bertviz_core.neighbors import nearest_tokens, query_cosines, term_cosines

SUM = "king - man + woman"


def test_the_nearest_row_of_the_quoted_sum_is_one_of_its_own(minilm: Bert) -> None:
    found = nearest_tokens(minilm, SUM, 3)
    tokens = [minilm.vocabulary.tokens[i] for i in found.ranked_ids]
    assert tokens == ["king", "queen", "kings", "woman", "monarch"]
    assert found.ranked_own.tolist() == [True, False, False, True, False]
    assert found.ranked_scores[:2] == pytest.approx([0.666, 0.511], abs=5e-4)
    assert found.tokens == ("queen", "kings", "monarch")
    assert found.scores.tolist() == found.ranked_scores[~found.ranked_own].tolist()
    assert not found.is_own.any()


def test_own_rows_counted_in(minilm: Bert) -> None:
    found = nearest_tokens(minilm, SUM, 3, count_own=True)
    assert found.tokens == ("king", "queen", "kings")
    assert found.is_own.tolist() == found.ranked_own.tolist() == [True, False, False]
    assert found.token_ids.tolist() == found.ranked_ids.tolist()
    assert nearest_tokens(minilm, "dog", 1, count_own=True).tokens == ("dog",)


def test_rows_that_cannot_be_answers_have_no_rank(minilm: Bert) -> None:
    found = nearest_tokens(minilm, SUM, 5, keep="subwords")
    assert not found.ranked_own.any()
    assert found.ranked_ids.tolist() == found.token_ids.tolist()


def test_all_rows_are_ranked_where_fewer_answers_are_left(tiny: Bert) -> None:
    found = nearest_tokens(tiny, "king - cat", 100)
    allowed = tiny.vocabulary.allowed("all")
    assert len(found.tokens) == min(allowed.sum() - 2, 100)
    assert sorted(found.ranked_ids[found.ranked_own]) == found.own_ids.tolist()


def test_the_sum_moves_away_from_the_answer_that_is_quoted(minilm: Bert) -> None:
    found = nearest_tokens(minilm, SUM)
    king, man, woman = term_cosines(minilm, found, found.token_ids[:1])[:, 0]
    assert (king, man, woman) == pytest.approx((0.627, 0.122, 0.186), abs=5e-4)
    (whole,) = query_cosines(minilm, found, found.token_ids[:1])
    assert whole == pytest.approx(found.scores[0], abs=1e-6)
    assert whole < king


def test_terms_by_hand(tiny: Bert) -> None:
    found = nearest_tokens(tiny, "king - cats", metric="dot")  # cats = cat ##s
    table, ids = tiny.tables.word_embeddings.astype(np.float64), tiny.vocabulary.ids
    vectors = [table[ids["king"]], (table[ids["cat"]] + table[ids["##s"]]) / 2]
    row = table[found.token_ids[0]]
    lengths = np.linalg.norm([*vectors, row, vectors[0] - vectors[1]], axis=1)
    expected = [vector @ row / lengths[n] / lengths[2] for n, vector in enumerate(vectors)]
    assert term_cosines(tiny, found, found.token_ids)[:, 0] == pytest.approx(expected)
    whole = (vectors[0] - vectors[1]) @ row / lengths[3] / lengths[2]
    assert query_cosines(tiny, found, found.token_ids)[0] == pytest.approx(whole, abs=1e-6)
