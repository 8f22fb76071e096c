"""What the garbage collector has to look at after every run of a page."""

import gc

import pytest

from bertviz_core.ui import heap
from tests.fresh_process import drive_app


def test_libraries_are_left_alone() -> None:
    """In a fresh process: Home has run, then a page, then its encoder has been loaded."""
    drive_app("""
import gc
app.switch_page("pages/4_Word_in_Context.py").run()
app.run()
assert not app.exception and "torch" in heavy()
assert gc.get_freeze_count() > 150_000, gc.get_freeze_count()
gc.collect()
assert len(gc.get_objects()) < 20_000, len(gc.get_objects())
""")


def test_only_much_that_is_new_is_frozen(monkeypatch: pytest.MonkeyPatch) -> None:
    frozen = []
    monkeypatch.setattr(gc, "freeze", lambda: frozen.append(1))
    monkeypatch.setattr(heap, "_modules", 0)
    heap.freeze()
    heap.freeze()
    assert len(frozen) == 1
    monkeypatch.setattr(heap, "_modules", heap._modules - heap._GREW)
    heap.freeze()
    assert len(frozen) == 2
