"""The halls that this process serves, and how a browser is known in them."""

import secrets
from functools import cache

import streamlit as st

from bertviz_core.checkpoints.checkpoint import kept_folder
from bertviz_core.hall.store import Halls
from bertviz_core.ui.server import NOTICES

PAGE = "Hall"  # of a phone, by its name in the address
_XSRF = "_streamlit_xsrf"
_PHONE = "phone"  # in the address, where a browser keeps no cookie


@cache
def halls() -> Halls:
    """The store; opened when somebody opens or enters a hall, and not before."""
    return Halls((kept_folder() / NOTICES).with_suffix(".sqlite"))


def browser() -> str:
    """The name of a browser, the same in all its tabs: the secret in a cookie of Streamlit's.

    In the cookie it is hidden anew each time: "2|mask|secret under the mask|time", in hexadecimal
    digits (streamlit/web/server, version 1.67).
    """
    parts = str(st.context.cookies.get(_XSRF, "")).split("|")
    try:
        mask, hidden = bytes.fromhex(parts[1]), bytes.fromhex(parts[2])
        return bytes(one ^ mask[i % len(mask)] for i, one in enumerate(hidden)).hex()
    except (IndexError, ValueError, ZeroDivisionError):
        return str(st.query_params.setdefault(_PHONE, secrets.token_hex(8)))
