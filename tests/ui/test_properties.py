"""Any address of every page: a result or a sentence, in bounded time and memory.

A run of a page takes 50 to 300 ms, so CI tries few of them; `make fuzz` shares 20,000 among the
pages. A defect is an exception on the page here, see `tests/headless.py`.
"""

from functools import cache

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bertviz_core.tokens.tokenized_text import without_lone_surrogates
from tests.fuzz import answers, examples, texts, whole_numbers
from tests.headless import bound, open_page
from tests.hostile import assert_harmless
from tests.ui.test_pages import PAGES

pytestmark = pytest.mark.usefixtures("fresh_caches")

VISITS = examples(3, share=1 / len(PAGES))
# Of these fields each choice shows others.
SECTIONS = {"section", "from"}
# No browser can put half of a surrogate pair into an address.
WRITTEN = st.one_of(
    texts(6_000).map(without_lone_surrogates),
    whole_numbers().map(str),
    st.sampled_from(["", "nan", "1e999", "true", "0,1"]),
)


@cache
def fields(script: str, **query: str) -> dict[str, list[str]]:
    """The fields of the address that a page has, each with its choices; none where one types."""
    found = bound(open_page(script, **query))
    return {
        key: [str(one) for one in getattr(field, "options", [])] for key, field in found.items()
    }


@pytest.mark.parametrize("script", PAGES)
@given(data=st.data())
@VISITS
def test_any_address(script: str, data: st.DataObject) -> None:
    query: dict[str, str | list[str]] = {}
    known = fields(script)
    for key in sorted(SECTIONS & set(known)):
        if key not in known:  # another source has no section before it has a file
            continue
        query[key] = data.draw(st.sampled_from(known[key]), label=key)
        known = fields(script, **query)
    others = [*sorted(set(known) - set(query)), "present", "tour", "no such field"]
    for key in data.draw(st.lists(st.sampled_from(others), max_size=6, unique=True), label="keys"):
        one = st.sampled_from(known[key]) | WRITTEN if known.get(key) else WRITTEN
        query[key] = data.draw(one | st.lists(one, max_size=3), label=key)
    with answers():
        assert_harmless(open_page(script, **query))
