"""The command, in this process."""

from collections.abc import Callable

import pytest

from bertviz_core.command.main import main

Run = Callable[..., tuple[object, str, str]]


@pytest.fixture
def command(capsys: pytest.CaptureFixture[str]) -> Run:
    """Runs the command: its exit code, what it printed, and what it said of errors."""

    def run(*given: object) -> tuple[object, str, str]:
        capsys.readouterr()
        try:
            code: object = main([str(one) for one in given])
        except SystemExit as ended:  # a wrong argument
            code = ended.code
        return code, *capsys.readouterr()

    return run
