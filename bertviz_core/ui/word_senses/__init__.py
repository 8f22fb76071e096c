"""The page Word Senses: its views and results."""
