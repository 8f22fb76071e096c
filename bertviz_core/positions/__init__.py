"""The position and segment tables, and what changing positions or segments does."""
