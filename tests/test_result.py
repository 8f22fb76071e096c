"""Every result can be read when it is printed, and becomes a data frame."""

import importlib
import inspect
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from bertviz_core.bert import Bert
from bertviz_core.contextual import word_in_context
from bertviz_core.embeddings import input_embeddings
from bertviz_core.embeddings.shares import part_shares
from bertviz_core.encoder import Encoder
from bertviz_core.neighbors import nearest_tokens
from bertviz_core.result import Readable, Result, frame
from bertviz_core.senses import prepared_set
from bertviz_core.tokens import tokenize
from tests.every_result import results

CORE = Path(__file__).parents[1] / "bertviz_core"
NOT_THE_CORE = {"ui", "snippets", "figures", "command"}
for _path in sorted(CORE.rglob("*.py")):  # a class is known once its module was imported
    _parts = _path.relative_to(CORE.parent).with_suffix("").parts
    if _parts[1] not in NOT_THE_CORE and _path.stem != "__main__":
        importlib.import_module(".".join(_parts).removesuffix(".__init__"))


def _below(kind: type) -> list[type]:
    """All classes that build on one, in the order of their names."""
    found = {below for child in kind.__subclasses__() for below in (child, *_below(child))}
    return sorted(found, key=lambda below: (below.__module__, below.__name__))


KINDS = _below(Result)


@pytest.fixture(scope="module")
def made(tiny_encoder: Encoder, tmp_path_factory: pytest.TempPathFactory) -> dict[type, Result]:
    folder = tmp_path_factory.mktemp("results")
    return {type(result): result for result in results(tiny_encoder, folder)}


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_a_result_is_printed_in_few_lines(kind: type, made: dict[type, Result]) -> None:
    printed = repr(made[kind])
    lines = printed.split("\n")
    assert printed.startswith(f"{kind.__name__}(")
    assert len(lines) <= 4
    assert max(map(len, lines)) <= 100
    assert "array(" not in printed
    assert " object at 0x" not in printed


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_a_result_becomes_a_frame(kind: type, made: dict[type, Result]) -> None:
    columns, found = made[kind].columns(), made[kind].to_frame()
    assert isinstance(found, pd.DataFrame)
    assert list(found.columns) == list(columns)
    assert len(found) > 0
    for title, values in columns.items():
        assert len(values) == len(found)
        for value, cell in zip(values, found[title], strict=True):
            assert (
                pd.isna(cell) if value is None else cell == value or (cell, value) != (cell, value)
            )
    assert inspect.getdoc(kind.columns) != inspect.getdoc(Result.columns), "what is a row?"


def test_arrays_that_viewers_share_are_read_only(made: dict[type, Result]) -> None:
    rooms = {"tokens", "embeddings", "neighbors", "positions", "encoder"}
    for kind, result in made.items():
        if kind.__module__.split(".")[1] in rooms:
            arrays = {name for name, value in vars(result).items() if isinstance(value, np.ndarray)}
            assert not {name for name in arrays if getattr(result, name).flags.writeable}, kind


def test_readable_dataclasses_keep_the_repr() -> None:
    assert KINDS
    for kind in _below(Readable):
        assert kind.__repr__ is Readable.__repr__, f"{kind}: its dataclass lacks repr=False"


def test_tokens_by_value(minilm: Bert) -> None:
    text = tokenize(minilm, "Sinan loves it")
    found = text.to_frame()
    assert found["token"].tolist() == list(text.tokens)
    assert found["token id"].tolist() == text.input_ids.tolist()
    assert found["segment"].tolist() == ["A"] * 6
    assert found["word"].dtype == "Int64"
    assert found["word"].tolist()[1:5] == [0, 0, 1, 2]
    assert found.isna().sum().sum() == 6  # [CLS] and [SEP] have no word and no characters


def test_embeddings_by_value(minilm: Bert) -> None:
    parts = input_embeddings(minilm, tokenize(minilm, "I love"))
    found = parts.to_frame()
    assert found.shape == (4 * 384, 7)
    wide = found.pivot(index="position", columns="dimension", values="output_embedding")
    assert np.array_equal(wide.to_numpy(), parts.output)
    shares = part_shares(minilm, parts).to_frame()
    total = shares[["token: share", "segment: share", "position: share"]].sum(axis=1)
    assert total.to_numpy() == pytest.approx(1)


def test_neighbors_by_value(minilm: Bert) -> None:
    found = nearest_tokens(minilm, "king - man + woman", 6)
    assert found.to_frame().columns.tolist() == ["rank", "token", "token id", "cosine similarity"]
    assert found.to_frame()["cosine similarity"].tolist() == found.scores.tolist()
    distance = nearest_tokens(minilm, "dog", 2, "euclidean").to_frame()
    assert distance.columns[-1] == "Euclidean distance"


def test_a_word_by_value(minilm_encoder: Encoder) -> None:
    word = word_in_context(minilm_encoder, "I love my pet [python]")
    found = word.to_frame()
    assert found.columns.tolist() == ["layer", *map(str, range(384))]
    assert np.array_equal(found.drop(columns="layer").to_numpy(), word.vectors)
    bank = prepared_set("bank")
    assert bank.to_frame()["sense"].tolist() == [one.sense for one in bank.occurrences]


def test_numbers_that_are_missing() -> None:
    found = frame({"id": [3, None], "share": (0.5, None), "word": ["a", None]})
    assert [str(kind) for kind in found.dtypes[:2]] == ["Int64", "Float64"]
    assert found.isna().to_numpy().tolist() == [[False] * 3, [True] * 3]
