import re
from pathlib import Path

import pytest

from bertviz_core.checkpoints.catalog import EMBEDDED, OfferedModel, offered_models
from bertviz_core.errors import ModelUnavailableError

COMMIT = "0123456789abcdef0123456789abcdef01234567"


def test_the_built_in_models_and_their_order() -> None:
    assert list(offered_models({})) == [
        EMBEDDED,
        "bert-base-uncased",
        "bert-base-cased",
        "bert-large-uncased",
    ]


@pytest.mark.parametrize("model", offered_models({}).values(), ids=lambda model: model.name)
def test_every_built_in_model_comes_from_exactly_one_place(model: OfferedModel) -> None:
    places = [model.package, model.folder, model.revision]
    assert sum(place is not None for place in places) == 1
    assert model.repo_id is not None  # the snippets load it from there
    if model.downloadable:
        assert model.revision is not None
        assert re.fullmatch(r"[0-9a-f]{40}", model.revision)
        assert model.megabytes is not None
    if model.weights_sha256 is not None:
        assert re.fullmatch(r"[0-9a-f]{64}", model.weights_sha256)


def test_the_button_states_the_size_of_the_download() -> None:
    base = offered_models({})["bert-base-uncased"]
    assert base.weights_bytes == 440_449_768
    assert base.megabytes == round(base.weights_bytes / 1e6)


def test_an_operators_folder() -> None:
    model = offered_models({"BERTVIZ_MODELS": "mine=/models/mine"})["mine"]
    assert model == OfferedModel("mine", folder=Path("/models/mine"))
    assert not model.downloadable


def test_an_operators_repository() -> None:
    model = offered_models({"BERTVIZ_MODELS": f"finbert=ProsusAI/finbert@{COMMIT}"})["finbert"]
    assert model == OfferedModel("finbert", repo_id="ProsusAI/finbert", revision=COMMIT)
    assert model.downloadable


def test_several_entries_keep_their_order_after_the_built_in_ones() -> None:
    listed = f" b = ./b ,\n a=o/r@{COMMIT}\n,, \n c=/models/c@2"
    models = offered_models({"BERTVIZ_MODELS": listed})
    assert list(models)[4:] == ["b", "a", "c"]
    assert models["b"].folder == Path("b")
    assert models["c"].folder == Path("/models/c@2")


def test_an_entry_replaces_a_built_in_model_in_its_place() -> None:
    models = offered_models({"BERTVIZ_MODELS": "bert-base-cased=/models/cased"})
    assert list(models) == list(offered_models({}))
    assert models["bert-base-cased"].folder == Path("/models/cased")


def test_a_tilde_is_the_home_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/home/teacher")
    models = offered_models({"BERTVIZ_MODELS": "a=~/bert,b=~nobody-of-this-name/bert"})
    assert models["a"].folder == Path("/home/teacher/bert")
    assert models["b"].folder == Path("~nobody-of-this-name/bert")  # reported as missing later


@pytest.mark.parametrize(
    "entry",
    [
        "just-a-name",
        "=/models/mine",
        "mine=",
        "mine=owner/repository@main",
        f"mine=owner/repository@{COMMIT[:-1]}",
        f"mine=owner/repository@{COMMIT.upper()}",
        f"mine=repository@{COMMIT}",
    ],
)
def test_an_entry_of_no_known_form_is_quoted(entry: str) -> None:
    with pytest.raises(ModelUnavailableError) as caught:
        offered_models({"BERTVIZ_MODELS": f"good=/models/good,{entry}"})
    assert f"the entry “{entry}”" in str(caught.value)
    assert "name=owner/repository@revision" in str(caught.value)
