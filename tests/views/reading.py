"""What a view shows, and what its programs print, read as numbers; nothing goes to the network."""

import io
import re
import socket
from contextlib import redirect_stdout
from dataclasses import replace
from typing import Any, NamedTuple
from unittest.mock import patch

import numpy as np
from numpy.typing import NDArray

from bertviz_core.bert import Bert
from bertviz_core.calibration import Scales
from bertviz_core.contextual.word_vectors import Pooling
from bertviz_core.encoder import Encoder
from bertviz_core.views.declare import Section
from bertviz_core.views.programs import program_text
from bertviz_core.views.view import View
from bertviz_core.views.word_in_context.comparison import compare
from tests.headless import unpacked


class Typed(NamedTuple):
    """What is typed on Word in Context."""

    sentences: tuple[str, ...]
    anchors: tuple[str, ...] = ()
    pooling: Pooling = "mean"


PET, CODING = "I love my pet [python]", "I love coding in [python]"
IDS_PROGRAM = '''
"""Tokens and text of token ids."""

token_ids = ...
tokenizer = ...
print(*tokenizer.convert_ids_to_tokens(token_ids))
print(tokenizer.decode(token_ids))
'''
PYTHON = Typed((PET, CODING), ("snake", "programming"))
SPLIT = Typed(("such [awesomesauce] here", "this is [awesomesauce]"), ("sauce", "great"))


def made(
    section: Section,
    encoder: Encoder,
    typed: Typed,
    layer: int,
    scales: Scales | None = None,
    **values: Any,
) -> View:
    """A view of Word in Context."""
    comparison = replace(compare(encoder, *typed), scales=scales)
    given = {"comparison": comparison, "encoder": encoder, "bert": encoder.bert, "layer": layer}
    return section.make(**{n: given[n] for n in section.needs if n in given}, **values)


def sent(view: View, name: str) -> dict[str, Any]:
    """A picture as the browser gets it: its "data" and "layout", with lists for arrays."""
    figure: dict[str, Any] = unpacked(view.pictures[name].figure.to_dict())
    return figure


def drawn(view: View, name: str, of: str = "y", trace: int = 0) -> np.ndarray:
    """The numbers that a trace of a picture shows."""
    return np.array(sent(view, name)["data"][trace][of], dtype=float)


NUMBER = re.compile(r"-?\d+\.?\d*(?:e[+-]?\d+)?")


def run(program: str, names: dict[str, Any] | None = None) -> str:
    """Run a program, which finds and leaves its names in a dict; return what it printed."""
    names = {} if names is None else names
    names["__name__"] = "__main__"
    printed = io.StringIO()
    forbidden = AssertionError("a program reached for the network")
    with patch.object(socket.socket, "connect", side_effect=forbidden), redirect_stdout(printed):
        exec(compile(program, "program", "exec"), names)
    return printed.getvalue()


def run_filled(template: str, bert: Bert, /, **values: Any) -> tuple[str, dict[str, Any]]:
    """Fill a template and run it; a folder that the reader has to put in is put in."""
    program = program_text(template, bert, values)
    names: dict[str, Any] = {}
    folder = repr(str(bert.checkpoint.folder))
    return run(program.replace(f"'path/to/{bert.name}'", folder), names), names


def numbers(printed: str) -> NDArray[np.float64]:
    """All numbers of a text, in order."""
    return np.array(NUMBER.findall(printed), dtype=np.float64)
