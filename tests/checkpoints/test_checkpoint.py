import hashlib
import os
import shutil
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from bertviz_core.bert import load_bert
from bertviz_core.calibration import Scales, word_scales
from bertviz_core.checkpoints.catalog import EMBEDDED, OfferedModel
from bertviz_core.checkpoints.checkpoint import (
    SETTINGS,
    TOKENIZER_OPTIONS,
    VOCABULARIES,
    WEIGHTS,
    locate,
    snapshot_folder,
)
from bertviz_core.checkpoints.ready import default_model, why_unavailable
from bertviz_core.contextual import nouns
from bertviz_core.encoder import load_encoder
from bertviz_core.errors import ModelUnavailableError
from bertviz_core.shared.models import ModelMemory
from tests.data.odd_checkpoints import in_shards
from tests.tiny import write_checkpoint

COMMIT = "0123456789abcdef0123456789abcdef01234567"
HUB_MODEL = OfferedModel("tiny", repo_id="someone/tiny", revision=COMMIT)
NOT_YET = "tiny is not on this machine yet."


pytestmark = pytest.mark.usefixtures("hub_cache")


def test_the_embedded_package() -> None:
    found = locate(EMBEDDED)
    assert (found.name, found.source) == (EMBEDDED, "package")
    assert found.repo_id == "sentence-transformers/all-MiniLM-L6-v2"
    assert found.weights.stat().st_size == 90_868_376


def test_a_folder(tiny_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tiny_folder)
    monkeypatch.setenv("BERTVIZ_MODELS", f"mine={tiny_folder}")
    for given, name in ((tiny_folder, "tiny-bert"), (str(tiny_folder), "tiny-bert"),
                        (".", "tiny-bert"), ("mine", "mine")):  # fmt: skip
        found = locate(given)
        assert (found.name, found.source) == (name, "folder")
        assert found.folder.resolve() == tiny_folder
        assert (found.repo_id, found.revision) == (None, None)


@pytest.mark.parametrize("repo_folder", ["models--someone--tiny", "models--tiny"])
def test_the_hub_cache_under_the_new_and_the_legacy_name(
    tiny_folder: Path, hub_cache: Path, repo_folder: str
) -> None:
    assert why_unavailable(HUB_MODEL) == NOT_YET
    shutil.copytree(tiny_folder, hub_cache / repo_folder / "snapshots" / ("f" * 40))
    assert why_unavailable(HUB_MODEL) == NOT_YET  # another commit
    folder = shutil.copytree(tiny_folder, hub_cache / repo_folder / "snapshots" / COMMIT)
    found = locate(HUB_MODEL)
    assert (found.source, found.folder, found.revision) == ("cache", folder, COMMIT)
    assert found.repo_id == "someone/tiny"
    assert why_unavailable(HUB_MODEL) is None


@pytest.mark.parametrize("missing", [SETTINGS, WEIGHTS, "vocab.txt"])
def test_a_half_filled_cache_counts_as_missing(
    tiny_folder: Path, hub_cache: Path, missing: str
) -> None:
    cached = Path(shutil.copytree(tiny_folder, snapshot_folder("someone/tiny", COMMIT)))
    (cached / missing).unlink()
    (cached / missing).symlink_to("../../blobs/lost")
    assert why_unavailable(HUB_MODEL) == NOT_YET


def test_neither_a_name_nor_a_folder(tmp_path: Path) -> None:
    with pytest.raises(ModelUnavailableError, match="bert-base-uncased"):  # what there is
        locate("bert-of-nowhere")
    for model in (
        OfferedModel("mine", folder=tmp_path / "nothing"),
        OfferedModel("mine", package="no_such_package"),
    ):
        reason = why_unavailable(model)
        assert reason
        assert str(tmp_path) not in reason


def test_all_that_is_missing_is_named(tmp_path: Path) -> None:
    wanted = "no config.json, no model.safetensors, no tokenizer.json or vocab.txt"
    with pytest.raises(ModelUnavailableError, match=wanted):
        locate(tmp_path)


OPTIMIZER = {"state": {}, "param_groups": [{"lr": 1e-5, "params": list(range(99))}]}
PICKLED: dict[str, Callable[[dict[str, Any]], Any]] = {  # what is saved, by the name of its file
    "pytorch_model.bin": lambda tensors: tensors,
    "best_model.bin": lambda tensors: {"epoch": 3, "model_state_dict": tensors},
    "checkpoint.pt": lambda tensors: {
        "epoch": 3, "model_state_dict": tensors, "optimizer_state_dict": OPTIMIZER, "loss": 0.5,
    },
    "epoch=3.ckpt": lambda tensors: {"state_dict": tensors | {"step": 9}, "callbacks": {}},
    "net.pth": lambda tensors: {"model": OrderedDict(tensors), "args": {"lr": 0.1}},
}  # fmt: skip


