"""Vectors of occurrences in memory: as many as fit, whoever asked for them."""

import threading

import numpy as np
import pytest

from bertviz_core import senses
from bertviz_core.senses import SenseVectors, sense_vectors
from bertviz_core.ui.word_senses.shelves import MOST_SHELVES, Key, Shelves
from bertviz_core.ui.word_senses.sources import OWN
from tests.headless import open_page

PAGE = "pages/5_Word_Senses.py"


def key(name: object) -> Key:
    return Key("bert", str(name), "mean")


def fill(shelves: Shelves, name: object, nbytes: int) -> None:
    vectors = np.zeros((1, 1, nbytes // 4), np.float32)
    shelves.shelf_for(key(name)).vectors = SenseVectors((), vectors, 0)
    shelves.filled(key(name))


def kept(shelves: Shelves, *names: object) -> list[bool]:
    """Whether each is still there; looking is a use."""
    return [shelves.shelf_for(key(name)).vectors is not None for name in names]


def test_what_was_used_longest_ago_goes_first() -> None:
    shelves = Shelves(most=100)
    fill(shelves, "a", 40)
    fill(shelves, "b", 40)
    assert kept(shelves, "b", "a") == [True, True]
    fill(shelves, "c", 40)
    assert kept(shelves, "a", "c", "b") == [True, True, False]


def test_the_last_one_is_kept_however_large_it_is() -> None:
    shelves = Shelves(most=100)
    fill(shelves, "small", 40)
    fill(shelves, "large", 400)
    assert kept(shelves, "small", "large") == [False, True]


def test_one_that_waits_for_its_vectors_is_not_let_go() -> None:
    shelves = Shelves(most=100)
    waiting = shelves.shelf_for(key("waiting"))
    fill(shelves, "a", 80)
    fill(shelves, "b", 80)
    assert shelves.shelf_for(key("waiting")) is waiting


def test_many_threads_at_once() -> None:
    shelves = Shelves(most=1_000)

    def use(start: int) -> None:
        for number in range(start, start + 2 * MOST_SHELVES, 7):
            fill(shelves, number, 40)

    threads = [threading.Thread(target=use, args=(start,)) for start in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    held = sum(kept(shelves, *reversed(range(2 * MOST_SHELVES + 10))))
    assert 1 <= held <= 25


@pytest.mark.usefixtures("tiny_on_offer")
def test_two_viewers_of_400_occurrences_do_not_evict_one_another(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    runs = 0

    def counted(*arguments, **options):
        nonlocal runs
        runs += 1
        return sense_vectors(*arguments, **options)

    monkeypatch.setattr(senses, "sense_vectors", counted)
    viewers = []
    for word in ("cat", "dog"):
        lines = "\n".join(f"a {word} {i % 20}" for i in range(400))
        viewers.append(open_page(PAGE, model="tiny", senseword=word, lines=lines, **{"from": OWN}))
    before = runs
    assert before == 2
    for layer in (0, 1):
        for app in viewers:
            app.slider(key="layer").set_value(layer).run()
            assert not app.exception
    assert runs == before
