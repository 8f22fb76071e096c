"""Results can be read when they are printed, become data frames, and cannot be changed."""

import re
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from bertviz_core.embeddings import input_embeddings
from bertviz_core.embeddings.dimensions import extreme_tokens
from bertviz_core.embeddings.outliers import outlier_dimensions
from bertviz_core.embeddings.random_init import random_init_comparison
from bertviz_core.embeddings.rows import compare_rows
from bertviz_core.embeddings.shares import layer_norm_lengths, part_shares, waterfall
from bertviz_core.encoder import Encoder
from bertviz_core.encoder.embedding_layer import dropout_draws, sums_in_all_orders
from bertviz_core.encoder.pooler import pooler_steps
from bertviz_core.encoder.training import backward_pass
from bertviz_core.neighbors import nearest_tokens, pca_map
from bertviz_core.positions.segments import compare_segments
from bertviz_core.positions.table import analyse_positions
from bertviz_core.result import Readable, Result, frame
from bertviz_core.tokens import tokenize
from bertviz_core.tokens.word_search import search_word

CORE = Path(__file__).parents[1] / "bertviz_core"


def results(encoder: Encoder) -> Iterator[Readable]:
    """What viewers share of the tables and of the encoder."""
    bert = encoder.bert
    text, other = tokenize(bert, "the cat sat on a mat"), tokenize(bert, "the dog")
    parts, positions = input_embeddings(bert, text), bert.tables.position_embeddings
    yield from (text, parts, bert.vocabulary, search_word(bert, "codings"))
    yield from (part_shares(bert, parts), layer_norm_lengths(bert, parts))
    yield from (waterfall(bert, parts, 1, 2), compare_rows(bert, text, other))
    yield from (extreme_tokens(bert, 3, 4), outlier_dimensions(bert, parts, 1.5))
    yield from (random_init_comparison(positions, 0.5), compare_segments(bert))
    yield from (nearest_tokens(bert, "king - man + woman", 4), pca_map(bert))
    analysed = analyse_positions(positions)
    yield from (analysed, analysed.by_distance, analysed.path)
    yield from (sums_in_all_orders(encoder, text), dropout_draws(encoder, text, 3))
    yield from (pooler_steps(encoder, text), backward_pass(encoder, text, [2], [6]))


def test_results(tiny_encoder: Encoder) -> None:
    for result in results(tiny_encoder):
        lines = repr(result).split("\n")
        assert lines[0].startswith(f"{type(result).__name__}(")
        assert len(lines) <= 4
        assert max(map(len, lines)) <= 100
        assert "array(" not in repr(result)
        arrays = [value for value in vars(result).values() if isinstance(value, np.ndarray)]
        assert not any(array.flags.writeable for array in arrays), type(result)
        if isinstance(result, Result):
            assert list(result.to_frame().columns) == list(result.columns())


def test_readable_dataclasses_keep_the_repr() -> None:
    """A dataclass without `repr=False` would print whole arrays."""
    sources = "".join(path.read_text(encoding="utf-8") for path in CORE.rglob("*.py"))
    declared = re.findall(r"@dataclass(.*)\nclass \w+\((?:Result|Readable)\)", sources)
    assert len(declared) > 40
    assert all("repr=False" in arguments for arguments in declared)


def test_numbers_that_are_missing() -> None:
    found = frame({"id": [3, None], "share": (0.5, None), "word": ["a", None]})
    assert [str(kind) for kind in found.dtypes[:2]] == ["Int64", "Float64"]
    assert found.isna().to_numpy().tolist() == [[False] * 3, [True] * 3]
