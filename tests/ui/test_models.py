"""Models in memory, and a download that all viewers share."""

import threading
import time
from collections.abc import Iterator
from pathlib import Path

import huggingface_hub
import pytest
from huggingface_hub import constants

from bertviz_core.bert import Bert, load_bert
from bertviz_core.checkpoints.catalog import OfferedModel
from bertviz_core.checkpoints.checkpoint import WEIGHTS, why_unavailable
from bertviz_core.encoder import load_encoder
from bertviz_core.model_memory import ModelMemory
from bertviz_core.shared import models
from bertviz_core.ui import jobs
from bertviz_core.ui import models as models_module
from bertviz_core.ui.models import offer, start_download
from tests.headless import open_page
from tests.standin_hub import REPO, REVISION, StandinHub, standin_hub
from tests.waiting import wait_for

MODEL = OfferedModel("tiny-bert", repo_id=REPO, revision=REVISION, megabytes=3)


@pytest.fixture
def hub(tiny_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[StandinHub]:
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", False)
    monkeypatch.setattr(constants, "DOWNLOAD_CHUNK_SIZE", 1_000)
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    huggingface_hub.close_session()
    with standin_hub(tiny_folder) as server:
        yield server
    jobs.forget(("download", "tiny-bert"))
    models.forget()


def test_two_viewers_share_one_download(hub: StandinHub) -> None:
    before = offer()
    hub.pause = threading.Event()
    size = len(hub.files[WEIGHTS])
    job = start_download(MODEL, hub.endpoint)
    wait_for(lambda: 0 < job.done <= size // 2)
    assert start_download(MODEL, hub.endpoint) is job
    assert (job.state, job.total) == ("running", size)
    hub.pause.set()
    wait_for(lambda: job.state == "done")
    assert (job.done, job.total, job.message) == (size, size, "")
    assert hub.fetched(WEIGHTS) == 1
    assert why_unavailable(MODEL) is None
    assert offer() is not before  # its files are seen at once
    assert models.bert("tiny-bert").source == "download"


def test_the_last_checkpoints_stay_open_and_one_encoder(tiny: Bert, tiny_folder: Path) -> None:
    opened: list[str] = []

    def open_checkpoint(name: object) -> Bert:
        opened.append(str(name))
        bert = load_bert(tiny_folder)
        object.__setattr__(bert.checkpoint, "name", str(name))
        return bert

    memory = ModelMemory(open_checkpoint, load_encoder)
    first = memory.bert("one")
    assert memory.bert("one") is first
    memory.bert("two")
    memory.bert("one")
    memory.bert("three")  # "two" was asked for longest ago
    assert memory.bert("one") is first
    assert opened == ["one", "two", "three"]
    assert not memory.has_encoder("one")
    encoder = memory.encoder("one")
    assert memory.encoder("one") is encoder
    assert memory.has_encoder("one")
    assert not memory.has_library_model("one")
    _ = encoder.model
    assert memory.has_library_model("one")
    memory.encoder("three")
    assert not memory.has_encoder("one")
    memory.forget()
    assert not memory.has_encoder("three")


def test_opening_a_checkpoint_does_not_wait_for_an_encoder(tiny: Bert) -> None:
    loading, go_on = threading.Event(), threading.Event()

    def load(bert: Bert) -> None:
        loading.set()
        go_on.wait(20)

    memory = ModelMemory(lambda name: tiny, load)  # type: ignore[arg-type, return-value]
    waiting = threading.Thread(target=memory.encoder, args=("tiny",))
    waiting.start()
    assert loading.wait(20)
    start = time.monotonic()
    assert memory.bert("tiny") is tiny
    assert time.monotonic() - start < 5
    go_on.set()
    waiting.join()


@pytest.mark.usefixtures("fresh_caches")
def test_a_rerun_does_not_look_for_files_again(monkeypatch: pytest.MonkeyPatch) -> None:
    app = open_page("pages/2_Input_Embeddings.py")
    looked: list[str] = []
    for name in ("why_unavailable", "default_model"):
        monkeypatch.setattr(models_module, name, lambda *_, name=name: looked.append(name))
    app.run()
    app.switch_page("pages/1_Tokens.py").run()
    assert not app.exception
    assert looked == []
