"""What all viewers share: models in memory, and results of the encoder, one pass at a time."""

from collections.abc import Callable
from contextlib import AbstractContextManager, suppress
from functools import wraps
from inspect import signature
from typing import Concatenate, ParamSpec, TypeVar

import streamlit as st

from bertviz_core.bert import Bert
from bertviz_core.claims import BY_NAME, Verdict
from bertviz_core.encoder import Encoder
from bertviz_core.shared import models as models
from bertviz_core.shared import queue as queue
from bertviz_core.turns import tell_here
from bertviz_core.ui.jobs import Job

Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")


def _forget_results() -> None:
    st.cache_data.clear()  # results are kept under the model's name
    st.cache_resource.clear()


models.changed = _forget_results


@st.cache_data(max_entries=128, max_size="1MB", show_spinner=False)
def judged_by_tables(model: str, claim: str) -> Verdict:
    """Judge a claim, by its name, that needs a model's tables alone; see `claims.Claim`."""
    return BY_NAME[claim].condition(models.bert(model))


def let_streamlit_end_the_run() -> None:
    """A run that a newer one has replaced, or whose browser has gone, ends here.

    Streamlit asks it to stop, and it does at any look at the session's state.
    """
    st.session_state.get("gate")


def gate(
    job: Job | None = None, *, key: object = None, bounded: bool = True
) -> AbstractContextManager[None]:
    """Wait until the model is free, first come, first served, and keep it for a block.

    torch cannot be interrupted, so quick edits would pile up behind a plain lock and all be
    computed. Here whoever is no longer wanted leaves the queue.

    Args:
        job: Takes a turn for a job, from its own thread, instead of for a run of a page.
        key: Names the work, if equal work may share a place in the queue; see `FairQueue.turn`.
        bounded: False for the further turns of a job, which is not turned away half-way.

    Raises:
        ServerBusyError: Too many wait.
    """
    if job is not None:
        return queue.turn(key, check=job.check, tell=job.tell, bounded=bounded)
    return queue.turn(key, check=let_streamlit_end_the_run, tell=tell_here.get(), bounded=bounded)


class _NotKeptError(Exception):
    """The result is not there, and it is not this thread's turn to compute it."""


def encoder_result(
    *, max_entries: int, max_size: str = "16MB", library: bool = False
) -> Callable[
    [Callable[Concatenate[Encoder, Arguments], Result]],
    Callable[Concatenate[str, Arguments], Result],
]:
    """Turn a function of an encoder into one of a model's name, cached and behind the gate.

    Equal calls that arrive together are computed once. A result that is there does not wait.
    The function asks for no other such result: what it needs of one is given to it in an argument
    whose name begins with an underscore, which is not part of the key. Call it inside
    `show.waiting`, where the page says how many are before it.

    Args:
        max_entries: How many results are kept, for all viewers.
        max_size: How much they may take together.
        library: Whether the function needs the library's own model; it is loaded between two
            turns, as all other viewers would wait for that.
    """

    def decorate(
        compute: Callable[Concatenate[Encoder, Arguments], Result],
    ) -> Callable[Concatenate[str, Arguments], Result]:
        names = list(signature(compute).parameters)[1:]

        @st.cache_data(max_entries=max_entries, max_size=max_size, show_spinner=False)
        @wraps(compute)
        def kept(model: str, /, *args: Arguments.args, **kwargs: Arguments.kwargs) -> Result:
            if not queue.mine:
                raise _NotKeptError
            return compute(models.encoder(model), *args, **kwargs)

        # The waiting is outside of what is cached, which would repeat the messages to the page.
        @wraps(compute)
        def ask(model: str, /, *args: Arguments.args, **kwargs: Arguments.kwargs) -> Result:
            if not queue.mine:  # else the gate below says what is wrong
                with suppress(_NotKeptError):
                    return kept(model, *args, **kwargs)
            if library and not models.has_library_model(model):
                with gate(key=("load", model)):
                    encoder = models.encoder(model)
                _ = encoder.model
            given = dict(zip(names, args, strict=False)) | kwargs
            asked = {name: value for name, value in given.items() if not name.startswith("_")}
            with gate(key=(compute.__module__, compute.__qualname__, model, asked)):
                return kept(model, *args, **kwargs)

        return ask

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

    "Show me" on the guided tour was such a click.

    Args:
        bert: The checkpoint whose encoder is needed.
        label: What the click does.
        key: Of the button.

    Returns:
        Whether to go on and run the model.
    """
    if (
        models.has_encoder(bert.name)
        or "tour" in st.query_params
        or st.button(label, icon=":material/play_arrow:", key=key, type="primary")
    ):
        return True
    st.caption("Loads the whole model once, a few seconds; afterwards the result stands here.")
    return False
