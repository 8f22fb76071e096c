"""The numbers printed in the five documents this project started from, for bert-base-uncased.

What needs no weights always runs, on the embedded model's tokenizer (the same 30,522 WordPieces)
and on a fresh `BertConfig`. The rest runs where bert-base-uncased is on disk.
"""

import numpy as np
import pytest

from bertviz_core.bert import Bert, load_bert
from bertviz_core.checkpoints.catalog import offered_models
from bertviz_core.checkpoints.ready import why_unavailable
from bertviz_core.contextual import similarity_by_layer
from bertviz_core.contextual.word_vectors import words_in_context
from bertviz_core.embeddings import input_embeddings
from bertviz_core.encoder import Encoder, load_encoder
from bertviz_core.encoder.library_modules import pooler_steps
from bertviz_core.tokens import tokenize
from bertviz_core.ui.tour.stops import STOPS

BASE = "bert-base-uncased"

# Text, and the ids printed for it.
IDS = {
    "I am Sinan": [101, 1045, 2572, 8254, 2319, 102],
    "this is a test sentence": [101, 2023, 2003, 1037, 3231, 6251, 102],
    "Sinan loves a beautiful day": [101, 8254, 2319, 7459, 1037, 3376, 2154, 102],
    "A simple sentence!": [101, 1037, 3722, 6251, 999, 102],
    "My friend told me about this class and I love it so far! She was right.": [
        *(101, 2026, 2767, 2409, 2033, 2055, 2023, 2465, 1998, 1045, 2293, 2009, 2061, 2521, 999),
        *(2016, 2001, 2157, 1012, 102),
    ],
    "sinan": [101, 8254, 2319, 102],
    "an": [101, 2019, 102],
    "Sinan is our instructor for this awesomesauce class": [
        *(101, 8254, 2319, 2003, 2256, 9450, 2005, 2023, 12476, 23823, 3401, 2465, 102)
    ],
    "hello, world!": [101, 7592, 1010, 2088, 999, 102],
    "dog": [101, 3899, 102],
    "The quick brown fox jumps over the lazy dog": [
        *(101, 1996, 4248, 2829, 4419, 14523, 2058, 1996, 13971, 3899, 102)
    ],
}
# Cosines after the last layer, of python in two sentences with two words alone.
PYTHON = {
    ("pet", "snake"): 0.69286585, ("pet", "programming"): 0.49864468,
    ("language", "snake"): 0.5843483, ("language", "programming"): 0.561475,
}  # fmt: skip


def test_the_tour_says_what_was_printed() -> None:
    (of_python,) = (stop.on_base for stop in STOPS if "python" in stop.claim)
    for pair, cosine in PYTHON.items():
        assert f"{cosine:.2f} ({', '.join(pair)})" in of_python


@pytest.mark.parametrize("text", IDS)
def test_ids(minilm: Bert, text: str) -> None:
    assert tokenize(minilm, text).input_ids.tolist() == IDS[text]


# From here on, the weights themselves.


@pytest.fixture(scope="module")
def base() -> Bert:
    reason = why_unavailable(offered_models()[BASE])
    if reason is not None:
        pytest.skip(f"needs the weights of {BASE} on disk: {reason}")
    return load_bert(BASE)


@pytest.fixture(scope="module")
def base_encoder(base: Bert) -> Encoder:
    return load_encoder(base)


def ends(row: np.ndarray) -> list[float]:
    """The three first and three last numbers, as the documents print a row."""
    return [*row[:3].tolist(), *row[-3:].tolist()]


