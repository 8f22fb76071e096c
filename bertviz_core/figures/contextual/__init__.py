"""Figures about words in their sentences."""
