"""The page Input Embeddings, headless: its fields, its sections, and what a tap does."""

import pytest

from tests.headless import addresses, charts, chip_rows, html, open_page, values

pytestmark = pytest.mark.usefixtures("fresh_caches")

PAGE = "pages/2_Input_Embeddings.py"


def test_a_pair_and_a_section() -> None:
    app = open_page(PAGE, a="I am Sinan", b="She is Zoe", token="2", section="a token's numbers")
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


def test_a_link_of_a_section_keeps_the_rest_of_the_address() -> None:
    app = open_page(PAGE, section="the layer as code", dims="most variable")
    link = addresses(app)["LayerNorm"]
    assert {"section": ["what LayerNorm does"], "dims": ["most variable"]}.items() <= link.items()
