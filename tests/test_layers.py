"""Imports go one way; pages stay thin. Read from the source, nothing is run."""

import ast
import re
import sys
from collections.abc import Iterable
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).parents[1]
CORE = ROOT / "bertviz_core"
UI = CORE / "ui"
# What is copied into the programs that pages show: no module of ours.
PROGRAM_FUNCTIONS = CORE / "views" / "program_functions.py"
MODULES = sorted(set(CORE.rglob("*.py")) - {PROGRAM_FUNCTIONS})
PAGES = [ROOT / "app.py", *sorted((ROOT / "pages").glob("*.py"))]

# What each room of the core may import from it, beside these six: the way of the data.
OF_EVERY_ROOM = {"errors", "arrays", "result", "disk_cache", "showable", "decoding"}
TEXT = {"checkpoints", "bert", "tokens"}
MODEL = TEXT | {"encoder", "contextual"}
ALLOWED: dict[str, set[str]] = {
    "__init__": MODEL | {"embeddings", "neighbors"},
    "checkpoints": set(),
    "disk_cache": {"checkpoints"},
    "bert": {"checkpoints"},
    "tokens": {"checkpoints", "bert"},
    **dict.fromkeys(("embeddings", "neighbors", "positions", "encoder"), TEXT),
    **dict.fromkeys(("contextual", "shared"), TEXT | {"encoder"}),
    "calibration": MODEL | {"neighbors", "senses", "saved_files"},
    "senses": MODEL,
    "corpus": MODEL | {"senses", "process"},
    "views": MODEL
    | {"embeddings", "neighbors", "positions", "calibration", "senses", "corpus"}
    | {"figures", "shared", "process", "saved_files"},
    "command": MODEL | {"saved_files", "embeddings", "senses", "corpus", "process"},
}
HEAVY = {"torch", "transformers", "sentence_transformers", "sklearn"}


class Imports(NamedTuple):
    """What a file imports: anywhere, when it is imported itself, and for its types only."""

    anywhere: list[str]
    top: list[str]
    for_types: list[str]


def tree_of(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


@cache
def imports_of(path: Path) -> Imports:
    tree = tree_of(path)
    top = [node for node in tree.body if isinstance(node, ast.Import | ast.ImportFrom)]
    for_types = [
        node for node in tree.body
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"
    ]  # fmt: skip
    return Imports(
        imports(tree),
        [name for node in top for name in imports(node)],
        [name for node in for_types for name in imports(node)],
    )


def imports(tree: ast.AST) -> list[str]:
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "imports name the whole path"
            found += [f"{node.module}.{alias.name}" for alias in node.names]
    return found


def roots(names: Iterable[str]) -> set[str]:
    return {name.split(".")[0] for name in names}


def of_ours(names: list[str]) -> list[tuple[str, ...]]:
    """The modules of the core among imported names, as parts of their paths."""
    return [tuple(name.split(".")[1:]) for name in names if name.startswith("bertviz_core.")]


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(CORE)))
def test_module(path: Path) -> None:
    parts = path.relative_to(CORE).with_suffix("").parts
    room = parts[0]
    names, top, for_types = imports_of(path)
    assert not roots(top) & HEAVY, "torch, transformers and scikit-learn are imported when needed"
    if room != "encoder":
        running = set(names).difference(for_types)
        assert not roots(running) & {"torch", "transformers"}, "only encoder/ runs the model"
    if room != "ui":
        assert "streamlit" not in roots(names), "only ui/ and the pages know Streamlit"
    if room not in ("figures", "views", "ui"):
        assert "plotly" not in roots(names), "only figures/, views/ and ui/ know Plotly"
    assert ("views", "program_functions") not in {name[:2] for name in of_ours(names)}
    if room != "ui":
        used = {name[0] for name in of_ours(names)} - OF_EVERY_ROOM
        allowed = ALLOWED.get(room, set()) | {room}
        assert used <= allowed, f"{room} may import {sorted(allowed)}"
    elif len(parts) == 2 and parts[1] != "page":  # which shows the tour's bar on every page
        rooms = {name[1] for name in of_ours(names) if name[0] == "ui" and len(name) > 1}
        assert "tour" not in rooms, "ui/'s own files know nothing of its rooms"


def test_no_module_imports_itself_in_a_circle() -> None:
    """Also not by way of an import inside a function."""
    known = {".".join(("bertviz_core", *path.relative_to(CORE).with_suffix("").parts))
             .removesuffix(".__init__"): path for path in MODULES}  # fmt: skip
    leads = {}
    for name, path in known.items():
        named = imports_of(path).anywhere
        found = {one if one in known else one.rpartition(".")[0] for one in named}
        leads[name] = found & known.keys() - {name}
    TopologicalSorter(leads).prepare()  # raises a CycleError that names them


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_page(path: Path) -> None:
    """It asks and shows. Its file runs anew for each visitor: it keeps nothing, begins no job."""
    tree = tree_of(path)
    names = imports(tree)
    assert roots(names) <= {"streamlit", "bertviz_core"} | sys.stdlib_module_names
    kept = {"functools.cache", "functools.lru_cache", "threading", "pickle"}
    assert not kept & {name for name in names if not name.startswith("bertviz_core")}
    ours = of_ours(names)
    assert not {name[:2] for name in ours} & {("shared", "once"), ("shared", "results")}
    assert all(name[2:] == ("waiting",) for name in ours if name[:2] == ("ui", "jobs"))
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    assert not any(node.decorator_list for node in functions)


def test_every_page_is_in_the_sidebar() -> None:
    from bertviz_core.ui import page

    # A phone of a hall is shown one question, and no list.
    listed = [path for path in PAGES if not path.stem.endswith("_Hall")]
    assert [one.script for one in page.PAGES] == [str(path.relative_to(ROOT)) for path in listed]
    for entry in page.PAGES:
        begins = re.compile(rf'page\.begin\(\s*"{entry.title}"')
        assert begins.search((ROOT / entry.script).read_text(encoding="utf-8")), entry


def test_user_text_goes_through_one_module() -> None:
    """Markdown and HTML with a value in it are written in html, links, page, draw."""
    for path in [*PAGES, *sorted(UI.rglob("*.py"))]:
        source = path.read_text(encoding="utf-8")
        assert "unsafe_allow_html" not in source
        if path.stem in ("html", "links", "page", "draw"):
            continue
        for node in ast.walk(ast.parse(source)):
            if isinstance(node, ast.Call) and ast.unparse(node.func) in (
                "st.html", "st.markdown", "st.write", "st.error", "st.warning", "st.info",
            ):  # fmt: skip
                assert all(isinstance(arg, ast.Constant) for arg in node.args), ast.unparse(node)


def test_nothing_is_unpickled_and_no_code_of_a_model_runs() -> None:
    """SECURITY.md promises it: by the only ways into them that Python, NumPy and torch have."""
    source = "".join(path.read_text(encoding="utf-8") for path in CORE.rglob("*.py"))
    for way in (r"^\s*(import|from) (pickle|dill|joblib|shelve|marshal)", r"torch\.load\(",
                r"allow_pickle=True", r"trust_remote_code=True", r"read_pickle"):  # fmt: skip
        assert not re.search(way, source, re.MULTILINE), way
    loads = re.findall(r"np\.load\([^)]*\)", source)
    assert loads
    assert all("allow_pickle=False" in load for load in loads)
