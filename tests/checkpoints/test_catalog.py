"""The list of models, and what is known of how each was trained."""

from dataclasses import replace
from pathlib import Path

import pytest

from bertviz_core.bert import Bert
from bertviz_core.checkpoints.catalog import EMBEDDED, RANDOM, UNKNOWN, OfferedModel, offered_models
from bertviz_core.checkpoints.checkpoint import Checkpoint, origin_of
from bertviz_core.errors import ModelUnavailableError

COMMIT = "0123456789abcdef0123456789abcdef01234567"
BASE, CASED, LARGE = "bert-base-uncased", "bert-base-cased", "bert-large-uncased"
SMALL = "bert-tiny-uncased"


def test_the_built_in_models() -> None:
    models = offered_models({})
    assert list(models) == [EMBEDDED, BASE, CASED, LARGE, SMALL, RANDOM]
    assert models.pop(RANDOM).shape_of == EMBEDDED
    for model in models.values():
        places = [model.package, model.folder, model.revision]
        assert sum(place is not None for place in places) == 1
        assert model.repo_id is not None  # the snippets load it from there
    assert models[BASE].megabytes == 440  # what the button says


def test_an_operators_folder_and_repository() -> None:
    listed = f" b = ./b ,\n a=ProsusAI/finbert@{COMMIT}\n,, \n c=/models/c@2,{CASED}=/models/cased"
    models = offered_models({"BERTVIZ_MODELS": listed})
    assert list(models) == [EMBEDDED, BASE, CASED, LARGE, SMALL, RANDOM, "b", "a", "c"]
    assert models["b"] == OfferedModel("b", folder=Path("b"))
    assert models["a"] == OfferedModel("a", repo_id="ProsusAI/finbert", revision=COMMIT)
    assert models["c"].folder == Path("/models/c@2")
    assert models[CASED] == OfferedModel(CASED, folder=Path("/models/cased"))
    assert [models[name].downloadable for name in "abc"] == [True, False, False]


@pytest.mark.parametrize("entry", ["just-a-name", "=/models/mine", "mine=owner/repository@main"])
def test_an_entry_of_no_known_form_is_quoted(entry: str) -> None:
    with pytest.raises(ModelUnavailableError, match=f"the entry “{entry}”"):
        offered_models({"BERTVIZ_MODELS": f"good=/models/good,{entry}"})


def test_training_is_known_of_files_not_of_names(minilm: Bert, tiny: Bert) -> None:
    embedded = minilm.checkpoint
    assert "Wang et al. 2020" in origin_of(embedded).long
    # The file says the same: the six layers left of twelve.
    assert minilm.settings["_name_or_path"] == "nreimers/MiniLM-L6-H384-uncased"
    base = offered_models({})[BASE]
    pinned = Checkpoint(BASE, Path("."), "cache", base.repo_id, base.revision)
    assert "follows another" in origin_of(pinned).long
    for other in (
        tiny.checkpoint,
        replace(embedded, source="folder"),
        replace(embedded, name="mine"),
        replace(pinned, revision="0" * 40),
        replace(pinned, repo_id="somebody/else"),
        replace(pinned, source="folder", repo_id=None, revision=None),
    ):
        assert origin_of(other) is UNKNOWN
