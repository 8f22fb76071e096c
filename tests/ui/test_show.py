"""A chart takes the look of the page it stands on."""

import pytest
from streamlit.testing.v1 import AppTest

from bertviz_core.figures.template import LARGER, TEMPLATES
from tests.headless import charts


def small_page() -> None:
    import numpy as np

    from bertviz_core.figures.neighbors import neighbor_bars
    from bertviz_core.ui.show import chart

    figure = neighbor_bars(["cat"], np.float32([0.5]), score_name="cosine")
    chart(figure, alt="One bar", name="bars")


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
    assert figure["layout"]["template"] == look.to_plotly_json()
    assert figure["layout"]["height"] == (round(LARGER * 112) if large else 112)
    (shown,) = app.get("plotly_chart")
    assert shown.proto.theme == "", "Streamlit's own theme would take the template's place"
