import numpy as np
import pytest

from bertviz_core.bert import Bert
from bertviz_core.contextual import explained
from bertviz_core.contextual.explained import explained_variance, most_tokens
from bertviz_core.encoder import Encoder
from tests.snippets.running import run_filled
from tests.tiny import SENTENCES


def test_explained(tiny: Bert, tiny_encoder: Encoder, monkeypatch: pytest.MonkeyPatch) -> None:
    """With more tokens than may be used."""
    sentences = [f"{a} {b}" for a in SENTENCES for b in SENTENCES]
    monkeypatch.setattr(explained, "MOST_BYTES", 300 * 4 * 8 * 3)
    found = explained_variance(tiny_encoder, sentences)
    printed, _ = run_filled(
        "contextual/explained", tiny, sentences=sentences, most=most_tokens(tiny)
    )
    shares = np.array([line.split()[1:] for line in printed.splitlines()], dtype=float).T
    assert 250 < found.tokens <= 300
    assert shares[:3] == pytest.approx(found.together, abs=1e-4)
    assert shares[3:] == pytest.approx(found.alone, abs=1e-4)
