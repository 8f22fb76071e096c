"""Checkpoints that are odd, or damaged: what transformers gives, or a sentence with the file."""

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from bertviz_core.bert import Bert, load_bert
from bertviz_core.checkpoints.checkpoint import SETTINGS, WEIGHTS
from bertviz_core.embeddings import input_embeddings
from bertviz_core.encoder import load_encoder
from bertviz_core.errors import BertvizError
from bertviz_core.tokens import tokenize
from bertviz_core.tokens.wordpieces import trace_text
from tests.data.damage import WORDS, change_json, change_settings, change_tensor, failure
from tests.data.odd_checkpoints import ODD

TEXTS = (
    *("the cat sat on the mat", "The Dog loves zebras!", "snakes, the king and <e1> or <e2>"),
    *("[MASK] dog [SEP] cat [UNK] </s>", "dog " * 40, "pythón 猫", ""),
    *("Hund 猫猫, hund", "собака Собака Hundé"),
)
OPTIONS = "tokenizer_config.json"


@pytest.mark.parametrize("name", ODD)
def test_ids_and_hidden_states_are_those_of_transformers(name: str, folder: Path) -> None:
    import torch
    from transformers import AutoTokenizer

    ODD[name](folder)
    encoder = load_encoder(load_bert(folder))
    bert = encoder.bert
    reference = AutoTokenizer.from_pretrained(folder)
    limit = {"truncation": True, "return_token_type_ids": True}
    limit |= {"max_length": bert.max_position_embeddings}
    for text in TEXTS:
        expected = reference(text, **limit)
        if not expected["input_ids"]:
            with pytest.raises(BertvizError, match="no token"):
                tokenize(bert, text)
            continue
        tokenized = tokenize(bert, text)
        assert tokenized.input_ids.tolist() == expected["input_ids"], text
        assert tokenized.token_type_ids.tolist() == expected["token_type_ids"], text
        if bert.type_vocab_size > 1:
            both = tokenize(bert, text, "a cat")
            assert both.input_ids.tolist() == reference(text, "a cat", **limit)["input_ids"], text
        pieces = bert.tokenizer.encode(text, add_special_tokens=False).tokens
        assert list(trace_text(bert, text).tokens) == [piece.strip() for piece in pieces], text
        states = encoder.hidden_states(tokenized)
        np.testing.assert_array_equal(encoder.embedding_layer(tokenized), states[0])
        assert np.abs(input_embeddings(bert, tokenized).output - states[0]).max() < 1e-5
        with torch.inference_mode():
            last = encoder.model(input_ids=torch.tensor([expected["input_ids"]]))[0][0].numpy()
        assert np.abs(states[-1] - last).max() < 1e-5


def test_files_as_editors_and_old_programs_leave_them(folder: Path, tiny: Bert) -> None:
    """A mark before the first token, blank last lines, no kind of model."""
    vocabulary = (folder / "vocab.txt").read_text()
    (folder / "vocab.txt").write_text("\ufeff" + vocabulary.replace("\n", "\r\n") + "\r\n\n \n")
    settings = json.loads((folder / SETTINGS).read_text())
    del settings["model_type"], settings["layer_norm_eps"]
    (folder / SETTINGS).write_text(json.dumps(settings))
    bert = load_bert(folder)
    assert bert.vocabulary.tokens == tiny.vocabulary.tokens
    assert bert.layer_norm_eps == 1e-12
    for text in TEXTS:
        assert tokenize(bert, text).tokens == tokenize(tiny, text).tokens


def written(name: str, content: bytes) -> Callable[[Path], object]:
    return lambda folder: (folder / name).write_bytes(content)


def cut(folder: Path) -> None:
    (folder / WEIGHTS).write_bytes((folder / WEIGHTS).read_bytes()[:-1])


# What is wrong, and the file or the setting that the sentence names.
DAMAGED: dict[str, tuple[Callable[[Path], object], str]] = {
    "settings that are cut off": (written(SETTINGS, b'{"model_type": "bert"'), SETTINGS),
    **{
        f"settings of {kind}": (
            written(SETTINGS, b'{"model_type": "%s"}' % kind.encode()),
            f"“{kind}”; expected “bert”: .*{reason}",
        )
        for kind, reason in (
            ("distilbert", "no segment table and no pooler"),
            ("roberta", "byte-level"),
            ("modernbert", "no position table"),
            ("albert", "share their weights"),
        )
    },
    "weights that are cut off": (cut, WEIGHTS),
    "another number of rows": (lambda f: change_settings(f, vocab_size=41), r"\(41, 8\)"),
    "weights of whole numbers": (
        lambda folder: change_tensor(folder, WORDS, lambda t: t.astype(np.int8)),
        "in I8",
    ),
    "another size inside": (lambda f: change_settings(f, intermediate_size=24), r"\(24, 8\)"),
    "not a number": (lambda folder: change_tensor(folder, WORDS, lambda t: t * np.nan), WORDS),
    "a tokenizer of another model": (
        lambda folder: change_json(folder / OPTIONS, tokenizer_class="RobertaTokenizer"),
        "RobertaTokenizer",
    ),
    "more tokens than rows": (
        lambda folder: change_json(folder / "added_tokens.json", zebra=40),
        "'zebra' has id 40",
    ),
}


@pytest.mark.parametrize("name", DAMAGED)
def test_a_file_that_cannot_be_read_is_named(name: str, folder: Path) -> None:
    damage, named = DAMAGED[name]
    damage(folder)
    failure(folder, named)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        *(("num_hidden_layers", layers) for layers in (3, 10**9)),
        *(("num_attention_heads", heads) for heads in (0, 5, -12, "12", None)),
        *(("layer_norm_eps", eps) for eps in ("x", float("inf"), float("nan"), -1.0)),
        ("intermediate_size", 0),
        *(("hidden_act", name) for name in ("prelu", "none", None)),
        ("is_decoder", True),
        ("initializer_range", "x"),
    ],
)
def test_a_number_that_does_not_fit(name: str, value: object, folder: Path) -> None:
    change_settings(folder, **{name: value})
    with pytest.raises(BertvizError, match=f"gives {name} as "):
        load_bert(folder)
