"""Checkpoints that are odd and work: with the ids and hidden states that transformers gives.

An entry of `ODD` is a function that changes a copy of the tiny checkpoint in a folder.
"""

import json
import re
from collections.abc import Callable
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
from safetensors.numpy import load_file, save_file
from tokenizers import BertWordPieceTokenizer

from bertviz_core.checkpoints.checkpoint import MODULES, SETTINGS, TOKENIZER_OPTIONS, WEIGHTS
from tests.data.damage import (
    POSITIONS,
    SEGMENTS,
    WORDS,
    change_json,
    change_settings,
    change_tensor,
    change_weights,
)
from tests.tiny import VOCABULARY

Change = Callable[[Path], None]
File = dict[str, Any]
GENERAL = "PreTrainedTokenizerFast"
OPTIONS, SPECIAL, ADDED = TOKENIZER_OPTIONS
ROLES = ("unk", "sep", "pad", "cls", "mask")


def file(name: str, /, **values: Any) -> Change:
    """Values put into one of the JSON files."""
    return lambda folder: change_json(folder / name, **values)


def renamed(token: str, other: str) -> Change:
    def change(folder: Path) -> None:
        lines = (folder / "vocab.txt").read_text().splitlines()
        lines[lines.index(token)] = other
        (folder / "vocab.txt").write_text("\n".join(lines) + "\n")

    return change


def three_more_rows(folder: Path) -> None:
    """A token table longer than the vocabulary."""
    change_tensor(folder, WORDS, lambda words: np.concatenate([words, words[-3:]]))
    change_settings(folder, vocab_size=len(VOCABULARY) + 3)


def tokenizer_file(
    change: Callable[[File], object] = lambda values: None, kind: str = "BertTokenizer"
) -> Change:
    """A `tokenizer.json` of the vocabulary, passed through `change`, for a class of tokenizer."""

    def write(folder: Path) -> None:
        change_json(folder / OPTIONS, tokenizer_class=kind)
        values = json.loads(BertWordPieceTokenizer(str(folder / "vocab.txt")).to_str())
        change(values)
        (folder / "tokenizer.json").write_text(json.dumps(values))

    return write


def both(*changes: Change) -> Change:
    def change(folder: Path) -> None:
        for one in changes:
            one(folder)

    return change


def lacks_post_processor(values: File) -> None:
    values["post_processor"] = None


def keeps_upper_case(values: File) -> None:
    values["normalizer"]["lowercase"] = False


def prefix_of_pieces(values: File) -> None:
    """Pieces that continue a word begin otherwise than with ##."""
    model = values["model"]
    model["continuing_subword_prefix"] = "@@"
    words = model["vocab"].items()
    model["vocab"] = {re.sub("^##(?=.)", "@@", word): row for word, row in words}


def rows(name: str, size: str, count: int) -> Change:
    """A shorter table, of a size that the settings say."""

    def change(folder: Path) -> None:
        change_tensor(folder, name, lambda table: table[:count])
        change_settings(folder, **{size: count})

    return change


def as_numbers(kind: str) -> Change:
    """The weights in another number type."""

    def change(folder: Path) -> None:
        import torch
        from safetensors.torch import load_file, save_file

        tensors = load_file(folder / WEIGHTS)
        converted = {name: tensor.to(getattr(torch, kind)) for name, tensor in tensors.items()}
        save_file(converted, folder / WEIGHTS, metadata={"format": "pt"})

    return change


def named(prefix: str) -> Change:
    """The weights as a program names them that has the model inside another one."""
    return lambda folder: change_weights(
        folder, lambda tensors: {f"{prefix}{name}": tensor for name, tensor in tensors.items()}
    )


def tied(name: str, stored_as: str, prefix: str = "") -> Change:
    """A tensor that the header maps to another name, as `save_model` of safetensors writes it."""

    def change(folder: Path) -> None:
        named(prefix)(folder)
        tensors = load_file(folder / WEIGHTS)
        tensors[stored_as] = tensors.pop(f"{prefix}{name}")
        metadata = {"format": "pt", f"{prefix}{name}": stored_as, "cls.decoder.weight": stored_as}
        save_file(tensors, folder / WEIGHTS, metadata)

    return change


def of_sentence_transformers(folder: Path) -> None:
    """As its first versions wrote it: the model in a folder of its own, beside other settings."""
    inside = folder / "0_Transformer"
    inside.mkdir()
    for path in folder.iterdir():
        if path.is_file():
            path.rename(inside / path.name)
    change_json(folder / SETTINGS, __version__="2.0.0")
    modules = [{"path": inside.name, "type": "sentence_transformers.models.Transformer"}]
    (folder / MODULES).write_text(json.dumps([*modules, {"path": "1_Pooling"}]))


def in_shards(folder: Path) -> None:
    """The weights in several files, as the library writes them."""
    from transformers import BertModel

    model = BertModel.from_pretrained(folder)
    (folder / WEIGHTS).unlink()
    model.save_pretrained(folder, max_shard_size="2kB")


def without_settings(*names: str) -> Change:
    def change(folder: Path) -> None:
        settings = json.loads((folder / SETTINGS).read_text())
        (folder / SETTINGS).write_text(
            json.dumps({name: value for name, value in settings.items() if name not in names})
        )

    return change


