"""The model of a job: named by the hash of its weights, and opened by each worker."""

from pathlib import Path

from bertviz_core.bert import Bert, load_bert
from bertviz_core.checkpoints.catalog import offered_models
from bertviz_core.corpus.job import Model
from bertviz_core.encoder import Encoder, load_encoder
from bertviz_core.encoder.devices import Dtype
from bertviz_core.errors import ModelUnavailableError


def chosen_model(name_or_folder: str) -> tuple[Model, Bert]:
    """Open the model that somebody chose."""
    bert = load_bert(name_or_folder)
    offered = name_or_folder in offered_models()
    return Model(
        # Another machine, or a run from another folder, opens the same one.
        name=name_or_folder if offered else str(Path(name_or_folder).resolve()),
        sha256=bert.checkpoint.weights_hash(),
        revision=bert.checkpoint.revision,
        layers=bert.num_hidden_layers + 1,
        hidden_size=bert.hidden_size,
    ), bert


def open_encoder(model: Model, device: str | None = None, dtype: Dtype = "float32") -> Encoder:
    """Open the model of a job, ready to run."""
    bert = load_bert(model.name)
    digest = bert.checkpoint.weights_hash()
    if digest != model.sha256:
        raise ModelUnavailableError(
            f"{bert.checkpoint.weights.name} of {bert.name} has the SHA-256 {digest[:12]}…, but "
            f"the job was begun with {model.sha256[:12]}…; put the same model on this machine."
        )
    return load_encoder(bert, device, dtype)
