"""Plotly figures from arrays and labels, by subject; no model is known here."""

from bertviz_core.errors import extras_named

with extras_named():
    import plotly  # noqa: F401
