"""What one has after `pip install`: the command, the app and all its files, away from the clone."""

import asyncio
import tomllib
import zipfile
from typing import Any

import pytest

from benchmarks.session import Viewer
from bertviz_core import __version__
from bertviz_core.ui.frame import pages
from tests.installed import ROOT, Installed, install

pytestmark = pytest.mark.slow


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
            *(page.script for page in pages()),
            ".streamlit/config.toml",
            "docs/methods.md",
        )
    }
    assert files.keys() == expected.keys()
    assert "bertviz_core/py.typed" in files
    assert all(files[name] == path.read_bytes() for name, path in expected.items())


def test_the_command(installed: Installed) -> None:
    version = installed.run(installed.command, "--version")
    assert version.stdout == f"bert-explorer {__version__}\n"
    for subcommand in ("run", "occurrences", "nearest", "shift"):
        told = installed.run(installed.command, subcommand, "--help")
        assert told.returncode == 0
        assert f"bert-explorer {subcommand}" in told.stdout
    checked = installed.run(installed.command, "check")
    assert checked.returncode == 0, checked.stdout + checked.stderr
    assert f"bert-embedding-explorer {__version__}" in checked.stdout
    assert checked.stdout.endswith("\nready\n")


def test_what_the_wheel_needs_is_there(installed: Installed) -> None:
    done = installed.run(installed.folder / "bin" / "python", "-m", "pip", "check")
    problems = [line for line in done.stdout.splitlines() if "bert-embedding-explorer" in line]
    assert "pip" not in done.stderr
    assert not problems


class Tab(Viewer):
    """A viewer who also notes the colours that the server's settings give."""

    primary_color = ""

    def _take(self, message: Any) -> None:
        if message.WhichOneof("type") == "new_session":
            self.primary_color = message.new_session.custom_theme.primary_color
        super()._take(message)


async def every_page(address: str) -> str:
    """Open all of them; the colour in force."""
    async with Tab(address) as tab:
        for page in pages():
            run = await tab.open(page.address)
            assert run.problems == []
            headings = [element.heading.body for element in run.of_kind("heading")]
            assert headings, page.address
        return tab.primary_color


def test_the_app_runs_from_anywhere(installed: Installed) -> None:
    settings = tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text(encoding="utf-8"))
    with installed.serving() as (address, server):
        color = asyncio.run(every_page(address))
        server.terminate()
        server.wait(timeout=20)  # one process: what ends it ends the app
        with pytest.raises(OSError, match="Connect call failed"):
            asyncio.run(every_page(address))
    assert color == settings["theme"]["primaryColor"]
    assert list((installed.folder / "work").iterdir()) == []
    place = installed.run(installed.folder / "bin" / "python", "-c",
                          "import bertviz_core; print(bertviz_core.__file__)")  # fmt: skip
    assert place.stdout.startswith(f"{installed.folder}/")  # not the clone's
