"""A plugin of pytest for a Python that has no torch: `make test-python`.

A test that fails where torch was asked for is skipped and counted; any other failure is one. So is
a file of tests that imports torch at its top. If most are skipped, nothing was tested, and the run
fails.
"""

import builtins
import os
import re
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest

_AT_TOP = re.compile(r"(?m)^(?:import|from) (?:torch|transformers)\b")
# As Python and transformers say it, also in the log of a thread or the output of a process.
_OF_TORCH = re.compile(r"No module named 'torch'|name 'torch' is not|requires( the)? PyTorch"
                       r"|torch is not installed")  # fmt: skip
os.environ["CI"] = "true"  # pytest then prints what a page shows in full, the reason as well
_import = builtins.__import__
_reports = {"passed": 0, "skipped": 0}
_asked = False


def _noticed(name: str, *arguments: Any, **options: Any) -> Any:
    """Import as always; the app may make a sentence of the error, so it is noticed here."""
    global _asked
    try:
        return _import(name, *arguments, **options)
    except ImportError as error:
        _asked |= error.name == "torch"
        raise


builtins.__import__ = _noticed


def pytest_ignore_collect(collection_path: Path) -> bool | None:
    """Leave out files that cannot even be read."""
    if collection_path.suffix != ".py":
        return None
    return bool(_AT_TOP.search(collection_path.read_text(encoding="utf-8"))) or None


def pytest_runtest_setup() -> None:
    """A new test has asked for nothing."""
    global _asked
    _asked = False


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Turn a failure for want of torch into a skip."""
    report = yield
    told = "".join([report.longreprtext, *(text for _, text in report.sections)])
    if report.failed and (_asked or _OF_TORCH.search(told)):
        report.outcome = "skipped"
        report.longrepr = (__file__, 1, "there is no torch")
    if report.outcome in _reports and (report.when == "call" or report.skipped):
        _reports[report.outcome] += 1
    return report


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Fail if this tested next to nothing."""
    if _reports["passed"] < _reports["skipped"]:
        session.exitstatus = pytest.ExitCode.NO_TESTS_COLLECTED
