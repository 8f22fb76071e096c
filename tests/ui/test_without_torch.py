"""In a fresh process: what is shown without torch, and what is imported before the first page."""

from bertviz_core.ui import frame
from tests.fresh_process import drive_app, printed_by

# All but Home and those that run the model at once.
SCRIPTS = [
    entry.script
    for entry in frame.pages()
    if entry.title not in ("Home", "Word in Context", "Word Senses", "Sentence Vectors", "Methods")
]


def test_no_section_loads_torch_before_a_click() -> None:
    drive_app(f"""
for script in {SCRIPTS!r}:
    app.switch_page(script).run()
    assert not app.exception, script
    assert app.get("plotly_chart"), script
    switches = [one for one in app.segmented_control if one.key == "section"]
    for label in [label for switch in switches for label in switch.options]:
        app.segmented_control(key="section").set_value(label).run()
        assert not app.exception, label
        assert not heavy(), (label, heavy())
    for box in [box for box in app.selectbox if box.key == "card"]:
        for label in box.options:
            app.selectbox(key="card").set_value(label).run()
            assert not app.exception, label
            assert not heavy(), (label, heavy())
app.switch_page("pages/7_Positions_and_Segments.py").run()
app.segmented_control(key="section").set_value("experiments").run()
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
print(pandas.Series.__name__, pandas.__spec__._initializing)
""")
    assert imported == "Series False"
