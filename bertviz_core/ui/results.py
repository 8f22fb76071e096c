"""Results of the encoder: one pass at a time, each computed once for all viewers."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import Concatenate, ParamSpec, TypeVar

import streamlit as st

from bertviz_core.bert import Bert
from bertviz_core.encoder import Encoder
from bertviz_core.ui.memory import models

Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")
_PASS = threading.Lock()
_inside: int | None = None  # the thread that holds the gate


def _let_streamlit_end_the_run() -> None:
    """A run that a newer one has replaced ends at any look at the session's state."""
    st.session_state.get("gate")


@contextmanager
def gate(check: Callable[[], object] = _let_streamlit_end_the_run) -> Iterator[None]:
    """Wait until the model is free, and keep it for the time of the block.

    torch cannot be interrupted, so quick edits would pile up behind a plain lock and all be
    computed.

    Args:
        check: Called while waiting; it may raise to give up. A job passes its own `check`.
    """
    global _inside
    if _inside == threading.get_ident():
        raise RuntimeError("The gate is not passed twice: ask for the inner result before.")
    while not _PASS.acquire(timeout=0.05):
        check()
    _inside = threading.get_ident()
    try:
        yield
    finally:
        _inside = None
        _PASS.release()


def encoder_result(
    *, max_entries: int, max_size: str = "16MB", library: bool = False
) -> Callable[
    [Callable[Concatenate[Encoder, Arguments], Result]],
    Callable[Concatenate[str, Arguments], Result],
]:
    """Turn a function of an encoder into one of a model's name, cached and behind the gate.

    Equal calls that arrive together are computed once. A result that is there does not wait.
    The function asks for no other such result: what it needs of one is given to it in an argument
    whose name begins with an underscore, which is not part of the key.

    Args:
        max_entries: How many results are kept, for all viewers.
        max_size: How much they may take together.
        library: Whether the function needs the library's own model; it is loaded before the gate,
            where all other viewers would wait for that.
    """

    def decorate(
        compute: Callable[Concatenate[Encoder, Arguments], Result],
    ) -> Callable[Concatenate[str, Arguments], Result]:
        @wraps(compute)
        def run(model: str, /, *args: Arguments.args, **kwargs: Arguments.kwargs) -> Result:
            with gate():
                encoder = models.encoder(model)
            if library:
                _ = encoder.model
            with gate():
                return compute(encoder, *args, **kwargs)

        cached = st.cache_data(max_entries=max_entries, max_size=max_size, show_spinner=False)
        return cached(run)

    return decorate


def library_doing(name: str, doing: str) -> str:
    """What to say while something runs that needs the library's own model of a checkpoint.

    Args:
        name: Of the checkpoint.
        doing: What runs; said by itself where nothing has to be loaded for it.
    """
    if models.has_library_model(name):
        return doing
    return f"Loading the library's own model, once, then: {doing[0].lower()}{doing[1:]}"


def ready_or_asked(bert: Bert, label: str, *, key: str) -> bool:
    """Ask for a click before the model is loaded; afterwards results come by themselves.

    Args:
        bert: The checkpoint whose encoder is needed.
        label: What the click does.
        key: Of the button.

    Returns:
        Whether to go on and run the model.
    """
    if models.has_encoder(bert.name) or st.button(
        label, icon=":material/play_arrow:", key=key, type="primary"
    ):
        return True
    st.caption("Loads the whole model once, a few seconds; afterwards the result stands here.")
    return False
