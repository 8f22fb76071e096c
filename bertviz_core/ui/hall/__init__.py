"""A hall on the pages: what a phone is asked, and what the lecturer shows."""
