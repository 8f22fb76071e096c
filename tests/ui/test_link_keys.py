"""What a link may carry: the table of keys, the pages, docs/links.md, and earlier links."""

import re

import pytest

from bertviz_core.ui import frame
from bertviz_core.ui.address import keys as link_keys
from tests.headless import ROOT, html, open_page, values

pytestmark = pytest.mark.usefixtures("fresh_caches", "kept_caches")

UI = ROOT / "bertviz_core" / "ui"
SCRIPTS = {page.title: page.script for page in frame.pages()}
ROOMS = {title: title.lower().replace(" ", "_") for title in SCRIPTS} | {
    "Positions and Segments": "positions"
}
# Every key that a link of any version carried, with its page. Lines are added, never taken away.
EVER = (ROOT / "tests" / "data" / "link_keys.txt").read_text(encoding="utf-8").splitlines()


def today() -> set[str]:
    keys = {title: {*link_keys.FIELDS[title], *link_keys.FOLDS[title]} for title in SCRIPTS}
    keys["every page"] = set(link_keys.EVERYWHERE)
    return {f"{title}: {key}" for title, of_page in keys.items() for key in of_page}


def before() -> set[str]:
    moved = {f"{title}: {key}" for title, key in link_keys.MOVED}
    return moved | {f"{title}: {key}" for title, keys in link_keys.GONE.items() for key in keys}


def test_no_key_has_vanished() -> None:
    assert set(link_keys.FIELDS) == set(link_keys.FOLDS) == set(SCRIPTS)
    assert not today() & before()
    assert today() | before() == set(EVER)
    assert len(EVER) == len(set(EVER))


@pytest.mark.parametrize("title", SCRIPTS)
def test_every_listed_key_has_its_field(title: str) -> None:
    """That the pages have no other keys, `open_page` looks at in every test."""
    paths = [UI / "inputs.py", *sorted((UI / ROOMS[title]).rglob("*.py"))]
    source = "".join(path.read_text(encoding="utf-8") for path in paths if path.is_file())
    for key in (*link_keys.FIELDS[title], *link_keys.FOLDS[title]):
        name = key.removeprefix("code-").removesuffix("-numbers").replace("#", "{number}")
        named = (f'"{key}"', f'f"{name}"', f'"{name}"', f'/{name}"')
        assert any(given in source for given in named), key


@pytest.mark.parametrize(("where", "to"), link_keys.MOVED.items(), ids=str)
def test_a_link_with_an_old_key(where: tuple[str, str], to: tuple[str, str]) -> None:
    (title, old), (key, value) = where, to
    app = open_page(SCRIPTS[title], **{old: "true"}, utm_source="mail")
    assert app.session_state[key] == (True if value == "true" else value)
    assert old not in app.query_params
    assert app.query_params[key] == value
    assert app.query_params["utm_source"] == "mail"
    assert values(app, "keys") == values(app, "asked") == []
    # What an address names by today's key comes first.
    other = "false" if value == "true" else next(
        option for option in app.segmented_control(key=key).options if option != value
    )  # fmt: skip
    both = open_page(SCRIPTS[title], **{old: "true", key: other})
    assert both.session_state[key] == (False if other == "false" else other)


@pytest.mark.parametrize(("title", "keys"), [(t, k) for t, k in link_keys.GONE.items() if k])
def test_a_link_with_a_key_that_is_gone(title: str, keys: tuple[str, ...]) -> None:
    app = open_page(SCRIPTS[title], **dict.fromkeys(keys, "true"), utm_source="mail")
    assert values(app, "keys") == [", ".join(keys)]
    assert list(app.query_params) == ["utm_source"]
    assert values(app.run(), "keys") == []  # it is said once


def test_keys_of_others_are_passed_over() -> None:
    app = open_page(SCRIPTS["Tokens"], utm_source="mail", fbclid="x", zoom="2")
    assert values(app, "keys") == values(app, "asked") == []


PAGES_OF = {key: title for title, keys in link_keys.FIELDS.items() for key in keys}


@pytest.mark.parametrize(("where", "value"), link_keys.RENAMED.items(), ids=str)
def test_a_link_with_the_old_name_of_a_choice(where: tuple[str, str], value: str) -> None:
    key, old = where
    app = open_page(SCRIPTS[PAGES_OF[key]], **{key: old})
    control = app.segmented_control(key=key)
    assert old not in control.options
    assert control.value == (value or None)
    assert list(app.query_params.values()) == ([value] if value else [])
    assert values(app, "asked") == []
    other = next(option for option in control.options if option != value)
    control.set_value(other).run()
    assert app.segmented_control(key=key).value == other


def test_what_is_not_offered_is_said() -> None:
    page = SCRIPTS["Input Embeddings"]
    app = open_page(page, dims="<b>some</b>", look="the essence", scale="one for all")
    assert values(app, "asked") == ["<b>some</b>", "the essence"]
    assert values(app, "field") == ["Dimensions", "Look closer at"]
    assert "<b>some</b>" not in html(app)
    assert app.session_state["scale"] == "one for all"
    app.segmented_control(key="scale").set_value("one for each").run()
    assert values(app, "asked") == []


def test_numbers_that_are_not_offered_are_said() -> None:
    app = open_page(SCRIPTS["Positions and Segments"], row="9999", column="3")
    assert values(app, "asked") == ["9999"]
    assert values(app, "field") == ["Position i"]
    assert app.session_state["row"] == 100
    assert app.session_state["column"] == 3
    app = open_page(SCRIPTS["Input Embeddings"], a="the cat", token="4")
    assert values(app, "asked") == ["4"]
    app = open_page(SCRIPTS["Tokens"], model="gpt2")
    assert values(app, "asked") == ["gpt2"]
    app = open_page(SCRIPTS["Input Embeddings"], a="the cat", token="3")
    assert values(app, "asked") == []


def as_tables() -> str:
    """What docs/links.md says of every key: paste this there when a key has come or gone."""
    parts = []
    for title, fields in {"Every page": link_keys.EVERYWHERE, **link_keys.FIELDS}.items():
        rows = [f"| `{key}` | {about} |" for key, about in fields.items()]
        folds = ", ".join(f"`{key}`" for key in link_keys.FOLDS.get(title, ()))
        if rows:
            head = [f"### {title}", "", "| key | what it holds |", "| --- | --- |"]
            parts.append("\n".join([*head, *rows]))
        if folds:
            parts.append(f"Folds that `true` opens: {folds}.")
    return "\n\n".join(parts)


def test_the_documentation_has_the_same_table() -> None:
    text = (ROOT / "docs" / "links.md").read_text(encoding="utf-8")
    assert as_tables() in text
    for (_, old), (key, _) in link_keys.MOVED.items():
        assert re.search(rf"`{old}=true`.*`{key}=", text)
    for keys in link_keys.GONE.values():
        assert all(f"`{key}=true`" in text for key in keys)
