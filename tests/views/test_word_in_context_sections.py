"""Further sections of the page Word in Context, as data: their numbers are the core's."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bertviz_core.bert import load_bert
from bertviz_core.calibration import Scales, calibrate
from bertviz_core.calibration import run as run_module
from bertviz_core.calibration.percentiles import in_words, interval, rounded
from bertviz_core.claims.cosines import HIGH_COSINE
from bertviz_core.contextual import similarity_by_layer
from bertviz_core.contextual.words import (
    compare_poolings,
    piece_similarity,
    words_in_context,
)
from bertviz_core.encoder import Encoder, load_encoder
from bertviz_core.figures.colors import TOKEN
from bertviz_core.views.word_in_context.percentiles import BINS, percentile_scale, percentiles
from bertviz_core.views.word_in_context.pieces import pieces
from bertviz_core.views.word_in_context.words import compare
from tests.snippets.running import run
from tests.tiny import write_checkpoint
from tests.views.reading import PYTHON, SPLIT, Typed, drawn, made


def test_the_percentile_scale(scales: Scales, minilm_encoder: Encoder) -> None:
    view = made(percentiles, minilm_encoder, PYTHON, 6, scales)
    scale, words = scales.between(1, 1, alone=True), scales.between(1, 1)
    marks = view.to_frame()
    cosine = float(marks["similarity"][0])
    assert (view.values["sentence"], view.values["other"]) == ("I love my pet python", "snake")
    assert view.values["percentile"] == in_words(scale, cosine, 6) != ""
    assert marks["similarity, 95% interval"][0] == interval(scale, cosine, 6)
    assert view.values["interval"] == interval(scale, cosine, 6)
    assert marks["to"].tolist() == ["snake", "programming", "2 python"]
    inside = f"{words.pairs:,} pairs of different content words"
    assert marks["among"].tolist() == [*[f"{scale.pairs:,} {scale.kind}"] * 2, inside]
    assert drawn(view, "percentile-scale-1").sum() == pytest.approx(100, abs=1e-3)
    assert view.values["highest"] == f"{words.anisotropy.max():.2f}"
    assert np.array_equal(drawn(view, "anisotropy", trace=1), words.anisotropy)
    table = view.to_frame("anisotropy")
    assert table["50% below"].to_numpy() == pytest.approx(words.quantiles[:, 59])
    expected = HIGH_COSINE.condition(scales).numbers
    assert [view.values[name] for name in expected] == list(expected.values())
    assert not made(percentiles, minilm_encoder, PYTHON, 6).pictures, "not measured"


def test_pieces_and_pooling(scales: Scales, minilm_encoder: Encoder) -> None:
    one, two, sauce, great = words_in_context(minilm_encoder, [*SPLIT.sentences, "sauce", "great"])
    view = made(pieces, minilm_encoder, SPLIT, 6, scales)
    itself = similarity_by_layer(one, two)
    assert drawn(view, "pieces", trace=2) == pytest.approx(itself, abs=1e-5)
    assert drawn(view, "pieces") == pytest.approx(piece_similarity(one), abs=1e-5)
    poolings = compare_poolings([(a, b) for a in (one, two) for b in (sauce, great)])
    frame = view.to_frame("poolings")
    assert frame["max"].tolist() == pytest.approx(poolings[3, 6], abs=1e-5)
    by_max = scales.between(4, 1, "max", alone=True).percentiles(poolings[3, 6], 6)
    assert frame["max, percentile"].tolist() == rounded(by_max).tolist()
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


def bars(quantiles: list[float], mark: float, percents: list[float]) -> Any:
    (drawn,) = percentile_scale(np.float32(quantiles), np.array(percents), mark, "snake").data
    assert drawn.y.sum() == pytest.approx(100, abs=1e-3)
    return drawn


def test_shares_of_a_spread() -> None:
    even = bars([0, 0.4, 0.8], 0.6, [0.0, 50, 100])
    assert BINS <= len(even.x) == len(even.y) <= BINS + 2
    assert even.y[:-1] == pytest.approx(100 * even.width / 0.8, abs=1e-3)
    # What lies below the mark is coloured.
    assert all((x < 0.6) == (c == TOKEN) for x, c in zip(even.x, even.marker.color, strict=True))
    # A tenth of the pairs lies below 0.1, the rest is spread over 0.1 to 1.
    uneven = bars([0, 0.1, 1], 0.5, [0.0, 10, 100])
    assert uneven.y[: BINS // 10].sum() == pytest.approx(10, abs=0.2)
    bars([0.9, 0.9, 0.9], 0.9, [0.0, 50, 100])  # all cosines are equal


def test_the_axis_holds_the_mark_and_leaves_out_the_last_thousandth() -> None:
    quantiles, percents = np.linspace(0, 0.8, 1001, dtype=np.float32), np.linspace(0, 100, 1001)
    quantiles[-1] = 5
    figure = percentile_scale(quantiles, percents, -0.5, "snake")
    assert figure.layout.xaxis.range[0] < -0.5
    assert figure.layout.xaxis.range[1] < 0.9
    assert figure.data[0].x.max() > 4.9
