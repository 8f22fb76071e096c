"""Every program that a view shows runs in an empty folder and prints the numbers of the view."""

import ast
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from huggingface_hub import constants

from bertviz_core.bert import Bert
from bertviz_core.calibration.token_table import nearest_scores
from bertviz_core.checkpoints.checkpoint import Checkpoint
from bertviz_core.encoder import Encoder
from bertviz_core.saved_files import Column
from bertviz_core.shared.models import models
from bertviz_core.tokens import InputText
from bertviz_core.views.declare import Section, all_sections
from bertviz_core.views.nearest_neighbors.nearest_rows import Search
from bertviz_core.views.parts import Program
from bertviz_core.views.programs import program_text
from bertviz_core.views.tokens.word_pieces import TOKENS_PROGRAM
from bertviz_core.views.view import View
from bertviz_core.views.word_in_context.comparison import compare
from bertviz_core.views.word_in_context.reading import read_lines
from tests.headless import unpacked
from tests.hostile import HOSTILE
from tests.views.reading import IDS_PROGRAM, run
from tests.views.recipes import brought
from tests.views.word_senses import prepared

DECIMAL = re.compile(r"-?\d+\.(\d+)(?:e(-?\d+))?")
# What these views show takes minutes on a larger model; [PAD] is zeros in every untrained one.
ON_TINY = {"neighbours", "map of the token table"}
# What the pages give to views, by name.
GIVEN: dict[str, Any] = {
    "typed": InputText("I love my pet python", "She is Zoe"),
    "sentence": "I love my pet python",
    "position": 5,
    "search": Search(("king - man + sinan", "python")),
    "boxes": (),
    "follow": "awesomesauce",
    "layer": 2,
    "sentences": ("How old are you?", "What is your age?", "Such awesomesauce"),
    "way": "max",
    "height": 400,
    "drawn_at": None,
    "large": False,
    "ready": ("tiny-bert",),
    "near": 5,
    "groups": None,
    "kind": "all layers",
    "word": "mouse",
    "row": 100,
    "lines": ("I love my pet [python] in its tank", "such [awesomesauce] [code]"),
    "uses": (
        ("I love my pet [python] in its tank", "such [awesomesauce] [code]", "[code] it"),
        ("snake", "programming"),
    ),
}
OF_PROGRAMS = {"torch", "tokenizers", "transformers", "numpy", "scipy", "sklearn"}
# Its percentiles are shown rounded down: see test_percentiles.py.
ELSEWHERE = {"is this cosine high for this layer?"}


def given(section: Section, encoder: Encoder, **inputs: Any) -> dict[str, Any]:
    """What a view needs, and what is chosen: these inputs, and examples beside them."""
    made = GIVEN | {"bert": encoder.bert, "encoder": encoder} | inputs
    if "lines" in section.needs:
        made["lines"] = read_lines(encoder.bert, made["lines"])
    if "comparison" in section.needs:
        made["comparison"] = compare(encoder, *made["uses"])
    if "others" in section.needs and "others" not in inputs:
        made["others"] = nearest_scores(encoder.bert)
    if "brought" in section.needs:
        made["brought"] = brought(encoder, made["sentences"][:2])
    if "mapped" in section.needs:
        made["mapped"] = prepared(encoder, made["word"])
    chosen = inputs.keys() & section.fields.keys()
    return {name: made[name] for name in (*section.needs, *chosen)}


def numbers_of(view: View) -> np.ndarray:
    """All numbers of its tables, pictures and sentences."""
    sent = [unpacked(one.figure.to_dict()) for one in view.pictures.values()]
    figures = [[one["data"], one.get("frames", [])] for one in sent]
    return np.array(list(_numbers([view.tables, view.values, figures])), dtype=float)


def words_of(view: View) -> set[str]:
    """All that is written in its tables and sentences, apart at blanks."""
    columns = [column for table in view.tables.values() for column in table.values()]
    cells = [cell for column in columns for cell in getattr(column, "values", column)]
    return {word for cell in (*cells, *view.values.values()) for word in str(cell).split()}


