"""Word in Context, headless: the sections below the matrix."""

import re
from html import unescape
from urllib.parse import parse_qs

import numpy as np
import pytest

from bertviz_core.bert import Bert
from bertviz_core.calibration import Scales
from bertviz_core.calibration.digits import rounded
from bertviz_core.contextual import influence as influence_module
from bertviz_core.contextual import similarity_by_layer
from bertviz_core.contextual.comparisons import compare_models, compare_poolings, piece_similarity
from bertviz_core.contextual.influence import changed_contexts, influence
from bertviz_core.contextual.lens import nearest_rows_by_layer
from bertviz_core.contextual.neighbors import neighbors_in_context
from bertviz_core.contextual.words import words_in_context
from bertviz_core.encoder import Encoder, load_encoder
from bertviz_core.ui import sections
from bertviz_core.views.percentiles import in_words, interval
from bertviz_core.ui.results import models
from bertviz_core.ui.word_in_context.numbers import signed
from tests.headless import charts, html, numbers, open_page, said, unfolded, value, values

pytestmark = pytest.mark.usefixtures("fresh_caches", "never_measured")

PAGE = "pages/4_Word_in_Context.py"
MARKED = ["I love my pet [python]", "I love coding in [python]", "snake", "programming"]


@pytest.mark.parametrize("change", ["mask", "drop"])
def test_which_context_word_did_it(minilm_encoder: Encoder, change) -> None:
    app = open_page(
        PAGE, deeper=sections.INFLUENCE, without=f"{change} it", **unfolded("influence")
    )
    pet, _, snake, _ = words_in_context(minilm_encoder, MARKED)
    changes = influence(pet, changed_contexts(minilm_encoder, pet, change), snake)
    bars, layers = charts(app)[-4:-2]
    assert bars["layout"]["xaxis"]["ticktext"] == ["I", "love", "my", "pet", "<b>python</b>"]
    assert numbers(bars["data"][0]["y"])[:4] == pytest.approx(changes[6], abs=1e-5)
    drawn = numbers(layers["data"][0]["z"])
    assert drawn[:, :4] == pytest.approx(changes, abs=1e-5)
    assert np.isnan(drawn[:, 4]).all()
    done = {"mask": "replaced by [MASK]", "drop": "dropped"}[change]
    strongest = np.abs(changes[6]).argmax()
    assert (value(app, "strongest"), value(app, "done")) == ("pet", done)
    # Beside it what the other way says: the same batch once more.
    way = {"mask": "drop", "drop": "mask"}[change]
    again = influence(pet, changed_contexts(minilm_encoder, pet, way), snake)[6]
    most = int(np.abs(again).argmax())
    assert value(app, "named") == ["I", "love", "my", "pet"][most]
    assert value(app, "named-change") == signed(float(again[most]))
    agree = int((np.sign(again) == np.sign(changes[6])).sum())
    assert (value(app, "agree"), value(app, "words")) == (f"{agree}", "4")
    cosine, without = float(value(app, "cosine")), float(value(app, "without"))
    assert without - cosine == pytest.approx(changes[6, strongest], abs=2e-3)
    assert app.dataframe[-1].value["change"].tolist() == pytest.approx(changes[6], abs=1e-5)


def test_influence_at_layer_0_and_of_a_lone_word() -> None:
    app = open_page(PAGE, deeper=sections.INFLUENCE, layer="0")
    assert value(app, "done") == "replaced by [MASK]"
    assert values(app, "strongest") == []
    assert "the input embedding knows no other word" in said(app)
    app.text_area(key="s").set_value("[python]").run()
    assert not app.exception
    assert "“python” has no word beside “python”" in said(app)


def test_influence_of_a_long_sentence_and_of_a_word_that_is_gone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(influence_module, "MOST_WORDS", 5)
    app = open_page(PAGE, deeper=sections.INFLUENCE, target="2 python", **unfolded("influence"))
    assert app.selectbox(key="target").value == "2 python"
    app.text_area(key="s").set_value("a b c d [dog] e f g h\na [cat]").run()
    assert not app.exception
    assert app.selectbox(key="target").value == "1 dog"
    assert (value(app, "total"), value(app, "count")) == ("8", "5")
    assert len(app.dataframe[-1].value) == 5


