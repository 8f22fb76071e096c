"""Matrices as heatmaps, and large ones as pictures."""