def _numbers(part: Any) -> Iterator[float]:
    if isinstance(part, Column):
        part = part.values
    if isinstance(part, dict):
        part = list(part.values())
    if isinstance(part, np.ndarray):
        part = part.ravel().tolist() if part.dtype.kind in "iufO" else []
    if isinstance(part, list | tuple):
        for one in part:
            yield from _numbers(one)
    elif isinstance(part, str):
        yield from (float(match[0]) for match in DECIMAL.finditer(part))
    elif isinstance(part, int | float | np.number) and part is not None:
        yield float(part)


@pytest.mark.parametrize(
    "section",
    [section for section in all_sections() if section.label not in ELSEWHERE],
    ids=lambda section: section.make.__name__,
)
def test_the_program_prints_the_numbers_of_the_view(
    section: Section,
    minilm_encoder: Encoder,
    tiny_encoder: Encoder,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Nine of ten decimals at least, or words where it has none; the rest are steps between."""
    models.add(tiny_encoder.bert)
    encoder = tiny_encoder if section.label in ON_TINY else minilm_encoder
    view = section.make(**given(section, encoder))
    monkeypatch.chdir(tmp_path)
    compare_programs(view, tiny_encoder)


def compare_programs(view: View, own: Encoder) -> None:
    """Run the programs of a view; `own` is a model that its reader has in a folder."""
    shown = numbers_of(view)
    folder = repr(str(own.bert.checkpoint.folder))
    for program in view.programs.values():
        is_well_written(program)
        takes_any_text_as_a_value(program)
        text = program.text.replace(f"'path/to/{own.bert.name}'", folder)
        assert "bertviz_core" not in text
        printed = run(text)
        decimals = list(DECIMAL.finditer(printed))
        if decimals:
            checked = [match[0] for match in decimals]
            lost = [match[0] for match in decimals if not _holds(shown, match)]
        else:  # tokens and whole numbers, beside labels that the program writes
            labels = {word for word in re.split(r'[\s"(),]+', text) if not word.isdigit()}
            known = labels | words_of(view)
            checked = [word for word in re.split(r"[\s']+", printed) if word not in labels]
            lost = [word for word in checked if word not in known]
        assert checked
        assert len(lost) <= len(checked) / 10, lost


def is_well_written(program: Program) -> None:
    """By the rules of this project: the template as it is, and with its imports and functions."""
    rules = Path(__file__).parents[2] / "pyproject.toml"
    ruff("format", "--check", "--config", rules, text=f"{program.template.strip()}\n")
    modules = set(re.findall(r"^(?:from|import) (\w+)", program.text, re.M))
    assert modules <= OF_PROGRAMS | sys.stdlib_module_names
    ruff("check", "--config", rules, "--ignore=E501,D1,RUF", text=program.text)


def ruff(*arguments: object, text: str) -> None:
    command = [sys.executable, "-m", "ruff", *map(str, arguments), "--no-cache", "-"]
    found = subprocess.run(command, input=text, capture_output=True, text=True, check=False)
    assert found.returncode == 0, found.stdout + found.stderr + text


def takes_any_text_as_a_value(program: Program) -> None:
    """What a visitor types is never code: each value is one literal, whatever is in it."""
    text = " ".join(HOSTILE[:8]) + "{x!r} ${y} %(z)s '''\n\"\"\"\r\n\u2028\\\nmodel = ...\n"
    values = {name: [text] for name in program.values}
    filled = ast.parse(replace(program, values=values).text).body
    assigned: dict[str, Any] = {}
    for line in filled:
        if isinstance(line, ast.Assign) and (name := ast.unparse(line.targets[0])) in values:
            assigned.setdefault(name, line.value)
    assert {name: ast.literal_eval(value) for name, value in assigned.items()} == values
    assert len(filled) == len(ast.parse(program.text).body)


def _holds(shown: np.ndarray, printed: re.Match[str]) -> bool:
    half = 0.51 * 10.0 ** (int(printed[2] or 0) - len(printed[1]))
    return bool((np.abs(shown - float(printed[0])) <= half).any())


TYPED = {"text": "I love my pet python", "text_pair": None}
LOADING = '"""What a reader runs."""\n\ntokenizer, model, inputs = ...\n'
TOKENS = {"text": "the cat", "text_pair": None, "word": "cat", "longest_word": 100}


@pytest.mark.parametrize("value", [
    "'''", '"', "\\", "\n", "{0}", "a\\ud800", None, True, -1, 0.5, [1, 2], ("a", 1), {"a": [1]},
    "word " * 100, [("sentence " * 20, 1, 2)], list(range(300)), [], "x = ...\n", "\\1 \\g<0>",
])  # fmt: skip
def test_values_come_back(minilm: Bert, value) -> None:
    program = program_text(IDS_PROGRAM, minilm, {"token_ids": value})
    block = program[: program.index("tokenizer =")]
    names: dict = {}
    exec(block, names)
    assert names["token_ids"] == value
    assert max(map(len, block.splitlines())) <= 100


def test_a_folder_of_the_operator_is_not_shown(tiny: Bert) -> None:
    program = program_text(TOKENS_PROGRAM, tiny, TOKENS)
    assert str(tiny.checkpoint.folder) not in program
    assert "checkpoint = 'path/to/tiny-bert'\n" in program


def test_what_cannot_be_filled_in(minilm: Bert) -> None:
    half = program_text(IDS_PROGRAM, minilm, {"token_ids": ["a\ud800"]})
    assert "['a\N{REPLACEMENT CHARACTER}']" in half
    with pytest.raises(TypeError):
        program_text(IDS_PROGRAM, minilm, {"token_ids": [Path("a")]})
    for values in ({}, {"token_ids": [1], "other": 2}):
        with pytest.raises(ValueError, match="token_ids"):
            program_text(IDS_PROGRAM, minilm, values)


@pytest.mark.parametrize("subfolder", ["", "0_Transformer"])
def test_a_model_of_the_hub_is_found_in_its_cache(
    tiny: Bert, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, subfolder: str
) -> None:
    """Under the name it has there, at its commit, without the network."""
    commit = "8" * 40
    folder = tmp_path / "models--old--tiny" / "snapshots" / commit / subfolder
    shutil.copytree(tiny.checkpoint.folder, folder)
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path))
    checkpoint = Checkpoint("tiny", folder, "cache", repo_id="new/tiny", revision=commit)
    bert = replace(tiny, checkpoint=checkpoint)
    program = program_text(TOKENS_PROGRAM, bert, TOKENS)
    assert f"\ncheckpoint = 'old/tiny'\nrevision = '{commit}'\n" in program
    assert "distribution" not in program
    assert "1 the " in run(program)
    typed = f"{TYPED['text']}: revision=revision"
    names: dict[str, Any] = {}
    run(program_text(LOADING, bert, TYPED | {"text": typed}), names)
    assert names["text"] == typed
    assert names["model"].config.hidden_size == 8
    fetched = replace(bert, checkpoint=replace(checkpoint, source="download"))
    assert "\ncheckpoint = 'new/tiny'\n" in program_text(TOKENS_PROGRAM, fetched, TOKENS)


def test_a_missing_model_is_an_error(
    tiny: Bert, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """`BertTokenizer` would make do with five tokens, and every word would be unknown."""
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path))
    checkpoint = replace(tiny.checkpoint, source="download", repo_id="a/b")
    bert = replace(tiny, checkpoint=checkpoint)
    with pytest.raises(OSError, match="find them in the cached files"):
        run(program_text(IDS_PROGRAM, bert, {"token_ids": [1]}))
