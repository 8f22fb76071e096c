"""Every page and section, with any text and any checkpoint: a result, or a sentence."""

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from bertviz_core.contextual import explained, influence
from bertviz_core.encoder import path_gradients
from bertviz_core.positions.changes import CHANGES
from bertviz_core.ui import sections
from tests.data.hostile_checkpoints import OPENED
from tests.headless import charts, html, open_page
from tests.hostile import HOSTILE, assert_harmless
from tests.ui.test_pages import PAGES, TEXT_ONLY

pytestmark = pytest.mark.usefixtures("fresh_caches")

TOKENS, EMBEDDINGS, NEAREST, CONTEXT, _, POSITIONS, INSIDE = PAGES[1:8]
WITHOUT_SECTIONS = set(PAGES) - {*TEXT_ONLY, TOKENS, EMBEDDINGS, CONTEXT, POSITIONS, INSIDE}
VIEWS: list[tuple[str, dict[str, str]]] = [
    *((page, {}) for page in sorted(WITHOUT_SECTIONS)),
    *((POSITIONS, {"part": sections.EXPERIMENTS, "change": change}) for change in CHANGES),
    *(
        (page, {key: section})
        for page, key, names in (
            (TOKENS, "closer", "WORD_STEPS VOCABULARY IDS TWO_SEGMENTS LINES"),
            (EMBEDDINGS, "look", "NUMBERS SHARES ROWS ORDER DIMENSION SURVIVES"),
            (NEAREST, "wider", "TOKEN_MAP ALL_SCORES PERCENTILE_SCALE"),
            (
                CONTEXT,
                "deeper",
                "INFLUENCE ATTRIBUTION LENS NEIGHBORS PERCENTILES PIECES SECOND_MODEL",
            ),
            (POSITIONS, "part", "ONE_POSITION DISTANCE LENGTHS SINUSOIDS SEGMENT_TABLE"),
            (INSIDE, "inside", "TENSOR NORMS POOLER TRAINING"),
        )
        for section in (getattr(sections, name) for name in names.split())
    ),
]
MODELS = (
    ("one_segment", "fewer_layers_than_the_file"),
    ("three_positions",),
    ("no_post_processor_and_no_class",),
    ("other_names_of_special_tokens",),
)
# Sentences A and B of the pages that have them; the last ones are blank or hold unknown words.
INPUTS = (("the cat", "a dog"), ("", ""), ("zebra", "quagga"))
BRACKETS = "{curly} {0} %s \\ \\[ ]] [[ [SEP] [MASK] ##"
# Every page has met each of these alone in other tests; here what can be read in one go is.
TEXTS = (
    "",
    " ".join(text for text in HOSTILE if text != BRACKETS and len(text) < 1000),
    *(text for text in HOSTILE if text == BRACKETS or len(text) >= 1000),
)
MARKED = (
    "[a] [b] [c]",
    "[PAD] [dog] [PAD] [cat]",
    "<b>a</b> [python] [<i>]",
    "我 [喜欢] [🐍] \x00",
)


@pytest.mark.usefixtures("never_measured")
@pytest.mark.parametrize(("page", "query"), VIEWS, ids=str)
def test_any_text(page: str, query: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(influence, "MOST_WORDS", 3)
    monkeypatch.setattr(explained, "MOST_BYTES", 3_000_000)
    for bound in ("FEWEST_NODES", "MOST_NODES"):
        monkeypatch.setattr(path_gradients, bound, 4)
    app = open_page(page, **query)
    _run_all(app)
    for text in (*TEXTS, *MARKED):
        if len(text) > 1000 and page == POSITIONS:
            continue  # two passes over all positions; test_positions.py has one such text
        if not (fields := [*app.text_input, *app.text_area]):
            break
        for field in fields:
            field.set_value(text[:5000])
        app.run()
        assert_harmless(app, text)
        assert charts(app) or app.dataframe or "bx-" in html(app), text
        for chart in app.get("plotly_chart"):
            assert len(chart.proto.alt) > 40, text


@pytest.mark.filterwarnings("error::RuntimeWarning")  # a division by nothing, a mean of none
@pytest.mark.parametrize("names", MODELS, ids="-".join)
def test_any_checkpoint(names: tuple[str, ...], mine: Path) -> None:
    for name in names:
        OPENED[name](mine)
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


@pytest.mark.usefixtures("tiny_on_offer", "never_measured")
@pytest.mark.parametrize(
    ("page", "query", "expected"),
    [
        (EMBEDDINGS, {"look": sections.SHARES, "dim": "300", "token": "6"}, {"token": 6}),
        (EMBEDDINGS, {"look": sections.DIMENSION, "dim": "300"}, {}),
        (EMBEDDINGS, {"dims": "window", "window": "300"}, {}),
        (CONTEXT, {"layer": "5"}, {"layer": 2}),
        (POSITIONS, {"part": sections.ONE_POSITION, "row": "300"}, {"row": 15}),
        (POSITIONS, {"part": sections.SINUSOIDS, "row": "300"}, {}),
        (POSITIONS, {"part": sections.SEGMENT_TABLE}, {}),
        (
            INSIDE,
            {"inside": sections.TENSOR, "tensor": "encoder.layer.5.output.dense.weight"},
            {"tensor": "embeddings.word_embeddings.weight"},
        ),
    ],
    ids=str,
)
def test_what_the_new_model_lacks(
    page: str, query: dict[str, str], expected: dict[str, object]
) -> None:
    """Changing the model leaves no slider beyond its end."""
    app = open_page(page, **query)
    for key in expected:
        assert str(app.session_state[key]) == query[key]
    app.selectbox(key="model").set_value("tiny").run()
    assert not app.exception
    assert not app.warning
    assert "bx-alert" not in html(app)
    assert charts(app)
    assert {key: app.session_state[key] for key in expected} == expected


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
