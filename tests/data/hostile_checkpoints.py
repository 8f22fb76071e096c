"""Checkpoints as an operator may have them by accident, each made from a copy of the tiny one.

A function takes the copy's folder and changes it. `REFUSED` says of each what is wrong in a
sentence at opening or, where the encoder's weights are at fault, when they are loaded. Those of
`OPENED` work, with the ids and hidden states that transformers gives.
"""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from safetensors.numpy import load_file, save_file
from tokenizers import BertWordPieceTokenizer

Generator = Callable[[Path], None]
REFUSED: dict[str, tuple[Generator, str]] = {}
OPENED: dict[str, Generator] = {}

WORDS = "embeddings.word_embeddings.weight"
POSITIONS = "embeddings.position_embeddings.weight"
SEGMENTS = "embeddings.token_type_embeddings.weight"


def refused(message: str) -> Callable[[Generator], Generator]:
    """Register a checkpoint that cannot be used; `message` is a part of the sentence."""

    def register(generator: Generator) -> Generator:
        REFUSED[generator.__name__] = generator, message
        return generator

    return register


def opened(generator: Generator) -> Generator:
    """Register a checkpoint that works."""
    OPENED[generator.__name__] = generator
    return generator


def change_json(path: Path, **changes: Any) -> None:
    values = json.loads(path.read_text()) if path.exists() else {}
    path.write_text(json.dumps(values | changes))


def change_tensor(folder: Path, name: str, change: Callable[[Any], Any]) -> None:
    tensors = load_file(folder / "model.safetensors")
    tensors[name] = np.ascontiguousarray(change(tensors[name]))
    save_file(tensors, folder / "model.safetensors", metadata={"format": "pt"})


def add_rows(folder: Path, count: int) -> None:
    """Make the token table longer than the vocabulary."""
    change_tensor(folder, WORDS, lambda words: np.concatenate([words, words[-count:]]))
    rows = len(load_file(folder / "model.safetensors")[WORDS])
    change_json(folder / "config.json", vocab_size=rows)


def positions(folder: Path, count: int) -> None:
    change_tensor(folder, POSITIONS, lambda table: table[:count])
    change_json(folder / "config.json", max_position_embeddings=count)


def one_number(folder: Path, name: str, value: float) -> None:
    def put(array: Any) -> Any:
        array.flat[-1] = value
        return array

    change_tensor(folder, name, put)


def rename_token(folder: Path, token: str, other: str) -> None:
    path = folder / "vocab.txt"
    lines = path.read_text().splitlines()
    path.write_text("\n".join(other if line == token else line for line in lines) + "\n")


def tokenizer_file(folder: Path, kind: str = "BertTokenizer") -> dict[str, Any]:
    """What `tokenizer.json` of this vocabulary holds; the class it is for is set as well."""
    change_json(folder / "tokenizer_config.json", tokenizer_class=kind)
    tokenizer = BertWordPieceTokenizer(str(folder / "vocab.txt"))
    values: dict[str, Any] = json.loads(tokenizer.to_str())
    return values


def write(folder: Path, values: dict[str, Any]) -> None:
    (folder / "tokenizer.json").write_text(json.dumps(values))


# --- Tokenizers -------------------------------------------------------------------------------


@refused(r"vocab\.txt has no “\[UNK\]”")
def no_unknown_token(folder: Path) -> None:
    rename_token(folder, "[UNK]", "[unk]")


@refused(r"tokenizer\.json has no “\[UNK\]”")
def no_unknown_token_in_tokenizer_json(folder: Path) -> None:
    values = tokenizer_file(folder)
    values["model"]["vocab"]["[unk]"] = values["model"]["vocab"].pop("[UNK]")
    write(folder, values)


@refused(r"has no “\[UNK\]”")
def no_unknown_token_in_a_tokenizer_of_no_class(folder: Path) -> None:
    values = tokenizer_file(folder, "PreTrainedTokenizerFast")
    values["added_tokens"] = [t for t in values["added_tokens"] if t["content"] != "[UNK]"]
    values["model"]["vocab"]["[unk]"] = values["model"]["vocab"].pop("[UNK]")
    write(folder, values)


@refused(r"vocab\.txt has no “\[NOPE\]”")
def another_unknown_token(folder: Path) -> None:
    change_json(folder / "tokenizer_config.json", unk_token="[NOPE]")


