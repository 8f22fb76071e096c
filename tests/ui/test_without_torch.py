"""In a fresh process: what is shown without torch, and what is imported before the first page."""

from tests.fresh_process import drive_app, printed_by

# Page, the URL key of its sections, how many charts each section shows at least.
VIEWS = [
    (
        "pages/2_Input_Embeddings.py",
        "section",
        {"a token's numbers": 3, "which part contributes how much?": 2, "one dimension": 4},
    ),
    ("pages/3_Nearest_Neighbors.py", "", {}),
    (
        "pages/1_Tokens.py",
        "section",
        {"a word, step by step": 1, "is it in the vocabulary?": 0, "ids to text": 0}
        | {"two texts, two segments": 1, "many lines": 1},
    ),
    (
        "pages/7_Inside_the_Model.py",
        "section",
        {"one tensor": 2, "norms of the token table": 2, "pooler": 1, "what training changes": 1},
    ),
    (
        "pages/6_Positions_and_Segments.py",
        "section",
        {"one position and all others": 3, "is it only the distance?": 3, "lengths and path": 5}
        | {"against sinusoids": 7, "segment table": 4, "experiments": 2},
    ),
]


def test_no_section_loads_torch_before_a_click() -> None:
    drive_app(f"""
for script, key, labels in {VIEWS!r}:
    app.switch_page(script).run()
    assert not app.exception, script
    assert app.get("plotly_chart"), script
    for label, drawn in labels.items():
        app.segmented_control(key=key).set_value(label).run()
        assert not app.exception, label
        assert len(app.get("plotly_chart")) >= drawn, label
        assert not heavy(), (label, heavy())
assert not heavy(), heavy()
app.button(key="run_experiments").click().run()
assert not app.exception
assert len(app.get("plotly_chart")) == 4
assert heavy() == {{"torch"}}
""")


def test_pandas_is_whole_before_any_figure_is_made() -> None:
    """Else a figure that is made while another thread imports pandas fails: Plotly looks for it."""
    imported = printed_by("""
import sys
import bertviz_core.figures.drawing
pandas = sys.modules["pandas"]
print(pandas.Series, pandas.__spec__._initializing)
""")
    assert imported == "<class 'pandas.Series'> False"
