"""Further sections of the page Word in Context, as data: their numbers are the core's."""

from pathlib import Path

import numpy as np
import pytest

from bertviz_core.bert import load_bert
from bertviz_core.calibration import Scales, calibrate
from bertviz_core.calibration import run as run_module
from bertviz_core.calibration.percentiles import in_words, interval
from bertviz_core.claims.cosines import HIGH_COSINE
from bertviz_core.contextual import similarity_by_layer
from bertviz_core.contextual.words import (
    compare_poolings,
    piece_similarity,
    words_in_context,
)
from bertviz_core.encoder import Encoder, load_encoder
from bertviz_core.views.word_in_context.percentiles import percentiles
from bertviz_core.views.word_in_context.pieces import pieces
from bertviz_core.views.word_in_context.words import compare
from tests.snippets.running import run
from tests.tiny import write_checkpoint
from tests.views.reading import PET, PYTHON, SPLIT, Typed, drawn, made


def test_the_percentile_scale(scales: Scales, minilm_encoder: Encoder) -> None:
    view = made(percentiles, minilm_encoder, PYTHON, 6, scales)
    scale, words = scales.between(1, 1, alone=True), scales.between(1, 1)
    marks = view.to_frame("scale")
    cosine = float(marks["similarity"][0])
    assert (view.values["sentence"], view.values["other"]) == ("I love my pet python", "snake")
    assert view.values["percentile"] == in_words(scale, cosine, 6) != ""
    assert marks["similarity, 95% interval"][0] == interval(scale, cosine, 6)
    assert view.values["interval"] == interval(scale, cosine, 6)
    assert marks["to"].tolist() == ["snake", "programming", "2 python"]
    inside = f"{words.pairs:,} pairs of different content words"
    assert marks["among"].tolist() == [*[f"{scale.pairs:,} {scale.kind}"] * 2, inside]
    # Over the layers, the pair on the middle 90% of unrelated ones.
    pet, snake = words_in_context(minilm_encoder, [PET, "snake"])
    pair = drawn(view, "percentile-scale-1", trace=2)
    assert pair == pytest.approx(similarity_by_layer(pet, snake), abs=1e-5)
    upper, lower = drawn(view, "percentile-scale-1").reshape(2, -1)
    below = [float(scale.percentile(one, at)) for at, one in enumerate(upper)]
    assert below == pytest.approx([95] * len(upper), abs=0.1)
    below = [float(scale.percentile(one, at)) for at, one in enumerate(lower[::-1])]
    assert below == pytest.approx([5] * len(lower), abs=0.1)
    assert np.array_equal(drawn(view, "percentile-scale-1", trace=1), scale.anisotropy)
    assert view.values["highest"] == f"{scale.anisotropy.max():.2f}"
    table = view.to_frame("anisotropy")
    assert table["50% below"].to_numpy() == pytest.approx(scale.quantiles[:, 59])
    expected = HIGH_COSINE.condition(scales).numbers
    assert [view.values[name] for name in expected] == list(expected.values())
    assert not made(percentiles, minilm_encoder, PYTHON, 6).pictures, "not measured"


def test_pieces_and_pooling(minilm_encoder: Encoder) -> None:
    one, two, sauce, great = words_in_context(minilm_encoder, [*SPLIT.sentences, "sauce", "great"])
    view = made(pieces, minilm_encoder, SPLIT, 6)
    itself = similarity_by_layer(one, two)
    assert drawn(view, "pieces", trace=2) == pytest.approx(itself, abs=1e-5)
    assert drawn(view, "pieces") == pytest.approx(piece_similarity(one), abs=1e-5)
    poolings = compare_poolings([(a, b) for a in (one, two) for b in (sauce, great)])
    frame = view.to_frame("poolings")
    assert frame["max"].tolist() == pytest.approx(poolings[3, 6], abs=1e-5)
    assert frame["spread"].tolist() == pytest.approx(np.ptp(poolings[:, 6], axis=0), abs=1e-5)
    apart = min(piece_similarity(word)[6] for word in (one, two))
    assert view.values["inside"] == f"{apart:.2f}"
    assert view.values["spread"] == f"{np.ptp(poolings[:, 6], axis=0).max():.2f}"
    words = compare(minilm_encoder, ["my [dog]", "a [cat]"], ["pet", "car"])
    assert pieces.when is not None
    assert not pieces.when(words)


def test_programs_of_a_measured_model(
    sentences_file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With the head for masked words; and the scale, but for its rounded percentiles."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(run_module, "SENTENCES", sentences_file)
    encoder = load_encoder(load_bert(write_checkpoint(tmp_path / "mine", masked_words=True)))
    scales = calibrate(encoder)
    split = Typed(("my [codings] on a mat",), ("dogs",))
    scale = scales.between(2, 2, alone=True)
    (program,) = made(percentiles, encoder, split, 1, scales).programs.values()
    folder = repr(str(encoder.bert.checkpoint.folder))
    printed, _ = run(program.text.replace("'path/to/mine'", folder))
    cosine = similarity_by_layer(*words_in_context(encoder, ["my [codings] on a mat", "dogs"]))[1]
    assert f"mean {scale.anisotropy[1]:.4f}" in printed
    assert f"{scale.percentile(cosine, 1):.1f} percent below" in printed
