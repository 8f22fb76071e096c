"""A model that was never trained: the sizes and the tokenizer of another one, weights at random.

Beside the trained one it shows what training brought.
"""

import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path

import numpy as np

from bertviz_core.arrays import Array
from bertviz_core.checkpoints.catalog import OfferedModel
from bertviz_core.checkpoints.checkpoint import (
    SETTINGS,
    TOKENIZER_OPTIONS,
    VOCABULARIES,
    WEIGHTS,
    Checkpoint,
    kept_folder,
    locate,
    locate_offered,
    opened_weights,
)
from bertviz_core.checkpoints.settings import initial_spread, read_settings
from bertviz_core.errors import ModelUnavailableError

SEED = 0


def make_random(model: OfferedModel, on_progress: Callable[[int, int], None]) -> Checkpoint:
    """Draw a model's weights as `BertPreTrainedModel._init_weights`, into this app's folder."""
    assert model.shape_of is not None
    shape = locate(model.shape_of)
    try:
        kept_folder().mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=kept_folder(), suffix=".part") as part:
            written = Path(part) / model.name
            written.mkdir()
            _write(shape, written, on_progress)
            target = kept_folder() / model.name
            shutil.rmtree(target, ignore_errors=True)
            written.rename(target)
    except OSError as error:
        raise ModelUnavailableError(
            f"{model.name} cannot be written ({error.strerror or type(error).__name__})."
        ) from error
    return locate_offered(model)


def _write(shape: Checkpoint, folder: Path, on_progress: Callable[[int, int], None]) -> None:
    from safetensors.numpy import save_file

    settings = read_settings(shape)
    spread = initial_spread(settings)
    draw = np.random.default_rng(SEED)
    tensors: dict[str, Array] = {}
    with opened_weights(shape) as file:
        names = sorted(file.keys())
        for done, name in enumerate(names):
            on_progress(done, len(names))
            size = file.get_slice(name).get_shape()
            if name.endswith(("LayerNorm.weight", "LayerNorm.gamma")):
                tensors[name] = np.ones(size, np.float32)
            elif name.endswith(("bias", "beta")):
                tensors[name] = np.zeros(size, np.float32)
            else:
                tensors[name] = draw.standard_normal(size, np.float32) * np.float32(spread)
            if name.endswith("word_embeddings.weight"):
                tensors[name][settings.get("pad_token_id", 0)] = 0
    save_file(tensors, folder / WEIGHTS, metadata={"format": "pt"})
    for name in (SETTINGS, *VOCABULARIES, *TOKENIZER_OPTIONS):
        if (shape.folder / name).exists():
            shutil.copy(shape.folder / name, folder / name)
