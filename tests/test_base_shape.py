"""Every page on a folder checkpoint of bert-base's shape: 12 layers of 768 dimensions."""

from pathlib import Path

import pytest

from benchmarks.base_shaped import NAME, made_in, offered
from tests.headless import ROOT, charts, html, open_page

pytestmark = pytest.mark.usefixtures("fresh_caches")
PAGES = sorted(f"pages/{path.name}" for path in (ROOT / "pages").glob("*.py"))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return made_in(tmp_path_factory.mktemp("base") / NAME)


@pytest.mark.parametrize("script", PAGES)
def test_a_page(script: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in offered(folder).items():
        monkeypatch.setenv(name, value)
    app = open_page(script)
    assert app.selectbox(key="model").value == NAME
    assert "bx-alert" not in html(app)
    assert charts(app)
