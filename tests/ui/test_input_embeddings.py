"""The page Input Embeddings, headless: its fields, its sections, and what a tap does."""

import pytest

from tests.headless import charts, chip_rows, html, open_page, values

pytestmark = pytest.mark.usefixtures("fresh_caches")

PAGE = "pages/2_Input_Embeddings.py"


def test_a_pair_and_a_section() -> None:
    app = open_page(PAGE, a="I am Sinan", b="She is Zoe", token="2", section="what LayerNorm does")
    assert "<bdi>She</bdi>" in html(app) or "<bdi>she</bdi>" in html(app)
    assert chip_rows(app)[0]["selected"] == [2]
    assert values(app, "token")[-1] == "am"
    assert len(charts(app)) == 2
    assert values(app, "dimension")
    app.text_input(key="a").set_value("dog").run()
    app.number_input(key="token").set_value(8).run()  # of B
    app.text_input(key="b").set_value("").run()
    assert app.number_input(key="token").value is None
    assert chip_rows(app)[0]["selected"] == [1]
