#!/usr/bin/env bash
# onnxruntime 1.32.0: what its optimizer for BERT (`onnxruntime.transformers.optimizer`) does with
# the attention mask.
#
# Guess, written down first: it fuses nodes and keeps the function. The optimized file gives the
# numbers of the exported one to 1e-5 for every mask, also with padding on the left or with a token
# in the middle hidden.
#
# Seen: the fused embedding layer counts the ones of each row, and attention keeps that many tokens
# from the left, whichever were meant. With padding on the right all is well. With padding on the
# left, a hidden token in the middle, or nothing to see at all, tokens that were hidden are read and
# others are not: vectors of another text come out, and nothing is said. With
# `use_raw_attention_mask` among the fusion options the numbers are right for every mask. Test an
# optimized file with a mask that is not all ones on the left.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet torch==2.13.0
"$folder/venv/bin/pip" install --quiet transformers==5.23.0 onnx==1.23.2 onnxruntime==1.32.0
cd "$folder"
"$folder/venv/bin/python" -W ignore - <<'PYTHON'
import logging

import numpy as np
import onnxruntime
import torch
from onnxruntime.transformers import optimizer
from onnxruntime.transformers.fusion_options import FusionOptions
from transformers import BertConfig, BertModel

print("onnxruntime", onnxruntime.__version__)
logging.disable(logging.WARNING)
torch.manual_seed(0)
sizes = {"hidden_size": 64, "num_hidden_layers": 2, "num_attention_heads": 4}
config = BertConfig(vocab_size=1000, intermediate_size=128, initializer_range=0.2, **sizes)
config._attn_implementation = "eager"


class LastLayer(torch.nn.Module):
    """A random BERT that returns the vectors after its last layer."""

    def __init__(self) -> None:
        super().__init__()
        self.bert = BertModel(config)

    def forward(self, input_ids: torch.Tensor, attention_mask: torch.Tensor) -> torch.Tensor:
        return self.bert(input_ids, attention_mask).last_hidden_state


model = LastLayer().eval()
ids = torch.tensor([[101, 7, 8, 9, 10, 102]])
mask = torch.ones_like(ids)
axes = {name: {0: "texts", 1: "tokens"} for name in ("input_ids", "attention_mask", "vectors")}
names = {"input_names": ["input_ids", "attention_mask"], "output_names": ["vectors"]}
torch.onnx.export(
    model, (ids, mask), "plain.onnx", dynamic_axes=axes, opset_version=17, dynamo=False, **names
)
for name, raw in (("fused", False), ("raw", True)):
    options = FusionOptions("bert")
    options.use_raw_attention_mask(raw)
    optimizer.optimize_model(
        "plain.onnx", "bert", num_heads=4, hidden_size=64, opt_level=0,
        optimization_options=options,
    ).save_model_to_file(f"{name}.onnx")  # fmt: skip
sessions = {
    name: onnxruntime.InferenceSession(f"{name}.onnx", providers=["CPUExecutionProvider"])
    for name in ("plain", "fused", "raw")
}
MASKS = {
    "all to see": [1, 1, 1, 1, 1, 1],
    "padding on the right": [1, 1, 1, 1, 0, 0],
    "padding on the left": [0, 0, 1, 1, 1, 1],
    "one hidden in the middle": [1, 1, 0, 1, 1, 1],
}


def difference(name: str, mask: list[int]) -> float:
    """How far the vectors of the tokens to see are from those of PyTorch."""
    given = torch.tensor([mask])
    with torch.no_grad():
        expected = model(ids, given).numpy()
    inputs = {"input_ids": ids.numpy(), "attention_mask": given.numpy()}
    vectors = sessions[name].run(None, inputs)[0]
    return float(np.abs(vectors - expected)[given.numpy() == 1].max())


found = {(name, of): difference(name, mask) for of, mask in MASKS.items() for name in sessions}
for of in MASKS:
    print(f"{of:25s}", *(f"{name} {found[name, of]:.1e}" for name in sessions))
assert all(found[name, of] < 1e-4 for name in ("plain", "raw") for of in MASKS)
assert all(found["fused", of] < 1e-4 for of in ("all to see", "padding on the right"))
wrong = ("padding on the left", "one hidden in the middle")
assert all(found["fused", of] > 0.1 for of in wrong), "the optimizer keeps the mask now"

# The tokens that are read instead: as many from the left as there are ones.
left, first = (
    sessions["fused"].run(None, {"input_ids": ids.numpy(), "attention_mask": np.array([mask])})[0]
    for mask in ([0, 0, 1, 1, 1, 1], [1, 1, 1, 1, 0, 0])
)
print("four ones on the left or on the right: vectors differ by", np.abs(left - first).max())
assert np.array_equal(left, first)
PYTHON
