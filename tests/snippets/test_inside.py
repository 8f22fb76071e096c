"""The snippets of the page on the inside of a model print the page's numbers."""

import re
import shutil
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import load_file, save_file

from bertviz_core.bert import Bert, load_bert
from bertviz_core.checkpoints.parameters import count_parameters
from bertviz_core.checkpoints.tensors import extreme_rows, norms_by_kind, tensor_statistics
from bertviz_core.checkpoints.vocabulary import KINDS
from bertviz_core.contextual.marks import read_word_pair
from bertviz_core.embeddings.random_init import random_init_comparison
from bertviz_core.encoder import Encoder
from bertviz_core.encoder.pooler import pooler_steps
from bertviz_core.encoder.training import backward_pass
from bertviz_core.tokens import tokenize
from tests.snippets.running import run_filled


def number(name: str, printed: str) -> float:
    return float(re.search(rf"{re.escape(name)} (\S+)", printed)[1])


def test_census(minilm: Bert) -> None:
    census = count_parameters(minilm.checkpoint)
    printed, names = run_filled("inside/parameters", minilm, pooler=True)
    assert list(names["parameters"]) == list(census.names)
    assert number("all parameters:", printed) == census.total
    assert number("two-dimensional:", printed) == census.two_dimensional
    first = printed.splitlines()[0]
    assert "(30522, 384)" in first
    assert "11,720,448" in first
    assert "51.602%" in first


def test_census_without_a_pooler(tiny_folder: Path, tmp_path: Path) -> None:
    folder = tmp_path / "headless"
    shutil.copytree(tiny_folder, folder)
    weights = folder / "model.safetensors"
    kept = {k: v for k, v in load_file(weights).items() if not k.startswith("pooler.")}
    save_file(kept, weights, metadata={"format": "pt"})
    bert = load_bert(folder)
    _, names = run_filled("inside/parameters", bert, pooler=False)
    assert names["total"] == count_parameters(bert.checkpoint).total


@pytest.mark.parametrize("name", ["embeddings.position_embeddings.weight", "pooler.dense.bias"])
def test_tensor(minilm: Bert, name: str) -> None:
    found = tensor_statistics(minilm.checkpoint, name)
    printed, names = run_filled("inside/tensor", minilm, parameter=name, bins=100, k=3)
    assert number("from", printed) == pytest.approx(found.smallest)
    assert number("mean", printed) == pytest.approx(found.mean)
    assert number("standard deviation", printed) == pytest.approx(found.std)
    assert number("length", printed) == pytest.approx(found.norm)
    assert number("zeros", printed) == found.zeros
    np.testing.assert_array_equal(names["counts"], found.counts)
    longest, shortest = extreme_rows(found.row_norms, 3)
    rows = re.findall(r"(?m)^(long|short) (\d+) ", printed)
    assert [int(row) for kind, row in rows if kind == "long"] == longest.tolist()
    assert [int(row) for kind, row in rows if kind == "short"] == shortest.tolist()


def test_norms_by_kind(minilm: Bert) -> None:
    kinds = minilm.vocabulary.kinds
    medians = norms_by_kind(minilm.tables.word_norms, kinds, len(KINDS))["median"]
    printed, _ = run_filled("inside/norms", minilm)
    lines = [line.rsplit(" ", 2) for line in printed.splitlines()]
    assert {kind: int(count) for kind, count, _ in lines} == dict(
        zip(KINDS, np.bincount(kinds).tolist(), strict=True)
    )
    for kind, _, median in lines:
        assert float(median) == pytest.approx(medians[KINDS.index(kind)], abs=1e-6)


def test_pooler(minilm_encoder: Encoder) -> None:
    bert = minilm_encoder.bert
    text = 'It\'s "quoted" \\ \ud800'
    steps = pooler_steps(minilm_encoder, tokenize(bert, text))
    printed, names = run_filled("inside/pooler", bert, text=text)
    np.testing.assert_allclose(names["output"][0].numpy(), steps.output, atol=1e-6)
    assert number("largest difference:", printed) < 1e-6
    assert number("cosine with [CLS]:", printed) == pytest.approx(steps.cosine, abs=1e-5)


@pytest.mark.parametrize("text_pair", [None, 'She\'s "Zoe"'])
def test_training(minilm_encoder: Encoder, text_pair: str | None) -> None:
    bert = minilm_encoder.bert
    pair = read_word_pair(bert, "The [king]'s \\\\ \ud800 [awesomesauce]", text_pair)
    places = [list(pair.first_positions), list(pair.second_positions)]
    found = backward_pass(minilm_encoder, pair.text, *places)
    printed, _ = run_filled(
        "inside/training",
        bert,
        text=pair.first.text,
        text_pair=text_pair,
        first_positions=places[0],
        second_positions=places[1],
    )
    assert number("loss:", printed) == pytest.approx(found.loss, abs=1e-5)
    tables = re.split(r"(?m)^(?=\w+_embeddings )", printed)[1:]
    all_rows = (found.word_rows, found.position_rows, found.token_type_rows)
    trained = bert.tables.token_type_embeddings
    fresh = random_init_comparison(trained, 0.02)
    assert number("length of a fresh row:", printed) == pytest.approx(fresh.fresh_length)
    assert number("median length:", tables[2]) == pytest.approx(fresh.length)
    for printed_table, rows in zip(tables, all_rows, strict=True):
        assert "requires_grad True" in printed_table
        moved = re.findall(r"row (\d+) (\S+)", printed_table)
        assert [int(row) for row, _ in moved] == np.flatnonzero(rows).tolist()
        assert [float(norm) for _, norm in moved] == pytest.approx(
            rows[rows > 0].tolist(), rel=1e-3
        )
