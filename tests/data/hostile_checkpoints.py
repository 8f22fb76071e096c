"""Checkpoints as an operator may have them by accident, each made from a copy of the tiny one.

A function takes the copy's folder and changes it. `REFUSED` says of each what is wrong in a
sentence at opening or, where the encoder's weights are at fault, when they are loaded. Those of
`OPENED` work, with the ids and hidden states that transformers gives.
"""

from pathlib import Path

from tests.data import hostile_tokenizers
from tests.data.damage import (
    OPENED,
    POSITIONS,
    REFUSED,
    SEGMENTS,
    WORDS,
    change_json,
    change_tensor,
    one_number,
    opened,
    positions,
    refused,
)

__all__ = ["OPENED", "REFUSED", "hostile_tokenizers"]

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
