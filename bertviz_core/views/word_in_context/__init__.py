"""The views of the page Word in Context."""
