"""Every result can be read when it is printed, and becomes a data frame."""

import ast
import dataclasses
import importlib
import inspect
import re
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
# Dataclasses of words and names, which their own `repr` tells well; no table.
PLAIN = {
    *("InputText", "Term", "MarkedText", "WordPair", "OtherWord", "Occurrence", "ContentWord"),
    *("Checkpoint", "OfferedModel", "Origin", "Parameter", "Claim", "Verdict", "Column"),
    *("Plan", "Job", "Model", "Part", "Summary", "Receipt", "Failure", "Condition", "Corpus"),
    *("Columns", "About", "PartFile", "Form", "Word", "Unpacked"),
}


PATHS = [
    path
    for path in sorted(CORE.rglob("*.py"))
    if path.relative_to(CORE).parts[0] not in NOT_THE_CORE and path.stem != "__main__"
]
NAMES = [".".join(path.relative_to(CORE.parent).with_suffix("").parts) for path in PATHS]
MODULES = [importlib.import_module(name.removesuffix(".__init__")) for name in NAMES]


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


def test_what_public_functions_return_can_be_printed() -> None:
    """Dataclasses that are not plain words and names are `Readable`."""
    unreadable: set[str] = set()
    for module in MODULES:
        unreadable |= {
            kind.__name__
            for _, kind in inspect.getmembers(module, inspect.isclass)
            if dataclasses.is_dataclass(kind) and kind.__module__.startswith("bertviz_core")
            and not issubclass(kind, Readable)
        }  # fmt: skip
    returned: set[str] = set()
    for path in PATHS:
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.FunctionDef) and node.returns and node.name[0] != "_":
                returned |= set(re.findall(r"\w+", ast.unparse(node.returns)))
    assert returned & unreadable <= PLAIN
    assert len(returned & {kind.__name__ for kind in KINDS}) > 40


def test_readable_dataclasses_keep_the_repr() -> None:
    assert len(KINDS) > 50
    for kind in _below(Readable):
        assert kind.__repr__ is Readable.__repr__, f"{kind}: its dataclass lacks repr=False"


def test_tokens_by_value(minilm: Bert) -> None:
    text = tokenize(minilm, "Sinan loves it")
    assert repr(text) == (
        "TokenizedText(all-MiniLM-L6-v2, 6 tokens: [CLS] sin ##an loves it [SEP])"
    )
    found = text.to_frame()
    assert found["token"].tolist() == list(text.tokens)
    assert found["token id"].tolist() == text.input_ids.tolist()
    assert found["segment"].tolist() == ["A"] * 6
    assert found["word"].dtype == "Int64"
    assert found["word"].tolist()[1:5] == [0, 0, 1, 2]
    assert found.isna().sum().sum() == 6  # [CLS] and [SEP] have no word and no characters
    assert repr(tokenize(minilm, "a " * 600)).startswith(
        "TokenizedText(all-MiniLM-L6-v2, 512 tokens, 90 more cut off: [CLS] a a a"
    )


def test_embeddings_by_value(minilm: Bert) -> None:
    parts = input_embeddings(minilm, tokenize(minilm, "I love"))
    assert repr(parts) == (
        "InputEmbeddings(4 tokens x 384: word, token_type, position, summed, output)"
    )
    found = parts.to_frame()
    assert found.shape == (4 * 384, 7)
    wide = found.pivot(index="position", columns="dimension", values="output_embedding")
    assert np.array_equal(wide.to_numpy(), parts.output)
    shares = part_shares(minilm, parts).to_frame()
    total = shares[["token: share", "segment: share", "position: share"]].sum(axis=1)
    assert total.to_numpy() == pytest.approx(1)


def test_neighbors_by_value(minilm: Bert) -> None:
    found = nearest_tokens(minilm, "king - man + woman", 6)
    best = ", ".join(
        f"{token} {score:.3f}" for token, score in zip(found.tokens[:5], found.scores, strict=False)
    )
    assert found.tokens[0] == "queen"
    said = repr(found).replace("\n    ", " ")
    assert said == f"Neighbors('king - man + woman', cosine similarity: {best}, … 6 in all)"
    assert found.to_frame().columns.tolist() == ["rank", "token", "token id", "cosine similarity"]
    assert found.to_frame()["cosine similarity"].tolist() == found.scores.tolist()
    distance = nearest_tokens(minilm, "dog", 2, "euclidean").to_frame()
    assert distance.columns[-1] == "Euclidean distance"


def test_a_word_by_value(minilm_encoder: Encoder) -> None:
    word = word_in_context(minilm_encoder, "I love my pet [python]")
    assert repr(word).replace("\n    ", " ") == (
        "WordInContext('python' in 'I love my pet python', all-MiniLM-L6-v2: python at 5, "
        "layers 0 to 6 x 384)"
    )
    found = word.to_frame()
    assert found.columns.tolist() == ["layer", *map(str, range(384))]
    assert np.array_equal(found.drop(columns="layer").to_numpy(), word.vectors)


def test_models_and_occurrences_by_value(minilm_encoder: Encoder) -> None:
    bert = minilm_encoder.bert
    assert repr(bert).replace("\n    ", " ") == (
        "Bert(all-MiniLM-L6-v2, from package: 6 layers x 384, 30,522 tokens, 512 positions, "
        "2 segments)"
    )
    assert repr(minilm_encoder) == "Encoder(all-MiniLM-L6-v2, 6 layers x 384, float32 on cpu)"
    assert repr(bert.tables).count("float32(30522x384)") == 1
    bank = prepared_set("bank")
    assert repr(bank).startswith(f"WordOccurrences('bank', {bank.total} occurrences in ")
    assert bank.to_frame()["sense"].tolist() == [one.sense for one in bank.occurrences]


def test_numbers_that_are_missing() -> None:
    found = frame({"id": [3, None], "share": (0.5, None), "word": ["a", None]})
    assert [str(kind) for kind in found.dtypes[:2]] == ["Int64", "Float64"]
    assert found.isna().to_numpy().tolist() == [[False] * 3, [True] * 3]
