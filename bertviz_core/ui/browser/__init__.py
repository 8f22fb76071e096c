"""What every page sends to the browser."""
