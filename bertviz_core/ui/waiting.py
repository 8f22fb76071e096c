"""Something of the result's size while the result is computed."""

from collections.abc import Iterator
from contextlib import contextmanager

import streamlit as st


@contextmanager
def waiting(doing: str, height: int) -> Iterator[None]:
    """Say what is being done, over a grey shape where the result will stand.

    Args:
        doing: Shown beside a spinner.
        height: Of the shape, in pixels, so that little jumps when the result comes.
    """
    shape = st.empty()
    with st.spinner(doing):
        shape.skeleton(height)
        try:
            yield
        finally:
            shape.empty()
