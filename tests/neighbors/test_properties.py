"""Queries of any kind: neighbours that are tokens, best first, or a sentence."""

import numpy as np
from hypothesis import example, given
from hypothesis import strategies as st

from bertviz_core.bert import Bert
from bertviz_core.checkpoints.vocabulary import KEEPS
from bertviz_core.neighbors import nearest_tokens
from bertviz_core.neighbors.search import METRICS
from tests.fuzz import CALLS, answers, texts

TERMS = st.sampled_from(["cat", "##s", "dog", "king", "[MASK]", "pythons", "zq", "é", "+", "-", ""])
SUMS = st.lists(TERMS, max_size=8).map(" + ".join) | st.lists(TERMS, max_size=8).map(" - ".join)
LONG = "zq - zq + " * 10_000 + "cat"


@given(st.one_of(SUMS, texts()), st.sampled_from(METRICS), st.sampled_from(KEEPS), st.booleans())
@example(LONG, "cosine", "all", True)
@example("cat - cat", "cosine", "all", False)
@CALLS
def test_nearest_tokens(tiny: Bert, query: str, metric, keep, own: bool) -> None:
    with answers():
        near = nearest_tokens(tiny, query, 10, metric, keep, count_own=own)
        assert len(near.tokens) == len(near.token_ids) == len(near.scores) <= 10
        assert np.isfinite(near.all_scores).all()
        sign = 1 if metric == "euclidean" else -1
        assert (np.diff(sign * near.scores) >= 0).all()
        assert (np.diff(sign * near.ranked_scores) >= 0).all()
        answered = near.ranked_ids if own else near.ranked_ids[~near.ranked_own]
        assert near.token_ids.tolist() == answered.tolist()
        assert set(near.ranked_ids[near.ranked_own]) <= set(near.own_ids)
