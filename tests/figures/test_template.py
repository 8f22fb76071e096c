"""The looks that all figures share, and how a figure changes from one to another."""

import tomllib
from pathlib import Path

import plotly.graph_objects as go
import pytest

from bertviz_core.figures.colors import TEMPLATES, contrast
from tests.views.test_pictures import shorthands

CONFIG = Path(__file__).parents[2] / ".streamlit" / "config.toml"


@pytest.mark.parametrize("dark", [False, True])
def test_letters_stand_out_from_the_page(dark: bool) -> None:
    assert contrast("#777777", "#FFFFFF") == contrast("#FFFFFF", "#777777")
    assert contrast("#777777", "#FFFFFF") == pytest.approx(4.48, abs=0.01)
    layout = TEMPLATES[dark, False]["layout"]
    theme = tomllib.loads(CONFIG.read_text())["theme"]["dark" if dark else "light"]
    assert layout["paper_bgcolor"] == layout["plot_bgcolor"] == theme["backgroundColor"]
    assert contrast(layout["font"]["color"], layout["paper_bgcolor"]) >= 7
    hover = layout["hoverlabel"]
    assert contrast(hover["font"]["color"], hover["bgcolor"]) >= 7


@pytest.mark.parametrize("look", TEMPLATES)
def test_templates_are_valid_and_small(look: tuple[bool, bool]) -> None:
    """One goes to the browser with every figure."""
    plain = TEMPLATES[look]
    go.layout.Template(plain)  # Plotly's own check
    assert not shorthands(plain)
    assert len(str(plain)) < 1500