@refused(r"token '\[SEP\]' has id 40, outside a table of 40")
def no_separator(folder: Path) -> None:
    rename_token(folder, "[SEP]", "[sep]")


@refused(r"post-processor of tokenizer\.json of mine adds id 999, outside a table of 40")
def a_post_processor_outside_the_table(folder: Path) -> None:
    values = tokenizer_file(folder, "PreTrainedTokenizerFast")
    write(folder, with_cls_id(values, 999))


@refused("asks for the tokenizer “RobertaTokenizer”")
def a_tokenizer_of_another_family(folder: Path) -> None:
    change_json(folder / "tokenizer_config.json", tokenizer_class="RobertaTokenizer")


@refused(r"added_tokens\.json")
def added_tokens_of_no_kind(folder: Path) -> None:
    (folder / "added_tokens.json").write_text('{"[NEW]": {"id": []}}')


@refused(r"token '\[NEW\]' has id 40, outside a table of 40")
def added_tokens_without_a_row(folder: Path) -> None:
    (folder / "added_tokens.json").write_text('{"[NEW]": 40}')


@opened
def added_tokens_with_a_row(folder: Path) -> None:
    add_rows(folder, 3)
    (folder / "added_tokens.json").write_text('{"snakes": 40, "the king": 41}')


@opened
def added_tokens_in_the_settings(folder: Path) -> None:
    add_rows(folder, 3)
    token = {"lstrip": True, "rstrip": False, "normalized": False, "single_word": False}
    tokens = {"40": {"content": "<e1>", "special": True, **token}}
    change_json(folder / "tokenizer_config.json", added_tokens_decoder=tokens)
    (folder / "added_tokens.json").write_text('{"snakes": 41}')  # not read any more


@opened
def further_special_tokens(folder: Path) -> None:
    add_rows(folder, 3)
    change_json(folder / "special_tokens_map.json", additional_special_tokens=["<e1>", "<e2>"])


@opened
def other_names_of_special_tokens(folder: Path) -> None:
    rename_token(folder, "[SEP]", "</s>")
    rename_token(folder, "[UNK]", "<unk>")
    change_json(folder / "special_tokens_map.json", sep_token="</s>", unk_token="<unk>")


@opened
def no_separator_but_a_row_for_it(folder: Path) -> None:
    rename_token(folder, "[SEP]", "[sep]")
    add_rows(folder, 2)


@opened
def an_unknown_token_that_bert_does_not_use(folder: Path) -> None:
    values = tokenizer_file(folder)
    values["model"]["unk_token"] = "[NOPE]"
    write(folder, values)


@opened
def a_post_processor_that_bert_does_not_use(folder: Path) -> None:
    write(folder, with_cls_id(tokenizer_file(folder), 999))


@opened
def no_post_processor(folder: Path) -> None:
    write(folder, tokenizer_file(folder) | {"post_processor": None})


@opened
def no_post_processor_and_no_class(folder: Path) -> None:
    values = tokenizer_file(folder, "PreTrainedTokenizerFast")
    write(folder, values | {"post_processor": None})


@opened
def lower_case_against_the_settings(folder: Path) -> None:
    rename_token(folder, "dog", "Dog")
    write(folder, tokenizer_file(folder))
    change_json(folder / "tokenizer_config.json", do_lower_case=False)


@opened
def upper_case_against_the_settings(folder: Path) -> None:
    values = tokenizer_file(folder)
    values["normalizer"]["lowercase"] = False
    write(folder, values)


@opened
def upper_case_of_no_class(folder: Path) -> None:
    rename_token(folder, "dog", "Dog")
    values = tokenizer_file(folder, "PreTrainedTokenizerFast")
    values["normalizer"]["lowercase"] = False
    write(folder, values)


@opened
def a_vocabulary_file_beside_tokenizer_json(folder: Path) -> None:
    write(folder, tokenizer_file(folder))
    (folder / "vocab.txt").write_text("[UNK]\n")


