"""Every page and section with checkpoints that lack what others have: a result, or a sentence."""

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from bertviz_core.positions.changes import CHANGES
from bertviz_core.ui import sections
from tests.data.hostile_checkpoints import OPENED
from tests.headless import charts, html, open_page

pytestmark = pytest.mark.usefixtures("fresh_caches")

TOKENS, EMBEDDINGS, NEIGHBORS, CONTEXT, SENSES, POSITIONS, INSIDE = (
    *("pages/1_Tokens.py", "pages/2_Input_Embeddings.py", "pages/3_Nearest_Neighbors.py"),
    *("pages/4_Word_in_Context.py", "pages/5_Word_Senses.py"),
    *("pages/6_Positions_and_Segments.py", "pages/7_Inside_the_Model.py"),
)
VIEWS: list[tuple[str, dict[str, str]]] = [
    (NEIGHBORS, {}),
    (SENSES, {}),
    *((POSITIONS, {"part": sections.EXPERIMENTS, "change": change}) for change in CHANGES),
    *(
        (page, {key: section})
        for page, key, names in (
            (TOKENS, "closer", "WORD_STEPS VOCABULARY IDS TWO_SEGMENTS LINES"),
            (EMBEDDINGS, "look", "NUMBERS SHARES ROWS ORDER DIMENSION"),
            (CONTEXT, "deeper", "INFLUENCE LENS NEIGHBORS PERCENTILES PIECES SECOND_MODEL"),
            (POSITIONS, "part", "POSITION_TABLE SINUSOIDS SEGMENT_TABLE"),
            (INSIDE, "inside", "PARAMETERS TENSOR NORMS POOLER TRAINING"),
        )
        for section in (getattr(sections, name) for name in names.split())
    ),
]
MODELS = (
    *("one_segment", "three_positions", "no_post_processor_and_no_class"),
    *("other_names_of_special_tokens", "fewer_layers_than_the_file"),
)
# Sentences A and B of the pages that have them; the last two are blank or hold unknown words.
INPUTS = (("the cat", "a dog"), ("cat", ""), ("", ""), ("zebra", "quagga"))


@pytest.mark.filterwarnings("error::RuntimeWarning")  # a division by nothing, a mean of none
@pytest.mark.parametrize("name", MODELS)
def test_every_view(name: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    OPENED[name](folder)
    monkeypatch.setenv("BERTVIZ_MODELS", f"mine={folder}")
    monkeypatch.setenv("BERTVIZ_MODEL", "mine")
    failed = []
    for page, query in VIEWS:
        app = open_page(page, **query)
        assert "This page shows" not in html(app)  # it is this model that is shown
        for first, second in INPUTS:
            _type(app, first, second)
            _run_all(app)
            if app.exception:
                failed.append((page, query, (first, second), app.exception[0].message))
                break
            assert charts(app) or app.dataframe or "bx-" in html(app)
    assert not failed


def _type(app: AppTest, first: str, second: str) -> None:
    for field in app.text_input:
        if field.key in ("a", "xa"):
            field.set_value(first)
        elif field.key in ("b", "xb"):
            field.set_value(second)
        elif not second:  # half of the runs keep the page's own example
            field.set_value(first)
    app.run()


def _run_all(app: AppTest) -> None:
    """Click what runs the model, one button after the other."""
    for key in [button.key for button in app.button if (button.key or "").startswith("run")]:
        if not app.exception and any(button.key == key for button in app.button):
            app.button(key=key).click().run()
