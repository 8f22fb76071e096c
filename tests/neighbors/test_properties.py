"""Queries of any kind: neighbours that are tokens, best first, or a sentence."""

import numpy as np
from hypothesis import example, given
from hypothesis import strategies as st

from bertviz_core.bert import Bert
from bertviz_core.checkpoints.vocabulary import KEEPS
from bertviz_core.neighbors import nearest_tokens
from bertviz_core.neighbors.search import METRICS
from tests.fuzz import CALLS, answers, texts, whole_numbers

TERMS = st.sampled_from(["cat", "##s", "dog", "king", "[MASK]", "pythons", "zq", "é", "+", "-", ""])
SUMS = st.lists(TERMS, max_size=8).map(" + ".join) | st.lists(TERMS, max_size=8).map(" - ".join)
LONG = "zq - zq + " * 10_000 + "cat"
QUERIES = st.one_of(SUMS, texts())


@given(
    query=QUERIES,
    k=st.one_of(st.integers(1, 100), whole_numbers()),
    metric=st.sampled_from([*METRICS, "x"]),
    keep=st.sampled_from([*KEEPS, "x"]),
    unused=st.booleans(),
    own=st.booleans(),
)
@example(
    query="zq - zq + " * 10_000 + "cat", k=10, metric="cosine", keep="all", unused=False, own=True
)
@example(query="cat - cat", k=10, metric="cosine", keep="all", unused=False, own=False)
@example(query="cat", k=10**9, metric="cosine", keep="all", unused=False, own=False)
@CALLS
def test_nearest_tokens(
    tiny: Bert, query: str, k: int, metric, keep, unused: bool, own: bool
) -> None:
    with answers():
        near = nearest_tokens(tiny, query, k, metric, keep, unused=unused, count_own=own)
        assert len(near.tokens) == len(near.token_ids) == len(near.scores) <= k
        assert near.all_scores.shape == (tiny.vocab_size,)
        assert np.isfinite(near.scores).all()
        assert np.isfinite(near.all_scores).all()
        rising = near.scores if metric == "euclidean" else -near.scores
        assert (np.diff(rising) >= 0).all()
        assert metric != "cosine" or (np.abs(near.scores) <= 1).all()
        assert own or not near.is_own.any()
        answered = near.ranked_ids if own else near.ranked_ids[~near.ranked_own]
        assert near.token_ids.tolist() == answered.tolist()
        assert not set(near.ranked_ids[near.ranked_own]) - set(near.own_ids)
        ranked = near.ranked_scores if metric == "euclidean" else -near.ranked_scores
        assert (np.diff(ranked) >= 0).all()
