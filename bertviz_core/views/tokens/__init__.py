"""The views of the page Tokens."""
