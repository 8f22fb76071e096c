"""Fixtures: a tiny random BERT in a temporary folder, and the embedded, trained one."""

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

# Set before huggingface_hub is imported anywhere: no test may reach a hub, except by the
# stand-in server that test_download.py starts on this machine.
os.environ["HF_HUB_DISABLE_TELEMETRY"] = "1"
os.environ["HF_HUB_DISABLE_XET"] = "1"
# Two workers and their servers share the processors: with threads of its own for each, torch spends
# half its time waiting for them.
os.environ.setdefault("OMP_NUM_THREADS", "1")

import pytest

from bertviz_core import senses
from bertviz_core.bert import Bert, load_bert
from bertviz_core.checkpoints.catalog import EMBEDDED
from bertviz_core.encoder import load_encoder
from bertviz_core.senses import group

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

    from bertviz_core.arrays import Array
    from bertviz_core.calibration import Calibration
    from bertviz_core.checkpoints.checkpoint import Checkpoint
    from bertviz_core.encoder import Encoder
    from bertviz_core.senses import Groups

TINY_VOCABULARY = (
    *("[PAD]", "[unused0]", "[unused1]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"),
    *("the", "cat", "dog", "sat", "on", "a", "mat", "python", "snake", "code", "king", "queen"),
    *("man", "woman", "i", "love", "my", "pet", "coding", "in", "##s", "##ing", "##un"),
    *("!", ".", ",", "[", "]", "##an", "sin", "an", "b", "##b"),
)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Browser tests first: they take longest."""
    items.sort(key=lambda item: item.get_closest_marker("browser") is None)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Browser tests to one worker, all others to the rest, until either are done.

    Two browsers at once slow each other down, but less than a worker without work.
    """
    if config.getoption("dist") != "loadfile":
        return None
    from xdist.scheduler import LoadFileScheduling

    class OneBrowser(LoadFileScheduling):
        def _assign_work_unit(self, node: Any) -> None:
            in_browser = node is self.nodes[0]
            for file in self.workqueue:
                if file.startswith("tests/browser/") == in_browser:
                    self.workqueue.move_to_end(file, last=False)
                    break
            super()._assign_work_unit(node)

    return OneBrowser(config, log)


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Without a browser its tests are skipped with the reason; under CI that is a failure."""
    if item.get_closest_marker("browser") is None:
        return
    from tests.live_app import chromium

    if chromium() is None:
        reason = "no Chromium on this machine (set CHROMIUM, or install the package chromium)"
        if os.environ.get("CI"):
            pytest.fail(reason, pytrace=False)
        pytest.skip(reason)


@pytest.fixture(scope="session")
def tiny_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A checkpoint of 2 layers x 8 dimensions x 16 positions with random weights."""
    import torch
    from transformers import BertConfig, BertModel

    folder = tmp_path_factory.mktemp("checkpoints") / "tiny-bert"
    folder.mkdir()
    torch.manual_seed(7)
    config = BertConfig(
        vocab_size=len(TINY_VOCABULARY),
        hidden_size=8,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=16,
        max_position_embeddings=16,
        initializer_range=0.5,
    )
    BertModel(config).save_pretrained(folder)
    (folder / "vocab.txt").write_text("\n".join(TINY_VOCABULARY) + "\n", encoding="utf-8")
    (folder / "tokenizer_config.json").write_text(
        json.dumps({"do_lower_case": True, "tokenizer_class": "BertTokenizer"}), encoding="utf-8"
    )
    return folder


@pytest.fixture(scope="session")
def tiny(tiny_folder: Path) -> Bert:
    return load_bert(tiny_folder)


@pytest.fixture(scope="session")
def minilm() -> Bert:
    """The embedded model: all-MiniLM-L6-v2, trained, 6 layers x 384."""
    return load_bert(EMBEDDED)


@pytest.fixture(scope="session")
def minilm_encoder(minilm: Bert) -> "Encoder":
    return load_encoder(minilm)


@pytest.fixture(scope="session")
def calibration(minilm_encoder: "Encoder") -> "Calibration":
    """What cosines of the embedded model are worth; measuring it takes seconds."""
    from bertviz_core.calibration import calibrate

    return calibrate(minilm_encoder)


@pytest.fixture(scope="session")
def grouped() -> dict[bytes, "Groups"]:
    """What k-means has found so far in any test, by the bytes of the vectors."""
    return {}


@pytest.fixture
def fresh_caches(
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    minilm: Bert,
    grouped: dict[bytes, "Groups"],
    request: pytest.FixtureRequest,
) -> Iterator[None]:
    """The embedded model alone, whatever this machine's hub cache holds.

    The app's caches are empty, but what takes long and always comes out the same is done once.
    """
    import streamlit as st
    from huggingface_hub import constants
    from streamlit.components.v2 import manifest_scanner

    from bertviz_core.ui.memory import models

    # In a folder of its own: the models' calibrations lie beside it.
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path / "hub"))
    for name in ("BERTVIZ_MODEL", "BERTVIZ_MODELS"):
        monkeypatch.delenv(name, raising=False)
    st.cache_data.clear()
    st.cache_resource.clear()
    models.forget()
    # Streamlit's harness reads what all installed packages say of themselves, at every page.
    monkeypatch.setattr(manifest_scanner, "scan_component_manifests", list)

    def opened(model: "str | Checkpoint") -> Bert:
        return minilm if model == EMBEDDED else load_bert(model)

    def loaded(bert: Bert) -> "Encoder":
        return request.getfixturevalue("minilm_encoder") if bert is minilm else load_encoder(bert)

    def groups_of(vectors: "Array") -> "Groups":
        content = vectors.tobytes()
        if content not in grouped:
            grouped[content] = group(vectors)
        return grouped[content]

    monkeypatch.setattr(models, "open_checkpoint", opened)
    monkeypatch.setattr(models, "load", loaded)
    monkeypatch.setattr(senses, "group", groups_of)
    yield
    models.forget()


@pytest.fixture(scope="session")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """One server for all browser tests."""
    from tests.live_app import running_app

    with running_app(HF_HUB_CACHE=str(tmp_path_factory.mktemp("cache") / "hub")) as url:
        yield url


@pytest.fixture(scope="module")
def browser() -> Iterator["Browser"]:
    """Closed after each file: Playwright keeps an event loop in this thread while it runs."""
    from tests.live_app import running_browser

    with running_browser() as started:
        yield started


@pytest.fixture(scope="module")
def tab(browser: "Browser", address: str) -> "Page":
    # Skeletons that shimmer take a tenth of a processor in a browser without a GPU.
    context = browser.new_context(base_url=address, reduced_motion="reduce")
    context.set_default_timeout(30_000)
    return context.new_page()


@pytest.fixture
def page(tab: "Page") -> Iterator["Page"]:
    """The one tab of a file, as if it were new.

    A tab that has run Streamlit's scripts before loads a page in about half the time of a new one.
    """
    tab.set_viewport_size({"width": 1440, "height": 900})
    tab.emulate_media(color_scheme="light")
    yield tab
    assert tab.locator('[data-testid="stException"]').count() == 0
    tab.evaluate("localStorage.clear(), sessionStorage.clear()")
