"""Figures about the parameters of a model."""