def test_what_it_looks_like_now(measured: Scales, minilm_encoder: Encoder) -> None:
    app = open_page(PAGE, deeper=sections.LENS, centre="true", **unfolded("lens"))
    bert = minilm_encoder.bert
    (pet,) = words_in_context(minilm_encoder, MARKED[:1])
    own = [bert.vocabulary.ids["python"]]
    lens = nearest_rows_by_layer(bert, pet.vectors, own, 10, measured.means)
    grid, ranks = charts(app)[-2:]
    assert numbers(grid["data"][0]["z"]) == pytest.approx(lens.cosines[:, :5], abs=1e-5)
    assert grid["data"][0]["text"][0][0] == "<b>python</b>"
    assert numbers(ranks["data"][0]["y"]).tolist() == lens.own_ranks.tolist()
    assert value(app, "nearest") == lens.tokens[6][0]
    assert value(app, "rank") == f"{lens.own_ranks[6]:,}"
    assert app.dataframe[-1].value["1"].tolist() == [row[0] for row in lens.tokens]
    assert "layers are different spaces" in said(app)


@pytest.mark.parametrize(
    ("section", "sentence"),
    [
        (sections.LENS, "Centring needs each layer's mean vector"),
        (sections.NEIGHBORS, "Centring needs each layer's mean vector"),
        (sections.PERCENTILES, "The model has not been measured yet"),
        (sections.SECOND_MODEL, "No other model is on this machine yet"),
    ],
)
def test_it_is_said_what_is_not_there(section: str, sentence: str) -> None:
    app = open_page(PAGE, deeper=section, centre="true")
    assert sentence in said(app)
    assert (len(charts(app)) > 3) == ("Centring" in sentence)


def test_neighbours_in_context(measured: Scales, minilm_encoder: Encoder) -> None:
    app = open_page(PAGE, deeper=sections.NEIGHBORS, layer="4", **unfolded("neighbors"))
    pet, coding, *_ = words_in_context(minilm_encoder, MARKED)
    neighbors = neighbors_in_context(minilm_encoder, pet, [pet.text, coding.text], measured.means)
    best = neighbors.nearest(4, 12)
    drawn = numbers(charts(app)[-1]["data"][0]["z"])
    assert drawn == pytest.approx(neighbors.cosines[:, best].T, abs=1e-5)
    frame = app.dataframe[-1].value
    assert frame["token"].tolist() == [neighbors.tokens[i] for i in best]
    assert frame["mean-centred"].tolist() == pytest.approx(neighbors.centred[4, best], abs=1e-5)
    percentiles = measured.between(1, 1).percentiles(neighbors.cosines[4, best], 4)
    assert frame["percentile"].tolist() == rounded(percentiles).tolist()
    assert value(app, "nearest") == neighbors.tokens[best[0]]
    assert value(app, "cosine") == f"{neighbors.cosines[4, best[0]]:.2f}"


def test_the_percentile_scale(measured: Scales) -> None:
    app = open_page(PAGE, deeper=sections.PERCENTILES, **unfolded("scale", "anisotropy"))
    assert value(app, "sentence") == "I love my pet python"
    assert (value(app, "other"), value(app, "cosine")) == ("snake", value(app, "cosine_1"))
    scale, words = measured.between(1, 1, alone=True), measured.between(1, 1)
    marks, table, every = (frame.value for frame in app.dataframe[-3:])
    cosine = float(marks["similarity"][0])
    assert value(app, "percentile") == in_words(scale, cosine, 6) != ""
    assert marks["similarity, 95% interval"][0] == interval(scale, cosine, 6)
    assert value(app, "interval") == interval(scale, cosine, 6)
    assert value(app, "highest") == f"{words.anisotropy.max():.2f}"
    assert value(app, "pairs") == f"{words.pairs:,}"
    *pictures, curve = charts(app)[3:]
    assert len(pictures) == 6, "three similarities, raw and centred"
    for picture in pictures:
        assert numbers(picture["data"][0]["y"]).sum() == pytest.approx(100, abs=1e-3)
    mean = next(trace for trace in curve["data"] if trace.get("name") == "mean cosine")
    assert np.array_equal(numbers(mean["y"]), words.anisotropy)
    assert marks["to"].tolist() == ["snake", "programming", "2 python"]
    inside = f"{measured.between(1, 1).pairs:,} pairs of different content words"
    assert marks["among"].tolist() == [*[f"{scale.pairs:,} {scale.kind}"] * 2, inside]
    assert table["mean cosine"].to_numpy() == pytest.approx(words.anisotropy)
    assert table["median"].to_numpy() == pytest.approx(words.quantiles[:, 59])
    assert any("Ethayarajh (2019)" in caption.value for caption in app.caption)
    # What the tour's stop on a cosine of 0.6 is settled by.
    assert len(every) == len(measured.words)
    shown = every.drop(columns="pairs of")
    assert value(app, "worth_low") == f"{shown.min(axis=None):g}" == "14"
    assert value(app, "worth_high") == f"{shown.max(axis=None):g}"
    at_layer = every.set_index("pairs of")[f"layer {value(app, 'layer_low')}"]
    assert at_layer[value(app, "kind_low")] == 14


