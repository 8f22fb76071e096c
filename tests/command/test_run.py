"""What `bert-explorer` hands to Streamlit, and what it refuses."""

import runpy
import sys

import pytest

from bertviz_core.command.main import main
from tests.headless import ROOT


@pytest.mark.parametrize("given", [[], ["--server.port", "8502"], ["--", "--server.port", "8502"]])
def test_streamlit_gets_the_app_and_further_options(
    given: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "argv", [])
    begun: list[str] = []
    monkeypatch.setattr(runpy, "run_module", lambda module, run_name: begun.append(module))
    assert main(["run", *given]) == 0
    assert begun == ["streamlit"]
    further = [option for option in given if option != "--"]
    assert sys.argv == ["streamlit", "run", str(ROOT / "app.py"), *further]
