"""A folder of results: its job (`manifest.json`), a lock, and `parts`, a Parquet file a part.

docs/corpus.md says what the columns are.
"""

import json
import os
import re
import shlex
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, astuple, dataclass
from operator import add
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bertviz_core.checkpoints.checkpoint import read_json
from bertviz_core.corpus.job import PARTS, Job, Part, from_plain
from bertviz_core.disk_cache import appearing_whole, locked, remove_unfinished
from bertviz_core.errors import UserInputError, shortened

if TYPE_CHECKING:
    import pyarrow as pa
    import pyarrow.parquet as pq

KEY = b"bertviz_occurrences"  # in the metadata of a file
COLUMNS = ("word", "sentence", "start", "end", "source", "offset")
WORD, SENTENCE, START, END, SOURCE, OFFSET = COLUMNS
SENSE = "sense"  # the carried column that holds labels
LAYER = "layer_"
MANIFEST, LOCK = "manifest.json", "running.lock"
FORMAT = 5
OLD_MANIFEST = "_manifest.json"  # to format 4, beside the parts
MAX_FILES, MAX_COMMAND = 20, 4_000  # of a command that is printed; characters


@dataclass
class Receipt:
    """What was done for a part: counted while it is made, and kept in the part's file."""

    occurrences: int = 0  # rows of the file
    left_out: int = 0  # further occurrences that the model cannot take
    sentences: int = 0  # run through the model
    tokens: int = 0  # of these sentences, with [CLS] and [SEP], without padding
    bytes: int = 0  # of the corpus that were read
    unreadable: int = 0  # lines or rows that are no JSON, or hold no text
    unfit: int = 0  # values of carried columns that are not of the column's kind
    corpus: str = ""  # digest of what was read of the corpus, for a single part

    def __add__(self, other: "Receipt") -> "Receipt":
        return Receipt(*map(add, astuple(self)[:-1], astuple(other)[:-1]))


def schema(job: Job) -> "pa.Schema":
    """The columns of a file."""
    import pyarrow as pa

    vector = pa.list_(pa.float32(), job.model.hidden_size)
    text = pa.string()
    position = pa.int32()
    types = dict(zip(COLUMNS, (text, text, position, position, text, pa.int64()), strict=True))
    carried = {column.name: pa.type_for_alias(column.kind) for column in job.carried}
    return pa.schema(types | carried | {f"{LAYER}{layer}": vector for layer in job.layers})


def receipt_of(file: "pq.FileMetaData", job: Job, part: Part) -> Receipt | None:
    """The receipt in a part's file; None if the file is of another part or another job."""
    try:
        about = json.loads((file.metadata or {})[KEY])
        receipt: Receipt = from_plain(Receipt, about["receipt"])
        names = (about["part"], about["job"], receipt.occurrences)
    except (KeyError, TypeError, ValueError, RecursionError):
        return None
    same = names == (part.name, job.digest, file.num_rows)
    return receipt if same and file.schema.to_arrow_schema().equals(schema(job)) else None


