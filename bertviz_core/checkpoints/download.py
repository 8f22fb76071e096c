"""Fetch one model of the list from the Hugging Face hub into the local cache, and check it.

A broken download never looks complete: the weights come first and are checked, then the small
files, and `config.json` last, because `checkpoint` sees no model without it.
"""

import hashlib
import re
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from bertviz_core.checkpoints.catalog import OfferedModel
from bertviz_core.checkpoints.checkpoint import (
    SETTINGS,
    TOKENIZER_OPTIONS,
    VOCABULARIES,
    WEIGHTS,
    Checkpoint,
    hub_cache,
    locate_offered,
    snapshot_folder,
)
from bertviz_core.checkpoints.hub_errors import explain
from bertviz_core.errors import ModelUnavailableError

if TYPE_CHECKING:  # importing huggingface_hub takes 0.3 s, which only a download should cost
    from huggingface_hub import HfFileMetadata

OnProgress = Callable[[int, int], None]

_SHA256 = re.compile(r"[0-9a-f]{64}")
_GIT_BLOB = re.compile(r"[0-9a-f]{40}")
_LOOPBACK = ("127.0.0.1", "::1", "localhost")
_ABANDONED_AFTER = 3600  # seconds


def download(
    model: OfferedModel, on_progress: OnProgress | None = None, *, endpoint: str | None = None
) -> Checkpoint:
    """Fetch the files of a model at its pinned commit and check them.

    Weights that are in the cache already are checked again, and fetched only if they are damaged.
    Only safetensors are fetched, over https (plain http is accepted from this machine itself).

    Args:
        model: An entry of the list with a `revision`.
        on_progress: Called with (done_bytes, total_bytes) of the weights as they arrive.
        endpoint: Address of the hub; by default the one `huggingface_hub` uses (`HF_ENDPOINT`).

    Returns:
        Where the complete, checked files lie; its source is "download".

    Raises:
        ModelUnavailableError: The hub cannot be reached, lacks the files or refuses them, the
            cache cannot be written, or the weights do not have the digest they should have. Files
            that failed the check are removed.

    References:
        The cache's layout: "Understand caching" in the documentation of huggingface_hub.
    """
    if model.repo_id is None or model.revision is None:
        raise ModelUnavailableError(
            f"{model.name} has no pinned commit on the hub, so it cannot be downloaded; "
            "choose a model that can be."
        )
    from huggingface_hub.errors import HTTPError  # type: ignore[attr-defined]

    try:
        return _Fetch(model, model.repo_id, model.revision, endpoint).run(on_progress)
    except (HTTPError, OSError, ValueError, RuntimeError) as error:
        # The hub's transfer library, hf_xet, raises RuntimeError.
        raise ModelUnavailableError(explain(model, error)) from error