def test_pieces_and_pooling(measured: Scales, minilm_encoder: Encoder) -> None:
    sentences = ["such [awesomesauce] here", "this is [awesomesauce]"]
    app = open_page(
        PAGE,
        deeper=sections.PIECES,
        s="\n".join(sentences),
        anchors="sauce, great",
        **unfolded("poolings"),
    )
    one, two, sauce, great = words_in_context(minilm_encoder, [*sentences, "sauce", "great"])
    itself, pieces, dots = charts(app)[-3:]
    assert numbers(itself["data"][0]["y"]) == pytest.approx(similarity_by_layer(one, two), abs=1e-5)
    unlike = measured.between(4, 4)
    assert np.array_equal(numbers(itself["data"][1]["y"]), unlike.anisotropy)
    assert numbers(pieces["data"][0]["y"]) == pytest.approx(piece_similarity(one), abs=1e-5)
    poolings = compare_poolings([(a, b) for a in (one, two) for b in (sauce, great)])
    frame = app.dataframe[-1].value
    assert frame["max"].tolist() == pytest.approx(poolings[3, 6], abs=1e-5)
    by_max = measured.between(4, 1, "max", alone=True).percentiles(poolings[3, 6], 6)
    assert frame["max, percentile"].tolist() == rounded(by_max).tolist()
    assert frame["spread"].tolist() == pytest.approx(np.ptp(poolings[:, 6], axis=0), abs=1e-5)
    assert len(dots["data"]) == 5
    assert value(app, "count") == "2"
    itself, apart = values(app, "cosine")
    assert itself == f"{similarity_by_layer(one, two)[6]:.2f}"
    assert apart == f"{min(piece_similarity(word)[6] for word in (one, two)):.2f}"
    assert value(app, "spread") == f"{np.ptp(poolings[:, 6], axis=0).max():.2f}"
    nearest = poolings[:, 6].reshape(4, 2, 2).argmax(axis=-1)
    same = (nearest == nearest[0]).all(axis=0).sum()
    assert (value(app, "same_nearest"), value(app, "words")) == (f"{same}", "2")


def test_words_of_one_piece_have_one_pooling() -> None:
    app = open_page(PAGE, deeper=sections.PIECES, s="my [dog]\na [cat]", layer="3")
    assert "No word is marked twice" in said(app)
    assert "Every word here is one piece" in said(app)
    assert "the four poolings give the same vectors" in said(app)
    (address,) = re.findall(r'href="[?]([^"]*)"', html(app))
    suggested = parse_qs(unescape(address))
    assert suggested["anchors"] == ["ketchup, great"]
    assert suggested["layer"] == ["3"], "the rest of the address stays as it is"


@pytest.mark.usefixtures("tiny_on_offer")
def test_a_second_model(minilm_encoder: Encoder, tiny: Bert) -> None:
    app = open_page(PAGE, deeper=sections.SECOND_MODEL, **unfolded("second"))
    cosines = []
    for encoder in (minilm_encoder, load_encoder(tiny)):
        pet, coding, *anchors = words_in_context(encoder, MARKED)
        pairs = [(word, anchor) for word in (pet, coding) for anchor in anchors]
        cosines.append(np.stack([similarity_by_layer(a, b) for a, b in pairs], axis=1))
    scatter, curve = charts(app)[-2:]
    assert numbers(scatter["data"][0]["x"]) == pytest.approx(cosines[0][6], abs=1e-5)
    assert numbers(scatter["data"][0]["y"]) == pytest.approx(cosines[1][2], abs=1e-5)
    agreement = compare_models(*cosines)
    assert numbers(curve["data"][0]["y"]) == pytest.approx(agreement.correlation, abs=1e-6)
    frame = app.dataframe[-1].value
    assert frame["tiny, layer 2"].tolist() == pytest.approx(cosines[1][2], abs=1e-5)
    assert value(app, "model") == "all-MiniLM-L6-v2, layer 6 of 6"
    assert value(app, "cosine") == f"{cosines[0][6, 0]:.2f}"
    assert value(app, "second_cosine") == f"{cosines[1][2, 0]:.2f}"
    assert f"{agreement.correlation[6]:.2f}" in value(app, "order")
    # The second model's encoder has taken the first one's place; all is still there.
    assert not models.has_encoder("all-MiniLM-L6-v2")
    app.slider(key="layer").set_value(3).run()
    assert not app.exception
    assert value(app, "second_model") == "tiny, layer 1 of 2"


def test_labels_in_addresses_stay() -> None:
    assert [
        *(sections.INFLUENCE, sections.LENS, sections.NEIGHBORS),
        *(sections.PERCENTILES, sections.PIECES, sections.SECOND_MODEL),
    ] == [
        *("which context word did it?", "what does it look like now?", "neighbours in context"),
        *("is this cosine high for this layer?", "pieces and pooling", "a second model"),
    ]