def vocabulary_file(change: Callable[[str], str]) -> Change:
    def write(folder: Path) -> None:
        text = (folder / "vocab.txt").read_text(encoding="utf-8")
        (folder / "vocab.txt").write_text(change(text), encoding="utf-8", newline="")

    return write


# The tiny checkpoint in another form, with the same numbers but for their type.
SAME: dict[str, tuple[str, Change]] = {
    **{kind: (kind, file(SETTINGS, dtype=kind)) for kind in ("bfloat16", "float16", "float64")},
    "bfloat16, unsaid": ("bfloat16", without_settings("dtype")),
    "bfloat16, as old files say it": (
        "bfloat16",
        both(without_settings("dtype"), file(SETTINGS, torch_dtype="bfloat16")),
    ),
    **{
        prefix: ("float32", named(prefix))
        for prefix in (
            *("bert.", "module.", "_orig_mod.bert.", "trunk.", "encoder.", "my bert."),
            *("layers[0].[a-z]+.", 'a"b.', "embeddings."),
        )
    },
    **{
        f"tied, {prefix!r} and {stored_as!r}": ("float32", tied(WORDS, stored_as, prefix))
        for prefix, stored_as in (
            *(("", "decoder.weight"), ("bert.", "a.head.weight"), ("module.bert.", "lm_head")),
            ("bert.", "zz.weight"),
        )
    },
    "tied positions": ("float16", tied(POSITIONS, "a.positions")),
    "base_model.model.bert.": ("float16", named("base_model.model.bert.")),
    "of sentence-transformers": ("bfloat16", of_sentence_transformers),
    "shards": ("float32", in_shards),
    "shards of sentence-transformers": ("float32", both(in_shards, of_sentence_transformers)),
    "shards in bfloat16": ("bfloat16", both(file(SETTINGS, dtype="bfloat16"), in_shards)),
    "no model_type": ("float32", without_settings("model_type", "layer_norm_eps", "architectures")),
    "a mark and blank lines": (
        "float32",
        vocabulary_file(lambda text: "\ufeff" + text.replace("\n", "\r\n") + "\r\n\n \n"),
    ),
    "more words than rows": ("float32", vocabulary_file(lambda text: f"{text}zebra\n##pet\n")),
}

E1 = {"lstrip": True, "rstrip": False, "normalized": False, "single_word": False, "special": True}

ODD: dict[str, Change] = {
    "three_positions": rows(POSITIONS, "max_position_embeddings", 3),
    "one_segment": rows(SEGMENTS, "type_vocab_size", 1),
    "fewer_layers_than_the_file": lambda folder: change_settings(folder, num_hidden_layers=1),
    "added_tokens_with_a_row": both(three_more_rows, file(ADDED, snakes=40, **{"the king": 41})),
    "added_tokens_in_the_settings": both(
        three_more_rows,
        file(OPTIONS, added_tokens_decoder={"40": {"content": "<e1>", **E1}}),
        file(ADDED, snakes=41),  # not read any more
    ),
    "further_special_tokens": both(
        three_more_rows, file(SPECIAL, additional_special_tokens=["<e1>", "<e2>"])
    ),
    "other_names_of_special_tokens": both(
        renamed("[SEP]", "</s>"),
        renamed("[UNK]", "<unk>"),
        file(SPECIAL, sep_token="</s>", unk_token="<unk>"),
    ),
    "roberta_like_names": both(
        *(renamed(f"[{name}]".upper(), f"<{name}>") for name in ROLES),
        file(OPTIONS, **{f"{name}_token": f"<{name}>" for name in ROLES}),
    ),
    **{
        f"no_{role}_in_{name[:7]}": file(name, **{f"{role}_token": None})
        for role, name in product(("cls", "sep", "mask", "pad"), (OPTIONS, SPECIAL))
    },
    "another_prefix": both(
        tokenizer_file(prefix_of_pieces, GENERAL),
        file(OPTIONS, **{f"{role}_token": f"[{role.upper()}]" for role in ROLES}),
    ),
    "no_separator_but_a_row_for_it": both(renamed("[SEP]", "[sep]"), three_more_rows),
    "no_post_processor": tokenizer_file(lacks_post_processor),
    "no_post_processor_and_no_class": tokenizer_file(lacks_post_processor, GENERAL),
    "lower_case_against_the_settings": both(
        renamed("dog", "Dog"), tokenizer_file(), file(OPTIONS, do_lower_case=False)
    ),
    "upper_case_against_the_settings": tokenizer_file(keeps_upper_case),
    "upper_case_of_no_class": both(
        renamed("dog", "Dog"), tokenizer_file(keeps_upper_case, GENERAL)
    ),
    "several_languages_in_upper_and_lower_case": both(
        *(renamed("dog", "Hund"), renamed("cat", "猫"), renamed("snake", "собака")),
        *(renamed("##un", "##é"), file(OPTIONS, do_lower_case=False)),
    ),
    "a_vocabulary_file_beside_tokenizer_json": both(
        tokenizer_file(), lambda folder: (folder / "vocab.txt").write_text("[UNK]\n")
    ),
}
