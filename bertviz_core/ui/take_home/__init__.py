"""What one takes home: a view with its program as a notebook, arrays, a web page."""
