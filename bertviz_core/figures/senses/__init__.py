"""Figures about many occurrences of a word."""
