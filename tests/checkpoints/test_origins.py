"""What is known of a model's training goes with its files, not with its name."""

from dataclasses import replace
from pathlib import Path

from bertviz_core.bert import Bert
from bertviz_core.checkpoints.catalog import EMBEDDED, built_in_models
from bertviz_core.checkpoints.checkpoint import Checkpoint
from bertviz_core.checkpoints.origins import UNKNOWN, origin_of


def test_the_embedded_model(minilm: Bert, tiny: Bert) -> None:
    origin = origin_of(minilm.checkpoint)
    assert "Wang et al. 2020" in origin.told
    assert "similarity" in origin.upper
    assert origin_of(replace(minilm.checkpoint, source="folder")) is UNKNOWN
    assert origin_of(replace(minilm.checkpoint, name="mine")) is UNKNOWN
    assert origin_of(tiny.checkpoint) is UNKNOWN
    assert "(MiniLM" in origin.told
    # The file says the same: the six layers left of twelve.
    assert minilm.settings["_name_or_path"] == "nreimers/MiniLM-L6-H384-uncased"


def test_a_published_bert_is_known_by_its_commit() -> None:
    for name, model in built_in_models().items():
        if name == EMBEDDED:
            continue
        pinned = Checkpoint(name, Path("."), "cache", model.repo_id, model.revision)
        assert "follows another" in origin_of(pinned).told
        for other in (
            replace(pinned, revision="0" * 40),
            replace(pinned, repo_id="somebody/else"),
            replace(pinned, source="folder", repo_id=None, revision=None),
        ):
            assert origin_of(other) is UNKNOWN