class _Fetch:
    """The files of one commit, on their way from the hub to the cache."""

    def __init__(
        self, model: OfferedModel, repo_id: str, revision: str, endpoint: str | None
    ) -> None:
        from huggingface_hub import constants

        self.model = model
        self.repo_id = repo_id
        self.revision = revision
        self.endpoint = (endpoint or constants.ENDPOINT).rstrip("/")
        self.folder = snapshot_folder(repo_id, revision)

    def run(self, on_progress: OnProgress | None) -> Checkpoint:
        address = urlsplit(self.endpoint)
        if address.scheme != "https" and address.hostname not in _LOOPBACK:
            raise ModelUnavailableError(
                f"{self.model.name} is only downloaded over https; "
                "check the address of the hub in HF_ENDPOINT."
            )
        _remove_abandoned(self.folder.parents[1] / "blobs")
        stated = self._stated(WEIGHTS)
        digest, size = self._expected_weights(stated)
        if not _intact(self.folder / WEIGHTS, digest):
            # Another program may have fetched config.json alone. Beside it, new weights would count
            # as complete before they are checked; so it goes now and comes back at the end.
            (self.folder / SETTINGS).unlink(missing_ok=True)
            self._fetch(WEIGHTS, digest, size, on_progress)
        if on_progress is not None:
            on_progress(size, size)
        if not [name for name in VOCABULARIES if self._fetch_optional(name)]:
            raise ModelUnavailableError(
                f"The hub has neither {' nor '.join(VOCABULARIES)} for {self.model.name}; "
                "choose another model."
            )
        for name in TOKENIZER_OPTIONS:
            self._fetch_optional(name)
        self._fetch_small(SETTINGS, self._stated(SETTINGS))
        return replace(locate_offered(self.model), source="download")

    def _stated(self, filename: str) -> "HfFileMetadata":
        """Ask the hub for a file's digest and size; fails at once where a download would retry."""
        from huggingface_hub import get_hf_file_metadata, hf_hub_url

        url = hf_hub_url(self.repo_id, filename, revision=self.revision, endpoint=self.endpoint)
        stated = get_hf_file_metadata(url, endpoint=self.endpoint)
        if stated.commit_hash != self.revision:
            raise ModelUnavailableError(
                f"What answered for the hub does not have the pinned commit of {self.model.name}; "
                "check that no proxy or login page of the network stands between, and HF_ENDPOINT."
            )
        return stated

    def _expected_weights(self, stated: "HfFileMetadata") -> tuple[str, int]:
        """SHA-256 and size in bytes that the weights must have."""
        model = self.model
        of_hub = stated.etag if stated.etag and _SHA256.fullmatch(stated.etag) else None
        digest = model.weights_sha256 or of_hub
        if digest is None:
            raise ModelUnavailableError(
                f"The hub states no SHA-256 for {WEIGHTS} of {model.name}, so a download could "
                "not be checked; choose another model."
            )
        size = model.weights_bytes if stated.size is None else stated.size
        if of_hub not in (None, digest) or model.weights_bytes not in (None, size):
            raise ModelUnavailableError(
                f"The hub offers another {WEIGHTS} for {model.name} than the pinned one, so "
                "nothing was downloaded; check the address of the hub in HF_ENDPOINT."
            )
        return digest, size or 0

    def _fetch_optional(self, filename: str) -> bool:
        from huggingface_hub.errors import RemoteEntryNotFoundError

        try:
            stated = self._stated(filename)
        except RemoteEntryNotFoundError:
            return False
        self._fetch_small(filename, stated)
        return True

    def _fetch_small(self, filename: str, stated: "HfFileMetadata") -> None:
        if not _intact(self.folder / filename, stated.etag):
            self._fetch(filename, stated.etag, stated.size or 0, None)

    def _fetch(
        self, filename: str, digest: str | None, size: int, on_progress: OnProgress | None
    ) -> None:
        from huggingface_hub import hf_hub_download

        path = self.folder / filename
        _remove(path)
        hf_hub_download(
            self.repo_id,
            filename,
            revision=self.revision,
            cache_dir=hub_cache(),
            endpoint=self.endpoint,
            tqdm_class=_progress_bar(f"{filename} of {self.model.name}", size, on_progress),
        )
        if not _intact(path, digest):
            _remove(path)
            raise ModelUnavailableError(
                f"{filename} of {self.model.name} arrived damaged (its digest is not the expected "
                "one) and was removed; try again."
            )


def _intact(path: Path, digest: str | None) -> bool:
    """Whether a file is there and has its digest: a SHA-256, or git's SHA-1 of a small file.

    Anything else cannot be checked.
    """
    if not path.is_file():
        return False
    with path.open("rb") as file:
        if digest and _SHA256.fullmatch(digest):
            return hashlib.file_digest(file, "sha256").hexdigest() == digest
        if digest and _GIT_BLOB.fullmatch(digest):
            content = file.read()
            header = f"blob {len(content)}\0".encode()
            return hashlib.sha1(header + content, usedforsecurity=False).hexdigest() == digest
    return True


def _remove(path: Path) -> None:
    """Remove a file of the cache together with the blob its link leads to."""
    while path.is_symlink():
        target = path.parent / path.readlink()
        path.unlink()
        path = target
    path.unlink(missing_ok=True)


def _remove_abandoned(blobs: Path) -> None:
    """Remove what killed downloads left; the library neither resumes nor removes these files."""
    for part in blobs.glob("*.incomplete"):
        if time.time() - part.stat().st_mtime > _ABANDONED_AFTER:
            part.unlink(missing_ok=True)


def _progress_bar(file: str, total: int, on_progress: OnProgress | None) -> Any:
    """A stand-in for tqdm that reports to `on_progress` and prints nothing.

    It ends a download of more than `total` bytes; 0 is unknown. The library compares at the end.
    """

    class ProgressBar:
        def __init__(self, *, initial: int = 0, **options: Any) -> None:
            self.n = initial

        def __enter__(self) -> "ProgressBar":
            return self

        def __exit__(self, *error: object) -> None:
            pass

        def update(self, n: int = 1) -> None:
            self.n += n
            if 0 < total < self.n:
                raise ModelUnavailableError(
                    f"More of {file} arrives than the {total:,} bytes that the hub announced, "
                    "so the download was stopped; check the address of the hub in HF_ENDPOINT."
                )
            if on_progress is not None:
                on_progress(self.n, total)

        # hf_xet counts bytes from the network in a second bar unless the bar has this method;
        # only bytes on disk are shown (huggingface_hub 2.4.0).
        def update_transfer(self, n: int) -> None:
            pass

        def set_postfix_str(self, *text: object, **options: object) -> None:
            pass

        set_transfer_postfix_str = set_postfix_str

        def close(self) -> None:
            pass

    return ProgressBar