def with_cls_id(values: dict[str, Any], token_id: int) -> dict[str, Any]:
    special = {"id": "[CLS]", "ids": [token_id], "tokens": ["[CLS]"]}
    piece = [{"SpecialToken": {"id": "[CLS]", "type_id": 0}}]
    first = [*piece, {"Sequence": {"id": "A", "type_id": 0}}]
    values["post_processor"] = {
        "type": "TemplateProcessing",
        "single": first,
        "pair": [*first, {"Sequence": {"id": "B", "type_id": 1}}],
        "special_tokens": {"[CLS]": special},
    }
    return values


# --- Settings ---------------------------------------------------------------------------------


@refused(r"config\.json of \S+ cannot be read")
def deeply_nested_settings(folder: Path) -> None:
    text = (folder / "config.json").read_text()
    deep = "[" * 100_000 + "]" * 100_000
    (folder / "config.json").write_text(text.rstrip().removesuffix("}") + f', "x": {deep}}}')


@refused(r"config\.json of \S+ cannot be read")
def endless_settings(folder: Path) -> None:
    with (folder / "config.json").open("r+b") as file:
        file.truncate(3_000_000_000)  # a sparse file: it takes no room on the disk


@refused(r"shape \(40, 8\); expected \(2147483648, 8\)")
def a_vocabulary_of_two_milliards(folder: Path) -> None:
    change_json(folder / "config.json", vocab_size=2**31)


@refused("num_hidden_layers as 1000000, but .* holds 2 layers")
def a_million_layers(folder: Path) -> None:
    change_json(folder / "config.json", num_hidden_layers=1_000_000)


@refused("expected at least 3")
def one_position(folder: Path) -> None:
    positions(folder, 1)


@refused("expected at least 3")
def two_positions(folder: Path) -> None:
    positions(folder, 2)


@refused("hidden_size as True")
def a_size_that_is_true(folder: Path) -> None:
    change_json(folder / "config.json", hidden_size=True)


@refused("layer_norm_eps as nan")
def an_epsilon_that_is_no_number(folder: Path) -> None:
    change_json(folder / "config.json", layer_norm_eps=float("nan"))


@refused("layer_norm_eps as 0")
def no_epsilon(folder: Path) -> None:
    change_json(folder / "config.json", layer_norm_eps=0)


@refused("num_attention_heads as True")
def heads_that_are_true(folder: Path) -> None:
    change_json(folder / "config.json", num_attention_heads=True)


@opened
def three_positions(folder: Path) -> None:
    positions(folder, 3)


@opened
def one_segment(folder: Path) -> None:
    change_tensor(folder, SEGMENTS, lambda table: table[:1])
    change_json(folder / "config.json", type_vocab_size=1)


@opened
def fewer_layers_than_the_file(folder: Path) -> None:
    change_json(folder / "config.json", num_hidden_layers=1)


# --- Weights ----------------------------------------------------------------------------------


@refused(rf"holds {WORDS} with numbers that are not finite")
def no_number_in_the_token_table(folder: Path) -> None:
    one_number(folder, WORDS, float("nan"))


@refused(rf"holds {POSITIONS} with numbers that are not finite")
def infinity_in_the_position_table(folder: Path) -> None:
    one_number(folder, POSITIONS, float("inf"))


@refused(r"holds embeddings\.LayerNorm\.weight with numbers that are not finite")
def minus_infinity_in_layer_norm(folder: Path) -> None:
    one_number(folder, "embeddings.LayerNorm.weight", -float("inf"))


@refused(rf"holds {WORDS} with numbers beyond")
def a_number_no_bert_has(folder: Path) -> None:
    one_number(folder, WORDS, 3e38)


@refused(r"holds encoder\.layer\.1\.output\.dense\.bias with numbers that are not finite")
def no_number_in_the_encoder(folder: Path) -> None:
    one_number(folder, "encoder.layer.1.output.dense.bias", float("nan"))


@refused(r"holds pooler\.dense\.weight with numbers that are not finite")
def infinity_in_the_pooler(folder: Path) -> None:
    one_number(folder, "pooler.dense.weight", float("inf"))


@refused(r"expected a complete safetensors file")
def half_a_file(folder: Path) -> None:
    path = folder / "model.safetensors"
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


@refused(r"expected a complete safetensors file")
def a_header_of_an_exabyte(folder: Path) -> None:
    path = folder / "model.safetensors"
    path.write_bytes((2**60).to_bytes(8, "little") + path.read_bytes()[8:])
