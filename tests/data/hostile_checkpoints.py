"""Checkpoints as an operator may have them by accident, each made from a copy of the tiny one.

An entry is a function that changes the copy in a folder. `REFUSED` says of each what is wrong in a
sentence at opening or, where the encoder's weights are at fault, when they are loaded. Those of
`OPENED` work, with the ids and hidden states that transformers gives.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from bertviz_core.checkpoints.checkpoint import SETTINGS, WEIGHTS
from tests.data import hostile_tokenizers as tokenizers
from tests.data.damage import POSITIONS, SEGMENTS, WORDS, change_settings, change_tensor

Change = Callable[[Path], None]


def settings(**changes: Any) -> Change:
    return lambda folder: change_settings(folder, **changes)


def weight(name: str, value: float) -> Change:
    """One number, the last one of a tensor."""

    def put(array: Any) -> Any:
        array.flat[-1] = value
        return array

    return lambda folder: change_tensor(folder, name, put)


def rows(name: str, size: str, count: int) -> Change:
    """A shorter table, of a size that the settings say."""

    def change(folder: Path) -> None:
        change_tensor(folder, name, lambda table: table[:count])
        change_settings(folder, **{size: count})

    return change


def deeply_nested(folder: Path) -> None:
    text = (folder / SETTINGS).read_text().rstrip().removesuffix("}")
    (folder / SETTINGS).write_text(f'{text}, "x": {"[" * 100_000}{"]" * 100_000}}}')


def endless(folder: Path) -> None:
    with (folder / SETTINGS).open("r+b") as file:
        file.truncate(3_000_000_000)  # a sparse file: it takes no room on the disk


def header_of_an_exabyte(folder: Path) -> None:
    content = (folder / WEIGHTS).read_bytes()
    (folder / WEIGHTS).write_bytes((2**60).to_bytes(8, "little") + content[8:])


REFUSED: dict[str, tuple[Change, str]] = {
    "deeply_nested_settings": (deeply_nested, r"config\.json of \S+ cannot be read"),
    "endless_settings": (endless, r"config\.json of \S+ cannot be read"),
    "a_vocabulary_of_two_milliards": (
        settings(vocab_size=2**31),
        r"shape \(40, 8\); expected \(2147483648, 8\)",
    ),
    "a_million_layers": (
        settings(num_hidden_layers=10**6),
        "num_hidden_layers as 1000000, but .* holds 2 layers",
    ),
    "two_positions": (rows(POSITIONS, "max_position_embeddings", 2), "expected at least 3"),
    "a_size_that_is_true": (settings(hidden_size=True), "hidden_size as True"),
    "heads_that_are_true": (settings(num_attention_heads=True), "num_attention_heads as True"),
    "no_number": (weight(WORDS, float("nan")), f"holds {WORDS} with numbers that are not finite"),
    "minus_infinity_in_layer_norm": (
        weight("embeddings.LayerNorm.weight", -float("inf")),
        r"holds embeddings\.LayerNorm\.weight with numbers that are not finite",
    ),
    "a_number_no_bert_has": (weight(WORDS, 3e38), f"holds {WORDS} with numbers beyond"),
    "no_number_in_the_encoder": (
        weight("encoder.layer.1.output.dense.bias", float("nan")),
        r"holds encoder\.layer\.1\.output\.dense\.bias with numbers that are not finite",
    ),
    "infinity_in_the_pooler": (
        weight("pooler.dense.weight", float("inf")),
        r"holds pooler\.dense\.weight with numbers that are not finite",
    ),
    "a_header_of_an_exabyte": (header_of_an_exabyte, "expected a complete safetensors file"),
    **tokenizers.REFUSED,
}

OPENED: dict[str, Change] = {
    "three_positions": rows(POSITIONS, "max_position_embeddings", 3),
    "one_segment": rows(SEGMENTS, "type_vocab_size", 1),
    "fewer_layers_than_the_file": settings(num_hidden_layers=1),
    **tokenizers.OPENED,
}
