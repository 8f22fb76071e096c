"""Figures about positions and segments."""