# First and last numbers of rows, as printed: four digits, or all of them.
ROWS = {
    ("word_embeddings", 5.1e-5): {
        101: [0.0136, -0.0265, -0.0235, 0.0087, 0.0071, 0.0151],
        1045: [-0.0211, 0.0059, -0.0179, 0.0163, 0.0122, 0.0073],
        2572: [-0.0437, -0.0150, 0.0029, -0.0282, 0.0474, -0.0448],
        8254: [-0.0022, -0.0876, 0.0143, 0.0232, -0.0024, -0.0213],
        2319: [-0.0614, -0.0044, -0.0755, -0.0522, -0.0310, -0.0248],
        102: [-0.0145, -0.0100, 0.0060, -0.0250, 0.0046, -0.0015],
    },
    ("word_embeddings", 1e-7): {
        0: [-0.01018257, -0.06154883, -0.02649689, -0.01985357, -0.03720997, -0.00975152],
        1: [-0.01170495, -0.06002603, -0.03233192, -0.01681456, -0.04009988, -0.0106634],
        30521: [0.00145601, -0.08208051, -0.01597912, -0.00811687, -0.04746607, 0.07527421],
        3899: [-0.01493477, 0.01244431, 0.00912774, -0.04449853, -0.01931076, 0.02335184],
    },
    ("position_embeddings", 1e-8): {
        0: [0.017505383, -0.025631009, -0.036641564, 3.3437202e-05, 6.8312453e-04, 0.01544114],
        1: [0.0077580423, 0.0022613001, -0.019444324, 0.028909724, 0.029752752, -0.0053246655],
        2: [-0.011287465, -0.001964414, -0.011572698, 0.014907907, 0.018740905, -0.0073139993],
        511: [0.0026412839, -0.023297865, 0.0054921862, 0.017536936, 0.027549751, -0.077655964],
    },
    ("token_type_embeddings", 1e-8): {
        0: [0.00043164, 0.01098826, 0.00370439, -0.00661185, -0.00336983, -0.00864201],
        1: [0.00111319, -0.00299169, -0.00317028, 0.00474542, -0.0052443, -0.01121742],
    },
}


@pytest.mark.parametrize(("table", "close"), ROWS, ids=str)
def test_rows_of_the_tables(base: Bert, table: str, close: float) -> None:
    for number, printed in ROWS[table, close].items():
        assert ends(getattr(base.tables, table)[number]) == pytest.approx(printed, abs=close)


def test_layer_norm_output(base: Bert) -> None:
    output = input_embeddings(base, tokenize(base, "I am Sinan")).output
    printed = [
        [1.6855e-01, -2.8577e-01, -3.2613e-01, -2.7571e-02, 3.8253e-02, 1.6400e-01],
        [-3.4025e-04, 5.3974e-01, -2.8805e-01, 7.5731e-01, 8.9008e-01, 1.6575e-01],
        [-6.3496e-01, 1.9748e-01, 2.5116e-01, -4.0819e-02, 1.3468e00, -6.9357e-01],
        [2.8197e-01, -1.0037e00, 3.5063e-01, 8.5378e-01, 3.9389e-01, -8.4527e-02],
        [-7.3509e-01, 3.3429e-01, -8.3037e-01, -2.1545e-01, -6.6517e-02, -2.6881e-02],
        [-3.2507e-01, -3.1879e-01, -1.1632e-01, -3.9602e-01, 4.1120e-01, -7.7552e-02],
    ]
    for row, expected in zip(output, printed, strict=True):
        assert ends(row) == pytest.approx(expected, rel=1e-4, abs=1e-6)
    output = input_embeddings(base, tokenize(base, "hello, world!")).output
    assert ends(output[3]) == pytest.approx(
        [0.603888452, 0.759982109, 0.0316263884, -0.19295691, 0.217443466, -0.383179694], abs=1e-6
    )


def test_the_four_python_cosines(base_encoder: Encoder) -> None:
    found = words_in_context(
        base_encoder,
        ["I love my pet [python]", "I love coding in [python]", "snake", "programming"],
    )
    by_name = dict(zip(("pet", "language", "snake", "programming"), found, strict=True))
    for (sentence, anchor), printed in PYTHON.items():
        cosine = similarity_by_layer(by_name[sentence], by_name[anchor])[-1]
        assert cosine == pytest.approx(printed, abs=1e-5)


def test_last_layer_and_pooler(base_encoder: Encoder) -> None:
    text = tokenize(base_encoder.bert, "Sinan loves a beautiful day")
    last = base_encoder.hidden_states(text)[-1]
    assert ends(last[0]) == pytest.approx(
        [-0.2327, 0.1515, -0.0448, -0.5192, 0.4195, 0.2948], abs=1e-4
    )
    assert ends(last[-1]) == pytest.approx(
        [0.6100, 0.0263, -0.2532, -0.0680, -0.3901, -0.3541], abs=1e-4
    )
    pooled = pooler_steps(base_encoder, text).pooled
    assert pooled[:5].tolist() == pytest.approx(
        [-0.8777, -0.4542, -0.6287, 0.7511, 0.3151], abs=1e-4
    )
