import string
import unicodedata
from dataclasses import replace
from itertools import islice, product

import numpy as np
import pytest
from sklearn.metrics.pairwise import cosine_similarity, euclidean_distances

from bertviz_core.bert import Bert, EmbeddingTables
from bertviz_core.checkpoints.vocabulary import KEEPS, Keep
from bertviz_core.errors import UserInputError
from bertviz_core.neighbors import nearest_tokens
from bertviz_core.neighbors.search import METRICS

SUM = "king - man + woman"


def with_rows(bert: Bert, rows: dict[str, list[float]]) -> Bert:
    """A copy whose token table is zero but for the first dimensions of the rows given."""
    table = np.zeros_like(bert.tables.word_embeddings)
    for token, values in rows.items():
        table[bert.vocabulary.ids[token], : len(values)] = values
    tables = vars(bert.tables) | {
        "word_embeddings": table,
        "word_norms": np.linalg.norm(table, axis=1),
    }
    return replace(bert, tables=EmbeddingTables(**tables))


@pytest.fixture
def by_hand(tiny: Bert) -> Bert:
    plane = {"king": [1, 1], "man": [0, 1], "woman": [0, -1], "queen": [2, -2], "cat": [3, 4]}
    return with_rows(tiny, plane | {"##s": [1, 0], "[unused0]": [1, -1]})


def test_cosine_and_dot_by_hand(by_hand: Bert) -> None:
    # king - man + woman = (1, -1): queen lies on it, ##s at 45 degrees, cat at -1/(5 sqrt 2).
    found = nearest_tokens(by_hand, SUM, k=2)
    assert found.tokens == ("queen", "##s")
    assert found.scores.tolist() == pytest.approx([1, 0.5**0.5], abs=1e-7)
    assert found.vector[:2].tolist() == [1, -1]
    assert found.scores.dtype == np.float32
    found = nearest_tokens(by_hand, SUM, k=2, metric="dot")
    assert (found.tokens, found.scores.tolist()) == (("queen", "##s"), [4, 1])


def test_a_word_that_splits_is_the_mean_of_its_pieces(by_hand: Bert) -> None:
    found = nearest_tokens(by_hand, "cats", k=3)  # cat (3, 4) and ##s (1, 0): (2, 2)
    assert found.terms[0].tokens == ("cat", "##s")
    assert found.vector[:2].tolist() == [2, 2]
    assert found.tokens[0] == "king"
    assert "cat" not in found.tokens


def test_unused_rows_answer_only_when_asked_and_rows_of_zero_have_cosine_0(by_hand: Bert) -> None:
    found = nearest_tokens(by_hand, "queen", k=100)
    assert "[unused0]" not in found.tokens
    assert nearest_tokens(by_hand, "queen", k=1, unused=True).tokens == ("[unused0]",)
    assert found.scores[found.tokens.index("the")] == 0
    assert np.isfinite(found.all_scores).all()


@pytest.mark.parametrize("query", ["⇌", "₉", "##!", "...", "##一", "[unused5]"])
def test_what_no_text_reaches_is_no_neighbour(minilm: Bert, query: str) -> None:
    """Of ten neighbours of the first three, seven to nine were such rows."""
    is_unused = minilm.vocabulary.is_unused
    found, all_rows = (nearest_tokens(minilm, query, unused=unused) for unused in (False, True))
    assert len(found.tokens) == 10
    assert not is_unused[found.token_ids].any()
    assert is_unused[all_rows.token_ids].sum() >= 5


def is_a_word(sign: str) -> bool:
    """Whether the tokenizer of BERT cuts it off: punctuation, Chinese characters."""
    return sign in string.punctuation or (
        len(sign) == 1 and (unicodedata.category(sign)[0] == "P" or "一" <= sign <= "\u9fff")
    )


def kept(token: str, keep: Keep) -> bool:
    special = token in ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")
    piece = token.startswith("##") and token != "##"
    if token.startswith("[unused") or token == "..." or (piece and is_a_word(token[2:])):
        return False
    return {"all": True, "words": not piece and not special, "subwords": piece}[keep]


@pytest.mark.parametrize("query", ["dog", "##ing", "king - man + woman", "awesomesauce"])
def test_equals_brute_force(minilm: Bert, query: str) -> None:
    terms = nearest_tokens(minilm, query).terms
    tokens, table = minilm.vocabulary.tokens, minilm.tables.word_embeddings.astype(np.float64)
    used = {i for term in terms for i in term.token_ids}
    vector = sum(t.sign * table[list(t.token_ids)].mean(axis=0) for t in terms)
    brute = {
        "cosine": -cosine_similarity(vector[None], table)[0],
        "dot": -(table @ vector),
        "euclidean": euclidean_distances(vector[None], table)[0],
    }
    for metric, keep in product(METRICS, KEEPS):
        scores = brute[metric]
        best = np.argsort(scores, kind="stable").tolist()
        answers = (i for i in best if i not in used and kept(tokens[i], keep))
        expected = list(islice(answers, 25))
        found = nearest_tokens(minilm, query, k=25, metric=metric, keep=keep)
        assert found.token_ids.tolist() == expected, (metric, keep)
        assert np.abs(found.scores) == pytest.approx(np.abs(scores[expected]), abs=1e-5)
        assert np.abs(np.abs(found.all_scores) - np.abs(scores)).max() < 2e-3


@pytest.mark.parametrize("name", ["k", "metric", "keep"])
def test_refuses(tiny: Bert, name: str) -> None:
    for wrong in {"k": [0, 101, True, 2.0]}.get(name, ["verbs"]):
        with pytest.raises((UserInputError, TypeError), match=f"{wrong}"):
            nearest_tokens(tiny, "dog", **{name: wrong})


def test_a_query_that_cancels_has_no_direction(tiny: Bert) -> None:
    with pytest.raises(UserInputError):
        nearest_tokens(tiny, "dog - dog")
    shortest = nearest_tokens(tiny, "dog - dog", k=1, metric="euclidean")
    assert shortest.tokens == ("[PAD]",)  # a fresh model's padding row is zero
    assert shortest.scores.tolist() == [0]


def test_the_nearest_row_of_the_quoted_sum_is_one_of_its_own(minilm: Bert) -> None:
    found = nearest_tokens(minilm, SUM, 3)
    tokens = [minilm.vocabulary.tokens[i] for i in found.ranked_ids]
    assert tokens == ["king", "queen", "kings", "woman", "monarch"]
    assert found.ranked_own.tolist() == [True, False, False, True, False]
    assert found.ranked_scores[:2] == pytest.approx([0.666, 0.511], abs=5e-4)
    assert found.tokens == ("queen", "kings", "monarch")
    assert found.scores.tolist() == found.ranked_scores[~found.ranked_own].tolist()
