"""The one place where errors become sentences on the page."""

import logging
import secrets
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import ParamSpec

import streamlit as st

from bertviz_core.errors import BertvizError
from bertviz_core.ui import slots
from bertviz_core.ui.html import alert

Arguments = ParamSpec("Arguments")
_log = logging.getLogger(__name__)


@contextmanager
def errors_shown(*, stop: bool = True) -> Iterator[None]:
    """Show an error raised inside as a sentence, and end the page there, unless `stop` is False.

    A `BertvizError` is meant for the user. Any other exception is a defect: the page shows a
    reference, and the log has its traceback under it. With `client.showErrorDetails` other than
    "none" a defect passes, and Streamlit shows it.
    """
    try:
        yield
    except BertvizError as error:
        alert(str(error))
    except Exception as error:
        if st.get_option("client.showErrorDetails") != "none":
            raise
        # Without the error's message, which may hold a user's text.
        reference, kind = secrets.token_hex(3), type(error).__name__
        frames = "".join(traceback.format_tb(error.__traceback__))
        _log.error("Failed run, reference %s: %s\n%s", reference, kind, frames)
        alert(
            "Something went wrong in the app. Your input is fine. The operator finds the cause in "
            f"the log under the reference {reference}."
        )
    else:
        return
    if stop:
        st.stop()


def fragment(show: Callable[Arguments, None]) -> Callable[Arguments, None]:
    """Turn a function into a part of the page that runs again alone, with `errors_shown` in it.

    When it runs alone, nobody around it catches its errors, nor those of its fields. It has a slot
    of its own name, because the container of a fragment has none; see `ui.slots`.
    """

    @st.fragment
    @wraps(show)
    def run(*args: Arguments.args, **kwargs: Arguments.kwargs) -> None:
        with errors_shown(stop=False):
            show(*args, **kwargs)

    @wraps(show)
    def placed(*args: Arguments.args, **kwargs: Arguments.kwargs) -> None:
        with slots.part(show.__name__.strip("_").replace("_", "-")):
            run(*args, **kwargs)

    return placed
