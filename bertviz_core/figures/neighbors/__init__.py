"""Figures about a search of the token table."""
