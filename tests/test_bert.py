"""A checkpoint opened: sizes, settings, tokenizer, and what that costs."""

import hashlib
import json
from pathlib import Path

from bertviz_core.bert import Bert
from bertviz_core.checkpoints.catalog import EMBEDDED


def test_the_embedded_model(minilm: Bert) -> None:
    with minilm.checkpoint.weights.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    assert digest == "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
    assert (minilm.name, minilm.source) == (EMBEDDED, "package")
    assert (minilm.vocab_size, minilm.hidden_size, minilm.num_hidden_layers) == (30_522, 384, 6)
    assert (minilm.max_position_embeddings, minilm.type_vocab_size) == (512, 2)
    assert minilm.layer_norm_eps == 1e-12
    published = json.loads((minilm.checkpoint.folder / "tokenizer.json").read_text())
    assert published["padding"]["strategy"] == {"Fixed": 128}  # what has to be switched off
    assert published["truncation"]["max_length"] == 128
    assert minilm.tokenizer.encode("hello").tokens == ["[CLS]", "hello", "[SEP]"]
    assert len(minilm.tokenizer.encode("dog " * 300).ids) == 302


def test_a_vocabulary_file_makes_the_librarys_tokenizer(tiny: Bert, tiny_folder: Path) -> None:
    from transformers import AutoTokenizer

    assert not (tiny_folder / "tokenizer.json").exists()
    reference = AutoTokenizer.from_pretrained(tiny_folder)
    for text in ("The cats sat on a MAT!", "unking [MASK] zebra", "pythón猫 i", ""):
        assert tiny.tokenizer.encode(text).ids == reference(text)["input_ids"], text
