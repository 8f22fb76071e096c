"""The views of the page Positions and Segments."""
