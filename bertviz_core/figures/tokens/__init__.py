"""Figures about how a text becomes tokens."""
