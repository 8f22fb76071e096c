"""Models in memory."""

import threading
import time
from pathlib import Path

from bertviz_core.bert import Bert, load_bert
from bertviz_core.encoder import load_encoder
from bertviz_core.shared import ModelMemory


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
