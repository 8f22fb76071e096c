"""The program of the parts of a similarity prints the page's shares."""

import numpy as np
import pytest

from bertviz_core.contextual.attribution import attribution
from bertviz_core.contextual.words import marked_words_in_context
from bertviz_core.encoder import Encoder
from bertviz_core.encoder.path_gradients import PathGradients
from tests.snippets.running import as_it_stands, run_filled


@pytest.mark.parametrize(
    ("marked", "spans", "hold"),
    [
        (["my [codings] pet", "a [snake]"],
         [("my codings pet", 3, 10), ("a snake", 2, 7)], True),
        (["the [cat] on the [mat]"],
         [("the cat on the mat", 4, 7), ("the cat on the mat", 15, 18)], False),
    ],
)  # fmt: skip
def test_attribution(tiny_encoder: Encoder, marked: list, spans: list, hold: bool) -> None:
    word, anchor = marked_words_in_context(tiny_encoder, marked)
    found = attribution(tiny_encoder, word, anchor, 1, hold_anchor=hold)
    printed, _ = run_filled(
        "contextual/attribution",
        tiny_encoder.bert,
        word=spans[0],
        anchor=spans[1],
        hold_anchor=hold,
        pooling="mean",
        layer=1,
        nodes=found.nodes,
    )
    check(printed, found)


def test_attribution_of_the_embedded_model(minilm_encoder: Encoder) -> None:
    printed, names = as_it_stands("contextual/attribution")
    words = marked_words_in_context(minilm_encoder, ["I love my pet [python]", "a [snake]"])
    found = attribution(minilm_encoder, *words, names["layer"])
    assert names["nodes"] == found.nodes
    check(printed, found)


def check(printed: str, found: PathGradients) -> None:
    *rows, last = (line.split() for line in printed.splitlines())
    shares = np.array([row[1:4] for row in rows], dtype=float).T
    assert shares == pytest.approx(np.concatenate(found.shares, axis=1), abs=2e-4)
    assert float(last[1]) == pytest.approx(found.baseline, abs=1e-4)
    assert float(last[3]) == pytest.approx(found.cosine, abs=1e-4)
    assert np.abs(shares).max() > 0.02
