"""The one place where errors meant for the user become sentences on the page."""

from collections.abc import Iterator
from contextlib import contextmanager

import streamlit as st

from bertviz_core.errors import BertvizError
from bertviz_core.ui.html import alert


@contextmanager
def errors_shown(*, stop: bool = True) -> Iterator[None]:
    """Show a `BertvizError` raised inside as a sentence, and end the page there.

    Args:
        stop: False lets the page go on after the block, where what follows stands by itself.

    Any other exception is a defect: it passes, and Streamlit logs its traceback.
    """
    try:
        yield
    except BertvizError as error:
        alert(str(error))
        if stop:
            st.stop()
