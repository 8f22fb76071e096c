"""Texts, vectors and uploads of any kind through `senses`: a result that fits, or a sentence."""

import numpy as np
from hypothesis import example, given
from hypothesis import strategies as st

from bertviz_core.corpus.reading.words import comparable
from bertviz_core.encoder import Encoder
from bertviz_core.senses import (
    MAX_OCCURRENCES,
    find_occurrences,
    group,
    nearest_occurrences,
    sense_vectors,
)
from bertviz_core.senses.projection import map_ranks, shared_frame
from tests.fuzz import answers, examples, texts

# Each of these takes 10 to 60 ms: the large texts, and k-means and PCA of the same vectors.
TEXTS, MAPS = examples(60), examples(20)
LETTERS = st.sampled_from([*"ab-[]\t \n\réßİ天\u0301\u00ad’'"])
LINES = st.lists(st.lists(LETTERS, max_size=12).map("".join) | texts(), max_size=6)
LOOKED_FOR = st.one_of(st.lists(LETTERS, max_size=4).map("".join), texts())
# Every file a page takes is at most so large.
LARGEST = 5_000_000


@given(lines=LINES, word=LOOKED_FOR, labelled=st.booleans())
@example(lines=["a " * (LARGEST // 2)], word="a " * 49 + "b", labelled=False)
@example(lines=["a " * (LARGEST // 2)], word="a " * 50_000, labelled=False)
@example(lines=["-" * LARGEST], word="-" * 99 + "x", labelled=False)
@example(lines=["[" * LARGEST], word="[" * 99 + "x", labelled=False)
@TEXTS
def test_find_occurrences(
    tiny_encoder: Encoder, lines: list[str], word: str, labelled: bool
) -> None:
    with answers():
        found = find_occurrences([*["sense\tsentence"] * labelled, *lines], word)
        assert len(found.occurrences) == min(found.total, MAX_OCCURRENCES)
        assert found.lines <= found.total
        for one in found.occurrences[:50]:
            assert comparable(" ".join(one.word.split())) == comparable(found.word)
        vectors = sense_vectors(tiny_encoder, found.occurrences[:50])
        assert len(vectors.occurrences) + vectors.left_out == len(found.occurrences[:50])
        assert np.isfinite(vectors.vectors).all()


# What a file may hold: up to a million, near zero and equal to the last bit but one.
VALUES = st.sampled_from([0.0, 1.0, -1.0, 1e6, -1e6, 1e-45, 1e-20, 1e-7, np.nextafter(1, 2)])
ROWS = st.lists(st.lists(VALUES, min_size=3, max_size=3), min_size=1, max_size=9)


@given(rows=ROWS, row=st.integers(0, 8), k=st.integers(1, 10))
@example(rows=[[1.0, 1, 1], [1, 1, 1], [1, 1, np.nextafter(1, 2)]], row=0, k=1)
@example(rows=[[0.0] * 3] * 4, row=0, k=1)
@MAPS
def test_groups_and_maps(rows: list[list[float]], row: int, k: int) -> None:
    vectors = np.array(rows, np.float32).reshape(-1, 3)
    count = len(vectors)
    with answers():
        frame = shared_frame(vectors[:, None]).points[:, 0]
        assert frame.shape == (count, 2)
        assert np.isfinite(frame).all()
        groups = group(vectors)
        assert groups.labels.shape == (count,)
        assert 1 <= groups.count <= 6
        assert groups.count == 1 or -1 <= groups.silhouette <= 1
        nearest, cosines = nearest_occurrences(vectors, row % count, k)
        assert len(nearest) == len(cosines) == min(k, count - 1)
        assert map_ranks(frame, row % count).max() <= count - 1
