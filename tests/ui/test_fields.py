"""Fields of all pages: what goes along from page to page, and what they cannot hold.

On the tiny model, whose pages take a few milliseconds.
"""

from collections import defaultdict
from functools import cache
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from tests.headless import ROOT, bound, open_page
from tests.ui.test_every_view import VIEWS as SECTIONS
from tests.ui.test_pages import PAGES

pytestmark = pytest.mark.usefixtures("mine")

SENSES = PAGES[5]
VIEWS = SECTIONS | {SENSES: [*SECTIONS[SENSES], {"from": "my own lines"}]}
# Another source needs a file, another section is another view, another model has a test of its own.
OTHERS = ("from", "section", "model")
TYPED = {
    "a": "A [bat] flew",
    "a2": "He swung the [bat]",
    "lines": "A bat flew\nHe swung the bat\nThe bat and the dog",
    "anchors": "dog, cat",
    "senseword": "bat",
    "q": "cat - dog + man",
    "alike": "The [cat] saw the [dog]",
}


def fields(app: AppTest) -> dict[str, Any]:
    """The fields of a page that are in its address, by their keys."""
    return {key: node for key, node in bound(app).items() if hasattr(node, "set_value")}


def another_value(key: str, field: Any) -> Any:
    """A value of a field that it does not have."""
    kind, now = type(field).__name__, field.value
    if kind in ("TextInput", "TextArea"):
        return TYPED.get(key, "The cat sat on the mat")
    if kind == "Toggle":
        return not now
    if kind == "NumberInput":
        return 1.0
    if kind == "Slider":
        if isinstance(now, list | tuple):
            return (field.min, max(field.max - 1, field.min))
        return field.min if now == field.max else field.max
    if isinstance(now, list):
        return list(field.options)[:1]
    return next((option for option in reversed(field.options) if str(option) != str(now)), now)


@cache
def changed(page: str) -> tuple[AppTest, dict[str, tuple[str, ...]]]:
    """A page after every field of every section was changed; each key with the kind of its field.

    A kind is the type of the value and the choices, where there are any.
    """
    kinds: dict[str, tuple[str, ...]] = {}
    app = open_page(page)
    for query in VIEWS.get(page) or [{}]:
        for key, section in query.items():
            if key in fields(app):  # the map is a section where something is searched
                app.get_by_key(key).set_value(section).run()
        for key in [key for key in fields(app) if key not in (*OTHERS, *query)]:
            if (field := fields(app).get(key)) is None:  # another choice has taken it away
                continue
            choices = [str(option) for option in getattr(field, "options", ())]
            kinds[key] = type(another_value(key, field)).__name__, *choices
            field.set_value(another_value(key, field)).run()
            assert not app.exception, (page, query, key)
    return app, kinds


def test_from_every_page_to_every_other_with_every_field_changed() -> None:
    by_key: defaultdict[str, dict[str, tuple[str, ...]]] = defaultdict(dict)
    for page in PAGES:
        app, kinds = changed(page)
        for key, kind in kinds.items():
            by_key[key][page] = kind
        for other in PAGES:
            if other != page:
                app.switch_page(other).run()
                assert not app.exception, (page, other)
                app.switch_page(page).run()
                assert not app.exception, (other, page)
    # A key that means two things would be one field's value in the other.
    assert {key: kinds for key, kinds in by_key.items() if len(set(kinds.values())) > 1} == {}
    assert {"a", "k", "layer", "lines", "q", "row"} <= set(by_key)


@pytest.mark.parametrize("page", PAGES)
def test_a_value_that_a_field_cannot_hold_is_dropped(page: str) -> None:
    _, kinds = changed(page)
    for stranger in (["a", {}], 1e300, "x", True):
        app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=60)
        app.switch_page(page)
        for key in kinds:
            app.session_state[key] = stranger
        app.run()
        assert not app.exception, stranger
    numeric = [key for key, kind in kinds.items() if kind[0] in ("int", "float", "tuple")]
    for number in ("1e999", "9" * 400):
        open_page(page, **dict.fromkeys(numeric, number))
