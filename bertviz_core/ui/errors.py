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
from bertviz_core.ui.html import alert

Arguments = ParamSpec("Arguments")
_log = logging.getLogger(__name__)


@contextmanager
def errors_shown(*, stop: bool = True) -> Iterator[None]:
    """Show an error raised inside as a sentence, and end the page there.

    A `BertvizError` is meant for the user. Any other exception is a defect: the page shows a
    reference, and the log has its traceback under it. With `client.showErrorDetails` other than
    "none" a defect passes, and Streamlit shows it.

    Args:
        stop: False lets the page go on after the block, where what follows stands by itself.
    """
    try:
        yield
    except BertvizError as error:
        alert(str(error))
    except Exception as error:
        if st.get_option("client.showErrorDetails") != "none":
            raise
        reference = log_defect(error)
        alert(
            "Something went wrong in the app; it is not your input that is at fault. Whoever runs "
            f"it finds the cause in the log under the reference {reference}."
        )
    else:
        return
    if stop:
        st.stop()


def fragment(show: Callable[Arguments, None]) -> Callable[Arguments, None]:
    """Turn a function into a part of the page that runs again alone, with `errors_shown` in it.

    When it runs alone, nobody around it catches its errors, nor those of its fields.
    """

    @st.fragment
    @wraps(show)
    def run(*args: Arguments.args, **kwargs: Arguments.kwargs) -> None:
        with errors_shown(stop=False):
            show(*args, **kwargs)

    return run


def log_defect(error: Exception) -> str:
    """Write a traceback to the log, without the error's message, which may hold a user's text.

    Returns:
        The reference under which it stands there: six hexadecimal digits.
    """
    reference = secrets.token_hex(3)
    frames = "".join(traceback.format_tb(error.__traceback__))
    _log.error("Failed run, reference %s: %s\n%s", reference, type(error).__name__, frames)
    return reference