def finished(job: Job, folder: Path, part: Part) -> Receipt | None:
    """The receipt of a finished part; None if its file is missing, damaged or of another part."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    path = part.path_in(folder)
    try:
        with pq.ParquetFile(path, page_checksum_verification=True, pre_buffer=False) as file:
            receipt = receipt_of(file.metadata, job, part)
            for _ in file.iter_batches(1_024) if receipt is not None else ():
                pass  # to read a page is to check it
            return receipt
    except (OSError, pa.ArrowException):
        return None


@contextmanager
def part_file(job: Job, folder: Path, part: Part, receipt: Receipt) -> "Iterator[pq.ParquetWriter]":
    """Write the file of a part; its receipt and its name come at the end of the `with`."""
    import pyarrow.parquet as pq

    others = [name for name in schema(job).names if not name.startswith(LAYER)]
    plain = [f"{LAYER}{layer}.list.element" for layer in job.layers]
    with appearing_whole(part.path_in(folder), folder) as unfinished:
        writer = pq.ParquetWriter(
            unfinished,
            schema(job),
            # Vectors hardly shrink and have no value twice; as they are, they can be mapped.
            compression=dict.fromkeys(others, "zstd") | dict.fromkeys(plain, "none"),
            use_dictionary=[WORD, SOURCE, *(c.name for c in job.carried if c.kind == "string")],
            write_statistics=others,
            write_page_checksum=True,
        )
        try:
            yield writer
            about = {
                "part": part.name, "job": job.digest, "model": job.model.title,
                "sha256": job.model.sha256, "pooling": job.pooling, "layers": job.layers,
                "receipt": asdict(receipt),
            }  # fmt: skip
            writer.add_key_value_metadata({KEY: json.dumps(about)})
            writer.close()
        finally:
            with suppress(OSError, ValueError):  # closing writes once more, perhaps to a full disk
                writer.close()


@contextmanager
def writing(path: Path) -> Iterator[None]:
    """Turn an OSError into a sentence: a file or folder cannot be written."""
    try:
        yield
    except OSError as error:
        raise UserInputError(
            f"{path} cannot be written ({error.strerror or error}); what was there is as it was. "
            "Make room there or name another place, and give the command again."
        ) from error


def local(path: str | Path) -> Path:
    """A path of this machine that Arrow can open; others are a UserInputError."""
    # A Path makes s3:/bucket/found of s3://bucket/found.
    if re.match(r"\s*$|[\w+.-]{2,}:[\\/]|data:|.*[\ud800-\udfff]", str(path), re.DOTALL):
        raise UserInputError(
            f"“{path}” is empty, an address or not UTF-8; name a file or folder of this machine."
        )
    return outer(Path(path))


def outer(path: Path) -> Path:
    """The folder of a job, also where its `parts` were named."""
    is_parts = path.name == PARTS and os.path.isfile(path.parent / MANIFEST)
    return path.parent if is_parts else path


def begun(folder: Path) -> Job | None:
    """The job whose results a folder holds, or None."""
    folder = local(folder)
    is_old = not os.path.lexists(folder / MANIFEST) and os.path.lexists(folder / OLD_MANIFEST)
    path = folder / (OLD_MANIFEST if is_old else MANIFEST)
    try:
        path.stat()
        content = read_json(path)
        if content["format"] == FORMAT:
            job: Job = from_plain(Job, content["job"])
            return job
        command = _command(content["job"], f"{folder.absolute()}-anew")
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (OSError, KeyError, TypeError, ValueError, UserInputError) as error:
        raise UserInputError(
            f"{path} cannot be read, is damaged, or is of another version of this project "
            f"({shortened(error).rstrip('.')}); choose another folder."
        ) from error
    raise UserInputError(
        f"{folder} is of another version of this project; make it anew, in another folder: "
        f"{shortened(command, MAX_COMMAND)}"
    )


def _command(job: Any, out: str) -> str:
    """The command of a job that another version has written; of many files it has the folder."""
    named = ((word["name"], ",".join(word["forms"])) for word in job["words"])
    words = (name if name == forms else f"{name}={forms}" for name, forms in named)
    paths = [file["path"] for file in job["files"]]
    if len(paths) > MAX_FILES:
        paths = [os.path.commonprefix(paths).rpartition("/")[0]]  # noqa: RUF071 - any address
    options = {
        "--layers": ",".join(map(str, job["layers"])),
        "--carry": ",".join(column["name"] for column in job["carried"]),
        "--text": job["text"], "--pooling": job["pooling"], "--model": job["model"]["name"],
        "--part-mb": str(job["part_bytes"] / 1e6), "--out": out,
    }  # fmt: skip
    given = (part for option in options.items() for part in option)
    return shlex.join(["bert-explorer", "occurrences", *words, "--corpus", *paths, *given])


@contextmanager
def begin(folder: Path, job: Job) -> Iterator[None]:
    """Lock a folder for one run of a job, until the `with` or the process ends."""
    begun(folder)  # refuses an address before it becomes a folder
    with writing(folder):
        (folder / PARTS).mkdir(parents=True, exist_ok=True)
        (folder / LOCK).open("a").close()
    # Without locks two runs do the same work twice, and no harm.
    with locked(folder / LOCK) as ours:
        if not ours:
            raise UserInputError(
                f"Another run is at work in {folder}; wait until it has ended, or choose another "
                "folder."
            )
        if before := begun(folder):
            was_so, is_so = (asdict(each.model) | asdict(each) for each in (before, job))
            for name, was in was_so.items():
                if was != (now := is_so[name]):
                    raise UserInputError(
                        f"{folder} holds another job: {name.replace('_', ' ')} is "
                        f"{shortened(was)}, not {shortened(now)}; choose another folder."
                    )
        elif any((folder / PARTS).iterdir()):
            raise UserInputError(f"{folder} holds parts without {MANIFEST}; choose another folder.")
        else:
            content = {"format": FORMAT, "job": asdict(job)}
            with writing(folder), appearing_whole(folder / MANIFEST) as path:
                path.write_text(json.dumps(content, indent=1), encoding="utf-8")
        remove_unfinished(folder)
        yield
        remove_unfinished(folder)  # of workers that died
