"""Fields are in containers that the browser recognizes; a field that is not is found."""

from streamlit.testing.v1 import AppTest

from tests.headless import loose_fields


def page() -> None:
    import streamlit as st

    from bertviz_core.ui import inputs, slots

    inputs.sentence("On the page itself", "", key="free")
    with slots.panel("held"), slots.row("held", 2)[1]:
        inputs.sentence("In a named row", "", key="held")
    with st.container():
        inputs.sentence("In a container without a name", "", key="loose")
    with st.columns(2)[0]:
        inputs.sentence("In columns without a name", "", key="columns")


def test_a_field_in_a_nameless_container_is_found() -> None:
    app = AppTest.from_function(page).run()
    assert not app.exception
    assert [path.rpartition("/")[2] for path in loose_fields(app)] == ["loose", "columns"]
