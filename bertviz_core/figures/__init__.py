"""Plotly figures from arrays and labels, by subject; no model is known here."""
