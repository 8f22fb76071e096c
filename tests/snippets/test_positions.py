import ast
import re

import numpy as np
import pytest

from bertviz_core.bert import Bert
from bertviz_core.encoder import Encoder
from bertviz_core.positions.baselines import (
    random_table,
    random_walk,
    sinusoidal_table,
    wave_shares,
)
from bertviz_core.positions.changes import CHANGES, change_by_layer, changed_text
from bertviz_core.positions.likeness import likeness_with_baselines
from bertviz_core.positions.segments import compare_segments
from bertviz_core.positions.table import analyse_positions, nearest_positions
from bertviz_core.tokens import tokenize
from tests.snippets.running import as_it_stands, numbers, run_filled


def test_position_table(minilm: Bert) -> None:
    printed, names = run_filled("positions/table", minilm, row=100, column=110, k=10)
    analysis = analyse_positions(minilm.tables.position_embeddings)
    said = dict(re.findall(r"(?m)^([a-z ]+): (\S+)$", printed))
    assert float(said["cosine"]) == pytest.approx(analysis.similarity[100, 110], abs=1e-6)
    assert float(said["length"]) == pytest.approx(analysis.norms[100], abs=1e-6)
    assert float(said["distance explains"]) == pytest.approx(
        analysis.by_distance.explained, abs=1e-6
    )
    near = re.findall(r"(?m)^(\d+) (\S+)$", printed)
    assert [int(i) for i, _ in near] == nearest_positions(analysis.similarity, 100).tolist()
    assert names["pca"].explained_variance_ratio_[:6] == pytest.approx(
        analysis.path.explained, abs=1e-6
    )
    assert np.abs(names["path"][:, :6] - analysis.path.coordinates).max() < 1e-5


def test_sinusoids(minilm: Bert) -> None:
    printed, names = as_it_stands("positions/sinusoids")
    assert names["patterns"] == 7
    table = minilm.tables.position_embeddings
    sinusoids = sinusoidal_table(*table.shape)
    alike = likeness_with_baselines(table, sinusoids)
    lines = printed.splitlines()
    assert len(lines) == 10
    rows = (
        alike.table,
        alike.covariances,
        alike.spectrum,
        alike.walk,
        alike.shuffled,
        alike.random,
    )
    for line, ours in zip(lines, rows, strict=False):
        expected = [
            np.mean(ours.identity),
            np.mean(ours.rotation),
            np.atleast_2d(ours.shared)[:, 6].mean(),
            np.mean(ours.step),
        ]
        assert numbers(line.partition(":")[2]) == pytest.approx(expected, abs=1e-5)
    drawn = (table, sinusoids, random_walk(*table.shape), random_table(*table.shape))
    for line, ours in zip(lines[6:], drawn, strict=True):
        held = np.sort(wave_shares(ours))[-10:].sum()
        assert float(line.removeprefix("strongest waves: ")) == pytest.approx(held, abs=1e-5)


def test_segments(minilm: Bert) -> None:
    printed, _ = run_filled("positions/segments", minilm)
    found = compare_segments(minilm)
    lengths, cosine, *dimensions = printed.splitlines()
    assert [float(n) for n in lengths.split()[1:]] == pytest.approx(found.norms, abs=1e-6)
    assert float(cosine.split()[1]) == pytest.approx(found.cosine, abs=1e-6)
    assert [int(line.split()[0]) for line in dimensions] == found.largest[:10].tolist()
    first = float(dimensions[0].split()[1])
    assert first == pytest.approx(found.difference[found.largest[0]], abs=1e-4)


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("pair", [None, 'She\'s "Zoe"'])
def test_experiment(minilm_encoder: Encoder, change, pair: str | None) -> None:
    bert = minilm_encoder.bert
    sentence = "the dog\\ bites 'the' man \ud800"
    text = tokenize(bert, sentence, pair)
    changed = changed_text(bert, text, change, shift=100, order=2)
    printed, _ = run_filled(
        "positions/experiment",
        bert,
        text=sentence,
        text_pair=pair,
        position_ids=changed.position_ids.tolist(),
        token_type_ids=changed.token_type_ids.tolist(),
    )
    theirs = [ast.literal_eval(line.partition(" ")[2]) for line in printed.splitlines()]
    ours = change_by_layer(
        minilm_encoder.hidden_states(text),
        minilm_encoder.hidden_states(changed),
    )
    assert np.abs(np.array(theirs) - ours).max() < 1e-5
