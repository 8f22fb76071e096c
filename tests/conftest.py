"""Fixtures: a tiny random BERT in a temporary folder, and the embedded, trained one."""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

# Set before huggingface_hub is imported anywhere: no test may reach a hub, except by the
# stand-in server of tests/standin_hub.py.
os.environ["HF_HUB_OFFLINE"] = "1"
os.environ["HF_HUB_DISABLE_TELEMETRY"] = "1"
os.environ["HF_HUB_DISABLE_XET"] = "1"
# Three runs, a server and a browser share the processors: with threads of its own for each, torch
# spends half its time waiting for them.
os.environ.setdefault("OMP_NUM_THREADS", "1")

import pytest

from bertviz_core import senses
from bertviz_core.arrays import Array
from bertviz_core.bert import Bert, load_bert
from bertviz_core.calibration import Scales, token_table, word_scales
from bertviz_core.calibration.token_table import NearestScores
from bertviz_core.checkpoints.catalog import EMBEDDED
from bertviz_core.checkpoints.checkpoint import Checkpoint
from bertviz_core.encoder import Encoder, load_encoder
from bertviz_core.senses import Groups, group
from tests.tiny import write_checkpoint
from tests.waiting import wait_for


@pytest.fixture(scope="session")
def tiny_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_checkpoint(tmp_path_factory.mktemp("checkpoints") / "tiny-bert")


@pytest.fixture
def folder(tiny_folder: Path, tmp_path: Path) -> Path:
    """A copy of the tiny checkpoint that a test may damage."""
    return Path(shutil.copytree(tiny_folder, tmp_path / "mine"))


@pytest.fixture
def hub_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty hub cache, and no settings of whoever runs the tests; what is kept is beside it."""
    from huggingface_hub import constants

    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path / "hub"))
    for name in ("BERTVIZ_MODEL", "BERTVIZ_MODELS"):
        monkeypatch.delenv(name, raising=False)
    return tmp_path / "hub"


@pytest.fixture(scope="session")
def tiny(tiny_folder: Path) -> Bert:
    return load_bert(tiny_folder)


@pytest.fixture(scope="session")
def tiny_encoder(tiny: Bert) -> Encoder:
    return load_encoder(tiny)


@pytest.fixture(scope="session")
def minilm() -> Bert:
    """The embedded model: all-MiniLM-L6-v2, trained, 6 layers x 384."""
    return load_bert(EMBEDDED)


@pytest.fixture(scope="session")
def minilm_encoder(minilm: Bert) -> Encoder:
    return load_encoder(minilm)


@pytest.fixture(scope="session")
def library(minilm: Bert) -> Any:
    """The embedded model as transformers loads it; it may keep gradients."""
    from transformers import BertModel

    return BertModel.from_pretrained(minilm.checkpoint.folder).eval()


@pytest.fixture(scope="session")
def library_tokenizer(minilm: Bert) -> Any:
    from transformers import BertTokenizer

    return BertTokenizer.from_pretrained(minilm.checkpoint.folder)


@pytest.fixture(scope="session")
def scales(minilm: Bert) -> Scales:
    """The percentile scales of the embedded model, which are shipped."""
    found = word_scales.known(minilm)
    assert found is not None
    return found


@pytest.fixture(scope="session")
def nearest_of_others(minilm: Bert) -> NearestScores:
    """The nearest neighbours of 2,000 tokens of the embedded model, which are shipped."""
    found = token_table.known(minilm)
    assert found is not None
    return found


@pytest.fixture(scope="session")
def grouped() -> dict[bytes, Groups]:
    """What k-means has found so far in any test, by the bytes of the vectors."""
    return {}


def _empty_caches() -> None:
    """Let go of all that the pages keep between runs."""
    import streamlit as st

    from bertviz_core.shared.models import ModelMemory, models
    from bertviz_core.shared.results import ResultCache, results

    st.cache_data.clear()
    st.cache_resource.clear()
    vars(results).update(vars(ResultCache()))
    vars(models).update(vars(ModelMemory()))


@pytest.fixture(scope="module")
def kept_caches() -> Iterator[None]:
    """Beside `fresh_caches`, where tests only look: what one has computed is there for the next.

    Not for a module in which a test counts, changes or breaks what the pages compute.
    """
    _empty_caches()
    yield
    _empty_caches()


@pytest.fixture
def fresh_caches(
    monkeypatch: pytest.MonkeyPatch,
    hub_cache: Path,
    minilm: Bert,
    grouped: dict[bytes, Groups],
    request: pytest.FixtureRequest,
) -> Iterator[None]:
    """The embedded model alone, whatever this machine's hub cache holds.

    The app's caches are empty, but what takes long and always comes out the same is done once.
    """
    from streamlit.components.v2 import manifest_scanner

    from bertviz_core.shared.models import models
    from bertviz_core.ui import jobs
    from bertviz_core.ui.models import offer

    kept = "kept_caches" in request.fixturenames
    if not kept:
        _empty_caches()
    offer.clear()
    # Streamlit's harness reads what all installed packages say of themselves, at every page.
    monkeypatch.setattr(manifest_scanner, "scan_component_manifests", list)

    def opened(model: str | Checkpoint) -> Bert:
        return minilm if model == EMBEDDED else load_bert(model)

    def loaded(bert: Bert) -> Encoder:
        return request.getfixturevalue("minilm_encoder") if bert is minilm else load_encoder(bert)

    def groups_of(vectors: Array) -> Groups:
        content = vectors.tobytes()
        if content not in grouped:
            grouped[content] = group(vectors)
        return grouped[content]

    monkeypatch.setattr(models, "open_checkpoint", opened)
    monkeypatch.setattr(models, "load", loaded)
    monkeypatch.setattr(senses, "group", groups_of)
    yield
    # Work that a page has begun ends with its test.
    monkeypatch.setattr(jobs, "PATIENCE", 0)
    for key, job in list(jobs._jobs.items()):
        wait_for(lambda job=job: job.state != "running")
        jobs.forget(key)
    if not kept:
        _empty_caches()
