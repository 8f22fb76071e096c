"""What one dimension brings to a cosine: by all pairs, one by one, and as the card shows it."""

import numpy as np
import pytest

from bertviz_core.arrays import unit_rows
from bertviz_core.calibration.words import calibration_sentences, content_words
from bertviz_core.contextual.words import words_of_marks
from bertviz_core.encoder import Encoder
from bertviz_core.tokens import tokenize
from bertviz_core.views.word_senses.dimensions import PARTS, SENTENCES, one_dimension, parts_of


def test_every_pair_of_tokens(minilm_encoder: Encoder) -> None:
    frame = one_dimension(minilm_encoder).to_frame()
    texts = [tokenize(minilm_encoder.bert, sentence) for sentence in SENTENCES]
    states = minilm_encoder.hidden_states_many(texts)
    tokens = np.concatenate([own[5, 1:-1] for own in states]).astype(np.float64)
    units = unit_rows(tokens)
    assert frame["mean cosine"][5] == pytest.approx((units @ units.T).mean(), abs=1e-6)
    products = np.outer(units[:, 223], units[:, 223])
    assert frame["largest dimension"][5] == pytest.approx(products.mean(), abs=1e-6)
    found = parts_of(minilm_encoder)
    for added in (
        frame[list(PARTS)].sum(axis=1),
        found.parts.sum(axis=1),
        found.turned.sum(axis=1),
    ):
        assert np.asarray(added) == pytest.approx(frame["mean cosine"], abs=1e-6)
    assert found.mean[5] == pytest.approx(tokens.mean(axis=0), abs=1e-6)
    assert found.deviation[5] == pytest.approx(tokens.std(axis=0), abs=1e-6)


def test_what_the_card_says(
    minilm_encoder: Encoder, tiny_encoder: Encoder, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As Timkey & van Schijndel found; among content words dimension 223 makes less."""
    view = one_dimension(minilm_encoder)
    frame, values = view.to_frame(), view.values
    assert [values[name] for name in ("layer", "dimension", "words")] == [5, 223, 14]
    shares = frame["share of the largest"]
    assert shares[[4, 5, 6]].tolist() == pytest.approx([0.40, 0.64, 0.03], abs=0.005)
    assert frame["on random axes"].max() < 0.03
    for way, wanted in {"AUC": (0.820, 0.804), "AUC, standardised": (0.829, 0.821),
                        "AUC without the three": (0.821, 0.806)}.items():  # fmt: skip
        assert frame[way][[4, 5]].tolist() == pytest.approx(wanted, abs=1e-3)
    marks = content_words(minilm_encoder.bert, calibration_sentences())
    units = unit_rows(np.stack([one.vectors[5] for one in words_of_marks(minilm_encoder, marks)]))
    parts = units.sum(axis=0) ** 2 - (units**2).sum(axis=0)
    assert parts[223] / parts.sum() == pytest.approx(0.24, abs=0.01)
    monkeypatch.setattr("bertviz_core.views.word_senses.dimensions.prepared_words", tuple)
    assert "AUC" not in one_dimension(tiny_encoder).to_frame()  # of too few sets nothing is said
