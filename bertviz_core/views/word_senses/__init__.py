"""The views of the page Word Senses."""
