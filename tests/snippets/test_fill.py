"""Templates: each runs as it stands, and is filled with values whatever is in them."""

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
from tests.snippets.running import as_it_stands, run

TEMPLATES = sorted(ROOM.glob("*/*.py"))


@pytest.mark.parametrize("path", TEMPLATES, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_runs_as_it_stands(path: Path) -> None:
    """With the hub out of reach: the model is that of its package, by no name of the hub."""
    program = path.read_text(encoding="utf-8")
    opened = [line for line in program.splitlines() if "checkpoint = " in line]
    assert all(" = distribution(" in line for line in opened)
    assert as_it_stands(f"{path.parent.name}/{path.stem}")[0]


def test_views_fill_every_template() -> None:
    """Each with a value for each name of its block: seen in the source, without a page.

    Those of views/ are filled, and run, by tests/views/test_programs.py.
    """
    seen = set()
    for path in (path for room in ("ui", "views") for path in (ROOM.parent / room).rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not isinstance(node, ast.Call) or not node.args:
                continue
            if not isinstance(node.args[0], ast.Constant):
                continue
            if ast.unparse(node.func) == "program":
                seen.add(ROOM / f"{ast.literal_eval(node.args[0])}.py")
            if ast.unparse(node.func) == "code":
                template = ast.literal_eval(node.args[0])
                block = fill._parts(template)[2]
                given = {keyword.arg for keyword in node.keywords} - {None, "name", "arrays"}
                given |= {"text", "text_pair"} if len(node.args) > 2 else set()
                if "**program_words(" in ast.unparse(node):
                    given |= {"words", "words_file"}
                needed = {name for name in block if not name.startswith("other_")}
                assert given <= set(block), template
                assert needed - given <= {"checkpoint", "revision", "longest"}, template
                seen.add(ROOM / f"{template}.py")
    assert sorted(seen) == TEMPLATES


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


def test_one_thread_parses_at_a_time(minilm: Bert, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each file once. On Python 3.11 two threads inside `ast.parse` make one of them fail."""
    parse, inside, most = ast.parse, [], []

    def watched(source: str, *options: str) -> ast.Module:
        inside.append(source)
        most.append(len(inside))
        time.sleep(0.01)  # others can come in
        tree = parse(source, *options)
        inside.remove(source)
        return tree

    monkeypatch.setattr(ast, "parse", watched)
    fill._parsed.cache_clear()

    def program_and_picture(number: int) -> str:
        filled("tokens/decode" if number % 2 else "tokens/lines", minilm, **{
            "token_ids" if number % 2 else "lines": [number]
        })  # fmt: skip
        return drawing_of("positions/table")

    with ThreadPoolExecutor(8) as threads:
        assert len(set(threads.map(program_and_picture, range(32)))) == 1
    assert set(most) == {1}
    before = len(most)
    program_and_picture(1)
    assert len(most) == before  # kept


def test_half_a_character_is_replaced(minilm: Bert) -> None:
    assert "['a\N{REPLACEMENT CHARACTER}']" in filled("tokens/lines", minilm, lines=["a\ud800"])


@pytest.mark.parametrize("values", [{}, {"token_ids": [1], "layer": 2}])
def test_names_that_do_not_fit(minilm: Bert, values: dict) -> None:
    with pytest.raises(ValueError, match=r"tokens/decode assigns .*'token_ids'\]; there are"):
        filled("tokens/decode", minilm, **values)


def test_other_types_are_refused(minilm: Bert) -> None:
    with pytest.raises(TypeError, match="Path cannot stand in a program"):
        filled("tokens/decode", minilm, token_ids=[Path("a")])


def test_what_is_shown_stands_alone(minilm: Bert) -> None:
    words = [("python", 0, 6)]
    values = {"words": words, "others": words, "pooling": "max", "layers": [3]}
    program = filled("contextual/similarity", minilm, **values)
    assert "bertviz_core" not in program
    assert program.startswith('"""Words in their sentences, compared')
    order = [
        "from importlib",
        "import torch",
        "words = ",
        "layers = [3]",
        "def read",
        "tokenizer = ",
    ]
    assert sorted(order, key=program.index) == order


def test_tokens_need_no_model(minilm: Bert) -> None:
    program = filled("tokens/tokens", minilm, text="a", text_pair=None)
    assert "BertModel" not in program
    assert "torch" not in program


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
    program = filled("embeddings/rows", bert, text="the cat", other_text="the dog")
    assert f"\ncheckpoint = 'old/tiny'\nrevision = '{commit}'\n" in program
    assert "distribution" not in program
    assert run(program)[0].startswith("token rows [[0, 0], [1, 1], [3, 3]]")
    fetched = dataclasses.replace(
        bert, checkpoint=dataclasses.replace(checkpoint, source="download")
    )
    assert opening(fetched)["checkpoint"] == "new/tiny"


def test_an_operators_folder_is_not_named(tiny: Bert) -> None:
    program = filled("tokens/tokens", tiny, text="the cat", text_pair=None)
    assert str(tiny.checkpoint.folder) not in program
    assert "checkpoint = 'path/to/tiny-bert'\n" in program
    assert "longest = 16 " in program


def test_a_missing_model_is_an_error(
    minilm: Bert, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """`BertTokenizer` would make do with five tokens, and every word would be unknown."""
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path))
    monkeypatch.setattr(fill, "opening", lambda bert: {"checkpoint": "a/b", "revision": None})
    with pytest.raises(OSError, match="find them in the cached files"):
        run(filled("tokens/lines", minilm, lines=["hello"]))
