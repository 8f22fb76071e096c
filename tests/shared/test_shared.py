"""What all viewers share: each result once, in bounded memory, the encoder one at a time."""

import threading
import time
from collections.abc import Iterator

import numpy as np
import pytest

from bertviz_core.bert import Bert, load_bert
from bertviz_core.encoder import Encoder
from bertviz_core.shared import results
from bertviz_core.shared.models import SharedEncoder
from bertviz_core.shared.results import ResultCache, nbytes, once, once_in_turn
from bertviz_core.shared.turns import encoder_queue, slow_queue, table_queue
from bertviz_core.ui import jobs
from bertviz_core.ui.jobs import Job
from tests.tiny import write_checkpoint
from tests.waiting import held, wait_for, waiting


@pytest.fixture(autouse=True)
def own_cache(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(results, "results", ResultCache())
    yield
    assert not waiting(encoder_queue)
    assert not waiting(slow_queue)
    assert not waiting(table_queue)


def test_equal_calls_are_computed_once_also_together(tiny: Bert) -> None:
    calls = []

    @once
    def slow(bert: Bert, number: int, _note: str = "") -> list[int]:
        calls.append(number)
        time.sleep(0.05)
        return [number]

    threads = [threading.Thread(target=slow, args=(tiny, 1)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert slow(tiny, number=1, _note="not part of the key") is slow(tiny, 1)
    assert slow(tiny, 2) == [2]
    assert calls == [1, 2]


def test_a_changed_file_is_another_model(tmp_path) -> None:
    @once
    def name(bert: Bert) -> list[object]:
        return [bert.stamp]

    folder = write_checkpoint(tmp_path / "tiny")
    before = load_bert(folder)
    assert name(before) is name(load_bert(folder))
    weights = folder / "model.safetensors"
    weights.write_bytes(weights.read_bytes())
    assert name(load_bert(folder)) != name(before)


def test_results_of_the_encoder_take_turns(tiny_encoder: Encoder) -> None:
    """One inside another is part of the same turn; a shared encoder is loaded in it."""

    @once_in_turn
    def inner(encoder: Encoder) -> float:
        assert encoder_queue.mine
        return float(encoder.bert.hidden_size)

    @once_in_turn
    def outer(encoder: Encoder) -> float:
        return inner(encoder) + 1

    assert outer(tiny_encoder) == 9
    assert inner(SharedEncoder(tiny_encoder.bert)) == 8, "it is there, so nothing is loaded"
    assert not encoder_queue.mine


def test_what_runs_the_encoder_is_not_inside_of_what_waits_for_other_work(
    tiny_encoder: Encoder,
) -> None:
    """Else two threads could each wait for what the other one holds."""

    @once_in_turn
    def width(encoder: Encoder) -> int:
        return encoder.bert.hidden_size

    @once
    def wrong(encoder: Encoder) -> int:
        return width(encoder)

    @once_in_turn
    def right(encoder: Encoder) -> int:
        return doubled(encoder.bert)

    @once
    def doubled(bert: Bert) -> int:
        return 2 * width(SharedEncoder(bert))

    with pytest.raises(RuntimeError, match="once_in_turn"):
        wrong(tiny_encoder)
    assert width(tiny_encoder) == 8
    assert right(tiny_encoder) == 16


def test_memory_is_bounded_in_bytes_and_time(monkeypatch: pytest.MonkeyPatch) -> None:
    cache = ResultCache(most=1_000_000, unused=60)
    for number in [0, 0, 1, 2, 3, 4]:  # one that is kept again counts once
        cache.keep(number, np.zeros(300_000, dtype=np.uint8))
    assert [number for number in range(5) if cache.find(number) is not None] == [2, 3, 4]
    cache.find(2)
    cache.keep(5, np.zeros(300_000, dtype=np.uint8))
    assert cache.find(2) is not None, "it was used last"
    assert cache.find(3) is None
    cache.keep(6, np.zeros(5_000_000, dtype=np.uint8))
    assert cache.find(6) is not None, "one that is larger by itself is kept alone"
    assert cache.nbytes == 5_000_000
    assert nbytes({"a": [np.zeros(1000), np.zeros(1000)]}) > 16_000
    now = time.monotonic()
    monkeypatch.setattr(results.time, "monotonic", lambda: now + 61)
    cache.drop_unused()
    assert cache.nbytes == 0


def test_a_job_says_how_many_are_before_it() -> None:
    def work(job: Job) -> None:
        with encoder_queue.turn():
            pass

    with held(encoder_queue):
        job = jobs.begin(("test", "job"), "The work", work)
        wait_for(lambda: job.before == 1)
        assert jobs.progress_text(job, lambda job: "Working") == "Working (1 before you)"
    wait_for(lambda: job.state == "ended")
    assert jobs.progress_text(job, lambda job: "Working") == "Working"
