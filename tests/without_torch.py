"""A plugin of pytest for a Python that has no torch: `make test-python`.

A test that fails where torch was asked for is skipped and counted; any other failure is one. So is
a file of tests that imports torch at its top. If most are skipped, nothing was tested, and the run
fails.
"""

import builtins
import re
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest

_AT_TOP = re.compile(r"(?m)^(?:import|from) (?:torch|transformers)\b")
_import = builtins.__import__
_reports = {"passed": 0, "skipped": 0}
_asked = False


def _noticed(name: str, *arguments: Any, **options: Any) -> Any:
    """Import as always; the app may make a sentence of the error, so it is noticed here."""
    global _asked
    try:
        return _import(name, *arguments, **options)
    except ImportError as error:
        _asked |= _of_torch(error)
        raise


builtins.__import__ = _noticed


def _of_torch(error: BaseException | None) -> bool:
    """Whether an error, or what it came from, is that there is no torch."""
    while error is not None:
        if isinstance(error, ImportError) and (
            error.name == "torch" or "requires the PyTorch library" in str(error)
        ):
            return True
        error = error.__cause__ or error.__context__
    return False


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
    if report.failed and (
        _asked
        or _of_torch(call.excinfo and call.excinfo.value)
        or "No module named 'torch'" in report.longreprtext  # of a process that was started
    ):
        report.outcome = "skipped"
        report.longrepr = (__file__, 1, "there is no torch")
    if report.outcome in _reports and (report.when == "call" or report.skipped):
        _reports[report.outcome] += 1
    return report


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Fail if this tested next to nothing."""
    if _reports["passed"] < _reports["skipped"]:
        session.exitstatus = pytest.ExitCode.NO_TESTS_COLLECTED
