"""The embedded model in formats of other software: ONNX, quantized ONNX and GGUF."""

import shutil
from pathlib import Path

from benchmarks.elsewhere import environment, reference
from benchmarks.elsewhere.environment import TORCH, Software

ONNX_PACKAGES = (
    "onnxruntime==1.32.0", "onnx==1.23.2", "onnxscript==0.7.2", TORCH, "transformers==5.23.0",
)  # fmt: skip

ONNX = """
import torch
from transformers import BertModel

class Hidden(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.model = BertModel.from_pretrained(given["model"]).eval()

    def forward(self, input_ids, attention_mask, token_type_ids):
        return self.model(input_ids, attention_mask, token_type_ids).last_hidden_state

names = ["input_ids", "attention_mask", "token_type_ids"]
# One tensor for two inputs would make a graph that reads only one of them.
ids = torch.ones(2, 8, dtype=torch.long)
shape = {0: torch.export.Dim("batch"), 1: torch.export.Dim("tokens", max=512)}
axes = {name: shape for name in names}
torch.onnx.export(
    Hidden(), (ids, ids.clone(), ids * 0), given["file"], input_names=names, dynamo=True,
    output_names=["last_hidden_state"], dynamic_shapes=axes, external_data=False,
)
answer = True
"""

# As llama.cpp's own converter writes it, whose script is no package: pieces lose their ##, whole
# words get a sign in front.
GGUF = """
import json
from pathlib import Path
import numpy as np
from gguf import GGMLQuantizationType, GGUFWriter, MODEL_ARCH, PoolingType, TokenType
from gguf import get_tensor_name_map, quantize
from safetensors.numpy import load_file

folder = Path(given["model"])
config = json.loads((folder / "config.json").read_text())
settings = json.loads((folder / "tokenizer.json").read_text())
special = {token["id"] for token in settings["added_tokens"]}
vocabulary = sorted(settings["model"]["vocab"], key=settings["model"]["vocab"].get)
kind = GGMLQuantizationType[given["type"]]
writer = GGUFWriter(given["file"], "bert")
writer.add_name("all-MiniLM-L6-v2")
writer.add_context_length(config["max_position_embeddings"])
writer.add_embedding_length(config["hidden_size"])
writer.add_feed_forward_length(config["intermediate_size"])
writer.add_block_count(config["num_hidden_layers"])
writer.add_head_count(config["num_attention_heads"])
writer.add_layer_norm_eps(config["layer_norm_eps"])
writer.add_causal_attention(False)
if given["pooling"]:
    writer.add_pooling_type(PoolingType.MEAN)
writer.add_token_type_count(config["type_vocab_size"])
writer.add_tokenizer_model("bert")
pieces = [
    token if row in special else token[2:] if token.startswith("##") else "\\u2581" + token
    for row, token in enumerate(vocabulary)
]
writer.add_token_list(pieces)
writer.add_token_types(
    [TokenType.CONTROL if row in special else TokenType.NORMAL for row in range(len(pieces))]
)
by_name = {token: row for row, token in enumerate(vocabulary)}
writer.add_pad_token_id(by_name["[PAD]"])
writer.add_unk_token_id(by_name["[UNK]"])
writer.add_bos_token_id(by_name["[CLS]"])
writer.add_sep_token_id(by_name["[SEP]"])
writer.add_mask_token_id(by_name["[MASK]"])
names = get_tensor_name_map(MODEL_ARCH.BERT, config["num_hidden_layers"])
for name, array in load_file(folder / "model.safetensors").items():
    found = names.get_name(name, (".weight", ".bias"))
    if found is None or name.startswith("pooler"):
        continue
    small = array.ndim < 2 or found.startswith(("position_embd", "token_types"))
    if small or kind is GGMLQuantizationType.F32:
        writer.add_tensor(found, array.astype(np.float32))
    else:
        writer.add_tensor(found, quantize(array.astype(np.float32), kind), raw_dtype=kind)
writer.write_header_to_file()
writer.write_kv_data_to_file()
writer.write_tensors_to_file()
writer.close()
answer = True
"""
GGUF_PACKAGES = ("gguf==0.19.0", "safetensors==0.8.0")


def onnx() -> Path:
    """A folder with the model's files, model.onnx and onnx/model.onnx."""
    folder = environment.CHOSEN.folder / "made" / "all-MiniLM-L6-v2"
    file = folder / "onnx" / "model.onnx"
    if not file.exists():
        shutil.copytree(reference.folder(), folder, dirs_exist_ok=True)
        file.parent.mkdir(exist_ok=True)
        given = {"model": str(reference.folder()), "file": str(folder / "model.onnx")}
        Software("ONNX", ONNX_PACKAGES, ONNX).ask(given)
        file.symlink_to(folder / "model.onnx")
    return folder


def gguf(kind: str = "F32", pooling: bool = True) -> Path:
    """A GGUF file, its matrices in a type of ggml's, with or without the key for pooling."""
    file = environment.CHOSEN.folder / "made" / f"{kind}{'' if pooling else '-no-pooling'}.gguf"
    if not file.exists():
        file.parent.mkdir(parents=True, exist_ok=True)
        given = {"model": str(reference.folder()), "file": str(file), "type": kind}
        Software("GGUF", GGUF_PACKAGES, GGUF).ask(given | {"pooling": pooling})
    return file


def bare() -> Path:
    """The files of the model alone: nothing that says how a sentence gets one vector."""
    folder = environment.CHOSEN.folder / "made" / "bare"
    if not folder.exists():
        names = (
            "config.json",
            "model.safetensors",
            "tokenizer.json",
            "tokenizer_config.json",
            "vocab.txt",
        )
        folder.mkdir(parents=True)
        for name in names:
            shutil.copy(reference.folder() / name, folder)
    return folder
