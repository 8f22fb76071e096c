"""Programs run in this process, without the network; what they print is read as numbers."""

import io
import re
import socket
from collections.abc import Callable
from contextlib import ExitStack, redirect_stdout
from functools import cache, partial
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
from numpy.typing import NDArray

from bertviz_core.bert import Bert
from bertviz_core.snippets.fill import filled

NUMBER = re.compile(r"-?\d+\.?\d*(?:e[+-]?\d+)?")
CHANGES_ITS_MODEL = re.compile(r"\.train\(|requires_grad_\(False|\.backward\(")


def run(program: str) -> tuple[str, dict[str, Any]]:
    """Run a program; return what it printed, and its names."""
    names: dict[str, Any] = {"__name__": "__main__"}
    printed = io.StringIO()
    forbidden = AssertionError("a program reached for the network")
    with patch.object(socket.socket, "connect", side_effect=forbidden), redirect_stdout(printed):
        exec(compile(program, "program", "exec"), names)
    return printed.getvalue(), names


def run_filled(name: str, bert: Bert, /, **values: Any) -> tuple[str, dict[str, Any]]:
    """Fill a program and run it; a folder that the reader has to put in is put in.

    What it opens and only reads is opened once for all tests. `run` opens it anew.
    """
    from transformers import AutoTokenizer, BertModel

    program = filled(name, bert, **values)
    assert "bertviz_core" not in program
    kept = [AutoTokenizer] if CHANGES_ITS_MODEL.search(program) else [AutoTokenizer, BertModel]
    with ExitStack() as stack:
        for kind in kept:
            opener = partial(_opened, kind.from_pretrained)
            stack.enter_context(patch.object(kind, "from_pretrained", opener))
        return run(program.replace(f"'path/to/{bert.name}'", repr(str(bert.checkpoint.folder))))


@cache
def _opened(opener: Callable[..., Any], checkpoint: str | Path, **options: Any) -> Any:
    return opener(checkpoint, **options)


def numbers(printed: str) -> NDArray[np.float64]:
    """All numbers of a text, in order."""
    return np.array(NUMBER.findall(printed), dtype=np.float64)
