"""In a fresh process: what is shown without torch, and the heatmaps without pandas."""

from bertviz_core.ui import sections
from tests.fresh_process import drive_app

# Page, the URL key of its sections, how many charts each section shows at least.
VIEWS = [
    (
        "pages/2_Input_Embeddings.py",
        "look",
        {sections.NUMBERS: 1, sections.SHARES: 5, sections.DIMENSION: 3},
    ),
    ("pages/3_Nearest_Neighbors.py", "", {}),
    (
        "pages/1_Tokens.py",
        "closer",
        {sections.WORD_STEPS: 1, sections.VOCABULARY: 0, sections.IDS: 0}
        | {sections.TWO_SEGMENTS: 1, sections.LINES: 1},
    ),
    (
        "pages/7_Inside_the_Model.py",
        "inside",
        {sections.TENSOR: 1, sections.NORMS: 1} | {sections.POOLER: 0, sections.TRAINING: 0},
    ),
    (
        "pages/6_Positions_and_Segments.py",
        "part",
        {sections.ONE_POSITION: 3, sections.DISTANCE: 3, sections.LENGTHS: 4}
        | {sections.SINUSOIDS: 8, sections.SEGMENT_TABLE: 3, sections.EXPERIMENTS: 2},
    ),
]


def test_no_section_loads_torch_before_a_click() -> None:
    drive_app(f"""
app.switch_page("pages/2_Input_Embeddings.py").run()
assert app.get("plotly_chart")
assert "pandas" not in sys.modules
for script, key, labels in {VIEWS!r}:
    app.switch_page(script).run()
    assert not app.exception, script
    assert app.get("plotly_chart"), script
    for label, drawn in labels.items():
        app.segmented_control(key=key).set_value(label).run()
        assert not app.exception, label
        assert len(app.get("plotly_chart")) >= drawn, label
        assert not heavy(), (label, heavy())
    assert "pandas" in sys.modules  # tables need it
assert not heavy(), heavy()
app.button(key="run_change").click().run()
assert not app.exception
assert len(app.get("plotly_chart")) == 4
assert heavy() == {{"torch"}}
""")
