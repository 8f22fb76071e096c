"""What the documents say is so: programs print it, links and names lead somewhere."""

import ast
import doctest
import importlib
import json
import re
import shlex
import sys
from collections.abc import Iterator
from functools import cache, partial
from pathlib import Path
from types import ModuleType
from typing import Any
from urllib.parse import unquote, urlsplit

import numpy as np
import pandas as pd
import pytest

from benchmarks.elsewhere.stores import programs
from bertviz_core.bert import Bert
from bertviz_core.command.main import EXAMPLES, main, parser
from bertviz_core.encoder import Encoder
from bertviz_core.senses import sense_vectors, vector_files
from bertviz_core.views.docs import Question, best_methods, methods, questions
from scripts.write_docs import written
from tests.headless import ROOT
from tests.views.reading import run

TEXTS = {
    path: path.read_text(encoding="utf-8")
    for path in (*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").glob("*.md")))
}
README, CONTRIBUTING, SECURITY = (
    TEXTS[ROOT / f"{name}.md"] for name in ("README", "CONTRIBUTING", "SECURITY")
)
CORPUS, FILES, LIBRARY, METHODS, QUESTIONS = (
    TEXTS[ROOT / "docs" / f"{name}.md"]
    for name in ("corpus", "files", "library", "methods", "questions")
)
PROGRAM = re.compile(r"```python\n(.*?)```(?:\n\n```text\n(.*?)```)?", re.DOTALL)
NUMBER = re.compile(r"-?\d+(?:\.(\d*))?")
# What the examples of docstrings find beside the names of their module: those of docs/library.md.
SHARED = ("bert", "encoder", "corpus", "occurrences", "np")
MODULES = sorted(
    ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
    for path in (ROOT / "bertviz_core").rglob("*.py")
    if ">>> " in path.read_text(encoding="utf-8")
)
# Of these answers each runs hundreds of texts, or all sentences word by word.
LONG = (
    "Are the nearest tokens synonyms?",
    "Can I give BERT more than two texts?",
    "Can I turn a vector back into a word?",
    "Do I need attention_mask when I pad?",
    "Is attention an explanation?",
    "Should I mask the word whose vector I want?",
    "What do typos do to a word?",
    "What is [SEP] for, beside segments?",
    "Why is a sentence so near to its negation?",
)


def assert_alike(found: str, wanted: str) -> None:
    """The same words; of numbers another processor may round the last digit another way."""
    assert NUMBER.sub("#", found).split() == NUMBER.sub("#", wanted).split()
    for one, other in zip(NUMBER.finditer(found), NUMBER.finditer(wanted), strict=True):
        last = max(1.1 * 10.0 ** -len(other[1]), 0.002) if other[1] else 0
        assert float(one[0]) == pytest.approx(float(other[0]), abs=last)


@pytest.fixture(scope="module")
def opened_once(minilm: Bert, minilm_encoder: Encoder) -> Iterator[None]:
    """The programs open the embedded model by its name; it is open already.

    Several run the same prepared sets through it, which is done once.
    """
    run_once = cache(sense_vectors)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("bertviz_core.bert.load_bert", lambda name: minilm)
        patch.setattr("bertviz_core.load_bert", lambda name: minilm)
        patch.setattr("bertviz_core.encoder.load_encoder", lambda bert, device="": minilm_encoder)
        patch.setattr(
            "bertviz_core.senses.sense_vectors",
            lambda encoder, found, *more: run_once(encoder, tuple(found), *more),
        )
        yield


@pytest.fixture(scope="module")
def library(
    opened_once: None, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[dict[str, Any], list[tuple[str, str]]]]:
    """The names that the programs of docs/library.md leave; what each prints, and is to print."""
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(tmp_path_factory.mktemp("library"))
        names: dict[str, Any] = {}
        yield names, [(run(one, names), text) for one, text in PROGRAM.findall(LIBRARY)]


def test_the_programs_of_the_library_print_what_is_below_them(
    library: tuple[dict[str, Any], list[tuple[str, str]]],
) -> None:
    names, programs = library
    assert len(programs) >= len(re.findall("(?m)^## ", LIBRARY))
    for found, wanted in programs:
        assert_alike(found, wanted)
    assert names["figure"].to_dict()["data"]


@pytest.mark.parametrize("module", MODULES)
def test_the_examples_of_docstrings(
    module: str, library: tuple[dict[str, Any], list[tuple[str, str]]]
) -> None:
    found = importlib.import_module(module)
    names = vars(found) | {name: library[0][name] for name in SHARED}
    runner = doctest.DocTestRunner()
    failures: list[str] = []
    for example in doctest.DocTestFinder().find(found, module, extraglobs=names):
        runner.run(example, out=failures.append)
    assert not failures, "".join(failures)


def test_the_readme_gives_what_its_comments_say(opened_once: None) -> None:
    names: dict[str, Any] = {}
    for line in PROGRAM.findall(README)[0][0].splitlines():
        code, _, comment = line.partition("  # ")
        if isinstance(ast.parse(code or "pass").body[0], ast.Expr):
            value = eval(code, names)
            assert_alike(str(value) if isinstance(value, np.generic) else repr(value), comment)
        else:
            exec(code, names)


def test_the_prompt_of_contributing_prints_what_is_below_it(opened_once: None) -> None:
    ((program, wanted),) = (one for one in PROGRAM.findall(CONTRIBUTING) if one[1])
    assert_alike(run(program), wanted)


def test_every_heading_is_a_question() -> None:
    assert len(questions()) == QUESTIONS.count("\n### ") >= 24
    assert {*LONG} <= questions().keys()


@pytest.mark.parametrize(
    "entry",
    [
        pytest.param(one, id=question, marks=[pytest.mark.slow] * (question in LONG))
        for question, one in questions().items()
    ],
)
def test_the_program_of_an_answer_prints_its_number(entry: Question, opened_once: None) -> None:
    assert_alike(run(entry.program), entry.prints)


def test_an_answer_says_the_numbers_that_its_program_prints() -> None:
    """As they are printed; a share may stand as percent, and a small number as a word."""
    small = dict(enumerate("no one two three four five six seven eight nine ten".split()))
    for question, entry in questions().items():
        plain = entry.answer.replace(",", "").replace("−", "-").replace(" %", "%")
        said = [one[0] for one in re.finditer(r"-?\d+(?:\.\d+)?", plain)]
        known = {float(one) for one in said} | {float(one) / 100 for one in said}
        known |= {number for number, word in small.items() if re.search(rf"(?i)\b{word}\b", plain)}
        printed = [float(one[0]) for one in NUMBER.finditer(entry.prints.replace(",", ""))]
        assert not [one for one in printed if not np.isclose(one, [*known]).any()], question


def test_the_token_table_as_a_file_of_word_vectors(
    tiny: Bert, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The program of docs/files.md, read as programs for word2vec read it: split at blanks."""
    (program, _), *_ = PROGRAM.findall(FILES.partition("## Word vectors as text\n")[2])
    monkeypatch.setattr("bertviz_core.load_bert", lambda name: tiny)
    monkeypatch.chdir(tmp_path)
    exec(program, {})
    first, *lines = (tmp_path / "table.txt").read_text(encoding="utf-8").splitlines()
    tokens, *columns = zip(*(line.split(" ") for line in lines), strict=True)
    assert list(map(int, first.split())) == [len(tokens), len(columns)]
    assert tokens == tiny.vocabulary.tokens
    assert (tiny.tables.word_embeddings == np.array(columns, np.float32).T).all()


@pytest.mark.parametrize("metadata", ["a\nb\nc\n", "word\tcount\na\t1\nb\t2\nc\t3\n", "a\n\nc"])
def test_files_of_vectors_are_opened(
    metadata: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("vectors.tsv").write_text("1\t0\n0\t1\n1\t1\n", encoding="utf-8")
    Path("metadata.tsv").write_text(metadata, encoding="utf-8")
    words = []
    for program, _ in PROGRAM.findall(CORPUS + FILES):
        if "np.savez" in program:
            exec(program, {})
            with open("own.npz", "rb") as file:
                words.append(vector_files.read(file, None, 2_000).found.occurrences[0].word)
    assert words == ["king", "bank", "a"]


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_wrapped_lines_are_joined_before_sentences(
    end: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The program of docs/corpus.md, with a simple splitter in place of NLTK's."""
    splitter = ModuleType("nltk")
    splitter.sent_tokenize = partial(re.split, r"(?<=[.?!])\s")  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "nltk", splitter)
    monkeypatch.chdir(tmp_path)
    book = (ROOT / "tests/data/cases/gut.txt").read_text(encoding="utf-8")
    Path("book.txt").write_text(f"{book}\nA well- \nknown--\nbank.", encoding="utf-8", newline=end)
    (program,) = (one for one, _ in PROGRAM.findall(CORPUS) if "sent_tokenize" in one)
    exec(program, {})
    lines = Path("sentences.txt").read_text(encoding="utf-8").splitlines()
    assert lines[3:6] == [
        "We went down to the _bank_ of the river, and sat upon the bank--which was green--until "
        "the boat came.",
        '"What _bank_?" she asked.',
        "He said the bank had failed, the river-bank had not.",
    ]
    assert lines[-1] == "A well-known-- bank."


def test_the_commands_of_the_corpus(
    opened_once: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    """As they stand in docs/corpus.md, on the corpus that ships."""
    (tmp_path / "bertviz_core").symlink_to(ROOT / "bertviz_core")
    monkeypatch.chdir(tmp_path)
    (block,) = (one for one in re.findall(r"```\n(.*?)```", CORPUS, re.DOTALL) if "--in" in one)
    printed = []
    for command in block.splitlines():
        assert main(shlex.split(command)[1:]) == 0
        printed.append(capsys.readouterr().out)
    _, nearest, shift, export = printed
    lines = (ROOT / "bertviz_core/data/corpus/two_periods.jsonl").read_text(encoding="utf-8")
    assert len(pd.read_parquet("found/parts")) == len(re.findall(r"\b(mouse|cell)\b", lines))
    assert all(int(year) > 1950 for year in re.findall(r"year (\d+)\)", nearest))
    by_layer = dict(re.findall(r"(?m)^ +(\d+) .* ([\d.]+)$", shift))
    assert float(by_layer["0"]) > 0.05 > float(by_layer["6"])
    assert "20 of 27 occurrences of “mouse”, a sample stratified by year, in mouse.npz." in export
    # The programs for other libraries that are here; `benchmarks.elsewhere stores` runs all.
    assert main([*shlex.split(block.splitlines()[1])[1:], "--format", "json"]) == 0
    wanted = json.loads(capsys.readouterr().out)
    (query,) = (one for one, _ in PROGRAM.findall(CORPUS) if "np.save(" in one)
    run(query)
    begin, each = programs(CORPUS)
    for code in (code for title, code in each if title.startswith(("pandas", "PyArrow"))):
        shown: list[Any] = []
        exec(begin + code, {"print": lambda *found, shown=shown: shown.extend(found)})
        cosines, sentences = shown if len(shown) == 2 else shown[0].to_numpy().T
        assert [*sentences] == [row["sentence"] for row in wanted]
        assert [*cosines] == pytest.approx([row["cosine"] for row in wanted], abs=1e-6)
    assert {title.split()[0] for title, _ in each + programs(FILES)[1]} == {
        "Polars", "DuckDB", "pandas", "PyArrow", "datasets", "FAISS", "LanceDB", "gensim", "Chroma",
        "sqlite-vec", "pgvector",
    }  # fmt: skip


@pytest.mark.parametrize("example", sum(EXAMPLES.values(), ()))
def test_the_examples_of_the_command_are_understood(example: str) -> None:
    options, further = parser().parse_known_args(shlex.split(example))
    assert options.subcommand == example.split()[0]
    assert example in EXAMPLES[options.subcommand]
    assert not further or options.subcommand == "run"


@pytest.mark.parametrize(("path", "text"), written().items(), ids=lambda one: str(one)[-10:])
def test_what_is_written_from_the_code_is_up_to_date(path: Path, text: str) -> None:
    assert TEXTS[path] == text, "make links"


@pytest.mark.parametrize("document", TEXTS, ids=lambda path: path.name)
def test_no_link_leads_nowhere(document: Path) -> None:
    def headings(text: str) -> set[str]:
        titles = re.findall(r"(?m)^#+ (.+?)\s*$", re.sub(r"(?s)```.*?```", "", text))
        return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}

    text = re.sub(r"(?s)```.*?```|`[^`\n]*`", "", TEXTS[document])
    for found in re.findall(r"(?m)!?\[[^\]]*\]\(([^)\s]+)\)|^\[[^\]]+\]: (\S+)", text):
        parts = urlsplit("".join(found))
        target = (document.parent / unquote(parts.path)).resolve() if parts.path else document
        if not parts.scheme and not parts.netloc:
            assert target.exists(), found
            assert not parts.fragment or unquote(parts.fragment) in headings(TEXTS[target]), found


def test_what_is_named_as_code_exists() -> None:
    without_how_tos, *_ = CONTRIBUTING.partition("## How to add")  # they name files to be made
    named = README + without_how_tos + SECURITY
    for path in re.findall(
        r"`((?:tests|scripts|benchmarks|bertviz_core|docs|\.streamlit)/[\w./-]*)`", named
    ):
        assert (ROOT / path).exists(), path
    for path in re.findall(r"`((?:ui|encoder|figures)/[\w./]*)`", named):
        assert (ROOT / "bertviz_core" / path).exists(), path
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    for command in re.findall(r"`make ([\w-]+)`", named):
        assert re.search(rf"(?m)^{command}:", makefile), command


def test_every_page_and_every_room_has_its_row() -> None:
    rows = re.findall(r"(?m)^\| (.+?) \| .+\? \|", README)
    names = [path.stem.partition("_")[2].replace("_", " ") for path in ROOT.glob("pages/*.py")]
    assert sorted(rows) == sorted(["Home", *names])
    table = CONTRIBUTING.partition("| room of")[2].partition("\n\n")[0]
    rooms = {path.parent.name for path in (ROOT / "bertviz_core").glob("*/__init__.py")}
    assert set(re.findall(r"`(\w+)/`", table)) - {"bertviz_core"} == rooms


def test_every_question_mark_has_its_answer_and_every_entry_is_led_to() -> None:
    titles = re.findall(r"(?m)^### (.+)$", METHODS)
    headings = [re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-") for title in titles]
    of_all = {"what-the-model-in-use-is", "sentences-and-their-conditions"}
    of_all |= {"words-used-throughout", "processor-or-graphics-card"}
    code = "".join(
        path.read_text(encoding="utf-8")
        for room in ("views", "ui") for path in (ROOT / "bertviz_core" / room).rglob("*.py")
    )  # fmt: skip
    assert len(headings) == len(set(headings))
    assert {*re.findall(r'(?i)\bmethod ?= ?"([\w-]+)"', code)} <= {*headings}
    for name in headings:
        assert name in of_all or f'"{name}"' in code, name
        assert best_methods(name) == [name]
        assert name in best_methods(methods()[name][0])[:2]
