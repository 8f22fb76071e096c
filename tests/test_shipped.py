"""What ships for the embedded model belongs to the code, the texts and the weights."""

import json
import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from bertviz_core.bert import load_bert
from bertviz_core.calibration import same_sense, sentences, token_table, word_scales
from bertviz_core.checkpoints.catalog import EMBEDDED
from bertviz_core.checkpoints.checkpoint import kept_folder
from bertviz_core.contextual import nouns
from bertviz_core.disk_cache import known_arrays, read_arrays, shipped_file
from bertviz_core.encoder import Encoder, load_encoder
from bertviz_core.shared.models import models
from bertviz_core.ui import computed, jobs
from scripts.write_shipped import shipped
from tests.headless import open_page

KINDS = ("nouns", "same-sense", "words", "sentences", "other-tokens", "token-map")
FLOAT16 = ("nouns", "same-sense", "sentences")  # and what is measured with it


def keys(encoder: Encoder) -> dict[str, str]:
    return {kind: key for kind, (key, _) in shipped(encoder).items()}


@pytest.mark.parametrize("kind", KINDS)
def test_it_belongs_to_the_code_and_the_texts(minilm_encoder: Encoder, kind: str) -> None:
    key = keys(minilm_encoder)[kind]
    assert read_arrays(shipped_file(kind), key), f"`make shipped` writes {kind} anew"


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS[:-1])  # the last one takes minutes
def test_it_is_what_is_measured(minilm_encoder: Encoder, kind: str) -> None:
    key, make = shipped(minilm_encoder)[kind]
    there = read_arrays(shipped_file(kind), key)
    assert there is not None
    for name, array in make().items():
        assert there[name].dtype == array.dtype
        np.testing.assert_allclose(there[name], array, 0, 1e-3 if kind in FLOAT16 else 1e-5)


def test_that_is_all_and_it_is_small() -> None:
    files = {*shipped_file("").parent.glob("*.npz")}
    assert files == {shipped_file(kind) for kind in KINDS}
    assert sum(file.stat().st_size for file in files) < 4_000_000


@pytest.mark.parametrize(
    ("module", "name", "value", "changed"),
    [
        (nouns, "NOUNS", word_scales.TEXTS / "news.txt", {"nouns", "same-sense", "words"}),
        (nouns, "FORMAT", 0, {"nouns", "same-sense"}),
        (same_sense, "prepared_words", tuple, {"same-sense"}),
        (same_sense, "FORMAT", 0, {"same-sense"}),
        (
            word_scales,
            "CALIBRATION_FILE",
            word_scales.TEXTS / "news.txt",
            {"words", "sentences", "same-sense"},
        ),
        (word_scales, "FORMAT", 0, {"words"}),
        (sentences, "FORMAT", 0, {"sentences"}),
        (token_table, "FORMAT", 0, {"other-tokens"}),
    ],
)
def test_a_file_is_not_used_for_other_texts_or_code(
    minilm_encoder: Encoder,
    monkeypatch: pytest.MonkeyPatch,
    module: object,
    name: str,
    value: object,
    changed: set[str],
) -> None:
    before = keys(minilm_encoder)
    monkeypatch.setattr(module, name, value)
    now = keys(minilm_encoder)
    assert {kind for kind in KINDS if now[kind] != before[kind]} == changed


@pytest.mark.usefixtures("hub_cache")
def test_none_is_used_for_other_weights_and_all_wherever_they_lie(
    minilm_encoder: Encoder, tmp_path: Path
) -> None:
    own = minilm_encoder.bert.checkpoint
    copy = replace(own, folder=shutil.copytree(own.folder, tmp_path / "elsewhere"))
    assert keys(load_encoder(load_bert(copy))) == keys(minilm_encoder)
    with copy.weights.open("r+b") as file:  # one bit of the first number of the token table
        header = int.from_bytes(file.read(8), "little")
        table = json.loads(file.read(header))["embeddings.word_embeddings.weight"]
        file.seek(8 + header + table["data_offsets"][0])
        (byte,) = file.read(1)
        file.seek(-1, 1)
        file.write(bytes([byte ^ 1]))
    for kind, key in keys(load_encoder(load_bert(copy))).items():
        assert known_arrays(kind, key) is None


@pytest.mark.parametrize("page", ["3_Nearest_Neighbors", "4_Word_in_Context", "6_Sentence_Vectors"])
@pytest.mark.usefixtures("fresh_caches")
def test_a_fresh_machine_measures_nothing(page: str) -> None:
    app = open_page(f"pages/{page}.py")
    assert not app.get("progress")
    assert jobs.find(computed.SCALES.key(models.bert(EMBEDDED))) is None
    assert not kept_folder().exists()