@pytest.mark.parametrize("name", PICKLED)
def test_old_files_are_refused_with_the_line_that_converts_them(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of a program of 2018, in two steps; heads and names stay as they are."""
    import torch
    from safetensors.torch import load_file

    folder = write_checkpoint(tmp_path / "mine", all_heads=True)
    plain = load_file(folder / WEIGHTS)
    plain["tied"] = plain["bert.pooler.dense.weight"].T  # which safetensors does not take
    torch.save(PICKLED[name](plain), folder / name)
    (folder / WEIGHTS).unlink()
    (folder / SETTINGS).rename(folder / "bert_config.json")
    monkeypatch.chdir(folder)
    for file in (WEIGHTS, SETTINGS):
        with pytest.raises(ModelUnavailableError, match=f"no {file}.* writes {file}: “") as caught:
            locate(folder)
        exec(str(caught.value).partition("“")[2].removesuffix("”."), {})
    assert why_unavailable(OfferedModel("mine", folder=folder)) is None
    written = load_file(folder / WEIGHTS)
    assert written.keys() == plain.keys()
    assert all(torch.equal(written[name], tensor) for name, tensor in plain.items())


def test_the_layout_of_tensorflow_is_refused_with_the_line_that_converts_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """That of BioBERT; the line was tried with transformers 4.49 and TensorFlow 2.21."""
    for end in ("data-00000-of-00001", "index", "meta"):
        (tmp_path / f"model.ckpt-1000000.{end}").touch()
    for name in ("bert_config.json", "vocab.txt"):
        (tmp_path / name).write_text("{}")
    with pytest.raises(ModelUnavailableError, match=f"writes {WEIGHTS}, with .*4 and tens") as one:
        locate(tmp_path)
    compile(str(one.value).partition("“")[2].removesuffix("”."), "line", "exec")
    (tmp_path / WEIGHTS).touch()
    with pytest.raises(ModelUnavailableError, match=f"no {SETTINGS}.* writes {SETTINGS}: “"):
        locate(tmp_path)


def test_the_folder_of_a_trainer(tiny_folder: Path, tmp_path: Path) -> None:
    for step in (500, 1000):
        shutil.copytree(tiny_folder, tmp_path / f"checkpoint-{step}")
    with pytest.raises(ModelUnavailableError, match="checkpoint-1000, checkpoint-500: name that"):
        locate(tmp_path)
    one = tmp_path / "checkpoint-500"
    assert locate(one).name == "checkpoint-500"
    (one / "vocab.txt").unlink()  # of a Trainer without a tokenizer
    with pytest.raises(
        ModelUnavailableError, match=r"no tokenizer.json.* AutoTokenizer.* writes that"
    ):
        locate(one)


def test_an_adapter_is_refused_with_the_line_that_merges_it(tmp_path: Path) -> None:
    (tmp_path / "adapter_config.json").write_text("{}")
    with pytest.raises(ModelUnavailableError, match="merges this adapter of peft") as caught:
        locate(tmp_path)
    compile(str(caught.value).partition("“")[2].removesuffix("”."), "line", "exec")


def test_weights_in_several_files_are_known_by_all_of_them(folder: Path) -> None:
    in_shards(folder)
    bert = load_bert(folder)
    shards = sorted(folder.glob("model-*.safetensors"))
    assert [path.name for path in shards] == list(bert.checkpoint.shards)
    content = b"".join(path.read_bytes() for path in shards)
    assert bert.checkpoint.weights_hash() == hashlib.sha256(content).hexdigest()
    before = bert.checkpoint.fingerprint()
    assert bert.is_current()
    shards[-1].write_bytes(shards[-1].read_bytes() + b" ")
    assert not bert.is_current()
    assert bert.checkpoint.fingerprint() != before
    shards[-1].unlink()
    assert not bert.is_current()


def replaced(path: Path, content: bytes) -> None:
    """By a new file under its name, as editors and package managers do it."""
    new = path.with_name("new")
    new.write_bytes(content)
    new.rename(path)


def replaced_with_its_times(path: Path, content: bytes) -> None:
    """As programs do that copy the times of files."""
    stat = path.stat()
    replaced(path, content)
    os.utime(path, ns=(stat.st_atime_ns, stat.st_mtime_ns))


def written_with_its_times(path: Path, content: bytes) -> None:
    stat = path.stat()
    path.write_bytes(content)
    os.utime(path, ns=(stat.st_atime_ns, stat.st_mtime_ns))


def swapped(folder: Path) -> bytes:
    """Another vocabulary of the same size."""
    words = (folder / VOCABULARIES[1]).read_bytes()
    return words.replace(b"cat", b"xyz").replace(b"dog", b"cat").replace(b"xyz", b"dog")


CASED = b'{"do_lower_case": false, "tokenizer_class": "BertTokenizer"}'
CHANGES: dict[str, Callable[[Path], object]] = {
    "vocabulary by rename": lambda at: replaced(at / VOCABULARIES[1], swapped(at)),
    "its times kept": lambda at: replaced_with_its_times(at / VOCABULARIES[1], swapped(at)),
    "written in place": lambda at: written_with_its_times(at / VOCABULARIES[1], swapped(at)),
    "options": lambda at: replaced(at / TOKENIZER_OPTIONS[0], CASED),
    "options gone": lambda at: (at / TOKENIZER_OPTIONS[0]).unlink(),
    "special tokens come": lambda at: (at / TOKENIZER_OPTIONS[1]).write_text("{}"),
    "added tokens come": lambda at: replaced(at / TOKENIZER_OPTIONS[2], b'{"[unused1]": 2}'),
    "settings": lambda at: replaced(at / SETTINGS, (at / SETTINGS).read_bytes() + b" "),
    "weights": lambda at: replaced(at / WEIGHTS, (at / WEIGHTS).read_bytes()),
    "linked elsewhere": lambda at: linked_elsewhere(at / VOCABULARIES[1], swapped(at)),
}


def linked_elsewhere(path: Path, content: bytes) -> None:
    """As the hub's cache has its files; the other one is as old."""
    other = path.with_name("other")
    other.write_bytes(content)
    stat = path.stat()
    os.utime(other, ns=(stat.st_atime_ns, stat.st_mtime_ns))
    path.unlink()
    path.symlink_to(other)


@pytest.mark.parametrize("of_hub", [False, True])
@pytest.mark.parametrize("change", CHANGES)
def test_a_model_of_which_any_file_has_changed_is_another_one(
    folder: Path, change: str, of_hub: bool
) -> None:
    """What is kept of it has the key of the files that were opened, and is no more kept."""
    checkpoint = locate(folder)
    if of_hub:
        checkpoint = replace(checkpoint, repo_id="someone/tiny", revision=COMMIT, source="cache")
    open_models = ModelMemory(lambda _: load_bert(checkpoint))
    bert, same = open_models.bert("mine"), load_bert(checkpoint)
    encoder = open_models.encoder("mine")
    assert encoder.bert is bert
    keys = nouns.vectors_key(encoder), word_scales.scales_key(bert)
    CHANGES[change](folder)
    assert not bert.is_current()
    now = open_models.bert("mine")
    assert now is not bert
    assert now.is_current()
    assert open_models.encoder("mine").bert is now
    asked_for_now = nouns.vectors_key(load_encoder(same)), word_scales.scales_key(same)
    assert asked_for_now == keys
    assert word_scales.scales_key(now) != keys[1]
    assert not word_scales.keep(bert, Scales({}))


@pytest.mark.parametrize("change", ["vocabulary by rename", "options", "added tokens come"])
def test_a_tokenizer_is_known_by_what_decides_its_ids(folder: Path, change: str) -> None:
    """Not by where its files are, nor by what else is in them; the weights stay the same."""
    before = load_bert(folder)
    (folder / TOKENIZER_OPTIONS[0]).write_text('{"model_max_length": 99, "do_lower_case": true}')
    copy = load_bert(shutil.copytree(folder, folder.with_name("copy")))
    CHANGES[change](folder)
    after = load_bert(folder)
    assert before.tokenizer_hash == copy.tokenizer_hash != after.tokenizer_hash
    assert before.checkpoint.weights_hash() == after.checkpoint.weights_hash()


def test_the_package_is_known_by_its_content_while_it_is_unchanged(folder: Path) -> None:
    package = replace(locate(folder), source="package")
    bert, same = load_bert(package), load_bert(package)
    elsewhere = replace(package, folder=Path(shutil.copytree(folder, folder.with_name("copy"))))
    assert bert.fingerprint == load_bert(elsewhere).fingerprint
    replaced(folder / VOCABULARIES[1], swapped(folder))
    assert same.fingerprint not in (load_bert(package).fingerprint, bert.fingerprint)


def test_the_model_to_start_with(tiny_folder: Path) -> None:
    here = {"BERTVIZ_MODELS": f"bert-base-uncased={tiny_folder}"}
    assert default_model({}) == default_model({"BERTVIZ_MODEL": "  "}) == EMBEDDED
    assert default_model(here) == "bert-base-uncased"
    assert default_model(here | {"BERTVIZ_MODEL": " bert-large-uncased "}) == "bert-large-uncased"
    assert default_model({"BERTVIZ_MODEL": "x", "BERTVIZ_MODELS": "x=/models/x"}) == "x"
    with pytest.raises(ModelUnavailableError, match="BERTVIZ_MODEL is “gpt2”; expected one of"):
        default_model({"BERTVIZ_MODEL": "gpt2"})
