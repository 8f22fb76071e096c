"""The views of the page Inside the Model."""
