"""A chart takes the look of its page."""

import pytest
from streamlit.testing.v1 import AppTest

from bertviz_core.figures.colors import LARGER, TEMPLATES
from tests.headless import charts


def small_page() -> None:
    import numpy as np
    import streamlit as st

    from bertviz_core.figures.bars import neighbor_bars
    from bertviz_core.ui import state
    from bertviz_core.ui.draw import draw
    from bertviz_core.views.view import View, picture, table

    look = st.query_params.get("present", "")
    state.change(page="Some Page", model="a model", look=look, presenting=look != "")
    figure = neighbor_bars(["cat"], np.float32([0.5]), score_name="cosine")
    draw(
        View(
            picture(figure, alt="One bar", name="bars"),
            table({"cosine": [0.5]}, name="bars"),
            table({"cosine": [0.5]}, name="folded", fold="Table"),
        )
    )


@pytest.mark.parametrize("large", [False, True])
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_a_chart_takes_the_look_of_the_page(theme: str, large: bool) -> None:
    app = AppTest.from_function(small_page)
    app.context = {"theme": theme}
    if large:
        app.query_params["present"] = "1"
    app.run()
    assert not app.exception
    (figure,) = charts(app)
    look = TEMPLATES[theme == "dark", large]
    assert figure["layout"]["template"] == look
    assert figure["layout"]["height"] == (round(LARGER * 112) if large else 112)
    (shown,) = app.get("plotly_chart")
    assert shown.proto.theme == "", "Streamlit's own theme would take the template's place"
    assert len(app.dataframe) == len(app.expander) == (0 if large else 1)
