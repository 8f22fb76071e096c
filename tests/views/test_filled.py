"""Templates are filled with a model and values, whatever is in them."""

import dataclasses
import shutil
from pathlib import Path

import pytest
from huggingface_hub import constants

from bertviz_core.bert import Bert
from bertviz_core.checkpoints.checkpoint import Checkpoint
from bertviz_core.views.programs import filled
from bertviz_core.views.tokens.vocabulary import IDS_PROGRAM
from bertviz_core.views.tokens.words import TOKENS_PROGRAM
from tests.views.reading import run

TYPED = {"text": "I love my pet python", "text_pair": None}
LOADING = '"""What a reader runs."""\n\ntokenizer, model, inputs = ...\n'
TOKENS = {"text": "the cat", "text_pair": None, "word": "cat", "longest_word": 100}


@pytest.mark.parametrize("value", [
    "'''", '"', "\\", "\n", "{0}", "a\\ud800", None, True, -1, 0.5, [1, 2], ("a", 1), {"a": [1]},
    "word " * 100, [("sentence " * 20, 1, 2)], list(range(300)), [], "x = ...\n", "\\1 \\g<0>",
])  # fmt: skip
def test_values_come_back(minilm: Bert, value) -> None:
    program = filled(IDS_PROGRAM, minilm, {"token_ids": value})
    block = program[: program.index("tokenizer =")]
    names: dict = {}
    exec(block, names)
    assert names["token_ids"] == value
    assert max(map(len, block.splitlines())) <= 100


def test_a_folder_of_the_operator_is_not_shown(tiny: Bert) -> None:
    program = filled(TOKENS_PROGRAM, tiny, TOKENS)
    assert str(tiny.checkpoint.folder) not in program
    assert "checkpoint = 'path/to/tiny-bert'\n" in program


def test_what_cannot_be_filled_in(minilm: Bert) -> None:
    half = filled(IDS_PROGRAM, minilm, {"token_ids": ["a\ud800"]})
    assert "['a\N{REPLACEMENT CHARACTER}']" in half
    with pytest.raises(TypeError):
        filled(IDS_PROGRAM, minilm, {"token_ids": [Path("a")]})
    for values in ({}, {"token_ids": [1], "other": 2}):
        with pytest.raises(ValueError, match="token_ids"):
            filled(IDS_PROGRAM, minilm, values)


@pytest.mark.parametrize("subfolder", ["", "0_Transformer"])
def test_a_model_of_the_hub_is_found_in_its_cache(
    tiny: Bert, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, subfolder: str
) -> None:
    """Under the name it has there, at its commit, without the network."""
    commit = "8" * 40
    folder = tmp_path / "models--old--tiny" / "snapshots" / commit / subfolder
    shutil.copytree(tiny.checkpoint.folder, folder)
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path))
    checkpoint = Checkpoint("tiny", folder, "cache", repo_id="new/tiny", revision=commit)
    bert = dataclasses.replace(tiny, checkpoint=checkpoint)
    program = filled(TOKENS_PROGRAM, bert, TOKENS)
    assert f"\ncheckpoint = 'old/tiny'\nrevision = '{commit}'\n" in program
    assert "distribution" not in program
    assert "1 the " in run(program)[0]
    typed = f"{TYPED['text']}: revision=revision"
    _, names = run(filled(LOADING, bert, TYPED | {"text": typed}))
    assert names["text"] == typed
    assert names["model"].config.hidden_size == 8
    fetched = dataclasses.replace(
        bert, checkpoint=dataclasses.replace(checkpoint, source="download")
    )
    assert "\ncheckpoint = 'new/tiny'\n" in filled(TOKENS_PROGRAM, fetched, TOKENS)


def test_a_missing_model_is_an_error(
    tiny: Bert, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """`BertTokenizer` would make do with five tokens, and every word would be unknown."""
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path))
    checkpoint = dataclasses.replace(tiny.checkpoint, source="download", repo_id="a/b")
    bert = dataclasses.replace(tiny, checkpoint=checkpoint)
    with pytest.raises(OSError, match="find them in the cached files"):
        run(filled(IDS_PROGRAM, bert, {"token_ids": [1]}))
