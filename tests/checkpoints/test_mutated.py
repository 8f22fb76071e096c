"""Checkpoints with random changes to their files: a result or a sentence, never anything else."""

import json
import resource
import shutil
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bertviz_core.bert import load_bert
from bertviz_core.checkpoints.checkpoint import SETTINGS, TOKENIZER_OPTIONS, WEIGHTS
from bertviz_core.checkpoints.parameters import count_parameters
from bertviz_core.checkpoints.tensors import tensor_statistics
from bertviz_core.embeddings import input_embeddings
from bertviz_core.encoder import load_encoder
from bertviz_core.errors import BertvizError
from bertviz_core.neighbors import nearest_tokens
from bertviz_core.tokens import tokenize
from bertviz_core.tokens.wordpieces import trace_text
from tests.data.hostile_checkpoints import OPENED
from tests.fuzz import CALLS, FILES, answers, damage, texts

Files = dict[str, bytes]
Change = Callable[[bytes], bytes]

TEXTS = ("the Cat sat [MASK] zebra", "dog " * 30, "")
SECONDS, BYTES = 5, 200_000_000
BASES = ("three_positions", "upper_case_of_no_class", "added_tokens_in_the_settings")
BASES += ("added_tokens_with_a_row", "no_post_processor", "further_special_tokens")

JSON = (SETTINGS, "tokenizer.json", *TOKENIZER_OPTIONS)

VALUES = st.one_of(
    st.sampled_from([None, True, False, "", "[CLS]", "##", "BertTokenizer", "gelu_new", [], {}]),
    st.sampled_from([0, 1, 2, 3, -1, 8, 16, 39, 40, 2**31, 2**63, 10**30, 0.5, 1e-300, 1e400]),
    st.sampled_from([float("nan"), "nan", "x" * 3000, "$A", "a b", "\x00", [[[]]], {"a": [1]}]),
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
        max_leaves=5,
    ),
)


@dataclass(frozen=True)
class Bases:
    """Checkpoints to change; a short name where an example is printed."""

    files: list[Files] = field(repr=False)


@dataclass(frozen=True)
class Put:
    """Put a value somewhere into a JSON document: `steps` choose the way down."""

    steps: list[int]
    value: Any
    how: str

    def __call__(self, content: bytes) -> bytes:
        tree = json.loads(content)
        node, last = tree, len(self.steps) - 1
        for depth, step in enumerate(self.steps):
            keys = list(node) if isinstance(node, dict) else list(range(len(node)))
            if not keys:
                break
            key = keys[step % len(keys)]
            if depth < last and isinstance(node[key], dict | list) and node[key]:
                node = node[key]
                continue
            if self.how == "remove":
                del node[key]
            elif self.how == "rename" and isinstance(node, dict):
                node[str(self.value)[:20]] = node.pop(key)
            else:
                node[key] = self.value
            break
        return json.dumps(tree).encode()


@dataclass(frozen=True)
class InHeader:
    """The same in the header of a safetensors file."""

    put: Put

    def __call__(self, content: bytes) -> bytes:
        size = int.from_bytes(content[:8], "little")
        header = self.put(content[8 : 8 + size])
        return len(header).to_bytes(8, "little") + header + content[8 + size :]


@dataclass(frozen=True)
class InData:
    """Another number among the weights; a file may store them as it likes."""

    index: int
    value: float

    def __call__(self, content: bytes) -> bytes:
        begin = 8 + int.from_bytes(content[:8], "little")
        count = (len(content) - begin) // 4
        if count < 1:
            return content
        at = begin + 4 * (self.index % count)
        return content[:at] + np.float32(self.value).tobytes() + content[at + 4 :]


numbers = st.sampled_from([float("nan"), -float("inf"), 3e38, -9e5, 1e4, 1e-40, 0.0]) | st.floats(
    width=32
)
puts = st.builds(
    Put,
    st.lists(st.integers(0, 200), min_size=1, max_size=6),
    VALUES,
    st.sampled_from(["set", "set", "remove", "rename"]),
)


@st.composite
def mutations(draw: st.DrawFn) -> tuple[int, list[tuple[int, Change]]]:
    """Which base, and which of its files get which change."""
    in_weights = st.builds(InData, st.integers(0, 5000), numbers)
    changes = st.one_of(damage(), puts, puts, puts, puts, in_weights, st.builds(InHeader, puts))
    which = st.integers(0, 5)
    return draw(which), draw(st.lists(st.tuples(which, changes), min_size=1, max_size=3))


def changed(files: Files, changes: list[tuple[int, Change]]) -> Files:
    files = dict(files)
    for number, change in changes:
        if isinstance(change, InHeader | InData):
            name = WEIGHTS
        else:
            names = sorted(files if not isinstance(change, Put) else set(files) & set(JSON))
            name = names[number % len(names)]
        with suppress(ValueError, AttributeError, TypeError):  # what is left there is no JSON
            files[name] = change(files[name])
    return files


@pytest.fixture(scope="module")
def bases(tiny_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Bases:
    folders = []
    for name in BASES:
        folder = Path(shutil.copytree(tiny_folder, tmp_path_factory.mktemp(name) / "mine"))
        OPENED[name](folder)
        folders.append({path.name: path.read_bytes() for path in folder.iterdir()})
    return Bases(folders)


def use(folder: Path) -> None:
    """What pages do with a checkpoint: open, tokenize, embed, search, count, run."""
    bert = load_bert(folder)
    nearest_tokens(bert, "cat")
    census = count_parameters(bert.checkpoint, bert.num_hidden_layers)
    tensor_statistics(bert.checkpoint, census.names[0])
    texts = [tokenize(bert, text, pair) for text in TEXTS for pair in (None, "a dog")]
    trace_text(bert, TEXTS[0])
    assert all(np.isfinite(input_embeddings(bert, text).output).all() for text in texts)
    encoder = load_encoder(bert)
    assert all(np.isfinite(states).all() for states in encoder.hidden_states_many(texts))
    assert np.isfinite(encoder.embedding_layer(texts[0])).all()


@given(mutation=mutations())
@FILES
def test_a_mutated_checkpoint(
    folder: Path, bases: Bases, mutation: tuple[int, list[tuple[int, Change]]]
) -> None:
    base, changes = mutation
    files = changed(bases.files[base], changes)
    for path in folder.iterdir():
        path.unlink()
    for name, content in files.items():
        (folder / name).write_bytes(content)
    began = time.process_time()
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    try:
        use(folder)
    except BertvizError as error:
        assert len(str(error)) < 500  # noqa: PT017
    assert time.process_time() - began < SECONDS
    after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    assert (after - before) * 1024 < BYTES


@given(name=texts())
@CALLS
def test_any_name_of_a_model(name: str) -> None:
    """No model has such a name, whatever folders and files it may mean on this machine."""
    with answers(BertvizError):
        load_bert(name)
