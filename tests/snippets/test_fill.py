"""Templates are filled with values whatever is in them."""

import ast
import dataclasses
import shutil
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from huggingface_hub import constants

from bertviz_core.bert import Bert
from bertviz_core.checkpoints.checkpoint import Checkpoint
from bertviz_core.snippets import fill
from bertviz_core.snippets.fill import ROOM, drawing_of, filled, opening
from bertviz_core.tokens import InputText
from tests.snippets.running import run
from tests.test_layers import PROGRAMS


def test_every_program_is_shown() -> None:
    """That its view fills it, and that it runs, is tested in tests/views/test_programs.py."""
    files = [path for room in ("views", "ui") for path in (ROOM.parent / room).rglob("*.py")]
    sources = "".join(path.read_text(encoding="utf-8") for path in files)
    names = [
        f"{path.stem}/{node.name}"
        for path in PROGRAMS if path.stem not in ("shared", "drawings")
        for node in ast.parse(path.read_text(encoding="utf-8")).body
        if isinstance(node, ast.FunctionDef)
    ]  # fmt: skip
    assert len(names) > 40
    assert not [name for name in names if f'"{name}"' not in sources]


@pytest.mark.parametrize("value", [
    "'''", '"', "\\", "\n", "{0}", "a\\ud800", None, True, -1, 0.5, [1, 2], ("a", 1), {"a": [1]},
    "word " * 100, [("sentence " * 20, 1, 2)], list(range(300)), [],
])  # fmt: skip
def test_values_come_back(minilm: Bert, value) -> None:
    program = filled("tokens/decode", minilm, token_ids=value)
    block = program[: program.index("tokenizer =")]
    names: dict = {}
    exec(block, names)
    assert names["token_ids"] == value
    assert max(map(len, block.splitlines())) <= 100


def test_one_thread_parses_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """On Python 3.11 two threads inside `ast.parse` make one of them fail."""
    parse, inside, most = ast.parse, [], []

    def watched(source: str) -> ast.Module:
        inside.append(source)
        most.append(len(inside))
        time.sleep(0.01)  # others can come in
        inside.remove(source)
        return parse(source)

    monkeypatch.setattr(ast, "parse", watched)
    fill._parsed.cache_clear()
    names = ["positions/table", "senses/map", "neighbors/neighbors"] * 9
    with ThreadPoolExecutor(8) as threads:
        assert all(threads.map(drawing_of, names))
    assert set(most) == {1}


def test_what_is_shown_needs_nothing_of_ours(minilm: Bert, tiny: Bert) -> None:
    typed = InputText("I love my pet python")
    program = filled("embeddings/waterfall", minilm, typed, position=3, dimension=7)
    assert "bertviz_core" not in program
    order = ["from importlib", "import torch", "dimension = 7", "def mean_and", "tokenizer = "]
    assert sorted(order, key=program.index) == order
    program = filled("tokens/tokens", tiny, typed)
    assert str(tiny.checkpoint.folder) not in program, "a folder of the operator"
    assert "checkpoint = 'path/to/tiny-bert'\n" in program
    half = filled("tokens/decode", minilm, token_ids=["a\ud800"])
    assert "['a\N{REPLACEMENT CHARACTER}']" in half
    with pytest.raises(TypeError):
        filled("tokens/decode", minilm, token_ids=[Path("a")])


def test_a_model_of_the_hub_is_found_in_its_cache(
    tiny: Bert, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Under the name it has there, at its commit, without the network."""
    commit = "8" * 40
    folder = tmp_path / "models--old--tiny" / "snapshots" / commit
    shutil.copytree(tiny.checkpoint.folder, folder)
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path))
    checkpoint = Checkpoint("tiny", folder, "cache", repo_id="new/tiny", revision=commit)
    bert = dataclasses.replace(tiny, checkpoint=checkpoint)
    program = filled("embeddings/modules", bert)
    assert f"\ncheckpoint = 'old/tiny'\nrevision = '{commit}'\n" in program
    assert "distribution" not in program
    assert f"word_embeddings.weight {tiny.tables.word_embeddings.size}" in run(program)[0]
    fetched = dataclasses.replace(
        bert, checkpoint=dataclasses.replace(checkpoint, source="download")
    )
    assert opening(fetched)["checkpoint"] == "new/tiny"


def test_a_missing_model_is_an_error(
    minilm: Bert, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """`BertTokenizer` would make do with five tokens, and every word would be unknown."""
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path))
    monkeypatch.setattr(fill, "opening", lambda bert: {
        "checkpoint": "a/b", "revision": None, "limit": 9,
    })  # fmt: skip
    with pytest.raises(OSError, match="find them in the cached files"):
        run(filled("tokens/decode", minilm, token_ids=[1]))
