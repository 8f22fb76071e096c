"""Imports go one way; pages stay thin. Read from the source, nothing is run."""

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
CORE = ROOT / "bertviz_core"
MODULES = sorted(CORE.rglob("*.py"))
PAGES = [ROOT / "app.py", *sorted((ROOT / "pages").glob("*.py"))]

# What each module of the core may import from it, beside errors: the direction of the data.
BASE = {"catalog", "checkpoint", "tables", "vocabulary", "bert", "hub_errors"}
ALLOWED = {
    "__init__": set(),
    "errors": set(),
    "catalog": set(),
    "checkpoint": {"catalog"},
    "hub_errors": {"catalog", "checkpoint"},
    "download": {"catalog", "checkpoint", "hub_errors"},
    "background": {"catalog", "checkpoint", "download"},
    "tables": {"checkpoint"},
    "vocabulary": set(),
    "bert": {"checkpoint", "tables", "vocabulary"},
    "tokens": BASE,
    "embeddings": BASE | {"tokens"},
    "query": BASE | {"tokens"},
    "neighbors": BASE | {"query"},
    "marks": set(),
    "projection": set(),
    "encoder": BASE | {"tokens", "census"},
    "calibration": BASE | {"tokens", "encoder"},
    "sense_pairs": BASE | {"tokens", "encoder", "marks", "contextual"},
    "contextual": BASE | {"tokens", "encoder", "marks"},
    "influence": BASE | {"tokens", "encoder", "contextual"},
    "lens": BASE,
    "context_neighbors": BASE | {"tokens", "encoder", "contextual"},
    "agreement": {"contextual"},
    "senses": BASE | {"tokens", "encoder", "marks", "contextual"},
    "word_pair": BASE | {"tokens", "marks", "contextual"},
    "census": {"checkpoint"},
    "tensor_statistics": {"checkpoint", "census"},
    "wordpieces": BASE | {"tokens"},
    "batches": BASE | {"tokens"},
    "lookup": BASE | {"tokens"},
    "decoding": BASE | {"tokens"},
    "pair_segments": BASE | {"tokens"},
    "positions": set(),
    "sinusoids": set(),
    "likeness": {"positions"},
    "segment_table": BASE | {"positions"},
    "changes": BASE | {"tokens"},
    "parts": BASE | {"tokens", "embeddings"},
    "waterfall": BASE | {"tokens", "embeddings"},
    "outliers": BASE | {"tokens", "embeddings"},
    "rows": BASE | {"tokens", "embeddings"},
    "dimensions": BASE,
    "snippets": BASE | {"tokens", "calibration", "senses"},
}
HEAVY = {"torch", "transformers", "sentence_transformers", "sklearn"}


def imports(tree: ast.AST) -> list[str]:
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "imports name the whole path"
            found += [f"{node.module}.{alias.name}" for alias in node.names]
    return found


def roots(names: list[str]) -> set[str]:
    return {name.split(".")[0] for name in names}


def typing_only(tree: ast.Module) -> list[str]:
    blocks = [
        node for node in tree.body
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"
    ]  # fmt: skip
    return [name for block in blocks for name in imports(block)]


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(CORE)))
def test_module(path: Path) -> None:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    parts = path.relative_to(CORE).with_suffix("").parts
    part = parts[0]
    names = imports(tree)
    top = [name for node in tree.body for name in imports(node) if not isinstance(node, ast.If)
           and isinstance(node, ast.Import | ast.ImportFrom)]  # fmt: skip
    assert not roots(top) & HEAVY, "torch, transformers and scikit-learn are imported when needed"
    if part != "encoder":
        running = [name for name in names if name not in typing_only(tree)]
        assert not roots(running) & {"torch", "transformers"}, "only encoder/ runs the model"
    if part != "ui":
        assert "streamlit" not in roots(names), "only ui/ and the pages know Streamlit"
    if part not in ("figures", "ui"):
        assert "plotly" not in roots(names), "only figures/ and ui/ know Plotly"
    ours = {name.split(".")[1] for name in names if name.startswith("bertviz_core.")} - {"errors"}
    if part == "ui":
        return
    if part == "figures":
        assert ours <= {"figures"}, "a figure takes arrays and labels, no model"
    else:
        allowed = ALLOWED[part] | ({part} if len(parts) > 1 else set())
        assert ours <= allowed, f"{part} may import {sorted(allowed)}"


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_page(path: Path) -> None:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    names = imports(tree)
    assert roots(names) <= {"streamlit", "bertviz_core"}
    assert not any(name.startswith("pages") for name in names)
    forbidden = (
        ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | ast.ClassDef | ast.Try | ast.For
    )
    found = [type(node).__name__ for node in ast.walk(tree) if isinstance(node, forbidden)]
    assert not found, f"a page asks and shows; found {found}"
    called = {ast.unparse(node.func) for node in ast.walk(tree) if isinstance(node, ast.Call)}
    assert not {name for name in called if "cache" in name or "from_pretrained" in name}
    assert len(path.read_text(encoding="utf-8").splitlines()) <= 90


def test_every_page_is_in_the_sidebar() -> None:
    from bertviz_core.ui.frame import PAGES as LISTED

    assert {entry.script for entry in LISTED} == {str(path.relative_to(ROOT)) for path in PAGES}


def test_user_text_goes_through_one_module() -> None:
    """Markdown and HTML with a value in it are written in ui/html.py, ui/links.py, ui/frame.py."""
    for path in [*PAGES, *sorted((CORE / "ui").glob("*.py"))]:
        source = path.read_text(encoding="utf-8")
        assert "unsafe_allow_html" not in source
        if path.stem in ("html", "links", "frame", "token_views"):
            continue
        for node in ast.walk(ast.parse(source)):
            if isinstance(node, ast.Call) and ast.unparse(node.func) in (
                "st.html", "st.markdown", "st.write", "st.error", "st.warning", "st.info",
            ):  # fmt: skip
                assert all(isinstance(arg, ast.Constant) for arg in node.args), ast.unparse(node)


def test_files_stay_small() -> None:
    long = {
        str(path.relative_to(ROOT)): lines
        for path in MODULES
        if (lines := len(path.read_text(encoding="utf-8").splitlines())) > 300
    }
    assert not long
