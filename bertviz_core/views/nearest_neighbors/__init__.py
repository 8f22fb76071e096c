"""The views of the page Nearest Neighbors."""
