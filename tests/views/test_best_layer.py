"""Which layer is best: the numbers of transformers and scikit-learn, and what is said of them."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.stats import bootstrap
from sklearn.metrics import roc_auc_score
from sklearn.metrics.pairwise import cosine_similarity
from transformers import BertModel, BertTokenizer

from bertviz_core.bert import load_bert
from bertviz_core.encoder import Encoder, load_encoder
from bertviz_core.senses import prepared_set, prepared_words
from bertviz_core.senses.scores import cosines_by_way, mean_over_words
from bertviz_core.views.word_senses.best_layer import _finding, best_layer
from tests.data.odd_checkpoints import ODD
from tests.views.reading import drawn


def auc_of_the_library(model: Any, tokenizer: Any, word: str) -> list[float]:
    labels, vectors = [], []
    for one in prepared_set(word).occurrences:
        most = model.config.max_position_embeddings
        text = tokenizer(one.sentence, return_offsets_mapping=True, return_tensors="pt",
                         truncation=True, max_length=most)  # fmt: skip
        spans = text.pop("offset_mapping")[0].tolist()
        places = [i for i, (a, b) in enumerate(spans) if b > one.start and one.end > a and b > a]
        if places:
            states = model(**text, output_hidden_states=True).hidden_states
            vectors.append([layer[0, places].mean(dim=0).tolist() for layer in states])
            labels.append(one.sense)
    layers = np.array(vectors)
    last = layers[:, 1:][:, -4:]
    ways = [*layers.swapaxes(0, 1), last.mean(axis=1), last.reshape(len(last), -1)]
    pairs = np.triu_indices(len(labels), 1)
    same = [labels[i] == labels[j] for i, j in zip(*pairs, strict=True)]
    return [roc_auc_score(same, cosine_similarity(way)[pairs].round(6)) for way in ways]


@pytest.mark.parametrize("name", ["minilm_encoder", "tiny_encoder"])
def test_the_scores_are_those_of_the_library(name: str, request: pytest.FixtureRequest) -> None:
    encoder: Encoder = request.getfixturevalue(name)
    folder = encoder.bert.checkpoint.folder
    model, tokenizer = (
        BertModel.from_pretrained(folder).eval(),
        BertTokenizer.from_pretrained(folder),
    )
    frame = best_layer(encoder, "bank").to_frame()
    for word in ("bank", "spring"):
        expected = auc_of_the_library(model, tokenizer, word)
        assert frame[word].tolist() == pytest.approx(expected, abs=1e-4)


def test_the_sum_and_the_concatenation_by_hand() -> None:
    """(1, 0) + (0, 2) against (1, 0) + (2, 0); end to end they share 1 of 5. No input embedding."""
    vectors = np.float32([[[9, 9], [1, 0], [0, 2]], [[9, 9], [1, 0], [2, 0]]])
    expected = [1, 1, 0, 3 / (5**0.5 * 3), 1 / 5]
    assert cosines_by_way(vectors)[0] == pytest.approx(expected, abs=1e-6)


def test_means_and_differences_of_words(minilm_encoder: Encoder) -> None:
    view = best_layer(minilm_encoder, "bank")
    frame = view.to_frame()
    words = frame[list(prepared_words())].to_numpy()
    best = words.mean(axis=1).argmax()
    assert frame["mean AUC"].tolist() == pytest.approx(words.mean(axis=1))
    below = words[best] - words
    assert frame["below the best by"].tolist() == pytest.approx(below.mean(axis=1), abs=1e-6)
    for row, low, high in (words[6], "from", "to"), (below[6], "at least", "at most"):
        ends = bootstrap((row,), np.mean, method="percentile", rng=1).confidence_interval
        assert frame.loc[6, [low, high]].tolist() == pytest.approx(ends, abs=0.003)
    assert view.values["best"] == frame["vectors"][best]
    assert ("the last layer" in str(view.values["lower"])) == (frame["at least"][6] > 0)
    assert drawn(view, "senses-best-layer")[:7] == pytest.approx(words[:7, 0])
    traces = view.pictures["senses-best-layer"].figure._data
    dots = [one for one in traces if one["name"] in prepared_words()]
    assert len(dots) == 14
    assert {one["mode"] for one in dots} == {"markers"}
    assert view.values["higher"] == (words[-2] > words[-3]).sum()
    # Of two words, one is drawn twice in half of all draws.
    assert [one[0] for one in mean_over_words(np.float32([[0.6], [0.8]]))] == pytest.approx(
        [0.7, 0.6, 0.8]
    )


def test_other_models_are_told_otherwise(tiny_encoder: Encoder, folder: Path) -> None:
    at_random = best_layer(tiny_encoder, "none")
    assert 'data-name="best"' not in at_random.findings[0]
    alike = mean_over_words(np.full((14, 4), 0.9, np.float32))
    said = _finding(["layer 0", "layer 1", "sum", "concat"], 14, alike, mean_over_words(
        np.zeros((14, 4), np.float32)))  # fmt: skip
    assert (said.values["as_good"], said.values["lower"]) == ("the last layer, sum and concat", "")
    ODD["three_positions"](folder)
    assert not best_layer(load_encoder(load_bert(folder)), "bank").pictures
