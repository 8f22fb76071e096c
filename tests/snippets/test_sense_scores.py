"""The snippet of the scores of senses prints the page's numbers."""

from pathlib import Path

import pytest

from bertviz_core.encoder import Encoder
from bertviz_core.senses import confound_scores, prepared_set, sense_scores, sense_vectors
from tests.snippets.running import numbers, run_filled


def test_scores_and_confounds(minilm_encoder: Encoder) -> None:
    ours = sense_vectors(minilm_encoder, prepared_set("mouse").occurrences)
    senses = [one.sense for one in ours.occurrences]
    # A label less: what has none is left out.
    scores = sense_scores(ours.vectors, [None, *senses[1:]])
    (best,) = scores.best
    found = confound_scores(ours.vectors, ours.occurrences, minilm_encoder.bert, scores)
    words = [(sense, one.sentence, one.start, one.end)
             for sense, one in zip([None, *senses[1:]], ours.occurrences, strict=True)]  # fmt: skip
    printed, _ = run_filled(
        "senses/scores", minilm_encoder.bert, words=words, words_file=None, pooling="mean",
        layer=best,
    )  # fmt: skip
    by_line = [numbers(line) for line in printed.splitlines()]
    auc, accuracy = scores.auc, scores.accuracy
    assert by_line[0] == pytest.approx([auc.chance.best], abs=2e-3)
    for layer in range(7):
        expected = [layer, auc.values[layer], auc.chance.by_layer[layer], accuracy.values[layer]]
        assert by_line[1 + layer] == pytest.approx(expected, abs=2e-3)
    assert by_line[8] == pytest.approx([best, auc.low[best], auc.high[best]], abs=2e-3)
    assert by_line[9] == pytest.approx([accuracy.low[best], accuracy.high[best]], abs=2e-4)
    assert [one.name for one in found] == ["position", "length"]
    for number, one in enumerate(found):
        by_layer, alone, held = by_line[10 + 3 * number : 13 + 3 * number]
        assert by_layer == pytest.approx(one.auc, abs=2e-3)
        assert alone == pytest.approx([one.alone], abs=2e-4)
        assert held == pytest.approx([one.held[best], one.low, one.high], abs=2e-3)


def test_forms_and_many_words_from_a_table(
    tiny_encoder: Encoder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = [f"{'ab'[i % 2]},{'cat' if i % 3 else 'mat'} sat{' on' * (i % 4)},0,3"
             for i in range(210)]  # fmt: skip
    (tmp_path / "x.csv").write_text("\n".join(["sense,sentence,start,end", *lines]), "utf-8")
    monkeypatch.chdir(tmp_path)
    printed, names = run_filled(
        "senses/scores", tiny_encoder.bert, words=[], words_file="x.csv", pooling="mean", layer=0
    )
    assert names["count"] == 200
    form = next(line for line in printed.splitlines() if line.startswith("form"))
    assert numbers(form)[0] == 1  # at the input embedding, form is all there is
