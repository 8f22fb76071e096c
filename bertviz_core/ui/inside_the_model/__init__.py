"""The page Inside the Model: its views and results."""
