"""Results can be read when they are printed, become data frames, and cannot be changed."""

import numpy as np

from bertviz_core.embeddings import input_embeddings
from bertviz_core.embeddings.embedding_layer import part_shares
from bertviz_core.encoder import Encoder
from bertviz_core.neighbors import nearest_tokens, pca_map
from bertviz_core.positions.table import analyse_positions
from bertviz_core.result import Result, data_frame
from bertviz_core.tokens import tokenize
from bertviz_core.tokens.wordpieces import search_word


def test_results(tiny_encoder: Encoder) -> None:
    """What viewers share of the tables and of the encoder."""
    bert = tiny_encoder.bert
    text = tokenize(bert, "the cat sat on a mat")
    parts = input_embeddings(bert, text)
    positions = analyse_positions(bert.tables.position_embeddings)
    for result in (
        *(bert, tiny_encoder, bert.vocabulary, text, search_word(bert, "codings")),
        *(parts, part_shares(bert, parts), pca_map(bert), positions),
        nearest_tokens(bert, "king - man + woman", 4),
    ):
        lines = repr(result).split("\n")
        assert lines[0].startswith(f"{type(result).__name__}(")
        assert len(lines) <= 4
        assert max(map(len, lines)) <= 100
        assert "array(" not in repr(result)
        arrays = [value for value in vars(result).values() if isinstance(value, np.ndarray)]
        assert not any(array.flags.writeable for array in arrays), type(result)
        if isinstance(result, Result):
            assert list(result.to_frame().columns) == list(result.columns())


def test_numbers_that_are_missing() -> None:
    found = data_frame({"id": [3, None], "share": (0.5, None), "word": ["a", None]})
    assert [str(kind) for kind in found.dtypes[:2]] == ["Int64", "Float64"]
    assert found.isna().to_numpy().tolist() == [[False] * 3, [True] * 3]
