from pathlib import Path

import pytest

from bertviz_core.ui import results as cache


@pytest.mark.usefixtures("fresh_caches")
def test_the_library_is_announced_until_it_is_loaded(
    tiny_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BERTVIZ_MODELS", f"tiny={tiny_folder}")
    announced = "Loading the library's own model, once, then: running it …"
    assert cache.once_loaded("tiny", "Running it …") == announced
    assert not cache.encoder_in_memory("tiny")
    encoder = cache.loaded_encoder("tiny")
    assert not encoder.model_in_memory
    assert cache.once_loaded("tiny", "Running it …") == announced
    cache.own_embedding_layer("tiny", "the cat", None)
    assert encoder.model_in_memory
    assert cache.once_loaded("tiny", "Running it …") == "Running it …"
