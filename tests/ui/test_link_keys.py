"""What a link may carry: the table of keys, the pages, and docs/links.md."""

from urllib.parse import parse_qs, urlencode

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bertviz_core.tokens.tokenized_text import without_lone_surrogates
from bertviz_core.ui.page import PAGES
from bertviz_core.ui.state import cut_to_carry
from bertviz_core.views.declare import all_sections
from scripts import write_docs
from tests.headless import html, open_page

pytestmark = pytest.mark.usefixtures("fresh_caches", "kept_caches")

SCRIPTS = {page.title: page.script for page in PAGES}


def test_every_page_is_listed() -> None:
    assert set(write_docs.FIELDS) == set(SCRIPTS)


def test_what_is_not_offered_is_dropped() -> None:
    app = open_page(SCRIPTS["Positions and Segments"], row="9999", column="3", zoom="<b>some</b>")
    assert "some" not in html(app)
    assert (app.session_state["row"], app.session_state["column"]) == (100, 3)
    app = open_page(SCRIPTS["Tokens"], model="gpt2")
    assert app.selectbox(key="model").value == "all-MiniLM-L6-v2"


@given(text=st.text(max_size=60))
def test_a_text_comes_back_from_an_address(text: str) -> None:
    carried = cut_to_carry(text)
    address = urlencode({"a": carried})
    assert parse_qs(address, keep_blank_values=True) == {"a": [carried]}
    assert carried == without_lone_surrogates(text)


def test_a_key_is_of_one_kind_of_field_on_all_pages() -> None:
    """A value goes along from page to page; a field of another kind could not hold it."""
    kinds: dict[str, set[type]] = {}
    for section in all_sections():
        for field in section.fields.values():
            kinds.setdefault(field.key, set()).add(type(field))
    assert not {key: found for key, found in kinds.items() if len(found) > 1}
