from types import SimpleNamespace

import numpy as np
import pytest

from bertviz_core.checkpoints.vocabulary import vocabulary
from bertviz_core.embeddings.dimensions import extreme_tokens


def test_by_hand() -> None:
    tokens = ["[PAD]", "[unused0]", "dog", "##s", "cat", "##ed"]
    table = np.array([[0, 9], [0, 99], [0, 1], [0, -2], [0, 1], [0, 3]], np.float32)
    small = SimpleNamespace(
        vocabulary=vocabulary({token: i for i, token in enumerate(tokens)}, len(tokens)),
        tables=SimpleNamespace(word_embeddings=table),
        hidden_size=2,
    )
    found = extreme_tokens(small, 1, 3)
    assert found.highest.tolist() == [0, 5, 2], "equal ones in order of id; [unused0] left out"
    assert found.lowest.tolist() == [3, 2, 4]
    assert found.values.tolist() == [9, 99, 1, -2, 1, 3]
    assert found.mean == pytest.approx(12 / 5)
    assert found.deviation == pytest.approx(np.std([9, 1, -2, 1, 3]))
    assert extreme_tokens(small, 1, 5, "words").highest.tolist() == [2, 4]
    assert extreme_tokens(small, 1, 5, "subwords").lowest.tolist() == [3, 5]
