"""What each page asks for, and its jobs; what it shows are views."""
