"""What is said of models whose weights are random: nothing that their numbers refute."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import load_file, save_file

from bertviz_core.bert import load_bert
from bertviz_core.calibration import Scales
from bertviz_core.checkpoints.catalog import EMBEDDED, OfferedModel
from bertviz_core.checkpoints.checkpoint import WEIGHTS
from bertviz_core.checkpoints.random_weights import make_random
from bertviz_core.claims.tables import SHAPES
from bertviz_core.encoder import Encoder, load_encoder
from tests.claims.test_claims import EVERY, said_of

TRAINED = {"NEAREST", "TWO_MEANINGS", "UNUSED_ROWS"}  # what no random model shows


@pytest.fixture(scope="module")
def encoders(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Encoder]]:
    """Random weights in the embedded model's shape, and the same with biases and larger tables."""
    cache = tmp_path_factory.mktemp("random")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(cache / "hub"))
        fresh = make_random(OfferedModel("fresh", shape_of=EMBEDDED), lambda *_: None).folder
    biased = Path(shutil.copytree(fresh, cache / "biased"))
    tensors, draw = load_file(biased / WEIGHTS), np.random.default_rng(3)
    for name, values in tensors.items():
        if name.endswith("bias"):
            tensors[name] = draw.normal(0, 0.1, values.shape).astype(np.float32)
        if "position_embeddings" in name or "token_type" in name:
            tensors[name] = 3 * values
    save_file(tensors, biased / WEIGHTS, metadata={"format": "pt"})
    folders = {"random": fresh, "biased": biased}
    yield {kind: load_encoder(load_bert(str(folder))) for kind, folder in folders.items()}
    shutil.rmtree(cache)


@pytest.mark.parametrize("kind", ["random", "biased"])
def test_what_is_said_is_what_the_numbers_are(
    kind: str, encoders: dict[str, Encoder], scales: Scales
) -> None:
    encoder = encoders[kind]
    given = {"tables": encoder.bert, "layers": encoder, "calibration": scales}
    found = {name: (claim, claim.condition(given[claim.needs])) for name, claim in EVERY.items()}
    said = {name: said_of(claim, verdict) for name, (claim, verdict) in found.items()}
    not_met = {name for name, (_, verdict) in found.items() if not verdict.holds}
    assert not_met == TRAINED | ({"SEGMENTS"} if kind == "random" else set())
    assert SHAPES["not alike"] in said["POSITIONS"]
    assert ("so it was probably never trained" in said["POOLED"]) == (kind == "random")
    assert ("Most likely training" in said["SEGMENTS"]) == (kind == "biased")
    meanings = found["TWO_MEANINGS"][1].numbers
    assert meanings["apart"] <= max(meanings["most"], meanings["same_sense"])
    context = found["NO_CONTEXT"][1]
    if context.holds:  # the layers change the word, so no two numbers that look equal
        assert float(context.numbers["second"]) < 1
    left = found["NEAREST"][1].numbers["left"]
    assert ("opposite" in said["NEAREST"]) == (left == "right")
