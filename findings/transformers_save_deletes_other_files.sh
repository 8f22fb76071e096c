#!/usr/bin/env bash
# transformers 5.23.0: what `save_pretrained` does to files of other programs in its folder.
#
# Guess, written down first: it writes config.json and model.safetensors, and takes away older
# shards of its own, such as model-00001-of-00002.safetensors. Files of other programs stay.
#
# Seen: it also deletes every file without an ending whose name begins with "model" and ends in
# -00000-of-00001 or the like: a TensorFlow checkpoint that is called model.ckpt-1000 (the
# layout of BioBERT) loses its weights and keeps its index, and so does external data of an ONNX
# file that is called so. Nothing is said. It strikes who converts a checkpoint of TensorFlow "in
# place": the only copy of the weights is gone once the conversion has ended well.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet torch==2.13.0
"$folder/venv/bin/pip" install --quiet transformers==5.23.0
"$folder/venv/bin/python" - <<'PYTHON'
import tempfile
from pathlib import Path

import transformers
from transformers import BertConfig, BertModel

print("transformers", transformers.__version__)
OTHERS = [
    "model.ckpt-1000.data-00000-of-00001",
    "model.ckpt-1000.index",
    "model.onnx-00000-of-00001",
    "bert_model.ckpt.data-00000-of-00001",
    "model-notes-00001-of-00002.txt",
    "pytorch_model-00001-of-00002.bin",
]
sizes = {"hidden_size": 8, "num_hidden_layers": 1, "num_attention_heads": 2}
model = BertModel(BertConfig(vocab_size=10, intermediate_size=8, **sizes))
with tempfile.TemporaryDirectory() as made:
    for name in OTHERS:
        (Path(made) / name).write_text("of another program")
    model.save_pretrained(made)
    gone = [name for name in OTHERS if not (Path(made) / name).exists()]
print("gone:", *gone)
assert gone == ["model.ckpt-1000.data-00000-of-00001", "model.onnx-00000-of-00001"]
PYTHON
