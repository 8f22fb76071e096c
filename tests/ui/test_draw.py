"""A chart takes the look of its page; a table's CSV is safe in a spreadsheet."""

import csv
import io

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from bertviz_core.figures.colors import LARGER, TEMPLATES
from bertviz_core.saved_files import Column, as_csv
from tests.headless import charts


def small_page() -> None:
    import numpy as np
    import streamlit as st

    from bertviz_core.figures.bars import neighbor_bars
    from bertviz_core.ui import state
    from bertviz_core.ui.draw import draw
    from bertviz_core.views.parts import picture, table
    from bertviz_core.views.view import View

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


@pytest.mark.parametrize("start", ["=", "+", "-", "@", "\t", "\r", "\n", "\uff1d", "'=", "''@"])
def test_no_text_of_a_csv_is_a_formula(start: str) -> None:
    text = f'{start}HYPERLINK("http://example.org","a")'
    for cells in ([text, start], np.array([text, start]), np.array([text, start], "O")):
        written = as_csv({text: cells, "value": [-1.5, 2.0]}).decode("utf-8-sig")
        title, *rows = csv.reader(io.StringIO(written, newline=""))
        assert title == [f"'{text}", "value"]
        assert rows == [[f"'{text}", "-1.5"], [f"'{start}", "2.0"]]


@pytest.mark.parametrize("split", [";", "\t", "\n", "\r\n"])
@pytest.mark.parametrize("sign", ["=", "+", "-", "@", "\uff1d", "\uff0b", ' "='])
def test_no_part_of_a_cell_is_a_formula(split: str, sign: str) -> None:
    written = as_csv({"text": [f"bank{split}{sign}1+1"]}).decode("utf-8-sig")
    assert list(csv.reader(io.StringIO(written, newline="")))[1] == [f"bank{split}'{sign}1+1"]


def test_all_else_stands_in_a_csv_as_it_is() -> None:
    columns = {
        "text": ["a=b", "'tis", ""],
        "number": np.float32([-0.5, 1e-7, 3]),
        "count": [-1, None, 2],
        "change": [0.25, None, -1],
        "row": range(-1, 2),
        "cosine": Column([-0.25, 0.5, 1.0], 1),
        "mixed": ["-", -3, 0.5],
    }
    assert as_csv(columns, {"model": "=m", "layer": 5}).decode("utf-8-sig").splitlines() == [
        "text,number,count,change,row,cosine,mixed,model,layer",
        "a=b,-0.5,-1,0.25,-1,-0.25,'-,'=m,5",
        "'tis,1e-07,,,0,0.5,-3,'=m,5",
        ",3.0,2,-1.0,1,1.0,0.5,'=m,5",
    ]
