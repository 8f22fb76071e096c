"""Damaged files of vectors, and any bytes in place of one: what fits together, or a sentence."""

import io

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bertviz_core.senses import MAX_OCCURRENCES
from bertviz_core.vector_files import Opened, read
from tests.data.vector_files import npz_file, numbers, rows_of
from tests.fuzz import FILES, Damage, answers, damage, examples


def check(opened: Opened) -> None:
    found = opened.found
    assert found.vectors.shape[1] == len(opened.layers)
    assert len(found.vectors) == len(found.occurrences) <= opened.total
    assert all(one.word for one in found.occurrences)
    assert all(len(cells) == len(found.vectors) for cells in opened.columns.values())
    assert np.isfinite(found.vectors).all()


@pytest.mark.parametrize("packed", [False, True])
@given(change=damage(), rows=st.integers(0, 3))
@FILES
def test_a_damaged_file(packed: bool, change: Damage, rows: int) -> None:
    kinds = {"sentence": "U20", "start": "i8", "end": "i8"}  # also where there is no row
    arrays = {name: np.array(cells, kinds[name]) for name, cells in rows_of(rows).items()}
    made = npz_file(packed, vectors=numbers(rows), year=np.arange(rows), **arrays)
    with answers():
        check(read(io.BytesIO(change(made)), None, MAX_OCCURRENCES))


@given(content=st.binary(max_size=200))
@examples(150)
def test_any_bytes(content: bytes) -> None:
    for file in (content, b"PK\x03\x04" + content):
        with answers():
            check(read(io.BytesIO(file), None, MAX_OCCURRENCES))
