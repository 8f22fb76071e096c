"""What is said of models whose weights are random: nothing that their numbers refute."""

import shutil
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

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
from bertviz_core.positions.likeness import SMOOTH
from tests.claims.test_claims import EVERY

KINDS = ("embedded", "random", "biased", "tiny")


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Path]]:
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
    yield {"random": fresh, "biased": biased}
    shutil.rmtree(cache)


@pytest.fixture(scope="module")
def said(
    folders: dict[str, Path], minilm_encoder: Encoder, tiny_encoder: Encoder, scales: Scales
) -> dict[tuple[str, str], Any]:
    """Of each kind of model and claim: the verdict, its numbers, and the sentence."""
    encoders = {kind: load_encoder(load_bert(str(folder))) for kind, folder in folders.items()}
    found = {}
    for kind, encoder in {"embedded": minilm_encoder, "tiny": tiny_encoder, **encoders}.items():
        given = dict.fromkeys(("layers", "library"), encoder)
        given |= {"tables": encoder.bert, "calibration": scales}
        for claim in EVERY:
            verdict = claim.condition(given[claim.needs])
            found[kind, claim.name] = SimpleNamespace(
                holds=verdict.holds, text=claim.sentence(verdict), **verdict.numbers
            )
    return found


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_said_is_what_the_numbers_are(kind: str, said: dict[tuple[str, str], Any]) -> None:
    positions = said[kind, "positions"]
    assert (SHAPES["smooth"] in positions.text) == (kind == "embedded") == (positions.step < SMOOTH)
    assert (SHAPES["not alike"] in positions.text) == (positions.step > SMOOTH)
    pooled = said[kind, "pooled"]
    assert ("so it was probably never trained" in pooled.text) == (kind != "biased")
    changed = {"embedded": True, "random": False, "biased": True, "tiny": False}
    assert said[kind, "segments"].holds == changed[kind]
    assert "Most likely training" in said[kind, "segments"].text or not changed[kind]
    turns = said[kind, "two meanings"]
    assert (turns.text.startswith("True")) == (kind == "embedded")
    if kind != "tiny":  # whose vocabulary has none of the baseline words
        best = float(turns.furthest.partition(",")[0].split()[1])
        assert (round(turns.turn, 3) > best) == (kind == "embedded")
    context = said[kind, "no context"]
    if context.holds:  # the layers change the word, so no two numbers that look equal
        assert float(context.second) < 1
    nearest = said[kind, "nearest"]
    assert (kind == "embedded") == bool(nearest.holds)
    assert ("opposite" in nearest.text) == (nearest.left == "right")
    assert said[kind, "unused rows"].holds == (kind == "embedded")
