"""The snippets of the closer looks on the page on input embeddings, run and compared."""

import ast
import re

import numpy as np
import pytest

from bertviz_core.bert import Bert
from bertviz_core.checkpoints.vocabulary import KEEPS
from bertviz_core.embeddings import input_embeddings
from bertviz_core.embeddings.dimensions import extreme_tokens
from bertviz_core.embeddings.outliers import outlier_dimensions
from bertviz_core.embeddings.rows import compare_rows
from bertviz_core.embeddings.shares import layer_norm_lengths, part_shares, waterfall
from bertviz_core.encoder import Encoder
from bertviz_core.encoder.embedding_layer import dropout_draws, sums_in_all_orders
from bertviz_core.tokens import tokenize
from tests.snippets.running import run_filled

QUOTED = "I am Sinan\\ 'quoted' \ud800"


@pytest.mark.parametrize("pair", [None, 'She\'s "Zoe"'])
def test_shares(minilm: Bert, pair: str | None) -> None:
    text = tokenize(minilm, QUOTED, pair)
    parts = input_embeddings(minilm, text)
    printed, _ = run_filled("embeddings/shares", minilm, text=QUOTED, text_pair=pair)
    lines = printed.splitlines()
    assert lines[::6] == list(text.tokens)
    found, stages = part_shares(minilm, parts), layer_norm_lengths(minilm, parts)
    bias = found.bias_shares[np.newaxis]
    expected = (found.norms, found.cosines, found.shares, bias, stages.lengths)
    for row, values in enumerate(expected, start=1):
        theirs = [ast.literal_eval(line[line.index("[") :]) for line in lines[row::6]]
        by_part = np.transpose(theirs)
        assert by_part == pytest.approx(values, abs=1e-4)


def test_waterfall(minilm: Bert) -> None:
    text = tokenize(minilm, "I love my pet python", "She is Zoe")
    found = waterfall(minilm, input_embeddings(minilm, text), 5, 267)
    printed, _ = run_filled(
        "embeddings/waterfall",
        minilm,
        text="I love my pet python",
        text_pair="She is Zoe",
        position=5,
        dimension=267,
    )
    lines = printed.splitlines()
    assert [float(line.split()[-1]) for line in lines[:7]] == pytest.approx(found.running, abs=2e-6)
    brought = ast.literal_eval(lines[7][lines[7].index("[") :])
    assert brought == pytest.approx(found.contributions[:3], abs=2e-6)
    assert float(lines[8].split()[-1]) == pytest.approx(found.output, abs=2e-6)


@pytest.mark.parametrize("threshold", [6, 4])
def test_outliers(minilm: Bert, threshold: int) -> None:
    text = tokenize(minilm, "I love my pet python")
    found = outlier_dimensions(minilm, input_embeddings(minilm, text), threshold)
    printed, _ = run_filled(
        "embeddings/outliers",
        minilm,
        text="I love my pet python",
        text_pair=None,
        threshold=threshold,
    )
    lines = printed.splitlines()
    assert [int(line.split()[0]) for line in lines] == found.dimensions.tolist()
    for line, dimension in zip(lines, found.dimensions, strict=True):
        scores = ast.literal_eval(line[line.index("[") :])
        ours = (found.weight_scores, found.bias_scores, found.output_scores)
        assert scores == pytest.approx([each[dimension] for each in ours], abs=0.006)


@pytest.mark.parametrize("texts", [("I am Sinan", "She is Zoe"), (QUOTED, 'the "cat"')])
def test_rows(minilm: Bert, texts: tuple[str, str]) -> None:
    found = compare_rows(minilm, *(tokenize(minilm, text) for text in texts))
    printed, _ = run_filled("embeddings/rows", minilm, text=texts[0], other_text=texts[1])
    lines = printed.splitlines()
    assert len(lines) == 4
    for line, equal, differences in zip(lines, found.identical, found.differences, strict=True):
        pairs, _, largest = re.search(r"(\[.*\]) (largest difference) (\S+)", line).groups()
        assert ast.literal_eval(pairs) == np.argwhere(equal).tolist()
        assert float(largest) == pytest.approx(np.abs(differences).max(), abs=1e-4)


def test_orders(minilm_encoder: Encoder) -> None:
    bert = minilm_encoder.bert
    found = sums_in_all_orders(minilm_encoder, tokenize(bert, "I am Sinan", "She is Zoe"))
    printed, _ = run_filled("embeddings/orders", bert, text="I am Sinan", text_pair="She is Zoe")
    numbers = [line.split()[-2:] for line in printed.splitlines()]
    assert [float(gap) for gap, _ in numbers] == found.differences.tolist()
    assert [float(equal) for _, equal in numbers] == pytest.approx(found.equal_cells)


def test_dropout(minilm_encoder: Encoder) -> None:
    bert = minilm_encoder.bert
    found = dropout_draws(minilm_encoder, tokenize(bert, "I am Sinan"), draws=4, seed=7)
    printed, _ = run_filled(
        "embeddings/dropout", bert, text="I am Sinan", text_pair=None, draws=4, seed=7
    )
    numbers = np.array(re.findall(r"zeros: (\S+) from eval: (\S+)", printed), dtype=float)
    assert numbers[:, 0] == pytest.approx(found.zeroed, abs=1e-6)
    assert numbers[:, 1] == pytest.approx(found.distances, abs=2e-6)


@pytest.mark.parametrize("keep", KEEPS)
def test_dimension(minilm: Bert, keep) -> None:
    found = extreme_tokens(minilm, 99, 6, keep)
    printed, _ = run_filled("embeddings/dimension", minilm, dimension=99, k=6, keep=keep)
    lines = [line.rsplit(" ", 1) for line in printed.splitlines()]
    ids = [*found.highest, *found.lowest]
    assert [token for token, _ in lines] == [minilm.vocabulary.tokens[i] for i in ids]
    assert [float(value) for _, value in lines] == pytest.approx(found.values[ids], abs=1e-6)


@pytest.mark.parametrize("pair", [None, 'She\'s "Zoe"'])
def test_input_embeddings(minilm: Bert, pair: str | None) -> None:
    printed, names = run_filled("embeddings/input_embeddings", minilm, text=QUOTED, text_pair=pair)
    ours = input_embeddings(minilm, tokenize(minilm, QUOTED, pair))
    assert np.abs(names["output"].numpy() - ours.output).max() < 2e-6
    assert float(re.search(r"largest difference: (\S+)", printed)[1]) == 0.0
