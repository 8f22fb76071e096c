"""Programs run in this process, without the network; what they print is read as numbers."""

import io
import re
import socket
from contextlib import redirect_stdout
from typing import Any
from unittest.mock import patch

import numpy as np
from numpy.typing import NDArray

from bertviz_core.bert import Bert
from bertviz_core.views.programs import filled

NUMBER = re.compile(r"-?\d+\.?\d*(?:e[+-]?\d+)?")


def run(program: str) -> tuple[str, dict[str, Any]]:
    """Run a program; return what it printed, and its names."""
    names: dict[str, Any] = {"__name__": "__main__"}
    printed = io.StringIO()
    forbidden = AssertionError("a program reached for the network")
    with patch.object(socket.socket, "connect", side_effect=forbidden), redirect_stdout(printed):
        exec(compile(program, "program", "exec"), names)
    return printed.getvalue(), names


def run_filled(template: str, bert: Bert, /, **values: Any) -> tuple[str, dict[str, Any]]:
    """Fill a template and run it; a folder that the reader has to put in is put in."""
    program = filled(template, bert, values)
    return run(program.replace(f"'path/to/{bert.name}'", repr(str(bert.checkpoint.folder))))


def numbers(printed: str) -> NDArray[np.float64]:
    """All numbers of a text, in order."""
    return np.array(NUMBER.findall(printed), dtype=np.float64)
