"""Figures about the embedding layer and its parts."""
