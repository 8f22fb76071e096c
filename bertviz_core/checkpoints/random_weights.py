"""A model that was never trained: the sizes and the tokenizer of another one, weights at random.

Beside the trained one it shows what training brought.
"""

import shutil
import tempfile
from pathlib import Path

import numpy as np

from bertviz_core.arrays import Array
from bertviz_core.checkpoints.catalog import OfferedModel
from bertviz_core.checkpoints.checkpoint import (
    BESIDE_WEIGHTS,
    WEIGHTS,
    Checkpoint,
    kept_folder,
    locate,
)
from bertviz_core.checkpoints.download import OnProgress
from bertviz_core.checkpoints.ready import why_unavailable
from bertviz_core.checkpoints.settings import read_settings
from bertviz_core.checkpoints.weights import stored_tensors
from bertviz_core.disk_cache import PART, locked
from bertviz_core.errors import ModelUnavailableError

SEED = 0


def make_random(model: OfferedModel, on_progress: OnProgress) -> Checkpoint:
    """Draw a model's weights as `BertPreTrainedModel._init_weights`, into this app's folder."""
    assert model.shape_of is not None
    shape = locate(model.shape_of)
    target = kept_folder() / model.name
    try:
        kept_folder().mkdir(parents=True, exist_ok=True)
        with (
            tempfile.TemporaryDirectory(dir=kept_folder(), suffix=PART) as part,
            locked(Path(part)),  # so that no other process removes it
        ):
            folder = Path(part) / model.name
            folder.mkdir()
            for name in BESIDE_WEIGHTS:
                if (shape.folder / name).exists():
                    shutil.copy(shape.folder / name, folder / name)
            _write_weights(shape, folder, on_progress)
            with locked(kept_folder(), wait=True):
                if why_unavailable(model) is not None:  # else another process was first
                    shutil.rmtree(target, ignore_errors=True)
                    folder.rename(target)
    except OSError as error:
        raise ModelUnavailableError(
            f"{model.name} cannot be written ({error.strerror or type(error).__name__})."
        ) from error
    return locate(model)


def _write_weights(shape: Checkpoint, folder: Path, on_progress: OnProgress) -> None:
    from safetensors.numpy import save_file

    settings = read_settings(shape)
    draw = np.random.default_rng(SEED)
    tensors: dict[str, Array] = {}
    tensors_of_shape = stored_tensors(shape)
    for number, one in enumerate(tensors_of_shape):
        on_progress(number, len(tensors_of_shape))
        if one.name.endswith("LayerNorm.weight"):
            values = np.ones(one.shape, np.float32)
        elif one.name.endswith("bias"):
            values = np.zeros(one.shape, np.float32)
        else:
            values = draw.standard_normal(one.shape, np.float32)
            values *= np.float32(settings["initializer_range"])
        if one.name.endswith("word_embeddings.weight") and settings["pad_token_id"] is not None:
            values[settings["pad_token_id"]] = 0
        tensors[one.stored_as] = values
    save_file(tensors, folder / WEIGHTS, metadata={"format": "pt"})
