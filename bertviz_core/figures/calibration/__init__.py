"""Figures about where a cosine stands among others."""
