"""The page Positions and Segments: its views and results."""
