import numpy as np
import pytest

from bertviz_core.contextual.attribution import attribution
from bertviz_core.contextual.words import marked_words_in_context
from bertviz_core.encoder import Encoder
from tests.snippets.running import run_filled


@pytest.mark.parametrize(
    ("marked", "spans", "hold"),
    [
        (["my [awesomesauce] pet", "a [snake]"],
         [("my awesomesauce pet", 3, 15), ("a snake", 2, 7)], True),
        (["the [bank] by the [shore]"],
         [("the bank by the shore", 4, 8), ("the bank by the shore", 16, 21)], False),
    ],
)  # fmt: skip
def test_attribution(minilm_encoder: Encoder, marked: list, spans: list, hold: bool) -> None:
    word, anchor = marked_words_in_context(minilm_encoder, marked)
    found = attribution(minilm_encoder, word, anchor, 3, hold_anchor=hold)
    printed, _ = run_filled(
        "contextual/attribution",
        minilm_encoder.bert,
        word=spans[0],
        anchor=spans[1],
        hold_anchor=hold,
        pooling="mean",
        layer=3,
        nodes=found.nodes,
    )
    *rows, last = (line.split() for line in printed.splitlines())
    shares = np.array([row[1:4] for row in rows], dtype=float).T
    assert shares == pytest.approx(np.concatenate(found.shares, axis=1), abs=2e-4)
    assert float(last[1]) == pytest.approx(found.baseline, abs=1e-4)
    assert float(last[3]) == pytest.approx(found.cosine, abs=1e-4)
    assert np.abs(shares).max() > 0.02
