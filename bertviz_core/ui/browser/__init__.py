"""What every page sends to the browser, and what browsers may send to the server."""
