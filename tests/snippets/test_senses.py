"""The snippet of the page on word senses prints the page's numbers."""

import re
from pathlib import Path

import numpy as np
import pytest

from bertviz_core.encoder import POOLINGS, Encoder, Pooling
from bertviz_core.senses import agreement, find_occurrences, group, prepared_set, sense_vectors
from bertviz_core.senses.projection import Plane, layer_frame, shared_frame
from bertviz_core.senses.trust import trust
from bertviz_core.snippets.fill import ROOM
from bertviz_core.ui.show import as_csv
from bertviz_core.ui.word_senses.choices import ALL, DRIFTING, MAPS, ONE, TSNE
from tests.snippets.running import run_filled


def words_of(occurrences):
    return [(o.sense, o.sentence, o.start, o.end) for o in occurrences]


def run_senses(
    encoder: Encoder, words, pooling: str, layer: int, map_of: str, file=None, group_count=None
):
    return run_filled(
        "senses/senses", encoder.bert, words=words, words_file=file, pooling=pooling, layer=layer,
        map_of=map_of, group_count=group_count,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("kind", "count", "wanted"), [(ALL, 7, None), (DRIFTING, 28, None), (ONE, 7, 3)]
)
def test_the_points_and_the_scores(
    minilm_encoder: Encoder, kind: str, count: int, wanted: int | None
) -> None:
    """Of the groups that are proposed, or of as many as the reader wants."""
    occurrences = prepared_set("mouse").occurrences[-count:]
    ours = sense_vectors(minilm_encoder, occurrences, "max")
    words = words_of(ours.occurrences)
    printed, names = run_senses(minilm_encoder, words, "max", 3, kind, group_count=wanted)
    shared = shared_frame(ours.vectors, keep_drift=kind == DRIFTING)
    plane = Plane(shared.points[:, 3], shared.explained[3])
    if kind == ONE:
        plane = layer_frame(ours.vectors[:, 3])
    assert np.abs(names["points"] - plane.points).max() < 1e-4
    assert names["shares"] == pytest.approx(plane.explained, abs=1e-4)
    measured = trust(ours.vectors[:, 3], plane.points)
    said = re.search(r"trustworthiness (\S+)\nof the (\d+) nearest, kept on the map (\S+)", printed)
    assert said
    assert float(said[1]) == pytest.approx(measured.trustworthiness, abs=2e-4)
    assert int(said[2]) == measured.nearest
    assert float(said[3]) == pytest.approx(measured.nearest * measured.kept.mean(), abs=2e-4)
    proposed = [group(ours.vectors[:, layer]) for layer in range(7)]
    groups = proposed if wanted is None else [one.with_count(wanted) for one in proposed]
    assert {one.count for one in proposed} != {wanted}
    labels = [one.sense for one in ours.occurrences]
    expected = [(one.count, one.silhouette, agreement(one, labels)) for one in groups]
    by_layer = re.findall(r"layer \d groups (\d) silhouette (\S+)\s+agreement (\S+)", printed)
    assert np.array(by_layer, dtype=float) == pytest.approx(np.array(expected), abs=2e-4)


def test_tsne_lays_out_the_same_vectors(minilm_encoder: Encoder) -> None:
    """t-SNE enlarges rounding, so what is compared is who stands beside whom."""
    from sklearn.manifold import trustworthiness

    ours = sense_vectors(minilm_encoder, prepared_set("bat").occurrences)
    _, names = run_senses(minilm_encoder, words_of(ours.occurrences), "mean", 6, TSNE)
    assert names["points"].shape == (28, 2)
    assert np.abs(np.stack(names["vectors"]) - ours.vectors).max() < 1e-5
    assert trustworthiness(ours.vectors[:, 6], names["points"], n_neighbors=5) > 0.8


@pytest.mark.parametrize("pooling", POOLINGS)
def test_unlabelled_words_of_several_pieces(tiny_encoder: Encoder, pooling: Pooling) -> None:
    lines = ['codings "it\'s"', "codings {0} \\", "the codings \ud800 here"]
    found = find_occurrences(lines, "codings").occurrences
    ours = sense_vectors(tiny_encoder, found, pooling)
    printed, names = run_senses(tiny_encoder, words_of(ours.occurrences), pooling, 2, ONE)
    assert np.abs(np.stack(names["vectors"]) - ours.vectors).max() < 1e-5
    assert "agreement" not in printed


@pytest.mark.filterwarnings("ignore:invalid value:RuntimeWarning")  # scikit-learn's PCA
def test_vectors_all_alike(tiny_encoder: Encoder) -> None:
    words = [(None, "cat", 0, 3)] * 3
    printed, _ = run_senses(tiny_encoder, words, "mean", 1, ALL)
    assert "layer 0 all vectors are alike" in printed


def test_occurrences_are_read_from_the_table(
    tiny_encoder: Encoder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    texts = [*(f'cat {i}, "quoted"' for i in range(9)), "=cat", "'-cat", "'tis a\rcat"]
    starts = [text.index("cat") for text in texts]
    columns = {
        "sense": ["-a"] * 12,
        "sentence": texts,
        "start": starts,
        "end": [start + 3 for start in starts],
    }
    (tmp_path / "senses.csv").write_bytes(as_csv(columns))
    monkeypatch.chdir(tmp_path)
    _, names = run_senses(tiny_encoder, [], "mean", 2, ALL, "senses.csv")
    expected = zip(texts, starts, strict=True)
    assert names["words"] == [("-a", text, start, start + 3) for text, start in expected]


def test_every_map_of_the_page_is_in_the_program() -> None:
    program = (ROOM / "senses" / "senses.py").read_text(encoding="utf-8")
    assert all(f'"{kind}"' in program for kind in MAPS)
