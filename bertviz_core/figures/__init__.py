"""Plotly figures from arrays and labels, one family a file; no model is known here."""
